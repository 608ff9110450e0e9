"""Settings of an extraction, which determine every byte of its store: options checked against the model.

Layer 0 is the input of the first block (the embeddings), layer k the output of block k; the top one is taken
after the final normalisation if there is one, as in the published tests. Negative numbers count from the top.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from crossroads.core.errors import InputError, UnknownNameError, one_of
from crossroads.core.models.elmo import NAME, ElmoTokenizer
from crossroads.core.models.elmo_files import read_options, required_files
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.models.transformers import Device, load_config, load_tokenizer, longest_input, padding_id
from crossroads.words.models.settings import device_of, packages

Piece = Literal["last", "first", "mean"]
"""Which of a word's tokens gives its vector; the paper takes the last."""
Stored = Literal["float32", "float16"]
"""Types in which vectors may be stored; they are always computed in float32."""
SCHEME = "crossroads-extraction/2"
"""Name of the procedure; changes when the same input would give other bytes."""
AUTO = "auto"  # the layers of the published tests: the top one, and of an ELMo the sum of all
_COMBINED = ("sum", "mean")
_NUMBER = re.compile(r"[-+]?\d+")
_NO_LIMIT = 1_000_000
_RECORDED = (
    *("piece", "dtype", "batch_size", "batch_tokens", "unit_tokens"),
    *("max_length", "padding", "threads", "device"),
)


@dataclass(frozen=True, kw_only=True)
class Layers:
    """Layers of a model, and how they are combined."""

    numbers: tuple[int, ...]  # the layers, counted from 0, in ascending order
    combined: str  # "one", "sum" or "mean"
    of: int  # the top layer of the model

    def __str__(self) -> str:
        if self.combined == "one":
            return str(self.numbers[0])
        return f"{self.combined}:{','.join(map(str, self.numbers))}"


def parse_layers(wanted: int | str, top: int) -> Layers:
    """Parse a choice of layers, and check that the model has them.

    Parameters
    ----------
    wanted
        A number such as ``-1`` (the top layer), or ``"sum"``, ``"mean"`` (of all, the embeddings among
        them), or ``"sum:-4,-3,-2,-1"``.
    top
        The top layer of the model: its number of blocks.

    Examples
    --------
    >>> str(parse_layers(-1, 12)), str(parse_layers("sum:-2,-1", 12))
    ('12', 'sum:11,12')
    """
    text = str(wanted).strip()
    if _NUMBER.fullmatch(text):
        return Layers(numbers=(_layer(text, text, top),), combined="one", of=top)
    kind, colon, rest = text.partition(":")
    if kind not in _COMBINED:
        raise UnknownNameError("layer", text, (*_COMBINED, *map(str, range(-1, top + 1))), hint=None)
    if not colon:
        return Layers(numbers=tuple(range(top + 1)), combined=kind, of=top)
    numbers = [_layer(part.strip(), text, top) for part in rest.split(",")]
    if len(set(numbers)) < len(numbers):
        raise InputError(f"layers {text!r} name one layer twice.", hint="name each layer once.")
    return Layers(numbers=tuple(sorted(numbers)), combined=kind, of=top)


def _layer(number: str, text: str, top: int) -> int:
    if not _NUMBER.fullmatch(number):
        raise InputError(
            f"{number!r} in the layers {text!r} is not a number.", hint="write for example sum:1,2,3."
        )
    value = int(number)
    if not -top - 1 <= value <= top:
        raise InputError(
            f"there is no layer {value}: the model has layers 0 (embeddings) to {top} (top).",
            hint=f"give a number from {-top - 1} to {top}; -1 is the top.",
        )
    return value % (top + 1)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that the bytes of a store depend on, apart from the contexts."""

    files: ModelFiles  # the model
    model_class: str  # architecture, such as "BertModel"
    layers: Layers  # which hidden states are taken
    piece: str  # which token of a word split into several
    dtype: str  # type of the stored numbers
    batch_size: int  # most sentences per batch
    batch_tokens: int  # most tokens per batch, padding included
    unit_tokens: int  # tokens after which a work unit ends
    max_length: int  # most tokens per sentence, special ones included
    padding: int  # the token that pads short sentences; masked
    threads: int  # threads of a worker; more than one may change last bits
    device: str  # kind of device that computes
    versions: dict[str, str]  # packages on which the last bits depend

    def record(self, contexts_sha256: str, sample: str | None = None) -> dict[str, Any]:
        """Plain data that determine the store: equal records give equal bytes.

        ``sample`` is the procedure by which the contexts were drawn.
        """
        return {
            "scheme": SCHEME,
            "contexts": contexts_sha256,
            "sample": sample,
            "model": self.files.name,
            "revision": self.files.revision,
            "model sha256": self.files.sha256,
            "class": self.model_class,
            "layer": str(self.layers),
            "layers of the model": self.layers.of,
            **{name.replace("_", " "): getattr(self, name) for name in _RECORDED},
            **self.versions,
        }


def resolve(
    model: str | Path,
    *,
    revision: str | None = None,
    layer: int | str = AUTO,
    piece: Piece = "last",
    dtype: Stored = "float32",
    batch_size: int = 64,
    batch_tokens: int = 16_384,
    unit_tokens: int = 16_384,
    max_length: int | None = None,
    device: Device = "auto",
    threads: int = 1,
    elsewhere: bool = False,
) -> tuple[Settings, Any]:
    """Find the model, check every option against it, and load its tokenizer.

    Options are those of :func:`crossroads.contexts.embed.run.embed`. If other machines compute
    (``elsewhere``), they may have a device that this one lacks.
    """
    one_of("piece", piece, Piece)
    one_of("dtype", dtype, Stored)
    one_of("device", device, Device)
    limits = {"batch_size": batch_size, "batch_tokens": batch_tokens, "unit_tokens": unit_tokens}
    for name, value in {**limits, "threads": threads}.items():
        if value < 1:
            raise InputError(f"{name}={value} is too small.", hint="give a number from 1 up.")
    files = find_model(model, revision=revision)
    tokenizer: Any
    if files.elmo:
        tokenizer, architecture, usual = ElmoTokenizer(), NAME, "sum"
        top = read_options(required_files(files.folder)[0]).layers
        least, longest, padding = 1, _NO_LIMIT, 0
    else:
        config, tokenizer = load_config(files), load_tokenizer(files)
        architecture, usual = (config.architectures or [config.model_type])[0], "-1"
        top = int(config.num_hidden_layers)
        least = int(tokenizer.num_special_tokens_to_add()) + 1
        longest, padding = longest_input(config, tokenizer), padding_id(config, tokenizer)
    if max_length is not None and not least <= max_length <= longest:
        raise InputError(
            f"max_length={max_length} cannot be used with {files.name}.",
            hint=f"give a number from {least} to {longest:,}.",
            option="max_length",
        )
    settings = Settings(
        files=files,
        model_class=architecture,
        layers=parse_layers(usual if layer == AUTO else layer, top),
        piece=piece,
        dtype=dtype,
        **limits,
        max_length=max_length or longest,
        padding=padding,
        threads=threads,
        device=device if elsewhere and device != "auto" and not files.elmo else device_of(files, device),
        versions=packages(files),
    )
    return settings, tokenizer

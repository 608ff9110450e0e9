"""Transformers that give vectors of words: their options, and sentence encoders among them.

A model with ``modules.json`` is a sentence encoder. The package sentence-transformers runs the modules it
lists; here the files are checked first, and log messages of the package while it loads are checked as well,
so that no code of a model is run, no pickle is opened and no weight is initialised at random.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    CrossroadsError,
    FormatError,
    InputError,
    UnsafeFileError,
    join_words,
    one_of,
    require,
)
from crossroads.core.evidence import Provenance
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.models.elmo import NAME, TOKENS, Elmo, ElmoTokenizer, elmo_versions
from crossroads.core.models.files import MODULES, ModelFiles, find_model, module_folders
from crossroads.core.models.kinds import CLIP_TYPES, Pooling
from crossroads.core.models.transformers import (
    UNUSED_WEIGHTS,
    Device,
    check_vocabulary,
    load_config,
    load_tokenizer,
    longest_input,
    plain_errors,
    resolve_device,
    versions,
)
from crossroads.core.storage.files import read_record

DECODER, ENCODER, SENTENCES = "decoder", "encoder", "sentence encoder"
DEFAULT_POOLING = {DECODER: "last", ENCODER: "word", SENTENCES: "sentence"}
DEFAULT_PROMPT = {DECODER: "This is {word}", ENCODER: "This is {word}", SENTENCES: "{word}"}
Progress = Callable[[int, int], None]
"""Called with the number done and the total."""
_SETTINGS = (MODULES, "sentence_bert_config.json", "config_sentence_transformers.json")


def ignore(done: int, total: int) -> None:
    """Progress that is not shown."""
    del done, total


def check_counts(**counts: int | None) -> None:
    """Refuse numbers of texts or threads below 1."""
    for name, number in counts.items():
        if number is not None and number < 1:
            raise InputError(f"{name}={number} is too small.", hint="give a number from 1 up.")


def batches(lengths: Sequence[int], size: int, most_tokens: int | None = None) -> Iterator[list[int]]:
    """Yield rows that are computed together, all of one length, so that nothing is padded.

    Rows of which the length is not known, 0, are computed one by one.
    """
    by_length: dict[int, list[int]] = {}
    for row, length in enumerate(lengths):
        by_length.setdefault(length, []).append(row)
    for length, rows in sorted(by_length.items()):
        most = size if most_tokens is None else most_tokens // length if length else 1
        step = max(1, min(size, most))
        yield from (rows[start : start + step] for start in range(0, len(rows), step))


def check_finite(files: ModelFiles, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors of a model if all are finite."""
    if not np.isfinite(vectors).all():
        raise CrossroadsError(
            f"{files.name} gave a vector that is not finite.",
            hint="its weights are damaged, or it does not work in float32 on this device.",
        )
    return vectors


def provenance_of(files: ModelFiles, details: Mapping[str, Any]) -> Provenance:
    """The provenance of vectors of a transformer."""
    return Provenance(
        source=recorded_path(files.name),
        format=files.format,
        revision=files.revision,
        sha256=files.sha256,
        details=details,
    )


@dataclass(frozen=True, kw_only=True)
class SentenceEncoder:
    """A loaded sentence encoder."""

    model: Any
    """The ``SentenceTransformer``."""

    @property
    def said(self) -> str:
        """A description of the modules after the first, for the provenance."""
        steps = []
        for module in list(self.model)[1:]:
            kind = type(module).__name__
            if kind == "Pooling":
                modes = module.pooling_mode
                steps.append(modes if isinstance(modes, str) else " + ".join(modes))
            elif kind == "Dense":
                steps.append(f"dense ({type(module.activation_function).__name__})")
            else:
                steps.append("normalize" if kind == "Normalize" else kind)
        if self.model.truncate_dim is not None:
            steps.append(f"first {self.model.truncate_dim} numbers")
        return ", ".join(steps)

    @property
    def prefix(self) -> str:
        """The text that the encoder puts before every text by default."""
        return str(self.model.prompts.get(self.model.default_prompt_name) or "")

    @property
    def tokenizer(self) -> Any:
        """The fast tokenizer of its transformer; ``None`` if it has none."""
        tokenizer = getattr(self.model[0], "tokenizer", None)
        return tokenizer if getattr(tokenizer, "is_fast", False) else None

    @property
    def config(self) -> Any:
        """The configuration of its transformer; ``None`` if it has none."""
        config: Any = getattr(self.model[0], "config", None)
        return config.get_text_config() if hasattr(config, "get_text_config") else None

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector per text; those of one call should have equally many tokens, so that none is padded."""
        found = self.model.encode(
            list(texts),
            batch_size=len(texts),
            show_progress_bar=False,
            processing_kwargs={"text": {"split_special_tokens": True}},  # "[SEP]" in a text is plain text
        )
        return np.asarray(found, dtype=np.float32)


def is_clip(folder: str | Path) -> bool:
    """Whether a folder holds a vision-language model, by its config.json."""
    return read_record(Path(folder, "config.json")).get("model_type") in CLIP_TYPES


def is_sentence_encoder(files: ModelFiles) -> bool:
    """Whether a model has modules, as sentence-transformers writes them."""
    return files.gguf is None and Path(files.folder, MODULES).is_file()


def load_sentence_encoder(files: ModelFiles, *, device: str = "cpu") -> SentenceEncoder:
    """Load a sentence encoder in float32, in evaluation mode."""
    torch = require("torch", extra="models", purpose="running transformer models")
    package = require("sentence_transformers", extra="sentences", purpose="running sentence encoders")
    _check_settings(files)
    with plain_errors(files, "sentence encoder"), _collected_notices() as notices:
        model = package.SentenceTransformer(
            files.folder,
            device=device,
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
        encoder = SentenceEncoder(model=model.float().eval().requires_grad_(False))
        _check_notices(files, notices)
        if encoder.config is not None:
            check_vocabulary(files, Path(files.folder, *module_folders(Path(files.folder))[:1]))
        encoder(["a"])  # modules of different models fail here
    return encoder


def _check_settings(files: ModelFiles) -> None:
    root = Path(files.folder)
    inside = (
        file for folder in filter(None, module_folders(root)) for file in (root / folder).glob("*.json")
    )
    for file in filter(Path.is_file, (*map(root.joinpath, _SETTINGS), *inside)):
        try:
            json.loads(file.read_bytes())
        except (ValueError, RecursionError) as error:
            raise FormatError(
                "it is not JSON.",
                path=f"{files.name}/{file.relative_to(root).as_posix()}",
                hint="fetch the model again.",
            ) from error


@contextlib.contextmanager
def _collected_notices() -> Iterator[list[logging.LogRecord]]:
    """Collect the log messages of the two packages, and show them nowhere."""
    from logging.handlers import BufferingHandler  # files of vectors need none of it

    handler = BufferingHandler(sys.maxsize)
    loggers = [logging.getLogger(name) for name in ("transformers", "sentence_transformers")]
    before = [(logger, logger.level, logger.handlers, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING)
    try:
        yield handler.buffer
    finally:
        for logger, level, handlers, propagate in before:
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


def _check_notices(files: ModelFiles, records: Sequence[logging.LogRecord]) -> None:
    """Refuse what the packages only log: weights initialised at random, settings that were ignored."""
    for record in records:
        notice = re.sub("\x1b\\[[0-9;]*m", "", record.getMessage())
        if "not trusted" in notice:
            raise UnsafeFileError(
                f"{files.name} asks to run code of its own: {notice.partition(',')[0]}.",
                hint="only functions of torch itself are used.",
            )
        if "Ignoring unrecognized" in notice:
            raise FormatError(
                f"a setting is not known: {notice.splitlines()[0][:200]}",
                path=files.name,
                hint="a newer sentence-transformers may know it.",
            )
        if re.search("MISSING|MISMATCH|newly initialized", notice):
            keys = re.findall(r"^\s*(\S+)\s*\|\s*(?:MISSING|MISMATCH)\b", notice, flags=re.MULTILINE)
            missing = [key for key in keys if not key.startswith(UNUSED_WEIGHTS)]
            if missing or not keys:
                raise FormatError(
                    f"it has no weights for {join_words(missing, most=2) or 'some of its layers'}.",
                    path=files.name,
                    hint="config.json does not match the weights; fetch the model again.",
                )


@dataclass(frozen=True, kw_only=True)
class ResolvedModel:
    """A model and its resolved options."""

    files: ModelFiles
    tokenizer: Any
    """Its fast tokenizer, or that of an ELMo; ``None`` for a sentence encoder without one."""
    architecture: str
    """Class of the model, such as ``"GPT2LMHeadModel"``."""
    kind: str
    prompt: str = ""
    """Template for words that have none of their own."""
    pooling: str = ""
    """One of :data:`~crossroads.core.models.kinds.Pooling`, but not ``"auto"``."""
    layer: int | str
    """The layer that is read, from 0; or ``"sum"`` of an ELMo's."""
    top: int
    longest: float
    """Most tokens of a text, special ones included."""
    device: str = "cpu"
    sentences: SentenceEncoder | None = None
    """The sentence encoder, if it is used as such."""
    elmo: Elmo | None = None


def packages(files: ModelFiles) -> dict[str, str]:
    """What the last bits of the vectors of a model depend on: packages, and how an ELMo's text is split."""
    return {**elmo_versions(), "tokens": TOKENS} if files.elmo else versions()


def device_of(files: ModelFiles, device: str) -> str:
    """Check a device, and resolve ``"auto"``; an ELMo runs on the processor."""
    if not files.elmo:
        return resolve_device(device)
    if one_of("device", device, Device) not in ("auto", "cpu"):
        raise InputError(
            f"device={device} was given, but an ELMo runs on the processor.",
            hint="use device='cpu'.",
            option="device",
        )
    return "cpu"


def layer_count(files: ModelFiles) -> int:
    """Number of the top layer of a transformer or an ELMo; the input of the first block is layer 0."""
    return Elmo(files.folder).options.layers if files.elmo else int(load_config(files).num_hidden_layers)


def resolve_model(
    model: str | Path,
    *,
    revision: str | None,
    prompt: str | None,
    pooling: str,
    layer: int | None,
    device: str,
) -> ResolvedModel:
    """Find a model, and check every option against it."""
    one_of("pooling", pooling, Pooling)
    files = find_model(model, revision=revision)
    if is_clip(files.folder):
        raise InputError(f"{files.name} is a vision-language model.", hint="use load, or clip_embeddings.")
    sentences = not files.elmo and is_sentence_encoder(files)
    if (pooling == "sentence" and not sentences) or (pooling == "cls" and files.elmo):
        lacks = f"an ELMo, which has no pooling {pooling!r}"
        raise InputError(
            f"{files.name} is {lacks if files.elmo else 'not a sentence encoder: it has no modules.json'}.",
            hint="use pooling='word', 'mean' or 'last'.",
            option="pooling",
        )
    device = device_of(files, device)
    if files.elmo:
        own = _elmo(files)
    elif pooling in ("auto", "sentence") and sentences:
        own = _sentence_encoder(files, device)
    else:
        own = _transformer(files)
    top = own.top
    if layer is not None and not -top - 1 <= layer <= top:
        raise InputError(
            f"there is no layer {layer}: the model has layers 0 (embeddings) to {top} (top).",
            hint=f"give a number from {-top - 1} to {top}; -1 is the top.",
        )
    if layer is not None and layer % (top + 1) != top and own.sentences is not None:
        raise InputError(
            f"layer {layer} of a sentence encoder has no pooling of its own.",
            hint="use pooling='mean' or another to read a layer below the top.",
            option="pooling",
        )
    return replace(
        own,
        prompt=DEFAULT_PROMPT[SENTENCES if sentences else own.kind] if prompt is None else prompt,
        pooling=DEFAULT_POOLING[own.kind] if pooling == "auto" else pooling,
        layer=own.layer if layer is None else layer % (top + 1),
        device=device,
    )


def _transformer(files: ModelFiles) -> ResolvedModel:
    config, tokenizer = load_config(files), load_tokenizer(files)
    top, named = int(config.num_hidden_layers), str((config.architectures or [config.model_type])[0])
    tables = require("transformers.models.auto.modeling_auto", extra="models", purpose="loading models")
    masked = config.model_type in tables.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    causal = config.model_type in tables.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    kind = DECODER if (getattr(config, "is_decoder", False) if masked else causal) else ENCODER
    longest = longest_input(config, tokenizer)
    return ResolvedModel(
        files=files, tokenizer=tokenizer, architecture=named, kind=kind, layer=top, top=top, longest=longest
    )


def _sentence_encoder(files: ModelFiles, device: str) -> ResolvedModel:
    encoder = load_sentence_encoder(files, device=device)
    config, tokenizer, first = encoder.config, encoder.tokenizer, type(encoder.model[0]).__name__
    top = int(getattr(config, "num_hidden_layers", 0))
    longest: float = encoder.model.max_seq_length or math.inf
    if tokenizer is not None and config is not None:
        longest = min(longest, longest_input(config, tokenizer))
    return ResolvedModel(
        files=files,
        tokenizer=tokenizer,
        architecture=str((getattr(config, "architectures", None) or [first])[0]),
        kind=SENTENCES,
        layer=top,
        top=top,
        longest=longest,
        sentences=encoder,
    )


def _elmo(files: ModelFiles) -> ResolvedModel:
    model = Elmo(files.folder)
    return ResolvedModel(
        files=files,
        tokenizer=ElmoTokenizer(),
        architecture=NAME,
        kind=ENCODER,
        layer="sum",
        top=model.options.layers,
        longest=math.inf,
        elmo=model,
    )

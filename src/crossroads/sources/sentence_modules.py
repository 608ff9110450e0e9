"""Sentence encoders: what follows the transformer, as the files of sentence-transformers say.

``modules.json`` lists the steps. The first is the transformer; pooling makes one vector of its tokens; a
dense layer and a normalisation may follow. They are read here as data and done in order, so that the vectors
are those the encoder is used with.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, InputError, in_short, join_words, require
from crossroads.sources.model_files import ModelFiles

LISTING = "modules.json"
_FLAGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""Switches of a pooling module and what they mean, in the order in which several are joined."""
_ACTIVATIONS = ("Identity", "Tanh", "ReLU", "GELU", "Sigmoid")


@dataclass(frozen=True, kw_only=True)
class Dense:
    """A linear layer after pooling."""

    weight: Any
    """Matrix, one row an output."""
    bias: Any
    """One number an output, or ``None``."""
    activation: str
    """Class of torch that is applied to the output, such as ``"Tanh"``."""


@dataclass(frozen=True, kw_only=True)
class SentenceModules:
    """What a sentence encoder does with the hidden states of its transformer."""

    pooling: tuple[str, ...]
    """Ways of pooling; the vectors of several are joined end to end."""
    after: tuple[Dense | str, ...]
    """Steps after pooling: dense layers and ``"normalize"``."""
    longest: int | None
    """Most tokens of a text, special ones included."""
    lower: bool
    """Whether texts are turned into small letters first."""
    prefix: str
    """What the encoder puts before every text by default."""
    sha256: str
    """Checksum over the files of the modules."""

    @property
    def said(self) -> str:
        """The steps in words, for provenance."""
        steps = [one if isinstance(one, str) else f"dense ({one.activation})" for one in self.after]
        return ", ".join([" + ".join(self.pooling), *steps])

    def __call__(self, states: Any) -> Any:
        """One vector a text, from hidden states of texts of one length without padding."""
        torch = require("torch", extra="models", purpose="running transformer models")
        vectors = torch.cat([_pooled(torch, states, way) for way in self.pooling], dim=1)
        for step in self.after:
            if isinstance(step, str):
                vectors = torch.nn.functional.normalize(vectors, p=2, dim=1)
            else:
                _check_width(step, int(vectors.shape[1]))
                bias = None if step.bias is None else step.bias.to(vectors.device)
                vectors = torch.nn.functional.linear(vectors, step.weight.to(vectors.device), bias)
                vectors = getattr(torch.nn, step.activation)()(vectors)
        return vectors


def read_modules(files: ModelFiles) -> SentenceModules | None:
    """The modules of a sentence encoder, or ``None`` where the model is none.

    Parameters
    ----------
    files
        What :func:`crossroads.sources.model_files.find_model` found.

    Raises
    ------
    FormatError
        Where a module is not known, or its files are missing or damaged.
    """
    listing = Path(files.folder, LISTING)
    if files.gguf is not None or not listing.is_file():
        return None
    reader = _Reader(files)
    steps = reader.json(LISTING)
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise FormatError("it is no list of modules.", path=_shown(files, LISTING))
    kinds = [str(step.get("type", "")).rpartition(".")[2] for step in steps]
    if kinds[:2] != ["Transformer", "Pooling"]:
        raise FormatError(
            f"the modules are {join_words(kinds, most=8) or 'none'}.",
            path=_shown(files, LISTING),
            hint="sentence encoders with a transformer and a pooling module are read; "
            "pooling='mean' or another choice leaves the modules aside.",
        )
    if steps[0].get("path"):
        raise FormatError(
            f"its transformer lies in the subfolder {in_short(str(steps[0]['path']))}.",
            path=_shown(files, LISTING),
            hint="save the encoder with a newer sentence-transformers, which puts it into the folder itself.",
        )
    own = reader.json("sentence_bert_config.json", optional=True)
    wide = reader.json("config_sentence_transformers.json", optional=True)
    pooling = _pooling(reader, str(steps[1].get("path", "")), prefix := _prefix(wide))
    after = tuple(
        _after(reader, kind, str(step.get("path", "")))
        for kind, step in zip(kinds[2:], steps[2:], strict=True)
    )
    longest = own.get("max_seq_length")
    return SentenceModules(
        pooling=pooling,
        after=after,
        longest=longest if type(longest) is int and longest > 0 else None,
        lower=own.get("do_lower_case") is True,
        prefix=prefix,
        sha256=reader.sha256,
    )


class _Reader:
    """Reads the small files of a model and keeps a checksum over all of them."""

    def __init__(self, files: ModelFiles) -> None:
        self.files = files
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def path(self, name: str) -> Path | None:
        """Where a file lies; one in a subfolder of a model of the hub is fetched first."""
        if any(part in ("..", "") for part in name.split("/")) or "\\" in name or ":" in name:
            raise FormatError(
                f"it names the file {in_short(name)}, outside the model.", path=self.shown(LISTING)
            )
        path = Path(self.files.folder, name)
        if not path.is_file() and self.files.revision is not None and "/" in name:
            path = _fetched(self.files, name) or path
        return path if path.is_file() else None

    def json(self, name: str, *, optional: bool = False) -> Any:
        """What a file holds; an empty mapping where it may be missing and is."""
        path = self.path(name)
        if path is None:
            if optional:
                return {}
            raise FormatError("the file is missing.", path=self.shown(name), hint="fetch the model again.")
        data = path.read_bytes()
        self._digest.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode())
        try:
            found = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise FormatError(
                "it is no JSON.", path=self.shown(name), hint="fetch the model again."
            ) from error
        if optional and not isinstance(found, dict):
            raise FormatError("it holds no mapping.", path=self.shown(name))
        return found

    def tensors(self, name: str) -> dict[str, Any]:
        """The arrays of a safetensors file."""
        path = self.path(name)
        if path is None:
            raise FormatError(
                "the weights of this layer are missing, or not in safetensors.",
                path=self.shown(name),
                hint="save the encoder again with safetensors.",
            )
        safetensors = require("safetensors.torch", extra="models", purpose="reading safetensors files")
        self._digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        try:
            found: dict[str, Any] = safetensors.load_file(str(path))
        except Exception as error:
            raise FormatError("the weights cannot be read.", path=self.shown(name)) from error
        return found

    def shown(self, name: str) -> str:
        return _shown(self.files, name)


def _shown(files: ModelFiles, name: str) -> str:
    return f"{files.name}/{name}"


def _fetched(files: ModelFiles, name: str) -> Path | None:
    """A file of a model of the hub that is not in the folder yet."""
    hub = require("huggingface_hub", extra="models", purpose="fetching models of the hub")
    errors = require("huggingface_hub.errors", extra="models", purpose="fetching models of the hub")
    try:
        return Path(hub.hf_hub_download(files.name, name, revision=files.revision))
    except (OSError, errors.HfHubHTTPError, errors.EntryNotFoundError) as error:
        if isinstance(error, errors.EntryNotFoundError) and not isinstance(
            error, errors.LocalEntryNotFoundError
        ):
            return None  # the hub was reached, and has no such file
        raise InputError(
            f"{_shown(files, name)} is not here, and the hub cannot be reached.",
            hint="check the connection, or say pooling='mean'.",
        ) from error


def _prefix(wide: dict[str, Any]) -> str:
    """The prompt that the encoder puts before a text unless told otherwise."""
    prompts, name = wide.get("prompts"), wide.get("default_prompt_name")
    found = prompts.get(name) if isinstance(prompts, dict) and isinstance(name, str) else None
    return found if isinstance(found, str) else ""


def _pooling(reader: _Reader, folder: str, prefix: str) -> tuple[str, ...]:
    name = f"{folder}/config.json"
    config = reader.json(name)
    if not isinstance(config, dict):
        raise FormatError("it holds no mapping.", path=reader.shown(name))
    mode = config.get("pooling_mode")
    if mode is None:
        ways = [way for flag, way in _FLAGS.items() if config.get(flag) is True]
    else:
        ways = [str(one) for one in (mode if isinstance(mode, list) else [mode])]
    unknown = [way for way in ways if way not in _FLAGS.values()]
    if unknown or not ways:
        raise FormatError(
            f"the pooling is {join_words(map(in_short, unknown), most=4) or 'not said'}.",
            path=reader.shown(name),
            hint=f"known: {', '.join(_FLAGS.values())}.",
        )
    if prefix and config.get("include_prompt") is False:
        raise FormatError(
            "the encoder leaves its own prompt out of the pooling, which is not done here.",
            path=reader.shown(name),
            hint="say pooling='mean', or another that is known.",
        )
    return tuple(ways)


def _after(reader: _Reader, kind: str, folder: str) -> Dense | str:
    if kind == "Normalize":
        return "normalize"
    if kind != "Dense":
        raise FormatError(
            f"the module {in_short(kind)} is not known.",
            path=reader.shown(LISTING),
            hint="known after pooling: Dense and Normalize; pooling='mean' leaves the modules aside.",
        )
    name = f"{folder}/config.json"
    config, tensors = reader.json(name), reader.tensors(f"{folder}/model.safetensors")
    if not isinstance(config, dict):
        raise FormatError("it holds no mapping.", path=reader.shown(name))
    activation = str(config.get("activation_function", "Tanh")).rpartition(".")[2]
    if activation not in _ACTIVATIONS:
        raise FormatError(
            f"the activation {in_short(activation)} is not known.",
            path=reader.shown(name),
            hint=f"known: {', '.join(_ACTIVATIONS)}.",
        )
    if "linear.weight" not in tensors:
        raise FormatError("there is no linear.weight.", path=reader.shown(f"{folder}/model.safetensors"))
    weight, bias = tensors["linear.weight"].float(), tensors.get("linear.bias")
    if weight.ndim != 2 or (bias is not None and bias.shape != weight.shape[:1]):
        raise FormatError(
            "linear.weight and linear.bias do not go together.",
            path=reader.shown(f"{folder}/model.safetensors"),
        )
    return Dense(weight=weight, bias=None if bias is None else bias.float(), activation=activation)


def _check_width(step: Dense, width: int) -> None:
    if step.weight.shape[1] != width:
        raise FormatError(
            f"a dense layer takes {step.weight.shape[1]:,} numbers, and is given {width:,}.",
            path=LISTING,
            hint="the folder holds parts of different models; fetch it again.",
        )


def _pooled(torch: Any, states: Any, way: str) -> Any:
    """One vector a text, of its tokens."""
    length = states.shape[1]
    if way == "cls":
        return states[:, 0]
    if way == "lasttoken":
        return states[:, -1]
    if way == "max":
        return states.max(dim=1).values
    if way == "weightedmean":
        weights = torch.arange(1, length + 1, dtype=states.dtype, device=states.device)
        return (states * weights[None, :, None]).sum(dim=1) / weights.sum()
    return states.sum(dim=1) / (length**0.5 if way == "mean_sqrt_len_tokens" else length)

"""Tokenizers, configurations and models of ``transformers``, loaded without running code of the model.

Loading is separate from use: context vectors need :data:`ENCODER`, probes of language models another
automatic class. ``torch`` and ``transformers`` are imported when something is loaded.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from crossroads.core.errors import (
    CrossroadsError,
    FormatError,
    InputError,
    UnsafeFileError,
    in_short,
    join_words,
    one_of,
    require,
)
from crossroads.core.models.files import VOCABULARIES, ModelFiles

ENCODER = "AutoModel"
"""The automatic class without a head, which gives hidden states."""
Device = Literal["auto", "cpu", "cuda", "mps"]
"""Where a model may run; ``"auto"`` is the first of cuda, mps and cpu that is available."""

_NO_LIMIT = 1_000_000
_MOST = 1 << 62
_OFFSET_POSITIONS = ("roberta", "camembert", "xlm-roberta", "xlm-roberta-xl", "roberta-prelayernorm", "mpnet",
                     "longformer", "data2vec-text", "ernie_m", "luke")  # fmt: skip
"""Model types whose positions are counted from the padding index on, so that the first ones are lost."""


def _torch() -> Any:
    return require("torch", extra="models", purpose="running transformer models")


def _transformers() -> Any:
    _torch()
    return require("transformers", extra="models", purpose="loading transformer models")


def versions() -> dict[str, str]:
    """Versions of the packages on which the last bits of a vector depend."""
    tokenizers = require("tokenizers", extra="models", purpose="splitting text into tokens")
    return {one.__name__: str(one.__version__) for one in (_torch(), _transformers(), tokenizers)}


def load_config(files: ModelFiles) -> Any:
    """Load the configuration of a model; encoder–decoder models are refused."""
    with plain_errors(files, "configuration"):
        config = _transformers().AutoConfig.from_pretrained(**files.options())
    if getattr(config, "is_encoder_decoder", False):
        hint = "give an encoder such as BERT or a decoder such as GPT-2."
        raise InputError(f"{files.name} is an encoder–decoder model ({config.model_type}).", hint=hint)
    with plain_errors(files, "configuration"):
        text = config.get_text_config()
        _check_config(text)
    return text


def _check_config(config: Any) -> None:
    """Refuse values that transformers takes as they are and that no model has."""
    names = config.architectures
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"its architectures are {in_short(names)}")
    for name in ("num_hidden_layers", "vocab_size", "max_position_embeddings", "pad_token_id"):
        value = getattr(config, name, None)
        if value is not None and (type(value) is not int or abs(value) > _MOST):
            raise ValueError(f"its {name} is {in_short(value)}")


def load_tokenizer(files: ModelFiles, *, fast: bool = True) -> Any:
    """Load the tokenizer of a model; a fast one knows the character offsets of its tokens."""
    try:
        with plain_errors(files, "tokenizer"):
            tokenizer = _transformers().AutoTokenizer.from_pretrained(**files.options(), use_fast=True)
            longest = tokenizer.model_max_length
            if longest is not None and (type(longest) not in (int, float) or not math.isfinite(longest)):
                raise ValueError(f"its model_max_length is {in_short(longest)}")
            _ = tokenizer.all_special_ids, tokenizer("a", verbose=False)  # which may be none
    except FormatError:
        if files.gguf is None:
            check_vocabulary(files, Path(files.folder))  # the better reason, where there is none
        raise
    if fast and not tokenizer.is_fast:
        raise InputError(
            f"{files.name} has no fast tokenizer ({type(tokenizer).__name__}), so the position of a word "
            "among its tokens is not known.",
            hint="use a model whose folder has tokenizer.json.",
        )
    if files.gguf is None:
        check_vocabulary(files, Path(files.folder))
    return tokenizer


def check_vocabulary(files: ModelFiles, folder: Path) -> None:
    """Check that a folder has a tokenizer: transformers would silently make an empty one."""
    if not any((folder / name).is_file() for name in VOCABULARIES):
        hint = "expected tokenizer.json next to config.json."
        raise FormatError("the model has no tokenizer.", path=files.name, hint=hint)


def load_model(files: ModelFiles, *, auto_class: str = ENCODER, device: str = "cpu") -> Any:
    """Load a model in float32, in evaluation mode."""
    return load_reported(files, auto_class, device)[0]


def load_reported(files: ModelFiles, auto_class: str, device: str) -> tuple[Any, dict[str, Any]]:
    """A model, and the report of transformers about its weights."""
    torch, transformers = _torch(), _transformers()
    options = files.options()
    if files.gguf is None:
        options["use_safetensors"] = True
    else:
        require("gguf", extra="gguf", purpose="reading GGUF files")
        require("accelerate", extra="gguf", purpose="reading GGUF files")
    with plain_errors(files, "weights"):
        model, info = getattr(transformers, auto_class).from_pretrained(
            **options, dtype=torch.float32, output_loading_info=True
        )
    return model.to(device=device, dtype=torch.float32).eval().requires_grad_(False), info


def resolve_device(device: str) -> str:
    """Check a device, and resolve ``"auto"``."""
    one_of("device", device, Device)
    torch = _torch()
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == "auto":
        return next(name for name, usable in there.items() if usable)
    if not there[device]:
        hint = "use device='auto' or device='cpu'."
        raise InputError(f"there is no {device} device here.", hint=hint, option="device")
    return device


def longest_input(config: Any, tokenizer: Any) -> int:
    """Longest input of a model in tokens, special ones included."""
    limits = [int(tokenizer.model_max_length)] if tokenizer.model_max_length else []
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and positions > 0:
        padding = 1 if config.pad_token_id is None else config.pad_token_id
        limits.append(int(positions) - (padding + 1 if config.model_type in _OFFSET_POSITIONS else 0))
    return min([limit for limit in limits if 0 < limit < _NO_LIMIT], default=_NO_LIMIT)


def padding_id(config: Any, tokenizer: Any) -> int:
    """The token that pads shorter sentences of a batch; it is masked, but the model must have it."""
    tokens = (tokenizer.pad_token_id, config.pad_token_id, tokenizer.eos_token_id)
    known = getattr(config, "vocab_size", None) or _NO_LIMIT
    return next((token for token in tokens if isinstance(token, int) and 0 <= token < known), 0)


@contextlib.contextmanager
def plain_errors(files: ModelFiles, what: str) -> Iterator[None]:
    """Silence the progress bars and log messages of transformers, and turn its exceptions into one error."""
    logging = _transformers().utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    gguf = contextlib.redirect_stderr(io.StringIO())  # its reader has a bar that no setting turns off
    try:
        with contextlib.nullcontext() if files.gguf is None else gguf:
            yield
    except (CrossroadsError, MemoryError):
        raise
    except ImportError as error:
        needs = "needs a package that is not installed, or a newer one"
        raise InputError(f"the {what} of {files.name} {needs}: {_first(error)}") from error
    except Exception as error:
        if "trust_remote_code" in str(error):
            # sentence-transformers quotes the class of a module
            module = re.search("module class '([^']{1,80})", str(error))
            where = f"{module[1]} in modules.json" if module else "auto_map in config.json"
            hint = "only architectures of transformers and sentence-transformers themselves are loaded."
            message = f"{files.name} asks to run code of its own ({where})."
            raise UnsafeFileError(message, hint=hint) from error
        message = f"the {what} cannot be loaded: {_first(error)}"
        hint = "the folder is damaged, or made for another version of transformers."
        raise FormatError(message, path=files.name, hint=hint) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _first(error: Exception) -> str:
    """The first line of a message, and the second if the first ends with a colon."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return " ".join(lines[:2] if lines[0].endswith(":") else lines[:1])[:200]


UNUSED_WEIGHTS = ("pooler.", "logit_scale", "logit_bias")
"""Weights that no vector depends on: the head that BERT calls pooler, and the temperature of CLIP."""


def load_whole_model(files: ModelFiles, *, device: str = "cpu") -> Any:
    """The model without a head, if no weight is missing that vectors depend on."""
    model, info = load_reported(files, ENCODER, device)
    missing = sorted(name for name in info["missing_keys"] if not name.startswith(UNUSED_WEIGHTS))
    missing += sorted(str(one) for one in info.get("mismatched_keys") or ())
    if missing:
        message = f"as {type(model).__name__} it has no weights for {join_words(missing, most=2)}."
        hint = "config.json does not match the weights; fetch the model again."
        raise FormatError(message, path=files.name, hint=hint)
    return model


def check_tokens(files: ModelFiles, config: Any, texts: Iterable[Sequence[int]]) -> None:
    """Check that the model has every token that its tokenizer made."""
    known = int(config.get_text_config().vocab_size)
    most = max(max(ids) for ids in texts)
    if most >= known:
        message = f"its tokenizer makes token {most}, and its weights have {known:,}."
        hint = "tokenizer and weights are of different models; fetch the model again."
        raise FormatError(message, path=files.name, hint=hint)

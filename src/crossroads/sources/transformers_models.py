"""Tokenizers, configurations and models of ``transformers``, loaded without running anybody's code.

Loading is apart from what is asked of a model: context vectors need :data:`ENCODER`, probes of language
models another automatic class. ``torch`` and ``transformers`` are imported when something is loaded.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crossroads.errors import CrossroadsError, FormatError, InputError, UnsafeFileError, one_of, require
from crossroads.sources.model_files import VOCABULARIES, ModelFiles

ENCODER = "AutoModel"
"""The automatic class without a head: what gives hidden states."""
DEVICES = ("cpu", "cuda", "mps", "auto")
"""Where a model may run; ``"auto"`` is the first of cuda, mps and cpu that is there."""

_NO_LIMIT = 1_000_000
_OFFSET_POSITIONS = ("roberta", "camembert", "xlm-roberta", "xlm-roberta-xl", "roberta-prelayernorm", "mpnet",
                     "longformer", "data2vec-text", "ernie_m", "luke")  # fmt: skip
"""Model types whose positions are counted from the padding index on, so that the first ones are lost."""


def _torch() -> Any:
    return require("torch", extra="models", purpose="running transformer models")


def _transformers() -> Any:
    _torch()
    return require("transformers", extra="models", purpose="loading transformer models")


def versions() -> dict[str, str]:
    """Versions of the packages that decide the last bits of a vector."""
    packages = {"torch": _torch(), "transformers": _transformers()}
    packages["tokenizers"] = require("tokenizers", extra="models", purpose="splitting text into tokens")
    return {name: str(package.__version__) for name, package in packages.items()}


def load_config(files: ModelFiles) -> Any:
    """The configuration of a model; encoder–decoder models are refused."""
    with told_plainly(files, "configuration"):
        config = _transformers().AutoConfig.from_pretrained(**files.options())
    if getattr(config, "is_encoder_decoder", False):
        raise InputError(
            f"{files.name} is an encoder–decoder model ({config.model_type}).",
            hint="give an encoder such as BERT or a decoder such as GPT-2.",
        )
    return config.get_text_config()


def load_tokenizer(files: ModelFiles) -> Any:
    """The fast tokenizer of a model, which knows the character offsets of its tokens."""
    with told_plainly(files, "tokenizer"):
        tokenizer = _transformers().AutoTokenizer.from_pretrained(**files.options(), use_fast=True)
    if not tokenizer.is_fast:
        raise InputError(
            f"{files.name} has no fast tokenizer ({type(tokenizer).__name__}), so the place of a word among "
            "its tokens is not known.",
            hint="use a model whose folder has tokenizer.json.",
        )
    # Without its files transformers makes a tokenizer that knows nothing, and says nothing.
    if files.gguf is None and not any(Path(files.folder, name).is_file() for name in VOCABULARIES):
        raise FormatError(
            "the model has no tokenizer.",
            path=files.name,
            hint="tokenizer.json is looked for beside config.json.",
        )
    return tokenizer


def load_model(files: ModelFiles, *, auto_class: str = ENCODER, device: str = "cpu") -> Any:
    """A model in float32, ready to answer and not to learn.

    Parameters
    ----------
    files
        What :func:`crossroads.sources.model_files.find_model` found.
    auto_class
        Automatic class of ``transformers``, such as ``"AutoModel"`` or ``"AutoModelForCausalLM"``.
    device
        ``"cpu"``, ``"cuda"`` or ``"mps"``.
    """
    torch, transformers = _torch(), _transformers()
    options = files.options()
    if files.gguf is None:
        options["use_safetensors"] = True
    else:
        require("gguf", extra="gguf", purpose="reading GGUF files")
        require("accelerate", extra="gguf", purpose="reading GGUF files")
    with told_plainly(files, "weights"):
        model = getattr(transformers, auto_class).from_pretrained(**options, dtype=torch.float32)
    return model.to(device=device, dtype=torch.float32).eval().requires_grad_(False)


def resolve_device(device: str) -> str:
    """Check a device, and find out what ``"auto"`` means here."""
    one_of("device", device, DEVICES)
    torch = _torch()
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == "auto":
        return next(name for name, usable in there.items() if usable)
    if not there[device]:
        raise InputError(f"there is no {device} device here.", hint="use device='auto' or device='cpu'.")
    return device


def longest_input(config: Any, tokenizer: Any) -> int:
    """How many tokens a model takes at once, special ones included."""
    limits = [int(tokenizer.model_max_length)] if tokenizer.model_max_length else []
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and positions > 0:
        lost = 0
        if config.model_type in _OFFSET_POSITIONS:
            lost = (config.pad_token_id if config.pad_token_id is not None else 1) + 1
        limits.append(int(positions) - lost)
    return min([limit for limit in limits if 0 < limit < _NO_LIMIT], default=_NO_LIMIT)


def padding_id(config: Any, tokenizer: Any) -> int:
    """The token that fills up shorter sentences of a batch; it is masked, but the model must have it."""
    candidates = (tokenizer.pad_token_id, config.pad_token_id, tokenizer.eos_token_id)
    known = getattr(config, "vocab_size", None) or _NO_LIMIT
    return next((int(one) for one in candidates if isinstance(one, int) and 0 <= one < known), 0)


@contextlib.contextmanager
def told_plainly(files: ModelFiles, what: str) -> Iterator[None]:
    """Quiet the bars and notices of transformers, and turn its many errors into a sentence."""
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
        raise InputError(
            f"the {what} of {files.name} needs a package that is not installed: {_first(error)}"
        ) from error
    except Exception as error:
        if "trust_remote_code" in str(error):
            raise UnsafeFileError(
                f"{files.name} asks to run a program of its own (auto_map in config.json).",
                hint="only architectures that transformers itself has are loaded.",
            ) from error
        raise FormatError(
            f"the {what} cannot be loaded: {_first(error)}",
            path=files.name,
            hint="the folder is damaged, or made for another version of transformers.",
        ) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _first(error: Exception) -> str:
    """The first line of somebody's message."""
    return next(
        (line.strip()[:200] for line in str(error).splitlines() if line.strip()), type(error).__name__
    )

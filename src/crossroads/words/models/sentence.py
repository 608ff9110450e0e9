"""Sentence encoders, loaded and run by sentence-transformers.

A model with ``modules.json`` is one. The package runs the modules it lists; here the files are checked first,
and log messages of the package while it loads are checked as well, so that no code of a model is run, no
pickle is opened and no weight is initialised at random.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, UnsafeFileError, join_words, require
from crossroads.core.models.files import MODULES, ModelFiles, module_folders
from crossroads.core.models.transformers import UNUSED_WEIGHTS, check_vocabulary, plain_errors

_SETTINGS = (MODULES, "sentence_bert_config.json", "config_sentence_transformers.json")


@dataclass(frozen=True, kw_only=True)
class SentenceEncoder:
    """A loaded sentence encoder."""

    model: Any
    """The ``SentenceTransformer``."""

    @property
    def said(self) -> str:
        """A description of the modules after the first, for the provenance."""
        steps = [_in_words(module) for module in list(self.model)[1:]]
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
    """Check that the settings of the modules are JSON."""
    root = Path(files.folder)
    inside = (
        file for folder in filter(None, module_folders(root)) for file in (root / folder).glob("*.json")
    )
    for file in (*map(root.joinpath, _SETTINGS), *inside):
        if not file.is_file():
            continue
        try:
            json.loads(file.read_bytes())
        except (ValueError, RecursionError) as error:
            raise FormatError(
                "it is not JSON.",
                path=f"{files.name}/{file.relative_to(root).as_posix()}",
                hint="fetch the model again.",
            ) from error


class _Notices(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(re.sub("\x1b\\[[0-9;]*m", "", record.getMessage()))


@contextlib.contextmanager
def _collected_notices() -> Iterator[list[str]]:
    """Collect the log messages of the two packages, and show them nowhere."""
    notices, kept = _Notices(), []
    for name in ("transformers", "sentence_transformers"):
        logger = logging.getLogger(name)
        kept.append((logger, logger.level, logger.handlers, logger.propagate))
        logger.handlers, logger.propagate = [notices], False
        logger.setLevel(logging.WARNING)
    try:
        yield notices.messages
    finally:
        for logger, level, handlers, propagate in kept:
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


def _check_notices(files: ModelFiles, notices: Sequence[str]) -> None:
    """Refuse what the packages only log: weights initialised at random, settings that were ignored."""
    for notice in notices:
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


def _in_words(module: Any) -> str:
    """Describe one module after the transformer."""
    kind = type(module).__name__
    if kind == "Pooling":
        modes = module.pooling_mode
        return str(modes) if isinstance(modes, str) else " + ".join(modes)
    if kind == "Dense":
        return f"dense ({type(module.activation_function).__name__})"
    return "normalize" if kind == "Normalize" else kind

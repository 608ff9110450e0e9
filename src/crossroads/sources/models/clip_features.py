"""Projections of texts and images by a vision-language model, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import CrossroadsError, FormatError, InputError, require
from crossroads.sources.models.files import VOCABULARIES, ModelFiles
from crossroads.sources.models.images import read_image
from crossroads.sources.models.prompts import PromptedWord
from crossroads.sources.models.transformers import check_longest, check_tokens, load_whole_model, plain_errors

Part = tuple[list[str], NDArray[np.float32]]
"""Labels and their vectors."""
_FIXED_LENGTH = ("siglip", "siglip2")
"""Model types that were trained on texts padded to one length, and read its last position."""


@dataclass(frozen=True, kw_only=True)
class Clip:
    """A loaded vision-language model."""

    files: ModelFiles
    """Where it came from."""
    model: Any
    """The model, as transformers loads it."""
    device: str
    """Where it runs."""

    @property
    def type(self) -> str:
        """Its type, as config.json names it."""
        return str(self.model.config.model_type)


def load_clip(files: ModelFiles, *, device: str) -> Clip:
    """Load a vision-language model; a missing weight is an error."""
    return Clip(files=files, model=load_whole_model(files, device=device), device=device)


def text_features(clip: Clip, texts: Sequence[PromptedWord], batch_size: int) -> Iterator[Part]:
    """Yield projected texts in batches of equal numbers of tokens, so that nothing is padded."""
    if not texts:
        return
    tokenizer = _tokenizer(clip.files)
    longest = min(clip.model.config.get_text_config().max_position_embeddings, tokenizer.model_max_length)
    fill: dict[str, Any] = {"padding": False}
    if clip.type in _FIXED_LENGTH:
        fill = {"padding": "max_length", "max_length": longest}
    ids = tokenizer([text.text for text in texts], truncation=False, verbose=False, **fill)["input_ids"]
    check_tokens(clip.files, clip.model.config, ids)
    by_length: dict[int, list[int]] = {}
    for row, tokens in enumerate(ids):
        if len(tokens) > longest:
            raise InputError(
                f"the prompt of {texts[row].word!r} has {len(tokens)} tokens, and {clip.files.name} takes "
                f"{longest}.",
                hint="shorten the prompt or the word.",
            )
        by_length.setdefault(len(tokens), []).append(row)
    torch = require("torch", extra="models", purpose="running transformer models")
    for _, rows in sorted(by_length.items()):
        for some in _some(rows, batch_size):
            tokens = torch.tensor([ids[row] for row in some], device=clip.device)
            given = {"input_ids": tokens}
            if clip.type not in _FIXED_LENGTH:
                given["attention_mask"] = torch.ones_like(tokens)
            yield [texts[row].word for row in some], _features(clip, "get_text_features", given)


def _tokenizer(files: ModelFiles) -> Any:
    """The tokenizer, fast or not: character offsets are not needed."""
    if not any(Path(files.folder, name).is_file() for name in VOCABULARIES):
        raise FormatError(
            "the model has no tokenizer.",
            path=files.name,
            hint="expected tokenizer.json beside config.json.",
        )
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    with plain_errors(files, "tokenizer"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(**files.options())
        check_longest(tokenizer)
    return tokenizer


def image_features(clip: Clip, files: Mapping[str, Path], batch_size: int) -> Iterator[Part]:
    """Yield projected images in batches."""
    if not files:
        return
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    with plain_errors(clip.files, "image processor"):
        processor = transformers.AutoImageProcessor.from_pretrained(**clip.files.options(), **_pillow_only())
    for labels in _some(list(files), batch_size):
        pictures = [read_image(files[label]) for label in labels]
        given = processor(images=pictures, return_tensors="pt").to(clip.device)
        yield labels, _features(clip, "get_image_features", dict(given))


def _pillow_only() -> dict[str, Any]:
    """Options by which transformers takes the image processors that need only Pillow."""
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    newer = int(transformers.__version__.partition(".")[0]) >= 5
    return {"backend": "pil"} if newer else {"use_fast": False}


def _features(clip: Clip, method: str, given: Mapping[str, Any]) -> NDArray[np.float32]:
    """The projection; newer versions of transformers return it inside an output."""
    torch = require("torch", extra="models", purpose="running transformer models")
    with torch.inference_mode():
        answer = getattr(clip.model, method)(**given)
    found = getattr(answer, "pooler_output", answer)
    vectors: NDArray[np.float32] = found.float().cpu().numpy()
    if not np.isfinite(vectors).all():
        raise CrossroadsError(
            f"{clip.files.name} gave a vector that is not finite.",
            hint="its weights are damaged, or it does not work in float32 on this device.",
        )
    return vectors


def _some(rows: Sequence[Any], size: int) -> Iterator[list[Any]]:
    yield from (list(rows[start : start + size]) for start in range(0, len(rows), size))

"""What a model of language and images makes of texts and pictures: their projections, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import CrossroadsError, FormatError, InputError, require
from crossroads.sources.images import read_image
from crossroads.sources.model_files import VOCABULARIES, ModelFiles
from crossroads.sources.prompt_texts import PromptedWord
from crossroads.sources.transformers_models import told_plainly
from crossroads.sources.whole_models import check_tokens, load_whole_model

Part = tuple[list[str], NDArray[np.float32]]
"""Labels and their vectors."""
_FIXED_LENGTH = ("siglip", "siglip2")
"""Model types that were trained on texts filled up to one length, and read the last place of it."""


@dataclass(frozen=True, kw_only=True)
class Clip:
    """A loaded model of language and images."""

    files: ModelFiles
    """Where it came from."""
    model: Any
    """The model of transformers."""
    device: str
    """Where it runs."""

    @property
    def type(self) -> str:
        """Its type, as config.json names it."""
        return str(self.model.config.model_type)


def load_clip(files: ModelFiles, *, device: str) -> Clip:
    """Load a model of language and images, if its files hold every weight."""
    return Clip(files=files, model=load_whole_model(files, device=device), device=device)


def text_features(clip: Clip, texts: Sequence[PromptedWord], batch_size: int) -> Iterator[Part]:
    """Projected texts, some at a time; those of one batch have as many tokens, so that nothing is padded.

    Parameters
    ----------
    clip
        The model.
    texts
        Words in their prompts.
    batch_size
        Most texts at once.
    """
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
    """The tokenizer, fast or not: nobody asks where a word stands."""
    if not any(Path(files.folder, name).is_file() for name in VOCABULARIES):
        raise FormatError(
            "the model has no tokenizer.",
            path=files.name,
            hint="tokenizer.json is looked for beside config.json.",
        )
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    with told_plainly(files, "tokenizer"):
        return transformers.AutoTokenizer.from_pretrained(**files.options())


def image_features(clip: Clip, files: Mapping[str, Path], batch_size: int) -> Iterator[Part]:
    """Projected images, some at a time.

    Parameters
    ----------
    clip
        The model.
    files
        Images by label.
    batch_size
        Most images at once.
    """
    if not files:
        return
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    with told_plainly(clip.files, "image processor"):
        processor = transformers.AutoImageProcessor.from_pretrained(**clip.files.options(), **_pillow_only())
    for labels in _some(list(files), batch_size):
        pictures = [read_image(files[label]) for label in labels]
        given = processor(images=pictures, return_tensors="pt").to(clip.device)
        yield labels, _features(clip, "get_image_features", dict(given))


def _pillow_only() -> dict[str, Any]:
    """What makes transformers take the processors that need Pillow and nothing else."""
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    newer = int(transformers.__version__.partition(".")[0]) >= 5
    return {"backend": "pil"} if newer else {"use_fast": False}


def _features(clip: Clip, method: str, given: Mapping[str, Any]) -> NDArray[np.float32]:
    """The projection; newer versions of transformers hand it over inside an output."""
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

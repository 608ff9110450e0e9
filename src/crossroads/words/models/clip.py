"""Vision-language models: words and images as vectors of one space.

CLIP, SigLIP and their relatives project a text and an image into a space in which they can be compared. The
vectors are those projections, as in ML-EAT: after the projection, before any normalisation, which cosines do
not need.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, InputError, in_short, join_words, require
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.models.kinds import CLIP_TYPES
from crossroads.core.models.transformers import (
    Device,
    check_tokens,
    load_tokenizer,
    load_whole_model,
    plain_errors,
    resolve_device,
    versions,
)
from crossroads.core.stimuli import Sentence
from crossroads.words.models.images import Images, images_sha256, labelled_images, read_image
from crossroads.words.models.prompts import PromptedWord, Words, prompted_words, said_prompts

CLIP_PROMPT = "a picture that brings to mind {word}"
"""The prompt of ML-EAT for words; images need none."""
Progress = Callable[[int, int], None]
_Part = tuple[list[str], NDArray[np.float32]]
_FIXED_LENGTH = ("siglip", "siglip2")
"""Model types that were trained on texts padded to one length, and read its last position."""


@dataclass(frozen=True, kw_only=True)
class _Clip:
    """A loaded vision-language model."""

    files: ModelFiles
    model: Any
    device: str

    @property
    def type(self) -> str:
        """Its type, as config.json names it."""
        return str(self.model.config.model_type)


def is_clip(folder: str | Path) -> bool:
    """Whether a folder holds a vision-language model, by its config.json."""
    try:
        config = json.loads(Path(folder, "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(config, dict) and config.get("model_type") in CLIP_TYPES


def clip_embeddings(
    model: str | Path,
    words: Words = (),
    images: Images | None = None,
    *,
    prompt: str = CLIP_PROMPT,
    revision: str | None = None,
    batch_size: int = 32,
    device: Device = "auto",
    progress: Progress | None = None,
) -> Embeddings:
    """Words and images as vectors of one space, so that a design may have images as targets.

    Parameters
    ----------
    model
        A folder in the layout of Hugging Face, or a name on its hub: CLIP, SigLIP and relatives.
    words
        Words, or a mapping of word to its own prompt.
    images
        Labels with one file each; sets with their files, as ``crossroads.sources.image_sets`` gives them,
        labelled ``set/file``; or files, labelled by their names.
    prompt
        Template with ``{word}``; ``"{word}"`` for the bare word.
    revision
        Branch, tag or commit of a model of the hub.
    batch_size
        Most texts or images at once.
    device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"mps"``.
    progress
        Called with the number of words and images done and their total.

    References
    ----------
    Wolfe, Hiniker and Howe (2024), doi:10.48550/arXiv.2408.01966: prompt and projected features.

    Examples
    --------
    ``folder`` holds a CLIP model:

    >>> import crossroads as cr
    >>> emb = cr.clip_embeddings(folder, ["nurse", "banker"], prompt="a picture of a {word}")
    >>> emb.labels
    ('nurse', 'banker')
    """
    if batch_size < 1:
        raise InputError(f"batch_size={batch_size} is too small.", hint="give a number from 1 up.")
    words = words if isinstance(words, Mapping | str | bytes) else list(words)
    texts, files = _asked_for(words, images, prompt)
    checksum = images_sha256(files)
    found, place = _found(model, revision), resolve_device(device)
    clip = _Clip(files=found, model=load_whole_model(found, device=place), device=place)
    total, done = len(texts) + len(files), 0
    vectors: dict[str, NDArray[np.float32]] = {}
    for part in (_text_features(clip, texts, batch_size), _image_features(clip, files, batch_size)):
        for labels, rows in part:
            vectors.update(zip(labels, rows, strict=True))
            done += len(labels)
            if progress is not None:
                progress(done, total)
    labels = [*(text.word for text in texts), *files]
    details = _details(clip, texts, words, prompt, batch_size)
    if files:
        details |= {"images": len(files), "images sha256": checksum}
    provenance = Provenance(
        source=recorded_path(clip.files.name),
        format="transformers",
        revision=clip.files.revision,
        sha256=clip.files.sha256,
        details=details,
    )
    return Embeddings(labels, np.stack([vectors[label] for label in labels]), provenance=provenance)


def _asked_for(
    words: Words, images: Images | None, prompt: str
) -> tuple[tuple[PromptedWord, ...], dict[str, Path]]:
    """Words in their prompts and images by label, checked before a model is loaded."""
    texts = prompted_words(words, prompt) if words or images is None else ()
    if images is None:
        return texts, {}
    require("PIL.Image", extra="vision", purpose="reading images")
    files = labelled_images(images)
    if not files:
        raise InputError("there are no images.", hint="give at least one.")
    both = [text.word for text in texts if text.word in files]
    if both:
        raise InputError(
            f"{join_words(map(in_short, both), most=3)} label a word and an image.",
            hint="give the images other names: {name: file, ...}.",
        )
    return texts, files


def _found(model: str | Path, revision: str | None) -> ModelFiles:
    files = find_model(model, revision=revision)
    if not is_clip(files.folder):
        raise InputError(
            f"{files.name} is not a known vision-language model.",
            hint=f"its config.json has to name one of {join_words(CLIP_TYPES, last='or')} as model_type.",
        )
    return files


def _details(
    clip: _Clip, texts: Sequence[PromptedWord], words: Words, prompt: str, batch_size: int
) -> dict[str, Any]:
    details: dict[str, Any] = {
        "class": type(clip.model).__name__,
        "kind": "vision-language",
        "features": "projected",
        "batch size": batch_size,
        "device": clip.device,
        **versions(),
    }
    if texts:
        own: Iterable[str | Sentence] = words.values() if isinstance(words, Mapping) else [prompt]
        details |= {"prompt": said_prompts(own), "words": len(texts)}
    return details


def _text_features(clip: _Clip, texts: Sequence[PromptedWord], batch_size: int) -> Iterator[_Part]:
    """Yield projected texts in batches of equal numbers of tokens, so that nothing is padded."""
    if not texts:
        return
    tokenizer = load_tokenizer(clip.files, fast=False)
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


def _image_features(clip: _Clip, files: Mapping[str, Path], batch_size: int) -> Iterator[_Part]:
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


def _features(clip: _Clip, method: str, given: Mapping[str, Any]) -> NDArray[np.float32]:
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

"""Vision-language models: words and images as vectors of one space.

CLIP, SigLIP and their relatives project a text and an image into a space in which they can be compared. The
vectors are those projections, as in ML-EAT: after the projection, before any normalisation, which cosines do
not need.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, in_short, join_words, require
from crossroads.evidence import Embeddings, Provenance
from crossroads.evidence.model_names import recorded_path
from crossroads.sources.models.clip_features import Clip, image_features, load_clip, text_features
from crossroads.sources.models.files import ModelFiles, find_model
from crossroads.sources.models.images import Images, images_sha256, labelled_images
from crossroads.sources.models.prompts import PromptedWord, Words, prompted_words, said_prompts
from crossroads.sources.models.transformers import Device, resolve_device, versions
from crossroads.stimuli import Sentence

CLIP_TYPES = ("clip", "siglip", "siglip2", "metaclip_2", "chinese_clip", "altclip")
"""Model types that are read, as config.json names them."""
CLIP_PROMPT = "a picture that brings to mind {word}"
"""The prompt of ML-EAT for words; images need none."""
Progress = Callable[[int, int], None]


def is_clip(folder: str | Path) -> bool:
    """Whether a folder holds a vision-language model, by its config.json."""
    try:
        config = json.loads(Path(folder, "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(config, dict) and config.get("model_type") in CLIP_TYPES


def clip_texts(
    model: str | Path,
    words: Words,
    *,
    prompt: str = CLIP_PROMPT,
    revision: str | None = None,
    batch_size: int = 64,
    device: Device = "auto",
    progress: Progress | None = None,
) -> Embeddings:
    """One vector per word: its prompt, projected into the space that images share."""
    return clip_embeddings(
        model,
        words,
        prompt=prompt,
        revision=revision,
        batch_size=batch_size,
        device=device,
        progress=progress,
    )


def clip_images(
    model: str | Path,
    images: Images,
    *,
    revision: str | None = None,
    batch_size: int = 16,
    device: Device = "auto",
    progress: Progress | None = None,
) -> Embeddings:
    """One vector per image, in the space that texts share."""
    return clip_embeddings(
        model, (), images=images, revision=revision, batch_size=batch_size, device=device, progress=progress
    )


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
    model, prompt, revision, batch_size, device
        As for :func:`clip_texts`.
    words
        Words, or a mapping of word to its own prompt.
    images
        As for :func:`clip_images`.
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
    clip = load_clip(_found(model, revision), device=resolve_device(device))
    total, done = len(texts) + len(files), 0
    vectors: dict[str, NDArray[np.float32]] = {}
    for part in (text_features(clip, texts, batch_size), image_features(clip, files, batch_size)):
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
    clip: Clip, texts: Sequence[PromptedWord], words: Words, prompt: str, batch_size: int
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

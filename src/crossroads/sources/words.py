"""One vector per word from any model: the one door to files, transformers, services and stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from crossroads.errors import InputError, UnknownNameError, in_short, join_words, one_of
from crossroads.evidence import Embeddings
from crossroads.evidence.contexts import open_contexts
from crossroads.evidence.model_names import KINDS
from crossroads.sources.endpoints.embeddings import endpoint_embeddings
from crossroads.sources.kinds import (
    TRANSFORMERS,
    Kind,
    KindName,
    check_options,
    checkpoints,
    recognise,
    useless,
)
from crossroads.sources.load import load, load_series
from crossroads.sources.models.clip import CLIP_PROMPT, clip_embeddings
from crossroads.sources.models.files import ModelFiles, find_model
from crossroads.sources.models.prompted import prompted_embeddings, prompted_layers
from crossroads.sources.models.prompts import Words, has_prompts, prompts_of
from crossroads.sources.models.sentence import is_sentence_encoder
from crossroads.sources.models.settings import Pooling
from crossroads.sources.models.transformers import Device
from crossroads.stimuli import Design

PLAIN = "This is {word}"
"""The prompt for words without a published prompt."""
Asked = Words | Design | Sequence[Design]
"""Words, words with their prompts, or designs."""
Over = Literal["layers", "checkpoints", "decades"]
"""What a series of models is over."""
Progress = Callable[[int, int | None], None]
"""Called with the number done and the total, if it is known."""


def embed_words(
    model: str | os.PathLike[str],
    words: Asked | None,
    *,
    prompt: str | None = None,
    layer: int | None = None,
    pooling: Pooling | None = None,
    served: str | None = None,
    kind: KindName | None = None,
    format: str | None = None,  # noqa: A002 - the name that load() has
    fallback: str | Iterable[str] = "auto",
    revision: str | None = None,
    device: Device = "auto",
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Embeddings:
    """One vector per word, from whatever an audit accepts.

    A file of vectors is read (:func:`~crossroads.load`), a transformer, GGUF file or sentence encoder reads
    words in prompts (:func:`~crossroads.prompted_embeddings`), as does a CLIP model
    (:func:`~crossroads.clip_embeddings`); a service is asked (:func:`~crossroads.endpoint_embeddings`); and
    of a store of context vectors the mean over the contexts of each word is taken.

    Parameters
    ----------
    model
        A file or folder of vectors, a name, a transformer, a store of contexts, or the address of a service;
        see :mod:`crossroads.sources.kinds`.
    words
        Words; words with the prompt of each; or designs, whose words have the prompts that an audit uses. A
        sentence is read as it stands, at the word in brackets if there is one: ``"The [Black] woman is
        here."`` None for all words of a file or a store.
    prompt
        Template with ``{word}``, for models that read words in prompts.
    layer
        The layer of a transformer: 0 is the input of the first block, -1 the top, which is the default.
    pooling
        Which tokens of the prompt give the vector, as in :func:`~crossroads.prompted_embeddings`.
    served
        Name of the model at a service that has several.
    kind
        The kind of model; detected if left out.
    format, fallback
        Format of a file of vectors, and rules for words not found as written; as in
        :func:`~crossroads.load`.
    revision
        Branch, tag or commit of a model of the hub.
    device
        Device on which a model runs.
    cache
        Folder in which the answers of a service are kept.
    progress
        Called with the words done, or the bytes read, and their total.

    Returns
    -------
    Embeddings
        How the vectors were made is in the details of the provenance.

    Raises
    ------
    InputError
        If an option does not apply to the kind of model, among others.

    Examples
    --------
    ``folder`` holds a transformer:

    >>> import crossroads as cr
    >>> emb = cr.embed_words(folder, ["nurse", "banker"], prompt="the {word} is here", layer=0)
    >>> emb.labels, emb.provenance.details["layer"]
    (('nurse', 'banker'), 0)
    """
    found = recognise(model, format=format, kind=kind)
    check_options(
        [found], prompt=prompt, layer=layer, pooling=pooling, served=served, revision=revision, format=format
    )
    asked: Words
    listed, designs = _listed(words, found)
    if found.name in ("vectors", "series"):
        wanted = None if listed is None else list(listed)
        return load(found.model, words=wanted, format=format, fallback=fallback, progress=progress)
    if found.name == "contexts":
        return _mean_contexts(found, listed, fallback)
    if found.name == "logits":
        raise InputError(
            f"{found.shown} is {KINDS['logits']}, which has no vectors.", hint="give the model itself."
        )
    if listed is None:
        raise InputError(
            f"all words were asked for, and {found.shown} is {KINDS[found.name]}, which lists none.",
            hint="name the words.",
        )
    options: dict[str, Any] = {"progress": progress}
    if found.name == "endpoint":
        asked = listed if isinstance(listed, Mapping) else prompts_of(listed, prompt=prompt)
        options |= {} if prompt is None else {"prompt": prompt}
        return endpoint_embeddings(found.model, asked, model=served, cache=cache, **options)
    options |= {"revision": revision, "device": device}
    if found.name == "vision-language":
        options |= {} if prompt is None else {"prompt": prompt}
        asked = listed if isinstance(listed, Mapping) else clip_words(listed, designs, prompt)
        return said_bare(clip_embeddings(found.model, asked, **options), designs, prompt, "clip-prompts")
    files = find_model(found.model, revision=revision)
    asked = listed if isinstance(listed, Mapping) else transformer_words(files, listed, designs, prompt)
    options |= {"prompt": prompt, "pooling": pooling or "auto", "layer": -1 if layer is None else layer}
    emb = prompted_embeddings(files.place, asked, **options)
    return emb if is_sentence_encoder(files) else said_bare(emb, designs, prompt)


def embed_series(
    model: str | os.PathLike[str],
    words: Asked,
    *,
    over: Over | None = None,
    prompt: str | None = None,
    pooling: Pooling | None = None,
    layer: int | None = None,
    fallback: str | Iterable[str] = "auto",
    revision: str | None = None,
    device: Device = "auto",
    progress: Progress | None = None,
) -> dict[int, Embeddings]:
    """Vectors of the same words in all layers of a model, checkpoints of a training run, or decades.

    Parameters
    ----------
    model
        A transformer; a folder with checkpoints in subfolders such as ``checkpoint-500`` or ``step1000``; or
        a HistWords folder.
    words, prompt, pooling, fallback, revision, device, progress
        As in :func:`embed_words`.
    over
        ``"layers"``, ``"checkpoints"`` or ``"decades"``; by default what the folder holds.
    layer
        The layer of each checkpoint.

    Returns
    -------
    dict
        Layer, step or decade to embeddings, in order, for :func:`~crossroads.series`.

    Examples
    --------
    ``folder`` holds a transformer with one block:

    >>> import crossroads as cr
    >>> layers = cr.embed_series(folder, cr.catalog("weat7"))
    >>> list(layers), cr.series(layers, cr.catalog("weat7"), over="layer").label
    ([0, 1], 'weat7 over layers')
    """
    if over is not None:
        one_of("kind of series", over, Over)
    place = Path(model).expanduser()
    held = checkpoints(place) if place.is_dir() else {}
    if over == "checkpoints" or (over is None and held and not (place / "config.json").is_file()):
        if not held:
            raise InputError(
                f"{place} holds no checkpoints.",
                hint="their subfolders have names such as checkpoint-500 or step1000.",
            )
        return {
            step: embed_words(
                folder, words, prompt=prompt, pooling=pooling, layer=layer, device=device, progress=progress
            )
            for step, folder in held.items()
        }
    found = recognise(model)
    if found.name == "series" and over in (None, "decades"):
        check_options([found], prompt=prompt, pooling=pooling, layer=layer, revision=revision)
        listed, _ = _listed(words, found)
        return load_series(found.model, words=list(listed or ()), fallback=fallback, progress=progress)
    if over == "decades" or found.name not in TRANSFORMERS:
        fitting = ("series",) if over == "decades" else ("series", *TRANSFORMERS)
        raise useless("over", found, fitting)
    if layer is not None:
        raise InputError(
            f"layer={layer} was given, and all layers are read.", hint="leave it out.", option="layer"
        )
    listed, designs = _listed(words, found)
    files = find_model(found.model, revision=revision)
    asked = listed if isinstance(listed, Mapping) else transformer_words(files, listed or (), designs, prompt)
    layers = prompted_layers(
        files.place,
        asked,
        prompt=prompt,
        pooling=pooling or "auto",
        revision=revision,
        device=device,
        progress=progress,
    )
    return {at: said_bare(emb, designs, prompt) for at, emb in layers.items()}


def transformer_words(
    files: ModelFiles, words: Iterable[str], designs: Sequence[Design], prompt: str | None
) -> Words:
    """Words with the prompts of ML-EAT for a transformer; sentence encoders read the bare word."""
    if is_sentence_encoder(files):
        return prompts_of(words, designs, prompt=prompt)
    return prompts_of(words, designs, prompt=prompt, default=PLAIN, entry="gpt2-prompts")


def clip_words(words: Iterable[str], designs: Sequence[Design], prompt: str | None) -> Words:
    """Words with the prompts of ML-EAT for a vision–language model."""
    return prompts_of(words, designs, prompt=prompt, default=CLIP_PROMPT, entry="clip-prompts")


def said_bare(
    emb: Embeddings, designs: Iterable[Design], prompt: str | None, entry: str = "gpt2-prompts"
) -> Embeddings:
    """Vectors whose provenance says that words were read without a prompt, where the catalogue has none."""
    without = {
        one.language: None for one in designs if not one.templates and not has_prompts(one.language, entry)
    }
    if prompt is not None or not without:
        return emb
    said = f"the catalogue has no prompt in {join_words(map(in_short, without))}"
    about = replace(emb.provenance, details={**emb.provenance.details, "bare words": said})
    return Embeddings(emb.labels, emb.vectors, provenance=about)


def _listed(words: Asked | None, kind: Kind) -> tuple[list[str] | Mapping[str, Any] | None, list[Design]]:
    """The words that are asked for, and the designs that they are of."""
    if words is None:
        return None, []
    if isinstance(words, Mapping):
        if kind.name not in (*TRANSFORMERS, "vision-language", "endpoint"):
            raise InputError(
                f"the words have prompts, and {kind.shown} is {KINDS[kind.name]}.", hint="give words alone."
            )
        return words, []
    if isinstance(words, str | bytes):
        raise InputError(f"the words are one string, {in_short(words)}.", hint="give a list of words.")
    given: list[Any] = [words] if isinstance(words, Design) else list(words)
    designs = [one for one in given if isinstance(one, Design)]
    if designs and len(designs) < len(given):
        raise InputError("designs and words are mixed.", hint="give designs, or words.")
    if not given:
        raise InputError("there are no words.", hint="give at least one.")
    plain = [word for one in designs for word in one.words] if designs else given
    return list(dict.fromkeys(plain)), designs


def _mean_contexts(
    kind: Kind, words: list[str] | Mapping[str, Any] | None, fallback: str | Iterable[str]
) -> Embeddings:
    """The mean over the contexts of each word of a store."""
    rules = fallback if isinstance(fallback, str) else ",".join(fallback)
    contexts = open_contexts(kind.model, rules)
    matches = [contexts.find(word) for word in (contexts.words if words is None else words)]
    rows = list(dict.fromkeys(match.row for match in matches if match is not None))
    if not rows:
        asked = list(words or ())
        raise UnknownNameError("word of the store", asked[0], contexts.words)
    labels = [contexts.words[row] for row in rows]
    counts = [contexts.count(label) for label in labels]
    vectors = np.stack([np.asarray(contexts[label], dtype=np.float64).mean(axis=0) for label in labels])
    details = {
        **contexts.provenance.details,
        "vectors": "mean over the contexts of each word",
        "contexts of a word": f"{min(counts):,} to {max(counts):,}",
    }
    about = replace(contexts.provenance, details=details)
    return Embeddings(labels, vectors, provenance=about, fallback=contexts.fallback)

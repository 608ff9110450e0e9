"""One vector per word from any model: files, transformers, services and stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from crossroads.core.errors import InputError, UnknownNameError, in_short, join_words, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.contexts import open_contexts
from crossroads.core.evidence.model_names import KINDS
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.models.kinds import (
    TRANSFORMERS,
    Kind,
    KindName,
    Pooling,
    SourceOptions,
    check_options,
    checkpoints,
    recognise,
    useless,
)
from crossroads.core.models.saved import (
    VECTORS,
    as_saved,
    files_identity,
    manifest_identity,
    plain_texts,
    vectors_identity,
)
from crossroads.core.models.transformers import Device
from crossroads.core.stimuli import Design
from crossroads.core.storage.cache import Cache, Key
from crossroads.core.storage.files import evidence_code
from crossroads.words.models.prompts import Words, has_prompts, prompts_of
from crossroads.words.models.settings import is_sentence_encoder, layer_count, packages
from crossroads.words.vectors import default as embedded
from crossroads.words.vectors.load import NAMES, load_decades, load_vectors
from crossroads.words.vectors.reader import Duplicates, EncodingErrors

PLAIN = "This is {word}"
"""The prompt for words without a published prompt."""
Asked = Words | Design | Sequence[Design]
"""Words, words with their prompts, or designs."""
Over = Literal["layers", "checkpoints", "decades"]
"""What a series of models is over."""
Progress = Callable[[int, int | None], None]
"""Called with the number done and the total, if it is known."""


@dataclass(frozen=True)
class Request:
    """Words of which a model is to give vectors: the only way to models of every kind."""

    kind: Kind
    words: list[str] | Mapping[str, Any] | None
    """Words, words with the prompt of each, or None for all."""
    designs: Sequence[Design] = ()
    """Designs whose published prompts are used."""
    options: SourceOptions = field(default_factory=SourceOptions)
    model_files: ModelFiles | None = None
    """The files of a transformer, if they were found and checked before."""

    def vectors(self, cache: Cache | None = None, progress: Progress | None = None) -> Embeddings:
        """One vector per word, as the next run finds them where they are kept."""
        if cache is None:
            return self._make(self.options.answers, progress)
        service = Key("answers", "of a service", {"url": self.kind.model, "served": self.options.served})
        folder = cache.place(service) if self._is("endpoint") else None
        return cache.get(self.key, lambda: as_saved(self._make(folder, progress)), VECTORS)

    def layers(self, cache: Cache | None = None, progress: Progress | None = None) -> dict[int, Embeddings]:
        """One vector per word in every layer of a transformer."""
        keys = {at: self._key(f"in layer {at}") for at in range(layer_count(self.files) + 1)}
        if cache is not None:
            saved = {at: emb for at, key in keys.items() if (emb := cache.find(key, VECTORS)) is not None}
            if len(saved) == len(keys):
                return saved
        from crossroads.words.models.prompted import prompted_layers  # files of vectors need none of it

        pooling = self.options.pooling or "auto"
        made = prompted_layers(self.files.place, self._prompted, pooling=pooling, **self._asking(progress))
        for at in made:
            made[at] = self._said_bare(made[at])
            if cache is not None:
                made[at] = as_saved(made[at])
                cache.keep(keys[at], made[at], VECTORS)
        return made

    @property
    def key(self) -> Key:
        """What decides the vectors."""
        return self._key("of words")

    def _key(self, name: str) -> Key:
        return Key("vectors", name, {"code": evidence_code(), "name": name, **self.identity})

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Plain data on which the vectors depend, other than the code."""
        options = {name: getattr(self.options, name) for name in _DECIDING[self.kind.name]}
        identity = {"kind": self.kind.name, "texts": plain_texts(self._prompted), **options}
        if self._is(*TRANSFORMERS, "vision-language"):
            files = self.files
            identity |= {"model": files.sha256, "name": files.name, "packages": packages(files)}
        if self._is("vision-language"):
            identity["images"] = files_identity(self._pictures)
        if self._is("endpoint"):
            identity["url"] = self.kind.model
        if self._is("vectors", "series"):
            named = {"included": embedded.about()["sha256"]} if self.kind.model in NAMES else None
            identity["source"] = named or vectors_identity(self.kind.model)
        if self._is("contexts"):
            identity["source"] = manifest_identity(self.kind.model)
        return identity

    @cached_property
    def files(self) -> ModelFiles:
        """The files of a transformer, with their checksum, which takes about a second per gigabyte."""
        return self.model_files or find_model(self.kind.model, revision=self.options.revision)

    def _is(self, *names: str) -> bool:
        return self.kind.name in names

    @cached_property
    def _pictures(self) -> dict[str, Path]:
        from crossroads.words.models.clip import image_sets, labelled_images

        return {} if self.options.images is None else labelled_images(image_sets(self.options.images))

    @cached_property
    def _prompted(self) -> Any:
        """Words with the prompts of ML-EAT for the kind of model; sentence encoders read the bare word."""
        prompt, words = self.options.prompt, self.words
        if words is None or isinstance(words, Mapping) or self._is("vectors", "series", "contexts"):
            return words
        if self._is("endpoint"):
            return prompts_of(words, prompt=prompt)
        if self._is("vision-language"):
            from crossroads.words.models.clip import CLIP_PROMPT

            texts = [word for word in words if word not in self._pictures]
            return prompts_of(texts, self.designs, prompt=prompt, default=CLIP_PROMPT, entry="clip-prompts")
        if is_sentence_encoder(self.files):
            return prompts_of(words, self.designs, prompt=prompt)
        return prompts_of(words, self.designs, prompt=prompt, default=PLAIN, entry="gpt2-prompts")

    def _make(self, answers: Path | None, progress: Progress | None) -> Embeddings:
        """Read or ask for the vectors."""
        kind, options, words = self.kind, self.options, self.words
        if self._is("vectors", "series"):
            reading: dict[str, Any] = {"format": options.format, "fallback": options.fallback}
            return load_vectors(kind.model, words=words, pool=options.pool, progress=progress, **reading)
        if self._is("contexts"):
            return _mean_contexts(kind, words, options.fallback)
        if self._is("logits"):
            raise InputError(
                f"{kind.shown} is {KINDS['logits']}, which has no vectors.", hint="give the model itself."
            )
        if words is None:
            raise _unlisted(kind)
        asking = self._asking(progress)
        if self._is("endpoint"):
            from crossroads.words.models.endpoint import endpoint_embeddings

            return endpoint_embeddings(
                kind.model, self._prompted, model=options.served, cache=answers, **asking
            )
        if self._is("vision-language"):
            from crossroads.words.models.clip import clip_embeddings

            emb = clip_embeddings(self.files.place, self._prompted, self._pictures or None, **asking)
            return self._said_bare(emb, "clip-prompts")
        from crossroads.words.models.prompted import prompted_embeddings

        asking |= {"pooling": options.pooling or "auto", "layer": options.layer}
        emb = prompted_embeddings(self.files.place, self._prompted, **asking)
        return emb if is_sentence_encoder(self.files) else self._said_bare(emb)

    def _asking(self, progress: Progress | None) -> dict[str, Any]:
        """Options of everything that reads words in prompts."""
        asking: dict[str, Any] = {"progress": progress}
        asking |= {} if self.options.prompt is None else {"prompt": self.options.prompt}
        if not self._is("endpoint"):
            asking |= {"revision": self.files.revision, "device": self.options.device}
        return asking

    def _said_bare(self, emb: Embeddings, entry: str = "gpt2-prompts") -> Embeddings:
        """Record that words were read without a prompt, where the catalogue has none in their language."""
        own = {design.language: None for design in self.designs if not design.templates}
        without = [in_short(language) for language in own if not has_prompts(language, entry)]
        if self.options.prompt is not None or not without:
            return emb
        said = f"the catalogue has no prompt in {join_words(without)}"
        about = replace(emb.provenance, details={**emb.provenance.details, "bare words": said})
        return Embeddings(emb.labels, emb.vectors, provenance=about)


_DECIDING: Mapping[str, tuple[str, ...]] = {
    "vectors": ("format", "fallback", "pool"),
    "series": ("format", "fallback", "pool"),
    "contexts": ("fallback",),
    "endpoint": ("prompt", "served"),
    "vision-language": ("prompt", "device"),
    **dict.fromkeys(TRANSFORMERS, ("prompt", "layer", "pooling", "device")),
}
"""Options that decide the vectors, by kind of model."""


_OF_FILES = {
    "duplicates": "raise",
    "encoding_errors": "strict",
    "member": None,
    "checksum": False,
    "pool": None,
    "ranked": None,
}
"""Options of files of vectors alone, as they usually are."""


def load(
    model: str | os.PathLike[str],
    *,
    words: Asked | None = None,
    format: str | None = None,  # noqa: A002 - what it is called everywhere
    fallback: str | Iterable[str] = "auto",
    duplicates: Duplicates = "raise",
    encoding_errors: EncodingErrors = "strict",
    member: str | None = None,
    checksum: bool = False,
    pool: int | None = None,
    ranked: bool | None = None,
    prompt: str | None = None,
    layer: int | None = None,
    pooling: Pooling | None = None,
    served: str | None = None,
    kind: KindName | None = None,
    revision: str | None = None,
    device: Device = "auto",
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Embeddings:
    r"""Load one vector per word, from whatever an audit accepts.

    A file of vectors is read once, from start to end; text, word2vec and fastText files may be compressed
    (gz, bz2, xz, zst, zip), and memory is needed for the words kept, not for the file. A transformer, GGUF
    file or sentence encoder reads words in prompts (:func:`~crossroads.sources.prompted_embeddings`), as does
    a CLIP model (:func:`~crossroads.sources.clip_embeddings`); a service is asked
    (:func:`~crossroads.sources.endpoint_embeddings`); and of a store of context vectors the mean over the
    contexts of each word is taken.

    Parameters
    ----------
    model
        A file or folder of vectors; ``"default"`` (GloVe 6B, 50 dimensions); the name of an installed spaCy
        pipeline; a transformer, by folder or by name; a store of contexts; or the address of a service. See
        :mod:`crossroads.core.models.kinds`.
    words
        The words to load; ``None`` for all words of a file or a store. Missing words are an error only if
        none is found. A model that reads texts also takes words with the prompt of each; designs, whose words
        have the prompts that an audit uses; and sentences, which are read as they are, at the word in
        brackets if there is one: ``"The [Black] woman is here."``
    format
        Name of the format of a file, such as ``"glove-text"``; by default it is detected from the content.
    fallback
        Rules for words not found as written: ``"none"``, or any of ``"lower"``, ``"title"``,
        ``"accents"``. ``"auto"`` is ``"lower"`` if hardly any word of the vocabulary has a capital letter
        (one in 2,000 at most), and ``"none"`` otherwise; the count is recorded in the provenance. Under
        every rule, phrases are found whether spaces, underscores or hyphens join their words, and accents
        whether they are part of their letters or not.
    duplicates
        What to do with a word that has two different vectors: ``"raise"``, or keep the ``"first"``.
    encoding_errors
        What to do with a kept word that is not UTF-8: ``"strict"``, ``"replace"``, ``"ignore"`` or
        ``"backslashreplace"``.
    member
        The file to read in a zip archive that holds several.
    checksum
        Record the SHA-256 of the file in the provenance; it takes about a second per gigabyte.
    pool
        How many other words to read in the same pass: ``emb.pool`` then holds them, for measures that compare
        with other words of the model. The most frequent words are all in it, the others are spread evenly
        over the logarithm of their rank; words with anything but letters are left out. Vectors of which every
        word is kept are their own pool.
    ranked
        Whether the file lists words by frequency, so that ``emb.ranks`` are known. None decides it: yes for
        GloVe, word2vec and fastText, where very common words such as *the*, *of* and *in* are among the
        first; unknown for other formats. How it was decided is in the provenance, under ``order``.
    prompt, layer, pooling, revision, device
        As in :func:`~crossroads.sources.prompted_embeddings`, for models that read words in prompts.
    served, cache
        Name of the model at a service that has several; folder in which its answers are kept.
    kind
        The kind of model; detected if left out.
    progress
        Called with the words done, or the bytes read, and their total.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tiny.txt"
    >>> _ = file.write_text("rose 1 0\nwasp 0 1\n")
    >>> emb = load(file, words=["Rose"])
    >>> emb.labels, emb.fallback, emb.provenance.format
    (('rose',), ('lower',), 'glove-text')

    ``folder`` holds a transformer:

    >>> emb = load(folder, words=["nurse", "banker"], prompt="the {word} is here", layer=0)
    >>> emb.labels, emb.provenance.details["layer"]
    (('nurse', 'banker'), 0)
    """
    of_files: dict[str, Any] = {"member": member, "checksum": checksum, "pool": pool, "ranked": ranked}
    of_files |= {"duplicates": duplicates, "encoding_errors": encoding_errors}
    if format == "spacy":  # which knows its pipelines by more names
        found = Kind(name="vectors", model=os.fspath(model), because="its format is spacy")
    else:
        found = recognise(model, format=format, kind="vectors" if member and kind is None else kind)
    given: dict[str, Any] = {"format": format, "prompt": prompt, "pooling": pooling, "served": served}
    given["revision"] = revision
    changed = {name: value for name, value in of_files.items() if value != _OF_FILES[name]}
    check_options([found], layer=layer, **given, **changed)
    listed, designs = _listed(words, found)
    if found.name in ("vectors", "series"):
        of_files |= {"format": format, "fallback": fallback, "progress": progress}
        return load_vectors(found.model, words=listed, **of_files)
    options = SourceOptions(
        fallback=fallback if isinstance(fallback, str) else ",".join(fallback),
        layer=-1 if layer is None else layer,
        device=device,
        answers=None if cache is None else Path(cache),
        **given,
    )
    return Request(found, listed, designs, options).vectors(progress=progress)


def load_series(
    model: str | os.PathLike[str],
    *,
    words: Asked | None = None,
    over: Over | None = None,
    fallback: str | Iterable[str] = "auto",
    duplicates: Duplicates = "raise",
    prompt: str | None = None,
    pooling: Pooling | None = None,
    layer: int | None = None,
    revision: str | None = None,
    device: Device = "auto",
    progress: Progress | None = None,
) -> dict[int, Embeddings]:
    """Load the same words in all decades, layers of a model, or checkpoints of a training run.

    Words that do not occur in a decade keep their row of zeros; measures treat them as absent.

    Parameters
    ----------
    model
        A HistWords folder (``1900-w.npy``, ``1900-vocab.pkl`` and so on); a transformer; or a folder with
        checkpoints in subfolders such as ``checkpoint-500`` or ``step1000``.
    words, fallback, duplicates, prompt, pooling, revision, device, progress
        As in :func:`load`; ``fallback="auto"`` makes one choice for all decades.
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
    >>> layers = cr.load_series(folder, words=cr.catalog("weat7"))
    >>> list(layers), cr.series(layers, cr.catalog("weat7"), over="layer").design
    ([0, 1], 'weat7')
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
        if revision is not None:
            raise InputError(
                f"revision= was given, but {place} is a folder of checkpoints.", hint="leave it out."
            )
        asking: dict[str, Any] = {"prompt": prompt, "pooling": pooling, "layer": layer, "device": device}
        return {step: load(at, words=words, progress=progress, **asking) for step, at in held.items()}
    found = recognise(model)
    listed, designs = _listed(words, found)
    if found.name == "series" and over in (None, "decades"):
        check_options([found], prompt=prompt, pooling=pooling, layer=layer, revision=revision)
        reading: dict[str, Any] = {"fallback": fallback, "duplicates": duplicates}
        return load_decades(found.model, words=listed, progress=progress, **reading)
    if over == "decades" or found.name not in TRANSFORMERS:
        fitting = ("series",) if over == "decades" else ("series", *TRANSFORMERS)
        raise useless("over", found, fitting)
    if layer is not None:
        raise InputError(
            f"layer={layer} was given, and all layers are read.", hint="leave it out.", option="layer"
        )
    if listed is None:
        raise _unlisted(found)
    options = SourceOptions(prompt=prompt, pooling=pooling, revision=revision, device=device)
    return Request(found, listed, designs, options).layers(progress=progress)


def _unlisted(kind: Kind) -> InputError:
    """The error for all words of a model that has no list of them."""
    message = f"all words were asked for, and {kind.shown} is {KINDS[kind.name]}, which lists none."
    return InputError(message, hint="name the words.")


def _listed(words: Asked | None, kind: Kind) -> tuple[list[str] | Mapping[str, Any] | None, list[Design]]:
    """The words that are asked for, and the designs that they are of."""
    if words is None:
        return None, []
    if isinstance(words, Mapping) and not any(words.values()):  # dict.fromkeys(words), which has no prompts
        words = list(words)
    if isinstance(words, Mapping):
        if kind.name not in (*TRANSFORMERS, "vision-language", "endpoint"):
            raise InputError(
                f"the words have prompts, and {kind.shown} is {KINDS[kind.name]}.", hint="give words alone."
            )
        return words, []
    if isinstance(words, str | bytes):
        raise InputError(
            f"words is the single string {in_short(words)}.",
            hint="give a list of words: words=[...] or words=None.",
        )
    items: list[Any] = [words] if isinstance(words, Design) else list(words)
    designs = [item for item in items if isinstance(item, Design)]
    if designs and len(designs) < len(items):
        raise InputError("designs and words are mixed.", hint="give designs, or words.")
    if odd := [item for item in items if not isinstance(item, str | Design)]:
        raise InputError(
            f"words holds {in_short(odd[0])}, which is not a string.", hint="give words as strings."
        )
    if not items:
        raise InputError("words is empty.", hint="name at least one word, or give None to keep every word.")
    plain = [word for design in designs for word in design.words] if designs else items
    return list(dict.fromkeys(plain)), designs


def _mean_contexts(kind: Kind, words: list[str] | Mapping[str, Any] | None, fallback: str) -> Embeddings:
    contexts = open_contexts(kind.model, fallback)
    matches = [contexts.find(word) for word in (contexts.words if words is None else words)]
    labels = list(dict.fromkeys(contexts.words[match.row] for match in matches if match is not None))
    if not labels:
        raise UnknownNameError("word of the store", next(iter(words or ())), contexts.words)
    counts = [contexts.count(label) for label in labels]
    vectors = np.stack([np.asarray(contexts[label], dtype=np.float64).mean(axis=0) for label in labels])
    details = {
        **contexts.provenance.details,
        "vectors": "mean over the contexts of each word",
        "contexts of a word": f"{min(counts):,} to {max(counts):,}",
    }
    about = replace(contexts.provenance, details=details)
    return Embeddings(labels, vectors, provenance=about, fallback=contexts.fallback)

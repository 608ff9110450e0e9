"""One vector per word, from files, transformers, CLIP models or services.

Vectors are kept among the parts, so that a run with other options does not run the model again.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from crossroads.audit.kept import PartsFolder
from crossroads.audit.measured.words import words_of
from crossroads.audit.parts import evidence_key
from crossroads.audit.progress import LOADING, ProgressTracker
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.sources.endpoints.embeddings import endpoint_embeddings
from crossroads.sources.load import load, load_series
from crossroads.sources.models.clip import clip_embeddings
from crossroads.sources.models.files import ModelFiles
from crossroads.sources.models.images import image_labels, image_sets, labelled_images
from crossroads.sources.models.prompted import prompted_embeddings
from crossroads.sources.models.prompts import Words, prompts_of
from crossroads.sources.models.sentence import is_sentence_encoder
from crossroads.sources.models.settings import Pooling, layer_count, packages
from crossroads.sources.models.transformers import Device
from crossroads.sources.vectors import embedded
from crossroads.sources.vectors.signatures import NAMES
from crossroads.sources.words import clip_words, embed_series, said_bare, transformer_words
from crossroads.stimuli import Design, Sentence, StimulusSet
from crossroads.storage.files import checksum

_BYTES_A_SECOND = 2e8
POOL = 20_000
"""Other words of a file of vectors that are read along, for measures that compare with them."""


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """Options for obtaining vectors from a model."""

    format: str | None = None
    """Format of a file of vectors."""
    prompt: str | None = None
    """Template with ``{word}``; by default the published one of the kind of model."""
    served: str | None = None
    """Name of the model at a service with several models."""
    images: Path | None = None
    """Folder with one subfolder of images per stimulus set."""
    device: Device = "auto"
    """Device on which a model runs."""


@dataclass(frozen=True, kw_only=True)
class Session:
    """Where vectors are kept, and how progress is reported."""

    place: PartsFolder
    """Finished parts."""
    tracker: ProgressTracker
    """Reports progress."""
    wanted: str = "vectors"
    """What a model is asked for, in words."""
    seconds: float = LOADING
    """About how many seconds its answer takes."""

    def kept(
        self, name: str, key: str, doing: str, make: Callable[[], Embeddings], work: float | None = None
    ) -> Embeddings:
        """Vectors of an earlier run, or newly made ones; ``work`` is the number of seconds this takes."""
        work = self.seconds if work is None else work
        self.tracker.begin(doing, work)
        found = self.place.read_vectors(name, key)
        kept = found is not None
        made = found if found is not None else self.place.write_vectors(name, key, make())
        self.tracker.finish(kept=kept, work=work)
        return made


def file_vectors(
    model: str, words: Sequence[str], source: SourceOptions, fallback: str, session: Session
) -> Embeddings:
    """Vectors of a file, a folder or a name."""
    identity = {"source": vectors_identity(model), "words": words}
    key = evidence_key({**identity, "format": source.format, "fallback": fallback, "pool": POOL})
    make = partial(
        load,
        model,
        words=words,
        format=source.format,
        fallback=fallback,
        pool=POOL,
        progress=session.tracker.step,
    )
    return session.kept("of words", key, f"reading {model}", make, reading_seconds(model))


def decade_vectors(
    model: str, words: Sequence[str], fallback: str, session: Session
) -> dict[int, Embeddings]:
    """Vectors of every decade of a HistWords folder, which is memory-mapped and fast to read again."""
    work = reading_seconds(model)
    session.tracker.begin(f"reading {model}", work)
    found = load_series(model, words=words, fallback=fallback, progress=session.tracker.step)
    session.tracker.finish(work=work)
    return found


def prompted_vectors(
    files: ModelFiles, designs: Sequence[Design], more: Iterable[str], source: SourceOptions, session: Session
) -> Embeddings:
    """Vectors of words in the prompts of ML-EAT or in a given one; sentence encoders read the bare word."""
    words = list(dict.fromkeys([*words_of(designs), *more]))
    asked = transformer_words(files, words, designs, source.prompt)
    identity = {"model": files.sha256, "name": files.name, "asked": _texts(asked), "prompt": source.prompt}

    def make() -> Embeddings:
        emb = prompted_embeddings(
            files.place,
            asked,
            prompt=source.prompt,
            revision=files.revision,
            device=source.device,
            progress=session.tracker.step,
        )
        return emb if is_sentence_encoder(files) else said_bare(emb, designs, source.prompt)

    key = evidence_key({**identity, **_here(files, source)})
    return session.kept("in prompts", key, f"asking {files.name} for {session.wanted}", make)


def layer_vectors(
    files: ModelFiles, designs: Sequence[Design], source: SourceOptions, session: Session
) -> dict[int, Embeddings]:
    """Vectors of words in prompts in every layer; of a sentence encoder, the means over all tokens."""
    pooling: Pooling | None = "mean" if is_sentence_encoder(files) else None
    asked = transformer_words(files, words_of(designs), designs, source.prompt)
    identity = {"model": files.sha256, "name": files.name, "asked": _texts(asked), "prompt": source.prompt}
    key = evidence_key({**identity, "pooling": pooling, **_here(files, source)})
    session.tracker.begin(f"asking {files.name} for vectors in every layer", session.seconds)
    found = {at: session.place.read_vectors(f"in layer {at}", key) for at in range(layer_count(files) + 1)}
    kept = {at: emb for at, emb in found.items() if emb is not None}
    whole = len(kept) == len(found)
    if not whole:
        made = embed_series(
            files.place,
            designs,
            over="layers",
            prompt=source.prompt,
            pooling=pooling,
            revision=files.revision,
            device=source.device,
            progress=session.tracker.step,
        )
        kept = {at: session.place.write_vectors(f"in layer {at}", key, emb) for at, emb in made.items()}
    session.tracker.finish(kept=whole, work=session.seconds)
    return kept


def clip_vectors(
    files: ModelFiles, designs: Sequence[Design], more: Iterable[str], source: SourceOptions, session: Session
) -> Embeddings:
    """Vectors of words and images in their shared space."""
    images = {} if source.images is None else image_sets(source.images)
    pictures = labelled_images(images)
    words = [word for word in dict.fromkeys([*words_of(designs), *more]) if word not in pictures]
    asked = clip_words(words, designs, source.prompt) if words else words
    identity = {"model": files.sha256, "name": files.name, "words": _texts(asked), "prompt": source.prompt}
    key = evidence_key({**identity, "images": files_identity(pictures), **_here(files, source)})
    options: dict[str, Any] = {} if source.prompt is None else {"prompt": source.prompt}

    def make() -> Embeddings:
        emb = clip_embeddings(
            files.place,
            asked,
            images or None,
            revision=files.revision,
            device=source.device,
            progress=session.tracker.step,
            **options,
        )
        return said_bare(emb, designs, source.prompt, "clip-prompts")

    return session.kept("of texts and images", key, f"asking {files.name} for {session.wanted}", make)


def endpoint_vectors(url: str, words: Sequence[str], source: SourceOptions, session: Session) -> Embeddings:
    """Vectors of a service; its answers are kept and not requested again."""
    service = {"url": url, "served": source.served}
    options: dict[str, Any] = {} if source.prompt is None else {"prompt": source.prompt}
    asked = prompts_of(words, prompt=source.prompt)
    make = partial(
        endpoint_embeddings,
        url,
        asked,
        model=source.served,
        cache=session.place.place("answers", "of a service", evidence_key(service)),
        progress=session.tracker.step,
        **options,
    )
    key = evidence_key({**service, "words": _texts(asked), "prompt": source.prompt})
    return session.kept("of a service", key, f"asking the service for {session.wanted}", make)


def _texts(asked: Words) -> Any:
    """Words and prompts as plain data."""
    if not isinstance(asked, Mapping):
        return asked
    return {word: list(astuple(one)) if isinstance(one, Sentence) else one for word, one in asked.items()}


def reading_seconds(model: str) -> float:
    """Approximate seconds to read vectors, from the size of the file or the files of a folder."""
    place = Path(model)
    files = place.iterdir() if place.is_dir() else [place]
    return 0.5 + sum(one.stat().st_size for one in files if one.is_file()) / _BYTES_A_SECOND


def with_images(designs: Sequence[Design], folder: Path) -> list[Design]:
    """Designs, each followed by one with images in place of the sets that a folder has images of.

    Parameters
    ----------
    designs
        Designs of words.
    folder
        Folder with one subfolder of images per set, with the name of the set.

    Raises
    ------
    InputError
        If no subfolder has the name of a set.
    """
    sets = image_labels(image_sets(folder))
    by_name = {_plain(name): labels for name, labels in sets.items()}
    found: list[Design] = []
    for design in designs:
        found.append(design)
        seen = {
            role: by_name[_plain(one.name)]
            for role, one in design.sets.items()
            if _plain(one.name) in by_name
        }
        if seen:
            roles: dict[str, Any] = {
                role: StimulusSet(one.name, tuple(seen.get(role, one))) for role, one in design.sets.items()
            }
            found.append(Design(name=f"{design.name}-images", **roles))
    if len(found) == len(designs):
        known = sorted({one.name for design in designs for one in design.sets.values()})
        raise InputError(
            f"no subfolder of {folder} is named like a set of the tests: it has {', '.join(sets)}.",
            hint=f"name them like the sets, such as {', '.join(repr(name) for name in known[:4])}.",
        )
    return found


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _here(files: ModelFiles, source: SourceOptions) -> dict[str, Any]:
    """What else affects the last bits of a vector."""
    return {"device": source.device, "packages": packages(files)}


def vectors_identity(model: str) -> dict[str, Any]:
    """Identity of the input of :func:`crossroads.load`: a name, a file or a folder.

    The model as given is part of it, because results are named after it.
    """
    path = Path(model)
    if model in NAMES:
        return {"included": embedded.about()["sha256"]}
    if not path.exists():
        return {"package": model, "files": [_folder(folder) for folder in _package(model)]}
    if path.is_dir():
        return {"given": model, "path": str(path.resolve()), "files": _folder(path)}
    # words and metadata may be in files beside the numbers, with the same stem
    stem = path.name.partition(".")[0].removesuffix("-w")  # 1900-w.npy has its words in 1900-vocab.pkl
    beside = [one for one in path.parent.iterdir() if one.is_file() and one.name.startswith(stem)]
    return {"given": model, "path": str(path.resolve()), "files": _states(beside)}


def manifest_identity(folder: str | Path) -> dict[str, Any]:
    """Identity of a store or of saved answers: its path and the checksum of its manifest."""
    return {"path": str(Path(folder).resolve()), "manifest": checksum(Path(folder) / "manifest.json")}


def files_identity(files: Mapping[str, Path]) -> list[list[Any]]:
    """Label, place, size and times of last change of some files."""
    return [[label, str(file.resolve()), *_states([file])[0][1:]] for label, file in sorted(files.items())]


def _package(name: str) -> list[Path]:
    """The folders of an installed package; empty if there is no such package."""
    if not name.isidentifier():
        return []
    spec = importlib.util.find_spec(name)
    return [] if spec is None else [Path(folder) for folder in spec.submodule_search_locations or ()]


def _folder(folder: Path) -> list[list[Any]]:
    return _states((one for one in folder.rglob("*") if one.is_file()), folder)


def _states(files: Iterable[Path], root: Path | None = None) -> list[list[Any]]:
    """Name, size and times of last change of files."""
    found = []
    for file in files:
        state = file.stat()
        name = file.name if root is None else file.relative_to(root).as_posix()
        found.append([name, state.st_size, state.st_mtime_ns, state.st_ctime_ns])
    return sorted(found)

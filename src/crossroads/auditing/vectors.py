"""One vector a word, from whatever gives them: files, transformers, CLIP models, services.

What was read or computed once is kept among the parts, so that another option does not ask the model again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from crossroads.auditing.identity import files_identity, vectors_identity
from crossroads.auditing.keeping import Workplace
from crossroads.auditing.parts import evidence_key
from crossroads.auditing.watching import LOADING, Tally
from crossroads.auditing.words import words_of
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.sources import (
    clip_embeddings,
    endpoint_embeddings,
    image_labels,
    image_sets,
    load,
    load_series,
    prompted_embeddings,
    prompts_for,
)
from crossroads.sources.images import labelled_images
from crossroads.sources.model_files import ModelFiles
from crossroads.sources.sentence_modules import read_modules
from crossroads.sources.transformers_models import versions
from crossroads.stimuli import Design, StimulusSet

_BYTES_A_SECOND = 2e8
PLAIN = "This is {word}"
"""The prompt of words that no published prompt is known for."""


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How a model is asked for vectors."""

    format: str | None = None
    """Format of a file of vectors."""
    prompt: str | None = None
    """Template with ``{word}``; by default the published one of the kind of model."""
    served: str | None = None
    """Name of the model at a service that has several."""
    images: Path | None = None
    """Folder with one subfolder of images a stimulus set."""
    device: str = "auto"
    """Where a model runs."""


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Where vectors are kept, and who is told."""

    place: Workplace
    """Finished parts."""
    tally: Tally
    """Counts them."""

    def kept(
        self, name: str, key: str, doing: str, make: Callable[[], Embeddings], work: float = LOADING
    ) -> Embeddings:
        """Vectors of an earlier run, or those that are made now, which takes so many seconds."""
        self.tally.begin(doing, work)
        found = self.place.read_vectors(name, key)
        kept = found is not None
        made = found if found is not None else self.place.write_vectors(name, key, make())
        self.tally.finish(kept=kept, work=work)
        return made


def file_vectors(model: str, words: Sequence[str], asking: Asking, fallback: str, desk: Desk) -> Embeddings:
    """Vectors of a file, a folder or a name."""
    identity = {"source": vectors_identity(model), "words": words}
    key = evidence_key({**identity, "format": asking.format, "fallback": fallback})
    make = partial(
        load, model, words=words, format=asking.format, fallback=fallback, progress=desk.tally.step
    )
    return desk.kept("of words", key, f"reading {model}", make, reading_seconds(model))


def decade_vectors(model: str, words: Sequence[str], fallback: str, desk: Desk) -> dict[int, Embeddings]:
    """Vectors of every decade of a HistWords folder; it is mapped, so that reading it again is quick."""
    work = reading_seconds(model)
    desk.tally.begin(f"reading {model}", work)
    found = load_series(model, words=words, fallback=fallback, progress=desk.tally.step)
    desk.tally.finish(work=work)
    return found


def prompted_vectors(
    files: ModelFiles, designs: Sequence[Design], more: Iterable[str], asking: Asking, desk: Desk
) -> Embeddings:
    """Words in the prompts of ML-EAT, or in one's own; sentence encoders read the bare word."""
    words = list(dict.fromkeys([*words_of(designs), *more]))
    asked: Sequence[str] | Mapping[str, str] = words
    if asking.prompt is None and read_modules(files) is None:
        asked = {**dict.fromkeys(words, PLAIN), **prompts_for(*designs)}
    identity = {"model": files.sha256, "name": files.name, "asked": asked, "prompt": asking.prompt}
    make = partial(
        prompted_embeddings,
        files.place,
        asked,
        prompt=asking.prompt,
        revision=files.revision,
        device=asking.device,
        progress=desk.tally.step,
    )
    key = evidence_key({**identity, **_here(asking)})
    return desk.kept("in prompts", key, f"asking {files.name} for vectors", make)


def clip_vectors(
    files: ModelFiles, designs: Sequence[Design], more: Iterable[str], asking: Asking, desk: Desk
) -> Embeddings:
    """Words and images in the space that they share."""
    images = {} if asking.images is None else image_sets(asking.images)
    pictures = labelled_images(images)
    words = [word for word in dict.fromkeys([*words_of(designs), *more]) if word not in pictures]
    identity = {"model": files.sha256, "name": files.name, "words": words, "prompt": asking.prompt}
    key = evidence_key({**identity, "images": files_identity(pictures), **_here(asking)})
    options: dict[str, Any] = {} if asking.prompt is None else {"prompt": asking.prompt}
    make = partial(
        clip_embeddings,
        files.place,
        words,
        images or None,
        revision=files.revision,
        device=asking.device,
        progress=desk.tally.step,
        **options,
    )
    return desk.kept("of texts and images", key, f"asking {files.name} for vectors", make)


def endpoint_vectors(url: str, words: Sequence[str], asking: Asking, desk: Desk) -> Embeddings:
    """Vectors of a service; whatever it has answered is kept, and not asked for again."""
    service = {"url": url, "served": asking.served}
    options: dict[str, Any] = {} if asking.prompt is None else {"prompt": asking.prompt}
    make = partial(
        endpoint_embeddings,
        url,
        words,
        model=asking.served,
        cache=desk.place.place("answers", "of a service", evidence_key(service)),
        progress=desk.tally.step,
        **options,
    )
    key = evidence_key({**service, "words": words, "prompt": asking.prompt})
    return desk.kept("of a service", key, "asking the service for vectors", make)


def reading_seconds(model: str) -> float:
    """About how long vectors take to read: by the size of the file, or of the files of a folder."""
    place = Path(model)
    files = place.iterdir() if place.is_dir() else [place]
    return 0.5 + sum(one.stat().st_size for one in files if one.is_file()) / _BYTES_A_SECOND


def with_images(designs: Sequence[Design], folder: Path) -> list[Design]:
    """Designs, and after each the one with images in the place of the sets that a folder has images of.

    Parameters
    ----------
    designs
        What is asked in words.
    folder
        Folder with one subfolder of images a set, named as the set is.

    Raises
    ------
    InputError
        Where no subfolder is named like a set.
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


def _here(asking: Asking) -> dict[str, Any]:
    """What else decides the last bits of a vector."""
    return {"device": asking.device, "packages": versions()}

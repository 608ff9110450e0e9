"""Inputs of ``reproduce``: vectors, decades, images and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from crossroads.cli.commands.ceat import open_store
from crossroads.cli.terminal import progress as waiting
from crossroads.errors import InputError, join_words, one_of
from crossroads.evidence import Embeddings
from crossroads.measures import TraitScores, read_scores
from crossroads.papers.abc.tables import MEASURES, columns, paired_column
from crossroads.papers.ceat import reproduce_ceat
from crossroads.papers.cells import Reproduction
from crossroads.papers.ml_eat.tables import (
    clip_texts_of_ml_eat,
    folder_names,
    image_sets_of_ml_eat,
    plain_name,
)
from crossroads.sources.load import load_series
from crossroads.sources.models.clip import clip_embeddings, is_clip
from crossroads.sources.models.images import image_sets
from crossroads.stimuli import catalog


def ml_eat_words() -> list[str]:
    """Every word of the ten tests in all variants."""
    tests = [(f"weat{i}", variant) for i in range(1, 11) for variant in (None, "ml-eat", "google-news")]
    words = [word for test, variant in tests for word in catalog().design(test, variant).words]
    return list(dict.fromkeys(words))


def decades(folder: Path, fallback: str) -> Mapping[int, Embeddings]:
    """The vectors of a folder of HistWords, by decade."""
    with waiting.reading(str(folder)) as progress:
        words = catalog().design("weat7", "histwords").words
        return load_series(folder, words=words, fallback=fallback, progress=progress)


def check_clip(vectors: str, images: Path | None) -> None:
    """Refuse images without a model for them, and such a model without images."""
    if images is None:
        if Path(vectors).is_dir() and is_clip(vectors):
            raise InputError(
                f"{vectors} is a model of words and images, and the tests of the paper need images.",
                hint="add --images DIR, with one subfolder per set, such as Flower and Insect.",
            )
        return
    if vectors == "default" or Path(vectors).is_file():
        said = "without a model" if vectors == "default" else f"with {vectors}, which is not a model folder"
        raise InputError(f"--images was given {said}.", hint="name a CLIP model: --vectors FOLDER.")


def words_and_images(model: str, folder: Path) -> Embeddings:
    """The words and images of the tests of CLIP as vectors of one space, with a progress bar."""
    texts, images = clip_texts_of_ml_eat(), found_images(folder)
    total = len(texts) + sum(map(len, images.values()))
    with waiting.counting("asking the model", total) as (bar, task):
        return clip_embeddings(
            model, texts, images, progress=lambda done, _: bar.update(task, completed=done)
        )


def found_images(folder: Path) -> dict[str, list[Path]]:
    """Images by set of the published tables, from one subfolder per set or from the folders of ieat."""
    known = image_sets_of_ml_eat()
    nested = {name: folder / places[-1] for name, places in known.items() if (folder / places[-1]).is_dir()}
    if nested:
        return {name: image_sets(place.parent)[place.name] for name, place in nested.items()}
    names = folder_names()
    found: dict[str, list[Path]] = {}
    for given, files in image_sets(folder).items():
        name = names.get(plain_name(given))
        if name in found:
            raise InputError(f"{folder} has two subfolders for {name}.", hint="keep one of them.")
        if name is not None:
            found[name] = files
    if not found:
        raise InputError(
            f"no subfolder of {folder} is named like a set of images of the tables.",
            hint=f"they are {join_words(known)}.",
        )
    return found


def named_scores(given: Iterable[str]) -> dict[str, TraitScores]:
    """Scores by column of the published tables, from ``COLUMN=FILE``."""
    found: dict[str, TraitScores] = {}
    for one in given:
        column, _, path = (part.strip() for part in one.partition("="))
        if not path:
            raise InputError(f"--scores {one!r} names no file.", hint="give it as 'SeT BERT=scores.json'.")
        one_of("column of the tables", column, columns())
        if column in found:
            raise InputError(f"--scores was given twice for {column}.", hint="give one file per column.")
        found[column] = scores_of(column, path)
    return found


def paired_scores(path: Path) -> TraitScores:
    """Scores of pairs of groups, for the column that the paper paired groups in."""
    return scores_of(paired_column(), str(path))


def scores_of(column: str, path: str) -> TraitScores:
    """The scores of a column in a file: if it has several measures, that of the column."""
    wanted = MEASURES[column.split()[0]]
    tables = read_scores(path)
    held = join_words(dict.fromkeys(one.measure for one in tables))
    if len(tables) > 1:
        tables = tuple(one for one in tables if one.measure == wanted)
    if len(tables) != 1:
        raise InputError(
            f"{path} has several tables of scores ({held}), of which {len(tables)} are for {column}.",
            hint="write one measure per file.",
        )
    if tables[0].measure in MEASURES.values() and tables[0].measure != wanted:
        raise InputError(
            f"{path} has scores of {held}; the column is {column}.",
            hint="give the column of that measure, or another file.",
        )
    return tables[0]


def measured_reproduction(
    store: Path | None, model: str | None, samples: int, seed: int, fallback: str
) -> Reproduction:
    """The published CEATs beside those of a store, with a progress bar."""
    if store is None:
        return reproduce_ceat(seed=seed)
    contexts = open_store(store, fallback)
    with waiting.counting("drawing contexts", 74) as (bar, task):
        return reproduce_ceat(
            contexts,
            model=model,
            samples=samples,
            seed=seed,
            progress=lambda _: bar.update(task, advance=1),
        )

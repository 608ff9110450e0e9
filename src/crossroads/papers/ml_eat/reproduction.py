"""Every table of the ML-EAT paper beside ours, on any of its models that is available."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from crossroads.errors import InputError, UnknownNameError, join_words
from crossroads.evidence import Embeddings
from crossroads.evidence.model_names import model_name
from crossroads.papers.cells import Cell, Reproduction, counts, credible, reproduction
from crossroads.papers.ml_eat.measured import SHOWN, Measured, Vectors, kind_of
from crossroads.papers.ml_eat.tables import decade_numbers, numbers
from crossroads.papers.published import table
from crossroads.results import Coverage

NO_MODEL = "none"
"""The vectors are of none of the models of the paper; they are shown for comparison."""
_WITHIN = 5e-4


def ml_eat_models() -> dict[str, str]:
    """Models of the paper: from the option, such as ``"gpt-2-xl"``, to the printed name."""
    return {one["name"].lower().replace(" ", "-"): one["name"] for one in table("ml-eat")["model"]}


def reproduce_ml_eat(
    vectors: Vectors | None = None,
    *,
    model: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Reproduction:
    """Put every table of Wolfe, Hiniker and Howe (2024) beside ours.

    Parameters
    ----------
    vectors
        Vectors of one of the paper's models, or of another; the decades of HistWords as a mapping from the
        decade; for CLIP, words and images together, as :func:`~crossroads.clip_embeddings` gives them
        for :func:`~crossroads.papers.ml_eat.tables.clip_texts_of_ml_eat` and sets of images by the names of
        :func:`~crossroads.papers.ml_eat.tables.image_sets_of_ml_eat`. Without any, only the published
        numbers are shown.
    model
        The model of the paper: ``"glove-840b"``, ``"google-news"``, ``"histwords"``,
        ``"gpt-2-base"`` to ``"gpt-2-xl"``, ``"clip-vit-b32"`` to ``"clip-vit-l14-336"``, or ``"none"`` of
        them. By default the model is recognised by its number of dimensions together with the cosines of some
        words, the number of its words, or its name.
    progress
        Called with the name of each test before it is measured.

    Notes
    -----
    Numbers are measured as the paper did: sample standard deviations, the words of each table, stars by a
    normal curve in the observed direction. A number that is not as printed is measured again under every
    other known convention, and the one that gives the printed number is named, unless most of the table
    differs.
    """
    known = ml_eat_models()
    if model is not None and model.lower() not in (*known, NO_MODEL):
        raise UnknownNameError("model of the paper", model, (*known, NO_MODEL))
    chosen = recognised(vectors) if model is None else known.get(model.lower())
    _check_kind(vectors, chosen)
    measured = Measured(vectors, chosen, progress)
    cells = credible(measured.cell(one) for one in (*numbers(), *decade_numbers()))
    given = _all_of(vectors)
    names = [model_name(emb.provenance) for emb in given[:1]] or ["no vectors given"]
    return reproduction(
        "ml-eat",
        cells=tuple(cells),
        notes=(*_about(vectors, chosen), *_doubts(cells, chosen), *table("ml-eat")["notes"]),
        vectors=f"{len(given)} decades of {names[0]}" if measured.kind == "series" else names[0],
        same_vectors=chosen is not None,
        conventions={
            "model": chosen or NO_MODEL,
            "ddof": 1,
            "alternative": "observed",
            "method": "normal",
            "missing": "drop" if chosen is None and measured.kind != "images" else "raise",
        },
        provenance=tuple(emb.provenance for emb in given),
        coverage=_coverage(measured),
    )


def _all_of(vectors: Vectors | None) -> list[Embeddings]:
    if vectors is None:
        return []
    return [vectors] if isinstance(vectors, Embeddings) else list(vectors.values())


def recognised(vectors: Vectors | None) -> str | None:
    """The model of the paper that made the vectors, if it is recognised."""
    if isinstance(vectors, Mapping):
        return "HistWords" if _is_histwords(vectors) else None
    kind = kind_of(vectors)
    for one in table("ml-eat")["model"]:
        if vectors is not None and one["kind"] == kind and _is(vectors, one):
            return str(one["name"])
    return None


def _is_histwords(decades: Mapping[int, Embeddings]) -> bool:
    """Whether there are twenty decades from 1800 in 300 dimensions, as in other corpora of the series too."""
    return list(decades) == list(range(1800, 2000, 10)) and {emb.dim for emb in decades.values()} == {300}


def _is(emb: Embeddings, one: Mapping[str, Any]) -> bool:
    if emb.dim != one["dim"]:
        return False
    if "sources" in one:
        return PurePath(emb.provenance.source).name.lower() in one["sources"]
    pairs = one["cosines"]
    if all(word in emb for first, second, _ in pairs for word in (first, second)):
        return all(abs(_cosine(emb, first, second) - cosine) <= _WITHIN for first, second, cosine in pairs)
    return emb.provenance.details.get("vocabulary", len(emb)) in one["vocabulary"]


def _cosine(emb: Embeddings, first: str, second: str) -> float:
    u, v = (emb[word].astype(float) for word in (first, second))
    length = float((u @ u) * (v @ v)) ** 0.5
    return float(u @ v) / length if length else 0.0


def _check_kind(vectors: Vectors | None, chosen: str | None) -> None:
    """Refuse vectors of another kind than those of the model that they are said to be of."""
    kind = kind_of(vectors)
    wanted = next((one["kind"] for one in table("ml-eat")["model"] if one["name"] == chosen), kind)
    if not kind or kind == wanted:
        return
    if "images" in (kind, wanted):
        none, said = (
            ("", "no vector of an image") if wanted == "images" else ("none of ", "vectors of images")
        )
        raise InputError(
            f"the model is given as {chosen}, {none}whose tests compare images with words; there is {said}.",
            hint="crossroads reproduce ml-eat --vectors FOLDER --images IMAGES, with the folder of a CLIP "
            "and one subfolder of images per set, such as Flower and Insect.",
        )
    said = "decades" if kind == "series" else "not decades"
    raise InputError(
        f"the model is given as {chosen}; the vectors are {said}.",
        hint="HistWords is a folder of decades; the other models have one set of vectors.",
    )


def _about(vectors: Vectors | None, chosen: str | None) -> Iterator[str]:
    kind = kind_of(vectors)
    if vectors is None:
        yield "No vectors given, so only the published numbers are shown; each says how to get its model."
    elif chosen is None:
        beside = SHOWN["images" if kind == "images" else "words"]
        yield (
            f"The vectors are not recognised as those of a model of the paper; Tables "
            f"{join_words(beside)} are shown for comparison, and digits cannot agree. Use --model if "
            "they are of one."
        )
    if kind == "images":
        yield (
            "The paper took the images of Steed and Caliskan (2021) and neither lists nor counts them: that "
            "images given here are the same cannot be checked."
        )
    if chosen is not None:
        absent = [name for name in ml_eat_models().values() if name != chosen]
        yield f"Measured: {chosen}. Not available: {join_words(absent)}."
        if chosen == "HistWords":
            yield (
                "The paper measured all English, word2vec. English fiction and the SVD vectors have the same "
                "decades and dimensions and cannot be distinguished: use --model none if these are others."
            )


def _doubts(cells: list[Cell], chosen: str | None) -> Iterator[str]:
    found = counts(cells)
    if found.get("differs", 0) > found.get("equal", 0) + found.get("convention", 0):
        yield f"Most cells of {chosen} differ: these are probably not the vectors that the paper measured."


def _coverage(measured: Measured) -> Coverage | None:
    """What was left out of any test, by test."""
    lost, respelled = measured.dropped, measured.respelled
    return Coverage(policy="drop", used={}, dropped=lost, respelled=respelled) if lost else None

"""Every table of the ML-EAT paper beside ours, on any of its models that is available."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from crossroads.errors import InputError, UnknownNameError, join_words
from crossroads.evidence import Embeddings
from crossroads.evidence.model_names import model_name
from crossroads.papers.cells import Cell, Reproduction, counts, credible
from crossroads.papers.ml_eat.decades import decade_cells
from crossroads.papers.ml_eat.images import Pictured, has_images
from crossroads.papers.ml_eat.measured import Measured, number_cell
from crossroads.papers.ml_eat.tables import consistency, numbers, variant_of
from crossroads.papers.published import table
from crossroads.results import Coverage

Vectors = Embeddings | Mapping[int, Embeddings]
NO_MODEL = "none"
"""The vectors are of none of the models of the paper; they are shown for comparison."""
_SHOWN_BESIDE_OTHERS = ("1", "4")
"""Tables of static vectors, beside which other static vectors are shown."""
_SHOWN_BESIDE_IMAGES = ("2", "12")
"""Tables of CLIP, beside which other vision-language models are shown."""
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
        for :func:`~crossroads.papers.ml_eat.images.clip_texts_of_ml_eat` and sets of images by the names of
        :func:`~crossroads.papers.ml_eat.images.image_sets_of_ml_eat`. Without any, only the published
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
    _check_shape(vectors, chosen)
    pictured = isinstance(vectors, Embeddings) and has_images(vectors)
    measured = Measured(vectors, progress) if isinstance(vectors, Embeddings) and not pictured else None
    images = Pictured(vectors, progress) if isinstance(vectors, Embeddings) and pictured else None
    cells = credible(
        [*_table_cells(measured, images, chosen), *decade_cells(vectors, chosen, _how("HistWords"))]
    )
    source = table("ml-eat")
    return Reproduction(
        paper="ml-eat",
        title=source["title"],
        citation=source["citation"],
        doi=source["doi"],
        published_vectors=source["vectors"],
        vectors=_name(vectors),
        same_vectors=chosen is not None,
        cells=tuple(cells),
        notes=(*_about(vectors, chosen, pictured), *_doubts(cells, chosen), *consistency()),
        coverage=None if measured is None else _coverage(measured),
        conventions={
            "measure": "reproduction",
            "paper": "ml-eat",
            "model": chosen or NO_MODEL,
            "ddof": 1,
            "alternative": "observed",
            "method": "normal",
            "missing": "drop" if chosen is None and not pictured else "raise",
        },
        provenance=_provenance(vectors),
    )


def recognised(vectors: Vectors | None) -> str | None:
    """The model of the paper that made the vectors, if it is recognised."""
    if vectors is None:
        return None
    if not isinstance(vectors, Embeddings):
        return "HistWords" if _is_histwords(vectors) else None
    for one in table("ml-eat")["model"]:
        if one["kind"] != "series" and (one["kind"] == "images") == has_images(vectors) and _is(vectors, one):
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


def _check_shape(vectors: Vectors | None, chosen: str | None) -> None:
    if vectors is None or chosen is None:
        return
    series = not isinstance(vectors, Embeddings)
    wanted = next(one["kind"] for one in table("ml-eat")["model"] if one["name"] == chosen) == "images"
    if wanted != (isinstance(vectors, Embeddings) and has_images(vectors)):
        said = "no vector of an image" if wanted else "vectors of images"
        raise InputError(
            f"the model is given as {chosen}, {'whose' if wanted else 'none of whose'} tests compare "
            f"images with words; there is {said}.",
            hint="crossroads reproduce ml-eat --vectors FOLDER --images IMAGES, with the folder of a CLIP "
            "and one subfolder of images per set, such as Flower and Insect.",
        )
    if series != (chosen == "HistWords"):
        raise InputError(
            f"the model is given as {chosen}; the vectors are {'decades' if series else 'not decades'}.",
            hint="HistWords is a folder of decades; the other models have one set of vectors.",
        )


def _how(name: str) -> str:
    return str(next(one["get"] for one in table("ml-eat")["model"] if one["name"] == name))


def _table_cells(measured: Measured | None, images: Pictured | None, chosen: str | None) -> Iterator[Cell]:
    for one in numbers():
        if images is not None and one.model == chosen:
            yield images.judged(one)
            continue
        if images is not None and chosen is None and one.table in _SHOWN_BESIDE_IMAGES:
            yield images.beside(one)
            continue
        if measured is not None and one.model == chosen:
            yield measured.judged(one, variant_of(one.table))
        elif measured is not None and chosen is None and one.table in _SHOWN_BESIDE_OTHERS:
            yield measured.beside(one, variant_of(one.table))
        else:
            yield number_cell(one, None, "model absent", _how(one.model))


def _name(vectors: Vectors | None) -> str:
    if vectors is None:
        return "no vectors given"
    if isinstance(vectors, Embeddings):
        return model_name(vectors.provenance)
    return f"{len(vectors)} decades of {model_name(next(iter(vectors.values())).provenance)}"


def _provenance(vectors: Vectors | None) -> tuple[Any, ...]:
    if vectors is None:
        return ()
    if isinstance(vectors, Embeddings):
        return (vectors.provenance,)
    return tuple(emb.provenance for emb in vectors.values())


def _about(vectors: Vectors | None, chosen: str | None, pictured: bool) -> Iterator[str]:
    if vectors is None:
        yield "No vectors given, so only the published numbers are shown; each says how to get its model."
    elif chosen is None:
        beside = _SHOWN_BESIDE_IMAGES if pictured else _SHOWN_BESIDE_OTHERS
        yield (
            f"The vectors are not recognised as those of a model of the paper; Tables "
            f"{join_words(beside)} are shown for comparison, and digits cannot agree. Use --model if "
            "they are of one."
        )
    if vectors is not None and pictured:
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
    dropped = measured.dropped
    if not dropped:
        return None
    return Coverage(policy="drop", used={}, dropped=dropped, respelled=measured.respelled)

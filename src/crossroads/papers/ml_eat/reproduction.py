"""Every table of the ML-EAT paper beside ours, on any of its models that is available."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

from crossroads.core.errors import (
    EvidenceError,
    InputError,
    MissingStimuliError,
    UnknownNameError,
    join_words,
)
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.model_names import model_name
from crossroads.core.results import Coverage
from crossroads.core.stimuli import Design, StimulusSet, catalog
from crossroads.papers.cells import (
    Attempt,
    Cell,
    Reproduction,
    Said,
    counts,
    credible,
    judge,
    judge_mark,
    judged,
    reproduction,
)
from crossroads.papers.ml_eat import tables
from crossroads.papers.ml_eat.tables import BARE, LEANINGS, Number, decade_numbers, numbers
from crossroads.papers.published import table
from crossroads.words.measures.mleat import PATTERNS, MleatResult, mleat

Vectors = Embeddings | Mapping[int, Embeddings]
AS_PRINTED: Mapping[str, Any] = {"ddof": 1, "alternative": "observed", "method": "normal", "resamples": 0}
"""Options of the paper."""
ALPHA = 0.05
SHOWN: Mapping[str, tuple[str, ...]] = {
    "words": ("1", "4"),
    "images": ("2", "12"),
    "series": ("Text on Figure 3",),
}
"""Tables beside which other models are shown: static vectors, CLIP, decades."""
UNLISTED = "the paper neither lists nor counts its images"
"""Why a number on the model of the paper may differ under every convention."""
_ALL_ENGLISH = "HistWords, all English, word2vec"
_COUNTED = "p-value counted over the divisions (method='auto')"
_OTHER_NUMBERS: Mapping[str, Mapping[str, Any]] = {"population standard deviation (ddof=0)": {"ddof": 0}}
"""Other conventions under which a number might be printed."""
_OTHER_STARS: Mapping[str, Mapping[str, Any]] = {
    _COUNTED: {"method": "auto", "max_work": 1e6},
    "the same without ties (ties='strict')": {"method": "auto", "max_work": 1e6, "ties": "strict"},
    "two-sided p-value (alternative='two-sided')": {"alternative": "two-sided"},
    "one-sided p-value as the text has it (alternative='greater')": {"alternative": "greater"},
}
"""Other rules by which a star might be given."""
_OTHER_LEANINGS: Mapping[str, Mapping[str, Any]] = {_COUNTED: {"method": "auto"}}
_WITHOUT_EFFECT = {
    "words": "these vectors give the test no effect size",
    "other words": "too few words, or no effect size, on these vectors",
    "images": "these vectors give no effect size",
    "series": "a word of the test has no vector in this decade",
}
"""Why a test that lacks nothing could not be measured."""
_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
"""Endings of labels of images; "black/white" is a word of some vocabularies."""


def values(result: MleatResult) -> dict[str, float]:
    """Every number, star and leaning that the paper prints of a test, by column."""
    levels = (result.level1, result.level2["x"], result.level2["y"])
    found: dict[str, float] = {}
    for name, level in zip(tables.LEVELS, levels, strict=True):
        found[name] = level.effect_size
        found[f"{name} star"] = float(level.pvalue < ALPHA)
    for key, cell in result.level3.items():
        found[f"{key} mean"], found[f"{key} sd"] = cell.mean, cell.sd
    return found | {name: tables.CODES[PATTERNS[result.pattern][place]] for name, place in LEANINGS.items()}


def how_to_get(model: str) -> str:
    """How to get a model of the paper."""
    return str(next(one["get"] for one in table("ml-eat")["model"] if one["name"] == model))


def kind_of(vectors: Vectors | None) -> str:
    """What vectors are of: ``words``, ``images`` (and words) or a ``series`` of decades; empty for None."""
    if vectors is None:
        return ""
    if not isinstance(vectors, Embeddings):
        return "series"
    return "images" if _images_of(vectors) else "words"


def _images_of(emb: Embeddings) -> dict[str, tuple[str, ...]]:
    """Labels of images, ``set/file``, by set of the tables."""
    names = tables.folder_names()
    found: dict[str, list[str]] = {}
    for label in emb.labels:
        folder, _, file = label.partition("/")
        if file.lower().endswith(_SUFFIXES) and tables.plain_name(folder) in names:
            found.setdefault(names[tables.plain_name(folder)], []).append(label)
    return {name: tuple(labels) for name, labels in found.items()}


class Measured:
    """Tests of the paper on one model, each measured once under each convention.

    Parameters
    ----------
    vectors
        Vectors of words; of words and of images labelled ``set/file``; or decades. Words for images may
        also all be in the prompt, as in an audit, if their provenance says so.
    chosen
        The model of the paper that they are of; None if they are of another one.
    progress
        Called with the name of each test before it is measured.
    """

    def __init__(
        self, vectors: Vectors | None, chosen: str | None, progress: Callable[[str], None] | None = None
    ) -> None:
        self.kind = kind_of(vectors)
        self.dropped: dict[str, dict[str, str]] = {}
        self.respelled: dict[str, str] = {}
        self._chosen = chosen
        self._drop = self.kind == "words" and chosen is None
        self._decades = vectors if isinstance(vectors, Mapping) else {}
        self._images: dict[str, tuple[str, ...]] = {}
        self._prompt = BARE
        if isinstance(vectors, Embeddings):
            self._emb = vectors if self._drop else vectors.with_fallback(())
            self._images = _images_of(vectors)
            self._prompt = str(vectors.provenance.details.get("prompt", BARE))
        self._progress = progress
        self._kept: dict[tuple[object, ...], dict[str, float] | None] = {}

    def cell(self, one: Number) -> Cell:
        """A printed number beside ours, with the verdict."""
        if not self._is_shown(one):
            return judged(*one.place, one.text, None, published=one.value, absent=how_to_get(one.model))
        lacking = self._lacking(one)
        ours = None if lacking else self.value(one)
        if ours is None:
            lacking = lacking or _WITHOUT_EFFECT["other words" if self._drop else self.kind]
        return judged(
            *one.place,
            one.text,
            ours,
            partial(self._judge, one),
            published=one.value,
            lacking=lacking,
            other="" if self._chosen else _ALL_ENGLISH if one.decade else one.model,
        )

    def value(self, one: Number, **changed: Any) -> float | None:
        """The number as measured here, under the options of the paper or others."""
        key = (one.test, one.variant, one.prompt or BARE, one.decade, *sorted(changed.items()))
        if key not in self._kept:
            self._kept[key] = self._measure(one, changed)
        row = self._kept[key]
        return None if row is None else row[one.column]

    def _is_shown(self, one: Number) -> bool:
        """Whether a number is of this model, or beside which other models are shown."""
        if self._chosen is not None:
            return bool(self.kind) and one.model == self._chosen
        there = one.decade is None or one.decade in self._decades
        return there and one.table in SHOWN.get(self.kind, ())

    def _lacking(self, one: Number) -> str:
        """What a test needs and lacks; empty if nothing, or if words may be left out."""
        if self.kind == "series":
            return "" if one.decade in self._decades else "the decade is missing"
        if self.kind == "images":
            return self._lacking_images(one)
        absent = [] if self._drop else self._missing(one)
        return f"these vectors lack {join_words(absent, most=6)}" if absent else ""

    def _missing(self, one: Number) -> list[str]:
        """Words of a test that have no vector under their own spelling."""
        return [word for word in catalog().design(one.test, one.variant).words if word not in self._emb]

    def _lacking_images(self, one: Number) -> str:
        about = table("ml-eat")["pictured"]["tests"][one.test]
        empty = [about[role] for role in ("x", "y") if about[role] not in self._images]
        if empty:
            return f"no images of {join_words(empty)}: put them into a folder of that name"
        absent = [word for word in tables.attributes_of(str(one.variant)) if self._label(word, one) is None]
        if absent:
            how = "by itself" if (one.prompt or BARE) == BARE else f"as {one.prompt!r}"
            return f"no vector of {join_words(absent, most=3)} {how}"
        return ""

    def _label(self, word: str, one: Number) -> str | None:
        """The label of a word in the prompt of a table."""
        prompt = one.prompt or BARE
        if self._prompt == prompt and word in self._emb:
            return word
        # if all words were in one prompt, labels are words and not texts
        text = prompt.replace(BARE, word)
        asked_as_labelled = BARE not in self._prompt or self._prompt == BARE
        return text if asked_as_labelled and text in self._emb else None

    def _judge(self, one: Number, ours: float) -> Said:
        attempts = self._attempts(one)
        if one.column in LEANINGS:
            return judge_mark(one.value, ours, attempts, alike="the same leaning")
        if one.is_star:
            verdict, reason = judge_mark(one.value, ours, attempts)
        else:
            verdict, reason = judge(one.text, ours, attempts, truncated=one.truncated)
        unlisted = self.kind == "images" and verdict == "differs"
        return verdict, f"{reason}; {UNLISTED}" if unlisted else reason

    def _attempts(self, one: Number) -> Iterator[Attempt]:
        """Other conventions under which the number might be printed."""
        options = _OTHER_LEANINGS if one.column in LEANINGS else _OTHER_NUMBERS
        for name, changed in (_OTHER_STARS if one.is_star else options).items():
            yield name, partial(self.value, one, **changed)
        if self.kind == "words":
            yield from self._other_words(one)
        if self.kind == "images" and one.variant == "weat1":
            other = one._replace(variant=tables.OTHER_UNPLEASANT)
            if not self._lacking_images(other):
                words = {*tables.attributes_of("weat1")} ^ {*tables.attributes_of(str(other.variant))}
                name = f"unpleasant words of the tests of names ({join_words(sorted(words))})"
                yield name, partial(self.value, other)

    def _other_words(self, one: Number) -> Iterator[Attempt]:
        here = set(catalog().design(one.test, one.variant).words)
        for variant in (None, "ml-eat", "google-news"):
            words = here ^ set(catalog().design(one.test, variant).words)
            other = one._replace(variant=variant)
            if words and not self._missing(other):
                lists = "the original lists" if variant is None else f"the variant {variant}"
                name = f"words of {lists} ({join_words(sorted(words), most=4)})"
                yield name, partial(self.value, other)

    def _measure(self, one: Number, changed: Mapping[str, Any]) -> dict[str, float] | None:
        if self._progress is not None:
            self._progress(one.test)
        emb = self._emb if one.decade is None else self._decades[one.decade]
        missing = "drop" if self._drop else "raise"
        try:
            design = self._design(one)
            found = mleat(emb, design, **{**AS_PRINTED, "missing": missing, **changed})
        except (MissingStimuliError, EvidenceError):
            return None
        if found.coverage is not None:
            if found.coverage.missing:
                self.dropped[design.name] = found.coverage.missing
            self.respelled.update(found.coverage.respelled)
        return values(found)

    def _design(self, one: Number) -> Design:
        if self.kind != "images":
            return catalog().design(one.test, one.variant)
        about, words = table("ml-eat")["pictured"]["tests"][one.test], catalog().design(str(one.variant))
        x, y = (StimulusSet(about[role], self._images[about[role]]) for role in ("x", "y"))
        a, b = (
            StimulusSet(given.name, tuple(filter(None, (self._label(word, one) for word in given))))
            for given in (words.a, words.b)
        )
        return Design(name=one.test, x=x, y=y, a=a, b=b)


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

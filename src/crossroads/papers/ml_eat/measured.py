"""ML-EATs as the paper measured them, and under other conventions that it might have used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from crossroads.errors import EvidenceError, MissingStimuliError, join_words
from crossroads.evidence import Embeddings
from crossroads.measures import MleatResult, mleat
from crossroads.measures.association.patterns import PATTERNS
from crossroads.papers.cells import Attempt, Cell, Said, judge, judge_mark, judged
from crossroads.papers.ml_eat import tables
from crossroads.papers.ml_eat.tables import BARE, LEANINGS, Number
from crossroads.papers.published import table
from crossroads.stimuli import Design, StimulusSet, catalog

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

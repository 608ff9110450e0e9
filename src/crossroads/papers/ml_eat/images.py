"""The tests of the ML-EAT paper on CLIP, which compare images with words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from crossroads.errors import EvidenceError, MissingStimuliError, join_words
from crossroads.evidence import Embeddings
from crossroads.measures import mleat
from crossroads.papers.cells import Attempt, Cell, judge, judge_mark
from crossroads.papers.ml_eat.measured import AS_PRINTED, OTHER_OPTIONS, OTHER_STARS, number_cell, values
from crossroads.papers.ml_eat.tables import Number, numbers
from crossroads.papers.published import table
from crossroads.stimuli import Design, StimulusSet, catalog

UNLISTED = "the paper neither lists nor counts its images"
"""Why a number on the model of the paper may differ under every convention."""
_BARE = "{word}"
_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
"""Endings of labels of images; "black/white" is a word of some vocabularies."""
_OTHER_UNPLEASANT = "weat3"
"""The paper's appendix has a second list of unpleasant words, "Unpleasant - Alt", for names."""


def image_sets_of_ml_eat() -> dict[str, tuple[str, ...]]:
    """Sets of images by the name in the tables, with every name that a folder of them may have."""
    return {
        name: (name, *one["names"], one["ieat"]) for name, one in table("ml-eat")["pictured"]["sets"].items()
    }


def clip_texts_of_ml_eat() -> dict[str, str]:
    """The texts for CLIP: the label of every vector that the tables need, with its text.

    Bare words are labelled by themselves, words in the prompt of Table 2 by the whole text.

    Examples
    --------
    >>> texts = clip_texts_of_ml_eat()
    >>> texts["love"], texts["a picture that brings to mind love"]
    ('love', 'a picture that brings to mind love')
    """
    tests = {one["attributes"] for one in table("ml-eat")["pictured"]["tests"].values()}
    designs = [catalog().design(test) for test in sorted({*tests, _OTHER_UNPLEASANT})]
    words = dict.fromkeys(word for design in designs for word in (*design.a, *design.b))
    prompts = dict.fromkeys(one.prompt or _BARE for one in numbers() if is_pictured(one))
    texts = (prompt.replace(_BARE, word) for prompt in prompts for word in words)
    return {text: text for text in texts}


def is_pictured(one: Number) -> bool:
    """Whether a number is of a test with images."""
    return one.test in table("ml-eat")["pictured"]["tests"]


def has_images(emb: Embeddings) -> bool:
    """Whether there are vectors of images of any set of the tables, labelled ``set/file``."""
    return bool(_images_of(emb))


class Pictured:
    """Tests with images on one model, each measured once under each convention.

    Parameters
    ----------
    emb
        Vectors of images, labelled ``set/file``, and of words; see :func:`clip_texts_of_ml_eat`. Words may
        also all be in the prompt, as in an audit, if their provenance says so.
    progress
        Called with the name of each test before it is measured.
    """

    def __init__(self, emb: Embeddings, progress: Callable[[str], None] | None = None) -> None:
        self._emb = emb.with_fallback(())
        self._images = _images_of(emb)
        self._prompt = str(emb.provenance.details.get("prompt", _BARE))
        self._progress = progress
        self._kept: dict[tuple[object, ...], dict[str, float] | None] = {}

    def judged(self, one: Number) -> Cell:
        """The cell of a table of this model."""
        return self._cell(one, None)

    def beside(self, one: Number) -> Cell:
        """The cell of a table of another model."""
        return self._cell(one, f"the paper measured {one.model}")

    def _cell(self, one: Number, other: str | None) -> Cell:
        lacking = self._lacking(one)
        ours = None if lacking else self._value(one)
        if ours is None:
            return number_cell(one, None, "not covered", lacking or "these vectors give no effect size")
        if other is not None:
            return number_cell(one, ours, "other model", other)
        if one.is_star:
            verdict, reason = judge_mark(one.value > 0, ours > 0, self._attempts(one))
        else:
            verdict, reason = judge(one.text, ours, self._attempts(one))
        return number_cell(one, ours, verdict, f"{reason}; {UNLISTED}" if verdict == "differs" else reason)

    def _lacking(self, one: Number) -> str:
        """What a test needs and lacks: images of its sets, or words in its prompt."""
        about = _test(one)
        empty = [about[role] for role in ("x", "y") if about[role] not in self._images]
        if empty:
            return f"no images of {join_words(empty)}: put them into a folder of that name"
        absent = [word for word in _attributes(about["attributes"]) if self._label(word, one) is None]
        if absent:
            how = "by itself" if (one.prompt or _BARE) == _BARE else f"as {one.prompt!r}"
            return f"no vector of {join_words(absent, most=3)} {how}"
        return ""

    def _label(self, word: str, one: Number) -> str | None:
        """The label of a word in the prompt of a table."""
        prompt = one.prompt or _BARE
        if self._prompt == prompt and word in self._emb:
            return word
        # if all words were in one prompt, labels are words and not texts
        text = prompt.replace(_BARE, word)
        asked_as_labelled = _BARE not in self._prompt or self._prompt == _BARE
        return text if asked_as_labelled and text in self._emb else None

    def _attempts(self, one: Number) -> Iterator[Attempt]:
        for name, changed in (OTHER_STARS if one.is_star else OTHER_OPTIONS).items():
            yield name, partial(self._value, one, **changed)
        if _test(one)["attributes"] == "weat1":
            words = set(_attributes("weat1")) ^ set(_attributes(_OTHER_UNPLEASANT))
            if all(self._label(word, one) for word in _attributes(_OTHER_UNPLEASANT)):
                name = f"unpleasant words of the tests of names ({join_words(sorted(words))})"
                yield name, partial(self._value, one, attributes=_OTHER_UNPLEASANT)

    def _value(self, one: Number, attributes: str | None = None, **changed: Any) -> float | None:
        key = (one.test, one.prompt or _BARE, attributes, *sorted(changed.items()))
        if key not in self._kept:
            self._kept[key] = self._measure(one, attributes or _test(one)["attributes"], changed)
        row = self._kept[key]
        return None if row is None else row[one.column]

    def _measure(self, one: Number, attributes: str, changed: Mapping[str, Any]) -> dict[str, float] | None:
        if self._progress is not None:
            self._progress(one.test)
        about, words = _test(one), catalog().design(attributes)
        x, y = (StimulusSet(about[role], self._images[about[role]]) for role in ("x", "y"))
        a, b = (
            StimulusSet(given.name, tuple(filter(None, (self._label(word, one) for word in given))))
            for given in (words.a, words.b)
        )
        design = Design(name=one.test, x=x, y=y, a=a, b=b)
        try:
            return values(mleat(self._emb, design, **{**AS_PRINTED, **changed}))
        except (MissingStimuliError, EvidenceError):
            return None


def _test(one: Number) -> Mapping[str, str]:
    found: Mapping[str, str] = table("ml-eat")["pictured"]["tests"][one.test]
    return found


def _attributes(test: str) -> tuple[str, ...]:
    design = catalog().design(test)
    return (*design.a, *design.b)


def _images_of(emb: Embeddings) -> dict[str, tuple[str, ...]]:
    """Labels of images by set of the tables."""
    names = {
        plain_name(given): name for name, known in image_sets_of_ml_eat().items() for given in known[:-1]
    }
    found: dict[str, list[str]] = {}
    for label in emb.labels:
        folder, _, file = label.partition("/")
        if file.lower().endswith(_SUFFIXES) and plain_name(folder) in names:
            found.setdefault(names[plain_name(folder)], []).append(label)
    return {name: tuple(labels) for name, labels in found.items()}


def plain_name(name: str) -> str:
    """A name without capitals, hyphens and underscores, as folders are compared."""
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())

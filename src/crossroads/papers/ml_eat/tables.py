"""What the ML-EAT paper prints, number by number, and the words and images that its tests need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from crossroads.core.stimuli import catalog
from crossroads.papers.published import table
from crossroads.words.measures.mleat import LEAST_EFFECT, PATTERNS, pattern_of

LEVELS = ("level1", "level2_x", "level2_y")
"""Effect sizes, in the order of the columns."""
PAIRS = ("ax", "bx", "ay", "by")
"""Attribute and target of Level 3, in the order of the columns."""
LEANINGS: Mapping[str, int] = {"leaning of X": 0, "leaning of Y": 1}
"""Columns of the patterns of decades, with the place of the target in a pattern."""
CODES: Mapping[str | None, float] = {"a": 1.0, "b": -1.0, None: 0.0}
"""Code of a leaning: to the first attribute, to the second, to neither."""
BARE = "{word}"
OTHER_UNPLEASANT = "weat3"
"""The paper's appendix has a second list of unpleasant words, "Unpleasant - Alt", for names."""
_FIGURE_3 = "Text on Figure 3"


class Number(NamedTuple):
    """One printed number, star or leaning."""

    table: str
    model: str
    prompt: str | None
    test: str
    column: str
    text: str
    truncated: bool = False
    variant: str | None = None
    """The variant of the word lists; of tests with images, the test that has the attributes."""
    decade: int | None = None

    @property
    def value(self) -> float:
        """The number; 1 or 0 for a star that is printed or not; a code for a leaning."""
        if self.column in LEANINGS:
            return CODES[PATTERNS[self.text][LEANINGS[self.column]]]
        return float(self.text == "*") if self.is_star else float(self.text)

    @property
    def is_star(self) -> bool:
        """Whether this is a place for a star instead of a number."""
        return self.column.endswith("star")

    @property
    def place(self) -> tuple[str, str, str]:
        """Table, row and column."""
        if self.decade is not None:
            return f"{self.table}, {self.model}", f"{self.test}:{self.variant} {self.decade}", self.column
        prompted = "" if self.prompt in (None, BARE) else " with prompt"
        return f"Table {self.table}, {self.model}{prompted}", f"{self.test}{prompted}", self.column


@cache
def numbers() -> tuple[Number, ...]:
    """Every number and every place for a star of Tables 1 to 12."""
    return tuple(one for part in table("ml-eat")["table"] for one in _of_table(part))


def _of_table(part: Mapping[str, Any]) -> Iterator[Number]:
    truncated, pictured = part.get("truncated", ()), table("ml-eat")["pictured"]["tests"]
    for test, cells in part["rows"].items():
        variant = pictured[test]["attributes"] if test in pictured else part.get("variant")
        for column, text in _columns(cells):
            here = (part["number"], part["model"], part.get("prompt"), test, column, text)
            yield Number(*here, truncated=column in truncated, variant=variant)


def _columns(cells: list[str]) -> Iterator[tuple[str, str]]:
    for name, text in zip(LEVELS, cells[:3], strict=True):
        yield name, text.rstrip("*")
        yield f"{name} star", "*" if text.endswith("*") else ""
    for pair, text in zip(PAIRS, cells[3:], strict=True):
        mean, sd = text.rstrip(")").split(" (")
        yield f"{pair} mean", mean
        yield f"{pair} sd", sd


def decade_numbers() -> Iterator[Number]:
    """The numbers of the text on HistWords, and the leanings of both targets in each decade."""
    about = table("ml-eat")["decades"]
    for decade, pattern in printed_patterns().items():
        columns = {**about["numbers"].get(str(decade), {}), **dict.fromkeys(LEANINGS, pattern)}
        for column, text in columns.items():
            here = (_FIGURE_3, "HistWords", None, about["test"], column, text)
            yield Number(*here, variant=about["variant"], decade=decade)


def printed_patterns() -> dict[int, str]:
    """The pattern that the text names for each decade of HistWords, in order of time."""
    patterns = table("ml-eat")["decades"]["patterns"]
    return dict(sorted((decade, name) for name, decades in patterns.items() for decade in decades))


def row_pattern(row: Mapping[str, Number]) -> str:
    """The pattern that follows from the printed Level 2 of a row: effect sizes and their stars, by column."""
    return pattern_of(_leaning(row, "level2_x"), _leaning(row, "level2_y"))


def _leaning(row: Mapping[str, Number], name: str) -> str | None:
    value = row[name].value
    if row[f"{name} star"].value == 0 or abs(value) <= LEAST_EFFECT:
        return None
    return "a" if value > 0 else "b"


def image_sets_of_ml_eat() -> dict[str, tuple[str, ...]]:
    """Sets of images by the name in the tables, with every name that a folder of them may have."""
    return {
        name: (name, *one["names"], one["ieat"]) for name, one in table("ml-eat")["pictured"]["sets"].items()
    }


def folder_names() -> dict[str, str]:
    """Sets of images by every plain name that a folder of them may have."""
    return {plain_name(given): name for name, known in image_sets_of_ml_eat().items() for given in known[:-1]}


def plain_name(name: str) -> str:
    """A name without capitals, hyphens and underscores, as folders are compared."""
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())


def attributes_of(test: str) -> tuple[str, ...]:
    """The attribute words of a test of the catalogue."""
    design = catalog().design(test)
    return (*design.a, *design.b)


def clip_texts_of_ml_eat() -> dict[str, str]:
    """The texts for CLIP: the label of every vector that the tables need, with its text.

    Bare words are labelled by themselves, words in the prompt of Table 2 by the whole text.

    Examples
    --------
    >>> texts = clip_texts_of_ml_eat()
    >>> texts["love"], texts["a picture that brings to mind love"]
    ('love', 'a picture that brings to mind love')
    """
    source = table("ml-eat")
    tests = {OTHER_UNPLEASANT, *(one["attributes"] for one in source["pictured"]["tests"].values())}
    words = dict.fromkeys(word for test in sorted(tests) for word in attributes_of(test))
    prompts = dict.fromkeys(part.get("prompt", BARE) for part in source["table"])
    texts = (prompt.replace(BARE, word) for prompt in prompts for word in words)
    return {text: text for text in texts}

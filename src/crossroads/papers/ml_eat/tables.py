"""The tables of the ML-EAT paper, cell by cell as printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import sqrt
from typing import Any, NamedTuple

from crossroads.errors import join_words
from crossroads.measures.association.patterns import LEAST_EFFECT, pattern_of
from crossroads.papers.published import table
from crossroads.stimuli import catalog

LEVELS = ("level1", "level2_x", "level2_y")
"""Effect sizes, in the order of the columns."""
PAIRS = ("ax", "bx", "ay", "by")
"""Attribute and target of Level 3, in the order of the columns."""


class Number(NamedTuple):
    """One printed number."""

    table: str
    model: str
    prompt: str | None
    test: str
    column: str
    text: str
    truncated: bool

    @property
    def value(self) -> float:
        """The number; 1 or 0 for a star that is printed or not."""
        return float(self.text.rstrip("*")) if not self.is_star else float(self.text == "*")

    @property
    def is_star(self) -> bool:
        """Whether this is a place for a star instead of a number."""
        return self.column.endswith("star")


@cache
def numbers() -> tuple[Number, ...]:
    """Every number and every place for a star of Tables 1 to 12."""
    return tuple(one for part in table("ml-eat")["table"] for one in _of_table(part))


def _of_table(part: Mapping[str, Any]) -> Iterator[Number]:
    truncated = part.get("truncated", ())
    for test, cells in part["rows"].items():
        for column, text in _columns(cells):
            yield Number(
                part["number"], part["model"], part.get("prompt"), test, column, text, column in truncated
            )


def _columns(cells: list[str]) -> Iterator[tuple[str, str]]:
    for name, text in zip(LEVELS, cells[:3], strict=True):
        yield name, text.rstrip("*")
        yield f"{name} star", "*" if text.endswith("*") else ""
    for pair, text in zip(PAIRS, cells[3:], strict=True):
        mean, sd = text.rstrip(")").split(" (")
        yield f"{pair} mean", mean
        yield f"{pair} sd", sd


def variant_of(number: str) -> str | None:
    """The variant of the word lists that a table was measured with."""
    found: str | None = next(
        part.get("variant") for part in table("ml-eat")["table"] if part["number"] == number
    )
    return found


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


_ONE_SIDED = 1.645
Row = dict[str, Number]


def consistency() -> tuple[str, ...]:
    """Sentences on what the printed numbers contradict or confirm in each other."""
    rows = _rows()
    return (
        _repeated(rows),
        _starred(rows),
        _captioned(rows),
        _prompted(rows),
        *_impossible(rows),
        "The text on Figure 3 speaks of Science/Arts; figure, caption and words are those of Math/Arts.",
        "The text shades an EAT-Map where the p-value is above 0.05; the tables do where it is below.",
    )


def _rows() -> dict[tuple[str, str, str | None, str], Row]:
    """Every row of the tables: table, model, prompt and test to its cells."""
    found: dict[tuple[str, str, str | None, str], Row] = {}
    for one in numbers():
        found.setdefault((one.table, one.model, one.prompt, one.test), {})[one.column] = one
    return found


def _repeated(rows: dict[tuple[str, str, str | None, str], Row]) -> str:
    """Tables 2 (without prompt) and 3 hold rows that are repeated in Tables 5, 8 and 12."""
    early = {key: row for key, row in rows.items() if key[0] in ("2", "3") and key[2] in (None, "{word}")}
    late = {(model, test): row for (number, model, _, test), row in rows.items() if int(number) >= 5}
    again = [(key, row, late[key[1], key[3]]) for key, row in early.items()]
    differing = [
        f"{key[3]} in Table {key[0]}"
        for key, row, other in again
        if any(one.text != other[column].text for column, one in row.items())
    ]
    ending = f"which differ in {join_words(differing)}" if differing else "which agree in every cell"
    return f"{len(again)} rows of Tables 2 and 3 are printed again in Tables 5, 8 and 12, {ending}."


def _starred(rows: dict[tuple[str, str, str | None, str], Row]) -> str:
    """Whether stars follow from the numbers: z = |d|·√(n/2) above 1.645, for two sets of n words."""
    right, doubtful = 0, []
    for (number, _, _, test), row in rows.items():
        if not test.startswith("weat"):
            continue
        design = catalog().design(test, variant_of(number))
        for name in LEVELS:
            n = len(design.x if name == "level1" else design.a)
            # the printed number represents all that are rounded or cut to it
            low, high = (sqrt(n / 2) * (abs(row[name].value) + off) for off in (-0.005, 0.01))
            starred = row[f"{name} star"].value > 0
            if (starred and high > _ONE_SIDED) or (not starred and low <= _ONE_SIDED):
                right += 1
            else:
                doubtful.append(f"{test}, {name} in Table {number}")
    ending = f"; not so {join_words(doubtful)}" if doubtful else ""
    return (
        f"{right} of {right + len(doubtful)} stars of the word tests are printed or not as a normal curve "
        f"in the observed direction implies: |d|·√(n/2) above {_ONE_SIDED}{ending}."
    )


def _captioned(rows: dict[tuple[str, str, str | None, str], Row]) -> str:
    named = table("ml-eat")["caption"]
    wrong = [
        f"{test} ({row_pattern(row)}, not {named[test]})"
        for (number, _, _, test), row in rows.items()
        if number == "1" and row_pattern(row) != named[test]
    ]
    ending = f"except {join_words(wrong)}" if wrong else "without exception"
    return f"The patterns in the caption of Table 1 follow from its Level 2 and stars, {ending}."


def _prompted(rows: dict[tuple[str, str, str | None, str], Row]) -> str:
    """Table 2: the same tests without and with a prompt."""
    pairs = [
        (row, rows["2", model, other, test])
        for (number, model, prompt, test), row in rows.items()
        if number == "2" and prompt == "{word}"
        for other in {key[2] for key in rows if key[0] == "2"} - {"{word}"}
    ]
    kept = sum(row_pattern(bare) == row_pattern(prompted) for bare, prompted in pairs)
    turned = sum(bare["level1"].value * prompted["level1"].value < 0 for bare, prompted in pairs)
    return (
        f"Table 2: with the prompt, {kept} of {len(pairs)} tests keep their pattern and {turned} changes "
        "the sign of Level 1."
    )


def _impossible(rows: dict[tuple[str, str, str | None, str], Row]) -> Iterator[str]:
    """Rows whose Level 3 has the opposite sign of Level 2 by more than rounding allows."""
    for (number, _, _, test), row in rows.items():
        for target in "xy":
            d = row[f"level2_{target}"].value
            first, second = (row[f"{attribute}{target} mean"] for attribute in "ab")
            gap = first.value - second.value
            if d * gap < 0 and abs(gap) > 0.01 + 1e-9:
                yield (
                    f"Table {number}, {test}: means of {first.text} and {second.text} contradict the Level 2 "
                    f"effect size of {row[f'level2_{target}'].text}."
                )

"""One published number and ours, and how the two are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

from crossroads.core.results import Result, Stat, stat, under
from crossroads.core.wording.numbers import counted
from crossroads.core.wording.table import Table
from crossroads.papers.published import KNOWN, table

VERDICTS: Mapping[str, str] = {
    "equal": "as printed, or within sampling error",
    "convention": "as printed under another convention, which is named",
    "differs": "not as printed under any convention that was tried",
    "other model": "measured on another model than the paper's: shown, not judged",
    "model absent": "not measured; the reason says how to get the model",
    "not covered": "what the test needs is missing: words, contexts, images, pairs, or data not released",
}
"""Every verdict, with its meaning."""

SLACK = 1e-6
"""How far single-precision vectors may move a number across a rounding boundary."""

_INSTEAD = "decimals instead of"
_MARKED = {1.0: "yes", 0.0: "no"}
_LEANINGS = {1.0: "to A", -1.0: "to B", 0.0: "to neither"}

Measured = TypeVar("Measured")
Attempt = tuple[str, Callable[[], float | None]]
"""A named convention, and the number that it gives."""
Said = tuple[str, str]
"""Verdict and reason."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One published number and ours."""

    row: str
    """What was measured."""
    column: str
    """Which number."""
    table: str = ""
    """The place in the paper."""
    published: float
    """The published number; 1 or 0 for a mark such as a star that is printed or not."""
    printed: str = ""
    """The number as it is printed, if that adds information: its digits, a bound, a star."""
    ours: float | None
    """As measured here; None if it could not be."""
    verdict: str
    """A key of :data:`VERDICTS`."""
    reason: str = ""
    """The rule by which it is equal, the convention, how to get the model, or what is missing."""

    @property
    def difference(self) -> float | None:
        """Ours minus the published number."""
        return None if self.ours is None else self.ours - self.published

    def shown_numbers(self) -> dict[str, str | float | None]:
        """Published, ours and the difference; words where a mark or a leaning is compared."""
        if self.column.startswith("leaning"):
            words, ending = _LEANINGS, f" ({self.printed})"
        elif self.column.endswith(" star") or "dagger" in self.row or self.table == "Table A8":
            words, ending = _MARKED, ""
        else:
            return {"published": self.published, "ours": self.ours, "difference": self.difference}
        ours = "–" if self.ours is None else words[self.ours]
        return {"published": f"{words[self.published]}{ending}", "ours": ours, "difference": None}


def decimals(text: str) -> int:
    """Number of decimals of a printed number."""
    return len(text.partition(".")[2])


def is_rounded(value: float, text: str) -> bool:
    """Whether a value prints so when rounded, as 0.8249 prints as ``.82``."""
    return abs(value - float(text)) <= 0.5 * 10.0 ** -decimals(text) + SLACK


def is_truncated(value: float, text: str) -> bool:
    """Whether a value prints so when its further digits are cut off, as 1.4986 prints as ``1.49``."""
    beyond = abs(value) - abs(float(text))
    return value * float(text) >= 0 and -SLACK <= beyond < 10.0 ** -decimals(text) - SLACK


def judge(text: str, ours: float, attempts: Iterable[Attempt] = (), *, truncated: bool = False) -> Said:
    """Verdict and reason for a number that is printed with a fixed number of digits.

    Its column is rounded or ``truncated``. Other conventions are tried in turn if it is not as printed.
    """
    digits = decimals(text)
    rules = [(is_rounded, "rounded"), (is_truncated, "cut off")]
    usual, other = reversed(rules) if truncated else rules
    if usual[0](ours, text):
        return "equal", f"{usual[1]} to {digits} decimals"
    if other[0](ours, text):
        return "convention", f"{other[1]} to {digits} {_INSTEAD} {usual[1]}"
    return judge_again(lambda value: value is not None and usual[0](value, text), attempts)


def judge_mark(
    printed: float, ours: float, attempts: Iterable[Attempt] = (), *, alike: str = "marked the same"
) -> Said:
    """Verdict and reason for a mark that is printed (1) or not (0), or for another code that is the same."""
    if printed == ours:
        return "equal", alike
    return judge_again(lambda value: value == printed, attempts)


def judge_again(
    agrees: Callable[[Measured], bool], attempts: Iterable[tuple[str, Callable[[], Measured]]]
) -> Said:
    """Verdict and reason for a number that is not as printed: the first convention that gives it, if any."""
    attempts = list(attempts)
    for name, measure in attempts:
        if agrees(measure()):
            return "convention", name
    tried = "; ".join(name for name, _ in attempts)
    return "differs", f"tried without success: {tried}" if tried else "no other convention is known"


def judged(
    table: str,
    row: str,
    column: str,
    text: str,
    ours: float | None,
    judge: Said | Callable[[float], Said] = ("", ""),
    *,
    published: float | None = None,
    absent: str = "",
    lacking: str = "",
    other: str = "",
) -> Cell:
    """One cell: table, row and column, the number as printed and ours, with a verdict.

    ``judge`` is the verdict with its reason for a number of the paper's model, or gives them for ours.
    ``published`` is the published number, if the text is not one; ``absent`` how to get a model that was not
    given; ``lacking`` what is missing for the number to be comparable; and ``other`` the model of the paper,
    if another one was measured.
    """
    if absent:
        verdict, reason = "model absent", absent
    elif other and ours is not None:
        verdict, reason = "other model", "; ".join(filter(None, (f"the paper measured {other}", lacking)))
    elif ours is None or lacking:
        verdict, reason = "not covered", lacking
    else:
        verdict, reason = judge if isinstance(judge, tuple) else judge(ours)
    return Cell(
        row=row,
        column=column,
        table=table,
        published=float(text) if published is None else published,
        printed=text,
        ours=ours,
        verdict=verdict,
        reason=reason,
    )


def credible(cells: Iterable[Cell]) -> list[Cell]:
    """The cells, without conventions that matched a number of few digits by chance.

    A convention is accepted only if it, together with plain agreement, accounts for half of what was judged
    in the table; and that digits were cut off instead of rounded, or the reverse, only if no more cells of
    the same column contradict it: tables are printed by column, and a single such cell is a misprint.
    """
    cells = list(cells)
    tables, found = by_table(cells), []
    for cell in cells:
        doubt = ""
        if cell.verdict == "convention" and mostly_differ(tables[cell.table]):
            doubt = "most of the table differs"
        elif cell.verdict == "convention" and _INSTEAD in cell.reason and not _shortened_alike(cell, cells):
            doubt = "the rest of the column is printed differently"
        reason = f"{cell.reason} gives it, and {doubt}"
        found.append(replace(cell, verdict="differs", reason=reason) if doubt else cell)
    return found


def _shortened_alike(cell: Cell, cells: Iterable[Cell]) -> bool:
    """Whether a column is shortened like one of its cells."""
    column = [other for other in cells if (other.table, other.column) == (cell.table, cell.column)]
    # a number that is printed the same either way contradicts nothing
    against = (
        other.verdict == "equal" and is_rounded(other.ours, text) != is_truncated(other.ours, text)
        for other in column
        if other.ours is not None and (text := other.printed)
    )
    return sum(other.reason == cell.reason for other in column) >= sum(against)


def counts(cells: Iterable[Cell]) -> dict[str, int]:
    """How many cells have each verdict, in the order of :data:`VERDICTS`, without zeros."""
    verdicts = Counter(cell.verdict for cell in cells)
    return {name: verdicts[name] for name in VERDICTS if name in verdicts}


def mostly_differ(verdicts: Mapping[str, int]) -> bool:
    """Whether most of the cells that were judged differ."""
    return verdicts.get("equal", 0) + verdicts.get("convention", 0) < verdicts.get("differs", 0)


def by_table(cells: Sequence[Cell]) -> dict[str, dict[str, int]]:
    """How many cells of each table of the paper have each verdict."""
    names = dict.fromkeys(cell.table for cell in cells)
    return {name: counts(cell for cell in cells if cell.table == name) for name in names}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Reproduction(Result):
    """Published tables next to ours."""

    _label_format: ClassVar[str] = "{paper}"
    _table_name: ClassVar[str] = "reproduction"
    _most_rows: ClassVar[int] = 40
    _file_names: ClassVar[str] = under("cell", "table row column published ours difference verdict reason")
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("paper", several=True),
        stat("table"),
        stat("row", of="cell.row"),
        stat("column", of="cell.column"),
        stat("published", note="the number of the paper", digits=3),
        stat("ours", note="as measured here", digits=3),
        stat("difference", "difference", "ours minus the published number", digits=3),
        stat("verdict", of="cell.verdict"),
    )

    paper: str
    """Name of the reproduction."""
    title: str
    """Subject of the tables."""
    citation: str
    """Where they were printed."""
    doi: str
    """Identifier of the publication."""
    published_vectors: str
    """What the paper measured."""
    vectors: str
    """What was measured here."""
    same_vectors: bool
    """Whether these are the vectors of the paper: only then are the numbers comparable digit by digit."""
    cells: tuple[Cell, ...]
    """Every cell."""
    notes: tuple[str, ...]
    """Notes for the reader."""

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cells have each verdict."""
        return counts(self.cells)

    @property
    def tables(self) -> dict[str, dict[str, int]]:
        """How many cells of each table of the paper have each verdict."""
        return by_table(self.cells)

    def _members(self) -> Iterator[Mapping[str, Any]]:
        """One row per cell: what is printed, what was measured here, and how the two are judged."""
        for cell in self.cells:
            place = {"cell": cell, "paper": self.paper, "table": cell.table or None}
            yield place | cell.shown_numbers()

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per cell; the title counts the verdicts."""
        cells = [cell for one in results.values() for cell in one.cells]
        judged = ", ".join(f"{n:,} {verdict}" for verdict, n in counts(cells).items())
        title = f"{'; '.join(one.title for one in results.values())}: {counted(len(cells), 'cell')}, {judged}"
        single = len({cell.table for cell in cells}) < 2
        return replace(super()._tabulate(results).without(["table"] if single else []), title=title)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        cells = [cell for one in results.values() for cell in one.cells]
        places = dict.fromkeys(cell.table for cell in cells)
        yield from (f"Printed in: {place}." for place in places if place and len(places) == 1)
        yield from (f"{verdict}: {VERDICTS[verdict]}." for verdict in counts(cells))
        yield from (table(one.paper)["meaning"] for one in results.values() if one.paper in KNOWN)


def reproduction(
    paper: str, *, notes: Iterable[str], conventions: Mapping[str, Any], **fields: Any
) -> Reproduction:
    """The reproduction of a paper, with the source of its tables and notes on them."""
    source = table(paper)
    return Reproduction(
        paper=paper,
        title=source["title"],
        citation=source["citation"],
        doi=source["doi"],
        published_vectors=source["vectors"],
        notes=(*notes, *source["notes"]),
        conventions={**conventions, "measure": "reproduction", "paper": paper},
        **fields,
    )

"""The tables of the ABC study as printed, and what follows from them alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import isnan
from typing import Any

from crossroads.core.errors import join_words
from crossroads.core.stimuli import catalog
from crossroads.papers.cells import Attempt, Cell, Said, judge, judged
from crossroads.papers.published import table
from crossroads.traits.measures.scores import TraitScores

TRAITS = 16
MEASURES = {"CEAT": "group-ceat", "ILPS": "ilps", "ILPS*": "ilps*", "SeT": "set"}
"""Names in results of the measures at the head of the columns."""
LEAST = 0.1
"""Difference of mean correlations from which one domain dominates another."""
ROUNDING = 0.0005 + 1e-9
"""Half a unit of the last digit of most tables."""
_BY_THIRDS = ("tableA12", "tableA13")
_NOT_RELEASED = "the released judgements do not give the race and gender of the annotators"


TABLES = table("abc")
"""All tables, and how to measure them."""
COLUMNS: tuple[str, ...] = tuple(TABLES["columns"])
"""Measures on models, as the tables head them: ``"SeT RoBERTa"`` and so on."""
PAIRED = str(TABLES["paired"])
"""The column whose measure and model the paper pairs groups with."""


def model_of(column: str) -> str:
    """The model that the paper measured in a column: ``"roberta-large"``."""
    return str(TABLES["models"][column.split()[1]])


def templates_of(column: str) -> tuple[str, ...]:
    """The templates that Table 5 prints for a column, as the catalogue writes them; none for CEAT."""
    rows = (one for one in TABLES["table5"] if f"{one['measure']} {one['model']}" == column)
    return tuple(template for row in rows for template in row["templates"])


def as_published(column: str, scores: Any) -> Any:
    """The scores of the templates that the paper chose, if they are known by template; else as given."""
    printed = templates_of(column)
    if not isinstance(scores, TraitScores) or scores.template_scores is None or not printed:
        return scores
    return scores.select(templates=printed) if set(printed) <= set(scores.templates) else scores


def other_templates(column: str, scores: Any) -> str:
    """A note that scores are of other templates than the paper's; empty if not, or not known."""
    printed, taken = templates_of(column), getattr(as_published(column, scores), "templates", ())
    other = printed and taken and set(taken) != set(printed)
    return f"scored with other templates than the paper's {join_words(map(repr, printed))}" if other else ""


def table_cell(
    part: str,
    row: str,
    column: str,
    text: str,
    ours: float | None,
    judge: Said | Callable[[float], Said] = ("", ""),
    **state: Any,
) -> Cell:
    """A cell of a table, named as in the file of tables; the rest is as in ``judged``."""
    name = f"Table {part.removeprefix('table')}" if part.startswith("table") else part
    return judged(name, f"{name}, {row}", column, text, ours, judge, **state)


def printed_cells() -> Iterator[tuple[str, str, str, float]]:
    """Table, group, column and number of every cell of Tables A11 to A13."""
    for part in ("tableA11", "tableA12", "tableA13"):
        for group, row in TABLES[part].items():
            for column, value in zip(COLUMNS, row, strict=True):
                if not isnan(value):
                    yield part, group, column, value


def precision_from_rows(
    parts: tuple[str, ...] = _BY_THIRDS, *, pilot: bool = True, thirds: bool = True
) -> dict[str, float]:
    """Overall precision at 3 of each column: the mean over the groups of Tables A12 and A13.

    Cells are thirds printed with two digits, and taken as thirds, or as printed.
    """
    found: dict[str, list[float]] = {name: [] for name in COLUMNS}
    for part, group, column, value in printed_cells():
        if part in parts and (pilot or group not in TABLES["pilot"]):
            found[column].append(round(3 * value) if thirds else 3 * value)
    return {column: sum(cells) / (3 * len(cells)) for column, cells in found.items()}


def precision_cell(column: str, text: str) -> Cell:
    """Precision in Table 6, against Tables A12 and A13."""

    def mean(*parts: str, **options: bool) -> float:
        return precision_from_rows(parts or _BY_THIRDS, **options)[column]

    attempts: list[Attempt] = [
        ("cells as printed instead of thirds", partial(mean, thirds=False)),
        ("without the pilot groups", partial(mean, pilot=False)),
        ("top 3 alone", partial(mean, "tableA12")),
        ("bottom 3 alone", partial(mean, "tableA13")),
    ]
    judged_by = partial(judge, text, attempts=attempts)
    return table_cell("table6", "P@3 from A12, A13", column, text, mean(), judged_by)


def dominations(least: float = LEAST) -> dict[str, set[str]]:
    """The domains that each domain dominates by the numbers of Table A9."""
    found: dict[str, set[str]] = {name: set() for name in TABLES["tableA8"]}
    for one, two, first, second in TABLES["tableA9"]["rows"]:
        if abs(first - second) >= least - 1e-9:
            winner, loser = (one, two) if first > second else (two, one)
            found[winner].add(loser)
    return found


def domination_cells() -> Iterator[Cell]:
    """Table A8 against the numbers of Table A9; both are printed."""
    ours = dominations()
    for name, row in TABLES["tableA8"].items():
        for column, others in row.items():
            for other in (one for one in ours if one != name):
                here = other in ours[name] if column == "dominates" else name in ours[other]
                listed = other in others
                differs = ("differs", "the difference in A9 contradicts it")
                said = ("equal", "follows from A9") if listed == here else differs
                place = ("tableA8", f"{name} from A9", f"{column} {other}", "listed" if listed else "")
                yield table_cell(*place, float(here), said, published=float(listed))


def annotator_cells() -> Iterator[Cell]:
    """Tables A14 to A18, by people of one race and gender."""
    ratings = catalog().ratings("abc-annotators")
    tables = {"White": "A14", "Black": "A15", "White male": "A16", "White female": "A17"}
    for who, number in tables.items():
        for group, row in ratings[who].items():
            for trait, value in row.items():
                yield table_cell(f"table{number}", group, trait, f"{value:g}", None, lacking=_NOT_RELEASED)
    for group, values in TABLES["tableA18"].items():
        for who, value in zip(("Black", "White", "White male", "White female"), values, strict=True):
            if not isnan(value):
                column, text = f"τ with {who} annotators", f"{value:.3f}"
                yield table_cell("tableA18", group, column, text, None, lacking=_NOT_RELEASED)

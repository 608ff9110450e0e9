"""The tables of the ABC study as printed, and what follows from them alone."""

from __future__ import annotations

from math import isnan

from crossroads.errors import InputError
from crossroads.papers.cells import Cell
from crossroads.papers.published import table

TRAITS = 16
MEASURES = {"CEAT": "group-ceat", "ILPS": "ilps", "ILPS*": "ilps*", "SeT": "set"}
"""Names in results of the measures at the head of the columns."""
LEAST = 0.1
"""Difference of mean correlations from which one domain dominates another."""
ROUNDING = 0.0005 + 1e-9
"""Half a unit of the last digit of most tables."""


def columns() -> tuple[str, ...]:
    """Measures on models, as the tables head them: ``"SeT RoBERTa"`` and so on."""
    return tuple(table("abc")["columns"])


def check_measure(column: str, measure: str) -> None:
    """Refuse scores of another measure than that of the column; those of unknown origin are accepted.

    Parameters
    ----------
    column
        As the tables head it.
    measure
        The measure that the scores name, such as ``"ilps*"``.
    """
    if measure in MEASURES.values() and measure != MEASURES[column.split()[0]]:
        raise InputError(
            f"the scores given for {column} are of {measure}.",
            hint=f"name a column of that measure, or give scores of {MEASURES[column.split()[0]]}.",
        )


def paired_column() -> str:
    """The column whose measure and model the paper pairs groups with."""
    return str(table("abc")["paired"])


def templates_of(column: str) -> tuple[str, ...]:
    """The templates that Table 5 prints for a column, as the catalogue writes them; none for CEAT.

    Examples
    --------
    >>> templates_of("SeT RoBERTa")
    ('That {singular} is {trait}.',)
    """
    return tuple(
        _of_the_catalogue(text)
        for one in table("abc")["table5"]
        if f"{one['measure']} {one['model']}" == column
        for text in one["templates"]
    )


def _of_the_catalogue(text: str) -> str:
    form = "{singular}" if "[group] is" in text else "{plural}"
    for slot, name in (("[Group]", "{capitalised}"), ("[group]", form), ("[trait]", "{trait}")):
        text = text.replace(slot, name)
    return text


def table_cell(
    part: str, row: str, column: str, text: str, ours: float | None, said: tuple[str, str], mark: bool = False
) -> Cell:
    """One cell: where it is printed, the text there, ours, and verdict with reason."""
    name = f"Table {part.removeprefix('table')}" if part.startswith("table") else part
    published = float(bool(text)) if mark else float(text)
    return Cell(
        row=f"{name}, {row}",
        column=column,
        table=name,
        published=published,
        printed=text,
        ours=ours,
        verdict=said[0],
        reason=said[1],
    )


def precision_from_rows() -> dict[str, float]:
    """Overall precision at 3 of each column: the mean over the groups of Tables A12 and A13.

    Cells are thirds printed with two digits, and taken as thirds.
    """
    source = table("abc")
    found = {}
    for i, name in enumerate(columns()):
        cells = [row[i] for part in ("tableA12", "tableA13") for row in source[part].values()]
        thirds = [round(3 * cell) for cell in cells if not isnan(cell)]
        found[name] = sum(thirds) / (3 * len(thirds))
    return found


def dominations(least: float = LEAST) -> dict[str, set[str]]:
    """The domains that each domain dominates by the numbers of Table A9."""
    found: dict[str, set[str]] = {name: set() for name in table("abc")["tableA8"]}
    for one, two, first, second in table("abc")["tableA9"]["rows"]:
        if first - second >= least - 1e-9:
            found[one].add(two)
        if second - first >= least - 1e-9:
            found[two].add(one)
    return found


_MODELS = {"RoBERTa": "roberta-large", "BERT": "bert-large-cased or bert-large-uncased"}
_OWNERS = {"RoBERTa": "Facebook", "BERT": "Google (the paper does not say which)"}
_OPTIONS = {"ILPS": "ilps", "ILPS*": "ilps-star", "SeT": "set"}
_HUMAN = "data_full.json of the study's released data as HUMAN"


def model_of(column: str) -> str:
    """The model that the paper measured in a column: ``"roberta-large"``."""
    return _MODELS[column.split()[1]]


def how(column: str) -> str:
    """How to get the cells of a column that come from single groups and people."""
    measure, model = column.split()
    compare = f"crossroads reproduce abc --human HUMAN --scores '{column}=scores.json'"
    if measure == "CEAT":
        return (
            f"get {_HUMAN}, and sentences of Reddit comments of 2014 with their vectors by "
            f"{model_of(column)} (guide: context vectors); in Python, write the JSON of "
            f"crossroads.traits.group_ceat(contexts, groups, traits) to scores.json, then: {compare}"
        )
    steps = f"crossroads probe FOLDER --measure {_OPTIONS[measure]} --json > scores.json"
    return f"{_download(model)} and {_HUMAN}, then: {steps}, and {compare}"


def how_pairs(*, truth: bool = False) -> str:
    """How to get the cells about pairs of groups.

    Parameters
    ----------
    truth
        Whether the cell also needs human answers about pairs.
    """
    (template,) = templates_of(paired_column())
    probe = f"crossroads probe FOLDER --pairs --measure set --templates '{template}' --json > pairs.json"
    first = f"{_download('RoBERTa')}; {how_truth()}" if truth else _download("RoBERTa")
    more = " --truth TRUTH.csv" if truth else ""
    return f"{first}, then: {probe}, and crossroads reproduce abc --pair-scores pairs.json{more}"


def how_truth() -> str:
    """The content of the list with which emergent traits are compared."""
    return (
        "list in TRUTH.csv, with the columns pair and trait, what people say of pairs of race and gender in "
        "Ghavami and Peplau (2013), as ends of the scales such as 'low Communion' (how the paper sorted them "
        "is not printed)"
    )


def _download(model: str) -> str:
    return f"download {_MODELS[model]} of {_OWNERS[model]} from Hugging Face into FOLDER"

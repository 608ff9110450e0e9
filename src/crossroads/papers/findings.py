"""Published findings about tests of the catalogue, to be shown beside those of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from crossroads.errors import CrossroadsError
from crossroads.papers.ceat.tables import printed
from crossroads.papers.ml_eat.tables import LEVELS, Number, numbers, printed_patterns, row_pattern
from crossroads.papers.published import table
from crossroads.stimuli import catalog
from crossroads.wording.phrases import LISTED

_STATISTICS = {
    "level1": "effect size d (Level 1)",
    "level2_x": "effect size d of X (Level 2)",
    "level2_y": "effect size d of Y (Level 2)",
}
_REPEATED = ("2", "3")
"""Tables of the ML-EAT paper whose rows are repeated in later tables, or have images as targets."""
_STATIC = ("GloVe 840B", "Google News")
_VARIANTS = {"Google News": "google-news"}
"""Models that were measured with other words than the original ones."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One published number about a test."""

    test: str
    """The test, as it was requested."""
    statistic: str
    """The statistic."""
    value: float
    """The number as printed."""
    model: str
    """The model that was measured."""
    citation: str
    """The publication."""
    doi: str
    """Identifier of the publication."""
    table: str
    """Its place in the publication."""
    note: str
    """Notes for a comparison: pattern, significance, other words or procedure."""

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        return asdict(self)


def findings(names: Iterable[str]) -> dict[str, tuple[Finding, ...]]:
    """Published numbers about tests, from every table that this package holds.

    Parameters
    ----------
    names
        Tests of the catalogue, with or without a variant: ``"weat6"``, ``"weat2:google-news"``, ``"c6"``,
        ``"i1"``, ``"em-ef-career"``; comparisons of geometry such as ``"black-names-female"``; detections
        such as ``"AF IBD"``. A name without findings gets none. Only names are compared, so do not ask for
        your own design under a published name.

    Examples
    --------
    >>> first = findings(["weat7"])["weat7"][0]
    >>> first.value, first.model, first.table
    (1.05, 'GloVe 840B', 'Table 1')
    """
    return {name: tuple(_about(name)) for name in names}


def _about(name: str) -> Iterator[Finding]:
    test, _, variant = name.partition(":")
    test = test.strip().casefold()
    for finding in _known().get(_twin(test), ()):
        notes = (finding.note, _about_words(_twin(test), variant, finding.model))
        yield Finding(**{**asdict(finding), "test": name, "note": "; ".join(filter(None, notes))})
    if test.startswith("weat") and variant in ("", "histwords"):
        for finding in _decades(test):
            yield Finding(**{**asdict(finding), "test": name})


def _twin(test: str) -> str:
    """The same test in the other series: C1 to C10 have the words of WEAT 1 to 10."""
    return f"weat{test[1:]}" if test[:1] == "c" and test[1:].isdigit() else test


def _about_words(test: str, asked: str, model: str) -> str:
    """A remark if the words measured are not those asked about."""
    measured = _VARIANTS.get(model, "")
    if not test.startswith("weat") or _words(test, asked) == _words(test, measured):
        return ""
    return f"slightly different words: {f'the variant {measured}' if measured else 'the original lists'}"


@cache
def _words(test: str, variant: str) -> tuple[str, ...]:
    """The words of a test; none if it is not in the catalogue."""
    try:
        return catalog().design(test, variant or None).words
    except CrossroadsError:
        return ()


@cache
def _known() -> dict[str, tuple[Finding, ...]]:
    found: dict[str, list[Finding]] = {}
    for one in (*_quoted(), *_ml_eat(), *_ceat(), *_detections(), *_fits()):
        found.setdefault(_twin(one.test.casefold()), []).append(one)
    return {test: tuple(ones) for test, ones in found.items()}


def _finding(source: str, **fields: Any) -> Finding:
    about = table(source)
    return Finding(**{"citation": about["citation"], "doi": about["doi"], "note": "", **fields})


def _ml_eat() -> Iterator[Finding]:
    """Level 1 of every model that saw only words, and Level 2 of static vectors."""
    cells = {(one.table, one.test, one.column): one for one in numbers() if one.table not in _REPEATED}
    for (number, test, column), one in cells.items():
        if column not in LEVELS or not test.startswith("weat"):
            continue
        if column != "level1" and one.model not in _STATIC:
            continue
        row = {name: cells[number, test, name] for level in LEVELS for name in (level, f"{level} star")}
        yield _finding(
            "ml-eat",
            test=test,
            statistic=_STATISTICS[column],
            value=one.value,
            model=one.model,
            table=f"Table {number}",
            note=_ml_eat_note(column, row),
        )


def _ml_eat_note(column: str, row: dict[str, Number]) -> str:
    one = row[column]
    starred = row[f"{column} star"].value > 0
    said = ["starred: p < .05 by a normal curve, one-sided" if starred else "not starred"]
    if column == "level1":
        said.append(f"pattern: {row_pattern(row)}")
    if one.model not in _STATIC:
        said.append('words in the prompt "This is …", last token of the top layer')
    if one.truncated:
        said.append("digits cut off, not rounded")
    return "; ".join(said)


def _quoted() -> Iterator[Finding]:
    for test, value in table("ml-eat")["quoted"].items():
        yield Finding(
            test=test,
            statistic=_STATISTICS["level1"],
            value=float(value),
            model="GloVe 840B",
            citation="Caliskan, A., Bryson, J. J. and Narayanan, A. (2017). Science 356, 183-186.",
            doi="10.1126/science.aal4230",
            table="as quoted by Wolfe, Hiniker and Howe (2024)",
            note="in their introduction",
        )


def _ceat() -> Iterator[Finding]:
    for one in printed():
        p = f"p < {one.p[1:]}" if one.bound is not None else f"p = {one.p}"
        yield _finding(
            "ceat",
            test=one.test,
            statistic="combined effect size (CES)",
            value=one.d,
            model=one.model,
            table=f"Table {one.table} of the appendix",
            note=f"over contexts from Reddit, 1,000 samples; {p}",
        )


def _detections() -> Iterator[Finding]:
    for row in table("ceat-ibd")["row"]:
        (tp, positives), (fp, negatives) = row["tpr"], row["fpr"]
        rates = {
            "true-positive rate": tp / positives,
            "false-positive rate": fp / negatives,
            "accuracy": (tp + negatives - fp) / (positives + negatives),
        }
        for statistic, value in rates.items():
            yield _finding(
                "ceat-ibd",
                test=f"{row['target']} {row['kind'].upper()}",
                statistic=statistic,
                value=value,
                model="GloVe 840B",
                table="Figures of the main paper",
                note=f"{tp} of {positives} {LISTED} and {fp} of {negatives} others detected",
            )


def _fits() -> Iterator[Finding]:
    for row in table("rsa")["row"]:
        for number, column in ((1, "similarity1"), (2, "similarity2")):
            yield _finding(
                "rsa",
                test=row["comparison"],
                statistic=f"fit of hypothesis {number}",
                value=row[column],
                model="GloVe 6B, 300 dimensions" if row["model"] == "GloVe" else "BERT base",
                table="Table 1",
                note="mean of 100 samples; sign test p < .001 for the difference of the two fits",
            )


def _decades(test: str) -> Iterator[Finding]:
    source = table("ml-eat")["decades"]
    if test != source["test"]:
        return
    for decade, row in source["numbers"].items():
        for column, value in row.items():
            yield _finding(
                "ml-eat",
                test=test,
                statistic=_STATISTICS[column],
                value=float(value),
                model=f"HistWords, {decade}s",
                table="Text on Figure 3",
                note=f"pattern: {printed_patterns()[int(decade)]}; the variant histwords of the words",
            )

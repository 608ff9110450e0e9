"""Published findings about tests of the catalogue, to be shown next to those of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from crossroads.core.errors import CrossroadsError
from crossroads.core.report.documents.records import tests_of
from crossroads.core.stimuli import Design, catalog
from crossroads.core.wording.phrases import LISTED
from crossroads.intersections.rsa import rsa_name
from crossroads.papers.ceat import printed
from crossroads.papers.ml_eat import LEVELS, numbers, printed_patterns, row_pattern
from crossroads.papers.published import fidelity as fidelity
from crossroads.papers.published import rates, table

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
_RATES = {"tpr": "true-positive rate", "fpr": "false-positive rate", "accuracy": "accuracy"}
_Row = tuple[str, str, float, str, str, str]
"""What a table says of a finding: test, statistic, value, model, place and note."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One published number about a test."""

    test: str
    """The test, as it was requested."""
    statistic: str
    value: float
    model: str
    citation: str
    doi: str
    table: str
    """The place in the publication."""
    note: str
    """Notes for a comparison: pattern, significance, other words or procedure."""

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        return asdict(self)


def findings(names: Iterable[str]) -> dict[str, tuple[Finding, ...]]:
    """Published numbers about tests, from every table that this package holds.

    Names are those of tests of the catalogue, such as ``"weat6"``, ``"weat2:google-news"``, ``"c6"`` and
    ``"em-ef-career"``; of comparisons of geometry such as ``"black-names-female"``; and of detections such as
    ``"AF IBD"``. Only names are compared, so do not ask for your own design under a published name.

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
        yield replace(finding, test=name, note="; ".join(filter(None, notes)))
    if variant in ("", "histwords"):
        yield from (_finding(table("ml-eat"), (name, *row[1:])) for row in _decades(test))


def _twin(test: str) -> str:
    """The same test in the other series: C1 to C10 have the words of WEAT 1 to 10."""
    return f"weat{test[1:]}" if test[:1] == "c" and test[1:].isdigit() else test


def _about_words(test: str, asked: str, model: str) -> str:
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
def _known() -> dict[str, list[Finding]]:
    sources = {"ml-eat": _ml_eat, "ceat": _ceat, "ceat-ibd": _detections, "rsa": _fits}
    papers = [(table("ml-eat")["quoted"], _quoted()), *((table(name), of()) for name, of in sources.items())]
    known: dict[str, list[Finding]] = {}
    for source, rows in papers:
        for row in rows:
            known.setdefault(_twin(row[0].casefold()), []).append(_finding(source, row))
    return known


def _finding(source: Mapping[str, Any], row: _Row) -> Finding:
    test, statistic, value, model, place, note = row
    about = {"citation": source["citation"], "doi": source["doi"], "table": place, "note": note}
    return Finding(test=test, statistic=statistic, value=value, model=model, **about)


def _quoted() -> Iterator[_Row]:
    place = "as quoted by Wolfe, Hiniker and Howe (2024)"
    for test, value in table("ml-eat")["quoted"]["values"].items():
        yield test, _STATISTICS["level1"], float(value), "GloVe 840B", place, "in their introduction"


def _ml_eat() -> Iterator[_Row]:
    """Level 1 of every model that saw only words, and Level 2 of static vectors."""
    cells = {(one.table, one.test, one.column): one for one in numbers() if one.table not in _REPEATED}
    for (number, test, column), one in cells.items():
        static = one.model in _STATIC
        if column not in LEVELS or not test.startswith("weat") or not (static or column == "level1"):
            continue
        starred = cells[number, test, f"{column} star"].value > 0
        said = ["starred: p < .05 by a normal curve, one-sided" if starred else "not starred"]
        if column == "level1":
            row = {name: cells[number, test, name] for level in LEVELS for name in (level, f"{level} star")}
            said.append(f"pattern: {row_pattern(row)}")
        if not static:
            said.append('words in the prompt "This is …", last token of the top layer')
        if one.truncated:
            said.append("digits cut off, not rounded")
        yield test, _STATISTICS[column], one.value, one.model, f"Table {number}", "; ".join(said)


def _ceat() -> Iterator[_Row]:
    for one in printed():
        p = f"p < {one.p[1:]}" if one.bound is not None else f"p = {one.p}"
        place, note = f"Table {one.table} of the appendix", f"over contexts from Reddit, 1,000 samples; {p}"
        yield one.test, "combined effect size (CES)", one.d, one.model, place, note


def _detections() -> Iterator[_Row]:
    for row in table("ceat-ibd")["row"]:
        (tp, positives), (fp, negatives) = row["tpr"], row["fpr"]
        test = f"{row['target']} {row['kind'].upper()}"
        note = f"{tp} of {positives} {LISTED} and {fp} of {negatives} others detected"
        for rate, value in rates(row).items():
            yield test, _RATES[rate], value, "GloVe 840B", "Figures of the main paper", note


def _fits() -> Iterator[_Row]:
    note = "mean of 100 samples; sign test p < .001 for the difference of the two fits"
    for row in table("rsa")["row"]:
        model = "GloVe 6B, 300 dimensions" if row["model"] == "GloVe" else "BERT base"
        for number in (1, 2):
            value = row[f"similarity{number}"]
            yield row["comparison"], f"fit of hypothesis {number}", value, model, "Table 1", note


def _decades(test: str) -> Iterator[_Row]:
    source = table("ml-eat")["decades"]
    for decade, row in source["numbers"].items() if test == source["test"] else ():
        note = f"pattern: {printed_patterns()[int(decade)]}; the variant histwords of the words"
        for column, value in row.items():
            model = f"HistWords, {decade}s"
            yield test, _STATISTICS[column], float(value), model, "Text on Figure 3", note


def points() -> dict[str, dict[str, tuple[float, float]]]:
    """False and true positive rates of published detections: ``ibd`` and ``eibd`` to group to point."""
    found: dict[str, dict[str, tuple[float, float]]] = {"ibd": {}, "eibd": {}}
    for row in table("ceat-ibd")["row"]:
        found[row["kind"]][row["target"]] = rates(row)["fpr"], rates(row)["tpr"]
    return found


def findings_on(documents: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Finding, ...]]:
    """Published findings on the tests of documents, by the name that the test has there."""
    names = {shown: name for document in documents for shown, name in _tests(document)}
    return {shown: found for shown, name in names.items() if (found := findings([name])[name])}


def _tests(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Tests with the names that papers know them by; a user's design may only share such a name."""
    known = catalog().of_kind("design")
    designs = (Design.from_dict(one) for one in document["designs"])
    own = {one.name for one in designs if one.name in known and catalog(one.name).digest != one.digest}
    yield from ((name, name) for name in tests_of(document) if name not in own)
    kinds = {one["type"] for one in document["results"]}
    if "DetectionResult" in kinds:
        named = zip(document["names"], document["results"], strict=True)
        yield from ((name, name) for name, one in named if one["type"] == "DetectionResult")
    if "RsaResult" in kinds:
        groups = catalog().groups("rsa-names")
        for one in groups.comparisons:
            yield rsa_name(groups[one.group1].label, groups[one.group2].label, one.concept), one.name

"""What papers say about the tests of an audit: numbers for its page, and points for its figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crossroads.core.stimuli import Design, catalog
from crossroads.intersections.rsa import rsa_name
from crossroads.papers.findings import Finding, findings
from crossroads.papers.published import table

Points = Mapping[str, Mapping[str, tuple[float, float]]]


def published_points() -> Points:
    """False and true positive rates of published detections: ``ibd`` and ``eibd`` to group to point."""
    points: dict[str, dict[str, tuple[float, float]]] = {"ibd": {}, "eibd": {}}
    for row in table("ceat-ibd")["row"]:
        rates = (row["fpr"][0] / row["fpr"][1], row["tpr"][0] / row["tpr"][1])
        points[row["kind"]][row["target"]] = rates
    return points


def published_findings(documents: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Finding, ...]]:
    """Published findings on the tests of documents, by the name that the test has there."""
    names = {shown: name for document in documents for shown, name in _tests(document)}
    known = findings(names.values())
    return {shown: known[name] for shown, name in names.items() if known[name]}


def tests_of(document: Mapping[str, Any]) -> list[str]:
    """Every design with results in a document."""
    names = [str(one["name"]) for one in document["designs"]]
    for result in document["results"]:
        tests = result.get("tests")  # of some results their number
        inside = tests if isinstance(tests, list) else []
        found = (one.get("design") for one in (result, *inside) if isinstance(one, dict))
        names += [name for name in found if isinstance(name, str)]
    return list(dict.fromkeys(names))


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

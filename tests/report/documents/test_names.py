"""Records of one page are shown once and named apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crossroads.report import Audit
from crossroads.report.documents.names import apart, once
from crossroads.report.documents.records import Record, audit_document


@pytest.fixture
def record(audit: Audit) -> Record:
    return Record(document=audit_document(audit), place="runs/a")


def named(record: Record, model: str, place: str) -> Record:
    return replace(record, document={**record.document, "model": model}, place=place)


def test_records_of_equal_results_are_one_and_the_fuller_is_kept(record: Record) -> None:
    passed = {"passed": True, "verdicts": []}
    found, repeated = once([record, replace(record, gate=passed, place="runs/b"), record])
    assert [one.gate for one in found] == [passed]
    assert repeated == ["runs/b", "runs/a"]


def test_other_results_or_other_verdicts_are_other_records(record: Record) -> None:
    fewer = replace(record, document={**record.document, "results": record.results[:-1]})
    gates: list[dict[str, Any]] = [{"passed": passed, "verdicts": []} for passed in (True, False)]
    records = [fewer, *(replace(record, gate=gate) for gate in gates), named(record, "other", "runs/a")]
    found, repeated = once(records)
    assert found == records
    assert repeated == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # names that are apart stay as they are
        ([("m", "a"), ("n", "a")], ["m", "n"]),
        # the last part of a path suffices
        ([("m", "x/a"), ("m", "x/b")], ["m (a)", "m (b)"]),
        # or as many as are needed
        ([("m", "x/a"), ("m", "y/a"), ("m", "b")], ["m (x/a)", "m (y/a)", "m (b)"]),
        # where nothing tells them apart, numbers do
        ([("m", "a"), ("m", "a"), ("m", "")], ["m", "m (2)", "m (3)"]),
        # and no name is given that another has
        ([("m", "a"), ("m", "b"), ("m (a)", "c")], ["m (a) (2)", "m (b)", "m (a)"]),
    ],
)
def test_models_of_one_name_are_told_apart(
    record: Record, given: list[tuple[str, str]], expected: list[str]
) -> None:
    found = apart([named(record, *one) for one in given])
    assert [one.model for one in found] == expected
    assert all(one.results == record.results for one in found)

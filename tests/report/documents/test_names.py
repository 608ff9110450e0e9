"""Records of one page are shown once and named apart."""

from __future__ import annotations

from dataclasses import replace

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
    fewer = replace(record, document={**record.document, "results": record.results[:-1]})
    found, repeated = once([record, replace(record, gate=passed, place="runs/b"), record, fewer])
    assert [one.gate for one in found] == [passed, None]
    assert repeated == ["runs/b", "runs/a"]


def test_models_of_one_name_are_told_apart(record: Record) -> None:
    given = [("m", "x/a"), ("m", "y/a"), ("m", "b"), ("n", "a"), ("o", "a"), ("o", "a")]
    found = apart([named(record, *one) for one in given])
    assert [one.model for one in found] == ["m (x/a)", "m (y/a)", "m (b)", "n", "o", "o (2)"]
    assert all(one.results == record.results for one in found)

"""Records of one page are shown once and named apart."""

from __future__ import annotations

from dataclasses import replace

from crossroads.report import Audit
from crossroads.report.documents.names import apart, once
from crossroads.report.documents.records import Record, audit_document


def test_records_are_shown_once_and_models_of_one_name_are_told_apart(audit: Audit) -> None:
    record = Record(document=audit_document(audit), place="runs/a")
    passed = {"passed": True, "verdicts": []}
    fewer = replace(record, document={**record.document, "results": record.results[:-1]})
    found, repeated = once([record, replace(record, gate=passed, place="runs/b"), record, fewer])
    assert [one.gate for one in found] == [passed, None]  # the fuller is kept
    assert repeated == ["runs/b", "runs/a"]
    given = [("m", "x/a"), ("m", "y/a"), ("m", "b"), ("n", "a"), ("o", "a"), ("o", "a")]
    named = [replace(record, document={**record.document, "model": one}, place=at) for one, at in given]
    assert [one.model for one in apart(named)] == ["m (x/a)", "m (y/a)", "m (b)", "n", "o", "o (2)"]

"""Saved results of any kind, read back for a page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.errors import FormatError, InputError
from crossroads.measures import BatteryResult, RsaResult
from crossroads.report import Audit
from crossroads.report.documents.names import apart, once
from crossroads.report.documents.records import (
    Record,
    audit_document,
    joined,
    read_records,
    results_document,
)


def written(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_folder_of_several_models_brings_them_all(audit: Audit, tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        written(tmp_path / name / "results.json", {**audit_document(audit), "model": name})
    tested = audit.of(BatteryResult).values()
    written(tmp_path / "results.json", results_document(tested, model="both"))
    assert [record.model for record in read_records(tmp_path)] == ["a", "b", "both"]


def test_what_a_command_printed_is_taken_apart_by_model(audit: Audit, tmp_path: Path) -> None:
    (fit,) = audit.of(RsaResult).values()
    one, two = (json.loads(fit.to_json()) for _ in range(2))
    two["provenance"][0]["source"] = "other"
    data = {"crossroads": "0.1.0", "command": "rsa", "results": [one, two, one]}
    found = read_records(written(tmp_path / "rsa.json", data))
    assert [(record.model, len(record.results)) for record in found] == [(audit.model, 2), ("other", 1)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"results": []}', "has no results"),
        (b'{"schema": 99, "results": [{"type": "RsaResult"}]}', "with schema 99; this version reads 1"),
        (b'{"results": [{"type": "RsaResult", "schema": 9}]}', "result 0: .*schema 9"),
        (b'{"results": [{"type": "WheatResult"}]}', "(?s)unknown type of result 'WheatResult'.*WeatResult"),
        (b'{"kind": "vektors", "designs": [], "results": [{"type": "RsaResult"}]}', "unknown kind of audit"),
        (b'{"kind": [3], "designs": [], "results": [{"type": "RsaResult"}]}', "key 'kind'"),
        (b"[" * 100_000, "nested too deeply|not a JSON document"),
        (b'{"results": [{"type": NaN}]}', "a value in it cannot be read"),
        (b'{"results": [{"type": 1e400}]}', "a number in it is infinite"),
        (b"\xff\xfe\x00", "UTF-8"),
        (None, "no file or folder"),
    ],
)
def test_what_is_no_result_is_refused(content: bytes | None, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=expected):
        read_records(path)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("gate.json", b'{"verdicts": [{"rule": 1}]}', "gate.json.*no verdicts"),
        ("methods.md", b"\xff\xfe", "methods.md.*not a text in UTF-8"),
        ("vectors.npz", b"not an archive", "the archive cannot be read"),
        ("vectors.npz", None, "holds Python objects"),
    ],
)
def test_damaged_files_of_an_audit_are_refused_by_name(
    audit: Audit, tmp_path: Path, name: str, content: bytes | None, expected: str
) -> None:
    with pytest.raises(FormatError, match=r"has no results\.json"):
        read_records(tmp_path)
    written(tmp_path / "results.json", audit_document(audit))
    if content is None:  # a pickle among the vectors is not opened
        np.savez(tmp_path / name, labels=np.array([{}], dtype=object), vectors=[[1.0]])
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=f"(?s){expected}"):
        read_records(tmp_path)


def test_loose_results_join_the_audit_of_their_model(audit: Audit) -> None:
    whole = Record(document=audit_document(audit), methods="as it was")
    fits = list(audit.of(RsaResult).values())
    same = Record(document=results_document(fits))
    other = Record(document=results_document(fits, model="other"))
    found = joined([same, other, whole, whole])
    assert [one.model for one in found] == [audit.model, audit.model, "other"]
    assert (found[0].methods, found[1]) == ("as it was", whole)
    assert found[0].results == [*whole.results, *same.results]  # numbers keep their place


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

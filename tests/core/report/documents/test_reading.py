"""Saved results, read back for a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import FormatError, InputError
from crossroads.core.report.audit import Audit
from crossroads.core.report.documents.reading import read_records, records_of
from crossroads.core.report.documents.records import audit_document, results_document
from crossroads.intersections.rsa import RsaResult
from crossroads.words.measures.battery import BatteryResult


def written(path: Path, data: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_folder_of_several_models_brings_them_all(audit: Audit, tmp_path: Path) -> None:
    for name in ("b", "a"):
        written(tmp_path / name / "results.json", {**audit_document(audit), "model": name})
    tested = audit.of(BatteryResult).values()
    written(tmp_path / "results.json", results_document(tested, model="both"))
    assert [record.model for record in read_records(tmp_path)] == ["a", "b", "both"]


def test_what_commands_printed_is_put_together_by_model(audit: Audit, tmp_path: Path) -> None:
    (fit,) = audit.of(RsaResult).values()
    one, two, unnamed = (json.loads(fit.to_json()) for _ in range(3))
    two["provenance"][0]["source"] = "other"
    unnamed["provenance"] = []
    data = {"crossroads": "0.1.0", "command": "rsa", "results": [one, two], "layers": [0, 1]}
    first = written(tmp_path / "rsa.json", {**data, "skipped": {"a": "why"}})
    second = written(tmp_path / "more.json", {**data, "results": [unnamed], "also": [one], "skipped": {}})
    found, repeated = records_of([first, second, first])
    assert repeated == [str(first)]
    assert [record.results for record in found] == [[one, one, unnamed], [two]]
    assert [record.model for record in found] == [audit.model, "other"]
    assert found[0].document["skipped"] == {"a": "why"}
    assert list(found[0].unshown) == ["layers"]


def test_folders_and_files_do_not_go_on_one_page(audit: Audit, tmp_path: Path) -> None:
    (fit,) = audit.of(RsaResult).values()
    folder = written(tmp_path / "audit" / "results.json", audit_document(audit)).parent
    file = written(tmp_path / "rsa.json", json.loads(fit.to_json()))
    with pytest.raises(InputError, match=r"(?s)the folder of an audit and .*rsa\.json a file.*two pages"):
        records_of([file, folder])


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
        (b'{"results": [{"type": 1' + b"0" * 5000 + b"}]}", "cannot be read|more than 307 digits"),
        (b'{"results": [{"type": "RsaResult",', "not a JSON document"),
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
        ("methods.md", b"\xff\xfe", "methods.md.*save the file as UTF-8"),
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
        np.savez(tmp_path / name, labels=np.array([{}], dtype=object), vectors=[[1.0]], fallback=["x"])
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=f"(?s){expected}"):
        read_records(tmp_path)


def test_audits_are_shown_once_and_models_of_one_name_are_told_apart(
    audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = audit_document(audit)
    for place, model, skipped in (("x/a", "m", "1"), ("y/a", "m", "2"), ("b", "m", "3"), ("c", "n", "4")):
        written(Path(place, "results.json"), {**whole, "model": model, "skipped": {"why": skipped}})
    written(Path("again/results.json"), json.loads(Path("b/results.json").read_text(encoding="utf-8")))
    found, repeated = records_of(["x/a", "y/a/results.json", "b", "c", "again"])
    assert [one.model for one in found] == ["m (x/a)", "m (y/a)", "m (b)", "n"]
    assert repeated == ["again"]
    written(Path("again/gate.json"), {"verdicts": []})  # which the other does not have
    assert [one.model for one in records_of(["b", "again"])[0]] == ["m (b)", "m (again)"]

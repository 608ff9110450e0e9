"""``results.json``: what results share stands once, and nothing is lost by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.errors import FormatError
from crossroads.core.report.documents.records import (
    MOST_DRAWS,
    read_document,
    results_document,
    revive,
    write_document,
)
from crossroads.core.results import Result


def test_every_result_is_read_back_as_it_was(every_result: dict[str, Result], tmp_path: Path) -> None:
    document = results_document(every_result.values())
    write_document(tmp_path / "results.json", document)
    again = read_document(tmp_path / "results.json")
    assert again == document
    assert [revive(one) for one in again["results"]] == list(every_result.values())


def test_what_results_share_is_written_once_and_draws_keep_every_bit(tmp_path: Path) -> None:
    draws = [1 / (number + 3) for number in range(MOST_DRAWS + 1)]
    few, words = draws[:3], {"coverage": 7, "type": 1}
    one = {"type": "Some", "schema": 1, "coverage": {"used": ["a"]}, "effect_sizes": draws, "counts": words}
    inner = {**one, "effect_sizes": few}
    path = tmp_path / "results.json"
    write_document(path, {"results": [one, {**one, "tests": [inner], "coverage": None}]})
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["shared"]["coverage"] == [{"used": ["a"]}]
    assert [len(written["shared"][key]) for key in ("coverage", "effect_sizes")] == [1, 1]
    assert written["results"][1]["tests"][0]["effect_sizes"] == few
    assert written["results"][0]["counts"] == words
    assert read_document(path) == {"results": [one, {**one, "tests": [inner], "coverage": None}]}


@pytest.mark.parametrize(
    "shared",
    [
        [],
        {"coverage": 3},
        {"coverage": []},
        {"effect_sizes": [{"shape": [2], "float64": "AAAA"}]},
        {"effect_sizes": [{"shape": "two", "float64": "!"}]},
        {"effect_sizes": [{"shape": [1], "float64": "AAAAAAAA8H8="}]},
    ],
)
def test_damaged_tables_are_refused(shared: Any, tmp_path: Path) -> None:
    result = {"type": "Some", "schema": 1, "coverage": 0, "effect_sizes": 0}
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"results": [result], "shared": shared}), encoding="utf-8")
    with pytest.raises(FormatError, match="shared"):
        read_document(path)

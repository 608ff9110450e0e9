"""Results that earlier versions wrote are read, and nothing in them is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.report.documents.records import revive
from crossroads.results import Result, result_kinds

RENAMED = {old: new for kind in result_kinds() for old, new in kind.renamed.items()}
FILES = sorted(Path(__file__).parent.glob("*.json"))


def test_this_version_has_a_file(every_result: dict[str, Result]) -> None:
    kept = json.loads((Path(__file__).parent / f"{cr.__version__}.json").read_text(encoding="utf-8"))
    missing = {type(one).__name__ for one in every_result.values()} - {one["type"] for one in kept.values()}
    assert missing == set(), "write it: python -m tests.kept.write"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_results_of_earlier_versions_are_read_whole(path: Path) -> None:
    for name, data in json.loads(path.read_text(encoding="utf-8")).items():
        result = revive(data)  # a warning would be an error
        assert len(repr(result)) < 200
        written = result.to_dict()
        assert lost(data, written) == [], name


def lost(old: Any, new: Any, place: str = "") -> list[str]:
    """Places of what was there and is not; new fields may have come."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = {key: new.get(key, new.get(RENAMED.get(key, ""))) for key in old}
        return [one for key, value in old.items() for one in lost(value, found[key], f"{place}/{key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [one for i, (before, after) in pairs for one in lost(before, after, f"{place}/{i}")]
    return [] if old == new else [place]

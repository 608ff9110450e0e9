"""Small text files: read whole, or refused with a reason."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from crossroads.core.errors import FormatError
from crossroads.core.stimuli import read_designs
from crossroads.core.stimuli.files.text import load_json, load_toml, read_text


def test_a_file_that_the_system_does_not_give_is_said_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lists.toml"
    file.write_text("a = 1")

    def refused(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refused)  # the owner of a machine may read anything
    with pytest.raises(FormatError, match=r"cannot be read \(permission denied\)"):
        read_text(file, "a TOML file")


DEEP = 3000


def test_keys_can_be_nested_too(tmp_path: Path) -> None:
    file = tmp_path / "design.toml"
    for text in (".".join("a" * DEEP) + " = 1", f"[{'.'.join('a' * DEEP)}]"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match="nested too deeply"):
            load_toml(text, file)
        with pytest.raises(FormatError):
            read_designs(file)


def test_documents_of_usual_size_are_read_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    value = {"a": [1, 2.5, None, True, {"b": ["c", -(10**40)]}], "d": {}}
    assert load_json(json.dumps(value), file) == value
    assert load_toml('a = [1, 0xff, 1e400]\n[b.c]\nd = "e"', file) == {
        "a": [1, 255, math.inf],
        "b": {"c": {"d": "e"}},
    }
    with pytest.raises(json.JSONDecodeError):
        load_json("{", file)

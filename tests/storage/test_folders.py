"""Folders of arrays: two writers do not touch each other's work."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossroads.errors import InputError
from crossroads.storage.folders import write_folder


def test_what_another_writer_is_at_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / ".mine.writing"
    other.mkdir()
    (other / "half.npy").write_bytes(b"half")
    write_folder(tmp_path / "mine", {"a": np.ones(3)}, {}, kind="test/1")
    assert (other / "half.npy").read_bytes() == b"half"
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["a.npy", "manifest.json"]
    with pytest.raises(InputError, match="exists already"):
        write_folder(tmp_path / "mine", {"a": np.ones(3)}, {}, kind="test/1")

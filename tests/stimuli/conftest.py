"""What several tests of the stimuli need."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REFERENCES = Path(__file__).parents[1] / "references"
Reference = Callable[[str], Any]
Write = Callable[[str, str], Path]


@pytest.fixture
def reference() -> Reference:
    """Read a JSON or text file of ``tests/references``, whose README.md names the sources."""

    def load(name: str) -> Any:
        text = (REFERENCES / name).read_text(encoding="utf-8")
        return json.loads(text) if name.endswith(".json") else text

    return load


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file with the given name and text."""

    def to(name: str, text: str) -> Path:
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return file

    return to

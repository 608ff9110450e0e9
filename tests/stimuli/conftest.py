"""What several tests of the stimuli need."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REASON = "needs the project's shared data folder beside the checkout"


@pytest.fixture
def shared() -> Callable[[str], Any]:
    """Read a JSON or text file of the shared folder, or skip the test where there is none."""
    beside = Path(__file__).resolve().parents[3] / "shared"
    folder = Path(os.environ.get("CROSSROADS_SHARED", beside))

    def load(name: str) -> Any:
        file = folder / name
        if not file.is_file():
            pytest.skip(REASON)
        text = file.read_text(encoding="utf-8")
        return json.loads(text) if file.suffix == ".json" else text

    return load


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a file with the given name and text."""

    def to(name: str, text: str) -> Path:
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return file

    return to

"""Published tables, read from the package."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """A published table with its source, by the name of its file."""
    text = (resources.files("crossroads.papers") / "tables" / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)

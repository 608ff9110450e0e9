"""A panel of common words that have nothing to do with the question of a test."""

from __future__ import annotations

import functools
import importlib.resources


@functools.cache
def panel() -> tuple[str, ...]:
    """The words of the panel, the most frequent first; the file says how they were chosen."""
    data = importlib.resources.files("crossroads.stimuli.catalogue") / "data" / "panel" / "panel.txt"
    lines = data.read_text(encoding="utf-8").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())

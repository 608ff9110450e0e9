"""Groups and concepts of one's own, from TOML or JSON files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, nearest
from crossroads.stimuli.text_files import load_json, load_toml, read_text


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What a file of groups holds."""

    name: str
    """Name of the sheet: that of the file if it has none."""
    groups: Mapping[str, Any] = field(default_factory=dict)
    """Nested tables of groups down to lists of names."""
    words: tuple[str, ...] = ()
    """Candidate words."""
    truth: tuple[str, ...] = ()
    """Candidate words that are known to be associated with the target."""
    concepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Concepts by name."""


_KEYS = ("name", "groups", "words", "truth", "concepts")


def read_sheet(path: str | Path) -> Sheet:
    """Read groups, words and concepts from a TOML or JSON file.

    Keys: ``groups`` (tables within tables, down to lists of names), ``words``, ``truth`` (lists) and
    ``concepts`` (a table of lists); all but ``groups`` may be left out.
    """
    file = Path(path)
    text = read_text(file, "a TOML or JSON file")
    try:
        data = load_json(text, file) if file.suffix.lower() == ".json" else load_toml(text, file)
    except json.JSONDecodeError as error:
        raise FormatError(f"{error.msg}.", path=file, line=error.lineno) from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{error}.", path=file) from error
    if not isinstance(data, dict):
        raise FormatError(f"expected a table, found {type(data).__name__}.", path=file)
    for key in data:
        if key not in _KEYS:
            near = nearest(key, _KEYS)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(_KEYS)}."
            raise FormatError("unknown key.", path=file, key=key, hint=hint)
    if not isinstance(data.get("groups"), dict) or not data["groups"]:
        raise FormatError(
            "there are no groups.",
            path=file,
            key="groups",
            hint="give [groups.Black] with female = [...].",
        )
    concepts = data.get("concepts", {})
    if not isinstance(concepts, dict):
        raise FormatError("concepts must be a table of lists.", path=file, key="concepts")
    return Sheet(
        name=str(data.get("name", file.stem)),
        groups=data["groups"],
        words=_words(data.get("words", []), file, "words"),
        truth=_words(data.get("truth", []), file, "truth"),
        concepts={name: _words(value, file, f"concepts.{name}") for name, value in concepts.items()},
    )


def _words(value: object, file: Path, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise FormatError("expected a list of words.", path=file, key=key)
    return tuple(value)

"""Conversion of plain data from TOML and JSON files to designs.

Three forms are accepted: that of crossroads (``name``, ``x``, ``y``, ``a``, ``b`` and information about
them), that of the sentence tests of May et al. (``targ1``, ``targ2``, ``attr1``, ``attr2``, each with
``category`` and ``examples``, or a list of words as in XWEAT), and that of WEATHub, where these are either
nested or flat (``targ1.examples``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from crossroads.errors import DesignError, UnknownNameError, in_short, join_words
from crossroads.stimuli.design import ROLES, TEXT_FIELDS, Design
from crossroads.stimuli.sets import Citation, StimulusSet, word_fault

Duplicates = Literal["raise", "drop"]
"""What to do about a word that occurs twice in a set."""
ONCE = "list every word of a set once, or read it in Python with duplicates='drop'."
Path = tuple[str, ...]
"""Keys that lead to a value in a document."""

_NATIVE = ("name", *ROLES, *TEXT_FIELDS, "source", "departures", "templates")
_FOREIGN = {"x": "targ1", "y": "targ2", "a": "attr1", "b": "attr2"}
_FLAT = tuple(f"{key}.{part}" for key in _FOREIGN.values() for part in ("category", "examples"))


class PlacedError(Exception):
    """Error at a place in a document; readers of files convert it to an error that names the file."""

    def __init__(self, message: str, path: Path, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.path, self.hint = message, path, hint

    @property
    def key(self) -> str | None:
        """The keys of the path, joined by dots."""
        return ".".join(self.path) or None

    @property
    def where(self) -> str:
        """The key as the beginning of a message."""
        return "" if self.key is None else f"key {in_short(self.key)}: "


def design_from(
    data: object, *, default: str | None = None, duplicates: Duplicates = "raise", path: Path = ()
) -> Design:
    """Convert one document to a design.

    Parameters
    ----------
    data
        A mapping of one of the three forms.
    default
        The name of a design that has none.
    duplicates
        ``"raise"``, or ``"drop"`` to keep the first of equal words and note it in the departures.
    path
        Path of the document in its file.
    """
    if not isinstance(data, Mapping):
        raise PlacedError(f"a design is a table of keys, not {_kind(data)}.", path, hint=_shape_hint())
    foreign = any(str(key).partition(".")[0] in _FOREIGN.values() for key in data)
    return (_from_foreign if foreign else _from_native)(data, default, duplicates, path)


def _from_native(data: Mapping[str, Any], default: str | None, duplicates: Duplicates, path: Path) -> Design:
    _known(data, _NATIVE, path)
    fields: dict[str, Any] = {"name": _name(data, default, path)}
    departures = _strings(data, "departures", path)
    for role in ROLES:
        if data.get(role) is None:
            if role != "y":
                raise PlacedError(f"{role!r} is missing.", path, hint=_shape_hint())
            continue
        fields[role], notes = _set(data[role], role, duplicates, (*path, role))
        departures += notes
    for field in TEXT_FIELDS:
        if field in data:
            fields[field] = _text(data[field], (*path, field))
    if data.get("source") is not None:
        fields["source"] = _citation(data["source"], (*path, "source"))
    fields |= {"departures": departures, "templates": _strings(data, "templates", path)}
    try:
        return Design(**fields)
    except DesignError as error:
        raise PlacedError(error.message, (*path, "templates"), hint=error.hint) from error


def _from_foreign(data: Mapping[str, Any], default: str | None, duplicates: Duplicates, path: Path) -> Design:
    _known(data, ("name", "title", "language", "weat", *_FOREIGN.values(), *_FLAT), path)
    parts = [_text(data[key], (*path, key)) for key in ("weat", "language") if data.get(key)]
    fields: dict[str, Any] = {"name": _name(data, "-".join(parts) if data.get("weat") else default, path)}
    for key in ("title", "language"):
        if data.get(key):
            fields[key] = _text(data[key], (*path, key))
    departures: list[str] = []
    for role, key in _FOREIGN.items():
        category, examples, place = _foreign_set(data, key, path)
        if examples is None:
            if role != "y":
                raise PlacedError(
                    f"the examples of {in_short(key)} are missing.", (*place,), hint=_shape_hint()
                )
            continue
        words, notes = _words(examples, role, duplicates, place)
        fields[role] = StimulusSet(category or key, words)
        departures += notes
    return Design(**fields, departures=departures)


def _foreign_set(data: Mapping[str, Any], key: str, path: Path) -> tuple[str | None, Any, Path]:
    """The category, the examples and the place of a set that may be nested or flat."""
    if f"{key}.examples" in data:
        category = data.get(f"{key}.category")
        named = None if category is None else _text(category, (*path, f"{key}.category"))
        return named, data[f"{key}.examples"], (*path, f"{key}.examples")
    nested = data.get(key)
    if nested is None:
        return None, None, path
    if isinstance(nested, Sequence) and not isinstance(nested, str):
        return None, nested, (*path, key)
    if not isinstance(nested, Mapping):
        raise PlacedError(
            f"{in_short(key)} is {_kind(nested)}.",
            (*path, key),
            hint="give a list of words, or category and examples.",
        )
    _known(nested, ("category", "examples"), (*path, key))
    category = nested.get("category")
    named = None if category is None else _text(category, (*path, key, "category"))
    place = (*path, key, "examples") if "examples" in nested else (*path, key)
    return named, nested.get("examples"), place


def _set(value: object, role: str, duplicates: Duplicates, path: Path) -> tuple[StimulusSet, list[str]]:
    name = role
    if isinstance(value, Mapping):
        _known(value, ("name", "items"), path)
        if "name" in value:
            name = _text(value["name"], (*path, "name"))
        if "items" not in value:
            raise PlacedError("'items' is missing.", path, hint="give the words of the set as items.")
        value, path = value["items"], (*path, "items")
    words, notes = _words(value, role, duplicates, path)
    return StimulusSet(name, words), notes


def _words(value: object, role: str, duplicates: Duplicates, path: Path) -> tuple[tuple[str, ...], list[str]]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise PlacedError(
            f"the words are {_kind(value)}.", path, hint="give a list of words, not one string."
        )
    if not value:
        raise PlacedError("the list of words is empty.", path, hint="give at least one word.")
    kept: dict[str, None] = {}
    twice: dict[str, None] = {}
    for word in value:
        fault = word_fault(word)
        if fault is not None:
            raise PlacedError(
                f"{in_short(word)} {fault}.",
                path,
                hint="give every word exactly as it is looked up.",
            )
        if word in kept and duplicates == "raise":
            raise PlacedError(
                f"{in_short(word)} occurs twice in this set.",
                path,
                hint=ONCE,
            )
        (twice if word in kept else kept)[word] = None
    notes = (
        [f"{join_words(map(repr, twice))}, given more than once in {role}, is kept once."] if twice else []
    )
    return tuple(kept), notes


def _known(data: Mapping[str, Any], known: Sequence[str], path: Path) -> None:
    for key in data:
        if key not in known:
            error = UnknownNameError("key", key, known)
            raise PlacedError(error.message, (*path, str(key)), hint=error.hint)


def _name(data: Mapping[str, Any], default: str | None, path: Path) -> str:
    if data.get("name") is not None:
        return _text(data["name"], (*path, "name"))
    if default is None:
        raise PlacedError("'name' is missing.", path, hint="give every design of the file a name.")
    return default


def _text(value: object, path: Path) -> str:
    if not isinstance(value, str) or not value.strip():
        raise PlacedError(f"{in_short(value)} is not text.", path, hint="give at least one letter.")
    return value


def _strings(data: Mapping[str, Any], key: str, path: Path) -> list[str]:
    value = data.get(key)
    if value is None:
        return []
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise PlacedError(f"{key} are {_kind(value)}.", (*path, key), hint="give a list of sentences.")
    return [_text(line, (*path, key)) for line in value]


def _citation(value: object, path: Path) -> Citation:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        raise PlacedError(f"the source is {_kind(value)}.", path, hint="give text and doi.")
    _known(value, ("text", "doi"), path)
    if "text" not in value:
        raise PlacedError("the source has no 'text'.", path, hint="give text and doi.")
    text = _text(value["text"], (*path, "text"))
    try:
        return Citation(text, value.get("doi"))
    except DesignError as error:
        raise PlacedError(error.message, (*path, "doi"), hint=error.hint) from error


def _kind(value: object) -> str:
    names = {str: "one string", list: "a list", dict: "a table", bool: "a truth value", type(None): "null"}
    return names.get(type(value), f"of type {type(value).__name__}")


def _shape_hint() -> str:
    return "a design has name, x, a, b and, unless it has a single target, y."

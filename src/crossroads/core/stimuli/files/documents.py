"""Conversion of plain data from TOML and JSON files to designs.

Three forms are accepted: that of crossroads (``name``, ``x``, ``y``, ``a``, ``b`` and information about
them), that of the sentence tests of May et al. (``targ1``, ``targ2``, ``attr1``, ``attr2``, each with
``category`` and ``examples``, or a list of words as in XWEAT), and that of WEATHub, where these are either
nested or flat (``targ1.examples``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from crossroads.core.errors import DesignError, UnknownNameError, in_short, join_words
from crossroads.core.stimuli.design import ROLES, TEXT_FIELDS, Design
from crossroads.core.stimuli.sets import Citation, StimulusSet, word_fault

Duplicates = Literal["raise", "drop"]
"""What to do about a word that occurs twice in a set."""
ONCE = "list every word of a set once, or read it in Python with duplicates='drop'."
Path = tuple[str, ...]
"""Keys that lead to a value in a document."""

_NATIVE = ("name", *ROLES, *TEXT_FIELDS, "source", "departures", "templates")
_FOREIGN = {"x": "targ1", "y": "targ2", "a": "attr1", "b": "attr2"}
_FLAT = tuple(f"{key}.{part}" for key in _FOREIGN.values() for part in ("category", "examples"))
_FOREIGN_KEYS = ("name", "title", "language", "weat", *_FOREIGN.values(), *_FLAT)
_SHAPE = "a design has name, x, a, b and, unless it has a single target, y."


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
    """Convert a document of one of the three forms, at a path of its file, to a design.

    A design without a name gets the default one. If equal words are dropped, the departures say so.
    """
    if not isinstance(data, Mapping):
        raise PlacedError(f"a design is a table of keys, not {_kind(data)}.", path, hint=_SHAPE)
    foreign = any(str(key).partition(".")[0] in _FOREIGN.values() for key in data)
    _known(data, _FOREIGN_KEYS if foreign else _NATIVE, path)
    if foreign and data.get("weat"):
        default = "-".join(_text(data[key], (*path, key)) for key in ("weat", "language") if data.get(key))
    fields: dict[str, Any] = {"name": _name(data, default, path)}
    departures = _strings(data, "departures", path)
    for role in ROLES:
        name, listed, place = (_foreign_set if foreign else _native_set)(data, role, path)
        if listed is not None:
            words, notes = _words(listed, role, duplicates, place)
            fields[role] = StimulusSet(name, words)
            departures += notes
        elif role != "y":
            what = f"the examples of {in_short(_FOREIGN[role])} are" if foreign else f"{role!r} is"
            raise PlacedError(f"{what} missing.", place, hint=_SHAPE)
    for field in TEXT_FIELDS:
        if field in data and not (foreign and not data[field]):
            fields[field] = _text(data[field], (*path, field))
    if data.get("source") is not None:
        fields["source"] = _citation(data["source"], (*path, "source"))
    fields |= {"departures": departures, "templates": _strings(data, "templates", path)}
    try:
        return Design(**fields)
    except DesignError as error:
        raise PlacedError(error.message, (*path, "templates"), hint=error.hint) from error


def _native_set(data: Mapping[str, Any], role: str, path: Path) -> tuple[str, Any, Path]:
    """The name, the words and the place of a set; no words if there is no such set."""
    value, place = data.get(role), (*path, role)
    if value is None:
        return role, None, path
    if not isinstance(value, Mapping):
        return role, value, place
    _known(value, ("name", "items"), place)
    if value.get("items") is None:
        raise PlacedError("'items' is missing.", place, hint="give the words of the set as items.")
    name = _text(value["name"], (*place, "name")) if "name" in value else role
    return name, value["items"], (*place, "items")


def _foreign_set(data: Mapping[str, Any], role: str, path: Path) -> tuple[str, Any, Path]:
    """The same of a set that may be nested or flat; without a category its key is the name."""
    key = _FOREIGN[role]
    nested, place = data.get(key), (*path, key)
    if f"{key}.examples" in data:
        parts = {part: data.get(f"{key}.{part}") for part in ("category", "examples")}
        places = {part: (*path, f"{key}.{part}") for part in parts}
    elif isinstance(nested, Mapping):
        _known(nested, ("category", "examples"), place)
        parts = {part: nested.get(part) for part in ("category", "examples")}
        places = {"category": (*place, "category"), "examples": (*place, "examples")}
        if "examples" not in nested:
            places["examples"] = place
    elif nested is None or (isinstance(nested, Sequence) and not isinstance(nested, str)):
        return key, nested, path if nested is None else place
    else:
        hint = "give a list of words, or category and examples."
        raise PlacedError(f"{in_short(key)} is {_kind(nested)}.", place, hint=hint)
    name = key if parts["category"] is None else _text(parts["category"], places["category"])
    return name or key, parts["examples"], places["examples"]


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

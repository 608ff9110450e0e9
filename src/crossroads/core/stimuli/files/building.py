"""Designs from the plain data of a file, with the place of what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from crossroads.core.errors import DesignError, FormatError, UnknownNameError, in_short, join_words
from crossroads.core.stimuli.design import ROLES, TEXT_FIELDS, Design
from crossroads.core.stimuli.sets import Citation, StimulusSet, word_fault

Duplicates = Literal["raise", "drop"]
"""What to do about a word that occurs twice in a set."""


Keys = tuple[str, ...]
"""Keys that lead to a value in a document."""


ONCE = "list every word of a set once, or read it in Python with duplicates='drop'."


_SHAPE = "a design has name, x, a, b and, unless it has a single target, y."


_NATIVE = ("name", *ROLES, *TEXT_FIELDS, "source", "departures", "templates")


FOREIGN = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}
"""Sets under the names of sent-bias, XWEAT and WEATHub."""


_KEY_OF = {role: key for key, role in FOREIGN.items()}


_FLAT = tuple(f"{key}.{part}" for key in FOREIGN for part in ("category", "examples"))


_FOREIGN_KEYS = ("name", "title", "language", "weat", *FOREIGN, *_FLAT)


class PlacedError(Exception):
    """Error at a place in a document; readers of files convert it to an error that names the file."""

    def __init__(self, message: str, path: Keys, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.key, self.hint = message, ".".join(path) or None, hint

    def at(self, file: Path | None, line: int | None = None) -> FormatError:
        """The error with the file and the line."""
        return FormatError(self.message, path=file, line=line, key=self.key, hint=self.hint)


def design_from(
    data: object, *, default: str | None = None, duplicates: Duplicates = "raise", path: Keys = ()
) -> Design:
    """Convert a document of one of the three forms, at a path of its file, to a design.

    A design without a name gets the default one. If equal words are dropped, the departures say so.
    """
    if not isinstance(data, Mapping):
        raise PlacedError(f"a design is a table of keys, not {_kind(data)}.", path, hint=_SHAPE)
    foreign = any(str(key).partition(".")[0] in _KEY_OF.values() for key in data)
    _known(data, _FOREIGN_KEYS if foreign else _NATIVE, path)
    if foreign and data.get("weat"):
        default = "-".join(_text(data[key], (*path, key)) for key in ("weat", "language") if data.get(key))
    if data.get("name") is not None:
        default = _text(data["name"], (*path, "name"))
    if default is None:
        raise PlacedError("'name' is missing.", path, hint="give every design of the file a name.")
    fields: dict[str, Any] = {"name": default}
    departures = _strings(data, "departures", path)
    for role in ROLES:
        name, listed, place = (_foreign_set if foreign else _native_set)(data, role, path)
        if listed is not None:
            words, notes = _words(listed, role, duplicates, place)
            fields[role] = StimulusSet(name, words)
            departures += notes
        elif role != "y":
            what = f"the examples of {in_short(_KEY_OF[role])} are" if foreign else f"{role!r} is"
            raise PlacedError(f"{what} missing.", place, hint=_SHAPE)
    for key in TEXT_FIELDS:
        if key in data and not (foreign and not data[key]):
            fields[key] = _text(data[key], (*path, key))
    if data.get("source") is not None:
        fields["source"] = _citation(data["source"], (*path, "source"))
    fields |= {"departures": departures, "templates": _strings(data, "templates", path)}
    try:
        return Design(**fields)
    except DesignError as error:
        raise PlacedError(error.message, (*path, "templates"), hint=error.hint) from error


def _native_set(data: Mapping[str, Any], role: str, path: Keys) -> tuple[str, Any, Keys]:
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


def _foreign_set(data: Mapping[str, Any], role: str, path: Keys) -> tuple[str, Any, Keys]:
    """The same of a set that may be nested or flat; without a category its key is the name."""
    key = _KEY_OF[role]
    nested, place = data.get(key), (*path, key)
    if f"{key}.examples" in data:
        category, examples = data.get(f"{key}.category"), data[f"{key}.examples"]
        of_category, of_examples = (*path, f"{key}.category"), (*path, f"{key}.examples")
    elif isinstance(nested, Mapping):
        _known(nested, ("category", "examples"), place)
        category, examples = nested.get("category"), nested.get("examples")
        of_category = (*place, "category")
        of_examples = (*place, "examples") if "examples" in nested else place
    elif nested is None or (isinstance(nested, Sequence) and not isinstance(nested, str)):
        return key, nested, path if nested is None else place
    else:
        hint = "give a list of words, or category and examples."
        raise PlacedError(f"{in_short(key)} is {_kind(nested)}.", place, hint=hint)
    return key if category is None else _text(category, of_category), examples, of_examples


def _words(value: object, role: str, duplicates: Duplicates, path: Keys) -> tuple[tuple[str, ...], list[str]]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        hint = "give a list of words, not one string."
        raise PlacedError(f"the words are {_kind(value)}.", path, hint=hint)
    if not value:
        raise PlacedError("the list of words is empty.", path, hint="give at least one word.")
    words: dict[str, None] = {}
    twice: dict[str, None] = {}
    for word in value:
        if (fault := word_fault(word)) is not None:
            hint = "give every word exactly as it is looked up."
            raise PlacedError(f"{in_short(word)} {fault}.", path, hint=hint)
        if word in words and duplicates == "raise":
            raise PlacedError(f"{in_short(word)} occurs twice in this set.", path, hint=ONCE)
        (twice if word in words else words)[word] = None
    note = f"{join_words(map(repr, twice))}, given more than once in {role}, is kept once."
    return tuple(words), [note] if twice else []


def _known(data: Mapping[str, Any], known: Sequence[str], path: Keys) -> None:
    for key in data:
        if key not in known:
            error = UnknownNameError("key", key, known)
            raise PlacedError(error.message, (*path, str(key)), hint=error.hint)


def _text(value: object, path: Keys) -> str:
    if not isinstance(value, str) or not value.strip():
        raise PlacedError(f"{in_short(value)} is not text.", path, hint="give at least one letter.")
    return value


def _strings(data: Mapping[str, Any], key: str, path: Keys) -> list[str]:
    value = data.get(key)
    if value is None:
        return []
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise PlacedError(f"{key} are {_kind(value)}.", (*path, key), hint="give a list of sentences.")
    return [_text(line, (*path, key)) for line in value]


def _citation(value: object, path: Keys) -> Citation:
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

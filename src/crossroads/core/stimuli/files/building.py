"""Designs from the plain data of a file, with the place of what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from crossroads.core.errors import DesignError, UnknownNameError, in_short, join_words
from crossroads.core.stimuli.design import ROLES, TEXT_FIELDS, Design
from crossroads.core.stimuli.files.text import Place
from crossroads.core.stimuli.sets import Citation, StimulusSet, word_fault

Duplicates = Literal["raise", "drop"]
"""What to do about a word that occurs twice in a set."""


ONCE = "list every word of a set once, or read it in Python with duplicates='drop'."

_SHAPE = "a design has name, x, a, b and, unless it has a single target, y."

_NATIVE = ("name", *ROLES, *TEXT_FIELDS, "source", "departures", "templates")

FOREIGN = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}
"""Sets under the names of sent-bias, XWEAT and WEATHub."""

_KEY_OF = {role: key for key, role in FOREIGN.items()}

_FLAT = tuple(f"{key}.{part}" for key in FOREIGN for part in ("category", "examples"))

_FOREIGN_KEYS = ("name", "title", "language", "weat", *FOREIGN, *_FLAT)


def design_from(
    data: object, place: Place, *, default: str | None = None, duplicates: Duplicates = "raise"
) -> Design:
    """Convert a document of one of the three forms to a design; errors name its place.

    A design without a name gets the default one. If equal words are dropped, the departures say so.
    """
    if not isinstance(data, Mapping):
        raise place.error(f"a design is a table of keys, not {_kind(data)}.", _SHAPE)
    foreign = any(str(key).partition(".")[0] in FOREIGN for key in data)
    _known(data, _FOREIGN_KEYS if foreign else _NATIVE, place)
    if foreign and data.get("weat"):
        default = "-".join(_text(data[key], place.at(key)) for key in ("weat", "language") if data.get(key))
    if data.get("name") is not None:
        default = _text(data["name"], place.at("name"))
    if default is None:
        raise place.error("'name' is missing.", "give every design of the file a name.")
    fields: dict[str, Any] = {"name": default}
    departures = _strings(data, "departures", place)
    for role in ROLES:
        key, parts = (_KEY_OF[role], ("category", "examples")) if foreign else (role, ("name", "items"))
        name, listed, where = _set(data, key, parts, place)
        if listed is not None:
            words, notes = _words(listed, role, duplicates, where)
            fields[role] = StimulusSet(name, words)
            departures += notes
        elif role != "y":
            raise place.error(f"{key!r} is missing.", _SHAPE)
    for key in TEXT_FIELDS:
        if key in data and not (foreign and not data[key]):
            fields[key] = _text(data[key], place.at(key))
    if data.get("source") is not None:
        fields["source"] = _citation(data["source"], place.at("source"))
    fields |= {"departures": departures, "templates": _strings(data, "templates", place)}
    try:
        return Design(**fields)
    except DesignError as error:
        raise place.at("templates").error(error.message, error.hint) from error


def _set(data: Mapping[str, Any], key: str, parts: tuple[str, str], place: Place) -> tuple[str, Any, Place]:
    """The name, the words and the place of a set; no words if there is no such set.

    It is a list of words, or a table of its parts, the name and the words, which may be written flat.
    """
    name, items = parts
    value, place = data.get(key), place.at(key)
    if flat := {part: data[f"{key}.{part}"] for part in parts if data.get(f"{key}.{part}") is not None}:
        value = {items: value, **flat}
    if not isinstance(value, Mapping):
        return key, value, place
    _known(value, parts, place)
    if value.get(items) is None:
        raise place.error(f"the {items} of {key!r} are missing.", f"give its words as {items}.")
    called = value.get(name)
    return key if called is None else _text(called, place.at(name)), value[items], place.at(items)


def _words(
    value: object, role: str, duplicates: Duplicates, place: Place
) -> tuple[tuple[str, ...], list[str]]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise place.error(f"the words are {_kind(value)}.", "give a list of words, not one string.")
    if not value:
        raise place.error("the list of words is empty.", "give at least one word.")
    words: dict[str, None] = {}
    twice: dict[str, None] = {}
    for word in value:
        if (fault := word_fault(word)) is not None:
            raise place.error(f"{in_short(word)} {fault}.", "give every word exactly as it is looked up.")
        if word in words and duplicates == "raise":
            raise place.error(f"{in_short(word)} occurs twice in this set.", ONCE)
        (twice if word in words else words)[word] = None
    note = f"{join_words(map(repr, twice))}, given more than once in {role}, is kept once."
    return tuple(words), [note] if twice else []


def _known(data: Mapping[str, Any], known: Sequence[str], place: Place) -> None:
    for key in data:
        if key not in known:
            error = UnknownNameError("key", key, known)
            raise place.at(str(key)).error(error.message, error.hint)


def _text(value: object, place: Place) -> str:
    if not isinstance(value, str) or not value.strip():
        raise place.error(f"{in_short(value)} is not text.", "give at least one letter.")
    return value


def _strings(data: Mapping[str, Any], key: str, place: Place) -> list[str]:
    value, place = data.get(key), place.at(key)
    if value is None:
        return []
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise place.error(f"{key} are {_kind(value)}.", "give a list of sentences.")
    return [_text(line, place) for line in value]


def _citation(value: object, place: Place) -> Citation:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        raise place.error(f"the source is {_kind(value)}.", "give text and doi.")
    _known(value, ("text", "doi"), place)
    if "text" not in value:
        raise place.error("the source has no 'text'.", "give text and doi.")
    text = _text(value["text"], place.at("text"))
    try:
        return Citation(text, value.get("doi"))
    except DesignError as error:
        raise place.at("doi").error(error.message, error.hint) from error


def _kind(value: object) -> str:
    names = {str: "one string", list: "a list", dict: "a table", bool: "a truth value", type(None): "null"}
    return names.get(type(value), f"of type {type(value).__name__}")

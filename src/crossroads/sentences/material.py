"""Users' files of sentence pairs and triples, with columns as in the published files.

==========  =============================================================================================
pairs       ``sent_more`` and ``sent_less`` (which stereotypes more, and less), optionally
            ``stereo_antistereo`` and ``bias_type``, as in CrowS-Pairs
triples     ``stereotype``, ``anti-stereotype`` and ``unrelated``, optionally ``target``, ``bias_type`` and
            ``context``, with BLANK in the place of the words that differ; or the nested JSON of StereoSet,
            whose ``intrasentence`` part is read
==========  =============================================================================================

CSV (or TSV), JSON (a list of objects) and JSON Lines hold the same columns; further ones are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from crossroads.core.errors import FormatError, InputError, in_short, join_words, nearest
from crossroads.core.stimuli.files.text import Place, load_json, read_text, table_rows

Kind = Literal["pairs", "triples"]
"""Two sentences of which one stereotypes more; or a stereotype, an anti-stereotype and an unrelated one."""
ROLES: Mapping[str, tuple[str, ...]] = {
    "pairs": ("sent_more", "sent_less"),
    "triples": ("stereotype", "anti-stereotype", "unrelated"),
}
"""Columns of the sentences, by kind."""
DIRECTIONS = ("stereo", "antistereo")
_CODED: Mapping[str, str] = {"0": "stereo", "1": "antistereo"}  # as the hub's copy of CrowS-Pairs writes them
_GOLD = ("anti-stereotype", "stereotype", "unrelated")  # in the order of the numbers in the hub's StereoSet
_CATEGORY, _DIRECTION = "bias_type", "stereo_antistereo"
_JSON = (".json", ".jsonl", ".ndjson")
_HINT = (
    "pairs have the columns sent_more and sent_less, triples stereotype, anti-stereotype and unrelated; "
    "bias_type, stereo_antistereo and target are optional."
)


@dataclass(frozen=True, kw_only=True)
class SentenceItem:
    """Sentences that are compared with each other."""

    sentences: tuple[str, ...]
    """Of a pair the one that stereotypes more, then the other; of a triple the stereotype, the
    anti-stereotype and the unrelated one."""
    category: str = ""
    """What the stereotype is about, such as ``gender``; empty where the file does not say."""
    direction: str = ""
    """Of a pair: ``stereo`` where the first sentence states a stereotype of a disadvantaged group,
    ``antistereo`` where the second contradicts one; empty where the file does not say."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Further columns of the file."""


@dataclass(frozen=True, kw_only=True)
class SentenceItems:
    """Pairs or triples of sentences, in the order of their file, and its name without the ending."""

    name: str
    kind: Kind
    items: tuple[SentenceItem, ...]


def sentence_items(given: object) -> SentenceItems:
    """Pairs or triples from a file, or from rows: mappings of columns to values."""
    if isinstance(given, SentenceItems):
        return given
    if isinstance(given, str | Path):
        path = Path(given)
        return _items(_rows(path), path.name.partition(".")[0], path)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise InputError(
            f"the sentences are {in_short(given)}.", hint="give a file, or a list of mappings of columns."
        )
    rows = list(enumerate(given, start=1))
    for at, row in rows:
        if not isinstance(row, Mapping):
            raise InputError(f"row {at} is {in_short(row)}.", hint=_HINT)
    return _items(((Place(None, at), row) for at, row in rows), "sentences", None)


_Rows = Iterable[tuple[Place, Mapping[str, Any]]]


def _rows(path: Path) -> _Rows:
    """Rows of a file with the line or the number of each."""
    text = read_text(path, "a CSV, JSON or JSONL file of sentences")
    ending = path.suffix.casefold()
    if ending not in _JSON:
        yield from _cells(text, path)
        return
    if ending == ".json":
        rows = list(enumerate(_listed(_parsed(text, Place(path)), path), start=1))
    else:
        lines = enumerate(text.split("\n"), start=1)
        rows = [(line, _parsed(part, Place(path, line))) for line, part in lines if part.strip()]
    for at, row in rows:
        if not isinstance(row, Mapping):
            raise Place(path, at).error(f"the row is {in_short(row)}.", _HINT)
        yield Place(path, at), row


def _parsed(text: str, place: Place) -> Any:
    try:
        return load_json(text, place.path or "")
    except json.JSONDecodeError as error:
        where = Place(place.path, place.line or error.lineno)
        raise where.error(f"it is not JSON: {error.msg}.", _HINT) from error


def _listed(document: Any, path: Path) -> list[Any]:
    """Rows of a JSON document: a list of objects, or StereoSet's own nesting."""
    if isinstance(document, Mapping) and isinstance(document.get("data"), Mapping | list):
        document = document["data"]
    within = ""
    if isinstance(document, Mapping):
        within = " It has intersentence items only." if "intersentence" in document else ""
        document = document.get("intrasentence")
    if not isinstance(document, list):
        raise FormatError(f"it holds no list of rows.{within}", path=path, hint=_HINT)
    return document


def _cells(text: str, path: Path) -> _Rows:
    rows = table_rows(text, path, max(",;\t", key=text.partition("\n")[0].count))
    place, heads = next(rows, (Place(path), []))
    heads = [head.strip() for head in heads]
    twice = [head for at, head in enumerate(heads) if head and head in heads[:at]]
    if twice:
        raise place.error(f"the column {in_short(twice[0])} is there twice.", "leave one of them out.")
    for place, cells in rows:
        if len(cells) != len(heads):
            raise place.error(f"the row has {len(cells)} cells under {len(heads)} columns.")
        yield place, dict(zip(heads, cells, strict=True))


def _items(rows: _Rows, name: str, path: Path | None) -> SentenceItems:
    """Items of rows, which all have the columns of the first."""
    kind: Kind | None = None
    items = []
    for place, row in rows:
        flat = _flattened(row, place)
        kind = kind or _kind(flat, place)
        items.append(_item(flat, kind, place))
    if kind is None:
        raise FormatError("there are no sentences.", path=path, hint=_HINT)
    return SentenceItems(name=name, kind=kind, items=tuple(items))


def _flattened(row: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """A row by the names of its columns; StereoSet's sentences as columns of their own."""
    flat = {str(key).strip().casefold().replace("anti_stereo", "anti-stereo"): row[key] for key in row}
    given = flat.pop("sentences", None)
    if given is None:
        return flat
    if isinstance(given, Mapping):  # as the hub's copy has them: a list for each field
        lists = [given.get(key) for key in ("sentence", "gold_label")]
        given = [
            {"sentence": text, "gold_label": label}
            for text, label in zip(*(one if isinstance(one, list) else [] for one in lists), strict=False)
        ]
    labelled = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    labels = [_label(one.get("gold_label")) for one in labelled]
    if sorted(labels) != sorted(_GOLD):
        shown = join_words(map(in_short, labels), most=6) or "none"
        hint = f"give one sentence for each of {join_words(_GOLD)}."
        raise place.error(f"the gold labels of its sentences are {shown}.", hint, key="sentences")
    return {**flat, **dict(zip(labels, (one.get("sentence") for one in labelled), strict=True))}


def _label(value: Any) -> str:
    """A gold label; the hub's copy of StereoSet has numbers."""
    return _GOLD[value] if type(value) is int and 0 <= value < len(_GOLD) else str(value)


def _kind(row: Mapping[str, Any], place: Place) -> Kind:
    for kind in ("pairs", "triples"):
        if all(role in row for role in ROLES[kind]):
            return kind
    every = [role for roles in ROLES.values() for role in roles]
    kind = "triples" if any(role in row for role in ROLES["triples"]) else "pairs"
    lacking = next(role for role in ROLES[kind] if role not in row)
    near = nearest(lacking, [key for key in row if key not in every], n=1)
    hint = f"is {near[0]!r} that column? {_HINT}" if near else _HINT
    shown = join_words(map(in_short, row), most=8)
    path = place.path  # in tables the line at fault is that of the names
    if path is not None and Path(path).suffix.casefold() not in _JSON:
        place = Place(path, 1)
    raise place.error(f"there is no column {lacking!r} among {shown}.", hint)


def _item(row: Mapping[str, Any], kind: str, place: Place) -> SentenceItem:
    sentences = []
    for role in ROLES[kind]:
        text = row.get(role)
        if not isinstance(text, str) or not text.strip():
            wrong = "is missing" if role not in row else f"is {in_short(text)}, not a sentence"
            raise place.error(f"{role} {wrong}.", "give every row all of its sentences.")
        sentences.append(text.strip())
    apart = ("", *ROLES[kind], _CATEGORY, _DIRECTION)
    more = {key: row[key] for key in row if key not in apart and isinstance(row[key], str | int | float)}
    return SentenceItem(
        sentences=tuple(sentences),
        category=_text(row.get(_CATEGORY)),
        direction=_direction(row.get(_DIRECTION), place) if kind == "pairs" else "",
        columns={key: str(value) for key, value in more.items() if not isinstance(value, bool)},
    )


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _direction(value: Any, place: Place) -> str:
    text = _text(value).casefold()
    found = _CODED.get(text, text)
    if found and found not in DIRECTIONS:
        near = nearest(found, DIRECTIONS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"directions are {join_words(DIRECTIONS)}."
        raise place.error(f"the direction is {in_short(value)}.", hint, key=_DIRECTION)
    return found

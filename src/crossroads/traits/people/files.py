"""Files of human judgements, and the names of groups and traits in them."""

from __future__ import annotations

import csv
import difflib
import json
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    CrossroadsWarning,
    FormatError,
    UnknownNameError,
    in_short,
    join_words,
    nearest,
    one_of,
)
from crossroads.core.evidence.embeddings import Provenance
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.stimuli import catalog
from crossroads.core.stimuli.files.text import from_cell, load_json, read_text, table_errors
from crossroads.traits.people.evidence import HIGH, LOW, Judgements

Floats = NDArray[np.float64]
GROUPS, TRAITS = "abc-groups", "abc-traits"
_SPELLINGS = {"egoistic": "egotistic", "dominating": "dominant"}
_SLIP = 0.8
"""Similarity from which one name of a group may be a misspelling of another."""
_BETWEEN = frozenset({"to", "vs", "versus"})
MEANS_FILE = "Aggregated_scores.json"
"""The published file of means, which is looked for next to a file of single answers with copied columns."""
Naming = Literal["catalogue", "own"]
_FEWEST = 4
"""Fewest people for whom equal columns count as copies; with fewer they may be equal by chance."""


class TraitName(NamedTuple):
    """A pair of traits, and whether its ends were written in reverse order."""

    name: str
    reversed: bool


def _key(name: str) -> str:
    """Letters and digits of any script, in lower case, with nothing between them."""
    words = [_SPELLINGS.get(word, word) for word in re.findall(r"[^\W_]+", name.casefold())]
    return "".join(word for word in words if word not in _BETWEEN)


@cache
def _groups() -> dict[str, str]:
    groups = catalog().groups(GROUPS).members
    # the name of a group takes precedence over any form of another
    table = {_key(group.name): group.name for group in reversed(groups)}
    for group in groups:
        # the published tables write both "Christians" and "Christian people"
        people = (f"{group.name} people", f"{group.name} person")
        for form in (group.label, group.human_label or group.name, *group.forms.values(), *people):
            table.setdefault(_key(form), group.name)
    return table


@cache
def _traits() -> dict[str, TraitName]:
    table: dict[str, TraitName] = {}
    for pair in catalog().traits(TRAITS):
        for left, right, turned in ((pair.left, pair.right, False), (pair.right, pair.left, True)):
            table[_key(f"{left} {right}")] = TraitName(pair.name, turned)
    return table


def group_name(name: str) -> str:
    """The catalogue's name of a social group, for any of its forms; other groups keep their name."""
    stripped = " ".join(name.split())
    return _groups().get(_key(stripped), stripped)


def trait_name(name: str) -> TraitName:
    """The catalogue's name of a pair of traits, however its ends are joined."""
    table = _traits()
    if (key := _key(name)) in table:
        return table[key]
    hint = "give both ends of a pair of catalog('abc-traits'), such as 'powerless-powerful'."
    if near := nearest(key, table):
        hint = f"did you mean {table[near[0]].name!r}?"
    raise UnknownNameError("trait", name, dict.fromkeys(pair.name for pair in table.values()), hint=hint)


def own_trait(name: str) -> TraitName:
    """The name of a trait: that of the catalogue if it has one, otherwise as it is written."""
    return _traits().get(_key(name)) or TraitName(" ".join(name.split()), False)


def near_group(name: str, known: Iterable[str]) -> str | None:
    """The known group of which a name may be a misspelling; None if none is close."""
    table = {other.casefold(): other for other in known}
    found = difflib.get_close_matches(name.casefold(), table, n=1, cutoff=_SLIP)
    return table[found[0]] if found else None


def read_judgements(
    path: str | Path, *, means: str | Path | None = None, names: Naming = "catalogue"
) -> Judgements:
    r"""Read human judgements of groups.

    The two files of Cao et al. (2022) can be read, group → trait → mean and annotator → group → trait →
    rating, and CSV tables: ``group,trait,score[,annotator]``, or ``group[,annotator],<trait>,<trait>…``.
    Groups and traits get the names of the catalogue (``abc-groups``, ``abc-traits``); pairs written in
    reverse order are reversed. Other groups keep their name.

    Parameters
    ----------
    path
        A JSON or CSV file.
    means
        A file of means over all annotators, for cells where the single answers cannot be trusted.
    names
        ``"catalogue"``: every trait must be one of the catalogue; ``"own"``: other traits keep their name.

    Notes
    -----
    In the published file of single answers, two columns of the group *women* are copies of a third. Equal
    columns of four or more people are looked for in any file. The column whose mean agrees with ``means`` is
    kept; the others lose their single answers and take the mean from there. Without ``means``, the published
    file of means is used if it is in the same folder, or all equal columns are left out, with a warning.

    Examples
    --------
    >>> from pathlib import Path
    >>> import crossroads as cr
    >>> table = "group,trait,score,annotator\nnurses,cold-warm,80,ann\nnurses,cold-warm,90,ben\n"
    >>> _ = Path("people.csv").write_text(table)
    >>> people = cr.traits.read_judgements("people.csv")
    >>> people.annotators, people.to_dict()
    (('ann', 'ben'), {'nurses': {'cold-warm': 85.0}})
    """
    file = Path(path)
    naming = trait_name if one_of("naming", names, Naming) == "catalogue" else own_trait
    table = _table(file, naming)
    copies = _copies(table) if table.annotators else {}
    if not copies:
        return table
    other = file.with_name(MEANS_FILE) if means is None else Path(means)
    known = means is not None or (other != file and other.is_file())
    return _repaired(table, copies, _table(other, naming) if known else None)


def read_demographics(path: str | Path) -> dict[str, dict[str, str]]:
    """Read a CSV file about annotators: a column ``annotator``, and any others, such as ``gender``."""
    file = Path(path)
    with table_errors(file):
        rows = csv.DictReader(read_table(file)[0].splitlines(), skipinitialspace=True)
        lines = [(rows.line_num, row) for row in rows]
    names = [name.strip().casefold() for name in rows.fieldnames or []]
    if "annotator" not in names or len(names) < 2:
        hint = "give a column 'annotator' and one or more others, such as gender."
        raise FormatError(f"the first line reads {', '.join(names)}.", path=file, line=1, hint=hint)
    found: dict[str, dict[str, str]] = {}
    for line, row in lines:
        if None in row or None in row.values():
            raise FormatError("the cells do not match the header.", path=file, line=line)
        about = {name.strip().casefold(): value.strip() for name, value in row.items()}
        who = about.pop("annotator")
        if not who or who in found:
            raise FormatError(f"the annotator {in_short(who)} occurs twice.", path=file, line=line)
        found[who] = about
    return found


def _table(file: Path, naming: Callable[[str], TraitName]) -> Judgements:
    """The numbers of a file as a table."""
    ratings = ratings_of(file)
    singles = {rating.annotator is not None for rating in ratings}
    if len(singles) > 1:
        raise FormatError("some scores have an annotator and some have none.", path=file)
    spelled: dict[str, str] = {}
    cells: dict[tuple[str | None, str, str], float] = {}
    for rating in ratings:
        at: Any = {"path": file, "line": rating.line}
        try:
            pair = naming(rating.trait)
        except UnknownNameError as error:
            hint = f"{error.hint} Set names in read_judgements, or -C own_traits, to keep your own traits."
            raise FormatError(error.message, **at, key=rating.trait, hint=hint) from error
        group = group_name(rating.group)
        spelled[rating.group] = group
        spelled[rating.trait] = f"{pair.name}, turned" if pair.reversed else pair.name
        place = (rating.annotator, group, pair.name)
        if place in cells:
            raise FormatError(f"{rating.group} is rated twice on {rating.trait}.", **at)
        score = np.nan if rating.score is None else rating.score
        if score < LOW or score > HIGH:
            raise FormatError(
                f"{rating.group}, {rating.trait}: the score is {score:g}.",
                **at,
                hint="the scale runs from 0 (left adjective) to 100 (right adjective); rescale others to it.",
            )
        cells[place] = HIGH - score if pair.reversed else score
    groups = tuple(dict.fromkeys(group for _, group, _ in cells))
    named = dict.fromkeys(trait for _, _, trait in cells)
    known = [pair.name for pair in catalog().traits(TRAITS)]
    traits = (*(name for name in known if name in named), *(name for name in named if name not in known))
    people = tuple(dict.fromkeys(who for who, _, _ in cells))
    table = np.array(
        [[[cells.get((who, group, trait), np.nan) for trait in traits] for group in groups] for who in people]
    )
    single = people != (None,)
    return Judgements(
        groups=groups,
        traits=traits,
        annotators=tuple(who for who in people if who is not None),
        ratings=table if single else table[:0],
        given=np.full(table.shape[1:], np.nan) if single else table[0],
        respelled={written: name for written, name in spelled.items() if written != name},
        provenance=Provenance(
            source=recorded_path(file), format=f"judgements, {file.suffix[1:].lower() or 'text'}"
        ),
    )


def _copies(table: Judgements) -> dict[int, list[list[int]]]:
    """Traits of a group with the same rating by every annotator: group to sets of such traits."""
    found: dict[int, list[list[int]]] = {}
    for g in range(len(table.groups)):
        rows = table.ratings[:, g]
        rows = rows[~np.isnan(rows).any(axis=1)]
        if len(rows) < _FEWEST:
            continue
        alike: dict[bytes, list[int]] = {}
        for t in np.flatnonzero(np.ptp(rows, axis=0) > 0).tolist():
            alike.setdefault(rows[:, t].tobytes(), []).append(t)
        if several := [traits for traits in alike.values() if len(traits) > 1]:
            found[g] = several
    return found


def _repaired(table: Judgements, copies: dict[int, list[list[int]]], means: Judgements | None) -> Judgements:
    """Remove columns that are copies, and replace them by the means given elsewhere."""
    ratings, given = np.array(table.ratings), np.array(table.given)
    notes = []
    for g, sets in copies.items():
        row = {} if means is None else means.to_dict().get(table.groups[g], {})
        known = np.array([row.get(trait, np.nan) for trait in table.traits])
        for traits in sets:
            mean = float(np.nanmean(table.ratings[:, g, traits[0]]))
            agreeing = [t for t in traits if abs(known[t] - mean) < 0.005]
            kept = agreeing[:1] if len(agreeing) == 1 else []
            lost = [t for t in traits if t not in kept]
            ratings[:, g, lost] = np.nan
            given[g, lost] = known[lost]
            names, left = (join_words([table.traits[t] for t in several]) for several in (traits, lost))
            end = f"without a file of means {left} are left out."
            if means is not None:
                end = f"{left} are taken from {Path(means.provenance.source).name}, as means only."
            said = f"{table.groups[g]}: the ratings on {names} are the same for every annotator"
            notes.append(f"{said}, so all but one are copies; {end}")
    warnings.warn(" ".join(notes), CrossroadsWarning, stacklevel=3)
    return replace(table, ratings=ratings, given=given, notes=tuple(notes))


_LONG = ("group", "trait", "score")
_SHAPES = (
    "group,trait,score[,annotator] with one line per cell, or group,<trait>,<trait>… with one line per group"
)


class Rating(NamedTuple):
    """One number of a file and its line."""

    annotator: str | None
    group: str
    trait: str
    score: float | None
    line: int | None


def read_table(path: str | Path) -> tuple[str, Any]:
    """The text of a file, and its content if it begins as a JSON document does; otherwise None."""
    text = read_text(path, "a CSV or JSON file")
    if not text.strip():
        raise FormatError("the file is empty.", path=path, hint=f"give {_SHAPES}.")
    if text.lstrip()[0] not in "{[":
        return text, None
    try:
        return text, load_json(text, path)
    except json.JSONDecodeError as error:
        raise FormatError(f"not a JSON document: {error.msg}.", path=path, line=error.lineno) from error


def ratings_of(path: str | Path) -> list[Rating]:
    """Every number of a file of judgements or scores, in order, with the names as they are written.

    JSON is group → trait → score, or annotator → group → trait → score; CSV is long or wide.
    """
    text, data = read_table(path)
    found = list(_csv(path, text) if data is None else _json_ratings(path, data))
    if not any(rating.score is not None for rating in found):
        raise FormatError("the file holds no score.", path=path, hint=f"give {_SHAPES}.")
    return found


def _json_ratings(path: str | Path, data: Any) -> Iterator[Rating]:
    hint = "give group → trait → score, or annotator → group → trait → score."
    if not isinstance(data, dict) or not data:
        raise FormatError("expected an object of groups or annotators.", path=path, hint=hint)
    for first, inner in data.items():
        if not isinstance(inner, dict):
            raise FormatError("expected an object of traits or groups.", path=path, key=first, hint=hint)
        for second, value in inner.items():
            if isinstance(value, dict):
                for third, score in value.items():
                    key = f"{first}.{second}.{third}"
                    yield Rating(first, second, third, number(score, path=path, key=key), None)
            else:
                key = f"{first}.{second}"
                yield Rating(None, first, second, number(value, path=path, key=key), None)


def _csv(path: str | Path, text: str) -> Iterator[Rating]:
    lines = csv.reader(text.splitlines(), skipinitialspace=True)
    try:
        rows = [(lines.line_num, [from_cell(cell.strip()) for cell in row]) for row in lines]
    except csv.Error as error:
        raise FormatError(f"not a CSV file: {error}.", path=path, line=lines.line_num) from error
    head = [name.casefold() for name in rows[0][1]]
    if "group" not in head:
        raise FormatError(
            f"the first line has no column 'group': {', '.join(rows[0][1][:6])}.",
            path=path,
            line=1,
            hint=f"give {_SHAPES}.",
        )
    places = {name: head.index(name) for name in (*_LONG, "annotator") if name in head}
    long = set(_LONG) <= set(places)
    if not long:  # a trait may be called so
        places = {name: at for name, at in places.items() if name in ("group", "annotator")}
    columns = [places["score"]] if long else [at for at in range(len(head)) if at not in places.values()]
    if not columns:
        raise FormatError("there is no trait next to the groups.", path=path, line=1, hint=f"give {_SHAPES}.")
    for line, row in rows[1:]:
        if not any(row):
            continue
        if len(row) != len(head):
            raise FormatError(f"{len(row)} cells, but the header has {len(head)}.", path=path, line=line)
        cells = {name: row[at] for name, at in places.items() if name != "score"}
        if not all(cells.values()):
            raise FormatError("a name is missing.", path=path, line=line)
        for at in columns:
            name = rows[0][1][at]
            score = number(row[at], path=path, line=line, key="score" if long else name)
            yield Rating(cells.get("annotator"), cells["group"], cells.get("trait", name), score, line)


def number(
    value: object, *, path: str | Path, line: int | None = None, key: str | None = None
) -> float | None:
    """Parse a finite number from a cell; None if the cell is empty."""
    if value is None or (isinstance(value, str) and value.strip().casefold() in ("", "na", "nan", "none")):
        return None
    try:
        found = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
    except (ValueError, OverflowError):
        found = None
    if found is None or not math.isfinite(found):
        raise FormatError(f"{in_short(value)} is not a number.", path=path, line=line, key=key)
    return found


def nested(scores: Mapping[str, Mapping[str, float]]) -> Iterator[Rating]:
    """The numbers of a mapping group → trait → score."""
    place = "the mapping"
    for group, row in scores.items():
        if not isinstance(row, Mapping):
            raise FormatError(
                f"{in_short(row)} is not a mapping of traits to scores.",
                path=place,
                key=str(group),
                hint="give {group: {trait: score, ...}, ...}.",
            )
        for trait, score in row.items():
            yield Rating(None, group, trait, number(score, path=place, key=f"{group}.{trait}"), None)

"""Reading human judgements: the two published files, and tables of one's own."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import CrossroadsWarning, FormatError, UnknownNameError, in_short, join_words, one_of
from crossroads.evidence.abc_names import TRAITS, TraitName, group_name, own_trait, trait_name
from crossroads.evidence.judgements import HIGH, LOW, Judgements
from crossroads.evidence.model_names import recorded_path
from crossroads.evidence.provenance import Provenance
from crossroads.evidence.rating_tables import Rating, ratings_of, table_text
from crossroads.stimuli import catalog

Floats = NDArray[np.float64]
MEANS_FILE = "Aggregated_scores.json"
"""The published file of means; looked for beside a file of single answers where columns are copies."""
NAMES = ("catalogue", "own")
_FEWEST = 4
"""Equal columns are taken for copies from this many people on; below, chance makes them."""


def read_judgements(
    path: str | Path, *, means: str | Path | None = None, names: str = "catalogue"
) -> Judgements:
    """Read what people say about groups.

    Understood are the two files of Cao et al. (2022), group → trait → mean and annotator → group → trait →
    rating, and CSV tables: ``group,trait,score[,annotator]``, or ``group[,annotator],<trait>,<trait>…``.
    Groups and traits get the names of the catalogue (``abc-groups``, ``abc-traits``); pairs written the
    other way round are turned. Groups that it lacks keep their name.

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
    In the published file of single answers, the columns *poor - wealthy* and *untrustworthy - trustworthy*
    of the group *women* are copies of *egoistic - altruistic*: all twenty people would have given the same
    three numbers, and only the mean of the last agrees with the published means. Equal columns of four or
    more people are looked for in any file. The column whose mean agrees with ``means`` is kept; the others
    lose their single answers and take the mean from there. Without ``means``, the published file of means
    is used if it lies in the same folder; without that, all columns that are alike are left out. A warning
    says which.
    """
    file = Path(path)
    naming = trait_name if one_of("naming", names, NAMES) == "catalogue" else own_trait
    table = _table(file, ratings_of(file), naming)
    if not table.annotators:
        return table
    copies = _copies(table)
    if not copies:
        return table
    aggregated = _aggregated(file, means, naming)
    return _mended(table, copies, aggregated)


def read_demographics(path: str | Path) -> dict[str, dict[str, str]]:
    """Read a CSV file about annotators: a column ``annotator``, and any others, such as ``gender``."""
    file = Path(path)
    rows = csv.DictReader(table_text(file).splitlines(), skipinitialspace=True)
    names = [name.strip().casefold() for name in rows.fieldnames or []]
    if "annotator" not in names or len(names) < 2:
        raise FormatError(
            f"the first line reads {', '.join(names)}.",
            path=file,
            line=1,
            hint="give a column 'annotator' and one or more others, such as gender.",
        )
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        if None in row or None in row.values():
            raise FormatError("the cells do not fit the head.", path=file, line=rows.line_num)
        about = {name.strip().casefold(): value.strip() for name, value in row.items()}
        who = about.pop("annotator")
        if not who or who in found:
            raise FormatError(f"the annotator {in_short(who)} is there twice.", path=file, line=rows.line_num)
        found[who] = about
    return found


def _table(file: Path, ratings: list[Rating], naming: Callable[[str], TraitName]) -> Judgements:
    """Put single numbers in their places."""
    singles = {rating.annotator is not None for rating in ratings}
    if len(singles) > 1:
        raise FormatError("some scores have an annotator and some have none.", path=file)
    spelled: dict[str, str] = {}
    cells: dict[tuple[str | None, str, str], float] = {}
    for rating in ratings:
        try:
            pair = naming(rating.trait)
        except UnknownNameError as error:
            hint = f"{error.hint} Ask read_judgements, or --own-traits, to keep traits of your own."
            raise FormatError(
                error.message, path=file, line=rating.line, key=rating.trait, hint=hint
            ) from error
        group = group_name(rating.group)
        spelled[rating.group] = group
        spelled[rating.trait] = f"{pair.name}, turned" if pair.reversed else pair.name
        place = (rating.annotator, group, pair.name)
        if place in cells:
            raise FormatError(
                f"{rating.group} is rated twice on {rating.trait}.", path=file, line=rating.line
            )
        score = np.nan if rating.score is None else rating.score
        if score < LOW or score > HIGH:
            raise FormatError(
                f"{rating.group}, {rating.trait}: the score is {score:g}.",
                path=file,
                line=rating.line,
                hint="the scale runs from 0 (left adjective) to 100 (right adjective); rescale others to it.",
            )
        cells[place] = HIGH - score if pair.reversed else score
    groups = tuple(dict.fromkeys(group for _, group, _ in cells))
    order = {pair.name: i for i, pair in enumerate(catalog().traits(TRAITS))}
    traits = tuple(
        sorted(dict.fromkeys(t for _, _, t in cells), key=lambda name: order.get(name, len(order)))
    )
    people = tuple(dict.fromkeys(who for who, _, _ in cells if who is not None))
    places = [{name: i for i, name in enumerate(several)} for several in (people, groups, traits)]
    ratings_array = np.full((len(people), len(groups), len(traits)), np.nan)
    given = np.full((len(groups), len(traits)), np.nan)
    for (who, group, trait), score in cells.items():
        g, t = places[1][group], places[2][trait]
        if who is None:
            given[g, t] = score
        else:
            ratings_array[places[0][who], g, t] = score
    return Judgements(
        groups=groups,
        traits=traits,
        annotators=people,
        ratings=ratings_array,
        given=given,
        respelled={written: name for written, name in spelled.items() if written != name},
        provenance=Provenance(
            source=recorded_path(file), format=f"judgements, {file.suffix[1:].lower() or 'text'}"
        ),
    )


def _copies(table: Judgements) -> dict[int, list[list[int]]]:
    """Traits of a group with the same rating by everybody: group to sets of such traits."""
    found: dict[int, list[list[int]]] = {}
    for g in range(len(table.groups)):
        rows = table.ratings[:, g]
        rows = rows[~np.isnan(rows).any(axis=1)]
        if len(rows) < _FEWEST:
            continue
        alike: dict[bytes, list[int]] = {}
        for t in range(len(table.traits)):
            if np.ptp(rows[:, t]) > 0:
                alike.setdefault(rows[:, t].tobytes(), []).append(t)
        several = [traits for traits in alike.values() if len(traits) > 1]
        if several:
            found[g] = several
    return found


def _aggregated(
    file: Path, means: str | Path | None, naming: Callable[[str], TraitName]
) -> Judgements | None:
    beside = file.with_name(MEANS_FILE)
    if means is None and not (beside.is_file() and beside != file):
        return None
    chosen = Path(means) if means is not None else beside
    return _table(chosen, ratings_of(chosen), naming)


def _mended(table: Judgements, copies: dict[int, list[list[int]]], means: Judgements | None) -> Judgements:
    """Take out columns that are copies, and put the means given elsewhere in their place."""
    ratings, given = np.array(table.ratings), np.array(table.given)
    notes = []
    for g, sets in copies.items():
        known = _row_of(means, table.groups[g], table.traits)
        for traits in sets:
            mean = float(np.nanmean(table.ratings[:, g, traits[0]]))
            agreeing = [t for t in traits if abs(known[t] - mean) < 0.005]
            kept = agreeing[:1] if len(agreeing) == 1 else []
            lost = [t for t in traits if t not in kept]
            ratings[:, g, lost] = np.nan
            given[g, lost] = known[lost]
            notes.append(_note(table, g, traits, lost, means))
    warnings.warn(" ".join(notes), CrossroadsWarning, stacklevel=3)
    return Judgements(
        groups=table.groups,
        traits=table.traits,
        annotators=table.annotators,
        ratings=ratings,
        given=given,
        respelled=table.respelled,
        notes=tuple(notes),
        provenance=table.provenance,
    )


def _row_of(means: Judgements | None, group: str, traits: Sequence[str]) -> Floats:
    row = np.full(len(traits), np.nan)
    if means is not None and group in means.groups:
        values = means.means()[means.groups.index(group)]
        for t, trait in enumerate(traits):
            if trait in means.traits:
                row[t] = values[means.traits.index(trait)]
    return row


def _note(table: Judgements, g: int, traits: list[int], lost: list[int], means: Judgements | None) -> str:
    names = [table.traits[t] for t in traits]
    left = join_words([table.traits[t] for t in lost])
    said = f"{table.groups[g]}: the ratings on {join_words(names)} are the same for every annotator, so "
    if means is None:
        return f"{said}all but one are copies; without a file of means {left} are left out."
    source = Path(means.provenance.source).name
    return f"{said}all but one are copies; {left} are taken from {source}, as means only."

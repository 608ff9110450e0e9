"""The groups and traits that scores and judgements have in common, and why others are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, join_words
from crossroads.evidence.judgement_files import read_judgements
from crossroads.evidence.judgements import HIGH, Judgements
from crossroads.measures.traits.files import TraitTable, chosen_groups, trait_table
from crossroads.results import Coverage
from crossroads.stimuli import catalog
from crossroads.stimuli.abc_names import TRAITS, near_group

Floats = NDArray[np.float64]


class SharedCells(NamedTuple):
    """The cells that both sides have."""

    groups: tuple[str, ...]
    traits: tuple[str, ...]
    model: Floats
    human: Floats
    judgements: Judgements


def judgements_of(human: object) -> Judgements:
    """Convert a file or a mapping to judgements; judgements are returned unchanged."""
    if isinstance(human, Judgements):
        return human
    if isinstance(human, (str, Path)):
        return read_judgements(human)
    if not isinstance(human, Mapping):
        raise InputError(
            f"human judgements are of type {type(human).__name__}.",
            hint="give cr.traits.read_judgements(path), a path, or a mapping group → trait → mean.",
        )
    table = trait_table(human, own_traits=True)
    values = np.array(table.scores)
    turned = [name.endswith(", turned") for name in table.respelled.values()]
    if any(turned):
        columns = {
            name.removesuffix(", turned") for name in table.respelled.values() if name.endswith("turned")
        }
        at = [i for i, trait in enumerate(table.traits) if trait in columns]
        values[:, at] += HIGH  # a reversed score changes its sign; on this scale it is the distance from 100
    return Judgements(
        groups=table.groups,
        traits=table.traits,
        ratings=np.empty((0, *values.shape)),
        given=values,
        respelled=table.respelled,
    )


def has_own_traits(judged: Judgements) -> bool:
    """Whether people were asked about traits that the catalogue lacks, so that scores may name them too."""
    known = {pair.name for pair in catalog().traits(TRAITS)}
    return not set(judged.traits) <= known


def shared_cells(
    table: TraitTable, judged: Judgements, groups: Iterable[str] | None
) -> tuple[SharedCells, Coverage]:
    """The groups and traits that both sides have, and why others are left out."""
    wanted = None if groups is None else chosen_groups(groups, (*table.groups, *judged.groups))
    here = tuple(g for g in table.groups if g in judged.groups and (wanted is None or g in wanted))
    pairs = tuple(t for t in judged.traits if t in table.traits)
    if not here or not pairs:
        kind, ours, theirs = (
            ("group", table.groups, judged.groups) if not here else ("trait", table.traits, judged.traits)
        )
        raise InputError(
            f"the scores and the judgements have no {kind} in common: "
            f"{join_words(ours, most=4)}; {join_words(theirs, most=4)}.",
            hint=_suggestion(ours, theirs),
        )
    dropped = {
        "groups": _left_out(table.groups, judged.groups, wanted),
        "traits": {
            **{t: "no human judgement" for t in table.traits if t not in judged.traits},
            **{t: "no score of the model" for t in judged.traits if t not in table.traits},
        },
    }
    return _complete(table, judged, here, pairs, dropped)


def _complete(
    table: TraitTable,
    judged: Judgements,
    here: tuple[str, ...],
    pairs: tuple[str, ...],
    dropped: dict[str, dict[str, str]],
) -> tuple[SharedCells, Coverage]:
    """Leave out groups without a single score on both sides, and name the cells without one."""
    rows, columns = [table.groups.index(g) for g in here], [table.traits.index(t) for t in pairs]
    model = table.scores[np.ix_(rows, columns)]
    some = _traits_of(judged.select(here), pairs)
    means = some.means()
    gone = np.isnan(model) | np.isnan(means)
    empty = np.asarray(gone.all(axis=1))
    cells = {f"{here[i]}, {pairs[j]}": "no score on one side" for i, j in np.argwhere(gone) if not empty[i]}
    dropped["groups"].update({here[i]: "no score on one side" for i in np.flatnonzero(empty)})
    kept = np.flatnonzero(~empty)
    if not len(kept):
        raise InputError("no cell has a score on both sides.", hint="see which scores are missing.")
    here = tuple(here[i] for i in kept)
    both = SharedCells(
        groups=here,
        traits=pairs,
        model=np.where(gone, np.nan, model)[kept],
        human=np.where(gone, np.nan, means)[kept],
        judgements=some.select(here),
    )
    coverage = Coverage(
        policy="drop",
        used={"groups": here, "traits": pairs},
        dropped={**dropped, **({"cells": cells} if cells else {})},
        respelled={**judged.respelled, **table.respelled},
    )
    return both, coverage


def _traits_of(judged: Judgements, traits: tuple[str, ...]) -> Judgements:
    at = [judged.traits.index(trait) for trait in traits]
    return Judgements(
        groups=judged.groups,
        traits=traits,
        annotators=judged.annotators,
        ratings=judged.ratings[:, :, at],
        given=judged.given[:, at],
    )


def _left_out(
    ours: tuple[str, ...], theirs: tuple[str, ...], wanted: tuple[str, ...] | None
) -> dict[str, str]:
    left = {}
    for one, other, why in ((ours, theirs, "no human judgement"), (theirs, ours, "no score of the model")):
        for group in one:
            if group in other:
                if wanted is not None and group not in wanted:
                    left[group] = "not asked for"
                continue
            near = near_group(group, [name for name in other if name not in one])
            left[group] = f"{why}; perhaps {near!r}" if near else why
    return left


def _suggestion(ours: Iterable[str], theirs: Iterable[str]) -> str:
    theirs = tuple(theirs)
    near = [(name, found) for name in ours if (found := near_group(name, theirs))]
    if near:
        return f"did you mean {near[0][1]!r} by {near[0][0]!r}?"
    return "name groups and traits as the catalogue does (abc-groups, abc-traits), on both sides."

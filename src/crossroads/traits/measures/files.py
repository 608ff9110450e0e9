"""Scores of groups on traits, from results, mappings and files, under the names of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    EvidenceError,
    FormatError,
    InputError,
    UnknownNameError,
    in_short,
    join_words,
)
from crossroads.core.evidence import Provenance
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.results import Coverage
from crossroads.core.stimuli import catalog
from crossroads.traits.people.evidence import HIGH, Judgements
from crossroads.traits.people.files import (
    Rating,
    looks_like_json,
    nested,
    ratings_of,
    read_json,
    read_judgements,
    table_text,
)
from crossroads.traits.people.names import TRAITS, TraitName, group_name, near_group, own_trait, trait_name
from crossroads.traits.probe.evidence import listed

Floats = NDArray[np.float64]


@runtime_checkable
class Scores(Protocol):
    """Anything with one score for each group and trait: results of ILPS, SeT and group CEAT."""

    @property
    def groups(self) -> Sequence[str]:
        """The groups: rows of the scores."""

    @property
    def traits(self) -> Sequence[str]:
        """The pairs of traits, left end first: columns of the scores."""

    @property
    def scores(self) -> Any:
        """Groups × traits: higher is closer to the right end."""


@dataclass(frozen=True, kw_only=True)
class TraitTable:
    """Scores of groups on traits, by the names of the catalogue."""

    measure: str
    """The measure, such as ``"set"``."""
    groups: tuple[str, ...]
    """The groups, by the names of the catalogue where it has them."""
    traits: tuple[str, ...]
    """The pairs of traits, left end first."""
    scores: Floats
    """Groups × traits; NaN where there is no score."""
    respelled: Mapping[str, str] = field(default_factory=dict)
    """Names as given, where they differ, with the name used here."""
    provenance: tuple[Provenance, ...] = ()
    """Where they came from."""


def trait_table(
    scores: Scores | Mapping[str, Mapping[str, float]] | TraitTable, *, own_traits: bool = False
) -> TraitTable:
    """Convert scores of any kind to a table with the names of the catalogue.

    With ``own_traits``, names of traits that the catalogue lacks stay, instead of raising an error.
    """
    if isinstance(scores, TraitTable):
        return scores
    if isinstance(scores, Mapping):
        given = Provenance(source="given as arrays")
        return _gathered(nested(scores), "given scores", (given,), own=own_traits)
    if not isinstance(scores, Scores):
        raise InputError(
            f"scores are of type {type(scores).__name__}.",
            hint="give a result of ILPS, SeT or group CEAT, or a mapping group → trait → score.",
        )
    values = np.asarray(scores.scores, dtype=np.float64)
    groups, traits = tuple(scores.groups), tuple(scores.traits)
    if values.shape != (len(groups), len(traits)):
        raise EvidenceError(
            f"scores of shape {values.shape} for {len(groups)} groups and {len(traits)} traits.",
            hint="give one row per group and one column per trait.",
        )
    conventions = getattr(scores, "conventions", {})
    measure = str(getattr(scores, "measure", None) or conventions.get("measure") or "scores")
    return _named(groups, traits, values, measure, tuple(getattr(scores, "provenance", ())), own=own_traits)


def read_trait_tables(path: str | Path, *, own_traits: bool = False) -> tuple[TraitTable, ...]:
    """Read every table of scores in a file; its forms are those of :func:`~crossroads.traits.read_scores`."""
    text = table_text(path)
    about = Provenance(source=recorded_path(path), format="scores")
    if looks_like_json(text):
        data = read_json(path, text)
        if isinstance(data, dict) and ("results" in data or "type" in data):
            return _of_results(path, data, about, own=own_traits)
    ratings = ratings_of(path)
    if any(rating.annotator is not None for rating in ratings):
        raise FormatError(
            "these are ratings by single annotators, not scores of a model.",
            path=path,
            hint="give human judgements with --human.",
        )
    return (_gathered(ratings, Path(path).stem, (about,), own=own_traits, path=path),)


def _of_results(
    path: str | Path, data: Mapping[str, Any], about: Provenance, *, own: bool
) -> tuple[TraitTable, ...]:
    results = data.get("results", [data])
    results = results if isinstance(results, list) else []
    wanted = ("groups", "traits", "scores")
    found = [one for one in results if isinstance(one, dict) and all(key in one for key in wanted)]
    if not found:
        kinds = sorted({str(one.get("type")) for one in results if isinstance(one, dict)})
        raise FormatError(
            f"no scores of groups on traits in this document ({', '.join(kinds) or 'no result'}).",
            path=path,
            hint="write one with crossroads probe MODEL --json, or give a CSV group,trait,score.",
        )
    return tuple(_of_result(path, one, about, own=own) for one in found)


def _of_result(path: str | Path, one: Mapping[str, Any], about: Provenance, *, own: bool) -> TraitTable:
    try:
        groups, traits = (tuple(str(name) for name in one[key]) for key in ("groups", "traits"))
        values = np.array(
            [[np.nan if v is None else float(v) for v in row] for row in one["scores"]], dtype=np.float64
        )
        origin = tuple(Provenance.from_dict(p) for p in one.get("provenance") or []) or (about,)
    except (TypeError, ValueError) as error:
        raise FormatError("the scores are not a table of numbers.", path=path, key="scores") from error
    if values.shape != (len(groups), len(traits)):
        raise FormatError("the scores do not fit the groups and traits.", path=path, key="scores")
    conventions = one.get("conventions")
    conventions = conventions if isinstance(conventions, dict) else {}
    measure = str(one.get("measure") or conventions.get("measure") or one.get("type") or "scores")
    return _named(groups, traits, values, measure, origin, own=own)


def _gathered(
    ratings: Iterable[Rating],
    measure: str,
    provenance: tuple[Provenance, ...],
    *,
    own: bool,
    path: str | Path | None = None,
) -> TraitTable:
    cells: dict[tuple[str, str], float] = {}
    for rating in ratings:
        place = (rating.group, rating.trait)
        if place in cells:
            raise FormatError(
                f"{rating.group} has two scores on {rating.trait}.", path=path, line=rating.line
            )
        cells[place] = np.nan if rating.score is None else rating.score
    groups = tuple(dict.fromkeys(group for group, _ in cells))
    traits = tuple(dict.fromkeys(trait for _, trait in cells))
    values = np.array([[cells.get((group, trait), np.nan) for trait in traits] for group in groups])
    return _named(groups, traits, values.reshape(len(groups), len(traits)), measure, provenance, own=own)


def _named(
    groups: Sequence[str],
    traits: Sequence[str],
    values: Floats,
    measure: str,
    provenance: tuple[Provenance, ...],
    *,
    own: bool,
) -> TraitTable:
    """Replace names by those of the catalogue, and reverse pairs that are written the other way round."""
    if not groups or not traits:
        raise EvidenceError("there are no scores.", hint="give at least one group and one trait.")
    if np.isinf(values).any():
        raise EvidenceError("a score is infinite.", hint="give finite scores.")
    rows = [group_name(group) for group in groups]
    pairs: list[TraitName] = [own_trait(trait) if own else trait_name(trait) for trait in traits]
    signs = np.array([-1.0 if pair.reversed else 1.0 for pair in pairs])
    columns = [pair.name for pair in pairs]
    for kind, given, names in (("group", groups, rows), ("trait", traits, columns)):
        twice = [given[i] for i, name in enumerate(names) if name in names[:i]]
        if twice:
            raise EvidenceError(
                f"the {kind} {in_short(twice[0])} is given twice, possibly under two spellings."
            )
    turned = {g: f"{p.name}, turned" if p.reversed else p.name for g, p in zip(traits, pairs, strict=True)}
    spelled = {**dict(zip(groups, rows, strict=True)), **turned}
    return TraitTable(
        measure=measure,
        groups=tuple(rows),
        traits=tuple(columns),
        scores=values * signs,
        respelled={written: name for written, name in spelled.items() if written != name},
        provenance=provenance,
    )


def chosen_groups(names: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """Groups requested, by the names of the catalogue; each must be known."""
    found = []
    for name in listed(names, "groups"):
        group = group_name(str(name))
        if group not in known:
            raise UnknownNameError("group", str(name), known)
        found.append(group)
    return tuple(dict.fromkeys(found))


class TraitEnds(NamedTuple):
    """A pair of traits with its two ends and its scale."""

    name: str
    left: str
    right: str
    scale: str


def trait_ends(traits: Iterable[str]) -> tuple[TraitEnds, ...]:
    """Find the ends and the scale of each trait in the catalogue, or split its name at the first hyphen.

    Examples
    --------
    >>> trait_ends(["religious-science-oriented", "slow-fast"])[1]
    TraitEnds(name='slow-fast', left='slow', right='fast', scale='')
    """
    known = {
        pair.name: TraitEnds(pair.name, pair.left, pair.right, pair.scale)
        for pair in catalog().traits(TRAITS)
    }
    found = []
    for name in traits:
        left, _, right = name.partition("-")
        found.append(known.get(name) or TraitEnds(name, left.strip(), right.strip(), ""))
    return tuple(found)


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

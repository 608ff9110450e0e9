"""Scores of groups on traits, from results, mappings and files, under the names of the catalogue."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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
from crossroads.core.results import Coverage, read_only
from crossroads.core.stimuli import catalog
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.people.evidence import HIGH, Judgements
from crossroads.traits.people.files import (
    TRAITS,
    Rating,
    group_name,
    near_group,
    nested,
    own_trait,
    ratings_of,
    read_judgements,
    read_table,
    trait_name,
)
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


def trait_table(
    scores: Scores | Mapping[str, Mapping[str, float]], *, own_traits: bool = False
) -> TraitScores:
    """Convert scores of any kind to a table with the names of the catalogue.

    With ``own_traits``, names of traits that the catalogue lacks stay, instead of raising an error.
    """
    if isinstance(scores, TraitScores) and "respelled" in scores.conventions:
        return scores
    if isinstance(scores, Mapping):
        given = Provenance(source="given as arrays")
        return _gathered(nested(scores), "given scores", given, own=own_traits)
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


def read_trait_tables(path: str | Path, *, own_traits: bool = False) -> tuple[TraitScores, ...]:
    """Read every table of scores in a file; its forms are those of :func:`~crossroads.traits.read_scores`."""
    about = Provenance(source=recorded_path(path), format="scores")
    if (results := saved_results(path)) is not None:
        wanted = ("groups", "traits", "scores")
        found = [one for one in results if all(key in one for key in wanted)]
        if not found:
            kinds = sorted({str(one.get("type")) for one in results})
            raise FormatError(
                f"no scores of groups on traits in this document ({', '.join(kinds) or 'no result'}).",
                path=path,
                hint="write one with crossroads probe MODEL --json, or give a CSV group,trait,score.",
            )
        return tuple(_of_result(path, one, about, own=own_traits) for one in found)
    ratings = ratings_of(path)
    if any(rating.annotator is not None for rating in ratings):
        raise FormatError(
            "these are ratings by single annotators, not scores of a model.",
            path=path,
            hint="give human judgements with --human.",
        )
    return (_gathered(ratings, Path(path).stem, about, own=own_traits, path=path),)


def read_scores(path: str | Path) -> tuple[TraitScores, ...]:
    r"""Read every table of scores in a file.

    Parameters
    ----------
    path
        The JSON document of ``crossroads probe --json`` or the JSON of one result; JSON
        group → trait → score; or CSV ``group,trait,score`` or ``group,<trait>,<trait>…``. In other tables
        than results of crossroads, names of groups and traits are replaced by those of the catalogue.

    Examples
    --------
    >>> from pathlib import Path
    >>> import crossroads as cr
    >>> _ = Path("scores.csv").write_text("group,trait,score\nnurses,cold-warm,0.4\nbankers,cold-warm,-0.1\n")
    >>> (scores,) = cr.traits.read_scores("scores.csv")
    >>> scores.row("bankers")
    {'cold-warm': -0.1}
    """
    ours = [one for one in saved_results(path) or [] if one.get("type") == TraitScores.__name__]
    if ours:
        try:
            return tuple(TraitScores.from_dict(one) for one in ours)
        except InputError as error:
            raise FormatError(error.message, path=path, hint=error.hint) from error
    return read_trait_tables(path, own_traits=True)


def saved_results(path: str | Path) -> list[dict[str, Any]] | None:
    """The results in a JSON document of crossroads; None for tables of other kinds."""
    _, data = read_table(path)
    if not isinstance(data, dict) or not ("results" in data or "type" in data):
        return None
    results = data.get("results", [data])
    return [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []


def _of_result(path: str | Path, one: Mapping[str, Any], about: Provenance, *, own: bool) -> TraitScores:
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
    saved = one.get("conventions")
    named = saved.get("measure") if isinstance(saved, dict) else None
    measure = str(one.get("measure") or named or one.get("type") or "scores")
    return _named(groups, traits, values, measure, origin, own=own)


def _gathered(
    ratings: Iterable[Rating], measure: str, about: Provenance, *, own: bool, path: str | Path | None = None
) -> TraitScores:
    cells: dict[tuple[str, str], float] = {}
    for rating in ratings:
        if (place := (rating.group, rating.trait)) in cells:
            twice = f"{rating.group} has two scores on {rating.trait}."
            raise FormatError(twice, path=path, line=rating.line)
        cells[place] = np.nan if rating.score is None else rating.score
    groups = tuple(dict.fromkeys(group for group, _ in cells))
    traits = tuple(dict.fromkeys(trait for _, trait in cells))
    values = np.array([[cells.get((group, trait), np.nan) for trait in traits] for group in groups])
    return _named(groups, traits, values.reshape(len(groups), len(traits)), measure, (about,), own=own)


def _named(
    groups: Sequence[str],
    traits: Sequence[str],
    values: Floats,
    measure: str,
    provenance: tuple[Provenance, ...],
    *,
    own: bool,
) -> TraitScores:
    """Replace names by those of the catalogue, and reverse pairs that are written the other way round."""
    if not groups or not traits:
        raise EvidenceError("there are no scores.", hint="give at least one group and one trait.")
    if np.isinf(values).any():
        raise EvidenceError("a score is infinite.", hint="give finite scores.")
    rows = tuple(group_name(group) for group in groups)
    pairs = [own_trait(trait) if own else trait_name(trait) for trait in traits]
    columns = tuple(pair.name for pair in pairs)
    for kind, given, names in (("group", groups, rows), ("trait", traits, columns)):
        twice = [given[i] for i, name in enumerate(names) if name in names[:i]]
        if twice:
            raise EvidenceError(
                f"the {kind} {in_short(twice[0])} is given twice, possibly under two spellings."
            )
    spelled = dict(zip(groups, rows, strict=True))
    spelled |= {g: f"{p.name}, turned" if p.reversed else p.name for g, p in zip(traits, pairs, strict=True)}
    respelled = {written: name for written, name in spelled.items() if written != name}
    return TraitScores(
        measure=measure,
        groups=rows,
        traits=columns,
        scores=read_only(values * np.array([-1.0 if pair.reversed else 1.0 for pair in pairs])),
        conventions={"measure": measure, "respelled": respelled},
        provenance=provenance,
    )


class TraitEnds(NamedTuple):
    """A pair of traits with its two ends and its scale."""

    name: str
    left: str
    right: str
    scale: str


def trait_ends(traits: Collection[str]) -> tuple[TraitEnds, ...]:
    """Find the ends and the scale of each trait in the catalogue, or split its name at the first hyphen."""
    ends = {p.name: TraitEnds(p.name, p.left, p.right, p.scale) for p in catalog().traits(TRAITS)}
    for name in traits:
        left, _, right = name.partition("-")
        ends.setdefault(name, TraitEnds(name, left.strip(), right.strip(), ""))
    return tuple(ends[name] for name in traits)


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
    values, names = np.array(table.scores), table.conventions["respelled"].values()
    turned = {name.removesuffix(", turned") for name in names if name.endswith(", turned")}
    at = [i for i, trait in enumerate(table.traits) if trait in turned]
    values[:, at] += HIGH  # a reversed score changes its sign; on this scale it is the distance from 100
    return Judgements(
        groups=table.groups,
        traits=table.traits,
        ratings=np.empty((0, *values.shape)),
        given=values,
        respelled=table.conventions["respelled"],
    )


def shared_cells(
    table: TraitScores, judged: Judgements, groups: Iterable[str] | None
) -> tuple[SharedCells, Coverage]:
    """The groups and traits that both sides have, and why others are left out."""
    wanted = None
    if groups is not None:
        named = {str(name): group_name(str(name)) for name in listed(groups, "groups")}
        known = (*table.groups, *judged.groups)
        for name, group in named.items():
            if group not in known:
                raise UnknownNameError("group", name, known)
        wanted = tuple(named.values())
    here = tuple(g for g in table.groups if g in judged.groups and (wanted is None or g in wanted))
    pairs = tuple(t for t in judged.traits if t in table.traits)
    if not here or not pairs:
        kind = "group" if not here else "trait"
        ours, theirs = getattr(table, f"{kind}s"), getattr(judged, f"{kind}s")
        hint = "name groups and traits as the catalogue does (abc-groups, abc-traits), on both sides."
        if near := [(name, other) for name in ours if (other := near_group(name, theirs))]:
            hint = f"did you mean {near[0][1]!r} by {near[0][0]!r}?"
        raise InputError(
            f"the scores and the judgements have no {kind} in common: "
            f"{join_words(ours, most=4)}; {join_words(theirs, most=4)}.",
            hint=hint,
        )
    dropped: dict[str, dict[str, str]] = {"groups": {}, "traits": {}}
    sides: tuple[tuple[Any, Any, str], ...]
    sides = ((table, judged, "no human judgement"), (judged, table, "no score of the model"))
    for this, that, why in sides:
        dropped["traits"] |= {trait: why for trait in this.traits if trait not in that.traits}
        for group in this.groups:
            if group not in that.groups:
                meant = near_group(group, [name for name in that.groups if name not in this.groups])
                dropped["groups"][group] = f"{why}; perhaps {meant!r}" if meant else why
            elif wanted is not None and group not in wanted:
                dropped["groups"][group] = "not asked for"
    rows, columns = [table.groups.index(g) for g in here], [table.traits.index(t) for t in pairs]
    model, judgements = table.scores[np.ix_(rows, columns)], judged.select(here, pairs)
    gone = np.isnan(model) | np.isnan(judgements.means())
    empty = np.asarray(gone.all(axis=1))
    cells = {f"{here[i]}, {pairs[j]}": "no score on one side" for i, j in np.argwhere(gone) if not empty[i]}
    dropped["groups"].update({here[i]: "no score on one side" for i in np.flatnonzero(empty)})
    kept = np.flatnonzero(~empty)
    if not len(kept):
        raise InputError("no cell has a score on both sides.", hint="see which scores are missing.")
    both = SharedCells(
        groups=tuple(here[i] for i in kept),
        traits=pairs,
        model=np.where(gone, np.nan, model)[kept],
        human=np.where(gone, np.nan, judgements.means())[kept],
        judgements=judgements.select([here[i] for i in kept]),
    )
    return both, Coverage(
        policy="drop",
        used={"groups": both.groups, "traits": pairs},
        dropped={**dropped, **({"cells": cells} if cells else {})},
        respelled={**judged.respelled, **table.conventions["respelled"]},
    )

"""Scores of groups on traits, from results, mappings and files, under the names of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import EvidenceError, FormatError, InputError, UnknownNameError, in_short
from crossroads.evidence import Provenance
from crossroads.evidence.judgement_files import (
    Rating,
    looks_like_json,
    nested,
    ratings_of,
    read_json,
    table_text,
)
from crossroads.evidence.logits import listed
from crossroads.evidence.model_names import recorded_path
from crossroads.stimuli import catalog
from crossroads.stimuli.abc_names import TRAITS, TraitName, group_name, own_trait, trait_name

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

    Parameters
    ----------
    scores
        A result with ``groups``, ``traits`` and ``scores``, or a mapping group → trait → score.
    own_traits
        Keep the names of traits that the catalogue lacks, instead of raising an error.
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
    """Read every table of scores in a file.

    Parameters
    ----------
    path
        The JSON document of a command or the JSON of one result, with ``groups``, ``traits`` and ``scores``;
        JSON group → trait → score; or CSV ``group,trait,score`` or ``group,<trait>,<trait>…``.
    own_traits
        As in :func:`trait_table`.
    """
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

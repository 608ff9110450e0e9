"""Scores of paired identities and of their two components, and rank correlations between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from crossroads.core.errors import (
    EvidenceError,
    InputError,
    MissingStimuliError,
    OnMissing,
    UnknownNameError,
    in_short,
    one_of,
)
from crossroads.core.inference.geometry import Floats
from crossroads.core.results import Coverage, Result, stat
from crossroads.core.results.stats import NAME
from crossroads.core.stimuli.sets import FrozenDict
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import percent
from crossroads.core.wording.table import Table
from crossroads.traits.measures.files import Scores
from crossroads.traits.pairs.material import PairedGroup, paired_groups
from crossroads.traits.people.agreement import kendall_many

SCORES = stat("scores", of=NAME, several=True)
"""The column of the measure whose scores were read."""
Pairs = Iterable[PairedGroup] | Mapping[str, tuple[str, str]] | None
"""Paired groups; or the name of each pair with its two groups; or None for those of the catalogue."""


def levels(drawn: str) -> Callable[[Sequence[Any]], str]:
    """The note on intervals: their levels, and what was drawn."""
    return lambda results: f"{', '.join(dict.fromkeys(percent(one.level) for one in results))}, {drawn}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairsResult(Result):
    """What results about paired identities share: they are named by the measure whose scores were read."""

    _section: ClassVar[str] = "pairs"

    @property
    def _measured(self) -> str:
        return str(self.conventions.get("scores", "given"))

    @property
    def _label(self) -> str:
        return f"{self._measured} {self._stem}"

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        named = {phrases.measure(name.removesuffix(f" {cls._stem}")): one for name, one in results.items()}
        return replace(super()._tabulate(named), notes=tuple(cls._table_notes(results)))


@dataclass(frozen=True, kw_only=True)
class PairScores:
    """Pairs that were scored together with both components: scores of each, pairs by traits."""

    pairs: tuple[PairedGroup, ...]
    traits: tuple[str, ...]
    whole: Floats
    first: Floats
    second: Floats
    coverage: Coverage
    origin: Mapping[str, Any]
    """The measure of the scores, and their provenance."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Every component once."""
        return tuple(dict.fromkeys(name for pair in self.pairs for name in pair.components))

    @property
    def places(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Positions of the first and second component of each pair among the groups."""
        first, second = (list(map(self.groups.index, names)) for names in zip(*self.components, strict=True))
        return np.array(first), np.array(second)

    @property
    def components(self) -> tuple[tuple[str, str], ...]:
        """The two groups of each pair."""
        return tuple(pair.components for pair in self.pairs)

    def record(self, measure: str, **conventions: Any) -> dict[str, Any]:
        """What a result says of its evidence and its options: fields of all results."""
        return {
            "coverage": self.coverage,
            "conventions": {"measure": measure, "scores": self.origin["scores"], **conventions},
            "provenance": self.origin["provenance"],
        }


def pair_scores(
    scores: Scores, pairs: Pairs, components: Scores | None, *, missing: str, adjectives: bool = False
) -> PairScores:
    """Find pairs and their components among the scored groups.

    With ``adjectives``, the scores of single adjectives are read instead of those of opposite pairs.
    """
    one_of("missing", missing, OnMissing)
    single = scores if components is None else components
    traits, whole = _table(scores, adjectives)
    others, parts = _table(single, adjectives)
    if odd := sorted(set(traits) ^ set(others)):
        raise InputError(
            f"the trait {odd[0]!r} is scored for the pairs or for their components, not for both.",
            hint="score both on the same traits.",
        )
    parts = parts[:, [others.index(name) for name in traits]]
    requested = as_pairs(pairs)
    row, part = ({name: i for i, name in enumerate(table.groups)} for table in (scores, single))
    absent = {}
    for pair in requested:
        lacking = [name for name in pair.components if name not in part]
        if pair.name not in row:
            absent[pair.name] = "not among the scores"
        elif lacking:
            absent[pair.name] = f"its component {lacking[0]!r} is not among the scores"
    scored = tuple(pair for pair in requested if pair.name not in absent)
    dropped = absent if pairs is not None else {}
    if dropped and missing == "raise":
        name, why = next(iter(dropped.items()))
        more = f" and {len(dropped) - 1} more" if len(dropped) > 1 else ""
        raise MissingStimuliError(
            f"the pair {name!r}{more} cannot be measured: {why}.",
            missing=dropped,
            hint="score it, or leave out what is missing with missing='drop'.",
        )
    if not requested:
        raise InputError("there are no pairs.", hint="give at least one.")
    if not scored:
        hint = "the scores must contain the pairs by their singular, and both components."
        known = tuple(scores.groups)
        raise UnknownNameError("pair, or component of a pair,", requested[0].name, known, hint=hint)

    tables = {}
    for kind, values, place in (("name", whole, row), ("first", parts, part), ("second", parts, part)):
        names = [getattr(pair, kind) for pair in scored]
        tables[kind] = values[[place[name] for name in names]]
        if not (finite := np.isfinite(tables[kind]).all(axis=1)).all():
            what = f"the scores of {names[int(np.argmin(finite))]!r} contain a value that is not a number."
            raise EvidenceError(what, hint="leave out its pairs.")
    return PairScores(
        pairs=scored,
        traits=traits,
        whole=tables["name"],
        first=tables["first"],
        second=tables["second"],
        coverage=Coverage(
            policy=missing,
            used={"pairs": tuple(pair.name for pair in scored)},
            dropped={"pairs": dropped},
            respelled={},
        ),
        origin=origin(scores),
    )


def as_pairs(pairs: Pairs) -> tuple[PairedGroup, ...]:
    """Convert pairs in any accepted form to paired groups."""
    if pairs is None:
        return paired_groups()
    if not isinstance(pairs, Mapping):
        if not isinstance(pairs, Iterable):
            raise InputError(f"the pairs are {in_short(pairs)}.", hint="give cr.pairs.paired_groups(...).")
        listed = tuple(pairs)
        strange: list[Any] = [one for one in listed if type(one) is not PairedGroup]
        if strange:
            hint = "give cr.pairs.paired_groups(...), or a mapping: {'Black woman': ('Black', 'woman')}."
            raise InputError(f"{in_short(strange[0])} is not a paired group.", hint=hint)
        return listed
    made = []
    for name, two in pairs.items():
        if isinstance(two, str) or not isinstance(two, Iterable) or len({*two}) != 2 or len([*two]) != 2:
            raise InputError(
                f"the pair {in_short(name)} has the components {in_short(two)}.", hint="give two groups."
            )
        first, second = two
        forms = FrozenDict({"singular": name})
        made.append(PairedGroup(first=first, second=second, domains=("", ""), forms=forms))
    return tuple(made)


def _table(scores: Scores, adjectives: bool) -> tuple[tuple[str, ...], Floats]:
    """Names of the traits, or adjectives, and groups by these."""
    if not isinstance(scores, Scores):
        raise InputError(
            f"scores are of type {type(scores).__name__}.",
            hint="give a result of ILPS, SeT or group CEAT, or cr.traits.TraitScores.from_table({...}).",
        )
    names = tuple(getattr(scores, "adjectives", ()) if adjectives else scores.traits)
    values: Any = getattr(scores, "adjective_scores", None) if adjectives else scores.scores
    if not names or values is None:
        raise InputError(
            "the scores are not available per adjective.",
            hint="use on='traits', or scores measured here, which keep their adjectives.",
        )
    table, shape = np.asarray(values, dtype=np.float64), (len(tuple(scores.groups)), len(names))
    if table.shape != shape:
        raise EvidenceError(
            f"the scores have the shape {table.shape}.", hint=f"expected groups by traits, {shape}."
        )
    return names, table


def origin(scores: Scores) -> dict[str, Any]:
    """Conventions that record the measure and the provenance of the scores of a result."""
    return {
        "scores": str(getattr(scores, "measure", "given")),
        "provenance": tuple(getattr(scores, "provenance", ())),
    }


def row_taus(left: Floats, right: Floats) -> Floats:
    """Kendall's τ-b of each row with the same row of another table; every row must have one."""
    if left.shape[1] < 2:
        what = f"a rank correlation needs at least two traits; there is {left.shape[1]}."
        raise InputError(what, hint="score more traits.")
    taus = kendall_many(left, right)
    if np.isnan(taus).any():
        raise EvidenceError(
            "all traits have the same score in a pair or in one of its components: there is no order.",
            hint="check the scores; a rank correlation needs traits that differ.",
        )
    return taus

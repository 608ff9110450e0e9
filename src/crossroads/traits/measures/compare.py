"""Agreement of two models on scores of groups on traits, and where they differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, in_short, join_words
from crossroads.core.evidence.model_names import model_name
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.options import seed_of, share, whole
from crossroads.core.results import Coverage, Result, Stat, read_only, stat
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, counted, number
from crossroads.core.wording.vocabulary import Note
from crossroads.traits.measures.scores import TraitScores, cell_rows
from crossroads.traits.people.agreement import Blocks, exchanges, kendall, named_blocks, tau_interval
from crossroads.traits.people.alignment_result import TraitExchange, levels

_GROUPS = "profiles of one model exchanged between groups, two-sided"
_TRAITS = "its traits exchanged in all groups alike, two-sided"


def _exchanges_adjusted(results: Sequence[Any]) -> str:
    how = phrases.ADJUSTMENTS[phrases.ADJUSTMENT][1]
    return f"{how} for {counted(sum(len(one.exchanges) for one in results), 'exchange')}"


def _adjusted(exchange: str, note: Note) -> Stat:
    """The column of adjusted p-values of one kind of exchange."""
    how, head = phrases.ADJUSTMENT, f"{phrases.ADJUSTMENTS[phrases.ADJUSTMENT][0]} {exchange}"
    return stat(f"p_{exchange}_{how}", head, note, of=f"adjusted.{how}.{exchange}", kind="exchanged", spare=2)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareTraitsResult(Result):
    """Scores of the same groups on the same traits by two models."""

    _section: ClassVar[str] = "comparison"
    _cites: ClassVar[tuple[str, ...]] = ("cao2022theory", "kendall1945treatment")
    _stem: ClassVar[str] = "trait_comparison"
    _label_format: ClassVar[str] = "{measures[0]}: {models[0]} / {models[1]}"
    _table_title: ClassVar[str] = "Agreement of models on groups and traits"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("scores", of="_score_name"),
        stat("models", of="_both"),
        stat("tau", of="kendall_tau"),
        stat("ci", "CI", levels, of="interval", kind="interval"),
        stat("p_groups", "p groups", _GROUPS, of="exchanges.groups.pvalue", kind="exchanged"),
        _adjusted("groups", _exchanges_adjusted),
        stat("p_traits", "p traits", _TRAITS, of="exchanges.traits.pvalue", kind="exchanged"),
        _adjusted("traits", ""),
        stat("largest", "largest difference", of="_largest_difference", spare=1),
    )

    models: tuple[str, str]
    """The two models."""
    measures: tuple[str, str]
    """The measure of each."""
    groups: tuple[str, ...]
    """Groups that both have: rows of the differences."""
    traits: tuple[str, ...]
    """Traits that both have: columns of the differences."""
    kendall_tau: float
    """Kendall's τ-b over all cells of groups and traits together."""
    interval: tuple[float, float] | None
    """Interval of τ-b for other groups and other traits; None for fewer than three of either."""
    exchanges: Mapping[str, TraitExchange]
    """``groups``: profiles of the second model are exchanged between groups; ``traits``: its traits are
    renamed, for all groups alike. Empty where fewer than three groups have every trait, or without
    draws."""
    first_scores: NDArray[np.float64]
    """Scores of the first model in standard deviations of all its cells; 0 where ``known`` is false."""
    second_scores: NDArray[np.float64]
    """The same for the second model."""
    known: NDArray[np.bool_]
    """Which cells have a score on both sides."""
    adjusted: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """p-value of each exchange adjusted over all exchanges of the same comparison, with other scores and
    pairs of models, by method (``holm``, ``bh``, ``by``). Empty for scores compared alone."""

    @property
    def differences(self) -> Floats:
        """First score minus second, each in standard deviations of its model."""
        return np.asarray(self.first_scores - self.second_scores)

    def largest(self, n: int = 10) -> list[dict[str, Any]]:
        """The rows of the largest differences, of either sign."""
        rows = [row for row in self._rows() if row["difference"] is not None]
        return sorted(rows, key=lambda row: -abs(float(row["difference"])))[:n]

    def _rows(self) -> list[dict[str, Any]]:
        first, second = (np.where(self.known, z, np.nan) for z in (self.first_scores, self.second_scores))
        return cell_rows(self.groups, self.traits, score_1=first, score_2=second, difference=first - second)

    @property
    def _score_name(self) -> str:
        return phrases.measure(self.measures[0])

    @property
    def _both(self) -> str:
        return " / ".join(self.models)

    @property
    def _largest_difference(self) -> str | None:
        """The cell that differs most, in words."""
        for cell in self.largest(1):
            return f"{cell['group']}, {cell['trait']}: {number(cell['difference'])}"
        return None

    def _adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values, which are estimates, by method and exchange."""
        return {
            how: {name: P.of(p, "monte-carlo") for name, p in some.items()}
            for how, some in self.adjusted.items()
        }


def compare_traits(
    first: TraitScores,
    second: TraitScores,
    *,
    names: tuple[str, str] | None = None,
    draws: int = 999,
    level: float = 0.95,
    seed: int = 0,
    blocks: Blocks = "catalogue",
) -> CompareTraitsResult:
    """Compare how two models score groups on traits.

    Agreement is Kendall's τ-b over the cells that both have, with exchanges as in :func:`~crossroads.align`:
    whole profiles of the second model are exchanged between groups (do the models distinguish groups alike?),
    or its traits are renamed in all groups alike (do they order traits alike?). Differences are between
    scores in standard deviations of each model's own cells; they have no test.

    Parameters
    ----------
    first, second, names
        Scores of the two models, and their names; by default those of their provenance.
    draws, level, seed, blocks
        As in :func:`~crossroads.align`.

    Examples
    --------
    >>> import crossroads as cr
    >>> scores = cr.traits.TraitScores.from_table({"women": {"cold-warm": 0.4}, "men": {"cold-warm": -0.1}})
    >>> round(cr.traits.compare_traits(scores, scores, names=("small", "large")).kendall_tau, 2)
    1.0
    """
    for given in (first, second):
        if not isinstance(given, TraitScores):
            raise InputError(
                f"scores are of type {type(given).__name__}.",
                hint="give TraitScores, or cr.traits.read_scores(path).",
            )
    whole("draws", draws)
    share("level", level)
    seed_of(seed)
    groups, traits, coverage = _shared(first, second)
    x, y = (
        one.scores[np.ix_([one.groups.index(g) for g in groups], [one.traits.index(t) for t in traits])]
        for one in (first, second)
    )
    gone = np.isnan(x) | np.isnan(y)
    x, y = np.where(gone, np.nan, x), np.where(gone, np.nan, y)
    tau, _ = kendall(x.ravel(), y.ravel())
    if np.isnan(tau):
        raise InputError("all scores of one model are equal.", hint="τ needs scores that differ.")
    named = named_blocks(groups, traits, blocks)
    found = exchanges(x, y, named, blocks, draws, generator(seed))
    return CompareTraitsResult(
        models=_names(names, first, second),
        measures=(first.measure, second.measure),
        groups=groups,
        traits=traits,
        kendall_tau=tau,
        interval=tau_interval(x, y, level, named.values()),
        exchanges={kind: TraitExchange(**exchanged) for kind, (_, exchanged) in found.items()},
        first_scores=_standardised(x),
        second_scores=_standardised(y),
        known=read_only(~gone),
        coverage=coverage,
        conventions={
            "measure": "compare traits",
            "tau": "b, over all cells",
            "difference": "in standard deviations of the cells of each model",
            "draws": draws,
            "interval": "jackknife of artanh τ, groups and traits drawn, in blocks where wider",
            "blocks": blocks if blocks is None or isinstance(blocks, str) else "given",
            "alternative": "two-sided",
            "level": level,
            "seed": seed,
        },
        provenance=(*first.provenance, *second.provenance),
    )


def _names(given: Any, *both: TraitScores) -> tuple[str, str]:
    """The names of two models; without, those of their provenance."""
    if given is None:
        known = (model_name(one.provenance[0]) if one.provenance else None for one in both)
        first, second = (name or default for name, default in zip(known, ("first", "second"), strict=True))
        return first, second
    if isinstance(given, tuple | list) and len(given) == 2 and all(isinstance(name, str) for name in given):
        return given[0], given[1]
    raise InputError(f"names is {in_short(given)}.", hint='give two names, such as ("BERT", "RoBERTa").')


def _shared(first: TraitScores, second: TraitScores) -> tuple[tuple[str, ...], tuple[str, ...], Coverage]:
    """The groups and traits that both have, in the order of the first."""
    used: dict[str, tuple[str, ...]] = {}
    dropped: dict[str, dict[str, str]] = {}
    for kind in ("groups", "traits"):
        one, two = getattr(first, kind), getattr(second, kind)
        used[kind] = tuple(name for name in one if name in two)
        if not used[kind]:
            raise InputError(
                f"the two models have no {kind} in common: {join_words(one, most=4)}; "
                f"{join_words(two, most=4)}.",
                hint="compare scores of the same groups and traits.",
            )
        dropped[kind] = {name: "not scored by the second model" for name in one if name not in two}
        dropped[kind] |= {name: "not scored by the first model" for name in two if name not in one}
    coverage = Coverage(policy="drop", used=used, dropped=dropped, respelled={})
    return used["groups"], used["traits"], coverage


def _standardised(cells: Floats) -> Any:
    """Scores in standard deviations of all cells, 0 where there is none."""
    z = (cells - np.nanmean(cells)) / np.nanstd(cells, ddof=1)
    return read_only(np.where(np.isnan(z), 0.0, z))

"""Alignment: how far a model's associations of groups with traits agree with people's (Cao et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import lgamma, log
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, UnknownNameError, in_short
from crossroads.evidence.judgements import HIGH, LOW, Judgements
from crossroads.inference.agreement import (
    exchanged_sums,
    exchanged_taus,
    kendall,
    kendall_many,
    orders_within,
    tau_interval,
    top_shares,
    two_sided,
)
from crossroads.inference.bootstrap import generator, percentile_interval, resampled_weights
from crossroads.inference.options import number, seed_of, share, whole
from crossroads.measures.traits.ceiling import Noise, NoiseCeiling, noise_ceiling, simulate_noise
from crossroads.measures.traits.files import Scores, TraitTable, trait_table
from crossroads.measures.traits.shared import SharedCells, has_own_traits, judgements_of, shared_cells
from crossroads.results import Conclusion, Result, Row, Values, long_row, numbers, status_of
from crossroads.stimuli import catalog
from crossroads.stimuli.abc_names import GROUPS, TRAITS
from crossroads.wording import phrases
from crossroads.wording.numbers import P, percent
from crossroads.wording.table import Column, Interval, Table

Floats = NDArray[np.float64]
EXCHANGES = ("groups", "traits")
_ENOUGH = 1000
"""Arrangements within blocks of the catalogue from which these are used."""


@dataclass(frozen=True, kw_only=True)
class GroupAlignment:
    """Agreement on one group."""

    kendall_tau: float | None
    """Kendall's τ-b over its traits; None where all scores of a side are equal."""
    kendall_pvalue: float | None
    """Two-sided p-value of the same, under random order of the traits."""
    precision_at_3: float | None
    """Mean of the two shares below; None with fewer than k traits."""
    precision_top: float | None
    """Share of the model's k highest traits that people rate above the threshold."""
    precision_bottom: float | None
    """Share of the model's k lowest traits that people rate below it."""
    traits: int
    """Traits with a score on both sides."""
    annotators: int
    """People who rated the group; 0 where only means are known."""
    ceiling: float | None
    """The τ-b that the population means would have with the means of the annotators."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """Agreement that remains when the labels of one side are exchanged."""

    pvalue: float
    """Two-sided p-value of the observed τ-b among those with exchanged labels."""
    tau: float
    """The observed τ-b, on the groups that have every trait."""
    expected_tau: float
    """Mean τ-b with exchanged labels."""
    precision_pvalue: float
    """Two-sided p-value of the observed precision."""
    expected_precision: float
    """Mean precision with exchanged labels."""
    permutations: int
    """Number of exchanges."""
    blocks: int = 1
    """Number of blocks within which labels were exchanged; 1 where any two could be."""


TAU = Column(key="tau", head="τ", note="Kendall's τ-b over all groups and traits")
P_GROUPS = Column(
    key="p_groups",
    head="p (groups)",
    note="people's profiles go to other groups (of the domain)",
)
CEILING = Column(key="ceiling", head="ceiling", note="what all people think, with those asked", spare=1)


def precision_column(ks: Iterable[int]) -> Column:
    """The column of precision at ``k``; the head says it, where it is one for all rows."""
    each = " or ".join(map(str, dict.fromkeys(ks)))
    note = f"share of the model's {each} highest and {each} lowest traits that people put on the same side"
    return Column(key="precision", head=f"P@{each if each.isdigit() else 'k'}", note=note, spare=3)


_MATCHED = (
    *("kendall_tau", "kendall_pvalue", "precision_at_3", "precision_top", "precision_bottom"),
    *("traits", "annotators", "ceiling"),
)


def alignment_name(name: str) -> str:
    """Name of the agreement with people, such as ``SeT alignment``."""
    return f"{name} alignment"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AlignmentResult(Result):
    """Agreement of a model's scores with human judgements."""

    section: ClassVar[str] = "people"
    cites: ClassVar[tuple[str, ...]] = ("cao2022theory", "kendall1945treatment", "efron1979bootstrap")
    stem: ClassVar[str] = "alignment"
    figure: ClassVar[str] = "traits.heatmap:trait_heatmap"
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "alignment": (
            *("kendall_tau", "low", "high", "kendall_pvalue", "p_groups", "p_traits"),
            *("precision_at_3", "ceiling", "left_out"),
        )
    }

    measure: str
    """The measure of the scores."""
    kendall_tau: float
    """Kendall's τ-b over all cells of groups and traits together."""
    kendall_pvalue: float
    """Its two-sided p-value as published: it treats all cells as independent, which they are not."""
    interval: tuple[float, float] | None
    """Interval of τ-b for other groups and other traits; None without resamples, or for fewer than three
    groups or traits."""
    annotator_interval: tuple[float, float] | None
    """Interval of τ-b from resampling people, centred on τ-b; None where only means are known."""
    exchanges: Mapping[str, Exchange]
    """``groups``: human profiles are exchanged between groups; ``traits``: the names of traits are exchanged,
    for all groups alike; within blocks where there are such. Empty where fewer than three groups have every
    trait, or without permutations."""
    precision_at_3: float
    """Mean over groups of the precision at k, half of it at the top and half at the bottom."""
    precision_interval: tuple[float, float] | None
    """Interval of the same from resampling groups."""
    precision_chance: float
    """Precision of a random order of the traits: one half, less what people rate at the threshold."""
    by_group: Mapping[str, GroupAlignment]
    """Agreement on each group."""
    ceiling: float | None
    """Noise ceiling: the τ-b that the population means would have with the means of the annotators; None
    where only means are known."""
    noise: NoiseCeiling | None
    """How well people agree with each other."""
    k: int
    """Number of traits at either end used for precision; 3 as published."""
    model_scores: Mapping[str, Mapping[str, float]]
    """The model's scores compared: group → trait → score."""
    human_scores: Mapping[str, Mapping[str, float]]
    """The human means compared: group → trait → mean."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups compared."""
        return tuple(self.by_group)

    @property
    def traits(self) -> tuple[str, ...]:
        """The traits compared."""
        return tuple(dict.fromkeys(trait for row in self.human_scores.values() for trait in row))

    @property
    def permutation_pvalue(self) -> float | None:
        """The p-value of exchanging groups: whether the model distinguishes groups as people do."""
        found = self.exchanges.get("groups")
        return None if found is None else found.pvalue

    def rows(self) -> list[dict[str, Any]]:
        """One row per group, and one for all."""
        names = ("kendall_tau", "kendall_pvalue", "precision_at_3", "precision_top", "precision_bottom")
        more = ("traits", "annotators", "ceiling")
        overall = {"group": "all groups", **{name: getattr(self, name, None) for name in names}}
        return [
            *({"group": g, **{n: getattr(a, n) for n in (*names, *more)}} for g, a in self.by_group.items()),
            {**overall, "traits": len(self.traits), "annotators": None, "ceiling": self.ceiling},
        ]

    @property
    def label(self) -> str:
        """The measure; an audit may name the people before it."""
        return alignment_name(phrases.measure(self.measure))

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """Whether the model and people agree."""
        ends, tau = self.interval, self.kendall_tau
        outside = ends is not None and not ends[0] <= 0 <= ends[1]
        verb = "agrees" if tau > 0 else "disagrees"
        order = f"by {phrases.measure(self.measure)}, the order of groups on traits"
        said = {
            "holds": f"{verb} with that of people, and would with other groups and traits",
            "depends": f"{verb} with that of people on these groups",
            "absent": "was not found to agree with that of people",
            "unknown": "has no interval over other groups and traits, so it cannot be told whether it agrees "
            "with that of people",
        }
        yield Conclusion(
            name=name,
            status="holds" if outside else status_of(ends and 1.0, self.permutation_pvalue),
            wordings={status: (f"{order} {text}",) for status, text in said.items()},
            subject="agreement with people",
            poles=("opposite", "agreement"),
            scale="τ",
            drawn="groups and traits",
            numbers=numbers(
                value=("kendall_tau", tau),
                low=("interval/0", None if ends is None else ends[0]),
                high=("interval/1", None if ends is None else ends[1]),
            ),
        )

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per measure and kind of people."""
        rows = []
        for name, one in results.items():
            traits, groups = one.exchanges.get("traits"), one.permutation_pvalue
            row: Row = {"measure": name.removesuffix(" alignment"), "groups": len(one.groups)}
            row |= {"tau": one.kendall_tau, "interval": one.interval and Interval(*one.interval)}
            row |= {"p_groups": None if groups is None else P.of(groups, "monte-carlo")}
            row |= {"p_traits": None if traits is None else P.of(traits.pvalue, "monte-carlo")}
            rows.append({**row, "precision": one.precision_at_3, "ceiling": one.ceiling})
        levels = dict.fromkeys(percent(float(one.conventions.get("level", 0.95))) for one in results.values())
        columns = (
            Column(key="measure", head="measure"),
            Column(key="groups", head="groups", kind="count", spare=2),
            TAU,
            Column(key="interval", head="CI", note=f"{', '.join(levels)}, for other groups and traits"),
            P_GROUPS,
            Column(
                key="p_traits",
                head="p (traits)",
                note="traits (of a scale) are renamed alike in all groups",
                spare=1,
            ),
            precision_column(one.k for one in results.values()),
            CEILING,
        )
        return Table(name="alignment", title="Agreement with people", columns=columns, rows=tuple(rows))

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number, of all groups and of each."""
        measure, overall = "alignment", "all groups"
        low, high = self.interval or (None, None)
        yield long_row(measure, name, overall, "kendall_tau", self.kendall_tau, low=low, high=high)
        free = {"method": "as if independent"}
        yield long_row(measure, name, overall, "kendall_pvalue", self.kendall_pvalue, **free)
        low, high = self.precision_interval or (None, None)
        yield long_row(measure, name, overall, "precision_at_3", self.precision_at_3, low=low, high=high)
        yield long_row(measure, name, overall, "precision_chance", self.precision_chance)
        yield long_row(measure, name, overall, "k", self.k)
        if self.annotator_interval is not None:
            low, high = self.annotator_interval
            yield long_row(measure, name, overall, "annotator_interval", None, low=low, high=high)
        for kind, one in self.exchanges.items():
            part, drawn = f"exchange of {kind}", {"method": "monte-carlo", "n": one.permutations}
            yield long_row(measure, name, part, "kendall_tau", one.tau, exact_p=one.pvalue, **drawn)
            for statistic in ("expected_tau", "precision_pvalue", "expected_precision"):
                yield long_row(measure, name, part, statistic, getattr(one, statistic), **drawn)
        for statistic, value in ({} if self.noise is None else vars(self.noise)).items():
            if isinstance(value, tuple) and len(value) == 2:
                yield long_row(measure, name, "people", statistic, None, low=value[0], high=value[1])
            elif isinstance(value, (int, float)):
                yield long_row(measure, name, "people", statistic, value)
        for group, found in self.by_group.items():
            for statistic in _MATCHED:
                yield long_row(measure, name, f"group {group}", statistic, getattr(found, statistic))
        for side in ("model", "human"):
            for group, line in getattr(self, f"{side}_scores").items():
                for trait, score in line.items():
                    yield long_row(measure, name, f"{group}, {trait}", f"{side}_score", score)

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """Its statistics; ``p_groups`` is the p-value of exchanged groups, ``p_traits`` that of traits."""
        low, high = self.interval or (None, None)
        traits = self.exchanges.get("traits")
        values: Values = {
            "kendall_tau": self.kendall_tau,
            "low": low,
            "high": high,
            "kendall_pvalue": self.kendall_pvalue,
            "p_groups": self.permutation_pvalue,
            "p_traits": None if traits is None else traits.pvalue,
            "precision_at_3": self.precision_at_3,
            "ceiling": self.ceiling,
            "left_out": self.left_out(),
        }
        yield name, "alignment", values


def align(
    scores: Scores | Mapping[str, Mapping[str, float]] | TraitTable,
    human: Judgements | str | Path | Mapping[str, Mapping[str, float]],
    *,
    threshold: float = 50.0,
    k: int = 3,
    permutations: int = 999,
    bootstrap: int = 1000,
    splits: int = 100,
    level: float = 0.95,
    seed: int = 0,
    groups: Iterable[str] | None = None,
    blocks: Mapping[str, str] | Literal["catalogue"] | None = "catalogue",
) -> AlignmentResult:
    """Compare a model's scores of groups on traits with human judgements.

    Parameters
    ----------
    scores
        A result with ``groups``, ``traits`` and ``scores`` (ILPS, SeT, group CEAT), or a mapping group →
        trait → score; higher is closer to the right end of a pair.
    human
        Judgements, a file of them, or a mapping group → trait → mean from 0 to 100.
    threshold
        Threshold of human means for precision; a mean equal to it is on neither side.
    k
        Number of traits at either end of the model's order used for precision. Traits of equal score share
        the last places.
    permutations
        Number of exchanges of labels; 0 for none.
    bootstrap
        Number of resamples for the interval of precision; 0 for no intervals at all.
    splits
        Number of divisions of the people, and of simulated samples of people, for the noise ceiling; 0 for
        none.
    level
        Level of the intervals.
    seed
        Seed of all random draws.
    groups
        Groups to compare, such as all but those of a pilot, by any name in the catalogue; all by default.
    blocks
        Labels are exchanged within blocks: ``"catalogue"``, groups of one domain and traits of one scale,
        where the catalogue knows those of all; a mapping from names of groups or traits to their block; or
        None, so that any two may be exchanged. Blocks of the catalogue are used where they leave at least
        1,000 arrangements.

    Notes
    -----
    τ-b pools all cells, as published: scores are compared between groups as well as within. Precision is
    averaged over the groups that have scores. A random order of traits has a precision of one half, whatever
    the human means: the share of traits above the threshold at the top and the share below at the bottom add
    up to 1.

    Three p-values answer three questions. ``kendall_pvalue`` is the published one; it treats cells as
    independent. Exchanging ``groups`` gives each group the human profile of another: it tests whether the
    model distinguishes groups as people do, beyond what all groups have in common. Exchanging ``traits``
    renames the traits of one side, for all groups alike: it tests whether the order of the traits, common to
    groups or not, agrees. Both keep profiles intact, so that cells of one group or one trait may be
    dependent. They use the groups that have every trait. An exchange holds its level if the labels exchanged
    are alike but for what is tested. Groups of one domain are more alike than others, and so are traits of
    one scale: on independent tables of 25 groups in nine domains by 16 traits in three factors,
    unrestricted exchanges are below .05 in 12 to 30 % (groups) and 16 to 48 % (traits), within blocks
    in 3 to 8 %. Agreement between domains, or between scales, does not count within blocks.

    The interval leaves out each group and each trait in turn. On such tables it held 0 in 95 to 98 %, also
    where all groups share the levels of traits; in 73 % where all groups of a domain share a level, and in
    52 % where all traits of a factor do: it is for other groups and traits of many domains and factors.

    *Departures:* the paper prints neither intervals nor a ceiling, and does not say how ties are treated.

    References
    ----------
    Cao, Y. T., Sotnikova, A., Daumé III, H., Rudinger, R. and Zou, L. (2022).
    doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    >>> import crossroads as cr
    >>> people = {
    ...     "nurses": {"cold-warm": 90.0, "powerless-powerful": 40.0, "poor-wealthy": 45.0},
    ...     "bankers": {"cold-warm": 20.0, "powerless-powerful": 85.0, "poor-wealthy": 95.0},
    ... }
    >>> model = {
    ...     "nurses": {"cold-warm": 0.8, "powerless-powerful": -0.1, "poor-wealthy": 0.1},
    ...     "bankers": {"cold-warm": -0.5, "powerless-powerful": 0.4, "poor-wealthy": 0.9},
    ... }
    >>> result = cr.align(model, people, k=1)
    >>> round(result.kendall_tau, 2), result.by_group["nurses"].precision_at_3
    (1.0, 1.0)
    """
    _check_counts(k=k, permutations=permutations, bootstrap=bootstrap, splits=splits)
    number("threshold", threshold, above=LOW, below=HIGH, hint="give a number between 0 and 100, such as 50.")
    share("level", level)
    seed_of(seed)
    judged = judgements_of(human)
    table = trait_table(scores, own_traits=has_own_traits(judged))
    both, coverage = shared_cells(table, judged, groups)
    if k > len(both.traits):
        raise InputError(f"k is {k}, and there are {len(both.traits)} traits.", hint="use a smaller k.")
    rng = generator(seed)
    tau, pvalue = kendall(both.model.ravel(), both.human.ravel())
    if np.isnan(tau):
        raise InputError("all scores of one side are equal.", hint="τ needs scores that differ.")
    noise = simulate_noise(both.judgements, max(splits, 2), rng) if splits and judged.annotators else None
    limit = None
    if noise is not None:
        limit = noise_ceiling(both.judgements, noise, threshold=threshold, k=k, splits=splits, rng=rng)
    precision = _precision(both, threshold=threshold, k=k)
    if np.isnan(precision).all():
        raise InputError(f"no group has scores on {k} traits on both sides.", hint="use a smaller k.")
    divided = _blocks(both, blocks)
    precision_ends = _precision_interval(precision.mean(axis=0), bootstrap, level, rng)
    people = (
        None
        if noise is None or limit is None or not bootstrap
        else _annotator_interval(both, noise, tau, level)
    )
    return AlignmentResult(
        measure=table.measure,
        kendall_tau=tau,
        kendall_pvalue=pvalue,
        interval=tau_interval(both.model, both.human, level) if bootstrap else None,
        annotator_interval=people,
        exchanges=_exchanges(both, divided, permutations, rng, threshold=threshold, k=k),
        precision_at_3=float(np.nanmean(precision)),
        precision_interval=precision_ends,
        precision_chance=_chance(both, threshold),
        by_group=_by_group(both, precision, limit),
        ceiling=None if limit is None else limit.truth,
        noise=limit,
        k=k,
        model_scores=_nested(both, both.model),
        human_scores=_nested(both, both.human),
        coverage=coverage,
        conventions={
            "measure": "alignment",
            "tau": "b, over all cells",
            "threshold": threshold,
            "k": k,
            "ties at k": "share the last places",
            "at the threshold": "on neither side",
            "permutations": permutations,
            "exchange": ", ".join(EXCHANGES),
            "blocks": blocks if blocks is None or isinstance(blocks, str) else "given",
            "alternative": "two-sided",
            "interval": "jackknife, groups and traits drawn",
            "bootstrap": bootstrap,
            "level": level,
            "splits": splits,
            "seed": seed,
        },
        provenance=(*table.provenance, judged.provenance),
    )


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        whole(name, value, least=1 if name == "k" else 0)


def _precision(both: SharedCells, *, threshold: float, k: int) -> Floats:
    """Precision at the top and at the bottom, by group: two rows; NaN with fewer than k traits."""
    top, bottom = top_shares(both.model, k), top_shares(-both.model, k)
    human = np.where(np.isnan(both.human), threshold, both.human)
    return np.stack([(top * (human > threshold)).sum(axis=1), (bottom * (human < threshold)).sum(axis=1)]) / k


def _chance(both: SharedCells, threshold: float) -> float:
    """Precision of a random order of traits."""
    sides = (both.human > threshold).sum(axis=1) + (both.human < threshold).sum(axis=1)
    return float(np.mean(sides / (~np.isnan(both.human)).sum(axis=1)) / 2)


def _by_group(both: SharedCells, precision: Floats, limit: NoiseCeiling | None) -> dict[str, GroupAlignment]:
    found = {}
    raters = (~np.isnan(both.judgements.ratings)).any(axis=2).sum(axis=0)
    for g, group in enumerate(both.groups):
        tau, pvalue = kendall(both.model[g], both.human[g])
        found[group] = GroupAlignment(
            kendall_tau=_known(tau),
            kendall_pvalue=_known(pvalue),
            precision_at_3=_known(precision[:, g].mean()),
            precision_top=_known(precision[0, g]),
            precision_bottom=_known(precision[1, g]),
            traits=int((~np.isnan(both.model[g])).sum()),
            annotators=int(raters[g]),
            ceiling=None if limit is None else limit.by_group.get(group),
        )
    return found


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _precision_interval(
    precision: Floats, resamples: int, level: float, rng: np.random.Generator
) -> tuple[float, float] | None:
    """Interval of the mean precision from resampling groups, with the traits as given."""
    known = precision[~np.isnan(precision)]
    if not resamples or len(known) < 2:
        return None
    return percentile_interval(resampled_weights(len(known), resamples, rng) @ known, level)


def _blocks(both: SharedCells, given: object) -> dict[str, tuple[str, ...]]:
    """The block of each group and of each trait; one for all where there are none."""
    names = {"groups": both.groups, "traits": both.traits}
    none = {kind: ("",) * len(items) for kind, items in names.items()}
    if given is None:
        return none
    if given == "catalogue":
        known = {
            "groups": {g.name: g.categories.get("domain", "") for g in catalog().groups(GROUPS).members},
            "traits": {pair.name: pair.scale for pair in catalog().traits(TRAITS)},
        }
        found = {kind: tuple(known[kind].get(item) or "" for item in items) for kind, items in names.items()}
        return {
            kind: some if all(some) and _arrangements(some) >= log(_ENOUGH) else none[kind]
            for kind, some in found.items()
        }
    if not isinstance(given, Mapping):
        raise InputError(
            f"blocks is {in_short(given)}.",
            hint="use 'catalogue', None, or a mapping from groups or traits to their blocks.",
        )
    for name in given:
        if name not in (*both.groups, *both.traits):
            raise UnknownNameError("group or trait", str(name), (*both.groups, *both.traits))
    found = {}
    for kind, items in names.items():
        here = [item for item in items if item in given]
        if here and len(here) < len(items):
            lost = next(item for item in items if item not in given)
            raise InputError(
                f"blocks has {here[0]!r} and not {lost!r}.", hint=f"give the block of all {kind}, or of none."
            )
        found[kind] = tuple(str(given[item]) for item in items) if here else none[kind]
    return found


def _arrangements(blocks: tuple[str, ...]) -> float:
    """Logarithm of the number of orders that keep items in their blocks; 0 where there is only one."""
    return sum(lgamma(blocks.count(block) + 1) for block in set(blocks))


def _annotator_interval(
    both: SharedCells, noise: Noise, tau: float, level: float
) -> tuple[float, float] | None:
    """Interval from resampling people, centred on τ-b because resampled means are noisier."""
    errors = np.where(np.isnan(noise.errors), 0.0, noise.errors)  # cells of which only the mean is known stay
    drawn = both.human[None] + errors
    taus = kendall_many(drawn.reshape(len(drawn), -1), both.model.reshape(1, -1))
    taus = taus[~np.isnan(taus)]  # undefined where all resampled means are equal
    if not len(taus):
        return None
    low, high = percentile_interval(tau + taus - taus.mean(), level)
    return max(-1.0, low), min(1.0, high)


def _exchanges(
    both: SharedCells,
    blocks: Mapping[str, tuple[str, ...]],
    permutations: int,
    rng: np.random.Generator,
    *,
    threshold: float,
    k: int,
) -> dict[str, Exchange]:
    whole = ~np.isnan(both.model).any(axis=1)
    if not permutations or whole.sum() < 3 or len(both.traits) < 3:
        return {}
    model, human = both.model[whole], both.human[whole]
    shares = np.stack([top_shares(model, k), top_shares(-model, k)])
    sides = np.stack([human > threshold, human < threshold]).astype(np.float64)
    scale = 2 * k * len(model)
    found = {}
    tables = {"groups": "egt,eht->gh", "traits": "egt,egs->ts"}
    for name, sums in tables.items():
        x, y = (model, human) if name == "groups" else (model.T, human.T)
        within = blocks[name]
        if name == "groups":
            within = tuple(np.array(within)[whole].tolist())
        if not _arrangements(within):
            continue  # every block has one member: nothing can be exchanged
        orders = orders_within(within, permutations, rng)
        same = np.arange(len(x))[None]
        taus = exchanged_taus(x, y, np.concatenate([same, orders]))
        precise = exchanged_sums(np.einsum(sums, shares, sides), np.concatenate([same, orders])) / scale
        if np.isnan(taus).any():
            return {}
        found[name] = Exchange(
            pvalue=two_sided(float(taus[0]), taus[1:]),
            tau=float(taus[0]),
            expected_tau=float(taus[1:].mean()),
            precision_pvalue=two_sided(float(precise[0]), precise[1:]),
            expected_precision=float(precise[1:].mean()),
            permutations=permutations,
            blocks=len(set(within)),
        )
    return found


def _nested(both: SharedCells, values: Floats) -> dict[str, dict[str, float]]:
    return {
        group: {trait: float(v) for trait, v in zip(both.traits, row, strict=True) if not np.isnan(v)}
        for group, row in zip(both.groups, values, strict=True)
    }

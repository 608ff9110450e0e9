"""Models compared on the items of benchmarks that other programs ran: paired, clustered, adjusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from crossroads.errors import InputError, UnknownNameError, in_short, join_words, one_of
from crossroads.evidence.runs import Metric, Run, RunItem, Runs
from crossroads.inference.clustered import (
    DRAWS,
    ClusterMean,
    SignFlip,
    cluster_exchange,
    cluster_mean,
    cluster_sign_flip,
    detectable_mean,
    items_needed,
    ratio_values,
)
from crossroads.inference.crossed import LEVEL
from crossroads.inference.multiplicity import adjust_known
from crossroads.inference.options import number, seed_of, share, whole
from crossroads.inference.permutation.scores import Floats
from crossroads.measures.comparison.battery import Against
from crossroads.measures.comparison.run_results import ITEMS, RunDifference, RunMean, RunsResult, named
from crossroads.wording.numbers import counted

_MOST_NAMED = 5


def compare_runs(
    runs: Runs,
    *,
    metric: str | Sequence[str] | None = None,
    cluster: str | None = None,
    by: str | None = None,
    against: Against = "all",
    difference: float | None = None,
    level: float = LEVEL,
    alpha: float = 0.05,
    power: float = 0.8,
    draws: int = DRAWS,
    seed: int = 0,
) -> RunsResult:
    r"""Compare models on the same items of benchmarks.

    Both models answered the same items, so that the difference is taken item by item: what makes an item hard
    for both cancels out. Items that share a template or a sentence are not independent: whole clusters count
    as drawn, with the variance CR2 and the degrees of freedom of Bell and McCaffrey (2002). Beside that t
    test stands one that exchanges the two models in whole clusters, counted where that is possible. p-values
    are adjusted over all differences of the result.

    Parameters
    ----------
    runs
        What :func:`~crossroads.read_runs` returns.
    metric
        Names of metrics; all of the logs if left out.
    cluster
        The label that items share, a field of the logged data; ``"none"`` if every item is by itself. If left
        out, the question of BBQ, the sentence frame of CrowS-Pairs and the term of StereoSet are used.
    by
        A label by whose values the items are divided, such as ``"category"`` or ``"bias_type"``.
    against
        ``"all"`` compares every two models, ``"first"`` all others with the first.
    difference
        Smallest difference that would matter: how many items would show it is computed.
    level
        Level of the intervals.
    alpha, power
        Level of the test and power for what can be detected.
    draws, seed
        Number of random exchanges where they cannot all be counted, and their seed.

    Notes
    -----
    Ratios, such as the bias score of BBQ in disambiguated contexts, are linearised (delta method) for
    intervals and t tests; exchanges compute them anew.

    In simulations of 8, 15 and 40 clusters, of equal sizes or not, whose items are correlated within and
    between models, t tests rejected 4 to 6 % of true nulls at .05 and exchanges 2 to 5 %, where a t test over
    items rejected 16 to 22 %; 94 to 96 % of 95 % intervals held the true difference, and of ratios 92 to
    96 %.

    Examples
    --------
    >>> from crossroads.evidence.runs import Metric, Run, RunItem, Runs
    >>> import crossroads as cr
    >>> def run(model, right):
    ...     items = [
    ...         RunItem(
    ...             id=str(i),
    ...             digest="",
    ...             values={"acc": (float(i in right), 1.0)},
    ...             labels={"story": str(i // 3)},
    ...         )
    ...         for i in range(24)
    ...     ]
    ...     return Run(model=model, task="quiz", items=tuple(items), metrics={"acc": Metric(name="acc")})
    >>> runs = Runs([run("old", range(0, 24, 3)), run("new", [i for i in range(24) if i % 4])])
    >>> found = cr.compare_runs(runs, cluster="story").differences[0]
    >>> round(found.found.mean, 3), found.found.clusters, found.flip.method
    (-0.417, 8, 'exact')
    """
    if not isinstance(runs, Runs):
        raise InputError(f"the runs are {in_short(runs)}.", hint="give what cr.read_runs returns.")
    one_of("against", against, Against)
    options = _Options(
        level=share("level", level),
        alpha=share("alpha", alpha),
        power=share("power", power),
        draws=whole("draws", draws, least=1),
        seed=seed_of(seed),
        difference=None
        if difference is None
        else number("difference", difference, above=0.0, hint="give a number above 0."),
    )
    wanted = _wanted(runs, metric)
    _check_label("cluster", cluster, runs)
    _check_label("by", by, runs)
    means: list[RunMean] = []
    found: list[RunDifference] = []
    skipped: dict[str, str] = {}
    notes: dict[str, None] = {}
    clusters: dict[str, str] = {}
    for task in runs.tasks:
        own = runs.of(task)
        shared = clusters[task] = cluster or next((one.cluster for one in own.values() if one.cluster), ITEMS)
        for one in own.values():
            notes.update(dict.fromkeys(_said(one)))
            means += [
                mean for part in _parts(one.items, by) for mean in _means(one, part, wanted, shared, options)
            ]
        for first, second in combinations(own.values(), 2):
            if against == "first" and first.model != next(iter(own)):
                continue
            pairs, said = _paired(first, second)
            notes.update(dict.fromkeys(said))
            if not pairs:
                skipped[f"{task}, {first.model} / {second.model}"] = "the runs have no items in common"
                continue
            for subset, some in _parts([one for one, _ in pairs], by):
                ids = {one.id for one in some}
                both = [pair for pair in pairs if pair[0].id in ids]
                for name in _shared_metrics(first, second, wanted):
                    made = _difference(first, second, name, subset, both, shared, options)
                    if isinstance(made, str):
                        skipped[f"{named(task, name, subset)}, {first.model} / {second.model}"] = made
                    elif made is not None:
                        found.append(made)
                        notes.update(dict.fromkeys(_too_few(made)))
    known = [None if one.neutral is None else one.found.pvalue for one in means]
    metrics = {name: one for run in runs for name, one in run.metrics.items()}
    used = dict.fromkeys([*(one.metric for one in means), *(one.metric for one in found)])
    return RunsResult(
        models=runs.models,
        tasks=runs.tasks,
        means=tuple(means),
        differences=tuple(found),
        adjusted=adjust_known([one.found.pvalue for one in found]),
        adjusted_means=adjust_known(known),
        clusters=clusters,
        says={name: metrics[name].says for name in used if metrics[name].says},
        skipped=skipped,
        notes=tuple(notes),
        conventions={
            "measure": "runs",
            "cluster": cluster or "as the logs show",
            "by": by,
            "against": against,
            "interval": "CR2, degrees of freedom of Bell and McCaffrey",
            "adjusted": "all differences, and all values with a neutral one",
            **({"directed scores": "BBQ"} if {"amb_bias_score", "disamb_bias_score"} & set(used) else {}),
            **options.__dict__,
        },
        provenance=tuple(one.provenance for one in runs),
    )


@dataclass(frozen=True, kw_only=True)
class _Options:
    level: float
    alpha: float
    power: float
    draws: int
    seed: int
    difference: float | None


def _wanted(runs: Runs, metric: str | Sequence[str] | None) -> set[str] | None:
    """Names of the metrics to compare; None for all."""
    if metric is None:
        return None
    known = dict.fromkeys(name for one in runs for name in one.metrics)
    names = [metric] if isinstance(metric, str) else list(metric)
    for name in names:
        if name not in known:
            raise UnknownNameError("metric", name, known)
    return set(names)


def _check_label(option: str, name: str | None, runs: Runs) -> None:
    """Check that some item has a label of this name."""
    if name is None or (option == "cluster" and name == ITEMS):
        return
    known = dict.fromkeys(label for run in runs for item in run.items for label in item.labels)
    if name not in known:
        raise UnknownNameError(f"{option} label", name, [*known, *([ITEMS] if option == "cluster" else [])])


def _said(run: Run) -> Iterator[str]:
    """Samples without a score, repetitions, and other things to know of a run."""
    for why, count in run.lost.items():
        yield f"{run.model} on {run.task}: {counted(count, 'sample')} without a score ({why})"
    repeated = {one.epochs for one in run.items}
    if max(repeated, default=1) > 1:
        many = str(max(repeated)) if len(repeated) == 1 else f"{min(repeated)} to {max(repeated)}"
        yield f"{run.model} on {run.task}: mean of {many} repetitions per item"
    yield from (f"{run.model} on {run.task}: {note}" for note in run.notes)


def _too_few(one: RunDifference) -> Iterator[str]:
    """That not even the largest difference would be shown."""
    if one.detectable is None and one.found.se is not None:
        clusters = counted(one.found.clusters, "cluster")
        yield f"{one.name}: {clusters} cannot show even the largest difference with the power asked for"


def _parts(items: Iterable[RunItem], by: str | None) -> Iterator[tuple[str, list[RunItem]]]:
    """All items, and those with each value of a label."""
    some = list(items)
    yield "", some
    if by is not None:
        for value in sorted({one.labels[by] for one in some if by in one.labels}):
            yield value, [one for one in some if one.labels.get(by) == value]


def _clusters(items: Iterable[RunItem], label: str) -> list[str] | None:
    """What each item belongs to; an item without the label is by itself."""
    if label == ITEMS:
        return None
    return [one.labels.get(label, f"item {one.id}") for one in items]


def _means(
    run: Run, part: tuple[str, list[RunItem]], wanted: set[str] | None, label: str, options: _Options
) -> Iterator[RunMean]:
    """Every metric of a model on a part of its items."""
    subset, items = part
    for name, about in run.metrics.items():
        some = [one for one in items if name in one.values]
        if not some or (wanted is not None and name not in wanted):
            continue
        tops, bottoms = _columns(some, name)
        values = ratio_values(tops, bottoms)
        if values is None:
            continue
        groups = _clusters(some, label)
        found = cluster_mean(values, groups, null=about.neutral or 0.0, level=options.level)
        if about.neutral is None:  # there is nothing to test against
            found = replace(found, pvalue=None)
        found = _within(found, about.bounds or _shares(some, name))
        yield RunMean(
            task=run.task,
            metric=name,
            subset=subset,
            model=run.model,
            found=found,
            neutral=about.neutral,
            flip=_leaning(tops, bottoms, about, groups, options),
        )


def _leaning(
    tops: Floats, bottoms: Floats, about: Metric, groups: list[str] | None, options: _Options
) -> SignFlip | None:
    """The sign-flip test against the neutral value: of what lies above it, a ratio having no other sum."""
    if about.neutral is None:
        return None
    return cluster_sign_flip(tops - about.neutral * bottoms, groups, draws=options.draws, seed=options.seed)


def _shares(items: Sequence[RunItem], name: str) -> tuple[float, float] | None:
    """The ends of the scale where values are shares of repetitions, each 0 or 1."""
    hits = np.array([one.values[name][0] * one.epochs for one in items])
    most = np.array([one.epochs for one in items])
    whole_hits = np.abs(hits - np.rint(hits)) < 1e-9
    return (0.0, 1.0) if bool((whole_hits & (hits >= 0) & (hits <= most)).all()) else None


def _within(found: ClusterMean, bounds: tuple[float, float] | None) -> ClusterMean:
    """A mean whose interval does not go beyond the ends of its scale."""
    if found.low is None or found.high is None or bounds is None:
        return found
    return replace(found, low=max(bounds[0], found.low), high=min(bounds[1], found.high))


def _columns(items: Sequence[RunItem], name: str) -> tuple[Floats, Floats]:
    both = np.array([one.values[name] for one in items], dtype=np.float64)
    return both[:, 0], both[:, 1]


def _binary(tops: Floats, bottoms: Floats) -> bool:
    return bool((bottoms == 1).all() and np.isin(tops, (0.0, 1.0)).all())


def _shared_metrics(first: Run, second: Run, wanted: set[str] | None) -> list[str]:
    return [name for name in first.metrics if name in second.metrics and (wanted is None or name in wanted)]


def _paired(first: Run, second: Run) -> tuple[list[tuple[RunItem, RunItem]], list[str]]:
    """Items that both runs have, with the same text; and sentences on the others."""
    known = {one.id: one for one in second.items}
    named_alike = [(one, known[one.id]) for one in first.items if one.id in known]
    pairs = [(one, two) for one, two in named_alike if one.digest == two.digest]
    where = f"{first.task}, {first.model} / {second.model}"
    notes = []
    have = {one.id for one, _ in named_alike}
    for run in (first, second):
        alone = [one.id for one in run.items if one.id not in have]
        if alone and pairs:
            named_ids = join_words(map(in_short, alone), most=_MOST_NAMED)
            notes.append(f"{where}: {counted(len(alone), 'item')} only in {run.model} left out: {named_ids}")
    other = len(named_alike) - len(pairs)
    if other and pairs:
        notes.append(f"{where}: {counted(other, 'item')} left out whose text is not the same in both runs")
    asked = sum(bool(one.prompt and two.prompt and one.prompt != two.prompt) for one, two in pairs)
    if asked:
        notes.append(f"{where}: {counted(asked, 'item')} asked in other words (prompts differ)")
    return pairs, notes


def _difference(
    first: Run,
    second: Run,
    name: str,
    subset: str,
    pairs: list[tuple[RunItem, RunItem]],
    label: str,
    options: _Options,
) -> RunDifference | str | None:
    """The difference of two models; why there is none; None where no item has the metric."""
    both = [pair for pair in pairs if name in pair[0].values and name in pair[1].values]
    if not both:
        return None
    one, two = (_columns([pair[at] for pair in both], name) for at in (0, 1))
    values = ratio_values(*one), ratio_values(*two)
    if values[0] is None or values[1] is None:
        return "a model has no answer that counts"
    groups = _clusters([pair[0] for pair in both], label)
    gaps = values[0] - values[1]
    found = cluster_mean(gaps, groups, level=options.level)
    bounds = first.metrics[name].bounds or _shares([one for pair in both for one in pair], name)
    widest = None if bounds is None else bounds[1] - bounds[0]
    found = _within(found, None if widest is None else (-widest, widest))
    plain = bool((one[1] == 1).all() and (two[1] == 1).all())
    drawn: dict[str, int] = {"draws": options.draws, "seed": options.seed}
    flip = cluster_sign_flip(gaps, groups, **drawn) if plain else cluster_exchange(one, two, groups, **drawn)
    spread = plain and min(float(np.ptp(one[0])), float(np.ptp(two[0]))) > 0
    power = {"alpha": options.alpha, "power": options.power}
    detectable = needed = None
    if found.se is not None and found.df is not None:
        detectable = detectable_mean(found.se, found.df, **power)
        detectable = None if widest is not None and detectable > widest else detectable
        needed = None if options.difference is None else items_needed(found, options.difference, **power)
    items = {run.model: sum(name in item.values for item in run.items) for run in (first, second)}
    alone = sum(items.values()) - 2 * len(both) if not subset else 0
    return RunDifference(
        task=first.task,
        metric=name,
        subset=subset,
        models=(first.model, second.model),
        values=(float(values[0].mean()), float(values[1].mean())),
        found=found,
        flip=flip,
        above=_above(one, two),
        correlation=float(np.corrcoef(one[0], two[0])[0, 1]) if spread else None,
        mcnemar=cluster_sign_flip(gaps).pvalue if _binary(*one) and _binary(*two) else None,
        detectable=detectable,
        needed=needed,
        left_out=alone,
    )


def _above(one: tuple[Floats, Floats], two: tuple[Floats, Floats]) -> tuple[float, float]:
    """Share of items on which each value is the higher one; numerators where there is no ratio."""
    gaps = one[0] - two[0]
    return float((gaps > 0).mean()), float((gaps < 0).mean())

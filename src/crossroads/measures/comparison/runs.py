"""Models compared on the items of benchmarks that other programs ran: paired, clustered, adjusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Self

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
from crossroads.inference.multiplicity import ADJUSTMENTS, adjust_known
from crossroads.inference.options import number, seed_of, share, whole
from crossroads.inference.permutation.scores import Floats
from crossroads.measures.comparison.battery import Against
from crossroads.results import Conclusion, Result, Row, Values, long_row, numbers, status_of
from crossroads.wording import phrases
from crossroads.wording.numbers import P, counted, percent
from crossroads.wording.table import Column, Interval, Table, adjusted_column

ITEMS = "none"
"""Name of the cluster where every item is by itself."""
_MOST_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class RunMean:
    """A metric of one model on the items of a task."""

    task: str
    """Name of the task."""
    metric: str
    """Name of the metric."""
    subset: str
    """Items that it is about, where they were divided; empty for all."""
    model: str
    """Name of the model."""
    found: ClusterMean
    """The value, its interval, and how far it is from ``neutral``."""
    neutral: float | None
    """Value of a model that leans to neither side; None where there is none."""
    flip: SignFlip | None
    """The p-value of leaning to either side by chance, cluster by cluster, from counting; None where there is
    no neutral value."""

    @property
    def name(self) -> str:
        """Task, metric and subset."""
        return named(self.task, self.metric, self.subset)


@dataclass(frozen=True, kw_only=True)
class RunDifference:
    """A metric of two models on the same items."""

    task: str
    """Name of the task."""
    metric: str
    """Name of the metric."""
    subset: str
    """Items that it is about, where they were divided; empty for all."""
    models: tuple[str, str]
    """The two models."""
    values: tuple[float, float]
    """The value of each on the items of both."""
    found: ClusterMean
    """First value less the second, with its interval and p-value over other items of the kind."""
    flip: SignFlip
    """The p-value of exchanging the models in whole clusters."""
    above: tuple[float, float]
    """Share of items on which the first, and on which the second, has the higher value."""
    correlation: float | None
    """Correlation of the values of both over items; None where one does not vary."""
    mcnemar: float | None
    """The exact McNemar test, which takes items as independent; None where values are not 0 and 1."""
    detectable: float | None
    """Smallest true difference that so many items and clusters show with the power asked for; None where not
    even the largest possible difference is."""
    needed: tuple[int, int] | None
    """Items and clusters that would show the difference asked for; None where none was asked for."""
    left_out: int
    """Items of either model that the other does not have, or has with another text."""

    @property
    def name(self) -> str:
        """Task, metric and subset."""
        return named(self.task, self.metric, self.subset)


def named(task: str, metric: str, subset: str) -> str:
    """Name of a comparison: task, metric and subset."""
    return f"{task} {metric}{f', {subset}' if subset else ''}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RunsResult(Result):
    """Metrics of models on benchmarks, and their differences on the same items."""

    section: ClassVar[str] = "comparison"
    stem: ClassVar[str] = "runs"
    figure: ClassVar[str] = "runs:runs_plot"
    cites: ClassVar[tuple[str, ...]] = (
        *("miller2024adding", "bell2002bias", "satterthwaite1946approximate"),
        *("holm1979simple", "benjamini1995controlling"),
    )
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "runs": ("value", "value_low", "value_high", "pvalue", "flip_pvalue", "adjusted", *ADJUSTMENTS),
        "runs difference": (
            *("difference", "difference_low", "difference_high", "pvalue", "flip_pvalue"),
            *("adjusted", *ADJUSTMENTS, "detectable", "left_out"),
        ),
    }

    models: tuple[str, ...]
    """Names of the models, in the order of the logs."""
    tasks: tuple[str, ...]
    """Names of the tasks."""
    means: tuple[RunMean, ...]
    """Every metric of every model on all items that it has."""
    differences: tuple[RunDifference, ...]
    """Every metric of every pair of models on the items of both."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """p-values of the differences, adjusted over all of them, by method (``holm``, ``bh``, ``by``)."""
    adjusted_means: Mapping[str, tuple[float | None, ...]]
    """p-values of leaning to a side, adjusted over all means that have a neutral value."""
    clusters: Mapping[str, str]
    """What items share, by task: a label of the log, or ``none``."""
    says: Mapping[str, str]
    """What metrics mean, where that is known."""
    skipped: Mapping[str, str]
    """Comparisons that could not be made, and why."""
    notes: tuple[str, ...] = ()
    """Samples and items that were left out, and other things to know of the logs, in sentences."""

    @property
    def label(self) -> str:
        """The tasks."""
        return " / ".join(self.tasks)

    @property
    def question(self) -> str:
        """Empty: each metric has its own."""
        return ""

    def adjusted_p(self, how: str = phrases.ADJUSTMENT) -> list[P | None]:
        """Adjusted p-values of the differences."""
        return [None if p is None else P(p) for p in self.adjusted[how]]

    def adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values, by method and number of the difference."""
        return {
            how: {i: p for i, p in enumerate(self.adjusted_p(how)) if p is not None} for how in self.adjusted
        }

    def rows(self) -> list[Row]:
        """One row per difference; per mean where there is one model."""
        if not self.differences:
            return [_mean_row(one) for one in self.means]
        return [
            {
                "task": one.task,
                "metric": one.metric,
                "subset": one.subset,
                "model_1": one.models[0],
                "model_2": one.models[1],
                **_difference_numbers(one),
                **{how: some[i] for how, some in self.adjusted.items()},
                "flip_method": one.flip.method,
            }
            for i, one in enumerate(self.differences)
        ]

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per metric and pair of models; per metric and model where there are no pairs."""
        if not any(one.differences for one in results.values()):
            return cls.tabulate_means(results)
        rows = []
        for one in results.values():
            for found, p in zip(one.differences, one.adjusted_p(), strict=True):
                rows.append(
                    {
                        "test": found.name,
                        "models": " / ".join(found.models),
                        "items": found.found.items,
                        "clusters": found.found.clusters,
                        "first": found.values[0],
                        "second": found.values[1],
                        "difference": found.found.mean,
                        "ci": _interval(found.found),
                        "p": None if found.found.pvalue is None else P(found.found.pvalue),
                        f"p_{phrases.ADJUSTMENT}": p,
                        "flip": P.of(found.flip.pvalue, found.flip.method),
                        "detectable": found.detectable,
                        "needed": None if found.needed is None else found.needed[0],
                    }
                )
        tests = sum(p is not None for one in results.values() for p in one.adjusted[phrases.ADJUSTMENT])
        some = next(iter(results.values())).conventions
        columns = (
            Column(key="test", head="task and metric"),
            Column(key="models", head="models"),
            Column(key="items", head="items", note="those of both models", kind="count"),
            Column(key="clusters", head="clusters", note=_cluster_note(results.values()), kind="count"),
            Column(key="first", head="1", note="value of the first model", digits=3),
            Column(key="second", head="2", note="value of the second model", digits=3),
            Column(key="difference", head="1 − 2", digits=3),
            Column(
                key="ci", head="CI", note=f"of the difference, {_level(some)}, clusters drawn again", digits=3
            ),
            Column(key="p", head="p", note="clusters drawn again, two-sided", spare=1),
            adjusted_column(tests, "difference"),
            Column(key="flip", head="exchange p", note="models exchanged in whole clusters", spare=2),
            Column(key="detectable", head="detectable", note=_power_note(some), digits=3, spare=3),
            Column(key="needed", head="items needed", note=_needed_note(some), kind="count", spare=4),
        )
        title = "Models compared on benchmarks"
        return Table(
            name="runs", title=title, columns=columns, rows=tuple(rows), notes=_notes(results.values())
        )

    @classmethod
    def tabulate_means(cls, results: Mapping[str, Self]) -> Table:
        """One row per metric and model."""
        rows = []
        for one in results.values():
            adjusted = one.adjusted_means[phrases.ADJUSTMENT]
            for found, p in zip(one.means, adjusted, strict=True):
                tested = found.neutral is not None and found.found.pvalue is not None
                rows.append(
                    {
                        "test": found.name,
                        "model": found.model,
                        "items": found.found.items,
                        "clusters": found.found.clusters,
                        "value": found.found.mean,
                        "ci": _interval(found.found),
                        "neutral": found.neutral,
                        "p": P(found.found.pvalue) if tested and found.found.pvalue is not None else None,
                        f"p_{phrases.ADJUSTMENT}": None if p is None else P(p),
                        "flip": None if found.flip is None else P.of(found.flip.pvalue, found.flip.method),
                    }
                )
        tests = sum(p is not None for one in results.values() for p in one.adjusted_means[phrases.ADJUSTMENT])
        some = next(iter(results.values())).conventions
        columns = (
            Column(key="test", head="task and metric"),
            Column(key="model", head="model"),
            Column(key="items", head="items", kind="count"),
            Column(key="clusters", head="clusters", note=_cluster_note(results.values()), kind="count"),
            Column(key="value", head="value", digits=3),
            Column(key="ci", head="CI", note=f"of the value, {_level(some)}, clusters drawn again", digits=3),
            Column(key="neutral", head="neutral", note="value without a leaning to either side", spare=3),
            Column(key="p", head="p", note="against the neutral value, clusters drawn again", spare=1),
            adjusted_column(tests, "value"),
            Column(key="flip", head="flip p", note="clusters leaning to either side by chance", spare=2),
        )
        title = "Models on benchmarks"
        notes = _notes(results.values())
        return Table(name="run_means", title=title, columns=columns, rows=tuple(rows), notes=notes)

    def means_table(self) -> Table:
        """The value of every metric and model, as a table."""
        return type(self).tabulate_means({self.label: self})

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number."""
        for i, mean in enumerate(self.means):
            called, part = mean.name, mean.model
            for statistic, value in _mean_numbers(mean).items():
                if value is not None:
                    yield long_row("runs", called, part, statistic, value)
            for how, some in self.adjusted_means.items():
                if some[i] is not None:
                    yield long_row("runs", called, part, how, some[i])
        for i, one in enumerate(self.differences):
            part = " / ".join(one.models)
            for statistic, value in _difference_numbers(one).items():
                if value is not None:
                    yield long_row("runs", one.name, part, statistic, value)
            for how, some in self.adjusted.items():
                if some[i] is not None:
                    yield long_row("runs", one.name, part, how, some[i])

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """The statistics of every mean and of every difference, for rules."""
        for i, mean in enumerate(self.means):
            known = _mean_numbers(mean)
            values: Values = {key: known.get(key) for key in self.asked["runs"]}
            values |= {how: some[i] for how, some in self.adjusted_means.items()}
            values["adjusted"] = values[phrases.ADJUSTMENT]
            yield f"{mean.name}, {mean.model}", "runs", values
        for i, one in enumerate(self.differences):
            known = _difference_numbers(one)
            values = {key: known.get(key) for key in self.asked["runs difference"]}
            values |= {how: some[i] for how, some in self.adjusted.items()}
            values["adjusted"] = values[phrases.ADJUSTMENT]
            yield f"{one.name}, {' / '.join(one.models)}", "runs difference", values

    def unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Comparisons that could not be made."""
        for one, why in self.skipped.items():
            yield one, "runs difference", why

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """To which side each model leans, and which of two models has the higher value."""
        for i, mean in enumerate(self.means):
            if mean.neutral is None or mean.found.pvalue is None:
                continue
            called, found = mean.name, mean.found
            side = "the stereotype" if found.mean > mean.neutral else "the opposite of the stereotype"
            p = self.adjusted_means[phrases.ADJUSTMENT][i]
            yield Conclusion(
                name=called,
                status=status_of(p, None),
                wordings={
                    "holds": ("on ", called, ", ", mean.model, f" leans to {side}"),
                    "absent": ("it was not found that ", mean.model, " leans to either side on ", called),
                },
                subject=mean.model,
                poles=("against the stereotype", "to the stereotype"),
                scale="value",
                middle=mean.neutral,
                drawn="items",
                numbers=numbers(
                    value=(f"means/{i}/found/mean", found.mean),
                    low=(f"means/{i}/found/low", found.low),
                    high=(f"means/{i}/found/high", found.high),
                ),
            )
        for i, (one, adjusted) in enumerate(zip(self.differences, self.adjusted_p(), strict=True)):
            first, second = one.models
            high, low = (first, second) if one.found.mean >= 0 else (second, first)
            yield Conclusion(
                name=one.name,
                status=status_of(adjusted, None),
                wordings={
                    "holds": ("on ", one.name, ", ", high, " is above ", low),
                    "absent": ("no difference was found between ", first, " and ", second, " on ", one.name),
                },
                subject=one.name,
                poles=(f"more in {second}", f"more in {first}"),
                # a share and a log-likelihood do not fit on one axis
                scale="difference" if max(map(abs, one.values)) <= 1 else f"difference of {one.metric}",
                drawn="items",
                numbers=numbers(
                    value=(f"differences/{i}/found/mean", one.found.mean),
                    low=(f"differences/{i}/found/low", one.found.low),
                    high=(f"differences/{i}/found/high", one.found.high),
                ),
            )

    def left_out(self) -> float:
        """Items that some pair of models does not share."""
        return float(max((one.left_out for one in self.differences), default=0))


def _mean_row(one: RunMean) -> Row:
    about = {"task": one.task, "metric": one.metric, "subset": one.subset, "model": one.model}
    return {**about, **_mean_numbers(one)}


def _mean_numbers(one: RunMean) -> dict[str, float | int | None]:
    return {
        "value": one.found.mean,
        "value_low": one.found.low,
        "value_high": one.found.high,
        "items": one.found.items,
        "clusters": one.found.clusters,
        "neutral": one.neutral,
        "pvalue": one.found.pvalue,
        "flip_pvalue": None if one.flip is None else one.flip.pvalue,
    }


def _difference_numbers(one: RunDifference) -> dict[str, float | int | None]:
    return {
        "value_1": one.values[0],
        "value_2": one.values[1],
        "difference": one.found.mean,
        "difference_low": one.found.low,
        "difference_high": one.found.high,
        "pvalue": one.found.pvalue,
        "flip_pvalue": one.flip.pvalue,
        "items": one.found.items,
        "clusters": one.found.clusters,
        "design_effect": one.found.design_effect,
        "first_above": one.above[0],
        "second_above": one.above[1],
        "correlation": one.correlation,
        "mcnemar": one.mcnemar,
        "detectable": one.detectable,
        "items_needed": None if one.needed is None else one.needed[0],
        "clusters_needed": None if one.needed is None else one.needed[1],
        "left_out": one.left_out,
    }


def _interval(found: ClusterMean) -> Interval | None:
    return None if found.low is None or found.high is None else Interval(found.low, found.high)


def _level(conventions: Mapping[str, Any]) -> str:
    return percent(float(conventions.get("level", LEVEL)))


def _power_note(conventions: Mapping[str, Any]) -> str:
    power = percent(float(conventions.get("power", 0.8)))
    return f"smallest true difference that so many clusters show with a power of {power}"


def _needed_note(conventions: Mapping[str, Any]) -> str:
    asked = conventions.get("difference")
    return "" if asked is None else f"to show a difference of {asked:g} with that power, clusters being alike"


def _cluster_note(results: Iterable[RunsResult]) -> str:
    found = dict.fromkeys(one for result in results for one in result.clusters.values())
    shared = [one for one in found if one != ITEMS]
    return f"items with the same {join_words(shared, last='or')}" if shared else "every item by itself"


def _notes(results: Iterable[RunsResult]) -> tuple[str, ...]:
    some = list(results)
    said = {f"{name}: {text}": None for one in some for name, text in one.says.items()}
    said |= {note: None for one in some for note in one.notes}
    said |= {f"{name}: {why}": None for one in some for name, why in one.skipped.items()}
    reasons = {
        f"no interval of {mean.name} in {mean.model}: {mean.found.reason}": None
        for one in some
        for mean in one.means
        if mean.found.reason is not None and not one.differences
    }
    return tuple(f"{text}." for text in [*said, *reasons])


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
        difference=None if difference is None else number("difference", difference, above=0.0),
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

"""What models come to on benchmarks: their values on each metric, and their differences on the same items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from crossroads.errors import join_words
from crossroads.inference.clustered import ClusterMean, SignFlip
from crossroads.inference.crossed import LEVEL
from crossroads.inference.multiplicity import ADJUSTMENTS
from crossroads.results import Conclusion, Result, Row, Values, long_row, numbers, status_of
from crossroads.wording import phrases
from crossroads.wording.numbers import P, percent
from crossroads.wording.table import Column, Interval, Table, adjusted_column

ITEMS = "none"
"""Name of the cluster where every item is by itself."""


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

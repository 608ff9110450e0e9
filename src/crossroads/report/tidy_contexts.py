"""Rows of the long table for tests over contexts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossroads.measures import (
    CeatBootstrapResult,
    CeatResult,
    CombinedLevel,
    CombinedSimilarity,
    MultilevelCeatResult,
)
from crossroads.report.audit import Audit
from crossroads.report.naming import context_ends
from crossroads.report.tidy_rows import Row, row

_SAMPLED = ("se", "tau2", "i2", "share_positive")


def context_rows(audit: Audit) -> Iterator[Row]:
    """Every number of the tests over contexts but the effect sizes of single samples and single cosines."""
    ends, battery = context_ends(audit), audit.contexts
    if battery is not None:
        for test, holm, bh in zip(battery.tests, battery.holm, battery.bh, strict=True):
            yield from _of_test(test, ends.get(test.design), holm, bh)
        for interval in battery.intervals.values():
            yield from _of_interval(interval)
    for levels in audit.context_levels:
        yield from _of_levels(levels)
    for interval in audit.context_intervals:
        yield from _of_interval(interval)


def _of_test(test: CeatResult, ends: tuple[float, float] | None, holm: float, bh: float) -> Iterator[Row]:
    name, n = test.design, int(test.sample_effect_sizes.size)
    low, high = ends or (None, None)
    stimuli = {"pvalue": test.stimulus_pvalue, "adjusted": bh, "method": test.stimulus_method}
    yield _combined("ceat", name, "samples", test, n)
    for statistic in (*_SAMPLED, "pvalue", "log10_pvalue"):
        yield row("ceat", name, "samples", statistic, getattr(test, statistic), n=n)
    stimulus = test.stimulus_effect_size
    yield row("ceat", name, "stimuli", "effect_size", stimulus, low=low, high=high, **stimuli)
    yield row("ceat", name, "stimuli", "holm", holm, method=test.stimulus_method)
    yield row("ceat", name, "stimuli", "bh", bh, method=test.stimulus_method)
    for word, association in test.associations.items():
        yield row("ceat", name, word, "association", association)
    for word, count in test.contexts.items():
        yield row("ceat", name, word, "contexts", count)


def _combined(measure: str, test: str, part: str, level: CeatResult | CombinedLevel, n: int) -> Row:
    """The combined effect size, with the interval of further samples and the published p-value."""
    low, high = level.prediction_interval
    p = {"pvalue": level.pvalue, "method": "normal"}
    return row(measure, test, part, "effect_size", level.effect_size, low=low, high=high, n=n, **p)


def _of_interval(interval: CeatBootstrapResult) -> Iterator[Row]:
    ends = {"low": interval.low, "high": interval.high, "n": interval.resamples}
    part = f"interval over {'words and contexts' if interval.drawn == 'both' else interval.drawn}"
    measure, name = "ceat-bootstrap", interval.design
    yield row(measure, name, part, "effect_size", interval.effect_size, method=interval.interval, **ends)
    for statistic in ("resamples", "undefined", "level"):
        yield row(measure, name, part, statistic, getattr(interval, statistic))


def _of_levels(test: MultilevelCeatResult) -> Iterator[Row]:
    name, n = test.design, int(test.sample_effect_sizes.size)
    levels = {"level 1": test.level1, **{f"level 2 {key}": one for key, one in test.level2.items()}}
    for part, level in levels.items():
        yield from _of_level(name, part, level, n)
    for key, cell in test.level3.items():
        yield from _of_cell(name, f"level 3 {key}", cell, n)
    measure = "multilevel-ceat"
    yield row(measure, name, test.pattern, "pattern", test.pattern_shares.get(test.pattern), n=n)
    yield row(measure, name, test.published_pattern, "published_pattern", None)
    for pattern, share in test.pattern_shares.items():
        yield row(measure, name, pattern, "pattern_share", share, n=n)


def _of_level(name: str, part: str, level: CombinedLevel, n: int) -> Iterator[Row]:
    measure = "multilevel-ceat"
    yield _combined(measure, name, f"{part} samples", level, n)
    for statistic in (*_SAMPLED, "pvalue", "log10_pvalue"):
        yield row(measure, name, f"{part} samples", statistic, getattr(level, statistic), n=n)
    low, high = level.sample_interval
    yield row(measure, name, f"{part} samples", "sample_interval", None, low=low, high=high, n=n)
    stimuli: dict[str, Any] = {"pvalue": level.stimulus_pvalue, "method": level.stimulus_method}
    yield row(measure, name, f"{part} stimuli", "effect_size", level.stimulus_effect_size, **stimuli)


def _of_cell(name: str, part: str, cell: CombinedSimilarity, n: int) -> Iterator[Row]:
    low, high = cell.prediction_interval
    yield row("multilevel-ceat", name, part, "mean", cell.mean, low=low, high=high, n=n)
    for statistic in ("se", "sd", "tau2", "i2", "expected", "pairs"):
        yield row("multilevel-ceat", name, part, statistic, getattr(cell, statistic), n=n)
    low, high = cell.sample_interval
    yield row("multilevel-ceat", name, part, "sample_interval", None, low=low, high=high, n=n)

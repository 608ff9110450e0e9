"""One long table of every number of an audit, as CSV and as Parquet; nothing is rounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads.errors import require
from crossroads.inference.power import Detectable
from crossroads.measures import (
    BootstrapResult,
    DetectionResult,
    InfluenceResult,
    MleatResult,
    RsaResult,
    SeriesResult,
    WeatResult,
    WefatResult,
)
from crossroads.report.audit import Audit, rsa_name
from crossroads.report.naming import crossing_name, decade_name
from crossroads.report.tidy_contexts import context_rows
from crossroads.report.tidy_rows import Row
from crossroads.report.tidy_rows import row as _row
from crossroads.report.tidy_traits import trait_rows
from crossroads.stimuli.spreadsheets import write_rows

_TEXT = ("model", "measure", "test", "part", "statistic", "method")
COLUMNS = (
    *("model", "measure", "test", "part", "statistic"),
    *("value", "low", "high", "pvalue", "adjusted", "method", "n"),
)
"""Columns of the table.

``part`` is what a number is of (a level, a set, a word, a pattern), ``low`` and ``high`` are the ends of its
interval or bounds, ``pvalue``, ``adjusted`` (Benjamini and Hochberg) and ``method`` belong to an effect size,
and ``n`` counts what it was computed from: permuted stimuli, pairs of words, resamples or cases.
"""


def tidy_rows(audit: Audit) -> list[Row]:
    """Every number of an audit, one a row.

    Draws of the bootstrap and of RSA, effect sizes of single samples of contexts, cosines of single pairs of
    words, scores of single templates, ROC curves and dissimilarities are left to ``results.json``; their
    means, intervals and p-values are here.
    """
    rows: list[Row] = []
    if audit.battery is not None:
        battery = audit.battery
        for test, holm, bh in zip(battery.tests, battery.holm, battery.bh, strict=True):
            rows += _of_test(test, audit.ends.get(test.design), holm, bh)
        for test, could in zip(battery.tests, battery.detectable, strict=False):
            rows += _of_sizes(test.design, could)
    for interval in audit.intervals:
        rows += _of_interval(interval)
    for influence in audit.influences:
        rows += _of_influence(influence)
    for name, detection in audit.detections.items():
        rows += _of_detection(name, detection)
    for crossing in audit.crossings:
        rows += _of_crossing(crossing)
    for fit in audit.fits:
        rows += _of_fit(fit)
    for series in audit.series:
        rows += _of_series(series)
    rows += [*context_rows(audit), *trait_rows(audit)]
    blank = dict.fromkeys(COLUMNS) | {"model": audit.model}
    return [blank | {column: value for column, value in row.items() if column in blank} for row in rows]


def _of_interval(interval: BootstrapResult) -> Iterator[Row]:
    for name in ("resamples", "undefined", "level"):
        yield _row("bootstrap", interval.design, "interval", name, getattr(interval, name))


def _of_series(series: SeriesResult) -> Iterator[Row]:
    """The rows of every point in time, under the name of the design at that time."""
    for time, point in series.points.items():
        for row in _of_parts(point):
            yield {**row, "measure": "series", "test": decade_name(series.design, time)}


def _of_sizes(name: str, could: Detectable) -> Iterator[Row]:
    """What a test with sets of its sizes could have shown."""
    low, high = could.critical_range or (None, None)
    ends = {"critical": {"low": low, "high": high}}
    for statistic in ("critical", "detectable", "largest", "alpha", "power", "n_x", "n_y"):
        value = getattr(could, statistic)
        if value is not None:
            more = {"method": could.method, "n": could.n_x + could.n_y, **ends.get(statistic, {})}
            yield _row("battery", name, "detectable", statistic, value, **more)


def _of_test(test: MleatResult, ends: tuple[float, float] | None, holm: float, bh: float) -> Iterator[Row]:
    low, high = ends or (None, None)
    name = test.design
    yield from _of_level(name, "level 1", test.level1, low=low, high=high, adjusted=bh)
    yield _row("mleat", name, "level 1", "holm", holm, method=test.level1.method)
    yield _row("mleat", name, "level 1", "bh", bh, method=test.level1.method)
    yield from _below(test)


def _of_parts(test: MleatResult) -> Iterator[Row]:
    """A test without its number among others."""
    yield from _of_level(test.design, "level 1", test.level1)
    yield from _below(test)


def _below(test: MleatResult) -> Iterator[Row]:
    """Levels 2 and 3, and the pattern."""
    name = test.design
    for key, level in test.level2.items():
        yield from _of_level(name, f"level 2 {key}", level)
    for key, cell in test.level3.items():
        yield _row("mleat", name, f"level 3 {key}", "mean", cell.mean, n=cell.pairs)
        yield _row("mleat", name, f"level 3 {key}", "sd", cell.sd, n=cell.pairs)
    resamples = test.conventions.get("resamples")
    yield _row("mleat", name, test.pattern, "pattern", test.pattern_shares.get(test.pattern), n=resamples)
    for pattern, share in test.pattern_shares.items():
        yield _row("mleat", name, pattern, "pattern_share", share, n=resamples)


def _of_level(name: str, part: str, level: WeatResult, **more: Any) -> Iterator[Row]:
    n = len(level.associations)
    method = level.method
    yield _row(
        "mleat", name, part, "effect_size", level.effect_size, pvalue=level.pvalue, method=method, n=n, **more
    )
    yield _row("mleat", name, part, "statistic", level.statistic, n=n)
    bounds = {"low": level.pvalue_low, "high": level.pvalue_high}
    yield _row("mleat", name, part, "pvalue", level.pvalue, method=method, n=n, **bounds)
    for tail, (p, low, high) in level.tails.items():
        yield _row("mleat", name, part, f"pvalue {tail}", p, low=low, high=high, method=method, n=n)
    yield _row("mleat", name, part, "min_pvalue", level.min_pvalue, n=n)
    if level.ties is not None:
        yield _row("mleat", name, part, "ties", level.ties, n=n)
    if level.divisions is not None:
        yield _row("mleat", name, part, "divisions", level.divisions, n=n)
    permuted = ("x", "y") if "y" in level.sets else ("a", "b")
    for key in permuted:
        for word in level.sets[key]:
            yield _row("mleat", name, f"{part} {key} {word}", "association", level.associations[word])


def _of_influence(result: InfluenceResult) -> Iterator[Row]:
    for key, words in result.without.items():
        for word, effect in words.items():
            yield _row("influence", result.design, f"{key} {word}", "effect_size_without", effect)


def _of_detection(name: str, result: DetectionResult) -> Iterator[Row]:
    yield _row(result.kind, name, "", "threshold", result.threshold, method=result.threshold_rule)
    yield _row(result.kind, name, "", "found", len(result.words), n=len(result.scores))
    for statistic, share in result.intervals.items():
        yield _row(
            result.kind, name, "", statistic, share.value, low=share.low, high=share.high, n=share.cases
        )
    if result.auc is not None:
        low, high = result.auc_interval or (None, None)
        yield _row(result.kind, name, "", "auc", result.auc, low=low, high=high)
    for statistic in ("chance", "baseline", "honest_accuracy"):
        if getattr(result, statistic) is not None:
            yield _row(result.kind, name, "", statistic, getattr(result, statistic))
    for word, score in result.scores.items():
        yield _row(result.kind, name, word, "score", score)


def _of_crossing(result: WefatResult) -> Iterator[Row]:
    test = crossing_name(result.target)
    for table in (result.pairs, result.constituents):
        for pair, scores in table.items():
            for word, score in scores.items():
                yield _row("wefat", test, f"{pair} {word}", "score", score)


def _of_fit(result: RsaResult) -> Iterator[Row]:
    name = rsa_name(*result.names)
    samples = len(result.samples1)
    for i, part in enumerate(result.names[:2], start=1):
        yield _row("rsa", name, part, "similarity", getattr(result, f"similarity{i}"), n=samples)
        yield _row("rsa", name, part, "sd", getattr(result, f"sd{i}"), n=samples)
    yield _row("rsa", name, "", "difference", result.difference, n=samples)
    yield _row("rsa", name, "", "sign_pvalue", result.sign_pvalue, n=samples)
    exchanged = {"pvalue": result.pvalue, "method": "monte-carlo", "n": result.permutations}
    yield _row("rsa", name, "", "statistic", result.statistic, **exchanged)
    yield _row("rsa", name, "", "attainable", result.attainable)
    if result.ceiling is not None:
        yield _row("rsa", name, "", "ceiling", result.ceiling)


def write_tidy_csv(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table as CSV for spreadsheets; numbers as Python writes them, absent ones empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, COLUMNS, rows)


def write_tidy_parquet(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table as Parquet; needs pyarrow (the extra ``parquet``).

    All values are of type double, which holds counts up to 2**53 exactly; the CSV holds any.
    """
    arrow = require("pyarrow", extra="parquet", purpose="writing results.parquet")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="writing results.parquet")
    kinds = {column: arrow.string() if column in _TEXT else arrow.float64() for column in COLUMNS}
    kinds["n"] = arrow.int64()
    plain = [{**row, "value": None if row["value"] is None else float(row["value"])} for row in rows]
    table = arrow.Table.from_pylist(plain, schema=arrow.schema(list(kinds.items())))
    with path.open("wb") as raw:  # pyarrow takes no path that is not UTF-8
        parquet.write_table(table, raw, compression="zstd")

"""What rules can ask of an audit: the statistics of each kind of test, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from crossroads.measures import (
    AlignmentResult,
    CeatResult,
    DetectionResult,
    DomainPair,
    EmergentResult,
    MleatResult,
    MultilevelCeatResult,
    RsaResult,
    TraitScores,
)
from crossroads.report.audit import Audit, rsa_name
from crossroads.report.naming import (
    alignment_name,
    context_ends,
    context_name,
    decade_name,
    dominance_name,
    emergent_name,
    levels_name,
    measure_of,
    scores_name,
)
from crossroads.results import Result

_LEVELS = ("pattern", "pattern_share", "effect_size_x", "effect_size_y", "pvalue_x", "pvalue_y")
STATISTICS: Mapping[str, tuple[str, ...]] = {
    "test": (
        *("effect_size", "low", "high", "pvalue", "adjusted", "holm"),
        *(*_LEVELS, "left_out"),
    ),
    "detection": ("found", "accuracy", "honest_accuracy", "tpr", "fpr", "auc", "baseline", "left_out"),
    "comparison": ("similarity1", "similarity2", "difference", "pvalue", "ceiling", "left_out"),
    "decade": ("effect_size", "pvalue", *_LEVELS, "left_out"),
    "context test": (
        *("effect_size", "published_pvalue", "stimulus_effect_size", "low", "high", "pvalue", "adjusted"),
        *("holm", "tau2", "i2", "share_positive", "left_out"),
    ),
    "context levels": (
        "effect_size",
        "published_pvalue",
        "stimulus_effect_size",
        "pvalue",
        *_LEVELS,
        "left_out",
    ),
    "scores": ("largest", "smallest", "undefined", "left_out"),
    "alignment": (
        *("kendall_tau", "low", "high", "kendall_pvalue", "pvalue", "pvalue_traits"),
        *("precision_at_3", "ceiling", "left_out"),
    ),
    "dominance": ("difference", "low", "high", "pvalue", "adjusted", "correlation1", "correlation2"),
    "emergent": ("found", "largest", "left_out"),
}
"""What can be asked of each kind of test.

A ``comparison`` is one of geometry, a ``decade`` a test at one point in time. ``pvalue`` is always one that
speaks about the stimuli: over contexts and for alignment, that of exchanged labels.
"""
TEXTS = ("pattern",)
"""Statistics that are words."""
Values = dict[str, float | str | None]


def readings(audit: Audit) -> dict[str, tuple[str, Values]]:
    """Everything measured, by test: its kind, and its statistics by name."""
    found: dict[str, tuple[str, Values]] = {}
    if audit.battery is not None:
        battery = audit.battery
        for test, holm, bh in zip(battery.tests, battery.holm, battery.bh, strict=True):
            low, high = audit.ends.get(test.design, (None, None))
            more: Values = {"low": low, "high": high, "adjusted": bh, "holm": holm}
            found[test.design] = ("test", {**_of_test(test), **more})
    for name, detection in audit.detections.items():
        found[name] = ("detection", _of_detection(detection))
    for fit in audit.fits:
        found[rsa_name(*fit.names)] = ("comparison", _of_fit(fit))
    for series in audit.series:
        for time, point in series.points.items():
            found[decade_name(series.design, time)] = ("decade", _of_test(point))
    found |= dict(_of_contexts(audit))
    found |= dict(_of_traits(audit))
    return found


def absent(audit: Audit) -> dict[str, tuple[str | None, str]]:
    """What could not be measured, by test: its kind where that is known, and why."""
    found: dict[str, tuple[str | None, str]] = {}
    if audit.battery is not None:
        found |= {name: ("test", why) for name, why in audit.battery.skipped.items()}
    for series in audit.series:
        found |= {decade_name(series.design, time): ("decade", why) for time, why in series.skipped.items()}
    if audit.contexts is not None:
        for name, why in audit.contexts.skipped.items():
            found[context_name(name)] = ("context test", why)
            found[levels_name(name)] = ("context levels", why)
    return found | {name: (None, why) for name, why in audit.left_out.items()}


def _of_contexts(audit: Audit) -> Iterator[tuple[str, tuple[str, Values]]]:
    ends, battery = context_ends(audit), audit.contexts
    if battery is not None:
        for test, holm, bh in zip(battery.tests, battery.holm, battery.bh, strict=True):
            low, high = ends.get(test.design, (None, None))
            more: Values = {"low": low, "high": high, "adjusted": bh, "holm": holm}
            yield context_name(test.design), ("context test", {**_of_context_test(test), **more})
    for levels in audit.context_levels:
        yield levels_name(levels.design), ("context levels", _of_levels(levels))


def _of_traits(audit: Audit) -> Iterator[tuple[str, tuple[str, Values]]]:
    for scores in audit.traits:
        yield scores_name(scores.measure), ("scores", _of_scores(scores))
    for name, alignment in audit.alignments.items():
        yield alignment_name(name), ("alignment", _of_alignment(alignment))
    for dominance in audit.dominance:
        for pair in dominance.table:
            name = dominance_name(measure_of(dominance), pair.domain1, pair.domain2)
            yield name, ("dominance", _of_pair(pair))
    for emergent in audit.emergent:
        yield emergent_name(measure_of(emergent)), ("emergent", _of_emergent(emergent))


def _left_out(result: Result) -> float:
    return 0.0 if result.coverage is None else float(len(result.coverage.missing))


def _of_test(test: MleatResult) -> Values:
    values: Values = {
        "effect_size": test.level1.effect_size,
        "pvalue": test.level1.pvalue,
        "pattern": test.pattern,
        "pattern_share": test.pattern_shares.get(test.pattern),
        "left_out": _left_out(test),
    }
    for key, level in test.level2.items():
        values[f"effect_size_{key}"] = level.effect_size
        values[f"pvalue_{key}"] = level.pvalue
    return values


def _of_context_test(test: CeatResult) -> Values:
    names = ("effect_size", "stimulus_effect_size", "tau2", "i2", "share_positive")
    values: Values = {name: getattr(test, name) for name in names}
    pvalues: Values = {"published_pvalue": test.pvalue, "pvalue": test.stimulus_pvalue}
    return {**values, **pvalues, "left_out": _left_out(test)}


def _of_levels(test: MultilevelCeatResult) -> Values:
    values: Values = {
        "effect_size": test.level1.effect_size,
        "published_pvalue": test.level1.pvalue,
        "stimulus_effect_size": test.level1.stimulus_effect_size,
        "pvalue": test.level1.stimulus_pvalue,
        "pattern": test.pattern,
        "pattern_share": test.pattern_shares.get(test.pattern),
        "left_out": _left_out(test),
    }
    for key, level in test.level2.items():
        values[f"effect_size_{key}"] = level.effect_size
        values[f"pvalue_{key}"] = level.stimulus_pvalue
    return values


def _of_detection(result: DetectionResult) -> Values:
    names = ("accuracy", "honest_accuracy", "tpr", "fpr", "auc", "baseline")
    values: Values = {name: getattr(result, name) for name in names}
    return {**values, "found": float(len(result.words)), "left_out": _left_out(result)}


def _of_fit(result: RsaResult) -> Values:
    names = ("similarity1", "similarity2", "difference", "pvalue", "ceiling")
    return {**{name: getattr(result, name) for name in names}, "left_out": _left_out(result)}


def _of_scores(result: TraitScores) -> Values:
    known = [row["score"] for row in result.rows() if row["score"] is not None]
    return {
        "largest": max(known, default=None),
        "smallest": min(known, default=None),
        "undefined": float(len(result.undefined)),
        "left_out": _left_out(result),
    }


def _of_alignment(result: AlignmentResult) -> Values:
    low, high = result.interval or (None, None)
    traits = result.exchanges.get("traits")
    return {
        "kendall_tau": result.kendall_tau,
        "low": low,
        "high": high,
        "kendall_pvalue": result.kendall_pvalue,
        "pvalue": result.permutation_pvalue,
        "pvalue_traits": None if traits is None else traits.pvalue,
        "precision_at_3": result.precision_at_3,
        "ceiling": result.ceiling,
        "left_out": _left_out(result),
    }


def _of_pair(pair: DomainPair) -> Values:
    names = ("difference", "low", "high", "pvalue", "correlation1", "correlation2")
    return {**{name: getattr(pair, name) for name in names}, "adjusted": pair.qvalue}


def _of_emergent(result: EmergentResult) -> Values:
    largest = float(result.increase.max()) if result.increase.size else None
    found = float(result.emergent.sum()) if result.qvalue.size else None
    return {"found": found, "largest": largest, "left_out": _left_out(result)}

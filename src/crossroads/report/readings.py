"""What rules can ask of an audit: the statistics of each kind of test, by name."""

from __future__ import annotations

from collections.abc import Mapping

from crossroads.measures import DetectionResult, MleatResult, RsaResult
from crossroads.report.audit import Audit, rsa_name

STATISTICS: Mapping[str, tuple[str, ...]] = {
    "test": (
        *("effect_size", "low", "high", "pvalue", "adjusted", "holm", "pattern", "pattern_share"),
        *("effect_size_x", "effect_size_y", "pvalue_x", "pvalue_y", "left_out"),
    ),
    "detection": ("found", "accuracy", "honest_accuracy", "tpr", "fpr", "auc", "baseline", "left_out"),
    "comparison": ("similarity1", "similarity2", "difference", "pvalue", "ceiling", "left_out"),
}
"""What can be asked of a test, of a detection and of a comparison of geometry."""
TEXTS = ("pattern",)
"""Statistics that are words."""
Values = dict[str, float | str | None]


def readings(audit: Audit) -> dict[str, tuple[str, Values]]:
    """Everything measured, by test: its kind, and its statistics by name."""
    found: dict[str, tuple[str, Values]] = {}
    battery = audit.battery
    for test, holm, bh in zip(battery.tests, battery.holm, battery.bh, strict=True):
        found[test.design] = ("test", _of_test(test, audit.ends.get(test.design), holm, bh))
    for name, detection in audit.detections.items():
        found[name] = ("detection", _of_detection(detection))
    for fit in audit.fits:
        found[rsa_name(*fit.names)] = ("comparison", _of_fit(fit))
    return found


def _of_test(test: MleatResult, ends: tuple[float, float] | None, holm: float, bh: float) -> Values:
    low, high = ends or (None, None)
    values: Values = {
        "effect_size": test.level1.effect_size,
        "low": low,
        "high": high,
        "pvalue": test.level1.pvalue,
        "adjusted": bh,
        "holm": holm,
        "pattern": test.pattern,
        "pattern_share": test.pattern_shares.get(test.pattern),
        "left_out": 0.0 if test.coverage is None else float(len(test.coverage.missing)),
    }
    for key, level in test.level2.items():
        values[f"effect_size_{key}"] = level.effect_size
        values[f"pvalue_{key}"] = level.pvalue
    return values


def _of_detection(result: DetectionResult) -> Values:
    names = ("accuracy", "honest_accuracy", "tpr", "fpr", "auc", "baseline")
    values: Values = {name: getattr(result, name) for name in names}
    left = 0 if result.coverage is None else len(result.coverage.missing)
    return {**values, "found": float(len(result.words)), "left_out": float(left)}


def _of_fit(result: RsaResult) -> Values:
    names = ("similarity1", "similarity2", "difference", "pvalue", "ceiling")
    values: Values = {name: getattr(result, name) for name in names}
    return {**values, "left_out": 0.0 if result.coverage is None else float(len(result.coverage.missing))}

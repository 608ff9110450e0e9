"""The results of an audit as tables for print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossroads.measures import BatteryResult, MleatResult, SeriesResult
from crossroads.report.audit import Audit
from crossroads.report.escaping import counted, in_latex, latex_number, latex_pvalue, mark_of
from crossroads.report.latex_contexts import context_tables
from crossroads.report.latex_layout import AT_RANDOM, MARKS, interval, known, table, tail
from crossroads.report.latex_traits import trait_tables


def latex_table(audit: Audit, *, label: str = "tab:crossroads") -> str:
    r"""Every kind of result as a ``table`` of the package booktabs, complete with caption and label.

    Names are escaped; letters beyond Latin need XeLaTeX or LuaLaTeX. The preamble needs
    ``\usepackage{booktabs}``.

    Parameters
    ----------
    audit
        What to print.
    label
        By which the text refers to the battery; the labels of other tables begin with it.
    """
    tables = [*_vectors(audit, label), *context_tables(audit, label), *trait_tables(audit, label)]
    return "\n".join([r"% needs \usepackage{booktabs}", *tables])


def _vectors(audit: Audit, label: str) -> Iterator[str]:
    """The battery, detections, comparisons of geometry, and one table a series."""
    if audit.battery is not None:
        rows = [
            _cells(test, audit.ends.get(test.design), found)
            for test, found in zip(audit.battery.tests, audit.battery.rows(), strict=True)
        ]
        head = ["Test", "$d$", "CI", "$p$", "$p$ (BH)", "$d_{80}$", "Pattern"]
        notes = [f"{in_latex(test.design)}: {_question(test)}." for test in audit.battery.tests]
        caption = _caption(audit, audit.battery)
        yield table("lrrrrrl", head, rows, caption=caption, label=label, notes=notes)
    if audit.detections:
        yield _detections(audit, f"{label}-detections")
    if audit.fits:
        yield _fits(audit, f"{label}-geometry")
    for i, series in enumerate(audit.series, start=1):
        yield _series(series, f"{label}-series-{i}")


def _detections(audit: Audit, label: str) -> str:
    """Words detected as those of an intersectional group."""
    rows = [
        [
            in_latex(name),
            latex_number(one.threshold),
            in_latex(one.threshold_rule),
            f"{len(one.words)} of {len(one.scores)}",
            *(known(value) for value in (one.tpr, one.fpr, one.auc)),
        ]
        for name, one in audit.detections.items()
    ]
    caption = (
        f"Words of intersectional groups in {in_latex(audit.model)}. Detected: words above the threshold, "
        "which the rule beside it chose, and for EIBD not above it with every constituent pair. TPR, FPR: "
        "shares of true and of other words that were detected. AUC: area under the curve of both over all "
        "thresholds."
    )
    head = ["Detection", "Threshold", "Rule", "Detected", "TPR", "FPR", "AUC"]
    return table("lrlrrrr", head, rows, caption=caption, label=label)


def _fits(audit: Audit, label: str) -> str:
    """Two groups and a concept, by the geometry of their items."""
    rows = [
        [
            *map(in_latex, fit.names),
            latex_number(fit.similarity1, 3),
            latex_number(fit.similarity2, 3),
            latex_pvalue(fit.sign_pvalue),
            latex_pvalue(fit.pvalue, "monte-carlo"),
        ]
        for fit in audit.fits
    ]
    first = audit.fits[0]
    caption = (
        f"Geometry of two groups and a concept in {in_latex(audit.model)}. $s_1$, $s_2$: rank correlation "
        f"with a concept that belongs to either group, mean of {len(first.samples1)} samples. $p$ (sign): "
        "the published sign test over samples, which share items; $p$: the labels of the items exchanged, "
        f"two-sided. {AT_RANDOM}"
    )
    head = ["Group 1", "Group 2", "Concept", "$s_1$", "$s_2$", "$p$ (sign)", "$p$"]
    return table("lllrrrr", head, rows, caption=caption, label=label)


def _series(series: SeriesResult, label: str) -> str:
    """One design over time."""
    rows = [
        [
            str(time),
            latex_number(point.level1.effect_size),
            latex_pvalue(point.level1.pvalue, point.level1.method),
            in_latex(point.pattern),
        ]
        for time, point in series.points.items()
    ]
    sentences = [f"{in_latex(series.design)} over time."]
    for first in list(series.points.values())[:1]:
        sentences += [f"{_question(first)}.", *_conventions(first), "Not adjusted for the number of points."]
    used = {mark_of(point.level1.method) for point in series.points.values()}
    sentences += [f"{text}." for mark, text in MARKS.items() if mark in used]
    head = ["Time", "$d$", "$p$", "Pattern"]
    return table("rrrl", head, rows, caption=" ".join(sentences), label=label)


def _question(test: MleatResult) -> str:
    titles = {key: in_latex(title) for key, title in test.titles.items()}
    return f"{titles['x']} / {titles['y']}: {titles['a']} / {titles['b']}"


def _cells(test: MleatResult, ends: tuple[float, float] | None, found: dict[str, Any]) -> list[str]:
    return [
        in_latex(test.design),
        latex_number(test.level1.effect_size),
        interval(ends),
        latex_pvalue(test.level1.pvalue, test.level1.method),
        latex_pvalue(found["bh"]),
        known(found["detectable_effect_size"]),
        in_latex(test.pattern),
    ]


def _conventions(test: MleatResult) -> list[str]:
    """What effect size and p-value are, under the conventions of a test."""
    conventions = test.conventions
    sd = "sample" if conventions["ddof"] == 1 else "population"
    ties = "ties included" if conventions["ties"] == "weak" else "ties not counted"
    return [
        f"$d$: effect size in units of the {sd} standard deviation.",
        f"$p$: share of all divisions of the targets at least as extreme, "
        f"{tail(conventions['alternative'])}, {ties}; exact where unmarked.",
    ]


def _detectable(battery: BatteryResult) -> str:
    """What the detectable effect size is, with a blank after it; nothing where it is not known."""
    for one in battery.detectable[:1]:
        side = "two-sided" if one.alternative == "two-sided" else "one-sided"
        return (
            f"$d_{{80}}$: true effect size that sets of these sizes show in {100 * one.power:.4g}\\% of "
            f"cases ($p < {one.alpha:g}$, {side}, not adjusted); dash: none could be. "
        )
    return ""


def _caption(audit: Audit, battery: BatteryResult) -> str:
    """What the columns are, with the conventions they depend on."""
    tests = battery.tests
    sentences = [f"Associations in {in_latex(audit.model)}."]
    if not tests:
        return sentences[0]
    effect, p = _conventions(tests[0])
    sentences.append(effect)
    if audit.intervals:
        level = in_latex(f"{audit.intervals[0].level:.4g}")
        sentences.append(
            f"CI: bootstrap interval over the words of all four sets, level {level}; not adjusted."
        )
    sentences.append(p)
    used = {mark_of(test.level1.method) for test in tests}
    sentences += [f"{text}." for mark, text in MARKS.items() if mark in used]
    adjusted = in_latex(battery.conventions["adjusted"])
    sentences.append(
        f"$p$ (BH): adjusted by Benjamini and Hochberg for {counted(len(tests), 'test')} ({adjusted}). "
        + _detectable(battery)
        + "Pattern: the attribute to which each target leans by itself."
    )
    return " ".join(sentences)

"""Tests over contexts as tables for print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from crossroads.measures import CeatBatteryResult, CeatResult, MultilevelCeatResult
from crossroads.report.audit import Audit
from crossroads.report.escaping import counted, in_latex, latex_number, latex_pvalue, mark_of
from crossroads.report.latex_layout import MARKS, interval, table, tail
from crossroads.report.naming import context_ends


def context_tables(audit: Audit, label: str) -> Iterator[str]:
    """The battery over contexts, and the levels of its tests."""
    if audit.contexts is not None and audit.contexts.tests:
        battery, ends = audit.contexts, context_ends(audit)
        rows = [
            _cells(test, ends.get(test.design), bh)
            for test, bh in zip(battery.tests, battery.bh, strict=True)
        ]
        notes = [_question(test.design, battery.titles.get(test.design, {})) for test in battery.tests]
        head = ["Test", "CES", "$p$ (samples)", "$d$", "CI", "$p$ (stimuli)", "$p$ (BH)"]
        levels = [one.level for one in (*battery.intervals.values(), *audit.context_intervals)]
        caption = _caption(audit.model, battery, levels=levels)
        yield table("lrrrrrr", head, rows, caption=caption, label=f"{label}-contexts", notes=notes)
    if audit.context_levels:
        first = audit.context_levels[0].conventions
        caption = (
            f"Levels of association over contexts in {in_latex(audit.model)}. Effect sizes of each target "
            f"alone, combined over {first['samples']} samples; $p$: the labels of the attributes exchanged "
            f"on expected cosines, {tail(first['alternative'])}. Shown: share of samples that show the "
            "pattern by themselves."
        )
        head = ["Test", "$d(X)$", "$p(X)$", "$d(Y)$", "$p(Y)$", "Pattern", "Shown"]
        rows = [_level_cells(one) for one in audit.context_levels]
        yield table("lrrrrlr", head, rows, caption=caption, label=f"{label}-context-levels")


def published_pvalue(log10_pvalue: float, pvalue: float) -> str:
    """The published p-value, as a power of ten where a float runs out."""
    return latex_pvalue(pvalue) if pvalue > 1e-99 else rf"$< 10^{{{int(log10_pvalue)}}}$"


def _question(design: str, titles: Mapping[str, str]) -> str:
    names = {key: in_latex(titles.get(key, key)) for key in "xyab"}
    return f"{in_latex(design)}: {names['x']} / {names['y']}: {names['a']} / {names['b']}."


def _cells(test: CeatResult, ends: tuple[float, float] | None, bh: float) -> list[str]:
    return [
        in_latex(test.design),
        latex_number(test.effect_size),
        published_pvalue(test.log10_pvalue, test.pvalue),
        latex_number(test.stimulus_effect_size),
        interval(ends),
        latex_pvalue(test.stimulus_pvalue, test.stimulus_method),
        latex_pvalue(bh),
    ]


def _level_cells(test: MultilevelCeatResult) -> list[str]:
    cells = [in_latex(test.design)]
    for level in test.level2.values():
        cells += [
            latex_number(level.effect_size),
            latex_pvalue(level.stimulus_pvalue, level.stimulus_method),
        ]
    share = f"{100 * test.pattern_shares[test.pattern]:.0f}\\%"
    return [*cells, in_latex(test.pattern), share]


def _caption(model: str, battery: CeatBatteryResult, *, levels: Sequence[float]) -> str:
    conventions = battery.tests[0].conventions
    sd = "sample" if conventions["ddof"] == 1 else "population"
    weights = (
        "the variance of the associations, as published"
        if conventions["variance"] == "paper"
        else "the sampling variance of an effect size"
    )
    sentences = [
        f"Associations over contexts in {in_latex(model)}.",
        f"CES: effect size combined over {conventions['samples']} samples of one context a word under random "
        f"effects, weighted by {weights}; $p$ (samples) is the published two-sided $p$-value, which speaks "
        "about further samples of the same words.",
        f"$d$: effect size over all contexts of each word, in units of the {sd} standard deviation.",
    ]
    sentences += [
        f"CI: from drawing words and contexts anew, level {level:.4g}; not adjusted." for level in levels[:1]
    ]
    sentences.append("$p$ (stimuli): the labels of the targets exchanged, two-sided; exact where unmarked.")
    used = {mark_of(test.stimulus_method) for test in battery.tests}
    sentences += [f"{text}." for mark, text in MARKS.items() if mark in used]
    adjusted = counted(len(battery.tests), "test")
    sentences.append(f"$p$ (BH): the same adjusted by Benjamini and Hochberg for {adjusted}.")
    return " ".join(sentences)

"""An audit on one page of GitHub's Markdown: the tables, what failed, what was left out."""

from __future__ import annotations

from collections.abc import Iterator

from crossroads.measures import BatteryResult, MleatResult, SeriesResult
from crossroads.report.audit import KINDS, Audit
from crossroads.report.escaping import counted, in_markdown, mark_of, number, pvalue
from crossroads.report.naming import named_results, unmeasured
from crossroads.report.rules import Gate
from crossroads.report.summary_layout import AT_RANDOM, MARKS, between, detectable_told, grid, percent, tail
from crossroads.report.summary_traits import context_blocks, trait_blocks
from crossroads.results import describe_coverage, versions

_ROWS_OF_COVERAGE = 40


def markdown_summary(audit: Audit, gate: Gate | None = None) -> str:
    """The audit in Markdown, for the summary of a CI job or a pull request.

    Parameters
    ----------
    audit
        What was measured.
    gate
        The verdicts of the rules, where there were any.
    """
    blocks = [
        f"## Associations in {in_markdown(audit.model)}",
        *([] if audit.kind == "vectors" else [f"Audit of {KINDS[audit.kind]}."]),
        *([] if gate is None else _gate(gate)),
        *_vectors(audit),
        *context_blocks(audit),
        *trait_blocks(audit),
        *_left_out(audit),
        f"crossroads {versions()['crossroads']}",
    ]
    return "\n\n".join(blocks) + "\n"


def _gate(gate: Gate) -> list[str]:
    passed = sum(one.outcome in ("passed", "excused") for one in gate.verdicts)
    verdict = "Passed" if gate.passed else "Failed"
    head = f"**{verdict}**: {passed} of {len(gate.verdicts)} verdicts keep to the rules."
    lines = [
        f"- {'❌' if one in gate.broken else '⚠️'} **{in_markdown(one.rule)}**: {in_markdown(one.sentence)}"
        for one in gate.verdicts
        if one.outcome != "passed"
    ]
    lines += [f"- {in_markdown(name)}: names no test, which it may" for name in gate.unmatched]
    return [head, "\n".join(lines)] if lines else [head]


def _vectors(audit: Audit) -> Iterator[str]:
    """What was measured on one vector a word."""
    if audit.battery is not None:
        yield _table(audit, audit.battery)
        yield _reading(audit, audit.battery)
    if audit.detections:
        yield _detections(audit)
    if audit.fits:
        yield _fits(audit)
    for series in audit.series:
        yield f"### {in_markdown(series.design)} over time"
        yield _series(series)


def _table(audit: Audit, battery: BatteryResult) -> str:
    rows = []
    for test, found in zip(battery.tests, battery.rows(), strict=True):
        least = found["detectable_effect_size"]
        rows.append(
            [
                in_markdown(test.design),
                _question(test),
                number(test.level1.effect_size),
                between(audit.ends.get(test.design)),
                pvalue(test.level1.pvalue, test.level1.method),
                pvalue(found["bh"]),
                "–" if least is None else number(least),
                in_markdown(test.pattern),
            ]
        )
    head = ["test", "question", "d", "CI", "p", "p (BH)", "detectable d", "pattern"]
    return grid(head, "llrrrrrl", rows)


def _question(test: MleatResult) -> str:
    titles = {key: in_markdown(title) for key, title in test.titles.items()}
    return f"{titles['x']} / {titles['y']}: {titles['a']} / {titles['b']}"


def _reading(audit: Audit, battery: BatteryResult) -> str:
    """How the columns are to be read."""
    side = battery.tests[0].conventions["alternative"] if battery.tests else "two-sided"
    marks = {mark_of(test.level1.method) for test in battery.tests}
    sentences = [
        "d: effect size of X against Y, in standard deviations.",
        f"p: share of all divisions of the targets at least as extreme, {in_markdown(tail(side))}.",
        f"p (BH): adjusted for {counted(len(battery.tests), 'test')}.",
        *detectable_told(battery),
        *(
            f"CI: {percent(one.level)}, over the choice of words in all four sets."
            for one in audit.intervals[:1]
        ),
        "pattern: the attribute to which each target leans by itself.",
        *(text for mark, text in MARKS.items() if mark in marks),
    ]
    return " ".join(sentences)


def _detections(audit: Audit) -> str:
    rows = []
    for name, one in audit.detections.items():
        rates = ["–" if value is None else f"{value:.2f}" for value in (one.tpr, one.fpr, one.auc)]
        rows.append([in_markdown(name), number(one.threshold), str(len(one.words)), *rates])
    table = grid(["detection", "threshold", "found", "tpr", "fpr", "AUC"], "lrrrrr", rows)
    return table + (
        "\n\nfound: words above the threshold, and for EIBD not above it with every constituent pair. tpr, "
        "fpr: shares of true and of other words that were found. AUC: area under the curve of both over all "
        "thresholds; 0.5 is chance."
    )


def _fits(audit: Audit) -> str:
    rows = [
        [
            *map(in_markdown, fit.names),
            number(fit.similarity1, 3),
            number(fit.similarity2, 3),
            pvalue(fit.pvalue, "monte-carlo"),
        ]
        for fit in audit.fits
    ]
    table = grid(["group 1", "group 2", "concept", "fit 1", "fit 2", "p"], "lllrrr", rows)
    return table + (
        "\n\nfit 1, fit 2: rank correlation of the geometry with a concept that belongs to either group. p: "
        f"the labels of the items exchanged, two-sided. {AT_RANDOM}"
    )


def _series(series: SeriesResult) -> str:
    rows = [
        [
            str(time),
            number(point.level1.effect_size),
            pvalue(point.level1.pvalue, point.level1.method),
            in_markdown(point.pattern),
        ]
        for time, point in series.points.items()
    ]
    table = grid(["time", "d", "p", "pattern"], "rrrl", rows)
    for first in list(series.points.values())[:1]:
        side = in_markdown(tail(first.conventions["alternative"]))
        marks = {mark_of(point.level1.method) for point in series.points.values()}
        told = [
            f"{_question(first)}.",
            f"p: share of all divisions of the targets at least as extreme, {side}; not adjusted for the "
            "number of points.",
            *(text for mark, text in MARKS.items() if mark in marks),
        ]
        return f"{table}\n\n{' '.join(told)}"
    return table


def _left_out(audit: Audit) -> list[str]:
    """Tests and words that are not in the numbers; where they are many, the rest is counted."""
    lines = [
        f"- {in_markdown(name)}: not measured: {in_markdown(why)}" for name, why in unmeasured(audit).items()
    ]
    told: dict[str, dict[str, None]] = {}
    for name, result in named_results(audit):
        for one in [] if result.coverage is None else describe_coverage(result.coverage):
            if not one.startswith("found"):
                told.setdefault(one, {})[name] = None
    grouped = [f"- {in_markdown('; '.join(names))}: {in_markdown(one)}" for one, names in told.items()]
    lines += grouped[:_ROWS_OF_COVERAGE]
    if len(told) > _ROWS_OF_COVERAGE:
        lines.append(f"- and {len(told) - _ROWS_OF_COVERAGE} more; coverage.csv has them all")
    return ["### Left out", "\n".join(lines)] if lines else ["Nothing was left out."]

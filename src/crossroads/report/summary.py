"""An audit on one page of GitHub's Markdown: the table, what failed, what was left out."""

from __future__ import annotations

from crossroads.measures import BatteryResult, MleatResult
from crossroads.report.audit import Audit
from crossroads.report.escaping import in_markdown, mark_of, number, pvalue
from crossroads.report.rules import Gate
from crossroads.results import describe_coverage, versions

_MARKS = {
    "≤": "≤: too many divisions to count; an upper bound that holds with certainty.",
    "≈": "≈: an approximation.",
}


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
        *([] if gate is None else _gate(gate)),
        _table(audit),
        _reading(audit.battery),
    ]
    if audit.detections:
        blocks.append(_detections(audit))
    if audit.fits:
        blocks.append(_fits(audit))
    blocks += _left_out(audit)
    blocks.append(f"crossroads {versions()['crossroads']}")
    return "\n\n".join(blocks) + "\n"


def _gate(gate: Gate) -> list[str]:
    passed = sum(one.outcome in ("passed", "excused") for one in gate.verdicts)
    head = f"**{'Passed' if gate.passed else 'Failed'}**: {passed} of {len(gate.verdicts)} verdicts allow it."
    lines = [
        f"- {'❌' if one in gate.broken else '⚠️'} **{in_markdown(one.rule)}**: {in_markdown(one.sentence)}"
        for one in gate.verdicts
        if one.outcome != "passed"
    ]
    lines += [f"- {in_markdown(name)}: names no test, which it may" for name in gate.unmatched]
    return [head, "\n".join(lines)] if lines else [head]


def _grid(head: list[str], aligned: str, rows: list[list[str]]) -> str:
    """A table; ``aligned`` has a letter a column, ``l`` or ``r``."""
    rule = ["---:" if side == "r" else "---" for side in aligned]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def _table(audit: Audit) -> str:
    rows = []
    for test, bh in zip(audit.battery.tests, audit.battery.bh, strict=True):
        ends = audit.ends.get(test.design)
        rows.append(
            [
                in_markdown(test.design),
                _question(test),
                number(test.level1.effect_size),
                "–" if ends is None else f"{number(ends[0])} to {number(ends[1])}",
                pvalue(test.level1.pvalue, test.level1.method),
                pvalue(bh),
                in_markdown(test.pattern),
            ]
        )
    return _grid(["test", "question", "d", "CI", "p", "p (BH)", "pattern"], "llrrrrl", rows)


def _question(test: MleatResult) -> str:
    titles = {key: in_markdown(title) for key, title in test.titles.items()}
    return f"{titles['x']} / {titles['y']}: {titles['a']} / {titles['b']}"


def _reading(battery: BatteryResult) -> str:
    """How the columns are to be read."""
    tail = battery.tests[0].conventions["alternative"] if battery.tests else "two-sided"
    marks = {mark_of(test.level1.method) for test in battery.tests}
    sentences = [
        "d: effect size of X against Y, in standard deviations.",
        f"p: share of all divisions of the targets, {in_markdown(tail)}.",
        f"p (BH): adjusted for {len(battery.tests)} tests.",
        "CI: over the choice of words in all four sets.",
        *(text for mark, text in _MARKS.items() if mark in marks),
    ]
    return " ".join(sentences)


def _detections(audit: Audit) -> str:
    rows = []
    for name, one in audit.detections.items():
        rates = ["–" if value is None else f"{value:.2f}" for value in (one.tpr, one.fpr, one.auc)]
        rows.append([in_markdown(name), number(one.threshold), str(len(one.words)), *rates])
    return _grid(["detection", "threshold", "found", "tpr", "fpr", "AUC"], "lrrrrr", rows)


def _fits(audit: Audit) -> str:
    rows = [
        [
            *map(in_markdown, fit.names),
            number(fit.similarity1, 3),
            number(fit.similarity2, 3),
            pvalue(fit.pvalue),
        ]
        for fit in audit.fits
    ]
    return _grid(["group 1", "group 2", "concept", "fit 1", "fit 2", "p"], "lllrrr", rows)


def _left_out(audit: Audit) -> list[str]:
    """Tests and words that are not in the numbers, folded away where they are many."""
    lines = [
        f"- {in_markdown(name)}: not measured: {in_markdown(why)}" for name, why in audit.skipped.items()
    ]
    for test in audit.battery.tests:
        if test.coverage is not None:
            told = [one for one in describe_coverage(test.coverage) if not one.startswith("found")]
            lines += [f"- {in_markdown(test.design)}: {in_markdown(one)}" for one in told]
    return ["### Left out", "\n".join(lines)] if lines else ["Nothing was left out."]

"""An audit as texts: what it found in sentences, a page of Markdown, and LaTeX tables for print."""

from __future__ import annotations

from collections.abc import Iterable

from crossroads.core.evidence.model_names import KINDS
from crossroads.core.report.audit import Audit, Concluded, conclusions_of
from crossroads.core.report.gate import Gate
from crossroads.core.results import Conclusion, describe_coverage, versions
from crossroads.core.wording.escaping import in_markdown
from crossroads.core.wording.numbers import between, number
from crossroads.core.wording.table import FIT, Table, distinct, in_latex_table, in_markdown_table

_ROWS_OF_COVERAGE = 40
NEEDS = rf"""% Needs \usepackage{{booktabs}} and \usepackage{{graphicx}} in the preamble; any engine will do.
% Letters that pdfLaTeX cannot set are transliterated, or named by their number.
{FIT}
"""
"""The head of a file of tables."""


def findings_by_status(found: Iterable[Concluded]) -> dict[str, list[str]]:
    """A line per finding under the heading that says how sure it is, the surest first."""
    lines: dict[str, list[str]] = {}
    for one in found:
        lines.setdefault(one.found.heading, []).append(finding(one.found))
    return lines


def findings_in_markdown(found: Iterable[Concluded]) -> list[str]:
    """The same as lists in Markdown, each under its heading."""
    return [
        f"**{heading}**\n\n" + "\n".join(f"- {in_markdown(line)}" for line in lines)
        for heading, lines in findings_by_status(found).items()
    ]


def finding(said: Conclusion) -> str:
    """The sentence, with the name of the test and its numbers in brackets."""
    digits = 3 if said.scale.startswith("Δ") else 2
    value, low, high = (said.number(role) for role in ("value", "low", "high"))
    text = "" if value is None else f", {said.scale} = {number(value, digits)}"
    ends = "" if low is None or high is None else f", {between(low, high, digits)}"
    size, words = said.number("ordinary"), said.number("words")
    times = "" if size is None else f", {number(abs(size), 1)} × ordinary"
    needed = "" if words is None else f"; about {words:,.0f} {said.drawn} per set, no near copies, would tell"
    return f"{said.sentence} ({said.name}{text}{ends}{times}{needed})"


def markdown_summary(audit: Audit, gate: Gate | None = None) -> str:
    """The audit and the verdicts of its rules in Markdown, for the summary of a CI job or a pull request."""
    tables = (kind._tabulate(some) for kind, some in audit.by_type() if kind._section != "registered")
    findings = findings_in_markdown(conclusions_of(audit))
    blocks = [
        f"## Associations in {in_markdown(audit.model)}",
        *([] if audit.kind == "vectors" else [f"Audit of {KINDS[audit.kind]}."]),
        *([] if gate is None else _gate(gate)),
        *_registered(audit),
        *(["### Findings", *findings] if findings else []),
        *(block for table in tables for block in markdown_blocks(table)),
        *_left_out(audit),
        f"crossroads {versions()['crossroads']}",
    ]
    return "\n\n".join(blocks) + "\n"


def markdown_blocks(table: Table) -> list[str]:
    """A table under its title; empty if it has no rows."""
    if not table.rows:
        return []
    return [f"### {in_markdown(table.title)}", in_markdown_table(table.shortened())]


def _registered(audit: Audit) -> list[str]:
    """Whether the audit is as registered, and what departs."""
    one = audit.registration
    return [] if one is None else markdown_blocks(one._table()) or [f"**{in_markdown(one._headline())}.**"]


def _gate(gate: Gate) -> list[str]:
    head = f"**{'Passed' if gate.passed else 'Failed'}**: {gate.headline}."
    lines = [
        f"- {'❌' if one in gate.broken else '⚠️'} **{in_markdown(one.rule)}**: {in_markdown(one.sentence)}"
        for one in gate.verdicts
        if one.outcome != "passed"
    ]
    lines += [f"- {in_markdown(name)}: matches no test (optional)" for name in gate.unmatched]
    return [head, "\n".join(lines)] if lines else [head]


def _left_out(audit: Audit) -> list[str]:
    """Tests and words that were left out; if there are many, the rest is counted."""
    unmeasured = {name: f"not measured: {in_markdown(why)}" for name, (_, why) in audit.unmeasured().items()}
    lines = [f"- {in_markdown(name)}: {why}" for name, why in unmeasured.items()]
    tests: dict[str, dict[str, None]] = {}
    for name, coverage in audit.coverages().items():
        for sentence in describe_coverage(coverage):
            if not sentence.startswith("found"):
                tests.setdefault(sentence, {})[name] = None
    grouped = [f"- {in_markdown('; '.join(names))}: {in_markdown(one)}" for one, names in tests.items()]
    lines += grouped[:_ROWS_OF_COVERAGE]
    if len(grouped) > _ROWS_OF_COVERAGE:
        lines.append(f"- and {len(grouped) - _ROWS_OF_COVERAGE} more; coverage.csv has them all")
    return ["### Left out", "\n".join(lines)] if lines else ["Nothing was left out."]


def latex_table(audit: Audit, *, label: str = "tab:crossroads") -> str:
    r"""Every kind of result as a booktabs ``table``, with caption and label.

    Names are escaped, and letters that pdfLaTeX cannot set are transliterated or named by their number. The
    preamble needs ``\usepackage{booktabs}`` and ``\usepackage{graphicx}``.
    ``label`` is the label of the first table; the labels of the others begin with it.
    """
    tables = [kind._tabulate(results) for kind, results in audit.by_type()]
    return latex_tables(tables, label=label, before=f" in {audit.model}")


def latex_tables(tables: Iterable[Table], *, label: str, before: str = "") -> str:
    """Tables one after the other, each with its label."""
    texts = [NEEDS]
    for name, table in distinct(table for table in tables if table.rows).items():
        own = f"{label}-{name.replace('_', '-')}" if name else label
        texts.append(in_latex_table(table.shortened(), label=own, before=before))
    return "\n".join(texts)

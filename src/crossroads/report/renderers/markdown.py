"""An audit on one page of GitHub's Markdown: the tables, what failed, what was left out."""

from __future__ import annotations

from crossroads.report.audit import KINDS, Audit, conclusions_of
from crossroads.report.gate.rules import Gate
from crossroads.report.renderers.findings import findings_in_markdown
from crossroads.results import describe_coverage, versions
from crossroads.wording.escaping import in_markdown
from crossroads.wording.table import Table, in_markdown_table

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
    tables = (kind.tabulate(results) for kind, results in audit.by_type())
    blocks = [
        f"## Associations in {in_markdown(audit.model)}",
        *([] if audit.kind == "vectors" else [f"Audit of {KINDS[audit.kind]}."]),
        *([] if gate is None else _gate(gate)),
        *_findings(audit),
        *(block for table in tables for block in markdown_blocks(table)),
        *_left_out(audit),
        f"crossroads {versions()['crossroads']}",
    ]
    return "\n\n".join(blocks) + "\n"


def _findings(audit: Audit) -> list[str]:
    lists = findings_in_markdown(conclusions_of(audit))
    return ["### Findings", *lists] if lists else []


def markdown_blocks(table: Table) -> list[str]:
    """A table under its title; empty if it has no rows."""
    if not table.rows:
        return []
    return [f"### {in_markdown(table.title)}", in_markdown_table(table.shortened())]


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
    lines = [
        f"- {in_markdown(name)}: not measured: {in_markdown(why)}"
        for name, (_, why) in audit.unmeasured().items()
    ]
    told: dict[str, dict[str, None]] = {}
    for name, coverage in audit.coverages().items():
        for one in describe_coverage(coverage):
            if not one.startswith("found"):
                told.setdefault(one, {})[name] = None
    grouped = [f"- {in_markdown('; '.join(names))}: {in_markdown(one)}" for one, names in told.items()]
    lines += grouped[:_ROWS_OF_COVERAGE]
    if len(told) > _ROWS_OF_COVERAGE:
        lines.append(f"- and {len(told) - _ROWS_OF_COVERAGE} more; coverage.csv has them all")
    return ["### Left out", "\n".join(lines)] if lines else ["Nothing was left out."]

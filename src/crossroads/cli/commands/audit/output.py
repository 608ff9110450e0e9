"""The output of an audit: its folder, its summary, its tables or its document, and its exit status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossroads.audit import FinishedAudit
from crossroads.cli.commands.audit import gate as gating
from crossroads.cli.commands.audit import tables as audit_tables
from crossroads.cli.commands.compare import show_comparison
from crossroads.cli.terminal import tables as printing
from crossroads.measures import CompareBatteryResult
from crossroads.report import Gate, markdown_summary
from crossroads.report.comparison.audits import Comparison
from crossroads.report.comparison.files import comparison_markdown
from crossroads.report.files import Drawer, write_audits


@dataclass(frozen=True, kw_only=True)
class Done:
    """The audits of one command."""

    audits: Mapping[str, FinishedAudit]
    """Audits by the unique name of the model."""
    gates: Mapping[str, Gate]
    """Verdicts of the rules, if there were any."""
    comparison: CompareBatteryResult | None
    """Comparison of every pair of models."""


def write(
    output: Path, done: Done, *, figures: bool, vectors: bool, seed: int, drawer: Drawer
) -> tuple[list[str], Comparison | None]:
    """Write one audit, or several and their comparison; returns what is absent, and the comparison."""
    audits = {
        name: replace(one, vectors=one.vectors if vectors else None, gate=done.gates.get(name))
        for name, one in done.audits.items()
    }
    return write_audits(output, audits, done.comparison, seed=seed, figures=figures, drawer=drawer)


def tell(
    done: Done,
    output: Path,
    absent: Sequence[str],
    compared: Comparison | None,
    *,
    summary: Path | None,
    github: bool,
    json: bool,
) -> None:
    """Write the summary, print the results, and raise an error if a rule was broken."""
    gate = None
    if done.gates:
        gate = next(iter(done.gates.values())) if len(done.gates) == 1 else gating.all_gates(done.gates)
    gating.send_summary(summary_of(done, compared), summary, github=github)
    if json:
        print_json(done, output, gate, compared)
    else:
        said: set[str] = set()
        for number, (name, one) in enumerate(done.audits.items()):
            if number:
                printing.out.print()
            audit_tables.show_audit(one.audit, name, said)
        if compared is not None:
            show_comparison(compared)
        if gate is not None and gate.passed:
            printing.out.print(f"{gate.headline}.", markup=False)
        audit_tables.show_ending(output, absent)
    if gate is not None:
        gate.check()


def summary_of(done: Done, compared: Comparison | None) -> str:
    """The summary in Markdown: of several models the comparison, then one after the other."""
    parts = [markdown_summary(one.audit, done.gates.get(name)) for name, one in done.audits.items()]
    return "\n".join([*([] if compared is None else [comparison_markdown(compared)]), *parts])


def print_json(done: Done, output: Path, gate: Gate | None, compared: Comparison | None) -> None:
    """Write the one JSON document of the command."""
    more: dict[str, Any] = {} if gate is None else {"gate": gate.to_dict()}
    audits = [one.audit for one in done.audits.values()]
    if len(audits) == 1:
        skipped = {name: why for name, (_, why) in audits[0].unmeasured().items()}
        more |= {"kind": audits[0].kind, "model": audits[0].model, "skipped": skipped}
    else:
        more |= {"models": list(done.audits)}
    results = [result for audit in audits for result in audit.values()]
    names = [name for audit in audits for name in audit]
    printing.document(
        "audit",
        [*results, *([] if compared is None else compared.results)],
        names=[*names, *([] if compared is None else [one.label for one in compared.results])],
        output=str(output),
        **more,
    )

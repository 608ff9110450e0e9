"""What an audit leaves behind: its folder, its summary, its tables or its document, and its exit status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossroads.auditing import Finished
from crossroads.auditing.intersections import known_comparisons, published_comparisons
from crossroads.cli import audit_tables, gating, printing
from crossroads.cli.comparing import show_comparison
from crossroads.cli.intersections import published
from crossroads.measures import CompareBatteryResult, CompareTraitsResult
from crossroads.papers import Finding, fidelity, findings
from crossroads.report import Gate, markdown_summary
from crossroads.report.audit import rsa_name
from crossroads.report.comparing import Comparison
from crossroads.report.comparison_files import comparison_markdown
from crossroads.report.folder import MARK
from crossroads.report.records import read_records, revive
from crossroads.report.writing import ModelAudit, write_audit, write_audits
from crossroads.stimuli import catalog


@dataclass(frozen=True, kw_only=True)
class Done:
    """The audits of one command."""

    audits: Mapping[str, Finished]
    """By the name that tells a model from the others."""
    gates: Mapping[str, Gate]
    """What came of the rules, where there were any."""
    comparison: CompareBatteryResult | None
    """Every two models beside each other."""


def write(output: Path, done: Done, *, figures: bool, vectors: bool, seed: int) -> list[str]:
    """Write one audit, or several and their comparison; returns what is absent."""
    points = {kind: published(kind) for kind in ("ibd", "eibd")}
    known = {name: found for one in done.audits.values() for name, found in published_findings(one).items()}
    if len(done.audits) == 1:
        ((name, one),) = done.audits.items()
        return write_audit(
            output,
            one.audit,
            one.designs,
            vectors=one.vectors if vectors else None,
            figures=figures,
            gate=done.gates.get(name),
            published=points,
            findings=known,
            fidelity=fidelity(),
        )
    several = {
        name: ModelAudit(
            audit=one.audit,
            designs=one.designs,
            vectors=one.vectors if vectors else None,
            gate=done.gates.get(name),
        )
        for name, one in done.audits.items()
    }
    return write_audits(
        output,
        several,
        done.comparison,
        seed=seed,
        figures=figures,
        published=points,
        findings=known,
        fidelity=fidelity(),
    )


def published_findings(one: Finished) -> dict[str, tuple[Finding, ...]]:
    """What was published about the tests of an audit; designs of one's own have a namesake at most."""
    known = catalog().of_kind("design")
    names = [
        design.name
        for design in one.designs
        if design.name in known and catalog(design.name).digest == design.digest
    ]
    found = findings([*names, *one.audit.detections])
    if one.audit.fits:
        found |= {
            rsa_name(*(part.name for part in published_comparisons([name])[0])): said
            for name, said in findings(known_comparisons()).items()
        }
    return {name: said for name, said in found.items() if said}


def tell(
    done: Done, output: Path, absent: Sequence[str], *, summary: Path | None, github: bool, json: bool
) -> None:
    """Send the summary, print what was found, and close the gate if a rule was broken."""
    gate = None
    if done.gates:
        gate = next(iter(done.gates.values())) if len(done.gates) == 1 else gating.all_gates(done.gates)
    compared = written_comparison(output) if len(done.audits) > 1 else None
    gating.send_summary(summary_of(done, compared), summary, github=github)
    if json:
        print_json(done, output, gate, compared)
    else:
        for name, one in done.audits.items():
            audit_tables.show_audit(one.audit, name)
        if compared is not None:
            printing.out.print("\n[b]Models beside each other[/b]")
            show_comparison(compared)
        audit_tables.show_ending(output, absent)
    if gate is not None:
        gate.check()


def written_comparison(output: Path) -> Comparison:
    """The comparison that was written, completed with what has no test."""
    results = [revive(one) for record in read_records(output / MARK) for one in record.results]
    (battery,) = (one for one in results if isinstance(one, CompareBatteryResult))
    traits = tuple(one for one in results if isinstance(one, CompareTraitsResult))
    return Comparison(battery=battery, traits=traits)


def summary_of(done: Done, compared: Comparison | None) -> str:
    """The summary in Markdown: of several models the comparison, then one after the other."""
    parts = [markdown_summary(one.audit, done.gates.get(name)) for name, one in done.audits.items()]
    return "\n".join([*([] if compared is None else [comparison_markdown(compared)]), *parts])


def print_json(done: Done, output: Path, gate: Gate | None, compared: Comparison | None) -> None:
    """Write the one JSON document of the command."""
    more: dict[str, Any] = {} if gate is None else {"gate": gate.to_dict()}
    audits = [one.audit for one in done.audits.values()]
    if len(audits) == 1:
        more |= {"kind": audits[0].kind, "model": audits[0].model, "skipped": audits[0].skipped}
    else:
        more |= {"models": list(done.audits)}
    results = [result for audit in audits for result in audit.results]
    printing.document(
        "audit",
        [*results, *([] if compared is None else compared.results)],
        detections=[name for audit in audits for name in audit.detections],
        alignments=[name for audit in audits for name in audit.alignments],
        output=str(output),
        **more,
    )

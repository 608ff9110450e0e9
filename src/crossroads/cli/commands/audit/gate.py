"""The rules of an audit, and the output of its summary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crossroads.errors import InputError
from crossroads.report.audit import Audit
from crossroads.report.gate.files import read_rules
from crossroads.report.gate.rules import Gate, Rule, check_rules, judge
from crossroads.storage.files import check_file, write_file

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable with the path of the file that GitHub shows with a job."""

FailOn = Annotated[
    Path | None,
    typer.Option(
        "--fail-on", help="Rules in TOML; exit status 1 if the audit breaks one.", metavar="RULES.toml"
    ),
]
Summary = Annotated[
    Path | None, typer.Option("--summary", help="Also write the summary in Markdown here.", metavar="FILE")
]
GitHub = Annotated[
    bool, typer.Option("--github", help=f"Append the summary to the file that ${STEP_SUMMARY} names.")
]


def rules_for(file: Path | None, planned: Iterable[Mapping[str, str]]) -> tuple[Rule, ...]:
    """The rules of a file, each of which must match a test of an audit.

    Parameters
    ----------
    file
        The rules, if there are any.
    planned
        For each model the names of its tests, to their kinds.
    """
    if file is None:
        return ()
    rules = read_rules(file)
    check_rules(rules, {name: kind for names in planned for name, kind in names.items()})
    return rules


def held_against(audit: Audit, rules: Iterable[Rule], planned: Mapping[str, str], *, alone: bool) -> Gate:
    """Check an audit against rules.

    Parameters
    ----------
    audit
        What was measured.
    rules
        The rules.
    planned
        The names of its tests. Other missing results, such as a CEAT without contexts, were not requested and
        do not fail the gate.
    alone
        Whether it is the only audit, so that every rule must match one of its tests.
    """
    mine = [
        rule
        for rule in rules
        if alone or any(rule.matches(name) and rule.applies(kind) for name, kind in planned.items())
    ]
    return judge(audit, mine, planned)


def all_gates(gates: Mapping[str, Gate]) -> Gate:
    """The verdicts of several audits as one gate, each under the name of its model."""
    verdicts = [
        replace(one, test=f"{model}: {one.test}", sentence=f"{model}: {one.sentence}")
        for model, gate in gates.items()
        for one in gate.verdicts
    ]
    unmatched = [set(gate.unmatched) for gate in gates.values()]
    everywhere = set.intersection(*unmatched) if unmatched else set()
    return Gate(verdicts=tuple(verdicts), unmatched=tuple(sorted(everywhere)))


def check_summary(summary: Path | None, output: Path, *, github: bool) -> None:
    """Refuse paths to which no summary can be written, before any work is done."""
    if github and not os.environ.get(STEP_SUMMARY):
        raise InputError(f"${STEP_SUMMARY} is not set.", hint="use --github on GitHub, --summary elsewhere.")
    if summary is None:
        return
    if summary.is_dir():
        raise InputError(f"{summary} is a folder.", hint="name a file with --summary.")
    if output.resolve() in summary.resolve().parents:
        raise InputError(
            f"{summary} is inside the folder of the audit.",
            hint=f"{output / 'summary.md'} is written anyway.",
        )
    check_file(summary)


def send_summary(text: str, summary: Path | None, *, github: bool) -> None:
    """Write the summary to the requested files."""
    if summary is not None:
        write_file(summary, text)
    if github:
        with Path(os.environ[STEP_SUMMARY]).open("a", encoding="utf-8") as file:
            file.write(text)

"""What an audit is held against, and where its summary goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from crossroads.cli.intersections import comparisons, material
from crossroads.errors import InputError
from crossroads.report.audit import rsa_name
from crossroads.report.folder import write_whole
from crossroads.report.rule_files import read_rules
from crossroads.report.rules import Rule, check_rules
from crossroads.stimuli import Design

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub names the file that it shows beside a job."""

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


def rules_for(file: Path | None, designs: list[Design], *, intersections: bool) -> tuple[Rule, ...]:
    """The rules of a file, each of which names a test of this audit."""
    if file is None:
        return ()
    planned = {design.name: "test" for design in designs}
    if intersections:
        for kind in ("ibd", "eibd"):
            asked = material(kind, None, None)
            planned |= {f"{target} {kind.upper()}": "detection" for target in asked.targets}
        planned |= {rsa_name(*(part.name for part in trio)): "comparison" for trio in comparisons(None, None)}
    rules = read_rules(file)
    check_rules(rules, planned)
    return rules


def check_summary(summary: Path | None, output: Path, *, github: bool) -> None:
    """Refuse places to which no summary can go, before any work is done."""
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
    if not summary.parent.is_dir():
        raise InputError(f"there is no folder {summary.parent}.", hint="make it first, or name another.")


def send_summary(text: str, summary: Path | None, *, github: bool) -> None:
    """Write the summary where it was asked for."""
    if summary is not None:
        write_whole(summary, text)
    if github:
        with Path(os.environ[STEP_SUMMARY]).open("a", encoding="utf-8") as file:
            file.write(text)

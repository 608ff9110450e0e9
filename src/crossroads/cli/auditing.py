"""``crossroads audit``: the main job."""

from __future__ import annotations

import json as json_module
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import crossroads
from crossroads.cli import gating, printing
from crossroads.cli import options as o
from crossroads.cli.associations import open_vectors
from crossroads.cli.intersections import intersectional_audit, intersectional_words, published
from crossroads.errors import InputError, MissingExtraError
from crossroads.evidence import Embeddings
from crossroads.inference.power import minimum_detectable
from crossroads.measures import BatteryResult, BootstrapResult, battery, bootstrap, influence
from crossroads.report import (
    Audit,
    Gate,
    bibtex,
    judge,
    latex_table,
    markdown_summary,
    methods_paragraph,
    tidy_rows,
    write_tidy_csv,
    write_tidy_parquet,
)
from crossroads.report.folder import MARK, check_output, staged
from crossroads.report.tables import COVERAGE, association_rows, coverage_rows, write_csv
from crossroads.results import SCHEMA
from crossroads.stimuli import Design

STATIC = ("weat", "ceat-intersectional")


def audit_command(
    model: Annotated[
        str, typer.Argument(help="A file or folder of word vectors; the embedded default if left out.")
    ] = "default",
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the results go.")] = Path("audit"),
    test: o.Tests = None,
    design: o.DesignFiles = None,
    alternative: Annotated[o.Alternative, typer.Option(help="Which tail.")] = o.Alternative.two_sided,
    missing: o.MissingOption = o.Missing.drop,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    seed: o.Seed = 0,
    figures: Annotated[bool, typer.Option(help="Draw figures, where matplotlib is installed.")] = True,
    fail_on: gating.FailOn = None,
    summary: gating.Summary = None,
    github: gating.GitHub = False,
    json: o.Json = False,
) -> None:
    """Test a model on a whole battery, and write everything to a folder."""
    check_output(output)
    gating.check_summary(summary, output, github=github)
    designs = o.chosen_designs(test, design, default=STATIC)
    intersections = not test and not design
    rules = gating.rules_for(fail_on, designs, intersections=intersections)
    words = [*o.words_of(designs), *(intersectional_words() if intersections else [])]
    emb = open_vectors(model, words, format_, fallback)
    audit = measure(
        emb,
        designs,
        alternative=alternative.value,
        missing=missing.value,
        seed=seed,
        intersections=intersections,
    )
    gate = None if fail_on is None else judge(audit, rules)
    measured = {one.design for one in audit.battery.tests}
    kept = [one for one in designs if one.name in measured]
    absent = write_audit(output, audit, kept, figures=figures, gate=gate)
    gating.send_summary(markdown_summary(audit, gate), summary, github=github)
    if json:
        more = {} if gate is None else {"gate": gate.to_dict()}
        printing.document(
            "audit", audit.results, detections=list(audit.detections), output=str(output), **more
        )
    else:
        show_audit(audit, output, absent)
    if gate is not None:
        gate.check()


def measure(
    emb: Embeddings,
    designs: list[Design],
    *,
    alternative: str,
    missing: str,
    seed: int,
    intersections: bool,
) -> Audit:
    """Run the battery and everything that is read beside it."""
    with printing.counting("testing", len(designs)) as (bar, task):
        result = battery(
            emb,
            designs,
            missing=missing,
            progress=lambda _: bar.advance(task),
            alternative=alternative,
            seed=seed,
        )
    if not result.tests:
        raise InputError(
            f"none of the {len(designs)} tests can be measured: {next(iter(result.skipped.values()))}",
            hint="use vectors that cover the stimuli; crossroads catalog NAME lists them.",
        )
    measured = {one.design for one in result.tests}
    kept = [one for one in designs if one.name in measured]
    detections, fits, left = intersectional_audit(emb, missing, seed) if intersections else ({}, [], {})
    return Audit(
        battery=result,
        intervals=tuple(bootstrap(emb, one, missing=missing, seed=seed) for one in kept),
        influences=tuple(influence(emb, one, missing=missing) for one in kept),
        detections=detections,
        fits=tuple(fits),
        left_out=left,
    )


def show_audit(audit: Audit, output: Path, absent: list[str]) -> None:
    """Print the tables of an audit and what to read beside them."""
    result = audit.battery
    details = result.provenance[0].details
    size = details.get("vocabulary")
    printing.out.print(
        f"[b]{escape(result.provenance[0].source)}[/b]"
        + (f": {size:,} words" if isinstance(size, int) else "")
        + f", {len(result.tests)} tests"
    )
    printing.out.print(printing.audit_table(result, audit.ends))
    printing.legend(result)
    alternative = result.tests[0].conventions["alternative"]
    printing.out.print(
        f"d: effect size of X against Y, in standard deviations. p: share of all divisions of the targets, "
        f"{alternative}. p (BH): adjusted for {len(result.tests)} tests. CI: over the choice of words in all "
        "four sets. pattern: the attribute to which each target leans by itself.",
        style="dim",
    )
    printing.notes([(t.design, t.coverage) for t in result.tests], [t.level1.method for t in result.tests])
    if audit.detections:
        printing.out.print("\n[b]Words associated with two groups[/b], judged by 98 validation words")
        printing.out.print(printing.detection_table(audit.detections))
    if audit.fits:
        printing.out.print("[b]Geometry[/b]: which group goes with the concept")
        printing.out.print(printing.rsa_table(audit.fits))
    printing.skipped(audit.skipped)
    for sentence in absent:
        printing.out.print(sentence, style="dim", markup=False)
    printing.out.print(f"written to {output}", markup=False)


def write_audit(
    output: Path, audit: Audit, designs: list[Design], *, figures: bool, gate: Gate | None = None
) -> list[str]:
    """Write the folder beside its place and move it there whole; returns what it lacks and needs."""
    absent: list[str] = []
    with staged(output) as folder:
        _write_document(folder / MARK, audit, designs)
        rows = tidy_rows(audit)
        write_tidy_csv(folder / "results.csv", rows)
        try:
            write_tidy_parquet(folder / "results.parquet", rows)
        except MissingExtraError as error:
            absent.append(f"no results.parquet: {error.hint}")
        _write_tables(folder, audit)
        texts = {
            "table.tex": latex_table(audit),
            "methods.md": methods_paragraph(audit, designs),
            "citations.bib": bibtex(audit, designs),
            "summary.md": markdown_summary(audit, gate),
        }
        if gate is not None:
            texts["gate.json"] = (
                json_module.dumps(gate.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
            )
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        if figures:
            from crossroads.report.drawing import draw_figures  # figures are loaded where they are drawn

            points = {kind: published(kind) for kind in ("ibd", "eibd")}
            try:
                draw_figures(folder / "figures", audit, published=points)
            except MissingExtraError as error:
                shutil.rmtree(folder / "figures")
                absent.append(f"no figures: {error.hint}")
    return absent


def _write_document(path: Path, audit: Audit, designs: list[Design]) -> None:
    """Everything that was measured, nothing rounded."""
    data = {
        "crossroads": crossroads.__version__,
        "schema": SCHEMA,
        "designs": [one.to_dict() for one in designs],
        "skipped": audit.skipped,
        "detections": list(audit.detections),
        "results": [result.to_dict() for result in audit.results],
    }
    text = json_module.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def _write_tables(folder: Path, audit: Audit) -> None:
    """Tables of one kind of number each."""
    write_csv(folder / "tests.csv", _tests(audit.battery, audit.intervals))
    write_csv(folder / "associations.csv", association_rows(audit.battery))
    write_csv(
        folder / "influence.csv",
        [{"design": one.design, **row} for one in audit.influences for row in one.rows()],
    )
    write_csv(folder / "coverage.csv", coverage_rows(audit.battery), columns=COVERAGE)
    if audit.detections:
        rows = [{"detection": name, **row} for name, one in audit.detections.items() for row in one.rows()]
        write_csv(folder / "detections.csv", rows)
    if audit.fits:
        write_csv(folder / "rsa.csv", [row for fit in audit.fits for row in fit.rows()])


def _tests(result: BatteryResult, intervals: tuple[BootstrapResult, ...]) -> list[dict[str, Any]]:
    """One row a test, with its interval and what sets of its size could have shown."""
    rows = []
    for test, row, ends in zip(result.tests, result.rows(), intervals, strict=True):
        tail = test.level1.alternative
        power = minimum_detectable(
            len(test.level1.sets["x"]),
            len(test.level1.sets["y"]),
            alternative="two-sided" if tail == "observed" else tail,
        )
        row |= {"ci_low": ends.low, "ci_high": ends.high, "min_pvalue": test.level1.min_pvalue}
        row |= {"critical_effect_size": power.critical, "detectable_effect_size": power.detectable}
        rows.append(row)
    return rows

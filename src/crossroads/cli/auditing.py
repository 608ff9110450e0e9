"""``crossroads audit``: the main job."""

from __future__ import annotations

import csv
import json as json_module
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import crossroads
from crossroads.cli import options as o
from crossroads.cli import printing
from crossroads.cli.associations import open_vectors
from crossroads.cli.intersections import intersectional_audit, intersectional_words, published
from crossroads.errors import InputError, MissingExtraError, join_words
from crossroads.inference.power import minimum_detectable
from crossroads.measures import (
    BatteryResult,
    BootstrapResult,
    DetectionResult,
    InfluenceResult,
    RsaResult,
    battery,
    bootstrap,
    influence,
)
from crossroads.results import Result
from crossroads.stimuli import Design

STATIC = ("weat", "ceat-intersectional")
MARK = "results.json"


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
    json: o.Json = False,
) -> None:
    """Test a model on a whole battery, and write everything to a folder."""
    check_output(output)
    designs = o.chosen_designs(test, design, default=STATIC)
    intersections = not test and not design
    words = [*o.words_of(designs), *(intersectional_words() if intersections else [])]
    emb = open_vectors(model, words, format_, fallback)
    settings: dict[str, Any] = {"alternative": alternative.value, "seed": seed}
    with printing.counting("testing", len(designs)) as (bar, task):
        result = battery(
            emb, designs, missing=missing.value, progress=lambda _: bar.advance(task), **settings
        )
    if not result.tests:
        raise InputError(
            f"none of the {len(designs)} tests can be measured: {next(iter(result.skipped.values()))}",
            hint="use vectors that cover the stimuli; crossroads catalog NAME lists them.",
        )
    measured = {test_.design for test_ in result.tests}
    kept = [one for one in designs if one.name in measured]
    intervals = [bootstrap(emb, one, missing=missing.value, seed=seed) for one in kept]
    influences = [influence(emb, one, missing=missing.value) for one in kept]
    detections: dict[str, DetectionResult] = {}
    fits: list[RsaResult] = []
    left: dict[str, str] = {}
    if intersections:
        detections, fits, left = intersectional_audit(emb, missing.value, seed)
    found = Audit(result, intervals, influences, detections, fits)
    drawn = write_audit(output, found, kept, figures=figures)
    if json:
        printing.document("audit", found.results, detections=list(detections), output=str(output))
        return
    show_audit(found, left, output, drawn)


@dataclass(frozen=True)
class Audit:
    """Everything an audit found."""

    battery: BatteryResult
    intervals: list[BootstrapResult]
    influences: list[InfluenceResult]
    detections: dict[str, DetectionResult]
    fits: list[RsaResult]

    @property
    def results(self) -> list[Result]:
        """All results, in the order in which they are written."""
        return [self.battery, *self.intervals, *self.influences, *self.detections.values(), *self.fits]


def show_audit(audit: Audit, left: dict[str, str], output: Path, drawn: bool) -> None:
    """Print the tables of an audit and what to read beside them."""
    result, intervals = audit.battery, audit.intervals
    details = result.provenance[0].details
    size = details.get("vocabulary")
    printing.out.print(
        f"[b]{escape(result.provenance[0].source)}[/b]"
        + (f": {size:,} words" if isinstance(size, int) else "")
        + f", {len(result.tests)} tests"
    )
    printing.out.print(printing.audit_table(result, {i.design: (i.low, i.high) for i in intervals}))
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
    printing.skipped({**result.skipped, **left})
    if not drawn:
        printing.out.print('no figures: pip install "crossroads[plots]"', style="dim", markup=False)
    printing.out.print(f"written to {output}", markup=False)


OURS = {
    MARK,
    "tests.csv",
    "associations.csv",
    "influence.csv",
    "coverage.csv",
    "detections.csv",
    "rsa.csv",
    "figures",
}
"""What an audit writes; a folder that holds anything else is not replaced."""


def check_output(output: Path) -> None:
    """Refuse a place that holds something else or cannot be written, before any work is done."""
    if output.is_symlink() and not output.exists():
        raise InputError(f"{output} is a link to nothing.", hint="name a folder with --output.")
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is a file.", hint="name a folder with --output.")
    if output.resolve() in (Path.cwd(), *Path.cwd().parents):
        raise InputError(
            f"{output} is the current folder or above it.", hint="name a new folder with --output."
        )
    if output.is_dir() and any(output.iterdir()):
        foreign = sorted(path.name for path in output.iterdir() if path.name not in OURS)
        if foreign or not _is_audit(output / MARK):
            shown = (
                join_words([repr(name) for name in foreign], most=3) or f"a {MARK} that is not of an audit"
            )
            raise InputError(
                f"the folder {output} holds other things: {shown}.",
                hint="name an empty or a new folder with --output.",
            )
    parent = next(path for path in (output.resolve(), *output.resolve().parents) if path.exists())
    if not os.access(parent, os.W_OK):
        raise InputError(f"{parent} cannot be written to.", hint="name another folder with --output.")


def _is_audit(path: Path) -> bool:
    """Whether a file is the record of an audit."""
    try:
        data = json_module.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and {"crossroads", "designs", "results"} <= set(data)


def write_audit(output: Path, audit: Audit, designs: list[Design], *, figures: bool) -> bool:
    """Write the folder beside its place and move it there whole; tell whether figures were drawn."""
    output.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=output.parent))
    try:
        data = {
            "crossroads": crossroads.__version__,
            "designs": [one.to_dict() for one in designs],
            "results": [r.to_dict() for r in audit.results],
        }
        text = json_module.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
        (staging / MARK).write_text(text + "\n", encoding="utf-8")
        result = audit.battery
        _write_csv(staging / "tests.csv", _tests(result, audit.intervals))
        _write_csv(staging / "associations.csv", _associations(result))
        _write_csv(
            staging / "influence.csv",
            [{"design": i.design, **row} for i in audit.influences for row in i.rows()],
        )
        _write_csv(
            staging / "coverage.csv", _coverage(result), columns=("design", "set", "word", "status", "detail")
        )
        if audit.detections:
            rows = [{"detection": k, **row} for k, d in audit.detections.items() for row in d.rows()]
            _write_csv(staging / "detections.csv", rows)
        if audit.fits:
            _write_csv(staging / "rsa.csv", [row for fit in audit.fits for row in fit.rows()])
        drawn = figures and _draw(staging / "figures", audit)
        staging.chmod(0o777 & ~_umask())
        _move(staging, output)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    return drawn or not figures


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _move(staging: Path, output: Path) -> None:
    """Put the new folder in place of an old audit; the old one goes only when the new one stands."""
    if not output.exists():
        staging.rename(output)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{output.name}-old-", dir=output.parent))
    try:
        output.rename(old / "audit")
        try:
            staging.rename(output)
        except BaseException:
            (old / "audit").rename(output)
            raise
    finally:
        shutil.rmtree(old)


def _write_csv(path: Path, rows: Iterable[dict[str, Any]], columns: tuple[str, ...] | None = None) -> None:
    rows = list(rows)
    names = columns or (tuple(rows[0]) if rows else ())
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=names)
        writer.writeheader()
        writer.writerows(rows)


def _tests(result: BatteryResult, intervals: list[BootstrapResult]) -> list[dict[str, Any]]:
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


def _associations(result: BatteryResult) -> list[dict[str, Any]]:
    """Every association behind every effect size, level by level."""
    rows = []
    for test in result.tests:
        levels = {"1": test.level1, "2 x": test.level2["x"], "2 y": test.level2["y"]}
        for level, one in levels.items():
            names = ("x", "y") if level == "1" else ("a", "b")
            rows += [
                {
                    "design": test.design,
                    "level": level,
                    "set": name,
                    "word": word,
                    "association": one.associations[word],
                }
                for name in names
                for word in one.sets[name]
            ]
    return rows


def _coverage(result: BatteryResult) -> list[dict[str, Any]]:
    rows = []
    for test in result.tests:
        if test.coverage is None:
            continue
        for name, words in test.coverage.dropped.items():
            rows += [
                {"design": test.design, "set": name, "word": word, "status": "left out", "detail": why}
                for word, why in words.items()
            ]
        for name, used in test.coverage.used.items():
            rows += [
                {
                    "design": test.design,
                    "set": name,
                    "word": word,
                    "status": "respelled" if word in test.coverage.respelled else "found",
                    "detail": test.coverage.respelled.get(word, ""),
                }
                for word in used
            ]
    return rows


def _draw(folder: Path, audit: Audit) -> bool:
    try:
        from crossroads import plots

        folder.mkdir()
        maps = plots.eat_maps(audit.battery)
        plots.save(maps, folder / "eat-maps.svg")
        plots.save(maps, folder / "eat-maps.png")
        intervals = {i.design: i for i in audit.intervals}
        plots.save(plots.forest(audit.battery, intervals), folder / "effect-sizes.svg")
        for test in audit.battery.tests:
            name = "".join(c if c.isalnum() or c in "-_" else "-" for c in test.design)
            plots.save(plots.association_plot(test), folder / f"{name}-associations.svg")
        for kind in ("IBD", "EIBD"):
            found = {name: one for name, one in audit.detections.items() if name.endswith(f" {kind}")}
            if found:
                plots.save(
                    plots.roc(found, published=published(kind.lower())), folder / f"{kind.lower()}.svg"
                )
        if audit.fits:
            plots.save(plots.fit_plot(audit.fits), folder / "geometry.svg")
    except MissingExtraError:
        shutil.rmtree(folder, ignore_errors=True)
        return False
    return True

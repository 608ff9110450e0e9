"""Write the folder of an audit, or of several with their comparison, atomically."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from crossroads.core.errors import MissingExtraError
from crossroads.core.report.audit import FinishedAudit, by_label
from crossroads.core.report.documents.records import (
    Record,
    audit_record,
    described,
    results_document,
    write_document,
)
from crossroads.core.report.figures import Figures, published_points
from crossroads.core.report.folder import MARK, folder_names
from crossroads.core.report.methods.citations import bibtex
from crossroads.core.report.methods.paragraph import methods_text
from crossroads.core.report.page.data import VECTORS, stimulus_vectors, write_vectors
from crossroads.core.report.page.page import write_page
from crossroads.core.report.renderers.tables import (
    tidy_rows,
    write_csv,
    write_tables,
    write_tidy_csv,
    write_tidy_parquet,
)
from crossroads.core.report.renderers.texts import latex_table, markdown_summary
from crossroads.core.results import Result, Row
from crossroads.core.storage.staging import replaced
from crossroads.core.subjects import brought
from crossroads.core.wording.table import Table

PAGE, COMPARISON = "report.html", "comparison"
Drawer = Callable[[Path, Any, Callable[[Path], None]], None]
"""Makes a folder of figures from what they show and what draws them, or from figures of an earlier run."""


class Written(NamedTuple):
    """What was written."""

    absent: list[str]  # sentences on what is absent, and what to install for it
    comparison: Joint | None = None  # the comparison of several audits, with differences that have no test


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A comparison of several audits, as its folder contains it; a subject makes it."""

    results: Sequence[Result]  # all its results
    title: str  # heading of the page
    methods: str  # how models were compared
    citations: str  # the citations, in BibTeX
    markdown: str  # the tables and notes on one page of Markdown
    latex: str  # the tables in LaTeX
    skipped: Mapping[str, str]  # what could not be compared, and why
    rows: Mapping[str, Sequence[Row]]  # rows of CSV files, by the stems of their names
    tables: Sequence[Table]  # the tables
    notes: Sequence[str]  # notes on them
    draw: Callable[[Figures], None]  # draws the figures


def write_audits(
    output: Path,
    audits: Mapping[str, FinishedAudit],
    tested: Result | None = None,
    *,
    seed: int = 0,
    figures: bool = True,
    drawer: Drawer | None = None,
) -> Written:
    """Write one audit; or several, each in its own subfolder, and their comparison.

    Parameters
    ----------
    output
        The folder; an existing audit or comparison is replaced in one step.
    audits
        The audits by name of the model.
    tested
        Paired tests of every pair of models by these names; computed here if left out.
    seed
        Seed of the comparison of scores of groups on traits.
    figures
        Whether to draw figures.
    drawer
        Makes the folders of figures, where they may come from an earlier run; by default they are drawn.
    """
    with replaced(output) as folder:
        if len(audits) == 1:
            (audit,) = audits.values()
            _, absent = _write_audit(folder, audit, figures=figures, drawer=drawer)
            return Written(absent)
        records, absent = [], []
        for model, name in folder_names(audits).items():
            (folder / name).mkdir()
            record, lacking = _write_audit(folder / name, audits[model], figures=figures, drawer=drawer)
            records.append(replace(record, document={**record.document, "model": model}))
            absent += lacking
        joint: Joint | None = None
        for comparing in brought("several"):
            joint = comparing.compare_written(audits, records, tested, seed=seed)
            absent += _write_joint(folder, joint, records, figures=figures, drawer=drawer)
        return Written(list(dict.fromkeys(absent)), joint)


def write_joint(
    output: Path, joint: Joint, *, records: Sequence[Record] = (), figures: bool = True
) -> Written:
    """Write a comparison of saved audits, with one page for all of them; the audits are not changed."""
    with replaced(output) as folder:
        return Written(_write_joint(folder, joint, records, figures=figures), joint)


def _write_audit(
    folder: Path, finished: FinishedAudit, *, figures: bool, drawer: Drawer | None
) -> tuple[Record, list[str]]:
    """Write every file of an audit; returns the record of its page, and what is absent."""
    audit, designs, gate = finished.audit, finished.designs, finished.gate
    record = audit_record(
        audit,
        designs,
        vectors=None if finished.vectors is None else stimulus_vectors(finished.vectors, audit, designs),
        gate=None if gate is None else gate.to_dict(),
        methods=methods_text(audit, designs),
        citations=bibtex(audit, designs),
    )
    texts = {"table.tex": latex_table(audit), "summary.md": markdown_summary(audit, gate)}
    if record.gate is not None:
        texts["gate.json"] = json.dumps(record.gate, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    _write_texts(folder, record, texts)
    write_tables(folder, audit)
    if record.vectors is not None:
        write_vectors(folder / VECTORS, record.vectors)
    rows, absent = tidy_rows(audit), []
    write_tidy_csv(folder / "results.csv", rows)
    try:
        write_tidy_parquet(folder / "results.parquet", rows)
    except MissingExtraError as error:
        absent.append(f"no results.parquet: {error.hint}")
    if figures:
        shown = [record.document["names"], record.document["results"], published_points()]

        def draw(figures: Figures) -> None:
            for module in brought("audit"):
                module.draw(audit, figures)

        absent += _draw(folder, shown, draw, drawer)
    write_page(folder / PAGE, [record])
    return record, absent


def _write_joint(
    folder: Path, joint: Joint, records: Sequence[Record], *, figures: bool, drawer: Drawer | None = None
) -> list[str]:
    """Write every file of a comparison; returns what is absent."""
    record = Record(
        document={**results_document(joint.results, model=COMPARISON), "skipped": dict(joint.skipped)},
        methods=joint.methods,
        citations=joint.citations,
        **described(by_label(joint.results)),
    )
    for name, rows in joint.rows.items():
        if rows:
            write_csv(folder / f"{name}.csv", rows)
    _write_texts(folder, record, {"comparison.tex": joint.latex, "comparison.md": joint.markdown})
    write_page(folder / PAGE, [*records, record], title=joint.title)
    if not figures or not joint.rows[COMPARISON]:
        return []
    return _draw(folder, [one.to_dict() for one in joint.results], joint.draw, drawer)


def _write_texts(folder: Path, record: Record, texts: Mapping[str, str]) -> None:
    """Write the document of a record, its methods and citations, and other texts."""
    write_document(folder / MARK, record.document)
    own = {"methods.md": record.methods, "citations.bib": record.citations}
    for name, text in (own | dict(texts)).items():
        (folder / name).write_text(text, encoding="utf-8")


def _draw(folder: Path, shown: Any, drawing: Callable[[Figures], None], drawer: Drawer | None) -> list[str]:
    """Make the figures of a folder; returns what is absent."""
    place = folder / "figures"
    try:
        if drawer is None:
            drawing(Figures(place))
        else:
            drawer(place, shown, lambda place: drawing(Figures(place)))
    except MissingExtraError as error:
        shutil.rmtree(place)
        return [f"no figures: {error.hint}"]
    return []

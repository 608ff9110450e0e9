"""Write the folder of an audit, or of several with their comparison, atomically."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from crossroads.comparison.battery import CompareBatteryResult
from crossroads.comparison.report import (
    Comparison,
    compare_audits,
    comparison_citations,
    comparison_latex,
    comparison_markdown,
    comparison_methods,
    saved_audit,
)
from crossroads.core.errors import MissingExtraError, join_words
from crossroads.core.report.audit import FinishedAudit, by_label
from crossroads.core.report.documents.records import (
    Record,
    audit_record,
    described,
    results_document,
    write_document,
)
from crossroads.core.report.folder import MARK, folder_names
from crossroads.core.report.methods.citations import bibtex
from crossroads.core.report.methods.paragraph import methods_text
from crossroads.core.report.page.data import VECTORS, stimulus_vectors, write_vectors
from crossroads.core.report.page.page import write_page
from crossroads.core.report.published import published_points
from crossroads.core.report.renderers.tables import (
    tidy_rows,
    write_csv,
    write_tables,
    write_tidy_csv,
    write_tidy_parquet,
)
from crossroads.core.report.renderers.texts import latex_table, markdown_summary
from crossroads.core.storage.staging import replaced

PAGE, COMPARISON = "report.html", "comparison"
Drawer = Callable[[Path, Any, Callable[[Path], None]], None]
"""Makes a folder of figures from what they show and what draws them, or from figures of an earlier run."""


class Written(NamedTuple):
    """What was written."""

    absent: list[str]
    """Sentences on what is absent, and what to install for it."""
    comparison: Comparison | None = None
    """The comparison of several audits, with differences that have no test."""


def write_audits(
    output: Path,
    audits: Mapping[str, FinishedAudit],
    tested: CompareBatteryResult | None = None,
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
        Paired tests of every pair of models; computed here if left out. Their names of the models are the
        keys of ``audits``.
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
        saved = [
            saved_audit(name, one.audit.values(), one.designs, record.vectors)
            for (name, one), record in zip(audits.items(), records, strict=True)
        ]
        comparison = compare_audits(saved, tested=tested, seed=seed, anything=True)
        absent += _write_comparison(folder, comparison, records, figures=figures, drawer=drawer)
        return Written(list(dict.fromkeys(absent)), comparison)


def write_comparison(
    output: Path, comparison: Comparison, *, records: Sequence[Record] = (), figures: bool = True
) -> Written:
    """Write a comparison of saved audits, with one page for all of them; the audits are not changed.

    Parameters
    ----------
    output
        The folder; an existing comparison is replaced.
    comparison
        What was compared.
    records
        The audits, for the page.
    figures
        Whether to draw figures.
    """
    with replaced(output) as folder:
        return Written(_write_comparison(folder, comparison, records, figures=figures), comparison)


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
    texts = {
        "table.tex": latex_table(audit),
        "methods.md": record.methods,
        "citations.bib": record.citations,
        "summary.md": markdown_summary(audit, gate),
    }
    if record.gate is not None:
        texts["gate.json"] = json.dumps(record.gate, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    _write_texts(folder, texts)
    write_document(folder / MARK, record.document)
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
        from crossroads.core.report.figures import draw_figures

        points = published_points()
        shown = [record.document["names"], record.document["results"], points]
        absent += _draw(folder, shown, lambda place: draw_figures(place, audit, published=points), drawer)
    write_page(folder / PAGE, [record])
    return record, absent


def _write_comparison(
    folder: Path,
    comparison: Comparison,
    records: Sequence[Record],
    *,
    figures: bool,
    drawer: Drawer | None = None,
) -> list[str]:
    """Write every file of a comparison; returns what is absent."""
    battery = comparison.battery
    record = Record(
        document={
            **results_document(comparison.results, model=COMPARISON),
            "skipped": dict(battery.skipped),
        },
        methods=comparison_methods(comparison),
        citations=comparison_citations(comparison),
        **described(by_label(comparison.results)),
    )
    write_document(folder / MARK, record.document)
    traits = [
        {"measure": one.measures[0], "model_1": one.models[0], "model_2": one.models[1], **row}
        for one in comparison.traits
        for row in one._rows()
    ]
    for name, rows in (("comparison.csv", battery._rows()), ("trait_comparison.csv", traits)):
        if rows:
            write_csv(folder / name, rows)
    texts = {
        "comparison.tex": comparison_latex(comparison),
        "comparison.md": comparison_markdown(comparison),
        "methods.md": record.methods,
        "citations.bib": record.citations,
    }
    _write_texts(folder, texts)
    title = f"Associations in {join_words(battery.models, most=3)}"
    write_page(folder / PAGE, [*records, record], title=title)
    if not figures or not battery._rows():
        return []
    from crossroads.core.report.figures import draw_comparison

    return _draw(folder, [battery.to_dict()], lambda place: draw_comparison(place, battery), drawer)


def _write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _draw(folder: Path, shown: Any, drawing: Callable[[Path], None], drawer: Drawer | None) -> list[str]:
    """Make the figures of a folder; returns what is absent."""
    place = folder / "figures"
    try:
        drawing(place) if drawer is None else drawer(place, shown, drawing)
    except MissingExtraError as error:
        shutil.rmtree(place)
        return [f"no figures: {error.hint}"]
    return []

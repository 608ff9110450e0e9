"""Write the folder of an audit, or of a comparison of several, atomically."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from crossroads.errors import MissingExtraError, join_words
from crossroads.evidence import Embeddings
from crossroads.measures import CompareBatteryResult
from crossroads.report.audit import Audit, by_label
from crossroads.report.comparison.audits import Comparison, compare_audits
from crossroads.report.comparison.files import (
    comparison_citations,
    comparison_latex,
    comparison_markdown,
    comparison_methods,
)
from crossroads.report.comparison.saved import saved_audits
from crossroads.report.documents.records import Record, audit_record, described, results_document
from crossroads.report.documents.shared import write_document
from crossroads.report.folder import MARK, folder_names
from crossroads.report.gate.rules import Gate
from crossroads.report.methods.citations import bibtex
from crossroads.report.methods.paragraph import methods_text
from crossroads.report.page.page import write_page
from crossroads.report.page.vectors import VECTORS, stimulus_vectors, write_vectors
from crossroads.report.renderers.csv import write_csv, write_tables
from crossroads.report.renderers.latex import latex_table
from crossroads.report.renderers.long import tidy_rows, write_tidy_csv, write_tidy_parquet
from crossroads.report.renderers.markdown import markdown_summary
from crossroads.stimuli import Design
from crossroads.storage.staging import replaced

PAGE, COMPARISON = "report.html", "comparison"
Findings = Mapping[str, Sequence[Any]]
Drawer = Callable[[Path, Any, Callable[[Path], None]], None]
"""Makes a folder of figures from what they show and what draws them, or from figures it has kept."""
Points = Mapping[str, Mapping[str, tuple[float, float]]]


def write_audit(
    output: Path,
    audit: Audit,
    designs: Iterable[Design],
    *,
    vectors: Embeddings | None = None,
    figures: bool = True,
    gate: Gate | None = None,
    published: Points | None = None,
    findings: Findings | None = None,
    fidelity: Sequence[Any] | None = None,
    drawer: Drawer | None = None,
) -> list[str]:
    """Write the folder of an audit to a temporary place and move it to its path in one step.

    Parameters
    ----------
    output
        The folder; an existing audit is replaced.
    audit
        What was measured.
    designs
        The designs that were measured.
    vectors
        The vectors of the battery; those of stimuli are saved, for the page and for comparisons.
    figures
        Whether to draw figures.
    gate
        The verdicts of rules, where there were any.
    published
        Published points of detections, false and true positive rate: ``ibd`` and ``eibd`` to group to point.
    findings, fidelity
        Published findings by test, and whose formula each measure follows, for the page.
    drawer
        Makes the folder of figures, where they may come from an earlier run; by default they are drawn.

    Returns
    -------
    list
        Sentences on what is absent, and what to install for it.
    """
    designs = list(designs)
    with replaced(output) as folder:
        record, absent = write_parts(
            folder,
            audit,
            designs,
            vectors=vectors,
            figures=figures,
            gate=gate,
            published=published,
            drawer=drawer,
        )
        write_page(folder / PAGE, [record], findings=findings, fidelity=fidelity)
    return absent


def write_parts(
    folder: Path,
    audit: Audit,
    designs: Sequence[Design],
    *,
    vectors: Embeddings | None = None,
    figures: bool = True,
    gate: Gate | None = None,
    published: Points | None = None,
    drawer: Drawer | None = None,
) -> tuple[Record, list[str]]:
    """Write every file of an audit except the page; returns the record from which the page is made."""
    record = audit_record(audit, designs)
    write_document(folder / MARK, record.document)
    absent = _write_long_tables(folder, audit)
    write_tables(folder, audit)
    texts = {
        "table.tex": latex_table(audit),
        "methods.md": methods_text(audit, designs),
        "citations.bib": bibtex(audit, designs),
        "summary.md": markdown_summary(audit, gate),
    }
    verdicts = None if gate is None else gate.to_dict()
    if verdicts is not None:
        texts["gate.json"] = json.dumps(verdicts, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    kept = None if vectors is None else stimulus_vectors(vectors, audit, designs)
    if kept is not None:
        write_vectors(folder / VECTORS, kept)
    if figures:
        points = published or {}
        shown = [record.document["names"], record.document["results"], points]
        absent += _draw(
            folder, shown, lambda place: _figures().draw_figures(place, audit, published=points), drawer
        )
    citations = texts["citations.bib"]
    whole = replace(record, vectors=kept, gate=verdicts, methods=texts["methods.md"], citations=citations)
    return whole, absent


def _write_long_tables(folder: Path, audit: Audit) -> list[str]:
    rows = tidy_rows(audit)
    write_tidy_csv(folder / "results.csv", rows)
    try:
        write_tidy_parquet(folder / "results.parquet", rows)
    except MissingExtraError as error:
        return [f"no results.parquet: {error.hint}"]
    return []


def _draw(folder: Path, shown: Any, drawing: Callable[[Path], None], drawer: Drawer | None) -> list[str]:
    """Make the figures of a folder; returns what is absent."""
    place = folder / "figures"
    try:
        if drawer is None:
            drawing(place)
        else:
            drawer(place, shown, drawing)
    except MissingExtraError as error:
        shutil.rmtree(place)
        return [f"no figures: {error.hint}"]
    return []


def _figures() -> ModuleType:
    """What draws figures, which is loaded where they are drawn."""
    from crossroads.report import figures

    return figures


@dataclass(frozen=True, kw_only=True)
class ModelAudit:
    """One of several audits written together."""

    audit: Audit
    """What was measured."""
    designs: Sequence[Design]
    """The designs that were measured."""
    vectors: Embeddings | None = None
    """The vectors of the battery."""
    gate: Gate | None = None
    """The verdicts of rules, where there were any."""


def write_comparison(
    output: Path,
    comparison: Comparison,
    *,
    records: Sequence[Record] = (),
    figures: bool = True,
    findings: Findings | None = None,
    fidelity: Sequence[Any] | None = None,
) -> list[str]:
    """Write a comparison of saved audits, with one page for all of them; the audits are not changed.

    Parameters
    ----------
    output
        The folder; an existing comparison is replaced.
    comparison
        What was compared.
    records
        The audits, for the page.
    figures, findings, fidelity
        As in :func:`write_audit`.

    Returns
    -------
    list
        Sentences on what is absent, and what to install for it.
    """
    with replaced(output) as folder:
        absent = _write_comparison(folder, comparison, figures=figures)
        _write_page(folder, records, comparison, findings=findings, fidelity=fidelity)
    return absent


def write_audits(
    output: Path,
    audits: Mapping[str, ModelAudit],
    tested: CompareBatteryResult | None = None,
    *,
    seed: int = 0,
    figures: bool = True,
    published: Points | None = None,
    findings: Findings | None = None,
    fidelity: Sequence[Any] | None = None,
    drawer: Drawer | None = None,
) -> tuple[list[str], Comparison]:
    """Write the audits of several models, each in its own subfolder, and their comparison.

    Parameters
    ----------
    output
        The folder; existing audits and comparisons are replaced.
    audits
        The audits by name of the model.
    tested
        Paired tests of every pair of models; computed here if left out. Their names of the models are the
        keys of ``audits``.
    seed
        Seed of the comparison of scores of groups on traits.
    figures, published, findings, fidelity, drawer
        As in :func:`write_audit`.

    Returns
    -------
    tuple
        Sentences on what is absent, and the comparison, with differences that have no test.
    """
    absent: list[str] = []
    records: list[Record] = []
    with replaced(output) as folder:
        for model, name in folder_names(audits).items():
            one, inner = audits[model], folder / name
            inner.mkdir()
            record, lacks = write_parts(
                inner,
                one.audit,
                one.designs,
                vectors=one.vectors,
                figures=figures,
                gate=one.gate,
                published=published,
                drawer=drawer,
            )
            write_page(inner / PAGE, [record], findings=findings, fidelity=fidelity)
            records.append(replace(record, document={**record.document, "model": model}))
            absent += [sentence for sentence in lacks if sentence not in absent]
        found = compare_audits(saved_audits(records, list(audits)), tested=tested, seed=seed, anything=True)
        lacks = _write_comparison(folder, found, figures=figures, drawer=drawer)
        absent += [sentence for sentence in lacks if sentence not in absent]
        _write_page(folder, records, found, findings=findings, fidelity=fidelity)
    return absent, found


def _write_page(folder: Path, records: Sequence[Record], comparison: Comparison, **options: Any) -> None:
    """Write one page of all models and their comparison."""
    title = f"Associations in {join_words(comparison.battery.models, most=3)}"
    write_page(folder / PAGE, [*records, _comparison_record(comparison)], title=title, **options)


def _comparison_record(comparison: Comparison) -> Record:
    document = results_document(comparison.results, model=COMPARISON)
    return Record(
        document={**document, "skipped": dict(comparison.battery.skipped)},
        methods=comparison_methods(comparison),
        citations=comparison_citations(comparison),
        **described(by_label(comparison.results)),
    )


def _write_comparison(
    folder: Path, comparison: Comparison, *, figures: bool, drawer: Drawer | None = None
) -> list[str]:
    """Write every file of a comparison except the page."""
    write_document(folder / MARK, _comparison_record(comparison).document)
    rows = comparison.battery.rows()
    if rows:
        write_csv(folder / "comparison.csv", rows)
    traits = [
        {"measure": one.measures[0], "model_1": one.models[0], "model_2": one.models[1], **row}
        for one in comparison.traits
        for row in one.rows()
    ]
    if traits:
        write_csv(folder / "trait_comparison.csv", traits)
    texts = {
        "comparison.tex": comparison_latex(comparison),
        "comparison.md": comparison_markdown(comparison),
        "methods.md": comparison_methods(comparison),
        "citations.bib": comparison_citations(comparison),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    if not figures or not rows:
        return []
    shown = [comparison.battery.to_dict()]
    return _draw(folder, shown, lambda place: _figures().draw_comparison(place, comparison.battery), drawer)

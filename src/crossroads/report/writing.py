"""The folder of an audit, and of a comparison of several: every file of it, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossroads.errors import MissingExtraError, join_words
from crossroads.evidence import Embeddings
from crossroads.evidence.replacing import replaced
from crossroads.measures import CompareBatteryResult
from crossroads.report.audit import Audit
from crossroads.report.citations import bibtex
from crossroads.report.comparing import Comparison, compare_audits
from crossroads.report.comparison_files import (
    comparison_citations,
    comparison_latex,
    comparison_markdown,
    comparison_methods,
)
from crossroads.report.folder import MARK, folder_names
from crossroads.report.json_text import json_pieces
from crossroads.report.latex import latex_table
from crossroads.report.methods import methods_paragraph
from crossroads.report.page import write_page
from crossroads.report.records import VECTORS, Record, audit_document, results_document
from crossroads.report.rules import Gate
from crossroads.report.saved import saved_audits
from crossroads.report.summary import markdown_summary
from crossroads.report.tables import write_csv, write_tables
from crossroads.report.tidy import tidy_rows, write_tidy_csv, write_tidy_parquet
from crossroads.report.vector_files import stimulus_vectors, write_vectors
from crossroads.stimuli import Design

PAGE, COMPARISON = "report.html", "comparison"
Findings = Mapping[str, Sequence[Any]]
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
) -> list[str]:
    """Write the folder of an audit beside its place and move it there whole.

    Parameters
    ----------
    output
        The folder; an audit that stands there is replaced.
    audit
        What was measured.
    designs
        The designs that were measured.
    vectors
        The vectors behind the battery; those of stimuli are kept, for the page and for comparisons.
    figures
        Whether to draw figures.
    gate
        The verdicts of rules, where there were any.
    published
        Published points of detections, false and true positive rate: ``ibd`` and ``eibd`` to group to point.
    findings, fidelity
        Published findings by test, and whose formula each measure follows, for the page.

    Returns
    -------
    list
        Sentences on what is absent, and what to install for it.
    """
    designs = list(designs)
    with replaced(output) as folder:
        record, absent = write_parts(
            folder, audit, designs, vectors=vectors, figures=figures, gate=gate, published=published
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
) -> tuple[Record, list[str]]:
    """Write every file of an audit but the page into a folder; returns what a page is made from."""
    document = audit_document(audit, designs)
    write_json(folder / MARK, document)
    absent = _write_long_tables(folder, audit)
    write_tables(folder, audit)
    texts = {
        "table.tex": latex_table(audit),
        "methods.md": methods_paragraph(audit, designs),
        "citations.bib": bibtex(audit, designs),
        "summary.md": markdown_summary(audit, gate),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    verdicts = None if gate is None else gate.to_dict()
    if verdicts is not None:
        write_json(folder / "gate.json", verdicts)
    kept = None if vectors is None else stimulus_vectors(vectors, audit, designs)
    if kept is not None:
        write_vectors(folder / VECTORS, kept)
    if figures:
        absent += _draw(folder, audit, published or {})
    record = Record(
        document=document,
        vectors=kept,
        gate=verdicts,
        methods=texts["methods.md"],
        citations=texts["citations.bib"],
    )
    return record, absent


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a document, nothing rounded."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json_pieces(data, indent=True))
        file.write("\n")


def _write_long_tables(folder: Path, audit: Audit) -> list[str]:
    rows = tidy_rows(audit)
    write_tidy_csv(folder / "results.csv", rows)
    try:
        write_tidy_parquet(folder / "results.parquet", rows)
    except MissingExtraError as error:
        return [f"no results.parquet: {error.hint}"]
    return []


def _draw(folder: Path, audit: Audit, published: Points) -> list[str]:
    from crossroads.report.drawing import draw_figures  # figures are loaded where they are drawn

    try:
        draw_figures(folder / "figures", audit, published=published)
    except MissingExtraError as error:
        shutil.rmtree(folder / "figures")
        return [f"no figures: {error.hint}"]
    return []


@dataclass(frozen=True, kw_only=True)
class ModelAudit:
    """One of several audits that are written together."""

    audit: Audit
    """What was measured."""
    designs: Sequence[Design]
    """The designs that were measured."""
    vectors: Embeddings | None = None
    """The vectors behind the battery."""
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
    """Write a comparison of saved audits, with one page of all of them; the audits stay where they are.

    Parameters
    ----------
    output
        The folder; a comparison that stands there is replaced.
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
) -> list[str]:
    """Write the audits of several models, each in a folder of its own, with their comparison above them.

    Parameters
    ----------
    output
        The folder; audits or a comparison that stand there are replaced.
    audits
        The audits by name of the model.
    tested
        Paired tests of every two models; where they are left out, they are made here. Their names of the
        models are the keys of ``audits``.
    seed
        Of everything random in what is compared here: scores of groups on traits.
    figures, published, findings, fidelity
        As in :func:`write_audit`.
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
            )
            write_page(inner / PAGE, [record], findings=findings, fidelity=fidelity)
            records.append(replace(record, document={**record.document, "model": model}))
            absent += [sentence for sentence in lacks if sentence not in absent]
        found = compare_audits(saved_audits(records, list(audits)), tested=tested, seed=seed, anything=True)
        lacks = _write_comparison(folder, found, figures=figures)
        absent += [sentence for sentence in lacks if sentence not in absent]
        _write_page(folder, records, found, findings=findings, fidelity=fidelity)
    return absent


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
    )


def _write_comparison(folder: Path, comparison: Comparison, *, figures: bool) -> list[str]:
    """Write every file of a comparison but the page."""
    write_json(folder / MARK, _comparison_record(comparison).document)
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
    from crossroads.report.drawing import draw_comparison  # figures are loaded where they are drawn

    try:
        draw_comparison(folder / "figures", comparison.battery)
    except MissingExtraError as error:
        shutil.rmtree(folder / "figures")
        return [f"no figures: {error.hint}"]
    return []

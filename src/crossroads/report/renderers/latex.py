"""The results of an audit as tables for print."""

from __future__ import annotations

from collections.abc import Iterable

from crossroads.report.audit import Audit
from crossroads.wording.table import FIT, Table, in_latex_table

NEEDS = rf"""% Needs \usepackage{{booktabs}} and \usepackage{{graphicx}} in the preamble; any engine will do.
% Letters that pdfLaTeX cannot set are transliterated, or named by their number.
{FIT}
"""
"""The head of a file of tables."""


def latex_table(audit: Audit, *, label: str = "tab:crossroads") -> str:
    r"""Every kind of result as a booktabs ``table``, with caption and label.

    Names are escaped, and letters that pdfLaTeX cannot set are transliterated or named by their number. The
    preamble needs ``\usepackage{booktabs}`` and ``\usepackage{graphicx}``.

    Parameters
    ----------
    audit
        What to print.
    label
        Label of the first table; the labels of the others begin with it.
    """
    tables = [kind.tabulate(results) for kind, results in audit.by_type()]
    return latex_tables(tables, label=label, before=f" in {audit.model}")


def latex_tables(tables: Iterable[Table], *, label: str, before: str = "") -> str:
    """Tables one after the other, each with its label."""
    texts = [NEEDS]
    for table in tables:
        if table.rows:
            own = label if len(texts) == 1 else f"{label}-{table.name.replace('_', '-')}"
            texts.append(in_latex_table(table.shortened(), label=own, before=before))
    return "\n".join(texts)

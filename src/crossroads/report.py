"""The output of an audit: tables, text, citations, verdicts and pages from results."""

from crossroads.comparison.report import Comparison, compare_audits, saved_audits, write_comparison
from crossroads.core.report.audit import Audit, FinishedAudit
from crossroads.core.report.documents.records import read_document
from crossroads.core.report.files import Written, write_audits
from crossroads.core.report.gate import Gate, GateError, Rule, Verdict, check_rules, judge, read_rules
from crossroads.core.report.methods.citations import bibtex, citation_keys
from crossroads.core.report.methods.paragraph import methods_paragraph, methods_text
from crossroads.core.report.renderers.tables import COLUMNS, tidy_rows, write_tidy_csv, write_tidy_parquet
from crossroads.core.report.renderers.texts import latex_table, markdown_summary
from crossroads.core.report.schema import results_schema, write_schema
from crossroads.intersections.rsa import rsa_name

__all__ = [
    "COLUMNS",
    "Audit",
    "Comparison",
    "FinishedAudit",
    "Gate",
    "GateError",
    "Rule",
    "Verdict",
    "Written",
    "bibtex",
    "check_rules",
    "citation_keys",
    "compare_audits",
    "judge",
    "latex_table",
    "markdown_summary",
    "methods_paragraph",
    "methods_text",
    "read_document",
    "read_rules",
    "results_schema",
    "rsa_name",
    "saved_audits",
    "tidy_rows",
    "write_audits",
    "write_comparison",
    "write_schema",
    "write_tidy_csv",
    "write_tidy_parquet",
]

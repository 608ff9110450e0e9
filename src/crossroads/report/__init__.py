"""The output of an audit: tables, text, citations, verdicts and pages from results."""

from crossroads.measures.geometry.rsa import rsa_name
from crossroads.report.audit import Audit, FinishedAudit
from crossroads.report.comparison.audits import Comparison, compare_audits, saved_audits
from crossroads.report.documents.records import read_document
from crossroads.report.files import Written, write_audits, write_comparison
from crossroads.report.gate.files import read_rules
from crossroads.report.gate.rules import Gate, GateError, Rule, Verdict, check_rules, judge
from crossroads.report.methods.citations import bibtex, citation_keys
from crossroads.report.methods.paragraph import methods_paragraph, methods_text
from crossroads.report.renderers.tables import COLUMNS, tidy_rows, write_tidy_csv, write_tidy_parquet
from crossroads.report.renderers.texts import latex_table, markdown_summary
from crossroads.report.schema import results_schema, write_schema

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

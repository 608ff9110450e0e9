"""What an audit leaves behind: results in, tables, text, citations and verdicts out."""

from crossroads.report.audit import Audit, rsa_name
from crossroads.report.citations import bibtex, citation_keys
from crossroads.report.comparing import Comparison, compare_audits
from crossroads.report.latex import latex_table
from crossroads.report.methods import methods_paragraph
from crossroads.report.rule_files import read_rules
from crossroads.report.rules import Gate, GateError, Rule, Verdict, check_rules, judge
from crossroads.report.saved import saved_audits
from crossroads.report.schema import results_schema, write_schema
from crossroads.report.summary import markdown_summary
from crossroads.report.tidy import COLUMNS, tidy_rows, write_tidy_csv, write_tidy_parquet
from crossroads.report.writing import ModelAudit, write_audit, write_audits, write_comparison

__all__ = [
    "COLUMNS",
    "Audit",
    "Comparison",
    "Gate",
    "GateError",
    "ModelAudit",
    "Rule",
    "Verdict",
    "bibtex",
    "check_rules",
    "citation_keys",
    "compare_audits",
    "judge",
    "latex_table",
    "markdown_summary",
    "methods_paragraph",
    "read_rules",
    "results_schema",
    "rsa_name",
    "saved_audits",
    "tidy_rows",
    "write_audit",
    "write_audits",
    "write_comparison",
    "write_schema",
    "write_tidy_csv",
    "write_tidy_parquet",
]

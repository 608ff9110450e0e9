"""Features of all results: conventions, provenance, coverage, display, writing and reading."""

from crossroads.results.coverage import Coverage, describe_coverage
from crossroads.results.plain import encode, read_only
from crossroads.results.result import SCHEMA, Result, Row, Values, long_row, model_of, result_kinds, versions

__all__ = [
    "SCHEMA",
    "Coverage",
    "Result",
    "Row",
    "Values",
    "describe_coverage",
    "encode",
    "long_row",
    "model_of",
    "read_only",
    "result_kinds",
    "versions",
]

"""Features of all results: conventions, provenance, coverage, display, writing and reading."""

from crossroads.results.conclusion import (
    Conclusion,
    Status,
    association,
    because,
    below,
    numbers,
    pointer_part,
    status_of,
)
from crossroads.results.coverage import Coverage, describe_coverage
from crossroads.results.plain import encode, read_only
from crossroads.results.result import SCHEMA, Result, Row, Values, long_row, model_of, result_kinds, versions

__all__ = [
    "SCHEMA",
    "Conclusion",
    "Coverage",
    "Result",
    "Row",
    "Status",
    "Values",
    "association",
    "because",
    "below",
    "describe_coverage",
    "encode",
    "long_row",
    "model_of",
    "numbers",
    "pointer_part",
    "read_only",
    "result_kinds",
    "status_of",
    "versions",
]

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
from crossroads.results.family import Family, Member, adjusted, from_tests, marked
from crossroads.results.plain import encode, read_only
from crossroads.results.result import (
    SCHEMA,
    Result,
    Row,
    Values,
    label_for,
    long_row,
    model_of,
    result_kinds,
    versions,
)
from crossroads.results.stats import NAMED, QUESTION, TEST, Stat, crossed_names, named, stat, under

__all__ = [
    "NAMED",
    "QUESTION",
    "SCHEMA",
    "TEST",
    "Conclusion",
    "Coverage",
    "Family",
    "Member",
    "Result",
    "Row",
    "Stat",
    "Status",
    "Values",
    "adjusted",
    "association",
    "because",
    "below",
    "crossed_names",
    "describe_coverage",
    "encode",
    "from_tests",
    "label_for",
    "long_row",
    "marked",
    "model_of",
    "named",
    "numbers",
    "pointer_part",
    "read_only",
    "result_kinds",
    "stat",
    "status_of",
    "under",
    "versions",
]

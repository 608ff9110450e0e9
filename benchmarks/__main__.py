"""Run every benchmark, or those that are named: ``python -m benchmarks [permutation] [contexts] …``."""

from __future__ import annotations

import sys

from benchmarks import (
    contexts,
    contextual,
    extraction,
    frequency,
    geometry,
    growth,
    page,
    permutation,
    placebos,
    probing,
    reading,
    sensitivity,
    vocabulary,
)
from benchmarks.timing import Report

ALL = {
    "permutation": permutation,
    "geometry": geometry,
    "vocabulary": vocabulary,
    "placebos": placebos,
    "frequency": frequency,
    "growth": growth,
    "reading": reading,
    "contextual": contextual,
    "contexts": contexts,
    "extraction": extraction,
    "sensitivity": sensitivity,
    "probing": probing,
    "page": page,
}

chosen = sys.argv[1:] or list(ALL)
unknown = [name for name in chosen if name not in ALL]
if unknown:
    sys.exit(f"unknown benchmark {unknown[0]!r}; there are {', '.join(ALL)}.")
report = Report()
for name in chosen:
    ALL[name].run(report)
print(f"\n{len(report.missed)} goal(s) missed" + "".join(f"\n  {what}" for what in report.missed))

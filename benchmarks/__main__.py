"""Run every benchmark, or those that are named: ``python -m benchmarks [permutation] [contexts] …``.

With ``--write``, what they measure is kept, and written to ``docs/reference/benchmarks.md``.
"""

from __future__ import annotations

import sys

from benchmarks import (
    commands,
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
from benchmarks.written import record

ALL = {
    "commands": commands,
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

write = "--write" in sys.argv[1:]
chosen = [name for name in sys.argv[1:] if name != "--write"] or list(ALL)
unknown = [name for name in chosen if name not in ALL]
if unknown:
    sys.exit(f"unknown benchmark {unknown[0]!r}; there are {', '.join(ALL)}.")
missed: list[str] = []
for name in chosen:
    report = Report()
    ALL[name].run(report)
    missed += report.missed
    if write:
        record(name, report.sections)
print(f"\n{len(missed)} goal(s) missed" + "".join(f"\n  {what}" for what in missed))

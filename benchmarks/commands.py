"""Whole commands, start included: processor time relative to a loop of Python and numpy in the same run.

Seconds differ between machines, and between two runs on a busy one; these ratios differ much less.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.timing import Report, in_own_process, processor_time

LOOP = """
import json, os, time
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the program sets it
import numpy as np
begun = time.process_time()
rng = np.random.default_rng(0)
words = [f"w{i}" for i in rng.zipf(1.3, 120_000).tolist()]
counts = {}
for word in words:
    counts[word] = counts.get(word, 0) + 1
json.loads(json.dumps([counts, words]))
sorted(words)
for _ in range(4):
    one, two = (rng.standard_normal(shape, np.float32) for shape in ((1000, 50), (50, 4000)))
    np.sort(one @ two)
    np.sort(rng.integers(1 << 40, size=1 << 20))
answer = time.process_time() - begun
"""
TEST = "weat default -t weat6 --json"
REPEATS = 3


def ratio(command: list[str], *, fresh: Path | None = None) -> tuple[float, float]:
    """Processor time of a command in loops, and in seconds; ``fresh`` is a folder to remove before it."""
    found = []
    for _ in range(REPEATS):
        if fresh is not None:
            shutil.rmtree(fresh, ignore_errors=True)
        loops = [in_own_process(LOOP)["answer"]]
        seconds = processor_time(command)
        loops.append(in_own_process(LOOP)["answer"])
        found.append((seconds / median(loops), seconds))
    return sorted(found)[REPEATS // 2]


def run(report: Report) -> None:
    report.head("Whole commands: processor time in loops of Python and numpy")
    report.line("the loop itself", f"{in_own_process(LOOP)['answer']:.2f} s")
    program = [sys.executable, "-m", "crossroads"]
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "in"
        audit = [*program, "audit", "default", "--output", str(place / "audit")]
        plain = [*audit, "--no-figures"]
        processor_time(audit)  # compiles modules and kernels
        for name, command, fresh, most in (
            ("--help", [*program, "--help"], None, 1.3),
            ("--version", [*program, "--version"], None, 1.3),
            (TEST, [*program, *TEST.split()], None, 2.5),
            ("audit default --no-figures", plain, place, 22),
            ("  everything kept", plain, None, 4),
            ("audit default", audit, place, 50),
            ("  everything kept, figures too", audit, None, 4.5),
        ):
            loops, seconds = ratio(command, fresh=fresh)
            report.line(name, f"{loops:.1f}× ({seconds:.2f} s)", f"≤ {most}×", reached=loops <= most)

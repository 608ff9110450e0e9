"""Memory over a vocabulary, and growth of time: lists of words, words left out, saved results."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from benchmarks.timing import Report, best, in_own_process
from crossroads.core.report.audit import Audit
from crossroads.core.report.documents.records import audit_document, write_document

WORDS, DIM = 2_000_000, 100
MEMORY = """
import re
import numpy as np
import crossroads as cr

def now(key):
    return int(re.search(key + r':\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1024

rng = np.random.default_rng(0)
table = np.empty(({words}, {dim}), np.float32)
for i in range(0, {words}, 100_000):
    rng.standard_normal(dtype=np.float32, out=table[i : i + 100_000])
labels = [f'w{{i}}' for i in range({words})]
emb = cr.Embeddings(labels, table)
before = now('VmRSS')
open('/proc/self/clear_refs', 'w').write('5')  # forget the peak so far
start = time.perf_counter()
result = cr.sc_weat(emb, {what}, labels[:{size}], labels[{size}:{both}], method={method!r})
answer = now('VmHWM') - before
"""
REPORTING = """
import sys
sys.argv = ['crossroads', 'report', {path!r}, '-o', {page!r}]
from crossroads.core.cli import main
try:
    main()
except SystemExit as end:
    answer = end.code
else:
    answer = 0
"""


def vectors(n: int, dim: int) -> cr.Embeddings:
    """Random vectors of words w0, w1, …"""
    table = np.random.default_rng(0).standard_normal((n, dim), dtype=np.float32)
    return cr.Embeddings([f"w{i}" for i in range(n)], table)


def design_of(n: int) -> cr.Design:
    """The first n words in four equal sets."""
    x, y, a, b = ([f"w{i}" for i in range(n * k // 4, n * (k + 1) // 4)] for k in range(4))
    return cr.Design(name=f"{n} words", x=x, y=y, a=a, b=b)


def saved(path: Path, *, designs: int, words: int) -> float:
    """Write results.json of an audit of large designs, with a word beyond the BMP; return its size in MB."""
    rng, labels = np.random.default_rng(0), [f"word{i:05}" for i in range(6 * words)]
    labels[3] = "😀"
    emb = cr.Embeddings(labels, rng.standard_normal((len(labels), 50), dtype=np.float32))
    made = []
    for number in range(designs):
        chosen = rng.permutation(len(labels))[: 4 * words].reshape(4, words)
        x, y, a, b = ([labels[i] for i in part] for part in chosen)
        made.append(cr.Design(name=f"test{number}", x=x, y=y, a=a, b=b))
    battery = cr.battery(emb, made, method="normal")
    write_document(path, audit_document(Audit([battery]), made))
    return path.stat().st_size / 1e6


def exponent(report: Report, what: str, run: Callable[[int], Callable[[], Any]], n: int) -> float:
    """Print the time of n and of 4n words, and return the latter."""
    small, large = (best(run(size), repeats=3, budget=10)[0] for size in (n, 4 * n))
    power = float(np.log(large / small) / np.log(4))
    shown = f"{small:.2f} / {large:.2f} s"
    report.line(f"{what}, {n:,} / {4 * n:,}: n^{power:.2f}", shown, "≤ n^1.2", reached=power <= 1.2)
    return large


def run(report: Report) -> None:
    report.head(f"SC-WEAT of {WORDS:,} × {DIM} float32: additional peak of resident memory")
    cases = (
        ("every word, no p-values", "'*'", 8, "none"),
        ("every word, exact p-values, 8 against 8", "'*'", 8, "auto"),
        ("a list of all words, no p-values", "list(labels)", 8, "none"),
        ("a list of all words, saddlepoint, 25 against 25", "list(labels)", 25, "auto"),
    )
    for name, what, size, method in cases if sys.platform == "linux" else ():
        code = MEMORY.format(words=WORDS, dim=DIM, what=what, size=size, both=2 * size, method=method)
        found = in_own_process(code)
        used = f"{found['answer']:.0f} MB, {found['seconds']:.1f} s"
        report.line(name, used, "≤ 1,000 MB", reached=found["answer"] <= 1000)
    report.head("Growth with the number of words")
    a, b = [f"w{i}" for i in range(8)], [f"w{i}" for i in range(8, 16)]
    emb = vectors(200_000, 100)
    every, _ = best(lambda: cr.sc_weat(emb, "*", a, b, method="none", precision="float64"), repeats=3)
    report.line("SC-WEAT of 200,000 words, '*'", f"{every:.2f} s")
    listed = exponent(
        report,
        "… given as a list",
        lambda n: lambda: cr.sc_weat(emb, emb.labels[:n], a, b, method="none", precision="float64"),
        50_000,
    )
    report.line("200,000 words given as a list", f"{listed:.2f} s", "< 1 s", reached=listed < 1)
    big = vectors(40_000, 300)
    designs = {n: design_of(n) for n in (10_000, 40_000)}
    exponent(report, "influence", lambda n: lambda: cr.stats.influence(big, designs[n]), 10_000)
    seconds, _ = best(lambda: cr.stats.influence(big, designs[10_000]), repeats=3)
    report.line("influence of 10,000 words", f"{seconds:.2f} s", "< 2 s", reached=seconds < 2)
    _run_reporting(report)


def _run_reporting(report: Report) -> None:
    report.head("crossroads report of large results.json")
    with tempfile.TemporaryDirectory() as folder:
        path, page = Path(folder) / "results.json", Path(folder) / "report.html"
        size = saved(path, designs=220, words=1000)
        found = in_own_process(REPORTING.format(path=str(path), page=str(page)))
    seconds, memory = found["seconds"], found["megabytes"]
    report.line(f"{size:.0f} MB: time", f"{seconds:.0f} s", "≤ 65 s", reached=seconds <= 65)
    report.line(f"{size:.0f} MB: memory", f"{memory:.0f} MB", "≤ 2,000 MB", reached=memory <= 2000)

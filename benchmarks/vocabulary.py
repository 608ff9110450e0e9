"""SC-WEAT over a vocabulary of 2.2 million words."""

from __future__ import annotations

import importlib.util
import time

import numpy as np

from benchmarks.timing import Report, best
from crossroads.core.evidence import Embeddings
from crossroads.words.measures.sc_weat import sc_weat

WORDS, DIM = 2_200_000, 300


def run(report: Report) -> None:
    report.head(f"SC-WEAT over {WORDS:,} × {DIM} float32, 8 words per attribute")
    rng = np.random.default_rng(0)
    table = np.empty((WORDS, DIM), np.float32)
    for start in range(0, WORDS, 100_000):
        rng.standard_normal(dtype=np.float32, out=table[start : start + 100_000])
    emb = Embeddings([str(i) for i in range(WORDS)], table)
    a, b = [str(i) for i in range(8)], [str(i) for i in range(8, 16)]
    seconds, _ = best(lambda: sc_weat(emb, "*", a, b, method="none"), repeats=3, budget=20)
    report.line("effect sizes", f"{seconds:.2f} s", "< 1.5 s", reached=seconds < 1.5)
    if importlib.util.find_spec("numba"):
        small = emb.select([str(i) for i in range(10_000)])
        sc_weat(small, "*", a, b)  # compile
        start = time.perf_counter()
        result = sc_weat(emb, "*", a, b)
        seconds = time.perf_counter() - start
        share = float((result.pvalue <= 0.05).mean())
        report.line(
            f"with exact p-values ({share:.2%} at .05 on noise)",
            f"{seconds:.1f} s",
            "< 10 s",
            reached=seconds < 10,
        )

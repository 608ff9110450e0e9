"""Placebo tests of four sets of twelve words, out of 20,000 words."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import Report, best
from crossroads.core.evidence import Embeddings
from crossroads.core.stimuli import Design
from crossroads.words.checks.placebo import placebo

WORDS, DRAWS = 20_000, 1_000


def run(report: Report) -> None:
    report.head(f"{DRAWS:,} placebo tests of either kind, 4 × 12 words out of {WORDS:,}")
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(WORDS + 48)]
    sets = {key: words[start : start + 12] for key, start in zip("xyab", range(0, 48, 12), strict=True)}
    for dim in (50, 300):
        emb = Embeddings(words, rng.standard_normal((len(words), dim), dtype=np.float32))
        design = Design(name="timed", **sets)  # type: ignore[arg-type]
        seconds, _ = best(lambda: placebo(emb, design, draws=DRAWS), budget=10)  # noqa: B023
        report.line(f"{dim} dimensions", f"{seconds:.2f} s", "< 2 s", reached=seconds < 2)

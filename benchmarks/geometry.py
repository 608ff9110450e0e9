"""RSA against a loop over scipy, and IBD over a whole vocabulary."""

from __future__ import annotations

import time

import numpy as np
from packages.default import whole
from scipy import stats

import crossroads as cr
from benchmarks.timing import Report, best


def loop(vectors: np.ndarray, samples: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """A direct transcription of the published procedure."""
    label = np.repeat([1, 2, 0], 10)
    upper = np.triu_indices(30, 1)
    fits = []
    for _ in range(samples):
        drawn = np.concatenate(
            [rng.choice(np.arange(a, b), 10, False) for a, b in ((0, 13), (13, 26), (26, 52))]
        )
        distances = 1 - stats.spearmanr(vectors[drawn], axis=1).statistic
        fit = []
        for other in (2, 1):
            apart = (label == other)[:, None] != (label == other)[None, :]
            fit.append(stats.spearmanr(distances[upper], apart[upper]).statistic)
        fits.append((fit[0], fit[1]))
    return fits


def run(report: Report) -> None:
    report.head("RSA: 30 items per sample, a pool of 52 × 300")
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(52, 300))
    words = [f"w{i}" for i in range(52)]
    emb = cr.Embeddings(words, vectors)
    sets = (words[:13], words[13:26], words[26:])
    slow, _ = best(lambda: loop(vectors, 100, rng), repeats=2)
    fast, _ = best(lambda: cr.rsa(emb, *sets, samples=100), repeats=20)
    bare, _ = best(lambda: cr.rsa(emb, *sets, samples=100, draws=0, splits=0), repeats=20)
    report.line("100 samples, scipy / ours", f"{1e3 * slow:.0f} / {1e3 * fast:.1f} ms")
    report.line("ratio, with the permutation p-value and the ceiling", f"{slow / fast:.0f}×")
    report.line(
        "ratio, only the published procedure", f"{slow / bare:.0f}×", "≥ 100×", reached=slow / bare >= 100
    )
    many, _ = best(lambda: cr.rsa(emb, *sets, samples=10_000), repeats=3)
    report.line("10,000 samples", f"{many:.2f} s", "< 1 s", reached=many < 1)
    report.head("IBD over all words of GloVe 6B")
    default = whole()
    groups = cr.catalog("ceat-groups")
    start = time.perf_counter()
    scores = cr.stats.wefat(default, groups, "*", "AF", missing="drop")
    found = cr.ibd(scores.pairs, threshold=1.0)
    seconds = time.perf_counter() - start
    report.line(f"{len(found.scores):,} words, six groups", f"{seconds:.2f} s", "< 5 s", reached=seconds < 5)
    start = time.perf_counter()
    cr.discover(default, groups, "AF", missing="drop")
    report.line("discovery with 100 permutations", f"{time.perf_counter() - start:.1f} s")

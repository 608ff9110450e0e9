"""Exact p-values: numpy alone, compiled, bracketed, and scipy's sampling for comparison."""

from __future__ import annotations

import importlib.util

import numpy as np
from scipy import stats

import crossroads as cr
from benchmarks.timing import Report, best, in_own_process
from crossroads.core.inference.permutation.counting import count_exactly
from crossroads.core.inference.permutation.scores import as_scores
from crossroads.core.inference.permutation.test import permutation_test

CASES = [
    (8, 1.0, 1.5e-3),
    (8, 0.0, 1.5e-3),
    (16, 1.5, 10e-3),
    (16, 0.02, 10e-3),
    (25, 1.5, 5e-3),
    (32, 1.4, 0.1),
]


def scores(n: int, d: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two groups with the given effect size."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), rng.normal(size=n)
    x, y = x - x.mean(), y - y.mean()
    within = float((x**2).sum() + (y**2).sum())
    a = d * np.sqrt(within / (2 * n - 1)) / np.sqrt(4 - d**2 * 2 * n / (2 * n - 1))
    return 0.05 * (x + a), 0.05 * (y - a)


def vectors(x: np.ndarray, y: np.ndarray) -> tuple[cr.Embeddings, cr.Design]:
    """Unit vectors whose associations are the given scores."""
    rows = {f"w{i}": [v, 0.0, np.sqrt(1 - v * v)] for i, v in enumerate([*x, *y])}
    rows |= {"a1": [1.0, 0, 0], "a2": [1.0, 0, 0], "b1": [0, 1.0, 0], "b2": [0, 1.0, 0]}
    names = list(rows)
    design = cr.Design(name="bench", x=names[: len(x)], y=names[len(x) : -4], a=["a1", "a2"], b=["b1", "b2"])
    return cr.Embeddings.from_dict(rows), design


def run(report: Report) -> None:
    report.head("Exact p-values of one tail, numpy only (words per set, effect size)")
    for n, d, goal in CASES:
        x, y = scores(n, d, seed=n)
        seconds, counts = best(
            lambda x=x, y=y: count_exactly(as_scores(x, y, score_error=1e-14), compiled=False)
        )
        p = (counts.above + counts.tied) / counts.total
        report.line(
            f"{n} per set, d = {d}: p = {p:.4g}",
            f"{1e3 * seconds:.2f} ms",
            f"≤ {1e3 * goal:g} ms",
            reached=seconds <= goal,
        )
    x, y = scores(25, 0.02, seed=25)
    slow, _ = best(lambda: count_exactly(as_scores(x, y, score_error=1e-14), compiled=False), repeats=1)
    report.line("25 per set, d ≈ 0, the worst case", f"{slow:.2f} s")
    if importlib.util.find_spec("numba"):
        count_exactly(as_scores([1.0, 2], [0.0, 3]), compiled=True)  # compile
        fast, _ = best(lambda: count_exactly(as_scores(x, y, score_error=1e-14), compiled=True), repeats=3)
        report.line("the same, compiled", f"{fast:.2f} s", "< 1 s", reached=fast < 1)
        report.line("numpy / compiled", f"{slow / fast:.1f}×")
    report.head("Rigorous bounds, 32 per set")
    for d in (0.3, 1.4):
        x, y = scores(32, d, seed=32)
        seconds, found = best(lambda x=x, y=y: permutation_test(x, y, method="bracket"))
        width = (found.pvalue_high - found.pvalue_low) / found.pvalue_low
        reached = seconds <= 0.05 and width <= 0.015
        report.line(
            f"d = {d}: {width:.2%} wide", f"{1e3 * seconds:.0f} ms", "≤ 1.5 % in 50 ms", reached=reached
        )
    report.head("Against scipy.stats.permutation_test with 10,000 resamples, WEAT with 8 words per set")
    x, y = scores(8, 1.0, seed=8)
    emb, design = vectors(x, y)
    ours, result = best(lambda: cr.weat(emb, design))
    theirs, sampled = best(
        lambda: stats.permutation_test(
            (x, y),
            lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
            vectorized=True,
            n_resamples=9999,
            rng=np.random.default_rng(0),
        )
    )
    report.line(
        f"two-sided: scipy p = {sampled.pvalue:.4f}, ours = {result.pvalue:.6f}, exact",
        f"{1e3 * theirs:.1f} / {1e3 * ours:.2f} ms",
    )
    report.line("scipy / ours", f"{theirs / ours:.0f}×", "≥ 4×", reached=theirs / ours >= 4)
    report.head("Memory of a process that does nothing else")
    empty = in_own_process("import crossroads\nanswer = 0")["megabytes"]
    for n, d, goal in ((25, 1.5, 20), (25, 0.02, 600), (32, 1.4, 600)):
        x, y = scores(n, d, seed=n)
        code = (
            "from crossroads.core.inference.permutation.test import permutation_test\n"
            f"answer = permutation_test({x.tolist()!r}, {y.tolist()!r}, score_error=1e-14).pvalue"
        )
        used = in_own_process(code)["megabytes"] - empty
        report.line(f"{n} per set, d = {d}", f"{used:.0f} MB more", f"< {goal} MB", reached=used < goal)

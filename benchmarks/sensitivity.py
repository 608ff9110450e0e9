"""SeT distances in closed form, against the product that gives the logits and against iteration."""

from __future__ import annotations

import time

import numpy as np
from scipy.optimize import minimize_scalar

import crossroads as cr
from benchmarks.timing import Report, best
from crossroads.core.inference.permutation.compiled import kernels
from crossroads.traits.measures import least_change as sensitivity
from crossroads.traits.measures.least_change import set_distance, set_test
from crossroads.traits.probe.evidence import Logits

CONTEXTS, TRAITS, VOCABULARY, WIDTH = 1000, 32, 30_522, 768


def project(matrix: np.ndarray, hidden: np.ndarray, target: int) -> float:
    """The published iteration: move the largest rivals one by one on the whole matrix."""
    logits = matrix @ hidden
    wanted = (logits - logits[target] + 1.0) / (hidden @ hidden)
    wanted[target] = 0.0
    order = np.argsort(-wanted)
    order = np.concatenate([[target], order[order != target]])
    level, moved = wanted[target], 0
    for k in range(1, len(order)):
        if wanted[order[k]] <= level:
            break
        level = level * k / (k + 1) + wanted[order[k]] / (k + 1)
        moved = k
    change = np.zeros_like(wanted)
    change[order[: moved + 1]] = level - wanted[order[: moved + 1]]
    changed = matrix + np.outer(change, hidden)
    return float(np.linalg.norm(changed - matrix) ** 2)


def search(logits: np.ndarray, target: int) -> float:
    """A scalar minimiser on the definition."""
    others = np.delete(logits.astype(np.float64), target)
    own = float(logits[target])
    found = minimize_scalar(
        lambda tau: (tau - own) ** 2 + (np.maximum(0, others + 1 - tau) ** 2).sum(),
        bounds=(own, float(logits.max()) + 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return float(found.fun)


def probed(rng: np.random.Generator, keep: int = 2048) -> Logits:
    """Evidence of the size of the published study: 53 groups, 35 templates, 32 adjectives of one piece."""
    traits = cr.catalog().traits("abc-traits")
    rows, templates = 54, 35
    n = rows * templates
    head = -np.sort(-(20 + rng.exponential(1.5, size=(n, keep)).astype(np.float32)), axis=1)
    logit = rng.normal(0, 2, size=(n, 32)).astype(np.float32)
    return Logits.from_arrays(
        groups=[f"group {i}" for i in range(rows - 1)],
        priors=["mask"],
        templates=[f"template {i}" for i in range(templates)],
        traits=traits,
        logit=logit.reshape(rows, templates, 32, 1),
        slot=np.repeat(np.arange(n), 32).reshape(rows, templates, 32, 1),
        head=head,
        log_sum_exp=np.log(np.exp(head.astype(np.float64)).sum(axis=1)),
        hidden_sq_norm=np.full(n, 300.0),
        vocabulary=VOCABULARY,
    )


def run(report: Report) -> None:
    report.head(f"SeT: {CONTEXTS:,} contexts × {TRAITS} traits, a vocabulary of {VOCABULARY:,}")
    rng = np.random.default_rng(0)
    matrix = rng.normal(0, 0.14, size=(VOCABULARY, WIDTH)).astype(np.float32)
    hidden = rng.normal(size=(CONTEXTS, WIDTH)).astype(np.float32)
    product, logits = best(lambda: hidden @ matrix.T)
    norms = np.einsum("ij,ij->i", hidden, hidden).astype(np.float64)
    traits = rng.choice(VOCABULARY, TRAITS, replace=False)
    report.line("the output product itself", f"{1e3 * product:.0f} ms")
    fastest, found = _both(report, logits, norms, traits)
    share = fastest / product
    report.line("… as a share of the output product", f"{share:.0%}", "≤ 20 %", reached=share <= 0.2)
    each = fastest / (CONTEXTS * TRAITS)
    searched, wanted = best(lambda: search(logits[0], int(traits[0])), repeats=5)
    projected, exact = best(lambda: project(matrix, hidden[0], int(traits[0])), repeats=3)
    agree = np.allclose([wanted / norms[0], exact], found[0, 0], rtol=1e-3)
    report.line("both ways to iterate agree with it", str(bool(agree)), reached=bool(agree))
    report.line("a scalar minimiser / ours, one trait", f"{searched / each:,.0f}×")
    ratio = projected / each
    report.line("the published iteration / ours", f"{ratio:,.0f}×", "≥ 1,000×", reached=ratio >= 1000)
    evidence = probed(rng)
    start = time.perf_counter()
    set_test(evidence)
    report.line("cr.set_test, 53 groups × 35 templates × 32", f"{time.perf_counter() - start:.2f} s")


def _both(
    report: Report, logits: np.ndarray, norms: np.ndarray, traits: np.ndarray
) -> tuple[float, np.ndarray]:
    """Time the numpy and the compiled version; return the shorter time."""
    compiled = sensitivity.kernels
    sensitivity.kernels = lambda: None  # type: ignore[assignment]
    try:
        plain, found = best(lambda: set_distance(logits, norms, traits))
    finally:
        sensitivity.kernels = compiled
    report.line("numpy", f"{1e3 * plain:.0f} ms", "< 500 ms", reached=plain < 0.5)
    if kernels() is None:
        return plain, found
    set_distance(logits[:2], norms[:2], traits)  # compiles
    fast, same = best(lambda: set_distance(logits, norms, traits), repeats=8)
    report.line("compiled", f"{1e3 * fast:.0f} ms", "< 100 ms", reached=fast < 0.1)
    agree = bool(np.allclose(found, same, rtol=1e-10, atol=0))
    report.line("both are the same", str(agree), reached=agree)
    return fast, same

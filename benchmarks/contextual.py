"""CEAT: 10,000 samples of contexts, in numpy and compiled, against the formula word by word."""

from __future__ import annotations

import importlib.util
import time

import numpy as np

import crossroads as cr
from benchmarks.timing import Report, best
from crossroads.contexts.measures import draws as contextual

SETS = "xyab"


def world(words: int, contexts: int, dim: int) -> tuple[cr.Contexts, cr.Design]:
    rng = np.random.default_rng(0)
    made = {
        f"{name}{i}": rng.normal(size=(contexts, dim)).astype(np.float32)
        for name in SETS
        for i in range(words)
    }
    design = cr.Design(name="bench", **{name: [f"{name}{i}" for i in range(words)] for name in SETS})
    return cr.Contexts.from_dict(made), design


def cosine(u: np.ndarray, v: np.ndarray) -> float:
    return float(np.dot(u, v) / np.linalg.norm(u) / np.linalg.norm(v))


def word_by_word(contexts: cr.Contexts, design: cr.Design, rng: np.random.Generator) -> float:
    """One sample as the paper writes it."""
    drawn = {w: contexts[w][rng.integers(contexts.count(w))] for words in design.sets.values() for w in words}
    s = {
        t: np.mean([cosine(drawn[t], drawn[a]) for a in design.a])
        - np.mean([cosine(drawn[t], drawn[b]) for b in design.b])
        for t in (*design.sets["x"], *design.sets["y"])
    }
    x, y = ([s[t] for t in design.sets[name]] for name in "xy")
    return float((np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1))


def run(report: Report) -> None:
    report.head("CEAT, 10,000 samples, 25 words per set, 1,000 contexts per word, 768 dimensions")
    contexts, design = world(25, 1000, 768)
    rng = np.random.default_rng(1)
    loop, _ = best(lambda: word_by_word(contexts, design, rng), repeats=5)
    found = contextual.kernels
    contextual.kernels = lambda: None  # type: ignore[assignment]
    begun = time.perf_counter()
    cr.ceat(contexts, design)
    first = time.perf_counter() - begun
    again, _ = best(lambda: cr.ceat(contexts, design), repeats=3)
    contextual.kernels = found
    report.line("numpy, lengths of all contexts included", f"{first:.2f} s", "< 1 s", reached=first < 1)
    report.line("numpy, further calls", f"{again:.2f} s", "< 1 s", reached=again < 1)
    if importlib.util.find_spec("numba"):
        cr.ceat(contexts, design)
        cr.ceat(*world(5, 5, 768), samples=100)  # loads the kernels, once per process
        fresh, design = world(25, 1000, 768)
        begun = time.perf_counter()
        cr.ceat(fresh, design)
        first = time.perf_counter() - begun
        again, _ = best(lambda: cr.ceat(fresh, design), repeats=5)
        report.line(
            "compiled, lengths of all contexts included", f"{first:.2f} s", "< 0.3 s", reached=first < 0.3
        )
        report.line("compiled, further calls", f"{again:.3f} s", "< 0.3 s", reached=again < 0.3)
    ratio = 10_000 * loop / again
    report.line(
        "against the formula word by word", f"{ratio:,.0f}× faster", "≥ 1,000×", reached=ratio >= 1000
    )

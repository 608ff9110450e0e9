"""Tests on frequency-matched words, and also loading a pool."""

from __future__ import annotations

import tempfile
from itertools import islice, product
from pathlib import Path

import numpy as np

import crossroads as cr
from benchmarks.timing import Report, best

SIZE = 20_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def world(dim: int) -> tuple[cr.Embeddings, cr.Design]:
    """A pool of 20,000 words, and a test of 4 × 25 of them."""
    words = ["".join(some) for some in islice(product(LETTERS, repeat=4), SIZE)]
    emb = cr.Embeddings(
        words, np.random.default_rng(0).normal(size=(SIZE, dim)), ranks=np.arange(1, SIZE + 1)
    )
    sets = [words[first:SIZE:700][:25] for first in (1_000, 1_100, 1_200, 1_300)]
    return emb, cr.Design(name="bench", x=sets[0], y=sets[1], a=sets[2], b=sets[3])


def run(report: Report) -> None:
    report.head("Frequency: 2,000 tests of either kind, 4 × 25 words, pool of 20,000")
    for dim in (50, 300):
        emb, design = world(dim)
        cr.frequency(emb, design, draws=1)  # imports, and the index of ranks
        seconds, _ = best(lambda emb=emb, design=design: cr.frequency(emb, design))
        report.line(f"{dim} dimensions", f"{1e3 * seconds:.0f} ms", "≤ 500 ms", reached=seconds <= 0.5)
    report.head("Reading 20,000 of 100,000 × 100 along, as text")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "vectors.txt")
        words = [
            "the",
            "of",
            "and",
            "to",
            *("".join(some) for some in islice(product(LETTERS, repeat=4), 99_996)),
        ]
        rows = np.random.default_rng(0).normal(size=(100_000, 100)).round(4)
        file.write_text(
            "\n".join(f"{w} {' '.join(map(str, row))}" for w, row in zip(words, rows.tolist(), strict=True))
        )
        alone, _ = best(lambda: cr.load(file, words=words[:500]), repeats=2)
        along, _ = best(lambda: cr.load(file, words=words[:500], pool=SIZE), repeats=2)
        report.line("500 words", f"{alone:.2f} s")
        report.line("and a pool", f"{along:.2f} s")

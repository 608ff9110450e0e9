"""Reading of catalogue words from a GloVe text file of about a gigabyte, against gensim."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

import numpy as np

import crossroads as cr
from benchmarks.timing import Report, in_own_process

WORDS, DIM = 400_000, 300


def catalogue_words() -> list[str]:
    """Every word of every design in the catalogue."""
    shelf = cr.catalog()
    return sorted({word for name in shelf.of_kind("design") for word in cr.catalog(name).words})


def write(path: Path, words: list[str]) -> None:
    """Write a file of the required size that contains the words."""
    rng = np.random.default_rng(1)
    tokens = [f"token{i}" for i in range(WORDS)]
    for word, at in zip(words, rng.choice(WORDS, len(words), replace=False), strict=True):
        tokens[at] = word
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, WORDS, 1000):
            block = rng.normal(0, 0.4, (1000, DIM)).astype("U8")
            file.writelines(
                f"{t} {' '.join(r)}\n" for t, r in zip(tokens[start : start + 1000], block, strict=True)
            )


def run(report: Report) -> None:
    report.head(f"Catalogue words from a GloVe text file of {WORDS:,} × {DIM}")
    words = catalogue_words()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "glove.txt"
        write(path, words)
        size = path.stat().st_size / 1e9
        code = (
            "import crossroads as cr, time\nstart = time.perf_counter()\n"
            f"emb = cr.load({str(path)!r}, words={words!r})\nanswer = len(emb)"
        )
        in_own_process(code)  # warm the file cache for both
        ours = in_own_process(code)
        report.line(f"{ours['answer']} words from {size:.2f} GB", f"{ours['seconds']:.2f} s")
        report.line(
            "resident memory", f"{ours['megabytes']:.0f} MB", "< 200 MB", reached=ours["megabytes"] < 200
        )
        if importlib.util.find_spec("gensim"):
            theirs = in_own_process(
                "from gensim.models import KeyedVectors\nimport time\nstart = time.perf_counter()\n"
                f"kv = KeyedVectors.load_word2vec_format({str(path)!r}, no_header=True)\nanswer = len(kv)"
            )
            ratio = theirs["seconds"] / ours["seconds"]
            report.line("gensim", f"{theirs['seconds']:.1f} s, {theirs['megabytes']:.0f} MB")
            report.line("gensim / ours", f"{ratio:.0f}×", "≥ 20×", reached=ratio >= 20)

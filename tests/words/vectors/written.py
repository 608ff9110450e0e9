"""Vectors as the programs that people use write them, byte by byte."""

from __future__ import annotations

import io
import json
import pickle
import struct
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

Vectors = dict[str, NDArray[np.float32]]
Matrix = NDArray[np.float32]


def matrix(vectors: Vectors) -> Matrix:
    return np.stack(list(vectors.values()))


def glove(vectors: Vectors) -> bytes:
    lines = [f"{word} {' '.join(f'{x:.9g}' for x in vector)}\n" for word, vector in vectors.items()]
    return "".join(lines).encode()


def fasttext_text(vectors: Vectors) -> bytes:
    """As fastText writes: a header, and a space before every line break."""
    lines = glove(vectors).replace(b"\n", b" \n")
    return f"{len(vectors)} {len(next(iter(vectors.values())))}\n".encode() + lines


def word2vec(vectors: Vectors, *, newline: bytes = b"\n", count: int | None = None) -> bytes:
    dim = len(next(iter(vectors.values())))
    header = f"{len(vectors) if count is None else count} {dim}\n".encode()
    rows = [word.encode() + b" " + row.astype("<f4").tobytes() + newline for word, row in vectors.items()]
    return header + b"".join(rows)


def fasttext(
    words: Sequence[str],
    rows: Matrix,
    *,
    bucket: int = 0,
    ngrams: tuple[int, int] = (0, 0),
    version: int = 12,
    kind: int = 2,
    labels: tuple[str, ...] = (),
    quantised: bool = False,
    pruned: Mapping[int, int] | None = None,
) -> bytes:
    """Bytes as FastText::saveModel writes them."""
    out = struct.pack("<2i", 793712314, version)
    out += struct.pack("<12id", rows.shape[1], 5, 5, 1, 5, 1, 2, kind, bucket, *ngrams, 100, 1e-4)
    kept = -1 if pruned is None else len(pruned)
    out += struct.pack("<3i2q", len(words) + len(labels), len(words), len(labels), 99, kept)
    for entry, entry_kind in [*((word, 0) for word in words), *((label, 1) for label in labels)]:
        out += entry.encode() + b"\0" + struct.pack("<qb", 7, entry_kind)
    for pair in (pruned or {}).items():
        out += struct.pack("<2i", *pair)
    return out + struct.pack("<?2q", quantised, *rows.shape) + rows.tobytes() + b"output matrix"


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def tensors(
    arrays: Mapping[str, NDArray[Any]],
    metadata: dict[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> bytes:
    """Bytes as safetensors describes them: a length, a JSON header, the data."""
    names = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64", "uint16": "BF16"}
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": metadata}
    data = b""
    for name, array in arrays.items():
        kind = (kinds or {}).get(name, names[str(array.dtype)])
        place = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": place}
        data += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def labelled(vectors: Vectors) -> bytes:
    """safetensors with the words in the metadata."""
    return tensors({"vectors": matrix(vectors)}, {"labels": json.dumps(list(vectors))})


def parquet(columns: Mapping[str, Any], **options: Any) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), out, **options)
    return out.getvalue()


def lists(vectors: Vectors, length: int = -1) -> Any:
    """The vectors as a column of lists, of one fixed length if it is given."""
    import pyarrow as pa

    return pa.array([row.tolist() for row in vectors.values()], pa.list_(pa.float32(), length))


def of_gensim(kind: str, **attributes: Any) -> Any:
    """An object of a class of gensim's name, for :func:`gensim_pickle`; gensim need not be installed."""
    module, _, name = kind.rpartition(".")
    made = type(name, (), {"__module__": f"gensim.models.{module}"})()
    made.__dict__.update(attributes)
    return made


def gensim_pickle(value: Any, *others: Any, protocol: int = 4) -> bytes:
    """A pickle of such an object; ``others`` are those inside it."""
    names = ("gensim", "gensim.models", "gensim.models.keyedvectors", "gensim.models.word2vec")
    modules = {name: ModuleType(name) for name in names}
    for one in (value, *others):
        setattr(modules[type(one).__module__], type(one).__name__, type(one))
    with patch.dict(sys.modules, modules):
        return pickle.dumps(value, protocol)

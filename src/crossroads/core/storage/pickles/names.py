"""The names that a pickle of vectors may mention, and their replacements."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from pickle import UnpicklingError
from typing import Any

from crossroads.core.errors import in_short
from crossroads.core.storage.pickles.arrays import ArrayRecord, DtypeRecord, buffer_array, raw_bytes, scalar

_LONGEST_TEXT, _LONGEST_NUMBER = 1 << 14, 64
"""Most characters of a key, and most bits: a long one is compared or hashed again every time."""


class Record:
    """An object of a class that is known but never imported: its attributes, and nothing else."""

    kind = ""

    attributes: dict[str, Any]

    def __new__(cls, *_: Any, **__: Any) -> Record:
        """Make an empty record, whatever the arguments; pickles often skip ``__init__``."""
        record = super().__new__(cls)
        record.attributes = {}
        return record

    def accept(self, state: Any) -> None:
        """Take the attributes, in either of the two forms that pickles use."""
        parts = state if isinstance(state, tuple) and len(state) == 2 else (state,)
        for part in parts:
            if isinstance(part, dict):
                self.attributes.update(part)


def _record(module: str, name: str) -> type[Record]:
    return type(name, (Record,), {"kind": f"{module}.{name}"})


class _Marker:
    """A name that a pickle may mention but not call."""

    def __init__(self, name: str) -> None:
        self.name = name


def _reconstruct(kind: Any, shape: Any, typecode: Any) -> ArrayRecord:
    del kind, shape, typecode
    return ArrayRecord()


def _reconstructor(kind: Any, parent: Any, state: Any) -> Any:
    del parent, state
    if not (isinstance(kind, type) and issubclass(kind, Record)):
        raise UnpicklingError("an object of an unknown class")
    return kind()


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    if not isinstance(encoding, str) or encoding not in {"latin1", "latin-1"}:
        raise UnpicklingError(f"bytes in the encoding {in_short(encoding)}")
    if not isinstance(text, str):
        raise UnpicklingError(f"expected text, not {type(text).__name__}")
    return text.encode("latin-1")


def _bytes(data: Any = b"", encoding: Any = "latin1") -> bytes:
    return _encode(data, encoding) if isinstance(data, str) else raw_bytes(data)


def check_keys(keys: Iterable[Any]) -> None:
    """Refuse keys other than words and numbers: hashing one that holds others many times takes forever."""
    for key in keys:
        if isinstance(key, str | bytes):
            short = len(key) <= _LONGEST_TEXT
        else:
            short = isinstance(key, int) and key.bit_length() <= _LONGEST_NUMBER
        if not short:
            raise UnpicklingError(f"a key of type {type(key).__name__}, {in_short(key)}")


def _list(items: Any = ()) -> list[Any]:
    return list(items)


def _tuple(items: Any = ()) -> tuple[Any, ...]:
    return tuple(items)


def _set(items: Any = ()) -> set[Any]:
    return set(_members(items))


def _frozenset(items: Any = ()) -> frozenset[Any]:
    return frozenset(_members(items))


def _members(items: Any) -> list[Any]:
    members = list(items)
    check_keys(members)
    return members


def _dict(items: Any = ()) -> dict[Any, Any]:
    return dict(_pairs(items))


def _ordered(items: Any = ()) -> OrderedDict[Any, Any]:
    return OrderedDict(_pairs(items))


def _pairs(items: Any) -> list[tuple[Any, Any]]:
    pairs = [(key, value) for key, value in (items.items() if isinstance(items, dict) else items)]
    check_keys(key for key, _ in pairs)
    return pairs


def _defaultdict(*_: Any) -> dict[Any, Any]:
    return {}


_GENSIM = {
    "gensim.models.keyedvectors": (
        "KeyedVectors",
        "Word2VecKeyedVectors",
        "WordEmbeddingsKeyedVectors",
        "BaseKeyedVectors",
        "EuclideanKeyedVectors",
        "FastTextKeyedVectors",
        "Vocab",
        "CompatVocab",
        "SimpleVocab",
    ),
    "gensim.models.word2vec": ("Word2Vec", "Word2VecVocab", "Word2VecTrainables", "Vocab"),
    "gensim.models.fasttext": ("FastText", "FastTextKeyedVectors", "FastTextVocab", "FastTextTrainables"),
    "gensim.models.deprecated.keyedvectors": ("KeyedVectors", "EuclideanKeyedVectors", "Vocab"),
    "gensim.models.deprecated.word2vec": ("Word2Vec", "Vocab"),
    # What a whole Word2Vec model holds beside its vectors.
    "gensim.utils": ("call_on_class_only",),
    "numpy.random": ("RandomState",),
    "numpy.random.mtrand": ("RandomState",),
    "numpy.random._mt19937": ("MT19937",),
    "numpy.random._pickle": ("__randomstate_ctor", "__bit_generator_ctor"),
    "numpy.random.bit_generator": ("SeedSequence", "__pyx_unpickle_SeedSequence"),
}

_BUILTINS: dict[str, Any] = {
    "set": _set,
    "frozenset": _frozenset,
    "list": _list,
    "tuple": _tuple,
    "dict": _dict,
    "bytearray": _bytes,
    "bytes": _bytes,
    "object": _Marker("object"),
    "hash": _Marker("hash"),
    "int": _Marker("int"),
}

ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): ArrayRecord,
    ("numpy", "dtype"): DtypeRecord,
    ("_codecs", "encode"): _encode,
    ("codecs", "encode"): _encode,
    ("collections", "OrderedDict"): _ordered,
    ("collections", "defaultdict"): _defaultdict,
    ("copyreg", "_reconstructor"): _reconstructor,
    ("copy_reg", "_reconstructor"): _reconstructor,
    **{(numpy, name): make
       for numpy in ("numpy.core.multiarray", "numpy._core.multiarray")
       for name, make in (("_reconstruct", _reconstruct), ("scalar", scalar))},
    **{(numpy, "_frombuffer"): buffer_array for numpy in ("numpy.core.numeric", "numpy._core.numeric")},
    **{(builtins, name): make
       for builtins in ("builtins", "__builtin__")
       for name, make in _BUILTINS.items()},
    **{(module, name): _record(module, name) for module, names in _GENSIM.items() for name in names},
}  # fmt: skip
"""Module and name to the replacement."""

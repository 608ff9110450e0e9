"""Pickles read as data: arrays, strings, numbers and containers are built, nothing is ever imported or run.

A pickle is a small program that may call any function of the machine it is read on. The reader here knows
a short list of names, and puts stand-ins of its own in their place: arrays are rebuilt from their bytes,
objects of gensim become records of their attributes. Any other name is refused, before it does anything.

What a pickle may ask for is bounded by its length: a few bytes can call for another copy of a long list.

It builds on Python's reader written in Python, not the faster one in C: the latter reserves memory
for whatever a file claims (``LONG_BINPUT`` with a large number is enough to exhaust a machine).
"""

from __future__ import annotations

import math
import pickle
import re
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, FormatError, UnsafeFileError, in_short

_SIMPLE = re.compile(r"[<>=|]?([biufSUO])(\d{1,6})")
_LARGEST_NDIM = 8


class ByteString(str):
    """An eight-bit string of Python 2: text where it is UTF-8 (else Latin-1), and its bytes."""

    raw: bytes

    @classmethod
    def of(cls, raw: bytes) -> Self:
        """Decode some bytes, and keep them."""
        try:
            text = cls(raw.decode("utf-8"))
        except UnicodeDecodeError:
            text = cls(raw.decode("latin-1"))
        text.raw = raw
        return text


def raw_bytes(data: Any) -> bytes:
    """The bytes of an array, however the pickle stores them."""
    if isinstance(data, ByteString):
        return data.raw
    if isinstance(data, str):
        return data.encode("latin-1")
    if isinstance(data, bytes | bytearray):
        return bytes(data)
    raise UnpicklingError(f"expected bytes, not {type(data).__name__}")


class DtypeRecord:
    """A simple element type: booleans, integers, floats, strings or objects."""

    def __init__(self, code: Any, align: Any = False, copy: Any = False) -> None:
        del align, copy
        match = _SIMPLE.fullmatch(code) if isinstance(code, str) else None
        if match is None:
            raise UnpicklingError(f"arrays of type {in_short(code)}")
        self.kind, self.width = match[1], int(match[2])
        self.order = "="

    def accept(self, state: Any) -> None:
        """Take the byte order; structured types are refused."""
        if not isinstance(state, tuple) or len(state) < 5 or not _is_one_of(state[1], "<>|="):
            raise UnpicklingError("an array type that is not simple")
        if any(part is not None for part in state[2:5]):
            raise UnpicklingError("a structured array type")
        self.order = str(state[1])

    def dtype(self) -> np.dtype[Any]:
        """The numpy type."""
        if self.kind == "O":
            return np.dtype(object)
        order = "" if self.order == "|" else self.order
        try:
            return np.dtype(f"{order}{self.kind}{self.width}")
        except TypeError as error:
            raise UnpicklingError(f"arrays of type {self.kind}{self.width}") from error


class ArrayRecord:
    """An array that is being read from a pickle; :func:`as_array` returns the array."""

    def __init__(self) -> None:
        self.array: NDArray[Any] | None = None

    def accept(self, state: Any) -> None:
        """Build the array from version, shape, type, order and bytes (or a list, for objects)."""
        if not isinstance(state, tuple) or len(state) not in {4, 5}:
            raise UnpicklingError("an array without its parts")
        shape, dtype, fortran, data = state[-4:]
        self.array = _build(data, dtype, shape, "F" if fortran else "C")


def buffer_array(data: Any, dtype: Any, shape: Any, order: Any, axes: Any = None) -> ArrayRecord:
    """Build an array as pickles of protocol 5 store it."""
    if axes is not None:
        raise UnpicklingError("an array with permuted axes")
    record = ArrayRecord()
    record.array = _build(data, dtype, shape, order)
    return record


def scalar(dtype: Any, data: Any = b"") -> Any:
    """Build one number, as a plain Python number."""
    return _build(data, dtype, (1,), "C")[0].item()


def as_array(value: Any) -> NDArray[Any] | None:
    """The array of a record; ``None`` for anything else."""
    return value.array if isinstance(value, ArrayRecord) else None


def _is_one_of(value: Any, letters: str) -> bool:
    """Whether a value is one of some letters; no other type is compared, since that could take forever."""
    return isinstance(value, str) and len(value) == 1 and value in letters


def _build(data: Any, dtype: Any, shape: Any, order: Any) -> NDArray[Any]:
    if not isinstance(dtype, DtypeRecord) or not isinstance(shape, tuple) or not _is_one_of(order, "CF"):
        raise UnpicklingError("an array without type or shape")
    if len(shape) > _LARGEST_NDIM or not all(type(n) is int and n >= 0 for n in shape):
        raise UnpicklingError(f"an array of shape {in_short(shape)}")
    count = math.prod(shape)
    kind = dtype.dtype()
    if kind == np.dtype(object):
        if not isinstance(data, list) or len(data) != count:
            raise UnpicklingError("an array of objects without its objects")
        objects = np.empty(count, object)
        for i, one in enumerate(data):  # one by one: numpy would descend into tuples, however deep they are
            objects[i] = one
        return objects.reshape(shape)
    raw = raw_bytes(data)
    if kind.itemsize == 0 or len(raw) != count * kind.itemsize:
        raise UnpicklingError(f"an array of shape {in_short(shape)} in {len(raw):,} bytes")
    flat: NDArray[Any] = np.frombuffer(raw, kind)
    return flat.reshape(shape, order="F" if order == "F" else "C")


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


def _members(items: Any) -> list[Any]:
    members = list(items)
    check_keys(members)
    return members


def _pairs(items: Any) -> list[tuple[Any, Any]]:
    pairs = [(key, value) for key, value in (items.items() if isinstance(items, dict) else items)]
    check_keys(key for key, _ in pairs)
    return pairs


_GENSIM = {
    "gensim.models.keyedvectors": "KeyedVectors Word2VecKeyedVectors WordEmbeddingsKeyedVectors Vocab "
    "BaseKeyedVectors EuclideanKeyedVectors FastTextKeyedVectors CompatVocab SimpleVocab",
    "gensim.models.word2vec": "Word2Vec Word2VecVocab Word2VecTrainables Vocab",
    "gensim.models.fasttext": "FastText FastTextKeyedVectors FastTextVocab FastTextTrainables",
    "gensim.models.deprecated.keyedvectors": "KeyedVectors EuclideanKeyedVectors Vocab",
    "gensim.models.deprecated.word2vec": "Word2Vec Vocab",
    # What a whole Word2Vec model holds besides its vectors.
    "gensim.utils": "call_on_class_only",
    "numpy.random": "RandomState",
    "numpy.random.mtrand": "RandomState",
    "numpy.random._mt19937": "MT19937",
    "numpy.random._pickle": "__randomstate_ctor __bit_generator_ctor",
    "numpy.random.bit_generator": "SeedSequence __pyx_unpickle_SeedSequence",
}

_BUILTINS: dict[str, Any] = {
    "set": lambda items=(): set(_members(items)),
    "frozenset": lambda items=(): frozenset(_members(items)),
    "list": lambda items=(): list(items),
    "tuple": lambda items=(): tuple(items),
    "dict": lambda items=(): dict(_pairs(items)),
    "bytearray": _bytes,
    "bytes": _bytes,
    **{name: _Marker(name) for name in ("object", "hash", "int")},
}

ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): ArrayRecord,
    ("numpy", "dtype"): DtypeRecord,
    ("_codecs", "encode"): _encode,
    ("codecs", "encode"): _encode,
    ("collections", "OrderedDict"): lambda items=(): OrderedDict(_pairs(items)),
    ("collections", "defaultdict"): lambda *_: {},
    ("copyreg", "_reconstructor"): _reconstructor,
    ("copy_reg", "_reconstructor"): _reconstructor,
    **{(numpy, name): make
       for numpy in ("numpy.core.multiarray", "numpy._core.multiarray")
       for name, make in (("_reconstruct", _reconstruct), ("scalar", scalar))},
    **{(numpy, "_frombuffer"): buffer_array for numpy in ("numpy.core.numeric", "numpy._core.numeric")},
    **{(builtins, name): make
       for builtins in ("builtins", "__builtin__")
       for name, make in _BUILTINS.items()},
    **{(module, name): _record(module, name) for module, names in _GENSIM.items() for name in names.split()},
}  # fmt: skip
"""Module and name to the replacement."""


_MALFORMED = (
    *(UnpicklingError, struct.error, ArithmeticError, AttributeError, LookupError, MemoryError),
    *(RecursionError, TypeError, ValueError),
)
_BLOCK = 1 << 20
_PER_BYTE, _FREE = 8, 1 << 16
"""Bytes that may be copied per byte that was read, and before any."""
_REFERENCE, _EMPTY_SET = 8, 24


class Readable(Protocol):
    """Anything that gives bytes."""

    def read(self, size: int, /) -> bytes:
        """Read that many bytes, or as many as are left."""


class _Buffer:
    """A source with what a pickle reader needs: small reads, lines, and an error at the end of the data."""

    def __init__(self, source: Readable) -> None:
        self._source, self._data, self._position = source, b"", 0
        self.total = 0

    def read(self, size: int) -> bytes:
        end = self._position + size
        if end > len(self._data):
            self._fill(size)
            end = size
            if end > len(self._data):
                raise EOFError(f"{size:,} bytes are announced where {len(self._data):,} are left")
        piece = self._data[self._position : end]
        self._position = end
        return piece

    def readline(self) -> bytes:
        end = self._data.find(b"\n", self._position)
        while end < 0:
            before = len(self._data) - self._position
            self._fill(before + 1)
            if len(self._data) == before:
                raise EOFError("a line does not end")
            end = self._data.find(b"\n", before)
        return self.read(end + 1 - self._position)

    def _fill(self, size: int) -> None:
        left = self._data[self._position :]
        piece = self._source.read(max(size - len(left), _BLOCK))
        self._data, self._position = left + piece, 0
        self.total += len(piece)


def _size(value: Any) -> int:
    """About how many bytes a copy of a value takes; of a tuple, copies of its parts."""
    size = 0
    for part in value if isinstance(value, tuple) else (value,):
        if isinstance(part, str | bytes):
            size += len(part)
        elif isinstance(part, list | tuple | dict | set | frozenset):
            size += _REFERENCE * len(part)
    return size


class _Reader(pickle._Unpickler):
    """Python's own reader, restricted to known names."""

    dispatch: ClassVar[dict[int, Any]] = dict(pickle._Unpickler.dispatch)

    def __init__(self, source: Readable, path: Path | None) -> None:
        self._buffer = _Buffer(source)
        super().__init__(self._buffer)
        self._path, self._copied = path, 0

    def spend(self, size: int) -> None:
        """Count bytes that are about to be copied, and refuse what is beyond the length of the pickle."""
        self._copied += size
        if self._copied > _PER_BYTE * self._buffer.total + _FREE:
            message = f"the pickle copies {self._copied:,} bytes or more, of {self._buffer.total:,} read."
            hint = "no file of vectors does that; do not load it with other tools unless you trust it."
            raise UnsafeFileError(message, path=self._path, hint=hint)

    def refuse(self, what: str, key: str | None = None) -> UnsafeFileError:
        """The error for something that is not data."""
        message = f"the pickle asks for {what}, which is not data."
        hint = "a pickle can run any program; do not load this file with other tools unless you trust it."
        return UnsafeFileError(message, path=self._path, key=key, hint=hint)

    def find_class(self, module: str, name: str) -> Any:
        try:
            return ALLOWED[module, name]
        except (KeyError, TypeError):
            full = f"{module}.{name}"
        raise self.refuse(full, full)

    def get_extension(self, code: int) -> None:
        raise self.refuse(f"the extension {code}")

    def persistent_load(self, pid: Any) -> Any:
        raise self.refuse(f"the outside object {in_short(pid)}")

    def _decode_string(self, value: bytes) -> ByteString:
        return ByteString.of(value)

    def load_build(self) -> None:
        stack: list[Any] = self.stack  # type: ignore[attr-defined]
        state = stack.pop()
        target = stack[-1]
        if not isinstance(target, Record | ArrayRecord | DtypeRecord):
            raise self.refuse(f"a change to {type(target).__name__}")
        self.spend(_size(state))
        target.accept(state)

    def load_reduce(self) -> None:
        self.spend(_size(self.stack[-1]))  # type: ignore[attr-defined]
        super().load_reduce()  # type: ignore[misc]

    def _instantiate(self, kind: Any, arguments: Any) -> None:
        self.spend(_size(tuple(arguments)))
        super()._instantiate(kind, arguments)  # type: ignore[misc]

    def load_empty_set(self) -> None:
        self.spend(_EMPTY_SET)
        super().load_empty_set()  # type: ignore[misc]

    def load_bytearray8(self) -> None:
        (size,) = struct.unpack("<Q", self.read(8))  # type: ignore[attr-defined]
        self.append(bytes(self.read(size)))  # type: ignore[attr-defined]

    dispatch[pickle.BUILD[0]] = load_build
    dispatch[pickle.REDUCE[0]] = load_reduce
    dispatch[pickle.EMPTY_SET[0]] = load_empty_set
    dispatch[pickle.BYTEARRAY8[0]] = load_bytearray8


def _checking(load: Any, keys: slice) -> Callable[[Any], None]:
    """A step of the reader, before which keys on its stack are checked."""

    def checked(reader: Any) -> None:
        check_keys(reader.stack[keys])
        load(reader)

    return checked


_EVERY, _EVERY_SECOND = slice(None), slice(None, None, 2)
for _step, _keys in {
    pickle.SETITEM: slice(-2, -1), pickle.SETITEMS: _EVERY_SECOND, pickle.DICT: _EVERY_SECOND,
    pickle.ADDITEMS: _EVERY, pickle.FROZENSET: _EVERY,
}.items():  # fmt: skip
    _Reader.dispatch[_step[0]] = _checking(_Reader.dispatch[_step[0]], _keys)


def load_pickle(source: Readable, *, path: Path | None = None) -> Any:
    """Read a pickle, of Python 2 or 3, as data."""
    try:
        return _Reader(source, path).load()
    except CrossroadsError:
        raise
    except EOFError as error:
        reason = str(error) or "it breaks off"
        hint = "fetch the file again."
        raise FormatError(f"the pickle is incomplete: {reason}.", path=path, hint=hint) from error
    except _MALFORMED as error:
        hint = "the file is damaged, or holds something other than words and arrays."
        raise FormatError(f"the pickle cannot be read: {error!s:.200}.", path=path, hint=hint) from error

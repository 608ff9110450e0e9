"""Pickles read as data: arrays, strings, numbers and containers are built, nothing is ever imported or run.

A pickle is a small program that may call any function of the machine it is read on. The reader here knows
a short list of names, and puts stand-ins of its own in their place: arrays are rebuilt from their bytes,
objects of gensim become records of their attributes. Any other name is refused, before it does anything.

What a pickle may ask for is bounded by its length: a few bytes can call for another copy of a long list.

It builds on Python's reader written in Python, not the faster one in C: the latter reserves memory
for whatever a file claims (``LONG_BINPUT`` with a large number is enough to exhaust a machine).
"""

from __future__ import annotations

import pickle
import struct
from pathlib import Path
from typing import Any, ClassVar, Protocol

from crossroads.core.errors import CrossroadsError, FormatError, UnsafeFileError, in_short
from crossroads.core.storage.pickles.arrays import ArrayRecord, ByteString, DtypeRecord
from crossroads.core.storage.pickles.names import ALLOWED, Record, check_keys

_MALFORMED = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    UnicodeError,
    ValueError,
    struct.error,
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
            raise UnsafeFileError(
                f"the pickle copies {self._copied:,} bytes or more, of {self._buffer.total:,} read.",
                path=self._path,
                hint="no file of vectors does that; do not load it with other tools unless you trust it.",
            )

    def refuse(self, what: str, key: str | None = None) -> UnsafeFileError:
        """The error for something that is not data."""
        return UnsafeFileError(
            f"the pickle asks for {what}, which is not data.",
            path=self._path,
            key=key,
            hint="a pickle can run any program; do not load this file with other tools unless you trust it.",
        )

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

    def load_setitem(self) -> None:
        check_keys(self.stack[-2:-1])  # type: ignore[attr-defined]
        super().load_setitem()  # type: ignore[misc]

    def load_setitems(self) -> None:
        check_keys(self.stack[::2])  # type: ignore[attr-defined]
        super().load_setitems()  # type: ignore[misc]

    def load_dict(self) -> None:
        check_keys(self.stack[::2])  # type: ignore[attr-defined]
        super().load_dict()  # type: ignore[misc]

    def load_additems(self) -> None:
        check_keys(self.stack)  # type: ignore[attr-defined]
        super().load_additems()  # type: ignore[misc]

    def load_frozenset(self) -> None:
        check_keys(self.stack)  # type: ignore[attr-defined]
        super().load_frozenset()  # type: ignore[misc]

    def load_bytearray8(self) -> None:
        (size,) = struct.unpack("<Q", self.read(8))  # type: ignore[attr-defined]
        self.append(bytes(self.read(size)))  # type: ignore[attr-defined]

    dispatch[pickle.BUILD[0]] = load_build
    dispatch[pickle.REDUCE[0]] = load_reduce
    dispatch[pickle.EMPTY_SET[0]] = load_empty_set
    dispatch[pickle.SETITEM[0]] = load_setitem
    dispatch[pickle.SETITEMS[0]] = load_setitems
    dispatch[pickle.DICT[0]] = load_dict
    dispatch[pickle.ADDITEMS[0]] = load_additems
    dispatch[pickle.FROZENSET[0]] = load_frozenset
    dispatch[pickle.BYTEARRAY8[0]] = load_bytearray8


def load_pickle(source: Readable, *, path: Path | None = None) -> Any:
    """Read a pickle, of Python 2 or 3, as data."""
    try:
        return _Reader(source, path).load()
    except CrossroadsError:
        raise
    except EOFError as error:
        reason = str(error) or "it breaks off"
        raise FormatError(
            f"the pickle is incomplete: {reason}.", path=path, hint="fetch the file again."
        ) from error
    except _MALFORMED as error:
        raise FormatError(
            f"the pickle cannot be read: {error!s:.200}.",
            path=path,
            hint="the file is damaged, or holds something other than words and arrays.",
        ) from error

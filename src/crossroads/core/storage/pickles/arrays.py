"""Arrays inside pickles, rebuilt from their bytes without numpy's reconstruction, which trusts the file."""

from __future__ import annotations

import math
import re
from pickle import UnpicklingError
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import in_short

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

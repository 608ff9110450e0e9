"""Arrays out of files of others: read, or refused in a sentence; bombs are not set off."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import FormatError, UnsafeFileError
from crossroads.core.storage import arrays as array_files
from crossroads.core.storage.arrays import ArrayArchive, map_array
from tests.words.vectors.written import npy

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
WORDS = np.array([f"word{i}" for i in range(20)])
VECTORS = np.random.default_rng(0).normal(size=(20, 5))


def headed(header: str, data: bytes = b"") -> bytes:
    """A file whose header says what it likes."""
    text = header.encode("latin-1")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def archive(method: int = zipfile.ZIP_STORED, **members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as out:
        for name, data in members.items():
            out.writestr(f"{name}.npy", data)
    return file.getvalue()


def saved(method: int = zipfile.ZIP_STORED) -> bytes:
    return archive(method, labels=npy(WORDS), vectors=npy(VECTORS))


def changed(data: bytes, at: bytes, offset: int, value: bytes) -> bytes:
    """An archive with other bytes so far after every place at which its directory or its members begin."""
    found, start = bytearray(data), data.find(at)
    while start >= 0:
        found[start + offset : start + offset + len(value)] = value
        start = data.find(at, start + 1)
    return bytes(found)


def twice() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out, pytest.warns(UserWarning, match="Duplicate name"):
        out.writestr("labels.npy", npy(WORDS))
        out.writestr("labels.npy", npy(WORDS))
    return file.getvalue()


def read(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    with ArrayArchive(path) as arrays:
        return {name: arrays.read(name) for name in arrays.names}


@pytest.mark.parametrize("method", METHODS)
def test_arrays_come_back_however_they_are_packed(method: int, tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    path.write_bytes(saved(method))
    arrays = read(path)
    assert list(arrays) == ["labels", "vectors"]
    np.testing.assert_array_equal(arrays["labels"], WORDS)
    np.testing.assert_array_equal(arrays["vectors"], VECTORS)


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_mapped_as_numpy_maps_it(order: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    for array in (np.asarray(VECTORS, order=order), np.empty((0, 3)), np.array(3.0), np.array(["a", "ü"])):
        path.write_bytes(npy(array))
        found = map_array(path)
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype


def shaped(shape: str, data: bytes = b"") -> bytes:
    return archive(vectors=headed(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}\n", data))


DAMAGED: dict[str, Callable[[], bytes]] = {
    "no archive": lambda: b"PK\x03\x04" + b"x" * 100,
    "cut": lambda: saved()[:-40],
    "cut in the data": lambda: saved(zipfile.ZIP_DEFLATED)[:200] + saved(zipfile.ZIP_DEFLATED)[-200:],
    "an unknown method": lambda: changed(changed(saved(), CENTRAL, 10, b"\x63\0"), LOCAL, 8, b"\x63\0"),
    "encrypted": lambda: changed(changed(saved(), CENTRAL, 8, b"\1\0"), LOCAL, 6, b"\1\0"),
    "bad deflate": lambda: saved(zipfile.ZIP_DEFLATED).replace(b"labels.npy", b"labels.npy\xff\xff", 1),
    "twice": twice,
    "objects": lambda: archive(labels=npy(WORDS.astype(object))),
    "no letters": lambda: archive(labels=npy(np.array(["ab"])).replace(b"a\0\0\0b", b"\xff\xff\xff\xffb")),
    "half a header": lambda: archive(labels=npy(WORDS)[:30]),
    "a nested header": lambda: archive(labels=headed("(" * 5000)),
    "no type": lambda: archive(vectors=headed("{'descr': 'xyz', 'fortran_order': False, 'shape': (3, 2)}\n")),
    "a huge shape": lambda: shaped(f"({'9' * 4000}, {'9' * 4000})"),
    "a negative shape": lambda: shaped("(-1, 2)"),
    "a shape of truth values": lambda: shaped("(True, 2)", bytes(16)),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_what_is_damaged_is_refused_in_a_sentence(what: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    path.write_bytes(DAMAGED[what]())
    with pytest.raises(FormatError, match=r"vectors\.npz") as caught:
        read(path)
    assert len(str(caught.value)) - len(str(path)) < 600


@pytest.mark.parametrize("number", [1, 20])
def test_no_bombs_are_set_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(array_files, "FREE_BYTES", 1 << 20)
    path, zeros = tmp_path / "vectors.npz", npy(np.zeros(2_000_000 // number))
    path.write_bytes(archive(zipfile.ZIP_DEFLATED, **{f"w{i}": zeros for i in range(number)}))
    with pytest.raises(UnsafeFileError, match=r"over 200 to 1(.|\n)*decompression bomb"):
        ArrayArchive(path)

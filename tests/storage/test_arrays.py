"""Arrays out of files of others: read, or refused in a sentence; bombs are not set off."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.errors import CrossroadsError, FormatError, UnsafeFileError
from crossroads.report.documents.records import read_vectors
from crossroads.storage import arrays as array_files
from crossroads.storage.arrays import ArrayArchive, map_array

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
WORDS = np.array([f"word{i}" for i in range(20)])
VECTORS = np.random.default_rng(0).normal(size=(20, 5))


def npy(array: np.ndarray[Any, Any], **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


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
    return archive(method, labels=npy(WORDS), vectors=npy(VECTORS), fallback=npy(np.array(["lower"])))


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
        out.writestr("vectors.npy", npy(VECTORS))
    return file.getvalue()


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_arrays_come_back_however_they_are_packed(method: int, tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    path.write_bytes(saved(method))
    with ArrayArchive(path) as arrays:
        assert arrays.names == ("labels", "vectors", "fallback")
        np.testing.assert_array_equal(arrays.read("vectors"), VECTORS)
    found = read_vectors(path, "m")
    assert (list(found.labels), list(found.fallback)) == (WORDS.tolist(), ["lower"])


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_mapped_as_numpy_maps_it(order: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    for array in (np.asarray(VECTORS, order=order), np.empty((0, 3)), np.array(3.0), np.array(["a", "ü"])):
        path.write_bytes(npy(array))
        found = map_array(path)
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype


DAMAGED: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "no archive": lambda: b"PK\x03\x04" + b"x" * 100,
    "cut": lambda: saved()[:-40],
    "cut in the data": lambda: saved(zipfile.ZIP_DEFLATED)[:200] + saved(zipfile.ZIP_DEFLATED)[-200:],
    "an unknown method": lambda: changed(changed(saved(), CENTRAL, 10, b"\x63\0"), LOCAL, 8, b"\x63\0"),
    "encrypted": lambda: changed(changed(saved(), CENTRAL, 8, b"\1\0"), LOCAL, 6, b"\1\0"),
    "bad deflate": lambda: saved(zipfile.ZIP_DEFLATED).replace(b"labels.npy", b"labels.npy\xff\xff", 1),
    "a name in no encoding": lambda: changed(
        saved().replace(b"labels.npy", b"label\xff.npy"), CENTRAL, 8, b"\0\x08"
    ),
    "twice": twice,
    "no labels": lambda: archive(vectors=npy(VECTORS)),
    "no vectors": lambda: archive(labels=npy(WORDS)),
    "objects": lambda: archive(labels=npy(WORDS.astype(object)), vectors=npy(VECTORS)),
    "numbers for words": lambda: archive(labels=npy(VECTORS[0]), vectors=npy(VECTORS)),
    "no letters": lambda: archive(
        labels=npy(np.array(["ab"])).replace(b"a\0\0\0b", b"\xff\xff\xff\xffb"), vectors=npy(VECTORS[:1])
    ),
    "words for numbers": lambda: archive(labels=npy(WORDS), vectors=npy(WORDS)),
    "another count": lambda: archive(labels=npy(WORDS), vectors=npy(VECTORS[:-1])),
    "three dimensions": lambda: archive(labels=npy(WORDS), vectors=npy(VECTORS[None])),
    "dates": lambda: archive(labels=npy(WORDS), vectors=npy(np.zeros((20, 2), "M8[s]"))),
    "no header": lambda: archive(labels=b"", vectors=npy(VECTORS)),
    "half a header": lambda: archive(labels=npy(WORDS)[:30], vectors=npy(VECTORS)),
    "a nested header": lambda: archive(labels=headed("(" * 5000), vectors=npy(VECTORS)),
    "an open header": lambda: archive(labels=headed("{'descr': '<f8', 'shape': (3,"), vectors=npy(VECTORS)),
    "no type": lambda: archive(
        labels=npy(WORDS), vectors=headed("{'descr': 'xyz', 'fortran_order': False, 'shape': (3, 2)}\n")
    ),
    "a huge shape": lambda: archive(
        labels=npy(WORDS),
        vectors=headed(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({'9' * 4000}, {'9' * 4000})}}"),
    ),
    "a negative shape": lambda: archive(
        labels=npy(WORDS), vectors=headed("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}\n")
    ),
    "a shape of truth values": lambda: archive(
        labels=npy(WORDS),
        vectors=headed("{'descr': '<f8', 'fortran_order': False, 'shape': (True, 2)}", bytes(16)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGED)
def test_what_is_damaged_is_refused_in_a_sentence(what: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    path.write_bytes(DAMAGED[what]())
    with pytest.raises(FormatError) as caught:
        read_vectors(path, "m")
    assert "vectors.npz" in str(caught.value)
    assert caught.value.hint is not None
    assert len(str(caught.value)) - len(str(path)) < 600


def test_whatever_byte_is_changed_the_archive_is_read_or_refused(tmp_path: Path) -> None:
    rng, path = random.Random(0), tmp_path / "vectors.npz"
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA):
        whole = saved(method)
        for _ in range(300):
            data = bytearray(whole)
            for _ in range(rng.randint(1, 4)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            path.write_bytes(data[: rng.randrange(len(data))] if rng.random() < 0.3 else data)
            try:
                read_vectors(path, "m")
            except CrossroadsError as error:
                assert len(str(error)) - len(str(path)) < 600


def test_a_bomb_is_not_set_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_files, "FREE_BYTES", 1 << 20)
    zeros = npy(np.zeros((200_000, 5)))
    for members in (
        {"vectors": zeros},
        {"vectors": npy(VECTORS), "fallback": npy(np.array(["a" * 2_000_000]))},
    ):
        path = tmp_path / "vectors.npz"
        path.write_bytes(archive(zipfile.ZIP_DEFLATED, labels=npy(WORDS), **members))
        with pytest.raises(UnsafeFileError, match="decompression bomb"):
            read_vectors(path, "m")


def test_many_small_bombs_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_files, "FREE_BYTES", 1 << 20)
    path = tmp_path / "vectors.npz"
    path.write_bytes(archive(zipfile.ZIP_DEFLATED, **{f"w{i}": npy(np.zeros(100_000)) for i in range(20)}))
    with pytest.raises(UnsafeFileError, match="over 200 to 1"):
        ArrayArchive(path)

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import FormatError, InputError, UnsafeFileError
from crossroads.evidence import array_files
from crossroads.sources import load, sniff
from crossroads.sources.streams import Stream, compression

TEXT = b"rose 1 2\nwasp 3 4\n"


def zipped(data: bytes, *names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("vectors.txt",):
            archive.writestr(name, data)
    return out.getvalue()


def zstandard(data: bytes) -> bytes:
    module: Any = pytest.importorskip("zstandard", reason="zstandard is not installed (extra [zstd])")
    squeezed: bytes = module.ZstdCompressor().compress(data)
    return squeezed


Squeeze = Callable[[bytes], bytes]
ALL: dict[str, Squeeze] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard,
    "zip": zipped,
}
every = pytest.mark.parametrize(("name", "squeeze"), ALL.items(), ids=list(ALL))


@every
def test_compressed_text_is_read_like_plain_text(tmp_path: Path, name: str, squeeze: Squeeze) -> None:
    path = tmp_path / f"vectors.txt.{name}"
    path.write_bytes(squeeze(TEXT))
    assert compression(path) == name
    assert sniff(path) == "glove-text"
    assert load(path, words=["wasp"]).labels == ("wasp",)


@every
def test_compression_is_seen_by_content_not_by_name(tmp_path: Path, name: str, squeeze: Squeeze) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(squeeze(TEXT))
    assert load(path).labels == ("rose", "wasp")


@every
def test_compressed_data_that_breaks_off_is_refused(tmp_path: Path, name: str, squeeze: Squeeze) -> None:
    path = tmp_path / "vectors.txt"
    whole = squeeze(b"".join(f"w{i} {i * i}.5 {i}\n".encode() for i in range(20_000)))
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match=r"broken|cannot be read"):
        load(path, format="glove-text")


@every
def test_progress_ends_at_the_size_of_the_file(tmp_path: Path, name: str, squeeze: Squeeze) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(squeeze(TEXT))
    calls: list[tuple[int, int | None]] = []
    load(path, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)
    assert calls == sorted(calls)


@pytest.mark.parametrize("name", ["gz", "bz2", "xz", "zst"])
def test_data_that_expands_beyond_measure_is_refused_on_the_way(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_files, "FREE_BYTES", 1 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(ALL[name](b"a 0 0\n" * 3_000_000))
    with pytest.raises(UnsafeFileError, match="over 200 to 1"):
        load(path, format="glove-text", words=["b"])


def test_a_zip_bomb_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(zipped(bytes(80 << 20)))
    with pytest.raises(UnsafeFileError, match="over 200 to 1"):
        load(path)
    with pytest.raises(UnsafeFileError, match="over 200 to 1"):
        load(path, format="word2vec-binary")


def test_a_zip_bomb_of_arrays_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    path.write_bytes(zipped(bytes(80 << 20), "a.npy"))
    with pytest.raises(UnsafeFileError, match="over 200 to 1"):
        load(path)


def test_a_zip_archive_with_several_files_lists_them(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    path.write_bytes(zipped(TEXT, "glove.50d.txt", "glove.100d.txt"))
    with pytest.raises(FormatError, match=r"2 files, glove\.50d\.txt and glove\.100d\.txt"):
        load(path)
    assert load(path, member="glove.100d.txt").labels == ("rose", "wasp")
    with pytest.raises(FormatError, match="called 'other'"):
        load(path, member="other")


def test_a_zip_archive_named_like_one_of_its_files_means_that_one(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    path.write_bytes(zipped(TEXT, "README.md", "glove.txt", "__MACOSX/glove.txt", "folder/.hidden"))
    assert load(path).labels == ("rose", "wasp")


def test_an_empty_zip_archive_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.zip"
    path.write_bytes(zipped(b"", "folder/"))
    with pytest.raises(FormatError, match="holds no files"):
        load(path)


def test_a_file_that_is_empty_once_decompressed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(FormatError, match="empty once decompressed"):
        load(path)


def test_formats_that_need_the_whole_file_are_not_read_compressed(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy.gz"
    path.write_bytes(gzip.compress(b"\x93NUMPY\x01\x00" + bytes(100)))
    with pytest.raises(InputError, match=r"cannot be read while compressed \(gz\)"):
        load(path)


def test_a_stream_gives_no_more_than_there_is(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(TEXT)
    with Stream(path) as stream:
        assert stream.read(1 << 40) == TEXT
        assert stream.read(1) == b""
        assert stream.read_at(5, 3) == b"1 2"

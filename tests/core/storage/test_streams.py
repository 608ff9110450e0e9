"""One decompressor with one set of guards, and both who read through it: vectors and corpora."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads import load
from crossroads.contexts.corpus.formats import batches
from crossroads.contexts.corpus.search import parts_of, sources_of
from crossroads.core.errors import FormatError, InputError, UnsafeFileError
from crossroads.core.storage import arrays as array_files
from crossroads.core.storage.streams import compression
from crossroads.words.vectors.load import sniff

TEXT = b"rose 1 2\nwasp 3 4\n"
LONG = b"".join(f"w{i} {i * i}.5 {i}\n".encode() for i in range(2000))
PAGE = "the same page again and again " * 8
USERS = random.Random(0).choices(range(25), k=6000)
LOG = "".join(f"user{user} {404 if user else 200} {PAGE}1\n" for user in USERS).encode()
"""Lines that hardly differ."""


def zipped(data: bytes, *names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("vectors.txt",):
            archive.writestr(name, data)
    return out.getvalue()


def zstandard(data: bytes, **parameters: Any) -> bytes:
    """Without the length of the content, which would tell that it is truncated."""
    module: Any = pytest.importorskip("zstandard", reason="zstandard is not installed (extra [zstd])")
    chosen = module.ZstdCompressionParameters(write_content_size=0, **parameters)
    squeezed: bytes = module.ZstdCompressor(compression_params=chosen).compress(data)
    return squeezed


Squeeze = Callable[[bytes], bytes]
ALL: dict[str, Squeeze] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard,
    "zip": zipped,
}
every = pytest.mark.parametrize("name", ALL)
every_stream = pytest.mark.parametrize("name", [name for name in ALL if name != "zip"])
Progress = list[tuple[int, int | None]]


def words_of_vectors(path: Path, progress: Progress | None = None) -> list[str]:
    told = [] if progress is None else progress
    return list(load(path, format="glove-text", progress=lambda *both: told.append(both)).labels)


def words_of_a_corpus(path: Path, progress: Progress | None = None) -> list[str]:
    (source,) = sources_of(path, format="text", field=None, unit="line")
    told, done, words = [] if progress is None else progress, 0, []

    def tell(more: int) -> None:
        nonlocal done
        done += more
        told.append((done, source.size))

    for part in parts_of(source):
        for lines, _ in batches(part, tell):
            words += [line.split()[0] for line in lines if line]
    return words


Words = Callable[..., list[str]]
both = pytest.mark.parametrize("words", [words_of_vectors, words_of_a_corpus], ids=["vectors", "corpus"])


@both
@every
def test_compressed_files_are_read_like_plain_ones(tmp_path: Path, name: str, words: Words) -> None:
    path, progress = tmp_path / "vectors.txt", Progress()
    path.write_bytes(ALL[name](LONG))
    assert compression(path) == name
    assert words(path, progress) == [f"w{i}" for i in range(2000)]
    assert progress[-1] == (path.stat().st_size, path.stat().st_size)
    assert progress == sorted(progress)  # and counts bytes of the file as it is stored
    assert sniff(path) == "glove-text"


@both
@every_stream
def test_members_and_frames_are_read_to_the_last(tmp_path: Path, name: str, words: Words) -> None:
    path, squeeze = tmp_path / "vectors.txt", ALL[name]
    path.write_bytes(squeeze(b"") + squeeze(TEXT[:4]) + squeeze(b"") + squeeze(TEXT[4:]) + squeeze(b""))
    assert compression(path) == name
    assert words(path) == ["rose", "wasp"]


@both
@every
@pytest.mark.parametrize("cut", [0.01, 0.5, 0.999])
def test_what_breaks_off_is_refused(tmp_path: Path, name: str, words: Words, cut: float) -> None:
    path, whole = tmp_path / "vectors.txt", ALL[name](LONG)
    path.write_bytes(whole[: int(len(whole) * cut)])
    with pytest.raises(FormatError, match=r"the (compressed data is broken|zip archive cannot)"):
        words(path)


@both
@pytest.mark.parametrize("name", ["gz", "zst"])
def test_what_stands_after_compressed_data_is_told(tmp_path: Path, name: str, words: Words) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(ALL[name](TEXT) + b"garbage")
    with pytest.raises(FormatError, match="is complete, but followed by something else"):
        words(path)


@both
def test_windows_of_zstandard_may_be_long_and_frames_may_be_skipped(tmp_path: Path, words: Words) -> None:
    path = tmp_path / "vectors.txt"
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    path.write_bytes(skipped + zstandard(LONG, window_log=28) + skipped)  # decompressors allow 27 unless told
    assert words(path) == [f"w{i}" for i in range(2000)]


@both
@every_stream
def test_data_that_expands_beyond_measure_is_refused_on_the_way(
    tmp_path: Path, name: str, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_files, "FREE_BYTES", 1 << 16)
    path, most = tmp_path / "bomb.txt", "2,000" if words is words_of_a_corpus else "200"
    path.write_bytes(ALL[name](b"a 0 0\n" * 200_000))
    if name == "gz" and words is words_of_a_corpus:  # which cannot expand that far
        assert len(words(path)) == 200_000
        return
    with pytest.raises(UnsafeFileError, match=f"over {most} to 1"):
        words(path)


@every
def test_a_repetitive_log_is_no_bomb(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_files, "FREE_BYTES", 1 << 16)
    path = tmp_path / "log.txt"
    path.write_bytes(ALL[name](LOG))
    assert 100 < len(LOG) / path.stat().st_size < 1000
    assert len(words_of_a_corpus(path)) == 6000


@pytest.mark.parametrize("member", ["vectors.txt", "a.npy"])
def test_a_zip_bomb_is_refused_unopened(tmp_path: Path, member: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_files, "FREE_BYTES", 1 << 20)
    path = tmp_path / "bomb.zip"
    path.write_bytes(zipped(bytes(2 << 20), member))
    with pytest.raises(UnsafeFileError, match="over 200 to 1"):
        load(path)


def test_a_zip_archive_with_several_files_lists_them_unless_it_is_named_like_one(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    path.write_bytes(zipped(TEXT, "glove.50d.txt", "glove.100d.txt"))
    with pytest.raises(FormatError, match=r"2 files, glove\.50d\.txt and glove\.100d\.txt"):
        load(path)
    assert load(path, member="glove.100d.txt").labels == ("rose", "wasp")
    with pytest.raises(FormatError, match="called 'other'"):
        load(path, member="other")
    path.write_bytes(zipped(TEXT, "README.md", "glove.txt", "__MACOSX/glove.txt", "folder/.hidden"))
    assert load(path).labels == ("rose", "wasp")
    path.write_bytes(zipped(b"", "folder/"))
    with pytest.raises(FormatError, match="holds no files"):
        load(path)


def test_formats_that_need_the_whole_file_are_not_read_compressed(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy.gz"
    path.write_bytes(gzip.compress(b"\x93NUMPY\x01\x00" + bytes(100)))
    with pytest.raises(InputError, match=r"cannot be read while compressed \(gz\)"):
        load(path)

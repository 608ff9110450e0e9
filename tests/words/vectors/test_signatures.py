from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from crossroads.core.errors import FormatError
from crossroads.words.vectors.load import sniff


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"rose\t1\t2\n", "glove-text"),
        (b"rose 1 2", "glove-text"),
        (b"rose" + b" 0.125" * 20_000 + b"\n", "glove-text"),
        (b"2 2\nrose 1 2\nwasp 3 4\n", "word2vec-text"),
        (b"\xef\xbb\xbf2 2\r\nrose 1 2\r\n", "word2vec-text"),
        (b"2 2\nrose 1 2 3\n", "word2vec-text"),
        (b"7 5\n8 6\n9 7\n", "glove-text"),
        (b"1 2\nrose \x00\x00\x80\x3f\x00\x00\x80\x3f\n", "word2vec-binary"),
        (struct.pack("<2i", 793712314, 12) + bytes(50), "fasttext-binary"),
        (b"\x80\x04N.", "gensim"),
        (b"\x93NUMPY\x01\x00" + bytes(100), "npy"),
        (b"PAR1" + bytes(100), "parquet"),
        (struct.pack("<Q", 2) + b"{}", "safetensors"),
    ],
)
def test_the_format_is_seen_in_the_content(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(data)
    assert sniff(path) == name


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04" + b"x" * 100, "the zip archive cannot be read"),
        (b"Once upon a time\n", "the format is not known; the file begins with 'Once upon a time"),
        (b"rose,0.1,0.2\n", r"a line is a word and its numbers, with spaces or tabs between them"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html>\n", "this is a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:a\n", "a Git LFS pointer"),
        (b"\xff\xfer\x00o\x00", "the text is UTF-16"),
    ],
)
def test_what_is_not_known_is_shown(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message):
        sniff(path)


def test_spreadsheets_are_told_from_archives_of_vectors(tmp_path: Path) -> None:
    path = tmp_path / "vectors.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(FormatError, match="an office document"):
        sniff(path)


def test_folders_and_old_pickles_are_told_by_their_names(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="it holds no files"):
        sniff(tmp_path)
    (tmp_path / "glove.txt").write_text("a 1\n")
    with pytest.raises(FormatError, match=r"name a file in it, such as 'glove\.txt'"):
        sniff(tmp_path)
    (tmp_path / "meta.json").write_text("{}")
    (tmp_path / "vocab").mkdir()
    assert sniff(tmp_path) == "spacy"
    (tmp_path / "old.pkl").write_bytes(b"(lp0\n.")
    assert sniff(tmp_path / "old.pkl") == "gensim"

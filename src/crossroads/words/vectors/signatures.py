"""The formats and names of vectors that can be loaded, and how a format is recognised."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from crossroads.core.errors import FormatError, UnknownNameError, nearest
from crossroads.core.storage.streams import Stream, compression
from crossroads.words.vectors.formats import (
    arrays,
    fasttext,
    gensim_files,
    histwords,
    parquet,
    spacy_pipelines,
    text,
    word2vec,
)
from crossroads.words.vectors.formats.text import HEADER
from crossroads.words.vectors.reader import Reading, Request, shown


class Format(NamedTuple):
    """A format of vectors."""

    read: Callable[[Path, Request], Reading]
    """Its reader."""
    streamed: bool = False
    """Whether it is read from start to end, and may be compressed."""
    ranked: bool = False
    """Whether those who write it list words by frequency."""


FORMATS = {
    "glove-text": Format(text.read_glove, streamed=True, ranked=True),
    "word2vec-text": Format(text.read_word2vec, streamed=True, ranked=True),
    "word2vec-binary": Format(word2vec.read, streamed=True, ranked=True),
    "fasttext-binary": Format(fasttext.read, streamed=True, ranked=True),
    "gensim": Format(gensim_files.read, streamed=True),
    "histwords": Format(histwords.read),
    "npz": Format(arrays.read_npz),
    "npy": Format(arrays.read_npy),
    "safetensors": Format(arrays.read_safetensors),
    "parquet": Format(parquet.read),
    "spacy": Format(spacy_pipelines.read),
}
"""The formats that can be read."""

NAMES = {"default": "GloVe 6B, lower-case words × 50: the most frequent, and those of audits"}
"""Vectors that can be loaded by name."""


def check_format(name: str) -> str:
    """Return a format name if it is known; the error suggests the nearest."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return name


def kind_of_format(name: str) -> tuple[str, str]:
    """The kind of a model with vectors in a format, and why it is of this kind."""
    return ("series" if check_format(name) == "histwords" else "vectors"), f"its format is {name}"


def kind_of_folder(folder: Path) -> tuple[str, str] | None:
    """The same for a folder; None where it has no vectors in a format of folders."""
    if histwords.decades(folder):
        return "series", "it contains decades such as 1900-w.npy"
    return ("vectors", "it is a spaCy pipeline") if spacy_pipelines.is_pipeline_folder(folder) else None


def kind_of_file(file: Path) -> tuple[str, str]:
    """The same for a file."""
    return "vectors", f"it is a file of vectors ({sniff(file)})"


def kind_of_name(name: str) -> tuple[str, str] | None:
    """The same for a name that is not a path; None where it is not one of vectors."""
    if name in NAMES:
        return "vectors", "it is the name of embedded vectors"
    installed = spacy_pipelines.is_installed_pipeline(name)
    return ("vectors", "it is an installed spaCy pipeline") if installed else None


_HEAD = 1 << 16
_PICKLE_SUFFIXES = (".kv", ".model", ".pkl", ".pickle", ".wordvectors")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def sniff(path: str | os.PathLike[str], member: str | None = None) -> str:
    """Name the format of a file, compressed or not, of one member of a zip archive, or of a folder."""
    path = Path(path)
    check_exists(path)
    if path.is_dir():
        return _sniff_folder(path)
    if path.stat().st_size == 0:
        raise FormatError("the file is empty.", path=path, hint="fetch it again.")
    if member is None and compression(path) == "zip" and _is_npz(path):
        return "npz"
    with Stream(path, member=member) as stream:
        head, name = stream.read(_HEAD), stream.name
    if not head:
        raise FormatError("the file is empty once decompressed.", path=path, hint="fetch it again.")
    return _sniff_bytes(head, name, path)


def check_exists(path: Path) -> None:
    """Raise if there is no such file, naming the nearest one in the same folder."""
    if path.exists():
        return
    folder = path.parent
    if not folder.is_dir():
        raise FormatError("there is no such file or folder.", path=path, hint=f"check {str(folder)!r}.")
    near = nearest(path.name, [entry.name for entry in folder.iterdir()])
    hint = f"did you mean {', '.join(repr(n) for n in near)}?" if near else "check the path."
    raise FormatError("there is no such file.", path=path, hint=hint)


def _sniff_folder(path: Path) -> str:
    if histwords.decades(path):
        return "histwords"
    if spacy_pipelines.is_pipeline_folder(path):
        return "spacy"
    names = sorted(entry.name for entry in path.iterdir() if entry.is_file())
    hint = f"name a file in it, such as {names[0]!r}." if names else "it holds no files."
    raise FormatError("this folder is neither a HistWords folder nor a spaCy pipeline.", path=path, hint=hint)


def _is_npz(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        raise FormatError(
            f"the zip archive cannot be read: {error}.", path=path, hint="fetch the file again."
        ) from error
    return bool(names) and all(name.endswith(".npy") for name in names)


def _sniff_bytes(head: bytes, name: str, path: Path) -> str:
    if head.startswith(fasttext.MAGIC):
        return "fasttext-binary"
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head[8:9] == b"{" and head[6:8] == b"\0\0":
        return "safetensors"
    if (head[0] == 0x80 and head[1:2] in {b"\2", b"\3", b"\4", b"\5"}) or name.endswith(_PICKLE_SUFFIXES):
        return "gensim"
    if head.startswith(_UTF16):
        raise FormatError("the text is UTF-16.", path=path, hint="convert the file to UTF-8.")
    first, newline, rest = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    header = HEADER.fullmatch(first)
    if header is not None and newline:
        return _sniff_after_header(rest, int(header[2]))
    fields = first.split() if newline or len(head) < _HEAD else first.split()[:-1]
    if len(fields) > 1 and _is_number(fields[-1]):
        return "glove-text"
    raise _unknown(head, path)


def _unknown(head: bytes, path: Path) -> FormatError:
    """The error for a file without vectors, with what it seems to be."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:40].lower()
    if begins.startswith((b"<!doctype", b"<html")):
        return FormatError(
            "this is a web page.", path=path, hint="fetch the file itself, not the page about it."
        )
    if begins.startswith(b"version https://git-lfs"):
        return FormatError(
            "this is a Git LFS pointer, not the file itself.",
            path=path,
            hint="run git lfs pull.",
        )
    return FormatError(
        f"the format is not known; the file begins with {shown(head, 40)}.",
        path=path,
        hint="as text, a line is a word and its numbers, with spaces or tabs between them and points for "
        f"decimals; name any other format= if you know it: {', '.join(FORMATS)}.",
        option="format",
    )


def _sniff_after_header(rest: bytes, dim: int) -> str:
    """Text or binary, or text without a header whose first word happens to be a number."""
    line = rest.partition(b"\n")[0]
    fields = line.split()
    numbers = fields[-dim:] if dim else []
    if len(fields) >= dim and all(map(_is_number, numbers)):
        return "word2vec-text"
    if len(fields) == 2 and _is_number(fields[1]) and dim != 1:
        return "glove-text"
    if len(fields) > 1 and b"\0" not in rest and all(map(_is_number, fields[1:])):
        return "word2vec-text"
    return "word2vec-binary"


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True

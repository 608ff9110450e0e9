"""The formats and names of vectors that can be loaded, and how a format is recognised."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from crossroads.core.errors import FormatError, nearest, one_of
from crossroads.core.storage.streams import Stream, compression
from crossroads.words.vectors.formats import (
    arrays,
    fasttext,
    gensim_files,
    parquet,
    spacy_pipelines,
    word2vec,
)
from crossroads.words.vectors.reader import Reading, Request, damage_reported, is_number, shown


class Format(NamedTuple):
    """How a format of vectors is read."""

    read: Callable[[Path, Request], Reading]
    streamed: bool = False
    """Whether a file is read from start to end, and may be compressed."""
    ranked: bool = False
    """Whether those who write it list words by frequency."""


FORMATS = {
    "glove-text": Format(partial(word2vec.read_text, header=False), streamed=True, ranked=True),
    "word2vec-text": Format(partial(word2vec.read_text, header=True), streamed=True, ranked=True),
    "word2vec-binary": Format(word2vec.read_binary, streamed=True, ranked=True),
    "fasttext-binary": Format(fasttext.read, streamed=True, ranked=True),
    "gensim": Format(gensim_files.read, streamed=True),
    "histwords": Format(arrays.read_histwords),
    "npz": Format(arrays.read_npz),
    "npy": Format(arrays.read_npy),
    "safetensors": Format(arrays.read_safetensors),
    "parquet": Format(parquet.read),
    "spacy": Format(spacy_pipelines.read),
}
"""The formats that can be read."""

NAMES = {"default": "GloVe 6B, lower-case words × 50: the most frequent, and those of audits"}
"""Vectors that can be loaded by name."""


def kind_of_format(name: str) -> tuple[str, str]:
    """The kind of a model with vectors in a format, and why it is of this kind."""
    known = one_of("format", name, FORMATS)
    return "series" if known == "histwords" else "vectors", f"its format is {known}"


def kind_of_folder(folder: Path) -> tuple[str, str] | None:
    """The same for a folder; None where it has no vectors in a format of folders."""
    if arrays.decades(folder):
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
_FIRST_BYTES = {fasttext.MAGIC: "fasttext-binary", b"\x93NUMPY": "npy", b"PAR1": "parquet"}
"""First bytes of formats that have their own."""
_PICKLES = (b"\x80\2", b"\x80\3", b"\x80\4", b"\x80\5")
_NOT_VECTORS = {
    b"<!doctype": ("this is a web page.", "fetch the file itself, not the page about it."),
    b"<html": ("this is a web page.", "fetch the file itself, not the page about it."),
    b"version https://git-lfs": ("this is a Git LFS pointer, not the file itself.", "run git lfs pull."),
    b"\xff\xfe": ("the text is UTF-16.", "convert the file to UTF-8."),
    b"\xfe\xff": ("the text is UTF-16.", "convert the file to UTF-8."),
}
"""First bytes of what is often taken for vectors, what it is, and what to do."""
_BYTE_ORDER = b"\xef\xbb\xbf"


def sniff(path: str | os.PathLike[str], member: str | None = None) -> str:
    """Name the format of a file, compressed or not, of one member of a zip archive, or of a folder."""
    path = Path(path)
    with damage_reported(path):
        check_exists(path)
        if path.is_dir():
            if found := kind_of_folder(path):
                return "histwords" if found[0] == "series" else "spacy"
            names = sorted(entry.name for entry in path.iterdir() if entry.is_file())
            hint = f"name a file in it, such as {names[0]!r}." if names else "it holds no files."
            raise FormatError("this folder is neither a HistWords folder nor a spaCy pipeline.", hint=hint)
        if path.stat().st_size == 0:
            raise FormatError("the file is empty.", hint="fetch it again.")
        if member is None and compression(path) == "zip" and _is_npz(path):
            return "npz"
        with Stream(path, member=member) as stream:
            head, name = stream.read(_HEAD), stream.name
        if not head:
            raise FormatError("the file is empty once decompressed.", hint="fetch it again.")
        return _sniff_bytes(head, name)


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


def _is_npz(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        raise FormatError(
            f"the zip archive cannot be read: {error}.", hint="fetch the file again."
        ) from error
    return bool(names) and all(name.endswith(".npy") for name in names)


def _sniff_bytes(head: bytes, name: str) -> str:
    known = next((kind for first, kind in _FIRST_BYTES.items() if head.startswith(first)), None)
    if known is not None:
        return known
    if head[8:9] == b"{" and head[6:8] == b"\0\0":
        return "safetensors"
    if head.startswith(_PICKLES) or name.endswith(_PICKLE_SUFFIXES):
        return "gensim"
    first, newline, rest = head.removeprefix(_BYTE_ORDER).partition(b"\n")
    header = word2vec.HEADER.fullmatch(first)
    if header is not None and newline:
        return _sniff_after_header(rest, int(header[2]))
    fields = first.split() if newline or len(head) < _HEAD else first.split()[:-1]
    if len(fields) > 1 and is_number(fields[-1]):
        return "glove-text"
    begins = head.removeprefix(_BYTE_ORDER).lstrip()[:40].lower()
    for known_first, (what, hint) in _NOT_VECTORS.items():
        if begins.startswith(known_first):
            raise FormatError(what, hint=hint)
    raise FormatError(
        f"the format is not known; the file begins with {shown(head, 40)}.",
        hint="as text, a line is a word and its numbers, with spaces or tabs between them and points for "
        f"decimals; name any other format= if you know it: {', '.join(FORMATS)}.",
        option="format",
    )


def _sniff_after_header(rest: bytes, dim: int) -> str:
    """Text or binary, or text without a header whose first word happens to be a number."""
    line = rest.partition(b"\n")[0]
    fields = line.split()
    if len(fields) >= dim and all(map(is_number, fields[-dim:] if dim else [])):
        return "word2vec-text"
    if len(fields) == 2 and is_number(fields[1]) and dim != 1:
        return "glove-text"
    if len(fields) > 1 and b"\0" not in rest and all(map(is_number, fields[1:])):
        return "word2vec-text"
    return "word2vec-binary"

"""The files of a corpus and their formats."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from crossroads.core.errors import FormatError, InputError, one_of
from crossroads.core.storage.streams import MAGIC, compression

SUFFIXES = {
    ".txt": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Format by suffix, without that of a compression."""
Format = Literal["text", "jsonl", "csv", "tsv", "parquet"]
Unit = Literal["line", "paragraph"]
"""What a document of a text file is."""
Progress = Callable[[int], None]
"""Called with the number of further bytes of a file, as it is stored, that were read."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DUMP = re.compile(r"R[CS]_\d{4}-\d{2}")
"""Names of the monthly Reddit dumps, whose only suffix is that of the compression."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A corpus file and how to read it."""

    path: Path  # its path
    format: str  # one of Format
    unit: str = "line"  # what a document is, in text files
    field: str | None = None  # which field of a record holds the text, in the other formats
    size: int = 0  # bytes of the file


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of work: the documents that begin between two bytes, or row groups, of a file."""

    source: Source  # the file
    begin: int  # first byte or row group
    stop: int | None  # the byte or row group after the last; None for the end of the file
    bytes: int  # bytes of the file, as it is stored, that belong to the part

    @classmethod
    def whole(cls, source: Source) -> Part:
        """All of a file."""
        return cls(source=source, begin=0, stop=None, bytes=source.size)


def corpus_paths(corpus: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files that match names and patterns (``*``, ``?``, ``[…]``, ``**``), each once, sorted."""
    names = [corpus] if isinstance(corpus, str | os.PathLike) else list(corpus)
    if not names:
        raise InputError("no corpus file was given.", hint="name at least one.")
    found: dict[Path, Path] = {}
    for name in names:
        for path in _matching(os.fspath(name)):
            if path.is_dir():
                raise InputError(
                    f"{str(path)!r} is a folder.", hint=f"name its files, as in '{path}/*.jsonl.gz'."
                )
            found.setdefault(path.resolve(), path)
    return sorted(found.values())


def _matching(name: str) -> list[Path]:
    if os.path.lexists(name):
        if not Path(name).exists():
            raise InputError(f"{name!r} is a link to nothing.", hint="check the name.")
        return [Path(name)]
    if not glob.has_magic(name):
        raise InputError(f"there is no file {name!r}.", hint="check the name and the folder.")
    paths = [Path(path) for path in glob.glob(name, recursive=True)]  # noqa: PTH207 - name may be absolute
    if not paths:
        raise InputError(f"no file matches {name!r}.", hint="check the pattern and the folder.")
    return [path for path in paths if not path.is_dir()] or paths


def format_of(path: Path, chosen: str | None = None) -> str:
    """The format of a file: the one named, or that of its suffix."""
    compressed = path.suffix.lower().removeprefix(".") in MAGIC
    bare = path.with_suffix("") if compressed else path
    suffix = bare.suffix.lower()
    usual = "jsonl" if _DUMP.fullmatch(bare.name) else SUFFIXES.get(suffix)
    kind = usual if chosen is None else one_of("corpus format", chosen, Format)
    if kind is None:
        what = f"the suffix {suffix!r}, which does not imply a format" if suffix else "no suffix"
        raise InputError(
            f"{str(path)!r} has {what}.",
            hint=f"known: {', '.join(SUFFIXES)}, each also with .gz, .bz2, .xz, .zst or .zip; or pass "
            "format='jsonl' etc.",
            option="format",
        )
    if kind == "parquet" and compressed:
        raise InputError(
            f"{str(path)!r} is compressed, and Parquet is not read compressed.",
            hint="decompress it; Parquet files compress their columns themselves.",
        )
    return kind


def check_content(path: Path) -> None:
    """Refuse a file that is not compressed although its name says so, and one in UTF-16."""
    with path.open("rb") as file:
        head = file.read(2)
    promised = path.suffix.lower().removeprefix(".")
    if promised in MAGIC and compression(path) is None:
        what = "is empty" if not head else f"does not begin as .{promised} files do"
        raise FormatError(
            f"the file {what}.", path=path, hint="fetch it again, or give it the suffix of what it is."
        )
    if head in _UTF16:
        raise FormatError(
            "the file seems to be UTF-16.",
            path=path,
            hint="convert it to UTF-8, as with iconv, and try again.",
        )

"""Which files a corpus has, and of which format they are."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from crossroads.corpus.opening import MAGIC
from crossroads.errors import InputError, one_of

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
"""Format by suffix, after that of a compression is taken away."""
FORMATS = ("text", "jsonl", "csv", "tsv", "parquet")
UNITS = ("line", "paragraph")
"""What a document of a text file is."""
_DUMP = re.compile(r"R[CS]_\d{4}-\d{2}")
"""Names of the monthly Reddit dumps, which have no suffix but that of the compression."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A corpus file and how to read it."""

    path: Path
    """Where it is."""
    format: str
    """One of :data:`FORMATS`."""
    unit: str = "line"
    """What a document is, in text files."""
    field: str | None = None
    """Which field of a record holds the text, in the other formats."""
    size: int = 0
    """Bytes of the file."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of work: the documents that begin between two bytes, or row groups, of a file."""

    source: Source
    """The file."""
    begin: int
    """First byte or row group."""
    stop: int | None
    """The byte or row group after the last; ``None`` for the end of the file."""
    bytes: int
    """How much of the file, as it is stored, belongs to the part."""

    @classmethod
    def whole(cls, source: Source) -> Part:
        """All of a file."""
        return cls(source=source, begin=0, stop=None, bytes=source.size)


def corpus_paths(corpus: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files that names and patterns stand for, each once, sorted.

    Parameters
    ----------
    corpus
        A path or pattern (``*``, ``?``, ``[…]``, ``**``), or several. A file whose name holds such a sign is
        found by its name.
    """
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


def format_of(path: Path, given: str | None = None) -> str:
    """The format of a file: what was given, or what its suffix says."""
    squeezed = path.suffix.lower().removeprefix(".") in MAGIC
    kind = _told(path, squeezed) if given is None else one_of("corpus format", given, FORMATS)
    if kind == "parquet" and squeezed:
        raise InputError(
            f"{str(path)!r} is compressed, and Parquet is not read compressed.",
            hint="decompress it; Parquet files compress their columns themselves.",
        )
    return kind


def _told(path: Path, squeezed: bool) -> str:
    """The format that the suffix says."""
    bare = path.with_suffix("") if squeezed else path
    if _DUMP.fullmatch(bare.name):
        return "jsonl"
    suffix = bare.suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    known = ", ".join(SUFFIXES)
    raise InputError(
        f"{str(path)!r} has the suffix {suffix!r}, which says nothing about its format."
        if suffix
        else f"{str(path)!r} has no suffix that tells its format.",
        hint=f"known: {known}, each also with .gz, .bz2, .xz or .zst; or pass format='jsonl' or another.",
    )

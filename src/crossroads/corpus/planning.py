"""How a corpus is read: field and format of each file, and how the work is divided.

A part is the lines that begin between two bytes of a file, or a row group, or a whole file where that cannot
be divided. What is found does not depend on the division.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from crossroads.corpus.files import UNITS, Part, Source, corpus_paths, format_of
from crossroads.corpus.found import CorpusFile
from crossroads.corpus.opening import compression
from crossroads.corpus.reading import choose_field
from crossroads.corpus.records import parquet_file
from crossroads.errors import InputError, one_of

PART_BYTES = 64 << 20
"""How much of a file one worker takes at a time."""

Corpus = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def sources_of(corpus: Corpus, *, format: str | None, field: str | None, unit: str) -> list[Source]:  # noqa: A002
    """The files of a corpus, each with what has to be known to read it.

    Parameters
    ----------
    corpus
        Paths and patterns.
    format, field, unit
        What was asked for; see :func:`crossroads.corpus.find_contexts`.
    """
    one_of("unit of text", unit, UNITS)
    sources = []
    for path in corpus_paths(corpus):
        kind = format_of(path, format)
        try:
            compression(path)  # opens the file
        except OSError as error:
            raise InputError(
                f"{str(path)!r} cannot be read ({error.strerror or error}).",
                hint="is it a file, and may you read it? try head on it.",
            ) from error
        sources.append(_source(path, kind, field, unit))
    return sources


def _source(path: Path, kind: str, field: str | None, unit: str) -> Source:
    source = Source(path=path, format=kind, unit=unit, size=path.stat().st_size)
    if kind == "text" or (not source.size and compression(path) is None and kind != "parquet"):
        return source
    return Source(path=path, format=kind, field=choose_field(source, field), size=source.size)


def parts_of(source: Source, *, size: int | None = None) -> list[Part]:
    """Divide a file: plain files by lines, Parquet by row groups, others not at all.

    Parameters
    ----------
    source
        The file.
    size
        About how many bytes a part has; :data:`PART_BYTES` by default.
    """
    size = PART_BYTES if size is None else size
    if source.format == "parquet":
        with parquet_file(source.path) as file:
            return _divided(source, range(file.num_row_groups + 1))
    by_lines = source.format == "jsonl" or (source.format == "text" and source.unit == "line")
    if compression(source.path) is not None or not by_lines:
        return [Part.whole(source)] if source.size else []
    return _divided(source, [*range(0, source.size, size), source.size])


def _divided(source: Source, cuts: Sequence[int]) -> list[Part]:
    """The parts between some cuts, whose sizes add up to that of the file."""
    sizes = [source.size * cut // max(cuts[-1], 1) for cut in cuts]
    return [
        Part(source=source, begin=cuts[i], stop=cuts[i + 1], bytes=sizes[i + 1] - sizes[i])
        for i in range(len(cuts) - 1)
    ]


def records_of(sources: Iterable[Source]) -> tuple[CorpusFile, ...]:
    """What is written down about the files, in an order that does not depend on that of the arguments."""
    files = [CorpusFile(name=s.path.name, bytes=s.size, format=s.format, field=s.field) for s in sources]
    return tuple(sorted(files, key=lambda file: (file.name, file.bytes, file.format, file.field or "")))

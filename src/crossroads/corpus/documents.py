"""Documents of a corpus file, in batches, and the field of its records that holds them.

A document is a line or a paragraph of a text, or one field of a record (JSON lines, tables, Parquet).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from crossroads.corpus.files import Part, Progress, Source
from crossroads.corpus.lines import Batch, decoded, line_blocks, paragraphs, part_bytes, text_lines
from crossroads.corpus.records import (
    json_lines,
    json_object,
    parquet_file,
    parquet_texts,
    table_rows,
    table_texts,
    text_columns,
)
from crossroads.errors import InputError, UnknownNameError, join_words, nearest

FIELDS = ("body", "text", "content", "sentence", "comment", "selftext")
"""Fields that hold the text, in the order in which they are tried."""
_PROBED = 1000
"""Number of records at the beginning of a file that are searched for fields."""


def batches(part: Part, progress: Progress | None = None) -> Iterator[Batch]:
    """Read the documents of a part of a file, and count what could not be read.

    Parameters
    ----------
    part
        The part to read.
    progress
        Called with the number of further bytes read.
    """
    source = part.source
    if source.format == "parquet":
        yield from parquet_texts(part, progress)
        return
    with part_bytes(part, progress) as pieces:
        if source.format == "jsonl":
            yield from json_lines(source, pieces)
        elif source.format in ("csv", "tsv"):
            yield from table_texts(source, pieces)
        elif source.unit == "paragraph":
            yield from paragraphs(source.path, pieces)
        else:
            yield from text_lines(source.path, pieces)


def known_fields(source: Source) -> list[str]:
    """The fields of the first records of a file, in order of appearance; none if it has no records."""
    if source.format == "parquet":
        with parquet_file(source.path) as file:
            return text_columns(file, source.path)
    with part_bytes(Part.whole(source)) as pieces:
        if source.format != "jsonl":
            return next(table_rows(source, pieces, Counter()), [])
        lines = (line for block in line_blocks(pieces, source.path) for line in decoded(block)[0])
        records = filter(None, map(json_object, lines))
        fields = (name for record in itertools.islice(records, _PROBED) for name in record)
        return list(dict.fromkeys(fields))


def choose_field(source: Source, given: str | None) -> str | None:
    """The field that holds the text: the given one, or the first of :data:`FIELDS` that exists.

    Parameters
    ----------
    source
        A file of records; if it has none, the field does not matter.
    given
        A name, which must exist.
    """
    known = known_fields(source)
    if not known or given in known:
        return given
    there = f"there are {join_words(known, most=20)}" if len(known) > 1 else f"there is only {known[0]}"
    if given is not None:
        near = [repr(name) for name in nearest(given, known)]
        hint = f"did you mean {join_words(near, last='or')}? {there}." if near else f"{there}."
        raise UnknownNameError(f"field of {source.path.name}", given, known, hint=hint)
    found = next((name for name in FIELDS if name in known), None)
    if found is None:
        likely = next((name for field in FIELDS for name in nearest(field, known)), known[-1])
        raise InputError(
            f"{str(source.path)!r} has no field called {join_words(FIELDS, last='or')}.",
            hint=f"name the field that holds the text, as in field={likely!r}; {there}.",
            option="field",
        )
    return found

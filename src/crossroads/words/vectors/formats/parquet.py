"""Parquet: a column of words, and the vectors in one column of lists or in many columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, join_words, require
from crossroads.core.storage.arrays import check_expansion
from crossroads.words.vectors.formats.arrays import NAMES, VECTOR_NAMES, pick
from crossroads.words.vectors.reader import Reading, Request
from crossroads.words.vectors.rows import Block, gather

_WORD_NAMES = (*NAMES, "word", "label", "token", "term", "key", "index", "__index_level_0__")
_BATCH = 4096
_NUMBER, _ROW = 8, 256
_LONGEST_WORD = 1 << 14


def read(path: Path, request: Request) -> Reading:
    """Read words and vectors from a Parquet file, a batch of rows at a time."""
    pa = require("pyarrow", extra="parquet", purpose="reading Parquet files")
    pq = require("pyarrow.parquet", extra="parquet", purpose="reading Parquet files")
    try:
        with path.open("rb") as raw, pq.ParquetFile(raw) as file:  # pyarrow only takes paths in UTF-8
            check_expansion(path, _expanded(file.metadata), path.stat().st_size)
            word, columns = _choose_columns(pa.types, file.schema_arrow, path)
        with path.open("rb") as raw, pq.ParquetFile(raw, read_dictionary=[word]) as file:
            return gather(_blocks(file, word, columns, path, request), request=request, path=path)
    except (pa.ArrowException, OSError) as error:
        raise FormatError(
            f"the Parquet file cannot be read: {error!s:.200}.",
            path=path,
            hint="the file is damaged; fetch it again.",
        ) from error


def _expanded(about: Any) -> int:
    """About how many bytes the rows take: a few bytes of a file can repeat a value any number of times."""
    groups = map(about.row_group, range(about.num_row_groups))
    values = sum(group.column(at).num_values for group in groups for at in range(group.num_columns))
    return int(_NUMBER * values + _ROW * about.num_rows)


def _choose_columns(types: Any, schema: Any, path: Path) -> tuple[str, list[str]]:
    kinds = {field.name: field.type for field in schema}
    texts = [name for name, kind in kinds.items() if _is_text(types, kind)]
    word = texts[0] if len(texts) == 1 else pick(texts, _WORD_NAMES, "words", path)
    if word is None:
        raise FormatError(
            f"there are {len(texts)} columns of text ({join_words(texts, most=6)}).",
            path=path,
            hint=f"call the column of words {NAMES[0]!r} or 'word'.",
        )
    lists = [
        name
        for name, kind in kinds.items()
        if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    ]
    vector = lists[0] if len(lists) == 1 else pick(lists, VECTOR_NAMES, "vectors", path)
    if vector is not None:
        return word, [vector]
    floats = [name for name, kind in kinds.items() if types.is_floating(kind)]
    columns = floats or [name for name, kind in kinds.items() if types.is_integer(kind)]
    if not columns:
        raise FormatError(
            f"there are words ({word!r}) but no column of numbers.",
            path=path,
            hint="expected a column of lists, or one column of numbers per dimension.",
        )
    return word, columns


def _is_text(types: Any, kind: Any) -> bool:
    """Whether a column holds texts, each as it is or as the number of one in a dictionary (a category)."""
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _blocks(file: Any, word: str, columns: list[str], path: Path, request: Request) -> Iterator[Block]:
    """Yield the words of each batch of rows."""
    size, total, done = path.stat().st_size, max(1, file.metadata.num_rows), 0
    for batch in file.iter_batches(batch_size=_BATCH, columns=[word, *columns]):
        first = done + 1
        labels = _no_nulls(_words(batch.column(word), word, path, first), word, path, first)
        yield Block(labels, partial(_some_vectors, batch, columns, path, first))
        done += len(labels)
        if request.progress is not None:
            request.progress(size * done // total, size)


def _some_vectors(batch: Any, columns: list[str], path: Path, first: int, places: list[int]) -> NDArray[Any]:
    return _vectors(batch.take(_indices(places)), columns, path, first + places[0])


def _indices(rows: list[int]) -> Any:
    return require("pyarrow", extra="parquet", purpose="reading Parquet files").array(rows)


def _words(column: Any, name: str, path: Path, first: int) -> list[str | None]:
    """The words of some rows, each of which is in the file once, however often it is repeated."""
    compute = require("pyarrow.compute", extra="parquet", purpose="reading Parquet files")
    longest = compute.max(compute.binary_length(column.dictionary)).as_py() or 0
    if longest > _LONGEST_WORD:
        raise FormatError(f"a word takes {longest:,} bytes.", path=path, line=first, key=name)
    words: list[str | None] = column.dictionary_decode().to_pylist()
    return words


def _no_nulls(words: list[str | None], column: str, path: Path, first: int) -> list[str]:
    for row, word in enumerate(words, start=first):
        if word is None:
            raise FormatError("the word is missing (null).", path=path, line=row, key=column)
    return [word for word in words if word is not None]


def _vectors(batch: Any, columns: list[str], path: Path, first: int) -> NDArray[Any]:
    """The vectors of some rows; ``first`` is the number of the first of them."""
    if len(columns) == 1 and hasattr(batch.column(columns[0]), "flatten"):
        column = batch.column(columns[0])
        lengths = (
            {len(item) if item is not None else None for item in column.to_pylist()} if len(column) else set()
        )
        numbers = column.flatten()
        if len(lengths) != 1 or None in lengths or numbers.null_count:
            raise FormatError(
                f"the vectors have the lengths {sorted(map(str, lengths))}.",
                path=path,
                line=first,
                key=columns[0],
                hint="every vector must have the same length, without nulls.",
            )
        return np.asarray(numbers.to_numpy(zero_copy_only=False)).reshape(len(column), -1)
    for name in columns:
        if batch.column(name).null_count:
            raise FormatError("a number is missing (null).", path=path, line=first, key=name)
    return np.stack([batch.column(name).to_numpy(zero_copy_only=False) for name in columns], axis=1)

"""Parquet: a column of words, and the vectors in one column of lists or in many columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    pa, pq = _arrow(), _arrow(".parquet")
    try:
        with path.open("rb") as raw, pq.ParquetFile(raw) as file:  # pyarrow only takes paths in UTF-8
            # a few bytes of a file can repeat a value any number of times
            groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
            values = sum(group.column(at).num_values for group in groups for at in range(group.num_columns))
            expanded = _NUMBER * values + _ROW * file.metadata.num_rows
            check_expansion(path, expanded, path.stat().st_size)
            word, columns = _choose_columns(pa.types, file.schema_arrow)
        with path.open("rb") as raw, pq.ParquetFile(raw, read_dictionary=[word]) as file:
            return gather(_blocks(file, word, columns, path.stat().st_size, request), request)
    except (pa.ArrowException, OSError) as error:
        raise FormatError(
            f"the Parquet file cannot be read: {error!s:.200}.", hint="the file is damaged; fetch it again."
        ) from error


def _arrow(module: str = "") -> Any:
    return require(f"pyarrow{module}", extra="parquet", purpose="reading Parquet files")


def _choose_columns(types: Any, schema: Any) -> tuple[str, list[str]]:
    kinds = {field.name: field.type for field in schema}

    def of_type(*tests: Callable[[Any], bool]) -> list[str]:
        return [name for name, kind in kinds.items() if any(test(kind) for test in tests)]

    def is_text(kind: Any) -> bool:
        kind = kind.value_type if types.is_dictionary(kind) else kind  # a category
        return bool(types.is_string(kind) or types.is_large_string(kind))

    texts = of_type(is_text)
    word = texts[0] if len(texts) == 1 else pick(texts, _WORD_NAMES, "words")
    if word is None:
        raise FormatError(
            f"there are {len(texts)} columns of text ({join_words(texts, most=6)}).",
            hint=f"call the column of words {NAMES[0]!r} or 'word'.",
        )
    lists = of_type(types.is_list, types.is_large_list, types.is_fixed_size_list)
    vector = lists[0] if len(lists) == 1 else pick(lists, VECTOR_NAMES, "vectors")
    columns = [vector] if vector is not None else of_type(types.is_floating) or of_type(types.is_integer)
    if not columns:
        raise FormatError(
            f"there are words ({word!r}) but no column of numbers.",
            hint="expected a column of lists, or one column of numbers per dimension.",
        )
    return word, columns


def _blocks(file: Any, word: str, columns: list[str], size: int, request: Request) -> Iterator[Block]:
    total, done = max(1, file.metadata.num_rows), 0
    for batch in file.iter_batches(batch_size=_BATCH, columns=[word, *columns]):
        yield Block(_words(batch.column(word), word, done + 1), partial(_vectors, batch, columns, done + 1))
        done += len(batch)
        if request.progress is not None:
            request.progress(size * done // total, size)


def _words(column: Any, name: str, first: int) -> list[str]:
    """The words of some rows, each of which is in the file once, however often it is repeated."""
    compute = _arrow(".compute")
    longest = compute.max(compute.binary_length(column.dictionary)).as_py() or 0
    if longest > _LONGEST_WORD:
        raise FormatError(f"a word takes {longest:,} bytes.", line=first, key=name)
    words: list[Any] = column.dictionary_decode().to_pylist()
    if None in words:
        raise FormatError("the word is missing (null).", line=first + words.index(None), key=name)
    return words


def _vectors(batch: Any, columns: list[str], first: int, places: list[int]) -> NDArray[Any]:
    """The vectors of some rows of a batch; ``first`` is the number of its first row."""
    batch, first = batch.take(_arrow().array(places)), first + places[0]
    if len(columns) == 1 and hasattr(batch.column(columns[0]), "flatten"):
        column = batch.column(columns[0])
        lengths = {None if item is None else len(item) for item in column.to_pylist()}
        numbers = column.flatten()
        if len(lengths) != 1 or None in lengths or numbers.null_count:
            raise FormatError(
                f"the vectors have the lengths {sorted(map(str, lengths))}.",
                line=first,
                key=columns[0],
                hint="every vector must have the same length, without nulls.",
            )
        return np.asarray(numbers.to_numpy(zero_copy_only=False)).reshape(len(column), -1)
    for name in columns:
        if batch.column(name).null_count:
            raise FormatError("a number is missing (null).", line=first, key=name)
    return np.stack([batch.column(name).to_numpy(zero_copy_only=False) for name in columns], axis=1)

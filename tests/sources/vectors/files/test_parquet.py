from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.errors import FormatError, UnsafeFileError
from crossroads.sources.load import load

Vectors = dict[str, NDArray[np.float32]]

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra [parquet])")
pq: Any = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra [parquet])")


def write(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    path = folder / "x.parquet"
    pq.write_table(pa.table(columns), path, **options)
    return path


def as_lists(vectors: Vectors) -> Any:
    return pa.array([row.tolist() for row in vectors.values()], pa.list_(pa.float32()))


def as_fixed_lists(vectors: Vectors) -> Any:
    return pa.array([row.tolist() for row in vectors.values()], pa.list_(pa.float32(), 3))


@pytest.mark.parametrize("form", [as_lists, as_fixed_lists])
def test_a_column_of_lists_comes_back(tmp_path: Path, tiny: Vectors, form: Any) -> None:
    path = write(
        tmp_path, {"word": list(tiny), "count": [1] * len(tiny), "vector": form(tiny)}, row_group_size=2
    )
    emb = load(path)
    assert emb.provenance.format == "parquet"
    assert emb.labels == tuple(tiny)
    np.testing.assert_array_equal(emb.vectors, np.stack(list(tiny.values())))
    some = load(path, words=["1994", "wasp"])
    assert some.labels == ("wasp", "1994")
    np.testing.assert_array_equal(some["wasp"], tiny["wasp"])


def test_many_columns_of_numbers_come_back(tmp_path: Path, tiny: Vectors) -> None:
    matrix = np.stack(list(tiny.values()))
    columns = {f"d{i}": matrix[:, i] for i in range(3)}
    emb = load(write(tmp_path, {"rank": range(6), "word": list(tiny), **columns}))
    np.testing.assert_array_equal(emb.vectors, matrix)
    assert emb.dim == 3, "whole numbers beside floats are not part of the vector"


def test_values_that_are_repeated_without_end_are_refused_before_they_are_read(tmp_path: Path) -> None:
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(300_000, np.int32)), pa.array(["rose"]))
    rows = {"word": same.cast(pa.string()), "d0": np.zeros(300_000, np.float32)}
    vector = pa.ListArray.from_arrays([0, 10_000_000], pa.array(np.zeros(10_000_000, np.float32)))
    for columns in (rows, {"word": ["rose"], "vector": vector}):
        path = write(tmp_path, columns, compression="zstd")
        assert path.stat().st_size < 10_000
        with pytest.raises(UnsafeFileError, match="expand to"):
            load(path)


def test_a_long_word_is_refused_before_it_is_repeated(tmp_path: Path) -> None:
    long = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2000, np.int32)), pa.array(["r" * 20_000]))
    path = write(tmp_path, {"word": long.cast(pa.string()), "d0": np.zeros(2000)}, compression="zstd")
    with pytest.raises(FormatError, match="a word takes 20,000 bytes"):
        load(path)


def test_one_text_column_among_several_is_known_by_name(tmp_path: Path, tiny: Vectors) -> None:
    columns = {"tag": ["n"] * 6, "token": list(tiny), "embedding": as_lists(tiny), "other": as_lists(tiny)}
    assert load(write(tmp_path, columns)).labels == tuple(tiny)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": ["x"], "b": ["y"], "v": [1.0]}, "2 columns of text"),
        ({"v": [1.0]}, "0 columns of text"),
        ({"word": ["x"]}, "no column of numbers"),
        ({"word": ["x", None], "v": [1.0, 2.0]}, r"line 2, key 'word': the word is missing \(null\)"),
        ({"word": ["x", "y"], "v": [1.0, None]}, "a number is missing"),
        ({"word": ["x", "y"], "v": [[1.0], [1.0, 2.0]]}, "the vectors have the lengths"),
        ({"word": ["x"], "v": [[1.0, None]]}, "without nulls"),
        ({"word": ["x"], "v": [float("nan")]}, "the vector of 'x' holds nan"),
        ({"word": pa.array([], pa.string()), "v": pa.array([], pa.float32())}, "no rows"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(
    tmp_path: Path, columns: dict[str, Any], message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        load(write(tmp_path, columns))


def test_a_file_that_breaks_off_is_refused(tmp_path: Path, tiny: Vectors) -> None:
    path = write(tmp_path, {"word": list(tiny), "vector": as_lists(tiny)})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match="Parquet file cannot be read"):
        load(path)


def test_progress_reaches_the_end(tmp_path: Path, tiny: Vectors) -> None:
    path = write(tmp_path, {"word": list(tiny), "vector": as_lists(tiny)})
    calls: list[tuple[int, int | None]] = []
    load(path, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)


def test_words_that_are_numbers_of_a_dictionary_come_back(tmp_path: Path, tiny: Vectors) -> None:
    words = pa.array(list(tiny)).dictionary_encode()  # as pandas writes a category
    path = write(tmp_path, {"word": words, "vector": as_lists(tiny)}, row_group_size=2)
    assert pa.types.is_dictionary(pq.read_schema(path).field("word").type)
    emb = load(path)
    assert emb.labels == tuple(tiny)
    np.testing.assert_array_equal(emb.vectors, np.stack(list(tiny.values())))
    assert load(path, words=["wasp"]).labels == ("wasp",)

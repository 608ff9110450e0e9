from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crossroads.errors import FormatError
from crossroads.sources.load import load
from crossroads.sources.vectors.files import text

Vectors = dict[str, NDArray[np.float32]]


def glove(vectors: Vectors) -> bytes:
    lines = [f"{word} {' '.join(f'{x:.9g}' for x in vector)}\n" for word, vector in vectors.items()]
    return "".join(lines).encode()


def fasttext(vectors: Vectors) -> bytes:
    """As fastText writes: a header, and a space before every line break."""
    lines = glove(vectors).replace(b"\n", b" \n")
    return f"{len(vectors)} {len(next(iter(vectors.values())))}\n".encode() + lines


def write(folder: Path, data: bytes, name: str = "vectors.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def assert_same(emb: Any, vectors: Vectors) -> None:
    assert emb.labels == tuple(vectors)
    np.testing.assert_array_equal(emb.vectors, np.stack(list(vectors.values())))
    assert emb.vectors.dtype == np.float32


@pytest.mark.parametrize(("writer", "name"), [(glove, "glove-text"), (fasttext, "word2vec-text")])
def test_text_comes_back_as_it_was_written(tmp_path: Path, tiny: Vectors, writer: Any, name: str) -> None:
    emb = load(write(tmp_path, writer(tiny)))
    assert_same(emb, tiny)
    assert emb.provenance.format == name
    assert emb.provenance.details["vocabulary"] == len(tiny)


@pytest.mark.parametrize("change", [(b"\n", b"\r\n"), (b" ", b"\t"), (b" ", b"  ")])
def test_line_breaks_of_windows_tabs_and_double_spaces_are_read(
    tmp_path: Path, tiny: Vectors, change: tuple[bytes, bytes]
) -> None:
    assert_same(load(write(tmp_path, glove(tiny).replace(*change))), tiny)


def test_a_tab_after_the_word_and_spaces_after_it_are_read(tmp_path: Path, tiny: Vectors) -> None:
    lines = [line.replace(b" ", b"\t", 1) for line in glove(tiny).splitlines(keepends=True)]
    assert_same(load(write(tmp_path, b"".join(lines))), tiny)


def test_a_byte_order_mark_and_a_missing_last_line_break_are_read(tmp_path: Path, tiny: Vectors) -> None:
    assert_same(load(write(tmp_path, b"\xef\xbb\xbf" + glove(tiny).rstrip(b"\n"))), tiny)


def test_words_that_hold_spaces_are_told_from_their_numbers(tmp_path: Path) -> None:
    # As in the 840B vectors of GloVe.
    data = b"the 1 2 3\n. . . 4 5 6\nat name@domain.com 7 8 9\nat 0.5 0.5 0.5\n"
    path = write(tmp_path, data)
    assert load(path).labels == ("the", ". . .", "at name@domain.com", "at")
    np.testing.assert_array_equal(load(path, words=["at"])["at"], [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(load(path, words=[". . ."])[". . ."], [4, 5, 6])


def test_an_empty_word_is_a_word(tmp_path: Path) -> None:
    emb = load(write(tmp_path, b"the 1 2 3\n 4 5 6\nof 7 8 9\n"))
    assert emb.labels == ("the", "", "of")


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    emb = load(write(tmp_path, b"a 1 2\n\nb 3 4\n\n\n"))
    assert emb.labels == ("a", "b")
    assert emb.provenance.details["vocabulary"] == 2


def test_small_blocks_give_the_same_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    vectors = {f"w{i}": rng.normal(size=5).astype(np.float32) for i in range(300)}
    path = write(tmp_path, fasttext(vectors))
    whole = load(path, words=["w7", "w299"])
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr(text, "_BLOCK", size)
        np.testing.assert_array_equal(load(path, words=["w7", "w299"]).vectors, whole.vectors)


def test_more_than_255_dimensions_are_counted_rightly(tmp_path: Path) -> None:
    vectors = {word: np.arange(512, dtype=np.float32) for word in ("a", "b")}
    assert_same(load(write(tmp_path, glove(vectors)), duplicates="first"), vectors)


tokens = st.text(min_size=1, max_size=12).filter(
    lambda word: (
        word.isprintable()
        and not set(word) & {"\n", "\r", "\t", "\x0b", "\x0c"}
        and word == word.strip()
        and "  " not in word
        and not any(_is_number(part) for part in word.split(" ")[1:])
    )
)
numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


@given(st.data(), st.integers(1, 5))
def test_odd_words_survive_the_round_trip(data: st.DataObject, dim: int) -> None:
    words = data.draw(st.lists(tokens, min_size=1, max_size=8, unique=True))
    rows = [data.draw(st.lists(numbers, min_size=dim, max_size=dim)) for _ in words]
    vectors = {word: np.array(row, np.float32) for word, row in zip(words, rows, strict=True)}
    # One line may be taken for a longer vector where its word ends in numbers: excluded above.
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), glove(vectors))
        assert_same(load(path, format="glove-text"), vectors)
        wanted = data.draw(st.sampled_from(words))
        assume(wanted == wanted.encode("utf-8", "replace").decode())
        one = load(path, format="glove-text", words=[wanted], fallback="none")
        np.testing.assert_array_equal(one[wanted], vectors[wanted])


def test_a_line_with_too_few_numbers_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, b"a 1 2 3\nb 1 2\nc 1 2 3\n")
    with pytest.raises(FormatError, match=r"'b' has 2 number\(s\), the other lines have 3") as caught:
        load(path, words=["a"])
    assert (caught.value.path, caught.value.line) == (path, 2)


def test_a_line_with_too_many_numbers_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, b"a 1 2 3\nc 1 2 3\nb 1 2 3 4.5\n")
    with pytest.raises(FormatError, match=r"'b' has 4 number\(s\), the other lines have 3") as caught:
        load(path, words=["a"])
    assert caught.value.line == 3


def test_a_field_that_is_no_number_is_shown(tmp_path: Path) -> None:
    path = write(tmp_path, b"a 1 2 3\nb 1 two 3\nc 1 2 3\n")
    with pytest.raises(FormatError, match="number 2 of 3 is 'two'") as caught:
        load(path, words=["b"])
    assert caught.value.line == 2


def test_a_file_that_breaks_off_within_a_line_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, b"a 1 2 3\nb 1 2 3\nc 1 2")
    with pytest.raises(FormatError, match="breaks off: the last line holds 2 of 3") as caught:
        load(path, words=["a"])
    assert caught.value.line == 3


@pytest.mark.parametrize(("count", "hint"), [(7, "incomplete"), (5, "correct the count")])
def test_a_header_that_counts_wrongly_is_refused(
    tmp_path: Path, tiny: Vectors, count: int, hint: str
) -> None:
    path = write(tmp_path, f"{count} 3\n".encode() + glove(tiny))
    with pytest.raises(FormatError, match=f"promises {count} words, the file holds 6") as caught:
        load(path, words=["rose"])
    assert caught.value.hint is not None
    assert hint in caught.value.hint


def test_a_header_with_the_wrong_dimension_is_refused(tmp_path: Path, tiny: Vectors) -> None:
    path = write(tmp_path, b"6 4\n" + glove(tiny))
    with pytest.raises(FormatError, match=r"'rose' has 3 number\(s\), the other lines have 4"):
        load(path, format="word2vec-text")


@pytest.mark.parametrize("header", [b"six 3", b"0 3", b"6 0", b"rose 1 2 3"])
def test_a_header_that_is_none_is_shown(tmp_path: Path, tiny: Vectors, header: bytes) -> None:
    path = write(tmp_path, header + b"\n" + glove(tiny))
    with pytest.raises(FormatError, match="the header") as caught:
        load(path, format="word2vec-text")
    assert caught.value.line == 1


def test_a_header_without_vectors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not a single vector"):
        load(write(tmp_path, b"6 3\n"), format="word2vec-text")


def test_text_without_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected a word followed by numbers"):
        load(write(tmp_path, b"once upon a time\nthere was\n"), format="glove-text")


def test_the_line_without_numbers_is_the_one_that_is_shown(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="found 'b x'") as caught:
        load(write(tmp_path, b"a 1 2\nb x\nc y\n"))
    assert caught.value.line == 2
    # as many lines with numbers as without: the one at fault is the one without
    with pytest.raises(FormatError, match="number 2 of 2 is 'x'") as caught:
        load(write(tmp_path, b"a 1 2\nb 3 x\n"))
    assert caught.value.line == 2


def test_words_that_are_not_utf8_are_named_unless_told_otherwise(tmp_path: Path) -> None:
    path = write(tmp_path, b"a 1 2\ncaf\xe9 3 4\nb 5 6\n")
    with pytest.raises(FormatError, match=r"the word 'caf\\\\xe9' is not UTF-8") as caught:
        load(path)
    assert caught.value.line == 2
    assert load(path, encoding_errors="ignore").labels == ("a", "caf", "b")
    assert load(path, words=["b"]).labels == ("b",), "a word that is not asked for does no harm"


@pytest.mark.parametrize("value", [b"nan", b"inf", b"-inf", b"1e300"])
def test_numbers_that_are_not_finite_are_refused_where_they_matter(tmp_path: Path, value: bytes) -> None:
    path = write(tmp_path, b"a 1 2\nb 3 " + value + b"\n")
    with pytest.raises(FormatError, match="the vector of 'b' holds") as caught:
        load(path, words=["a", "b"])
    assert caught.value.line == 2
    assert load(path, words=["a"]).labels == ("a",)


def test_a_word_with_two_different_vectors_names_both_lines(tmp_path: Path) -> None:
    path = write(tmp_path, b"a 1 2\nb 3 4\na 5 6\n")
    with pytest.raises(FormatError, match="'a' has two different vectors, the first at line 1") as caught:
        load(path, words=["a"])
    assert caught.value.line == 3
    emb = load(path, duplicates="first")
    np.testing.assert_array_equal(emb["a"], [1, 2])
    assert emb.provenance.details["different_duplicates_dropped"] == 1
    assert load(path, words=["b"]).labels == ("b",)


def test_a_word_with_the_same_vector_twice_is_counted(tmp_path: Path) -> None:
    emb = load(write(tmp_path, b"a 1 2\nb 3 4\na 1 2\n"))
    assert emb.labels == ("a", "b")
    assert emb.provenance.details["identical_duplicates"] == 1


def test_a_file_without_line_breaks_is_not_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_LONGEST_LINE", 1000)
    with pytest.raises(FormatError, match="no line break"):
        load(write(tmp_path, b"a " + b"1 " * 600), format="glove-text")


@pytest.mark.reference
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # gensim leaves its file open
def test_gensim_reads_and_writes_the_same_text(tmp_path: Path, tiny: Vectors, gensim: Any) -> None:
    vectors = gensim.models.KeyedVectors(3)
    vectors.add_vectors(list(tiny), np.stack(list(tiny.values())))
    path = tmp_path / "gensim.txt"
    vectors.save_word2vec_format(str(path), binary=False)
    assert_same(load(path), tiny)
    again = gensim.models.KeyedVectors.load_word2vec_format(
        str(write(tmp_path, glove(tiny))), binary=False, no_header=True
    )
    np.testing.assert_array_equal(again.vectors, load(tmp_path / "vectors.txt").vectors)

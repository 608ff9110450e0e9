"""Which tokens belong to a word: by brute force over characters, and on tokenizers with difficult habits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.extraction.embed.pieces import Span, centred_window, find_pieces

Row = tuple[str, str, int, int]


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), max_size=12),
    st.integers(0, 20),
    st.integers(1, 8),
)
def test_pieces_are_the_tokens_that_share_a_character(
    steps: list[tuple[int, int]], start: int, width: int
) -> None:
    offsets, at = [(0, 0)], 0  # a special token first; then gaps and widths at random
    for gap, length in steps:
        offsets.append((at + gap, at + gap + length))
        at += gap + length
    wanted = set(range(start, start + width))
    inside = [n for n, (left, right) in enumerate(offsets) if wanted & set(range(left, right))]
    found = find_pieces(offsets, start, start + width)
    # a token of no width between two others belongs to the run, but begins and ends none
    assert found == (Span(inside[0], inside[-1] + 1) if inside else None)


@given(st.integers(1, 60), st.data())
def test_a_window_holds_the_word_and_is_as_long_as_it_may_be(length: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, length - 1))
    stop = data.draw(st.integers(first + 1, length))
    room = data.draw(st.integers(1, 70))
    window = centred_window(length, Span(first, stop), room)
    if stop - first > room:
        assert window is None or length <= room
        return
    assert window is not None
    assert window.stop - window.first == min(length, room)
    assert 0 <= window.first <= first < stop <= window.stop <= length
    left, right = first - window.first, window.stop - stop
    if window.first > 0 and window.stop < length:  # free on both sides: in the middle
        assert abs(left - right) <= 1


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "gpt2", "openai-gpt", "llama"])
def test_the_pieces_of_a_word_spell_it(
    kind: str, tiny_model: Callable[[str], Path], contexts_of_sentences: list[Row]
) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model(kind))
    for word, text, start, end in contexts_of_sentences:
        offsets = tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
        pieces = find_pieces(offsets, start, end)
        assert pieces is not None
        covered = text[offsets[pieces.first][0] : offsets[pieces.stop - 1][1]]
        assert word in covered  # tokens may be wider than the word, never narrower
        assert offsets[pieces.first][1] > start
        assert offsets[pieces.stop - 1][0] < end

"""Which tokens belong to a word, by brute force over characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crossroads.contexts.embed.plan import centred_window
from crossroads.core.models.opening import Span, find_pieces


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

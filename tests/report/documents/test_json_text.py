"""Long documents written in pieces: the text is the one that json.dumps makes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.report.documents.json_text import json_pieces

WORDS = st.text(st.sampled_from('ab é😀",:[]{}\n\\'), max_size=4)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS
TREES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4)
)


@settings(deadline=None)
@given(data=TREES, depth=st.integers(0, 9))
def test_the_pieces_make_the_text_of_json_dumps(data: Any, depth: int) -> None:
    assert "".join(json_pieces(data, indent=True)) == json.dumps(data, ensure_ascii=False, indent=1)
    whole = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    assert "".join(json_pieces(data, depth=depth)) == whole


def test_no_piece_holds_more_than_one_list() -> None:
    data = {"results": [{"tests": [{"words": ["word"] * 100} for _ in range(50)]}]}
    for indent in (False, True):
        assert max(map(len, json_pieces(data, indent=indent))) < 2_000


def test_what_json_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        list(json_pieces({"a": [float("nan")]}))

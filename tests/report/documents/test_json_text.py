"""Long documents: written as json.dumps writes them, and read as json.loads reads them, errors included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.report.documents.json_text import ascii_text, json_pieces, parsed

WORDS = st.text(st.sampled_from('ab é😀",:[]{}\n\\'), max_size=4)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS
TREES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4)
)


def refused(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def outcome(read: Any, text: str) -> str:
    try:
        return repr(read(text, parse_constant=refused))
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


@given(data=TREES, at=st.integers(0, 200), put=st.sampled_from(["", ",", "}", "]", '"', "{", "x", "NaN"]))
def test_whole_and_damaged_texts_are_read_as_json_reads_them(data: Any, at: int, put: str) -> None:
    text = json.dumps(data, indent=1)
    for one in (text, text[:at] + put + text[at + 1 :]):
        assert outcome(parsed, one) == outcome(json.loads, one)


@given(data=TREES, depth=st.integers(0, 9))
def test_the_pieces_make_the_text_of_json_dumps(data: Any, depth: int) -> None:
    assert "".join(json_pieces(data, indent=True)) == json.dumps(data, ensure_ascii=False, indent=1)
    whole = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    assert "".join(json_pieces(data, depth=depth)) == whole


def test_a_file_is_read_as_ascii_and_what_json_cannot_say_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    data = {"café": ["😀", "плохо", "plain\u2028"]}
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    assert json.loads(ascii_text(path)) == data
    with pytest.raises(ValueError, match="JSON"):
        list(json_pieces({"a": [float("nan")]}))

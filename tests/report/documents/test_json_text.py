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


def outcome(read: Any) -> str:
    try:
        return repr(read())
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


@given(data=TREES, indent=st.sampled_from([None, 1]), escaped=st.booleans())
def test_it_reads_what_json_reads(data: Any, indent: int | None, escaped: bool) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=escaped)
    assert repr(parsed(text, parse_constant=refused)) == repr(json.loads(text))


@given(data=TREES, at=st.integers(0, 200), put=st.sampled_from(["", ",", "}", "]", '"', "{", "x", "NaN"]))
def test_a_damaged_text_is_refused_in_the_same_words(data: Any, at: int, put: str) -> None:
    text = json.dumps(data, indent=1)
    damaged = text[:at] + put + text[at + 1 :]
    expected = outcome(lambda: json.loads(damaged, parse_constant=refused))
    assert outcome(lambda: parsed(damaged, parse_constant=refused)) == expected


@pytest.mark.parametrize("text", ["", " ", "[1", '{"a": [{}', '{"a" 1}', "[[1] 2]", "[[]]x", '{"a": [[]],}'])
def test_texts_that_end_too_soon_are_refused_in_the_same_words(text: str) -> None:
    assert outcome(lambda: parsed(text, parse_constant=refused)) == outcome(lambda: json.loads(text))


def test_words_that_are_alike_are_held_once() -> None:
    data = [{"sets": {"x": ["rose", "wasp"]}, "scores": {"rose": 1.5}, "why": {"wasp": "gone"}}] * 50
    read = parsed(json.dumps(data), parse_constant=refused)
    held = {id(word) for one in read for word in [*one["sets"]["x"], *one["scores"], *one["why"]]}
    assert len(held) == 2
    assert len({id(one["why"]["wasp"]) for one in read}) == 1


def test_a_letter_from_beyond_does_not_make_the_text_wider(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    data = {"café": ["😀", "плохо", "plain\u2028"]}
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    text = ascii_text(path)
    assert text.isascii()
    assert json.loads(text) == data


def test_a_byte_order_mark_is_still_told(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('{"a": "é"}', encoding="utf-8-sig")
    with pytest.raises(json.JSONDecodeError, match="BOM"):
        parsed(ascii_text(path), parse_constant=refused)


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

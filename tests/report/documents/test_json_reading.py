"""Long documents read back: what json.loads makes of them, errors included, with each word held once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.report.documents import json_text as module
from crossroads.report.documents.json_text import ascii_text, parsed

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


@settings(deadline=None)
@given(data=TREES, indent=st.sampled_from([None, 1]), escaped=st.booleans())
def test_it_reads_what_json_reads(data: Any, indent: int | None, escaped: bool) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=escaped)
    assert repr(parsed(text, parse_constant=refused)) == repr(json.loads(text))


@settings(deadline=None)
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


def test_only_so_many_words_are_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WORDS", 2)
    document = module._Document(json.dumps([["a"], ["b", "c"], ["a", "b"]]), json.JSONDecoder())
    assert document.value(0)[0] == [["a"], ["b", "c"], ["a", "b"]]
    assert list(document.words) == ["a"]


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

"""Long documents: written as json.dumps writes them, and read as json.loads reads them, errors included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crossroads.report.documents.json_text import ascii_text, json_pieces, parsed

WORDS = st.text(st.sampled_from('ab é😀",:[]{}\n\\'), max_size=4)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS
TREES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4)
)


def outcome(read: Any, text: str) -> str:
    try:
        return repr(read(text, parse_constant=str))
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


@given(data=TREES, at=st.integers(0, 200), put=st.sampled_from(["", ",", "}", "]", '"', "{", "x", "NaN"]))
def test_texts_are_written_and_read_as_json_does_also_damaged_ones(data: Any, at: int, put: str) -> None:
    text = "".join(json_pieces(data, indent=True))
    assert text == json.dumps(data, ensure_ascii=False, indent=1)
    assert "".join(json_pieces(data, depth=at % 9)) == json.dumps(
        data, ensure_ascii=False, separators=(",", ":")
    )
    for one in (text, text[:at] + put + text[at + 1 :]):
        assert outcome(parsed, one) == outcome(json.loads, one)


def test_a_file_is_read_as_ascii(tmp_path: Path) -> None:
    data = {"café": ["😀", "плохо", "plain\u2028"]}
    (tmp_path / "results.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    assert json.loads(ascii_text(tmp_path / "results.json")) == data

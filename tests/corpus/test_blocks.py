"""What blocks know of characters, against the tables of Unicode; test_paths.py compares what they find."""

from __future__ import annotations

import sys
import unicodedata

import numpy as np
import pytest

from crossroads.corpus import blocks
from crossroads.corpus.blocks import Block

pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")

SIGNS = [chr(code) for code in range(128, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]


def test_characters_beyond_ascii_are_read_from_their_bytes() -> None:
    some = [*SIGNS[::97], SIGNS[-1], "\u07ff", "\u0800", "\uffff", "\U00010000"]
    codes = np.frombuffer("".join(some).encode(), np.uint8)
    signs = blocks._beyond_ascii(codes)
    assert signs.sizes.tolist() == [len(sign.encode()) for sign in some]
    assert signs.flags.tolist() == [blocks._KNOWN | blocks._flag(sign) for sign in some]


@pytest.mark.slow
def test_whatever_composes_with_the_character_before_it_asks_for_a_closer_look() -> None:
    # the second of each pair that a character decomposes into, if the pair composes again; Hangul by rule
    seconds = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for sign in SIGNS:
        parts = unicodedata.decomposition(sign).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            pair = "".join(chr(int(part, 16)) for part in parts)
            if unicodedata.normalize("NFC", pair) == sign:
                seconds.add(pair[1])
    reordered = {sign for sign in SIGNS if unicodedata.combining(sign)}
    changed = {sign for sign in SIGNS if unicodedata.normalize("NFC", sign) != sign}
    assert len(seconds) > 60
    missed = [sign for sign in seconds | reordered | changed if not blocks._flag(sign) & blocks._CLOSER]
    assert missed == []


def test_characters_that_do_not_compose_need_no_closer_look() -> None:
    for sign in "’“”—…éß漢あ한א\U0001f339\ufe0f":
        assert not blocks._flag(sign) & blocks._CLOSER, sign


@pytest.mark.parametrize(
    ("text", "join", "marks"),
    [
        ("a short-term plan - Anna’s", True, " a short-term plan   Anna   s "),
        ("a short-term plan", False, " a short term plan "),
        ("née 🌹Anna --x a-", True, " née     Anna   x a  "),
    ],
)
def test_what_is_not_part_of_a_word_is_a_space(text: str, join: bool, marks: str) -> None:
    assert Block.of_texts([text]).marks(join=join).decode() == marks


def test_documents_that_hold_breaks_stay_apart() -> None:
    block = Block.of_texts(["a\0b", "", "c"])
    assert block.data == b"\0a b\0\0c\0"
    assert block.breaks.tolist() == [0, 4, 5, 7]

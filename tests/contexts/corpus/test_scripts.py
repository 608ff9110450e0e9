"""Words of scripts without spaces in running text, and of those that are written from right to left."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.contexts.corpus import SAMPLE, find_contexts, read_contexts, write_contexts
from crossroads.contexts.corpus.matches import Matcher, Window, running_window
from crossroads.contexts.corpus.search import Search
from crossroads.contexts.corpus.text import Text, binds, plain

pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")


def places(text: str, form: str) -> list[int]:
    """Where a form begins in a document."""
    assert plain(text) == text
    return sorted((Matcher([form]).find(Text([text])).starts - 1).tolist())


@pytest.mark.parametrize(
    ("text", "form", "starts"),
    [
        ("我喜欢医生的工作", "医生", [3]),  # I like the doctor's work
        ("医生说：看医生。", "医生", [0, 5]),
        ("彼女は東京都の医者です", "東京", [3]),  # also inside of a longer word
        ("東京都 の 医者", "東京", []),  # but not in a word that stands alone
        ("コーヒーが好き", "コーヒー", [0]),
        ("コーヒーが好き", "コーヒ", []),  # the sign of length belongs to the letter before it
        ("シャツを着る人", "シ", []),  # and so does a small letter
        ("ฉันรักหมอมาก", "หมอ", [6]),  # I love the doctor very much
        ("เขาเมาแล้วมา", "มา", [10]),  # not in เมา, drunk, whose vowel is written before its consonant
        ("คนบ้านี้", "บ้าน", []),  # บ้า and นี้: the vowel below belongs to the second
        ("ខ្ញុំស្រលាញ់គ្រូពេទ្យណាស់", "គ្រូពេទ្យ", [12]),
        ("ကျွန်တော်ဆရာဝန်ကိုချစ်တယ်", "ဆရာဝန်", [9]),
        ("我用iPhone手机拍照", "手机", [8]),
        ("我用iPhone手机拍照", "iPhone", []),  # a word of a script with spaces has to stand free, as before
        ("我买 iPhone手机了", "iPhone手机", [3]),
        ("སྨན་པ་ཞིག་ཡོད།", "སྨན་པ", [0]),  # a sign divides the syllables of Tibetan
        ("의사는 의사", "의사", [4]),  # Korean has spaces; particles belong to the word
        ("רופא טוב, הרופא ורופאה", "רופא", [0]),  # neither the article nor an ending is divided from the word
        ("רוֹפֵא רופא", "רופא", [7]),  # points are part of the word
        ("«رُؤْيَة» و طبيب، الطبيب والطبيب", "طبيب", [12]),
        ("בית־ספר של רופא־שיניים", "רופא", [11]),  # the hyphen of Hebrew, unlike others, divides
        ("המנכ״ל ד״ר כהן", "ד״ר", [7]),
    ],
)
def test_words_are_found_in_running_text_or_stand_free(text: str, form: str, starts: list[int]) -> None:
    assert places(text, form) == starts


LETTERS = "医生女都のーา ้abé,。 \n"


@settings(deadline=None)
@given(text=st.text(LETTERS, max_size=14), form=st.sampled_from(["医生", "生", "女"]))
def test_what_is_found_in_running_text_is_what_a_loop_finds(text: str, form: str) -> None:
    text = " ".join(text.split())
    expected = []
    for match in re.finditer(f"(?={form})", text):
        start, end = match.start(), match.start() + len(form)
        before, after = text[:start], text[end:]
        token = (before.rpartition(" ")[2] or "") + form + (after.partition(" ")[0] or "")
        letter = "[医生女都のーา้abé]"
        free = not re.search(f"{letter}$", before) and not re.match(letter, after)
        if free or (len(token) > 3 and not re.match("[ーา้]", after)):
            expected.append(start)
    if text:
        assert places(text, form) == expected


@pytest.mark.parametrize(
    ("text", "target", "window", "expected"),
    [
        # four letters of Thai are a word; its marks do not count
        ("ฉันรักหมอที่ใจดีมาก", "หมอ", Window(1, 1), "ฉันรักหมอที่ใจดี"),
        # a word of another script is one word, in running text and beside it
        ("我用新iPhone看医生的网站吧", "医生", Window(2, 1), "新iPhone看医生的网"),
        ("My friend 是医生的朋友吗 and more words", "医生", Window(2, 4), "friend 是医生的朋友吗 and more"),
        # what white space divides is a word, as everywhere
        ("他 说 医生 来 了 吗", "医生", Window(1, 1), "说 医生 来"),
        ("医生的工作", "医生", Window(0, 0), "医生"),
        ("我喜欢医生的工作", "医生", Window(None, None), "我喜欢医生的工作"),
    ],
)
def test_windows_count_letters_in_running_text(text: str, target: str, window: Window, expected: str) -> None:
    start = text.index(target)
    begin, stop = running_window(text, 0, len(text), (start, start + len(target)), window)
    assert text[begin:stop] == expected


def test_a_window_does_not_begin_or_end_inside_a_letter() -> None:
    text = "เขาเป็นหมอเก่งมากที่สุด"
    start = text.index("หมอ")
    for size in range(6):
        begin, stop = running_window(text, 0, len(text), (start, start + 3), Window(size, size))
        assert not binds("", text[begin])
        assert not binds(text[stop - 1], "")
        assert text[begin:stop].count("หมอ") == 1


def test_offsets_are_those_of_the_word_and_the_folder_says_how_it_was_found(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("我喜欢医生的工作\n\n她也是医生。\nAnna saw 医生 there\n", encoding="utf-8")
    found = find_contexts(path, ["医生", "Anna"], minimum=1)
    assert [context.text[context.start : context.end] for context in found.contexts["医生"]] == ["医生"] * 3
    stored = read_contexts(write_contexts(found, tmp_path / "contexts"))
    assert stored.manifest["settings"]["in_running_text"] == ["医生"]
    assert stored.sample == SAMPLE
    # a worker of an older version draws by the same procedure, but finds fewer of these words
    assert Search(forms=("医生",), window=Window(4, 4), hyphens="join", limit=5, seed=0).procedure != SAMPLE
    plain = find_contexts(path, ["Anna"], minimum=1)
    assert "in_running_text" not in plain.settings
    assert plain.contexts["Anna"] == found.contexts["Anna"]

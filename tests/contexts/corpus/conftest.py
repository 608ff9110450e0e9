"""A slow search by regular expressions, and small corpora."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Hit = tuple[str, str, int, int]
"""Form, text of the window, start and end."""
Reference = Callable[..., list[Hit]]

JOINED = r"-\u2010\u2011"


def word_class() -> str:
    """A character class of all that belongs to words, written out: the module ``re`` has none with marks."""
    codes = [code for code in range(0x110000) if unicodedata.category(chr(code))[0] in "LNM"]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "_" + "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in ranges)


@pytest.fixture(scope="session")
def reference() -> Reference:
    """Every occurrence of every form, one form and one document at a time."""
    letter = f"[{word_class()}]"

    def pattern(form: str, hyphens: str) -> re.Pattern[str]:
        def written(text: str) -> str:
            return re.escape(text).replace("'", "['‘’]").replace(r"\-", f"[{JOINED}]")

        plain = " ".join(unicodedata.normalize("NFC", form).split())
        places = [match.start() for match in re.finditer(letter, plain)]
        first, last = places[0], places[-1] + 1  # the letters have to stand free
        before, after = f"(?<!{letter})", f"(?!{letter})"
        if hyphens == "join":
            before += f"(?<!{letter}[{JOINED}])"
            after += f"(?![{JOINED}]{letter})"
        middle = before + written(plain[first:last]) + after
        # a sign at the beginning or the end must not go on either
        head = f"(?<!{letter}){written(plain[:first])}" if first else ""
        tail = f"{written(plain[last:])}(?!{letter}|{written(plain[-1])})" if last < len(plain) else ""
        return re.compile(f"(?={head}{middle}{tail})")

    def search(
        documents: Sequence[str], forms: Sequence[str], left: int = 4, right: int = 4, hyphens: str = "join"
    ) -> list[Hit]:
        hits: list[Hit] = []
        for document in documents:
            text = " ".join(unicodedata.normalize("NFC", document.replace("\0", " ")).split())
            for form in forms:
                length = len(" ".join(unicodedata.normalize("NFC", form).split()))
                for match in pattern(form, hyphens).finditer(text):
                    start, end = match.start(), match.start() + length
                    head, tail = text[:start].split(" "), text[end:].split(" ")
                    begin = " ".join(head[-1 - left :])
                    window = begin + text[start:end] + " ".join(tail[: right + 1])
                    hits.append((form, window, len(begin), len(begin) + length))
        return hits

    return search


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two hundred lines in which Anna and Otto stand many times, never twice alike."""
    path = tmp_path / "corpus.txt"
    lines = [f"on day {i} we met Anna and her dog {i % 7} in town {i}" for i in range(150)]
    lines += [f"number {i}: Otto’s cat is old" for i in range(50)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path

"""The same sample byte for byte, with and without the packages that make a search fast."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossroads.contexts.corpus import find_contexts, matches, write_contexts
from crossroads.contexts.corpus import formats as records
from crossroads.contexts.corpus import search as searching
from crossroads.contexts.corpus.documents import Source
from crossroads.contexts.corpus.matches import Window
from crossroads.contexts.corpus.store import Reservoirs

pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")
FAST = ("hyperscan", "msgspec")
Without = Callable[..., None]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[Without]:
    """Makes packages as if they were not installed."""

    def forget() -> None:
        searching.matcher_of.cache_clear()
        records._quick_parser.cache_clear()

    def hide(*names: str) -> None:
        for name in FAST:
            monkeypatch.setitem(sys.modules, name, None if name in names else modules[name])
        forget()

    modules = {
        name: pytest.importorskip(name, reason=f"{name} is not installed (extra [corpora])") for name in FAST
    }
    yield hide
    monkeypatch.undo()
    forget()


# Lines of a dump, and what may be wrong or unusual with them.
RECORDS = [
    b'{"body": "we met Anna here"}',
    b'  {"body": "Anna again"}\t\r',
    b'{"author": "Anna", "body": "nobody"}',
    b'{"body": "\\u0041nna by escapes, \\"Anna\\" \\/Anna\\/ Anna\\nAnna\\tAnna"}',
    b'{"body": "Anna\\u2019s dog, Jos\\u00e9 and Jose\\u0301"}',
    '{"body": "Anna’s “dog” — née José 🌹 Anna"}'.encode(),
    b'{"body": "half a pair \\ud83d Anna"}',
    b'{"other": "\\ud83d", "body": "Anna after half a pair"}',
    b'{"body": "first Anna", "body": "last Anna"}',
    b'{"body": "first Anna", "bod\\u0079": "last Anna"}',
    b'{"body": 7, "body": "Anna after a number"}',
    b'{"body": {"body": "Anna inside"}}',
    b'{"nested": [{"body": "Anna inside"}], "body": "Anna outside"}',
    b'["body", "Anna"]',
    b'{"body": "Anna"} {"body": "Anna"}',
    b'{"body": "Anna"',
    b'{"score": NaN, "body": "Anna and NaN"}',
    b'{"score": 1e999, "body": "Anna and infinity"}',
    b'{"other": "\\x41", "body": "Anna and a wrong escape"}',
    b'{"other": "a\x01b", "body": "Anna and a control character"}',
    b'{"body": "Anna\\u0000Anna \\u0000"}',
    b'{"body": " \\u3000\\n "}',
    b'{"body": "caf\xe9 Anna"}',
    b'{"body": "\xed\xa0\xbd Anna"}',
    b'\xef\xbb\xbf{"body": "Anna after a mark"}',
    '\u00a0{"body": "Anna after a wide space"}'.encode(),
    b"",
    b"plain Anna",
    b'{"body": "New\\n\\n York, New York, short-term New"}',
    '{"body": "東京都の人と東京 東京都 Anna"}'.encode(),
]  # fmt: skip
LONG = [
    b'{"deep": ' + b"[" * 690 + b"]" * 690 + b', "body": "Anna in the deep"}',
    b'{"deep": ' + b"[" * 5000 + b"]" * 5000 + b', "body": "Anna in the deep"}',
    b'{"many": ' + b'"[' * 3000 + b'"", "body": "Anna and brackets"}',
    b'{"number": ' + b"1" * 4300 + b', "body": "Anna and a long number"}',
    b'{"number": ' + b"1" * 4301 + b', "body": "Anna and a longer number"}',
    b'{"body": "' + b"Anna and Otto " * 2000 + b'"}',
    b'{"body": "' + b" " * 5000 + b"Anna" + b"\\n" * 5000 + b'x"}',
]
WORDS = ["Anna", "José", "New York", "short-term", "term", "東京", "O'Brien", "C++"]


def texts(data: bytes) -> tuple[list[str], Counter[str]]:
    source = Source(path=Path("dump.jsonl"), format="jsonl", field="body")
    found: list[str] = []
    counts: Counter[str] = Counter()
    for some, more in records.json_lines(source, [data]):
        found += list(some)
        counts.update(more)
    return found, +counts


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.sampled_from(RECORDS), max_size=8), end=st.sampled_from([b"", b"\n", b"\r\n"]))
def test_lines_are_read_as_the_parser_of_python_reads_them(
    without: Without, lines: list[bytes], end: bytes
) -> None:
    data = b"\n".join(lines) + end
    without()
    quick = texts(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_quick_parser", lambda field: None)
        assert texts(data) == quick


@pytest.mark.parametrize("line", [*RECORDS, *LONG], ids=lambda line: repr(line[:40]))
def test_every_line_alone_is_read_the_same(without: Without, line: bytes) -> None:
    without()
    quick = texts(line)
    without("msgspec")
    assert texts(line) == quick


@pytest.mark.slow
def test_the_folder_is_the_same_on_every_path(tmp_path: Path, without: Without) -> None:
    dump = tmp_path / "dump.jsonl"
    dump.write_bytes(b"\xef\xbb\xbf" + b"\n".join([*RECORDS, *LONG, *RECORDS[::-1]]) + b"\r\n")
    clean = tmp_path / "clean.jsonl"  # read at once, and searched with its escapes
    clean.write_bytes(b"\n".join([RECORDS[0], *RECORDS[3:6]] * 3))
    text = tmp_path / "text.txt"
    text.write_bytes(b"\r\n".join(json.loads(line)["body"].encode() for line in RECORDS[:6]) * 3)
    folders = []
    for hidden in ((), ("hyperscan",), ("msgspec",), FAST):
        without(*hidden)
        found = find_contexts([dump, clean, text], WORDS, minimum=1, limit=20, workers=1)
        assert found.counts.broken > 5
        assert found.counts.without_text > 1
        folder = write_contexts(found, tmp_path / f"without {len(hidden)}{hidden[:1]}")
        folders.append({path.name: path.read_bytes() for path in folder.iterdir()})
        searching.matcher_of.cache_clear()
    assert all(folder == folders[0] for folder in folders)


BYTES = st.binary(max_size=40).map(lambda data: bytearray(byte % 4 + 97 for byte in data))


@given(patterns=st.lists(BYTES.map(bytes).filter(bool), min_size=1, max_size=6), data=BYTES)
def test_both_scanners_report_the_same(patterns: list[bytes], data: bytearray) -> None:
    quick = matches._by_hyperscan(patterns)
    if quick is None:
        pytest.skip("hyperscan is not installed (extra [corpora]) or does not run here")
    scanners = (quick, matches._by_automaton(patterns))
    found = [sorted(zip(*map(list, scan(data)), strict=True)) for scan in scanners]
    expected = [
        (number, end)
        for number, pattern in enumerate(patterns)
        for end in range(len(data) + 1)
        if data[:end].endswith(pattern)
    ]
    assert found == [sorted(expected)] * 2


# Texts made of stimuli, of signs that may or may not divide words, and of all kinds of white space.
PIECES = [
    *WORDS, "New", "York", "Jose\u0301", "O’Brien", "short\u2011", "t", "é", "\u0301", "_", "7", "+", "-",
    "‐", "'", "’", ".", "—", " ", "  ", "\n", "\t\t", "\u3000", "\x85", "\u2028", "\0", "\x1f", "都", "の",
    "😀", " a", " b ", "abcdefghijklmnopqrstuvwxyz" * 3,
]  # fmt: skip
TEXTS = st.lists(st.lists(st.sampled_from(PIECES), max_size=16).map("".join), max_size=5)


def collected(documents: list[str], window: Window, hyphens: str) -> tuple[Any, list[int]]:
    reservoirs = Reservoirs(WORDS, limit=1000, seed=0)
    searching.collect(documents, matches.Matcher(WORDS, hyphens=hyphens), window, reservoirs)
    return reservoirs.contents(), reservoirs.occurrences.tolist()


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    documents=TEXTS,
    left=st.integers(0, 5),
    right=st.integers(0, 5),
    hyphens=st.sampled_from(["join", "split"]),
    few=st.sampled_from([0, 10**9]),
)
def test_what_is_found_as_written_is_what_is_found_with_single_spaces(
    documents: list[str], left: int, right: int, hyphens: str, few: int
) -> None:
    window = Window(left, right)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "_FEW", few)
        quick = collected(documents, window, hyphens)
        patch.setattr(searching, "_collect_as_written", lambda documents, *_: documents)
        assert collected(documents, window, hyphens) == quick

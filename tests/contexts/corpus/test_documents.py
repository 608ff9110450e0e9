"""Every format with every compression, and everything that can be wrong with a file."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts.corpus import documents as reading
from crossroads.contexts.corpus import find_contexts
from crossroads.contexts.corpus.documents import corpus_paths, format_of
from crossroads.contexts.corpus.formats import batches
from crossroads.contexts.corpus.search import parts_of, sources_of
from crossroads.core.errors import FormatError, InputError, UnknownNameError

pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")

TEXTS = ["We met Anna.", "Anna’s “dog”, née Rex", 'a "quoted" line', "two\nlines, Anna", "last"]


def zstandard(data: bytes) -> bytes:
    module: Any = pytest.importorskip("zstandard", reason="zstandard is not installed (extra [zstd])")
    return bytes(module.ZstdCompressor(write_content_size=False).compress(data))


SQUEEZERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard,
}  # fmt: skip


def as_csv(texts: list[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([("id", "text"), *enumerate(texts)])
    return out.getvalue().encode()


WRITERS: dict[str, Callable[[list[str]], bytes]] = {
    ".txt": lambda texts: "\n".join(text.replace("\n", " ") for text in texts).encode(),
    ".jsonl": lambda texts: "".join(json.dumps({"id": 1, "body": text}) + "\n" for text in texts).encode(),
    ".csv": as_csv,
    ".tsv": lambda texts: "\r\n".join(["id\ttext", *(f"1\t{' '.join(t.split())}" for t in texts)]).encode(),
}


def documents(path: Path, **options: Any) -> tuple[list[str], Counter[str]]:
    settings: dict[str, Any] = {"format": None, "field": None, "unit": "line", **options}
    (source,) = sources_of(path, **settings)
    found: list[str] = []
    counts: Counter[str] = Counter()
    for part in parts_of(source):
        for some, more in batches(part):
            found += [" ".join(text.split()) for text in some if text.strip()]
            counts.update(more)
    return found, +counts


def parquet(path: Path, columns: dict[str, list[Any]], rows: int = 2) -> Path:
    pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra [parquet])")
    pq: Any = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra [parquet])")
    pq.write_table(pa.table(columns), path, row_group_size=rows)
    return path


@pytest.mark.parametrize("suffix", list(SQUEEZERS))
@pytest.mark.parametrize("kind", list(WRITERS))
def test_every_format_is_read_with_every_compression(tmp_path: Path, kind: str, suffix: str) -> None:
    path = tmp_path / f"corpus{kind}{suffix}"
    path.write_bytes(SQUEEZERS[suffix](WRITERS[kind](TEXTS)))
    assert documents(path) == ([" ".join(text.split()) for text in TEXTS], Counter())


def test_parquet_is_read_by_row_groups(tmp_path: Path) -> None:
    path = parquet(tmp_path / "corpus.parquet", {"n": [1, 2, 3, 4, 5], "text": [*TEXTS[:4], None]})
    parts = parts_of(*sources_of(path, format=None, field=None, unit="line"))
    assert [(part.begin, part.stop) for part in parts] == [(0, 1), (1, 2), (2, 3)]
    assert sum(part.bytes for part in parts) == path.stat().st_size
    assert documents(path) == ([" ".join(text.split()) for text in TEXTS[:4]], Counter(without_text=1))


@pytest.mark.parametrize("size", [1, 7, 64, 1000, 10**6])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\r\n"])
def test_parts_of_a_file_have_every_line_once(tmp_path: Path, size: int, end: bytes) -> None:
    path = tmp_path / "corpus.txt"
    texts = [f"{i}" + "é" * (i % 13) for i in range(60)]
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(texts).encode() + end)
    parts = parts_of(*sources_of(path, format=None, field=None, unit="line"), size=size)
    taken: list[int] = []
    read = [text for part in parts for some, _ in batches(part, taken.append) for text in some]
    assert [text.strip() for text in read if text.strip()] == texts
    assert sum(part.bytes for part in parts) == sum(taken) == path.stat().st_size


def test_paragraphs_end_at_empty_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "book.txt"
    path.write_text("one\ntwo\n\n \nthree\r\nfour\n\n\nfive", encoding="utf-8")
    for batch in (4 << 20, 4):
        monkeypatch.setattr(reading, "BATCH", batch)
        assert documents(path, unit="paragraph")[0] == ["one two", "three four", "five"]
    monkeypatch.setattr(reading, "LONGEST", 3)
    with pytest.raises(FormatError, match="a paragraph is longer"):
        documents(path, unit="paragraph")


def test_broken_lines_are_counted_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "dump.jsonl"
    deep = "[" * 100_000
    bad = ['{"body": "cut', "plain", "[1]", "7", '{"body": "a"} {"body": "b"}', deep, "null"]
    good = ['{"body": "one"}', '  {"body": "two"}  ', "", "   ", '{"body": "three"}\r']
    none = ['{"other": 1}', '{"body": null}', '{"body": 7}']
    path.write_text("\n".join([*good, *bad, *none]), encoding="utf-8")
    expected = Counter(broken=len(bad), without_text=len(none))
    assert documents(path) == (["one", "two", "three"], expected)


def test_bytes_that_are_not_utf8_are_counted_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes(b"caf\xe9 one\nfine \xc3\xa9\nna\xefve\n")
    assert documents(path) == (["caf\ufffd one", "fine é", "na\ufffdve"], Counter(invalid=2))
    path = tmp_path / "halves.jsonl"
    path.write_text('{"body": "half \\ud83d sign"}\n{"body": "whole \\ud83d\\ude00"}', encoding="utf-8")
    assert documents(path) == (["half \ufffd sign", "whole 😀"], Counter(invalid=1))


@pytest.mark.parametrize("suffix", [".gz", ".zip"])
def test_a_file_that_is_not_what_its_suffix_promises_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"part.txt{suffix}"
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="the file is empty"):
        find_contexts(path, ["Anna"])
    path.write_bytes(b"plain text with Anna")
    with pytest.raises(FormatError, match=f"does not begin as {suffix} files do"):
        find_contexts(path, ["Anna"])


@pytest.mark.slow
def test_a_damaged_parquet_file_is_named(tmp_path: Path) -> None:
    path = parquet(tmp_path / "corpus.parquet", {"text": [f"Anna {i}" for i in range(1000)]}, rows=100)
    whole = path.read_bytes()
    half = len(whole) // 2
    for damaged in (whole[:half], whole[:4] + bytes(half) + whole[4 + half :]):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match=r"corpus\.parquet: the file cannot be read as Parquet"):
            find_contexts(path, ["Anna"])
    with pytest.raises(FormatError, match=r"no column holds text; there are n \(int64\)"):
        find_contexts(parquet(path, {"n": [1, 2]}), ["Anna"])


def test_unknown_fields_name_the_nearest_and_list_all(tmp_path: Path) -> None:
    path = tmp_path / "dump.jsonl"
    path.write_text('{"author": "x", "boody": "Anna"}\n{"extra": 1}\n', encoding="utf-8")
    with pytest.raises(UnknownNameError, match=r"unknown field of dump\.jsonl 'body'(.|\n)*mean 'boody'"):
        find_contexts(path, ["Anna"], field="body")
    with pytest.raises(InputError, match=r"has no field called body, text(.|\n)*author, boody and extra"):
        find_contexts(path, ["Anna"])
    assert find_contexts(path, ["Anna"], field="boody").counts.documents == 1


def test_the_format_is_told_by_the_suffix() -> None:
    for name, kind in {
        "a.TXT": "text", "b.ndjson.zst": "jsonl", "RC_2019-04.zst": "jsonl", "c.tsv.gz": "tsv",
        "d.pq": "parquet",
    }.items():  # fmt: skip
        assert format_of(Path(name)) == kind
    assert format_of(Path("a.dat"), "csv") == "csv"
    wrong: list[tuple[str, str | None, str]] = [
        ("x.dat.gz", None, r"'x\.dat\.gz' has the suffix '\.dat'"),
        ("x.dat", "josnl", "unknown corpus format 'josnl'"),
        ("a.parquet.gz", None, "Parquet is not read compressed"),
    ]
    for name, given, what in wrong:
        with pytest.raises(InputError, match=what):
            format_of(Path(name), given)


def test_patterns_and_names_stand_for_files_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("a.txt", "b.txt", "sub/c.txt", "odd[1].txt"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    found = corpus_paths(["b.txt", "?.txt", tmp_path / "a.txt"])
    assert sorted(path.name for path in found) == ["a.txt", "b.txt"]
    assert [path.name for path in corpus_paths("**/c.txt")] == ["c.txt"]
    assert corpus_paths("odd[1].txt") == [Path("odd[1].txt")]
    for wrong, what in (
        ("no.txt", "there is no file 'no.txt'"),
        ("*.zip", r"no file matches '\*\.zip'"),
        ("sub", "'sub' is a folder"),
        ([], "no corpus file was given"),
    ):
        with pytest.raises(InputError, match=what):
            corpus_paths(wrong)


def test_what_is_not_a_corpus_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes("Anna".encode("utf-16"))
    with pytest.raises(FormatError, match="seems to be UTF-16"):
        find_contexts(path, ["Anna"])
    for nothing in (b"", b"\n \n"):
        path.write_bytes(nothing)
        with pytest.raises(InputError, match="the corpus holds no document"):
            find_contexts(path, ["Anna"])
    monkeypatch.setattr(reading, "LONGEST", 100)
    monkeypatch.setattr(reading, "BATCH", 50)
    path.write_bytes(b"Anna " * 100)
    with pytest.raises(FormatError, match="a line is longer"):
        find_contexts(path, ["Anna"])


def test_tables_are_read_as_they_are_written(tmp_path: Path) -> None:
    table, before = tmp_path / "table.csv", csv.field_size_limit()
    table.write_bytes(as_csv(["x " * 100_000 + "Anna"]))
    assert len(documents(table)[0][0]) == 200_004
    assert csv.field_size_limit() == before
    table.write_text('id,text\n1,"' + "line\n" * 99 + '"\n2,Anna\n', encoding="utf-8")
    assert documents(table)[1] == Counter()
    # a row that swallows many lines is counted where the quotation mark was none
    table.write_text('id,text\n"1,Anna\n' + "2,Otto\n" * 100 + '3"x,last\n', encoding="utf-8")
    assert documents(table) == (["last"], Counter(run_on=1))
    # in a TSV it is a sign like any other
    other = tmp_path / "table.tsv"
    other.write_text('id\ttext\n1\t"Anna said\n\n2\tOtto came\r\n3\t"so"\n4\n5\ta\rb', encoding="utf-8")
    assert documents(other) == (['"Anna said', "Otto came", '"so"', "a b"], Counter(without_text=1))

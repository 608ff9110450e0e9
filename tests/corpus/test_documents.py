"""Every format with every compression, and everything that can be wrong with a file."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.corpus import find_contexts, lines
from crossroads.corpus.documents import batches
from crossroads.corpus.files import corpus_paths, format_of
from crossroads.corpus.search import parts_of, sources_of
from crossroads.errors import FormatError, InputError, UnknownNameError

pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")

TEXTS = ["We met Anna.", "Anna’s “dog”, née Rex", 'a "quoted" line', "two\nlines, Anna", "last"]


def zstandard(data: bytes) -> bytes:
    module: Any = pytest.importorskip("zstandard", reason="zstandard is not installed (extra [zstd])")
    squeezed: bytes = module.ZstdCompressor(write_content_size=False).compress(data)
    return squeezed


Squeeze = Callable[[bytes], bytes]
SQUEEZERS: dict[str, Squeeze] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard,
}
squeezed = pytest.mark.parametrize("suffix", list(SQUEEZERS))


def as_text(texts: list[str]) -> bytes:
    return "\n".join(text.replace("\n", " ") for text in texts).encode()


def as_jsonl(texts: list[str]) -> bytes:
    return "".join(json.dumps({"id": i, "body": text}) + "\n" for i, text in enumerate(texts)).encode()


def as_csv(texts: list[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([("id", "text"), *enumerate(texts)])
    return out.getvalue().encode()


def as_tsv(texts: list[str]) -> bytes:
    rows = [f"{i}\t{' '.join(text.split())}" for i, text in enumerate(texts)]
    return "\r\n".join(["id\ttext", *rows]).encode()


WRITERS = {".txt": as_text, ".jsonl": as_jsonl, ".csv": as_csv, ".tsv": as_tsv}


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


@squeezed
@pytest.mark.parametrize("kind", list(WRITERS))
def test_every_format_is_read_with_every_compression(tmp_path: Path, kind: str, suffix: str) -> None:
    path = tmp_path / f"corpus{kind}{suffix}"
    path.write_bytes(SQUEEZERS[suffix](WRITERS[kind](TEXTS)))
    assert documents(path) == ([" ".join(text.split()) for text in TEXTS], Counter())


def test_parquet_is_read_by_row_groups(tmp_path: Path) -> None:
    path = parquet(tmp_path / "corpus.parquet", {"n": [1, 2, 3, 4, 5], "text": [*TEXTS[:4], None]})
    (source,) = sources_of(path, format=None, field=None, unit="line")
    parts = parts_of(source)
    assert [(part.begin, part.stop) for part in parts] == [(0, 1), (1, 2), (2, 3)]
    assert sum(part.bytes for part in parts) == path.stat().st_size
    assert documents(path) == ([" ".join(text.split()) for text in TEXTS[:4]], Counter(without_text=1))


@pytest.mark.parametrize("size", [1, 7, 64, 1000, 10**6])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\r\n"])
def test_parts_of_a_file_have_every_line_once(tmp_path: Path, size: int, end: bytes) -> None:
    path = tmp_path / "corpus.txt"
    texts = [f"{i}" + "é" * (i % 13) for i in range(60)]
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(texts).encode() + end)
    (source,) = sources_of(path, format=None, field=None, unit="line")
    parts = parts_of(source, size=size)
    read = [text.strip() for part in parts for some, _ in batches(part) for text in some if text.strip()]
    assert read == texts
    assert sum(part.bytes for part in parts) == path.stat().st_size
    taken: list[int] = []
    for part in parts:
        list(batches(part, taken.append))
    assert sum(taken) == path.stat().st_size


def test_paragraphs_end_at_empty_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "book.txt"
    path.write_text("one\ntwo\n\n \nthree\r\nfour\n\n\nfive", encoding="utf-8")
    for batch in (4 << 20, 4):
        monkeypatch.setattr(lines, "BATCH", batch)
        assert documents(path, unit="paragraph")[0] == ["one two", "three four", "five"]
    monkeypatch.setattr(lines, "LONGEST", 3)
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


@pytest.mark.parametrize("suffix", [*filter(None, SQUEEZERS), ".zip"])
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
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match=r"corpus\.parquet: the file cannot be read as Parquet"):
        find_contexts(path, ["Anna"])
    path.write_bytes(whole[:4] + bytes(len(whole) // 2) + whole[4 + len(whole) // 2 :])
    with pytest.raises(FormatError, match="cannot be read as Parquet"):
        find_contexts(path, ["Anna"])
    with pytest.raises(FormatError, match=r"no column holds text; there are n \(int64\)"):
        find_contexts(parquet(path, {"n": [1, 2]}), ["Anna"])


def test_unknown_fields_name_the_nearest_and_list_all(tmp_path: Path) -> None:
    path = tmp_path / "dump.jsonl"
    path.write_text('{"author": "x", "boody": "Anna"}\n{"extra": 1}\n', encoding="utf-8")
    with pytest.raises(UnknownNameError, match=r"unknown field of dump\.jsonl 'body'") as raised:
        find_contexts(path, ["Anna"], field="body")
    assert raised.value.hint == "did you mean 'boody'? there are author, boody and extra."
    with pytest.raises(InputError, match="has no field called body, text") as other:
        find_contexts(path, ["Anna"])
    assert "author, boody and extra" in str(other.value)
    assert find_contexts(path, ["Anna"], field="boody").counts.documents == 1


def test_the_format_is_told_by_the_suffix() -> None:
    for name, kind in {
        "a.TXT": "text", "b.ndjson.zst": "jsonl", "RC_2019-04.zst": "jsonl", "c.tsv.gz": "tsv",
        "d.pq": "parquet",
    }.items():  # fmt: skip
        assert format_of(Path(name)) == kind
    assert format_of(Path("a.dat"), "csv") == "csv"
    with pytest.raises(InputError, match=r"'x\.dat\.gz' has the suffix '\.dat'") as raised:
        format_of(Path("x.dat.gz"))
    assert "format='jsonl'" in str(raised.value)
    with pytest.raises(UnknownNameError, match="unknown corpus format 'josnl'"):
        format_of(Path("x.dat"), "josnl")


def test_patterns_and_names_stand_for_files_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("a.txt", "b.txt", "sub/c.txt", "odd[1].txt"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    assert {path.name for path in corpus_paths(["b.txt", "?.txt", tmp_path / "a.txt"])} == {"a.txt", "b.txt"}
    assert len(corpus_paths(["b.txt", "?.txt", tmp_path / "a.txt"])) == 2
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
    monkeypatch.setattr(lines, "LONGEST", 100)
    monkeypatch.setattr(lines, "BATCH", 50)
    path.write_bytes(b"Anna " * 100)
    with pytest.raises(FormatError, match="a line is longer"):
        find_contexts(path, ["Anna"])


def test_a_long_field_of_a_table_is_read_and_the_csv_module_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(as_csv(["x " * 100_000 + "Anna"]))
    before = csv.field_size_limit()
    assert len(documents(path)[0][0]) == 200_004
    assert csv.field_size_limit() == before


def test_a_quotation_mark_in_a_tsv_is_a_sign_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text('id\ttext\n1\t"Anna said\n\n2\tOtto came\r\n3\t"so"\n4\n5\ta\rb', encoding="utf-8")
    assert documents(path) == (['"Anna said', "Otto came", '"so"', "a b"], Counter(without_text=1))


def test_rows_of_a_csv_that_swallow_many_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    hundred = "\n".join(["line"] * 100)
    path.write_text(f'id,text\n1,"{hundred}"\n2,Anna\n', encoding="utf-8")
    assert documents(path)[1] == Counter()
    path.write_text('id,text\n"1,Anna\n' + "2,Otto\n" * 100 + '3"x,last\n', encoding="utf-8")
    assert documents(path) == (["last"], Counter(run_on=1))
    assert find_contexts(path, ["last"]).counts.run_on == 1


@pytest.mark.parametrize("head", ["BZh", "BZh is no word", "BZh9 is none either"])
def test_a_text_may_begin_as_bzip2_nearly_does(tmp_path: Path, head: str) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(f"{head}\nAnna", encoding="utf-8")
    assert documents(path)[0] == [head, "Anna"]


@pytest.mark.parametrize(("name", "given"), [("a.parquet.gz", None), ("a.zst", "parquet")])
def test_compressed_parquet_is_refused(name: str, given: str | None) -> None:
    with pytest.raises(InputError, match="Parquet is not read compressed"):
        format_of(Path(name), given)


def test_a_file_that_cannot_be_opened_is_named_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    with socket.socket(socket.AF_UNIX) as unreadable:
        unreadable.bind("corpus.txt")
        with pytest.raises(InputError, match=r"'corpus\.txt' cannot be read \(") as raised:
            find_contexts("corpus.txt", ["Anna"])
    assert raised.value.hint

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import load, load_series
from crossroads.core.errors import CrossroadsError, FormatError, UnknownNameError
from crossroads.words.vectors.load import sniff


@pytest.fixture
def lower(tmp_path: Path) -> Path:
    path = tmp_path / "lower.txt"
    path.write_text("the 1 0\nmartha 0 1\nünal 1 1\n<UNK> 0 0\njosé 2 2\n", encoding="utf-8")
    return path


@pytest.fixture
def cased(tmp_path: Path) -> Path:
    path = tmp_path / "cased.txt"
    path.write_text("the 1 0\nMartha 0 1\nmartha 1 1\nÜnal 0 2\njose 3 3\n", encoding="utf-8")
    return path


def test_an_uncased_vocabulary_falls_back_on_lower_case(lower: Path) -> None:
    emb = load(lower, words=["Martha", "Ünal", "Nobody"])
    assert emb.fallback == ("lower",)
    assert emb.labels == ("martha", "ünal")
    assert emb.provenance.details["cased"] is False
    assert emb.provenance.details["fallback"] == ["lower"]


def test_a_cased_vocabulary_is_taken_at_its_word_unless_rules_are_given(cased: Path) -> None:
    emb = load(cased, words=["Martha", "THE", "the"])
    assert emb.fallback == ()
    assert emb.labels == ("the", "Martha"), "neither martha, nor the for THE"
    assert emb.provenance.details["cased"] is True
    emb = load(cased, words=["THE", "José"], fallback=["lower", "accents"])
    assert emb.fallback == ("lower", "accents")
    assert emb.labels == ("the", "jose")


def test_the_provenance_tells_what_was_read(lower: Path) -> None:
    found = load(lower, words=["the", "nobody"], checksum=True).provenance
    assert found.source == lower.as_posix()
    assert found.format == "glove-text"
    assert found.sha256 == hashlib.sha256(lower.read_bytes()).hexdigest()
    assert found.details == {
        "vocabulary": 5,
        "kept": 1,
        "dim": 2,
        "dtype": "float32",
        "cased": False,
        "capitalised": 0,
        "capitalised_share": 0.0,
        "fallback": ["lower"],
        "fallback_chosen": "automatically",
        "bytes": lower.stat().st_size,
        "order": "unknown: fewer than 2,000 words",
    }
    whole = load(lower).provenance
    assert (whole.sha256, whole.details["zero_rows"]) == (None, 1)


def test_a_missing_file_names_its_neighbour(lower: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FormatError, match=r"there is no such file(.|\n)*did you mean '.*lower\.txt'"):
        load(lower.with_name("lwoer.txt"))
    with pytest.raises(UnknownNameError, match=r"unknown model 'defalt'(.|\n)*did you mean 'default'"):
        load("defalt")
    monkeypatch.chdir(lower.parent)
    assert load("lower.txt").labels[0] == "the"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": []}, "words is empty"),
        ({"words": "rose"}, "single string 'rose'"),
        ({"words": ["rose", 3]}, "holds 3, which is not a string"),
        ({"words": ["rose", "wasp"]}, r"none of the 2 words asked for(.|\n)*'the', 'martha' and 'ünal'"),
        ({"words": ["thé"]}, r"fallback=.*accents.* would find 1 of those"),
        ({"fallback": "lowre"}, "unknown fallback 'lowre'"),
        ({"format": "glove-txt"}, "did you mean 'glove-text'"),
        ({"format": "spacy"}, "this is a file, spacy is a folder"),
        ({"duplicates": "last"}, "duplicates"),
        ({"encoding_errors": "loose"}, "rule for encoding errors"),
    ],
)
def test_what_cannot_be_asked_is_told(lower: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(CrossroadsError, match=message):
        load(lower, **options)


@pytest.mark.parametrize(
    ("capitalised", "size", "fallback"),
    [(2, 4000, ("lower",)), (3, 4000, ()), (1, 1999, ())],
)
def test_a_few_capital_letters_do_not_make_a_vocabulary_cased(
    tmp_path: Path, capitalised: int, size: int, fallback: tuple[str, ...]
) -> None:
    names = [f"w{i}" for i in range(size - capitalised)] + [f"W{i}" for i in range(capitalised)]
    path = tmp_path / "v.txt"
    path.write_text("".join(f"{name} 1 {i}\n" for i, name in enumerate(names)), encoding="utf-8")
    for words in (None, ["W1000", "w7"]):
        emb = load(path, words=words)
        assert emb.fallback == fallback
        details = emb.provenance.details
        assert details["cased"] is not bool(fallback)
        assert (details["capitalised"], details["capitalised_share"]) == (capitalised, capitalised / size)
        assert ("W1000" in emb) is bool(fallback)
    assert load(path, fallback="none").provenance.details["fallback_chosen"] == "as asked"


def test_markers_are_no_words_with_capital_letters_and_umlauts_are(tmp_path: Path) -> None:
    path = tmp_path / "markers.txt"
    path.write_text("<UNK> 1 0\n[PAD] 0 1\nrose 1 1\nÜnal 0 1\n", encoding="utf-8")
    assert load(path, words=["rose"]).provenance.details["capitalised"] == 1


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("chief_executive", "chief executive"),
        ("chief-executive", "chief_executive"),
        ("cafe\u0301", "caf\u00e9"),
        ("caf\u00e9_noir", "cafe\u0301 noir"),
    ],
)
def test_phrases_and_accents_are_found_as_they_are_stored(tmp_path: Path, stored: str, asked: str) -> None:
    path = tmp_path / "v.vec"
    path.write_text(f"2 2\n{stored} 1 0\nrose 0 1\n", encoding="utf-8")
    for fallback in ("none", "auto", "title"):
        match = load(path, words=[asked], fallback=fallback).find(asked)
        assert match is not None
        assert match.label == stored
        assert set(match.rule.split("+")) <= {"phrase", "unicode"}
    in_other_letters = load(path, words=[asked.title()]).find(asked.title())
    assert in_other_letters is not None
    assert in_other_letters.rule.startswith("lower+")


def test_spellings_that_were_passed_over_are_remembered_without_their_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("John 1 0\njohn 0 1\nMary 1 1\nrose 1 2\nrosa 0 2\n", encoding="utf-8")
    emb = load(path, words=["MARY", "rose", "JOHN", "rosy"])
    assert emb.labels == ("rose",)
    assert emb.unread is not None
    assert emb.unread.forms == {"John", "john", "Mary"}
    assert emb.helpful_rules(["MARY", "JOHN", "rosy"]) == (("title",), ("MARY", "JOHN"))
    assert emb.nearest(["rosy"]) == {"rosy": ("rose", "rosa")}
    assert load(path).nearest(["rosy"]) == {"rosy": ("rose", "rosa")}
    assert load(path, words=["JOHN"], fallback="lower").unread.forms == {"John"}  # type: ignore[union-attr]


def test_counting_capital_letters_ends_where_the_vocabulary_is_cased_for_certain(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    lines = (f"{'W' if i % 2 else 'w'}{i:08d} 1 2\n" for i in range(120_000))
    path.write_text("".join(lines), encoding="ascii")
    details = load(path, words=["W00000001"]).provenance.details
    assert details["vocabulary"] == 120_000
    assert 25_000 <= details["capitalised"] < 60_000
    assert details["capitalised_share"] == pytest.approx(0.5, abs=1e-3)
    assert details["cased"] is True


# HistWords: a folder of decades

# A list of Python 2, as the published folders hold them: eight-bit strings, protocol 2.
PYTHON_2 = b"\x80\x02]q\x00(U\x04roseU\x05caf\xc3\xa9U\x04waspe."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, decade in enumerate((1990, 1900), start=1):
        rows = np.full((3, 2), float(number))
        rows[2] = 0 if decade == 1900 else 1
        np.save(tmp_path / f"{decade}-w.npy", rows)
        (tmp_path / f"{decade}-vocab.pkl").write_bytes(PYTHON_2)
    return tmp_path


def test_a_series_comes_back_decade_by_decade(folder: Path) -> None:
    calls: list[tuple[int, int | None]] = []
    series = load_series(folder, progress=lambda done, total: calls.append((done, total)))
    assert list(series) == [1900, 1990]
    assert series[1900].labels == ("rose", "café", "wasp")
    assert series[1900].provenance.details["decade"] == 1900
    assert series[1900].provenance.format == "histwords"
    np.testing.assert_array_equal(series[1990]["rose"], [1, 1])
    some = load_series(folder, words=["wasp", "rose"])
    assert not some[1900]["wasp"].any(), "a row of zeros is kept"
    assert [emb.provenance.details.get("zero_rows") for emb in some.values()] == [1, None]
    assert calls[-1][0] == calls[-1][1]


def test_one_choice_of_fallback_is_made_for_all_decades(folder: Path) -> None:
    assert {emb.fallback for emb in load_series(folder).values()} == {("lower",)}
    (folder / "1990-vocab.pkl").write_bytes(pickle.dumps(["rose", "Café", "wasp"], 2))
    series = load_series(folder, words=["rose"])
    assert {emb.fallback for emb in series.values()} == {()}


def test_one_decade_can_be_read_alone(folder: Path) -> None:
    assert load(folder / "1900-w.npy").labels == ("rose", "café", "wasp")
    assert sniff(folder) == "histwords"
    with pytest.raises(FormatError, match="2 decades: 1900 and 1990"):
        load(folder)
    (folder / "1990-w.npy").unlink()
    assert load(folder, words=["Rose"]).labels == ("rose",)


def test_other_folders_are_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (folder / "1900-vocab.pkl").unlink()
    with pytest.raises(FormatError, match=r"decade 1900 are missing: 1900-vocab\.pkl"):
        load_series(folder)
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(FormatError, match="cannot be audited: it is empty"):
        load_series(empty)
    with pytest.raises(FormatError, match="no HistWords decades"):
        load(empty, format="histwords")

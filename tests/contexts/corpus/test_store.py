"""Folders of contexts: what is in them, and that they are whole or not there."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts.corpus import Context, Counts, Found, WordCoverage, read_contexts, write_contexts
from crossroads.contexts.corpus.store import CorpusFile
from crossroads.core import VERSION
from crossroads.core.errors import FormatError, InputError


@pytest.fixture
def found() -> Found:
    """Three contexts of two words, awkward ones among them, and a word without any."""
    contexts = {
        "Zoë": (Context("zoë", 'a "zoë"\u2028b', 3, 6), Context("zoë", "zoë 😀", 0, 3)),
        "dog": (Context("dog", "dog", 0, 3),),
        "none": (),
    }
    coverage = tuple(
        WordCoverage(
            word=word, form=word.lower(), rule="lower", occurrences=7, contexts=len(some), enough=bool(some)
        )
        for word, some in contexts.items()
    )
    return Found(
        words=tuple(contexts),
        contexts=contexts,
        coverage=coverage,
        counts=Counts(documents=9, characters=80, bytes=100, broken=1),
        files=(CorpusFile(name="a.jsonl", bytes=100, format="jsonl", field="body"),),
        settings={"window": "4+4", "seed": 0},
    )


def test_what_is_written_is_read(found: Found, tmp_path: Path) -> None:
    folder = write_contexts(found, tmp_path / "new" / "contexts")
    stored = read_contexts(folder)
    assert stored.words == found.words
    assert dict(stored.contexts) == found.contexts
    assert stored.contexts["Zoë"][0] == ("zoë", 'a "zoë"\u2028b', 3, 6)
    assert stored.manifest["format"] == "crossroads-contexts/1"
    assert stored.manifest["crossroads"] == VERSION
    assert stored.manifest["counts"]["broken"] == 1
    assert stored.manifest["corpus"] == [vars(found.files[0])]
    assert stored.sha256 == stored.manifest["sha256"]
    lines = (folder / "contexts.jsonl").read_text(encoding="utf-8").split("\n")
    assert json.loads(lines[1]) == {"word": "Zoë", "form": "zoë", "text": "zoë 😀", "start": 0, "end": 3}
    assert "zoë" in lines[1]  # as letters, not as escapes
    with (folder / "coverage.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["enough"] for row in rows] == ["yes", "yes", "no"]
    assert list(rows[0].values()) == ["Zoë", "zoë", "lower", "7", "2", "yes"]


def test_nothing_in_the_folder_tells_the_place(found: Found, tmp_path: Path) -> None:
    one, other = write_contexts(found, tmp_path / "one"), write_contexts(found, tmp_path / "other")
    for file in one.iterdir():
        assert file.read_bytes() == (other / file.name).read_bytes()


def test_contexts_are_replaced_only_when_asked_and_nothing_else_ever(found: Found, tmp_path: Path) -> None:
    folder = tmp_path / "link"
    (tmp_path / "mine").mkdir()
    folder.symlink_to(tmp_path / "mine")
    write_contexts(found, folder)  # an empty folder is as good as none
    with pytest.raises(InputError, match="holds contexts already"):
        write_contexts(found, folder)
    (folder / "contexts.jsonl").write_bytes(b"old")
    write_contexts(found, folder, overwrite=True)
    assert folder.is_symlink()
    assert read_contexts(folder).words == found.words
    (folder / "notes.md").write_text("keep", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds other things: 'notes\.md'"):
        write_contexts(found, folder, overwrite=True)
    (folder / "notes.md").unlink()
    (folder / "manifest.json").write_text('{"name": "a web page"}', encoding="utf-8")
    with pytest.raises(InputError, match="holds other things"):
        write_contexts(found, folder, overwrite=True)


def test_damaged_folders_are_refused(found: Found, tmp_path: Path) -> None:
    folder = write_contexts(found, tmp_path / "contexts")
    manifest, contexts = folder / "manifest.json", folder / "contexts.jsonl"
    good, whole = manifest.read_bytes(), contexts.read_bytes()

    def said(**changes: Any) -> bytes:
        return json.dumps(json.loads(good) | changes).encode()

    wrong: list[tuple[bytes | None, bytes | None, str]] = [
        (said(words=None), whole, "there is no list of words"),
        (said(sha256=None), whole, "there is no checksum"),
        (said(format="crossroads-contexts/9"), whole, "the format is 'crossroads-contexts/9', expected"),
        (good[:50], whole, "the file is not JSON"),
        (b"[" * 100_000, whole, "the file is not JSON"),
        (None, whole, "not a folder of contexts"),
        (good, whole.replace(b"dog", b"cat"), "the SHA-256 is"),
        (good, None, r"contexts\.jsonl: the file is missing"),
    ]
    lines = {
        b'{"word": "cat", "form": "cat", "text": "cat", "start": 0, "end": 3}': "'cat' is not among",
        b'{"word": "dog", "form": "dog", "text": "dog", "start": 0, "end": 4}': "line 1: this is not",
        b'{"word": "dog", "text": "dog", "start": 0, "end": 3}': "line 1: this is not",
        b"[" * 100_000: "line 1: this is not",
    }
    wrong += [(said(sha256=hashlib.sha256(line).hexdigest()), line, what) for line, what in lines.items()]
    for one, other, what in wrong:
        for file, data in ((manifest, one), (contexts, other)):
            file.unlink(missing_ok=True)
            if data is not None:
                file.write_bytes(data)
        with pytest.raises(FormatError, match=what):
            read_contexts(folder)
    for missing, what in ((tmp_path / "none", "does not exist"), (manifest, "is a file")):
        with pytest.raises(InputError, match=what):
            read_contexts(missing)

"""A seeded sample stays what it is from version to version, and a folder says how it was drawn."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.contexts.corpus import SAMPLE, Context, Counts, Found, find_contexts, read_contexts
from crossroads.contexts.corpus import search as searching
from crossroads.contexts.corpus.store import write_contexts
from crossroads.core.errors import CrossroadsError

WORDS = ["Anna", "José", "New York", "short-term", "term", "C++", "дом", "東京", "ANNA", "nowhere"]
PIECES = (
    "Anna", "Anna's", "Anna’s", "Joanna", "anna", "José", "Jose\u0301", "(José)", "New York", "New\tYork",
    "New", "short-term", "short\u2010term", "term", "term;", "C++", "C+++", "дом", "дому", "«дом»",
    "東京", "東京都", "and", "the", "saw,", "of.", "—", "“so”", "naïve", "🌹", "42", "x_y",
)  # fmt: skip


def numbers(name: str) -> Any:
    """Whole numbers below 256 without end, the same in every version of Python."""
    block = 0
    while True:
        yield from hashlib.sha256(f"{name} {block}".encode()).digest()
        block += 1


def documents(name: str, count: int) -> list[str]:
    """Lines in several scripts, with all kinds of signs, short and long; one in seven is a repetition."""
    stream, found = numbers(name), list[str]()
    for number in range(count):
        if number % 7 == 6:
            found.append(found[next(stream) % number])
            continue
        length = 400 if number % 97 == 50 else 1 + next(stream) % 24
        found.append(" ".join(PIECES[next(stream) % len(PIECES)] for _ in range(length)))
    return found


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text, JSON lines and a table of 1,500 documents."""
    folder = tmp_path_factory.mktemp("corpus")
    text = "".join(f"{line}\n" + "\n" * (at % 5 == 0) for at, line in enumerate(documents("text", 700)))
    (folder / "a.txt").write_bytes(text.encode())
    lines = [json.dumps({"body": line}) for line in documents("lines", 500)]
    (folder / "b.jsonl").write_bytes("\n".join(lines).encode())
    with (folder / "c.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["id", "text"], *enumerate(documents("rows", 300))])
    return folder


def digest(contexts: dict[str, Sequence[Context]]) -> str:
    """Checksum of contexts in their order."""
    plain = {word: [list(context) for context in some] for word, some in contexts.items()}
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:16]


# Options of a search, and the digest of its sample; by the name of the procedure.
DIGESTS: dict[str, list[tuple[dict[str, Any], str]]] = {
    "crossroads-sample/2": [
        ({}, "0a82269570d45ec7"),
        ({"seed": 1}, "5030191bc6c42618"),
        ({"seed": -7}, "23d99987bff4b3cb"),
        ({"seed": 2**70}, "f884389d5cdc0c05"),
        ({"limit": 1000}, "0e66ce58258ff677"),
        ({"window": "4+3"}, "17e3f94d4872cae1"),
        ({"window": "0+2"}, "05f81c4efdab3875"),
        ({"window": "all"}, "319d75cc0716818a"),
        ({"window": "all", "unit": "paragraph"}, "cff4943d3a23fade"),
        ({"hyphens": "split"}, "a570c1e1f882a5b6"),
        ({"fallback": "lower,title,accents"}, "17829d8124771349"),
    ]
}
CHANGED = f"""
The same corpus, settings and seed give another sample than {SAMPLE} did: readers who repeat a published run
find other sentences. If that is not meant, find out what changed and fix it. If it is:
  1. raise SAMPLE in src/crossroads/contexts/corpus/sample.py, and put the new digests here under its name;
  2. begin an entry of CHANGELOG.md with **Changes numbers:** that names the new procedure;
  3. make docs/guides/contextual-run.md again (make contextual-run)."""


@pytest.mark.slow
@pytest.mark.parametrize(("options", "expected"), DIGESTS[SAMPLE], ids=lambda one: str(one)[:40])
def test_a_seeded_sample_does_not_change_unnoticed(
    options: dict[str, Any], expected: str, files: Path
) -> None:
    found = find_contexts(str(files / "*"), WORDS, workers=1, **{"limit": 25, **options})
    assert found.settings["sample"] == SAMPLE
    assert digest(dict(found.contexts)) == expected, CHANGED


def by_hash(contexts: Sequence[Context], seed: int) -> tuple[Context, ...]:
    """Contexts in the order of a keyed hash: a plain transcription of the procedure."""
    salt = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()

    def priority(context: Context) -> bytes:
        text = f"{context.text}\0{context.start}\0{context.form}"
        return hashlib.blake2b(text.encode(), digest_size=16, salt=salt).digest()

    return tuple(sorted(contexts, key=priority))


@pytest.mark.parametrize(("seed", "window"), [(0, "4+4"), (5, "4+4"), (5, "all")])
def test_a_sample_is_the_contexts_of_lowest_hash(seed: int, window: str, files: Path) -> None:
    options: dict[str, Any] = {"window": window, "workers": 1, "seed": seed}
    everything = find_contexts(str(files / "*"), WORDS, limit=10**6, **options)
    some = find_contexts(str(files / "*"), WORDS, limit=25, **options)
    assert len(everything.contexts["Anna"]) > 100
    for word in WORDS:
        assert everything.contexts[word] == by_hash(everything.contexts[word], seed)
        assert some.contexts[word] == everything.contexts[word][:25]


def test_a_folder_says_by_which_procedure_it_was_drawn(files: Path, tmp_path: Path) -> None:
    found = find_contexts(str(files / "*"), WORDS, workers=1, limit=10**6, seed=3)
    stored = read_contexts(write_contexts(found, tmp_path / "now"))
    assert stored.manifest["settings"]["sample"] == stored.sample == SAMPLE
    folder = write_contexts(Found(**{**vars(found), "settings": {"window": "4+4"}}), tmp_path / "new")
    assert read_contexts(folder).sample is None  # where it does not say, none is claimed


def test_workers_of_another_procedure_are_refused(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # as on a cluster where one node was not brought up to date
    answer = searching.Table({}, np.zeros(len(WORDS), np.int64), Counts(), "crossroads-sample/1")
    options: list[tuple[str, dict[str, Any]]] = [
        ("in_processes", {"workers": 2}),
        ("on_cluster", {"engine": "ray"}),
    ]
    for engine, option in options:
        monkeypatch.setattr(searching, engine, lambda *_, **__: iter([(0, answer)]))
        with pytest.raises(CrossroadsError, match=rf"by crossroads-sample/1, .* by {SAMPLE}"):
            find_contexts(str(files / "*"), WORDS, **option)

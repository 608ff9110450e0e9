"""The whole search: what it finds, and that nothing of it depends on who reads what and when."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts.corpus import Found, find_contexts, write_contexts
from crossroads.contexts.corpus import search as planning
from crossroads.core.errors import DesignError, InputError, UnknownNameError

pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")

Reference = Callable[..., list[tuple[str, str, int, int]]]
WORDS = ["Anna", "Otto", "dog", "New York", "missing"]


def lines_of(n: int, seed: int = 0) -> list[str]:
    """Random sentences with many repetitions."""
    rng = random.Random(seed)
    pool = [
        "Anna", "Otto", "dog", "New York", "anna", "the", "a", "saw", "Annabel", "née", "old-dog", "dog’s"
    ]  # fmt: skip
    return [" ".join(rng.choices(pool, k=rng.randrange(1, 12))) for _ in range(n)]


def written(found: Found, folder: Path) -> dict[str, bytes]:
    write_contexts(found, folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_all_contexts_are_those_of_a_slow_search(tmp_path: Path, reference: Reference) -> None:
    texts = lines_of(400)
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(texts), encoding="utf-8")
    found = find_contexts(path, WORDS, limit=10_000, minimum=1)
    hits = reference(texts, WORDS)
    for one in found.coverage:
        expected = [hit for hit in hits if hit[0] == one.word]
        assert sorted(found.contexts[one.word]) == sorted(set(expected))
        assert (one.occurrences, one.contexts) == (len(expected), len(set(expected)))
    assert [one.word for one in found.below] == ["missing"]
    assert found.counts.documents == 400


@pytest.mark.slow
def test_the_folder_does_not_depend_on_the_division_of_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines_of(3000)), encoding="utf-8")
    options: dict[str, Any] = {"limit": 40, "fallback": "lower,title", "seed": 5}
    expected = written(find_contexts(path, WORDS, workers=1, **options), tmp_path / "whole")
    assert len(expected) == 3
    for number, (size, workers) in enumerate([(997, 1), (5000, 2), (10**9, 3)]):
        monkeypatch.setattr(planning, "PART_BYTES", size)
        monkeypatch.setattr(planning, "_LEAST_BYTES", 100)  # four parts for each of three workers
        found = find_contexts(path, WORDS, workers=workers, **options)
        assert written(found, tmp_path / str(number)) == expected


@pytest.mark.slow
def test_the_sample_does_not_depend_on_files_their_order_or_their_compression(tmp_path: Path) -> None:
    texts = lines_of(1000)
    whole = tmp_path / "whole.txt"
    whole.write_text("\n".join(texts), encoding="utf-8")
    random.Random(1).shuffle(texts)
    first, second = tmp_path / "z.txt", tmp_path / "a.jsonl.gz"
    first.write_text("\n".join(texts[:300]), encoding="utf-8")
    second.write_bytes(gzip.compress("\n".join(json.dumps({"text": t}) for t in texts[300:]).encode()))
    expected = find_contexts(whole, WORDS, limit=30)
    one, other = (find_contexts(files, WORDS, limit=30) for files in ([first, second], [second, first]))
    assert one.contexts == expected.contexts
    assert one.coverage == expected.coverage
    assert written(one, tmp_path / "one") == written(other, tmp_path / "other")


def test_spellings_are_taken_in_order_and_never_mixed(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    times = {"john": 8, "John": 3, "jose": 2, "José": 1}
    texts = [f"{form} {i}" for form, many in times.items() for i in range(many)]
    path.write_text("\n".join(texts), encoding="utf-8")
    rows = {
        minimum: find_contexts(path, ["John", "José"], minimum=minimum, fallback="lower,accents").coverage
        for minimum in (0, 1, 5, 20)
    }
    for minimum in (0, 1):  # a minimum of none still asks for one
        assert [(one.form, one.contexts) for one in rows[minimum]] == [("John", 3), ("José", 1)]
    # five contexts of John: only 'john' has them; of José: no form has, and 'jose' has most
    for minimum, enough in ((5, True), (20, False)):
        assert [(one.form, one.rule, one.contexts) for one in rows[minimum]] == [
            ("john", "lower", 8),
            ("jose", "lower+accents", 2),
        ]
        assert rows[minimum][0].enough is enough
    found = find_contexts(path, ["John", "john"], minimum=5, fallback="lower")
    assert {context.form for rows_ in found.contexts.values() for context in rows_} == {"john"}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_contexts_that_are_whole_documents_share_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(planning, "PART_BYTES", 5000)
    path = tmp_path / "corpus.txt"
    documents = [" ".join(f"Anna {i} and Otto {n}" for i in range(100)) for n in range(10)]
    path.write_text("\n".join(documents), encoding="utf-8")
    found = find_contexts(path, ["Anna", "Otto"], window="all", limit=5000, workers=workers)
    texts = [context.text for some in found.contexts.values() for context in some]
    assert len(texts) == 2000
    assert set(texts) == set(documents)
    assert len(set(map(id, texts))) == 10
    wide = find_contexts(path, ["Anna", "Otto"], window="9999+9999", limit=50)
    assert wide.contexts == find_contexts(path, ["Anna", "Otto"], window="all", limit=50).contexts


def test_the_limit_is_kept_and_duplicates_are_not(corpus: Path) -> None:
    done: list[tuple[int, int]] = []
    few = find_contexts(corpus, ["Anna"], limit=5, progress=lambda *both: done.append(both))
    assert few.settings["minimum"] == 5  # no higher than the limit
    assert done == sorted(done)
    assert done[-1] == (corpus.stat().st_size,) * 2
    corpus.write_text(corpus.read_text(encoding="utf-8") * 3, encoding="utf-8")
    found = find_contexts(corpus, ["Anna", "Otto"], limit=100)
    assert [(one.occurrences, one.contexts) for one in found.coverage] == [(450, 100), (150, 50)]
    for word, contexts in found.contexts.items():
        assert len(set(contexts)) == len(contexts)
        assert all(context.text[context.start : context.end] == word for context in contexts)


@pytest.mark.parametrize(
    ("options", "error", "what"),
    [
        ({"words": "Anna"}, DesignError, "one string"),
        ({"words": []}, DesignError, "no words"),
        ({"words": [" Anna"]}, DesignError, "spaces around"),
        ({"words": ["…"]}, InputError, "no letter"),
        ({"limit": 0}, InputError, "limit is 0"),
        ({"minimum": 2000}, InputError, "the minimum is 2,000"),
        ({"hyphens": "jion"}, UnknownNameError, "unknown use of hyphens 'jion'"),
        ({"fallback": "upper"}, UnknownNameError, "unknown fallback 'upper'"),
        ({"ray_address": "auto"}, InputError, "the engine is 'local'"),
    ],
)
def test_options_that_cannot_be_used_are_refused(
    corpus: Path, options: dict[str, Any], error: type[Exception], what: str
) -> None:
    with pytest.raises(error, match=what):
        find_contexts(corpus, **{"words": ["Anna"], **options})

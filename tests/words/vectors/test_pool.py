from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import crossroads as cr
from crossroads.core.errors import EvidenceError, InputError
from crossroads.core.models import saved
from tests.words.vectors import written

N = 6_000
COMMON = ["the", ",", "of", "and", "to", "in", "a", "is", "for", "that"]


def spelled(number: int) -> str:
    """A word of four letters for each number."""
    return "".join(chr(ord("a") + number // 26**place % 26) for place in (3, 2, 1, 0))


def vocabulary() -> list[str]:
    """Words by frequency: every seventh with a figure in it."""
    words = [*COMMON, *(spelled(i) for i in range(N - len(COMMON)))]
    return [f"{word}1" if row % 7 == 3 else word for row, word in enumerate(words)]


WORDS = vocabulary()
VECTORS: NDArray[np.float32] = np.random.default_rng(0).normal(size=(N, 3)).astype(np.float32)
ASKED = [WORDS[4], WORDS[N // 2 + 2], WORDS[N - 3]]


def as_text(folder: Path, *, header: bool = False, blank: bool = False, order: Any = range(N)) -> Path:
    path = folder / "vectors.txt"
    lines = [f"{WORDS[row]} {' '.join(map(repr, VECTORS[row].tolist()))}" for row in order]
    if blank:
        lines.insert(2, "")
    path.write_text("\n".join([*([f"{N} 3"] if header else []), *lines]) + "\n")
    return path


def as_word2vec(folder: Path) -> Path:
    path = folder / "vectors.bin"
    path.write_bytes(written.word2vec(dict(zip(WORDS, VECTORS, strict=True))))
    return path


def as_fasttext(folder: Path) -> Path:
    """A model without n-grams, so that a word's vector is its own row."""
    path = folder / "model.bin"
    path.write_bytes(written.fasttext(WORDS, VECTORS))
    return path


def as_npy(folder: Path) -> Path:
    np.save(folder / "vectors.npy", VECTORS)
    (folder / "vectors.txt").write_text("\n".join(WORDS))
    return folder / "vectors.npy"


RANKED = [as_text, partial(as_text, header=True), partial(as_text, blank=True), as_word2vec, as_fasttext]


def scattered(number: int) -> float:
    """splitmix64 of a number, as a fraction of 2^53."""
    z = number * 0x9E3779B97F4A7C15 % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return float(((z ^ z >> 31) >> 11) * 2.0**-53)


def naive_pool(size: int, asked: list[str], *, by_frequency: bool = True) -> list[str]:
    """The words with the smallest product of their scattered number and rank, in the order of the file."""
    keys = {
        rank: scattered(rank) * (rank if by_frequency else 1)
        for rank, word in enumerate(WORDS, 1)
        if word.isalpha() and word not in asked
    }
    return [WORDS[rank - 1] for rank in sorted(sorted(keys, key=lambda rank: keys[rank])[:size])]


@pytest.mark.parametrize("write", RANKED)
def test_every_format_gives_the_same_ranks_and_pool(write: Callable[[Path], Path], tmp_path: Path) -> None:
    path = write(tmp_path)
    ranks = {word: row for row, word in enumerate(WORDS, start=1)}
    assert cr.load(path).ranks == ranks
    emb = cr.load(path, words=ASKED, pool=500)
    assert emb.ranks == {word: ranks[word] for word in ASKED}
    assert "by frequency" in emb.provenance.details["order"]
    assert emb.labels == tuple(sorted(ASKED, key=WORDS.index))
    pool = emb.pool
    assert pool is not None
    assert list(pool.labels) == naive_pool(500, ASKED)
    assert pool.ranks == {word: ranks[word] for word in pool.labels}
    assert np.array_equal(pool.vectors, VECTORS[[ranks[word] - 1 for word in pool.labels]])


@pytest.mark.parametrize("write", [*RANKED, as_npy])
@pytest.mark.parametrize("options", [{}, {"words": ASKED}, {"words": WORDS[:40], "pool": 500}])
def test_common_words_are_the_same_whatever_is_loaded(
    write: Callable[[Path], Path], options: dict[str, Any], tmp_path: Path
) -> None:
    emb = cr.load(write(tmp_path), **options)
    places = sorted(range(1, 20_001), key=scattered)[:1_000]
    rows = sorted(place - 1 for place in places if place <= N)
    assert emb.common is not None and emb.vocabulary is not None
    np.testing.assert_array_equal(emb.common, VECTORS[rows])
    directions = VECTORS[rows] / np.linalg.norm(VECTORS[rows], axis=1, keepdims=True)
    np.testing.assert_allclose(emb.vocabulary, np.cov(directions.T, ddof=1), rtol=1e-6)
    assert set(emb.labels) == set(options.get("words", WORDS))


def test_common_words_are_kept_with_selections_and_saved_vectors(tmp_path: Path) -> None:
    whole = cr.load(as_text(tmp_path))
    plain = cr.Embeddings(WORDS, VECTORS)
    some = whole.select(ASKED)
    for emb in (plain, some, some.with_pool(whole), saved.VECTORS.read(saved.VECTORS.write(some))):
        np.testing.assert_array_equal(emb.common, whole.common)
    bent = whole.with_vectors(2 * VECTORS, provenance=whole.provenance, common=VECTORS[:99] @ np.eye(3))
    assert whole.vocabulary is not None and bent.vocabulary is not None
    assert not np.allclose(bent.vocabulary, whole.vocabulary)


def test_a_small_vocabulary_has_no_common_words(tmp_path: Path) -> None:
    few = cr.Embeddings(WORDS[:100], VECTORS[:100])
    assert few.common is None and few.vocabulary is None
    (tmp_path / "few.txt").write_text("".join(f"w{i} 1.0 {i}.5\n" for i in range(100)))
    assert cr.load(tmp_path / "few.txt").vocabulary is None
    assert cr.load(tmp_path / "few.txt", words=["w1"]).vocabulary is None


def test_the_pool_does_not_depend_on_the_blocks_of_a_file(tmp_path: Path) -> None:
    lines = [
        f"{word} {' '.join(f'{x:.150f}' for x in row)}\n" for word, row in zip(WORDS, VECTORS, strict=True)
    ]
    path = tmp_path / "long.txt"
    path.write_text("".join(lines))
    assert path.stat().st_size > 2 << 20  # text is read by the megabyte
    pool = cr.load(path, words=ASKED, pool=300).pool
    assert pool is not None
    assert list(pool.labels) == naive_pool(300, ASKED)


def test_a_pool_of_all_words_is_thinned_in_the_same_way(tmp_path: Path) -> None:
    path = as_text(tmp_path)
    emb = cr.load(path, pool=400)
    assert emb.pool is not None
    assert list(emb.pool.labels) == naive_pool(400, [])
    plain = cr.load(path)
    assert plain.pool is plain


def test_an_order_that_is_none_of_frequency_is_not_taken_for_one(tmp_path: Path) -> None:
    path = as_text(tmp_path, order=sorted(range(N), key=WORDS.__getitem__))
    emb = cr.load(path, words=ASKED, pool=200)
    assert emb.ranks is None
    assert "unknown" in emb.provenance.details["order"]
    assert emb.pool is not None
    assert emb.pool.ranks is None
    asked = cr.load(path, words=ASKED, ranked=True)
    assert asked.ranks is not None
    assert asked.provenance.details["order"] == "by frequency, as asked"


def test_formats_without_an_order_of_their_own_have_no_ranks_unless_asked(tmp_path: Path) -> None:
    path = as_npy(tmp_path)
    emb = cr.load(path, words=ASKED, pool=300)
    assert emb.ranks is None
    assert emb.pool is not None
    assert list(emb.pool.labels) == naive_pool(300, ASKED, by_frequency=False)
    asked = cr.load(path, words=ASKED, pool=300, ranked=True)
    assert asked.ranks == {word: WORDS.index(word) + 1 for word in ASKED}
    assert asked.pool is not None
    assert list(asked.pool.labels) == naive_pool(300, ASKED)
    assert cr.load(as_text(tmp_path), words=ASKED, ranked=False).ranks is None


def test_words_that_cannot_be_measured_stay_out_of_the_pool(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_bytes(b"rose 1 1\nwasp 1 0\nant 0 0\nbee nan 1\nb4 1 2\n\xff 1 3\nfly 0 2\n")
    pool = cr.load(path, words=["rose"], pool=10).pool
    assert pool is not None
    assert pool.labels == ("wasp", "fly")


def test_ranks_and_pool_survive_other_rules_and_selections(tmp_path: Path) -> None:
    emb = cr.load(as_text(tmp_path), words=ASKED, pool=100)
    some = emb.with_fallback("none").select(ASKED[:2])
    assert some.ranks == {word: WORDS.index(word) + 1 for word in ASKED[:2]}
    assert some.pool is emb.pool
    whole = cr.load(as_text(tmp_path))
    assert whole.select(ASKED).pool is None
    assert cr.load(as_text(tmp_path), words=ASKED).pool is None


def test_ranks_and_pool_are_kept_with_the_vectors_of_an_audit(tmp_path: Path) -> None:
    emb = cr.load(as_text(tmp_path), words=ASKED, pool=100)
    again = saved.VECTORS.read(saved.VECTORS.write(emb))
    assert again.pool is not None and emb.pool is not None
    assert again.ranks == emb.ranks == saved.as_saved(emb).ranks
    assert (again.pool.labels, again.pool.ranks) == (emb.pool.labels, emb.pool.ranks)
    assert np.array_equal(again.pool.vectors, emb.pool.vectors)


def test_a_wrong_pool_or_rank_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pool is"):
        cr.load(as_text(tmp_path), pool=0)
    with pytest.raises(EvidenceError, match=r"ranks of 2 labels are \[3, 0\]"):
        cr.Embeddings(["rose", "wasp"], [[1.0], [2.0]], ranks=[3, 0])
    with pytest.raises(EvidenceError, match="one whole number per label"):
        cr.Embeddings(["rose", "wasp"], [[1.0], [2.0]], ranks=[3])


def test_vectors_that_went_to_another_process_can_still_read_a_pool() -> None:
    emb = pickle.loads(pickle.dumps(cr.load("default", words=["rose", "wasp"])))
    assert emb.pool is None
    others = emb.others(1_000)
    assert others is not None
    assert len(others) == 1_000

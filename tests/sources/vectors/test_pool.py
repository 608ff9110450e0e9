from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import crossroads as cr
from crossroads.audit.kept import PartsFolder
from crossroads.errors import EvidenceError, InputError
from crossroads.sources.vectors.files import text
from crossroads.sources.vectors.pool import Pool, _scattered
from crossroads.sources.vectors.reader import Request, Vocabulary

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


def as_text(
    folder: Path, *, header: bool = False, blank: bool = False, order: list[int] | None = None
) -> Path:
    path = folder / "vectors.txt"
    rows = range(N) if order is None else order
    lines = [f"{WORDS[row]} {' '.join(map(repr, VECTORS[row].tolist()))}" for row in rows]
    if blank:
        lines.insert(2, "")
    path.write_text("\n".join([*([f"{N} 3"] if header else []), *lines]) + "\n")
    return path


def as_word2vec(folder: Path) -> Path:
    path = folder / "vectors.bin"
    rows = (word.encode() + b" " + row.tobytes() for word, row in zip(WORDS, VECTORS, strict=True))
    path.write_bytes(f"{N} 3\n".encode() + b"".join(rows))
    return path


def as_fasttext(folder: Path) -> Path:
    """A model without n-grams, so that a word's vector is its own row."""
    path = folder / "model.bin"
    out = struct.pack("<2i", 793712314, 12)
    out += struct.pack("<12id", 3, 5, 5, 1, 5, 1, 2, 2, 0, 0, 0, 100, 1e-4)
    out += struct.pack("<3i2q", N, N, 0, 99, -1)
    out += b"".join(word.encode() + b"\0" + struct.pack("<qb", 7, 0) for word in WORDS)
    path.write_bytes(out + struct.pack("<?2q", False, N, 3) + VECTORS.tobytes())
    return path


def as_npy(folder: Path) -> Path:
    np.save(folder / "vectors.npy", VECTORS)
    (folder / "vectors.txt").write_text("\n".join(WORDS))
    return folder / "vectors.npy"


def as_headed(folder: Path) -> Path:
    return as_text(folder, header=True)


def as_blank(folder: Path) -> Path:
    return as_text(folder, blank=True)


RANKED = [as_text, as_headed, as_blank, as_word2vec, as_fasttext]


def naive_pool(size: int, asked: list[str], *, by_frequency: bool = True) -> list[str]:
    """The words with the smallest product of their scattered number and rank, in the order of the file."""
    numbers = _scattered(np.arange(1, N + 1))
    keys = {
        row: numbers[row] * (row + 1 if by_frequency else 1)
        for row, word in enumerate(WORDS)
        if word.isalpha() and word not in asked
    }
    return [WORDS[row] for row in sorted(sorted(keys, key=lambda row: keys[row])[:size])]


@pytest.mark.parametrize("write", RANKED)
def test_a_rank_is_the_place_among_the_words_of_the_file(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = write(tmp_path)
    emb = cr.load(path, words=ASKED)
    assert emb.ranks == {word: WORDS.index(word) + 1 for word in ASKED}
    assert "by frequency" in emb.provenance.details["order"]
    whole = cr.load(path)
    assert whole.ranks == {word: row for row, word in enumerate(WORDS, start=1)}


@pytest.mark.parametrize("write", RANKED)
def test_every_format_gives_the_same_pool(write: Callable[[Path], Path], tmp_path: Path) -> None:
    emb = cr.load(write(tmp_path), words=ASKED, pool=500)
    assert emb.labels == tuple(sorted(ASKED, key=WORDS.index))
    pool = emb.pool
    assert pool is not None
    assert list(pool.labels) == naive_pool(500, ASKED)
    assert pool.ranks == {word: WORDS.index(word) + 1 for word in pool.labels}
    assert np.array_equal(pool.vectors, VECTORS[[WORDS.index(word) for word in pool.labels]])


@pytest.mark.parametrize("block", [200, 3_000, 40_000])
def test_the_pool_does_not_depend_on_the_blocks_of_a_file(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "_BLOCK", block)
    pool = cr.load(as_text(tmp_path), words=ASKED, pool=300).pool
    assert pool is not None
    assert list(pool.labels) == naive_pool(300, ASKED)


def test_the_pool_is_even_over_the_logarithm_of_the_rank(tmp_path: Path) -> None:
    pool = cr.load(as_text(tmp_path), words=ASKED, pool=1_000).pool
    assert pool is not None
    assert pool.ranks is not None
    ranks = np.array(list(pool.ranks.values()))
    first = [word for word in WORDS[:250] if word.isalpha() and word not in ASKED]
    assert set(first) <= set(pool.labels)
    octaves = [np.count_nonzero((ranks > low) & (ranks <= 2 * low)) for low in (750, 1_500, 3_000)]
    assert min(octaves) > 0.8 * max(octaves)


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


def test_the_default_vectors_are_in_the_order_of_frequency() -> None:
    pytest.importorskip("pyarrow", reason="extra 'default'")
    emb = cr.load("default", words=["rose", "wasp"], pool=2_000)
    assert emb.ranks is not None
    assert emb.ranks["rose"] < emb.ranks["wasp"]
    assert emb.pool is not None
    assert len(emb.pool) == 2_000
    assert emb.pool.labels[:3] == ("the", "of", "to")


def test_a_pool_holds_no_more_than_it_needs_while_it_is_read() -> None:
    request = Request(wanted=frozenset({"rose"}), pool=50, ranked=True)
    pool = Pool(request, Vocabulary(request=request), 1, np.float32)
    for first in range(1, 60_000, 500):
        tokens = [spelled(first + i) for i in range(500)]
        chosen = pool.choose(tokens, first)
        vectors: NDArray[np.float32] = np.ones((len(chosen), 1), np.float32)
        pool.add([tokens[i] for i in chosen], vectors, [first + i for i in chosen])
        assert len(pool._labels) <= 50 + 12 + 2_000 + 500
    assert len(pool.sample().labels) == 50


def test_words_that_cannot_be_measured_stay_out_of_the_pool() -> None:
    request = Request(wanted=frozenset({"rose"}), pool=10)
    pool = Pool(request, Vocabulary(request=request), 2, np.float64)
    pool.add(["wasp", "ant", "bee", "fly"], np.array([[1, 0], [0, 0], [np.nan, 1], [0, 2.0]]), [1, 2, 3, 4])
    assert pool.sample().labels == ["wasp", "fly"]
    assert pool.choose([b"rose", b"\xff", b"b4", b"owl"], 5) == [3]


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
    with PartsFolder(tmp_path / ".audit.parts") as place:
        place.write_vectors("of words", "0" * 20, emb)
        again = place.read_vectors("of words", "0" * 20)
    assert again is not None
    assert again.ranks == emb.ranks
    assert emb.pool is not None
    assert again.pool is not None
    assert again.pool.labels == emb.pool.labels
    assert again.pool.ranks == emb.pool.ranks
    assert np.array_equal(again.pool.vectors, emb.pool.vectors)


def test_a_wrong_pool_or_rank_is_named(tmp_path: Path) -> None:
    path = as_text(tmp_path)
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(InputError, match="pool is"):
            cr.load(path, pool=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="ranked is 'yes'"):
        cr.load(path, ranked="yes")  # type: ignore[arg-type]
    with pytest.raises(EvidenceError, match="the rank of 'wasp' is 0"):
        cr.Embeddings(["rose", "wasp"], [[1.0], [2.0]], ranks=[3, 0])
    with pytest.raises(EvidenceError, match="one whole number per label"):
        cr.Embeddings(["rose", "wasp"], [[1.0], [2.0]], ranks=[3])

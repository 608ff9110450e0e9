"""Many vectors per word, one for each of its contexts: in memory, or in a folder on disk (a store)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.core.errors import EvidenceError, FormatError, InputError, in_short, join_words, one_of
from crossroads.core.evidence.embeddings import Embeddings, Match, Provenance, read_only
from crossroads.core.evidence.spelling import has_capital, is_cased
from crossroads.core.stimuli.sets import word_fault
from crossroads.core.storage.arrays import MANIFEST, Rows, read_folder, write_folder

FORMAT = "crossroads-store/1"
"""The layout of stores of context vectors."""
SENTENCES = "crossroads-contexts/1"
"""The layout of folders of sentences, which are not read here."""
DTYPES = ("float16", "float32", "float64")
"""Types of numbers that a store may have."""
_ROWS = "give each word an array with one row per context, all of the same length."
SHARD_BYTES = 256 << 20
"""A file of a store holds whole words and ends once it is at least this large."""


class Contexts:
    """Context vectors by word, read-only.

    Parameters
    ----------
    words
        The words, all different.
    counts
        How many contexts each of them has.
    vectors
        All context vectors, one row per context, grouped by word in the order of the words: one
        array, or several that each hold whole words. Memory-mapped arrays stay on disk.
    provenance
        Where the vectors came from; :class:`Provenance` or a description.
    fallback
        Rules for words that are not found as they are written, as in :class:`Embeddings`.

    Examples
    --------
    >>> contexts = Contexts.from_dict({"rose": [[1.0, 0.0], [0.9, 0.1]], "wasp": [[0.0, 1.0]]})
    >>> contexts.words, contexts.count("rose"), contexts["rose"].shape
    (('rose', 'wasp'), 2, (2, 2))
    """

    def __init__(
        self,
        words: Iterable[str],
        counts: Iterable[int],
        vectors: NDArray[Any] | Sequence[NDArray[Any]],
        *,
        provenance: Provenance | str | None = None,
        fallback: str | Iterable[str] = (),
    ) -> None:
        # one row per word suffices to find and check words
        counts = np.asarray(list(counts), dtype=np.int64)
        ones = np.ones((counts.size, 1))
        self._index = Embeddings(list(words), ones, provenance=provenance, fallback=fallback)
        self._offsets = np.concatenate([[0], np.cumsum(counts)])
        self._blocks = _read_only_blocks(vectors)
        self._edges = np.concatenate([[0], np.cumsum([len(block) for block in self._blocks])])
        if self._edges[-1] != self._offsets[-1]:
            shapes = ", ".join(str(block.shape) for block in self._blocks)
            message = f"there are {int(counts.sum())} contexts for vectors of shape {shapes}."
            raise EvidenceError(message, hint="give one row per context.")
        if (counts < 1).any():
            word = self._index.labels[int(np.argmin(counts))]
            raise EvidenceError(f"{word!r} has no context.", hint="leave out words without contexts.")
        if not np.isin(self._edges, self._offsets).all():
            raise EvidenceError("a word has contexts in two arrays.", hint="keep those of a word together.")

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = True, fallback: str | Iterable[str] = ()) -> Contexts:
        """Open a store that ``crossroads embed`` wrote; the vectors stay on disk until they are used.

        With ``verify``, every file is compared with its checksum first, which takes about a second per
        gigabyte. ``fallback`` is as for the class.
        """
        made_by = "`crossroads embed DIR --model M -o STORE`"
        others = {SENTENCES: "a contexts folder, not yet embedded"}
        arrays, about = read_folder(path, kind=FORMAT, made_by=made_by, verify=verify, others=others)
        for array in arrays.values():
            one_of("dtype", array.dtype.name, DTYPES)
        try:
            words, counts = list(about["words"]), list(about["counts"])
            _check_table(words, counts)
            blocks = [arrays[name] for name in sorted(arrays)]
            source = Provenance.from_dict(about["provenance"])
            return cls(words, counts, blocks, provenance=source, fallback=fallback)
        except (EvidenceError, KeyError, TypeError, ValueError, OverflowError) as error:
            message = f"the manifest does not describe these context vectors ({error})."
            hint = "the store is damaged or was changed; make it again with `crossroads embed`."
            raise FormatError(message, path=Path(path) / MANIFEST, hint=hint) from error

    def save(self, path: str | Path, *, dtype: str | None = None) -> None:
        """Write a store that :meth:`open` reads, to a folder that must not exist.

        ``dtype`` is ``"float16"``, ``"float32"`` or ``"float64"``, by default that of the vectors.
        """
        counts, rows = np.diff(self._offsets).tolist(), (self[word] for word in self.words)
        kind, about = dtype or self.dtype.name, self.provenance
        write_store(path, self.words, counts, rows, dim=self.dim, dtype=kind, provenance=about)

    @classmethod
    def from_dict(
        cls,
        contexts: Mapping[str, ArrayLike],
        *,
        provenance: Provenance | str | None = None,
        fallback: str | Iterable[str] = (),
    ) -> Contexts:
        """Build from a mapping of word to an array with one row per context."""
        if not isinstance(contexts, Mapping):
            raise EvidenceError(
                f"the contexts are of type {type(contexts).__name__}.", hint="give {word: array, ...}."
            )
        if not contexts:
            message = "there are no contexts: the mapping is empty."
            raise EvidenceError(message, hint="give at least one word.")
        arrays = {word: np.asarray(rows) for word, rows in contexts.items()}
        first_word, first = next(iter(arrays.items()))
        for word, rows in arrays.items():
            if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1:] != first.shape[1:]:
                what = f"of {word!r} have shape {rows.shape}, of {first_word!r} {first.shape}"
                raise EvidenceError(f"the contexts {what}.", hint=_ROWS)
        stacked = np.concatenate(list(arrays.values()))
        if stacked.dtype.kind in "iu":
            stacked = stacked.astype(np.float64)
        if not np.isfinite(stacked).all():
            bad = next(word for word, rows in arrays.items() if not np.isfinite(rows).all())
            message = f"a context of {bad!r} holds nan or infinite values."
            raise EvidenceError(message, hint="remove or repair it.")
        counts = [len(rows) for rows in arrays.values()]
        return cls(list(arrays), counts, stacked, provenance=provenance, fallback=fallback)

    @property
    def index(self) -> Embeddings:
        """The words as labels of one-dimensional placeholders, by which the spelling rules find them."""
        return self._index

    @property
    def words(self) -> tuple[str, ...]:
        """The words, in the order of their vectors."""
        return self._index.labels

    @property
    def blocks(self) -> tuple[NDArray[Any], ...]:
        """The arrays that hold the vectors, each with whole words; read-only, memory-mapped if opened."""
        return self._blocks

    @property
    def vectors(self) -> NDArray[Any]:
        """All context vectors in one array; read-only. Copied if they are in several."""
        if len(self._blocks) == 1:
            return self._blocks[0]
        return read_only(np.concatenate(self._blocks))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self._blocks[0].dtype

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the contexts of each word begin, and where the last ones end."""
        return self._offsets

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return int(self._blocks[0].shape[1])

    @property
    def fallback(self) -> tuple[str, ...]:
        """The rules tried for words that are not found as written."""
        return self._index.fallback

    @property
    def provenance(self) -> Provenance:
        """Where the vectors came from."""
        return self._index.provenance

    def find(self, word: str) -> Match | None:
        """Find a word; the row of the match is its position among the words."""
        return self._index.find(word)

    def count(self, word: str) -> int:
        """How many contexts a word has."""
        return len(self[word])

    def __getitem__(self, word: str) -> NDArray[Any]:
        if (match := self.find(word)) is None:
            raise InputError(f"{word!r} is not among the {len(self)} words.")
        block, start, stop = self.place(match.row)
        rows: NDArray[Any] = self._blocks[block][start:stop]
        return rows

    def place(self, position: int) -> tuple[int, int, int]:
        """The block of the contexts of the word at a position, and its rows there."""
        block = int(np.searchsorted(self._edges, self._offsets[position], side="right")) - 1
        start, stop = self._offsets[position : position + 2] - self._edges[block]
        return block, int(start), int(stop)

    def __contains__(self, word: object) -> bool:
        return word in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        kind, source = self.dtype, self.provenance.source
        return f"<Contexts: {len(self):,} words, {self._offsets[-1]:,} × {self.dim} {kind}, {source}>"


def open_contexts(store: str | Path, fallback: str, *, verify: bool = True) -> Contexts:
    """Open a store of contexts with rules of spelling.

    ``"auto"`` tries lower case if almost all words of the store are in lower case (at most one word in 2,000
    with a capital letter).
    """
    rules = () if fallback in ("auto", "none") else fallback
    contexts = Contexts.open(store, verify=verify, fallback=rules)
    words = contexts.words
    if fallback == "auto" and not is_cased(sum(map(has_capital, words)), len(words)):
        return Contexts.open(store, verify=False, fallback="lower")
    return contexts


def _read_only_blocks(vectors: NDArray[Any] | Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    blocks = (vectors,) if isinstance(vectors, np.ndarray) else tuple(vectors)
    for block in blocks:
        if block.ndim != 2 or block.shape[1:] != blocks[0].shape[1:] or block.shape[1] == 0:
            hint = "give one row per context, all rows of the same length."
            raise EvidenceError(f"the contexts have shape {block.shape}.", hint=hint)
        if block.dtype.kind != "f" or block.dtype != blocks[0].dtype:
            hint = "give real numbers of one type."
            raise EvidenceError(f"the vectors are of type {block.dtype}.", hint=hint)
    if not blocks:
        raise EvidenceError("there are no vectors.", hint="give one row per context.")
    return tuple(read_only(block) for block in blocks)


def write_store(
    path: str | Path,
    words: Sequence[str],
    counts: Sequence[int],
    rows: Iterable[NDArray[Any]],
    *,
    dim: int,
    dtype: str = "float32",
    provenance: Provenance,
    shard_bytes: int = SHARD_BYTES,
) -> None:
    """Write context vectors as a store, as a whole or not at all; ``rows`` are read one word at a time."""
    kind = np.dtype(one_of("dtype", dtype, DTYPES))
    _check_table(words, counts)
    checked = _checked_rows(zip(words, counts, rows, strict=True), dim, kind)
    shards: dict[str, NDArray[Any] | Rows] = {}
    first = 0
    for last in cuts([int(count) * dim * kind.itemsize for count in counts], shard_bytes):
        shape = (int(sum(counts[first:last])), dim)
        shards[f"vectors-{len(shards):05d}"] = Rows(shape, kind, islice(checked, last - first))
        first = last
    table = {"words": list(words), "counts": [int(count) for count in counts]}
    write_folder(path, shards, table | {"provenance": provenance.to_dict()}, kind=FORMAT)


def _check_table(words: Sequence[Any], counts: Sequence[Any]) -> None:
    """Refuse words that cannot be asked for, that occur twice, or that have no contexts."""
    if len(words) != len(counts) or not words:
        message = f"there are {len(words)} words and {len(counts)} counts."
        raise EvidenceError(message, hint="give one count per word, at least one.")
    for word, count in zip(words, counts, strict=True):
        if (fault := word_fault(word)) is not None:
            raise EvidenceError(f"{in_short(word)} {fault}.", hint="name words as they are asked for.")
        if not isinstance(count, int | np.integer) or count < 1:
            message = f"the word {in_short(word)} has {in_short(count)} contexts."
            raise EvidenceError(message, hint="leave out words without contexts.")
    if twice := [word for word, times in Counter(words).items() if times > 1]:
        message = f"these words occur more than once: {join_words(map(in_short, twice), most=4)}."
        raise EvidenceError(message, hint="put all contexts of a word into one array.")


def cuts(sizes: Sequence[int], enough: int) -> Iterator[int]:
    """Yield where groups of neighbours end, each as soon as its sizes add up to enough."""
    filled = 0
    for position, size in enumerate(sizes, start=1):
        filled += size
        if filled >= enough or position == len(sizes):
            yield position
            filled = 0


def _checked_rows(
    words: Iterable[tuple[str, int, NDArray[Any]]], dim: int, dtype: np.dtype[Any]
) -> Iterator[NDArray[Any]]:
    """The contexts of each word as they are stored; those that do not fit are an error."""
    for word, count, rows in words:
        if rows.shape != (count, dim):
            message = f"the contexts of {word!r} have shape {rows.shape}, expected {(count, dim)}."
            raise EvidenceError(message, hint=_ROWS)
        with np.errstate(over="ignore"):
            stored = rows.astype(dtype)
        if not np.isfinite(stored).all():
            reason, hint = "it holds nan or infinity", "leave out that context, or compute it again."
            if np.isfinite(rows).all():
                wider = "float32 or float64" if dtype == np.float16 else "float64"
                reason, hint = "its numbers are too large", f"store it as {wider}."
            raise EvidenceError(f"a context of {word!r} is not finite as {dtype}: {reason}.", hint=hint)
        yield stored

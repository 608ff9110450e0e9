"""One vector per label, the evidence that static association tests read; and where evidence came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.core.errors import EvidenceError, InputError, in_short, join_words
from crossroads.core.evidence.spelling import Unread, check_fallback, helpful_rules, nearest_words, spellings
from crossroads.core.stimuli.files.text import guarded

_CHECK_ROWS = 1 << 14
_VOCABULARY, _LEAST_COMMON = 2_000, 50
"""Words of a vocabulary, and of its common words, from which near copies are looked for with their help."""


def scattered(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """A number between 0 and 1 for each row, without any order (splitmix64)."""
    z = ranks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    numbers: NDArray[np.float64] = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * np.float64(2.0**-53)
    return numbers


COMMON = np.sort(np.argsort(scattered(np.arange(1, 20_001)), kind="stable")[:1_000]) + 1
"""Places, counted from 1, of 1,000 of the first 20,000 words of a source: its common words."""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The origin of a set of vectors.

    Examples
    --------
    >>> import crossroads as cr
    >>> source = cr.sources.Provenance(source="my-vectors.txt", details={"trained on": "letters of 1850"})
    >>> emb = cr.Embeddings(["rose", "wasp"], [[1, 0], [0, 1]], provenance=source)
    >>> emb.provenance.source
    'my-vectors.txt'
    """

    source: str
    """The file, package or model the vectors were read from."""
    format: str = "in memory"
    """The format the source was read as, such as ``"glove-text"``."""
    revision: str | None = None
    """Version or revision of the source, if it has one."""
    sha256: str | None = None
    """Checksum of the file, if it was computed."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further facts that identify the evidence: size of the vocabulary, layer, pooling, decade."""

    def __post_init__(self) -> None:
        """Escape bytes of a path that are not valid characters, so that the name can always be written."""
        object.__setattr__(self, "source", _writable(self.source))
        details = {key: _writable(value) for key, value in self.details.items()}
        if details != self.details:
            object.__setattr__(self, "details", details)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**vars(self), "details": dict(self.details)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, keep: bool = False) -> Provenance:
        """Rebuild from :meth:`to_dict`; with ``keep``, what another version has recorded becomes details.

        A TypeError if the data are not those of a provenance, a FormatError if they are nested too deeply.
        """
        kinds = {
            "source": str,
            "format": str,
            "revision": str | None,
            "sha256": str | None,
            "details": Mapping,
        }
        data = guarded(lambda: dict(data), "the provenance")
        if not all(isinstance(data[name], kind) for name, kind in kinds.items() if name in data):
            raise TypeError("this is not a provenance")
        more = {key: value for key, value in data.items() if keep and key not in kinds}
        fields = {key: value for key, value in data.items() if key not in more}
        return cls(**fields | {"details": {**more, **fields.get("details", {})}})


def _writable(value: Any) -> Any:
    """Text that UTF-8 can encode; paths may have other bytes."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def provenance_of(about: object, source: str) -> Provenance:
    """Provenance as it is, from a description, or with a default source."""
    if isinstance(about, Provenance):
        return about
    if about is not None and not isinstance(about, str):
        hint = "give cr.sources.Provenance, or a description."
        raise EvidenceError(f"the provenance is of type {type(about).__name__}.", hint=hint)
    return Provenance(source=source if about is None else about)


class Match(NamedTuple):
    """How a word was found."""

    row: int
    """Row of the vector."""
    label: str
    """The label under which it is stored."""
    rule: str
    """``"exact"``, or the fallback rule that found it."""


class Embeddings:
    """Vectors with their labels, read-only.

    Parameters
    ----------
    labels
        One label per row, all different.
    vectors
        Two-dimensional array of real numbers, one row per label. Its type is kept; a memory-mapped
        array stays on disk.
    provenance
        Where the vectors came from; :class:`Provenance` or a description.
    fallback
        Rules for words that are not found as they are written: any of ``"lower"``, ``"title"``,
        ``"accents"``, in the order to try them. None by default. What each rule found is recorded in
        the coverage of every result. Phrases are found whether spaces, underscores or hyphens join their
        words, and accents whether they are part of their letters or not, under every rule.
    unread
        Words of the source beyond these vectors, for messages about words that are not found.
    ranks
        The place of each word among those of its source by frequency, the most frequent first, counted
        from 1; None where that is unknown.
    pool
        Other words of the same source, against which measures compare; by default the vectors are their own
        pool, unless the source holds more.
    more
        Reads that many other words of the source, for measures that need a pool where none was loaded.
    common
        Vectors of some of the first words of the source; by default those at :data:`COMMON` of a whole
        vocabulary.

    Examples
    --------
    >>> emb = Embeddings(["rose", "wasp"], [[1.0, 0.0], [0.0, 1.0]])
    >>> emb.dim, len(emb), "rose" in emb
    (2, 2, True)
    """

    def __init__(
        self,
        labels: Sequence[str],
        vectors: ArrayLike,
        *,
        provenance: Provenance | str | None = None,
        fallback: str | Iterable[str] = (),
        unread: Unread | None = None,
        ranks: Sequence[int] | NDArray[np.integer[Any]] | None = None,
        pool: Embeddings | None = None,
        more: Callable[[int], Embeddings | None] | None = None,
        common: NDArray[Any] | None = None,
    ) -> None:
        self._labels = labels = _as_labels(labels)
        self._vectors: NDArray[Any] = _checked(labels, vectors)
        self._index = {label: row for row, label in enumerate(labels)}
        if len(self._index) < len(labels):
            twice = [label for label, times in Counter(labels).items() if times > 1]
            message = f"{join_words(map(in_short, twice), most=3)} label(s) more than one row."
            raise EvidenceError(message, hint="give each row its own label.")
        self._fallback = check_fallback(fallback)
        self._unread, self._some = unread, unread is not None
        self._provenance = provenance_of(provenance, "given as arrays")
        self._ranks = None if ranks is None else _as_ranks(ranks, labels)
        self._pool, self._more, self._common = pool, more, common

    @classmethod
    def from_dict(
        cls,
        vectors: Mapping[str, ArrayLike],
        *,
        provenance: Provenance | str | None = None,
        fallback: str | Iterable[str] = (),
    ) -> Embeddings:
        """Build from a mapping of label to vector."""
        if not hasattr(vectors, "items"):
            message = f"the vectors are of type {type(vectors).__name__}."
            raise EvidenceError(message, hint="give {word: vector, ...}.")
        if not vectors:
            raise EvidenceError("there are no vectors: the mapping is empty.", hint="give at least one.")
        rows = {word: np.asarray(vector) for word, vector in vectors.items()}
        first_word, first = next(iter(rows.items()))
        for word, row in rows.items():
            if row.shape != first.shape or row.ndim != 1:
                shapes = f"has shape {row.shape}, that of {first_word!r} has shape {first.shape}"
                hint = "every vector must be one-dimensional and of the same length."
                raise EvidenceError(f"the vector of {word!r} {shapes}.", hint=hint)
        return cls(list(rows), np.stack(list(rows.values())), provenance=provenance, fallback=fallback)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the rows."""
        return self._labels

    @property
    def vectors(self) -> NDArray[Any]:
        """The vectors, one row per label; read-only."""
        return self._vectors

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return int(self._vectors.shape[1])

    @property
    def fallback(self) -> tuple[str, ...]:
        """The rules tried for words that are not found as written."""
        return self._fallback

    @property
    def provenance(self) -> Provenance:
        """Where the vectors came from."""
        return self._provenance

    @property
    def ranks(self) -> Mapping[str, int] | None:
        """Label to its place by frequency in the source, counted from 1; None where that is unknown."""
        return None if self._ranks is None else MappingProxyType(self._rank_of)

    @cached_property
    def _rank_of(self) -> dict[str, int]:
        ranks = () if self._ranks is None else self._ranks.tolist()
        return dict(zip(self._labels, ranks, strict=True))

    @property
    def pool(self) -> Embeddings | None:
        """Other words of the source: those also loaded, or all of these vectors where there are no others.

        None where the source holds more words and none was loaded, which
        ``cr.load(path, words=…, pool=20_000)`` does.
        """
        return self._pool if self._pool is not None or self._some else self

    @property
    def common(self) -> NDArray[Any] | None:
        """Vectors of some of the first words of the source; None where these are not known."""
        if self._common is None and not self._some and len(self) >= _VOCABULARY:
            self._common = np.array(self._vectors[COMMON[len(self) >= COMMON] - 1])
        return self._common

    @cached_property
    def vocabulary(self) -> NDArray[np.float64] | None:
        """Covariance of the unit vectors of common words, which tells near copies; None without any."""
        return None if self.common is None else covariance(self.common)

    def others(self, n: int) -> Embeddings | None:
        """The pool, or, where none was loaded, ``n`` words that are read now and remembered.

        None where there is no pool and it is not known how to read one.
        """
        if self.pool is None and self._more is not None:
            self._pool = self._more(n)
        return self.pool

    def with_pool(self, pool: Embeddings | None) -> Embeddings:
        """The same vectors with other words to compare with; nothing is copied."""
        return self._with(_pool=pool)

    def with_vectors(
        self,
        vectors: NDArray[Any],
        *,
        provenance: Provenance,
        pool: Embeddings | None = None,
        common: NDArray[Any] | None = None,
    ) -> Embeddings:
        """The same words with other vectors, such as corrected ones, and with others of the same kind."""
        checked = _checked(self._labels, np.asarray(vectors))
        twin = self._with(_vectors=checked, _provenance=provenance, _pool=pool, _more=None, _common=common)
        twin.__dict__.pop("vocabulary", None)
        return twin

    def with_fallback(self, fallback: str | Iterable[str]) -> Embeddings:
        """The same vectors with other fallback rules; nothing is copied."""
        return self._with(_fallback=check_fallback(fallback))

    def _with(self, **changes: Any) -> Embeddings:
        twin = object.__new__(Embeddings)
        twin.__dict__.update({**self.__dict__, **changes})
        return twin

    def exact_rows(self, words: Iterable[str]) -> list[int | None]:
        """Rows of many words as they are written; None for those that are not found."""
        return list(map(self._index.get, words))

    def find(self, word: str) -> Match | None:
        """Find a word, by the fallback rules if it is not found as written."""
        for form, rule in spellings(word, self._fallback):
            if (row := self._index.get(form)) is not None:
                return Match(row, form, rule)
        return None

    @property
    def unread(self) -> Unread | None:
        """Words of the source beyond these vectors; None if there are none."""
        return self._unread

    def helpful_rules(self, words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The spelling rules under which most of the given words would be found, and these words."""
        forms = frozenset() if self._unread is None else self._unread.forms
        return helpful_rules(words, lambda form: form in self._index or form in forms, self._fallback)

    def nearest(self, words: Sequence[str], *, n: int = 3) -> Mapping[str, tuple[str, ...]]:
        """The labels of the source closest to each of the given words in spelling, best first."""
        blocks = ("\n".join(self._labels),) if self._unread is None else self._unread.blocks
        return nearest_words(words, blocks, n=n)

    def select(self, words: Iterable[str]) -> Embeddings:
        """Only the rows of the given words, in memory, under their stored labels.

        Ranks are kept, and so is the pool unless it is these vectors themselves.
        """
        matches: dict[str, int] = {}
        words = list(words)
        for word, row in zip(words, self.exact_rows(words), strict=True):
            match = self._found(word) if row is None else Match(row, word, "exact")
            matches[match.label] = match.row
        rows = np.fromiter(matches.values(), dtype=np.intp, count=len(matches))
        vectors = np.array(self._vectors[rows])
        ranks = None if self._ranks is None else self._ranks[rows]
        rules, pool, more = self._fallback, self._pool, self._more
        some = Embeddings(list(matches), vectors, provenance=self._provenance, fallback=rules, ranks=ranks)
        return some._with(_pool=pool, _more=more, _some=True, _common=self.common)

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def __getitem__(self, word: str) -> NDArray[Any]:
        vector: NDArray[Any] = self._vectors[self._found(word).row]
        return vector

    def _found(self, word: str) -> Match:
        if (match := self.find(word)) is None:
            raise InputError(f"{word!r} is not among the {len(self)} labels.")
        return match

    def __repr__(self) -> str:
        return f"<Embeddings: {len(self):,} × {self.dim} {self._vectors.dtype}, {self._provenance.source}>"


def covariance(common: NDArray[Any]) -> NDArray[np.float64] | None:
    """Covariance of the unit vectors of common words; None of few words."""
    vectors = np.asarray(common, np.float64)
    vectors = vectors[np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)]
    if len(vectors) < _LEAST_COMMON:
        return None
    vectors = vectors / np.abs(vectors).max(axis=1, keepdims=True)  # squares do not overflow
    return np.atleast_2d(np.cov(vectors.T / np.linalg.norm(vectors, axis=1)))


def _as_labels(labels: Sequence[str]) -> tuple[str, ...]:
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise EvidenceError(f"the labels are {in_short(labels)}.", hint="give a list of words.")
    words = tuple(labels)
    wrong = {kind for kind in set(map(type, words)) if not issubclass(kind, str)}
    if wrong:
        bad = next(word for word in words if type(word) in wrong)
        message = f"the label {in_short(bad)} is of type {type(bad).__name__}."
        raise EvidenceError(message, hint="give words as labels.")
    return words


def _checked(labels: tuple[str, ...], vectors: ArrayLike) -> NDArray[Any]:
    """A read-only view of vectors, one finite row per label; those that stay on disk are not read."""
    try:
        array = vectors if isinstance(vectors, np.ndarray) else np.asarray(vectors)
    except ValueError as error:
        message = f"the vectors do not make one array: {error}."
        raise EvidenceError(message, hint="every vector must have the same length.") from error
    fault = hint = ""
    if array.ndim != 2:
        fault = f"the vectors have {array.ndim} dimension(s), shape {array.shape}."
        hint = "give a two-dimensional array, one row per label."
    elif len(array) != len(labels):
        fault, hint = f"there are {len(labels)} labels for {len(array)} vectors.", "give one label per row."
    elif 0 in array.shape:
        fault, hint = f"there is nothing to measure: shape {array.shape}.", "give at least one vector."
    elif array.dtype.kind not in "fiu":
        fault = f"the vectors are of type {array.dtype}."
        hint = "give real numbers (float16, float32, float64 or integers)."
    if fault:
        raise EvidenceError(fault, hint=hint)
    read = array.dtype.kind == "f" and not isinstance(array, np.memmap)
    for start in range(0, len(labels) if read else 0, _CHECK_ROWS):
        bad = ~np.isfinite(array[start : start + _CHECK_ROWS]).all(axis=1)
        if bad.any():
            words = [repr(labels[start + i]) for i in np.flatnonzero(bad)]
            message = f"the vector of {join_words(words, most=3)} holds nan or infinite values."
            raise EvidenceError(message, hint="remove these rows, or repair them at their source.")
    return read_only(array)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def _as_ranks(ranks: Sequence[int] | NDArray[np.integer[Any]], labels: tuple[str, ...]) -> NDArray[np.int64]:
    array = np.asarray(ranks)
    if array.shape != (len(labels),) or array.dtype.kind not in "iu" or array.min() < 1:
        hint = "give one whole number per label, counted from 1, or None."
        raise EvidenceError(f"the ranks of {len(labels)} labels are {in_short(ranks)}.", hint=hint)
    return array.astype(np.int64)

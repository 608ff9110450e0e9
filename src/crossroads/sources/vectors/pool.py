"""Other words of a file, read along with those that are asked for, and whether its order is one of frequency.

Which words of like frequency, or of no matter which topic, would have come out is asked of a pool of some
thousand words. The row of a word decides whether it is in the pool, so that a file always gives the same
one, however it is cut into blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.sources.vectors.reader import Request, Vocabulary

_LEAST_WORDS = 2_000
"""Words of a file below which its first rows say nothing about its order."""
_COMMON = {
    "en": "the of and to in is for that",
    "de": "der die und in den von zu das",
    "fr": "de la le et les des en que",
    "es": "de la que el en y los del",
    "pt": "de a que o e do da em",
    "it": "di e il la che in un per",
    "nl": "de van het een en in is dat",
    "sv": "och i att en som det av för",
    "da": "og i at det er en af til",
    "no": "og i det er en på som til",
    "fi": "ja on ei se että hän oli mutta",
    "pl": "w i na z do się nie że",
    "cs": "a v se na je že s z",
    "ru": "и в на не что с по как",
    "uk": "і в на не що з до та",
    "tr": "ve bir bu da de için ile çok",
    "id": "yang dan di ini dengan untuk dari itu",
    "zh": "的 是 在 了 不 和 有 我",
    "ja": "の に は を が と で た",
    "ar": "في من على أن إلى ما لا هذا",
    "hi": "के में है की और से का को",
}
"""The eight most common words, or nearly, of some languages."""
_ENOUGH = 4
"""How many of them must be among the first."""


class Order(NamedTuple):
    """Whether words come in the order of their frequency, and how that was decided."""

    by_frequency: bool
    """Whether they do."""
    decided: str
    """How that was decided, in words."""


def order_of(request: Request, vocabulary: Vocabulary) -> Order:
    """Decide whether a source lists its words by frequency, the most frequent first.

    GloVe, word2vec and fastText write their vocabulary so. The first rows are looked at as well, since
    files are sorted, joined and cut: at least half of the eight most common words of one of some languages
    must be among them. Of other formats nothing is assumed.
    """
    if request.ranked is not None:
        return Order(request.ranked, f"{'by frequency' if request.ranked else 'unknown'}, as asked")
    if not request.usually_ranked:
        return Order(False, "unknown: this format has no order of its own")
    if vocabulary.size < _LEAST_WORDS:
        return Order(False, f"unknown: fewer than {_LEAST_WORDS:,} words")
    first = {word.lower() for word in vocabulary.head}
    found = max(([word for word in words.split() if word in first] for words in _COMMON.values()), key=len)
    if len(found) < _ENOUGH:
        return Order(False, f"unknown: few very common words are among the first {len(vocabulary.head)}")
    return Order(
        True,
        f"by frequency: the format is, and {', '.join(found)} are among the first {len(vocabulary.head)}",
    )


class Sample(NamedTuple):
    """The words of a pool."""

    labels: list[str]
    """The words, in the order of the file."""
    vectors: NDArray[Any]
    """One row per word."""
    ranks: NDArray[np.int64]
    """The row of each in the file, counted from 1."""


class Pool:
    """A sample of the words that were not asked for.

    Every row has a number between 0 and 1 that its place in the file decides, and the rows with the smallest
    products of that number and the row are kept. So the most frequent words are all there, and the others are
    spread evenly over the logarithm of the rank. Where the order of a file is unknown, the numbers alone
    decide, and every word has the same chance. Words with anything but letters are left out.
    """

    def __init__(self, request: Request, vocabulary: Vocabulary, dim: int, dtype: Any) -> None:
        self._request, self._vocabulary = request, vocabulary
        self._size = request.pool or 0
        self._wanted = request.wanted or frozenset()
        self._labels: list[str] = []
        self._ranks: list[int] = []
        self._blocks: list[NDArray[Any]] = [np.empty((0, dim), dtype)]
        self._by_frequency: bool | None = None
        self._largest = np.inf

    def choose(self, tokens: Sequence[str] | Sequence[bytes], first: int) -> list[int]:
        """Which of some consecutive words may come into the pool; ``first`` is the row of the first."""
        low = np.arange(len(tokens))
        if np.isfinite(self._largest):
            low = np.flatnonzero(self._keys(low + first) <= self._largest)
        return [i for i in low.tolist() if self._is_other_word(tokens[i])]

    def settle(self, tokens: Sequence[str], ranks: NDArray[np.int64] | None = None) -> list[int]:
        """Which words come into the pool, where all words of the source are given, from the first on."""
        ranks = np.arange(1, len(tokens) + 1) if ranks is None else ranks
        order = np.argsort(self._keys(ranks), kind="stable").tolist()
        return sorted(islice((row for row in order if self._is_other_word(tokens[row])), self._size))

    def add(self, labels: Sequence[str], vectors: NDArray[Any], ranks: Sequence[int]) -> None:
        """Add some words; those whose vectors cannot be measured are left out."""
        rows = list(range(len(labels)))
        if vectors.shape[1]:
            known = np.isfinite(vectors).all(axis=1)
            rows = np.flatnonzero(known & (vectors != 0).any(axis=1)).tolist()
        self._labels += [labels[row] for row in rows]
        self._ranks += [ranks[row] for row in rows]
        self._blocks.append(vectors[rows])
        if len(self._labels) > self._size + self._size // 4 + _LEAST_WORDS:
            self._prune()

    def sample(self) -> Sample:
        """The pool, in the order of the file."""
        self._prune()
        once: dict[str, int] = {}
        for row, label in enumerate(self._labels):
            once.setdefault(label, row)
        rows = list(once.values())
        return Sample(list(once), self._blocks[0][rows], np.array(self._ranks, dtype=np.int64)[rows])

    def _prune(self) -> None:
        """Keep the smallest keys, and take no larger ones any more."""
        ranks = np.array(self._ranks, dtype=np.int64)
        keep = np.sort(self._smallest(ranks))
        self._labels = [self._labels[row] for row in keep.tolist()]
        self._ranks = ranks[keep].tolist()
        self._blocks = [np.concatenate(self._blocks)[keep]]
        if len(keep) == self._size:
            self._largest = float(self._keys(ranks[keep]).max(initial=0.0))

    def _smallest(self, ranks: NDArray[np.int64]) -> NDArray[np.intp]:
        return np.argsort(self._keys(ranks), kind="stable")[: self._size]

    def _keys(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """The number of each row, by which it is kept or not."""
        if self._by_frequency is None:
            self._by_frequency = order_of(self._request, self._vocabulary).by_frequency
        numbers = _scattered(ranks)
        return numbers * ranks if self._by_frequency else numbers

    def _is_other_word(self, token: str | bytes) -> bool:
        if isinstance(token, bytes):
            try:
                token = token.decode("utf-8")
            except UnicodeDecodeError:
                return False
        return token.isalpha() and token not in self._wanted


def _scattered(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """A number between 0 and 1 for each row, without any order (splitmix64)."""
    z = ranks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    scattered: NDArray[np.float64] = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * np.float64(2.0**-53)
    return scattered

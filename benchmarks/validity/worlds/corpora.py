"""Worlds of text: small corpora with planted associations, and vectors that are trained on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import one_of
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats
from crossroads.inference.bootstrap import generator
from crossroads.inference.options import number, whole
from crossroads.stimuli import Design
from crossroads.worlds.vectors import SETS, Truth, VectorWorlds, World, sizes_of

CorpusKind = Literal["plain", "topical"]
CORPUS_SAYS: Mapping[str, str] = MappingProxyType(
    {
        "plain": "vectors trained on text in which all sets keep the same company, but for what is planted",
        "topical": "vectors trained on text in which every set has a topic of its own",
    }
)
_TOPICS, _PER_TOPIC, _FUNCTION = 8, 15, 20
_LENGTH = 8
_OWN = 0.5  # how far the lean of a single word lies from that of its set


@dataclass(frozen=True, kw_only=True, eq=False)
class Corpus:
    """A small corpus with a planted association."""

    vocabulary: tuple[str, ...]
    """Its words: those of x, y, a and b, then all others."""
    tokens: NDArray[np.int64]
    """Sentences × places: numbers of words; −1 where a place is empty."""
    design: Design
    """The four sets."""
    truth: Truth
    """What is true of it."""

    def sentences(self) -> Iterator[str]:
        """The sentences as text."""
        return (" ".join(self.vocabulary[t] for t in line if t >= 0) for line in self.tokens.tolist())

    def world(self, dim: int = 50) -> World:
        """Vectors trained on the corpus, with the design and what is true.

        Parameters
        ----------
        dim
            Number of dimensions.
        """
        rows = trained(self.tokens, len(self.vocabulary), whole("dim", dim, least=2))
        emb = Embeddings(self.vocabulary, rows, provenance="trained on a corpus with a planted association")
        return World(emb, self.design, self.truth)


def planted_corpus(
    kind: CorpusKind = "plain",
    *,
    sizes: int | Iterable[int] = 8,
    sentences: int = 5_000,
    effect: float = 0.0,
    seed: int = 0,
) -> Corpus:
    """Write a small corpus in which X goes with A, and Y with B, as much as is asked for.

    In two of five sentences a target meets two attributes. The log odds that these are of A are ``effect``
    for words of X, −``effect`` for words of Y, and a little more or less for each word.

    Parameters
    ----------
    kind
        ``"plain"``: the other words of a sentence have nothing to do with the sets. ``"topical"``: every set
        has a topic of its own, to which they belong where a word of the set stands alone.
    sizes
        Number of words of a set, or of x, y, a and b.
    sentences
        How many.
    effect
        The planted association, in log odds; 0 for none.
    seed
        Of everything random.

    Examples
    --------
    >>> import crossroads as cr
    >>> corpus = cr.worlds.planted_corpus(effect=1.0)
    >>> len(list(corpus.sentences()))
    5000
    >>> emb, design, truth = corpus.world()
    >>> cr.weat(emb, design, alternative="two-sided").crossed.pvalue < 0.01, truth.null
    (True, False)
    """
    one_of("kind", kind, CorpusKind)
    whole("sentences", sentences, least=100, hint="write at least 100; 5,000 is usual.")
    number("effect", effect, hint="give log odds; 0 plants no association.")
    sizes = sizes_of(sizes)
    rng = generator(seed)
    labels = {name: [f"{name}{i}" for i in range(1, n + 1)] for name, n in zip(SETS, sizes, strict=True)}
    rest = [f"topic{t}-{i}" for t in range(1, _TOPICS + 1) for i in range(1, _PER_TOPIC + 1)]
    rest += [f"function{i}" for i in range(1, _FUNCTION + 1)]
    tokens = _written(sizes, sentences, float(effect), kind == "topical", rng)
    x, y, a, b = labels.values()
    null = effect == 0
    return Corpus(
        vocabulary=(*x, *y, *a, *b, *rest),
        tokens=tokens,
        design=Design(name=f"{kind} corpus", x=x, y=y, a=a, b=b),
        truth=Truth(
            difference=0.0 if null else None,
            lean=0.0 if null else None,
            null=null,
            says=CORPUS_SAYS[kind],
        ),
    )


def corpus_worlds(
    kind: CorpusKind = "plain",
    *,
    worlds: int = 1,
    sizes: int | Iterable[int] = 8,
    sentences: int = 5_000,
    effect: float = 0.0,
    dim: int = 50,
    seed: int = 0,
) -> VectorWorlds:
    """Train vectors on many small corpora with a planted association.

    Parameters
    ----------
    kind, sizes, sentences, effect
        As in :func:`~crossroads.worlds.planted_corpus`.
    worlds
        How many corpora.
    dim
        Number of dimensions of the vectors.
    seed
        Of everything random.

    Notes
    -----
    Vectors are those of positive pointwise mutual information within a sentence, reduced by a singular value
    decomposition (Levy, Goldberg & Dagan 2015, doi:10.1162/tacl_a_00134). Δ is 0 by symmetry where nothing is
    planted; elsewhere only its sign is known.

    Examples
    --------
    >>> import crossroads as cr
    >>> worlds = cr.worlds.corpus_worlds("topical", worlds=3, sizes=5)
    >>> worlds.cosines().shape, worlds.truth.null
    ((3, 10, 10), True)
    """
    whole("worlds", worlds, least=1)
    whole("dim", dim, least=2)
    rng, found = generator(seed), []
    for _ in range(worlds):
        corpus = planted_corpus(
            kind, sizes=sizes, sentences=sentences, effect=effect, seed=int(rng.integers(2**62))
        )
        rows = trained(corpus.tokens, len(corpus.vocabulary), dim)[: len(corpus.design.words)]
        found.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    ends = np.cumsum(sizes_of(sizes))[:-1]
    parts = np.split(np.stack(found), ends, axis=1)
    return VectorWorlds(
        kind=f"{kind} corpora",
        vectors=MappingProxyType(dict(zip(SETS, parts, strict=True))),
        truth=corpus.truth,
    )


def _written(
    sizes: tuple[int, int, int, int], sentences: int, effect: float, topical: bool, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Sentences: a target, two attributes, three words of a topic, two function words; −1 for an empty place.

    Sentences in which a target meets attributes are of any topic: else the company that one word of a set
    keeps would become that of all others, by way of their topic.
    """
    n_x, n_y, n_a, n_b = sizes
    starts = np.cumsum([0, *sizes])
    tokens = np.full((sentences, _LENGTH), -1, dtype=np.int64)
    kinds = rng.choice(4, size=sentences, p=[0.4, 0.25, 0.2, 0.15])  # both, a target, attributes, neither
    second = rng.random(sentences) < 0.5  # whether the target is one of Y
    target = np.where(second, starts[1] + _frequent(n_y, sentences, rng), _frequent(n_x, sentences, rng))
    lean = np.concatenate([np.full(n_x, effect), np.full(n_y, -effect)]) + _OWN * rng.normal(size=n_x + n_y)
    odds = np.where(kinds == 0, lean[target], 0.0)
    of_a = rng.random(sentences) < 1 / (1 + np.exp(-odds))
    tokens[:, 0] = np.where(kinds < 2, target, -1)
    for place in (1, 2):
        some = starts[2] + _frequent(n_a, sentences, rng), starts[3] + _frequent(n_b, sentences, rng)
        tokens[:, place] = np.where(kinds % 2 == 0, np.where(of_a, *some), -1)
    topic = rng.integers(0, _TOPICS, sentences)
    if topical:
        topic = np.where(kinds == 1, second.astype(int), topic)
        topic = np.where(kinds == 2, 2 + (~of_a).astype(int), topic)
    tokens[:, 3:6] = starts[4] + topic[:, None] * _PER_TOPIC + rng.integers(0, _PER_TOPIC, (sentences, 3))
    tokens[:, 6:] = starts[4] + _TOPICS * _PER_TOPIC + _frequent(_FUNCTION, 2 * sentences, rng).reshape(-1, 2)
    return tokens


def _frequent(n: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Numbers below n, the first ones more often, as words of a language are."""
    weights = 1 / (np.arange(n) + 3.0)
    return np.asarray(np.searchsorted(np.cumsum(weights / weights.sum())[:-1], rng.random(count)))


def trained(tokens: NDArray[np.int64], words: int, dim: int) -> Floats:
    """Vectors of words: positive pointwise mutual information within sentences, reduced to ``dim``."""
    counts = np.zeros(words * words)
    for i in range(tokens.shape[1]):
        for j in range(i):
            both = (tokens[:, i] >= 0) & (tokens[:, j] >= 0)
            counts += np.bincount(tokens[both, i] * words + tokens[both, j], minlength=words * words)
    table = counts.reshape(words, words)
    table += table.T
    np.fill_diagonal(table, 0.0)
    contexts = table.sum(axis=0) ** 0.75  # rare contexts count for less (Levy, Goldberg & Dagan 2015)
    expected = table.sum(axis=1)[:, None] * (contexts / contexts.sum())[None]
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.where(table > 0, np.log(table / expected), 0.0)
    left, size, right = np.linalg.svd(np.maximum(information, 0.0))
    kept = min(dim, words)
    # a word as itself and as a context of others: words that stand together are alike, not only their company
    return np.asarray((left[:, :kept] + right[:kept].T) * np.sqrt(size[:kept]))

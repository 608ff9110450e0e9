"""Worlds of text: vectors trained on small corpora with planted associations.

In two of five sentences a target meets two attributes. The log odds that these are of A are ``effect`` for
words of X, −``effect`` for words of Y, and a little more or less for each word. The other words of a
sentence have nothing to do with the sets; in ``topical`` corpora every set has a topic of its own, to which
they belong where a word of the set is alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.geometry import Floats

from .vectors import DIM, EIGHT, SETS, Sizes, Truth, VectorWorlds, unit_length

CorpusKind = Literal["plain", "topical"]
CORPUS_SAYS: Mapping[str, str] = {
    "plain": "vectors trained on text in which all sets keep the same company, but for what is planted",
    "topical": "vectors trained on text in which every set has a topic of its own",
}
_TOPICS, _PER_TOPIC, _FUNCTION = 8, 15, 20
_SENTENCES, _LENGTH = 5_000, 8
_OWN = 0.5  # how far the lean of a single word lies from that of its set


def corpus_worlds(
    kind: CorpusKind, *, worlds: int = 1, sizes: Sizes = EIGHT, effect: float = 0.0, seed: int = 0
) -> VectorWorlds:
    """Train vectors on many small corpora with a planted association.

    Vectors are those of positive pointwise mutual information within a sentence, reduced by a singular value
    decomposition (Levy, Goldberg & Dagan 2015, doi:10.1162/tacl_a_00134). Δ is 0 by symmetry where nothing is
    planted; elsewhere only its sign is known.
    """
    rng, found = np.random.default_rng(seed), []
    words = sum(sizes) + _TOPICS * _PER_TOPIC + _FUNCTION
    for _ in range(worlds):
        own = np.random.default_rng(int(rng.integers(2**62)))
        tokens = _written(sizes, effect, kind == "topical", own)
        found.append(unit_length(trained(tokens, words, DIM)[: sum(sizes)]))
    parts = np.split(np.stack(found), np.cumsum(sizes)[:-1], axis=1)
    known = 0.0 if effect == 0 else None
    return VectorWorlds(
        kind=f"{kind} corpora",
        vectors=dict(zip(SETS, parts, strict=True)),
        truth=Truth(difference=known, lean=known, null=effect == 0),
    )


def _written(sizes: Sizes, effect: float, topical: bool, rng: np.random.Generator) -> NDArray[np.int64]:
    """Sentences × places: a target, two attributes, three words of a topic, two function words; −1 if empty.

    Sentences in which a target meets attributes are of any topic: else the company that one word of a set
    keeps would become that of all others, by way of their topic.
    """
    n_x, n_y, n_a, n_b = sizes
    starts = np.cumsum([0, *sizes])
    tokens = np.full((_SENTENCES, _LENGTH), -1, dtype=np.int64)
    kinds = rng.choice(4, size=_SENTENCES, p=[0.4, 0.25, 0.2, 0.15])  # both, a target, attributes, neither
    second = rng.random(_SENTENCES) < 0.5  # whether the target is one of Y
    target = np.where(second, starts[1] + _frequent(n_y, _SENTENCES, rng), _frequent(n_x, _SENTENCES, rng))
    lean = np.concatenate([np.full(n_x, effect), np.full(n_y, -effect)]) + _OWN * rng.normal(size=n_x + n_y)
    odds = np.where(kinds == 0, lean[target], 0.0)
    of_a = rng.random(_SENTENCES) < 1 / (1 + np.exp(-odds))
    tokens[:, 0] = np.where(kinds < 2, target, -1)
    for place in (1, 2):
        some = starts[2] + _frequent(n_a, _SENTENCES, rng), starts[3] + _frequent(n_b, _SENTENCES, rng)
        tokens[:, place] = np.where(kinds % 2 == 0, np.where(of_a, *some), -1)
    topic = rng.integers(0, _TOPICS, _SENTENCES)
    if topical:
        topic = np.where(kinds == 1, second.astype(int), topic)
        topic = np.where(kinds == 2, 2 + (~of_a).astype(int), topic)
    tokens[:, 3:6] = starts[4] + topic[:, None] * _PER_TOPIC + rng.integers(0, _PER_TOPIC, (_SENTENCES, 3))
    function = _frequent(_FUNCTION, 2 * _SENTENCES, rng).reshape(-1, 2)
    tokens[:, 6:] = starts[4] + _TOPICS * _PER_TOPIC + function
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

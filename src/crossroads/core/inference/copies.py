"""Near copies among the words of a set, such as plurals, and how many independent words a set counts as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.geometry import Floats

Words = Literal["effective", "independent"]
"""How the words of a set count: near copies as about one word, or every word as one of its own."""
_NEAR, _NEAR_ALONE = 0.6, 0.5
SAME = 1 - 1e-6
"""Cosine above which two vectors are one."""

Copies = NDArray[np.float64]
"""For each pair of words of a set 1 where they are near copies, else 0; 1 on the diagonal."""


class Near(NamedTuple):
    """Near copies in each set of a test, targets first."""

    copies: tuple[Copies, ...]
    words: Mapping[str, tuple[tuple[str, ...], ...]]
    """The words that are linked as near copies, by set; sets without any are left out."""

    def alone(self, target: int) -> Near:
        """Those of one target, the first (0) or the second (1), and of both attributes."""
        renamed = {
            "x" if key in "xy" else key: some for key, some in self.words.items() if key != "yx"[target]
        }
        return Near((self.copies[target], *self.copies[2:]), renamed)


def near(
    vectors: Mapping[str, Floats], words: Mapping[str, Sequence[str]], vocabulary: Floats | None = None
) -> Near:
    """The near copies of each set; see :func:`near_copies`."""
    copies = {key: near_copies(some, vocabulary) for key, some in vectors.items()}
    linked = {key: groups(one, tuple(words[key])) for key, one in copies.items() if one.sum() > len(one)}
    return Near(tuple(copies.values()), linked)


def near_copies(vectors: Floats, vocabulary: Floats | None = None) -> Copies:
    r"""Which words of a set are near copies of each other.

    Two words are where their cosines with the words of a vocabulary, minus the mean of the set with each of
    these, correlate above :math:`.6 - 1/(n - 1)`: words of a set of :math:`n` independent words correlate by
    :math:`-1/(n - 1)`. Without a vocabulary it is the cosine of their vectors, minus the mean vector of the
    set, above :math:`.5 - 1/(n - 1)`. Words with one vector always are.

    Parameters
    ----------
    vectors
        Unit vectors of the set.
    vocabulary
        Covariance of the unit vectors of other words, from which these correlations follow.
    """
    n = len(vectors)
    lengths = np.linalg.norm(vectors, axis=1)
    same: Copies = np.maximum(np.eye(n), vectors @ vectors.T > SAME * np.multiply.outer(lengths, lengths))
    if n < 3:  # two deviations from their mean are opposite
        return same
    apart = vectors - vectors.mean(axis=0)
    products = (apart if vocabulary is None else apart @ vocabulary) @ apart.T
    lengths = np.sqrt(np.maximum(products.diagonal(), 0.0))
    scale = np.multiply.outer(lengths, lengths)
    limit = (_NEAR_ALONE if vocabulary is None else _NEAR) - 1 / (n - 1)
    found: Copies = np.maximum(same, (products > limit * scale) & (scale > 0))
    return found


def linked(words: Sequence[str], copies: Iterable[Sequence[str]]) -> Copies:
    """Copies of which only the groups are known: each two words of a group are near copies."""
    found, places = np.eye(len(words)), {word: at for at, word in enumerate(words)}
    for group in copies:
        rows = [places[word] for word in group if word in places]
        found[np.ix_(rows, rows)] = 1.0
    return found


class Facet(NamedTuple):
    """What near copies do to the mean of a set."""

    effective: float
    """Number of independent words that the set counts as: n² over the sum of ``Copies``."""
    factor: float
    """Variance of the mean over the sum of squared deviations."""
    free: float
    """Degrees of freedom of that variance."""


def facet(copies: Copies) -> Facet:
    r"""Variance of a mean whose values are equally correlated among near copies.

    .. math::
        s^2 = \frac{\sum r^2}{n - \Sigma R/n}, \qquad V = s^2\,\frac{\Sigma R}{n^2}, \qquad
        \nu = \frac{\operatorname{tr}(MR)^2}{\operatorname{tr}(MRMR)}, \qquad
        n_\text{eff} = \frac{n^2}{\Sigma R}

    with :math:`R` the copies, :math:`\Sigma R` their sum, :math:`M` centring. Without copies that is the
    ordinary variance of a mean, with :math:`n - 1` degrees of freedom.
    """
    n, total = len(copies), float(copies.sum())
    centred = copies - copies.mean(axis=0)
    within, squared = float(np.trace(centred)), float((centred * centred.T).sum())
    if within <= 0 or squared <= 0:  # a single word, or all of them copies of one
        return Facet(n * n / total, 0.0, 0.0)
    return Facet(n * n / total, total / n**2 / within, within**2 / squared)


def groups(copies: Copies, words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The words of a set that are linked as near copies, as groups of two and more in their order."""
    found, left = [], list(range(len(words)))
    while left:
        group, new = set[int](), {left[0]}
        while new:
            group |= new
            new = {int(j) for i in new for j in np.flatnonzero(copies[i])} - group
        left = [i for i in left if i not in group]
        if len(group) > 1:
            found.append(tuple(words[i] for i in sorted(group)))
    return tuple(found)

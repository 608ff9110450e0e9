"""Vectors of names and words whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from crossroads import Embeddings

Groups = dict[tuple[str, str], list[str]]
TARGET = ("r0", "g0")


def group_names(n: int = 8) -> Groups:
    """Names of 3 × 2 groups."""
    return {(f"r{i}", f"g{j}"): [f"r{i}g{j}n{k}" for k in range(n)] for i, j in product(range(3), range(2))}


def planted(
    seed: int, counts: Mapping[str, int], noise: float = 0.5
) -> tuple[Embeddings, Groups, dict[str, list[str]]]:
    """Vectors of 3 × 2 groups of twelve names and of words whose truth is known.

    A name is the axis of its race plus the axis of its gender plus an axis of its group, and noise. ``own``
    words lie on the axis of the target, ``race`` and ``gender`` words on the axis of one of its parents,
    ``both`` on the sum of the two, ``nobody`` on none. Noise is kept off these axes.
    """
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(60, 60)))[0]
    race, gender, own, rest = axes[:3], axes[3:5], axes[5:11].reshape(3, 2, 60), axes[11:]

    def off_axis() -> Any:
        return noise * rng.normal(size=len(rest)) @ rest / np.sqrt(len(rest))

    groups = group_names(12)
    vectors = {
        name: race[int(r[1])] + gender[int(g[1])] + own[int(r[1]), int(g[1])] + off_axis()
        for (r, g), names in groups.items()
        for name in names
    }
    places = {
        "own": own[0, 0],
        "both": race[0] + gender[0],
        "race": race[0],
        "gender": gender[0],
        "nobody": 0 * race[0],
    }
    words = {kind: [f"{kind}{k}" for k in range(n)] for kind, n in counts.items()}
    for kind, listed in words.items():
        vectors |= {word: places[kind] + off_axis() for word in listed}
    return Embeddings.from_dict(vectors), groups, words

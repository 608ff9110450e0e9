"""Pieces of inference where what is compared has a structure: templates, and few items.

``STRUCTURED`` has the form of ``PIECES``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

import crossroads as cr
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.crossed import half_width, spread
from crossroads.traits.measures.scores import cell_intervals

from .pieces import HELD, OURS, PLAIN, Noted

Noise = Literal["normal", "heavy tails", "skewed", "templates in twos"]
_CELLS, _DIM = (12, 8), 50


def cells(rng: np.random.Generator, *, noise: Noise, templates: int) -> Noted:
    """The mean of a cell over few templates, drawn; plain: two standard errors to either side.

    Half of the deviation of a template is shared by all groups. The smallest adjusted p-value of the table is
    noted by its name.
    """

    def draw(*shape: int) -> Any:
        if noise == "heavy tails":
            return rng.standard_t(3, shape) / np.sqrt(3)
        if noise == "skewed":
            return rng.exponential(size=shape) - 1
        if noise == "templates in twos":
            twos = np.repeat(rng.normal(size=(-(-shape[0] // 2), *shape[1:])), 2, axis=0)[: shape[0]]
            return np.sqrt(0.5) * (twos + rng.normal(size=shape))
        return rng.normal(size=shape)

    each = np.sqrt(0.5) * (draw(templates, 1, _CELLS[1]) + draw(templates, *_CELLS))
    scores, se = each.mean(axis=0), each.std(axis=0, ddof=1) / np.sqrt(templates)
    found: dict[str, Any] = cell_intervals(scores, se, np.full(_CELLS, templates - 1.0))
    yield PLAIN, bool(abs(scores[0, 0]) > 2 * se[0, 0])
    yield OURS, float(found["pvalue"][0, 0])
    yield HELD, bool(found["low"][0, 0] <= 0 <= found["high"][0, 0])
    yield "any cell, adjusted", float(found["p_bh"].min())


def synonyms(rng: np.random.Generator, *, templates: int, words: int) -> Noted:
    """The same with as many words for either end, which have levels of their own, as templates have."""
    table = rng.normal(size=(templates, 2 * words)) + 1.5 * rng.normal(size=2 * words)
    table += 1.5 * np.repeat(rng.normal(size=(templates, 2)), words, axis=1)
    found = spread(table, templates, words)
    score, se = np.array([[found.difference]]), np.array([[np.sqrt(found.total)]])
    cell: dict[str, Any] = cell_intervals(score, se, np.array([[float(found.df)]]))
    yield PLAIN, bool(abs(score) > half_width(se, np.inf, 0.9545))
    yield OURS, float(cell["pvalue"][0, 0])
    yield HELD, bool(cell["low"] <= 0 <= cell["high"])


def geometry(rng: np.random.Generator, *, sizes: tuple[int, int, int], spreads: tuple[float, float]) -> Noted:
    """Two groups around one place that vary along the line to a concept, by their own spreads: RSA.

    Cosines with the concept are near both of their ends, so that few items of a group are often all at one.
    """
    sets = [rng.normal(size=(n, _DIM)) / np.sqrt(_DIM) for n in sizes]
    for some, along in zip(sets, (*spreads, 0.0), strict=True):
        some[:, 4] += along * rng.normal(size=len(some))
    sets[2][:, 4] += 1.5
    words = [[f"{name}{i}" for i in range(n)] for name, n in zip("xya", sizes, strict=True)]
    emb = Embeddings([word for some in words for word in some], np.concatenate(sets))
    options: dict[str, Any] = {
        "n": min(sizes),
        "samples": 2,
        "draws": 99,
        "splits": 0,
        "words": "independent",
    }
    found = cr.rsa(emb, *words, **options)
    yield PLAIN, found.pvalue
    yield OURS, found.crossed.pvalue
    low, high = found.crossed.low, found.crossed.high
    yield HELD, low is not None and high is not None and low <= 0 <= high


STRUCTURED: dict[str, Callable[[np.random.Generator], Noted]] = {
    **{
        f"cells over {templates} templates, {noise}": partial(cells, noise=noise, templates=templates)
        for noise in get_args(Noise)
        for templates in (3, 4, 8, 20)
    },
    **{
        f"cells over {templates} templates and {words} words": partial(
            synonyms, templates=templates, words=words
        )
        for templates, words in ((3, 4), (8, 4), (8, 3))
    },
    **{
        "RSA, {} and {} items with {}, spreads {} and {}".format(*sizes, *spreads): partial(
            geometry, sizes=sizes, spreads=spreads
        )
        for sizes in ((4, 12, 12), (12, 4, 12), (4, 4, 4), (8, 8, 8), (4, 12, 25))
        for spreads in ((1.0, 1.0), (2.0, 1.0), (1.0, 0.3))
    },
}

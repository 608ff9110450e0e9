"""Error rates of comparisons of two models if the truth is known: ``python -m benchmarks.calibration``.

Not a benchmark of speed, and slow, so ``make bench`` leaves it out. The first argument is the number of
simulated worlds per cell (default 100; with 1,500 a share near 5 % is accurate to about a point), the second
the number of words per set (default 8). The table of docs/concepts/contexts.md has cells of 1,500 worlds.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
from numpy.typing import NDArray

import crossroads as cr
from crossroads.comparison.battery import compare_battery

DIM = 12
OF_WORD, OF_CONTEXT = 0.5, 0.6
"""Spread of words around the centre of their set, and of contexts around their word."""
SHARED = {"targets": 0.5, "attributes": 0.3}
"""Share of the variance of words that both models have in common."""
LEANS = {
    "none in either": (0.0, 0.0),
    "weak in both": (0.3, 0.3),
    "strong in both": (1.0, 1.0),
    "weak, none": (0.3, 0.0),
    "strong, middle": (1.0, 0.5),
    "strong, none": (1.0, 0.0),
}
"""Shift of the targets from zero towards their attributes, in each model."""
CONTEXTS = (2, 20)


def drawn_words(n: int, leans: tuple[float, float], rng: np.random.Generator) -> NDArray[np.float64]:
    """Words of two models, n in each of X, Y, A and B: the populations that an association is about."""
    shares = np.repeat([SHARED["targets"], SHARED["attributes"]], 2 * n)[:, None]
    same = rng.normal(size=(4 * n, DIM))
    own = rng.normal(size=(2, 4 * n, DIM))
    words: NDArray[np.float64] = OF_WORD * (np.sqrt(shares) * same + np.sqrt(1 - shares) * own)
    for model, lean in zip(words, leans, strict=True):
        model[:, 0] += np.repeat([lean, -lean, 1.0, -1.0], n)
    return words


def contexts_of(words: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Context vectors of each word."""
    noise = rng.normal(size=(words.shape[0], count, DIM))
    return np.asarray(words[:, None] + OF_CONTEXT * noise)


def true_difference(leans: tuple[float, float], count: int) -> float:
    """Difference of the effect sizes in the populations, from very many words."""
    if leans[0] == leans[1]:
        return 0.0
    rng, many, found = np.random.default_rng(1), 20_000, []
    for model in drawn_words(many, leans, rng):
        vectors = contexts_of(model, count, rng)
        vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
        x, y, a, b = vectors.mean(axis=1).reshape(4, many, DIM)
        scores = np.concatenate([x, y]) @ (a.mean(axis=0) - b.mean(axis=0))
        found.append((scores[:many].mean() - scores[many:].mean()) / scores.std())
    return float(found[0] - found[1])


def cell(leans: tuple[float, float], count: int, n: int, worlds: int) -> dict[str, float]:
    """Shares of worlds in which tests reject, and in which the interval holds the true difference."""
    x, y, a, b = ([f"{role}{i}" for i in range(n)] for role in "xyab")
    design = cr.Design(name="d", x=x, y=y, a=a, b=b)
    true, rng, seen = true_difference(leans, count), np.random.default_rng(77), Counter[str]()
    for _ in range(worlds):
        models = {
            name: cr.Contexts.from_dict(dict(zip(design.words, contexts_of(words, count, rng), strict=True)))
            for name, words in zip(("one", "two"), drawn_words(n, leans, rng), strict=True)
        }
        for scale in ("sd", "cosine"):
            for attributes in ("drawn", "given"):
                found = compare_battery(models, design, scale=scale, attributes=attributes)
                seen[f"{scale}, {attributes}"] += found.tests[0].pvalue < 0.05
        interval = found.intervals[0]
        seen["held"] += interval is not None and interval.low <= true <= interval.high
    return {name: 100 * seen[name] / worlds for name in ("held", *sorted({*seen} - {"held"}))}


def main() -> None:
    """Print one cell per line."""
    worlds, n = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((1, 100), (2, 8)))
    for name, leans in LEANS.items():
        for count in CONTEXTS:
            rates = ", ".join(
                f"{what} {share:.1f} %" for what, share in cell(leans, count, n, worlds).items()
            )
            print(f"{name}, {n} words per set, {count} contexts per word: {rates}", flush=True)


if __name__ == "__main__":
    main()

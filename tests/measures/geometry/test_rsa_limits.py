"""What the fits of an RSA can reach: the best that ranks allow, and the noise of the vectors themselves."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import spearmanr

from crossroads import Embeddings, rsa

Sets = list[list[str]]


def everything(sets: Sets) -> list[str]:
    return [item for listed in sets for item in listed]


def noise(n: int) -> tuple[Embeddings, Sets]:
    """Two groups and a concept of ``n`` items each, in no order."""
    sets = [[f"{name}{i}" for i in range(n)] for name in "abc"]
    return Embeddings(everything(sets), np.random.default_rng(1).normal(size=(3 * n, 8))), sets


@pytest.mark.parametrize("n", [2, 3, 10, 25])
def test_the_attainable_fit_follows_its_formula(n: int) -> None:
    # Untied ranks of N = 3n(3n − 1)/2 pairs with the k = 2n² pairs set apart on top correlate with the 0/1
    # hypothesis as √(3k(N − k) / (N² − 1)): mean rank difference N/2, variance (N² − 1)/12.
    emb, sets = noise(n)
    pairs, apart = 3 * n * (3 * n - 1) // 2, 2 * n * n
    expected = sqrt(3 * apart * (pairs - apart) / (pairs**2 - 1))
    assert rsa(emb, *sets, n=n, samples=1, permutations=1).attainable == pytest.approx(expected, rel=1e-12)


def test_a_perfect_geometry_reaches_the_attainable_fit_and_a_tied_one_reaches_one() -> None:
    rng = np.random.default_rng(1)
    near, far = rng.normal(size=40), rng.normal(size=40)
    sets = [[f"{name}{i}" for i in range(6)] for name in "abc"]
    centres = np.repeat([near, far, near], 6, axis=0)
    noisy = Embeddings(everything(sets), centres + 1e-3 * rng.normal(size=centres.shape))
    result = rsa(noisy, *sets, n=5, samples=20, dissimilarity="correlation")
    assert result.samples1 == pytest.approx(np.full(20, result.attainable), abs=1e-12)
    assert result.similarity2 < result.similarity1
    tied = rsa(Embeddings(everything(sets), centres), *sets, n=5, samples=20)
    assert tied.samples1 == pytest.approx(np.ones(20), abs=1e-12)


def test_the_ceiling_is_the_agreement_of_halves_corrected_to_full_length() -> None:
    # Spearman–Brown: 2r / (1 + r), with r between what two halves of the dimensions add to the cosines. Here
    # r is about .5, so that the correction matters; 200 splits of ours and of theirs agree on average.
    rng = np.random.default_rng(3)
    sets = [[f"{name}{i}" for i in range(8)] for name in "abc"]
    vectors = rng.normal(size=(24, 6)) @ rng.normal(size=(6, 60)) + 2.5 * rng.normal(size=(24, 60))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    upper = np.triu_indices(24, 1)
    expected = []
    for _ in range(200):
        order = rng.permutation(60)
        halves = [(unit[:, part] @ unit[:, part].T)[upper] for part in (order[:30], order[30:])]
        r = float(spearmanr(*halves).statistic)
        expected.append(2 * r / (1 + r))
    found = rsa(Embeddings(everything(sets), vectors), *sets, n=4, dissimilarity="cosine", splits=200).halves
    assert found is not None
    assert found == pytest.approx(np.mean(expected), abs=0.02)
    assert 0.4 < found < 0.9
    assert rsa(Embeddings(everything(sets), vectors), *sets, n=4, splits=0).halves is None

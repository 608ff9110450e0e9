"""RSA: which of two groups a model's geometry puts together with a concept (Lepori 2020)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import DesignError, InputError, in_short, join_words, one_of
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats, rounding_error
from crossroads.inference.bootstrap import generator
from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.inference.options import seed_of, switch, whole
from crossroads.inference.ranks import rank_correlations, sign_test
from crossroads.measures.gathering import check_vectors, gather
from crossroads.measures.rdm import DISSIMILARITIES, ceiling_of, classes_of, dissimilarities
from crossroads.results import Result, read_only
from crossroads.stimuli import StimulusSet

_PAIRS_AT_A_TIME = 1 << 14  # what stays in the cache of a core
_EQUAL_FITS = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class RsaResult(Result):
    """How a model's geometry fits two rival hypotheses about two groups and a concept."""

    names: tuple[str, str, str]
    """What the two groups and the concept are called."""
    similarity1: float
    """Mean fit of the hypothesis that the first group goes with the concept and the second stands apart."""
    similarity2: float
    """Mean fit of the hypothesis that the second group goes with the concept and the first stands apart."""
    sd1: float
    """Standard deviation of the first fit over samples."""
    sd2: float
    """Standard deviation of the second fit over samples."""
    sign_pvalue: float
    """The published sign test over samples. Samples share items, so it is far too sure of itself."""
    pvalue: float
    """Two-sided p-value from exchanging the group labels of items: calibrated."""
    statistic: float
    """Difference of the two fits over all items at once: what that p-value is about."""
    permutations: int
    """How often labels were exchanged."""
    samples1: NDArray[np.float64]
    """First fit in each sample."""
    samples2: NDArray[np.float64]
    """Second fit in each sample."""
    attainable: float
    """The best fit that a hypothesis of zeros and ones with these group sizes can have, where no two
    dissimilarities are equal."""
    ceiling: float | None
    """Noise ceiling: how well the geometry agrees with itself. Rank correlation of the dissimilarities from
    two random halves of the dimensions, corrected to the full length (Spearman–Brown), mean over splits;
    None without splits."""
    items: Mapping[str, tuple[str, ...]]
    """The items measured, by set."""
    geometry: NDArray[np.float64]
    """Dissimilarity of every pair of items, in the order group 1, group 2, concept."""

    @property
    def difference(self) -> float:
        """First mean fit less the second."""
        return self.similarity1 - self.similarity2

    def rows(self) -> list[dict[str, Any]]:
        """One row: both fits and the tests of their difference."""
        return [
            {
                "group1": self.names[0],
                "group2": self.names[1],
                "concept": self.names[2],
                "similarity1": self.similarity1,
                "similarity2": self.similarity2,
                "sd1": self.sd1,
                "sd2": self.sd2,
                "sign_pvalue": self.sign_pvalue,
                "pvalue": self.pvalue,
                "attainable": self.attainable,
                "ceiling": self.ceiling,
            }
        ]


@dataclass(frozen=True, kw_only=True, eq=False)
class RsaGridResult(Result):
    """RSA of every pair of groups with every concept."""

    tests: tuple[RsaResult, ...]
    """The tests."""
    holm: tuple[float, ...]
    """Their p-values adjusted by Holm."""
    bh: tuple[float, ...]
    """Their p-values adjusted by Benjamini and Hochberg."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a test."""
        return [
            {**test.rows()[0], "holm": h, "bh": b}
            for test, h, b in zip(self.tests, self.holm, self.bh, strict=True)
        ]


def rsa(
    emb: Embeddings,
    group1: Iterable[str],
    group2: Iterable[str],
    concept: Iterable[str],
    *,
    n: int = 10,
    samples: int = 100,
    seed: int = 0,
    replace_concept: bool = False,
    dissimilarity: str = "spearman",
    permutations: int = 999,
    splits: int = 2,
    missing: str = "raise",
) -> RsaResult:
    """Compare a model's geometry with two hypotheses about which group goes with the concept.

    From each group and the concept ``n`` items are drawn. The dissimilarities of all pairs of items,
    1 − Spearman's ρ over the dimensions of their vectors, are rank-correlated with two hypotheses: under
    the first, items of group 2 are unlike all others, under the second, those of group 1. This is repeated,
    and the two fits are compared.

    Parameters
    ----------
    emb
        Vectors of the items.
    group1, group2, concept
        Items of the groups and the concept; no item may stand in two of them.
    n
        Items drawn from each.
    samples
        How often.
    seed
        Of everything random.
    replace_concept
        Draw concept items with replacement, as the released code does; the paper does not say so.
    dissimilarity
        ``"spearman"`` (published), ``"correlation"``, ``"cosine"`` or ``"euclidean"``.
    permutations
        How often the labels of the group items are exchanged for ``pvalue``; on the full sets, so that
        sampling adds no noise.
    splits
        Random halves of the dimensions behind ``ceiling``; 0 for none.
    missing
        As in :func:`~crossroads.measures.weat.weat`.

    Notes
    -----
    *Departures:* the published sign test treats samples as independent although they share items, and
    rejects a true null far too often; it is ``sign_pvalue``, and ``pvalue`` stands beside it.

    References
    ----------
    Lepori, M. A. (2020). doi:10.18653/v1/2020.coling-main.151
    """
    one_of("dissimilarity", dissimilarity, DISSIMILARITIES)
    check_vectors(emb)
    _check_counts(n=n, samples=samples, permutations=permutations, splits=splits)
    seed_of(seed)
    switch("replace_concept", replace_concept)
    sets = {
        "group1": StimulusSet.of(group1, "group 1"),
        "group2": StimulusSet.of(group2, "group 2"),
        "concept": StimulusSet.of(concept, "concept"),
    }
    _check_overlap(sets)
    least = {"group1": n, "group2": n, "concept": 1 if replace_concept else n}
    _check_size(sets, least)
    found = gather(emb, sets, missing=missing, least=least)
    order = ("group1", "group2", "concept")
    vectors = np.concatenate([found.vectors[name] for name in order])
    sizes = (len(found.words["group1"]), len(found.words["group2"]), len(found.words["concept"]))
    raw = vectors if dissimilarity != "euclidean" else _lengths(emb, found.words, order)
    distances = dissimilarities(raw, dissimilarity)
    classes = classes_of(distances, error=0.0 if dissimilarity == "euclidean" else rounding_error(emb.dim))
    rng = generator(seed)
    fits = _sampled(classes, sizes, n, samples, replace_concept, rng)
    statistic, pvalue = _exchanged(classes, sizes, permutations, rng)
    return RsaResult(
        names=(sets["group1"].name, sets["group2"].name, sets["concept"].name),
        similarity1=float(fits[:, 0].mean()),
        similarity2=float(fits[:, 1].mean()),
        sd1=float(fits[:, 0].std(ddof=1)) if samples > 1 else 0.0,
        sd2=float(fits[:, 1].std(ddof=1)) if samples > 1 else 0.0,
        sign_pvalue=sign_test(_told_apart(fits[:, 0] - fits[:, 1])),
        pvalue=pvalue,
        statistic=statistic,
        permutations=permutations,
        samples1=read_only(np.ascontiguousarray(fits[:, 0])),
        samples2=read_only(np.ascontiguousarray(fits[:, 1])),
        attainable=_attainable(n),
        ceiling=ceiling_of(raw, dissimilarity, distances, splits, rng),
        items={name: found.words[name] for name in order},
        geometry=read_only(distances),
        coverage=found.coverage,
        conventions={
            "measure": "rsa",
            "n": n,
            "samples": samples,
            "seed": seed,
            "replace_concept": replace_concept,
            "dissimilarity": dissimilarity,
            "permutations": permutations,
            "splits": splits,
            "missing": missing,
            "sign test": "two-sided, zeros dropped",
            "fallback": ", ".join(emb.fallback) or "none",
        },
        provenance=(emb.provenance,),
    )


def rsa_grid(
    emb: Embeddings,
    groups: Mapping[str, Iterable[str]],
    concepts: Mapping[str, Iterable[str]],
    **options: Any,
) -> RsaGridResult:
    """Run RSA on every pair of groups with every concept, and adjust for the number of tests.

    Parameters
    ----------
    emb
        Vectors of the items.
    groups, concepts
        Items by name.
    options
        Passed on to :func:`rsa`.
    """
    for what, given in (("groups", groups), ("concepts", concepts)):
        if not isinstance(given, Mapping):
            raise InputError(f"{what} is of type {type(given).__name__}.", hint="give {name: [words], ...}.")
    names = list(groups)
    if len(names) < 2 or not concepts:
        raise InputError(
            f"{len(names)} group(s) and {len(concepts)} concept(s) were given.",
            hint="give at least two groups and one concept.",
        )
    sets, things = _named(groups), _named(concepts)
    tests = [
        rsa(emb, sets[first], sets[second], thing, **options)
        for thing in things.values()
        for i, first in enumerate(names)
        for second in names[i + 1 :]
    ]
    pvalues = [test.pvalue for test in tests]
    return RsaGridResult(
        tests=tuple(tests),
        holm=tuple(holm(pvalues).tolist()),
        bh=tuple(benjamini_hochberg(pvalues).tolist()),
        conventions={"measure": "rsa grid", **options},
        provenance=(emb.provenance,),
    )


def _named(sets: Mapping[str, Iterable[str]]) -> dict[str, StimulusSet]:
    """Sets under the names they have in the mapping."""
    return {name: StimulusSet(name, StimulusSet.of(items, name).items) for name, items in sets.items()}


def _lengths(emb: Embeddings, words: Mapping[str, tuple[str, ...]], order: tuple[str, ...]) -> Floats:
    """Vectors with their lengths, which the Euclidean distance depends on."""
    return np.stack([np.asarray(emb[word], dtype=np.float64) for name in order for word in words[name]])


@cache
def _hypotheses(sizes: tuple[int, int, int]) -> tuple[Floats, tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Two rows of zeros and ones over the pairs of items, and the pairs."""
    label = np.repeat([1, 2, 0], sizes)
    upper = np.triu_indices(len(label), 1)
    apart = [(label == other).astype(int) for other in (2, 1)]
    return np.array([(a[upper[0]] != a[upper[1]]).astype(np.float64) for a in apart]), upper


def _sampled(
    classes: NDArray[np.int64],
    sizes: tuple[int, int, int],
    n: int,
    samples: int,
    replace: bool,
    rng: np.random.Generator,
) -> Floats:
    """Both fits in each sample."""
    hypotheses, (i, j) = _hypotheses((n, n, n))
    chunk = max(1, _PAIRS_AT_A_TIME // len(i))
    count = int(classes.max()) + 1
    fits = []
    for start in range(0, samples, chunk):
        size = min(chunk, samples - start)
        drawn = _draw(sizes, n, size, replace, rng)
        pairs = drawn[:, i] * len(classes) + drawn[:, j]
        fits.append(rank_correlations(classes.ravel().take(pairs), count, hypotheses))
    return np.concatenate(fits)


def _told_apart(differences: Floats) -> Floats:
    """Differences of two fits, 0 where rounding is all that is between them: such samples have no sign."""
    return np.where(np.abs(differences) <= _EQUAL_FITS, 0.0, differences)


def _draw(
    sizes: tuple[int, int, int], n: int, samples: int, replace: bool, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Rows of the pool drawn for each sample: n of each set."""
    parts, offset = [], 0
    for k, size in enumerate(sizes):
        if replace and k == 2:
            picked = rng.integers(0, size, (samples, n))
        else:
            picked = np.argsort(rng.random((samples, size)), axis=1)[:, :n]
        parts.append(picked + offset)
        offset += size
    return np.concatenate(parts, axis=1)


def _exchanged(
    classes: NDArray[np.int64], sizes: tuple[int, int, int], permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Difference of the fits over all items, and its p-value under exchange of the group labels.

    With ranks r of the dissimilarities, a hypothesis that sets the items x apart scores Σ r over pairs
    with one item in x: the quadratic form xᵀR(1 − x), for all permutations in one product.
    """
    m = sum(sizes)
    upper = np.triu_indices(m, 1)
    ids = classes[upper][None, :]
    count = int(classes.max()) + 1
    counts = np.bincount(ids[0], minlength=count)
    ranks = (2 * np.cumsum(counts) - counts + 1)[ids[0]].astype(np.float64) - (len(ids[0]) + 1)
    table = np.zeros((m, m))
    table[upper] = ranks
    table += table.T
    grouped = sizes[0] + sizes[1]
    second = np.zeros((permutations + 1, m))  # which items are labelled group 2: first as observed
    second[0, sizes[0] : grouped] = 1
    shuffled = np.argsort(rng.random((permutations, grouped)), axis=1)
    second[1:, :grouped] = second[0, :grouped][shuffled]
    first = -second
    first[:, :grouped] += 1
    products = np.einsum("pi,ij->pj", second, table)
    rest = table[:grouped].sum(axis=0) - products  # the same for group 1, which is everything else grouped
    fits = [
        np.einsum("pj,pj->p", product, 1 - x) / _scale(size, m, ranks)
        for x, product, size in ((second, products, sizes[1]), (first, rest, sizes[0]))
    ]
    differences = fits[0] - fits[1]
    observed = float(differences[0])
    reached = np.abs(differences[1:]) >= abs(observed) - 1e-12
    return observed, (1 + int(reached.sum())) / (1 + permutations)


def _scale(size: int, m: int, ranks: Floats) -> float:
    """What turns a sum of ranks into a correlation, when ``size`` of m items are set apart."""
    share = size * (m - size) / ranks.size
    return sqrt(ranks.size * share * (1 - share)) * sqrt(float(ranks @ ranks)) or 1.0


def _attainable(n: int) -> float:
    """Spearman correlation when every pair set apart is less similar than every other pair.

    Of N pairs a share p is set apart. Their ranks exceed the others' by N / 2 on average, so that the
    correlation is N / 2 · √(p (1 − p)) over the standard deviation of N ranks, √((N² − 1) / 12).
    """
    pairs = 3 * n * (3 * n - 1) // 2
    share = 2 * n * n / pairs
    return pairs * sqrt(3 * share * (1 - share) / (pairs * pairs - 1))


def _check_counts(**counts: int) -> None:
    least = {"n": 2, "samples": 1, "permutations": 0, "splits": 0}
    for name, value in counts.items():
        whole(name, value, least=least[name])


def _check_overlap(sets: Mapping[str, StimulusSet]) -> None:
    items = list(sets.values())
    for i, one in enumerate(items):
        for other in items[i + 1 :]:
            shared = [word for word in one if word in other]
            if shared:
                raise DesignError(
                    f"{one.name} and {other.name} share {join_words(map(in_short, shared), most=3)}.",
                    hint="an item can stand for one of them only.",
                )


def _check_size(sets: Mapping[str, StimulusSet], least: Mapping[str, int]) -> None:
    for name, words in sets.items():
        if len(words) < least[name]:
            more = " or replace_concept=True" if name == "concept" else ""
            raise DesignError(
                f"{words.name} has {len(words)} items, and {least[name]} are drawn from it.",
                hint=f"give more items, or a smaller n{more}.",
            )

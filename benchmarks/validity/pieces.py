"""Pieces of inference that no family of worlds uses alone, each in worlds of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from packages.default import whole
from scipy import stats

import crossroads as cr
from crossroads.core.inference.copies import near
from crossroads.core.inference.crossed import crossed, facing, spread, tail_probability
from crossroads.core.inference.detection import area_interval
from crossroads.core.inference.geometry import unit
from crossroads.core.inference.multiplicity import holm
from crossroads.core.inference.permutation.test import permutation_test
from crossroads.core.inference.random_effects import combine
from crossroads.core.inference.unbalanced import clustered_mean
from crossroads.sentences.flips import flipped_mean, flipped_signs
from crossroads.traits.measures.compare import compare_traits
from crossroads.traits.measures.scores import TraitScores
from crossroads.words.measures.trends import trend

from .worlds.years import WORDS, year_worlds

PLACEBOS = "dealt attributes, among placebos"
PLAIN, OURS, HELD = "pieces, plain", "pieces, ours", "pieces, ours held"
Noted = Iterator[tuple[str, Any]]


def studentised(rng: np.random.Generator) -> Noted:
    """Ten scores of standard deviation 3 against thirty of 1; plain: not studentised."""
    x, y = 3 * rng.normal(size=10), rng.normal(size=30)
    options: dict[str, Any] = {"method": "monte-carlo", "resamples": 399}
    yield PLAIN, permutation_test(x, y, **options).pvalue
    yield OURS, permutation_test(x, y, statistic="studentised", **options).pvalue


def flips(rng: np.random.Generator) -> Noted:
    """Pairs of sentences in clusters like those of CrowS-Pairs; plain: each pair by itself."""
    clusters = np.repeat(np.arange(176), [30, 10, 8, 6, 5, 4, *[1] * 170])
    values = np.sqrt(0.5) * (rng.normal(size=176)[clusters] + rng.normal(size=len(clusters)))
    signs = np.sign(values).astype(np.int64)
    mean = flipped_mean((signs > 0).astype(float), clusters, null=0.5, draws=199)
    yield PLAIN, flipped_signs(signs).pvalue
    yield OURS, flipped_signs(signs, clusters).pvalue
    yield HELD, mean.low is not None and mean.high is not None and mean.low <= 0.5 <= mean.high


def area(rng: np.random.Generator) -> Noted:
    """The area under the curve of 40 scores one standard deviation above 40 others."""
    high_scores, low_scores, seed = rng.normal(1, 1, 40), rng.normal(0, 1, 40), int(rng.integers(1 << 30))
    low, high = area_interval(high_scores, low_scores, resamples=300, level=0.95, seed=seed)
    yield HELD, bool(low <= stats.norm.cdf(np.sqrt(0.5)) <= high)


def prediction(rng: np.random.Generator) -> Noted:
    """A sixteenth effect after fifteen, by the prediction interval of random effects (CEAT)."""
    variances, true = rng.uniform(0.01, 0.05, 15), rng.normal(0.3, 0.4, 16)
    low, high = combine(true[:15] + rng.normal(size=15) * np.sqrt(variances), variances).prediction_interval
    yield HELD, bool(low <= true[15] <= high)


def several(rng: np.random.Generator) -> Noted:
    """Any of ten true nulls that share half of their variance; plain: not adjusted, ours: Holm."""
    z = np.sqrt(0.5) * (rng.normal() + rng.normal(size=10))
    p = 2 * stats.norm.sf(np.abs(z))
    yield PLAIN, float(p.min())
    yield OURS, float(holm(p).min())


def frequency(rng: np.random.Generator) -> Noted:
    """Targets that differ in frequency only, which attributes follow; plain: without regard to frequency."""
    f = np.concatenate([rng.normal(2, 1, 10), rng.normal(0, 1, 10)])
    table = np.outer(f, rng.normal(0, 0.02, 20) + np.repeat([0.04, 0.0], 10)) + rng.normal(0, 0.1, (20, 20))
    table += np.outer(rng.normal(0, 0.1, 20), np.repeat([0.5, -0.5], 10))  # what words mean
    table += np.outer(np.repeat([1.0, 0.0], 10), rng.normal(0, 0.05, 20))  # what topics targets have
    options: dict[str, Any] = {"alternative": "two-sided", "method": "normal"}
    yield PLAIN, crossed(table, 10, 10, **options).pvalue
    yield OURS, crossed(table, 10, 10, equal=(facing(10, 20, f), facing(10, 20)), **options).pvalue


def both_facets(rng: np.random.Generator, *, error: float = 0.0, reliability: float = 1.0) -> Noted:
    """Targets and attributes two SD apart in frequency, which is all that vectors share; plain: as it is."""
    n = 16
    f = rng.normal(size=4 * n) + np.repeat([1, -1, 1, -1], n)
    vectors = rng.normal(size=(4 * n, 50)) / np.sqrt(50)
    vectors[:, 0] += 0.3 * f
    vectors = unit(vectors)
    listed = f + error * rng.normal(size=4 * n)
    of_targets = facing(n, 2 * n, listed[: 2 * n], reliability=reliability)
    of_attributes = facing(n, 2 * n, listed[2 * n :], reliability=reliability)
    table = vectors[: 2 * n] @ vectors[2 * n :].T
    options: dict[str, Any] = {"alternative": "two-sided", "exchange": False}
    yield PLAIN, crossed(table, n, n, **options).pvalue
    yield OURS, crossed(table, n, n, equal=(of_targets, of_attributes), **options).pvalue


def another_text(rng: np.random.Generator) -> Noted:
    """The same with frequencies of which seven tenths of the variance within a set is real, taken as such."""
    return both_facets(rng, error=np.sqrt(1 / 0.7 - 1), reliability=0.7)


def near_copies_of_words(rng: np.random.Generator) -> Noted:
    """Sets of two words in four spellings each, unrelated; plain: eight independent words."""
    sets = {}
    for key in "xyab":
        centres = np.repeat(rng.normal(size=(2, 50)), 4, axis=0)
        sets[key] = unit(centres + 0.2 * rng.normal(size=centres.shape))
    x, y, a, b = sets.values()
    table = np.concatenate([x, y]) @ np.concatenate([a, b]).T
    options: dict[str, Any] = {"alternative": "two-sided", "exchange": False}
    yield PLAIN, crossed(table, 8, 8, **options).pvalue
    yield (
        OURS,
        crossed(
            table, 8, 8, near=near(sets, {key: [str(i) for i in range(8)] for key in sets}), **options
        ).pvalue,
    )


def lasting(rng: np.random.Generator, *, rho: float = 0.6) -> Noted:
    """Twelve years without a trend, six tenths of a deviation last into the next; plain: least squares."""
    tables = next(year_worlds(rho, points=12, seed=int(rng.integers(1 << 30))))
    found = trend(tables, range(12), WORDS, WORDS)
    yield PLAIN, float(stats.linregress(range(12), spread(tables, WORDS, WORDS).difference).pvalue)
    yield OURS, found.pvalue
    yield HELD, found.low is not None and found.high is not None and found.low <= 0 <= found.high


def lasting_less(rng: np.random.Generator) -> Noted:
    """The same where three tenths of a deviation last."""
    return lasting(rng, rho=0.3)


def unequal_clusters(rng: np.random.Generator) -> Noted:
    """A mean over 20 clusters, the k-th with about a k-th of the rows of the first; plain: clusters alike."""
    labels = np.repeat(np.arange(20), np.ceil(56 / np.arange(1, 21)).astype(int))
    values = rng.normal(size=20)[labels] + rng.normal(size=len(labels))
    found = clustered_mean(values, np.arange(len(labels)), [labels])
    off = np.bincount(labels, values - values.mean()) / len(labels)
    yield PLAIN, float(2 * stats.t.sf(abs(values.mean()) / np.sqrt(20 / 19 * (off @ off)), 19))
    yield OURS, float(tail_probability(found.difference / np.sqrt(found.total), found.df, "two-sided"))


def profiles(rng: np.random.Generator) -> Noted:
    """Two models whose scores are unrelated, groups exchanged; plain: Kendall's test of cells."""
    tables = rng.normal(size=(2, 6, 5)) + 2 * rng.normal(size=(2, 6, 1)) + 2 * rng.normal(size=(2, 1, 5))
    made = [
        TraitScores.from_table(
            {f"g{i}": {f"t{j}": float(value) for j, value in enumerate(row)} for i, row in enumerate(table)},
            measure="ilps",
            provenance=(cr.sources.Provenance(source=str(at)),),
        )
        for at, table in enumerate(tables)
    ]
    found = compare_traits(*made, draws=199)
    yield PLAIN, float(stats.kendalltau(tables[0].ravel(), tables[1].ravel()).pvalue)
    yield OURS, found.exchanges["groups"].pvalue


def chat(rng: np.random.Generator) -> Noted:
    """Thirty answers of a chat model that likes some words of either set; plain: t test of answers."""
    n = 7
    sets = {key: [f"{key}{i}" for i in range(n)] for key in "ab"}
    design = cr.Design(name="n", x=["young"], y=["old"], a=sets["a"], b=sets["b"])
    liking = rng.normal(0, 2, 2 * n)
    table = (rng.random((30, 2 * n)) < 1 / (1 + np.exp(-liking))).astype(np.float64)
    words = [*sets["a"], *sets["b"]]
    answers = [
        "\n".join(f"{word} - {'young' if young else 'old'}" for word, young in zip(words, row, strict=True))
        for row in table
    ]
    scores = table[:, :n].mean(axis=1) - table[:, n:].mean(axis=1)
    yield PLAIN, float(stats.ttest_1samp(scores, 0).pvalue)
    found = cr.chat_test(answers, design).crossed
    yield OURS, None if found is None else found.pvalue


def placebos(rng: np.random.Generator) -> Noted:
    """Male and female names with words dealt at random as attributes; plain: targets exchanged."""
    dealt = rng.choice(vocabulary().labels[1_000:20_000], 16, replace=False).tolist()
    design = cr.Design(
        name="dealt", x=cr.catalog("weat6").x, y=cr.catalog("weat6").y, a=dealt[:8], b=dealt[8:]
    )
    yield PLAIN, cr.weat(vocabulary(), design).pvalue
    yield OURS, cr.placebo(vocabulary(), design, draws=200, seed=int(rng.integers(1 << 30))).pvalue


@cache
def vocabulary() -> cr.Embeddings:
    """All words of GloVe 6B."""
    return whole()


PIECES: dict[str, Callable[[np.random.Generator], Noted]] = {
    "unequal spreads, studentised": studentised,
    "clusters of sentence pairs, signs flipped": flips,
    "area under the curve": area,
    "prediction interval": prediction,
    "ten dependent nulls": several,
    "frequency alone, at equal frequency": frequency,
    "frequency of targets and attributes": both_facets,
    "the same, frequencies of another text": another_text,
    "near copies, counted as fewer words": near_copies_of_words,
    "trend of years, AR(.6)": lasting,
    "trend of years, AR(.3)": lasting_less,
    "clusters of unequal sizes": unequal_clusters,
    "unrelated profiles": profiles,
    "answers of a chat model": chat,
    PLACEBOS: placebos,
}

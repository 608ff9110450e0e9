"""Inference on tables of targets by attributes whose rows and columns are both samples of words.

Exchanging targets takes the attribute words as the whole world (Clark 1973). Here the words of all sets count
as drawn, so that a p-value and an interval generalize to other words for the same things. Targets and
attributes are crossed: a variance over targets and one over attributes both hold that of single cells, which
is subtracted once (Cameron, Gelbach & Miller 2011; Judd, Westfall & Kenny 2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from crossroads.core.inference.copies import Copies, Near, facet
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.permutation.test import Alternative, PermutationResult, permutation_test

LEVEL = 0.95
"""Level of intervals."""
POWER = 0.8
"""Share of tests that are to find a difference."""
_SHOWING_NOTHING = 2


@dataclass(frozen=True, kw_only=True)
class Crossed:
    """A difference of mean cosines, and how sure it is for other words than these."""

    difference: float
    """Mean cosine of the first target with A minus that with B, minus the same of the second target."""
    agreement: float | None
    """Chance that other words for the same things would point the same way, from the variance of these;
    None without a p-value."""
    low: float | None
    """Lower end of the interval; None where there is none."""
    high: float | None
    """Upper end."""
    level: float
    """Level of the interval."""
    pvalue: float | None
    """How often sets without an association would differ at least as much, had all words been resampled;
    None where there is no such p-value, for the ``reason`` given."""
    alternative: str
    """Which tail the p-values are of."""
    statistic: float | None
    """The difference in standard errors, t."""
    se: float | None
    """Standard error of the difference over the choice of words."""
    df: float | None
    """Degrees of freedom (Satterthwaite); at most one where a set has two words."""
    detectable: float | None
    """The smallest difference that a test with this standard error finds in 80 % of cases, two-sided,
    p < .05."""
    effective: Mapping[str, float]
    """Number of independent words that each set counts as: near copies count as about one."""
    copies: Mapping[str, tuple[tuple[str, ...], ...]]
    """Near copies: groups of words, by set; sets without any are left out."""
    shares: Mapping[str, float]
    """Shares of the variance that come from ``targets``, from ``attributes`` and from single ``cells``."""
    attribute_pvalue: float | None
    """Share of the divisions of the attribute words that are at least as extreme, targets as given; two-sided
    it is twice the smaller tail. None where the attributes do not differ."""
    attribute_method: str | None
    """How that p-value was found."""
    reason: str | None
    """Why there is no p-value and no interval; None where there are."""

    @property
    def two_sided(self) -> float | None:
        """The p-value to adjust: two-sided where the tail was chosen after the fact."""
        return self.tail("two-sided") if self.alternative == "observed" else self.pvalue

    def ends(self, level: float) -> tuple[float, float]:
        """The interval of another level; both ends are the difference where there is no variance."""
        half = 0.0 if self.se is None else float(half_width(self.se, self.df, level))
        return self.difference - half, self.difference + half

    def tail(self, alternative: Alternative) -> float | None:
        """The p-value of another tail."""
        if self.statistic is None or self.df is None:
            return None
        return float(tail_probability(self.statistic, self.df, alternative))


class Spread(NamedTuple):
    """Differences of mean cosines and their variances over the choice of words: numbers, or one per table."""

    difference: Any
    """The difference Δ."""
    parts: Any
    """Variance from each set: x, y, a, b; without y where there is one target. First axis: sets."""
    cells: Any
    """Variance of single cells, which the parts of both facets hold."""
    total: Any
    """Variance of the difference."""
    df: Any
    """Its degrees of freedom, at most one with a set of two words; infinite where there is no variance."""
    effective: Sequence[float]
    """Effective number of words of each set."""


def spread(tables: Floats, n_x: int, n_a: int, copies: Sequence[Copies] | None = None) -> Spread:
    r"""Variance of the difference of mean cosines in tables whose rows and columns are both drawn.

    .. math::
        V = \frac{\operatorname{var} s_X}{n_x} + \frac{\operatorname{var} s_Y}{n_y}
          + \frac{\operatorname{var} t_A}{n_a} + \frac{\operatorname{var} t_B}{n_b} - I, \qquad
        I = \sum_{\text{blocks}} \frac{\sum r^2}{(n-1)(m-1)\,nm}

    with :math:`s` the contrast of attributes per target, :math:`t` that of targets per attribute, and
    :math:`r` what is left of the cosines of a block, such as X and A, without its row and column means. V is
    never below the part of the targets alone or of the attributes alone.

    Parameters
    ----------
    tables
        Cosines: targets in the last axis but one, attributes in the last, any axes before.
    n_x
        Number of targets of the first set; all of them where there is one target set.
    n_a
        Number of attributes of the first set.
    copies
        Near copies in each set, targets first; see :func:`~crossroads.core.inference.copies.facet`. The
        variance is never below that of independent words.

    Notes
    -----
    A set of one word has no variance and adds nothing, so that the difference holds for that word.
    """
    rows, columns = tables.shape[-2:]
    t_sizes = [n for n in (n_x, rows - n_x) if n]
    a_sizes = [n_a, columns - n_a]
    targets, attributes = bounds(t_sizes), bounds(a_sizes)
    by_target = np.stack([tables[..., cut].mean(axis=-1) for cut in attributes])
    s = by_target[0] - by_target[1]
    by_attribute = [tables[..., cut, :].mean(axis=-2) for cut in targets]
    t = by_attribute[0] - by_attribute[1] if len(targets) == 2 else by_attribute[0]
    parts = np.stack(
        [
            *(_part(s[..., cut], n) for cut, n in zip(targets, t_sizes, strict=True)),
            *(_part(t[..., cut], n) for cut, n in zip(attributes, a_sizes, strict=True)),
        ]
    )
    blocks = cell_variances(tables, n_x, n_a)
    cells = sum(blocks[i, j] / (n * m) for i, n in enumerate(t_sizes) for j, m in enumerate(a_sizes))
    means = [s[..., cut].mean(axis=-1) for cut in targets]
    difference = means[0] - means[1] if len(means) == 2 else means[0]
    sizes = [*t_sizes, *a_sizes]
    return with_copies(Spread(difference, parts, cells, None, None, sizes), len(targets), copies)


def with_copies(found: Spread, targets: int, copies: Sequence[Copies] | None) -> Spread:
    """The variance of parts that are those of independent words, where some words are near copies."""
    sizes, parts = found.effective, found.parts
    total, df = combined(parts, sizes, targets, found.cells)
    if copies is None or all(one.sum() == len(one) for one in copies):
        return found._replace(total=total, df=df)
    facets = [facet(one) for one in copies]
    ratios = [one.factor * n * (n - 1) for one, n in zip(facets, sizes, strict=True)]
    parts = parts * np.reshape(ratios, (-1, *[1] * (parts.ndim - 1)))
    total = np.maximum(total, combined(parts, sizes, targets, found.cells)[0])
    df = degrees_of_freedom(parts, [one.free for one in facets], total)
    return found._replace(parts=parts, total=total, df=df, effective=[one.effective for one in facets])


def cell_variances(tables: Floats, n_x: int, n_a: int) -> dict[tuple[int, int], Any]:
    """Variance of single cells in each block of tables, by target set and attribute set; 0 for one row."""
    found = {}
    for i, cut in enumerate(bounds([n for n in (n_x, tables.shape[-2] - n_x) if n])):
        for j, across in enumerate(bounds([n_a, tables.shape[-1] - n_a])):
            block = tables[..., cut, across]
            free = (block.shape[-2] - 1) * (block.shape[-1] - 1)
            rest = block - block.mean(axis=-1, keepdims=True)
            rest -= rest.mean(axis=-2, keepdims=True)
            found[i, j] = np.einsum("...ij,...ij->...", rest, rest) / max(free, 1)
    return found


class Mean(NamedTuple):
    """A mean cosine with its interval over the choice of words."""

    mean: float
    se: float
    low: float
    high: float


def mean_cosine(block: Floats, *, level: float = LEVEL) -> Mean | None:
    """Mean of a block of cosines whose rows and columns are both drawn; None for fewer than two of either."""
    n, m = block.shape
    if min(n, m) < 2:
        return None
    rows, columns, mean = block.mean(axis=1), block.mean(axis=0), float(block.mean())
    rest = block - rows[:, None] - columns + mean
    parts = np.array([rows.var(ddof=1) / n, columns.var(ddof=1) / m])
    total, df = combined(parts, [n, m], 1, float((rest**2).sum()) / ((n - 1) * (m - 1) * n * m))
    se = float(np.sqrt(total))
    half = float(half_width(se, df, level)) if se > 0 else 0.0
    return Mean(mean, se, mean - half, mean + half)


class Facing(NamedTuple):
    """Weights of the words of two sets in their difference at equal values of a covariate."""

    weights: Floats
    """Weight of each word: 1/n or −1/n without a covariate."""
    centred: Floats
    """The covariate around the mean of each set; zeros where there is none, or where it does not vary."""
    squares: float
    """Sum of the squares of these; 1 where they are zeros."""

    def level(self, scores: Floats) -> Floats:
        """Scores, in the last axis, without what goes with the covariate within the sets."""
        return scores - np.multiply.outer(scores @ self.centred / self.squares, self.centred)


def facing(n: int, size: int, covariate: Floats | None = None, *, reliability: float = 1.0) -> Facing:
    r"""Weights of the words of two sets, ``n`` of ``size`` words in the first, at equal covariate.

    .. math::
        c_w = \pm\frac1{n_g} - \frac{(\bar f_X - \bar f_Y)(f_w - \bar f_g)}{\lambda S}, \qquad
        S = \sum_g S_g = \sum_g \sum_{w \in g} (f_w - \bar f_g)^2

    with :math:`\lambda` the reliability of the covariate within the sets: the share of its variance there
    that is not error. Error makes a slope too flat, by that factor.
    """
    plain = np.repeat([1.0 / n, -1.0 / (size - n)], [n, size - n])
    if covariate is None:
        return Facing(plain, np.zeros(size), 1.0)
    means = covariate[:n].mean(), covariate[n:].mean()
    centred = covariate - np.repeat(means, [n, size - n])
    squares = float(centred @ centred)
    if squares <= 1e-20 * float(covariate @ covariate):  # nothing but rounding
        return Facing(plain, np.zeros(size), 1.0)
    gap = float(means[0] - means[1])
    return Facing(plain - gap * centred / (reliability * squares), centred, squares)


def spread_at_equal(
    table: Floats,
    targets: Facing,
    attributes: Facing,
    n_x: int,
    n_a: int,
    copies: Sequence[Copies] | None = None,
) -> Spread:
    r"""Difference of mean cosines at equal values of a covariate of the words, and its variance.

    The associations of targets are regressed on the covariate with one slope within both sets, and those of
    attributes likewise. The difference at equal covariate is a weighted sum over cells,
    :math:`\Delta = \sum_{w,a} c_w d_a \cos(w, a)`, so that its variance is that of :func:`spread` with these
    weights. Variances are of residuals, with the degree of freedom of each slope subtracted in the shares
    :math:`S_g/S` in which the sets decide it.
    """
    sets = bounds([n_x, len(table) - n_x, n_a, table.shape[1] - n_a])
    words = [targets, targets, attributes, attributes]
    cuts = [*sets[:2], *(slice(cut.start - len(table), cut.stop - len(table)) for cut in sets[2:])]
    scores = [targets.level(table @ attributes.weights)] * 2 + [attributes.level(targets.weights @ table)] * 2
    flat = attributes.level(targets.level(table.T).T)
    facets = [None] * 4 if copies is None else [facet(one) for one in copies]
    parts, free, sizes, squared, counts = [], [], [], [], []
    for cut, side, score, known in zip(cuts, words, scores, facets, strict=True):
        n, centred = cut.stop - cut.start, side.centred[cut]
        left = n - 1 - float(centred @ centred) / side.squares
        rest = score[cut] - score[cut].mean()
        weight = float(side.weights[cut] @ side.weights[cut])
        part = float(rest @ rest) / left * weight if left > 0 else 0.0
        near = known is not None and n > 1 and known.effective < n
        parts.append(part * max(1.0, known.factor * n * (n - 1)) if near and known else part)
        free.append(left * known.free / (n - 1) if near and known else left)
        sizes.append(known.effective if known else float(n))
        squared.append(weight)
        counts.append(left)
    cells = 0.0
    for i in (0, 1):
        for j in (2, 3):
            if counts[i] > 0 and counts[j] > 0:
                block = flat[cuts[i], cuts[j]]
                block = block - block.mean(axis=0) - block.mean(axis=1, keepdims=True) + block.mean()
                squares = float(np.einsum("ij,ij->", block, block))
                cells += squares / (counts[i] * counts[j]) * squared[i] * squared[j]
    total, df = combined(np.array(parts), [n + 1 for n in free], 2, cells)
    difference = float(targets.weights @ table @ attributes.weights)
    return Spread(difference, np.array(parts), cells, total, df, sizes)


def combined(parts: Floats, sizes: Sequence[float], targets: int, cells: Any) -> tuple[Any, Any]:
    """Variance over both facets, and its degrees of freedom.

    Parts are those of each set, targets first; the variance of single cells is in the parts of both facets.
    """
    facets = parts[:targets].sum(axis=0), parts[targets:].sum(axis=0)
    total = np.maximum(facets[0] + facets[1] - cells, np.maximum(*facets))
    return total, degrees_of_freedom(parts, [n - 1 for n in sizes], total)


def degrees_of_freedom(parts: Any, free: Sequence[float], total: Any) -> Any:
    r"""Degrees of freedom of a sum of variances (Satterthwaite); infinite where there is no variance.

    .. math::
        \nu = \frac{V^2}{\sum_i V_i^2/\nu_i}, \qquad \nu \le 1 \text{ where some } \nu_i = 1

    Two values are close to each other by chance more often than several are. The formula then takes their
    variance for small and well known, and p-values would be too small. Variances without degrees of freedom
    are left out.
    """
    some = np.where(total > 0, total, 1.0)
    # shares of the total, whose squares do not underflow
    inverse = sum((part / some) ** 2 / n for part, n in zip(parts, free, strict=True) if n > 0)
    with np.errstate(divide="ignore"):
        found = 1.0 / np.asarray(inverse, dtype=np.float64)
    most = 1.0 if any(0 < n < 1 + 1e-9 for n in free) else np.inf  # near copies leave 1 but for rounding
    return np.where(total > 0, np.minimum(found, most), np.inf)


def tail_probability(statistic: Any, df: Any, alternative: Alternative) -> Any:
    """Probability of a t that is at least as extreme."""
    from scipy.special import stdtr  # scipy is slow to import

    if alternative == "two-sided":
        return np.minimum(1.0, 2 * stdtr(df, -np.abs(statistic)))
    if alternative == "observed":
        return stdtr(df, -np.abs(statistic))
    return stdtr(df, statistic if alternative == "less" else -np.asarray(statistic))


def half_width(se: Any, df: Any, level: float) -> Any:
    """Half the width of an interval: the quantile of t in standard errors."""
    from scipy.special import stdtrit

    return stdtrit(df, (1 + level) / 2) * se


def reach(variance: float, df: float, power: float = POWER) -> float:
    """The difference that a test with that variance finds with that power."""
    se = float(np.sqrt(variance))
    return float(half_width(se, df, LEVEL) + half_width(se, df, 2 * power - 1))


def agreement(
    statistic: float, df: float, sizes: Sequence[float], own: float = 1.0, further: float = 1.0
) -> float:
    r"""Chance that another set of words would point the same way.

    .. math::
        P = T_\nu\!\left(|t|\,\frac{b}{\sqrt{1 + b}}\right), \qquad b = \frac{n}{n + 2}

    with :math:`n` the harmonic mean of the effective sizes: as if two words that show nothing were added to
    each set. Differences of other words spread around the true one as these do. A mean over several tests
    has a smaller variance than these (``own`` over it, on average), and than a further one (``further``).
    """
    from scipy.special import stdtr

    n = own * len(sizes) / sum(1 / size for size in sizes)
    b = n / (n + _SHOWING_NOTHING)
    return float(stdtr(df, abs(statistic) * b / np.sqrt(further + b)))


def crossed(
    table: Floats,
    n_x: int,
    n_a: int,
    *,
    alternative: Alternative,
    score_error: float = 0.0,
    level: float = LEVEL,
    equal: tuple[Facing, Facing] | None = None,
    near: Near | None = None,
    exchanged: PermutationResult | None = None,
    exchange: bool = True,
    **counting: Any,
) -> Crossed:
    """How sure a difference is for other words than those of a table.

    Parameters
    ----------
    table
        Cosines, one row per target and one column per attribute.
    n_x, n_a
        Number of targets, and of attributes, of the first set; ``n_x`` is the number of rows where there is
        one target.
    alternative
        Which tail the p-value is of.
    score_error
        Largest error that rounding can leave in a mean of cosines.
    level
        Level of the interval.
    equal
        Weights of targets and attributes at equal values of a covariate; see :func:`spread_at_equal`.
    near
        Near copies in each set; without them every word counts as independent of the others.
    exchanged
        What exchanging attributes gives, where that is known already.
    exchange
        Whether to exchange them otherwise, which may take longer than all the rest.
    counting
        How to count that otherwise: options of :func:`~crossroads.stats.permutation_test`.
    """
    copies = None if near is None else near.copies
    found = spread_at_equal(table, *equal, n_x, n_a, copies) if equal else spread(table, n_x, n_a, copies)
    single = n_x == len(table)
    if exchanged is None and exchange:
        options = {"alternative": alternative, "score_error": score_error, **counting}
        exchanged = _attributes_exchanged(table, n_x, n_a, equal, options)
    reason = None
    if equal and 1 < min(n_x, len(table) - n_x) < 3:
        reason = "a slope within the targets takes three words in each"
    return settled(
        found,
        targets=1 if single else 2,
        alternative=alternative,
        score_error=score_error,
        level=level,
        exchanged=exchanged,
        reason=reason,
        near=near,
    )


def settled(
    found: Spread,
    *,
    targets: int,
    alternative: Alternative,
    score_error: float = 0.0,
    level: float = LEVEL,
    exchanged: PermutationResult | None = None,
    reason: str | None = None,
    near: Near | None = None,
) -> Crossed:
    """The p-value and the interval of a difference whose variance is known; none for a ``reason``.

    A set that counts as one word has no spread; a single target may be one word, which is then as given.
    """
    difference = float(found.difference)
    keys = ("x", "y", "a", "b") if targets == 2 else ("x", "a", "b")
    effective = dict(zip(keys, map(float, found.effective), strict=False))
    alone = [key for key in "abxy" if effective.get(key, 2) <= 1 and (key != "x" or targets == 2)]
    if reason is None and 0 < len(alone) < len(effective):
        reason = single_words([key.upper() for key in alone])
    elif reason is None and float(found.total) <= (4 * score_error) ** 2:
        reason = "the words of each set do not differ"
    known: dict[str, Any] = {
        "difference": difference,
        "effective": effective,
        "copies": {} if near is None else near.words,
        "level": level,
        "alternative": alternative,
        "attribute_pvalue": None if exchanged is None else exchanged.pvalue,
        "attribute_method": None if exchanged is None else exchanged.method,
        "reason": reason,
    }
    if reason is not None:
        fields = ("low", "high", "pvalue", "agreement", "statistic", "se", "df", "detectable")
        none: dict[str, Any] = dict.fromkeys(fields)
        return Crossed(**known, **none, shares={})
    se, df = float(np.sqrt(found.total)), float(found.df)
    half = float(half_width(se, df, level))
    return Crossed(
        **known,
        low=difference - half,
        high=difference + half,
        pvalue=float(tail_probability(difference / se, df, alternative)),
        agreement=agreement(difference / se, df, found.effective),
        statistic=difference / se,
        se=se,
        df=df,
        detectable=reach(float(found.total), df),
        shares=_shares(found, targets),
    )


def single_words(alone: Sequence[str]) -> str:
    """Why there is no p-value for other words where some sets have one word."""
    has = "has" if len(alone) == 1 else "have"
    return f"{' and '.join(alone)} {has} a single word, and one word has no spread"


def _attributes_exchanged(
    table: Floats, n_x: int, n_a: int, equal: tuple[Facing, Facing] | None, options: Mapping[str, Any]
) -> PermutationResult | None:
    """The test with the roles of targets and attributes swapped; None where attributes do not differ."""
    if equal is None:
        means = [rows.mean(axis=0) for rows in (table[:n_x], table[n_x:]) if len(rows)]
        t = means[0] - means[1] if len(means) == 2 else means[0]
    else:
        scores = equal[0].weights @ table
        t = equal[1].level(scores)  # within the sets; both are then set as far apart as at equal covariate
        t[:n_a] += equal[1].weights @ scores - (t[:n_a].mean() - t[n_a:].mean())
    if float(t.max() - t.min()) <= 2 * options["score_error"]:
        return None
    return permutation_test(t[:n_a], t[n_a:], **options)


def _shares(found: Spread, targets: int) -> dict[str, float]:
    """Where the variance comes from: either facet without single cells, and those."""
    cells = float(found.cells)
    facets = [max(0.0, float(some.sum()) - cells) for some in (found.parts[:targets], found.parts[targets:])]
    whole = sum(facets) + cells
    return {
        "targets": facets[0] / whole,
        "attributes": facets[1] / whole,
        "cells": cells / whole,
    }


def bounds(sizes: Sequence[int]) -> list[slice]:
    """The places of sets that stand one after another."""
    ends = np.cumsum([0, *sizes]).tolist()
    return [slice(start, stop) for start, stop in pairwise(ends)]


def _part(scores: Floats, n: int) -> Any:
    """Variance of the mean of a set; a set of one word has none."""
    return scores.var(axis=-1, ddof=1) / n if n > 1 else np.zeros(scores.shape[:-1])

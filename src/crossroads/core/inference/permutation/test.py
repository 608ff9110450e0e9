"""The permutation test of a difference between two groups of scores, used by every measure.

The null hypothesis is that group labels are exchangeable. The p-value is the share of all divisions of the
pooled scores, into groups of the same sizes, whose statistic is at least as extreme as the observed one.
It is counted exactly where that is possible; otherwise the result records the method used and bounds of its
error:

============= ================================================== ==============================
method        when                                               ``pvalue_low``, ``pvalue_high``
============= ================================================== ==============================
exact         the overlap has at most ``max_work`` sums          equal to ``pvalue``
bracket       otherwise, up to 60 scores per group               certain bounds
saddlepoint   otherwise, from 13 scores per group, no outliers,  ± 2 %, an observed error
              no lattice, 1,000 divisions as extreme or more
monte-carlo   otherwise                                          99.9 % confidence interval
normal        only on request                                    none: equal to ``pvalue``
============= ================================================== ==============================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import erfc, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from crossroads.core.errors import InputError, one_of
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.options import seed_of, whole, work
from crossroads.core.inference.permutation.bracket import bracket, table_cells
from crossroads.core.inference.permutation.counting import Counts, TooMuchWork, count_exactly
from crossroads.core.inference.permutation.saddlepoint import RELATIVE_ERROR, SMALLEST, saddlepoint_rows
from crossroads.core.inference.permutation.scores import Scores, as_scores
from crossroads.core.inference.permutation.studentised import ENUMERATED, compare_divisions

Tail = Literal["greater", "less", "two-sided"]
Alternative = Literal[Tail, "observed"]
Ties = Literal["weak", "strict"]
Method = Literal["auto", "exact", "bracket", "saddlepoint", "monte-carlo", "normal"]
Statistic = Literal["mean", "studentised"]
MAX_WORK = 1e8
"""Subset sums that the planner allows in an exact count; 25 scores per group always fit."""
RESAMPLES = 99_999
"""Random divisions drawn by the Monte Carlo method."""

_BRACKET_LARGEST = 60
_BRACKET_CELLS = (10_000, 50_000)
_BRACKET_WIDTH = 0.01
_BRACKET_WORK = 2e9
_BRACKET_COUNTABLE = 1000  # the number of divisions must fit a float64
_CHUNK = 1 << 21
_TINIEST = 5e-324

Interval = tuple[float, float, float]
"""A p-value with its lower and upper bound."""


@dataclass(frozen=True, kw_only=True)
class PermutationResult:
    """p-values of a permutation test, for every tail."""

    pvalue: float
    """The p-value for the requested alternative and treatment of ties."""
    pvalue_low: float
    """Lower bound of the p-value; see ``bound`` for its kind."""
    pvalue_high: float
    """Upper bound of the p-value."""
    method: str
    """How it was found: ``exact``, ``bracket``, ``saddlepoint``, ``monte-carlo`` or ``normal``."""
    bound: str
    """Kind of the bounds: ``exact``, ``certain``, ``observed error``, ``confidence``, ``none``."""
    alternative: str
    """The tail requested."""
    ties: str
    """``weak`` counts divisions that equal the observed one, ``strict`` does not."""
    tied: int | None = field(repr=False)
    """Divisions that tie with the observed one, itself included; known after an exact count only."""
    total: int = field(repr=False)
    """All divisions. Like ``tied`` it may have thousands of digits, more than Python prints."""
    min_pvalue: float
    """The smallest p-value that the design and the method can give."""
    tails: Mapping[str, Interval]
    """The p-value and its bounds for every alternative, under the same treatment of ties."""


def permutation_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    ties: Ties = "weak",
    method: Method = "auto",
    seed: int = 0,
    score_error: float = 0.0,
    max_work: float = MAX_WORK,
    resamples: int = RESAMPLES,
    statistic: Statistic = "mean",
) -> PermutationResult:
    """Test whether the scores of one group exceed those of another, by exchanging labels.

    Parameters
    ----------
    x, y
        Scores of the two groups; the groups may differ in size.
    alternative
        ``"greater"``: x above y. ``"less"``: x below y. ``"two-sided"``: twice the smaller tail, at most
        1. ``"observed"``: the tail on the side that was observed, which the tables of the ML-EAT paper
        report; chosen after the fact, it rejects a true null twice as often as its nominal level.
    ties
        ``"weak"`` counts divisions that equal the observed one (valid, never 0); ``"strict"`` counts only
        those beyond it, as the published formula does.
    method
        ``"auto"`` lets the planner choose; see the table above. Where all scores are equal but for rounding,
        all divisions are ties, and the p-value is exact with any method.
    seed
        Seed of the Monte Carlo draws.
    score_error
        Largest rounding error of a score beyond that of its representation as a float; sums that differ by no
        more than these errors can add up to are tied.
    max_work
        Largest number of subset sums in an exact count, also with ``method="exact"``.
    resamples
        Number of Monte Carlo draws.
    statistic
        ``"mean"``, the difference of the means; or ``"studentised"``, Welch's t, for groups that may differ
        in spread as well as in size: all divisions up to 200,000, otherwise ``resamples`` of them.

    Notes
    -----
    Where spreads differ, labels are not exchangeable, and with unequal sizes the test of means rejects equal
    means too often. Studentising helps large groups; for small ones use the t test, which ``crossed`` is.

    References
    ----------
    Janssen, A. (1997). doi:10.1016/S0167-7152(97)00043-6; Chung, E., & Romano, J. P. (2013).
    doi:10.1214/13-AOS1090

    Examples
    --------
    >>> r = permutation_test([3.0, 4.0, 5.0], [0.0, 1.0, 2.0])
    >>> r.pvalue == 2 / 20, r.method, r.total, r.tied
    (True, 'exact', 20, 1)
    """
    one_of("alternative", alternative, Alternative)
    one_of("ties", ties, Ties)
    one_of("method", method, Method)
    one_of("statistic", statistic, Statistic)
    seed_of(seed)
    work(max_work)
    whole("resamples", resamples, least=1, hint="draw at least one; 99,999 is usual.")
    scores = as_scores(x, y, score_error=score_error)
    if scores.tied:  # with any method: no curve is fitted to rounding errors
        found = _all_tied(scores)
    elif statistic == "studentised":
        found = _studentised(scores, method, seed, resamples)
    elif method == "auto":
        found = _plan(scores, max_work, seed, resamples)
    else:
        found = _forced(scores, method, max_work, seed, resamples)
    tails = _tails(found, ties, leaning=scores.leaning)
    smallest = 1 / (resamples + 1) if found.method == "monte-carlo" else max(1 / scores.total, _TINIEST)
    p, low, high = tails[alternative]
    return PermutationResult(
        pvalue=p,
        pvalue_low=low,
        pvalue_high=high,
        method=found.method,
        bound=_BOUNDS[found.method],
        alternative=alternative,
        ties=ties,
        tied=found.tied,
        total=scores.total,
        min_pvalue=min(1.0, 2 * smallest) if alternative == "two-sided" else smallest,
        tails=tails,
    )


_BOUNDS = {
    "exact": "exact",
    "bracket": "certain",
    "saddlepoint": "observed error",
    "monte-carlo": "confidence",
    "normal": "none",
}


@dataclass(frozen=True, kw_only=True)
class _Shares:
    """Shares of divisions on either side of the observed one, with their bounds."""

    method: str
    above: Interval
    not_below: Interval
    below: Interval
    not_above: Interval
    tied: int | None = None


def _all_tied(scores: Scores) -> _Shares:
    none, every = (0.0,) * 3, (1.0,) * 3
    return _Shares(
        method="exact", above=none, not_below=every, below=none, not_above=every, tied=scores.total
    )


def _plan(scores: Scores, max_work: float, seed: int, resamples: int) -> _Shares:
    try:
        return _exact(scores, max_work)
    except TooMuchWork:
        pass
    n_x, n_y = scores.x.size, scores.y.size
    if max(n_x, n_y) <= _BRACKET_LARGEST or min(n_x, n_y) < SMALLEST:
        found: _Shares | None = None
        for cells in _BRACKET_CELLS:
            if n_x + n_y > _BRACKET_COUNTABLE or table_cells(n_x, n_y, cells) > _BRACKET_WORK:
                break
            found = _bracketed(scores, cells)
            if _narrow(found):
                break
        if found is not None:
            return found
    if min(n_x, n_y) >= SMALLEST:
        approximated = _saddlepoint(scores)
        if approximated is not None:
            return approximated
    return _monte_carlo(scores, seed, resamples)


def _forced(scores: Scores, method: str, max_work: float, seed: int, resamples: int) -> _Shares:
    if method == "exact":
        try:
            return _exact(scores, max_work)
        except TooMuchWork:
            raise InputError(
                f"groups of {scores.x.size} and {scores.y.size} scores have too many divisions to count.",
                hint="use method='auto', which brackets the p-value; or, in Python, raise max_work "
                f"(now {max_work:g}).",
                option="method",
            ) from None
    if method == "bracket":
        n_x, n_y = scores.x.size, scores.y.size
        if n_x + n_y > _BRACKET_COUNTABLE or table_cells(n_x, n_y, _BRACKET_CELLS[0]) > 10 * _BRACKET_WORK:
            raise InputError(
                f"groups of {n_x} and {n_y} scores are too large to bracket.",
                hint="use method='auto'.",
                option="method",
            )
        return _bracketed(scores, _BRACKET_CELLS[0])
    if method == "saddlepoint":
        if min(scores.x.size, scores.y.size) < SMALLEST:
            raise InputError(
                f"the saddlepoint method needs {SMALLEST} scores per group; there are "
                f"{scores.x.size} and {scores.y.size}.",
                hint="use method='exact'.",
                option="method",
            )
        approximated = _saddlepoint(scores)
        if approximated is None:
            raise InputError(
                "there is no reliable saddlepoint: the scores have extreme outliers, repeat, or form two "
                "clusters, or very few divisions are as extreme.",
                hint="use method='auto'.",
                option="method",
            )
        return approximated
    if method == "normal":
        return _normal(scores)
    return _monte_carlo(scores, seed, resamples)


def _narrow(found: _Shares) -> bool:
    """Whether the smaller tail is known to within one per cent."""
    _, low, high = min(found.not_below, found.not_above)
    return high - low <= _BRACKET_WIDTH * high


def _studentised(scores: Scores, method: str, seed: int, resamples: int) -> _Shares:
    """Shares of divisions by Welch's t: of all of them where they are few."""
    if method not in ("auto", "exact", "monte-carlo"):
        raise InputError(
            f"the method {method!r} cannot compare studentised statistics.",
            hint="use method='auto', 'exact' or 'monte-carlo'.",
            option="method",
        )
    if min(scores.x.size, scores.y.size) < 2:
        raise InputError(
            f"a studentised statistic needs two scores per group; there are {scores.x.size} and "
            f"{scores.y.size}.",
            hint="use statistic='mean'.",
        )
    few = scores.total <= ENUMERATED
    if method == "exact" and not few:
        raise InputError(
            f"groups of {scores.x.size} and {scores.y.size} scores have more than {ENUMERATED:,} divisions.",
            hint="use method='auto', which draws some of them.",
            option="method",
        )
    if method == "monte-carlo" or not few:
        above, tied, below = compare_divisions(scores, seed=seed, resamples=resamples)
        return _drawn(above, tied, below)
    above, tied, below = compare_divisions(scores, seed=seed, resamples=None)
    return _counted(Counts(above=above, tied=tied, total=above + tied + below))


def _exact(scores: Scores, max_work: float) -> _Shares:
    return _counted(count_exactly(scores, max_work=max_work))


def _counted(counts: Counts) -> _Shares:

    def share(count: int) -> Interval:
        p = count / counts.total  # a quotient of integers of any size, rounded once
        if count and p == 0.0:
            p = _TINIEST  # a share below the smallest float is not 0
        return p, p, p

    return _Shares(
        method="exact",
        above=share(counts.above),
        not_below=share(counts.above + counts.tied),
        below=share(counts.below),
        not_above=share(counts.below + counts.tied),
        tied=counts.tied,
    )


def _bracketed(scores: Scores, cells: int) -> _Shares:
    found = bracket(scores, cells=cells)

    def upper(bounds: tuple[float, float], floor: float = 0.0) -> Interval:
        low, high = max(bounds[0], floor), max(bounds[1], floor)
        return high, low, high  # the upper bound is reported: it is conservative

    smallest = 1 / scores.total
    return _Shares(
        method="bracket",
        above=upper(found.above),
        not_below=upper(found.not_below, smallest),
        below=upper(found.below),
        not_above=upper(found.not_above, smallest),
    )


def _saddlepoint(scores: Scores) -> _Shares | None:
    row = np.concatenate([scores.x, scores.y]).astype(np.float64)
    row -= row.mean()
    p_up, p_down = saddlepoint_rows(np.stack([row, -row]), scores.x.size)
    if not (np.isfinite(p_up) and np.isfinite(p_down)):
        return None

    def about(p: float) -> Interval:
        return p, p / (1 + RELATIVE_ERROR), min(1.0, p * (1 + RELATIVE_ERROR))

    up, down = about(float(p_up)), about(float(p_down))
    return _Shares(method="saddlepoint", above=up, not_below=up, below=down, not_above=down)


def _normal(scores: Scores) -> _Shares:
    n_x, n_y = scores.x.size, scores.y.size
    pooled = np.concatenate([scores.x, scores.y]).astype(np.float64)
    variance = float(pooled.var(ddof=1))
    z = scores.leaning / sqrt(variance * (n_x + n_y) / (n_x * n_y))
    up, down = erfc(z / sqrt(2)) / 2, erfc(-z / sqrt(2)) / 2
    return _Shares(
        method="normal", above=(up,) * 3, not_below=(up,) * 3, below=(down,) * 3, not_above=(down,) * 3
    )


def _monte_carlo(scores: Scores, seed: int, resamples: int) -> _Shares:
    rng = generator(seed)
    pooled = np.concatenate([scores.x, scores.y])
    n_x, observed = scores.x.size, int(scores.x.sum())
    above = below = 0
    chunk = max(1, _CHUNK // pooled.size)
    for start in range(0, resamples, chunk):
        size = min(chunk, resamples - start)
        drawn = np.argpartition(rng.random((size, pooled.size)), n_x - 1, axis=1)[:, :n_x]
        excess = pooled[drawn].sum(axis=1) - observed
        above += int((excess > scores.tie).sum())
        below += int((excess < -scores.tie).sum())
    return _drawn(above, resamples - above - below, below)


def _drawn(above: int, tied: int, below: int) -> _Shares:
    resamples = above + tied + below
    return _Shares(
        method="monte-carlo",
        above=_sampled(above, resamples),
        not_below=_sampled(above + tied, resamples),
        below=_sampled(below, resamples),
        not_above=_sampled(below + tied, resamples),
    )


def _sampled(hits: int, draws: int) -> Interval:
    """(b + 1) / (m + 1), with the 99.9 % Clopper–Pearson interval of the share."""
    from scipy.special import betaincinv  # scipy is slow to import

    low = float(betaincinv(hits, draws - hits + 1, 0.0005)) if hits else 0.0
    high = float(betaincinv(hits + 1, draws - hits, 0.9995)) if hits < draws else 1.0
    p = (hits + 1) / (draws + 1)
    return p, min(low, p), max(high, p)


def _tails(found: _Shares, ties: str, *, leaning: float) -> dict[str, Interval]:
    if ties == "weak":
        upper, lower = found.not_below, found.not_above
    else:
        upper, lower = found.above, found.below
    p, low, high = (min(one, other) for one, other in zip(upper, lower, strict=True))
    return {
        "greater": upper,
        "less": lower,
        "two-sided": (min(1.0, 2 * p), min(1.0, 2 * low), min(1.0, 2 * high)),
        "observed": upper if leaning >= 0 else lower,
    }

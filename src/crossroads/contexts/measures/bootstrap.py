"""Dependence of the effect size of a CEAT on the words chosen and the contexts found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.measures.draws import (
    Stack,
    check_expected,
    design_contexts,
    expected_associations,
    shared_fields,
)
from crossroads.core.errors import EvidenceError, Missing, one_of
from crossroads.core.evidence import Contexts
from crossroads.core.inference.bootstrap import generator, percentile_interval
from crossroads.core.inference.geometry import Floats, effect_size
from crossroads.core.inference.options import share, whole
from crossroads.core.results import TEST, Result, Row, Stat, long_row, read_only, stat
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.words.measures.weat import check_ddof

Drawn = Literal["both", "words", "contexts"]
_BLOCK_BYTES = 1 << 25


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CeatBootstrapResult(Result):
    """Confidence interval of the stimulus-level effect size of a CEAT."""

    _resampled: ClassVar[bool] = True
    _section: ClassVar[str] = "contexts"
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting",)
    _label_format: ClassVar[str] = f"{phrases.tested('{design}', 'ceat')} interval"
    _table_name: ClassVar[str] = "context_intervals"
    _table_title: ClassVar[str] = "Intervals of effect sizes over contexts"
    _file_names: ClassVar[str] = "design effect_size low high level interval drawn resamples undefined"
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        stat("d", note="effect size over all contexts of each word", of="effect_size"),
        stat("interval", of="low", kind="interval"),
        stat("level", kind="share", digits=0),
        stat("drawn", of="_drawn_text"),
        stat("resamples", kind="count", spare=1),
    )

    design: str
    """Name of the design."""
    effect_size: float
    """Effect size of the expected associations of the stimuli over all their contexts."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    level: float
    """Nominal coverage of the interval."""
    interval: str
    """Kind of interval: ``percentile``."""
    drawn: str
    """What was resampled: ``words``, ``contexts`` or ``both``."""
    resamples: int
    """Number of resamples."""
    undefined: int
    """Resamples without an effect size, because every stimulus drawn had the same association."""
    effect_sizes: NDArray[np.float64]
    """Effect size of each resample that has one."""

    @property
    def _drawn_text(self) -> str:
        return "words and contexts" if self.drawn == "both" else self.drawn

    def _long_rows(self, name: str) -> Iterator[Row]:
        """The interval and how it was found."""
        ends = {"low": self.low, "high": self.high, "n": self.resamples, "method": self.interval}
        part = f"interval over {self._drawn_text}"
        yield long_row("ceat-bootstrap", self.design, part, "effect_size", self.effect_size, **ends)
        for statistic in ("resamples", "undefined", "level"):
            yield long_row("ceat-bootstrap", self.design, part, statistic, getattr(self, statistic))


def ceat_bootstrap(
    contexts: Contexts,
    design: Design,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    drawn: Drawn = "both",
    ddof: int = 1,
    seed: int = 0,
    missing: Missing = "raise",
) -> CeatBootstrapResult:
    r"""Compute a confidence interval of the stimulus-level effect size by resampling words and contexts.

    The effect size is the ``stimulus_effect_size`` of :func:`~crossroads.ceat`, that of the expected
    associations :math:`s_w = \bar w \cdot (\operatorname{mean}_a \bar a - \operatorname{mean}_b \bar b)`,
    where :math:`\bar w` is the mean unit vector of a word over its contexts. Each resample draws the words of
    all four sets with replacement and then, for every word drawn, as many of its contexts as it has.

    Parameters
    ----------
    contexts, design, missing
        As in :func:`~crossroads.ceat`; every set needs two words.
    level
        Nominal coverage.
    drawn
        ``"both"`` stages; ``"words"`` alone, with their contexts as they are; or ``"contexts"`` alone, for
        the variation over other sentences with the same words.

    Notes
    -----
    The variance of observed word means already includes the noise of their contexts, so that ``"both"``
    counts it twice: it is too wide where contexts are few, and equals ``"words"`` where they are many
    (Davison & Hinkley 1997, section 3.8). With sets of eight words, intervals of any kind are approximate.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap Methods and their Application.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> result = cr.stats.ceat_bootstrap(contexts, design, resamples=500)
    >>> result.low < result.effect_size < result.high
    True
    """
    one_of("drawn", drawn, Drawn)
    check_ddof(ddof)
    whole("resamples", resamples, least=1, hint="draw at least one; 2,000 is usual.")
    share("level", level)
    stacked, found = design_contexts(contexts, design, missing=missing, least=dict.fromkeys("xyab", 2))
    n_x = stacked.sizes[0]
    s = expected_associations(stacked)
    check_expected(s, contexts.dim, f"expected association of the design {design.name!r}")
    effects = _resampled(stacked, resamples, drawn, ddof, generator(seed))
    defined = effects[np.isfinite(effects)]
    if defined.size == 0:
        raise EvidenceError(
            f"none of {resamples} resamples of the design {design.name!r} has an effect size.",
            hint="draw more resamples.",
        )
    low, high = percentile_interval(defined, level)
    return CeatBootstrapResult(
        design=design.name,
        effect_size=effect_size(s[:n_x], s[n_x:], ddof=ddof),
        low=low,
        high=high,
        level=level,
        interval="percentile",
        drawn=drawn,
        resamples=resamples,
        undefined=int(effects.size - defined.size),
        effect_sizes=read_only(defined),
        **shared_fields(
            contexts,
            found,
            measure="ceat-bootstrap",
            ddof=ddof,
            interval="percentile",
            drawn=drawn,
            seed=seed,
            missing=missing,
        ),
    )


def _resampled(stacked: Stack, resamples: int, drawn: str, ddof: int, rng: np.random.Generator) -> Floats:
    """Effect size of each resample, in blocks; NaN where it is undefined."""
    n_x = stacked.sizes[0]
    own = stacked.means.astype(stacked.rows.dtype)
    size = max(1, _BLOCK_BYTES // own.nbytes)
    found = []
    for start in range(0, resamples, size):
        words = _words(stacked.sizes, min(size, resamples - start), drawn, rng)
        vectors = own[words] if drawn == "words" else _resampled_means(stacked, words, rng)
        targets, a, b = np.split(vectors, stacked.edges, axis=1)
        difference = a.mean(axis=1) - b.mean(axis=1)
        s = np.einsum("rwd,rd->rw", targets, difference).astype(np.float64)
        spread = s.std(axis=1, ddof=ddof)
        # where every target drawn is the same word, only rounding error is left
        flat = spread <= 4 * np.finfo(stacked.rows.dtype).eps
        top = s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)
        found.append(np.where(flat, np.nan, top / np.where(flat, 1.0, spread)))
    return np.concatenate(found)


def _words(sizes: tuple[int, ...], resamples: int, drawn: str, rng: np.random.Generator) -> NDArray[np.int64]:
    """Index of the word at each place of each resample, set by set."""
    if drawn == "contexts":
        return np.broadcast_to(np.arange(sum(sizes)), (resamples, sum(sizes)))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.concatenate(
        [start + rng.integers(0, n, (resamples, n)) for start, n in zip(starts, sizes, strict=True)], axis=1
    )


def _resampled_means(stacked: Stack, words: NDArray[np.int64], rng: np.random.Generator) -> NDArray[Any]:
    """Mean unit vector of each word drawn, over contexts that are resampled for each of its draws.

    All resamples of a word are one product of matrices: shares of its contexts times these contexts.
    """
    rows = stacked.rows
    vectors: NDArray[Any] = np.empty((*words.shape, rows.shape[1]), dtype=rows.dtype)
    for word, (start, n) in enumerate(zip(stacked.starts, stacked.counts, strict=True)):
        places = np.nonzero(words == word)
        times = places[0].size
        if times == 0:
            continue
        picks = rng.integers(0, n, (times, n)) + n * np.arange(times)[:, None]
        drawn = np.bincount(picks.ravel(), minlength=times * n).reshape(times, n)
        here = slice(start, start + n)
        vectors[places] = (drawn * (stacked.scale[here] / rows.dtype.type(n))).astype(rows.dtype) @ rows[here]
    return vectors

"""Whether cosines are meaningful in a space: anisotropy, rogue dimensions, effective rank."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from crossroads.core.errors import CrossroadsWarning, EvidenceError
from crossroads.core.evidence import Contexts, Embeddings
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.geometry import Floats, unit
from crossroads.core.results import Result, Row, Stat, long_row, stat
from crossroads.core.wording.numbers import number
from crossroads.core.wording.table import Table
from crossroads.words.checks.corrections import CORRECTIONS, HEADS, OVER, fitted, reference

HIGH = 0.5
"""Mean cosine of random pairs above which cosines are doubtful: by then more than half of the squared length
of a unit vector lies in one direction that all words share. In the GPT-2 models of the ML-EAT paper, the one
that it warns of has mean cosines from .97 to .99, the one that it calls mild from .18 to .49."""
ANISOTROPY, OF_CONTEXTS = "anisotropy", "anisotropy of contexts"
"""The names of the result: over words, and over contexts."""
_WHOSE = {"pool": "random words", "stimuli": "the words of the tests", "contexts": "words in random contexts"}
_TOP = 3
_TOP_THREE = "share of it that the three strongest dimensions contribute"
_LEAST_SHARED = 0.05


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnisotropyResult(Result):
    """How alike random words are in a space, and which dimensions make them so."""

    _section: ClassVar[str] = "geometry"
    _stem: ClassVar[str] = "anisotropy"
    _cites: ClassVar[tuple[str, ...]] = (
        "ethayarajh2019how",
        "timkey2021all",
        "mu2018allbutthetop",
        "roy2007effective",
        "wolfe2024mleat",
    )
    _table_title: ClassVar[str] = "Is cosine meaningful here?"
    _file_names: ClassVar[str] = (
        "mean_cosine rogue_share rogue=_rogue_said effective_rank dim words over mean_cosine=corrected"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {"anisotropy": "mean_cosine rogue_share effective_rank"}
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("mean_cosine", "mean cosine", "of all pairs of words; 0 in an even space"),
        stat("rogue_share", "top three", _TOP_THREE, kind="share"),
        stat("effective_rank", "directions", "how many the vectors really use (effective rank)", digits=1),
        stat("dim", "of", "dimensions", kind="count"),
        stat("words", kind="count"),
        *(
            stat(f"mean_cosine_{name}", HEADS[name], f"mean cosine, {said}", of=f"corrected.{name}", spare=2)
            for name, said in CORRECTIONS.items()
        ),
    )

    mean_cosine: float
    """Mean cosine of all pairs of words."""
    rogue: Mapping[str, float]
    """The three dimensions, counted from 0, that contribute most to the mean cosine, with the part of it that
    each contributes."""
    rogue_share: float | None
    """Share of the mean cosine that those three contribute; None where the mean cosine is below .05, so that
    there is little to contribute to."""
    effective_rank: float
    """Number of directions that the unit vectors use: the exponential of the entropy of their singular
    values; between 1 and the smaller of ``dim`` and ``words``."""
    dim: int
    """Number of dimensions."""
    words: int
    """Number of words that were measured."""
    over: str
    """Which words: ``"pool"`` for other words of the model, ``"stimuli"`` for those of the tests,
    ``"contexts"`` for one context of each word."""
    corrected: Mapping[str, float]
    """Mean cosine after each correction of the space; none over contexts."""

    @property
    def _label(self) -> str:
        """What was measured: an audit has one per kind of vectors."""
        return OF_CONTEXTS if self.over == "contexts" else ANISOTROPY

    @property
    def high(self) -> bool:
        """Whether the mean cosine is above :data:`HIGH`."""
        return self.mean_cosine > HIGH

    @property
    def warning(self) -> str:
        """What a high mean cosine means, in a sentence; empty where it is not high."""
        if not self.high:
            return ""
        return (
            f"{_WHOSE[self.over]} have a mean cosine of {number(self.mean_cosine)}: all vectors point much "
            "the same way, so differences of cosines are small and may come from a few dimensions. Do not "
            "rely on the tests of this model alone; look at them after a correction of the space."
        )

    @property
    def _rogue_said(self) -> str:
        return ", ".join(self.rogue)

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per model; corrections only where there are any."""
        without = [name for name in CORRECTIONS if not any(name in one.corrected for one in results.values())]
        return super()._tabulate(results).without(f"mean_cosine_{name}" for name in without)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        for over in dict.fromkeys(one.over for one in results.values()):
            yield f"Measured on {OVER[over]}."
        yield from cls._warnings(results)

    @classmethod
    def _warnings(cls, results: Mapping[str, Self]) -> list[str]:
        return [f"Warning: {one.warning}" for one in results.values() if one.warning]

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number."""
        for statistic in ("mean_cosine", "rogue_share", "effective_rank"):
            value = getattr(self, statistic)
            yield long_row(ANISOTROPY, self._label, "", statistic, value, n=self.words)
        for correction, value in self.corrected.items():
            yield long_row(ANISOTROPY, self._label, correction, "mean_cosine", value, n=self.words)


def anisotropy(emb: Embeddings | Contexts, *, seed: int = 0) -> AnisotropyResult:
    r"""Measure how alike random words are, and which dimensions make them so.

    With unit vectors :math:`\hat u_1 \dots \hat u_n`, the mean cosine of all pairs is

    .. math::
        \bar c = \sum_i c_i, \qquad
        c_i = \frac{(\sum_k \hat u_{ki})^2 - \sum_k \hat u_{ki}^2}{n(n-1)},

    and :math:`c_i` is what dimension :math:`i` contributes. In an even space it is about 0. Where it is near
    1, all vectors point the same way, and cosines say little about meaning. The effective rank is
    :math:`\exp H(\sigma / \sum \sigma)` of the singular values of the unit vectors.

    Parameters
    ----------
    emb
        Vectors. The numbers are those of their pool (up to 20,000 other words of the source), or of the
        vectors themselves where there are fewer than 1,000 others. Of contexts, one drawn per word.
    seed
        Seed of what is drawn from a pool with more words, and from contexts.

    Warns
    -----
    CrossroadsWarning
        If the mean cosine is above :data:`HIGH`.

    References
    ----------
    Ethayarajh (2019), doi:10.18653/v1/D19-1006; Timkey and van Schijndel (2021),
    doi:10.18653/v1/2021.emnlp-main.372; Roy and Vetterli (2007).

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> rng = np.random.default_rng(1)
    >>> even = cr.Embeddings([f"w{i}" for i in range(2000)], rng.normal(size=(2000, 8)))
    >>> found = cr.stats.anisotropy(even)
    >>> abs(found.mean_cosine) < 0.01, found.effective_rank > 7.9
    (True, True)
    """
    found = measured_anisotropy(emb, seed=seed)
    if found.high:
        warnings.warn(found.warning, CrossroadsWarning, stacklevel=2)
    return found


def measured_anisotropy(emb: Embeddings | Contexts, *, seed: int = 0) -> AnisotropyResult:
    """The same without the warning, for an audit, which shows it in its own place."""
    if isinstance(emb, Contexts):
        vectors, over = _one_context_each(emb, seed), "contexts"
    else:
        vectors, over = reference(emb, seed)
    rows = _with_direction(vectors)
    if len(rows) < 2:
        raise EvidenceError(
            f"anisotropy is about pairs of words, and there are vectors of {len(rows)}.",
            hint="give at least two words.",
        )
    contributions = pair_contributions(unit(rows))
    total = float(contributions.sum())
    top = np.argsort(-contributions, kind="stable")[:_TOP]
    corrected = {} if over == "contexts" else {name: _after(name, rows) for name in CORRECTIONS}
    return AnisotropyResult(
        mean_cosine=total,
        rogue={str(at): float(contributions[at]) for at in top},
        rogue_share=float(contributions[top].sum()) / total if total >= _LEAST_SHARED else None,
        effective_rank=effective_rank(unit(rows)),
        dim=rows.shape[1],
        words=len(rows),
        over=over,
        corrected=corrected,
        conventions={"measure": ANISOTROPY, "high above": HIGH, "over": OVER[over], "seed": seed},
        provenance=(emb.provenance,),
    )


def pair_contributions(units: Floats) -> Floats:
    """What each dimension contributes to the mean cosine of all pairs of two unit vectors or more."""
    n = len(units)
    found: Floats = (units.sum(axis=0) ** 2 - np.einsum("ij,ij->j", units, units)) / (n * (n - 1))
    return found


def effective_rank(units: Floats) -> float:
    """The exponential of the entropy of the singular values (Roy and Vetterli 2007)."""
    small = units.T @ units if units.shape[0] > units.shape[1] else units @ units.T
    values = np.sqrt(np.maximum(np.linalg.eigvalsh(small), 0))
    shares = values[values > 0] / values.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _after(correction: str, rows: Floats) -> float:
    """The mean cosine after a correction."""
    changed = _with_direction(fitted(correction, rows)(rows))
    return float(pair_contributions(unit(changed)).sum()) if len(changed) > 1 else 0.0


def _with_direction(vectors: Any) -> Floats:
    rows = np.asarray(vectors, np.float64)
    found: Floats = rows[(rows != 0).any(axis=1)]
    return found


def _one_context_each(contexts: Contexts, seed: int) -> Floats:
    rng = generator(seed)
    words = (contexts[word] for word in contexts)
    return np.stack([np.asarray(rows[rng.integers(len(rows))], np.float64) for rows in words])

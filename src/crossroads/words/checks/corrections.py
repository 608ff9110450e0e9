"""Whether cosines are meaningful in a space, its corrections, and what tests give before and after them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    CrossroadsError,
    CrossroadsWarning,
    EvidenceError,
    InputError,
    Missing,
    join_words,
    one_of,
)
from crossroads.core.evidence import Contexts, Embeddings
from crossroads.core.evidence.embeddings import covariance
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.copies import near
from crossroads.core.inference.crossed import spread, tail_probability
from crossroads.core.inference.geometry import (
    Floats,
    associations,
    cosines,
    effect_size,
    rounding_error,
    unit,
)
from crossroads.core.inference.ranks import doubled_midranks
from crossroads.core.models.kinds import Correction
from crossroads.core.results import Result, Row, Stat, long_row, stat
from crossroads.core.results.gathered import check_vectors
from crossroads.core.stimuli import Design
from crossroads.core.wording.numbers import number
from crossroads.core.wording.table import Table
from crossroads.words.measures.weat import gather_two

CORRECTIONS: Mapping[str, str] = {
    "standardise": "each dimension with mean 0 and standard deviation 1",
    "all-but-the-top": "without the mean and the strongest directions",
    "rank": "ranks of the dimensions in place of values (Spearman's correlation)",
}
"""What each correction does."""
HEADS: Mapping[str, str] = {"standardise": "stand.", "all-but-the-top": "top off", "rank": "rank"}
"""Short names of the corrections, for tables."""
OVER: Mapping[str, str] = {
    "pool": "other words of the same model",
    "stimuli": "the words of the tests themselves, as no others are at hand; they are more alike than random "
    "words",
    "contexts": "one context of each word of the store, drawn at random",
}
"""Which words a space is measured on."""
AS_IT_IS = "as it is"
"""The space without a correction, among corrections."""
POOL, LEAST_POOL = 20_000, 1_000
"""Most words that a space is measured on, and how many other words there must be."""
HIGH = 0.5
"""Mean cosine of random pairs above which cosines are doubtful: by then more than half of the squared length
of a unit vector lies in one direction that all words share."""
ANISOTROPY, OF_CONTEXTS = "anisotropy", "anisotropy of contexts"
"""The names of the result: over words, and over contexts."""
_WHOSE = {"pool": "random words", "stimuli": "the words of the tests", "contexts": "words in random contexts"}
_WARNING = (
    "{} have a mean cosine of {}: all vectors point much the same way, so differences of cosines are small "
    "and may come from a few dimensions. Do not rely on the tests of this model alone; look at them after a "
    "correction of the space."
)
_TOP = 3
_TOP_THREE = "share of it that the three strongest dimensions contribute"
_LEAST_SHARED = 0.05
_LEVEL = 0.05
_DIMENSIONS_A_DIRECTION = 100

Change = Callable[[NDArray[Any]], Floats]
"""From vectors to corrected ones, row by row; rows of zeros, which stand for no vector, stay zero."""


def reference(emb: Embeddings, seed: int = 0) -> tuple[NDArray[Any], str]:
    """The vectors that a space is measured on, the pool or they themselves, and a key of :data:`OVER`."""
    pool = emb.others(POOL)
    if pool is None or len(pool) < LEAST_POOL:
        return emb.vectors, "stimuli"
    if len(pool) <= POOL:
        return pool.vectors, "pool"
    rows = np.sort(generator(seed).choice(len(pool), POOL, replace=False))
    return pool.vectors[rows], "pool"


def fitted(correction: str, vectors: NDArray[Any]) -> Change:
    """A correction whose means, spreads and directions are those of some vectors, one per row."""
    if correction == "rank":  # ties shared, around 0: cosines are Spearman's ρ
        return _kept_zero(lambda some: (doubled_midranks(some) - (some.shape[1] + 1)).astype(np.float64))
    rows = _with_direction(vectors)
    if len(rows) < 2:
        message = f"a space cannot be corrected by the vectors of {len(rows)} word."
        raise EvidenceError(message, hint="give at least two.")
    mean = rows.mean(axis=0)
    if correction == "standardise":
        scale = rows.std(axis=0)
        scale[scale == 0] = 1.0
        return _kept_zero(lambda some: (some - mean) / scale)
    size = max(1, rows.shape[1] // _DIMENSIONS_A_DIRECTION)
    _, directions = np.linalg.eigh(np.cov(rows, rowvar=False).reshape(rows.shape[1], -1))
    top = directions[:, -size:]
    return _kept_zero(lambda some: (some - mean) - ((some - mean) @ top) @ top.T)


def _kept_zero(change: Change) -> Change:
    def changed(vectors: NDArray[Any]) -> Floats:
        rows = np.asarray(vectors, np.float64)
        found = change(rows)
        found[~(rows != 0).any(axis=1)] = 0.0
        return found

    return changed


def corrected(emb: Embeddings, correction: Correction, *, seed: int = 0) -> Embeddings:
    """Correct an uneven space; which correction, and by which words, is recorded in the provenance.

    ``"standardise"`` gives each dimension mean 0 and standard deviation 1 (Timkey and van Schijndel 2021).
    ``"all-but-the-top"`` subtracts the mean and removes the strongest directions, one for each 100
    dimensions and at least one (Mu and Viswanath 2018). ``"rank"`` replaces the values of a vector by their
    ranks, so that cosines become Spearman's correlations. Means, spreads and directions are those of the
    pool (see :func:`~crossroads.stats.anisotropy`), which is corrected too.

    References
    ----------
    Mu and Viswanath (2018), doi:10.48550/arXiv.1702.01417; Timkey and van Schijndel (2021),
    doi:10.18653/v1/2021.emnlp-main.372

    Examples
    --------
    >>> import crossroads as cr
    >>> emb = cr.load("default", words=cr.catalog("weat7").words, pool=20_000)
    >>> even = cr.stats.corrected(emb, "standardise")
    >>> [round(cr.stats.anisotropy(some).mean_cosine, 2) for some in (emb, even)]
    [0.02, 0.0]
    """
    one_of("correction", correction, Correction)
    check_vectors(emb)
    if (before := emb.provenance.details.get("correction")) is not None:
        message = f"the vectors are corrected already, by {before!r}."
        raise InputError(message, hint="correct the vectors as they were read.")
    vectors, over = reference(emb, seed)
    change, pool = fitted(correction, vectors), emb.pool
    details = {**emb.provenance.details, "correction": correction}
    if correction != "rank":  # which is of a vector by itself
        details["correction by"] = f"{len(vectors):,} words: {OVER[over]}"
    about = replace(emb.provenance, details=details)
    kind = np.float64 if emb.vectors.dtype == np.float64 else np.float32
    other = None
    if pool is not None and pool is not emb:
        other = pool.with_vectors(change(pool.vectors).astype(kind), provenance=about)
    common = None if emb.common is None else change(emb.common).astype(kind)
    return emb.with_vectors(change(emb.vectors).astype(kind), provenance=about, pool=other, common=common)


def _columns_of(name: str, head: str, note: str) -> tuple[Stat, ...]:
    """Columns of a correction; those of the space as it is say more."""
    plain = name == AS_IT_IS
    more = ("difference of mean cosines", "over the choice of words, not adjusted") if plain else ("", "")
    return (
        stat(f"d {name}", f"d{head}", note, of=f"d.{name}"),
        stat(f"delta {name}", f"Δ{head}", more[0], of=f"delta.{name}", digits=3, spare=1),
        stat(f"p {name}", f"p{head}", more[1], of=f"p.{name}", kind="p", spare=0 if plain else 2),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CorrectionsResult(Result):
    """Tests in a space as it is, and after each correction of it."""

    _section: ClassVar[str] = "geometry"
    _stem: ClassVar[str] = "corrections"
    _cites: ClassVar[tuple[str, ...]] = ("mu2018allbutthetop", "timkey2021all")
    _label_format: ClassVar[str] = "corrections"
    _table_title: ClassVar[str] = "Tests before and after corrections of the space"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("test"),
        *_columns_of(AS_IT_IS, "", "effect size in the space as it is"),
        *(one for name, said in CORRECTIONS.items() for one in _columns_of(name, f" {HEADS[name]}", said)),
    )

    effect_sizes: Mapping[str, Mapping[str, float]]
    """d of each test, by name: as it is, and after each correction."""
    differences: Mapping[str, Mapping[str, float]]
    """Δ of each test. Cosines of a corrected space have other spreads: compare signs and d rather than Δ."""
    pvalues: Mapping[str, Mapping[str, float | None]]
    """The p-value of each Δ over the choice of all words, two-sided; None where a set has a single word, or
    where the words of each set do not differ."""
    skipped: Mapping[str, str]
    """Tests that could not be measured, and why."""

    @property
    def changed(self) -> tuple[str, ...]:
        """Tests whose answer, the side of .05 and the sign where it is below, depends on the correction."""
        return tuple(test for test in self.effect_sizes if len({*self._answers(test)}) > 1)

    def _answers(self, test: str) -> Iterator[int]:
        for name, p in self.pvalues[test].items():
            if p is not None:
                yield 0 if p >= _LEVEL else int(np.sign(self.differences[test][name]))

    def _rows(self) -> list[Row]:
        numbers = {"effect_size": self.effect_sizes, "difference": self.differences, "p": self.pvalues}
        return [
            {"test": test, "correction": name, **{key: some[test][name] for key, some in numbers.items()}}
            for test, sizes in self.effect_sizes.items()
            for name in sizes
        ]

    def _members(self) -> Iterator[Row]:
        for test, sizes in self.effect_sizes.items():
            yield {"test": test, "d": sizes, "delta": self.differences[test], "p": self.pvalues[test]}

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        for one in results.values():
            if one.changed:
                yield f"The answer at p < .05 depends on the correction in {join_words(one.changed, most=6)}."
        without = [test for one in results.values() for test, p in one.pvalues.items() if None in p.values()]
        if without:
            why = "There is no p where a set has a single word or the words of each set do not differ"
            yield f"{why}: {join_words(without, most=6)}."

    def _long_rows(self, name: str) -> Iterator[Row]:
        for row in self._rows():
            for statistic in ("effect_size", "difference", "p"):
                yield long_row("corrections", row["test"], row["correction"], statistic, row[statistic])


def corrections(
    emb: Embeddings, designs: Design | Sequence[Design], *, missing: Missing = "raise", seed: int = 0
) -> CorrectionsResult:
    """Measure tests in a space as it is, and after each correction of it.

    If an association depends on a few rogue dimensions, it changes when they are scaled or removed.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> found = cr.stats.corrections(emb, design)
    >>> sorted(found.effect_sizes["weat7"])
    ['all-but-the-top', 'as it is', 'rank', 'standardise']
    """
    check_vectors(emb)
    several = [designs] if isinstance(designs, Design) else list(designs)
    vectors, over = reference(emb, seed)
    changes = {AS_IT_IS: None, **{name: fitted(name, vectors) for name in CORRECTIONS}}
    common = emb.common
    vocabularies = {
        name: None if common is None else covariance(common if change is None else change(common))
        for name, change in changes.items()
    }
    tests: dict[str, dict[str, tuple[Any, ...]]] = {}
    skipped: dict[str, str] = {}
    for design in several:
        try:
            tests[design.name] = _measured(emb, design, missing, changes, vocabularies)
        except CrossroadsError as error:
            if isinstance(designs, Design):
                raise
            skipped[design.name] = error.message
    if not tests:
        raise EvidenceError(
            f"none of the {len(several)} tests can be measured: {next(iter(skipped.values()), 'none given')}",
            hint="use vectors that cover the stimuli, and tests with two targets.",
        )
    sizes, differences, pvalues = (
        {test: {name: row[i] for name, row in rows.items()} for test, rows in tests.items()} for i in range(3)
    )
    same = {"missing": missing, "seed": seed}
    return CorrectionsResult(
        effect_sizes=sizes,
        differences=differences,
        pvalues=pvalues,
        skipped=skipped,
        conventions={"measure": "corrections", "over": OVER[over], **same, "ddof": 1},
        provenance=(emb.provenance,),
    )


def _measured(
    emb: Embeddings,
    design: Design,
    missing: Missing,
    changes: Mapping[str, Change | None],
    vocabularies: Mapping[str, Floats | None],
) -> dict[str, tuple[Any, ...]]:
    found = gather_two(emb, design, missing, least=1, hint="give tests with two targets.")
    numbers: dict[str, tuple[Any, ...]] = {}
    for name, change in changes.items():
        v = found.vectors
        if change is not None:
            v = {key: change(emb.vectors[found.rows[key]]) for key in design.sets}
            if not all((some != 0).any(axis=1).all() for some in v.values()):
                message = f"a vector has no direction left after the correction {name!r}."
                hint = "it equals the mean of all words, or has the same value in every dimension."
                raise EvidenceError(message, hint=hint)
            v = {key: unit(some) for key, some in v.items()}
        d = effect_size(associations(v["x"], v["a"], v["b"]), associations(v["y"], v["a"], v["b"]), ddof=1)
        table = cosines(np.concatenate([v["x"], v["y"]]), np.concatenate([v["a"], v["b"]]))
        copies = near({key: v[key] for key in "xyab"}, found.words, vocabularies[name]).copies
        drawn, p = spread(table, len(v["x"]), len(v["a"]), copies), None
        if min(map(len, v.values())) > 1 and drawn.total > (4 * rounding_error(emb.dim)) ** 2:
            p = float(tail_probability(drawn.difference / np.sqrt(drawn.total), drawn.df, "two-sided"))
        numbers[name] = (d, float(drawn.difference), p)
    return numbers


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
        return OF_CONTEXTS if self.over == "contexts" else ANISOTROPY

    @property
    def high(self) -> bool:
        """Whether the mean cosine is above :data:`HIGH`."""
        return self.mean_cosine > HIGH

    @property
    def warning(self) -> str:
        """What a high mean cosine means, in a sentence; empty where it is not high."""
        return _WARNING.format(_WHOSE[self.over], number(self.mean_cosine)) if self.high else ""

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
        row = partial(long_row, ANISOTROPY, self._label, n=self.words)
        for statistic in ("mean_cosine", "rogue_share", "effective_rank"):
            yield row("", statistic, getattr(self, statistic))
        yield from (row(name, "mean_cosine", value) for name, value in self.corrected.items())


def anisotropy(emb: Embeddings | Contexts, *, seed: int = 0) -> AnisotropyResult:
    r"""Measure how alike random words are, and which dimensions make them so.

    With unit vectors :math:`\hat u_1 \dots \hat u_n`, the mean cosine of all pairs is

    .. math::
        \bar c = \sum_i c_i, \qquad
        c_i = \frac{(\sum_k \hat u_{ki})^2 - \sum_k \hat u_{ki}^2}{n(n-1)},

    and :math:`c_i` is what dimension :math:`i` contributes. In an even space it is about 0. Near 1, all
    vectors point the same way, and cosines say little; above .5 there is a warning. The effective rank is
    :math:`\exp H(\sigma / \sum \sigma)` of the singular values of the unit vectors. The numbers are those of
    the pool (up to 20,000 other words of the source), or of the vectors themselves where there are fewer than
    1,000 others; of contexts, of one drawn per word.

    References
    ----------
    Ethayarajh (2019), doi:10.18653/v1/D19-1006; Timkey and van Schijndel (2021),
    doi:10.18653/v1/2021.emnlp-main.372; Roy and Vetterli (2007).

    Examples
    --------
    >>> import crossroads as cr
    >>> found = cr.stats.anisotropy(cr.load("default"))
    >>> round(found.mean_cosine, 2), round(found.effective_rank, 1)
    (0.02, 44.6)
    """
    found = measured_anisotropy(emb, seed=seed)
    if found.high:
        warnings.warn(found.warning, CrossroadsWarning, stacklevel=2)
    return found


def measured_anisotropy(emb: Embeddings | Contexts, *, seed: int = 0) -> AnisotropyResult:
    """The same without the warning, for an audit, which shows it in its own place."""
    if isinstance(emb, Contexts):
        rng, over = generator(seed), "contexts"
        words = (emb[word] for word in emb)
        vectors = np.stack([np.asarray(rows[rng.integers(len(rows))], np.float64) for rows in words])
    else:
        vectors, over = reference(emb, seed)
    rows = _with_direction(vectors)
    if len(rows) < 2:
        message = f"anisotropy is about pairs of words, and there are vectors of {len(rows)}."
        raise EvidenceError(message, hint="give at least two words.")
    contributions = pair_contributions(unit(rows))
    total = float(contributions.sum())
    top = np.argsort(-contributions, kind="stable")[:_TOP]
    corrected = {}
    for name in () if over == "contexts" else CORRECTIONS:
        changed = _with_direction(fitted(name, rows)(rows))
        corrected[name] = float(pair_contributions(unit(changed)).sum()) if len(changed) > 1 else 0.0
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
    pairs = len(units) * (len(units) - 1)
    return np.asarray((units.sum(axis=0) ** 2 - np.einsum("ij,ij->j", units, units)) / pairs)


def effective_rank(units: Floats) -> float:
    """The exponential of the entropy of the singular values (Roy and Vetterli 2007)."""
    small = units.T @ units if units.shape[0] > units.shape[1] else units @ units.T
    values = np.sqrt(np.maximum(np.linalg.eigvalsh(small), 0))
    shares = values[values > 0] / values.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _with_direction(vectors: Any) -> Floats:
    rows = np.asarray(vectors, np.float64)
    return np.asarray(rows[(rows != 0).any(axis=1)])

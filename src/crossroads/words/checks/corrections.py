"""Corrections of an uneven space, and what tests give before and after them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, DesignError, EvidenceError, InputError, join_words, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.bootstrap import generator
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
from crossroads.core.results.gathered import Missing, check_inputs, gather
from crossroads.core.stimuli import Design

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
    if correction == "rank":
        return _kept_zero(_ranked)
    rows = np.asarray(vectors, np.float64)
    rows = rows[(rows != 0).any(axis=1)]
    if len(rows) < 2:
        raise EvidenceError(
            f"a space cannot be corrected by the vectors of {len(rows)} word.", hint="give at least two."
        )
    mean = rows.mean(axis=0)
    if correction == "standardise":
        scale = rows.std(axis=0)
        scale[scale == 0] = 1.0
        return _kept_zero(lambda some: (some - mean) / scale)
    size = max(1, rows.shape[1] // _DIMENSIONS_A_DIRECTION)
    _, directions = np.linalg.eigh(np.cov(rows, rowvar=False).reshape(rows.shape[1], -1))
    top = directions[:, -size:]

    def without_top(some: Floats) -> Floats:
        centred = some - mean
        left: Floats = centred - (centred @ top) @ top.T
        return left

    return _kept_zero(without_top)


def _ranked(rows: Floats) -> Floats:
    """Ranks over the dimensions of each row, ties shared, around 0: their cosine is Spearman's ρ."""
    ranks: Floats = (doubled_midranks(rows) - (rows.shape[1] + 1)).astype(np.float64)
    return ranks


def _kept_zero(change: Callable[[Floats], Floats]) -> Change:
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
    >>> import numpy as np
    >>> import crossroads as cr
    >>> shifted = np.random.default_rng(1).normal(5, 1, size=(2000, 8))
    >>> emb = cr.stats.corrected(cr.Embeddings([f"w{i}" for i in range(2000)], shifted), "standardise")
    >>> abs(cr.stats.anisotropy(emb).mean_cosine) < 0.01, emb.provenance.details["correction"]
    (True, 'standardise')
    """
    one_of("correction", correction, Correction)
    check_evidence(emb)
    before = emb.provenance.details.get("correction")
    if before is not None:
        raise InputError(
            f"the vectors are corrected already, by {before!r}.",
            hint="correct the vectors as they were read.",
        )
    vectors, over = reference(emb, seed)
    change = fitted(correction, vectors)
    pool = emb.pool
    details = {"correction": correction, "correction by": f"{len(vectors):,} words: {OVER[over]}"}
    if correction == "rank":
        del details["correction by"]  # a vector by itself
    about = replace(emb.provenance, details={**emb.provenance.details, **details})
    kind = np.float64 if emb.vectors.dtype == np.float64 else np.float32
    other = None
    if pool is not None and pool is not emb:
        other = pool.with_vectors(change(pool.vectors).astype(kind), provenance=about)
    return emb.with_vectors(change(emb.vectors).astype(kind), provenance=about, pool=other)


def check_evidence(emb: object) -> None:
    """Refuse anything but one vector per word."""
    if not isinstance(emb, Embeddings):
        raise InputError(
            f"the vectors are of type {type(emb).__name__}.",
            hint="a space is corrected where there is one vector per word: give Embeddings.",
        )


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
        """One row per test and correction."""
        return [
            {
                "test": test,
                "correction": name,
                "effect_size": d,
                "difference": self.differences[test][name],
                "p": self.pvalues[test][name],
            }
            for test, found in self.effect_sizes.items()
            for name, d in found.items()
        ]

    def _members(self) -> Iterator[Row]:
        """Every test with its numbers by correction."""
        for test, sizes in self.effect_sizes.items():
            yield {"test": test, "d": sizes, "delta": self.differences[test], "p": self.pvalues[test]}

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        """Tests whose answer depends on the correction, and tests without a p-value."""
        for one in results.values():
            if one.changed:
                yield f"The answer at p < .05 depends on the correction in {join_words(one.changed, most=6)}."
        without = [test for one in results.values() for test, p in one.pvalues.items() if None in p.values()]
        if without:
            yield (
                "There is no p where a set has a single word or the words of each set do not differ: "
                f"{join_words(without, most=6)}."
            )

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number."""
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
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(3, 1, (len(design.words), 9)))
    >>> found = cr.stats.corrections(emb, design)
    >>> sorted(found.effect_sizes["weat7"])
    ['all-but-the-top', 'as it is', 'rank', 'standardise']
    """
    check_evidence(emb)
    several = [designs] if isinstance(designs, Design) else list(designs)
    vectors, over = reference(emb, seed)
    changes = {AS_IT_IS: None, **{name: fitted(name, vectors) for name in CORRECTIONS}}
    sizes: dict[str, dict[str, float]] = {}
    differences: dict[str, dict[str, float]] = {}
    pvalues: dict[str, dict[str, float | None]] = {}
    skipped: dict[str, str] = {}
    for design in several:
        try:
            found = _measured(emb, design, missing, changes)
        except CrossroadsError as error:
            if isinstance(designs, Design):
                raise
            skipped[design.name] = error.message
            continue
        sizes[design.name], differences[design.name], pvalues[design.name] = found
    if not sizes:
        raise EvidenceError(
            f"none of the {len(several)} tests can be measured: {next(iter(skipped.values()), 'none given')}",
            hint="use vectors that cover the stimuli, and tests with two targets.",
        )
    return CorrectionsResult(
        effect_sizes=sizes,
        differences=differences,
        pvalues=pvalues,
        skipped=skipped,
        conventions={
            "measure": "corrections",
            "over": OVER[over],
            "missing": missing,
            "seed": seed,
            "ddof": 1,
        },
        provenance=(emb.provenance,),
    )


def _measured(
    emb: Embeddings, design: Design, missing: Missing, changes: Mapping[str, Change | None]
) -> tuple[dict[str, float], dict[str, float], dict[str, float | None]]:
    """d, Δ and p of a test under each correction."""
    check_inputs(design, emb)
    if design.y is None:
        raise DesignError(f"{design.name} has one target.", hint="give tests with two targets.")
    found = gather(emb, design.sets, missing=missing, least=dict.fromkeys(design.sets, 1), design=design.name)
    sizes: dict[str, float] = {}
    differences: dict[str, float] = {}
    pvalues: dict[str, float | None] = {}
    for name, change in changes.items():
        v = found.vectors
        if change is not None:
            v = {key: _directions(change(emb.vectors[found.rows[key]]), name) for key in design.sets}
        sizes[name] = effect_size(
            associations(v["x"], v["a"], v["b"]), associations(v["y"], v["a"], v["b"]), ddof=1
        )
        table = cosines(np.concatenate([v["x"], v["y"]]), np.concatenate([v["a"], v["b"]]))
        mean = {key: one.mean(axis=0) for key, one in v.items()}
        differences[name] = float((mean["x"] - mean["y"]) @ (mean["a"] - mean["b"]))
        pvalues[name] = None
        drawn = spread(table, len(v["x"]), len(v["a"]))
        if min(map(len, v.values())) > 1 and drawn.total > (4 * rounding_error(emb.dim)) ** 2:
            t = drawn.difference / np.sqrt(drawn.total)
            pvalues[name] = float(tail_probability(t, drawn.df, "two-sided"))
    return sizes, differences, pvalues


def _directions(vectors: Floats, correction: str) -> Floats:
    if not (vectors != 0).any(axis=1).all():
        raise EvidenceError(
            f"a vector has no direction left after the correction {correction!r}.",
            hint="it equals the mean of all words, or has the same value in every dimension.",
        )
    return unit(vectors)

"""WEAT, the word embedding association test (Caliskan, Bryson & Narayanan 2017)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np

from crossroads.errors import EvidenceError, InputError, in_short
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats, affinities, associations, cosines, effect_size, rounding_error
from crossroads.inference.crossed import Crossed, crossed, crossed_numbers
from crossroads.inference.options import is_number, work
from crossroads.inference.permutation.test import (
    MAX_WORK,
    Alternative,
    Method,
    PermutationResult,
    Ties,
    permutation_test,
)
from crossroads.measures.coverage.overlaps import warn_about_sharing
from crossroads.measures.coverage.words import Gathered, Missing, check_inputs, gather
from crossroads.results import Conclusion, Result, Row, association, below, long_row, numbers, status_of
from crossroads.results.checks import FREQUENCY, NO_FREQUENCY, TOPICS, Checked
from crossroads.results.conclusion import ALPHA
from crossroads.stimuli import Design
from crossroads.wording import phrases
from crossroads.wording.numbers import P, pvalue
from crossroads.wording.table import Column, Interval, Table


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WeatResult(Result):
    """Differential association of two targets (or one) with two attributes."""

    section: ClassVar[str] = "tests"
    cites: ClassVar[tuple[str, ...]] = ("caliskan2017semantics",)
    figure: ClassVar[str] = "association.associations:association_plot"
    stem: ClassVar[str] = "weat"
    unchecked: ClassVar[Mapping[str, str]] = {
        FREQUENCY: NO_FREQUENCY,
        TOPICS: "no placebo tests were drawn (cr.placebo, or --placebo)",
    }

    design: str
    """Name of the design."""
    digest: str
    """Checksum of the word lists of the design."""
    effect_size: float
    """Difference of the two mean associations, in standard deviations of all associations."""
    statistic: float
    """Sum of the associations of the first set less that of the second: the permuted statistic."""
    pvalue: float
    """Share of divisions at least as extreme as the observed one."""
    pvalue_low: float
    """Lower bound of the p-value; equal to it where it is exact."""
    pvalue_high: float
    """Upper bound of the p-value; equal to it where it is exact."""
    method: str
    """How the p-value was found."""
    bound: str
    """How the bounds of the p-value were obtained."""
    alternative: str
    """Tail of the p-value."""
    min_pvalue: float
    """The smallest p-value that sets of these sizes can give."""
    ties: int | None
    """Divisions that tie with the observed one, itself included; None where they were not counted, or if
    it has more than 300 digits."""
    divisions: int | None
    """Number of divisions that the p-value is a share of; None if it has more than 300 digits."""
    tails: Mapping[str, tuple[float, float, float]]
    """p-value, lower and upper bound for every alternative."""
    associations: Mapping[str, float]
    """Association of each stimulus that was permuted: targets, or attributes in a single-target test."""
    sets: Mapping[str, tuple[str, ...]]
    """The stimuli measured, by set."""
    titles: Mapping[str, str]
    """What each set stands for, such as "flowers"."""
    crossed: Crossed
    """The difference of mean cosines, and how sure it is for other words for the same things."""

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which target is closer to which attribute, relative to the other target and attribute."""
        yield self.concluded(self.design, self.answer)

    def concluded(
        self,
        name: str,
        other: P | None,
        at: str = "",
        more: Mapping[str, tuple[str, float]] | None = None,
        level2: Mapping[str, WeatResult] | None = None,
    ) -> Conclusion:
        """What the test comes to as part of another result.

        Parameters
        ----------
        name
            Name of the test.
        other
            Its p-value for other words, adjusted where it is one of several.
        at
            JSON pointer of the test within that result, with ``/`` at its end.
        more
            Further numbers with their pointers.
        level2
            The tests of its targets alone: what they show for other words is said too.
        """
        found = {
            **difference_numbers(self.crossed, at),
            **numbers(size=(f"{at}effect_size", self.effect_size)),
            **(more or {}),
        }
        alone = {
            key: one.crossed.difference for key, one in (level2 or {}).items() if below(one.crossed.pvalue)
        }
        return association(
            name=name,
            titles=self.titles,
            sets=self.sets,
            status=status_of(other, self.p),
            found=found,
            alone=alone,
            reason=self.crossed.reason,
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row: the effect size, the difference with its interval, and both p-values."""
        return [
            {
                "design": self.design,
                "effect_size": self.effect_size,
                **crossed_numbers(self.crossed),
                "exact_p": self.pvalue,
                "exact_p_low": self.pvalue_low,
                "exact_p_high": self.pvalue_high,
                "alternative": self.alternative,
                "method": self.method,
                "min_exact_p": self.min_pvalue,
                "ties": self.ties,
                **{f"n_{name}": len(words) for name, words in self.sets.items()},
                "dropped": 0 if self.coverage is None else len(self.coverage.missing),
            }
        ]

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per test."""
        rows = [
            {
                "test": name,
                "question": one.question,
                "words": " ".join(f"{key}{len(words)}" for key, words in one.sets.items()),
                "d": one.effect_size,
                **difference_cells(one),
                "smallest": P(one.min_pvalue),
                "ties": one.ties,
            }
            for name, one in results.items()
        ]
        conventions = [one.conventions for one in results.values()]
        columns = (
            Column(key="test", head="test"),
            Column(key="question", head="question", spare=1),
            Column(key="words", head="words", spare=3),
            Column(key="d", head="d", note=phrases.effect(conventions)),
            *difference_columns(conventions),
            Column(
                key="smallest",
                head="smallest",
                note="the smallest exact p that sets of these sizes can have",
                spare=2,
            ),
            Column(key="ties", head="ties", note="divisions as extreme as the one observed", spare=2),
        )
        notes = tuple(said for name, one in results.items() for said in too_small(name, one.min_pvalue))
        return Table(name="weat", title="Association tests", columns=columns, rows=tuple(rows), notes=notes)

    @property
    def p(self) -> P:
        """The p-value with its mark."""
        return P.of(self.pvalue, self.method)

    @property
    def answer(self) -> P | None:
        """The p-value that holds for other words; None where there is none."""
        return None if self.crossed.pvalue is None else P(self.crossed.pvalue)

    def _checks(self) -> Iterator[Checked]:
        single = {} if "y" in self.sets else {FREQUENCY: "frequencies of two targets are compared"}
        yield Checked(
            name=self.design,
            question=self.question,
            family="words",
            these=self.p,
            exchanged=f"targets exchanged, {self.method}",
            other=self.crossed.two_sided,
            reason=self.crossed.reason,
            unchecked={**self.unchecked, **single},
        )


def too_small(name: str, smallest: float | None) -> list[str]:
    """A sentence where sets of these sizes cannot have an exact p-value below .05."""
    if smallest is None or smallest < ALPHA:
        return []
    least = f"the smallest exact p that sets of these sizes can have is {pvalue(smallest)}"
    return [f"{name}: nothing could be found with just these words: {least}, which is not below .05."]


def crossed_rows(
    measure: str, name: str, part: str, found: Crossed, exact: float | None = None
) -> Iterator[Row]:
    """A difference with all words drawn, as long rows; ``exact``: the p-value of just these words."""
    ends = {"low": found.low, "high": found.high, "p": found.pvalue, "exact_p": exact, "method": "crossed"}
    yield long_row(measure, name, part, "difference", found.difference, **ends)
    yield long_row(measure, name, part, "p", found.pvalue, method="crossed")
    for statistic in ("statistic", "se", "df"):
        yield long_row(measure, name, part, f"crossed_{statistic}", getattr(found, statistic))
    if found.attribute_pvalue is not None:
        method = found.attribute_method
        yield long_row(measure, name, part, "attribute_pvalue", found.attribute_pvalue, method=method)
    for facet, share in found.shares.items():
        yield long_row(measure, name, part, f"variance_share {facet}", share)


def with_adjusted(rows: Iterable[Row], adjusted: Mapping[str, float | None]) -> Iterator[Row]:
    """Long rows of a test, with its adjusted p-value next to the one that it adjusts."""
    shown = f"p_{phrases.ADJUSTMENT}"
    for row in rows:
        adjusts = "p" in row and not row["part"].startswith("level 2")
        yield {**row, shown: adjusted[shown]} if adjusts else row


def difference_numbers(found: Crossed, at: str) -> dict[str, tuple[str, float]]:
    """A difference and its interval for a conclusion."""
    return numbers(
        value=(f"{at}crossed/difference", found.difference),
        low=(f"{at}crossed/low", found.low),
        high=(f"{at}crossed/high", found.high),
    )


def difference_cells(test: WeatResult) -> Row:
    """The difference of a test with its interval, the p-value for other words and the exact one."""
    found = test.crossed
    return {
        "difference": found.difference,
        "difference_ci": None if found.low is None or found.high is None else Interval(found.low, found.high),
        "p": test.answer,
        "exact_p": test.p,
    }


def difference_columns(conventions: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Columns of what :func:`difference_cells` gives."""
    tails = ", ".join(dict.fromkeys(phrases.tail(str(one.get("alternative"))) for one in conventions))
    return (
        Column(key="difference", head="Δ", note=phrases.DIFFERENCE, digits=3, spare=5),
        Column(key="difference_ci", head="95 % CI", note=phrases.OTHER_WORDS_CI, digits=3, spare=5),
        Column(key="p", head="p", note=f"{phrases.OTHER_WORDS}, {tails}" if tails else ""),
        Column(key="exact_p", head="exact p", note=phrases.divisions(conventions) if tails else "", spare=4),
    )


def weat(
    emb: Embeddings,
    design: Design,
    *,
    alternative: Alternative = "two-sided",
    ddof: int = 1,
    ties: Ties = "weak",
    method: Method = "auto",
    seed: int = 0,
    missing: Missing = "raise",
    max_work: float = MAX_WORK,
) -> WeatResult:
    r"""Test whether two targets differ in their association with two attributes.

    .. math::
        d = \frac{\operatorname{mean}_{x \in X} s(x, A, B) - \operatorname{mean}_{y \in Y} s(y, A, B)}
                 {\operatorname{sd}_{w \in X \cup Y} s(w, A, B)}, \qquad
        s(w, A, B) = \operatorname{mean}_{a \in A} \cos(w, a) - \operatorname{mean}_{b \in B} \cos(w, b)

    The p-value is the share of all divisions of X ∪ Y into sets of the same sizes that score at least as
    high or, if that is less, as low; doubled, since it is two-sided. It is exact wherever that can be
    computed, and holds for these attribute words. Whether other words for the same things would say so too is
    what ``crossed`` answers: the difference Δ of the mean cosines, its interval and its p-value with targets
    and attributes both drawn.

    Without ``y`` the design has a single target, and the attributes are permuted instead (Level 2 of the
    ML-EAT; with one target word, the SC-WEAT).

    Parameters
    ----------
    emb
        Vectors of the stimuli.
    design
        The four sets.
    alternative
        ``"two-sided"``, ``"greater"`` (the published test), ``"less"`` or ``"observed"``.
    ddof
        1 divides by the sample standard deviation, as the published tables do; 0 by the population's, as
        some other tools do.
    ties
        ``"weak"`` counts divisions that equal the observed one; ``"strict"`` does not, as in the published
        formula.
    method
        ``"auto"``, or one of ``"exact"``, ``"bracket"``, ``"saddlepoint"``, ``"monte-carlo"``, ``"normal"``.
    seed
        Used by the Monte Carlo method only.
    missing
        ``"raise"``, ``"drop"`` or ``"balance"`` stimuli without a vector.
    max_work
        Largest number of subset sums in an exact count; beyond it, the p-value is bracketed.

    Notes
    -----
    *Departures:* the published p-value counts strictly larger statistics of a sample of divisions and can
    be 0; here all divisions are counted, ties included. ``ties="strict"`` gives the published count.

    References
    ----------
    Caliskan, A., Bryson, J. J., & Narayanan, A. (2017). doi:10.1126/science.aal4230

    Examples
    --------
    >>> emb = Embeddings.from_dict(
    ...     {
    ...         "rose": [1, 0.1],
    ...         "lily": [1, 0.2],
    ...         "wasp": [0, 1],
    ...         "gnat": [0.1, 1],
    ...         "love": [1, 0],
    ...         "peace": [1, 0.3],
    ...         "filth": [0, 1],
    ...         "abuse": [0.2, 1],
    ...     }
    ... )
    >>> design = Design(
    ...     name="bugs", x=["rose", "lily"], y=["wasp", "gnat"], a=["love", "peace"], b=["filth", "abuse"]
    ... )
    >>> result = weat(emb, design)
    >>> round(result.effect_size, 3), result.pvalue == 2 / 6, result.method
    (1.729, True, 'exact')
    """
    check_inputs(design, emb)
    check_ddof(ddof)
    warn_about_sharing(design)
    found = gather(emb, design.sets, missing=missing, least=_least(design), design=design.name)
    return run_test(
        found,
        emb,
        design=design.name,
        digest=design.digest,
        titles={name: words.name for name, words in design.sets.items()},
        alternative=alternative,
        ddof=ddof,
        ties=ties,
        method=method,
        seed=seed,
        max_work=max_work,
    )


def check_ddof(ddof: int) -> None:
    """Raise an error for anything but the two conventions in use."""
    if not is_number(ddof) or ddof not in (0, 1):
        raise InputError(
            f"ddof is {in_short(ddof)}.", hint="use 1 (sample standard deviation) or 0 (population)."
        )


def recorded_work(max_work: float) -> float | str:
    """The limit as conventions record it: JSON has no infinity."""
    limit = work(max_work)
    return limit if isfinite(limit) else "unlimited"


def _least(design: Design) -> dict[str, int]:
    if design.y is None:
        return {"x": 1, "a": 2, "b": 2}
    return {"x": 2, "y": 2, "a": 1, "b": 1}


def scores_of(found: Gathered) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Scores of the two groups that are permuted, and the stimuli they belong to.

    Two targets are permuted by their associations with the attributes; with one target, it is the
    attributes that are permuted, by their mean cosine with it.
    """
    vectors, words = found.vectors, found.words
    if "y" in vectors:
        s = associations(np.concatenate([vectors["x"], vectors["y"]]), vectors["a"], vectors["b"])
        return s[: len(words["x"])], s[len(words["x"]) :], (*words["x"], *words["y"])
    u = affinities(vectors["x"], np.concatenate([vectors["a"], vectors["b"]]))
    return u[: len(words["a"])], u[len(words["a"]) :], (*words["a"], *words["b"])


def run_test(
    found: Gathered,
    emb: Embeddings,
    *,
    design: str,
    digest: str,
    titles: Mapping[str, str],
    alternative: Alternative,
    ddof: int,
    ties: Ties,
    method: Method,
    seed: int,
    max_work: float,
) -> WeatResult:
    """Run the test on stimuli that have been looked up; every level of the ML-EAT calls this."""
    first, second, names = scores_of(found)
    scores = (*first.tolist(), *second.tolist())
    if max(scores) - min(scores) <= 2 * rounding_error(emb.dim):
        raise EvidenceError(
            f"every association of the design {design!r} equals {scores[0]:.6g}, so it has no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    error = rounding_error(emb.dim)
    options: dict[str, Any] = {"alternative": alternative, "ties": ties, "method": method, "seed": seed}
    options |= {"score_error": error, "max_work": max_work}
    tested = permutation_test(first, second, **options)
    two_targets = "y" in found.words
    return WeatResult(
        design=design,
        digest=digest,
        effect_size=effect_size(first, second, ddof=ddof),
        statistic=float(first.sum() - second.sum()),
        pvalue=tested.pvalue,
        pvalue_low=tested.pvalue_low,
        pvalue_high=tested.pvalue_high,
        method=tested.method,
        bound=tested.bound,
        alternative=tested.alternative,
        min_pvalue=tested.min_pvalue,
        ties=tested.tied if tested.tied is None or tested.tied < 10**300 else None,
        divisions=tested.total if tested.total < 10**300 else None,
        tails=dict(tested.tails),
        associations=dict(zip(names, scores, strict=True)),
        sets=dict(found.words),
        titles={name: titles[name] for name in found.words},
        crossed=_other_words(found, tested, options),
        coverage=found.coverage,
        conventions={
            "measure": "weat" if two_targets else "single-target weat",
            "association": "difference of mean cosines" if two_targets else "mean cosine",
            "alternative": alternative,
            "ties": ties,
            "ddof": ddof,
            "missing": found.coverage.policy,
            "method": method,
            "max_work": recorded_work(max_work),
            "seed": seed,
            "fallback": ", ".join(emb.fallback) or "none",
        },
        provenance=(emb.provenance,),
    )


def _other_words(found: Gathered, tested: PermutationResult, options: Mapping[str, Any]) -> Crossed:
    """The difference with targets and attributes drawn, and the p-value of exchanging attributes."""
    v = found.vectors
    targets = np.concatenate([v["x"], v["y"]]) if "y" in v else v["x"]
    table = cosines(targets, np.concatenate([v["a"], v["b"]]))
    # with one target, exchanging attributes is the test
    return crossed(table, len(v["x"]), len(v["a"]), exchanged=None if "y" in v else tested, **options)

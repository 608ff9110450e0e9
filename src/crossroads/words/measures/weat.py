"""WEAT, the word embedding association test (Caliskan, Bryson & Narayanan 2017)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np

from crossroads.core.errors import EvidenceError, InputError, Missing, in_short
from crossroads.core.evidence import Contexts, Embeddings
from crossroads.core.inference.copies import Words
from crossroads.core.inference.crossed import Crossed, crossed
from crossroads.core.inference.geometry import Floats, affinities, associations, effect_size, rounding_error
from crossroads.core.inference.options import is_number, seed_of, work
from crossroads.core.inference.permutation.test import MAX_WORK, Alternative, Method, Ties, permutation_test
from crossroads.core.results import (
    AGREEMENT,
    NAMED,
    QUESTION,
    Conclusion,
    Coverage,
    Result,
    Row,
    Stat,
    association,
    crossed_names,
    long_row,
    named,
    numbers,
    stat,
    status_of,
)
from crossroads.core.results.checks import FREQUENCY, NO_FREQUENCY, TOPICS, Checked
from crossroads.core.results.conclusion import ALPHA
from crossroads.core.results.gathered import (
    Gathered,
    check_inputs,
    gather,
    require_two_targets,
    titles_of,
    warn_about_sharing,
)
from crossroads.core.stimuli import Design
from crossroads.core.wording.numbers import P, number, pvalue
from crossroads.core.wording.phrases import subject

_FEW = 0.7
"""Share of the words of a set below which its effective number is said."""
_MOST = 10**300
"""Counts of divisions that are recorded are below this."""
_SMALLEST = "the smallest exact p that sets of these sizes can have"
DIFFERENCE = (
    stat("difference", of="crossed.difference"),
    stat("difference_ci", of="crossed.low"),
    stat("p", of="crossed.pvalue"),
    stat("exact_p", of="_p"),
    stat("detectable", of="crossed.detectable"),
)
"""Columns of the difference of a test with its interval, its p-values and the difference it could find."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckOfTest(Result):
    """A check of one test, which uses its words."""

    _section: ClassVar[str] = "tests"
    _printed: ClassVar[bool] = False
    _about_test: ClassVar[bool] = True

    design: str
    """Name of the design."""
    titles: Mapping[str, str]
    """What the sets stand for."""


@dataclass(frozen=True, kw_only=True)
class WeatExchange:
    """What exchanging the labels of stimuli gives besides the p-value."""

    statistic: float
    """Sum of the associations of the first set minus that of the second: the permuted statistic."""
    bound: str
    """How the bounds of the p-value were obtained."""
    divisions: int | None
    """Number of divisions that the p-value is a share of; None if it has more than 300 digits."""
    tails: Mapping[str, tuple[float, float, float]]
    """p-value, lower and upper bound for every alternative."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WeatResult(Result):
    """Differential association of two targets (or one) with two attributes."""

    _section: ClassVar[str] = "tests"
    _cites: ClassVar[tuple[str, ...]] = ("caliskan2017semantics",)
    _figure: ClassVar[str] = "association_plot"
    _stem: ClassVar[str] = "weat"
    _unchecked: ClassVar[Mapping[str, str]] = {
        FREQUENCY: NO_FREQUENCY,
        TOPICS: "no placebo tests were drawn (cr.placebo, or -C placebo)",
    }
    _table_title: ClassVar[str] = "Association tests"
    _file_names: ClassVar[str] = (
        f"design {crossed_names()} effect_size "
        "exact_p=pvalue exact_p_low=pvalue_low exact_p_high=pvalue_high alternative method "
        "min_exact_p=min_pvalue ties n=_sizes dropped=coverage.missing.len"
    )
    _columns: ClassVar[tuple[Stat, ...]] = (
        NAMED,
        QUESTION,
        AGREEMENT,
        stat("words", of="_words", spare=3),
        stat("d", of="effect_size"),
        *DIFFERENCE,
        stat("smallest", note=_SMALLEST, of="min_pvalue", kind="p", spare=2),
        stat("ties", note="divisions as extreme as the one observed", spare=2),
    )

    design: str
    """Name of the design."""
    digest: str
    """Checksum of the word lists of the design."""
    effect_size: float
    """Difference of the two mean associations, in standard deviations of all associations."""
    pvalue: float
    """Share of divisions at least as extreme as the observed one."""
    pvalue_low: float
    """Lower bound of the p-value; equal to it where it is exact."""
    pvalue_high: float
    """Upper bound of the p-value; equal to it where it is exact."""
    method: str
    """How the p-value was found."""
    alternative: str
    """Tail of the p-value."""
    min_pvalue: float
    """The smallest p-value that sets of these sizes can give."""
    ties: int | None
    """Divisions that tie with the observed one, itself included; None where they were not counted, or if
    it has more than 300 digits."""
    exchange: WeatExchange
    """How the p-value was found: the statistic, its divisions, and every tail."""
    associations: Mapping[str, float]
    """Association of each stimulus that was permuted: targets, or attributes in a single-target test."""
    sets: Mapping[str, tuple[str, ...]]
    """The stimuli measured, by set."""
    titles: Mapping[str, str]
    """What each set stands for, such as "flowers"."""
    crossed: Crossed
    """The difference of mean cosines, and how sure it is for other words for the same things."""

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        yield self._concluded(self.design, self._answer)

    def _concluded(
        self,
        name: str,
        other: P | None,
        at: str = "",
        more: Mapping[str, tuple[str, float]] = MappingProxyType({}),
    ) -> Conclusion:
        """What the test shows as part of another result.

        ``other`` is its p-value for other words, adjusted where it is one of several; ``at`` its JSON pointer
        within that result, with ``/`` at its end; ``more`` has further numbers with their pointers.
        """
        size = numbers(size=(f"{at}effect_size", self.effect_size))
        return association(
            name=name,
            titles=self.titles,
            sets=self.sets,
            status=status_of(other),
            found={**difference_numbers(self.crossed, at), **size, **more},
            reason=self.crossed.reason,
        )

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterable[str]:
        yield from copies_said(results)
        yield from (note for name, test in results.items() for note in too_small(name, test.min_pvalue))

    @property
    def _sizes(self) -> Mapping[str, int]:
        return {name: len(words) for name, words in self.sets.items()}

    @property
    def _words(self) -> str:
        return " ".join(f"{name}{size}" for name, size in self._sizes.items())

    @property
    def _p(self) -> P:
        return P.of(self.pvalue, self.method)

    @property
    def _answer(self) -> P | None:
        return None if self.crossed.pvalue is None else P(self.crossed.pvalue)

    def _checks(self) -> Iterator[Checked]:
        single = {} if "y" in self.sets else {FREQUENCY: "frequencies of two targets are compared"}
        yield Checked(
            name=self.design,
            question=self._question,
            family="words",
            these=self._p,
            exchanged=f"targets exchanged, {self.method}",
            crossed=self.crossed,
            other=self.crossed.two_sided,
            reason=self.crossed.reason,
            unchecked={**self._unchecked, **single},
            comparable=not single,
        )


def too_small(name: str, smallest: float | None) -> list[str]:
    """A sentence where sets of these sizes cannot have an exact p-value below .05."""
    if smallest is None or smallest < ALPHA:
        return []
    least = f"{_SMALLEST} is {pvalue(smallest)}"
    return [f"{name}: nothing could be found with just these words: {least}, which is not below .05."]


def copies_said(results: Mapping[str, Any]) -> Iterator[str]:
    """A sentence on each set that counts as few words, and the near copies in it."""
    found: dict[str, list[str]] = {}
    for name, one in results.items():
        sets, titles = getattr(one, "items", getattr(one, "sets", None)), getattr(one, "titles", {})
        sets = sets or one.coverage.used
        for key, groups in one.crossed.copies.items():
            words, n, title = one.crossed.effective[key], len(sets[key]), titles.get(key, key)
            if words < _FEW * n:
                letter = f" ({key.upper()})" if len(key) == 1 and title.lower() != key else ""
                copies, what = "; ".join(map(", ".join, groups)), "".join(subject(title))
                text = f"{what}{letter} count as {number(words, 1)} of {n} words, near copies as about one: "
                found.setdefault(f"{text}{copies}.", []).append(name)
    yield from (f"{', '.join(names)}: {text}" for text, names in found.items())


def crossed_rows(
    measure: str, name: str, part: str, found: Crossed, exact: float | None = None
) -> Iterator[Row]:
    """A difference with all words drawn, as long rows; ``exact``: the p-value of just these words."""
    row = partial(long_row, measure, name, part)
    yield row("agreement", found.agreement, method="crossed")
    yield row(
        "difference", found.difference, **named(found, "low high p=pvalue"), exact_p=exact, method="crossed"
    )
    yield row("p", found.pvalue, method="crossed")
    for statistic in ("statistic", "se", "df", "level"):
        yield row(f"crossed_{statistic}", getattr(found, statistic))
    yield row("detectable_difference", found.detectable)
    if found.attribute_pvalue is not None:
        yield row("attribute_pvalue", found.attribute_pvalue, method=found.attribute_method)
    for facet, share in found.shares.items():
        yield row(f"variance_share {facet}", share)
    for key, words in found.effective.items():
        yield row(f"effective_words {key}", words)


def difference_numbers(found: Crossed, at: str) -> dict[str, tuple[str, float]]:
    """A difference with its chance and its interval for a conclusion."""
    return numbers(
        chance=(f"{at}crossed/agreement", found.agreement),
        value=(f"{at}crossed/difference", found.difference),
        low=(f"{at}crossed/low", found.low),
        high=(f"{at}crossed/high", found.high),
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
    words: Words = "effective",
) -> WeatResult:
    r"""Test whether two targets differ in their association with two attributes.

    .. math::
        d = \frac{\operatorname{mean}_{x \in X} s(x, A, B) - \operatorname{mean}_{y \in Y} s(y, A, B)}
                 {\operatorname{sd}_{w \in X \cup Y} s(w, A, B)}, \qquad
        s(w, A, B) = \operatorname{mean}_{a \in A} \cos(w, a) - \operatorname{mean}_{b \in B} \cos(w, b)

    The p-value is the share of all divisions of X ∪ Y into sets of the same sizes that score at least as
    high or as low, whichever is smaller, doubled. It is exact wherever that can be computed, and holds for
    these attribute words. ``crossed`` answers whether it generalizes to other words: it has the difference Δ
    of the mean cosines, its interval and its p-value with targets and attributes both drawn.

    Without ``y`` the design has a single target, and the attributes are permuted instead (Level 2 of the
    ML-EAT; with one target word, the SC-WEAT).

    Parameters
    ----------
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
    words
        How the words of a set count in ``crossed``: near copies, such as plurals, as about one word
        (``"effective"``), or each word as independent of the others (``"independent"``).

    Notes
    -----
    *Departures:* the published p-value counts strictly larger statistics of a sample of divisions and can
    be 0; here all divisions are counted, ties included. ``ties="strict"`` gives the published count.

    References
    ----------
    Caliskan, A., Bryson, J. J., & Narayanan, A. (2017). doi:10.1126/science.aal4230

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat6")
    >>> result = cr.weat(cr.load("default", words=design.words), design)
    >>> round(result.effect_size, 2), result.method
    (1.71, 'exact')
    """
    options = Options(alternative, ddof, ties, method, seed, max_work, words)
    check_inputs(design, emb)
    warn_about_sharing(design)
    least = {"x": 1, "a": 2, "b": 2} if design.y is None else {"x": 2, "y": 2, "a": 1, "b": 1}
    found = gather(emb, design.sets, missing=missing, least=least, design=design.name)
    titles = titles_of(design.sets)
    return run_test(found, emb, options, design=design.name, digest=design.digest, titles=titles)


@dataclass(frozen=True)
class Options:
    """Options of a test that travel together, as in :func:`weat`."""

    alternative: Alternative
    ddof: int
    ties: Ties
    method: Method | Literal["none"]
    seed: int
    max_work: float
    words: Words = "effective"

    def __post_init__(self) -> None:
        check_ddof(self.ddof)

    def settings(self, error: float) -> dict[str, Any]:
        """Options of exchanging labels of scores that have a rounding error."""
        options = {name: value for name, value in vars(self).items() if name not in ("ddof", "words")}
        return {**options, "score_error": error}

    def conventions(self, missing: str) -> dict[str, Any]:
        """Options as results record them."""
        return {
            "alternative": self.alternative,
            "ties": self.ties,
            "ddof": self.ddof,
            "missing": missing,
            "method": self.method,
            "max_work": recorded_work(self.max_work),
            "seed": seed_of(self.seed),
            "words": self.words,
        }


def origin(emb: Embeddings | Contexts, coverage: Coverage, conventions: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a result that say which words and vectors it is of, and by which conventions."""
    return {
        "coverage": coverage,
        "conventions": {**conventions, "fallback": ", ".join(emb.fallback) or "none"},
        "provenance": (emb.provenance,),
    }


def gather_two(
    emb: Embeddings, design: Design, missing: Missing, *, least: int, hint: str = "give y as well."
) -> Gathered:
    """The words of a design that must have two targets, with at least so many words in every set."""
    check_inputs(design, emb)
    require_two_targets(design, hint=hint)
    return gather(emb, design.sets, missing=missing, least=dict.fromkeys("xyab", least), design=design.name)


def check_ddof(ddof: int) -> None:
    """Raise an error for anything but the two conventions in use."""
    if not is_number(ddof) or ddof not in (0, 1):
        hint = "use 1 (sample standard deviation) or 0 (population)."
        raise InputError(f"ddof is {in_short(ddof)}.", hint=hint)


def recorded_work(max_work: float) -> float | str:
    """The limit as conventions record it: JSON has no infinity."""
    limit = work(max_work)
    return limit if isfinite(limit) else "unlimited"


def scores_of(found: Gathered) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Scores of the two groups that are permuted, targets or else attributes, and their stimuli."""
    vectors, words = found.vectors, found.words
    if "y" in vectors:
        s = associations(np.concatenate([vectors["x"], vectors["y"]]), vectors["a"], vectors["b"])
        return s[: len(words["x"])], s[len(words["x"]) :], (*words["x"], *words["y"])
    u = affinities(vectors["x"], np.concatenate([vectors["a"], vectors["b"]]))
    return u[: len(words["a"])], u[len(words["a"]) :], (*words["a"], *words["b"])


def run_test(
    found: Gathered, emb: Embeddings, options: Options, *, design: str, digest: str, titles: Mapping[str, str]
) -> WeatResult:
    """Run the test on stimuli that have been looked up; every level of the ML-EAT calls this."""
    first, second, names = scores_of(found)
    scores = (*first.tolist(), *second.tolist())
    error = rounding_error(emb.dim)
    if max(scores) - min(scores) <= 2 * error:
        raise EvidenceError(
            f"every association of the design {design!r} equals {scores[0]:.6g}, so it has no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    settings = options.settings(error)
    tested, exchanged = permutation_test(first, second, **settings), None
    measure = {"measure": "weat", "association": "difference of mean cosines"}
    if "y" not in found.words:  # with one target, exchanging attributes is the test
        exchanged = tested
        measure = {"measure": "single-target weat", "association": "mean cosine"}
    n_x, n_a = len(found.words["x"]), len(found.words["a"])
    return WeatResult(
        **named(tested, "pvalue pvalue_low pvalue_high method alternative min_pvalue"),
        design=design,
        digest=digest,
        effect_size=effect_size(first, second, ddof=options.ddof),
        ties=tested.tied if tested.tied is None or tested.tied < _MOST else None,
        exchange=WeatExchange(
            statistic=float(first.sum() - second.sum()),
            bound=tested.bound,
            divisions=tested.total if tested.total < _MOST else None,
            tails=dict(tested.tails),
        ),
        associations=dict(zip(names, scores, strict=True)),
        sets=dict(found.words),
        titles={name: titles[name] for name in found.words},
        crossed=crossed(
            found.cosines(), n_x, n_a, near=found.near(options.words), exchanged=exchanged, **settings
        ),
        **origin(emb, found.coverage, {**measure, **options.conventions(found.coverage.policy)}),
    )

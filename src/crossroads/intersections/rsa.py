"""RSA: which of two groups is closer to a concept in a model's geometry (Lepori 2020)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import DesignError, InputError, in_short, join_words, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.crossed import Crossed
from crossroads.core.inference.geometry import Floats, rounding_error
from crossroads.core.inference.multiplicity import adjust_known
from crossroads.core.inference.options import seed_of, switch, whole
from crossroads.core.inference.ranks import sign_test
from crossroads.core.results import (
    Conclusion,
    Family,
    Result,
    Row,
    Stat,
    adjusted,
    because,
    from_tests,
    label_for,
    long_row,
    read_only,
    stat,
    status_of,
)
from crossroads.core.results.checks import FREQUENCY, TOPICS, Checked
from crossroads.core.results.gathered import Missing, check_vectors, gather
from crossroads.core.stimuli import StimulusSet
from crossroads.core.wording.numbers import P
from crossroads.intersections.fits import (
    Dissimilarity,
    agreement_of_halves,
    attainable,
    centred_ranks,
    classes_of,
    coordinates,
    dissimilarities,
    distinct,
    exchanged,
    items_drawn,
    sampled_fits,
)
from crossroads.words.measures.weat import crossed_rows, difference_numbers

_OTHER_ITEMS = "how often other items for the same things would differ so, were there no difference"
_SECOND = "the second group does; both are rank correlations"
_ITEMS_CI = "of Δ, over the choice of items in all sets"
_EXCHANGED = "labels of the items exchanged, the concept as given, two-sided"
_SIGN = "the published test, far too small since its samples share items"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RsaResult(Result):
    """How a model's geometry fits two rival hypotheses about two groups and a concept."""

    _section: ClassVar[str] = "geometry"
    _cites: ClassVar[tuple[str, ...]] = ("lepori2020unequal", "kriegeskorte2008representational")
    _stem: ClassVar[str] = "rsa"
    _unchecked: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (FREQUENCY, TOPICS), "it is asked of associations, not of comparisons of geometry"
    )
    _figure: ClassVar[str] = "fit_plot"
    _label_format: ClassVar[str] = "RSA {names[0]} / {names[1]} / {names[2]}"
    _table_title: ClassVar[str] = "Geometry of groups and concepts"
    # concept items are not exchanged
    _file_names: ClassVar[str] = (
        "group1=names.0 group2=names.1 concept=names.2 similarity1 similarity2 sd1 sd2 "
        "difference=crossed.difference low=crossed.low high=crossed.high p=crossed.pvalue exact_p=pvalue "
        "sign_pvalue attainable halves"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "comparison": "similarity1 similarity2 difference=crossed.difference difference_low=crossed.low "
        "difference_high=crossed.high p=crossed.pvalue exact_p=pvalue halves left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("group1", "group 1", of="names.0"),
        stat("group2", "group 2", of="names.1"),
        stat("concept", of="names.2"),
        stat("fit1", "fit 1", "the first group goes with the concept", of="similarity1", digits=3),
        stat("fit2", "fit 2", _SECOND, of="similarity2", digits=3),
        stat("difference", "Δ", "first fit less the second, over all items", of="delta", spare=4),
        stat("ci", "95 % CI", _ITEMS_CI, of="crossed.low", digits=3, kind="interval", spare=4),
        stat("p", note=f"{_OTHER_ITEMS}, two-sided", of="_answer"),
        stat("exact_p", note=_EXCHANGED, of="_p", spare=3),
        stat("sign", "p (sign)", _SIGN, of="sign_pvalue", kind="p", spare=1),
        stat("attainable", note="the best fit that such a hypothesis can have", spare=2),
        stat("halves", note="agreement of two halves of the dimensions", spare=1),
    )

    names: tuple[str, str, str]
    """Names of the two groups and the concept."""
    similarity1: float
    """Mean fit of the hypothesis that the first group goes with the concept and the second is set apart."""
    similarity2: float
    """Mean fit of the hypothesis that the second group goes with the concept and the first is set apart."""
    sd1: float
    """Standard deviation of the first fit over samples."""
    sd2: float
    """Standard deviation of the second fit over samples."""
    sign_pvalue: float
    """The published sign test over samples. Samples share items, so it is far too small."""
    pvalue: float
    """Two-sided p-value from exchanging the group labels of items: for these concept items. Groups that hang
    together differ with almost any concept; see ``crossed`` for other items."""
    statistic: float
    """Difference of the two fits over all items at once, which that p-value tests."""
    permutations: int
    """Number of exchanges of labels."""
    samples1: NDArray[np.float64]
    """First fit in each sample."""
    samples2: NDArray[np.float64]
    """Second fit in each sample."""
    attainable: float
    """The best fit that a hypothesis of zeros and ones with these group sizes can have, where no two
    dissimilarities are equal."""
    halves: float | None
    """Rank correlation of the dissimilarities from two random halves of the dimensions, corrected to the full
    length (Spearman–Brown), mean over splits; None without splits. Dimensions are no repeated measurements:
    this is neither a bound of the fits nor their reliability."""
    items: Mapping[str, tuple[str, ...]]
    """The items measured, by set."""
    geometry: NDArray[np.float64]
    """Dissimilarity of every pair of items, in the order group 1, group 2, concept."""
    crossed: Crossed
    """The difference of the fits over all items, and how sure it is for other items: groups (``targets``) and
    concept (``attributes``) both drawn."""

    @property
    def _p(self) -> P:
        """The p-value of exchanging labels with its mark."""
        return P.of(self.pvalue, "monte-carlo")

    @property
    def _answer(self) -> P | None:
        """The p-value that holds for other items; None where there is none."""
        return None if self.crossed.pvalue is None else P(self.crossed.pvalue)

    @property
    def difference(self) -> float:
        """First mean fit less the second."""
        return self.similarity1 - self.similarity2

    @property
    def delta(self) -> float:
        """Difference of the fits over all items at once: what tables, figures and p-values are about."""
        return self.crossed.difference

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number but those of single samples."""
        test, samples = self._label, len(self.samples1)
        for i, part in enumerate(self.names[:2], start=1):
            yield long_row("rsa", test, part, "similarity", getattr(self, f"similarity{i}"), n=samples)
            yield long_row("rsa", test, part, "sd", getattr(self, f"sd{i}"), n=samples)
        yield long_row("rsa", test, "", "similarity_difference", self.difference, n=samples)
        yield long_row("rsa", test, "", "sign_pvalue", self.sign_pvalue, n=samples)
        exchanged = {"exact_p": self.pvalue, "method": "monte-carlo", "n": self.permutations}
        yield long_row("rsa", test, "", "statistic", self.statistic, **exchanged)
        yield from crossed_rows("rsa", test, "all items", self.crossed, self.pvalue)
        yield long_row("rsa", test, "", "attainable", self.attainable)
        if self.halves is not None:
            yield long_row("rsa", test, "", "halves", self.halves)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which group the concept goes with more."""
        yield self._concluded(self._answer)

    def _concluded(self, other: P | None, at: str = "") -> Conclusion:
        """What it comes to; ``at``: its JSON pointer within another result, with ``/`` at its end."""
        first, second, concept = self.names
        near, far = (first, second) if self.delta >= 0 else (second, first)
        said = (concept, " goes more with ", near, " than with ", far, "")
        asked = ("it cannot be told whether the concept ", concept, " goes more with ", near, " or ", far, "")
        return Conclusion(
            name=self._label,
            status=status_of(other, self._p),
            wordings={
                "holds": ("the concept ", *said),
                "depends": ("with these items, the concept ", *said),
                "absent": ("the concept ", concept, " was not found to go more with ", near, " or ", far, ""),
                "unknown": because(asked, self.crossed.reason, {"a": first, "b": second}),
            },
            subject=concept,
            poles=(second, first),
            scale="difference of fits",
            numbers=difference_numbers(self.crossed, at),
        )

    def _checks(self) -> Iterator[Checked]:
        yield Checked(
            name=self._label,
            family="geometry",
            noun="comparison of geometry",
            these=self._p,
            exchanged="targets exchanged, monte-carlo",
            other=self.crossed.two_sided,
            reason=self.crossed.reason,
            unchecked=self._unchecked,
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RsaGridResult(Family):
    """RSA of every pair of groups with every concept."""

    _section: ClassVar[str] = "geometry"
    _cites: ClassVar[tuple[str, ...]] = (
        "lepori2020unequal",
        "kriegeskorte2008representational",
        "holm1979simple",
        "benjamini1995controlling",
    )
    _stem: ClassVar[str] = "rsa_grid"
    _figure: ClassVar[str] = "fit_plot"

    _member_type: ClassVar[type[Result]] = RsaResult
    _label_format: ClassVar[str] = "RSA grid"
    _table_title: ClassVar[str] = "Geometry of groups and concepts"
    _columns: ClassVar[tuple[Stat, ...]] = (
        *from_tests(RsaResult, "group1 group2 concept fit1 fit2 difference ci p"),
        adjusted(),
        *from_tests(RsaResult, "exact_p sign attainable halves"),
    )

    tests: tuple[RsaResult, ...]
    """The tests."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """Their p-values for other items (``crossed``) adjusted for the number of tests, by method (``holm``,
    ``bh``, ``by``); None for a test that has none."""

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which group each concept goes with more."""
        yield from (one.test._concluded(one.p, f"tests/{one.at}/") for one in self._members())


def rsa_name(first: str, second: str, concept: str) -> str:
    """Name of a comparison of geometry, such as ``RSA men / women / science``."""
    return label_for(RsaResult, names=(first, second, concept))


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
    dissimilarity: Dissimilarity = "spearman",
    permutations: int = 999,
    splits: int = 2,
    missing: Missing = "raise",
) -> RsaResult:
    """Compare a model's geometry with two hypotheses about which group goes with the concept.

    From each group and the concept ``n`` items are drawn. The dissimilarities of all pairs of items,
    1 − Spearman's ρ over the dimensions of their vectors, are rank-correlated with two hypotheses: under
    the first, items of group 2 are unlike all others, under the second, those of group 1. This is repeated,
    and the two fits are compared.

    Parameters
    ----------
    group1, group2, concept
        Items of the groups and the concept; no item may be in two of them.
    replace_concept
        Draw concept items with replacement, as the released code does; the paper does not mention it.
    dissimilarity
        ``"spearman"`` (published), ``"correlation"``, ``"cosine"`` or ``"euclidean"``.
    permutations
        Number of exchanges of the labels of the group items for ``pvalue``, on the full sets, so that
        sampling adds no noise.
    splits
        Number of random splits of the dimensions for ``halves``; 0 for none.

    Notes
    -----
    With groups of the same size, the difference of the fits is the difference of the mean rank of the
    dissimilarities of the two groups with the concept, times a constant. ``crossed`` takes the items of all
    three sets as drawn, by the formulas of :func:`~crossroads.weat`, for that table of ranks.

    *Departures:* the published sign test treats samples as independent although they share items, and
    rejects a true null far too often; it is ``sign_pvalue``.

    References
    ----------
    Lepori, M. A. (2020). doi:10.18653/v1/2020.coling-main.151

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> sets = [[f"{name} {i}" for i in range(6)] for name in ("he", "she", "work")]
    >>> emb = cr.Embeddings(sum(sets, []), np.random.default_rng(1).normal(size=(18, 9)))
    >>> result = cr.rsa(emb, *sets, n=4)
    >>> round(result.similarity1, 2), round(result.similarity2, 2), result.crossed.pvalue > 0.05
    (-0.12, -0.02, True)
    """
    one_of("dissimilarity", dissimilarity, Dissimilarity)
    check_vectors(emb)
    whole("n", n, least=2)
    whole("samples", samples, least=1)
    whole("permutations", permutations)
    whole("splits", splits)
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
    rows = coordinates(raw, dissimilarity)
    distances = dissimilarities(rows, dissimilarity)
    classes = classes_of(distances, error=0.0 if dissimilarity == "euclidean" else rounding_error(emb.dim))
    rng = generator(seed)
    fits = sampled_fits(classes, sizes, n, samples, replace_concept, rng)
    ranks = centred_ranks(classes)
    statistic, pvalue = exchanged(ranks, sizes, permutations, rng)
    return RsaResult(
        names=(sets["group1"].name, sets["group2"].name, sets["concept"].name),
        similarity1=float(fits[:, 0].mean()),
        similarity2=float(fits[:, 1].mean()),
        sd1=float(fits[:, 0].std(ddof=1)) if samples > 1 else 0.0,
        sd2=float(fits[:, 1].std(ddof=1)) if samples > 1 else 0.0,
        sign_pvalue=sign_test(distinct(fits[:, 0] - fits[:, 1])),
        pvalue=pvalue,
        statistic=statistic,
        permutations=permutations,
        samples1=read_only(np.ascontiguousarray(fits[:, 0])),
        samples2=read_only(np.ascontiguousarray(fits[:, 1])),
        attainable=attainable(n),
        halves=agreement_of_halves(rows, dissimilarity, distances, splits, rng),
        crossed=items_drawn(ranks, sizes),
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

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> sets = {name: [f"{name} {i}" for i in range(6)] for name in ("he", "she", "work")}
    >>> emb = cr.Embeddings(sum(sets.values(), []), np.random.default_rng(1).normal(size=(18, 9)))
    >>> result = cr.rsa_grid(emb, {"he": sets["he"], "she": sets["she"]}, {"work": sets["work"]}, n=4)
    >>> len(result.tests)
    1
    """
    for what, given in (("groups", groups), ("concepts", concepts)):
        if not isinstance(given, Mapping):
            raise InputError(f"{what} is of type {type(given).__name__}.", hint="give {name: [words], ...}.")
    if len(groups) < 2 or not concepts:
        raise InputError(
            f"{len(groups)} group(s) and {len(concepts)} concept(s) were given.",
            hint="give at least two groups and one concept.",
        )
    pairs = list(combinations(_named(groups), 2))
    tests = [rsa(emb, *pair, thing, **options) for thing in _named(concepts) for pair in pairs]
    return RsaGridResult(
        tests=tuple(tests),
        adjusted=adjust_known([test.crossed.pvalue for test in tests]),
        conventions={"measure": "rsa grid", **options},
        provenance=(emb.provenance,),
    )


def _named(sets: Mapping[str, Iterable[str]]) -> list[StimulusSet]:
    """Sets under the names they have in the mapping."""
    return [StimulusSet(name, StimulusSet.of(items, name).items) for name, items in sets.items()]


def _lengths(emb: Embeddings, words: Mapping[str, tuple[str, ...]], order: tuple[str, ...]) -> Floats:
    """Vectors with their lengths, which the Euclidean distance depends on."""
    return np.stack([np.asarray(emb[word], dtype=np.float64) for name in order for word in words[name]])


def _check_overlap(sets: Mapping[str, StimulusSet]) -> None:
    for one, other in combinations(sets.values(), 2):
        if shared := [word for word in one if word in other]:
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
                option="replace_concept",
            )

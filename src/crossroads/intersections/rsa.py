"""RSA: which of two groups is closer to a concept in a model's geometry (Lepori 2020)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, compress
from typing import Any, ClassVar, Self, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import DesignError, InputError, Missing, in_short, join_words, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.copies import Words
from crossroads.core.inference.crossed import Crossed
from crossroads.core.inference.geometry import rounding_error
from crossroads.core.inference.options import seed_of, switch, whole
from crossroads.core.inference.ranks import sign_test
from crossroads.core.results import (
    ADJUSTERS,
    ENDS,
    Conclusion,
    Family,
    Result,
    Row,
    Stat,
    adjusted,
    adjusted_together,
    because,
    from_tests,
    label_for,
    long_row,
    read_only,
    stat,
    status_of,
)
from crossroads.core.results.checks import FREQUENCY, TOPICS, Checked
from crossroads.core.results.gathered import Gathered, check_vectors, gather, same_words
from crossroads.core.stimuli import StimulusSet
from crossroads.core.wording.numbers import P
from crossroads.intersections.geometry import (
    Dissimilarity,
    agreement_of_halves,
    attainable,
    centred_ranks,
    coordinates,
    dissimilarities,
    equal_classes,
    exchanged,
    items_drawn,
    sampled_fits,
)
from crossroads.words.measures.weat import copies_said, crossed_rows, difference_numbers

_EQUAL_FITS = 1e-12
_OTHER_ITEMS = "how often other items for the same things would differ so, were there no difference"
_SECOND = "the second group does; both are rank correlations"
_DELTA = "first fit minus the second, over all items"
_AGREEMENT = "chance that another set of items would point the same way"
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
        "group1=names.0 group2=names.1 concept=names.2 agreement=crossed.agreement similarity1 similarity2 "
        "sd1 sd2 "
        "difference=crossed.difference low=crossed.low high=crossed.high p=crossed.pvalue exact_p=pvalue "
        "sign_pvalue attainable halves"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "comparison": "agreement=crossed.agreement similarity1 similarity2 "
        "difference=crossed.difference difference_low=crossed.low difference_high=crossed.high "
        "p=crossed.pvalue exact_p=pvalue halves left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("group1", "group 1", of="names.0"),
        stat("group2", "group 2", of="names.1"),
        stat("concept", of="names.2"),
        stat("agreement", note=_AGREEMENT, of="crossed.agreement"),
        stat("fit1", "fit 1", "the first group goes with the concept", of="similarity1", digits=3),
        stat("fit2", "fit 2", _SECOND, of="similarity2", digits=3),
        stat("difference", "Δ", _DELTA, of="crossed.difference", spare=4),
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
    _permutations: int
    """Number of exchanges of labels."""
    samples1: NDArray[np.float64]
    """First fit in each sample."""
    samples2: NDArray[np.float64]
    """Second fit in each sample."""
    attainable: float
    """The best fit that such a hypothesis can have, where no two dissimilarities are equal."""
    halves: float | None
    """Rank correlation of the dissimilarities from two random halves of the dimensions (Spearman–Brown), mean
    over splits; None without splits. It is neither a bound of the fits nor their reliability."""
    items: Mapping[str, tuple[str, ...]]
    """The items measured, by set."""
    geometry: NDArray[np.float64]
    """Dissimilarity of every pair of items, in the order group 1, group 2, concept."""
    crossed: Crossed
    """The difference of the fits over all items, and how sure it is for other items: groups (``targets``) and
    concept (``attributes``) both drawn."""

    @property
    def _p(self) -> P:
        return P.of(self.pvalue, "monte-carlo")

    @property
    def _answer(self) -> P | None:
        """The p-value for other items; None where there is none."""
        return None if self.crossed.pvalue is None else P(self.crossed.pvalue)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        yield from copies_said(results)

    @property
    def titles(self) -> Mapping[str, str]:
        """What the sets are called."""
        return dict(zip(("group1", "group2", "concept"), self.names, strict=True))

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number but those of single samples."""
        row, samples = partial(long_row, "rsa", self._label), len(self.samples1)
        fits = ((self.similarity1, self.sd1), (self.similarity2, self.sd2))
        for part, (mean, sd) in zip(self.names, fits, strict=False):
            yield row(part, "similarity", mean, n=samples)
            yield row(part, "sd", sd, n=samples)
        yield row("", "similarity_difference", self.similarity1 - self.similarity2, n=samples)
        yield row("", "sign_pvalue", self.sign_pvalue, n=samples)
        exchanged = {"exact_p": self.pvalue, "method": "monte-carlo", "n": self._permutations}
        yield row("", "statistic", self.statistic, **exchanged)
        yield from crossed_rows("rsa", self._label, "all items", self.crossed, self.pvalue)
        yield row("", "attainable", self.attainable)
        if self.halves is not None:
            yield row("", "halves", self.halves)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        yield self._concluded(self._answer)

    def _concluded(self, other: P | None, at: str = "") -> Conclusion:
        """The conclusion; ``at``: its JSON pointer within another result, with ``/`` at its end."""
        first, second, concept = self.names
        near, far = (first, second) if self.crossed.difference >= 0 else (second, first)
        closer = ("the concept ", concept, " goes more with ", near, " than with ", far, "")
        return Conclusion(
            name=self._label,
            status=status_of(other),
            statement=because(closer, self.crossed.reason, {"a": first, "b": second}),
            subject=concept,
            poles=(second, first),
            scale="difference of fits",
            drawn="items",
            numbers=difference_numbers(self.crossed, at),
        )

    def _checks(self) -> Iterator[Checked]:
        yield Checked(
            name=self._label,
            family="geometry",
            noun="comparison of geometry",
            these=self._p,
            exchanged="targets exchanged, monte-carlo",
            crossed=self.crossed,
            other=self.crossed.two_sided,
            reason=self.crossed.reason,
            unchecked=self._unchecked,
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RsaGridResult(Family):
    """RSA of every pair of groups with every concept."""

    _section: ClassVar[str] = "geometry"
    _cites: ClassVar[tuple[str, ...]] = (*RsaResult._cites, *ADJUSTERS)
    _stem: ClassVar[str] = "rsa_grid"
    _figure: ClassVar[str] = "fit_plot"

    _member_type: ClassVar[type[Result]] = RsaResult
    _label_format: ClassVar[str] = "RSA grid"
    _table_title: ClassVar[str] = RsaResult._table_title
    _columns: ClassVar[tuple[Stat, ...]] = (
        *from_tests(RsaResult, "group1 group2 concept agreement fit1 fit2 difference"),
        ENDS,
        *from_tests(RsaResult, "p"),
        adjusted(),
        *from_tests(RsaResult, "exact_p sign attainable halves"),
    )

    tests: tuple[RsaResult, ...]
    """The tests."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """Their p-values for other items (``crossed``) adjusted for the number of tests, by method (``holm``,
    ``bh``, ``by``); None for a test that has none."""

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        for one in self._members():
            yield one.concluded(one.test._concluded(one.p, f"tests/{one.at}/"))


def rsa_name(first: str, second: str, concept: str) -> str:
    """Name of a comparison of geometry, such as ``RSA men / women / science``."""
    return label_for(RsaResult, names=(first, second, concept))


class RsaOptions(TypedDict, total=False):
    """Options of :func:`rsa`."""

    n: int
    samples: int
    seed: int
    replace_concept: bool
    dissimilarity: Dissimilarity
    draws: int
    splits: int
    missing: Missing
    words: Words


@overload
def rsa(
    emb: Embeddings,
    group1: Iterable[str],
    group2: Iterable[str],
    concept: Iterable[str],
    **options: Unpack[RsaOptions],
) -> RsaResult: ...
@overload
def rsa(
    emb: Embeddings,
    group1: Mapping[str, Iterable[str]],
    group2: Mapping[str, Iterable[str]],
    **options: Unpack[RsaOptions],
) -> RsaGridResult: ...
def rsa(
    emb: Embeddings,
    group1: Iterable[str] | Mapping[str, Iterable[str]],
    group2: Iterable[str] | Mapping[str, Iterable[str]],
    concept: Iterable[str] | None = None,
    *,
    n: int = 10,
    samples: int = 100,
    seed: int = 0,
    replace_concept: bool = False,
    dissimilarity: Dissimilarity = "spearman",
    draws: int = 999,
    splits: int = 2,
    missing: Missing = "raise",
    words: Words = "effective",
) -> RsaResult | RsaGridResult:
    """Compare a model's geometry with two hypotheses about which group goes with the concept.

    From each group and the concept ``n`` items are drawn. The dissimilarities of all pairs of items,
    1 − Spearman's ρ over the dimensions of their vectors, are rank-correlated with two hypotheses: under
    the first, items of group 2 are unlike all others, under the second, those of group 1. This is repeated,
    and the two fits are compared. With mappings of groups and of concepts, ``rsa(emb, groups, concepts)``,
    every pair of groups is compared for every concept, and p-values are adjusted for the number of tests.

    Parameters
    ----------
    group1, group2, concept
        Items of the groups and the concept; no item may be in two of them. Or groups and concepts by name.
    replace_concept
        Draw concept items with replacement, as the released code does; the paper does not mention it.
    dissimilarity
        ``"spearman"`` (published), ``"correlation"``, ``"cosine"`` or ``"euclidean"``.
    draws
        Number of random exchanges of the labels of the group items for ``pvalue``, on the full sets, so that
        sampling adds no noise.
    splits
        Number of random splits of the dimensions for ``halves``; 0 for none.
    words
        As in :func:`~crossroads.weat`.

    Notes
    -----
    With groups of the same size, the difference of the fits is that of the mean ranks of the dissimilarities
    of the two groups with the concept, times a constant. ``crossed`` takes the items of all three sets as
    drawn, by the formulas of :func:`~crossroads.weat`, for that table of ranks. The variance of the groups is
    at least that of groups that vary alike: ranks are bounded, so that a few are often equal by chance.

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
    >>> grid = cr.rsa(emb, {"men": sets[0], "women": sets[1]}, {"work": sets[2]}, n=4)
    >>> [test.names for test in grid.tests]
    [('men', 'women', 'work')]
    """
    one_of("dissimilarity", dissimilarity, Dissimilarity)
    check_vectors(emb)
    options: RsaOptions = {
        "n": whole("n", n, least=2),
        "samples": whole("samples", samples, least=1),
        "seed": seed_of(seed),
        "replace_concept": switch("replace_concept", replace_concept),
        "dissimilarity": dissimilarity,
        "draws": whole("draws", draws),
        "splits": whole("splits", splits),
        "missing": missing,
        "words": one_of("words", words, Words),
    }
    if concept is None:
        return _grid(emb, group1, group2, options)
    given = {"group 1": group1, "group 2": group2, "concept": concept}
    sets = {name.replace(" ", ""): StimulusSet.of(items, name) for name, items in given.items()}
    least = {"group1": n, "group2": n, "concept": 1 if replace_concept else n}
    _check_sets(sets, least)
    found = gather(emb, sets, missing=missing, least=least)
    _check_vectors(emb, found)
    items = {name: found.words[name] for name in sets}
    sizes = (len(items["group1"]), len(items["group2"]), len(items["concept"]))
    if dissimilarity == "euclidean":  # which depends on the lengths of vectors
        vectors = np.stack([np.asarray(emb[word], dtype=np.float64) for name in sets for word in items[name]])
    else:
        vectors = np.concatenate([found.vectors[name] for name in sets])
    rows = coordinates(vectors, dissimilarity)
    distances = dissimilarities(rows, dissimilarity)
    classes = equal_classes(distances, error=0.0 if dissimilarity == "euclidean" else rounding_error(emb.dim))
    rng = generator(seed)
    fits = sampled_fits(classes, sizes, n, samples, replace_concept, rng)
    ranks = centred_ranks(classes)
    copies = found.near(words, sets=("concept", "group1", "group2"))
    statistic, pvalue = exchanged(ranks, sizes, draws, rng)
    differences = fits[:, 0] - fits[:, 1]  # those of rounding error only have no sign
    sd1, sd2 = (float(one.std(ddof=1)) if samples > 1 else 0.0 for one in fits.T)
    return RsaResult(
        names=(sets["group1"].name, sets["group2"].name, sets["concept"].name),
        similarity1=float(fits[:, 0].mean()),
        similarity2=float(fits[:, 1].mean()),
        sd1=sd1,
        sd2=sd2,
        sign_pvalue=sign_test(np.where(np.abs(differences) <= _EQUAL_FITS, 0.0, differences)),
        pvalue=pvalue,
        statistic=statistic,
        _permutations=draws,
        samples1=read_only(np.ascontiguousarray(fits[:, 0])),
        samples2=read_only(np.ascontiguousarray(fits[:, 1])),
        attainable=attainable(n),
        halves=agreement_of_halves(rows, dissimilarity, distances, splits, rng),
        crossed=items_drawn(ranks, sizes, copies),
        items=items,
        geometry=read_only(distances),
        coverage=found.coverage,
        conventions={
            "measure": "rsa",
            **options,
            "sign test": "two-sided, zeros dropped",
            "fallback": ", ".join(emb.fallback) or "none",
        },
        provenance=(emb.provenance,),
    )


def _grid(emb: Embeddings, groups: Any, concepts: Any, options: RsaOptions) -> RsaGridResult:
    """Every pair of groups with every concept."""
    for name, sets in (("groups", groups), ("concepts", concepts)):
        if not isinstance(sets, Mapping):
            hint = "give {name: [words], ...}, or two groups and a concept."
            raise InputError(f"{name} is of type {type(sets).__name__}.", hint=hint)
    if len(groups) < 2 or not concepts:
        raise InputError(
            f"{len(groups)} group(s) and {len(concepts)} concept(s) were given.",
            hint="give at least two groups and one concept.",
        )
    first, second = (
        [StimulusSet(name, StimulusSet.of(items, name).items) for name, items in sets.items()]
        for sets in (groups, concepts)
    )
    pairs = list(combinations(first, 2))
    tests = tuple(rsa(emb, *pair, concept, **options) for concept in second for pair in pairs)
    return RsaGridResult(
        tests=tests,
        **adjusted_together([test.crossed for test in tests]),
        conventions={"measure": "rsa grid", **options},
        provenance=(emb.provenance,),
    )


def _check_vectors(emb: Embeddings, found: Gathered) -> None:
    """Raise an error for items of two sets that are one word in two spellings."""
    for one, other in combinations(found.rows, 2):
        same = same_words(emb.vectors, *((found.words[key], found.rows[key]) for key in (one, other)))
        if same.any():
            items = join_words(map(in_short, compress(found.words[one], same)), most=3)
            raise DesignError(
                f"{items} of {one} and an item of {other} have one vector.",
                hint="an item can stand for one of them only.",
            )


def _check_sets(sets: Mapping[str, StimulusSet], least: Mapping[str, int]) -> None:
    for one, other in combinations(sets.values(), 2):
        if shared := [word for word in one if word in other]:
            raise DesignError(
                f"{one.name} and {other.name} share {join_words(map(in_short, shared), most=3)}.",
                hint="an item can stand for one of them only.",
            )
    for name, words in sets.items():
        if len(words) < least[name]:
            more = " or replace_concept=True" if name == "concept" else ""
            raise DesignError(
                f"{words.name} has {len(words)} items, and {least[name]} are drawn from it.",
                hint=f"give more items, or a smaller n{more}.",
                option="replace_concept",
            )

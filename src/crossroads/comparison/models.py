"""Compare associations in two models, or two decades, or many in several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict, Unpack, overload

from crossroads.comparison.jackknife import effect_jackknife, jackknife, tempered_changes
from crossroads.comparison.words import Evidence, shared_words
from crossroads.core.errors import EvidenceError, InputError, Missing, join_words, one_of
from crossroads.core.inference.copies import Words
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.permutation.test import (
    MAX_WORK,
    Alternative,
    Method,
    Tail,
    Ties,
    permutation_test,
)
from crossroads.core.results import TEST, Result, Stat, stat
from crossroads.core.results.gathered import check_inputs, require_two_targets, warn_about_sharing
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P
from crossroads.core.wording.table import Table
from crossroads.core.wording.vocabulary import Note
from crossroads.words.measures.weat import check_ddof, recorded_work

if TYPE_CHECKING:
    from crossroads.comparison.battery import CompareBatteryResult, Model

Scale = Literal["sd", "cosine"]
Against = Literal["all", "first"]
Attributes = Literal["drawn", "given"]
UNIT = "a target word, by its association averaged over all of its contexts"
"""Unit that is exchanged and resampled where models are compared over contexts."""
_AGREEMENT = "chance that another set of words would differ between the models in the same direction"
_FEWER = 1.5  # ratio of contexts per word from which effect sizes are hard to compare
_ERRORS = 8  # factor of the rounding error of a change, for each target, when a word is left out


def exchanged(attributes: str) -> Note:
    """The note on p-values of paired tests: what was exchanged, and the tails."""

    def note(results: Sequence[Any]) -> str:
        tests = [test for one in results for test in getattr(one, "tests", (one,))]
        tails = ", ".join(dict.fromkeys(phrases.compared_tail(test.alternative) for test in tests))
        return f"{phrases.EXCHANGED_MODELS}, {attributes}, {tails}" if tails else ""

    return note


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareResult(Result):
    """One design in two models, with a paired test of their difference."""

    _section: ClassVar[str] = "comparison"
    _table_title: ClassVar[str] = "Two models compared"
    _table_name: ClassVar[str] = "compare"
    _file_names: ClassVar[str] = (
        "design agreement effect_size_1=effect_sizes.0 effect_size_2=effect_sizes.1 difference "
        "p=_pvalues.p.value exact_p=_pvalues.exact_p.value method alternative min_p=min_pvalue"
    )
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        stat("agreement", note=_AGREEMENT),
        stat("d1", "d 1", "effect size in the first model", of="effect_sizes.0"),
        stat("d2", "d 2", "effect size in the second model", of="effect_sizes.1"),
        Stat("difference", "difference", {"head": "difference"}),
        stat("p", "p", exchanged("and other attribute words allowed for"), of="_pvalues.p"),
        Stat("exact_p", "_pvalues.exact_p", {"head": "exact p", "note": exchanged("attributes as given")}),
    )

    design: str
    """Name of the design."""
    effect_sizes: tuple[float, float]
    """Effect size in each model, over the stimuli that both have."""
    difference: float
    """First effect size minus the second."""
    differences: tuple[float, float]
    """Difference of the mean cosines in each model, Δ."""
    agreement: float | None
    """Chance that other words would differ between the models in the same direction; None where attributes
    are taken as given."""
    pvalue: float
    """p-value of the difference."""
    pvalue_low: float
    """Lower bound of the p-value."""
    pvalue_high: float
    """Upper bound of the p-value."""
    method: str
    """How the p-value was found."""
    alternative: str
    """Tail of the p-value."""
    min_pvalue: float
    """The smallest p-value that sets of these sizes can give."""
    changes: Mapping[str, float]
    """Association of each target in the first model minus that in the second, on the requested scale; their
    labels are exchanged where attributes are taken as given."""
    contexts: Mapping[str, tuple[int, int]]
    """Number of contexts of each stimulus in either model, where associations are means over contexts; empty
    where a word has one vector."""
    same_contexts: bool | None
    """Whether both models read the same contexts: as many of each word, from one collection. None where that
    is not recorded, or where a word has one vector."""

    @property
    def measure(self) -> str:
        """Measure of the associations: ``weat`` on one vector per word, ``ceat`` over contexts."""
        return "ceat" if self.contexts else "weat"

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        return super()._tabulate(results).without({"p", "exact_p"} - set(p_names(results.values())))

    @property
    def _p(self) -> P:
        return P.of(self.pvalue, self.method)

    @property
    def _p_name(self) -> str:
        """Name of the p-value: ``p`` for other words, ``exact_p`` where the attributes are as given."""
        return "exact_p" if self.conventions["attributes"] == "given" else "p"

    @property
    def _pvalues(self) -> dict[str, P]:
        return {self._p_name: self._p}


def p_names(tests: Iterable[CompareResult]) -> list[str]:
    """Names of the p-values of some tests."""
    return sorted({one._p_name for one in tests}, reverse=True) or ["p"]


class CompareOptions(TypedDict, total=False):
    """Options of every comparison."""

    ddof: int
    ties: Ties
    method: Method
    seed: int
    missing: Missing
    max_work: float
    scale: Scale
    attributes: Attributes
    words: Words


class SeveralOptions(CompareOptions, total=False):
    """Options of comparisons of several models."""

    against: Against
    level: float
    progress: Callable[[str], None] | None


@overload
def compare(
    first: Evidence,
    second: Evidence,
    design: Design,
    *,
    alternative: Alternative = ...,
    **options: Unpack[CompareOptions],
) -> CompareResult: ...
@overload
def compare(
    first: Mapping[str, Model],
    second: Design | Iterable[Design] | Mapping[str, Design],
    *,
    alternative: Tail = ...,
    **options: Unpack[SeveralOptions],
) -> CompareBatteryResult: ...
def compare(
    first: Any,
    second: Any,
    design: Design | None = None,
    *,
    alternative: Alternative = "two-sided",
    ddof: int = 1,
    ties: Ties = "weak",
    method: Method = "auto",
    seed: int = 0,
    missing: Missing | None = None,
    max_work: float = MAX_WORK,
    scale: Scale = "sd",
    attributes: Attributes = "drawn",
    words: Words = "effective",
    **several: Any,
) -> Any:
    r"""Test whether an association differs between two models.

    Each target has an association in each model. The test concerns the *changes* of these associations: under
    the null hypothesis that targets in X did not change more than those in Y, the labels of the changes are
    exchangeable, and permuting them gives the p-value. Words that are unusual in both models cancel out.

    With several models by name, ``compare(models, designs)``, every two models are compared on each design,
    each difference of effect sizes has an interval over the choice of words, the same in both models, and
    p-values are adjusted for the number of comparisons.

    Parameters
    ----------
    first, second
        The two models; their dimensions may differ. Stimuli missing from either are missing from both. Two
        sets of vectors, or two of contexts, or two results of :func:`~crossroads.ceat`. Or several models by
        name, all of one of these kinds or batteries of CEATs; and one design, a list or a mapping of them.
    design, alternative, ddof, ties, method, seed, max_work, words
        As in :func:`~crossroads.weat`; words count as near copies that are such in one of the models.
    missing
        As in :func:`~crossroads.weat`: by default ``"raise"``, and for several models ``"drop"``, where a
        design with too few stimuli left is listed in ``skipped``.
    scale
        ``"sd"`` divides the associations of each model by their standard deviation, so that changes are
        on the scale of the effect size and models with different spreads of cosines can be compared.
        ``"cosine"`` compares the associations as they are: for models of one kind, such as decades.
    attributes
        ``"drawn"``: attribute words are a choice among many, as target words are. ``"given"``: they are the
        only ones of interest, and labels of ``changes`` are exchanged as they are. Where an attribute set
        has a single word, both sets are taken as given, which the conventions record.
    several
        For several models: ``against``: ``"all"`` compares every two models, ``"first"`` all others with the
        first. ``level``: nominal coverage of the intervals, which leave out one word at a time
        (:func:`~crossroads.comparison.jackknife.difference_interval`). ``progress``: called with the name of
        each design before it is compared.

    Notes
    -----
    With ``attributes="drawn"`` one word at a time is left out of both models
    (:func:`~crossroads.comparison.jackknife.effect_jackknife`; for ``scale="cosine"``,
    :func:`~crossroads.comparison.jackknife.jackknife`), since no exchange of targets shows that the few
    vectors of the attributes differ between models. The contribution of each target to the difference
    :math:`\theta` replaces its change. :math:`\theta` over its standard error has a tail probability in the t
    distribution with Satterthwaite's degrees of freedom. The changes of X are shifted against those of Y
    until a t test over targets alone has the same tail probability, and labels are exchanged.

    Over contexts, the association of a target is its mean over all contexts of all words, and the unit is the
    target word. Where models read different contexts (``same_contexts``), a change may come from the texts.
    Where one model has fewer contexts, equal associations are rejected too often; not with ``"cosine"``.

    Comparisons that share a model are dependent; Holm's adjustment is valid nevertheless. The interval is of
    the difference of effect sizes, whatever the scale of the test. With ``"sd"`` and ``"drawn"`` both use the
    same standard error, but the test counts exchanges and the interval takes a quantile of t, so that they
    can disagree at 5 %: exchanges of three words per set cannot reach 5 %, and intervals of three or four are
    too wide. Otherwise they answer different questions.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("weat7"), np.random.default_rng(1)
    >>> one, two = (cr.Embeddings(design.words, rng.normal(size=(32, 9))) for _ in range(2))
    >>> result = cr.compare(one, two, design)
    >>> round(result.difference, 2), result.pvalue > 0.05
    (1.2, True)
    >>> several = cr.compare({"old": one, "new": two}, [design, cr.catalog("weat8")])
    >>> [test.design for test in several.tests]
    ['weat7']
    """
    options: dict[str, Any] = {
        "scale": scale,
        "attributes": attributes,
        "alternative": alternative,
        "ties": ties,
        "ddof": ddof,
        "missing": missing or ("drop" if design is None else "raise"),
        "method": method,
        "max_work": max_work,
        "seed": seed,
        "words": words,
    }
    if design is None:
        from crossroads.comparison.battery import compare_battery  # which compares pairs with this function

        designs = second.values() if isinstance(second, Mapping) else second
        return compare_battery(first, designs, **options, **several)
    if several:
        raise InputError(
            f"{', '.join(several)} given for two models and one design.",
            hint="it is for several models by name: compare({name: model, ...}, designs).",
        )
    check_inputs(design)
    one_of("scale", scale, Scale)
    one_of("attributes", attributes, Attributes)
    require_two_targets(design)
    check_ddof(ddof)
    warn_about_sharing(design)
    shared = shared_words(first, second, design, options["missing"], words)
    n_x = len(shared.words["x"])
    both = zip(shared.scores, shared.errors, strict=True)
    scaled = [_standardised(s, error, design.name, ddof) for s, error in both]
    d = [float(z[:n_x].mean() - z[n_x:].mean()) for z, _ in scaled]
    if scale == "sd":
        changes, error = scaled[0][0] - scaled[1][0], sum(error for _, error in scaled)
    else:
        changes, error = shared.scores[0] - shared.scores[1], sum(shared.errors)
    if min(shared.sizes.values()) < 2:
        attributes = "given"
    exchanged, sure = (changes[:n_x], changes[n_x:]), None
    if attributes == "drawn":
        found = effect_jackknife(shared) if scale == "sd" else jackknife(shared, scale)
        if not found.defined:
            what = f"the associations of the design {design.name!r} are nearly equal in one of the models."
            raise EvidenceError(what, hint="check that its vectors differ.")
        exchanged, sure = tempered_changes(found, scale), found.agreement
        units = found.within if scale == "sd" else (1.0, 1.0)
        error = sum(2 * error / unit for error, unit in zip(shared.errors, units, strict=True))
        error *= _ERRORS * shared.scores[0].size
    tested = permutation_test(
        *exchanged,
        alternative=alternative,
        ties=ties,
        method=method,
        seed=seed,
        score_error=error,
        max_work=max_work,
    )
    delta = [float(s[:n_x].mean() - s[n_x:].mean()) for s in shared.scores]
    return CompareResult(
        design=design.name,
        effect_sizes=(d[0], d[1]),
        difference=d[0] - d[1],
        differences=(delta[0], delta[1]),
        agreement=sure,
        pvalue=tested.pvalue,
        pvalue_low=tested.pvalue_low,
        pvalue_high=tested.pvalue_high,
        method=tested.method,
        alternative=alternative,
        min_pvalue=tested.min_pvalue,
        changes=dict(zip((*shared.words["x"], *shared.words["y"]), changes.tolist(), strict=True)),
        contexts=shared.contexts,
        same_contexts=shared.same_contexts,
        coverage=shared.coverage,
        conventions={
            "measure": "compare",
            **options,
            "attributes": attributes,
            "max_work": recorded_work(max_work),
            **({"unit over contexts": UNIT} if shared.contexts else {}),
        },
        provenance=shared.provenance,
    )


def _standardised(s: Floats, error: float, design: str, ddof: int) -> tuple[Floats, float]:
    """Associations on the scale of the effect size, and the largest rounding error in them."""
    if float(s.max() - s.min()) <= 2 * error:
        what = f"every association of the design {design!r} equals {float(s[0]):.6g} in one of the models."
        raise EvidenceError(what, hint="check that its vectors differ.")
    spread = float(s.std(ddof=ddof))
    z = (s - s.mean()) / spread
    return z, error * (2 + float(abs(z).max())) / spread


def context_notes(tests: Sequence[CompareResult], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Note, for every two models compared over contexts, whether they read the same ones."""
    notes = []
    for first, second in dict.fromkeys(pairs):
        paired = zip(tests, pairs, strict=True)
        over = [test for test, pair in paired if pair == (first, second) and test.contexts]
        same = [test.same_contexts for test in over]
        both, doubt = f"{first} and {second}", "may come from the texts as well as from the models."
        if False in same:
            more = _fewer(first, second, over) + _drawn(over[0])
            notes.append(f"{both} did not read the same contexts of all words: differences {doubt}{more}")
        elif None in same:
            notes.append(f"whether {both} read the same contexts is not recorded: differences {doubt}")
        elif same:
            notes.append(f"{both} read the same contexts, so that differences are between the models.")
    return tuple(notes)


def _drawn(test: CompareResult) -> str:
    """Sentence on the procedures by which contexts were drawn, where they differ."""
    records = [source.details.get("record") for source in test.provenance]
    names = [record.get("sample") if isinstance(record, Mapping) else None for record in records]
    if None in names or len(set(names)) < 2:
        return ""
    return f" Their contexts were drawn by different procedures ({join_words(map(str, names))})."


def _fewer(first: str, second: str, tests: Sequence[CompareResult]) -> str:
    """Sentence on words with clearly fewer contexts in one model than in the other."""
    in_sd = [test.contexts for test in tests if test.conventions.get("scale") == "sd"]
    counts = {word: pair for contexts in in_sd for word, pair in contexts.items()}
    times = sum(log(one / two) for one, two in counts.values()) / max(len(counts), 1)
    if abs(times) < log(_FEWER):
        return ""
    few, many = (first, second) if times < 0 else (second, first)
    return (
        f" {few} has fewer contexts per word than {many}, and noise makes its effect sizes smaller; "
        "changes of cosines are not affected."
    )

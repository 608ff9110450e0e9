"""Compare associations in two models, or many in several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, Unpack, overload

from crossroads.comparison.battery import Against, CompareBatteryResult, Model, compare_battery
from crossroads.comparison.jackknife import IntervalKind
from crossroads.comparison.models import Attributes, CompareResult, Scale, compare_two
from crossroads.comparison.words import Evidence
from crossroads.core.errors import InputError, Missing
from crossroads.core.inference.permutation.test import MAX_WORK, Alternative, Method, Tail, Ties
from crossroads.core.stimuli import Design


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


class SeveralOptions(CompareOptions, total=False):
    """Options of comparisons of several models."""

    against: Against
    interval: IntervalKind
    resamples: int
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
    **several: Any,
) -> CompareResult | CompareBatteryResult:
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
    design, alternative, ddof, ties, method, seed, max_work
        As in :func:`~crossroads.weat`.
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
        first. ``interval``: ``"jackknife"`` leaves out one word at a time, ``"percentile"`` resamples words,
        see :func:`~crossroads.comparison.jackknife.difference_interval`. ``resamples`` of a percentile
        interval (2,000); 0 for no interval of either kind. ``level``: nominal coverage of the intervals.
        ``progress``: called with the name of each design before it is compared.

    Notes
    -----
    A strong association depends on the few vectors of the attributes: where each model places them a little
    differently, all targets of X move one way and all of Y the other, which no exchange of targets shows.
    With ``attributes="drawn"``, therefore, one word at a time is left out of both models
    (:func:`~crossroads.comparison.jackknife.effect_jackknife`; for ``scale="cosine"``,
    :func:`~crossroads.comparison.jackknife.jackknife`). The contribution of each target to the difference
    :math:`\theta` replaces its change. :math:`\theta` over its standard error has a tail probability in the t
    distribution with Satterthwaite's degrees of freedom. The changes of X are shifted against those of Y
    until a t test over targets alone has the same tail probability, and labels are exchanged.

    Over contexts, the association of a target is its mean over all contexts of all words, and the unit is the
    target word. Where models read different contexts (``same_contexts``), a change may come from the texts.
    Means over few contexts are noisy, which makes an effect size in standard deviations smaller: where one
    model has fewer contexts, equal associations are rejected too often; not with ``scale="cosine"``.

    Comparisons that share a model are dependent. Holm's adjustment is valid nevertheless. The interval is of
    the difference of effect sizes, whatever the scale of the test. With ``scale="sd"`` and
    ``attributes="drawn"`` both use the same standard error; the test counts exchanges and the interval takes
    a quantile of t, so that they can disagree at 5 %. Exchanges of three words per set cannot reach 5 %, and
    intervals of three or four are too wide. Otherwise they answer different questions.

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
        "alternative": alternative,
        "ddof": ddof,
        "ties": ties,
        "method": method,
        "seed": seed,
        "max_work": max_work,
        "scale": scale,
        "attributes": attributes,
    }
    if design is None:
        designs = second.values() if isinstance(second, Mapping) else second
        return compare_battery(first, designs, missing=missing or "drop", **options, **several)
    if several:
        raise InputError(
            f"{', '.join(several)} given for two models and one design.",
            hint="it is for several models by name: compare({name: model, ...}, designs).",
        )
    return compare_two(first, second, design, missing=missing or "raise", **options)

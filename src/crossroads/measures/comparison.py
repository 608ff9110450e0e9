"""Compare one association in two models, or two decades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from crossroads.errors import DesignError, EvidenceError, one_of
from crossroads.geometry import Floats
from crossroads.inference.permutation import MAX_WORK, permutation_test
from crossroads.measures.gathering import check_inputs
from crossroads.measures.overlaps import warn_about_sharing
from crossroads.measures.shared_words import Evidence, SharedWords, shared_words
from crossroads.measures.weat import check_ddof, recorded_work
from crossroads.measures.word_jackknife import jackknife, tempered_changes
from crossroads.results import Result
from crossroads.stimuli import Design

SCALES = ("sd", "cosine")
ATTRIBUTES = ("drawn", "given")
UNIT = "a target word, by its association averaged over all of its contexts"
"""What is exchanged and drawn anew where models are compared over contexts."""
_ERRORS = 8  # what leaving out a word makes of the rounding error of a change, for each target


@dataclass(frozen=True, kw_only=True, eq=False)
class CompareResult(Result):
    """One design in two models, with a paired test of their difference."""

    design: str
    """Name of the design."""
    effect_sizes: tuple[float, float]
    """Effect size in each model, over the stimuli that both have."""
    difference: float
    """First effect size less the second."""
    pvalue: float
    """p-value of the difference."""
    pvalue_low: float
    """Lower bound of the p-value."""
    pvalue_high: float
    """Upper bound of the p-value."""
    method: str
    """How the p-value was found."""
    alternative: str
    """Which tail it is of."""
    min_pvalue: float
    """The smallest p-value that sets of these sizes can give."""
    changes: Mapping[str, float]
    """Association of each target in the first model less that in the second, on the scale asked for; what
    labels are exchanged of where attributes are taken as given."""
    contexts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Number of contexts of each stimulus in either model, where associations are means over contexts; empty
    where a word has one vector."""
    same_contexts: bool | None = None
    """Whether both models read the same contexts: as many of each word, out of one collection. None where
    that is not recorded, or where a word has one vector."""

    @property
    def measure(self) -> str:
        """What measures the associations: ``weat`` on one vector a word, ``ceat`` over contexts."""
        return "ceat" if self.contexts else "weat"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`, also one that was written before contexts were compared."""
        return super().from_dict({"contexts": {}, "same_contexts": None, **data})

    def rows(self) -> list[dict[str, Any]]:
        """One row: both effect sizes, their difference and its p-value."""
        return [
            {
                "design": self.design,
                "effect_size_1": self.effect_sizes[0],
                "effect_size_2": self.effect_sizes[1],
                "difference": self.difference,
                "pvalue": self.pvalue,
                "method": self.method,
                "alternative": self.alternative,
                "min_pvalue": self.min_pvalue,
            }
        ]


def compare(
    first: Evidence,
    second: Evidence,
    design: Design,
    *,
    alternative: str = "two-sided",
    ddof: int = 1,
    ties: str = "weak",
    method: str = "auto",
    seed: int = 0,
    missing: str = "raise",
    max_work: float = MAX_WORK,
    scale: str = "sd",
    attributes: str = "drawn",
) -> CompareResult:
    r"""Test whether an association differs between two models.

    Each target has an association in either model. The test is about the *changes* of these associations:
    under the null hypothesis that no target changed more for standing in X than in Y, the labels of the
    changes are exchangeable, and permuting them gives the p-value. Words that are unusual in both models
    cancel out: this is what makes the test a paired one. Before labels are exchanged, the difference is made
    as much less surprising as the choice of attributes makes it uncertain.

    Parameters
    ----------
    first, second
        The two models; their dimensions may differ. Stimuli missing from either are missing from both. Two
        sets of vectors, or two of contexts, or what :func:`~crossroads.measures.ceat.ceat` made of these.
    design, alternative, ddof, ties, method, seed, missing, max_work
        As in :func:`~crossroads.measures.weat.weat`.
    scale
        ``"sd"`` divides the associations of each model by their standard deviation, so that changes are
        on the scale of the effect size and models with other spreads of cosines can be compared.
        ``"cosine"`` compares the associations as they are: for models of one kind, such as decades.
    attributes
        ``"drawn"``: attribute words are a choice among many, as target words are. ``"given"``: they are the
        only ones of interest, and labels of ``changes`` are exchanged as they are. Where an attribute set
        has a single word, both sets are taken as given; the conventions say so.

    Notes
    -----
    A strong association hangs on the few vectors of the attributes: where each model places them a little
    differently, all targets of X move one way and all of Y the other, which no exchange of targets shows.
    Taken as given, attributes that differ by chance make ``scale="cosine"`` reject true nulls of strong
    associations in 13 to 19 % at a level of 5 %, with four times as many targets as attributes in 35 %. A
    strong association in both models also leaves effect sizes little room to differ, so that exchanged
    changes in standard deviations, whose standard deviation is taken as known, hardly ever reject.

    So with ``attributes="drawn"``, one word at a time is left out of either model, targets and attributes
    (:func:`~crossroads.measures.word_jackknife.jackknife`). With ``scale="sd"`` this is done to Fisher's z of
    the correlation of association and target, which rises with the effect size and has no bounds. What each
    target adds to the difference :math:`\theta` takes the place of its change; for ``scale="cosine"`` that is
    the change itself. The tail probability of :math:`\theta` over its standard error, in the distribution of
    t with Satterthwaite's degrees of freedom, says how surprising it is. The changes of X are then moved
    against those of Y until a t test that exchanges nothing but targets would find them as surprising, and
    labels are exchanged. In simulated worlds with 8 to 32 words a set, true nulls are rejected in 2 to 6 % at
    a level of 5 %, whatever the association; sets of three or four words err on the safe side. So do larger
    ones where single pairs of words vary and words hardly do, as between random vectors: 1.6 % with 8 words.

    With ``scale="cosine"`` the difference is never enlarged, so that with attributes taken as given the test
    is still a valid one. ``attributes="given"`` is exact for ``scale="cosine"``. For ``scale="sd"`` it is
    exact where neither model associates, and rejects ever less, down to never, the more both do.

    Over contexts, the association of a target is its mean over all contexts of all words, and the unit is the
    target word: neither more contexts nor more samples of them make the test surer of itself than its words
    allow. The contexts of a word are taken as given. Where the models read other contexts
    (``same_contexts``), a change may come from the texts as well as from the models. Means over few contexts
    are noisy, which makes an effect size in standard deviations smaller: where one model has fewer contexts,
    one association in both is more often than the level says taken for two, and ``scale="cosine"`` is not
    misled by that.
    """
    check_inputs(design)
    one_of("scale", scale, SCALES)
    one_of("attributes", attributes, ATTRIBUTES)
    if design.y is None:
        raise DesignError(f"the design {design.name!r} has a single target.", hint="give y as well.")
    check_ddof(ddof)
    warn_about_sharing(design)
    shared = shared_words(first, second, design, missing)
    n_x = len(shared.words["x"])
    scaled = [
        _standardised(s, error, design.name, ddof)
        for s, error in zip(shared.scores, shared.errors, strict=True)
    ]
    d = [float(z[:n_x].mean() - z[n_x:].mean()) for z, _ in scaled]
    if scale == "sd":
        changes, error = scaled[0][0] - scaled[1][0], sum(error for _, error in scaled)
    else:
        changes, error = shared.scores[0] - shared.scores[1], sum(shared.errors)
    if min(shared.sizes.values()) < 2:
        attributes = "given"
    exchanged = (changes[:n_x], changes[n_x:])
    if attributes == "drawn":
        exchanged, error = _over_all_words(shared, scale, design.name)
    tested = permutation_test(
        *exchanged,
        alternative=alternative,
        ties=ties,
        method=method,
        seed=seed,
        score_error=error,
        max_work=max_work,
    )
    return CompareResult(
        design=design.name,
        effect_sizes=(d[0], d[1]),
        difference=d[0] - d[1],
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
            "scale": scale,
            "attributes": attributes,
            "alternative": alternative,
            "ties": ties,
            "ddof": ddof,
            "missing": missing,
            "method": method,
            "max_work": recorded_work(max_work),
            "seed": seed,
            **({"unit over contexts": UNIT} if shared.contexts else {}),
        },
        provenance=shared.provenance,
    )


def _over_all_words(shared: SharedWords, scale: str, design: str) -> tuple[tuple[Floats, Floats], float]:
    """Changes of targets that know of the choice of attributes, and the largest rounding error in them."""
    found = jackknife(shared, scale)
    if not found.defined:
        raise EvidenceError(
            f"the associations of the design {design!r} are all but equal in one of the models.",
            hint="check that its vectors differ.",
        )
    units = found.within if scale == "sd" else (1.0, 1.0)
    error = sum(2 * error / unit for error, unit in zip(shared.errors, units, strict=True))
    return tempered_changes(found, scale), error * _ERRORS * shared.scores[0].size


def _standardised(s: Floats, error: float, design: str, ddof: int) -> tuple[Floats, float]:
    """Associations on the scale of the effect size, and the largest rounding error in them."""
    if float(s.max() - s.min()) <= 2 * error:
        raise EvidenceError(
            f"every association of the design {design!r} equals {float(s[0]):.6g} in one of the models.",
            hint="check that its vectors differ.",
        )
    spread = float(s.std(ddof=ddof))
    z = (s - s.mean()) / spread
    return z, error * (2 + float(abs(z).max())) / spread

"""Compare one association in two models, or two decades."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crossroads.errors import DesignError, EvidenceError, one_of
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats, rounding_error
from crossroads.inference.permutation import MAX_WORK, permutation_test
from crossroads.measures.gathering import Gathered, check_inputs, gather, warn_about_sharing
from crossroads.measures.weat import check_ddof, recorded_work, scores_of
from crossroads.results import Coverage, Result
from crossroads.stimuli import Design

SCALES = ("sd", "cosine")


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
    """Association of each target in the first model less that in the second, on the scale asked for."""

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
    first: Embeddings,
    second: Embeddings,
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
) -> CompareResult:
    """Test whether an association differs between two models.

    Each target has an association in either model. The test is about the *changes* of these associations:
    under the null hypothesis that no target changed more for standing in X than in Y, the labels of the
    changes are exchangeable, and permuting them gives the p-value. Words that are unusual in both models
    cancel out: this is what makes the test a paired one.

    Parameters
    ----------
    first, second
        The two models; their dimensions may differ. Stimuli missing from either are missing from both.
    design, alternative, ddof, ties, method, seed, missing, max_work
        As in :func:`~crossroads.measures.weat.weat`.
    scale
        ``"sd"`` divides the associations of each model by their standard deviation, so that changes are
        on the scale of the effect size and models with other spreads of cosines can be compared.
        ``"cosine"`` compares the associations as they are: for models of one kind, such as decades.

    Notes
    -----
    With ``scale="cosine"`` the test is exact, the attributes taken as given. With ``scale="sd"`` it errs on
    the safe side: a strong association in both models leaves their effect sizes little room to differ, so
    that true nulls are rejected less often than the level says, down to never.
    """
    check_inputs(design, first, second)
    one_of("scale", scale, SCALES)
    if design.y is None:
        raise DesignError(f"the design {design.name!r} has a single target.", hint="give y as well.")
    check_ddof(ddof)
    warn_about_sharing(design)
    found = shared_stimuli(first, second, design, missing)
    scaled = [
        _standardised(one, design, ddof, emb.dim) for one, emb in zip(found, (first, second), strict=True)
    ]
    z = [scores for scores, _ in scaled]
    n_x = len(found[0].words["x"])
    d = [float(scores[:n_x].mean() - scores[n_x:].mean()) for scores in z]
    if scale == "sd":
        changes, error = z[0] - z[1], sum(error for _, error in scaled)
    else:
        raw = [np.concatenate(scores_of(one)[:2]) for one in found]
        changes, error = raw[0] - raw[1], rounding_error(first.dim) + rounding_error(second.dim)
    tested = permutation_test(
        changes[:n_x],
        changes[n_x:],
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
        changes=dict(zip((*found[0].words["x"], *found[0].words["y"]), changes.tolist(), strict=True)),
        coverage=found[0].coverage,
        conventions={
            "measure": "compare",
            "scale": scale,
            "alternative": alternative,
            "ties": ties,
            "ddof": ddof,
            "missing": missing,
            "method": method,
            "max_work": recorded_work(max_work),
            "seed": seed,
        },
        provenance=(first.provenance, second.provenance),
    )


def shared_stimuli(
    first: Embeddings, second: Embeddings, design: Design, missing: str
) -> tuple[Gathered, Gathered]:
    """The stimuli that both models have, in the same order."""
    least = {"x": 2, "y": 2, "a": 1, "b": 1}
    if missing == "raise":
        one = gather(first, design.sets, missing=missing, least=least)
        two = gather(second, design.sets, missing=missing, least=least)
        return dataclasses.replace(one, coverage=_respelled(one.coverage, two.coverage)), two
    one = gather(first, design.sets, missing="drop", least=least)
    two = gather(second, one.words, missing=missing, least=least)
    one = gather(first, two.words, missing="drop", least=least)
    dropped = {
        name: {
            word: _reason(word, name, first, two.coverage) for word in words if word not in two.words[name]
        }
        for name, words in design.sets.items()
    }
    coverage = dataclasses.replace(
        _respelled(one.coverage, two.coverage), policy=missing, used=one.words, dropped=dropped
    )
    return Gathered(vectors=one.vectors, words=one.words, coverage=coverage), two


def _respelled(one: Coverage, two: Coverage) -> Coverage:
    """Coverage of the first model, with what was respelled in either."""
    return dataclasses.replace(one, respelled={**two.respelled, **one.respelled})


def _reason(word: str, name: str, first: Embeddings, second: Coverage) -> str:
    if word in second.dropped[name]:
        reason = second.dropped[name][word]
        return reason if reason.startswith("left out") else f"{reason} of the second model"
    return (
        "not in the vocabulary of the first model" if word not in first else "zero vector in the first model"
    )


def _standardised(found: Gathered, design: Design, ddof: int, dim: int) -> tuple[Floats, float]:
    """Associations on the scale of the effect size, and the largest rounding error in them."""
    x, y, _ = scores_of(found)
    s = np.concatenate([x, y])
    if float(s.max() - s.min()) <= 2 * rounding_error(dim):
        raise EvidenceError(
            f"every association of the design {design.name!r} equals {float(s[0]):.6g} in one of the models.",
            hint="check that its vectors differ.",
        )
    spread = float(s.std(ddof=ddof))
    z = (s - s.mean()) / spread
    return z, rounding_error(dim) * (2 + float(np.abs(z).max())) / spread

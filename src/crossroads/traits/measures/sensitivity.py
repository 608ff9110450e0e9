"""SeT, the sensitivity test: how little a model must change to predict a trait (Cao et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, one_of
from crossroads.core.inference.options import number, switch
from crossroads.traits.measures.least_change import changes_from_heads
from crossroads.traits.measures.scores import Adjectives, TraitScores, selected, trait_scores
from crossroads.traits.probe.evidence import Logits

Score = Literal["paper", "code"]
Pieces = Literal["max", "min", "sum"]
Masks = Literal["filled", "empty"]

Floats = NDArray[np.float64]


def set_test(
    logits: Logits,
    *,
    gamma: float = 1.0,
    bias: bool = False,
    score: Score = "paper",
    pieces: Pieces = "max",
    masks: Masks = "filled",
    prior: str | None = None,
    templates: Iterable[str] | None = None,
    adjectives: Adjectives = "pairs",
    floor: float = 1e-3,
) -> TraitScores:
    r"""Measure the sensitivity of a model to traits of groups.

    .. math::
        \operatorname{SeT}(g, t) = -\log \frac{\Delta(A, h_g, t)}{\Delta(A, h_\text{prior}, t)}, \qquad
        \Delta(A, h, t) = \min_{A'} \|A' - A\|_F^2 \;\text{ so that }\;
        (A'h)_t \ge (A'h)_i + \gamma \;\; \forall i \ne t

    Δ is found in closed form; see :func:`~crossroads.set_distance`. A positive score means that a smaller
    change than for the prior is enough.

    Parameters
    ----------
    logits
        Logits of the model.
    gamma
        The margin by which the trait has to lead.
    bias
        Whether the output bias may change too, as in the released code; in the publication only the matrix
        changes.
    score
        ``"paper"``: −log Δ. ``"code"``: log(1 − √Δ), which has no value once √Δ reaches 1.
    pieces
        How the scores of the pieces of an adjective become one: ``"max"`` (the publication), ``"min"`` (the
        released code) or ``"sum"`` (later work). They are combined before the prior is subtracted.
    masks
        ``"filled"``: a piece is asked for with the earlier ones filled in, as in the released code; the
        publication does not specify this. ``"empty"``: with all masks of the adjective empty; masked models
        only.
    prior, templates, adjectives
        As in :func:`~crossroads.ilps`.
    floor
        Gaps between logits below this are not distinguished: Σc² below floor²/2, the cost of closing such a
        gap, counts as floor²/2. So Δ = 0, for a trait that leads already, gives the highest possible score,
        and the order of all others is kept. Used by ``score="paper"`` only.

    Notes
    -----
    *Departures:* the publication prints log(Δ_g/Δ_prior) and says that the negative distance is meant; this
    is the negative. It does not define the score at Δ = 0, where its formula is infinite: ``floor`` does, and
    ``floored`` lists the cells. With ``score="code"`` a cell whose √Δ reaches 1 is undefined and listed in
    ``undefined``, and so is every mean that it enters; a piece without a value is never the largest. The
    inequality is weak. Causal models are scored on the adjective as the next tokens.

    References
    ----------
    Cao, Y. T., et al. (2022). doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> full = np.log([[0.2, 0.5, 0.3], [0.4, 0.3, 0.3]])  # of "women" and a mask: cold, warm, another token
    >>> logits = cr.Logits.from_arrays(
    ...     groups=["women"],
    ...     priors=["mask"],
    ...     templates=["{capitalised} are {trait}."],
    ...     traits=[("cold", "warm")],
    ...     logit=full[:, None, :2, None],
    ...     slot=np.arange(2)[:, None, None, None].repeat(2, axis=2),
    ...     head=-np.sort(-full, axis=1),
    ...     log_sum_exp=[0.0, 0.0],
    ...     hidden_sq_norm=[9.0, 9.0],
    ...     vocabulary=3,
    ... )
    >>> result = cr.set_test(logits)
    >>> {trait: round(score, 2) for trait, score in result.row("women").items()}
    {'cold-warm': 3.79}
    """
    for kind, name, known in (("score", score, Score), ("pieces", pieces, Pieces), ("masks", masks, Masks)):
        one_of(kind, name, known)
    number("gamma", gamma, least=0.0, hint="give a margin of at least 0.")
    number("floor", floor, above=0.0, hint="give a small positive gap between logits.")
    switch("bias", bias)
    chosen = selected(logits, templates)
    squared, slots = _squared_changes(chosen, gamma, masks)
    norms = chosen.hidden_sq_norm[slots] + bool(bias)
    low = squared < floor * floor / 2
    if score == "paper":
        each = np.log(norms) - np.log(np.maximum(squared, floor * floor / 2))
    else:
        norm = np.sqrt(squared / norms)
        with np.errstate(invalid="ignore"):
            each = np.log1p(np.where(norm < 1, -norm, np.nan))
    return trait_scores(
        chosen,
        _combined(each, slots >= 0, pieces),
        measure="set",
        prior=prior,
        adjectives=adjectives,
        conventions={
            "gamma": float(gamma),
            "bias": bool(bias),
            "score": score,
            "pieces": pieces,
            "masks": masks,
            **({"floor": float(floor)} if score == "paper" else {}),
        },
        floored=np.asarray(low.any(axis=-1)) if score == "paper" else None,
    )


def _squared_changes(logits: Logits, gamma: float, masks: str) -> tuple[Floats, NDArray[np.int64]]:
    """Σc² of every piece, NaN where there is none, and the slots."""
    values, slots = logits.cells(filled=masks == "filled")
    there = slots >= 0
    found = changes_from_heads(
        logits.heads,
        logits.head_edges,
        values[there],
        slots[there],
        gamma=gamma,
        vocabulary=logits.vocabulary,
    )
    if not found.certain.all():
        uncertain = np.zeros(there.shape, dtype=bool)
        uncertain[there] = ~found.certain
        row, template, adjective, piece = np.argwhere(uncertain)[0].tolist()
        kept = logits.head(int(slots[row, template, adjective, piece])).size
        raise EvidenceError(
            f"the {kept} largest logits that were kept do not determine {logits.adjectives[adjective]!r} in "
            f"{logits.templates[template]!r} with {logits.rows[row]!r}: smaller ones may have to move too "
            f"({int((~found.certain).sum())} such pieces).",
            hint=f"probe again and keep more than {kept} logits, or use a smaller gamma than {gamma:g}.",
        )
    squared = np.full(there.shape, np.nan)
    squared[there] = found.squared
    return squared, slots


def _combined(each: Floats, there: NDArray[np.bool_], pieces: str) -> Floats:
    """One score for all pieces of an adjective; pieces that do not exist do not count."""
    if pieces == "sum":
        return np.asarray(np.where(there, each, 0.0).sum(axis=-1))
    if pieces == "min":
        return np.asarray(np.where(there, each, np.inf).min(axis=-1))
    best = np.where(there & ~np.isnan(each), each, -np.inf).max(axis=-1)
    return np.asarray(np.where(np.isinf(best), np.nan, best))

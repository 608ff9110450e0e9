r"""SeT, the sensitivity test: the least change of a model that predicts a trait (Cao et al. 2022).

The least change of an output matrix that puts a token on top has a closed form; docs/concepts/language-models
derives that

.. math::
    \Delta\,\|h\|^2 = \min_\tau\; (\tau - l_t)^2 + \sum_{i \ne t} \max(0,\; l_i + \gamma - \tau)^2 .

The competitors that move are the largest ones. With d_i = l_1 − l_i ≥ 0 and m of them moving, u = l_1 + γ − τ
is (γ + (l_1 − l_t) + d_1 + … + d_m) / (m + 1), competitor j moves if and only if u > d_j, and the cost is
(Σ(u − d_i))² + Σ(u − d_i)². Distances from the largest competitor lose no digits, however large logits are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.core.errors import EvidenceError, InputError, in_short, one_of
from crossroads.core.inference.options import number, switch
from crossroads.core.inference.permutation.compiled import kernels
from crossroads.core.inference.permutation.scores import Floats, as_numbers
from crossroads.traits.measures.scores import Adjectives, TraitScores, selected, trait_scores
from crossroads.traits.probe.evidence import Logits

Score = Literal["paper", "code"]
Pieces = Literal["max", "min", "sum"]
Masks = Literal["filled", "empty"]


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

    Δ is found in closed form; see :func:`~crossroads.stats.set_distance`. A positive score means that a
    smaller change than for the prior is enough.

    Parameters
    ----------
    logits
        Logits of the model.
    gamma, bias
        The margin by which the trait has to lead, and whether the output bias may change too, as in the
        released code; in the publication only the matrix changes.
    score
        ``"paper"``: −log Δ. ``"code"``: log(1 − √Δ), which has no value once √Δ reaches 1.
    pieces
        How the scores of the pieces of an adjective become one: ``"max"`` (the publication), ``"min"`` (the
        released code) or ``"sum"`` (later work). They are combined before the prior is subtracted.
    masks
        ``"filled"``: a piece is asked for with the earlier ones filled in, as in the released code.
        ``"empty"``: with all masks of the adjective empty; masked models only.
    prior, templates, adjectives
        As in :func:`~crossroads.ilps`.
    floor
        Gaps between logits below this are not distinguished: Σc² below floor²/2, the cost of closing such a
        gap, counts as floor²/2. Used by ``score="paper"`` only.

    Notes
    -----
    *Departures:* the publication prints log(Δ_g/Δ_prior) and says that the negative distance is meant; this
    is the negative. It does not define the score at Δ = 0, where its formula is infinite: ``floor`` does, and
    ``floored`` lists the cells. With ``score="code"`` a cell whose √Δ reaches 1 is listed in ``undefined``,
    and so is every mean that it enters. The inequality is weak. Causal models are asked for the next tokens.

    References
    ----------
    Cao, Y. T., et al. (2022). doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    ``folder`` holds a masked model:

    >>> import crossroads as cr
    >>> logits = cr.probe(folder, groups=["woman"], traits=[("cold", "warm")], templates=["singular"])
    >>> cr.set_test(logits).measure, list(cr.set_test(logits).row("woman"))
    ('set', ['cold-warm'])
    """
    one_of("score", score, Score)
    one_of("pieces", pieces, Pieces)
    one_of("masks", masks, Masks)
    number("gamma", gamma, least=0.0, hint="give a margin of at least 0.")
    number("floor", floor, above=0.0, hint="give a small positive gap between logits.")
    switch("bias", bias)
    chosen = selected(logits, templates)
    values, slots = chosen.cells(filled=masks == "filled")
    there = slots >= 0
    found = changes_from_heads(
        chosen.heads,
        chosen.head_edges,
        values[there],
        slots[there],
        gamma=gamma,
        vocabulary=chosen.vocabulary,
    )
    if not found.certain.all():
        uncertain = np.zeros(there.shape, dtype=bool)
        uncertain[there] = ~found.certain
        row, template, adjective, piece = np.argwhere(uncertain)[0].tolist()
        kept = chosen.head(int(slots[row, template, adjective, piece])).size
        raise EvidenceError(
            f"the {kept} largest logits that were kept do not determine {chosen.adjectives[adjective]!r} in "
            f"{chosen.templates[template]!r} with {chosen.rows[row]!r}: smaller ones may have to move too "
            f"({int(uncertain.sum())} such pieces).",
            hint=f"probe again and keep more than {kept} logits, or use a smaller gamma than {gamma:g}.",
        )
    squared = np.full(there.shape, np.nan)  # Σc² of every piece
    squared[there] = found.squared
    norms = chosen.hidden_sq_norm[slots] + bool(bias)
    least = floor * floor / 2
    if score == "paper":
        each = np.log(norms) - np.log(np.maximum(squared, least))
    else:
        norm = np.sqrt(squared / norms)
        with np.errstate(invalid="ignore"):
            each = np.log1p(np.where(norm < 1, -norm, np.nan))
    return trait_scores(
        chosen,
        _combined(each, there, pieces),
        measure="set",
        prior=prior,
        adjectives=adjectives,
        conventions={"gamma": float(gamma), "bias": bool(bias), "score": score, "pieces": pieces}
        | {"masks": masks, **({"floor": float(floor)} if score == "paper" else {})},
        floored=np.asarray((squared < least).any(axis=-1)) if score == "paper" else None,
    )


_FIRST_DEPTH = 2.0
"""Depth of the first search below the largest logit, in margins or logits, whichever is more."""
_DEEPER = 1.5
_LEAST_DEEPER = 1.01
"""Largest and smallest factor by which further searches are deeper."""


def _combined(each: Floats, there: NDArray[np.bool_], pieces: str) -> Floats:
    """One score for all pieces of an adjective; pieces that do not exist do not count."""
    if pieces == "sum":
        return np.asarray(np.where(there, each, 0.0).sum(axis=-1))
    if pieces == "min":
        return np.asarray(np.where(there, each, np.inf).min(axis=-1))
    best = np.where(there & ~np.isnan(each), each, -np.inf).max(axis=-1)
    return np.asarray(np.where(np.isinf(best), np.nan, best))


class HeadChanges(NamedTuple):
    """Least changes found from the largest logits alone."""

    squared: Floats
    """Σ c² of each target: Δ times the squared length of the hidden vector."""
    certain: NDArray[np.bool_]
    """Whether no logit outside the head can move."""


def set_distance(
    logits: ArrayLike,
    hidden_sq_norm: ArrayLike,
    target: ArrayLike,
    *,
    gamma: float = 1.0,
    bias: bool = False,
) -> Any:
    """Compute the squared Frobenius norm of the least change that puts a token on top by a margin.

    Parameters
    ----------
    logits
        Logits over the vocabulary; leading dimensions are contexts. ``-inf`` for tokens that are excluded.
    hidden_sq_norm
        ‖h‖² of each context, or one number for all.
    target
        The token, or several; each is evaluated in every context.
    gamma, bias
        The margin, at least 0; and whether the output bias may change too, which divides by ‖h‖² + 1.

    Returns
    -------
    float or array
        Δ, with the dimensions of the contexts and then of the targets; exactly 0 where the target is on
        top by the margin already.

    Notes
    -----
    *Departures:* the publication iterates; this is the exact solution, with a weak inequality.

    Examples
    --------
    >>> set_distance([3.0, 1.0, 0.0], 2.0, 1)  # half the gap of 2 + 1 each: 2 · 1.5² / 2
    2.25
    >>> set_distance([3.0, 1.0, 0.0], 2.0, [0, 1, 2]).tolist()
    [0.0, 2.25, 4.0]
    """
    switch("bias", bias)
    rows, tops, norms, targets = _checked(logits, hidden_sq_norm, target, gamma)
    contexts, single = np.shape(logits)[:-1], np.ndim(target) == 0
    compiled = kernels()
    if compiled is None:
        squared = np.empty((len(rows), targets.size))
        for row, found in zip(rows, squared, strict=True):
            found[:] = least_changes(row, row[targets].astype(np.float64), gamma)
    else:
        squared = compiled.least_changes(rows, tops, targets, float(gamma))
    changes = squared / (norms + bool(bias))[:, None]
    shaped = changes.reshape(contexts if single else (*contexts, targets.size))
    return float(shaped) if shaped.ndim == 0 else shaped


def least_changes(logits: NDArray[Any], target_logits: Floats, gamma: float) -> Floats:
    """Σ c² for several targets of one context."""
    top = float(logits.max())
    least = float(target_logits.min())
    # One competitor alone would lift the target half-way: no logit further down can move.
    floor = top - gamma if least == top else (least + top - gamma) / 2
    depth = max(_FIRST_DEPTH, _FIRST_DEPTH * gamma)
    while True:
        edge = max(floor, top - depth)
        # rounded down, since logits in single precision are compared in it
        head = logits[logits >= np.nextafter(logits.dtype.type(edge), -np.inf)].astype(np.float64)
        head[::-1].sort()
        squared, lift = _solve(head, target_logits, gamma)
        # logits that move are above τ − γ, and leaving competitors out can only lower τ
        if edge == floor or lift.min() - gamma >= edge:
            return squared
        # a reach from few competitors is far too long; rounding errors must not stop the search
        reach = top - (float(lift.min()) - gamma)
        depth = max(min(reach, _DEEPER * depth), _LEAST_DEEPER * depth)


def changes_from_head(
    head: ArrayLike, target_logits: ArrayLike, *, gamma: float = 1.0, vocabulary: int | None = None
) -> HeadChanges:
    """Compute Σ c² from the largest logits of a context in descending order, and whether they suffice."""
    ordered = np.asarray(head, dtype=np.float64)
    wanted = np.asarray(target_logits, dtype=np.float64)
    squared, lift = _solve(ordered, wanted, gamma)
    certain = ordered[-1] + gamma <= lift
    if vocabulary is not None and ordered.size >= vocabulary:
        certain = np.ones_like(certain)
    return HeadChanges(squared=squared, certain=certain)


def changes_from_heads(
    heads: NDArray[Any],
    edges: NDArray[np.int64],
    target_logits: NDArray[Any],
    contexts: NDArray[np.int64],
    *,
    gamma: float = 1.0,
    vocabulary: int,
) -> HeadChanges:
    """Compute :func:`changes_from_head` for many contexts; ``edges`` say where the head of each begins."""
    order = np.argsort(contexts, kind="stable")
    cuts = np.searchsorted(contexts[order], np.arange(edges.size))
    wanted = np.asarray(target_logits, dtype=np.float64)[order]
    squared, certain = np.zeros(wanted.size), np.zeros(wanted.size, dtype=np.bool_)
    compiled = kernels()
    if compiled is not None:
        compiled.changes_from_heads(
            heads, edges, wanted, cuts, float(gamma), int(vocabulary), squared, certain
        )
    else:
        for number in np.flatnonzero(np.diff(cuts)):
            part = slice(cuts[number], cuts[number + 1])
            head = heads[edges[number] : edges[number + 1]]
            found = changes_from_head(head, wanted[part], gamma=gamma, vocabulary=vocabulary)
            squared[part], certain[part] = found.squared, found.certain
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return HeadChanges(squared=squared[back], certain=certain[back])


def _solve(head: Floats, targets: Floats, gamma: float) -> tuple[Floats, Floats]:
    """Σ c² and the new logit of each target, considering the head only.

    Competitor j above the target moves if γ + (l_1 − l_t) + Σ_{i<j} d_i > j·d_j: the sum does not depend on
    the target, so one search is enough for all of them. Below it the target itself is among the first j, and
    the condition is γ + Σ_{i<j} d_i > (j − 1)·d_j.
    """
    below = head[0] - head
    sums = np.concatenate([[0.0], np.cumsum(below)])
    squares = np.concatenate([[0.0], np.cumsum(below * below)])
    place = np.arange(head.size)
    need = (place + 1) * below - sums[:-1]  # non-decreasing in j, as is the next
    above = np.searchsorted(need, gamma + (head[0] - targets), side="left")
    past = int(np.searchsorted(need - below, gamma, side="left"))
    gap = head[0] - targets
    ahead = np.searchsorted(below, gap, side="left")  # number of logits larger than the target
    inside = (targets >= head[-1]) & (above >= ahead)
    movers = np.where(inside, np.maximum(ahead, past - 1), above)
    own = inside & (movers > ahead)  # the first movers + 1 include the target itself
    ends = movers + own
    first = sums[ends] - np.where(own, gap, 0.0)
    second = squares[ends] - np.where(own, gap * gap, 0.0)
    lead = (gamma + gap + first) / (movers + 1)
    squared = (movers * lead - first) ** 2 + movers * lead * lead - 2 * lead * first + second
    squared = np.where(movers == 0, 0.0, squared)
    lift = head[0] + gamma - lead
    for i in np.flatnonzero(gap <= 0):
        squared[i], lift[i] = _solve_leader(head, targets[i], gamma)
    return squared, lift


def _solve_leader(head: Floats, target: float, gamma: float) -> tuple[float, float]:
    """The same for the largest logit, whose distances are from the second."""
    rest = head[1:]
    if not rest.size or rest[0] + gamma <= target:
        return 0.0, float(target)
    below = rest[0] - rest
    gap = gamma - (target - rest[0])
    sums = np.concatenate([[0.0], np.cumsum(below)])
    need = np.arange(1, rest.size + 1) * below - sums[:-1]
    movers = int(np.searchsorted(need, gap, side="left"))
    lead = (gap + sums[movers]) / (movers + 1)
    moved = lead - below[:movers]
    return float(moved.sum() ** 2 + (moved * moved).sum()), float(rest[0] + gamma - lead)


def _checked(
    logits: ArrayLike, hidden_sq_norm: ArrayLike, target: ArrayLike, gamma: float
) -> tuple[NDArray[Any], NDArray[Any], Floats, NDArray[np.int64]]:
    """Contexts as rows, the largest logit and the squared length of each, and the targets."""
    array = np.asarray(logits)
    if array.dtype.kind not in "fiu" or array.ndim < 1 or array.shape[-1] == 0:
        raise InputError(
            f"logits are of shape {array.shape} and type {array.dtype}.",
            hint="give one number per token of the vocabulary, with contexts as leading dimensions.",
        )
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    number("gamma", gamma, least=0.0, hint="give a margin of at least 0.")
    tokens = np.atleast_1d(np.asarray(target))
    if tokens.ndim != 1 or tokens.dtype.kind not in "iu" or tokens.size == 0:
        raise InputError(f"target is {in_short(target)}.", hint="give the position of a token, or several.")
    outside = tokens[(tokens < 0) | (tokens >= array.shape[-1])]
    if outside.size:
        raise InputError(
            f"target {int(outside[0])} is not in the vocabulary.",
            hint=f"positions run from 0 to {array.shape[-1] - 1}.",
        )
    rows = np.ascontiguousarray(array.reshape(-1, array.shape[-1]))
    norms = as_numbers("hidden_sq_norm", hidden_sq_norm)
    if norms.shape not in ((), array.shape[:-1]):
        raise InputError(
            f"hidden_sq_norm is of shape {norms.shape}, the contexts of shape {array.shape[:-1]}.",
            hint="give one number, or one per context.",
        )
    if not (np.isfinite(norms).all() and (norms > 0).all()):
        raise EvidenceError("a squared norm of a hidden vector is not positive.", hint="give ‖h‖², not ‖h‖.")
    tops = rows.max(axis=1)  # finite unless a logit is NaN or infinite
    if not (np.isfinite(tops).all() and np.isfinite(rows[:, tokens]).all()):
        raise EvidenceError(
            "logits contain nan or infinity.", hint="only tokens that are not targets may be -inf."
        )
    return rows, tops, np.broadcast_to(norms, array.shape[:-1]).ravel(), tokens.astype(np.int64)

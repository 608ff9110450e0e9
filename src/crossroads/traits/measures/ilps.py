"""ILPS and ILPS*: how much a group raises the log-probability of a trait (Cao et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from crossroads.core.errors import InputError, in_short
from crossroads.core.inference.options import switch
from crossroads.traits.measures.scores import Adjectives, TraitScores, selected, trait_scores
from crossroads.traits.probe.evidence import Logits, Restriction

Renormalise = bool | Literal["code", "piece"]
_RESTRICTIONS: dict[bool | str, Restriction]
_RESTRICTIONS = {False: "none", True: "position", "piece": "piece", "code": "code"}


def ilps(
    logits: Logits,
    *,
    star: bool = False,
    renormalise: Renormalise = False,
    prior: str | None = None,
    templates: Iterable[str] | None = None,
    adjectives: Adjectives = "pairs",
) -> TraitScores:
    r"""Increased log-probability score of each adjective: of its first piece, or with ``star`` of all of it.

    .. math::
        \operatorname{ILPS}(g, t) = \log p(t_1 \mid g) - \log p(t_1 \mid \text{prior}), \qquad
        \log p(t \mid g) = \sum_j \log p(t_j \mid g, t_1, \dots, t_{j-1}) \text{ in ILPS*}

    A masked model sees as many masks as the adjective has pieces. Scores of the left adjective are subtracted
    from those of the right one, and the differences averaged over the templates.

    Parameters
    ----------
    logits
        Logits of the model.
    star
        ILPS*: whole adjectives, by the chain rule over their pieces.
    renormalise
        ILPS* only. False, the formula as published: each piece among all tokens. True: the first piece among
        tokens that begin a word, later ones among those that continue one, special tokens left out.
        ``"code"``, the released code: the same, with special tokens classified by their marker.
        ``"piece"``: each piece among the tokens of its own kind.
    prior
        ``"mask"``, the publication's, with a mask in the place of the group; ``"noun"``, that of the
        released code, with person, people or People; or another row that was probed. The default is
        ``"mask"`` for masked models and ``"noun"`` for causal ones, which have no mask.
    templates
        The templates to average; all that were probed if left out.
    adjectives
        ``"pairs"``, the adjectives alone, as published; ``"synonyms"``, the mean of each with its synonyms;
        ``"synonyms-median"``, their median, as in the released code.

    Notes
    -----
    *Departures:* causal models are scored on the next tokens, which the publication does not do. The first
    piece alone gives the same score to adjectives that begin alike, such as *un-*.

    The released code of ILPS* renormalises, which the publication does not mention. It classifies tokens by
    their marker alone, so that ``<s>``, ``<mask>`` and the like count as continuations in RoBERTa (``Ġ``
    marks beginnings), and ``[CLS]``, ``[MASK]`` and the like as beginnings in BERT (``##`` marks
    continuations). Where a later piece begins a word (*low status*), it divides by the mass of tokens to
    which the piece does not belong, so that the quotient is not a probability and can exceed 1. This also
    holds for True; ``renormalise="piece"`` fixes it.

    References
    ----------
    Kurita, K., et al. (2019). doi:10.18653/v1/W19-3823;
    Cao, Y. T., et al. (2022). doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    ``folder`` holds a masked model:

    >>> import crossroads as cr
    >>> logits = cr.probe(folder, groups=["woman"], traits=[("cold", "warm")], templates=["singular"])
    >>> cr.ilps(logits).measure, list(cr.ilps(logits, star=True).row("woman"))
    ('ilps', ['cold-warm'])
    """
    given: Any = renormalise
    if not isinstance(given, bool | str) or given not in _RESTRICTIONS:
        raise InputError(
            f"renormalise is {in_short(renormalise)}.", hint="use False, True, 'code' or 'piece'."
        )
    if not switch("star", star) and renormalise:
        raise InputError("renormalise is an option of ILPS*.", hint="add star=True, or leave it out.")
    chosen = selected(logits, templates)
    if star:
        each = chosen.log_probabilities(filled=True, restricted=_RESTRICTIONS[renormalise])
        values, pieces = np.nansum(each, axis=-1), {"pieces": "chain rule, left to right"}
    else:
        values = chosen.log_probabilities(filled=chosen.kind == "causal")[..., 0]
        pieces = {"pieces": "first", "masks": "as many as pieces"}
    return trait_scores(
        chosen,
        values,
        measure="ilps*" if star else "ilps",
        prior=prior,
        adjectives=adjectives,
        conventions=pieces | {"renormalise": renormalise},
    )


def ilps_star(
    logits: Logits,
    *,
    renormalise: Renormalise = False,
    prior: str | None = None,
    templates: Iterable[str] | None = None,
    adjectives: Adjectives = "pairs",
) -> TraitScores:
    """ILPS*: the same as :func:`ilps` with ``star=True``.

    Examples
    --------
    >>> import crossroads as cr
    >>> logits = cr.probe(folder, groups=["woman"], traits=[("cold", "warm")], templates=["singular"])
    >>> cr.traits.ilps_star(logits) == cr.ilps(logits, star=True)
    True
    """
    return ilps(
        logits, star=True, renormalise=renormalise, prior=prior, templates=templates, adjectives=adjectives
    )

"""ILPS and ILPS*: how much a group raises the log-probability of a trait (Cao et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from crossroads.errors import InputError, in_short
from crossroads.evidence.logits import Logits
from crossroads.measures.trait_cells import selected, trait_scores
from crossroads.measures.trait_scores import TraitScores

_RESTRICTIONS: dict[bool | str, str] = {False: "none", True: "position", "piece": "piece", "code": "code"}


def ilps(
    logits: Logits,
    *,
    prior: str | None = None,
    templates: Iterable[str] | None = None,
    adjectives: str = "pairs",
) -> TraitScores:
    r"""Increased log-probability score of the first piece of each adjective.

    .. math:: \operatorname{ILPS}(g, t) = \log p(t_1 \mid g) - \log p(t_1 \mid \text{prior})

    A masked model sees as many masks as the adjective has pieces. Scores of the left adjective are taken
    from those of the right one and averaged over the templates.

    Parameters
    ----------
    logits
        What the model gave.
    prior
        ``"mask"``, the publication's, with a mask in the place of the group; ``"noun"``, that of the
        released code, with person, people or People; or another row that was probed. Left out: ``"mask"``
        for masked models and ``"noun"`` for causal ones, which have no mask.
    templates
        The templates to average; all that were probed if left out.
    adjectives
        ``"pairs"``, the adjectives alone, as published; ``"synonyms"``, the mean of each with its synonyms;
        ``"synonyms-median"``, their median, as the released code has it.

    Notes
    -----
    *Departures:* causal models are scored on the first piece as the next token, which the publication does
    not do. The first piece alone gives the same score to adjectives that begin alike, such as *un-*.

    References
    ----------
    Kurita, K., et al. (2019). doi:10.18653/v1/W19-3823;
    Cao, Y. T., et al. (2022). doi:10.18653/v1/2022.naacl-main.92
    """
    chosen = selected(logits, templates)
    values = chosen.log_probabilities(filled=chosen.kind == "causal")[..., 0]
    conventions = {"pieces": "first", "masks": "as many as pieces", "renormalise": False}
    return trait_scores(
        chosen, values, measure="ilps", prior=prior, adjectives=adjectives, conventions=conventions
    )


def ilps_star(
    logits: Logits,
    *,
    prior: str | None = None,
    renormalise: bool | str = False,
    templates: Iterable[str] | None = None,
    adjectives: str = "pairs",
) -> TraitScores:
    r"""Increased log-probability score of whole adjectives, by the chain rule over their pieces.

    .. math:: \log p(t \mid g) = \sum_j \log p(t_j \mid g, t_1, \dots, t_{j-1})

    Parameters
    ----------
    logits, prior, templates, adjectives
        As in :func:`ilps`.
    renormalise
        False, the formula as published: each piece among all tokens. True: the first piece among tokens
        that begin a word, later ones among those that continue one, special tokens left out. ``"code"``,
        the released code: the same, with special tokens where their sign puts them. ``"piece"``: each piece
        among the tokens of its own kind.

    Notes
    -----
    *Departures:* the released code renormalises, which the publication does not mention. It sorts tokens by
    their sign alone, so that ``<s>``, ``<mask>`` and the like count as continuations in RoBERTa (``Ġ`` marks
    beginnings), and ``[CLS]``, ``[MASK]`` and the like as beginnings in BERT (``##`` marks continuations):
    ``renormalise="code"``. Where a later piece begins a word (*low status*, and *science-oriented* in many
    vocabularies), it divides by the mass of tokens to which the piece does not belong, so that the quotient
    is no probability and can exceed 1; True does so too, and ``renormalise="piece"`` mends that.

    References
    ----------
    Cao, Y. T., et al. (2022). doi:10.18653/v1/2022.naacl-main.92
    """
    given: Any = renormalise
    if not isinstance(given, bool | str) or given not in _RESTRICTIONS:
        raise InputError(
            f"renormalise is {in_short(renormalise)}.", hint="use False, True, 'code' or 'piece'."
        )
    chosen = selected(logits, templates)
    each = chosen.log_probabilities(filled=True, restricted=_RESTRICTIONS[renormalise])
    conventions = {"pieces": "chain rule, left to right", "renormalise": renormalise}
    return trait_scores(
        chosen,
        np.nansum(each, axis=-1),
        measure="ilps*",
        prior=prior,
        adjectives=adjectives,
        conventions=conventions,
    )

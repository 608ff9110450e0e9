"""Choosing templates on a pilot set of groups, as Cao et al. (2022) do before they measure the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import EvidenceError, InputError, UnknownNameError
from crossroads.evidence.logit_arrays import positions
from crossroads.inference.agreement import kendall
from crossroads.inference.options import whole
from crossroads.measures.trait_scores import TraitScores
from crossroads.results import Result, read_only

_MOST_SETS = 100_000


@dataclass(frozen=True, kw_only=True, eq=False)
class TemplateChoice(Result):
    """The templates whose scores agree best with a pilot set."""

    measure: str
    """What measured the scores."""
    templates: tuple[str, ...]
    """The templates chosen, in the order in which they were measured."""
    kendall_tau: float
    """Kendall's τ-b of their mean scores with the pilot set, all groups and traits together."""
    groups: tuple[str, ...]
    """The groups of the pilot set; leave them out of what is reported afterwards."""
    candidates: tuple[str, ...]
    """Every template that could have been chosen."""
    single_tau: NDArray[np.float64]
    """τ-b of each candidate alone."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a candidate."""
        return [
            {"template": template, "kendall_tau": float(tau), "chosen": template in self.templates}
            for template, tau in zip(self.candidates, self.single_tau, strict=True)
        ]


def choose_templates(
    by_template: TraitScores,
    target: Mapping[str, Mapping[str, float]],
    *,
    groups: Iterable[str] | None = None,
    most: int = 2,
) -> TemplateChoice:
    """Choose at most two templates that agree best with a pilot set.

    Every set of up to ``most`` templates is tried. A larger set is chosen only if its τ is higher than that
    of every smaller one; among equals the first in the order of the templates is.

    Parameters
    ----------
    by_template
        Scores with several templates.
    target
        What the scores should agree with: group to trait to score.
    groups
        The pilot groups; all groups of ``target`` if left out.
    most
        How many templates may be chosen.

    Notes
    -----
    *Departures:* none known; the publication does not say how ties are broken. Templates that were chosen to
    agree with people on some groups flatter the agreement on these groups.

    References
    ----------
    Cao, Y. T., et al. (2022), section 5.1 and Table 5. doi:10.18653/v1/2022.naacl-main.92
    """
    scores = by_template.by_template()
    pilot = tuple(target if groups is None else dict.fromkeys(groups))
    rows = positions("group", pilot, by_template.groups)
    wanted = _pilot_scores(target, pilot, by_template.traits)
    whole("most", most, least=1, hint="choose at least one template.")
    n = len(by_template.templates)
    if sum(comb(n, size) for size in range(1, most + 1)) > _MOST_SETS:
        raise InputError(f"there are too many sets of {most} of {n} templates.", hint="use most=2.")
    best: tuple[int, ...] = ()
    best_tau = -np.inf
    single = np.empty(n)
    for size in range(1, min(most, n) + 1):
        for chosen in combinations(range(n), size):
            tau, _ = kendall(scores[list(chosen)][:, rows].mean(axis=0).ravel(), wanted.ravel())
            if size == 1:
                single[chosen[0]] = tau
            if tau > best_tau + 1e-12:
                best, best_tau = chosen, tau
    if not np.isfinite(single).all():
        bad = by_template.templates[int(np.argmin(np.isfinite(single)))]
        raise EvidenceError(
            f"the scores of {bad!r} or of the pilot set are all equal or undefined.",
            hint="leave out such templates, or widen the pilot set.",
        )
    return TemplateChoice(
        measure=by_template.measure,
        templates=tuple(by_template.templates[i] for i in best),
        kendall_tau=float(best_tau),
        groups=pilot,
        candidates=by_template.templates,
        single_tau=read_only(single),
        conventions={"measure": "template choice", "of": by_template.measure, "most": most},
        provenance=by_template.provenance,
    )


def _pilot_scores(
    target: Mapping[str, Mapping[str, float]], groups: tuple[str, ...], traits: tuple[str, ...]
) -> NDArray[np.float64]:
    table = []
    for group in groups:
        if group not in target:
            raise UnknownNameError("group of the pilot set", group, target)
        for trait in traits:
            if trait not in target[group]:
                raise UnknownNameError(f"trait of the pilot group {group!r}:", trait, target[group])
        table.append([float(target[group][trait]) for trait in traits])
    found = np.array(table)
    if not np.isfinite(found).all():
        raise InputError("the pilot set holds nan or infinite scores.", hint="leave out such groups.")
    return found

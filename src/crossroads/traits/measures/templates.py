"""Choosing templates on a pilot set of groups, as Cao et al. (2022) do before they measure the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, InputError, UnknownNameError
from crossroads.core.inference.options import whole
from crossroads.core.results import Result, Row, Stat, read_only, stat
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import counted, number
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.people.agreement import kendall, kendall_many
from crossroads.traits.probe.evidence import positions

_MOST_SETS = 100_000


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TemplateChoice(Result):
    """The templates whose scores agree best with a pilot set."""

    _cites: ClassVar[tuple[str, ...]] = ("cao2022theory",)
    _table_name: ClassVar[str] = "templates"
    _table_title: ClassVar[str] = "Templates chosen on a pilot set"
    _file_names: ClassVar[str] = "template kendall_tau chosen"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("measure", several=True),
        stat("template"),
        stat("kendall_tau", "τ alone", "Kendall's τ-b of its scores with the pilot set"),
        stat("chosen"),
    )

    measure: str
    """The measure of the scores."""
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
    cross_validated_tau: float | None
    """Mean over pilot groups of τ-b on one group, with templates chosen on all the others; None with one
    pilot group, or where a group has no order. Unlike ``kendall_tau``, the choice cannot raise it."""

    @property
    def _label(self) -> str:
        """The measure whose templates were chosen."""
        return f"{phrases.measure(self.measure)} templates"

    def _members(self) -> Iterator[Row]:
        """One row per candidate."""
        measure = phrases.measure(self.measure)
        for template, tau in zip(self.candidates, self.single_tau.tolist(), strict=True):
            chosen = template in self.templates
            yield {"measure": measure, "template": template, "kendall_tau": tau, "chosen": chosen}

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        for one in results.values():
            tau = one.cross_validated_tau
            yield (
                f"{phrases.measure(one.measure)}: the mean scores of "
                f"{counted(len(one.templates), 'chosen template')} have τ = {number(one.kendall_tau)} with "
                f"{counted(len(one.groups), 'pilot group')}, which should be left out of what is reported; "
                f"cross-validated: {'–' if tau is None else f'τ = {number(tau)}'}."
            )


def choose_templates(
    by_template: TraitScores,
    target: Mapping[str, Mapping[str, float]],
    *,
    groups: Iterable[str] | None = None,
    most: int = 2,
) -> TemplateChoice:
    """Choose at most two templates that agree best with a pilot set.

    Every set of up to ``most`` templates is tried. A larger set is chosen only if its τ is higher than that
    of every smaller one; ties go to the first in the order of the templates.

    Parameters
    ----------
    by_template
        Scores with several templates.
    target
        What the scores should agree with: group to trait to score.
    groups
        The pilot groups; all groups of ``target`` if left out.
    most
        Largest number of templates to choose.

    Notes
    -----
    *Departures:* none known; the publication does not say how ties are broken. Templates that were chosen to
    agree with people on some groups overstate the agreement on these groups: report ``cross_validated_tau``.

    References
    ----------
    Cao, Y. T., et al. (2022), section 5.1 and Table 5. doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> people = {
    ...     "nurses": {"cold-warm": 90.0, "poor-wealthy": 45.0},
    ...     "bankers": {"cold-warm": 20.0, "poor-wealthy": 95.0},
    ... }
    >>> scores = np.array([[[0, 9, 5, 0], [9, 0, 0, 9]], [[9, 0, 0, 5], [0, 9, 9, 0]]], dtype=float)
    >>> by_template = cr.traits.TraitScores(
    ...     measure="ilps",
    ...     groups=("nurses", "bankers"),
    ...     traits=("cold-warm", "poor-wealthy"),
    ...     pairs=(("cold", "warm"), ("poor", "wealthy")),
    ...     adjectives=("cold", "warm", "poor", "wealthy"),
    ...     scores=scores.mean(axis=0)[:, 1::2] - scores.mean(axis=0)[:, ::2],
    ...     adjective_scores=scores.mean(axis=0),
    ...     templates=("{capitalised} are {trait}.", "No {plural} are {trait}."),
    ...     template_scores=scores,
    ... )
    >>> cr.traits.choose_templates(by_template, people).templates
    ('{capitalised} are {trait}.',)
    """
    scores = by_template.by_template()
    pilot = tuple(target if groups is None else dict.fromkeys(groups))
    rows = positions("group", pilot, by_template.groups)
    wanted = _pilot_scores(target, pilot, by_template.traits)
    whole("most", most, least=1, hint="choose at least one template.")
    n = len(by_template.templates)
    if sum(comb(n, size) for size in range(1, min(most, n) + 1)) > _MOST_SETS:
        raise InputError(f"there are too many sets of {most} of {n} templates.", hint="use most=2.")
    sets = [chosen for size in range(1, min(most, n) + 1) for chosen in combinations(range(n), size)]
    means = np.stack([scores[list(chosen)][:, rows].mean(axis=0) for chosen in sets])
    taus = _taus(means, wanted)
    best, best_tau = sets[_first_best(taus)], float(np.nanmax(taus, initial=-np.inf))
    single = taus[:n]
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
        cross_validated_tau=_cross_validated(means, wanted),
        conventions={"measure": "template choice", "of": by_template.measure, "most": most},
        provenance=by_template.provenance,
    )


def _taus(means: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """τ-b of each set of templates with the pilot set, over all groups and traits."""
    return kendall_many(means.reshape(len(means), -1), wanted.reshape(1, -1))


def _first_best(taus: NDArray[np.float64]) -> int:
    """The first of the highest, up to rounding."""
    known = np.where(np.isnan(taus), -np.inf, taus)
    return int(np.argmax(known >= known.max() - 1e-12))


def _cross_validated(means: NDArray[np.float64], wanted: NDArray[np.float64]) -> float | None:
    """Mean τ-b on a group that had no part in the choice."""
    found = []
    for g in range(len(wanted) if len(wanted) > 1 else 0):
        best = _first_best(_taus(np.delete(means, g, axis=1), np.delete(wanted, g, axis=0)))
        found.append(kendall(means[best, g], wanted[g])[0])
    return float(np.mean(found)) if found and np.isfinite(found).all() else None


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
        raise InputError("the pilot set contains nan or infinite scores.", hint="leave out such groups.")
    return found

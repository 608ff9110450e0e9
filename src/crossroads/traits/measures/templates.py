"""Choosing templates on a pilot set of groups, as Cao et al. (2022) do before they measure the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, InputError, one_of
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
        return f"{phrases.measure(self.measure)} templates"

    def _members(self) -> Iterator[Row]:
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

    ``target`` is what the scores should agree with: group to trait to score; ``groups`` are the pilot groups,
    all of ``target`` if left out. Templates that were chosen to agree with people on some groups overstate
    the agreement on these groups: report ``cross_validated_tau``.

    *Departures:* none known; the publication does not say how ties are broken.

    References
    ----------
    Cao, Y. T., et al. (2022), section 5.1 and Table 5. doi:10.18653/v1/2022.naacl-main.92
    """
    scores = by_template._by_template()
    pilot = tuple(target if groups is None else dict.fromkeys(groups))
    rows = positions("group", pilot, by_template.groups)
    for group in pilot:
        one_of("group of the pilot set", group, list(target))
        for trait in by_template.traits:
            one_of(f"trait of the pilot group {group!r}:", trait, list(target[group]))
    wanted = np.array([[float(target[group][trait]) for trait in by_template.traits] for group in pilot])
    if not np.isfinite(wanted).all():
        raise InputError("the pilot set contains nan or infinite scores.", hint="leave out such groups.")
    whole("most", most, least=1, hint="choose at least one template.")
    n = len(by_template.templates)
    sizes = range(1, min(most, n) + 1)
    if sum(comb(n, size) for size in sizes) > _MOST_SETS:
        raise InputError(f"there are too many sets of {most} of {n} templates.", hint="use most=2.")
    sets = [chosen for size in sizes for chosen in combinations(range(n), size)]
    means = np.stack([scores[list(chosen)][:, rows].mean(axis=0) for chosen in sets])
    taus = kendall_many(means.reshape(len(means), -1), wanted.reshape(1, -1))
    best, single = sets[_first_best(taus)], taus[:n]
    if not np.isfinite(single).all():
        bad = by_template.templates[int(np.argmin(np.isfinite(single)))]
        raise EvidenceError(
            f"the scores of {bad!r} or of the pilot set are all equal or undefined.",
            hint="leave out such templates, or widen the pilot set.",
        )
    return TemplateChoice(
        measure=by_template.measure,
        templates=tuple(by_template.templates[i] for i in best),
        kendall_tau=float(np.nanmax(taus)),
        groups=pilot,
        candidates=by_template.templates,
        single_tau=read_only(single),
        cross_validated_tau=_cross_validated(means, wanted),
        conventions={"measure": "template choice", "of": by_template.measure, "most": most},
        provenance=by_template.provenance,
    )


def _first_best(taus: NDArray[np.float64]) -> int:
    """The first of the highest, up to rounding."""
    known = np.where(np.isnan(taus), -np.inf, taus)
    return int(np.argmax(known >= known.max() - 1e-12))


def _cross_validated(means: NDArray[np.float64], wanted: NDArray[np.float64]) -> float | None:
    """Mean τ-b on a group that had no part in the choice."""
    found = []
    for g in range(len(wanted) if len(wanted) > 1 else 0):
        others, people = np.delete(means, g, axis=1), np.delete(wanted, g, axis=0)
        taus = kendall_many(others.reshape(len(means), -1), people.reshape(1, -1))
        found.append(kendall(means[_first_best(taus), g], wanted[g])[0])
    return float(np.mean(found)) if found and np.isfinite(found).all() else None

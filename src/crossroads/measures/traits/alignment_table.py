"""Alignment of several measures on several models, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from crossroads.errors import InputError
from crossroads.measures.traits.alignment import CEILING, P_GROUPS, TAU, AlignmentResult, precision_column
from crossroads.results import Result
from crossroads.wording import phrases
from crossroads.wording.numbers import P
from crossroads.wording.table import Column, Table


@dataclass(frozen=True, kw_only=True)
class AlignmentEntry:
    """One measure on one model."""

    measure: str
    """The measure, such as ``"SeT"``."""
    model: str
    """The model, such as ``"BERT"``."""
    kendall_tau: float
    """Kendall's τ-b over all cells."""
    kendall_pvalue: float
    """Published p-value, which treats cells as independent."""
    permutation_pvalue: float | None
    """p-value from exchanging groups."""
    precision_at_3: float
    """Mean precision over groups."""
    ceiling: float | None
    """Noise ceiling of τ-b."""
    groups: int
    """Number of groups compared."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AlignmentTable(Result):
    """Measures × models, as in Table 6 of Cao et al. (2022)."""

    cites: ClassVar[tuple[str, ...]] = ("cao2022theory", "kendall1945treatment", "efron1979bootstrap")

    entries: tuple[AlignmentEntry, ...]
    """One entry per measure and model."""
    same_groups: bool
    """Whether all entries compare the same groups; if not, they do not rank measures fairly."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per measure and model."""
        return [vars(entry).copy() for entry in self.entries]

    @property
    def label(self) -> str:
        """What it is."""
        return "alignment table"

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per measure and model."""
        rows = [
            {
                "measure": phrases.measure(entry.measure),
                "model": entry.model,
                "groups": entry.groups,
                "tau": entry.kendall_tau,
                "p_cells": P(entry.kendall_pvalue),
                "p_groups": None if (p := entry.permutation_pvalue) is None else P.of(p, "monte-carlo"),
                "precision": entry.precision_at_3,
                "ceiling": entry.ceiling,
            }
            for one in results.values()
            for entry in one.entries
        ]
        columns = (
            Column(key="measure", head="measure"),
            Column(key="model", head="model"),
            Column(key="groups", head="groups", kind="count", spare=2),
            TAU,
            Column(key="p_cells", head="p (cells)", note="as published: cells as if independent", spare=1),
            P_GROUPS,
            precision_column(int(one.conventions.get("k", 3)) for one in results.values()),
            CEILING,
        )
        unfair = "Rows compare different groups, and so do not rank measures or models."
        notes = () if all(one.same_groups for one in results.values()) else (unfair,)
        title = "Agreement with people, by measure and model"
        return Table(name="alignments", title=title, columns=columns, rows=tuple(rows), notes=notes)

    def to_wide(self, field: str = "kendall_tau") -> dict[str, dict[str, float | None]]:
        """One field as measure → model → value."""
        table: dict[str, dict[str, float | None]] = {}
        for entry in self.entries:
            if field not in vars(entry):
                raise InputError(
                    f"an entry has no field {field!r}.", hint=f"one of {', '.join(vars(entry))}."
                )
            table.setdefault(entry.measure, {})[entry.model] = getattr(entry, field)
        return table


def align_table(results: Mapping[tuple[str, str], AlignmentResult]) -> AlignmentTable:
    """Tabulate alignments of measures and models: ``align_table({("SeT", "BERT"): result, …})``.

    Parameters
    ----------
    results
        Alignments by measure and model.

    Examples
    --------
    >>> import crossroads as cr
    >>> people = {
    ...     "nurses": {"cold-warm": 90.0, "powerless-powerful": 40.0, "poor-wealthy": 45.0},
    ...     "bankers": {"cold-warm": 20.0, "powerless-powerful": 85.0, "poor-wealthy": 95.0},
    ... }
    >>> same = {group: {trait: score - 50 for trait, score in row.items()} for group, row in people.items()}
    >>> opposite = {
    ...     group: {trait: 50 - score for trait, score in row.items()} for group, row in people.items()
    ... }
    >>> results = {
    ...     ("ILPS", "small"): cr.align(same, people, k=1),
    ...     ("ILPS", "large"): cr.align(opposite, people, k=1),
    ... }
    >>> [(entry.model, round(entry.kendall_tau, 2)) for entry in cr.traits.align_table(results).entries]
    [('small', 1.0), ('large', -1.0)]
    """
    if not results:
        raise InputError("there is no alignment to put in a table.", hint="give at least one.")
    entries = tuple(
        AlignmentEntry(
            measure=measure,
            model=model,
            kendall_tau=one.kendall_tau,
            kendall_pvalue=one.kendall_pvalue,
            permutation_pvalue=one.permutation_pvalue,
            precision_at_3=one.precision_at_3,
            ceiling=one.ceiling,
            groups=len(one.groups),
        )
        for (measure, model), one in results.items()
    )
    provenance = {p.source: p for one in results.values() for p in one.provenance}
    return AlignmentTable(
        entries=entries,
        same_groups=len({frozenset(one.groups) for one in results.values()}) == 1,
        conventions={**next(iter(results.values())).conventions, "measure": "alignment table"},
        provenance=tuple(provenance.values()),
    )

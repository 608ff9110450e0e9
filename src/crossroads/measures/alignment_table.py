"""Alignment of several measures on several models, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossroads.errors import InputError
from crossroads.measures.alignment import AlignmentResult
from crossroads.results import Result


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
    """As published: cells taken for independent."""
    permutation_pvalue: float | None
    """From exchanging groups."""
    precision_at_3: float
    """Mean precision over groups."""
    ceiling: float | None
    """Noise ceiling of τ-b."""
    groups: int
    """How many groups were compared."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AlignmentTable(Result):
    """Measures × models, as in Table 6 of Cao et al. (2022)."""

    entries: tuple[AlignmentEntry, ...]
    """One entry a measure and model."""
    same_groups: bool
    """Whether all entries compare the same groups; if not, they do not rank measures fairly."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a measure and model."""
        return [vars(entry).copy() for entry in self.entries]

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
    """Put alignments side by side: ``align_table({("SeT", "BERT"): result, …})``.

    Parameters
    ----------
    results
        Measure and model to their alignment.
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

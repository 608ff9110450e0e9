"""The tables of a paper beside ours: what every reproduction holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crossroads.papers.cells import Cell, counts
from crossroads.results import Result


@dataclass(frozen=True, kw_only=True, eq=False)
class Reproduction(Result):
    """Published tables beside ours."""

    paper: str
    """Name of the reproduction."""
    title: str
    """What the tables are about."""
    citation: str
    """Where they were printed."""
    doi: str
    """Identifier of the publication."""
    published_vectors: str
    """What the paper measured."""
    vectors: str
    """What was measured here."""
    same_vectors: bool
    """Whether these are the vectors of the paper: only then are the numbers comparable digit by digit."""
    cells: tuple[Cell, ...]
    """Every cell."""
    notes: tuple[str, ...]
    """What a reader must know."""

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cells have each verdict."""
        return counts(self.cells)

    @property
    def tables(self) -> dict[str, dict[str, int]]:
        """How many cells of each table of the paper have each verdict."""
        names = dict.fromkeys(cell.table for cell in self.cells)
        return {name: counts(cell for cell in self.cells if cell.table == name) for name in names}

    def rows(self) -> list[dict[str, Any]]:
        """One row a cell."""
        return [cell.to_row() for cell in self.cells]


Found = tuple[list[Cell], list[str], Result | None]
"""Cells, notes, and a result that stands for coverage and conventions; None where nothing was covered."""

"""Dependence of an effect size on the choice of stimuli, and how consistent these are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from crossroads.core.errors import EvidenceError, Missing
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.geometry import Floats, associations, effect_size, rounding_error
from crossroads.core.results import TEST, Row, Stat, long_row, stat
from crossroads.core.results.gathered import titles_of
from crossroads.core.stimuli import Design
from crossroads.core.wording.table import Table
from crossroads.words.measures.weat import CheckOfTest, check_ddof, gather_two, origin

_NAMES = ("first target", "second target", "first attribute", "second attribute")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InfluenceResult(CheckOfTest):
    """Effect size without each stimulus in turn."""

    _stem: ClassVar[str] = "influence"
    _label_format: ClassVar[str] = "{design} influence"
    _table_title: ClassVar[str] = "Effect sizes without single words"
    _most_rows: ClassVar[int] = 8
    _file_names: ClassVar[str] = "set word without change"
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        stat("set"),
        stat("word"),
        stat("without", "d without", "effect size without the word"),
        stat("change"),
    )

    effect_size: float
    """The effect size of all stimuli."""
    without: Mapping[str, Mapping[str, float]]
    """The effect size without each stimulus, by set and stimulus."""

    def _members(self) -> list[Row]:
        rows: list[Row] = [
            {"design": self.design, "set": name, "word": word, "without": d, "change": d - self.effect_size}
            for name, words in self.without.items()
            for word, d in words.items()
        ]
        return sorted(rows, key=lambda row: -abs(row["change"]))

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per word, the most influential of all tests first."""
        table = super()._tabulate(results)
        return replace(table, rows=tuple(sorted(table.rows, key=lambda row: -abs(row["change"]))))

    def _long_rows(self, name: str) -> Iterator[Row]:
        for key, words in self.without.items():
            for word, effect in words.items():
                yield long_row("influence", self.design, f"{key} {word}", "effect_size_without", effect)


def influence(
    emb: Embeddings, design: Design, *, ddof: int = 1, missing: Missing = "raise"
) -> InfluenceResult:
    """Compute the WEAT effect size without each stimulus in turn.

    Parameters
    ----------
    emb, design, ddof, missing
        As in :func:`~crossroads.weat`. A set must keep at least one stimulus.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> result = cr.stats.influence(emb, design)
    >>> min(result.without["x"], key=result.without["x"].get)  # without this word, d is smallest
    'numbers'
    """
    check_ddof(ddof)
    found = gather_two(emb, design, missing, least=2)
    targets = np.concatenate([found.vectors["x"], found.vectors["y"]])
    n_x = len(found.words["x"])
    s = associations(targets, found.vectors["a"], found.vectors["b"])
    least = 2 * rounding_error(emb.dim)
    whole = _defined(s, n_x, ddof, least, f"of the design {design.name!r}")
    without = {}
    for name, words in found.words.items():
        if name in "xy":
            first = n_x * (name == "y")
            left = [np.delete(s, first + i) for i in range(len(words))]
        else:  # without one of its words, the mean of a set moves away from that word
            table = targets @ found.vectors[name].T
            moved = (table.mean(axis=1, keepdims=True) - table) / (len(words) - 1)
            left = [*(s + (moved if name == "a" else -moved).T)]
        size = n_x - (name == "x")
        without[name] = {
            word: _defined(some, size, ddof, least, f"without {word!r}")
            for word, some in zip(words, left, strict=True)
        }
    return InfluenceResult(
        design=design.name,
        effect_size=whole,
        without=without,
        titles=titles_of(design.sets),
        **origin(emb, found.coverage, {"measure": "influence", "ddof": ddof, "missing": missing}),
    )


def _defined(s: Floats, n_x: int, ddof: int, least: float, where: str) -> float:
    """Effect size of associations; an error where they differ by rounding error only."""
    if float(s.max() - s.min()) <= least:
        raise EvidenceError(
            f"every association {where} equals {float(s[0]):.6g}, so there is no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    return effect_size(s[:n_x], s[n_x:], ddof=ddof)

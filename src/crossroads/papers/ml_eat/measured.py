"""ML-EATs as the paper measured them, and under other conventions that it might have used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from crossroads.errors import EvidenceError, MissingStimuliError, join_words
from crossroads.evidence import Embeddings
from crossroads.measures import MleatResult, mleat
from crossroads.measures.coverage.words import Missing
from crossroads.papers.cells import Attempt, Cell, judge, judge_mark
from crossroads.papers.ml_eat.tables import LEVELS, Number
from crossroads.stimuli import Design, catalog

AS_PRINTED: Mapping[str, Any] = {"ddof": 1, "alternative": "observed", "method": "normal", "resamples": 0}
"""Options of the paper."""
ALPHA = 0.05
OTHER_OPTIONS: Mapping[str, Mapping[str, Any]] = {"population standard deviation (ddof=0)": {"ddof": 0}}
"""Other conventions under which a number might be printed."""
OTHER_STARS: Mapping[str, Mapping[str, Any]] = {
    "p-value counted over the divisions (method='auto')": {"method": "auto", "max_work": 1e6},
    "the same without ties (ties='strict')": {"method": "auto", "max_work": 1e6, "ties": "strict"},
    "two-sided p-value (alternative='two-sided')": {"alternative": "two-sided"},
    "one-sided p-value as the text has it (alternative='greater')": {"alternative": "greater"},
}
"""Other rules by which a star might be given."""


def values(result: MleatResult) -> dict[str, float]:
    """Every number and star of a row of the tables, by column."""
    levels = (result.level1, result.level2["x"], result.level2["y"])
    found: dict[str, float] = {}
    for name, level in zip(LEVELS, levels, strict=True):
        found[name] = level.effect_size
        found[f"{name} star"] = float(level.pvalue < ALPHA)
    for key, cell in result.level3.items():
        found[f"{key} mean"], found[f"{key} sd"] = cell.mean, cell.sd
    return found


def number_cell(one: Number, ours: float | None, verdict: str, reason: str) -> Cell:
    """A cell of the tables: the printed number, ours, and the verdict."""
    prompted = " with prompt" if one.prompt not in (None, "{word}") else ""
    return Cell(
        row=f"{one.test}{prompted}",
        column=one.column,
        table=f"Table {one.table}, {one.model}{prompted}",
        published=one.value,
        printed=one.text,
        ours=ours,
        verdict=verdict,
        reason=reason,
    )


class Measured:
    """Rows of the tables on one model, each measured once under each convention.

    Parameters
    ----------
    emb
        The vectors.
    progress
        Called with the name of each test before it is measured.
    """

    def __init__(self, emb: Embeddings, progress: Callable[[str], None] | None = None) -> None:
        self._emb = emb
        self._exact = emb.with_fallback(())
        self._progress = progress
        self._kept: dict[tuple[Any, ...], dict[str, float] | None] = {}
        self.dropped: dict[str, dict[str, str]] = {}
        self.respelled: dict[str, str] = {}

    def judged(self, one: Number, variant: str | None) -> Cell:
        """The cell of a table of this model."""
        lacking = self._missing(one.test, variant)
        if lacking:
            reason = f"these vectors lack {join_words(lacking, most=6)}"
            return number_cell(one, None, "not covered", reason)
        ours = self._value(one, variant)
        if ours is None:
            return number_cell(one, None, "not covered", "these vectors give the test no effect size")
        if one.is_star:
            verdict, reason = judge_mark(one.value > 0, ours > 0, self._attempts(one, variant))
        else:
            verdict, reason = judge(one.text, ours, self._attempts(one, variant), truncated=one.truncated)
        return number_cell(one, ours, verdict, reason)

    def beside(self, one: Number, variant: str | None) -> Cell:
        """The cell of a table of another model, measured here without the words that are missing."""
        row = self._row(one.test, variant, missing="drop")
        if row is None:
            return number_cell(one, None, "not covered", "too few words, or no effect size, on these vectors")
        return number_cell(one, row[one.column], "other model", f"the paper measured {one.model}")

    def _missing(self, test: str, variant: str | None) -> list[str]:
        """Words of a test that have no vector under their own spelling."""
        return [word for word in _design(test, variant).words if word not in self._exact]

    def _attempts(self, one: Number, variant: str | None) -> Iterator[Attempt]:
        """Other conventions under which the number might be printed."""
        for name, changed in (OTHER_STARS if one.is_star else OTHER_OPTIONS).items():
            yield name, partial(self._value, one, variant, **changed)
        for other in (None, "ml-eat", "google-news"):
            words = set(_design(one.test, other).words) ^ set(_design(one.test, variant).words)
            if words and not self._missing(one.test, other):
                lists = "the original lists" if other is None else f"the variant {other}"
                name = f"words of {lists} ({join_words(sorted(words), most=4)})"
                yield name, partial(self._value, one, other)

    def _value(self, one: Number, variant: str | None, **changed: Any) -> float | None:
        row = self._row(one.test, variant, **changed)
        return None if row is None else row[one.column]

    def _row(
        self, test: str, variant: str | None, missing: Missing = "raise", **changed: Any
    ) -> dict[str, float] | None:
        key = (test, variant, missing, *sorted(changed.items()))
        if key not in self._kept:
            self._kept[key] = self._measure(test, variant, missing, changed)
        return self._kept[key]

    def _measure(
        self, test: str, variant: str | None, missing: Missing, changed: Mapping[str, Any]
    ) -> dict[str, float] | None:
        if self._progress is not None:
            self._progress(test)
        try:
            emb = self._emb if missing == "drop" else self._exact
            found = mleat(emb, _design(test, variant), missing=missing, **{**AS_PRINTED, **changed})
        except (MissingStimuliError, EvidenceError):
            return None
        if found.coverage is not None:
            lost = found.coverage.missing
            if lost:
                self.dropped[_design(test, variant).name] = lost
            self.respelled.update(found.coverage.respelled)
        return values(found)


def _design(test: str, variant: str | None) -> Design:
    return catalog().design(test, variant)

"""What results about pairs and triples of sentences share: numbers of all items and of each category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from crossroads.measures.sentences.preference import FLAWS
from crossroads.results import Conclusion, Row, Status, Values, long_row
from crossroads.results.checks import FREQUENCY, TOPICS, Checked
from crossroads.results.conclusion import pointer_part
from crossroads.wording import phrases
from crossroads.wording.numbers import P, percent
from crossroads.wording.table import Column, adjusted_column

ALL = "all"
"""What all items are called beside categories."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ByCategory:
    """Fields and views of a result that has numbers over all items and by category."""

    measure: ClassVar[str]
    """Name of the measure in the long table."""
    numbers: ClassVar[tuple[str, ...]]
    """Names of the numbers of all items and of each category."""
    kind: ClassVar[str]
    """Kind of test in rules."""
    choice: ClassVar[str]
    """What the model chooses from."""
    _unchecked: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (FREQUENCY, TOPICS), "it is asked of vectors, and these are scores of sentences"
    )

    data: str
    """Name of the sentences: that of their file."""
    score: str
    """How sentences were scored: ``pll``, ``aul``, ``aula``, ``blank``, ``likelihood`` or ``bare``."""
    per: str
    """Whether a score is the sum of log-probabilities over tokens (``sentence``), their mean (``token``), or
    the logarithm of the mean probability (``probability``)."""
    overall: Any
    """Over all items."""
    categories: Mapping[str, Any]
    """By what the stereotype is about."""
    adjusted: Mapping[str, tuple[float, ...]]
    """P-values of the categories adjusted for their number, by method (``holm``, ``bh``, ``by``)."""
    level: float
    """Level of the intervals."""
    flaws: tuple[str, ...] = (FLAWS,)
    """Known flaws of such data."""

    @property
    def label(self) -> str:
        """The data, and the score."""
        return f"{self.data} {self.score}"

    @property
    def question(self) -> str:
        """What the model chooses from."""
        return self.choice

    def parts_named(self) -> Iterator[tuple[str, str, Any, P | None]]:
        """All items, then every category: its name, its place in the result, and its adjusted p-value."""
        yield ALL, "overall", self.overall, None
        for at, (name, one) in enumerate(self.categories.items()):
            adjusted = P(self.adjusted[phrases.ADJUSTMENT][at])
            yield name, f"categories/{pointer_part(name)}", one, adjusted

    def named(self, part: str) -> str:
        """Name of the test of all items, or of a category."""
        return self.label if part == ALL else f"{self.label}, {part}"

    def values(self, one: Any) -> dict[str, float | None]:
        """Numbers of all items or of a category; ``p`` is the one for other items."""
        return {key: getattr(one, "pvalue" if key == "p" else key) for key in self.numbers}

    def rows(self) -> list[Row]:
        """One row for all items and per category."""
        return [
            {
                "data": self.data,
                "score": self.score,
                "category": name,
                **self.values(one),
                f"p_{phrases.ADJUSTMENT}": None if p is None else p.value,
            }
            for name, _, one, p in self.parts_named()
        ]

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number of all items and of each category."""
        for part, _, one, p in self.parts_named():
            for key, value in self.values(one).items():
                yield long_row(self.measure, name, part, key, value)
            if p is not None:
                yield long_row(self.measure, name, part, f"p_{phrases.ADJUSTMENT}", p.value)

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """Statistics of all items and of every category, for rules."""
        del name
        for part, _, one, p in self.parts_named():
            adjusted: Values = {f"p_{phrases.ADJUSTMENT}": None if p is None else p.value}
            yield self.named(part), self.kind, {**self.values(one), **adjusted}

    def _checks(self) -> Iterator[Checked]:
        yield Checked(
            name=self.label,
            question=self.question,
            family="sentences",
            noun="preference",
            items="sentences",
            these=P(self.overall.sign_pvalue),
            exchanged="sign test over single items, exact",
            other=self.overall.pvalue,
            drawn="signs flipped by what items share",
            unchecked=self._unchecked,
        )

    def adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values, none of them marked."""
        return {how: {at: P(p) for at, p in enumerate(some)} for how, some in self.adjusted.items()}


def first_columns(results: Mapping[str, ByCategory], items: str) -> tuple[Column, ...]:
    """The columns that say of what a row is."""
    test = [Column(key="test", head="test")] if len(results) > 1 else []
    return (*test, Column(key="category", head="category"), Column(key=items, head=items, kind="count"))


def adjusted_columns(results: Mapping[str, ByCategory]) -> tuple[Column, ...]:
    """The column of adjusted p-values, where there are categories."""
    tests = max(len(one.categories) for one in results.values())
    return (adjusted_column(tests, "category", "categories"),) if tests else ()


def levels_of(results: Mapping[str, Any]) -> str:
    """The levels of intervals."""
    return ", ".join(dict.fromkeys(percent(one.level) for one in results.values()))


def preferred(
    *,
    name: str,
    items: str,
    about: str,
    more: bool,
    status: Status,
    found: Mapping[str, tuple[str, float]],
    scale: str = "share",
    middle: float = 0.5,
) -> Conclusion:
    """What a preference comes to, in a sentence.

    Parameters
    ----------
    name, status, found, scale, middle
        As in :class:`~crossroads.results.Conclusion`.
    items
        What the sentences are in: ``pairs``, ``triples``.
    about
        What the sentences are about.
    more
        Whether sentences that stereotype more are preferred, rather than less.
    """
    which = f", the model prefers sentences that stereotype {'more' if more else 'less'}"
    return Conclusion(
        name=name,
        status=status,
        wordings={
            "holds": (f"in {items} on ", about, which),
            "depends": (f"with these {items} on ", about, which),
            "absent": (f"it was not found that in {items} on ", about, ", the model prefers either sentence"),
        },
        subject=f"sentences on {about}",
        poles=("stereotype less", "stereotype more"),
        scale=scale,
        middle=middle,
        drawn="sentences",
        numbers=found,
    )

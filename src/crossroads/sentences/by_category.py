"""What results about pairs and triples of sentences share: numbers of all items and of each category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from crossroads.core.results import (
    Conclusion,
    Result,
    Row,
    Stat,
    Values,
    adjusted,
    long_row,
    marked,
    named,
    numbers,
    stat,
    status_of,
    under,
)
from crossroads.core.results.checks import FREQUENCY, TOPICS, Checked
from crossroads.core.results.conclusion import pointer_part
from crossroads.core.results.family import SHOWN
from crossroads.core.results.stats import NAME
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, counted, percent
from crossroads.core.wording.table import Table

ALL = "all"
"""What all items are called next to categories."""
FLAWS = (
    "Blodgett et al. (2021) found that the pairs of CrowS-Pairs and StereoSet often do not say what they "
    "measure: many are no stereotypes, contrast groups that are no alternatives, or differ in more than the "
    "group; a share is a description of these sentences, not the amount of bias in a model."
)
"""Known flaws of the published sentences, shown with every number."""


class Part(NamedTuple):
    """All items, or those of a category."""

    category: str
    place: str
    """Place in the result, as a JSON pointer."""
    of: Any
    """The numbers."""
    p: P | None
    """The adjusted p-value."""
    result: ByCategory


def names(numbers_of: str) -> str:
    """Names of the numbers of a part, with its adjusted p-value."""
    return f"{under('of', numbers_of)} {SHOWN}=p.value"


def levels(drawn: str) -> Any:
    """The note on intervals."""
    return lambda results: f"{', '.join(dict.fromkeys(percent(one.level) for one in results))}, {drawn}"


def _categories(results: Sequence[Any]) -> str:
    tests = counted(max(len(one.categories) for one in results), "category", "categories")
    return f"{phrases.ADJUSTMENTS[phrases.ADJUSTMENT][1]} for {tests}"


TEST = stat("test", of=NAME, several=True)
CATEGORY = stat("category")
ADJUSTED: Stat = adjusted(note=_categories)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ByCategory(Result):
    """Fields and views of a result that has numbers over all items and by category."""

    _section: ClassVar[str] = "sentences"
    _figure: ClassVar[str] = "sentence_plot"
    _label_format: ClassVar[str] = "{data} {score}"
    _unchecked: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (FREQUENCY, TOPICS), "it is asked of vectors, and these are scores of sentences"
    )
    _items: ClassVar[str]
    """What the sentences are in: pairs, triples."""
    _choice: ClassVar[str]
    """What the model chooses from."""
    _main: ClassVar[tuple[str, str, str]]
    """The number of a conclusion and both ends of its interval."""
    _scale: ClassVar[str]
    _middle: ClassVar[float]

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
    def _question(self) -> str:
        """What the model chooses from."""
        return self._choice

    def _members(self) -> Iterator[Part]:
        """All items, then every category."""
        yield Part(ALL, "overall", self.overall, None, self)
        for at, (name, one) in enumerate(self.categories.items()):
            p = P(self.adjusted[phrases.ADJUSTMENT][at])
            yield Part(name, f"categories/{pointer_part(name)}", one, p, self)

    def _named(self, part: Part) -> str:
        """Name of the test of all items, or of a category."""
        return self._label if part.category == ALL else f"{self._label}, {part.category}"

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row for all items and per category."""
        single = not any(one.categories for one in results.values())
        return super()._tabulate(results).without([SHOWN] if single else [])

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        yield from dict.fromkeys(flaw for one in results.values() for flaw in one.flaws)

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number of all items and of each category."""
        (texts,) = self._rule_names.values()
        for part in self._members():
            for key, value in named(part, texts).items():
                if key != SHOWN or part.p is not None:
                    yield long_row(f"sentence {self._items}", name, part.category, key, value)

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """Statistics of all items and of every category, for rules."""
        for kind, texts in self._rule_names.items():
            yield from ((self._named(part), kind, named(part, texts)) for part in self._members())

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        """Whether sentences that stereotype more are preferred, of all and by category."""
        for part in self._members():
            items, about = self._items, self.data if part.category == ALL else part.category
            which = f", the model prefers sentences that stereotype {'more' if part.of.more else 'less'}"
            neither = ", the model prefers either sentence"
            value, low, high = ((f"{part.place}/{key}", getattr(part.of, key)) for key in self._main)
            yield Conclusion(
                name=self._named(part),
                status=status_of(part.p or part.of.pvalue, part.of.sign_pvalue),
                wordings={
                    "holds": (f"in {items} on ", about, which),
                    "depends": (f"with these {items} on ", about, which),
                    "absent": (f"it was not found that in {items} on ", about, neither),
                },
                subject=f"sentences on {about}",
                poles=("stereotype less", "stereotype more"),
                scale=self._scale,
                middle=self._middle,
                drawn="sentences",
                numbers=numbers(value=value, low=low, high=high),
            )

    def _checks(self) -> Iterator[Checked]:
        yield Checked(
            name=self._label,
            question=self._question,
            family="sentences",
            noun="preference",
            items="sentences",
            these=P(self.overall.sign_pvalue),
            exchanged="sign test over single items, exact",
            other=self.overall.pvalue,
            drawn="signs flipped by what items share",
            unchecked=self._unchecked,
        )

    def _adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values, none of them marked."""
        return marked(self.adjusted)

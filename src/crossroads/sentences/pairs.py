"""Pairs of sentences of which one stereotypes more, as in CrowS-Pairs, and what triples share with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, UnknownNameError, in_short
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.multiplicity import adjust
from crossroads.core.inference.options import seed_of, share
from crossroads.core.results import (
    ADJUSTERS,
    Conclusion,
    Coverage,
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
from crossroads.core.results.plain import read_only
from crossroads.core.results.stats import NAME
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, counted
from crossroads.core.wording.table import Table
from crossroads.sentences.evidence import SCALES, SCORES, Per, ScoredItem, SentenceScores
from crossroads.sentences.flips import flipped_mean, flipped_signs, widening
from crossroads.sentences.material import Kind, SentenceItem
from crossroads.traits.pairs.identities import levels

TIES = "differences within the rounding errors of both scores"
"""Which scores count as equal."""
CONTRAST, FRAME, TARGET = "contrast", "frame", "target"
"""What items may share: of pairs the words in which they differ, and all other words; of triples a column."""
AUTO = "auto"
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
Integers = NDArray[np.int64]
ALL = "all"
"""What all items are called next to categories."""
FLAWS = (
    "Blodgett et al. (2021) found that the pairs of CrowS-Pairs and StereoSet often do not say what they "
    "measure: many are no stereotypes, contrast groups that are no alternatives, or differ in more than the "
    "group; a share is a description of these sentences, not the amount of bias in a model."
)
"""Known flaws of the published sentences, shown with every number."""


class Part(NamedTuple):
    """All items, or those of a category: their place as a JSON pointer, numbers, and adjusted p-value."""

    category: str
    place: str
    of: Any
    p: P | None
    result: ByCategory


def names(numbers_of: str) -> str:
    """Names of the numbers of a part, with its adjusted p-value."""
    return f"{under('of', numbers_of)} {SHOWN}=p.value"


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
        return self._choice

    def _members(self) -> Iterator[Part]:
        yield Part(ALL, "overall", self.overall, None, self)
        for at, (name, one) in enumerate(self.categories.items()):
            p = P(self.adjusted[phrases.ADJUSTMENT][at])
            yield Part(name, f"categories/{pointer_part(name)}", one, p, self)

    def _named(self, part: Part) -> str:
        return self._label if part.category == ALL else f"{self._label}, {part.category}"

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        single = not any(one.categories for one in results.values())
        return super()._tabulate(results).without([SHOWN] if single else [])

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        yield from dict.fromkeys(flaw for one in results.values() for flaw in one.flaws)

    def _long_rows(self, name: str) -> Iterator[Row]:
        (texts,) = self._rule_names.values()
        for part in self._members():
            for key, value in named(part, texts).items():
                if key != SHOWN or part.p is not None:
                    yield long_row(f"sentence {self._items}", name, part.category, key, value)

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        for kind, texts in self._rule_names.items():
            yield from ((self._named(part), kind, named(part, texts)) for part in self._members())

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        for part in self._members():
            items, about = self._items, self.data if part.category == ALL else part.category
            which = f", the model prefers sentences that stereotype {'more' if part.of.more else 'less'}"
            value, low, high = ((f"{part.place}/{key}", getattr(part.of, key)) for key in self._main)
            yield Conclusion(
                name=self._named(part),
                status=status_of(part.p or part.of.pvalue),
                statement=(f"in {items} on ", about, which),
                subject=f"sentences on {about}",
                poles=("stereotype less", "stereotype more"),
                scale=self._main[0],
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
        return marked(self.adjusted)


_ADDED = {
    "sentence": "sum of {what}",
    "token": "mean of {what}",
    "probability": "logarithm of the mean of {plain}",
}


def by_category(
    scores: SentenceScores,
    kind: str,
    of: Callable[[NDArray[np.bool_]], Any],
    *,
    per: Per,
    level: float,
    **conventions: Any,
) -> dict[str, Any]:
    """The fields of a result: ``of`` gives the numbers of the items that are chosen."""
    scale, what = scores.resolved(per), SCORES[scores.score]
    categories = by_name([one.item.category for one in scores], of)
    left = {kind: dict(scores.left_out)} if scores.left_out else {}
    return {
        "data": scores.name,
        "score": scores.score,
        "per": scale,
        "overall": of(np.ones(len(scores), np.bool_)),
        "categories": categories,
        "adjusted": adjust([one.pvalue for one in categories.values()]) if categories else {},
        "level": level,
        "coverage": Coverage(policy="drop" if left else "raise", used={}, dropped=left, respelled={}),
        "conventions": {
            "measure": f"sentence {kind}",
            "scored by": scores.score,
            "score": _ADDED[scale].format(what=what, plain=what.removeprefix("log-")),
            "special tokens": "not counted",
            "ties": TIES,
            **conventions,
        },
        "provenance": (scores.provenance,),
    }


def by_name(names: Sequence[str], of: Callable[[NDArray[np.bool_]], Any]) -> dict[str, Any]:
    """The numbers of the items of each name; items without one are left out."""
    return {name: of(np.array(names) == name) for name in dict.fromkeys(names) if name}


def numbered(values: Sequence[str] | Integers) -> Integers:
    """Equal values by equal numbers, from 0."""
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


_NUMBERS = names(
    "share low high p=pvalue sign_pvalue difference difference_low difference_high difference_pvalue pairs "
    "preferred ties"
)
_SIGN = "exact, as if pairs shared nothing"
_SHARE = "pairs in which the sentence that stereotypes more scores higher"


@dataclass(frozen=True, kw_only=True)
class Preference:
    """How often and how much a model prefers the sentence that stereotypes more."""

    pairs: int
    """Number of pairs."""
    preferred: int
    """Pairs in which the sentence that stereotypes more has the higher score."""
    ties: int
    """Pairs whose scores do not differ by more than their rounding errors."""
    share: float
    """Share of all pairs in which the sentence that stereotypes more has the higher score, as published."""
    low: float | None
    """Lower end of its interval, clusters drawn; None where so few clusters cannot give one."""
    high: float | None
    """Upper end."""
    pvalue: float
    """Share of flips of whole clusters in which preferences are at least as far from balanced, counted."""
    min_pvalue: float
    """The smallest p-value that these clusters can give."""
    sign_pvalue: float
    """The exact sign test over single pairs, two-sided, without ties: it takes pairs as independent."""
    difference: float
    """Mean of the score of the sentence that stereotypes more minus that of the other."""
    difference_low: float | None
    """Lower end of its interval, clusters drawn."""
    difference_high: float | None
    """Upper end."""
    difference_pvalue: float
    """Share of flips of whole clusters that give a mean at least as far from zero."""
    clusters: tuple[int, ...]
    """Number of clusters of each kind."""
    largest: int
    """Number of pairs in the largest cluster."""

    @property
    def more(self) -> bool:
        """Whether sentences that stereotype more are preferred."""
        return 2 * self.preferred >= self.pairs - self.ties


def _shared(results: Sequence[Any]) -> str:
    return " or ".join(dict.fromkeys(" and ".join(one.cluster) for one in results))


def _interval_note(results: Sequence[Any]) -> str:
    return levels(f"pairs that share {_shared(results)} drawn together")(results)


def _difference_note(results: Sequence[Any]) -> str:
    what = " or ".join(dict.fromkeys(SCALES[one.per] for one in results))
    return f"mean difference of {what}, with its interval"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SentencePairsResult(ByCategory):
    """Which sentence of pairs a language model prefers."""

    _stem: ClassVar[str] = "sentence-pairs"
    _cites: ClassVar[tuple[str, ...]] = (
        *("nangia2020crows", "blodgett2021stereotyping", "cameron2011robust"),
        *ADJUSTERS,
    )
    _items: ClassVar[str] = "pairs"
    _choice: ClassVar[str] = "the sentence that stereotypes more / less"
    _main: ClassVar[tuple[str, str, str]] = ("share", "low", "high")
    _middle: ClassVar[float] = 0.5
    _table_title: ClassVar[str] = "Preferred sentences"
    _file_names: ClassVar[str] = f"data=result.data score=result.score category {_NUMBERS}"
    _rule_names: ClassVar[Mapping[str, str]] = {"sentences": _NUMBERS}
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        CATEGORY,
        stat("pairs", of="of.pairs", kind="count"),
        stat("ties", of="of.ties", kind="count", spare=2),
        stat("share", note=_SHARE, of="of.share"),
        stat("ci", "CI", _interval_note, of="of.low", kind="interval"),
        stat("p", note=lambda results: f"signs flipped by {_shared(results)}, two-sided", of="of.pvalue"),
        ADJUSTED,
        stat("difference", note=_difference_note, of="of.difference", digits=2, spare=3),
        Stat("difference_ci", "of.difference_low", {"head": "CI of Δ", "kind": "interval", "spare": 4}),
        stat("sign_p", "sign test", _SIGN, of="of.sign_pvalue", kind="p", spare=1),
    )

    overall: Preference
    """Over all pairs."""
    categories: Mapping[str, Preference]
    """By what the stereotype is about."""
    directions: Mapping[str, Preference]
    """By direction: ``stereo`` where the sentence that stereotypes more is about a disadvantaged group,
    ``antistereo`` where it is about an advantaged one; empty where the data do not say."""
    cluster: tuple[str, ...]
    """What pairs share that is drawn: ``contrast`` (the words in which their sentences differ), ``frame``
    (the other words), or columns of the file."""
    differences: NDArray[np.float64]
    """Score of the sentence that stereotypes more minus that of the other, in the order of the pairs."""

    def _long_rows(self, name: str) -> Iterator[Row]:
        yield from super()._long_rows(name)
        for direction, one in self.directions.items():
            yield long_row("sentence pairs", name, direction, "share", one.share, p=one.pvalue)


def sentence_pairs(
    scores: SentenceScores,
    *,
    cluster: str | Sequence[str] | None = AUTO,
    per: Per = "auto",
    level: float = 0.95,
    seed: int = 0,
) -> SentencePairsResult:
    """Which sentence of pairs a model prefers: :func:`crossroads.sentence_test` of pairs.

    Pairs that share words are not independent: a model that finds *black* less likely than *white* does so
    in all pairs that contrast the two. So the signs of all pairs of a cluster are flipped together.
    """
    level, seed = share("level", level), seed_of(seed)
    values = scores.values(per)
    differences: Floats = values[:, 0] - values[:, 1]
    errors: Floats = scores.rounding(per).sum(axis=1)
    names = cluster_names([one.item for one in scores], scores.kind, cluster)
    rows = [{**one.item.columns, "category": one.item.category} for one in scores]
    if {CONTRAST, FRAME} & set(names):
        split = (zip((CONTRAST, FRAME), contrast_and_frame(one), strict=True) for one in scores)
        rows = [{**row, **dict(parts)} for row, parts in zip(rows, split, strict=True)]
    groupings = {name: numbered([row.get(name, "") for row in rows]) for name in names}
    groupings = groupings or {"pair": np.arange(len(scores), dtype=np.int64)}

    def of(chosen: NDArray[np.bool_]) -> Preference:
        shared = [one[chosen] for one in groupings.values()]
        return preference(differences[chosen], errors[chosen], shared, level=level, seed=seed)

    said = list(groupings) if cluster is not None else "none"
    return SentencePairsResult(
        **by_category(
            scores, "pairs", of, per=per, level=level, cluster=said, alternative="two-sided", seed=seed
        ),
        directions=by_name([one.item.direction for one in scores], of),
        cluster=tuple(groupings),
        differences=read_only(differences),
    )


def preference(
    differences: Floats, errors: Floats, groupings: Sequence[Integers], *, level: float, seed: int
) -> Preference:
    """How sure a preference is for other pairs.

    ``errors`` are the largest differences that count as ties. ``groupings`` say what pairs share: one thing,
    or two that are crossed; the larger of their p-values and the wider of their intervals count.
    """
    signs = np.where(np.abs(differences) <= errors, 0, np.sign(differences)).astype(np.int64)
    kinds = [numbered(one) for one in groupings]
    hits = (signs > 0).astype(np.float64)
    ways = list(zip(kinds, widening(signs.astype(np.float64), kinds), strict=True))
    flips = [flipped_signs(signs, one, widened=wider) for one, wider in ways]
    options: dict[str, Any] = {"level": level, "seed": seed}
    shares = [flipped_mean(hits, one, null=0.5, widened=wider, **options) for one, wider in ways]
    spread = zip(kinds, widening(differences, kinds), strict=True)
    means = [flipped_mean(differences, one, widened=wider, **options) for one, wider in spread]
    low, high = widest([(one.low, one.high) for one in shares])
    difference_low, difference_high = widest([(one.low, one.high) for one in means])
    return Preference(
        pairs=len(signs),
        preferred=int(hits.sum()),
        ties=int((signs == 0).sum()),
        share=float(hits.mean()),
        low=None if low is None else max(0.0, low),
        high=None if high is None else min(1.0, high),
        pvalue=max(one.pvalue for one in flips),
        min_pvalue=max(one.min_pvalue for one in flips),
        sign_pvalue=flipped_signs(signs).pvalue,
        difference=float(differences.mean()),
        difference_low=difference_low,
        difference_high=difference_high,
        difference_pvalue=max(one.pvalue for one in means),
        clusters=tuple(int(one.max()) + 1 for one in kinds),
        largest=max(int(np.bincount(one).max()) for one in kinds),
    )


def widest(intervals: Sequence[tuple[float | None, float | None]]) -> tuple[float | None, float | None]:
    """The interval around all; None where one has none."""
    known = [(low, high) for low, high in intervals if low is not None and high is not None]
    if len(known) < len(intervals):
        return None, None
    return min(low for low, _ in known), max(high for _, high in known)


def cluster_names(
    items: Iterable[SentenceItem], kind: Kind, cluster: str | Sequence[str] | None
) -> tuple[str, ...]:
    """Names of what items share; none if they are taken as independent. What they do not have is an error."""
    if cluster is None:
        return ()
    columns = dict.fromkeys(key for one in items for key in one.columns)
    own = (CONTRAST, FRAME, "category") if kind == "pairs" else ()
    if cluster == AUTO:
        return own[:2] or tuple(key for key in columns if key == TARGET)
    names = (cluster,) if isinstance(cluster, str) else tuple(cluster)
    if not 1 <= len(set(names)) == len(names) <= (2 if own else 1):
        more = ", or two that are crossed" if own else ": triples share one thing"
        raise InputError(f"cluster is {in_short(cluster)}.", hint=f"name one column{more}.")
    known = dict.fromkeys((*own, *columns))
    for name in names:
        if name not in known:
            raise UnknownNameError("column", name, (AUTO, *known))
    return names


def contrast_and_frame(one: ScoredItem) -> tuple[str, str]:
    """The words in which the first two sentences of an item differ, in one order, and the others."""
    first, second = _words(one.item.sentences[:2])
    frame: list[str] = []
    apart: tuple[list[str], list[str]] = ([], [])
    for what, i, j, k, m in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        frame += first[i:j] if what == "equal" else ["_"]
        if what != "equal":
            apart[0].extend(first[i:j])
            apart[1].extend(second[k:m])
    return " / ".join(sorted(" ".join(some) for some in apart)), " ".join(frame)


def _words(texts: Sequence[str]) -> list[list[str]]:
    """The words of sentences without case; characters where nothing is between words."""
    spaced = any(" " in text for text in texts)
    return [_WORD.findall(text.casefold()) if spaced else list(text.casefold()) for text in texts]

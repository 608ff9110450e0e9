"""Tables A9 and A10 of the ABC study and the text of its section 5.2, about pairs of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from crossroads.core.errors import InputError, UnknownNameError, join_words, one_of
from crossroads.core.stimuli import catalog
from crossroads.papers.abc.tables import (
    MEASURES,
    PAIRED,
    TABLES,
    TRAITS,
    as_published,
    model_of,
    other_templates,
    table_cell,
)
from crossroads.papers.cells import Cell, credible, judge
from crossroads.traits.measures.files import Scores
from crossroads.traits.pairs.dominance import domain_dominance
from crossroads.traits.pairs.emergent import Direction, EmergentResult, emergent
from crossroads.traits.pairs.identities import pair_scores
from crossroads.traits.pairs.material import paired_groups
from crossroads.traits.pairs.order import order_sensitivity
from crossroads.traits.pairs.truth import Key, against, poles

Found = TypeVar("Found")
Truth = Mapping[Key, Iterable[str]]
_RESAMPLES = 200
"""Number of resamples: few, as the interval is not shown, but one alone may hold no pair."""
_SAID_OF = tuple((race, who) for race in ("Asian", "Black", "Hispanic", "White") for who in ("man", "woman"))
"""Pairs of the catalogue in the study of Ghavami and Peplau (2013)."""


class ByAdjective(NamedTuple):
    """Scores of single adjectives instead of pairs of them."""

    groups: tuple[str, ...]
    traits: tuple[str, ...]
    scores: Any


class PairedScores:
    """Scores of pairs by their singular and of single groups, measured once under each convention.

    Of several templates known one by one, that of the paper is taken. ``truth`` is what people listed for
    pairs, and ``same`` whether the scores are of the paper's model.
    """

    def __init__(self, scores: Scores, truth: Truth | None = None, *, same: bool = True) -> None:
        measure = str(getattr(scores, "measure", ""))
        if measure in MEASURES.values() and measure != MEASURES["SeT"]:
            raise InputError(
                f"the scores of the pairs are those of {measure}.",
                hint="the paper paired groups with SeT only: crossroads probe FOLDER --pairs -C measure=set.",
            )
        self._traits = catalog().traits("abc-traits")
        self._ends = poles(self._traits)
        for item in chain.from_iterable((truth or {}).values()):
            one_of("end of a scale, or adjective,", item, (*dict.fromkeys(self._ends.values()), *self._ends))
        known = sum(pair.name in scores.traits for pair in self._traits)
        several = getattr(scores, "template_scores", None) is not None
        thin = [
            other_templates(PAIRED, scores) if several else "",
            f"scored on {known} of {TRAITS} pairs of traits" if known < TRAITS else "",
        ]
        self.same, self._truth, self._thin = same, truth, "; ".join(filter(None, thin))
        self._scores: Scores = as_published(PAIRED, scores)
        rows = zip(self._scores.groups, self._scores.scores, strict=True)
        finite = {name for name, row in rows if all(isfinite(float(value)) for value in row)}
        self._every = paired_groups()
        self._pairs = tuple(pair for pair in self._every if {pair.name, *pair.components} <= finite)
        self._results: dict[tuple[object, ...], Any] = {}
        self._faults: dict[object, str] = {}

    def lacking(self, method: str, about: Any, ours: float | None) -> str:
        """What the scores lack for a number to be comparable, or to be there at all; empty if nothing.

        The number is that of a method with this first argument.
        """
        if method == "agreement" and self._truth is None:
            return str(TABLES["get"]["answers"])
        if ours is None and not self._pairs:
            return "no pair of the catalogue is scored together with its two groups"
        if ours is None and method in self._faults:
            return self._faults[method]
        if method == "rise":
            few = [self._absent(about) or self._thin]
        elif method == "agreement":
            few = [self._unlisted(), self._thin]
        else:
            domains = about if method == "correlation" else ()
            wanted, here = (
                sum(not domains or set(pair.domains) == set(_names(domains)) for pair in pairs)
                for pairs in (self._every, self._pairs)
            )
            named = f" of {' and '.join(domains)}" if domains else ""
            few = [f"{here:,} of {wanted:,} pairs{named} are scored" if here < wanted else "", self._thin]
        none = "the scores of the pairs do not give this number" if ours is None else ""
        return "; ".join(filter(None, few)) or none

    def _absent(self, pair: str) -> str:
        """Why a pair is not measured; empty if it is."""
        scored = any(one.name == pair for one in self._pairs)
        return "" if scored else f"{pair!r} or one of its two groups is not among the scores"

    def _unlisted(self) -> str:
        """The pairs of the study that are missing in the list of human answers; empty if none is."""
        sets = {pair.name.casefold(): frozenset(pair.components) for pair in self._every}
        keys = self._truth or {}
        listed = {sets.get(key.casefold()) if isinstance(key, str) else frozenset(key) for key in keys}
        absent = [" and ".join(two) for two in _SAID_OF if frozenset(two) not in listed]
        return f"the list of human answers lacks {join_words(absent, most=4)}" if absent else ""

    def correlation(self, domains: tuple[str, str], at: int, *, adjectives: bool = False) -> float | None:
        """Mean correlation of the pairs of two domains with their component of the first or second."""

        def measure() -> dict[tuple[str, str], float]:
            rows = domain_dominance(self._scored(adjectives), self._pairs).domain_pairs
            ahead = {(row.domain1, row.domain2): row.correlation1 for row in rows}
            return ahead | {(row.domain2, row.domain1): row.correlation2 for row in rows}

        found, names = self._once(("correlation", adjectives), measure), _names(domains)
        return None if found is None else found.get((names[at], names[1 - at]))

    def order(
        self, which: str, *, adjectives: bool = False, across: bool = False, other_pairs: bool = False
    ) -> float | None:
        """A mean correlation: with the ``first``, ``second`` or ``highest`` component, or ``reversed``.

        Of single adjectives; without pairs within a domain (``across``); or over the pairs given in both
        orders instead of all pairs, or the reverse (``other_pairs``).
        """
        pairs = [one for one in self._pairs if not across or one.domains[0] != one.domains[1]]

        measure = partial(order_sensitivity, pairs=pairs, resamples=_RESAMPLES)
        found = self._once(("order", adjectives, across), lambda: measure(self._scored(adjectives)))
        if found is None:
            return None
        if not other_pairs:
            mean = getattr(found, which)
            return None if mean is None else float(mean.mean)
        if which != "highest":
            return float(getattr(found, f"tau_{which}").mean())
        both = {name for two in found.reversals for name in two}
        rows = zip(found.pairs, found.tau_first.tolist(), found.tau_second.tolist(), strict=True)
        closer = [max(first, second) for name, first, second in rows if name in both]
        return sum(closer) / len(closer) if closer else None

    def rise(self, pair: str, adjective: str, at: int, *, on: str = "adjectives") -> float | None:
        """Increase of a pair over both components (``at=0``), or the larger component score (``at=1``).

        Of adjectives, or of the pairs of traits that they are an end of (``on="traits"``).
        """
        options: dict[str, Any] = {"missing": "raise", "adjectives": on == "adjectives"}
        found = self._once(("rise", on), lambda: pair_scores(self._scores, self._pairs, None, **options))
        names = [] if found is None else [scored.name for scored in found.pairs]
        column, sign = adjective, 1.0
        if on == "traits":
            trait = next(one for one in self._traits if adjective in (one.left, one.right))
            column, sign = trait.name, 1.0 if adjective == trait.right else -1.0
        if found is None or pair not in names or column not in found.traits:
            return None
        i, j = names.index(pair), found.traits.index(column)
        whole, first, second = (sign * float(part[i, j]) for part in (found.whole, found.first, found.second))
        nearer = max(first, second)
        return nearer if at else whole - nearer

    def agreement(self, which: str, *, by: str = "ends", direction: Direction = "above") -> float | None:
        """``precision`` or ``recall`` of emergent traits against human answers.

        Compared are the ``ends`` of the scales, the ``scales``, or ``adjectives``, if they were listed.
        """
        if self._truth is None:
            return None
        unscored = [self._absent(pair.name) for pair in self._every if pair.name in self._truth]
        if any(unscored):
            self._faults.setdefault("agreement", next(filter(None, unscored)))
            return None
        scales = {adjective: end.partition(" ")[2] for adjective, end in self._ends.items()}
        dimensions = {"ends": self._ends, "scales": scales}.get(by)
        truth, found = self._sorted_into(dimensions), self._emergent()
        if truth is None or found is None:
            return None
        result = self._once(
            ("agreement", by, direction),
            lambda: against(found, truth, dimensions=dimensions, direction=direction, draws=1),
        )
        value = None if result is None else getattr(result, which)
        return None if value is None else float(value)

    def _sorted_into(self, dimensions: Mapping[str, str] | None) -> dict[Key, list[str]] | None:
        """Human answers by dimension, or by adjective; None if the list does not have them so."""

        def dimension(item: str) -> str:
            if dimensions is None:
                return item
            # an end of a scale, or its scale if ends do not count
            end = item if item in dimensions.values() else item.partition(" ")[2]
            return dimensions.get(item, end)

        truth = self._truth or {}
        found = {key: list(dict.fromkeys(map(dimension, listed))) for key, listed in truth.items()}
        unknown = any(item not in self._ends for items in found.values() for item in items)
        return None if dimensions is None and unknown else found

    def largest(self, n: int) -> list[tuple[str, str]] | None:
        """Pairs and adjectives with the largest increases."""
        found = self._emergent()
        return None if found is None else [(r["pair"], r["trait"]) for r in found.top(n, direction="above")]

    def _emergent(self) -> EmergentResult | None:
        return self._once(("emergent",), lambda: emergent(self._scores, self._pairs, null="none"))

    def _scored(self, adjectives: bool) -> Scores:
        values = getattr(self._scores, "adjective_scores", None)
        if not adjectives:
            return self._scores
        if values is None:
            raise InputError("the scores are not known by adjective.")
        return ByAdjective(tuple(self._scores.groups), tuple(getattr(self._scores, "adjectives", ())), values)

    def _once(self, key: tuple[object, ...], measure: Callable[[], Found]) -> Found | None:
        """Measure something once and cache it; None, with the fault recorded, if it cannot be measured.

        The usual convention is measured before others, so that its fault is recorded first.
        """
        if key not in self._results:
            self._results[key] = None
            try:
                self._results[key] = measure() if self._pairs else None
            except InputError as error:
                hint = f"; {error.hint}" if isinstance(error, UnknownNameError) else ""
                self._faults.setdefault(key[0], f"{error.message.rstrip('.')}{hint}".rstrip("."))
        found: Found | None = self._results[key]
        return found


def _names(domains: Iterable[str]) -> list[str]:
    """Domains of the catalogue, by the names of Table A9."""
    return [TABLES["domains"][domain] for domain in domains]


Options = Mapping[str, Mapping[str, Any]]
"""Other conventions by name, with the options that give them."""
_BY_ADJECTIVE: Options = {"scores of the 32 adjectives instead of the 16 pairs of them": {"adjectives": True}}
_BY_TRAIT: Options = {"scores of opposite pairs of adjectives instead of single ones": {"on": "traits"}}
_OTHER_ORDERS: Options = {**_BY_ADJECTIVE, "without the pairs within a domain": {"across": True}}
_ALL_PAIRS: Options = {"over all pairs, also those given in one order only": {"other_pairs": True}}
_BOTH_ORDERS: Options = {"over only the pairs given in both orders": {"other_pairs": True}}
_OTHER_AGREEMENT: Options = {
    "above both components or below both": {"direction": "both"},
    "scales without their ends": {"by": "scales"},
    "single adjectives": {"by": "adjectives"},
}
_TEXT: Mapping[str, tuple[str, str, Options]] = {
    "correlation with the first component": ("order", "first", {**_OTHER_ORDERS, **_ALL_PAIRS}),
    "correlation with the second component": ("order", "second", {**_OTHER_ORDERS, **_ALL_PAIRS}),
    "correlation with the closer component": ("order", "highest", {**_OTHER_ORDERS, **_BOTH_ORDERS}),
    "correlation of the two orders": ("order", "reversed", _OTHER_ORDERS),
    "precision of emergent traits": ("agreement", "precision", _OTHER_AGREEMENT),
    "recall of emergent traits": ("agreement", "recall", _OTHER_AGREEMENT),
}
"""Numbers of the text: the method that measures each, which of its numbers, and other conventions."""
Place = tuple[str, str, str, str]
"""Table, row, column, and the number as printed."""


def _printed() -> Iterator[tuple[Place, Options, str, tuple[Any, ...]]]:
    """Every printed number about pairs, with other conventions, and the method that measures it."""
    source = TABLES
    for one, two, *values in source["tableA9"]["rows"]:
        for at, domain in enumerate((one, two)):
            place = ("tableA9", f"{one} and {two}", f"correlation with {domain}", f"{values[at]:.3f}")
            yield place, _BY_ADJECTIVE, "correlation", ((one, two), at)
    for column, value in source["text"].items():
        method, which, others = _TEXT[column]
        yield ("Text of 5.2", PAIRED, column, f"{value:.2f}"), others, method, (which,)
    for group, trait, *values in source["tableA10"]["rows"]:
        for at, column in enumerate(("increase", "component score")):
            place = ("tableA10", f"{group}, {trait}", column, f"{values[at]:.4f}")
            yield place, _BY_TRAIT, "rise", (group, trait, at)


def pair_cells(pairs: PairedScores | None) -> list[Cell]:
    """Every cell about pairs of groups: as printed, and as measured if pairs were scored."""
    return credible(_cell(pairs, *printed) for printed in _printed())


def _cell(
    pairs: PairedScores | None, place: Place, others: Options, method: str, arguments: tuple[Any, ...]
) -> Cell:
    if pairs is None:
        how = TABLES["get"]["pairs and answers" if method == "agreement" else "pairs"]
        return table_cell(*place, None, absent=how)
    measure: Callable[..., float | None] = partial(getattr(pairs, method), *arguments)
    ours = measure()
    attempts = [(name, partial(measure, **options)) for name, options in others.items()]
    judges = partial(judge, place[3], attempts=attempts)
    other = "" if pairs.same else model_of(PAIRED)
    lacking = pairs.lacking(method, arguments[0], ours)
    return table_cell(*place, ours, judges, lacking=lacking, other=other)


def notes_on_pairs(pairs: PairedScores | None) -> Iterator[str]:
    """Notes on the pairs, and how far the largest increases agree."""
    if pairs is None:
        return
    yield (
        "The paper does not print its list of paired groups; ours holds every pair of Table A10 and is made "
        "by rules, so that means over pairs may differ for that reason alone. "
        "Scores are taken as given: other versions of SeT (crossroads probe -C score=code, -C bias) cannot "
        "be tried here."
    )
    printed = [(group, trait) for group, trait, *_ in TABLES["tableA10"]["rows"]]
    largest = pairs.largest(len(printed))
    if largest is not None:
        same = len(set(printed) & set(largest))
        yield f"{same} of the {len(printed)} associations of Table A10 are among our {len(printed)} largest."

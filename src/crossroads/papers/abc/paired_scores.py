"""Scores of pairs of groups, and every number about them that the ABC study prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeVar

from crossroads.errors import InputError, UnknownNameError, join_words, one_of
from crossroads.measures.pairs.dominance import domain_dominance
from crossroads.measures.pairs.emergent import Direction, EmergentResult, emergent
from crossroads.measures.pairs.identities import PairScores, pair_scores
from crossroads.measures.pairs.order import OrderSensitivityResult, order_sensitivity
from crossroads.measures.pairs.truth import Key, against, poles
from crossroads.measures.traits.files import Scores
from crossroads.measures.traits.scores import TraitScores
from crossroads.papers.abc.tables import MEASURES, TRAITS, paired_column, templates_of
from crossroads.papers.published import table
from crossroads.stimuli import catalog
from crossroads.stimuli.identities.pairs import PairedGroup, paired_groups

Found = TypeVar("Found")
Truth = Mapping[Key, Iterable[str]]
_RESAMPLES = 200
"""Number of resamples: few, as the interval is not shown, but one alone may hold no pair."""
_SAID_OF = tuple((race, who) for race in ("Asian", "Black", "Hispanic", "White") for who in ("man", "woman"))
"""Pairs of the catalogue in the study of Ghavami and Peplau (2013)."""


@dataclass(frozen=True)
class ByAdjective:
    """Scores of single adjectives instead of pairs of them."""

    groups: tuple[str, ...]
    """The groups."""
    traits: tuple[str, ...]
    """The adjectives."""
    scores: Any
    """Groups × adjectives."""


class PairedScores:
    """Scores of pairs and of their components, measured once under each convention.

    Parameters
    ----------
    scores
        Scores of the pairs under their singular, and of single groups. Of several templates known one by one,
        that of the paper is taken.
    truth
        What people listed for pairs, as ends of the scales or as adjectives.
    same
        Whether the scores are of the paper's model.
    """

    def __init__(self, scores: Scores, truth: Truth | None = None, *, same: bool = True) -> None:
        measure = str(getattr(scores, "measure", ""))
        if measure in MEASURES.values() and measure != MEASURES["SeT"]:
            raise InputError(
                f"the scores of the pairs are those of {measure}.",
                hint="the paper paired groups with SeT only: crossroads probe FOLDER --pairs --measure set.",
            )
        self.same = same
        self.truth = None if truth is None else _checked(truth)
        self.scores, self.thin = _published(scores)
        known = {name: i for i, name in enumerate(self.scores.groups)}
        rows = self.scores.scores
        finite = {name for name, i in known.items() if all(isfinite(float(value)) for value in rows[i])}
        self._asked = paired_groups()
        self.pairs = tuple(pair for pair in self._asked if {pair.name, *pair.components} <= finite)
        self._kept: dict[tuple[object, ...], Any] = {}
        self._faults: dict[object, str] = {}

    def lacking(self, domains: tuple[str, str] | None = None) -> str:
        """What the given scores lack of all pairs, or of those of two domains; empty if nothing."""
        about = "" if domains is None else f" of {domains[0]} and {domains[1]}"
        wanted = len([pair for pair in self._asked if _is_in(pair, domains)])
        here = len([pair for pair in self.pairs if _is_in(pair, domains)])
        if here < wanted:
            few = f"{here:,} of {wanted:,} pairs{about} are scored"
            return f"{few}; {self.thin}" if self.thin else few
        return self.thin

    def fault(self, kind: str) -> str:
        """Why nothing of a kind could be measured: ``domains``, ``orders``, ``table`` or ``truth``."""
        if not self.pairs:
            return "no pair of the catalogue is scored together with its two groups"
        return self._faults.get(kind, "")

    def absent(self, pair: str) -> str:
        """Why a pair is not measured; empty if it is."""
        if any(one.name == pair for one in self.pairs):
            return ""
        return f"{pair!r} or one of its two groups is not among the scores"

    @property
    def unlisted(self) -> str:
        """The pairs of the study that are missing in the list of human answers; empty if none is."""
        components = {pair.name.casefold(): frozenset(pair.components) for pair in self._asked}
        listed = {
            components.get(key.casefold()) if isinstance(key, str) else frozenset(key)
            for key in self.truth or ()
        }
        absent = [" and ".join(two) for two in _SAID_OF if frozenset(two) not in listed]
        few = f"the list of human answers lacks {join_words(absent, most=4)}" if absent else ""
        return "; ".join(filter(None, (few, self.thin)))

    def correlation(self, domains: tuple[str, str], at: int, *, adjectives: bool = False) -> float | None:
        """Mean correlation of the pairs of two domains with their component of the first or second."""
        names = table("abc")["domains"]
        asked = [names[domain] for domain in domains]

        def measure() -> dict[tuple[str, str], float]:
            found = domain_dominance(self._scored(adjectives), self.pairs)
            return {
                key: value
                for row in found.domain_pairs
                for key, value in (
                    ((row.domain1, row.domain2), row.correlation1),
                    ((row.domain2, row.domain1), row.correlation2),
                )
            }

        found = self._once(("domains", adjectives), measure)
        return None if found is None else found.get((asked[at], asked[1 - at]))

    def order(self, which: str, *, adjectives: bool = False, across: bool = False) -> float | None:
        """A mean correlation: with the ``first``, ``second`` or ``highest`` component, or ``reversed``."""
        found = self._orders(adjectives, across)
        mean = None if found is None else getattr(found, which)
        return None if mean is None else float(mean.mean)

    def other_pairs(self, which: str) -> float | None:
        """The mean over the pairs given in both orders instead of over all pairs, or the reverse."""
        found = self._orders(False, False)
        if found is None:
            return None
        if which != "highest":
            return float(getattr(found, f"tau_{which}").mean())
        both = {name for two in found.reversals for name in two}
        rows = zip(found.pairs, found.tau_first.tolist(), found.tau_second.tolist(), strict=True)
        closer = [max(first, second) for name, first, second in rows if name in both]
        return sum(closer) / len(closer) if closer else None

    def rise(self, pair: str, adjective: str, at: int, *, on: str = "adjectives") -> float | None:
        """Increase of a pair over both components (``at=0``), or the larger component score (``at=1``)."""
        found = self._once(("table", on), lambda: self._table(on))
        names = [] if found is None else [one.name for one in found.pairs]
        column, sign = self._end(adjective, on)
        if found is None or pair not in names or column not in found.traits:
            return None
        i, j = names.index(pair), found.traits.index(column)
        whole, first, second = (sign * float(part[i, j]) for part in (found.whole, found.first, found.second))
        nearer = max(first, second)
        return nearer if at else whole - nearer

    def agreement(
        self, which: str, dimensions: Mapping[str, str] | None, *, direction: Direction = "above"
    ) -> float | None:
        """Precision or recall of emergent traits against human answers.

        Parameters
        ----------
        which
            ``"precision"`` or ``"recall"``.
        dimensions
            The dimension of each adjective; None to compare adjectives, if these were listed.
        direction
            As in :func:`~crossroads.pairs.against`.
        """
        unscored = [self.absent(pair.name) for pair in self._asked if pair.name in (self.truth or {})]
        if any(unscored):
            self._faults.setdefault("truth", next(filter(None, unscored)))
            return None
        truth, found = _sorted_into(self.truth or {}, dimensions), self._emergent()
        if truth is None or found is None:
            return None
        key = ("truth", dimensions is None, tuple(sorted(set((dimensions or {}).values()))), direction)
        result = self._once(
            key, lambda: against(found, truth, dimensions=dimensions, direction=direction, permutations=1)
        )
        value = None if result is None else getattr(result, which)
        return None if value is None else float(value)

    def largest(self, n: int) -> list[tuple[str, str]] | None:
        """Pairs and adjectives with the largest increases."""
        found = self._emergent()
        return None if found is None else [(r["pair"], r["trait"]) for r in found.top(n, direction="above")]

    def _emergent(self) -> EmergentResult | None:
        return self._once(("emergent",), lambda: emergent(self.scores, self.pairs, null="none"))

    def _orders(self, adjectives: bool, across: bool) -> OrderSensitivityResult | None:
        pairs = [one for one in self.pairs if not across or one.domains[0] != one.domains[1]]
        return self._once(
            ("orders", adjectives, across),
            lambda: order_sensitivity(self._scored(adjectives), pairs, resamples=_RESAMPLES),
        )

    def _table(self, on: str) -> PairScores:
        return pair_scores(self.scores, self.pairs, None, missing="raise", adjectives=on == "adjectives")

    def _end(self, adjective: str, on: str) -> tuple[str, float]:
        """The column of an adjective: itself, or its pair with the sign of its end."""
        if on == "adjectives":
            return adjective, 1.0
        return next(
            (pair.name, 1.0 if adjective == pair.right else -1.0)
            for pair in catalog().traits("abc-traits")
            if adjective in (pair.left, pair.right)
        )

    def _scored(self, adjectives: bool) -> Scores:
        values = getattr(self.scores, "adjective_scores", None)
        if not adjectives:
            return self.scores
        if values is None:
            raise InputError("the scores are not known by adjective.")
        return ByAdjective(tuple(self.scores.groups), tuple(getattr(self.scores, "adjectives", ())), values)

    def _once(self, key: tuple[object, ...], measure: Callable[[], Found]) -> Found | None:
        """Measure something once and cache it; None, with the fault recorded, if it cannot be measured.

        The usual convention is measured before others, so that its fault is recorded first.
        """
        if key not in self._kept:
            try:
                self._kept[key] = measure() if self.pairs else None
            except InputError as error:
                self._kept[key] = None
                hint = f"; {error.hint}" if isinstance(error, UnknownNameError) else ""
                self._faults.setdefault(key[0], f"{error.message.rstrip('.')}{hint}".rstrip("."))
        found: Found | None = self._kept[key]
        return found


def _published(scores: Scores) -> tuple[Scores, str]:
    """The scores under the paper's template, and what they lack of the paper's templates and traits."""
    printed = templates_of(paired_column())
    said = []
    if isinstance(scores, TraitScores) and scores.templates and scores.template_scores is not None:
        if set(printed) <= set(scores.templates):
            scores = scores.with_templates(printed)
        else:
            said.append(f"scored with other templates than the paper's {' '.join(printed)!r}")
    known = {pair.name for pair in catalog().traits("abc-traits")}
    here = len(known & set(scores.traits))
    if here < TRAITS:
        said.append(f"scored on {here} of {TRAITS} pairs of traits")
    return scores, "; ".join(said)


def _is_in(pair: PairedGroup, domains: tuple[str, str] | None) -> bool:
    names = table("abc")["domains"]
    return domains is None or set(pair.domains) == {names[domain] for domain in domains}


def _checked(truth: Truth) -> Truth:
    """Check that every name of the list is known: ends of scales, or adjectives."""
    ends = poles(catalog().traits("abc-traits"))
    known = (*dict.fromkeys(ends.values()), *ends)
    for listed in truth.values():
        for item in listed:
            one_of("end of a scale, or adjective,", item, known)
    return truth


def _sorted_into(truth: Truth, dimensions: Mapping[str, str] | None) -> dict[Key, list[str]] | None:
    """Human answers by dimension, or by adjective; None if the list does not have them so."""
    found: dict[Key, list[str]] = {}
    for key, listed in truth.items():
        names = []
        for item in listed:
            if dimensions is None:
                names.append(item)
            elif item in dimensions:
                names.append(dimensions[item])
            else:  # an end of a scale, or its scale if ends do not count
                names.append(item if item in dimensions.values() else item.partition(" ")[2])
        found[key] = list(dict.fromkeys(names))
    adjectives = poles(catalog().traits("abc-traits"))
    if dimensions is None and any(one not in adjectives for listed in found.values() for one in listed):
        return None
    return found

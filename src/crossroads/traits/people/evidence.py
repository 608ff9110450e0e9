"""Human judgements of social groups: ratings on pairs of traits, from 0 to 100."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, InputError, UnknownNameError, in_short, one_of
from crossroads.core.evidence.embeddings import Provenance
from crossroads.core.results import read_only
from crossroads.core.stimuli import Ratings
from crossroads.traits.probe.evidence import positions

Floats = NDArray[np.float64]
LOW, HIGH = 0.0, 100.0
"""Ends of the scale: 0 is the left adjective of a pair, 100 the right one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Judgements:
    """Ratings of groups on pairs of traits by people, individually or as means only.

    Read them from a file with :func:`~crossroads.traits.read_judgements`, or
    take those of the catalogue with :meth:`from_ratings`.

    Examples
    --------
    >>> ratings = np.array([[[10.0, 80.0]], [[30.0, 90.0]]])  # two people, one group, two traits
    >>> human = Judgements(
    ...     groups=("woman",), traits=("cold-warm", "poor-wealthy"), annotators=("p", "q"), ratings=ratings
    ... )
    >>> human.means().tolist()
    [[20.0, 85.0]]
    """

    groups: tuple[str, ...]
    """The groups, by the names of the catalogue if it has them."""
    traits: tuple[str, ...]
    """The pairs of traits, left end first."""
    annotators: tuple[str, ...] = ()
    """The annotators; empty if only means are known."""
    ratings: Floats
    """Annotators × groups × traits; NaN where an annotator did not rate."""
    given: Floats = field(default_factory=lambda: np.empty((0, 0)))
    """Groups × traits: given means, which replace the ratings there; NaN elsewhere."""
    respelled: Mapping[str, str] = field(default_factory=dict)
    """Names of the file that were changed, with the new name."""
    notes: tuple[str, ...] = ()
    """Notes on the numbers for the reader."""
    provenance: Provenance = field(default_factory=lambda: Provenance(source="given as arrays"))
    """Where they came from."""

    def __post_init__(self) -> None:
        shape = (len(self.groups), len(self.traits))
        ratings = np.array(self.ratings, dtype=np.float64)
        given = np.array(self.given, dtype=np.float64) if np.size(self.given) else np.full(shape, np.nan)
        if ratings.shape != (len(self.annotators), *shape) or given.shape != shape:
            raise EvidenceError(
                f"ratings of shape {ratings.shape} and means of shape {given.shape} for "
                f"{len(self.annotators)} annotators, {shape[0]} groups and {shape[1]} traits.",
                hint="give annotators × groups × traits.",
            )
        for kind in ("group", "trait", "annotator"):
            names = getattr(self, f"{kind}s")
            if twice := [name for i, name in enumerate(names) if name in names[:i]]:
                raise EvidenceError(
                    f"the {kind} {in_short(twice[0])} occurs twice.", hint="two spellings may mean the same."
                )
        if 0 in shape:
            raise EvidenceError("there is no group or no trait.", hint="give at least one of each.")
        both = np.concatenate([ratings.ravel(), given.ravel()])
        outside = both[(both < LOW) | (both > HIGH)]
        if outside.size:
            hint = "the scale runs from 0 (left adjective) to 100 (right adjective); rescale others to it."
            raise EvidenceError(f"a judgement is {outside[0]:g}.", hint=hint)
        object.__setattr__(self, "ratings", read_only(ratings))
        object.__setattr__(self, "given", read_only(given))

    @classmethod
    def from_ratings(cls, ratings: Ratings, annotators: str) -> Judgements:
        """Published means by some annotators: ``from_ratings(catalog("abc-annotators"), "Black")``.

        ``ratings`` is an entry of the catalogue that holds ratings, and ``annotators`` a name in it.
        """
        if not isinstance(ratings, Ratings):
            raise InputError(
                f"ratings are a {type(ratings).__name__}.",
                hint="give an entry of the catalogue that holds ratings, such as catalog('abc-annotators').",
            )
        means = ratings[annotators]
        about = ratings.about
        return cls(
            groups=ratings.groups,
            traits=ratings.traits,
            ratings=np.empty((0, len(ratings.groups), len(ratings.traits))),
            given=np.array([[means[group][trait] for trait in ratings.traits] for group in ratings.groups]),
            notes=(f"Means of {annotators} annotators only ({ratings.tables[annotators]}).",),
            provenance=Provenance(
                source=about.source.text,
                format="catalogue",
                details={"entry": about.name, "annotators": annotators}
                | {"table": ratings.tables[annotators], "doi": about.source.doi},
            ),
        )

    def __repr__(self) -> str:
        people = f"{len(self.annotators)} annotators" if self.annotators else "means only"
        return f"<Judgements of {len(self.groups)} groups on {len(self.traits)} traits: {people}>"

    @cached_property
    def _means(self) -> Floats:
        given = np.isnan(self.given)
        return np.asarray(read_only(np.where(given, _mean(self.ratings), self.given)))

    def means(self) -> Floats:
        """Mean rating of each group on each trait; NaN where there is none."""
        return self._means

    def counts(self) -> NDArray[np.int64]:
        """How many people rated each group on each trait individually."""
        return np.asarray((~np.isnan(self.ratings)).sum(axis=0), dtype=np.int64)

    def raters(self, group: str) -> tuple[str, ...]:
        """The annotators who rated a group."""
        at = self.groups.index(one_of("group", group, self.groups))
        here = np.flatnonzero((~np.isnan(self.ratings[:, at])).any(axis=1))
        return tuple(self.annotators[i] for i in here)

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """Cells without a mean: group and trait."""
        return tuple((self.groups[i], self.traits[j]) for i, j in np.argwhere(np.isnan(self._means)))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The means: group → trait → score, without the cells that are missing."""
        return nested_cells(self.groups, self.traits, self._means)

    def select(self, groups: Iterable[str], traits: Iterable[str] | None = None) -> Judgements:
        """The judgements of some groups on some traits, or on all, in the order given."""
        rows = positions("group", groups, self.groups)
        columns = positions("trait", traits, self.traits)
        return replace(
            self,
            groups=tuple(self.groups[i] for i in rows),
            traits=tuple(self.traits[j] for j in columns),
            ratings=self.ratings[:, rows][:, :, columns],
            given=self.given[np.ix_(rows, columns)],
        )

    def subgroup(self, annotators: Iterable[str]) -> Judgements:
        """The judgements of some annotators only.

        Means that were given for all annotators do not apply to some of them, and are left out; groups
        that none of them rated have no means.
        """
        if not self.annotators:
            means = "these judgements are means over all annotators."
            raise EvidenceError(means, hint="read the file with the answers of each annotator.")
        rows = positions("annotator", annotators, self.annotators)
        return replace(
            self,
            annotators=tuple(self.annotators[i] for i in rows),
            ratings=self.ratings[rows],
            given=np.full(self.given.shape, np.nan),
        )

    def where(self, demographics: Mapping[str, Mapping[str, str]], **wanted: str) -> Judgements:
        """The judgements of the annotators with given demographics: ``where(people, gender="female")``.

        ``demographics`` are columns and values of each annotator, as
        :func:`~crossroads.traits.people.files.read_demographics` returns them; case does not matter.
        """
        chosen = list(self.annotators)
        columns = dict.fromkeys(name for about in demographics.values() for name in about)
        for column, value in wanted.items():
            one_of("column of the demographics", column, columns)
            values = {name: about.get(column, "") for name, about in demographics.items()}
            if value.casefold() not in map(str.casefold, values.values()):
                raise UnknownNameError(column, value, sorted({*values.values()} - {""}))
            chosen = [name for name in chosen if values.get(name, "").casefold() == value.casefold()]
        return self.subgroup(chosen)

    def halves(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Means of two random halves of the people, divided again for each group.

        NaN where a half has no rating, for example where only means are known.
        """
        halves = np.full((2, *self.given.shape), np.nan)
        for g in range(len(self.groups)):
            order = rng.permutation(np.flatnonzero(~np.isnan(self.ratings[:, g]).all(axis=1)))
            for half, members in enumerate((order[: len(order) // 2], order[len(order) // 2 :])):
                halves[half, g] = _mean(self.ratings[members, g])
        return halves[0], halves[1]


def nested_cells(groups: Iterable[str], traits: Sequence[str], values: Floats) -> dict[str, dict[str, float]]:
    """The cells of a table: group → trait → value, without those that are NaN."""
    return {
        group: {trait: float(v) for trait, v in zip(traits, row, strict=True) if not np.isnan(v)}
        for group, row in zip(groups, values, strict=True)
    }


def _mean(ratings: Floats) -> Floats:
    """Mean over the first dimension; NaN where nothing was rated."""
    rated = ~np.isnan(ratings)
    counts = rated.sum(axis=0)
    totals = np.where(rated, ratings, 0.0).sum(axis=0)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)

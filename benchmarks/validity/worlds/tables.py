"""Worlds of groups × traits: scores of a model beside those of people, and scores of paired identities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import asin, pi
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from crossroads.errors import one_of
from crossroads.geometry import Floats
from crossroads.inference.bootstrap import generator
from crossroads.inference.options import number, whole
from crossroads.measures.traits.scores import TraitScores
from crossroads.stimuli.frozen import FrozenDict
from crossroads.stimuli.identities.pairs import PairedGroup

TraitKind = Literal["independent", "factors", "domains", "trait levels", "group levels"]
PairKind = Literal["ordinary", "pulling groups", "heavy tails"]
TRAIT_SAYS: Mapping[str, str] = MappingProxyType(
    {
        "independent": "every cell varies by itself",
        "factors": "traits measure three things, the same three in model and people",
        "domains": "groups of a domain resemble each other",
        "trait levels": "some traits are high for every group",
        "group levels": "some groups are high on every trait",
    }
)
PAIR_SAYS: Mapping[str, str] = MappingProxyType(
    {
        "ordinary": "a pair is the mean of its components, and noise",
        "pulling groups": "some groups pull their pairs more than others do, in both domains alike",
        "heavy tails": "a pair is the mean of its components, and noise with heavy tails (t with 3 df)",
    }
)
_FACTORS = 3


class TraitTruth(NamedTuple):
    """What is true of a model and people."""

    tau: float
    """Kendall's τ of the population of cells."""
    null: bool
    """Whether model and people have nothing to do with each other."""
    says: str
    """The world in a sentence."""


class TraitWorld(NamedTuple):
    """One world: scores of a model, judgements of people (0 to 100), and what is true."""

    model: dict[str, dict[str, float]]
    """Group to trait to score of the model."""
    human: dict[str, dict[str, float]]
    """Group to trait to mean judgement."""
    truth: TraitTruth
    """What is true of them."""
    domains: dict[str, str]
    """Domain of each group."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TraitWorlds:
    """Many worlds at once, as arrays; ``worlds[i]`` is one as a :class:`TraitWorld`."""

    model: Floats
    """Scores of the model: worlds × groups × traits."""
    human: Floats
    """Judgements of people from 0 to 100, of the same shape."""
    domains: tuple[int, ...]
    """Domain of each group."""
    truth: TraitTruth
    """What is true of them."""

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, index: int) -> TraitWorld:
        groups = [f"group {i}" for i in range(1, self.model.shape[1] + 1)]
        model, human = (_nested(groups, table[index]) for table in (self.model, self.human))
        domains = {group: f"domain {d + 1}" for group, d in zip(groups, self.domains, strict=True)}
        return TraitWorld(model, human, self.truth, domains)

    def __iter__(self) -> Iterator[TraitWorld]:
        return (self[i] for i in range(len(self)))


def trait_worlds(
    kind: TraitKind = "independent",
    *,
    worlds: int = 1,
    groups: int = 16,
    traits: int = 16,
    domains: int = 4,
    effect: float = 0.0,
    strength: float = 1.0,
    seed: int = 0,
) -> TraitWorlds:
    """Draw scores of a model and judgements of people whose agreement is known.

    Both are sums of normal variables: one per cell, and one per thing that cells have in common, which
    depends on the kind of world. Each variable of the model has the same correlation with that of people, so
    that Kendall's τ of the population is 2 / π · arcsin of it, whatever cells have in common.

    Parameters
    ----------
    kind
        ``"independent"``; ``"factors"`` (traits measure three things, in the model as in people);
        ``"domains"`` (groups of a domain resemble each other); ``"trait levels"`` (a trait is high or low for
        all groups); ``"group levels"``.
    worlds
        How many.
    groups, traits
        Rows and columns of a table.
    domains
        Number of domains, of groups in equal parts.
    effect
        Correlation of model and people, from −1 to 1.
    strength
        Standard deviation of what cells have in common, where that of a single cell is 1.
    seed
        Of the draws.

    Examples
    --------
    >>> import crossroads as cr
    >>> model, people, truth, _ = cr.worlds.trait_worlds("trait levels", seed=2)[0]
    >>> result = cr.align(model, people, bootstrap=200)
    >>> truth.tau, result.kendall_pvalue < 0.01, round(result.exchanges["traits"].pvalue, 1)
    (0.0, True, 0.1)
    """
    one_of("kind", kind, TraitKind)
    for name, value, least in (
        ("worlds", worlds, 1), ("groups", groups, 3), ("traits", traits, 3), ("domains", domains, 1),
    ):  # fmt: skip
        whole(name, value, least=least)
    rho = number("effect", effect, least=-1.0, below=1 + 1e-12, hint="give a correlation from −1 to 1.")
    number("strength", strength, least=0.0, hint="give a number that is not negative.")
    rng = generator(seed)
    of_domain = np.arange(groups) * domains // groups
    of_factor = np.arange(traits) % _FACTORS

    def both(*shape: int) -> Floats:
        """Variables of the model, and those of people."""
        model, other = rng.normal(size=(2, worlds, *shape))
        return np.stack([model, rho * model + np.sqrt(max(0.0, 1 - rho**2)) * other])

    cells = both(groups, traits)
    if kind == "factors":
        cells += strength * both(groups, _FACTORS)[..., of_factor]
    elif kind == "domains":
        cells += strength * both(domains, traits)[..., of_domain, :]
    elif kind == "trait levels":
        cells += strength * both(1, traits)
    elif kind == "group levels":
        cells += strength * both(groups, 1)
    scale = 1.0 if kind == "independent" else float(np.hypot(1.0, strength))
    return TraitWorlds(
        model=cells[0],
        human=100 / (1 + np.exp(-cells[1] / scale)),
        domains=tuple(of_domain.tolist()),
        truth=TraitTruth(2 / pi * asin(min(1.0, rho)), rho == 0, TRAIT_SAYS[kind]),
    )


class PairTruth(NamedTuple):
    """What is true of pairs and their components."""

    lean: float
    """Log odds with which pairs follow the component of the first of two domains; 0 where neither
    dominates."""
    planted: tuple[tuple[str, str], ...]
    """Pairs and traits that are more than the sum of their parts."""
    says: str
    """The world in a sentence."""


class PairWorld(NamedTuple):
    """One world: scores of groups and of their pairs, which pairs there are, and what is true of them."""

    scores: TraitScores
    """Scores of groups and pairs on traits."""
    pairs: tuple[PairedGroup, ...]
    """The pairs."""
    truth: PairTruth
    """What is true of them."""


def pair_worlds(
    kind: PairKind = "ordinary",
    *,
    worlds: int = 1,
    groups: int = 6,
    domains: int = 2,
    traits: int = 16,
    lean: float = 0.0,
    planted: int = 0,
    bump: float = 12.0,
    noise: float = 0.5,
    seed: int = 0,
) -> Iterator[PairWorld]:
    """Draw scores of paired identities of which it is known whether a domain dominates and what emerges.

    Groups have normal scores. A pair of groups of two domains scores the mean of its components, weighted by
    how much either pulls, and noise.

    Parameters
    ----------
    kind
        ``"ordinary"``: all groups pull alike. ``"pulling groups"``: some pull more than others, in all
        domains alike, so that no domain dominates. ``"heavy tails"``: noise has a t distribution with three
        degrees of freedom.
    worlds
        How many.
    groups
        Number of groups of each domain.
    domains
        Number of domains.
    traits
        Number of traits.
    lean
        Log odds with which pairs follow the component of the earlier domain.
    planted
        How many traits of pairs emerge, in random places.
    bump
        How far these lie beyond what they would be, in standard deviations of the noise.
    noise
        Standard deviation of the noise; that of groups is 1.
    seed
        Of the draws.

    Yields
    ------
    PairWorld
        One world after the other.

    Examples
    --------
    >>> import crossroads as cr
    >>> scores, pairs, truth = next(cr.worlds.pair_worlds(planted=1, seed=1))
    >>> found = cr.pairs.emergent(scores, pairs, on="traits", null="none")
    >>> most = found.rows()[0]
    >>> len(pairs), (most["pair"], most["trait"]) in truth.planted
    (36, True)
    """
    one_of("kind", kind, PairKind)
    for name, value, least in (
        ("worlds", worlds, 1), ("groups", groups, 2), ("domains", domains, 2), ("traits", traits, 3),
        ("planted", planted, 0),
    ):  # fmt: skip
        whole(name, value, least=least)
    number("lean", lean)
    number("bump", bump)
    number("noise", noise, least=0.0, hint="give a number that is not negative.")
    rng = generator(seed)
    names = [f"group {d}.{g}" for d in range(1, domains + 1) for g in range(1, groups + 1)]
    of_domain = np.arange(domains).repeat(groups)
    first, second = np.array(
        [(i, j) for i, j in combinations(range(len(names)), 2) if of_domain[i] != of_domain[j]]
    ).T
    pairs = tuple(
        PairedGroup(
            first=names[i],
            second=names[j],
            domains=(f"domain {of_domain[i] + 1}", f"domain {of_domain[j] + 1}"),
            forms=FrozenDict({"singular": f"{names[i]} × {names[j]}"}),
        )
        for i, j in zip(first.tolist(), second.tolist(), strict=True)
    )
    labels = [*names, *(pair.name for pair in pairs)]
    for _ in range(worlds):
        single = rng.normal(size=(len(names), traits))
        pull = rng.normal(size=len(names)) if kind == "pulling groups" else np.zeros(len(names))
        weight = 1 / (1 + np.exp(-(lean + pull[first] - pull[second])))[:, None]
        shape = (len(pairs), traits)
        own = rng.standard_t(3, shape) if kind == "heavy tails" else rng.normal(size=shape)
        both = weight * single[first] + (1 - weight) * single[second] + noise * own
        places = rng.choice(both.size, size=min(planted, both.size), replace=False)
        both.ravel()[places] += np.sign(both.ravel()[places]) * bump * noise
        emerging = tuple(
            (pairs[place // traits].name, f"trait {place % traits + 1}") for place in places.tolist()
        )
        table = TraitScores.from_table(_nested(labels, np.concatenate([single, both])))
        yield PairWorld(table, pairs, PairTruth(float(lean), emerging, PAIR_SAYS[kind]))


def _nested(groups: list[str], table: Floats) -> dict[str, dict[str, float]]:
    traits = [f"trait {i}" for i in range(1, table.shape[1] + 1)]
    return {
        group: dict(zip(traits, row, strict=True)) for group, row in zip(groups, table.tolist(), strict=True)
    }

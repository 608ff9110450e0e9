"""Worlds of several models, or of several lists of words, of which Δ is known on average and of each.

X and Y lie on either side of a direction, as A and B do, and how far X and Y lie apart differs by member.
What these are depends on the kind of world:

* ``same words``: models that have the words of one design. A word is 90 % the same in all of them.
* ``same attributes``: lists of targets in one model, measured with the same attributes.
* ``other words``: lists that share no word, in one model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import gammaln, hyp1f1

from crossroads.core.evidence import Embeddings
from crossroads.core.inference.geometry import Floats
from crossroads.core.stimuli import Design

from .vectors import DIM, EIGHT, SETS, Sizes, unit_length

MetaKind = Literal["same words", "same attributes", "other words"]
META_SAYS: Mapping[str, str] = {
    "same words": "several models have the same words, which are much the same in all",
    "same attributes": "several lists of targets in one model, with the same attributes",
    "other words": "several lists in one model that share no word",
}
"""What each kind of world is."""
_ALIKE = 0.9
_APART = 0.5
_GRID = np.linspace(-8, 8, 4001)


class MetaWorld(NamedTuple):
    """Members that are to be pooled, and one more."""

    models: Mapping[str, Embeddings]
    """Vectors by name: one model, or several."""
    designs: tuple[Design, ...]
    """The design of all models, or one of each list."""
    differences: tuple[float, ...]
    """Δ of the population of words of each member, the last one of the member that is left out."""
    further: tuple[Embeddings, Design]
    """That member with words of its own."""
    difference: float
    """Mean of Δ over all members that there could be."""


def cosine(shift: Floats) -> Floats:
    """Mean cosine with a direction of words that lie so far along it, with a normal vector of length 1."""
    length = np.sqrt(DIM) * shift
    constant = np.exp(gammaln((DIM + 1) / 2) - gammaln(DIM / 2 + 1)) / np.sqrt(2)
    return np.asarray(length * constant * hyp1f1(0.5, DIM / 2 + 1, -(length**2) / 2))


def meta_worlds(
    kind: MetaKind,
    *,
    worlds: int = 1,
    members: int = 5,
    sizes: Sizes = EIGHT,
    effect: float = 0.0,
    between: float = 0.0,
    vary: float = 0.0,
    seed: int = 0,
) -> Iterator[MetaWorld]:
    """Draw worlds in which X and Y lie ``effect`` ± ``between`` to either side, in each member another.

    ``vary`` is the standard deviation of the effect over worlds. With Δ = 4 · cosine(effect) · cosine(.5),
    .1 is about one ordinary association of these vectors, and of GloVe's.
    """
    rng = np.random.default_rng(seed)
    density = np.exp(-(_GRID**2) / 2)
    for _ in range(worlds):
        centre = effect + vary * rng.normal()
        shifts = centre + between * rng.normal(size=members + 1)
        apart = float(cosine(np.array(_APART)))
        truth = 4 * apart * cosine(shifts)
        mean = 4 * apart * (cosine(centre + between * _GRID) @ density) / density.sum()
        words = {key: _words(kind, key, members, n, shifts, rng) for key, n in zip(SETS, sizes, strict=True)}
        models: dict[str, Embeddings] = {}
        designs = [_design(kind, sizes, list_) for list_ in range(members + 1)]
        rows = [np.concatenate([words[key][one] for key in SETS]) for one in range(members + 1)]
        if kind == "same words":
            models = {f"model {i + 1}": Embeddings(designs[0].words, rows[i]) for i in range(members)}
            used = designs[:1]
        else:
            every = {
                word: row
                for design, some in zip(designs[:-1], rows[:-1], strict=True)
                for word, row in zip(design.words, some, strict=True)
            }
            models, used = {"model": Embeddings.from_dict(every)}, designs[:-1]
        last = Embeddings(designs[-1].words, rows[-1])
        yield MetaWorld(models, tuple(used), tuple(truth.tolist()), (last, designs[-1]), float(mean))


def _design(kind: str, sizes: Sizes, member: int) -> Design:
    """The design of a member, whose words have its number where they are its own."""
    own = {key: kind == "other words" or (kind == "same attributes" and key in "xy") for key in SETS}
    x, y, a, b = (
        [f"{key}{i}{f' of {member + 1}' if own[key] else ''}" for i in range(1, n + 1)]
        for key, n in zip(SETS, sizes, strict=True)
    )
    return Design(name=f"list {member + 1}", x=x, y=y, a=a, b=b)


def _words(kind: str, key: str, members: int, n: int, shifts: Floats, rng: np.random.Generator) -> Floats:
    """Unit vectors of a set in each member: members × words × dimensions; the last has words of its own."""
    own = rng.normal(0, 1 / np.sqrt(DIM), (members + 1, n, DIM))
    if kind == "same words":
        own[:-1] = np.sqrt(_ALIKE) * own[-1] + np.sqrt(1 - _ALIKE) * own[:-1]
        own[-1] = rng.normal(0, 1 / np.sqrt(DIM), (n, DIM))
    elif kind == "same attributes" and key in "ab":
        own[:-1] = own[0]
    side = 1.0 if key in "xa" else -1.0
    own[..., 0] += side * (shifts[:, None] if key in "xy" else _APART)
    return unit_length(own)

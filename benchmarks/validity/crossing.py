"""Crossed inference of many worlds at once, as the package does for one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import crossroads as cr
from crossroads.core.inference.copies import near_copies
from crossroads.core.inference.crossed import (
    Spread,
    agreement,
    half_width,
    spread,
    tail_probability,
    with_copies,
)

from .tally import Tally
from .worlds import VectorWorlds
from .worlds.real import Drawn

Floats = NDArray[np.float64]
CROSSED, INDEPENDENT = "crossed", "crossed, independent words"
CHECKED = 10
"""Worlds of a cell on which what is computed for many at once is held against the public functions."""
CHANCES = tuple(np.linspace(0.5, 1, 11)[:-1].round(2).tolist())
"""Lower ends of the bins of chances."""
NO, NO_ANY = "no", "no, with fewer words too"
NO_WRONG, YES_SIGN, LOW = "no, larger", "yes, sign", "effective below .7"


class Tests(NamedTuple):
    """Crossed tests of many worlds."""

    difference: Floats
    se: Floats
    df: Floats
    effective: Floats
    """Effective numbers of words: worlds × sets."""

    @property
    def pvalue(self) -> Floats:
        """Two-sided."""
        return np.asarray(tail_probability(self.difference / self.se, self.df, "two-sided"))

    def tally(self, true: Any) -> Tally:
        """How often p is small, and the interval holds the true difference; None where that is not known."""
        held = None if true is None else np.abs(self.difference - true) <= half_width(self.se, self.df, 0.95)
        return Tally.of(self.pvalue, held)


def crossed_tests(worlds: VectorWorlds, sets: str = "xyab", *, words: str = "effective") -> Tests:
    """Tests of all worlds, with the targets of some sets."""
    tables, n_x = worlds.cosines(), worlds.sizes[0]
    found = spread(tables if "y" in sets else tables[:, :n_x], n_x, worlds.sizes[2])
    total, df = np.array(found.total), np.array(found.df)
    effective = np.tile(np.asarray(found.effective, dtype=np.float64), (len(tables), 1))
    vocabulary = worlds[0][0].vocabulary
    for at in range(len(tables) if words == "effective" else 0):
        copies = [near_copies(worlds.vectors[key][at], vocabulary) for key in sets]
        if any(one.sum() > len(one) for one in copies):
            plain = Spread(
                found.difference[at], found.parts[:, at], found.cells[at], None, None, found.effective
            )
            one = with_copies(plain, len(sets) - 2, copies)
            total[at], df[at], effective[at] = one.total, one.df, one.effective
    return Tests(np.asarray(found.difference), np.sqrt(total), df, effective)


def check_public(worlds: VectorWorlds) -> None:
    """Hold what is computed for many worlds at once against the public function."""
    some = VectorWorlds(
        kind=worlds.kind,
        vectors={key: rows[:CHECKED] for key, rows in worlds.vectors.items()},
        truth=worlds.truth,
        common=worlds.common,
    )
    for expected, (emb, design) in zip(crossed_tests(some).pvalue.tolist(), some, strict=True):
        told = cr.weat(emb, design, alternative="two-sided", method="normal").crossed
        if told.pvalue is None or abs(told.pvalue - expected) > 1e-9:
            raise RuntimeError(f"{worlds.kind}: crossed p {told} is not {expected}.")


def real_tests(drawn: Drawn, margin: float | None) -> dict[str, Tally]:
    """p, interval and answers of tests on real words, and whether other words point the same way."""
    tests = crossed_tests(drawn.worlds)
    plain = crossed_tests(drawn.worlds, words="independent")
    sizes, low = np.array(drawn.worlds.sizes), tests.effective < 0.7 * np.array(drawn.worlds.sizes)
    found = {CROSSED: tests.tally(drawn.true), INDEPENDENT: plain.tally(drawn.true)}
    if min(sizes) > 3:
        found[LOW] = Tally.flagged(low.ravel())
    if drawn.others is not None:
        same = np.sign(tests.difference) == np.sign(
            crossed_tests(drawn.others, words="independent").difference
        )
        found |= _chances(tests, same)
    if margin is not None and drawn.true is not None:
        yes = tests.pvalue < 0.05
        least = np.abs(tests.difference) + half_width(tests.se, tests.df, 0.9)
        no = ~yes & (least <= margin)
        enough = 4 / (1 / tests.effective).sum(axis=1) >= 10
        small = np.abs(drawn.true) < margin
        for name, answered in ((NO, no & enough), (NO_ANY, no)):
            found[name] = Tally.flagged(answered, (answered & small).tolist())
        found[NO_WRONG] = Tally.flagged((no & enough)[~small])
        found[YES_SIGN] = Tally.of(held=(np.sign(tests.difference) == np.sign(drawn.true))[yes])
    return found


def _chances(tests: Tests, same: NDArray[np.bool_]) -> dict[str, Tally]:
    """How often others agreed, by the chance that was said."""
    of = zip(tests.difference / tests.se, tests.df, tests.effective, strict=True)
    chances = np.array([agreement(float(t), float(df), sizes.tolist()) for t, df, sizes in of])
    places = np.clip(((chances - 0.5) / 0.05).astype(int), 0, len(CHANCES) - 1)
    return {
        f"chance {low:.2f}": Tally(
            worlds=int((places == at).sum()),
            held=int(same[places == at].sum()),
            said=float(chances[places == at].sum()),
        )
        for at, low in enumerate(CHANCES)
    }

"""What is tried in a cell of the study: worlds of one kind in, counts by procedure out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

import crossroads as cr
from crossroads.comparison.battery import compare_battery
from crossroads.core.inference.permutation.rows import permutation_blocks

from .crossing import CROSSED, INDEPENDENT, check_public, crossed_tests, real_tests
from .pieces import HELD, OURS, PIECES
from .structured import STRUCTURED
from .tally import Tally
from .worlds import (
    VectorWorlds,
    block_worlds,
    context_worlds,
    dealt_worlds,
    frequency_worlds,
    meta_worlds,
    name_worlds,
    pair_worlds,
    planned_worlds,
    vector_worlds,
)
from .worlds.blocks import BlockKind
from .worlds.meta import MetaKind
from .worlds.names import TARGET, NameKind
from .worlds.real import Population, copies_worlds, margin, population_worlds
from .worlds.tables import PairKind
from .worlds.vectors import Kind

Floats = NDArray[np.float64]
Tallies = dict[str, Tally]

TARGETS, ATTRIBUTES = "targets exchanged", "attributes exchanged"
LEVEL2, LEVEL2_CROSSED = "Level 2", "Level 2 crossed"
SINGLE = "SC-WEAT"
AT_ONCE = 1000
EVERY = {**PIECES, **STRUCTURED}


@dataclass(frozen=True)
class Cell:
    """Worlds of one kind, and what is tried in them."""

    family: str
    world: str
    worlds: int
    """Worlds of procedures that are computed for many worlds at once."""
    single: int
    """Worlds of procedures that take one after the other."""
    sizes: tuple[int, int, int, int] = (8, 8, 8, 8)
    effect: float = 0.0

    @property
    def key(self) -> str:
        """What tells it from other cells. Its seed is made of this text, which stays as it was published."""
        sizes = "×".join(map(str, self.sizes))
        return f"{self.family} | {self.world} | {sizes} | effect {self.effect:g} | strength 1"


def run(cell: Cell, seed: int) -> Tallies:
    """Run a cell; equal seeds give equal counts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cr.CrossroadsWarning)
        return FAMILIES[cell.family](cell, seed)


def _batches(worlds: int, at_once: int = AT_ONCE) -> Iterator[int]:
    for start in range(0, worlds, at_once):
        yield min(at_once, worlds - start)


def exchanged(scores: Floats, n: int, alternative: Any = "two-sided") -> Floats:
    """p-values of exchanging labels: counted, or by the saddlepoint where there are too many divisions."""
    large = min(n, scores.shape[1] - n) >= 13
    method: Any = "saddlepoint" if large else "auto"
    return permutation_blocks([scores], scores.shape, n, alternative=alternative, method=method).pvalue


def _tested(sizes: tuple[int, ...], count: int) -> int:
    """In how many worlds labels are exchanged: in all, where that is quick."""
    quick = all(comb(n + m, n) <= 50_000 or min(n, m) >= 13 for n, m in (sizes[:2], sizes[2:]))
    return count if quick else min(count, 200)


def _of_vectors(worlds: VectorWorlds) -> Tallies:
    """Everything about WEAT that is computed for many worlds at once."""
    tables, truth = worlds.cosines(), worlds.truth
    n_x, _, n_a, _ = worlds.sizes
    found: Tallies = {
        CROSSED: crossed_tests(worlds).tally(truth.difference),
        INDEPENDENT: crossed_tests(worlds, words="independent").tally(truth.difference),
    }
    if n_x in (4, 8):
        found[LEVEL2_CROSSED] = crossed_tests(worlds, "xab").tally(truth.lean)
    tables = tables[: _tested(worlds.sizes, len(tables))]
    s = tables[:, :, :n_a].mean(axis=2) - tables[:, :, n_a:].mean(axis=2)
    t = tables[:, :n_x].mean(axis=1) - tables[:, n_x:].mean(axis=1)
    found[TARGETS], found[ATTRIBUTES] = Tally.of(exchanged(s, n_x)), Tally.of(exchanged(t, n_a))
    if n_x in (4, 8):
        found[LEVEL2] = Tally.of(exchanged(tables[:, :n_x].mean(axis=1), n_a))
    return found


def _one_by_one(worlds: VectorWorlds) -> Tallies:
    """What is computed for one world after the other, by the public function."""
    if worlds.kind in ("topical attributes", "both topical", "frequency in both") or not worlds.truth.null:
        return {}
    options: dict[str, Any] = {"alternative": "two-sided"}
    found = [cr.sc_weat(emb, [design.x[0]], design.a, design.b, **options) for emb, design in worlds]
    return {SINGLE: Tally.of([float(one.pvalue[0]) for one in found])}


def _added(found: Tallies, some: Tallies) -> Tallies:
    return {name: found[name] + one for name, one in some.items()} if found else some


def _vector_family(cell: Cell, seed: int, make: Callable[[int, int], VectorWorlds]) -> Tallies:
    found: Tallies = {}
    for batch, count in enumerate(_batches(cell.worlds)):
        worlds = make(count, seed + batch)
        if batch == 0:
            check_public(worlds)
        found = _added(found, _of_vectors(worlds))
    if cell.single:
        found |= _one_by_one(make(cell.single, seed + 10_000))
    return found


def vectors(cell: Cell, seed: int) -> Tallies:
    """WEAT, ML-EAT and SC-WEAT in worlds of vectors."""
    options: dict[str, Any] = {"sizes": cell.sizes, "effect": cell.effect}
    kind = _kind(cell, Kind)
    return _vector_family(cell, seed, lambda n, s: vector_worlds(kind, worlds=n, seed=s, **options))


def dealt(cell: Cell, seed: int) -> Tallies:
    """The same where real targets meet dealt attributes of the embedded vectors."""
    return _vector_family(cell, seed, lambda n, s: dealt_worlds(cell.world, worlds=n, seed=s))


def populations(cell: Cell, seed: int) -> Tallies:
    """Chances, answers, power and coverage on real words whose populations are known, or human lists."""
    kind, _, name = cell.world.partition(", ")
    found: Tallies = {}
    kind = _kind(replace(cell, world=kind), Population)
    drawn = population_worlds(name, kind, worlds=cell.worlds, sizes=cell.sizes, seed=seed)
    for at, some in enumerate(drawn):
        if at == 0:
            check_public(some.worlds)
        found = _added(found, real_tests(some, margin(name)))
    return {what: one for what, one in found.items() if one.worlds}


def copies(cell: Cell, seed: int) -> Tallies:
    """Sets with near copies, and without an association."""
    kind, _, name = cell.world.partition(", ")
    found: Tallies = {}
    for at, some in enumerate(copies_worlds(name, kind, worlds=cell.worlds, sizes=cell.sizes, seed=seed)):
        if at == 0:
            check_public(some.worlds)
        found = _added(found, real_tests(some, None))
    return found


def frequency(cell: Cell, seed: int) -> Tallies:
    """Whether an association is said to be more than frequency, where it is nothing else, or is more."""
    seen: dict[str, list[Any]] = {}
    options: dict[str, Any] = {"worlds": max(1, cell.single), "sizes": cell.sizes, "effect": cell.effect}
    for emb, design, of_list in frequency_worlds(cell.world, seed=seed, **options):
        found = cr.frequency(emb, design, frequencies=of_list, draws=200)
        _note(seen, "beyond frequency, yes", found.answer == "yes")
        _note(seen, "at equal frequency", found.adjusted.pvalue)
        _note(seen, "without regard to frequency", cr.weat(emb, design, method="normal").crossed.pvalue)
    return _tallies(seen)


def contexts(cell: Cell, seed: int) -> Tallies:
    """CEAT and multilevel CEAT."""
    options: dict[str, Any] = {"sizes": cell.sizes, "effect": cell.effect}
    kind = _kind(cell, Kind)
    found: Tallies = {}
    for batch, count in enumerate(_batches(cell.worlds, 200)):
        worlds = context_worlds(kind, worlds=count, seed=seed + batch, **options)
        tests = crossed_tests(worlds.means())
        found = _added(found, {"CEAT crossed": tests.tally(worlds.truth.difference)})
    seen: dict[str, list[Any]] = {}
    worlds = context_worlds(kind, worlds=max(1, cell.single), seed=seed + 10_000, **options)
    expected = crossed_tests(worlds.means()).pvalue
    for i, (clouds, design) in enumerate(worlds):
        one = cr.ceat(clouds, design, samples=1000)
        if one.crossed.pvalue is None or abs(one.crossed.pvalue - expected[i]) > 1e-6:
            raise RuntimeError(f"{cell.key}: crossed p {one.crossed.pvalue} is not {expected[i]}.")
        _note(seen, "CEAT, published", one.pvalue)
        _note(seen, "CEAT, targets exchanged", one.stimulus_pvalue)
        if i < cell.single // 3:
            levels = cr.mleat(clouds, design, samples=500)
            _note(seen, "CEAT Level 2, published", levels.level2["x"].pvalue)
            _note(seen, "CEAT Level 2, attributes exchanged", levels.level2["x"].stimulus_pvalue)
    return found | _tallies(seen)


def rsa(cell: Cell, seed: int) -> Tallies:
    """RSA with X and Y as groups and A as the concept."""
    seen: dict[str, list[Any]] = {}
    worlds = vector_worlds(_kind(cell, Kind), worlds=max(1, cell.single), sizes=cell.sizes, seed=seed)
    n = max(2, min(cell.sizes[:3]) - 2)
    for emb, design in worlds:
        y: Any = design.y
        one = cr.rsa(emb, design.x, y, design.a, n=n, samples=100, draws=199, splits=0)
        _note(seen, "RSA, groups exchanged", one.pvalue)
        _note(seen, "RSA, published sign test", one.sign_pvalue)
        _note_crossed(seen, "RSA crossed", one, 0.0)
    return _tallies(seen)


def projection(cell: Cell, seed: int) -> Tallies:
    """Places of two targets on an axis between the means of A and B, and between their pairs."""
    seen: dict[str, list[Any]] = {}
    worlds = vector_worlds(_kind(cell, Kind), worlds=max(1, cell.single), sizes=cell.sizes, seed=seed)
    for emb, design in worlds:
        means = cr.projection(emb, design)
        _note(seen, "projection, targets exchanged", means.pvalue)
        _note(seen, "projection, means", means.crossed.pvalue)
        _note(seen, "projection, pairs", cr.projection(emb, design, axis="pairs").crossed.pvalue)
    return _tallies(seen)


def compare(cell: Cell, seed: int) -> Tallies:
    """Two models with the same association, their words drawn apart."""
    seen: dict[str, list[Any]] = {}
    count = max(1, cell.single)
    options: dict[str, Any] = {"sizes": cell.sizes, "effect": cell.effect}
    kind = _kind(cell, Kind)
    both = [vector_worlds(kind, worlds=count, seed=seed + i, **options) for i in (0, 10_000)]
    for (one, design), (two, _) in zip(*both, strict=True):
        for scale in ("sd", "cosine"):
            choice: Any = scale
            found = compare_battery({"one": one, "two": two}, design, scale=choice)
            _note(seen, f"compare, {scale}", found.tests[0].pvalue)
        given = cr.compare(one, two, design, attributes="given")
        _note(seen, "compare, sd, attributes given", given.pvalue)
        interval = found.intervals[0]
        _note(seen, "compare, interval", interval is None or not interval.low <= 0 <= interval.high)
        _note(seen, "compare, interval held", interval is not None and interval.low <= 0 <= interval.high)
    return _tallies(seen)


def traits(cell: Cell, seed: int) -> Tallies:
    """Agreement of a model with people, whose groups and traits come in blocks that are named or not."""
    seen: dict[str, list[Any]] = {}
    kind, _, strong = cell.world.partition(", ")
    options: dict[str, Any] = {"strength": 4.0 if strong else 1.0, "effect": cell.effect, "seed": seed}
    for model, people, tau in block_worlds(
        _kind(replace(cell, world=kind), BlockKind), worlds=max(1, cell.single), **options
    ):
        for name, blocks in (("no blocks", None), ("align", "catalogue")):
            choice: Any = blocks
            one = cr.align(model, people, draws=199, resamples=1, splits=0, blocks=choice)
            _note(seen, f"{name}, groups exchanged", one.exchanges["groups"].pvalue)
            _note(seen, f"{name}, traits exchanged", one.exchanges["traits"].pvalue)
            low, high = one.interval or (-1.0, 1.0)
            _note(seen, f"{name}, interval", not low <= 0 <= high)
            _note(seen, f"{name}, interval held", low <= tau <= high)
        _note(seen, "align, published", one.kendall_pvalue)
    return _tallies(seen)


def pairs(cell: Cell, seed: int) -> Tallies:
    """Dominance of domains and emergent traits of pairs."""
    seen: dict[str, list[Any]] = {}
    kind = _kind(cell, PairKind)
    for scores, of_groups in pair_worlds(kind, worlds=max(1, cell.single), seed=seed):
        found = cr.pairs.domain_dominance(scores, of_groups)
        one = found.domain_pairs[0]
        if one.low is not None and one.high is not None:
            _note(seen, "dominance, interval", not one.low <= 0 <= one.high)
        _note(seen, "dominance, published rule", abs(one.difference) >= found.least)
        _note(seen, "emergent", bool(cr.pairs.emergent(scores, of_groups, on="traits").emergent.any()))
    return _tallies(seen)


def names(cell: Cell, seed: int) -> Tallies:
    """Words found for a group of names in a vocabulary that has nothing to do with them.

    Shares are of words: ``worlds`` counts all words of all worlds.
    """
    flagged, above, total, any_word = 0, 0, 0, []
    kind, count = _kind(cell, NameKind), max(1, cell.single)
    for emb, groups, words in name_worlds(kind, worlds=count, seed=seed):
        found = cr.discover(emb, groups, TARGET, words=words, draws=50)
        limit = cr.stats.null_threshold(emb, groups, words, TARGET, draws=50)
        scores = cr.stats.wefat(emb, groups, words, TARGET)
        top = np.max([[row[word] for word in words] for row in scores.pairs.values()], axis=0)
        flagged, total = flagged + len(found.words), total + len(words)
        above += int((top > limit).sum())
        any_word.append(bool(found.words))
    return {
        "discover, share of words": Tally(total, flagged),
        "discover, any word": Tally.flagged(any_word),
        "null_threshold, share of words": Tally(total, above),
    }


def plans(cell: Cell, seed: int) -> Tallies:
    """Words that pilots of eight per set plan for the true difference, and how often so many find it."""
    kind, _, twice = cell.world.partition(", ")
    options: dict[str, Any] = {"effect": cell.effect, "worlds": max(2, cell.single), "seed": seed}
    found = planned_worlds(_kind(replace(cell, world=kind), Kind), twice=bool(twice), **options)
    near = np.abs(found.ratios - 1) <= 0.3
    return {
        "plan, found": Tally.flagged(list(found.found)),
        "plan, standard error": Tally.of(held=near),
    }


def metas(cell: Cell, seed: int) -> Tallies:
    """Differences pooled over models or lists of words, whose mean is 0, and a further one."""
    seen: dict[str, list[Any]] = {}
    kind, _, apart = cell.world.partition(", ")
    options: dict[str, Any] = {"between": 0.2 if apart else 0.0, "worlds": max(1, cell.single), "seed": seed}
    for world in meta_worlds(_kind(replace(cell, world=kind), MetaKind), **options):
        one_model, one_list = len(world.models) == 1, len(world.designs) == 1
        models: Any = next(iter(world.models.values())) if one_model else world.models
        found = cr.meta(models, world.designs[0] if one_list else world.designs)
        _note(seen, "meta", found.pvalue)
        _note(seen, "meta held", found.low <= world.difference <= found.high)
        low, high = found.prediction_interval
        _note(seen, "meta, prediction", not low <= 0 <= high)
        _note(seen, "meta, prediction held", low <= world.differences[-1] <= high)
        _note(seen, "meta, words independent of members", _fixed(found.tests.values()))
    return _tallies(seen)


def _fixed(tests: Iterable[Any]) -> float:
    """p of the mean of tests whose errors are taken as independent and whose differences as equal."""
    weights = np.array([1 / one.se**2 for one in tests])
    z = float(weights @ np.array([one.difference for one in tests])) / np.sqrt(weights.sum())
    return float(2 * ndtr(-abs(z)))


def series(cell: Cell, seed: int) -> Tallies:
    """A series of ten models without an association."""
    seen: dict[str, list[Any]] = {}
    for i in range(max(1, cell.single)):
        worlds = vector_worlds(_kind(cell, Kind), worlds=10, seed=seed + i)
        models = {1900 + 10 * at: emb for at, (emb, _) in enumerate(worlds)}
        found = cr.series(models, worlds[0][1], alternative="two-sided")
        tests = [point.level1 for point in found.points.values()]
        _note(seen, "series, any decade, targets exchanged", min(one.pvalue for one in tests))
        crossed = [one.crossed.pvalue for one in tests]
        _note(seen, "series, any decade, crossed", min(p for p in crossed if p is not None))
        _note(seen, "series, any decade, adjusted", min(p for p in found.adjusted["holm"] if p is not None))
    return _tallies(seen)


def pieces(cell: Cell, seed: int) -> Tallies:
    """A piece of inference in worlds of its own."""
    seen: dict[str, list[Any]] = {}
    for at in range(max(1, cell.single)):
        for name, value in EVERY[cell.world](np.random.default_rng([seed, at])):
            _note(seen, name, value)
    alone = {} if OURS in seen else {OURS: Tally.of(held=seen[HELD])}  # an interval without a p-value
    return _tallies(seen) | alone


FAMILIES: dict[str, Callable[[Cell, int], Tallies]] = {
    "vectors": vectors,
    "dealt": dealt,
    "populations": populations,
    "copies": copies,
    "frequency": frequency,
    "contexts": contexts,
    "rsa": rsa,
    "projection": projection,
    "compare": compare,
    "traits": traits,
    "pairs": pairs,
    "names": names,
    "plans": plans,
    "metas": metas,
    "series": series,
    "pieces": pieces,
    "structured": pieces,
}


def _kind(cell: Cell, kinds: Any) -> Any:
    if cell.world not in get_args(kinds):
        raise ValueError(f"{cell.world!r} is not one of {get_args(kinds)}.")
    return cell.world


def _note(seen: dict[str, list[Any]], name: str, value: Any) -> None:
    seen.setdefault(name, []).append(value)


def _note_crossed(seen: dict[str, list[Any]], name: str, result: Any, true: float) -> None:
    """What a result says with words of all sets drawn, if it says so."""
    told = getattr(result, "crossed", None)
    if told is not None and told.pvalue is not None:
        _note(seen, name, told.pvalue)
        if told.low is not None:
            _note(seen, f"{name} held", told.low <= true <= told.high)


def _counted(values: list[Any]) -> Tally:
    return Tally.flagged(values) if isinstance(values[0], bool) else Tally.of(values)


def _tallies(seen: dict[str, list[Any]]) -> Tallies:
    """Counts of what was noted; whether an interval held is noted under the name that ends in ``held``."""
    found = {name: _counted(values) for name, values in seen.items() if not name.endswith(" held")}
    for name, tally in found.items():
        if f"{name} held" in seen:
            tally.held = int(np.sum(seen[f"{name} held"]))
    return found

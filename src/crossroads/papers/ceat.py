"""Tables 2 to 4 of the appendix of the CEAT paper: as printed, and our effect sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import combinations
from math import sqrt
from pathlib import PurePath
from statistics import correlation
from typing import Any, NamedTuple

from crossroads.contexts.measures.ceat import CeatResult, ceat
from crossroads.core.errors import EvidenceError, join_words, one_of
from crossroads.core.evidence import Contexts
from crossroads.core.evidence.model_names import model_name
from crossroads.core.stimuli import catalog
from crossroads.papers.cells import Cell, Reproduction, Said, credible, judge_again, judged, reproduction
from crossroads.papers.published import NO_MODEL, table

ENOUGH = 0.75
"""Share of the words of every set that must have contexts for a test to be comparable."""
_TABLES = table("ceat")
_ROUNDING = 0.005
_TWICE = "twice what the paper's own Tables 3 and 4 differ by"
_OTHERS: Mapping[str, Mapping[str, Any]] = {
    "population standard deviation (ddof=0)": {"ddof": 0},
    "textbook variance of an effect size (variance='hedges')": {"variance": "hedges"},
}
"""Other conventions that a combined effect size might be printed under."""


class Printed(NamedTuple):
    """One printed cell."""

    table: int
    test: str
    model: str
    d: float
    p: str

    @property
    def bound(self) -> float | None:
        """The printed upper bound of the p-value; None if the p-value itself is printed."""
        return float(self.p[1:]) if self.p.startswith("<") else None


def printed() -> tuple[Printed, ...]:
    """Every cell of Tables 2 to 4 of the appendix."""
    return tuple(
        Printed(int(number), row["test"], model, d, p)
        for number, rows in _TABLES["tables"].items()
        for row in rows
        for model, d, p in zip(_TABLES["models"], row["d"], row["p"], strict=True)
    )


def alike_by_chance(model: str, near: float) -> float:
    """Share of pairs of different tests of a model whose printed effect sizes differ by at most ``near``."""
    tests = [one for one in printed() if one.model == model]
    apart = [abs(one.d - two.d) for one, two in combinations(tests, 2) if one.test != two.test]
    return sum(gap <= near for gap in apart) / len(apart)


def spread_between_tables() -> dict[str, float]:
    """Root mean square difference of Tables 3 and 4, which hold the same tests, for each model."""
    values = {(one.table, one.test, one.model): one.d for one in printed()}
    squares: dict[str, list[float]] = {}
    for (number, test, model), d in values.items():
        if number == 3:
            squares.setdefault(model, []).append((values[4, test, model] - d) ** 2)
    return {model: sqrt(sum(found) / len(found)) for model, found in squares.items()}


def reproduce_ceat(
    contexts: Contexts | None = None,
    *,
    model: str | None = None,
    samples: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Reproduction:
    """Put the combined effect sizes of Tables 2 to 4 of the CEAT appendix next to ours.

    A test is measured if three quarters of the words of every set have contexts. A cell is ``equal`` if it
    agrees within rounding and three standard errors of two sets of samples; or, as the sentences are never
    those of the paper, if the difference is at most twice the root mean square difference of the paper's own
    Tables 3 and 4, which hold the same tests on other sentences. p-values are compared in the reason.

    ``model`` is the column of the contexts: ``"elmo"``, ``"bert"``, ``"gpt"``, ``"gpt-2"``, or ``"none"``; by
    default it is recognised by the source and the number of dimensions. Without contexts only the published
    numbers are shown. ``progress`` is called with the name of each test before it is measured.
    """
    names = {name.lower(): str(name) for name in _TABLES["models"]}
    if model is not None:
        one_of("model", model, (*names, NO_MODEL))
    chosen = names.get(model) if model is not None else _recognised(contexts)

    @cache
    def measure(test: str, **options: Any) -> CeatResult | None:
        if contexts is not None and progress is not None and not options:
            progress(test)
        if contexts is None or test in skipped:
            return None
        design = catalog().design(test)
        return ceat(contexts, design, samples=samples, seed=seed, missing="drop", **options)

    skipped = _skipped(contexts)
    cells = credible(
        judged(
            f"Table {one.table}",
            one.test,
            f"{one.model}, Table {one.table}",
            f"{one.d:.2f}",
            getattr(measure(one.test), "effect_size", None),
            partial(_judge, one, measure),
            absent=_TABLES["get"][one.model] if contexts is None else "",
            lacking=skipped.get(one.test, ""),
            other="" if chosen else one.model,
        )
        for one in printed()
        if chosen in (None, one.model)
    )
    return reproduction(
        "ceat",
        cells=tuple(cells),
        notes=(
            *_about_store(contexts, chosen, cells),
            *_about_words({cell.row: measure(cell.row) for cell in cells}, skipped),
        ),
        vectors="no store given" if contexts is None else model_name(contexts.provenance),
        same_vectors=chosen is not None,
        conventions={"model": chosen or NO_MODEL, "samples": samples, "seed": seed, "missing": "drop"},
        provenance=() if contexts is None else (contexts.provenance,),
    )


def _recognised(contexts: Contexts | None) -> str | None:
    """The model of the paper that made the contexts, by name or format, and number of dimensions."""
    if contexts is None:
        return None
    name = PurePath(contexts.provenance.source).name.lower()
    for model, dim in zip(_TABLES["models"], _TABLES["dims"], strict=True):
        known = name in _TABLES["sources"][model] or contexts.provenance.format == model.lower()
        if contexts.dim == dim and known:
            return str(model)
    return None


def _skipped(contexts: Contexts | None) -> dict[str, str]:
    """The tests that the contexts do not cover, and why."""
    found: dict[str, str] = {}
    tests = dict.fromkeys(one.test for one in printed() if contexts is not None)
    for name in tests:
        for part, words in catalog().design(name).sets.items():
            there = sum(word in (contexts or ()) for word in words)
            if there < ENOUGH * len(words):
                found.setdefault(name, f"{part} has {there} of {len(words)} stimuli left.")
    if found and len(found) == len(tests):
        raise EvidenceError(
            f"none of the {len(found)} tests of the paper can be measured on these contexts; in "
            f"{next(iter(found))}, {next(iter(found.values()))}",
            hint="collect contexts of its stimuli: crossroads contexts --test ceat --test ceat-pairs ...",
        )
    return found


def _judge(one: Printed, measure: Callable[..., Any], ours: float) -> Said:
    """Verdict and reason on a store of the paper's own model."""

    def within(result: CeatResult) -> bool:
        return abs(result.effect_size - one.d) <= _ROUNDING + 3 * sqrt(2) * result.se

    result: CeatResult = measure(one.test)
    near = 2 * spread_between_tables()[one.model]
    if within(result):
        verdict, reason = "equal", "within rounding and three standard errors of two sets of samples"
    elif abs(ours - one.d) <= near:
        reason = f"within sampling error of the sentences: no further off than {near:.2f}, {_TWICE}"
        verdict = "equal"
    else:
        others = [(name, partial(measure, one.test, **options)) for name, options in _OTHERS.items()]
        verdict, reason = judge_again(within, others)
    # whether the p-value is also on the printed side of its bound or of .05
    if one.bound is not None:
        alike, same = result.pvalue < one.bound, "p as printed"
    else:
        alike, same = (result.pvalue < 0.05) == (float(one.p) < 0.05), "p on the same side of .05"
    return verdict, f"{reason}; {same if alike else f'p = {result.pvalue:.2g}, printed {one.p}'}"


def _about_store(contexts: Contexts | None, chosen: str | None, cells: list[Cell]) -> Iterator[str]:
    if contexts is None:
        yield (
            "No store given, so only the published numbers are shown. Make one with `crossroads contexts "
            "CORPUS -o DIR`, then `crossroads embed DIR --model bert-base-cased -o STORE`, and pass --store "
            "STORE."
        )
    elif chosen is None:
        yield (
            "The contexts are not known to be of a model of the paper; all four columns are shown for "
            "comparison, and digits cannot agree. Use --model if they are of one."
        )
    if contexts is None or chosen is None:
        return
    near = 2 * spread_between_tables()[chosen]
    yield (
        f"{chosen}: other sentences than the paper's, which are not published. Numbers are off by up to "
        f"{near:.2f} for that reason alone, {_TWICE}."
    )
    chance = alike_by_chance(chosen, near)
    yield (
        f"That is a wide margin: of the paper's own numbers for {chosen}, {chance:.0%} of pairs of different "
        "tests are within it. A single equal cell means little."
    )
    pairs = [(one.published, one.ours) for one in cells if one.ours is not None]
    printed_ones, ours = zip(*pairs, strict=True)
    if len({*printed_ones}) > 1 and len({*ours}) > 1 and len(pairs) > 2:
        r = correlation(printed_ones, ours)
        yield f"Over {len(pairs)} cells, our numbers and the printed ones correlate by r = {r:.2f}."


def _about_words(results: Mapping[str, CeatResult | None], skipped: dict[str, str]) -> Iterator[str]:
    measured = {name: result.coverage for name, result in results.items() if result and result.coverage}
    if lost := [f"{name} ({len(one.missing)})" for name, one in measured.items() if one.missing]:
        yield f"Measured without some words: {join_words(lost, most=8)}."
    if skipped:
        yield (
            f"Not covered, with less than {ENOUGH:.0%} of the words of a set: {join_words(skipped, most=8)}."
        )

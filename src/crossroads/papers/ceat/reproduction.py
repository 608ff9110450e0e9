"""The appendix tables of the CEAT paper beside our effect sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import PurePath
from statistics import correlation
from typing import Any

from crossroads.errors import EvidenceError, join_words, one_of
from crossroads.evidence import Contexts
from crossroads.evidence.model_names import model_name
from crossroads.measures import CeatResult, ceat
from crossroads.papers.ceat.tables import (
    Printed,
    alike_by_chance,
    consistency,
    printed,
    spread_between_tables,
)
from crossroads.papers.cells import Cell, Reproduction, credible
from crossroads.papers.published import table
from crossroads.stimuli import catalog

NO_MODEL = "none"
"""The contexts are of none of the models of the paper; they are shown for comparison."""
ENOUGH = 0.75
"""Share of the words of every set that must have contexts for a test to be comparable."""
_ROUNDING = 0.005


def known_models() -> tuple[str, ...]:
    """Names of the models of the paper as they are typed: ``elmo``, ``bert``, ``gpt``, ``gpt-2``."""
    return tuple(model.lower() for model in table("ceat")["models"])


def reproduce_ceat(
    contexts: Contexts | None = None,
    *,
    model: str | None = None,
    samples: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Reproduction:
    """Put the combined effect sizes of Tables 2 to 4 of the CEAT appendix beside ours.

    Parameters
    ----------
    contexts
        Context vectors; without any, the published numbers alone.
    model
        The column that the contexts belong to: ``"elmo"``, ``"bert"``, ``"gpt"``, ``"gpt-2"``, or ``"none"``
        of them. By default the model is recognised by the source and the number of dimensions of the
        contexts, otherwise none is assumed.
    samples
        Number of draws; 1,000 in the appendix.
    seed
        Seed of the draws.
    progress
        Called with the name of each test before it is measured.

    Notes
    -----
    A test is measured if three quarters of the words of every set have contexts. A cell is ``equal`` if it
    agrees within rounding and three standard errors of two sets of samples. The sentences are never those of
    the paper, which published none; so it is also ``equal``, with the reason given, if the difference is at
    most twice the root mean square difference of the paper's own Tables 3 and 4, which hold the same tests
    on other sentences. p-values are compared in the reason.
    """
    source = table("ceat")
    names = dict(zip(known_models(), source["models"], strict=True))
    if model is not None:
        one_of("model", model, (*names, NO_MODEL))
    chosen = names.get(model) if model is not None else _recognised(contexts)
    results, skipped = _measured(contexts, samples, seed, progress)
    asked = _Evidence(contexts, chosen, results, skipped, samples, seed)
    cells = credible(_cell(one, asked) for one in printed() if chosen in (None, one.model))
    notes = [
        *_about_store(contexts, chosen),
        *_about_agreement(cells, chosen),
        *_about_words(results, skipped),
        *consistency(),
    ]
    return Reproduction(
        paper="ceat",
        title=source["title"],
        citation=source["citation"],
        doi=source["doi"],
        published_vectors=source["vectors"],
        vectors="no store given" if contexts is None else model_name(contexts.provenance),
        same_vectors=chosen is not None,
        cells=tuple(cells),
        notes=tuple(notes),
        coverage=None,
        conventions={
            "measure": "reproduction",
            "paper": "ceat",
            "model": chosen or NO_MODEL,
            "samples": samples,
            "seed": seed,
            "missing": "drop",
        },
        provenance=() if contexts is None else (contexts.provenance,),
    )


_OTHERS: Mapping[str, Mapping[str, Any]] = {
    "population standard deviation (ddof=0)": {"ddof": 0},
    "textbook variance of an effect size (variance='hedges')": {"variance": "hedges"},
}
"""Other conventions that a combined effect size might be printed under."""


@dataclass
class _Evidence:
    """Results and settings by which the cells are judged."""

    contexts: Contexts | None
    """The store."""
    chosen: str | None
    """Its model, if it is one of the paper's."""
    results: dict[str, CeatResult]
    """The results, by test."""
    skipped: dict[str, str]
    """Why the other tests were not."""
    samples: int
    """Number of draws."""
    seed: int
    """Seed of the draws."""
    _again: dict[tuple[str, str], CeatResult] = field(default_factory=dict)

    def measured_again(self, test: str, options: Mapping[str, Any]) -> CeatResult:
        """A test under other conventions, measured once."""
        key = (test, str(options))
        if key not in self._again and self.contexts is not None:
            self._again[key] = ceat(
                self.contexts,
                catalog().design(test),
                samples=self.samples,
                seed=self.seed,
                missing="drop",
                **options,
            )
        return self._again[key]


def _recognised(contexts: Contexts | None) -> str | None:
    """The model of the paper that made the contexts, by name or format, and number of dimensions."""
    if contexts is None:
        return None
    source = table("ceat")
    name = PurePath(contexts.provenance.source).name.lower()
    for model, dim in zip(source["models"], source["dims"], strict=True):
        known = name in source["sources"][model] or contexts.provenance.format == model.lower()
        if contexts.dim == dim and known:
            return str(model)
    return None


def _measured(
    contexts: Contexts | None, samples: int, seed: int, progress: Callable[[str], None] | None
) -> tuple[dict[str, CeatResult], dict[str, str]]:
    """The CEAT of every test that the contexts cover, and why the others are missing."""
    found: dict[str, CeatResult] = {}
    skipped: dict[str, str] = {}
    if contexts is None:
        return found, skipped
    for name in dict.fromkeys(one.test for one in printed()):
        if progress is not None:
            progress(name)
        design = catalog().design(name)
        for part, words in design.sets.items():
            there = sum(word in contexts for word in words)
            if there < ENOUGH * len(words):
                skipped.setdefault(name, f"{part} has {there} of {len(words)} stimuli left.")
        if name not in skipped:
            found[name] = ceat(contexts, design, samples=samples, seed=seed, missing="drop")
    if not found:
        raise EvidenceError(
            f"none of the {len(skipped)} tests of the paper can be measured on these contexts; in "
            f"{next(iter(skipped))}, {next(iter(skipped.values()))}",
            hint="collect contexts of its stimuli: crossroads contexts --test ceat --test ceat-pairs ...",
        )
    return found, skipped


def _cell(one: Printed, asked: _Evidence) -> Cell:
    result = asked.results.get(one.test)
    if asked.contexts is None:
        verdict, reason = "model absent", str(table("ceat")["get"][one.model])
    elif result is None:
        verdict, reason = "not covered", asked.skipped[one.test]
    elif asked.chosen is None:
        verdict, reason = "other model", f"the paper measured {one.model}"
    else:
        verdict, reason = _judged(one, result, asked)
        reason = f"{reason}; {_compared_p(one, result)}"
    return Cell(
        row=one.test,
        column=f"{one.model}, Table {one.table}",
        table=f"Table {one.table}",
        published=one.d,
        printed=f"{one.d:.2f}",
        ours=None if result is None else result.effect_size,
        verdict=verdict,
        reason=reason,
    )


def _within_samples(one: Printed, result: CeatResult) -> bool:
    return abs(result.effect_size - one.d) <= _ROUNDING + 3 * sqrt(2) * result.se


def _judged(one: Printed, result: CeatResult, asked: _Evidence) -> tuple[str, str]:
    """Verdict and reason on a store of the paper's own model."""
    if _within_samples(one, result):
        return "equal", "within rounding and three standard errors of two sets of samples"
    near = 2 * spread_between_tables()[one.model]
    if abs(result.effect_size - one.d) <= near:
        return "equal", (
            f"within sampling error of the sentences: no further off than {near:.2f}, twice what the paper's "
            "own Tables 3 and 4 differ by"
        )
    for name, options in _OTHERS.items():
        if _within_samples(one, asked.measured_again(one.test, options)):
            return "convention", name
    return "differs", f"tried without success: {'; '.join(_OTHERS)}"


def _compared_p(one: Printed, result: CeatResult) -> str:
    """Whether the p-value is also on the printed side of its bound or of .05."""
    if one.bound is not None:
        return "p as printed" if result.pvalue < one.bound else f"p = {result.pvalue:.2g}, printed {one.p}"
    alike = (result.pvalue < 0.05) == (float(one.p) < 0.05)
    return "p on the same side of .05" if alike else f"p = {result.pvalue:.2g}, printed {one.p}"


def _about_store(contexts: Contexts | None, chosen: str | None) -> Iterator[str]:
    if contexts is None:
        yield (
            "No store given, so only the published numbers are shown. Make one with `crossroads contexts "
            "CORPUS -o DIR`, then `crossroads embed DIR --model bert-base-cased -o STORE`, and pass --store "
            "STORE."
        )
        return
    if chosen is None:
        yield (
            "The contexts are not known to be of a model of the paper; all four columns are shown for "
            "comparison, and digits cannot agree. Use --model if they are of one."
        )
    else:
        near = 2 * spread_between_tables()[chosen]
        yield (
            f"{chosen}: other sentences than the paper's, which are not published. Numbers are off by up to "
            f"{near:.2f} for that reason alone, twice what the paper's own Tables 3 and 4 differ by."
        )


def _about_agreement(cells: list[Cell], chosen: str | None) -> Iterator[str]:
    """How much verdicts mean if numbers are compared across other sentences."""
    pairs = [(cell.published, cell.ours) for cell in cells if cell.ours is not None]
    if chosen is None or not pairs:
        return
    chance = alike_by_chance(chosen, 2 * spread_between_tables()[chosen])
    yield (
        f"That is a wide margin: of the paper's own numbers for {chosen}, {chance:.0%} of pairs of different "
        "tests are within it. A single equal cell means little."
    )
    printed_ones, ours = zip(*pairs, strict=True)
    if len({*printed_ones}) > 1 and len({*ours}) > 1 and len(pairs) > 2:
        r = correlation(printed_ones, ours)
        yield f"Over {len(pairs)} cells, our numbers and the printed ones correlate by r = {r:.2f}."


def _about_words(results: dict[str, CeatResult], skipped: dict[str, str]) -> Iterator[str]:
    without = {
        name: len(result.coverage.missing) for name, result in results.items() if result.coverage is not None
    }
    some = [f"{name} ({n})" for name, n in without.items() if n]
    if some:
        yield f"Measured without some words: {join_words(some, most=8)}."
    if skipped:
        yield (
            f"Not covered, with less than {ENOUGH:.0%} of the words of a set: {join_words(skipped, most=8)}."
        )

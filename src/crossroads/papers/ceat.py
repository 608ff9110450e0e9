"""The appendix tables of the CEAT paper beside our effect sizes, and what the tables say of themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import PurePath
from statistics import NormalDist, median
from typing import NamedTuple

from crossroads.errors import EvidenceError, join_words, one_of
from crossroads.evidence import Contexts
from crossroads.measures import CeatResult, ceat
from crossroads.papers.published import table
from crossroads.papers.reproduction import Cell, Reproduction
from crossroads.stimuli import catalog

NO_MODEL = "none"
"""The contexts are of none of the models of the paper, and shown for comparison."""
ENOUGH = 0.75
"""Share of the words of every set that must have contexts for a test to stand for the published one."""
_NO_STORE = "no store"


class Printed(NamedTuple):
    """One printed cell."""

    table: int
    test: str
    model: str
    d: float
    p: str

    @property
    def bound(self) -> float | None:
        """The number below which the p-value is printed to be; None where it is printed itself."""
        return float(self.p[1:]) if self.p.startswith("<") else None


def printed() -> tuple[Printed, ...]:
    """Every cell of Tables 2 to 4 of the appendix."""
    source = table("ceat")
    return tuple(
        Printed(int(number), row["test"], model, d, p)
        for number, rows in source["tables"].items()
        for row in rows
        for model, d, p in zip(source["models"], row["d"], row["p"], strict=True)
    )


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
        contexts, and taken for none where it is not.
    samples
        How often to draw; the appendix says 1,000.
    seed
        Of the draws.
    progress
        Called with the name of each test before it is measured.

    Notes
    -----
    A test is measured if three quarters of the words of every set have contexts. A cell is ``equal`` if it
    agrees within rounding and three standard errors of two sets of samples. The sentences are never those of
    the paper, which published none; so ``near`` says that the difference is at most twice the root mean
    square difference of the paper's own Tables 3 and 4, which hold the same tests.
    """
    source = table("ceat")
    names = dict(zip(known_models(), source["models"], strict=True))
    if model is not None:
        one_of("model", model, (*names, NO_MODEL))
    chosen = names.get(model) if model is not None else _recognised(contexts)
    results, skipped = _measured(contexts, samples, seed, progress)
    cells = [
        _cell(one, results.get(one.test), contexts, chosen)
        for one in printed()
        if chosen in (None, one.model)
    ]
    notes = [*_about_store(contexts, chosen), *_about_words(results, skipped), *consistency()]
    return Reproduction(
        paper="ceat",
        title=source["title"],
        citation=source["citation"],
        doi=source["doi"],
        published_vectors=source["vectors"],
        vectors="no store given" if contexts is None else contexts.provenance.source,
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


def _recognised(contexts: Contexts | None) -> str | None:
    """The model of the paper that made the contexts, by name and number of dimensions."""
    if contexts is None:
        return None
    source = table("ceat")
    name = PurePath(contexts.provenance.source).name.lower()
    for model, dim in zip(source["models"], source["dims"], strict=True):
        if contexts.dim == dim and name in source["sources"][model]:
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


def _cell(one: Printed, result: CeatResult | None, contexts: Contexts | None, chosen: str | None) -> Cell:
    ours = None if result is None else result.effect_size
    if contexts is None:
        verdict = _NO_STORE
    elif result is None:
        verdict = "not covered"
    elif chosen is None:
        verdict = "other vectors"
    else:
        off = abs(result.effect_size - one.d)
        within = 0.005 + 3 * sqrt(2) * result.se
        near = 2 * spread_between_tables()[chosen]
        verdict = "equal" if off <= within else "near" if off <= near else "differs"
    return Cell(
        row=one.test, column=f"{one.model}, Table {one.table}", published=one.d, ours=ours, verdict=verdict
    )


def _about_store(contexts: Contexts | None, chosen: str | None) -> Iterator[str]:
    if contexts is None:
        yield (
            "No store given, so these are the published numbers alone. Make one with `crossroads contexts "
            "CORPUS -o DIR`, then `crossroads embed DIR --model bert-base-cased -o STORE`, and pass --store "
            "STORE."
        )
        return
    if chosen is None:
        yield (
            "The contexts are of none of the models of the paper as far as they say; all four columns are "
            "shown for comparison, and digits cannot agree. Say --model if they are."
        )
    else:
        near = 2 * spread_between_tables()[chosen]
        yield (
            f"{chosen}: other sentences than the paper's, which are not published. near: off by at most "
            f"{near:.2f}, twice what the paper's own Tables 3 and 4 differ by."
        )


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


def spread_between_tables() -> dict[str, float]:
    """Root mean square difference of Tables 3 and 4, which hold the same tests, for each model."""
    values = {(one.table, one.test, one.model): one.d for one in printed()}
    found = {}
    for model in table("ceat")["models"]:
        squares = [
            (values[4, test, model] - d) ** 2
            for (number, test, name), d in values.items()
            if (number, name) == (3, model)
        ]
        found[str(model)] = sqrt(sum(squares) / len(squares))
    return found


def consistency() -> tuple[str, ...]:
    """What the printed numbers say about each other, each a sentence."""
    cells = printed()
    return (_text_against_table(cells), *_runs_differ(cells), _samples_of(cells), _signs(cells))


def _text_against_table(cells: tuple[Printed, ...]) -> str:
    found = [
        f"{one.test.upper()} with {one.model}"
        for one in cells
        if one.table == 2 and one.bound is None and float(one.p) >= 0.05
    ]
    return (
        f"Table 2 has p of at least .05 for {join_words(found)}; the text names C10 with BERT, C4 with GPT, "
        "C7, I3 and I4 with GPT-2, whose last two are printed with p < 1e-30."
    )


def _runs_differ(cells: tuple[Printed, ...]) -> Iterator[str]:
    values = {(one.table, one.test, one.model): one.d for one in cells}
    pairs = [(d, values[4, test, model]) for (number, test, model), d in values.items() if number == 3]
    spread = spread_between_tables()
    apart = [abs(one - other) for one, other in pairs]
    yield (
        "Tables 3 and 4 hold the same 60 tests: root mean square difference "
        f"{join_words([f'{s:.2f} ({m})' for m, s in spread.items()])}, largest {max(apart):.2f}, "
        f"{sum(one * other < 0 for one, other in pairs)} of {len(pairs)} cells change sign. Standard errors "
        "over samples are near 0.01: they leave out which sentences were found."
    )


def _implied_se(one: Printed) -> float | None:
    """Standard error that an effect size and its p-value imply; an upper bound where p is one."""
    p = one.bound if one.bound is not None else float(one.p)
    if abs(one.d) < 0.02 or p <= 1e-30:
        return None
    rounded = abs(one.d) + (0.005 if one.bound is not None else 0.0)
    return rounded / -NormalDist().inv_cdf(p / 2)


def _samples_of(cells: tuple[Printed, ...]) -> str:
    exact = [_implied_se(one) for one in cells if one.table == 3 and one.bound is None]
    bounds = [_implied_se(one) for one in cells if one.table == 4 and one.bound is not None]
    three = median([se for se in exact if se is not None])
    four = median([se for se in bounds if se is not None])
    return (
        f"Both captions give 1,000 samples. Effect sizes and p-values imply a standard error of about "
        f"{three:.3f} in Table 3 and at most {four:.3f} in Table 4, {three / four:.1f} times less, as about "
        "10,000 samples would give."
    )


def _signs(cells: tuple[Printed, ...]) -> str:
    small = [one for one in cells if one.table == 3 and 0.04 <= abs(one.d) <= 0.1]
    counts = {}
    for sign in (1, -1):
        here = [one for one in small if one.d * sign > 0]
        counts[sign] = (sum(one.bound == 1e-30 for one in here), len(here))
    (plus, positive), (minus, negative) = counts[1], counts[-1]
    return (
        f"Of effect sizes of 0.04 to 0.10 in Table 3, {minus} of {negative} negative ones are printed with "
        f"p < 1e-30 and {plus} of {positive} positive ones: a two-sided p-value does not depend on the sign."
    )

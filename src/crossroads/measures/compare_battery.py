"""Many designs in several models: which associations differ, with the number of comparisons accounted for."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

from crossroads.errors import DesignError, EvidenceError, InputError, MissingStimuliError, one_of
from crossroads.evidence import Contexts, Embeddings
from crossroads.inference.options import share, whole
from crossroads.measures.battery import recorded
from crossroads.measures.ceat import CeatResult
from crossroads.measures.ceat_battery import CeatBatteryResult
from crossroads.measures.comparison import UNIT, CompareResult, compare
from crossroads.measures.comparison_notes import adjusted_pvalues, comparison_name, context_notes
from crossroads.measures.difference_intervals import INTERVALS, difference_interval
from crossroads.measures.difference_intervals import DifferenceInterval as DifferenceInterval
from crossroads.measures.gaps import require_in_all
from crossroads.measures.gathering import listed_designs
from crossroads.measures.shared_words import Evidence, shared_words
from crossroads.measures.weat import check_ddof
from crossroads.results import Result
from crossroads.stimuli import Design

AGAINST = ("all", "first")
TAILS = ("two-sided", "greater", "less")

Model = Embeddings | Contexts | CeatBatteryResult | CeatResult
"""What is known about one model: a vector a word, or many, or the tests that were made on these."""


_Compared = tuple[tuple[str, str], CompareResult, DifferenceInterval | None]


@dataclass(frozen=True, kw_only=True)
class SavedDifference:
    """Two effect sizes of which only the numbers are known, so that no paired test can be made."""

    design: str
    """Name of the design."""
    measure: str
    """What measured them, such as ``mleat`` or ``ceat``."""
    models: tuple[str, str]
    """The two models."""
    effect_sizes: tuple[float, float]
    """Effect size in each model, over the stimuli that it has."""
    difference: float
    """First effect size less the second."""
    reason: str
    """Why there is no paired test."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CompareBatteryResult(Result):
    """Several designs in several models, with a paired test for each design and pair of models."""

    models: tuple[str, ...]
    """Names of the models, in the order given."""
    pairs: tuple[tuple[str, str], ...]
    """The two models of each test."""
    tests: tuple[CompareResult, ...]
    """The tests, design by design."""
    intervals: tuple[DifferenceInterval | None, ...]
    """Interval of each difference over the choice of words, the same in both models; None where a set has a
    single word, which cannot vary, where associations hardly differ, or where none was asked for."""
    holm: tuple[float, ...]
    """p-values adjusted by Holm over all designs and pairs of models."""
    bh: tuple[float, ...]
    """The same, adjusted by Benjamini and Hochberg."""
    titles: Mapping[str, Mapping[str, str]]
    """What the sets of each design stand for."""
    skipped: Mapping[str, str]
    """Comparisons that could not be made, as design and models, and why."""
    unpaired: tuple[SavedDifference, ...] = ()
    """Differences of saved effect sizes, where the vectors are not at hand."""
    notes: tuple[str, ...] = ()
    """What to know before reading: conventions in which the models were first measured differently, and
    whether models that are compared over contexts read the same ones."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a design and pair of models; differences without a test at the end."""
        rows = [
            {
                "design": test.design,
                "model_1": first,
                "model_2": second,
                "effect_size_1": test.effect_sizes[0],
                "effect_size_2": test.effect_sizes[1],
                "difference": test.difference,
                "low": None if ends is None else ends.low,
                "high": None if ends is None else ends.high,
                "pvalue": test.pvalue,
                "holm": h,
                "bh": b,
                "method": test.method,
                "alternative": test.alternative,
                "min_pvalue": test.min_pvalue,
                "measure": test.measure,
                "same_contexts": test.same_contexts,
            }
            for test, (first, second), ends, h, b in zip(
                self.tests, self.pairs, self.intervals, self.holm, self.bh, strict=True
            )
        ]
        return rows + [_saved_row(one) for one in self.unpaired]


def _saved_row(one: SavedDifference) -> dict[str, Any]:
    empty = ("low", "high", "pvalue", "holm", "bh", "method", "alternative", "min_pvalue")
    return {
        "design": one.design,
        "model_1": one.models[0],
        "model_2": one.models[1],
        "effect_size_1": one.effect_sizes[0],
        "effect_size_2": one.effect_sizes[1],
        "difference": one.difference,
        **dict.fromkeys(empty),
        "measure": one.measure,
        "same_contexts": None,
    }


def compare_battery(
    models: Mapping[str, Model],
    designs: Design | Iterable[Design],
    *,
    measured: Mapping[str, Container[str]] | None = None,
    against: str = "all",
    missing: str = "drop",
    alternative: str = "two-sided",
    scale: str = "sd",
    attributes: str = "drawn",
    ddof: int = 1,
    interval: str = "jackknife",
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> CompareBatteryResult:
    """Compare several designs between models, pair by pair, and adjust for the number of comparisons.

    Each comparison is the paired test of :func:`~crossroads.measures.comparison.compare`: labels of the
    *changes* from model to model are exchanged. The interval says how far the difference of the two effect
    sizes could lie from what was observed had other words been chosen, the same in both models, so that what
    a word does in both cancels out.

    Parameters
    ----------
    models
        Models by name; at least two. All of them vectors, or all of them contexts or CEATs.
    designs
        What to compare.
    measured
        Names of the designs to compare in each model; all designs in all models if left out. A pair of
        models is compared on what both have.
    against
        ``"all"`` compares every two models, ``"first"`` all others with the first.
    missing
        As in :func:`~crossroads.measures.comparison.compare`; stimuli missing from either model of a pair are
        missing from both. A design with too few stimuli left is skipped, and the result says so.
    alternative, scale, attributes, ddof, seed
        As in :func:`~crossroads.measures.comparison.compare`.
    interval
        ``"jackknife"`` leaves out one word at a time; ``"percentile"`` draws words anew, as earlier versions
        did. See :func:`~crossroads.measures.difference_intervals.difference_interval`.
    resamples
        Sets of words drawn for a percentile interval; 0 for no interval of either kind.
    level
        Nominal coverage of the intervals.
    progress
        Called with the name of each design before it is compared.
    options
        Passed on to :func:`~crossroads.measures.comparison.compare`: ``ties``, ``method``, ``max_work``.

    Notes
    -----
    Comparisons that share a model depend on each other. Holm's adjustment holds all the same.

    The interval is of the difference of effect sizes, whatever the scale of the test. With ``scale="sd"``
    and ``attributes="drawn"`` test and interval rest on the same standard error and the same degrees of
    freedom. The test counts exchanges and the interval takes a quantile of t, so that a 95 % interval leaves
    out 0 where p is below 5 % but for one comparison in a hundred where there is no difference, and up to
    four in a hundred where there is one that is hard to find. Exchanges of three words a set cannot reach
    5 %. With ``scale="cosine"`` or ``attributes="given"`` the test asks something else than the interval.

    In simulated worlds with 8 to 32 words a set, 2 to 20 contexts a word and effect sizes from 0 to 1.8,
    94 to 98 % of jackknife intervals of level 95 % hold the difference of the populations of words, each with
    as many contexts as were read. Sets of three or four words err on the wide side. Noise of few contexts is
    part of what is estimated: see :func:`~crossroads.measures.comparison.compare`.
    """
    one_of("against", against, AGAINST)
    one_of("alternative", alternative, TAILS)  # a tail chosen after the fact is no p-value to adjust
    one_of("interval", interval, tuple(INTERVALS))
    check_ddof(ddof)
    level = share("level", level)
    resamples = whole("resamples", resamples, hint="give 0 for none; 2,000 is usual.")
    designs = listed_designs(designs)
    pairs = _pairs(models, designs, against)
    if missing == "raise" and measured is None:
        found_in = {f"in {name}": _index(model) for name, model in models.items()}
        require_in_all({name: index for name, index in found_in.items() if index is not None}, designs)
    settings: dict[str, Any] = {
        "missing": missing,
        "alternative": alternative,
        "scale": scale,
        "attributes": attributes,
        "ddof": ddof,
        "seed": seed,
        **options,
    }
    ends_of = partial(
        difference_interval, interval=interval, ddof=ddof, resamples=resamples, level=level, seed=seed
    )
    found: list[_Compared] = []
    skipped: dict[str, str] = {}
    for design in designs:
        if progress is not None:
            progress(design.name)
        for pair in pairs:
            if measured is not None and not all(design.name in measured.get(name, ()) for name in pair):
                continue
            try:
                one, two = (_evidence(models[name], name, design) for name in pair)
                test = compare(one, two, design, **settings)
            except (MissingStimuliError, EvidenceError, DesignError) as error:
                if missing == "raise":
                    raise
                measure = "weat" if isinstance(models[pair[0]], Embeddings) else "ceat"
                skipped[comparison_name(design.name, *pair, measure=measure)] = error.reason
                continue
            ends = ends_of(shared_words(one, two, design, missing)) if resamples else None
            found.append((pair, test, ends))
    return _result(
        models,
        designs,
        found,
        skipped,
        {
            "measure": "compare battery",
            "against": against,
            "adjusted": f"all comparisons, {alternative}",
            "interval": INTERVALS[interval] if resamples else "none",
            **({"resamples": resamples} if interval == "percentile" else {}),
            "level": level,
            **recorded(settings),
            **({"unit over contexts": UNIT} if any(test.contexts for _, test, _ in found) else {}),
        },
    )


def _index(model: Model) -> Embeddings | None:
    """Where the words of a model are looked up; None where only its tests are known."""
    return model if isinstance(model, Embeddings) else model.index if isinstance(model, Contexts) else None


def _evidence(model: Model, name: str, design: Design) -> Evidence:
    """What a model has to say about a design."""
    if not isinstance(model, CeatBatteryResult):
        return model
    found = [test for test in model.tests if test.design == design.name]
    if not found:
        raise DesignError(f"{name} has no test {design.name!r} over contexts.")
    return found[0]


def _result(
    models: Mapping[str, Model],
    designs: list[Design],
    found: list[_Compared],
    skipped: Mapping[str, str],
    conventions: Mapping[str, Any],
) -> CompareBatteryResult:
    tests, pairs = tuple(test for _, test, _ in found), tuple(pair for pair, _, _ in found)
    adjusted = adjusted_pvalues([test.pvalue for test in tests])
    sources = [
        model.provenance if isinstance(model, (CeatBatteryResult, CeatResult)) else (model.provenance,)
        for model in models.values()
    ]
    return CompareBatteryResult(
        models=tuple(models),
        pairs=pairs,
        tests=tests,
        intervals=tuple(ends for _, _, ends in found),
        holm=adjusted[0],
        bh=adjusted[1],
        titles={design.name: {role: words.name for role, words in design.sets.items()} for design in designs},
        skipped=skipped,
        notes=context_notes(tests, pairs),
        conventions=conventions,
        provenance=tuple(source for some in sources for source in some),
    )


def _pairs(models: Mapping[str, Model], designs: list[Design], against: str) -> list[tuple[str, str]]:
    if not hasattr(models, "items"):
        raise InputError(
            f"the models are of type {type(models).__name__}.", hint="give {name: vectors, ...}."
        )
    if len(models) < 2:
        raise InputError(
            f"{len(models)} model(s) to compare.", hint="give at least two, as {name: vectors, ...}."
        )
    if not designs:
        raise InputError("there are no designs to compare.", hint="give at least one.")
    names = [design.name for design in designs]
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise InputError(f"two designs are called {twice[0]!r}.", hint="give each design a name of its own.")
    first, *others = models
    return [(first, other) for other in others] if against == "first" else list(combinations(models, 2))

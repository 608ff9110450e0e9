"""Differences of many designs between several models, adjusted for the number of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, Literal, Self

from crossroads.errors import DesignError, EvidenceError, InputError, MissingStimuliError, one_of
from crossroads.evidence import Contexts, Embeddings
from crossroads.inference.multiplicity import ADJUSTMENTS, adjust
from crossroads.inference.options import share, whole
from crossroads.inference.permutation.test import Tail
from crossroads.measures.association.battery import recorded
from crossroads.measures.association.weat import check_ddof
from crossroads.measures.comparison.intervals import INTERVALS, IntervalKind, difference_interval
from crossroads.measures.comparison.intervals import DifferenceInterval as DifferenceInterval
from crossroads.measures.comparison.models import (
    UNIT,
    Attributes,
    CompareResult,
    Scale,
    compare,
    p_column,
    p_names,
)
from crossroads.measures.comparison.notes import comparison_name, context_notes
from crossroads.measures.comparison.words import Evidence, shared_words
from crossroads.measures.contextual.battery import CeatBatteryResult
from crossroads.measures.contextual.ceat import CeatResult
from crossroads.measures.coverage.gaps import require_in_all
from crossroads.measures.coverage.words import Missing, listed_designs
from crossroads.results import Conclusion, Result, Row, numbers, status_of
from crossroads.stimuli import Design
from crossroads.wording import phrases
from crossroads.wording.numbers import P, percent
from crossroads.wording.table import Column, Interval, Table, adjusted_column

Against = Literal["all", "first"]

Model = Embeddings | Contexts | CeatBatteryResult | CeatResult
"""Evidence about one model: a vector per word, or many, or the tests that were made on these."""


_Compared = tuple[tuple[str, str], CompareResult, DifferenceInterval | None]


@dataclass(frozen=True, kw_only=True)
class SavedDifference:
    """Difference of two saved effect sizes without vectors, so that no paired test can be made."""

    design: str
    """Name of the design."""
    measure: str
    """The measure, such as ``mleat`` or ``ceat``."""
    models: tuple[str, str]
    """The two models."""
    effect_sizes: tuple[float, float]
    """Effect size in each model, over the stimuli that it has."""
    difference: float
    """First effect size less the second."""
    reason: str
    """Why there is no paired test."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareBatteryResult(Result):
    """Several designs in several models, with a paired test for each design and pair of models."""

    section: ClassVar[str] = "comparison"
    cites: ClassVar[tuple[str, ...]] = ("holm1979simple", "benjamini1995controlling")
    stem: ClassVar[str] = "comparison"
    figure: ClassVar[str] = "comparison:comparison_plot"

    models: tuple[str, ...]
    """Names of the models, in the order given."""
    pairs: tuple[tuple[str, str], ...]
    """The two models of each test."""
    tests: tuple[CompareResult, ...]
    """The tests, design by design."""
    intervals: tuple[DifferenceInterval | None, ...]
    """Interval of each difference over the choice of words, the same in both models; None where a set has a
    single word, which cannot vary, where associations hardly differ, or where none was requested."""
    adjusted: Mapping[str, tuple[float, ...]]
    """p-values adjusted over all designs and pairs of models, by method (``holm``, ``bh``, ``by``)."""
    titles: Mapping[str, Mapping[str, str]]
    """What the sets of each design stand for."""
    skipped: Mapping[str, str]
    """Comparisons that could not be made, as design and models, and why."""
    unpaired: tuple[SavedDifference, ...] = ()
    """Differences of saved effect sizes, where the vectors are not available."""
    notes: tuple[str, ...] = ()
    """Cautions: conventions that differ between the measurements of the models, and whether models that are
    compared over contexts read the same ones."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per design and pair of models; differences without a test at the end."""
        marked = {how: self.adjusted_p(how) for how in self.adjusted}
        empty = dict.fromkeys(_p_cells(self.tests))
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
                **empty,
                test.p_name: test.pvalue,
                f"{test.p_name}_sign": test.p.mark or "=",
                **{f"{test.p_name}_{how}": some[i] for how, some in self.adjusted.items()},
                **{f"{test.p_name}_{how}_sign": some[i].mark or "=" for how, some in marked.items()},
                "method": test.method,
                "alternative": test.alternative,
                "min_p": test.min_pvalue,
                "measure": test.measure,
                "same_contexts": test.same_contexts,
            }
            for i, (test, (first, second), ends) in enumerate(
                zip(self.tests, self.pairs, self.intervals, strict=True)
            )
        ]
        return rows + [_saved_row(one, empty) for one in self.unpaired]

    @property
    def label(self) -> str:
        """The models."""
        return " / ".join(self.models)

    @property
    def question(self) -> str:
        """Empty: each test has its own question."""
        return ""

    def adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values with their marks, by method and number of the test."""
        return {how: dict(enumerate(self.adjusted_p(how))) for how in self.adjusted}

    def adjusted_p(self, how: str = phrases.ADJUSTMENT) -> list[P]:
        """Adjusted p-values with their marks."""
        low = adjust([test.pvalue_low for test in self.tests])[how]
        high = adjust([test.pvalue_high for test in self.tests])[how]
        methods = (test.method for test in self.tests)
        return P.family(self.adjusted[how], list(zip(low, high, strict=True)), methods)

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """In which model the targets differ more, by design and pair of models."""
        adjusted = self.adjusted_p() if self.tests else []
        rows = zip(self.tests, self.pairs, self.intervals, adjusted, strict=True)
        for i, (test, (first, second), ends, p) in enumerate(rows):
            titles, called = self.titles.get(test.design, {}), phrases.tested(test.design, test.measure)
            near, far = (first, second) if test.difference >= 0 else (second, first)
            asked = phrases.question(titles) or called
            status = status_of(p, None)
            yield Conclusion(
                name=called,
                status=status,
                wordings={
                    "holds": (*_stronger(asked, titles), near, " than in ", far, ""),
                    "absent": ("", asked, ": no difference was found between ", first, " and ", second),
                },
                subject=asked,
                poles=(f"more in {second}", f"more in {first}"),
                scale="difference of d",
                numbers=numbers(
                    value=(f"tests/{i}/difference", test.difference),
                    low=(f"intervals/{i}/low", None if ends is None else ends.low),
                    high=(f"intervals/{i}/high", None if ends is None else ends.high),
                ),
            )

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per design and pair of models; differences of saved numbers have no test."""
        rows: list[Row] = []
        for one in results.values():
            adjusted = one.adjusted_p() if one.tests else []
            for test, pair, ends, p in zip(one.tests, one.pairs, one.intervals, adjusted, strict=True):
                rows.append(
                    {
                        "test": phrases.tested(test.design, test.measure),
                        "question": phrases.question(one.titles.get(test.design, {})) or None,
                        "models": " / ".join(pair),
                        "d1": test.effect_sizes[0],
                        "d2": test.effect_sizes[1],
                        "difference": test.difference,
                        "ci": ends and Interval(ends.low, ends.high),
                        test.p_name: test.p,
                        f"{test.p_name}_{phrases.ADJUSTMENT}": p,
                    }
                )
            for saved in one.unpaired:
                sizes = {"d1": saved.effect_sizes[0], "d2": saved.effect_sizes[1]}
                name = phrases.tested(saved.design, saved.measure)
                asked = phrases.question(one.titles.get(saved.design, {})) or None
                row = {"test": name, "question": asked, "models": " / ".join(saved.models)}
                rows.append({**row, "difference": saved.difference, **sizes})
        tests = [test for one in results.values() for test in one.tests]
        tails = ", ".join(dict.fromkeys(phrases.compared_tail(test.alternative) for test in tests))
        adjusted_head = adjusted_column(len(tests), "comparison")
        levels = dict.fromkeys(i.level for one in results.values() for i in one.intervals if i is not None)
        shares = ", ".join(percent(level) for level in levels)
        drawn = "over the choice of words, the same in both models; not adjusted"
        columns = (
            Column(key="test", head="test"),
            Column(key="question", head="question", spare=1),
            Column(key="models", head="models"),
            Column(key="d1", head="d 1", note="effect size in the first model"),
            Column(key="d2", head="d 2", note="effect size in the second model"),
            Column(key="difference", head="d 1 − 2"),
            Column(key="ci", head="CI", note=f"of the difference, {shares}, {drawn}" if shares else ""),
            *(
                column
                for name in p_names(tests)
                for column in (
                    p_column(name, tails, spare=2),
                    replace(
                        adjusted_head,
                        key=f"{name}_{phrases.ADJUSTMENT}",
                        head=adjusted_head.head.replace("p", name.replace("_", " "), 1),
                    ),
                )
            ),
        )
        unpaired = any(one.unpaired for one in results.values())
        notes = ["Rows without p: differences of saved numbers."] if unpaired else []
        title = "Models compared"
        return Table(name="comparison", title=title, columns=columns, rows=tuple(rows), notes=tuple(notes))


def _stronger(asked: str, titles: Mapping[str, str]) -> tuple[str, ...]:
    """The beginning of a sentence about the models in which a difference is larger, up to the first model."""
    if all(title.lower() == key for key, title in titles.items()):
        return ("", asked, ": d is higher in ")
    first, x = phrases.subject(titles["x"])
    closer = (" are closer to ", titles["a"], ", relative to ", titles["b"])
    rival = (" and compared with ", titles["y"]) if "y" in titles else ()
    return (f"by d, {first}", x, *closer, *rival, ", in ")


def _p_cells(tests: Sequence[CompareResult]) -> Iterator[str]:
    """Names of the columns of all p-values of some tests: plain, then adjusted."""
    yield from ("p", "exact_p")
    for name in p_names(tests):
        yield f"{name}_sign"
        yield from (f"{name}_{how}" for how in ADJUSTMENTS)
        yield from (f"{name}_{how}_sign" for how in ADJUSTMENTS)


def _saved_row(one: SavedDifference, empty: Mapping[str, None]) -> dict[str, Any]:
    return {
        "design": one.design,
        "model_1": one.models[0],
        "model_2": one.models[1],
        "effect_size_1": one.effect_sizes[0],
        "effect_size_2": one.effect_sizes[1],
        "difference": one.difference,
        "low": None,
        "high": None,
        **empty,
        **dict.fromkeys(("method", "alternative", "min_p")),
        "measure": one.measure,
        "same_contexts": None,
    }


def compare_battery(
    models: Mapping[str, Model],
    designs: Design | Iterable[Design],
    *,
    measured: Mapping[str, Container[str]] | None = None,
    against: Against = "all",
    missing: Missing = "drop",
    alternative: Tail = "two-sided",
    scale: Scale = "sd",
    attributes: Attributes = "drawn",
    ddof: int = 1,
    interval: IntervalKind = "jackknife",
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> CompareBatteryResult:
    """Compare several designs between models, pair by pair, and adjust for the number of comparisons.

    Each comparison is the paired test of :func:`~crossroads.compare`: labels of the
    *changes* from model to model are exchanged. The interval is that of the difference of the two effect
    sizes over the choice of words, the same in both models, so that what a word does in both cancels out.

    Parameters
    ----------
    models
        Models by name; at least two. All of them vectors, or all of them contexts or CEATs.
    designs
        The designs to compare.
    measured
        Names of the designs to compare in each model; all designs in all models if left out. A pair of
        models is compared on what both have.
    against
        ``"all"`` compares every two models, ``"first"`` all others with the first.
    missing
        As in :func:`~crossroads.compare`; stimuli missing from either model of a pair are
        missing from both. A design with too few stimuli left is listed in ``skipped``.
    alternative, scale, attributes, ddof, seed
        As in :func:`~crossroads.compare`.
    interval
        ``"jackknife"`` leaves out one word at a time; ``"percentile"`` resamples words, as earlier versions
        did. See :func:`~crossroads.measures.comparison.intervals.difference_interval`.
    resamples
        Number of resamples of a percentile interval; 0 for no interval of either kind.
    level
        Nominal coverage of the intervals.
    progress
        Called with the name of each design before it is compared.
    options
        Passed on to :func:`~crossroads.compare`: ``ties``, ``method``, ``max_work``.

    Notes
    -----
    Comparisons that share a model are dependent. Holm's adjustment is valid nevertheless.

    The interval is of the difference of effect sizes, whatever the scale of the test. With ``scale="sd"``
    and ``attributes="drawn"`` test and interval use the same standard error and the same degrees of freedom.
    The test counts exchanges and the interval takes a quantile of t, so that they can disagree at 5 %: in one
    comparison in a hundred where there is no difference, and in up to four in a hundred where there is a
    small one. Exchanges of three words per set cannot reach 5 %. With ``scale="cosine"`` or
    ``attributes="given"`` the test and the interval answer different questions.

    In simulations with 8 to 32 words per set, 2 to 20 contexts per word and effect sizes from 0 to 1.8, 94 to
    98 % of jackknife intervals of level 95 % contain the difference of the populations of words, each with as
    many contexts as were read. Intervals of sets of three or four words are too wide. Noise of few contexts
    is part of what is estimated: see :func:`~crossroads.compare`.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> designs = [cr.catalog("weat7"), cr.catalog("weat8")]
    >>> words, rng = list({word: None for one in designs for word in one.words}), np.random.default_rng(1)
    >>> models = {name: cr.Embeddings(words, rng.normal(size=(len(words), 9))) for name in ("old", "new")}
    >>> result = cr.compare_battery(models, designs)
    >>> [(test.design, round(test.difference, 2)) for test in result.tests]
    [('weat7', 0.51), ('weat8', 0.65)]
    """
    one_of("against", against, Against)
    one_of("alternative", alternative, Tail)  # not "observed", which must not be adjusted
    one_of("interval", interval, IntervalKind)
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
    """Evidence of a model about a design."""
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
    adjusted = adjust([test.pvalue for test in tests])
    sources = [
        model.provenance if isinstance(model, (CeatBatteryResult, CeatResult)) else (model.provenance,)
        for model in models.values()
    ]
    return CompareBatteryResult(
        models=tuple(models),
        pairs=pairs,
        tests=tests,
        intervals=tuple(ends for _, _, ends in found),
        adjusted=adjusted,
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
        raise InputError(f"two designs are called {twice[0]!r}.", hint="give each design its own name.")
    first, *others = models
    return [(first, other) for other in others] if against == "first" else list(combinations(models, 2))

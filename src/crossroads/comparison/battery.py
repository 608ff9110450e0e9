"""Differences of many designs between several models, adjusted for the number of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

from crossroads.comparison.jackknife import INTERVAL, difference_interval
from crossroads.comparison.jackknife import DifferenceInterval as DifferenceInterval
from crossroads.comparison.models import (
    UNIT,
    Against,
    Attributes,
    CompareResult,
    Scale,
    compare,
    context_notes,
    p_names,
)
from crossroads.comparison.words import Evidence, shared_words
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.contexts.measures.ceat import CeatResult
from crossroads.core.errors import (
    DesignError,
    EvidenceError,
    InputError,
    Missing,
    MissingStimuliError,
    one_of,
)
from crossroads.core.evidence import Contexts, Embeddings, Provenance
from crossroads.core.inference.multiplicity import ADJUSTMENTS, adjust
from crossroads.core.inference.options import share
from crossroads.core.inference.permutation.test import Tail
from crossroads.core.results import (
    ADJUSTERS,
    QUESTION,
    Conclusion,
    Result,
    Stat,
    from_tests,
    numbers,
    stat,
    status_of,
)
from crossroads.core.results.gaps import require_stimuli
from crossroads.core.results.gathered import listed_designs
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, percent
from crossroads.core.wording.table import Table
from crossroads.core.wording.vocabulary import adjusted_note
from crossroads.words.measures.battery import recorded
from crossroads.words.measures.weat import check_ddof

Model = Embeddings | Contexts | CeatBatteryResult | CeatResult
"""Evidence about one model: a vector per word, or many, or the tests that were made on these."""


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
    """First effect size minus the second."""
    reason: str
    """Why there is no paired test."""


class Row(NamedTuple):
    """A row of a comparison: a test, or a difference of saved numbers."""

    test: CompareResult | SavedDifference
    models: tuple[str, str]
    titles: Mapping[str, str]
    p_names: Sequence[str]
    interval: DifferenceInterval | None = None
    adjusted: Mapping[str, P] = MappingProxyType({})
    ordinary: Mapping[str, float] = MappingProxyType({})

    @property
    def name(self) -> str:
        """The design, as a CEAT where it is over contexts."""
        return phrases.tested(self.test.design, self.test.measure)

    @property
    def _question(self) -> str | None:
        return phrases.question(self.titles) or None

    @property
    def sizes(self) -> tuple[float, float] | None:
        """Δ of each model in its own ordinary associations, where these are known."""
        units = [self.ordinary.get(name) for name in self.models]
        if self.paired is None or self.paired.contexts or None in units:
            return None
        one, two = (value / (unit or 1.0) for value, unit in zip(self.paired.differences, units, strict=True))
        return one, two

    @property
    def both(self) -> str:
        """The models in one text."""
        return " / ".join(self.models)

    @property
    def paired(self) -> CompareResult | None:
        """The test, if there is one."""
        return self.test if isinstance(self.test, CompareResult) else None

    @property
    def shown(self) -> dict[str, P]:
        """All p-values by name, with their marks."""
        if self.paired is None:
            return {}
        name = self.paired._p_name
        return {name: self.paired._p, **{f"{name}_{how}": p for how, p in self.adjusted.items()}}

    @property
    def cells(self) -> dict[str, float | str | None]:
        """The p-values and their signs, under the names that all rows have."""
        cells: dict[str, float | str | None] = {"p": None, "exact_p": None}
        for name in self.p_names:
            keys = [f"{name}_{how}" for how in ADJUSTMENTS]
            cells |= dict.fromkeys([f"{name}_sign", *keys, *(f"{key}_sign" for key in keys)])
        for key, p in self.shown.items():
            cells |= {key: p.value, f"{key}_sign": p.mark or "="}
        return cells


_UNIT = f"Δ of the first model divided by its {phrases.ORDINARY}; 2: the same of the second"


def _levels(results: Sequence[Any]) -> str:
    levels = dict.fromkeys(ends.level for one in results for ends in one.intervals if ends is not None)
    shares = ", ".join(map(percent, levels))
    drawn = "over the choice of words, the same in both models; not adjusted"
    return f"of the difference, {shares}, {drawn}" if shares else ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareBatteryResult(Result):
    """Several designs in several models, with a paired test for each design and pair of models."""

    _section: ClassVar[str] = "comparison"
    _cites: ClassVar[tuple[str, ...]] = ADJUSTERS
    _stem: ClassVar[str] = "comparison"
    _figure: ClassVar[str] = "comparison_plot"
    _table_title: ClassVar[str] = "Models compared"
    _file_names: ClassVar[str] = (
        "design=test.design model_1=models.0 model_2=models.1 agreement=paired.agreement "
        "ordinary_1=sizes.0 ordinary_2=sizes.1 effect_size_1=test.effect_sizes.0 "
        "effect_size_2=test.effect_sizes.1 difference=test.difference low=interval.low high=interval.high "
        "*=cells method=paired.method alternative=paired.alternative min_p=paired.min_pvalue "
        "measure=test.measure same_contexts=paired.same_contexts"
    )
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("test", of="name"),
        QUESTION,
        stat("models", of="both"),
        *(Stat(one.key, f"paired.{one.key}", one.look) for one in from_tests(CompareResult, "agreement")),
        *from_tests(CompareResult, "d1 d2"),
        Stat("difference", "test.difference", {"head": "d 1 − 2"}),
        stat("ordinary1", "× ordinary 1", _UNIT, of="sizes.0", digits=1, spare=3),
        stat("ordinary2", "× ordinary 2", of="sizes.1", digits=1, spare=3),
        stat("ci", "CI", _levels, of="interval.low", kind="interval"),
        *(
            column
            for one in from_tests(CompareResult, "p exact_p")
            for column in (
                Stat(one.key, f"shown.{one.key}", {**one.look, "spare": 2}),
                stat(
                    f"{one.key}_{phrases.ADJUSTMENT}",
                    f"{one.look['head']} ({phrases.ADJUSTMENTS[phrases.ADJUSTMENT][0]})",
                    adjusted_note("comparison"),
                    of=f"shown.{one.key}_{phrases.ADJUSTMENT}",
                ),
            )
        ),
    )

    models: tuple[str, ...]
    """Names of the models, in the order given."""
    pairs: tuple[tuple[str, str], ...] = ()
    """The two models of each test."""
    tests: tuple[CompareResult, ...] = ()
    """The tests, design by design."""
    intervals: tuple[DifferenceInterval | None, ...] = ()
    """Interval of each difference over the choice of words, the same in both models; None where a set has a
    single word, where associations hardly differ, or where none was requested."""
    adjusted: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """p-values adjusted over all designs and pairs of models, by method (``holm``, ``bh``, ``by``)."""
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What the sets of each design stand for."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Comparisons that could not be made, as design and models, and why."""
    unpaired: tuple[SavedDifference, ...] = ()
    """Differences of saved effect sizes, where the vectors are not available."""
    ordinary: Mapping[str, float] = field(default_factory=dict)
    """The ordinary association of each model, where it was measured: :func:`~crossroads.stats.ordinary`."""
    notes: tuple[str, ...] = ()
    """Cautions: conventions that differ between the measurements of the models, and whether models that are
    compared over contexts read the same ones."""

    def _paired(self) -> Iterator[tuple[CompareResult, tuple[str, str]]]:
        return zip(self.tests, self.pairs, strict=True)

    def _members(self) -> Iterator[Row]:
        """One row per design and pair of models; differences without a test at the end."""
        names = p_names(self.tests)
        marked = {how: self._adjusted_p(how) for how in self.adjusted} if self.tests else {}
        for i, ((test, pair), ends) in enumerate(zip(self._paired(), self.intervals, strict=True)):
            adjusted = {how: some[i] for how, some in marked.items()}
            yield Row(test, pair, self.titles.get(test.design, {}), names, ends, adjusted, self.ordinary)
        for saved in self.unpaired:
            yield Row(saved, saved.models, self.titles.get(saved.design, {}), names)

    @property
    def _label(self) -> str:
        return " / ".join(self.models)

    @property
    def _question(self) -> str:
        """Empty: each test has its own question."""
        return ""

    def _adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values with their marks, by method and number of the test."""
        return {how: dict(enumerate(self._adjusted_p(how))) for how in self.adjusted}

    def _adjusted_p(self, how: str = phrases.ADJUSTMENT) -> list[P]:
        low = adjust([test.pvalue_low for test in self.tests])[how]
        high = adjust([test.pvalue_high for test in self.tests])[how]
        methods = (test.method for test in self.tests)
        return P.family(self.adjusted[how], list(zip(low, high, strict=True)), methods)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        for i, row in enumerate(self._members()):
            if row.paired is None:
                continue
            test, ends, (first, second) = row.paired, row.interval, row.models
            near, far = (first, second) if test.difference >= 0 else (second, first)
            question = row._question or row.name
            yield Conclusion(
                name=row.name,
                status=status_of(row.adjusted[phrases.ADJUSTMENT]),
                statement=(*_stronger(question, row.titles), near, " than in ", far, ""),
                subject=question,
                poles=(f"more in {second}", f"more in {first}"),
                scale="difference of d",
                numbers=numbers(
                    chance=(f"tests/{i}/agreement", test.agreement),
                    value=(f"tests/{i}/difference", test.difference),
                    low=(f"intervals/{i}/low", None if ends is None else ends.low),
                    high=(f"intervals/{i}/high", None if ends is None else ends.high),
                ),
            )

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per design and pair of models; differences of saved numbers have no test."""
        names = p_names(test for one in results.values() for test in one.tests)
        gone = {"p", "exact_p"} - set(names)
        adjusted = {f"{name}_{phrases.ADJUSTMENT}" for name in gone}
        return super()._tabulate(results).without(gone | adjusted)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        if any(one.unpaired for one in results.values()):
            yield "Rows without p: differences of saved numbers."


def _stronger(question: str, titles: Mapping[str, str]) -> tuple[str, ...]:
    """The beginning of a sentence about the models in which a difference is larger, up to the first model."""
    if all(title.lower() == key for key, title in titles.items()):
        return ("", question, ": d is higher in ")
    first, x = phrases.subject(titles["x"])
    rival = (" and compared with ", titles["y"]) if "y" in titles else ()
    closer = (" are closer to ", titles["a"], ", relative to ", titles["b"])
    return (f"by d, {first}", x, *closer, *rival, ", in ")


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
    level: float = 0.95,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> CompareBatteryResult:
    """:func:`~crossroads.compare` of several models.

    Parameters
    ----------
    measured
        Names of the designs to compare in each model; all designs in all models if left out. A pair of
        models is compared on what both have.
    """
    one_of("against", against, Against)
    one_of("alternative", alternative, Tail)  # not "observed", which must not be adjusted
    check_ddof(ddof)
    level = share("level", level)
    designs = listed_designs(designs)
    pairs = _pairs(models, designs, against)
    if missing == "raise" and measured is None:
        words = {
            f"in {name}": model if isinstance(model, Embeddings) else model.index
            for name, model in models.items()
            if isinstance(model, (Embeddings, Contexts))  # of others only the tests are known
        }
        require_stimuli(words, designs)
    settings: dict[str, Any] = {
        "missing": missing,
        "alternative": alternative,
        "scale": scale,
        "attributes": attributes,
        "ddof": ddof,
        "seed": seed,
        **options,
    }
    tests: dict[tuple[str, tuple[str, str]], CompareResult] = {}
    intervals: list[DifferenceInterval | None] = []
    skipped: dict[str, str] = {}
    for design in designs:
        if progress is not None:
            progress(design.name)
        for pair in pairs:
            if measured is not None and not all(design.name in measured.get(name, ()) for name in pair):
                continue
            try:
                one, two = (_evidence(models[name], name, design) for name in pair)
                tests[design.name, pair] = compare(one, two, design, **settings)
            except (MissingStimuliError, EvidenceError, DesignError) as error:
                if missing == "raise":
                    raise
                measure = "weat" if isinstance(models[pair[0]], Embeddings) else "ceat"
                skipped[comparison_name(design.name, *pair, measure=measure)] = error.reason
                continue
            shared = shared_words(one, two, design, missing, options.get("words", "effective"))
            intervals.append(difference_interval(shared, ddof=ddof, level=level))
    sources = [model.provenance for model in models.values()]
    compared = tuple(pair for _, pair in tests)
    return CompareBatteryResult(
        models=tuple(models),
        pairs=compared,
        tests=tuple(tests.values()),
        intervals=tuple(intervals),
        adjusted=adjust([test.pvalue for test in tests.values()]),
        titles={design.name: {role: words.name for role, words in design.sets.items()} for design in designs},
        skipped=skipped,
        notes=context_notes(tuple(tests.values()), compared),
        conventions={
            "measure": "compare battery",
            "against": against,
            "adjusted": f"all comparisons, {alternative}",
            "interval": INTERVAL,
            "level": level,
            **recorded(settings),
            **({"unit over contexts": UNIT} if any(test.contexts for test in tests.values()) else {}),
        },
        provenance=tuple(one for some in sources for one in (some if isinstance(some, tuple) else (some,))),
    )


def _evidence(model: Model, name: str, design: Design) -> Evidence:
    if not isinstance(model, CeatBatteryResult):
        return model
    found = [test for test in model.tests if test.design == design.name]
    if not found:
        raise DesignError(f"{name} has no test {design.name!r} over contexts.")
    return found[0]


def _pairs(models: Mapping[str, Model], designs: list[Design], against: str) -> list[tuple[str, str]]:
    hint = "give at least two, as {name: vectors, ...}; or two models and a design."
    if not hasattr(models, "items"):
        raise InputError(f"the models are of type {type(models).__name__}.", hint=hint)
    if len(models) < 2:
        raise InputError(f"{len(models)} model(s) to compare.", hint=hint)
    names = [design.name for design in designs]
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise InputError(f"two designs are called {twice[0]!r}.", hint="give each design its own name.")
    first, *others = models
    return [(first, other) for other in others] if against == "first" else list(combinations(models, 2))


def join_comparisons(
    found: Sequence[CompareBatteryResult],
    models: Iterable[str],
    *,
    skipped: Mapping[str, str] | None = None,
    ordinary: Mapping[str, float] = MappingProxyType({}),
) -> CompareBatteryResult:
    """Combine comparisons of the same models into one, with p-values adjusted over all of them.

    Conventions are those of the first, with additional ones of the others; each test keeps its own.
    """
    names = tuple(models)
    tests = tuple(test for one in found for test in one.tests)
    pairs = tuple(pair for one in found for pair in one.pairs)
    sources: dict[str, list[Provenance]] = {name: [] for name in names}  # once for each kind of evidence
    for one in found:
        for name, source in zip(one.models, one.provenance, strict=False):
            if source not in sources[name]:
                sources[name].append(source)
    return CompareBatteryResult(
        models=names,
        pairs=pairs,
        tests=tests,
        intervals=tuple(ends for one in found for ends in one.intervals),
        adjusted=adjust([test.pvalue for test in tests]),
        titles={name: sets for one in found for name, sets in one.titles.items()},
        skipped={**{name: why for one in found for name, why in one.skipped.items()}, **(skipped or {})},
        ordinary=dict(ordinary),
        notes=context_notes(tests, pairs),
        conventions=_conventions(found),
        provenance=tuple(source for some in sources.values() for source in some),
    )


def _conventions(found: Sequence[CompareBatteryResult]) -> dict[str, Any]:
    """The conventions of all; where those of comparisons over contexts differ, their names say so."""
    conventions: dict[str, Any] = {}
    for one in found:
        over = any(test.contexts for test in one.tests)
        for key, value in one.conventions.items():
            if conventions.setdefault(key, value) != value and over:
                conventions[f"{key} over contexts"] = value
    return conventions


def comparison_name(design: str, first: str, second: str, *, measure: str = "weat") -> str:
    """What a comparison is called: the design, as a CEAT where it is over contexts, and both models."""
    return f"{phrases.tested(design, measure)}: {first} / {second}"

"""Agreement of a model's scores with human judgements, and tables of such agreements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self

from crossroads.core.errors import InputError
from crossroads.core.results import Conclusion, Result, Row, Stat, Values, because, long_row, numbers, stat
from crossroads.core.results.stats import NAME, named
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import percent
from crossroads.core.wording.table import Table

_NO_INTERVAL = "there is no interval over other groups and traits"
_OF_GROUP = (
    "kendall_tau kendall_pvalue precision_at_3 precision_top precision_bottom traits annotators ceiling"
)
"""Numbers of each group."""
_OF_ENTRY = (
    "kendall_tau kendall_pvalue permutation_pvalue=exchanges.groups.pvalue precision_at_3 ceiling "
    "groups=by_group.len"
)
"""Numbers of each alignment in a table of several."""


@dataclass(frozen=True, kw_only=True)
class GroupAlignment:
    """Agreement on one group."""

    kendall_tau: float | None
    """Kendall's τ-b over its traits; None where all scores of a side are equal."""
    kendall_pvalue: float | None
    """Two-sided p-value of the same, under random order of the traits."""
    precision_at_3: float | None
    """Mean of the two shares below; None with fewer than k traits."""
    precision_top: float | None
    """Share of the model's k highest traits that people rate above the threshold."""
    precision_bottom: float | None
    """Share of the model's k lowest traits that people rate below it."""
    traits: int
    """Traits with a score on both sides."""
    annotators: int
    """People who rated the group; 0 where only means are known."""
    ceiling: float | None
    """The τ-b that the population means would have with the means of the annotators."""


@dataclass(frozen=True, kw_only=True)
class TraitExchange:
    """Agreement that remains when the labels of one side are exchanged."""

    pvalue: float
    """Two-sided p-value of the observed τ-b among those with exchanged labels."""
    tau: float
    """The observed τ-b, on the groups that have every trait."""
    expected_tau: float
    """Mean τ-b with exchanged labels."""
    draws: int
    """Number of exchanges."""
    blocks: int = 1
    """Number of blocks within which labels were exchanged; 1 where any two could be."""


@dataclass(frozen=True, kw_only=True)
class Exchange(TraitExchange):
    """The same for agreement with people, which has a precision too."""

    precision_pvalue: float
    """Two-sided p-value of the observed precision."""
    expected_precision: float
    """Mean precision with exchanged labels."""


@dataclass(frozen=True, kw_only=True)
class NoiseCeiling:
    """Agreement of people with each other, on the cells that single people rated."""

    truth: float
    """Expected τ-b between the unknown population means and the means of the annotators."""
    truth_precision: float
    """Expected precision at k of the same."""
    same_size: float
    """Expected τ-b between the means of two samples of people, each as large as the given one."""
    split_half: float
    """Mean τ-b between the means of two random halves of the people."""
    split_half_interval: tuple[float, float]
    """The middle 95 % of the same over divisions."""
    by_group: Mapping[str, float]
    """``truth`` within each group; groups rated by fewer than two people are left out."""
    splits: int
    """Number of divisions, and of simulated samples."""


def _precision(text: str) -> Callable[[Sequence[Any]], str]:
    """A text with the numbers of traits at which precision was measured, or with k if there are several."""

    def said(results: Sequence[Any]) -> str:
        each = " or ".join(dict.fromkeys(str(one.conventions.get("k", 3)) for one in results))
        return text.format(each=each, k=each if each.isdigit() else "k")

    return said


def levels(results: Sequence[Any]) -> str:
    """The levels of the intervals of τ-b, and what they are for."""
    known = (float(one.conventions.get("level", 0.95)) for one in results if one.interval)
    shares = ", ".join(dict.fromkeys(map(percent, known)))
    return f"{shares}, for other groups and traits" if shares else ""


_P_GROUPS = stat(
    "p_groups",
    "p (groups)",
    "people's profiles go to other groups (of the domain)",
    of="permutation_pvalue",
    kind="exchanged",
)
_UNNAMED = "No blocks of {} are known: where there are some, p is too small and the interval too narrow."
_TRAITS = "traits (of a scale) are renamed alike in all groups"
_CELLS = "as published: cells as if independent"
_SIDES = "share of the model's {each} highest and {each} lowest traits that people put on the same side"
_PRECISION = stat("precision", _precision("P@{k}"), _precision(_SIDES), of="precision_at_3", spare=3)
_CEILING = stat("ceiling", note="what all people think, with those asked", spare=1)


def alignment_name(name: str) -> str:
    """Name of the agreement with people, such as ``SeT alignment``."""
    return f"{name} alignment"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AlignmentResult(Result):
    """Agreement of a model's scores with human judgements."""

    _judged: ClassVar[bool] = True
    _section: ClassVar[str] = "people"
    _cites: ClassVar[tuple[str, ...]] = ("cao2022theory", "kendall1945treatment", "efron1979bootstrap")
    _stem: ClassVar[str] = "alignment"
    _figure: ClassVar[str] = "trait_heatmap"
    _table_title: ClassVar[str] = "Agreement with people"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "alignment": "kendall_tau low=interval.0 high=interval.1 kendall_pvalue "
        "p_groups=exchanges.groups.pvalue p_traits=exchanges.traits.pvalue precision_at_3 ceiling "
        "left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("measure", of=NAME),
        stat("groups", of="by_group.len", kind="count", spare=2),
        stat("tau", of="kendall_tau"),
        stat("interval", "CI", levels, kind="interval"),
        replace(_P_GROUPS, path="exchanges.groups.pvalue"),
        stat("p_traits", "p (traits)", _TRAITS, of="exchanges.traits.pvalue", kind="exchanged", spare=1),
        _PRECISION,
        _CEILING,
    )

    measure: str
    """The measure of the scores."""
    kendall_tau: float
    """Kendall's τ-b over all cells of groups and traits together."""
    kendall_pvalue: float
    """Its two-sided p-value as published: it treats all cells as independent, which they are not."""
    interval: tuple[float, float] | None
    """Interval of τ-b for other groups and other traits; None without resamples, for fewer than three
    groups or traits, or where τ-b is undefined without some of them."""
    blocks: Mapping[str, int] = field(default_factory=dict)
    """Number of blocks of ``groups`` and of ``traits`` that are known, such as domains and scales; 1 where
    none are, so that each counts as independent."""
    annotator_interval: tuple[float, float] | None
    """Interval of τ-b from resampling people, centred on τ-b; None where only means are known."""
    exchanges: Mapping[str, Exchange]
    """``groups``: human profiles are exchanged between groups; ``traits``: the names of traits are exchanged,
    for all groups alike; within blocks where there are such. Empty where fewer than three groups have every
    trait, or without draws."""
    precision_at_3: float
    """Mean over groups of the precision at k, half of it at the top and half at the bottom."""
    precision_interval: tuple[float, float] | None
    """Interval of the same from resampling groups."""
    precision_chance: float
    """Precision of a random order of the traits: one half, minus what people rate at the threshold."""
    by_group: Mapping[str, GroupAlignment]
    """Agreement on each group."""
    ceiling: float | None
    """Noise ceiling: the τ-b that the population means would have with the means of the annotators; None
    where only means are known."""
    noise: NoiseCeiling | None
    """How well people agree with each other."""
    k: int
    """Number of traits at either end used for precision; 3 as published."""
    model_scores: Mapping[str, Mapping[str, float]]
    """The model's scores compared: group → trait → score."""
    human_scores: Mapping[str, Mapping[str, float]]
    """The human means compared: group → trait → mean."""

    def _rows(self) -> list[Row]:
        overall = named(self, "kendall_tau kendall_pvalue precision_at_3 ceiling")
        overall["traits"] = len({trait for row in self.human_scores.values() for trait in row})
        return [
            *({"group": group, **named(one, _OF_GROUP)} for group, one in self.by_group.items()),
            {"group": "all groups", **dict.fromkeys(_OF_GROUP.split()), **overall},
        ]

    @property
    def _label(self) -> str:
        """The measure; an audit may name the people before it."""
        return alignment_name(phrases.measure(self.measure))

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        ends, tau = self.interval, self.kendall_tau
        outside = ends is not None and not ends[0] <= 0 <= ends[1]
        verb = "agrees" if tau > 0 else "disagrees"
        order = f"by {phrases.measure(self.measure)}, the order of groups on traits"
        yield Conclusion(
            name=name,
            status="holds" if outside else "unknown",
            statement=because((f"{order} {verb} with that of people",), None if ends else _NO_INTERVAL),
            subject="agreement with people",
            poles=("opposite", "agreement"),
            scale="τ",
            drawn="groups and traits",
            numbers=numbers(
                value=("kendall_tau", tau),
                low=("interval/0", ends and ends[0]),
                high=("interval/1", ends and ends[1]),
            ),
        )

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        return super()._tabulate({name.removesuffix(" alignment"): one for name, one in results.items()})

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        for kind in ("groups", "traits"):
            if any(one.blocks.get(kind) == 1 for one in results.values()):
                yield _UNNAMED.format(kind)

    def _long_rows(self, name: str) -> Iterator[Row]:
        row = partial(long_row, "alignment", name)

        def ends(interval: tuple[float, float] | None) -> dict[str, float | None]:
            low, high = interval or (None, None)
            return {"low": low, "high": high}

        overall = "all groups"
        yield row(overall, "kendall_tau", self.kendall_tau, **ends(self.interval))
        yield row(overall, "kendall_pvalue", self.kendall_pvalue, method="as if independent")
        yield row(overall, "precision_at_3", self.precision_at_3, **ends(self.precision_interval))
        yield row(overall, "precision_chance", self.precision_chance)
        yield row(overall, "k", self.k)
        if self.annotator_interval is not None:
            yield row(overall, "annotator_interval", None, **ends(self.annotator_interval))
        for kind, one in self.exchanges.items():
            part, drawn = f"exchange of {kind}", {"method": "monte-carlo", "n": one.draws}
            yield row(part, "kendall_tau", one.tau, exact_p=one.pvalue, **drawn)
            for statistic in ("expected_tau", "precision_pvalue", "expected_precision"):
                yield row(part, statistic, getattr(one, statistic), **drawn)
        for statistic, value in ({} if self.noise is None else vars(self.noise)).items():
            if isinstance(value, tuple):
                yield row("people", statistic, None, **ends(value))
            elif isinstance(value, (int, float)):
                yield row("people", statistic, value)
        for group, found in self.by_group.items():
            for statistic, value in named(found, _OF_GROUP).items():
                yield row(f"group {group}", statistic, value)
        for side, scores in (("model", self.model_scores), ("human", self.human_scores)):
            for group, line in scores.items():
                for trait, score in line.items():
                    yield row(f"{group}, {trait}", f"{side}_score", score)

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """Its statistics; ``p_groups`` is the p-value of exchanged groups, ``p_traits`` that of traits."""
        yield from ((name, kind, values) for _, kind, values in super()._readings(name))


@dataclass(frozen=True, kw_only=True)
class AlignmentEntry:
    """One measure on one model."""

    measure: str
    """The measure, such as ``"SeT"``."""
    model: str
    """The model, such as ``"BERT"``."""
    kendall_tau: float
    """Kendall's τ-b over all cells."""
    kendall_pvalue: float
    """Published p-value, which treats cells as independent."""
    permutation_pvalue: float | None
    """p-value from exchanging groups."""
    precision_at_3: float
    """Mean precision over groups."""
    ceiling: float | None
    """Noise ceiling of τ-b."""
    groups: int
    """Number of groups compared."""

    @property
    def measure_name(self) -> str:
        """The measure, as outputs call it."""
        return phrases.measure(self.measure)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AlignmentTable(Result):
    """Measures × models, as in Table 6 of Cao et al. (2022)."""

    _cites: ClassVar[tuple[str, ...]] = ("cao2022theory", "kendall1945treatment", "efron1979bootstrap")
    _label_format: ClassVar[str] = "alignment table"
    _table_name: ClassVar[str] = "alignments"
    _table_title: ClassVar[str] = "Agreement with people, by measure and model"
    _file_names: ClassVar[str] = (
        "measure model kendall_tau kendall_pvalue permutation_pvalue precision_at_3 ceiling groups"
    )
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("measure", of="measure_name"),
        stat("model"),
        stat("groups", kind="count", spare=2),
        stat("tau", of="kendall_tau"),
        stat("p_cells", "p (cells)", _CELLS, of="kendall_pvalue", kind="p", spare=1),
        _P_GROUPS,
        _PRECISION,
        _CEILING,
    )

    entries: tuple[AlignmentEntry, ...]
    """One entry per measure and model."""
    same_groups: bool
    """Whether all entries compare the same groups; if not, they do not rank measures fairly."""

    def _members(self) -> tuple[AlignmentEntry, ...]:
        return self.entries

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        if not all(one.same_groups for one in results.values()):
            yield "Rows compare different groups, and so do not rank measures or models."

    def to_wide(self, field: str = "kendall_tau") -> dict[str, dict[str, float | None]]:
        """One field as measure → model → value."""
        table: dict[str, dict[str, float | None]] = {}
        for entry in self.entries:
            if field not in vars(entry):
                raise InputError(
                    f"an entry has no field {field!r}.", hint=f"one of {', '.join(vars(entry))}."
                )
            table.setdefault(entry.measure, {})[entry.model] = getattr(entry, field)
        return table


def align_table(results: Mapping[tuple[str, str], AlignmentResult]) -> AlignmentTable:
    """Tabulate alignments of measures and models: ``align_table({("SeT", "BERT"): result, …})``.

    Parameters
    ----------
    results
        Alignments by measure and model.

    Examples
    --------
    >>> import crossroads as cr
    >>> people = {
    ...     "nurses": {"cold-warm": 90, "poor-wealthy": 40},
    ...     "bankers": {"cold-warm": 20, "poor-wealthy": 95},
    ... }
    >>> table = cr.traits.align_table({("ILPS", "small"): cr.align(people, people, k=1)})
    >>> table.entries[0].model, round(table.entries[0].kendall_tau, 2)
    ('small', 1.0)
    """
    if not results:
        raise InputError("there is no alignment to put in a table.", hint="give at least one.")
    provenance = {p.source: p for one in results.values() for p in one.provenance}
    return AlignmentTable(
        entries=tuple(
            AlignmentEntry(measure=measure, model=model, **named(one, _OF_ENTRY))
            for (measure, model), one in results.items()
        ),
        same_groups=len({frozenset(one.by_group) for one in results.values()}) == 1,
        conventions={**next(iter(results.values())).conventions, "measure": "alignment table"},
        provenance=tuple(provenance.values()),
    )

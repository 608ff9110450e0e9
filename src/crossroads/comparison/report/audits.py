"""Comparison of saved audits: paired tests if their data were kept, otherwise differences of numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from crossroads.comparison.battery import (
    Against,
    CompareBatteryResult,
    SavedDifference,
    compare_battery,
    comparison_name,
    join_comparisons,
)
from crossroads.comparison.jackknife import IntervalKind
from crossroads.comparison.models import Attributes, Scale, context_notes
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.contexts.measures.ceat import CeatResult
from crossroads.core.errors import InputError, join_words
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.model_names import numbered
from crossroads.core.inference.multiplicity import adjust
from crossroads.core.inference.permutation.test import Tail
from crossroads.core.report.documents.records import Record, revive
from crossroads.core.results import Result
from crossroads.core.stimuli import Design
from crossroads.core.wording.numbers import counted
from crossroads.traits.measures.compare import CompareTraitsResult, compare_traits
from crossroads.traits.measures.scores import TraitScores
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import MleatResult

_SAME = {
    "mleat": ("ddof", "association"),
    "ceat": ("ddof",),
}
"""Conventions that must agree for saved effect sizes to be compared."""
_READ = ("BatteryResult", "CeatBatteryResult", "TraitScores")
_TOLD = ("alternative", "ties", "ddof", "missing", "fallback", "samples", "variance")
"""Conventions that are reported if audits differ in them."""


@dataclass(frozen=True, kw_only=True)
class SavedAudit:
    """The parts of one audit that a comparison needs."""

    name: str
    """Name of the model."""
    designs: Mapping[str, Design]
    """The designs, by name."""
    battery: BatteryResult | None
    """Tests on one vector per word."""
    contexts: CeatBatteryResult | None
    """Tests over contexts."""
    traits: Mapping[str, TraitScores]
    """Scores of groups on traits, by measure."""
    vectors: Embeddings | None
    """Vectors of the stimuli."""


def saved_audits(records: Sequence[Record], names: Sequence[str] | None = None) -> list[SavedAudit]:
    """The audits among records, with unique names; saved comparisons are left out."""
    audits = [one for one in records if one.document["kind"] != "results"]
    if len(audits) < 2:
        raise InputError(
            f"there {'is one audit' if audits else 'are no audits'} to compare.",
            hint="name the folders of two audits or more.",
        )
    found = []
    for record, name in zip(audits, names or numbered([one.model for one in audits]), strict=True):
        results = [revive(one) for one in record.results if one["type"] in _READ]
        designs = [Design.from_dict(one) for one in record.document["designs"]]
        found.append(saved_audit(name, results, designs, record.vectors))
    return found


def saved_audit(
    name: str, results: Iterable[Result], designs: Iterable[Design], vectors: Embeddings | None
) -> SavedAudit:
    """The parts of an audit; the vectors get the provenance that they had when they were measured."""
    results = list(results)
    battery = next((one for one in results if isinstance(one, BatteryResult)), None)
    if vectors is not None and battery is not None and battery.provenance:
        about = battery.provenance[0]
        vectors = Embeddings(vectors.labels, vectors.vectors, provenance=about, fallback=vectors.fallback)
    return SavedAudit(
        name=name,
        designs={one.name: one for one in designs},
        battery=battery,
        contexts=next((one for one in results if isinstance(one, CeatBatteryResult)), None),
        traits={one.measure: one for one in results if isinstance(one, TraitScores)},
        vectors=vectors,
    )


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Comparison of what saved audits have in common."""

    battery: CompareBatteryResult
    """Designs in pairs of models."""
    traits: tuple[CompareTraitsResult, ...] = ()
    """Scores of groups on traits in pairs of models."""

    @property
    def results(self) -> list[CompareBatteryResult | CompareTraitsResult]:
        """All results, in the order in which they are written."""
        return [self.battery, *self.traits]


def compare_audits(
    audits: Sequence[SavedAudit],
    *,
    tested: CompareBatteryResult | None = None,
    against: Against = "all",
    alternative: Tail = "two-sided",
    scale: Scale = "sd",
    attributes: Attributes = "drawn",
    interval: IntervalKind = "jackknife",
    resamples: int = 2000,
    seed: int = 0,
    anything: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare everything that two or more saved audits have in common.

    If both audits of a pair kept vectors, a design is measured again in both, on the words that both have
    and under the conventions of the first audit, with the paired test of
    :func:`~crossroads.compare_battery`. Tests over contexts are compared in the same way, from the saved
    expected cosines. Otherwise the difference of the saved effect sizes is reported without a test. p-values
    of designs are adjusted together, on vectors and over contexts; those of agreement on traits separately.

    Parameters
    ----------
    audits
        The audits; see :func:`saved_audits`.
    tested
        Existing paired tests of these models, to which tests over contexts, if it has none, and differences
        without a test are added.
    anything
        Whether to return an empty comparison instead of raising if there is nothing to compare.
    against, alternative, scale, attributes, interval, resamples, seed, progress
        As in :func:`~crossroads.compare_battery`.
    """
    designs, refused = _common_designs(audits)
    options: dict[str, Any] = {"against": against, "resamples": resamples, "seed": seed, "progress": progress}
    options |= {"alternative": alternative, "scale": scale, "attributes": attributes, "interval": interval}
    result = _paired_tests(audits, designs, tested, **options)
    pairs = [pair for pair in combinations(audits, 2) if against == "all" or pair[0].name == audits[0].name]
    skipped = {**refused, **({} if result is None else result.skipped)}
    saved = _saved_differences(pairs, designs, set() if result is None else _compared_names(result), skipped)
    traits = tuple(found for one, two in pairs for found in _traits(one, two, skipped, seed))
    base = result or _untested(audits)
    changes: dict[str, Any] = {
        "models": tuple(one.name for one in audits),
        "skipped": skipped,
        "unpaired": tuple(saved),
        "notes": (*_notes(audits), *context_notes(base.tests, base.pairs)),
    }
    battery = dataclasses.replace(base, **changes)
    if not (battery.tests or saved or traits or anything):
        why = "; ".join(f"{name}: {reason}" for name, reason in list(skipped.items())[:3])
        raise InputError(
            f"these audits have nothing in common that can be compared{': ' + why if why else '.'}",
            hint="audit both models with the same tests.",
        )
    return adjusted(battery, traits)


def adjusted(battery: CompareBatteryResult, traits: Sequence[CompareTraitsResult]) -> Comparison:
    """A comparison with adjusted p-values: paired tests are one family, exchanges of traits another.

    They ask opposite questions: a small p-value of a paired test means that two models differ, and of an
    exchange that they agree. The many small p-values of agreement would make the adjustment too lenient.
    """
    places = [(at, name) for at, one in enumerate(traits) for name in one.exchanges]
    pvalues = [traits[at].exchanges[name].pvalue for at, name in places]
    families = adjust(pvalues) if pvalues else {}
    whole = [
        dataclasses.replace(
            one,
            adjusted={
                how: {name: some[places.index((at, name))] for name in one.exchanges}
                for how, some in families.items()
            },
        )
        for at, one in enumerate(traits)
    ]
    told = {**battery.conventions, "adjusted": _family(battery)} if battery.tests else battery.conventions
    return Comparison(battery=dataclasses.replace(battery, conventions=told), traits=tuple(whole))


def _family(battery: CompareBatteryResult) -> str:
    """The family over which p-values are adjusted, in words."""
    over = sum(bool(test.contexts) for test in battery.tests)
    kinds = {
        f"{counted(len(battery.tests) - over, 'paired test')} on vectors": len(battery.tests) - over,
        f"{counted(over, 'paired test')} over contexts": over,
    }
    return f"all comparisons: {join_words(name for name, count in kinds.items() if count)}"


def _common_designs(audits: Sequence[SavedAudit]) -> tuple[dict[str, Design], dict[str, str]]:
    """Designs that two audits or more hold with the same words; and those of one name with other words."""
    names = dict.fromkeys(name for one in audits for name in one.designs)
    common: dict[str, Design] = {}
    refused: dict[str, str] = {}
    for name in names:
        holders = [one for one in audits if name in one.designs]
        if len(holders) < 2:
            continue
        lists: dict[str, list[str]] = {}
        for one in holders:
            lists.setdefault(one.designs[name].digest, []).append(one.name)
        if len(lists) > 1:
            told = "; ".join(f"{digest[:12]} in {join_words(who)}" for digest, who in lists.items())
            refused[name] = f"the word lists differ, so that the audits ask different things: {told}."
        else:
            common[name] = holders[0].designs[name]
    return common, refused


def _paired_tests(
    audits: Sequence[SavedAudit],
    designs: Mapping[str, Design],
    tested: CompareBatteryResult | None = None,
    *,
    alternative: Tail,
    scale: Scale,
    attributes: Attributes,
    **options: Any,
) -> CompareBatteryResult | None:
    """All paired tests that audits allow, on vectors and over contexts; None where there is none.

    Where existing tests (``tested``) have none over contexts, those are added, in the same way.
    """
    way: dict[str, Any] = {"alternative": alternative, "scale": scale, "attributes": attributes}
    result = tested or _on_vectors(audits, designs, **options, **way)
    if result is not None:
        if any(test.contexts for test in result.tests):
            return result
        way = {key: result.conventions[key] for key in way}
    over = _over_contexts(audits, designs, **options, **way)
    if over is None:
        return result
    found = [over] if result is None else [result, over]
    return join_comparisons(found, [one.name for one in audits])


def _on_vectors(
    audits: Sequence[SavedAudit], designs: Mapping[str, Design], **options: Any
) -> CompareBatteryResult | None:
    """Paired tests of the audits with vectors."""
    tested = {
        one.name: (one.vectors, one.battery.tests)
        for one in audits
        if one.vectors is not None and one.battery is not None
    }
    return _paired(audits, designs, tested, ("ddof", "ties"), **options)


def _over_contexts(
    audits: Sequence[SavedAudit], designs: Mapping[str, Design], **options: Any
) -> CompareBatteryResult | None:
    """Paired tests over contexts."""
    tested = {one.name: (one.contexts, one.contexts.tests) for one in audits if one.contexts is not None}
    return _paired(audits, designs, tested, ("ddof",), **options)


def _paired(
    audits: Sequence[SavedAudit],
    designs: Mapping[str, Design],
    tested: Mapping[str, tuple[Any, Sequence[MleatResult | CeatResult]]],
    conventions: Sequence[str],
    *,
    against: Against,
    **options: Any,
) -> CompareBatteryResult | None:
    """Paired tests by name of the model, under the conventions of the first of them."""
    models = {name: evidence for name, (evidence, _) in tested.items()}
    measured = {
        name: {test.design: test.conventions for test in tests if test.design in designs}
        for name, (_, tests) in tested.items()
    }
    shared = [one for name, one in designs.items() if sum(name in some for some in measured.values()) > 1]
    if not shared or (against == "first" and audits[0].name not in models):
        return None
    first = next(found[one.name] for found in measured.values() for one in shared if one.name in found)
    options |= {key: first[key] for key in conventions}
    options["missing"] = "balance" if first["missing"] == "balance" else "drop"
    return compare_battery(models, shared, measured=measured, against=against, **options)


def _compared_names(result: CompareBatteryResult) -> set[str]:
    """Names of the comparisons that have a paired test."""
    return {
        comparison_name(test.design, *pair, measure=test.measure)
        for test, pair in zip(result.tests, result.pairs, strict=True)
    }


def _untested(audits: Sequence[SavedAudit]) -> CompareBatteryResult:
    """A comparison without paired tests."""
    evidence = [one.battery or one.contexts for one in audits]
    sources = [found.provenance[0] for found in evidence if found is not None and found.provenance]
    sources = sources or [p for one in audits for scores in one.traits.values() for p in scores.provenance]
    return CompareBatteryResult(
        models=tuple(one.name for one in audits),
        pairs=(),
        tests=(),
        intervals=(),
        adjusted={},
        titles={},
        skipped={},
        conventions={"measure": "compare battery", "adjusted": "nothing: no paired test was made"},
        provenance=tuple(sources),
    )


def _saved_differences(
    pairs: Sequence[tuple[SavedAudit, SavedAudit]],
    designs: Mapping[str, Design],
    done: set[str],
    skipped: dict[str, str],
) -> list[SavedDifference]:
    """Differences without a paired test; what cannot be compared at all is added to the skipped."""
    saved: list[SavedDifference] = []
    for one, two in pairs:
        for measure in ("mleat", "ceat"):
            left = {
                name: design
                for name, design in designs.items()
                if comparison_name(name, one.name, two.name, measure=measure) not in {*done, *skipped}
            }
            saved += _differences(one, two, measure, left, skipped)
    return saved


def _effects(audit: SavedAudit, measure: str) -> dict[str, tuple[float, Mapping[str, Any]]]:
    """Effect size and conventions of each test of a measure."""
    if measure == "mleat":
        tests = () if audit.battery is None else audit.battery.tests
        return {one.design: (one.level1.effect_size, one.conventions) for one in tests}
    over = () if audit.contexts is None else audit.contexts.tests
    return {one.design: (one.stimulus_effect_size, one.conventions) for one in over}


def _differences(
    one: SavedAudit, two: SavedAudit, measure: str, designs: Mapping[str, Design], skipped: dict[str, str]
) -> list[SavedDifference]:
    """Differences of saved effect sizes; those measured under different conventions are skipped."""
    first, second = _effects(one, measure), _effects(two, measure)
    found = []
    for name in (name for name in first if name in second and name in designs):
        (d1, told1), (d2, told2) = first[name], second[name]
        other = [key for key in _SAME[measure] if told1.get(key) != told2.get(key)]
        if other:
            differs = join_words(f"{key} is {told1.get(key)} and {told2.get(key)}" for key in other)
            place = comparison_name(name, one.name, two.name, measure=measure)
            skipped[place] = f"measured differently: {differs}."
            continue
        found.append(
            SavedDifference(
                design=name,
                measure=measure,
                models=(one.name, two.name),
                effect_sizes=(d1, d2),
                difference=d1 - d2,
                reason=_untestable(one, two, measure),
            )
        )
    return found


def _untestable(one: SavedAudit, two: SavedAudit, measure: str) -> str:
    """Why two saved effect sizes have no paired test."""
    if measure == "mleat":
        lacking = [audit.name for audit in (one, two) if audit.vectors is None]
        if lacking:
            return f"{join_words(lacking)} kept no vectors."
    return "no paired test was made."


def _traits(
    one: SavedAudit, two: SavedAudit, skipped: dict[str, str], seed: int
) -> list[CompareTraitsResult]:
    """Scores of the same measure in two models."""
    found = []
    for measure in (name for name in one.traits if name in two.traits):
        first, second = one.traits[measure], two.traits[measure]
        try:
            found.append(compare_traits(first, second, names=(one.name, two.name), seed=seed))
        except InputError as error:
            skipped[comparison_name(f"{measure} scores", one.name, two.name)] = error.message
    return found


def _notes(audits: Sequence[SavedAudit]) -> list[str]:
    """Conventions in which audits differ, with the value in each."""
    notes: list[str] = []
    for measure in ("mleat", "ceat"):
        told = {one.name: next(iter(_effects(one, measure).values()), None) for one in audits}
        known = {name: found[1] for name, found in told.items() if found is not None}
        notes += _differing(measure, known, _TOLD)
    for measure in dict.fromkeys(name for one in audits for name in one.traits):
        scored = {one.name: one.traits[measure].conventions for one in audits if measure in one.traits}
        keys = dict.fromkeys(key for conventions in scored.values() for key in conventions)
        notes += _differing(f"{measure} scores", scored, keys)
    return notes


def _differing(measure: str, known: Mapping[str, Mapping[str, Any]], keys: Iterable[str]) -> Iterator[str]:
    """A sentence for each convention of a measure that is not the same in all audits that have it."""
    for key in keys:
        values: dict[str, list[str]] = {}
        for name, conventions in known.items():
            if key in conventions:
                values.setdefault(str(conventions[key]), []).append(name)
        if len(values) > 1:
            parts = "; ".join(f"{value} in {join_words(who)}" for value, who in values.items())
            yield f"the audits differ in {key} ({measure}): {parts}."

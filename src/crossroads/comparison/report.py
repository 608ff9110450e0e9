"""Comparison of saved audits, by paired tests or by differences of numbers, with its tables and texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.comparison.battery import (
    CompareBatteryResult,
    SavedDifference,
    compare_battery,
    comparison_name,
    join_comparisons,
)
from crossroads.comparison.models import Against, Attributes, Scale, context_notes
from crossroads.comparison.texts import (
    comparison_citations,
    comparison_latex,
    comparison_markdown,
    comparison_methods,
    comparison_notes,
    comparison_tables,
)
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.contexts.measures.ceat import CeatResult
from crossroads.core.errors import InputError, join_words
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.model_names import numbered
from crossroads.core.inference.multiplicity import adjust
from crossroads.core.inference.permutation.test import Tail
from crossroads.core.report.documents.records import Record, revive
from crossroads.core.report.figures import Figures
from crossroads.core.report.files import Joint, Written, write_joint
from crossroads.core.results import Result
from crossroads.core.stimuli import Design
from crossroads.core.wording.numbers import counted
from crossroads.traits.measures.compare import CompareTraitsResult, compare_traits
from crossroads.traits.measures.scores import TraitScores
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import MleatResult

_SAME = {"mleat": ("ddof", "association"), "ceat": ("ddof",)}
"""Conventions that must agree for saved effect sizes to be compared."""
_READ = ("BatteryResult", "CeatBatteryResult", "TraitScores")
_REPORTED = ("alternative", "ties", "ddof", "missing", "fallback", "samples", "variance")
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

    def effects(self, measure: str) -> dict[str, tuple[float, Mapping[str, Any]]]:
        """Effect size and conventions of each test of a measure, ``mleat`` or ``ceat``."""
        if measure == "mleat":
            words = () if self.battery is None else self.battery.tests
            return {one.design: (one.level1.effect_size, one.conventions) for one in words}
        contexts = () if self.contexts is None else self.contexts.tests
        return {one.design: (one.stimulus_effect_size, one.conventions) for one in contexts}


def saved_audits(records: Sequence[Record]) -> list[SavedAudit]:
    """The audits among records, with unique names; saved comparisons are left out."""
    audits = [one for one in records if one.document["kind"] != "results"]
    if len(audits) < 2:
        raise InputError(
            f"there {'is one audit' if audits else 'are no audits'} to compare.",
            hint="name the folders of two audits or more.",
        )
    return [
        saved_audit(
            name,
            [revive(one) for one in record.results if one["type"] in _READ],
            [Design.from_dict(one) for one in record.document["designs"]],
            record.vectors,
        )
        for record, name in zip(audits, numbered([one.model for one in audits]), strict=True)
    ]


def saved_audit(
    name: str, results: Iterable[Result], designs: Iterable[Design], vectors: Embeddings | None
) -> SavedAudit:
    """The parts of an audit; the vectors get the provenance that they had when they were measured."""
    results = list(results)
    battery = next((one for one in results if isinstance(one, BatteryResult)), None)
    if vectors is not None and battery is not None and battery.provenance:
        about = battery.provenance[0]
        vectors = vectors.with_vectors(vectors.vectors, provenance=about, common=vectors.common)
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
    seed: int = 0,
    anything: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare everything that two or more saved audits have in common.

    If both audits of a pair kept vectors, a design is measured again in both, on the words that both have
    and under the conventions of the first audit, with the paired test of
    :func:`~crossroads.compare`. Tests over contexts are compared in the same way, from the saved
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
    against, alternative, scale, attributes, seed, progress
        As in :func:`~crossroads.compare`.
    """
    designs, skipped = _common_designs(audits)
    options: dict[str, Any] = {"alternative": alternative, "scale": scale, "attributes": attributes}
    options |= {"against": against, "seed": seed}
    base = _paired_tests(audits, designs, tested, progress=progress, **options) or _untested(audits)
    pairs = [pair for pair in combinations(audits, 2) if against == "all" or pair[0].name == audits[0].name]
    skipped |= base.skipped
    done = {comparison_name(test.design, *pair, measure=test.measure) for test, pair in base._paired()}
    saved = list(_saved_differences(pairs, designs, done, skipped))
    traits = tuple(found for one, two in pairs for found in _compared_traits(one, two, skipped, seed))
    if not (base.tests or saved or traits or anything):
        why = "; ".join(f"{name}: {reason}" for name, reason in list(skipped.items())[:3])
        raise InputError(
            f"these audits have nothing in common that can be compared{': ' + why if why else '.'}",
            hint="audit both models with the same tests.",
        )
    over = sum(bool(test.contexts) for test in base.tests)
    kinds = {"on vectors": len(base.tests) - over, "over contexts": over}
    family = join_words(f"{counted(n, 'paired test')} {where}" for where, n in kinds.items() if n)
    battery = dataclasses.replace(
        base,
        models=tuple(one.name for one in audits),
        skipped=skipped,
        unpaired=tuple(saved),
        notes=(*_notes(audits), *context_notes(base.tests, base.pairs)),
        conventions={**base.conventions, **({"adjusted": f"all comparisons: {family}"} if family else {})},
    )
    return Comparison(battery=battery, traits=_adjusted(traits))


def _adjusted(traits: Sequence[CompareTraitsResult]) -> tuple[CompareTraitsResult, ...]:
    """Comparisons of traits with adjusted p-values: a family apart from paired tests.

    They ask opposite questions: a small p-value of a paired test means that two models differ, and of an
    exchange that they agree. The many small p-values of agreement would make the adjustment too lenient.
    """
    places = [(at, name) for at, one in enumerate(traits) for name in one.exchanges]
    pvalues = [traits[at].exchanges[name].pvalue for at, name in places]
    families = {
        how: dict(zip(places, some, strict=True)) for how, some in (adjust(pvalues) if places else {}).items()
    }
    return tuple(
        dataclasses.replace(
            one, adjusted={how: {name: p[at, name] for name in one.exchanges} for how, p in families.items()}
        )
        for at, one in enumerate(traits)
    )


def _common_designs(audits: Sequence[SavedAudit]) -> tuple[dict[str, Design], dict[str, str]]:
    """Designs that two audits or more hold with the same words; and those of one name with other words."""
    common: dict[str, Design] = {}
    refused: dict[str, str] = {}
    for name in dict.fromkeys(name for one in audits for name in one.designs):
        lists: dict[str, list[str]] = {}
        held = {one.name: one.designs[name] for one in audits if name in one.designs}
        for model, design in held.items():
            lists.setdefault(design.digest, []).append(model)
        if len(lists) > 1:
            shown = "; ".join(f"{digest[:12]} in {join_words(names)}" for digest, names in lists.items())
            refused[name] = f"the word lists differ, so that the audits ask different things: {shown}."
        elif len(held) > 1:
            common[name] = next(iter(held.values()))
    return common, refused


def _paired_tests(
    audits: Sequence[SavedAudit],
    designs: Mapping[str, Design],
    tested: CompareBatteryResult | None,
    **options: Any,
) -> CompareBatteryResult | None:
    """All paired tests that audits allow, on vectors and over contexts; None where there is none.

    Where existing tests (``tested``) have none over contexts, those are added, in the same way.
    """
    saved = [one for one in audits if one.vectors is not None]
    words = {one.name: (one.vectors, one.battery.tests) for one in saved if one.battery is not None}
    result = tested or _paired(audits, designs, words, ("ddof", "ties", "words"), **options)
    if result is not None:
        if any(test.contexts for test in result.tests):
            return result
        options |= {key: result.conventions[key] for key in ("alternative", "scale", "attributes")}
    contexts = {one.name: (one.contexts, one.contexts.tests) for one in audits if one.contexts is not None}
    over = _paired(audits, designs, contexts, ("ddof", "words"), **options)
    if over is None:
        return result
    return join_comparisons([over] if result is None else [result, over], [one.name for one in audits])


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
    measured = {
        name: {test.design: test.conventions for test in tests if test.design in designs}
        for name, (_, tests) in tested.items()
    }
    shared = [one for name, one in designs.items() if sum(name in some for some in measured.values()) > 1]
    if not shared or (against == "first" and audits[0].name not in tested):
        return None
    first = next(found[one.name] for found in measured.values() for one in shared if one.name in found)
    options |= {key: first[key] for key in conventions if key in first}
    options["missing"] = "balance" if first["missing"] == "balance" else "drop"
    models = {name: evidence for name, (evidence, _) in tested.items()}
    return compare_battery(models, shared, measured=measured, against=against, **options)


def _untested(audits: Sequence[SavedAudit]) -> CompareBatteryResult:
    evidence = [one.battery or one.contexts for one in audits]
    sources = [found.provenance[0] for found in evidence if found is not None and found.provenance]
    sources = sources or [p for one in audits for scores in one.traits.values() for p in scores.provenance]
    return CompareBatteryResult(
        models=tuple(one.name for one in audits),
        conventions={"measure": "compare battery", "adjusted": "nothing: no paired test was made"},
        provenance=tuple(sources),
    )


def _saved_differences(
    pairs: Iterable[tuple[SavedAudit, SavedAudit]],
    designs: Mapping[str, Design],
    done: set[str],
    skipped: dict[str, str],
) -> Iterator[SavedDifference]:
    """Differences without a paired test; those measured under different conventions are added to skipped."""
    for (one, two), measure in product(pairs, _SAME):
        first, second = one.effects(measure), two.effects(measure)
        lacking = [audit.name for audit in (one, two) if audit.vectors is None and measure == "mleat"]
        for name in first:
            place = comparison_name(name, one.name, two.name, measure=measure)
            if name not in second or name not in designs or place in done or place in skipped:
                continue
            (d1, conventions1), (d2, conventions2) = first[name], second[name]
            values = {key: (conventions1.get(key), conventions2.get(key)) for key in _SAME[measure]}
            if other := [f"{key} is {a} and {b}" for key, (a, b) in values.items() if a != b]:
                skipped[place] = f"measured differently: {join_words(other)}."
                continue
            yield SavedDifference(
                design=name,
                measure=measure,
                models=(one.name, two.name),
                effect_sizes=(d1, d2),
                difference=d1 - d2,
                reason=f"{join_words(lacking)} kept no vectors." if lacking else "no paired test was made.",
            )


def _compared_traits(
    one: SavedAudit, two: SavedAudit, skipped: dict[str, str], seed: int
) -> Iterator[CompareTraitsResult]:
    """Scores of the same measure in two models."""
    for measure in (name for name in one.traits if name in two.traits):
        first, second = one.traits[measure], two.traits[measure]
        try:
            yield compare_traits(first, second, names=(one.name, two.name), seed=seed)
        except InputError as error:
            skipped[comparison_name(f"{measure} scores", one.name, two.name)] = error.message


def _notes(audits: Sequence[SavedAudit]) -> Iterator[str]:
    """Conventions in which audits differ, with the value in each."""
    for measure in _SAME:
        effects = {one.name: one.effects(measure) for one in audits}
        known = {name: next(iter(found.values()))[1] for name, found in effects.items() if found}
        yield from _differing(measure, known, _REPORTED)
    for measure in dict.fromkeys(name for one in audits for name in one.traits):
        scored = {one.name: one.traits[measure].conventions for one in audits if measure in one.traits}
        keys = dict.fromkeys(key for conventions in scored.values() for key in conventions)
        yield from _differing(f"{measure} scores", scored, keys)


def _differing(measure: str, known: Mapping[str, Mapping[str, Any]], keys: Iterable[str]) -> Iterator[str]:
    """A sentence for each convention of a measure that is not the same in all audits that have it."""
    for key in keys:
        values: dict[str, list[str]] = {}
        for name, conventions in known.items():
            if key in conventions:
                values.setdefault(str(conventions[key]), []).append(name)
        if len(values) > 1:
            parts = "; ".join(f"{value} in {join_words(names)}" for value, names in values.items())
            yield f"the audits differ in {key} ({measure}): {parts}."


def joint(comparison: Comparison) -> Joint:
    """A comparison as its folder contains it."""
    battery = comparison.battery
    scores = [
        {"measure": result.measures[0], "model_1": result.models[0], "model_2": result.models[1], **row}
        for result in comparison.traits
        for row in result._rows()
    ]
    return Joint(
        results=comparison.results,
        title=f"Associations in {join_words(battery.models, most=3)}",
        methods=comparison_methods(comparison),
        citations=comparison_citations(comparison),
        markdown=comparison_markdown(comparison),
        latex=comparison_latex(comparison),
        skipped=battery.skipped,
        rows={"comparison": battery._rows(), "trait_comparison": scores},
        tables=comparison_tables(comparison),
        notes=comparison_notes(comparison),
        draw=partial(_draw, battery),
    )


def _draw(battery: CompareBatteryResult, figures: Figures) -> None:
    pairs = dict.fromkeys([*battery.pairs, *(test.models for test in battery.unpaired)])
    for i, pair in enumerate(pairs, start=1):
        name = "comparison" if len(pairs) == 1 else f"comparison-{i}"
        figures.save(name, plots.comparison_plot(battery, pair))


def write_comparison(
    output: Path, comparison: Comparison, *, records: Sequence[Record] = (), figures: bool = True
) -> Written:
    """Write a comparison of saved audits, with one page for all of them; the audits are not changed.

    An existing comparison is replaced. ``records`` are the audits, for the page; ``figures`` says whether
    figures are drawn.
    """
    return write_joint(output, joint(comparison), records=records, figures=figures)

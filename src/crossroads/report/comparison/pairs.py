"""The paired tests of saved audits: on the vectors that they kept, and over contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crossroads.errors import join_words
from crossroads.inference.permutation.test import Tail
from crossroads.measures import CeatBatteryResult, CompareBatteryResult, compare_battery
from crossroads.measures.comparison.battery import Against, comparison_name, join_comparisons
from crossroads.measures.comparison.models import Attributes, Scale
from crossroads.report.comparison.saved import SavedAudit
from crossroads.stimuli import Design


def common_designs(audits: Sequence[SavedAudit]) -> tuple[dict[str, Design], dict[str, str]]:
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


def paired_tests(
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

    Parameters
    ----------
    audits
        The audits.
    designs
        What two of them or more measured on the same words.
    tested
        Paired tests that were made already. Where none of them is over contexts, those are added, in the
        same way.
    alternative, scale, attributes, options
        As in :func:`~crossroads.compare_battery`.
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
    audits: Sequence[SavedAudit], designs: Mapping[str, Design], *, against: Against, **options: Any
) -> CompareBatteryResult | None:
    """Paired tests of the audits that kept vectors, under the conventions of the first of them."""
    measured = {
        one.name: {test.design: test.conventions for test in one.battery.tests if test.design in designs}
        for one in audits
        if one.battery is not None and one.vectors is not None
    }
    models = {one.name: one.vectors for one in audits if one.name in measured and one.vectors is not None}
    shared = [one for name, one in designs.items() if sum(name in some for some in measured.values()) > 1]
    if len(models) < 2 or not shared or (against == "first" and audits[0].name not in models):
        return None
    first = next(found[one.name] for found in measured.values() for one in shared if one.name in found)
    kept = {key: first[key] for key in ("ddof", "ties")}
    kept["missing"] = "balance" if first["missing"] == "balance" else "drop"
    return compare_battery(models, shared, measured=measured, against=against, **kept, **options)


def _over_contexts(
    audits: Sequence[SavedAudit], designs: Mapping[str, Design], *, against: Against, **options: Any
) -> CompareBatteryResult | None:
    """Paired tests over contexts, of the audits that kept what these need."""
    models: dict[str, CeatBatteryResult] = {}
    measured: dict[str, dict[str, Mapping[str, Any]]] = {}
    for one in audits:
        if one.contexts is not None:
            tests = one.contexts.tests
            models[one.name] = one.contexts
            measured[one.name] = {test.design: test.conventions for test in tests if test.design in designs}
    shared = [one for name, one in designs.items() if sum(name in some for some in measured.values()) > 1]
    if not shared or (against == "first" and audits[0].name not in models):
        return None
    first = next(found[one.name] for found in measured.values() for one in shared if one.name in found)
    kept_so = {"ddof": first["ddof"], "missing": "balance" if first["missing"] == "balance" else "drop"}
    return compare_battery(models, shared, measured=measured, against=against, **kept_so, **options)


def compared_names(result: CompareBatteryResult) -> set[str]:
    """Names of the comparisons that have a paired test."""
    return {
        comparison_name(test.design, *pair, measure=test.measure)
        for test, pair in zip(result.tests, result.pairs, strict=True)
    }

"""Rows of the long table for scores of groups on traits, and for what is read from them."""

from __future__ import annotations

from collections.abc import Iterator

from crossroads.measures import (
    AlignmentResult,
    DominanceResult,
    EmergentResult,
    OrderSensitivityResult,
    TraitScores,
)
from crossroads.measures.noise_ceiling import NoiseCeiling
from crossroads.report.audit import Audit
from crossroads.report.naming import (
    alignment_name,
    dominance_name,
    emergent_name,
    measure_of,
    order_name,
    scores_name,
)
from crossroads.report.tidy_rows import Row, row

_MATCHED = (
    *("kendall_tau", "precision_at_3", "precision_top", "precision_bottom"),
    *("traits", "annotators", "ceiling"),
)


def trait_rows(audit: Audit) -> Iterator[Row]:
    """Every number of scores, alignment and paired identities; scores of single templates are left out."""
    for scores in audit.traits:
        yield from _of_scores(scores)
    for name, alignment in audit.alignments.items():
        yield from _of_alignment(alignment_name(name), alignment)
    for order in audit.orders:
        yield from _of_order(order)
    for dominance in audit.dominance:
        yield from _of_dominance(dominance)
    for emergent in audit.emergent:
        yield from _of_emergent(emergent)


def _of_scores(result: TraitScores) -> Iterator[Row]:
    name = scores_name(result.measure)
    for group, line in zip(result.groups, result.scores.tolist(), strict=True):
        for trait, score in zip(result.traits, line, strict=True):
            yield row(result.measure, name, f"{group}, {trait}", "score", score)
    if result.adjective_scores is not None:
        for group, line in zip(result.groups, result.adjective_scores.tolist(), strict=True):
            for adjective, score in zip(result.adjectives, line, strict=True):
                yield row(result.measure, name, f"{group}, {adjective}", "adjective_score", score)
    for kind in ("undefined", "floored"):
        yield row(result.measure, name, "", kind, len(getattr(result, kind)))


def _of_alignment(name: str, result: AlignmentResult) -> Iterator[Row]:
    low, high = result.interval or (None, None)
    ends = {"low": low, "high": high, "pvalue": result.kendall_pvalue, "method": "as if independent"}
    yield row("alignment", name, "all groups", "kendall_tau", result.kendall_tau, **ends)
    low, high = result.precision_interval or (None, None)
    precision = result.precision_at_3
    yield row("alignment", name, "all groups", "precision_at_3", precision, low=low, high=high)
    yield row("alignment", name, "all groups", "precision_chance", result.precision_chance)
    yield row("alignment", name, "all groups", "k", result.k)
    if result.annotator_interval is not None:
        low, high = result.annotator_interval
        yield row("alignment", name, "all groups", "annotator_interval", None, low=low, high=high)
    for kind, one in result.exchanges.items():
        part = f"exchange of {kind}"
        drawn = {"method": "monte-carlo", "n": one.permutations}
        yield row("alignment", name, part, "kendall_tau", one.tau, pvalue=one.pvalue, **drawn)
        yield row("alignment", name, part, "expected_tau", one.expected_tau, **drawn)
        yield row("alignment", name, part, "precision_pvalue", one.precision_pvalue, **drawn)
        yield row("alignment", name, part, "expected_precision", one.expected_precision, **drawn)
    if result.noise is not None:
        yield from _of_noise(name, result.noise)
    for group, found in result.by_group.items():
        for statistic in _MATCHED:
            p = {"pvalue": found.kendall_pvalue} if statistic == "kendall_tau" else {}
            yield row("alignment", name, f"group {group}", statistic, getattr(found, statistic), **p)
    for side in ("model", "human"):
        for group, line in getattr(result, f"{side}_scores").items():
            for trait, score in line.items():
                yield row("alignment", name, f"{group}, {trait}", f"{side}_score", score)


def _of_noise(name: str, noise: NoiseCeiling) -> Iterator[Row]:
    """How well people agree with each other: every single number of the noise ceiling."""
    for statistic, value in vars(noise).items():
        if isinstance(value, tuple) and len(value) == 2:
            low, high = value
            yield row("alignment", name, "people", statistic, None, low=low, high=high)
        elif isinstance(value, (int, float)):
            yield row("alignment", name, "people", statistic, value)


def _of_order(result: OrderSensitivityResult) -> Iterator[Row]:
    name = order_name(measure_of(result))
    for one in result.rows():
        ends = {"low": one["low"], "high": one["high"], "n": one["pairs"]}
        yield row("order_sensitivity", name, one["with"], "kendall_tau", one["tau"], **ends)
    yield row("order_sensitivity", name, "", "level", result.level)
    for one in result.by_pair():
        for which in ("first", "second"):
            yield row(
                "order_sensitivity", name, f"{one['pair']}, {which}", "kendall_tau", one[f"tau_{which}"]
            )
    for (pair, _), tau in zip(result.reversals, result.tau_reversed.tolist(), strict=True):
        yield row("order_sensitivity", name, f"{pair}, reversed", "kendall_tau", tau)


def _of_dominance(result: DominanceResult) -> Iterator[Row]:
    measure = measure_of(result)
    for pair in result.table:
        kind, name = "domain_dominance", dominance_name(measure, pair.domain1, pair.domain2)
        ends = {"low": pair.low, "high": pair.high, "pvalue": pair.pvalue, "adjusted": pair.qvalue}
        yield row(kind, name, "", "difference", pair.difference, n=pair.pairs, **ends)
        yield row(kind, name, pair.domain1, "correlation", pair.correlation1, n=pair.pairs)
        yield row(kind, name, pair.domain2, "correlation", pair.correlation2, n=pair.pairs)


def _of_emergent(result: EmergentResult) -> Iterator[Row]:
    name = emergent_name(measure_of(result))
    yield row("emergent", name, "", "tests", result.tests)
    yield row("emergent", name, "", "fdr", result.fdr)
    if result.qvalue.size:
        yield row("emergent", name, "", "found", int(result.emergent.sum()), n=result.tests)
    for one in result.rows():
        part = f"{one['pair']}, {one['trait']}, {one['direction']}"
        p = {"pvalue": one["pvalue"], "adjusted": one["qvalue"]}
        yield row("emergent", name, part, "increase", one["increase"], **p)
        yield row("emergent", name, part, "component_score", one["component_score"])

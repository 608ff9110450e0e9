"""Two identities at once: effect of their order, the dominant domain, and emergent traits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from crossroads.audit.measured.traits import MEASURES, Answers
from crossroads.audit.parts import Findings, Outcome, Part, Settings
from crossroads.errors import CrossroadsError
from crossroads.measures import (
    DominanceResult,
    EmergentResult,
    OrderSensitivityResult,
    TraitScores,
    domain_dominance,
    emergent,
    order_sensitivity,
)
from crossroads.measures.pairs.dominance import dominance_name
from crossroads.measures.pairs.emergent import emergent_name
from crossroads.report.audit import by_label
from crossroads.results import Result
from crossroads.stimuli import catalog, paired_groups

NO_PAIRS = "no pairs of groups were asked about; give --pairs to crossroads probe."
QUESTIONS: Mapping[str, tuple[type[Result], Callable[..., Result], bool]] = {
    "order": (OrderSensitivityResult, order_sensitivity, True),
    "dominance": (DominanceResult, domain_dominance, False),
    "emergent": (EmergentResult, emergent, False),
}
"""Measures of pairs: the type of the result, the function, and whether it uses random numbers."""


def groups_and_pairs() -> list[Any]:
    """The groups of the ABC study, and all pairs of them in both orders."""
    return [*catalog().groups("abc-groups"), *paired_groups()]


@cache
def _pairs() -> frozenset[str]:
    return frozenset(pair.name for pair in paired_groups())


def has_pairs(answers: Answers) -> bool:
    """Whether a model was asked about pairs of groups."""
    return not _pairs().isdisjoint(answers.groups)


def paired_parts(answers: Answers, outcomes: Mapping[str, Outcome], settings: Settings) -> list[Part]:
    """One part for each measure and question; none if no pairs were asked about.

    Parameters
    ----------
    answers
        What was measured.
    outcomes
        Outcomes of :func:`~crossroads.audit.measured.traits.trait_parts`.
    settings
        The options of the audit.
    """
    if not has_pairs(answers):
        return []
    parts = []
    for measure in MEASURES:
        scores = outcomes[measure].result
        if not isinstance(scores, TraitScores):
            continue
        for question, (gives, ask, drawn) in QUESTIONS.items():
            options = {"seed": settings.seed} if drawn else {}
            inputs = {"evidence": answers.identity["manifest"], "measure": measure, **options}
            parts.append(
                Part(
                    name=_name(measure, question),
                    gives=gives,
                    inputs=inputs,
                    run=partial(ask, scores, **options),
                    provenance=(answers.provenance,),
                    skips=(CrossroadsError,),
                )
            )
    return parts


def _name(measure: str, question: str) -> str:
    return f"{measure} {question} of pairs"


def paired_found(outcomes: Mapping[str, Outcome]) -> Findings:
    """Results on pairs, and reasons for missing ones."""
    results = [one.result for one in outcomes.values()]
    return Findings(
        results=by_label(
            one
            for kind in (OrderSensitivityResult, DominanceResult, EmergentResult)
            for one in results
            if isinstance(one, kind)
        ),
        left_out={name: one.reason for name, one in outcomes.items() if one.reason is not None},
    )


def paired_names() -> dict[str, str]:
    """Names of the results on pairs in rules, to their kind."""
    domains = list(dict.fromkeys(domain for pair in paired_groups() for domain in pair.domains))
    crossed = [(one, two) for i, one in enumerate(domains) for two in domains[i + 1 :]]
    names = {emergent_name(measure): "emergent" for measure in MEASURES}
    for measure in MEASURES:
        names |= {dominance_name(measure, *both): "dominance" for both in crossed}
    return names

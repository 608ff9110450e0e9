"""Audits of groups and traits: scores of a model's answers, agreement with people, and pairs of groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossroads.core.audit.engine import Evidence, Outcomes, Row, SavedFolder, Settings, Unit, fingerprint
from crossroads.core.errors import CrossroadsError, InputError
from crossroads.core.results import Result, label_for
from crossroads.core.stimuli import catalog
from crossroads.core.storage.files import checksum
from crossroads.traits.measures.ilps import ilps, ilps_star
from crossroads.traits.measures.least_change import set_test
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.dominance import DominanceResult, domain_dominance, dominance_name
from crossroads.traits.pairs.emergent import EmergentResult, emergent
from crossroads.traits.pairs.material import paired_groups
from crossroads.traits.pairs.order import OrderSensitivityResult, order_sensitivity
from crossroads.traits.people.alignment import align
from crossroads.traits.people.alignment_result import AlignmentResult, alignment_name
from crossroads.traits.people.evidence import Judgements
from crossroads.traits.people.files import read_judgements
from crossroads.traits.probe.evidence import Logits

if TYPE_CHECKING:
    from crossroads.core.audit.plan import Plan

MEASURES: Mapping[str, tuple[str, Callable[[Logits], TraitScores]]] = {
    "ilps": ("ILPS", ilps),
    "ilps*": ("ILPS*", ilps_star),
    "set": ("SeT", set_test),
}
"""The measures of answers: name in results, name in tables, and function."""
QUESTIONS: Mapping[str, tuple[type[Result], Callable[..., Result], tuple[str, ...]]] = {
    "order": (OrderSensitivityResult, order_sensitivity, ("seed",)),
    "dominance": (DominanceResult, domain_dominance, ()),
    "emergent": (EmergentResult, emergent, ()),
}
"""Measures of pairs: the type of the result, the function, and the options that it takes."""
GROUPS = "abc-groups"
"""The catalogue entry with the groups that a model is asked about."""
PUBLISHED = "abc-annotators"
"""The catalogue entry with the ratings of four kinds of annotators."""


class Answers(SavedFolder):
    """Saved answers of a language model."""

    def __init__(self, folder: str | Path) -> None:
        super().__init__(folder, Logits.open)

    @property
    def has_pairs(self) -> bool:
        """Whether the model was asked about pairs of groups."""
        return not _pairs().isdisjoint(self.quick.groups)


class Scores(Evidence):
    """Scores of groups on traits that another row gave."""

    def __init__(self, scores: TraitScores, answers: Answers) -> None:
        self._scores, self.answers, self.provenance = scores, answers, answers.provenance

    def read(self) -> TraitScores:
        """The scores."""
        return self._scores

    def identity(self, unit: Unit) -> Any:
        """What the answers are identified by; the measure is named by the row."""
        return self.answers.identity(unit)


def scores_evidence(answers: Answers, outcomes: Outcomes) -> dict[str, Evidence]:
    """Scores that could be measured, as evidence of other rows."""
    found = {name: outcomes[name][""] for name in MEASURES}
    return {name: Scores(one, answers) for name, one in found.items() if isinstance(one, TraitScores)}


@cache
def _pairs() -> frozenset[str]:
    return frozenset(pair.name for pair in paired_groups())


def groups_and_pairs() -> list[Any]:
    """The groups of the ABC study, and all pairs of them in both orders."""
    return [*catalog().groups(GROUPS), *paired_groups()]


def _answered(plan: Plan) -> list[Unit]:
    return [Unit()] if plan.traits else []


def _in_pairs(plan: Plan) -> list[Unit]:
    return [Unit()] if plan.pairs or plan.kind.name == "logits" else []


def _needs_pairs(read: Scores, settings: Settings, unit: Unit) -> bool | None:
    del settings, unit
    return read.answers.has_pairs or None


def _annotators(shown: str) -> Callable[[Plan], list[Unit]]:
    """People whose judgements scores are compared with: those of a file, or the published ones."""

    def units(plan: Plan) -> list[Unit]:
        if not plan.traits:
            return []
        if plan.human is not None:  # results name the file
            about = [str(plan.human), checksum(plan.human)]
            return [Unit(shown, (read_judgements(plan.human),), (), about)]
        ratings, found = catalog().ratings(PUBLISHED), []
        for who in ratings:
            means = {group: dict(traits) for group, traits in ratings[who].items()}
            target = Judgements.from_ratings(ratings, who)
            found.append(Unit(f"{shown}, {who} annotators", (target,), (), [PUBLISHED, fingerprint(means)]))
        return found

    return units


def _align(scores: TraitScores, target: Judgements, *, seed: int) -> AlignmentResult:
    return align(scores, target, seed=seed, k=min(3, len(scores.traits)))


def _domain_names(measure: str) -> Callable[[Plan, Unit], dict[str, str]]:
    def names(plan: Plan, unit: Unit) -> dict[str, str]:
        del plan, unit
        domains = dict.fromkeys(domain for pair in paired_groups() for domain in pair.domains)
        return {dominance_name(measure, *both): "dominance" for both in combinations(domains, 2)}

    return names


SCORES = tuple(
    Row(
        name=name, measure=measure, gives=TraitScores, on="answers", each=_answered,
        named=label_for(TraitScores, measure=name), skips=(CrossroadsError,), alone=True, seconds=1.0,
    )
    for name, (_, measure) in MEASURES.items()
)  # fmt: skip
"""Scores of groups on traits."""
ON_SCORES = (
    *(
        Row(
            name=f"alignment of {name}", measure=_align, gives=AlignmentResult, on=name, takes=("seed",),
            each=_annotators(shown), named=alignment_name("{}"), skips=(InputError,), alone=True, seconds=0.2,
        )
        for name, (shown, _) in MEASURES.items()
    ),
    *(
        Row(
            name=f"{name} {question}", measure=measure, gives=gives, on=name, each=_in_pairs,
            takes=takes, needs=(_needs_pairs,), named=f"{name} {question}", skips=(CrossroadsError,),
            rules=_domain_names(name) if question == "dominance" else None,
        )
        for question, (gives, measure, takes) in QUESTIONS.items()
        for name in MEASURES
    ),
)  # fmt: skip
"""Agreement of scores with people, and what they say about pairs of groups."""
ROWS = (*SCORES, *ON_SCORES)

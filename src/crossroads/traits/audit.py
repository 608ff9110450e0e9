"""Audits of groups and traits: scores of a model's answers, agreement with people, and pairs of groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.contexts.audit import read_sentences
from crossroads.core.audit.audit import Job, Plan, Work, model_seconds
from crossroads.core.audit.engine import Evidence, Row, SavedFolder, Settings, Unit, fingerprint
from crossroads.core.audit.progress import LOADING
from crossroads.core.errors import CrossroadsError, InputError
from crossroads.core.models.files import ModelFiles
from crossroads.core.models.opening import ProbeStep
from crossroads.core.report.audit import Audit
from crossroads.core.report.figures import Figures
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
from crossroads.traits.probe.run import probe
from crossroads.words.audit import measure_prompted
from crossroads.words.models.settings import packages

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
NO_PAIRS = "no pairs of groups were asked about; give --pairs to crossroads probe."
_TOKENS_A_GROUP = 10_000
_MOST_GROUPS, _MOST_ALIGNMENTS = 80, 6  # that fit a figure


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


@cache
def _pairs() -> frozenset[str]:
    return frozenset(pair.name for pair in paired_groups())


def groups_and_pairs() -> list[Any]:
    """The groups of the ABC study, and all pairs of them in both orders."""
    return [*catalog().groups(GROUPS), *paired_groups()]


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


def _domain_names(measure: str, plan: Plan, unit: Unit) -> dict[str, str]:
    del plan, unit
    domains = dict.fromkeys(domain for pair in paired_groups() for domain in pair.domains)
    return {dominance_name(measure, *both): "dominance" for both in combinations(domains, 2)}


SCORES = tuple(
    Row(
        name=name, measure=measure, gives=TraitScores, on="answers",
        each=lambda plan: [Unit()] if plan.traits else [],
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
            rules=partial(_domain_names, name) if question == "dominance" else None,
        )
        for question, (gives, measure, takes) in QUESTIONS.items()
        for name in MEASURES
    ),
)  # fmt: skip
"""Agreement of scores with people, and what they say about pairs of groups."""
ROWS = (*SCORES, *ON_SCORES)


def _measure_answers(job: Job, folder: str | Path) -> None:
    """Measure scores of groups on traits, their agreement with people, and pairs of groups."""
    answers = Answers(folder)
    outcomes = job.measure({"answers": answers})
    found = {name: outcomes[name][""] for name in MEASURES}
    job.measure({name: Scores(one, answers) for name, one in found.items() if isinstance(one, TraitScores)})
    if not answers.has_pairs:
        job.left_out["pairs of groups"] = NO_PAIRS


def asking_seconds(files: ModelFiles, groups: Sequence[Any] | None = None) -> float:
    """Approximate seconds for a language model to answer all texts about groups, by its size."""
    number = len(catalog().groups(GROUPS)) if groups is None else len(groups)
    return model_seconds(files, number * _TOKENS_A_GROUP)


def _probed(job: Job, groups: list[Any] | None, work: float) -> Path:
    """Answers of a language model about the groups and traits of the ABC study, also of an earlier run."""
    files, policy = job.files, "raise" if job.settings.missing == "raise" else "drop"
    named = None if groups is None else [str(one) for one in groups]
    folder = job.place("probe", packages=packages(files), missing=policy, groups=named)
    doing = {"loading": "loading", "splitting": "writing prompts for"}

    def watch(step: ProbeStep) -> None:
        job.tracker.begin(f"{doing.get(step.stage, 'asking')} {files.name}", work)
        job.tracker.step(step.done, step.total or None, step.kept)

    options: dict[str, Any] = {"missing": policy, "device": job.source.device, "revision": files.revision}
    present = (folder / "manifest.json").is_file()
    if not present:
        probe(files.place, groups=groups, store=folder, restart=True, progress=watch, **options)
    job.tracker.finish(kept=present, work=work)
    return folder


def _language_model(job: Job) -> None:
    groups = groups_and_pairs() if job.plan.pairs else None
    asking = asking_seconds(job.files, groups) if job.plan.traits else 0.0
    job.tracker.expect(1 + job.plan.traits, LOADING + asking)
    if not job.plan.whole:
        measure_prompted(job)
    else:
        job.attempt("words in prompts", partial(measure_prompted, job))
        job.attempt("groups and traits", lambda: _measure_answers(job, _probed(job, groups, asking)))
    read_sentences(job)


WORK = {"language model": Work(_language_model), "logits": Work(lambda job: _measure_answers(job, job.model))}
"""What an audit does with models of each kind."""


def draw(audit: Audit, figures: Figures) -> None:
    """Draw scores, what they say about pairs, and the profile of each group next to those of people."""
    scores = audit.of(TraitScores).values()
    figures.single((one for one in scores if len(one.groups) <= _MOST_GROUPS), "traits")
    figures.single((one for one in audit.of(DominanceResult).values() if one._rows()), "dominance")
    figures.single((one for one in audit.of(EmergentResult).values() if one._rows()), "emergent")
    aligned = {name.removesuffix(" alignment"): one for name, one in audit.of(AlignmentResult).items()}
    groups = list(dict.fromkeys(group for one in aligned.values() for group in one.by_group))[:_MOST_GROUPS]

    def profile(group: str) -> Any:
        """The first alignments that know a group, as many as fit a figure."""
        known = [(name, one) for name, one in aligned.items() if group in one.by_group]
        return plots.profile(dict(known[:_MOST_ALIGNMENTS]), group)

    figures.pages({group: group for group in groups}, profile, "profile", pages="profiles")

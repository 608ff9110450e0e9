"""Groups and traits: ILPS, ILPS* and SeT of a language model's answers, and agreement with people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from crossroads.audit.parts import Findings, Outcome, Part, Settings, evidence_key, fingerprint
from crossroads.audit.progress import LOADING
from crossroads.audit.vectors import Session, manifest_identity
from crossroads.errors import CrossroadsError, InputError, OnMissing
from crossroads.evidence import Judgements, Logits, read_judgements
from crossroads.extraction.language import ProbeStep
from crossroads.extraction.probe.run import probe
from crossroads.measures import AlignmentResult, TraitScores, align, ilps, ilps_star, set_test
from crossroads.measures.coverage.words import Missing
from crossroads.measures.traits.alignment_result import alignment_name
from crossroads.measures.traits.scores import scores_name
from crossroads.report.audit import by_label
from crossroads.sources.models.files import ModelFiles
from crossroads.sources.models.transformers import Device, versions
from crossroads.stimuli import catalog
from crossroads.storage.files import checksum

MEASURES: Mapping[str, tuple[str, Callable[[Logits], TraitScores]]] = {
    "ilps": ("ILPS", ilps),
    "ilps*": ("ILPS*", ilps_star),
    "set": ("SeT", set_test),
}
"""The measures of answers: name in results, name in tables, and function."""
GROUPS = "abc-groups"
"""The catalogue entry with the groups that a model is asked about."""
_TOKENS_A_GROUP = 10_000
"""Approximate number of tokens of all texts about a group."""
_TOKENS_A_PROMPT = 6
_OPERATIONS_A_SECOND = 2e11
_WEIGHTS = (".safetensors", ".gguf", ".hdf5")
PUBLISHED = "abc-annotators"
"""The catalogue entry with the ratings of four kinds of annotators."""


class Answers:
    """Saved answers of a language model, opened without verification and verified once before use.

    Parameters
    ----------
    folder
        Folder written by ``crossroads probe``.
    """

    def __init__(self, folder: str | Path) -> None:
        quick = Logits.open(folder, verify=False)
        self.identity, self.provenance = manifest_identity(folder), quick.provenance
        self.groups, self.traits = quick.groups, tuple(one.name for one in quick.traits)
        self.checked: Callable[[], Logits] = cache(lambda: Logits.open(folder))


def asked_answers(
    files: ModelFiles,
    asking_device: Device,
    missing: Missing,
    session: Session,
    groups: list[Any] | None = None,
) -> Answers:
    """Ask a language model about the groups and traits of the ABC study, or read its saved answers."""
    policy: OnMissing = "raise" if missing == "raise" else "drop"
    record: dict[str, Any] = {"model": files.sha256, "name": files.name, "revision": files.revision}
    record |= {"missing": policy, "device": asking_device, "packages": versions()}
    if groups is not None:
        record["groups"] = [str(one) for one in groups]
    folder = session.place.place("probe", files.name, evidence_key(record))
    doing = {"loading": "loading", "splitting": "writing prompts for"}

    work = asking_seconds(files, groups)

    def watch(step: ProbeStep) -> None:
        session.tracker.begin(f"{doing.get(step.stage, 'asking')} {files.name}", work)
        session.tracker.step(step.done, step.total or None, step.kept)

    present = (folder / "manifest.json").is_file()
    if not present:
        probe(
            files.place,
            groups=groups,
            missing=policy,
            revision=files.revision,
            store=folder,
            device=asking_device,
            restart=True,
            progress=watch,
        )
    session.tracker.finish(kept=present, work=work)
    return Answers(folder)


def asking_seconds(files: ModelFiles, groups: Sequence[Any] | None = None) -> float:
    """Approximate seconds for a language model to answer all texts about some groups, by its size."""
    number = len(catalog().groups(GROUPS)) if groups is None else len(groups)
    return LOADING + number * _TOKENS_A_GROUP * _token_seconds(files)


def encoding_seconds(files: ModelFiles, contexts: Path) -> float:
    """Approximate seconds for a model to read contexts, by its size and theirs at four bytes per token."""
    read = sum(one.stat().st_size for one in contexts.iterdir() if one.is_file())
    return LOADING + read / 4 * _token_seconds(files)


def panel_seconds(files: ModelFiles, words: int) -> float:
    """About how long a model takes to read words in prompts, by its size."""
    return LOADING + words * _TOKENS_A_PROMPT * _token_seconds(files)


def _token_seconds(files: ModelFiles) -> float:
    """Seconds per token at two operations per weight, with four bytes per weight in the files."""
    weights = [one for one in Path(files.folder).iterdir() if one.suffix in _WEIGHTS]
    mine = [one for one in weights if files.gguf is None or one.name == files.gguf]
    return 2 * sum(one.stat().st_size for one in mine) / 4 / _OPERATIONS_A_SECOND


def trait_parts(answers: Answers) -> list[Part]:
    """One part per measure."""
    return [
        Part(
            name=name,
            gives=TraitScores,
            inputs={"evidence": answers.identity["manifest"]},
            run=_run(measure, answers),
            provenance=(answers.provenance,),
            skips=(CrossroadsError,),
            alone=True,
            work=1.0,
        )
        for name, (_, measure) in MEASURES.items()
    ]


def _run(measure: Callable[[Logits], TraitScores], answers: Answers) -> Callable[[], TraitScores]:
    return lambda: measure(answers.checked())


def alignment_parts(
    answers: Answers, outcomes: Mapping[str, Outcome], human: Path | None, settings: Settings
) -> list[Part]:
    """Agreement of every measure with given judgements, or with those of the catalogue.

    Parameters
    ----------
    answers
        What was measured.
    outcomes
        Outcomes of :func:`trait_parts`.
    human
        A file of judgements.
    settings
        The options of the audit.
    """
    judged: dict[str, tuple[Judgements, list[str]]] = {}
    if human is not None:
        judged[""] = (read_judgements(human), [str(human), checksum(Path(human))])  # results name the file
    else:
        ratings = catalog().ratings(PUBLISHED)
        for who in ratings:
            means = {group: dict(traits) for group, traits in ratings[who].items()}
            judged[who] = (Judgements.from_ratings(ratings, who), [PUBLISHED, fingerprint(means)])
    parts = []
    for name in MEASURES:
        scores = outcomes[name].result
        if not isinstance(scores, TraitScores):
            continue
        for who, (target, digest) in judged.items():
            options: dict[str, Any] = {"seed": settings.seed, "k": min(3, len(scores.traits))}
            inputs = {"evidence": answers.identity["manifest"], "measure": name, "human": digest, **options}
            parts.append(
                Part(
                    name=aligned_name(name, who),
                    gives=AlignmentResult,
                    inputs=inputs,
                    run=partial(align, scores, target, **options),
                    provenance=(answers.provenance,),
                    skips=(InputError,),
                    alone=True,
                    work=0.2,
                )
            )
    return parts


def aligned_name(measure: str, annotators: str = "") -> str:
    """Name of the agreement of a measure with people, such as ``SeT`` or ``SeT, Black annotators``."""
    shown, _ = MEASURES[measure]
    return f"{shown}, {annotators} annotators" if annotators else shown


def trait_names(human: Path | None) -> dict[str, str]:
    """Names of scores and agreement in rules, to their kind."""
    annotators = ("",) if human is not None else tuple(catalog().ratings(PUBLISHED))
    names = {scores_name(measure): "scores" for measure in MEASURES}
    for measure in MEASURES:
        names |= {alignment_name(aligned_name(measure, who)): "alignment" for who in annotators}
    return names


def trait_found(outcomes: Mapping[str, Outcome], aligned: Mapping[str, Outcome]) -> Findings:
    """Scores and agreement, and reasons for missing ones."""
    left_out = {scores_name(name): one.reason for name, one in outcomes.items() if one.reason is not None}
    left_out |= {alignment_name(name): one.reason for name, one in aligned.items() if one.reason is not None}
    return Findings(
        results={
            **by_label(one.result for one in outcomes.values() if isinstance(one.result, TraitScores)),
            **{
                alignment_name(name): one.result
                for name, one in aligned.items()
                if isinstance(one.result, AlignmentResult)
            },
        },
        left_out=left_out,
    )

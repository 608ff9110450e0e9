"""Detections and comparisons of geometry, on published groups, words and concepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from crossroads.audit.parts import Findings, Outcome, Part, Settings, rows_inputs
from crossroads.errors import InputError, UnknownNameError
from crossroads.evidence import Embeddings
from crossroads.measures import DetectionResult, RsaResult, WefatResult, eibd, ibd, null_threshold, rsa, wefat
from crossroads.measures.coverage.words import Missing
from crossroads.measures.geometry.rsa import rsa_name
from crossroads.measures.intersectional.detection import Removal
from crossroads.measures.intersectional.wefat import crossing_name, group_table
from crossroads.stimuli import StimulusSet, catalog

DETECTIONS = ("ibd", "eibd")
"""Kinds of detection, in the order in which they are written."""
Trio = tuple[StimulusSet, StimulusSet, StimulusSet]
"""Two groups and a concept."""


@dataclass(frozen=True)
class Material:
    """Groups and words of a detection."""

    groups: Any
    """The groups and the names that represent them."""
    targets: list[str]
    """The groups whose words are detected."""
    words: list[str]
    """The words that may be detected."""
    truths: Mapping[str, tuple[str, ...]]
    """The words that people listed, by target, if known."""

    @property
    def all_words(self) -> list[str]:
        """Names and words that need a vector."""
        names = [name for members in group_table(self.groups).names.values() for name in members]
        return list(dict.fromkeys([*names, *self.words]))

    @property
    def inputs(self) -> dict[str, Any]:
        """Plain data on which a detection depends."""
        table = group_table(self.groups)
        names = {" / ".join(key): names for key, names in table.names.items()}
        return {"groups": names, "candidates": self.words, "truths": dict(self.truths)}


def published_material(kind: str, targets: list[str] | None = None) -> Material:
    """Groups, candidates and listed words of the CEAT paper.

    Parameters
    ----------
    kind
        ``"ibd"`` or ``"eibd"``.
    targets
        Groups whose words are detected; AF and MF, those of the paper, if left out.
    """
    groups, lists = catalog().groups("ceat-groups"), catalog().words("ceat-validation")
    wanted = [one.upper() for one in targets or ["AF", "MF"]]
    for one in wanted:
        if one not in groups:
            raise UnknownNameError("group", one, groups)
    which = "intersectional" if kind == "ibd" else "emergent"
    truth = {one: tuple(lists[one][which]) for one in wanted}
    return Material(groups, wanted, list(lists.all_words), truth)


def known_comparisons() -> list[str]:
    """Names of the published comparisons of geometry."""
    return [one.name for one in catalog().groups("rsa-names").comparisons]


def published_comparisons(names: list[str] | None = None, *, sentences: bool = False) -> list[Trio]:
    """Two groups and a concept for each published comparison of geometry.

    Parameters
    ----------
    names
        Those that are wanted; all of words if left out.
    sentences
        Whether, if no names are given, those of sentences are wanted as well.
    """
    groups, concepts = catalog().groups("rsa-names"), catalog().words("rsa-concepts")
    known: dict[str, Trio] = {
        one.name: (
            StimulusSet(groups[one.group1].label, tuple(groups[one.group1].items)),
            StimulusSet(groups[one.group2].label, tuple(groups[one.group2].items)),
            StimulusSet(one.concept, tuple(concepts[one.concept]["concept"])),
        )
        for one in groups.comparisons
    }
    of_words, sets = list(known), catalog().sentences("rsa-sentences")
    for one in sets.comparisons:
        first, second, concept = (
            StimulusSet(name, tuple(sentence.marked for sentence in sets[name]))
            for name in (one.group1, one.group2, one.concept)
        )
        known[one.name] = (first, second, concept)
    chosen = names or (list(known) if sentences else of_words)
    for name in chosen:
        if name not in known:
            raise UnknownNameError("comparison", name, known)
    return [known[name] for name in chosen]


def intersectional_words() -> list[str]:
    """Every name and word that the published detections and comparisons need."""
    groups, lists = catalog().groups("ceat-groups"), catalog().words("ceat-validation")
    words = [name for group in groups.members for name in group.items] + list(lists.all_words)
    words += [word for trio in published_comparisons() for part in trio for word in part]
    return list(dict.fromkeys(words))


def detect(
    kind: str,
    emb: Embeddings,
    asked: Material,
    target: str,
    threshold: str,
    missing: Missing,
    seed: int,
    *,
    remove: Removal = "all",
) -> DetectionResult:
    """Run one detection with a threshold.

    Parameters
    ----------
    kind
        ``"ibd"`` or ``"eibd"``.
    emb
        The model.
    asked
        Groups, candidates and listed words.
    target
        The group whose words are detected.
    threshold
        A number, ``"accuracy"``, ``"youden"`` or ``"null"``; without listed words ``"youden"`` is ``"null"``.
    missing, seed
        As in :func:`~crossroads.wefat` and :func:`~crossroads.ibd`.
    remove
        As in :func:`~crossroads.eibd`.
    """
    truth = asked.truths.get(target)
    level: Any  # a number, or a rule that ibd checks
    if threshold == "null" or (truth is None and threshold == "youden"):
        level = null_threshold(emb, asked.groups, asked.words, target, missing=missing, seed=seed)
    else:
        try:
            level = float(threshold)
        except ValueError:
            level = threshold
    scores = wefat(emb, asked.groups, asked.words, target, missing=missing)
    if kind == "ibd":
        return ibd(scores.pairs, threshold=level, truth=truth, seed=seed)
    return eibd(scores.pairs, scores.constituents, threshold=level, truth=truth, remove=remove, seed=seed)


def intersectional_names() -> dict[str, str]:
    """Names of the detections and comparisons of an audit, to their kind."""
    names = {
        f"{target} {kind.upper()}": "detection"
        for kind in DETECTIONS
        for target in published_material(kind).targets
    }
    return names | {rsa_name(*(one.name for one in trio)): "comparison" for trio in published_comparisons()}


def intersectional_parts(emb: Embeddings, settings: Settings) -> list[Part]:
    """IBD, EIBD and RSA of the published groups."""
    same: dict[str, Any] = {"missing": settings.missing, "seed": settings.seed}
    common: dict[str, Any] = {"provenance": (emb.provenance,), "skips": (InputError,)}
    parts = []
    for kind in DETECTIONS:
        asked = published_material(kind)
        for target in asked.targets:
            run = partial(detect, kind, emb, asked, target, "youden", settings.missing, settings.seed)
            evidence = rows_inputs(emb, asked.all_words)
            inputs = {**same, "evidence": evidence, "material": asked.inputs, "target": target}
            parts.append(
                # the compiled counts of a detection use all processors
                Part(
                    name=f"{target} {kind.upper()}",
                    gives=DetectionResult,
                    inputs=inputs,
                    run=run,
                    alone=True,
                    **common,
                )
            )
    asked = published_material(DETECTIONS[0])
    for target in asked.targets:
        score = partial(wefat, emb, asked.groups, asked.words, target, missing=settings.missing)
        evidence = rows_inputs(emb, asked.all_words)
        inputs = {
            "missing": settings.missing,
            "evidence": evidence,
            "material": asked.inputs,
            "target": target,
        }
        parts.append(Part(name=crossing_name(target), gives=WefatResult, inputs=inputs, run=score, **common))
    for trio in published_comparisons():
        name = rsa_name(*(one.name for one in trio))
        fit = partial(rsa, emb, *trio, missing=settings.missing, seed=settings.seed)
        evidence = rows_inputs(emb, [word for one in trio for word in one])
        inputs = {**same, "evidence": evidence, "sets": [[one.name, *one] for one in trio]}
        parts.append(Part(name=name, gives=RsaResult, inputs=inputs, run=fit, **common))
    return parts


def intersectional_found(outcomes: Mapping[str, Outcome]) -> Findings:
    """Assemble detections and comparisons."""
    results = {name: one.result for name, one in outcomes.items()}
    crossings = {crossing_name(target) for target in published_material(DETECTIONS[0]).targets}
    return Findings(
        results={
            name: one
            for kind in (DetectionResult, WefatResult, RsaResult)
            for name, one in results.items()
            if isinstance(one, kind)
        },
        left_out={
            name: one.reason
            for name, one in outcomes.items()
            if one.reason is not None and name not in crossings  # same as for its detections
        },
    )

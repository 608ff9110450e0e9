"""The published groups, words and comparisons that detections and comparisons of geometry are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from crossroads.auditing.parts import Found, Outcome, Part, Settings, rows_inputs
from crossroads.errors import InputError, UnknownNameError
from crossroads.evidence import Embeddings
from crossroads.measures import DetectionResult, RsaResult, WefatResult, eibd, ibd, null_threshold, rsa, wefat
from crossroads.measures.groups import group_table
from crossroads.report.audit import rsa_name
from crossroads.report.naming import crossing_name
from crossroads.stimuli import StimulusSet, catalog

DETECTIONS = ("ibd", "eibd")
"""Kinds of detection, in the order in which they are written."""
Trio = tuple[StimulusSet, StimulusSet, StimulusSet]
"""Two groups and a concept."""


@dataclass(frozen=True)
class Material:
    """What a detection is about."""

    groups: Any
    """The groups and the names that stand for them."""
    targets: list[str]
    """The groups to look for."""
    words: list[str]
    """The words that may be detected."""
    truths: Mapping[str, tuple[str, ...]]
    """The words that are right, by target, where that is known."""

    @property
    def all_words(self) -> list[str]:
        """Names and words that need a vector."""
        names = [name for members in group_table(self.groups).names.values() for name in members]
        return list(dict.fromkeys([*names, *self.words]))

    @property
    def inputs(self) -> dict[str, Any]:
        """Plain data that decide a detection."""
        table = group_table(self.groups)
        names = {" / ".join(key): names for key, names in table.names.items()}
        return {"groups": names, "candidates": self.words, "truths": dict(self.truths)}


def published_material(kind: str, targets: list[str] | None = None) -> Material:
    """Groups, candidates and true words of the CEAT paper.

    Parameters
    ----------
    kind
        ``"ibd"`` or ``"eibd"``.
    targets
        Groups to look for; AF and MF, those of the paper, if left out.
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


def published_comparisons(names: list[str] | None = None) -> list[Trio]:
    """Two groups and a concept for each published comparison of geometry."""
    groups, concepts = catalog().groups("rsa-names"), catalog().words("rsa-concepts")
    known = {one.name: one for one in groups.comparisons}
    chosen = names or list(known)
    for one in chosen:
        if one not in known:
            raise UnknownNameError("comparison", one, known)
    return [
        (
            StimulusSet(groups[known[one].group1].label, tuple(groups[known[one].group1].items)),
            StimulusSet(groups[known[one].group2].label, tuple(groups[known[one].group2].items)),
            StimulusSet(known[one].concept, tuple(concepts[known[one].concept]["concept"])),
        )
        for one in chosen
    ]


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
    missing: str,
    seed: int,
    *,
    remove: str = "all",
) -> DetectionResult:
    """Run one detection with the threshold that was asked for.

    Parameters
    ----------
    kind
        ``"ibd"`` or ``"eibd"``.
    emb
        The model.
    asked
        Groups, candidates and true words.
    target
        The group to look for.
    threshold
        A number, ``"accuracy"``, ``"youden"`` or ``"null"``; without true words ``"youden"`` is ``"null"``.
    missing, seed
        As in :func:`~crossroads.measures.wefat.wefat` and :func:`~crossroads.measures.intersectional.ibd`.
    remove
        As in :func:`~crossroads.measures.intersectional.eibd`.
    """
    truth = asked.truths.get(target)
    level: float | str
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
    """What the detections and comparisons of an audit are called, and whether each is one or the other."""
    names = {
        f"{target} {kind.upper()}": "detection"
        for kind in DETECTIONS
        for target in published_material(kind).targets
    }
    return names | {rsa_name(*(one.name for one in trio)): "comparison" for trio in published_comparisons()}


def intersectional_parts(emb: Embeddings, settings: Settings) -> list[Part]:
    """IBD, EIBD and RSA of the published groups."""
    same = {"missing": settings.missing, "seed": settings.seed}
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


def intersectional_found(outcomes: Mapping[str, Outcome]) -> Found:
    """Put detections and comparisons together."""
    results = {name: one.result for name, one in outcomes.items()}
    crossings = {crossing_name(target) for target in published_material(DETECTIONS[0]).targets}
    return Found(
        fields={
            "detections": {name: one for name, one in results.items() if isinstance(one, DetectionResult)},
            "crossings": tuple(one for one in results.values() if isinstance(one, WefatResult)),
            "fits": tuple(one for one in results.values() if isinstance(one, RsaResult)),
        },
        left_out={
            name: one.reason
            for name, one in outcomes.items()
            if one.reason is not None and name not in crossings  # its detections say the same
        },
    )

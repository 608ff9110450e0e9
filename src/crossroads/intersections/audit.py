"""Audits of intersections, and the published groups, words and comparisons that they are run on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from crossroads import plots
from crossroads.core.audit.audit import Plan, Work
from crossroads.core.audit.engine import Row, Unit
from crossroads.core.errors import InputError, Missing, UnknownNameError
from crossroads.core.evidence import Embeddings
from crossroads.core.report.audit import Audit
from crossroads.core.report.figures import Figures, published_points
from crossroads.core.stimuli import StimulusSet, catalog
from crossroads.intersections.detection import DetectionResult, Removal, ibd
from crossroads.intersections.rsa import RsaResult, rsa, rsa_name
from crossroads.intersections.wefat import WefatResult, group_table, wefat

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
    """Groups, candidates and listed words of the CEAT paper, for ``"ibd"`` or ``"eibd"``.

    Words of the groups AF and MF, those of the paper, are detected if no other targets are named.
    """
    groups, lists = catalog().groups("ceat-groups"), catalog().words("ceat-validation")
    wanted = [one.upper() for one in targets or ["AF", "MF"]]
    for one in wanted:
        if one not in groups:
            raise UnknownNameError("group", one, groups)
    which = "intersectional" if kind == "ibd" else "emergent"
    truth = {one: tuple(lists[one][which]) for one in wanted}
    return Material(groups, wanted, list(lists.all_words), truth)


def published_comparisons(names: list[str] | None = None, *, sentences: bool = False) -> list[Trio]:
    """Two groups and a concept for each published comparison of geometry.

    Without names, all of words; with ``sentences``, those of sentences as well.
    """
    groups, concepts = catalog().groups("rsa-names"), catalog().words("rsa-concepts")
    known: dict[str, Trio] = {}
    for one in groups.comparisons:
        pair = (groups[name] for name in (one.group1, one.group2))
        first, second = (StimulusSet(group.label, tuple(group.items)) for group in pair)
        known[one.name] = (first, second, StimulusSet(one.concept, tuple(concepts[one.concept]["concept"])))
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
    material: Material,
    target: str,
    *,
    missing: Missing,
    seed: int,
    threshold: str = "youden",
    remove: Removal = "all",
) -> DetectionResult:
    """Run one detection, ``"ibd"`` or ``"eibd"``."""
    limit: Any = threshold  # a number, or a rule that ibd checks
    with suppress(ValueError):
        limit = float(threshold)
    options: dict[str, Any] = {"remove": remove, "missing": missing, "seed": seed}
    options |= {"truth": material.truths.get(target), "threshold": limit, "emergent": kind == "eibd"}
    return ibd(emb, material.groups, target, material.words, **options)


def _targets(kind: str) -> Callable[[Plan], list[Unit]]:
    """The groups whose words are detected in a whole audit of one vector per word."""

    def units(plan: Plan) -> list[Unit]:
        if not (plan.words and plan.whole):
            return []
        material = published_material(kind)
        words, about = tuple(material.all_words), material.inputs
        return [Unit(one, (material, one), words, [one, about]) for one in material.targets]

    return units


def _comparisons(plan: Plan) -> list[Unit]:
    """Two groups and a concept each."""
    if not (plan.words and plan.whole):
        return []
    return [
        Unit(
            rsa_name(*(one.name for one in trio)),
            trio,
            tuple(word for one in trio for word in one),
            [[one.name, *one] for one in trio],
        )
        for trio in published_comparisons()
    ]


def _wefat(emb: Embeddings, material: Material, target: str, *, missing: Missing) -> WefatResult:
    return wefat(emb, material.groups, material.words, target, missing=missing)


ROWS = (
    *(
        Row(
            name=kind, measure=partial(detect, kind), gives=DetectionResult, on="words", each=_targets(kind),
            takes=("missing", "seed"), named=f"{{}} {kind.upper()}", skips=(InputError,), alone=True,
        )
        for kind in DETECTIONS
    ),
    Row(  # the reason for a missing result is that of the detections
        name="wefat", measure=_wefat, gives=WefatResult, on="words", each=_targets(DETECTIONS[0]),
        takes=("missing",), named="{} WEFAT", reported=False, skips=(InputError,),
    ),
    Row(
        name="rsa", measure=rsa, gives=RsaResult, on="words", each=_comparisons, takes=("missing", "seed"),
        skips=(InputError,),
    ),
)  # fmt: skip
"""Detections and comparisons of geometry."""
WORK: dict[str, Work] = {}
"""They are measured with the words of models of every kind."""


def draw(audit: Audit, figures: Figures) -> None:
    """Draw the detections whose truth is known, and the comparisons of geometry."""
    detections = audit.of(DetectionResult).items()
    for kind in DETECTIONS:
        curves = {name: one for name, one in detections if one._kind == kind and one.curve}
        if curves:
            figures.save(kind, plots.roc(curves, published=published_points().get(kind, {})))
    if fits := list(audit.of(RsaResult).values()):
        figures.save("geometry", plots.fit_plot(fits))

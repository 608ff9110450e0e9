"""Audits of intersections: detections and comparisons of geometry, on published groups and words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from crossroads.audit.engine import Row, Unit
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.measures import DetectionResult, RsaResult, WefatResult, rsa, wefat
from crossroads.measures.coverage.words import Missing
from crossroads.measures.geometry.rsa import rsa_name
from crossroads.measures.intersectional.published import (
    DETECTIONS,
    Material,
    detect,
    published_comparisons,
    published_material,
)
from crossroads.measures.intersectional.wefat import crossing_name

if TYPE_CHECKING:
    from crossroads.audit.plan import Plan


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


def _detect(
    kind: str, emb: Embeddings, material: Material, target: str, *, missing: Missing, seed: int
) -> DetectionResult:
    return detect(kind, emb, material, target, "youden", missing, seed)


def _wefat(emb: Embeddings, material: Material, target: str, *, missing: Missing) -> WefatResult:
    return wefat(emb, material.groups, material.words, target, missing=missing)


ROWS = (
    *(
        Row(
            name=kind,
            measure=partial(_detect, kind),
            gives=DetectionResult,
            on="words",
            each=_targets(kind),
            takes=("missing", "seed"),
            named=f"{{}} {kind.upper()}",
            skips=(InputError,),
            alone=True,
        )
        for kind in DETECTIONS
    ),
    Row(
        name="wefat",
        measure=_wefat,
        gives=WefatResult,
        on="words",
        each=_targets(DETECTIONS[0]),
        takes=("missing",),
        named=crossing_name("{}"),
        told=False,  # the reason is that of its detections
        skips=(InputError,),
    ),
    Row(
        name="rsa",
        measure=rsa,
        gives=RsaResult,
        on="words",
        each=_comparisons,
        takes=("missing", "seed"),
        skips=(InputError,),
    ),
)
"""Detections and comparisons of geometry."""

"""Audits of intersections: detections and comparisons of geometry, on published groups and words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from crossroads import plots
from crossroads.core.audit.audit import Plan, Work
from crossroads.core.audit.engine import Row, Unit
from crossroads.core.errors import InputError
from crossroads.core.evidence import Embeddings
from crossroads.core.report.audit import Audit
from crossroads.core.report.figures import Figures, published_points
from crossroads.core.results.gathered import Missing
from crossroads.intersections.detection import DetectionResult
from crossroads.intersections.published import (
    DETECTIONS,
    Material,
    detect,
    published_comparisons,
    published_material,
)
from crossroads.intersections.rsa import RsaResult, rsa, rsa_name
from crossroads.intersections.wefat import WefatResult, crossing_name, wefat


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
            name=kind, measure=partial(_detect, kind), gives=DetectionResult, on="words", each=_targets(kind),
            takes=("missing", "seed"), named=f"{{}} {kind.upper()}", skips=(InputError,), alone=True,
        )
        for kind in DETECTIONS
    ),
    Row(  # the reason for a missing result is that of the detections
        name="wefat", measure=_wefat, gives=WefatResult, on="words", each=_targets(DETECTIONS[0]),
        takes=("missing",), named=crossing_name("{}"), reported=False, skips=(InputError,),
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
        curves = {name: one for name, one in detections if one.kind == kind and one.curve}
        if curves:
            figures.save(kind, plots.roc(curves, published=published_points().get(kind, {})))
    if fits := list(audit.of(RsaResult).values()):
        figures.save("geometry", plots.fit_plot(fits))

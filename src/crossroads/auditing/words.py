"""The battery on one vector a word: ML-EAT, intervals and influence of each design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import comb
from typing import Any

from crossroads.auditing.parts import Found, Outcome, Part, Settings, design_inputs, rows_inputs
from crossroads.auditing.watching import SMALL
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.measures import (
    BootstrapResult,
    InfluenceResult,
    MleatResult,
    SeriesResult,
    bootstrap,
    influence,
    mleat,
)
from crossroads.measures.battery import assemble_battery, assemble_series
from crossroads.measures.gaps import require_stimuli
from crossroads.stimuli import Design

STATIC = ("weat", "ceat-intersectional")
"""The batteries of the catalogue that are asked of one vector a word."""


def words_of(designs: Sequence[Design]) -> list[str]:
    """Every stimulus of several designs, once."""
    return list(dict.fromkeys(word for design in designs for word in design.words))


def word_parts(emb: Embeddings, designs: Sequence[Design], settings: Settings) -> list[Part]:
    """Three parts a design: the test, its interval, and the influence of each word."""
    missing, seed = settings.missing, settings.seed
    if missing == "raise":
        require_stimuli(emb, designs)
    parts = []
    for design in designs:
        same = {"evidence": rows_inputs(emb, design.words), "missing": missing, **design_inputs(design)}
        common: dict[str, Any] = {"provenance": (emb.provenance,), "skips": settings.skips}
        parts += [
            mleat_part(emb, design, settings),
            Part(
                name=f"bootstrap {design.name}",
                gives=BootstrapResult,
                inputs={**same, "seed": seed},
                run=partial(bootstrap, emb, design, missing=missing, seed=seed),
                **common,
            ),
            Part(
                name=f"influence {design.name}",
                gives=InfluenceResult,
                inputs=same,
                run=partial(influence, emb, design, missing=missing),
                **common,
            ),
        ]
    return parts


def mleat_part(emb: Embeddings, design: Design, settings: Settings, at: str = "") -> Part:
    """The ML-EAT of a design.

    Parameters
    ----------
    emb
        The model.
    design
        What is asked.
    settings
        The options of the audit.
    at
        The decade, if there are several.
    """
    options: dict[str, Any] = {"missing": settings.missing, **_options(settings)}
    return Part(
        name=f"mleat {design.name} {at}".rstrip(),
        gives=MleatResult,
        inputs={"evidence": rows_inputs(emb, design.words), **options, **design_inputs(design)},
        run=partial(mleat, emb, design, **options),
        provenance=(emb.provenance,),
        skips=settings.skips,
        work=_seconds(design),
    )


def _options(settings: Settings) -> dict[str, Any]:
    """Options of an ML-EAT beside what happens to missing stimuli."""
    return {"alternative": settings.alternative, "seed": settings.seed}


def word_found(
    emb: Embeddings,
    designs: Sequence[Design],
    outcomes: Mapping[str, Outcome],
    settings: Settings,
    *,
    insist: bool = True,
) -> Found:
    """Put the battery together, with p-values adjusted for the number of its tests.

    Parameters
    ----------
    emb
        The model.
    designs
        What was asked.
    outcomes
        What came of the parts of :func:`word_parts`.
    settings
        The options of the audit.
    insist
        Whether it is an error that nothing could be measured.
    """
    tests: list[MleatResult] = []
    skipped: dict[str, str] = {}
    for design in designs:
        one = outcomes[f"mleat {design.name}"]
        if isinstance(one.result, MleatResult):
            tests.append(one.result)
        else:
            skipped[design.name] = one.reason or ""
    if not tests and insist:
        raise InputError(
            f"none of the {len(designs)} tests can be measured: {next(iter(skipped.values()))}",
            hint="use vectors that cover the stimuli; crossroads catalog NAME lists them.",
        )
    if not tests:
        return Found(left_out=skipped)
    kept = tuple(one for one in designs if one.name not in skipped)
    beside = [outcomes[f"{what} {one.name}"].result for what in ("bootstrap", "influence") for one in kept]
    return Found(
        fields={
            "battery": assemble_battery(
                tests,
                skipped=skipped,
                missing=settings.missing,
                options=_options(settings),
                provenance=(emb.provenance,),
            ),
            "intervals": tuple(one for one in beside if isinstance(one, BootstrapResult)),
            "influences": tuple(one for one in beside if isinstance(one, InfluenceResult)),
        },
        designs=kept,
    )


def decade_parts(
    models: Mapping[int, Embeddings], designs: Sequence[Design], settings: Settings
) -> list[Part]:
    """The ML-EAT of each design in every decade but the last, whose battery is measured anyway."""
    return [
        mleat_part(models[decade], design, settings, str(decade))
        for design in designs
        for decade in sorted(models)[:-1]
    ]


def decades_found(
    models: Mapping[int, Embeddings],
    designs: Sequence[Design],
    outcomes: Mapping[str, Outcome],
    settings: Settings,
) -> Found:
    """Tests that could be measured in two decades at least, which is what makes a series."""
    found: dict[str, SeriesResult] = {}
    left_out: dict[str, str] = {}
    for design in designs:
        points: dict[int, MleatResult] = {}
        skipped: dict[int, str] = {}
        for decade in sorted(models):
            at = "" if decade == max(models) else f" {decade}"
            one = outcomes[f"mleat {design.name}{at}"]
            if isinstance(one.result, MleatResult):
                points[decade] = one.result
            else:
                skipped[decade] = one.reason or ""
        if len(points) < 2:
            reason = f"it can be measured in {len(points)} of {len(models)} decades, and a series takes two."
            left_out[f"{design.name} over decades"] = reason
            continue
        found[design.name] = assemble_series(
            design.name,
            points,
            skipped=skipped,
            missing=settings.missing,
            options=_options(settings),
            provenance=tuple(models[decade].provenance for decade in sorted(models)),
        )
    return Found(
        fields={"series": tuple(found.values())},
        designs=tuple(one for one in designs if one.name in found),
        left_out=left_out,
    )


def _seconds(design: Design) -> float:
    """About how long its p-value takes.

    Some 10⁹ divisions of the targets are counted in a second or two; of more than that the p-value is
    bracketed, which takes the longer the more words there are.
    """
    x, y = design.sets["x"], design.sets.get("y", ())
    divisions = comb(len(x) + len(y), len(x))
    return SMALL + min(divisions / 6e8, (len(x) + len(y)) / 40)

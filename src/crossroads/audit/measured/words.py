"""The battery on one vector per word: ML-EAT, intervals, influence and reliability of each design."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import comb
from typing import Any

from crossroads.audit.kept import PartsFolder
from crossroads.audit.parts import (
    Findings,
    Outcome,
    Part,
    Settings,
    design_inputs,
    fingerprint,
    pool_inputs,
    rows_inputs,
)
from crossroads.audit.progress import SMALL
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.inference.power import Detectable, minimum_detectable
from crossroads.measures import (
    AnisotropyResult,
    BootstrapResult,
    CorrectionsResult,
    FrequencyResult,
    InfluenceResult,
    MleatResult,
    PlaceboResult,
    ReliabilityResult,
    SeriesResult,
    bootstrap,
    corrections,
    frequency,
    influence,
    mleat,
    reliability,
)
from crossroads.measures.association.battery import assemble_battery
from crossroads.measures.association.frequency import frequency_name
from crossroads.measures.association.placebo import LEAST_POOL, OtherWords, placebo_among, placebo_name
from crossroads.measures.association.reliability import reliability_name
from crossroads.measures.association.series import Points, assemble_series, series_trend
from crossroads.measures.coverage.gaps import require_stimuli
from crossroads.measures.coverage.words import Missing
from crossroads.measures.geometry.anisotropy import ANISOTROPY, measured_anisotropy
from crossroads.measures.robustness import checks_name
from crossroads.report.audit import by_label
from crossroads.results.plain import decode_fields
from crossroads.stimuli import Design

STATIC = ("weat", "ceat-intersectional")
"""The batteries of the catalogue that are measured on one vector per word."""
_BESIDE = ("bootstrap", "influence", "reliability", "frequency", "placebo")
_OWN = (InfluenceResult, ReliabilityResult, FrequencyResult, PlaceboResult)
"""Additional measures of a test that are separate results."""
_PLACEBO_SECONDS = 0.5


def words_of(designs: Sequence[Design]) -> list[str]:
    """Every stimulus of several designs, once."""
    return list(dict.fromkeys(word for design in designs for word in design.words))


def word_names(designs: Sequence[Design], *, placebos: bool) -> dict[str, str]:
    """Names of the tests on one vector per word in rules, to their kind."""
    names = {design.name: "test" for design in designs}
    names |= {checks_name(design.name): "checks" for design in designs}
    names |= {frequency_name(design.name): "frequency" for design in designs}
    names |= {reliability_name(design.name): "reliability" for design in designs}
    names |= {ANISOTROPY: "anisotropy"} if designs else {}
    return names | {placebo_name(design.name): "placebo" for design in designs if placebos}


def has_pool(emb: Embeddings) -> bool:
    """Whether there are other words than stimuli, enough to draw placebos from."""
    return emb.pool is not None and emb.pool is not emb and len(emb.pool) >= LEAST_POOL


def word_parts(emb: Embeddings, designs: Sequence[Design], settings: Settings) -> list[Part]:
    """Parts of each design: the test, its interval, influence of words, reliability, frequency, placebos."""
    missing, seed = settings.missing, settings.seed
    pool = pool_inputs(emb, stimuli=False) if has_pool(emb) else None
    if missing == "raise":
        require_stimuli(emb, designs)
    parts = []
    known = settings.frequencies is not None or emb.ranks is not None
    frequencies = (
        {"frequencies": fingerprint(settings.frequencies), "pool": pool_inputs(emb)} if known else {}
    )
    others = OtherWords(emb, designs)
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
            Part(
                name=f"reliability {design.name}",
                gives=ReliabilityResult,
                inputs={**same, "seed": seed},
                run=partial(reliability, emb, design, missing=missing, seed=seed),
                **common,
            ),
        ]
        if known and design.y is not None:
            given: dict[str, Any] = {"frequencies": settings.frequencies, "missing": missing, "seed": seed}
            parts.append(
                Part(
                    name=f"frequency {design.name}",
                    gives=FrequencyResult,
                    inputs={**same, **frequencies, "seed": seed, "language": design.language},
                    run=partial(frequency, emb, design, **given),
                    **common,
                )
            )
        if pool is not None:
            parts.append(
                Part(
                    name=f"placebo {design.name}",
                    gives=PlaceboResult,
                    inputs={**same, "seed": seed, "pool": pool},
                    run=partial(placebo_among, others, emb, design, missing=missing, seed=seed),
                    work=_PLACEBO_SECONDS,
                    **common,
                )
            )
    return parts


def space_parts(emb: Embeddings, designs: Sequence[Design], settings: Settings) -> list[Part]:
    """Whether cosines are meaningful, and the tests before and after corrections of the space.

    Parameters
    ----------
    emb
        The vectors as they were read.
    designs
        The designs.
    settings
        The options of the audit.
    """
    seed, missing = settings.seed, settings.missing
    same = {"seed": seed, "pool": pool_inputs(emb), "all": rows_inputs(emb, emb.labels)}
    common: dict[str, Any] = {"provenance": (emb.provenance,), "skips": (InputError,)}
    policy: Missing = "drop" if missing == "raise" else missing
    return [
        Part(
            name=ANISOTROPY,
            gives=AnisotropyResult,
            inputs=same,
            run=partial(measured_anisotropy, emb, seed=seed),
            **common,
        ),
        Part(
            name="corrections",
            gives=CorrectionsResult,
            inputs={**same, "missing": missing, "designs": [design_inputs(one) for one in designs]},
            run=partial(corrections, emb, designs, missing=policy, seed=seed),
            **common,
        ),
    ]


def space_found(outcomes: Mapping[str, Outcome], measured: Collection[str]) -> Findings:
    """Results of :func:`space_parts`.

    Parameters
    ----------
    outcomes
        Outcomes of the parts.
    measured
        Names of the tests that were measured; the others are reported already.
    """
    found = [one.result for one in outcomes.values() if one.result is not None]
    left_out = {name: one.reason for name, one in outcomes.items() if one.reason is not None}
    for one in found:
        if isinstance(one, CorrectionsResult):
            left_out |= {f"{test} corrections": why for test, why in one.skipped.items() if test in measured}
    return Findings(results=by_label(found), left_out=left_out)


def mleat_part(emb: Embeddings, design: Design, settings: Settings, at: str = "") -> Part:
    """The ML-EAT of a design.

    Parameters
    ----------
    emb
        The model.
    design
        The design.
    settings
        The options of the audit.
    at
        The decade or layer, if there are several.
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
    """Options of an ML-EAT other than ``missing``."""
    return {"alternative": settings.alternative, "seed": settings.seed}


def word_found(
    emb: Embeddings,
    designs: Sequence[Design],
    outcomes: Mapping[str, Outcome],
    settings: Settings,
    *,
    insist: bool = True,
    detect: Callable[..., Detectable] = minimum_detectable,
) -> Findings:
    """Assemble the battery, with p-values adjusted for the number of its tests.

    Parameters
    ----------
    emb
        The model.
    designs
        The designs.
    outcomes
        Outcomes of :func:`word_parts`.
    settings
        The options of the audit.
    insist
        Whether to raise if nothing could be measured.
    detect
        Finds the effect sizes that sets can detect; :func:`kept_detectable` keeps them.
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
        return Findings(left_out=skipped)
    kept = tuple(one for one in designs if one.name not in skipped)
    named = {f"{what} {one.name}": one.name for what in _BESIDE for one in kept}
    beside = [outcomes[part].result for part in named if part in outcomes]
    called = {"placebo": placebo_name, "frequency": frequency_name, "reliability": reliability_name}
    without = {
        called[what](name) if (what := part.partition(" ")[0]) in called else f"{name} {what}": why
        for part, name in named.items()
        if part in outcomes and (why := outcomes[part].reason) is not None
    }
    battery = assemble_battery(
        tests,
        skipped=skipped,
        missing=settings.missing,
        options=_options(settings),
        provenance=(emb.provenance,),
        intervals={one.design: one for one in beside if isinstance(one, BootstrapResult)},
        detect=detect,
    )
    return Findings(
        results=by_label([battery, *(one for one in beside if isinstance(one, _OWN))]),
        designs=kept,
        left_out=without,
    )


def kept_detectable(place: PartsFolder, n_x: int, n_y: int, **options: Any) -> Detectable:
    """What sets of these sizes can detect, of an earlier run or found now; it loads much of scipy."""
    find = partial(minimum_detectable, n_x, n_y, **options)
    return decode_fields(Detectable, place.plain("detectable", {"sizes": [n_x, n_y], **options}, find))


def series_parts(
    models: Mapping[int, Embeddings], designs: Sequence[Design], settings: Settings, over: Points = "year"
) -> list[Part]:
    """The ML-EAT of each design at every point; the last decade has its own battery."""
    return [
        mleat_part(models[point], design, settings, at)
        for design in designs
        for point in sorted(models)
        if (at := _at(point, models, over))
    ]


def _at(point: int, models: Mapping[int, Embeddings], over: Points) -> str:
    """How the parts of a point are named; empty for the point that the battery is measured on."""
    if over == "layer":
        return f"layer {point}"
    return "" if point == max(models) else str(point)


def series_found(
    models: Mapping[int, Embeddings],
    designs: Sequence[Design],
    outcomes: Mapping[str, Outcome],
    settings: Settings,
    over: Points = "year",
) -> Findings:
    """Series of the tests that could be measured at two points at least, decades or layers."""
    called = "layers" if over == "layer" else "decades"
    found: dict[str, SeriesResult] = {}
    left_out: dict[str, str] = {}
    for design in designs:
        points: dict[int | str, MleatResult] = {}
        skipped: dict[int | str, str] = {}
        for point in sorted(models):
            one = outcomes[f"mleat {design.name} {_at(point, models, over)}".rstrip()]
            if isinstance(one.result, MleatResult):
                points[point] = one.result
            else:
                skipped[point] = one.reason or ""
        if len(points) < 2:
            reason = f"it can be measured in {len(points)} of {len(models)} {called}, and a series needs two."
            left_out[f"{design.name} over {called}"] = reason
            continue
        along, step = series_trend(models, points, over)
        found[design.name] = assemble_series(
            design.name,
            points,
            skipped=skipped,
            missing=settings.missing,
            options=_options(settings),
            provenance=tuple(models[point].provenance for point in sorted(models)),
            trend=along,
            change=step,
            over=over,
        )
    return Findings(
        results=by_label(found.values()),
        designs=tuple(one for one in designs if one.name in found),
        left_out=left_out,
    )


def _seconds(design: Design) -> float:
    """Approximate seconds of the p-value of a design.

    About 10⁹ divisions of the targets are counted in a second or two; with more, the p-value is bracketed,
    which takes time proportional to the number of words.
    """
    x, y = design.sets["x"], design.sets.get("y", ())
    divisions, bracketed = comb(len(x) + len(y), len(x)), (len(x) + len(y)) / 40
    # compared as integers: from about 520 words per set on, the divisions do not fit a float
    return SMALL + (bracketed if divisions > 6e8 * bracketed else divisions / 6e8)

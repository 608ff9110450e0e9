"""Many designs on one model, with the number of tests taken into account; one design on many models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossroads.errors import InputError, MissingStimuliError
from crossroads.evidence import Embeddings, Provenance
from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.inference.power import Detectable, minimum_detectable
from crossroads.measures.gaps import require_in_all, require_stimuli
from crossroads.measures.gathering import check_inputs, check_vectors, listed_designs
from crossroads.measures.mleat import MleatResult, mleat
from crossroads.measures.weat import recorded_work
from crossroads.results import Result
from crossroads.stimuli import Design


@dataclass(frozen=True, kw_only=True, eq=False)
class BatteryResult(Result):
    """ML-EATs of several designs on one model."""

    tests: tuple[MleatResult, ...]
    """The tests, in the order asked for."""
    holm: tuple[float, ...]
    """Level 1 p-values adjusted by Holm, two-sided if the tail was chosen after the fact."""
    bh: tuple[float, ...]
    """The same, adjusted by Benjamini and Hochberg."""
    skipped: Mapping[str, str]
    """Designs that could not be measured, and why."""
    detectable: tuple[Detectable, ...] = ()
    """What Level 1 of each test could have shown with sets of its sizes, before any adjustment; two-sided if
    the tail was chosen after the fact. Empty in results of versions that did not say."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a test, with the adjusted p-values of Level 1 and the effect sizes it could have shown."""
        could = self.detectable or (None,) * len(self.tests)
        return [
            {
                **test.rows()[0],
                "holm": h,
                "bh": b,
                "critical_effect_size": None if one is None else one.critical,
                "detectable_effect_size": None if one is None else one.detectable,
            }
            for test, h, b, one in zip(self.tests, self.holm, self.bh, could, strict=True)
        ]


@dataclass(frozen=True, kw_only=True, eq=False)
class SeriesResult(Result):
    """One design over a series of models, such as the decades of a historical corpus."""

    design: str
    """Name of the design."""
    points: Mapping[int, MleatResult]
    """The ML-EAT of each point in time."""
    skipped: Mapping[int, str]
    """Points at which the design could not be measured, and why."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a point in time."""
        return [{"time": time, **test.rows()[0]} for time, test in self.points.items()]


def recorded(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as conventions record them."""
    return {key: recorded_work(value) if key == "max_work" else value for key, value in options.items()}


def battery(
    emb: Embeddings,
    designs: Design | Iterable[Design],
    *,
    missing: str = "drop",
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> BatteryResult:
    """Run the ML-EAT on several designs and adjust their Level 1 p-values for the number of tests.

    Holm's adjustment keeps the chance of any false rejection at the level, that of Benjamini and Hochberg
    the expected share of false rejections. What sets of these sizes could have shown at all stands beside
    each test (:func:`~crossroads.inference.power.minimum_detectable`). With ``alternative="observed"``, the
    default of the ML-EAT, both are two-sided, because the tail on the observed side has not the level it
    claims.

    Parameters
    ----------
    emb
        The model.
    designs
        What to ask it.
    missing
        As in :func:`~crossroads.measures.weat.weat`. A design that has too few stimuli left is skipped,
        and the result says so.
    progress
        Called with the name of each design before it is measured.
    options
        Passed on to :func:`~crossroads.measures.mleat.mleat`.
    """
    designs = listed_designs(designs)
    if missing == "raise":
        check_vectors(emb)
        require_stimuli(emb, designs)
    tests: list[MleatResult] = []
    skipped: dict[str, str] = {}
    for design in designs:
        if progress is not None:
            progress(design.name)
        try:
            tests.append(mleat(emb, design, missing=missing, **options))
        except MissingStimuliError as error:
            if missing == "raise":
                raise
            skipped[design.name] = error.reason
    return assemble_battery(
        tests, skipped=skipped, missing=missing, options=options, provenance=(emb.provenance,)
    )


def assemble_battery(
    tests: Sequence[MleatResult],
    *,
    skipped: Mapping[str, str],
    missing: str,
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
) -> BatteryResult:
    """Make a battery of ML-EATs that were measured one by one, with the p-values that it adjusts.

    Parameters
    ----------
    tests
        The tests, in order.
    skipped
        Designs that could not be measured, and why.
    missing, options
        What each test was asked with, as in :func:`battery`.
    provenance
        Where the evidence of all tests came from.
    """
    # a tail chosen after the fact is no p-value to adjust
    tail = options.get("alternative", "observed")
    adjusted = "two-sided" if tail == "observed" else tail
    pvalues = [test.level1.tails[adjusted][0] for test in tests]
    return BatteryResult(
        tests=tuple(tests),
        holm=tuple(holm(pvalues).tolist()),
        bh=tuple(benjamini_hochberg(pvalues).tolist()),
        skipped=skipped,
        detectable=tuple(_detectable(test, adjusted) for test in tests),
        conventions={
            "measure": "battery",
            "missing": missing,
            "adjusted": f"Level 1, {adjusted}",
            **recorded(options),
        },
        provenance=provenance,
    )


def _detectable(test: MleatResult, alternative: str) -> Detectable:
    """What Level 1 of a test could have shown, under its own conventions."""
    given, sets = test.conventions, test.level1.sets
    return minimum_detectable(
        len(sets["x"]),
        len(sets["y"]),
        alpha=given["alpha"],
        alternative=alternative,
        ties=given["ties"],
        ddof=given["ddof"],
        method="normal" if given["method"] == "normal" else "auto",
    )


def series(
    models: Mapping[int, Embeddings], design: Design, *, missing: str = "drop", **options: Any
) -> SeriesResult:
    """Run the ML-EAT on one design in each model of a series.

    Parameters
    ----------
    models
        Models by year.
    design
        What to ask them.
    missing
        As in :func:`~crossroads.measures.weat.weat`; points with too few stimuli are skipped and listed.
    options
        Passed on to :func:`~crossroads.measures.mleat.mleat`.
    """
    if not hasattr(models, "items"):
        raise InputError(
            f"the models are of type {type(models).__name__}.", hint="give {year: vectors, ...}."
        )
    if not models:
        raise InputError("the series is empty.", hint="give at least one model.")
    if missing == "raise":
        check_inputs(design, *models.values())
        require_in_all(models, [design])
    points: dict[int, MleatResult] = {}
    skipped: dict[int, str] = {}
    for time in sorted(models):
        try:
            points[time] = mleat(models[time], design, missing=missing, **options)
        except MissingStimuliError as error:
            if missing == "raise":
                raise
            skipped[time] = error.reason
    return assemble_series(
        design.name,
        points,
        skipped=skipped,
        missing=missing,
        options=options,
        provenance=tuple(models[time].provenance for time in sorted(models)),
    )


def assemble_series(
    design: str,
    points: Mapping[int, MleatResult],
    *,
    skipped: Mapping[int, str],
    missing: str,
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
) -> SeriesResult:
    """Make a series of ML-EATs that were measured one by one.

    Parameters
    ----------
    design
        Name of the design.
    points
        The tests by year, in order.
    skipped
        Years in which the design could not be measured, and why.
    missing, options
        What each test was asked with, as in :func:`series`.
    provenance
        Where the evidence of each year came from.
    """
    return SeriesResult(
        design=design,
        points=points,
        skipped=skipped,
        conventions={"measure": "series", "missing": missing, **recorded(options)},
        provenance=provenance,
    )

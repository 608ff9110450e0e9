"""Everything one audit found, in one place: what all pages and tables of it are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from crossroads.errors import InputError
from crossroads.measures import (
    BatteryResult,
    BootstrapResult,
    DetectionResult,
    InfluenceResult,
    RsaResult,
)
from crossroads.results import Result


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The results of an audit of one model."""

    battery: BatteryResult
    """The association tests, with adjusted p-values."""
    intervals: tuple[BootstrapResult, ...] = ()
    """Confidence intervals of the tests that have one."""
    influences: tuple[InfluenceResult, ...] = ()
    """Effect sizes without each word."""
    detections: Mapping[str, DetectionResult] = field(default_factory=dict)
    """Detections by name, such as ``"AF IBD"``."""
    fits: tuple[RsaResult, ...] = ()
    """Comparisons of geometry."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Detections and comparisons that could not be measured, and why."""

    def __post_init__(self) -> None:
        if not self.battery.provenance:
            raise InputError("the battery does not say which model it is of.", hint="run it with battery().")

    @property
    def model(self) -> str:
        """The model, as its provenance names it."""
        return self.battery.provenance[0].source

    @property
    def results(self) -> list[Result]:
        """All results, in the order in which they are written."""
        return [self.battery, *self.intervals, *self.influences, *self.detections.values(), *self.fits]

    @property
    def skipped(self) -> dict[str, str]:
        """Everything that could not be measured, and why."""
        return {**self.battery.skipped, **self.left_out}

    @property
    def ends(self) -> dict[str, tuple[float, float]]:
        """Both ends of the confidence interval of each test that has one."""
        return {one.design: (one.low, one.high) for one in self.intervals}


def rsa_name(first: str, second: str, concept: str) -> str:
    """What a comparison of geometry is called in tables and rules."""
    return f"RSA {first} / {second} / {concept}"

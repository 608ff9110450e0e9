"""Everything one audit found, in one place: what all pages and tables of it are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from crossroads.errors import InputError
from crossroads.evidence import Provenance
from crossroads.evidence.model_names import model_name
from crossroads.measures import (
    AlignmentResult,
    BatteryResult,
    BootstrapResult,
    CeatBatteryResult,
    CeatBootstrapResult,
    DetectionResult,
    DominanceResult,
    EmergentResult,
    InfluenceResult,
    MultilevelCeatResult,
    OrderSensitivityResult,
    RsaResult,
    SeriesResult,
    TraitScores,
    WefatResult,
)
from crossroads.results import Result

KINDS: Mapping[str, str] = {
    "vectors": "static word vectors",
    "series": "word vectors of several decades",
    "encoder": "a contextual encoder",
    "language model": "a masked or causal language model",
    "vision-language": "a vision–language model",
    "endpoint": "an embedding service",
    "contexts": "saved context vectors",
    "logits": "saved answers of a language model",
    "results": "saved results",
}
"""What an audit can be of."""


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The results of an audit of one model; which of them there are depends on what it is."""

    kind: str = "vectors"
    """What the model is: a key of :data:`KINDS`."""
    battery: BatteryResult | None = None
    """The association tests on one vector a word, with adjusted p-values."""
    intervals: tuple[BootstrapResult, ...] = ()
    """Confidence intervals of the tests that have one."""
    influences: tuple[InfluenceResult, ...] = ()
    """Effect sizes without each word."""
    detections: Mapping[str, DetectionResult] = field(default_factory=dict)
    """Detections by name, such as ``"AF IBD"``."""
    crossings: tuple[WefatResult, ...] = ()
    """Scores of words with each intersectional group and with its constituents: what detections read."""
    fits: tuple[RsaResult, ...] = ()
    """Comparisons of geometry."""
    series: tuple[SeriesResult, ...] = ()
    """Tests over decades."""
    contexts: CeatBatteryResult | None = None
    """The association tests over contexts, with adjusted p-values."""
    context_levels: tuple[MultilevelCeatResult, ...] = ()
    """The same for each target alone, with patterns."""
    context_intervals: tuple[CeatBootstrapResult, ...] = ()
    """Intervals over words and contexts."""
    traits: tuple[TraitScores, ...] = ()
    """Scores of groups on traits: ILPS, ILPS*, SeT."""
    alignments: Mapping[str, AlignmentResult] = field(default_factory=dict)
    """Agreement of scores with people, by name, such as ``"SeT"``."""
    orders: tuple[OrderSensitivityResult, ...] = ()
    """How much the order of two identities counts."""
    dominance: tuple[DominanceResult, ...] = ()
    """Which identity of a pair prevails."""
    emergent: tuple[EmergentResult, ...] = ()
    """Traits that emerge where two identities meet."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """What could not be measured beyond the battery, and why."""
    name: str | None = None
    """What to call the model; by default :func:`~crossroads.evidence.model_names.model_name`."""

    def __post_init__(self) -> None:
        if not self.results:
            raise InputError("an audit without results.", hint="measure something first.")
        if not any(result.provenance for result in self.results):
            raise InputError("no result says which model it is of.", hint="measure evidence that says so.")

    @cached_property
    def model(self) -> str:
        """What the model is called."""
        return self.name or model_name(self.about)

    @property
    def about(self) -> Provenance:
        """Where the model came from."""
        return next(result.provenance[0] for result in self.results if result.provenance)

    @property
    def results(self) -> list[Result]:
        """All results, in the order in which they are written."""
        found: list[Result | None] = [
            *(self.battery, *self.intervals, *self.influences, *self.detections.values()),
            *(
                *self.crossings,
                *self.fits,
                *self.series,
                self.contexts,
                *self.context_levels,
                *self.context_intervals,
                *self.traits,
            ),
            *(*self.alignments.values(), *self.orders, *self.dominance, *self.emergent),
        ]
        return [one for one in found if one is not None]

    @property
    def skipped(self) -> dict[str, str]:
        """Everything that could not be measured, and why."""
        batteries = (self.battery, self.contexts)
        return {
            **{n: w for one in batteries if one is not None for n, w in one.skipped.items()},
            **self.left_out,
        }

    @cached_property
    def ends(self) -> Mapping[str, tuple[float, float]]:
        """Both ends of the confidence interval of each test that has one."""
        return MappingProxyType({one.design: (one.low, one.high) for one in self.intervals})


def rsa_name(first: str, second: str, concept: str) -> str:
    """What a comparison of geometry is called in tables and rules."""
    return f"RSA {first} / {second} / {concept}"

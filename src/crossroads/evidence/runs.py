"""Scores of models on the items of benchmarks, as other people's programs logged them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crossroads.errors import EvidenceError, InputError
from crossroads.evidence.provenance import Provenance


@dataclass(frozen=True, kw_only=True)
class Metric:
    """What the values of a metric mean."""

    name: str
    """Its name in the log, or of the published score that was computed from the log."""
    neutral: float | None = None
    """The value of a model that leans to neither side; None where there is none, as for accuracy. Higher
    values lean to the stereotype."""
    bounds: tuple[float, float] | None = None
    """Ends of its scale, where they are known."""
    ratio: bool = False
    """Whether it is a ratio of two sums, such as biased answers among those that are not *unknown*."""
    says: str = ""
    """What it is, as the end of a sentence; empty where the log only has its name."""


@dataclass(frozen=True, kw_only=True)
class RunItem:
    """One item of a benchmark, and how a model did on it."""

    id: str
    """Name of the item within its task."""
    digest: str
    """Checksum of its text: items of two runs with the same name must have the same."""
    values: Mapping[str, tuple[float, float]]
    """By metric: numerator and denominator (1 for metrics that are plain means), each a mean over
    repetitions."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the item belongs to: short fields of the data, and what was found from them."""
    prompt: str = ""
    """Checksum of what the model was asked; empty where the log has none."""
    epochs: int = 1
    """Number of repetitions with a score."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one model did on one task."""

    model: str
    """Name of the model."""
    task: str
    """Name of the task."""
    items: tuple[RunItem, ...]
    """Its items, each once."""
    metrics: Mapping[str, Metric]
    """The metrics, by name."""
    cluster: str | None = None
    """The label that items share where they are not independent; None where the log shows no such thing."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """Samples without a score, by reason."""
    notes: tuple[str, ...] = ()
    """What else there is to know of the log, in sentences."""
    provenance: Provenance = field(default_factory=lambda: Provenance(source="given as numbers"))
    """The model, the file, and the program that wrote it."""

    @property
    def log(self) -> str:
        """The file that it was read from."""
        return str(self.provenance.details.get("log", "a run"))


class Runs(Sequence[Run]):
    """Runs of models on tasks, at most one of each model on each task.

    Parameters
    ----------
    runs
        The runs.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        if not runs:
            raise EvidenceError("there are no runs.", hint="give logs of at least one model.")
        seen: dict[tuple[str, str], Run] = {}
        for one in runs:
            before = seen.setdefault((one.model, one.task), one)
            if before is not one:
                raise InputError(
                    f"{before.log} and {one.log} are both of {one.model} on {one.task}.",
                    hint="give one of them, or name them: NAME=LOG in the shell, {name: log} in Python.",
                )
        self._runs = tuple(runs)

    def __getitem__(self, at: Any) -> Any:
        return self._runs[at]

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return f"<Runs of {', '.join(self.models)} on {', '.join(self.tasks)}>"

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order of the logs."""
        return tuple(dict.fromkeys(one.model for one in self._runs))

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks."""
        return tuple(dict.fromkeys(one.task for one in self._runs))

    def of(self, task: str) -> dict[str, Run]:
        """Runs on a task, by model."""
        return {one.model: one for one in self._runs if one.task == task}

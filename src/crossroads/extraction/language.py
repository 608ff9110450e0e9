"""What resumable runs over a language model share: the model, its threads, the checks and the progress."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from crossroads.errors import InputError, OnMissing, one_of, require
from crossroads.sources.models.files import find_model
from crossroads.sources.models.language import Asked, LanguageModel
from crossroads.sources.models.transformers import Device, resolve_device

AT_ONCE = 8
"""Most batches that are computed at a time: each may hold :data:`~.probe.plan.LOGITS_AT_ONCE` logits."""


@dataclass(frozen=True, kw_only=True)
class ProbeStep:
    """The progress of a run."""

    stage: str
    """``"loading"``, ``"splitting"`` (texts into tokens), ``"asking"``; or ``"present"``, if there is nothing
    to do."""
    done: int = 0
    """Texts answered so far."""
    total: int = 0
    """Their total."""
    kept: int = 0
    """Texts that an earlier run answered."""


Progress = Callable[[ProbeStep], None]


def check_run(missing: str, **counts: int) -> None:
    """Check the settings that all runs have.

    Parameters
    ----------
    missing
        What to do with what the tokenizer does not know.
    **counts
        Numbers that have to be at least 1, by name.
    """
    one_of("way to treat what is missing", missing, OnMissing)
    for name, value in counts.items():
        if value < 1:
            raise InputError(f"{name}={value} is too small.", hint="give a number from 1 up.")


def load_language_model(
    model: str | Path,
    *,
    revision: str | None,
    kind: Asked,
    device: Device,
    instead: str,
    linear: bool = True,
) -> LanguageModel:
    """A masked or causal model.

    Parameters
    ----------
    model, revision, kind, device
        As in :func:`~crossroads.probe`.
    instead
        What to do with an ELMo, as a hint.
    linear
        As in :class:`~crossroads.sources.models.language.LanguageModel`.
    """
    files = find_model(model, revision=revision)
    if files.elmo:
        raise InputError(
            f"{files.name} is an ELMo, and its published files cannot predict words.", hint=instead
        )
    return LanguageModel(files, kind=kind, device=resolve_device(device), linear=linear)


def batches_at_once(model: LanguageModel, threads: int, batches: int) -> int:
    """How many batches a model computes at a time: on a processor one for each thread."""
    return min(threads, batches, AT_ONCE) if model.device == "cpu" else 1


@contextlib.contextmanager
def model_threads(number: int) -> Iterator[None]:
    """Set the number of threads of torch within the context."""
    torch = require("torch", extra="models", purpose="running transformer models")
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def ignore(step: ProbeStep) -> None:
    """Tell nobody of the progress."""
    del step

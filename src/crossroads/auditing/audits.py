"""Audit a model: find out what it is, measure everything that applies, and go on where a run stopped."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossroads.auditing.jobs import KINDS_OF_WORK, Job
from crossroads.auditing.keeping import Workplace
from crossroads.auditing.kinds import recognise
from crossroads.auditing.parts import Settings
from crossroads.auditing.planning import Plan, check_asking, make_plan
from crossroads.auditing.running import processors
from crossroads.auditing.vectors import Asking, Desk
from crossroads.auditing.watching import Progress, Tally
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.report.audit import Audit
from crossroads.stimuli import Design


@dataclass(frozen=True, kw_only=True)
class Finished:
    """An audit that was run."""

    audit: Audit
    """Its results."""
    designs: tuple[Design, ...]
    """The designs that could be measured."""
    vectors: Embeddings | None
    """The vectors of the stimuli, where there is one a word."""


def run_audit(
    model: str | os.PathLike[str],
    designs: Sequence[Design] | None = None,
    *,
    kind: str | None = None,
    format: str | None = None,  # noqa: A002 - the name that load() has
    contexts: str | Path | None = None,
    images: str | Path | None = None,
    human: str | Path | None = None,
    pairs: bool = False,
    prompt: str | None = None,
    served: str | None = None,
    device: str = "auto",
    work: Workplace | str | Path | None = None,
    workers: int | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Finished:
    """Measure everything that applies to a model.

    Parameters
    ----------
    model
        A file or folder of vectors, a name, a model, a store, saved answers, or the address of a service; see
        :mod:`crossroads.auditing.kinds`.
    designs
        What to test; everything that applies if left out.
    kind
        What the model is, if it is not to be found out.
    format
        Format of a file of vectors, if it is not to be found out.
    contexts
        Folder that ``crossroads contexts`` wrote, for models that can read it.
    images
        Folder with one subfolder of images a stimulus set, for vision–language models.
    human
        File of human judgements, for language models.
    pairs
        Whether to ask a language model about all pairs of groups as well, some forty times the work.
    prompt
        Template with ``{word}`` for models that read words in prompts.
    served
        Name of the model at a service that has several.
    device
        Where a model runs.
    work
        Folder in which finished parts are kept, so that another run goes on from them; without it nothing is.
    workers
        How many parts run at a time; one for each processor by default. Results do not depend on it.
    name
        What to call the model; by default the stem of its file, or the name it has.
    progress
        Called with an :class:`~crossroads.auditing.watching.Event` now and then.
    options
        Fields of :class:`~crossroads.auditing.parts.Settings`: alternative, missing, fallback, seed, samples
        and resamples.

    Returns
    -------
    Finished
        Equal for equal arguments, whatever was kept and however often a run was interrupted.
    """
    processors(workers)
    extras = {"contexts": contexts, "images": images, "human": human}
    plan = make_plan(
        recognise(model, format=format, kind=kind),
        designs,
        pairs=pairs,
        **{name: None if path is None else Path(path) for name, path in extras.items()},
    )
    check_asking([plan.kind], prompt=prompt, served=served)
    asking = Asking(format=format, prompt=prompt, served=served, images=plan.images, device=device)
    with _workplace(work) as place:
        desk = Desk(place=place, tally=Tally(progress))
        found = run_plan(plan, Settings(**options), asking, desk, workers=workers)
    return found if name is None else replace(found, audit=replace(found.audit, name=name))


def run_plan(
    plan: Plan, settings: Settings, asking: Asking, desk: Desk, *, workers: int | None = None
) -> Finished:
    """Run what was planned; see :func:`run_audit`."""
    job = Job(plan=plan, settings=settings, asking=asking, desk=desk, workers=workers)
    KINDS_OF_WORK[plan.kind.name](job)
    if not any(job.fields.values()):
        raise job.first_error or InputError(f"nothing of {plan.kind.shown} could be measured.")
    audit = Audit(kind=plan.kind.name, left_out=job.left_out, **job.fields)
    return Finished(audit=audit, designs=tuple(job.designs.values()), vectors=job.vectors)


@contextlib.contextmanager
def _workplace(work: Workplace | str | Path | None) -> Iterator[Workplace]:
    """The place that was given; a folder is swept at the end, and without one nothing is kept."""
    if isinstance(work, Workplace):
        yield work
    elif work is not None:
        with Workplace(work) as place:
            yield place
            place.sweep()
    else:
        with tempfile.TemporaryDirectory(prefix="crossroads-") as folder, Workplace(folder) as place:
            yield place

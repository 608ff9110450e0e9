"""Audit a model: detect its kind, run all measures that apply, and resume interrupted runs."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossroads.audit.jobs import KINDS_OF_WORK, Job
from crossroads.audit.kept import PartsFolder
from crossroads.audit.parts import Settings
from crossroads.audit.plan import Plan, make_plan
from crossroads.audit.progress import Progress, ProgressTracker
from crossroads.audit.run import worker_count
from crossroads.audit.vectors import Session, SourceOptions
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.measures.robustness import checks
from crossroads.report.audit import Audit
from crossroads.results import Result
from crossroads.sources.kinds import KindName, check_options, recognise
from crossroads.sources.models.transformers import Device
from crossroads.stimuli import Design


@dataclass(frozen=True, kw_only=True)
class FinishedAudit:
    """A finished audit."""

    audit: Audit
    """Its results."""
    designs: tuple[Design, ...]
    """The designs that could be measured."""
    vectors: Embeddings | None
    """The vectors of the stimuli, if there is one per word."""


def run_audit(
    model: str | os.PathLike[str],
    designs: Sequence[Design] | None = None,
    *,
    kind: KindName | None = None,
    format: str | None = None,  # noqa: A002 - the name that load() has
    contexts: str | Path | None = None,
    images: str | Path | None = None,
    human: str | Path | None = None,
    pairs: bool = False,
    placebo: bool = False,
    layers: bool = False,
    prompt: str | None = None,
    served: str | None = None,
    device: Device = "auto",
    work: PartsFolder | str | Path | None = None,
    workers: int | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> FinishedAudit:
    r"""Run all measures that apply to a model.

    Parameters
    ----------
    model
        A file or folder of vectors, a name, a model, a store, saved answers, or the address of a service; see
        :mod:`crossroads.sources.kinds`.
    designs
        The designs to test; all that apply if left out.
    kind
        The kind of model; detected if left out.
    format
        Format of a file of vectors; detected if left out.
    contexts
        Folder written by ``crossroads contexts``, for models that read sentences.
    images
        Folder with one subfolder of images per stimulus set, for vision–language models.
    human
        File of human judgements, for language models.
    pairs
        Whether to ask a language model about all pairs of groups as well, about forty times the work.
    placebo
        Whether to ask a model for the vectors of 2,000 more words, to draw placebo tests from
        (:func:`~crossroads.placebo`). Other words of a file of vectors are read along anyway.
    layers
        Whether to measure every test in each layer of a transformer as well (:func:`~crossroads.series`).
    prompt
        Template with ``{word}`` for models that read words in prompts.
    served
        Name of the model at a service that has several.
    device
        Device on which a model runs.
    work
        Folder in which finished parts are kept for later runs; if left out, none are kept.
    workers
        Number of parts that run at a time; one per processor by default. Results do not depend on it.
    name
        Name of the model; by default the stem of its file, or its own name.
    progress
        Called with an :class:`~crossroads.audit.progress.Event` at every step.
    options
        Fields of :class:`~crossroads.audit.parts.Settings`: alternative, missing, fallback, seed, samples,
        resamples, correct and frequencies.

    Returns
    -------
    FinishedAudit
        Equal for equal arguments, whether or not parts were kept or a run was interrupted.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("weat7"), np.random.default_rng(1)
    >>> lines = [f"{word} {' '.join(map(str, rng.normal(size=9)))}" for word in design.words]
    >>> file = Path(mkdtemp(), "vectors.txt")
    >>> _ = file.write_text("\n".join(lines))
    >>> done = cr.run_audit(file, [design], workers=1)
    >>> done.audit.kind, [design.name for design in done.designs]
    ('vectors', ['weat7'])
    """
    worker_count(workers)
    extras = {"contexts": contexts, "images": images, "human": human}
    plan = make_plan(
        recognise(model, format=format, kind=kind),
        designs,
        pairs=pairs,
        placebo=placebo,
        layers=layers,
        **{name: None if path is None else Path(path) for name, path in extras.items()},
    )
    check_options([plan.kind], prompt=prompt, served=served, correct=options.get("correct"))
    source = SourceOptions(format=format, prompt=prompt, served=served, images=plan.images, device=device)
    with _parts_folder(work) as place:
        session = Session(place=place, tracker=ProgressTracker(progress))
        found = run_plan(plan, Settings(**options), source, session, workers=workers)
    return found if name is None else replace(found, audit=replace(found.audit, name=name))


def run_plan(
    plan: Plan, settings: Settings, source: SourceOptions, session: Session, *, workers: int | None = None
) -> FinishedAudit:
    """Run a plan; see :func:`run_audit`."""
    job = Job(plan=plan, settings=settings, source=source, session=session, workers=workers)
    KINDS_OF_WORK[plan.kind.name](job)
    if not job.results:
        raise job.first_error or InputError(f"nothing of {plan.kind.shown} could be measured.")
    audit = Audit(with_checks(job.results), kind=plan.kind.name, left_out=job.left_out)
    return FinishedAudit(audit=audit, designs=tuple(job.designs.values()), vectors=job.vectors)


def with_checks(results: Mapping[str, Result]) -> dict[str, Result]:
    """Results with how sure their tests are, which comes first; as they are where there is no such test."""
    try:
        found = checks(results.values())
    except InputError:
        return dict(results)
    return {found.label: found, **results}


@contextlib.contextmanager
def _parts_folder(work: PartsFolder | str | Path | None) -> Iterator[PartsFolder]:
    """Open the folder of parts; one given by path is cleaned up at the end, otherwise it is temporary."""
    if isinstance(work, PartsFolder):
        yield work
    elif work is not None:
        with PartsFolder(work) as place:
            yield place
            place.sweep()
    else:
        with tempfile.TemporaryDirectory(prefix="crossroads-") as folder, PartsFolder(folder) as place:
            yield place

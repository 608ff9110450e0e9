"""Audit a model: detect its kind, run all measures that apply, and resume interrupted runs."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from crossroads.core.audit.engine import Settings, worker_count
from crossroads.core.audit.job import KINDS_OF_WORK, Job, Session
from crossroads.core.audit.plan import Plan, make_plan
from crossroads.core.audit.progress import Progress, ProgressTracker
from crossroads.core.errors import InputError
from crossroads.core.models.kinds import KindName, check_options, recognise
from crossroads.core.models.transformers import Device
from crossroads.core.report.audit import Audit
from crossroads.core.report.audit import FinishedAudit as FinishedAudit
from crossroads.core.results import Result, encode, versions
from crossroads.core.results.robustness import checks
from crossroads.core.stimuli import Design
from crossroads.core.storage.cache import Cache, Form, Key
from crossroads.core.storage.files import code
from crossroads.subjects import subjects
from crossroads.words.models.ask import SourceOptions


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
    work: str | Path | None = None,
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
        :mod:`crossroads.core.models.kinds`.
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
        Called with an :class:`~crossroads.core.audit.progress.Event` at every step.
    options
        Fields of :class:`~crossroads.core.audit.engine.Settings`: alternative, missing, fallback, seed,
        samples, resamples, correct and frequencies.

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
    with _opened(work) as cache:
        session = Session(cache=cache, tracker=ProgressTracker(progress))
        found = run_plan(plan, Settings(**options), source, session, workers=workers)
    return found if name is None else replace(found, audit=replace(found.audit, name=name))


def run_plan(
    plan: Plan, settings: Settings, source: SourceOptions, session: Session, *, workers: int | None = None
) -> FinishedAudit:
    """Run a plan; see :func:`run_audit`."""
    job = Job(
        plan=plan,
        settings=settings,
        source=source,
        cache=session.cache,
        tracker=session.tracker,
        workers=workers,
    )
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
    return {found._label: found, **results}


@contextlib.contextmanager
def _opened(work: str | Path | None) -> Iterator[Cache]:
    """Open the folder of finished work, which is cleaned up at the end; without one, it is temporary."""
    if work is not None:
        with audit_cache(work) as cache:
            yield cache
            cache.sweep()
    else:
        with tempfile.TemporaryDirectory(prefix="crossroads-") as folder, audit_cache(folder) as cache:
            yield cache


def audit_folder(output: Path) -> Path:
    """Folder of the finished work of an audit: next to its output, which is replaced as a whole."""
    output = output.resolve()
    return output.with_name(f".{output.name}.parts")


def audit_cache(folder: str | Path, *, fresh: bool = False) -> Cache:
    """The finished work of one or several audits, used by one run at a time; a fresh one is empty."""
    folder = Path(folder).expanduser().resolve()
    return Cache(folder, fresh=fresh, owner=folder.with_name(folder.name.removesuffix(".parts").lstrip(".")))


def _packed(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {Path(name).name: archive.read(name) for name in archive.namelist()}


FILES = Form(".zip", _packed, _unpacked)
"""The files of a folder."""


def draw_once(cache: Cache, folder: Path, shown: Any, drawing: Callable[[Path], None]) -> None:
    """Make a folder of figures: from those of an earlier run if they show the same data, or by drawing."""
    software = {"code": code("core", *subjects()), **versions()}
    with contextlib.suppress(metadata.PackageNotFoundError):
        software["matplotlib"] = metadata.version("matplotlib")
    key = Key("figures", "", {**software, "shown": encode(shown)})
    files = cache.find(key, FILES)
    if not files:
        drawing(folder)
        cache.keep(key, {file.name: file.read_bytes() for file in sorted(folder.iterdir())}, FILES)
        return
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)

"""Audit a model: plan what to measure for its kind, run all of it, and resume interrupted runs."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from crossroads.core.audit.engine import (
    Context,
    Evidence,
    Outcomes,
    Row,
    Settings,
    collect,
    make_tasks,
    run_tasks,
    worker_count,
)
from crossroads.core.audit.progress import LOADING, Progress, ProgressTracker
from crossroads.core.audit.registration import Registration, read_registration
from crossroads.core.errors import InputError
from crossroads.core.evidence import Embeddings
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.models.kinds import ON_WORDS, Kind, KindName, SourceOptions, check_options, recognise
from crossroads.core.models.transformers import Device
from crossroads.core.report.audit import Audit
from crossroads.core.report.audit import FinishedAudit as FinishedAudit
from crossroads.core.results import Result, encode, versions
from crossroads.core.results.robustness import checks
from crossroads.core.stimuli import Design, batteries, catalog
from crossroads.core.stimuli.files.text import read_frequencies
from crossroads.core.storage.cache import Cache, Form, Key
from crossroads.core.storage.files import code, evidence_code
from crossroads.core.subjects import brought, subjects

_OPERATIONS_A_SECOND = 2e11
_WEIGHTS = (".safetensors", ".gguf", ".hdf5")
T = TypeVar("T")
STATIC = ("weat", "ceat-intersectional")
"""The batteries of the catalogue that are measured on one vector per word."""
CONTEXTUAL = ("ceat", "ceat-intersectional")  # those that are measured on context vectors


@cache
def table() -> tuple[Row, ...]:
    """Every measure of audits, in the order of the results: the rows of all subjects."""
    rows = [row for module in brought("audit") for row in module.ROWS]
    return tuple(sorted(rows, key=lambda row: row.late))


@dataclass(frozen=True)
class Work:
    """What an audit does with a kind of model."""

    run: Callable[[Job], None]  # measures the model
    complete: Callable[[Plan], Plan] | None = None  # completes a plan, if something must be added


def work_on(kind: Kind) -> Work:
    """The work for a kind of model, which is that of a subject."""
    found: Work = next(module.WORK[kind.name] for module in brought("audit") if kind.name in module.WORK)
    return found


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure for a model."""

    kind: Kind  # the kind of model
    words: tuple[Design, ...]  # designs measured on one vector per word
    contexts: tuple[Design, ...]  # designs measured on context vectors
    whole: bool  # whether no tests were named, so that everything that applies is measured
    traits: bool  # whether the model is asked about groups and traits
    sentences: Path | None  # folder of contexts for the model to read
    images: Path | None  # folder of images
    human: Path | None  # file of human judgements
    pairs: bool = False  # whether a language model is also asked about pairs of groups
    placebo: bool = False  # whether a model is asked for a panel of other words, to draw placebo tests from
    layers: bool = False  # whether the tests of a transformer are measured in each of its layers as well
    registration: Registration | None = None  # what was registered before, if it was

    @cached_property
    def names(self) -> dict[str, str]:
        """Name of each test in rules, to its kind."""
        registered = {} if self.registration is None else {"registration": "registration"}
        return {name: kind for row in table() for name, kind in row.names(self).items()} | registered

    @property
    def measures(self) -> list[str]:
        """Names of the measures that apply."""
        return list(dict.fromkeys(row.name for row in table() if any(True for _ in row.each(self))))


def make_plan(
    kind: Kind,
    designs: Sequence[Design] | None = None,
    *,
    contexts: Path | None = None,
    images: Path | None = None,
    human: Path | None = None,
    pairs: bool = False,
    placebo: bool = False,
    layers: bool = False,
    registration: Registration | None = None,
) -> Plan:
    """Decide what to measure for a model, and refuse what is not possible; see :class:`Plan`.

    ``designs`` are the tests that were named, None for everything that applies.
    """
    if registration is not None:  # a test of the same name takes the place of the one registered
        designs = [*{one.name: one for one in (*registration.designs, *(designs or ()))}.values()]
    paths = {"contexts": contexts, "images": images, "human": human}
    check_options([kind], **paths, pairs=pairs or None, placebo=placebo or None, layers=layers or None)
    for name, path in paths.items():
        if path is not None and not path.exists():
            raise InputError(f"there is no {path}.", hint=f"check the path given as {name}=.")
    about_groups = kind.name == "logits" or (kind.name == "language model" and designs is None)
    if designs is not None and kind.name not in (*ON_WORDS, "contexts"):
        message = f"tests were named, but {kind.shown} contains answers about groups and traits."
        raise InputError(message, hint="leave them out, or audit the model itself.")
    if (human is not None or pairs) and not about_groups:
        message = f"{'pairs' if human is None else 'human'}= was given together with named tests."
        hint = "leave the tests out: judgements and pairs are about scores of groups on traits."
        raise InputError(message, hint=hint)
    over_contexts = kind.name == "contexts" or contexts is not None
    plan = Plan(
        kind=kind,
        words=_chosen(designs, STATIC) if kind.name in ON_WORDS else (),
        contexts=_chosen(designs, CONTEXTUAL) if over_contexts else (),
        whole=designs is None,
        traits=about_groups,
        sentences=contexts,
        images=images,
        human=human,
        pairs=pairs,
        placebo=placebo,
        layers=layers,
        registration=registration,
    )
    complete = work_on(kind).complete
    return plan if complete is None else complete(plan)


def _chosen(designs: Sequence[Design] | None, default: Sequence[str]) -> tuple[Design, ...]:
    if designs is not None:
        return tuple(designs)
    return tuple(catalog(member) for name in default for member in batteries()[name])


@dataclass(kw_only=True)
class Session:
    """Where finished work is kept, how progress is reported, and how much is done at a time."""

    cache: Cache
    tracker: ProgressTracker
    workers: int | None = None


@dataclass(kw_only=True)
class Job(Session):
    """A running audit: its plan, and the results so far."""

    plan: Plan
    settings: Settings
    source: SourceOptions  # how vectors are obtained from the model
    results: dict[str, Result] = field(default_factory=dict)  # results by name
    designs: dict[str, Design] = field(default_factory=dict)  # designs that could be measured, by name
    left_out: dict[str, str] = field(default_factory=dict)  # what could not be measured, and why
    vectors: Embeddings | None = None  # vectors of the stimuli
    first_error: InputError | None = None  # the first error of work that could not be done

    @property
    def model(self) -> str:
        """The model as given."""
        return self.plan.kind.model

    def measure(self, evidence: Mapping[str, Evidence], *, insist: bool = True) -> Outcomes:
        """Measure every row of the table that this evidence is for."""
        context = Context(
            plan=self.plan, evidence=evidence, settings=self.settings, cache=self.cache, insist=insist
        )
        tasks = make_tasks(table(), context)
        outcomes = run_tasks(tasks, self.cache, workers=self.workers, tracker=self.tracker)
        found = collect(tasks, context, outcomes)
        self.results |= found.results
        self.designs |= found.designs
        self.left_out |= found.left_out
        return outcomes

    def ask(self, make: Callable[[Cache, Any], T], doing: str, seconds: float = LOADING) -> T:
        """Vectors of an earlier run, or of the model: ``make`` writes to the cache what it does not find."""
        self.tracker.begin(doing, seconds)
        before = self.cache.written
        found = make(self.cache, self.tracker.step)
        self.tracker.finish(kept=self.cache.written == before, work=seconds)
        return found

    def attempt(self, what: str, work: Callable[[], None]) -> None:
        """Run work that may fail although other measures of the model succeed."""
        try:
            work()
        except InputError as error:
            self.left_out[what] = error.message
            self.first_error = self.first_error or error

    def place(self, what: str, **decided: Any) -> Path:
        """Where a store or answers of a transformer are kept."""
        files = self.files
        record: dict[str, Any] = {"model": files.sha256, "name": files.name, "revision": files.revision}
        record |= {"device": self.source.device, "code": evidence_code()}
        return self.cache.place(Key(what, files.name, {**record, **decided}))

    @cached_property
    def files(self) -> ModelFiles:
        """The files of a transformer, with their checksum, which takes about a second per gigabyte."""
        self.tracker.begin(f"checking {self.model}")
        return find_model(self.model)


def model_seconds(files: ModelFiles, tokens: float) -> float:
    """Approximate seconds to read tokens: two operations per weight, of four bytes each in the files."""
    weights = [one for one in Path(files.folder).iterdir() if one.suffix in _WEIGHTS]
    mine = [one for one in weights if files.gguf is None or one.name == files.gguf]
    return LOADING + tokens * 2 * sum(one.stat().st_size for one in mine) / 4 / _OPERATIONS_A_SECOND


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
    preregistered: str | Path | None = None,
    prompt: str | None = None,
    served: str | None = None,
    device: Device = "auto",
    work: str | Path | None = None,
    workers: int | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> FinishedAudit:
    """Run all measures that apply to a model.

    Parameters
    ----------
    model
        A file or folder of vectors, a name, a model, a store, saved answers, or the address of a service; see
        :mod:`crossroads.core.models.kinds`.
    designs
        The designs to test; all that apply if left out.
    kind, format
        The kind of model, and the format of a file of vectors; detected if left out.
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
        (:func:`~crossroads.placebo`). Other words of a file of vectors are also loaded anyway.
    layers
        Whether to measure every test in each layer of a transformer as well (:func:`~crossroads.series`).
    preregistered
        File of ``crossroads plan --freeze``: its tests are run, and what departs from it is a result.
    prompt, served, device
        As in :func:`~crossroads.load`.
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
        samples, correct and frequencies.

    Returns
    -------
    FinishedAudit
        Equal for equal arguments, whether or not parts were kept or a run was interrupted.

    Examples
    --------
    >>> import crossroads as cr
    >>> done = cr.run_audit("default", [cr.catalog("weat7")], workers=1)
    >>> done.audit.kind, [design.name for design in done.designs]
    ('vectors', ['weat7'])
    """
    worker_count(workers)
    paths = {"contexts": contexts, "images": images, "human": human}
    extras: dict[str, Any] = {name: Path(path) for name, path in paths.items() if path is not None}
    extras |= {"pairs": pairs, "placebo": placebo, "layers": layers}
    extras["registration"] = None if preregistered is None else read_registration(preregistered)
    table = options.get("frequencies")
    if isinstance(table, str | Path) and Path(table).suffix:  # what is in the file decides, not its name
        options["frequencies"] = read_frequencies(Path(table))
    plan = make_plan(recognise(model, format=format, kind=kind), designs, **extras)
    check_options([plan.kind], prompt=prompt, served=served, correct=options.get("correct"))
    source = SourceOptions(format=format, prompt=prompt, served=served, images=plan.images, device=device)
    with _opened(work) as cache:
        session = Session(cache=cache, tracker=ProgressTracker(progress), workers=workers)
        found = run_plan(plan, Settings(**options), source, session)
    return found if name is None else replace(found, audit=replace(found.audit, name=name))


def run_plan(plan: Plan, settings: Settings, source: SourceOptions, session: Session) -> FinishedAudit:
    """Run a plan; see :func:`run_audit`."""
    job = Job(plan=plan, settings=settings, source=source, **vars(session))
    work_on(plan.kind).run(job)
    if not job.results:
        raise job.first_error or InputError(f"nothing of {plan.kind.shown} could be measured.")
    results = job.results
    with contextlib.suppress(InputError):  # where there is no test to check
        sure = checks(results.values())
        results = {sure._label: sure, **results}
    audit = Audit(results, kind=plan.kind.name, left_out=job.left_out)
    if plan.registration is not None:
        found = plan.registration.compared(plan, settings, audit)
        audit = replace(audit, given={found._label: found, **results})
    return FinishedAudit(audit=audit, designs=tuple(job.designs.values()), vectors=job.vectors)


@contextlib.contextmanager
def _opened(work: str | Path | None) -> Iterator[Cache]:
    """Open the folder of finished work, in which that of other audits stays; without one, it is temporary."""
    with contextlib.ExitStack() as stack:
        folder = work or stack.enter_context(tempfile.TemporaryDirectory(prefix="crossroads-"))
        cache = stack.enter_context(audit_cache(folder))
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


FILES = Form(".zip", _packed, _unpacked)  # the files of a folder


def draw_once(cache: Cache, folder: Path, shown: Any, drawing: Callable[[Path], None]) -> None:
    """Make a folder of figures: from those of an earlier run if they show the same data, or by drawing."""
    software = {"code": code("core", *subjects()), **versions()}
    with contextlib.suppress(metadata.PackageNotFoundError):
        software["matplotlib"] = metadata.version("matplotlib")
    key = Key("figures", "", {**software, "shown": encode(shown)})
    if not (files := cache.find(key, FILES)):
        drawing(folder)
        cache.keep(key, {file.name: file.read_bytes() for file in sorted(folder.iterdir())}, FILES)
        return
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)

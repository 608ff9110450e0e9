"""The engine of audits: rows say what is measured, tasks are made of them, run or read, and collected.

A task is identified by everything that decides its result: the code and version of the measures, the options
that its row takes, its unit, and the evidence that it reads. A task that an earlier run has finished is run
again only if one of these has changed. Nothing here knows a measure.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossroads.core.audit.progress import SMALL, ProgressTracker
from crossroads.core.errors import (
    CrossroadsError,
    DesignError,
    EvidenceError,
    InputError,
    Missing,
    MissingStimuliError,
)
from crossroads.core.evidence import Provenance
from crossroads.core.inference.permutation.test import Alternative
from crossroads.core.models.kinds import Correction
from crossroads.core.models.saved import manifest_identity
from crossroads.core.results import Result, encode, versions
from crossroads.core.stimuli import Design
from crossroads.core.storage import files
from crossroads.core.storage.cache import Cache, Form, Key
from crossroads.core.storage.files import code
from crossroads.core.subjects import subjects
from crossroads.core.workers import processors

_DECIDING = tuple(f"core/{name}" for name in ("inference", "audit", "evidence", "results", "wording"))
"""The code that decides a result."""
MOST = 8  # largest default number of workers, since each may use much memory for sums
NO_NUMBER = "a number does not exist for these data: "
Outcome = Result | str  # A result, or the reason why there is none
Outcomes = Mapping[str, Mapping[str, Outcome]]  # outcomes by name of the row, then by name of the unit


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Options that the measures of an audit share."""

    alternative: Alternative = "two-sided"
    """Alternative of the p-values."""
    missing: Missing = "drop"
    """What happens to stimuli without a vector: ``"raise"``, ``"drop"`` or ``"balance"``."""
    fallback: str = "auto"
    """Spellings to try for words not found as written."""
    seed: int = 0
    """Seed of all random numbers."""
    samples: int = 10_000
    """Number of samples of the CEAT, each with one context per word."""
    correct: Correction | None = None
    """Correction of the space of one vector per word, if any; see :func:`~crossroads.stats.corrected`."""
    frequencies: Mapping[str, float] | str | None = None
    """Frequencies of words, if not those of the vector file; see :func:`~crossroads.frequency`."""

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The options as plain data; frequencies of words by their checksum."""
        return {k: fingerprint(v) if isinstance(v, Mapping) else v for k, v in vars(self).items()}


def lacking(missing: Missing) -> tuple[type[CrossroadsError], ...]:
    """Errors that skip a test: constant vectors, sets too small, and missing stimuli if they may be."""
    return (EvidenceError, DesignError, *(() if missing == "raise" else (MissingStimuliError,)))


LACKING = lacking("drop")


class Evidence(ABC):
    """What a row measures: vectors, a store of contexts, answers, scores, or several models."""

    provenance: tuple[Provenance, ...] = ()
    """Where it came from. It is kept apart from results, because it depends on what else was read."""

    def read(self) -> Any:
        """The first argument of a measure."""
        return self

    @abstractmethod
    def identity(self, unit: Unit) -> Any:
        """Plain data that identify what a unit reads of it."""

    def at(self, unit: Unit) -> Evidence:
        """The evidence of one unit, if units have different evidence."""
        del unit
        return self


class SavedFolder(Evidence):
    """A folder with a manifest, opened without verification and verified once before it is measured."""

    def __init__(self, folder: str | Path, reader: Callable[..., Any]) -> None:
        self._reader, self.quick = partial(reader, folder), reader(folder, verify=False)
        self.provenance = (self.quick.provenance,)
        self._manifest = manifest_identity(folder)["manifest"]

    @cached_property
    def _verified(self) -> Any:
        return self._reader()

    def read(self) -> Any:
        """The verified content."""
        return self._verified

    def identity(self, unit: Unit) -> Any:
        """Checksum of the manifest, which has those of all other files."""
        del unit
        return self._manifest


class Unit(NamedTuple):
    """What a measure is applied to: a design, a group, two groups and a concept, people."""

    name: str = ""  # its name, unique within a row
    arguments: tuple[Any, ...] = ()  # arguments of the measure after the evidence
    words: tuple[str, ...] = ()  # the words that it reads
    about: Any = None  # plain data that identify the arguments

    @property
    def design(self) -> Design | None:
        """The design, if the unit is one."""
        first = self.arguments[0] if self.arguments else None
        return first if isinstance(first, Design) else None


def design_unit(design: Design) -> Unit:
    """A unit that is a design: measures use its name, its words and the names of its sets."""
    titles = {role: words.name for role, words in design.sets.items()}
    about = {"design": design.name, "words": design.digest, "titles": titles}
    return Unit(design.name, (design,), tuple(design.words), about)


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Results of an audit, and what could not be measured."""

    results: dict[str, Result] = field(default_factory=dict)  # the results by name
    designs: dict[str, Design] = field(default_factory=dict)  # the designs that could be measured, by name
    left_out: dict[str, str] = field(default_factory=dict)  # what could not be measured, and why


@dataclass(frozen=True, kw_only=True)
class Context:
    """What rows are measured with."""

    plan: Any  # the plan of the audit; of a comparison, the finished audits
    evidence: Mapping[str, Evidence]  # the evidence by name; rows without theirs are left out
    settings: Settings  # options of the measures
    cache: Cache  # where finished work is kept
    insist: bool = True  # whether to raise an error if none of the tests can be measured


Need = Callable[[Any, Settings, Unit], Any]
"""Plain data that decide a result; None if something is lacking, so that there is no task."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measure of audits. Nothing else lists it."""

    name: str  # its name while it runs
    measure: Callable[..., Result]
    """The function: evidence, the arguments of the unit, and the options as keywords."""
    gives: type[Result]  # the type of its result
    on: str  # name of the evidence that it reads
    each: Callable[[Any], Iterable[Unit]]  # the units of a plan, known before anything runs
    takes: tuple[str, ...] = ()
    """Fields of :class:`Settings` that it is given, and on which its result depends."""
    needs: tuple[Need, ...] = ()  # what else decides the result, or is lacking
    named: str = "{}"  # name of the result, with the name of the unit in braces
    rules: Callable[[Any, Unit], Mapping[str, str]] | None = None
    """Names for rules to their kinds; by default the name of the result, if it is of one kind."""
    follows: str = ""  # name of the row without whose result for the unit this one does not count
    family: Callable[[Context, Outcomes], Findings] | None = None
    """Puts results of several rows together; they are not results by themselves."""
    reported: bool = True  # whether the reason for a missing result is reported
    skips: tuple[type[CrossroadsError], ...] | None = None
    """Errors that are such a reason; by default those of :func:`lacking`."""
    alone: bool = False  # whether it uses all processors by itself
    late: bool = False  # whether it comes after the rows of other subjects
    seconds: Callable[[Unit], float] | float = SMALL
    """Approximate seconds: longer tasks start earlier, and advance the progress bar further."""

    def names(self, plan: Any) -> dict[str, str]:
        """Names that rules may use, to their kinds."""
        names: dict[str, str] = {}
        for unit in self.each(plan):
            if self.rules is not None:
                names |= self.rules(plan, unit)
            elif len(self.gives._asked) == 1:
                names |= dict.fromkeys([self.named.format(unit.name)], next(iter(self.gives._asked)))
        return names


@dataclass(frozen=True)
class Task:
    """A row applied to a unit."""

    row: Row  # what is measured
    unit: Unit  # what it is applied to
    evidence: Evidence  # what it reads
    settings: Settings  # options of the measures
    needed: list[Any]  # what else decides the result

    @cached_property
    def name(self) -> str:
        """Name shown while it runs, such as ``"mleat weat1"``."""
        return f"{self.row.name} {self.unit.name}".rstrip()

    @cached_property
    def seconds(self) -> float:
        """Approximate seconds of work."""
        seconds = self.row.seconds
        return seconds(self.unit) if callable(seconds) else seconds

    @cached_property
    def key(self) -> Key:
        """Everything that decides the result."""
        decided = {
            "part": self.name,
            "code": code(*_DECIDING, *subjects()),
            "versions": dict(versions()),
            "options": {name: self.settings.plain[name] for name in self.row.takes},
            "about": self.unit.about,
            "needed": self.needed,
            "evidence": self.evidence.identity(self.unit),
        }
        return Key("part", self.name, decided)

    @cached_property
    def form(self) -> Form[Outcome]:
        """How the outcome is kept."""
        return outcome_form(self.row.gives, self.evidence.provenance)

    def outcome(self) -> Outcome:
        """The result, or the reason why there is none."""
        skips = lacking(self.settings.missing) if self.row.skips is None else self.row.skips
        options = {name: getattr(self.settings, name) for name in self.row.takes}
        try:
            return self.row.measure(self.evidence.read(), *self.unit.arguments, **options)
        except skips as error:
            return error.reason
        except (ArithmeticError, np.linalg.LinAlgError) as error:
            return f"{NO_NUMBER}{error}."


def make_tasks(rows: Iterable[Row], context: Context) -> list[Task]:
    """The tasks of all rows whose evidence is there, and which lack nothing."""
    tasks = []
    for row in rows:
        for unit in row.each(context.plan) if row.on in context.evidence else ():
            evidence = context.evidence[row.on].at(unit)
            needed = [need(evidence, context.settings, unit) for need in row.needs]
            if None not in needed:
                tasks.append(Task(row, unit, evidence, context.settings, needed))
    return tasks


def fingerprint(data: Any) -> str:
    """Checksum of plain data, or of results and arrays."""
    return files.fingerprint(encode(data))


def outcome_form(gives: type[Result], provenance: Sequence[Provenance]) -> Form[Outcome]:
    """An outcome on disk; provenances of the evidence are those of the run that reads it."""
    known = [encode(one.to_dict()) for one in provenance]

    def write(outcome: Outcome) -> bytes:
        data: Any = outcome if isinstance(outcome, str) else outcome.to_dict()
        for one in _results_in(data):
            one["provenance"] = [known.index(part) if part in known else part for part in one["provenance"]]
        return json.dumps(data, ensure_ascii=True, allow_nan=False).encode()

    def read(text: bytes) -> Outcome:
        data = json.loads(text)
        for one in _results_in(data):
            one["provenance"] = [known[part] if isinstance(part, int) else part for part in one["provenance"]]
        return data if isinstance(data, str) else gives.from_dict(data)

    return Form(".json", write, read)


def _results_in(value: Any) -> Iterator[dict[str, Any]]:
    """The plain data of a result and of every result in it: whatever has a provenance."""
    if isinstance(value, dict):
        if isinstance(value.get("provenance"), list):
            yield value
        value = [one for key, one in value.items() if key != "provenance"]
    elif not isinstance(value, list):
        return
    for one in value if not {dict, list}.isdisjoint(map(type, value)) else ():
        if isinstance(one, (dict, list)):
            yield from _results_in(one)


def worker_count(workers: int | None) -> int:
    """The number of workers: as given, or one per processor up to :data:`MOST`."""
    if workers is not None and workers < 1:
        raise InputError(f"workers={workers} is too small.", hint="give a number from 1 up.")
    return min(processors(), MOST) if workers is None else workers


def run_tasks(
    tasks: Sequence[Task], cache: Cache, *, workers: int | None = None, tracker: ProgressTracker | None = None
) -> dict[str, dict[str, Outcome]]:
    """Outcomes by row and unit, of earlier runs or of this one; results do not depend on ``workers``.

    Threads are sufficient, because most of the time is spent in compiled counts and array operations that
    release the interpreter lock. Tasks that use all processors run one by one.
    """
    tracker = tracker or ProgressTracker()
    tracker.expect(len(tasks), sum(task.seconds for task in tasks))
    outcomes: dict[str, Outcome] = {}
    left: dict[str, Task] = {}
    for task in tasks:
        if task.name in outcomes or task.name in left:
            raise InputError(
                f"two parts of the audit are called {task.name!r}.", hint="give designs other names."
            )
        outcome = cache.find(task.key, task.form)
        if outcome is None:
            left[task.name] = task
        else:
            outcomes[task.name] = outcome
            tracker.finish(kept=True, work=task.seconds)
    for task, made in _done(left.values(), worker_count(workers), tracker):
        outcomes[task.name] = _saved(task, made, cache)
        tracker.finish(work=task.seconds)
    found: dict[str, dict[str, Outcome]] = {}
    for task in tasks:
        found.setdefault(task.row.name, {})[task.unit.name] = outcomes[task.name]
    return found


def _saved(task: Task, outcome: Outcome, cache: Cache) -> Outcome:
    """An outcome that was written to the cache; a number that does not exist is a reason."""
    try:
        cache.keep(task.key, outcome, task.form)
        return outcome
    except InputError as error:
        if isinstance(outcome, str):
            raise
        return _saved(task, f"{NO_NUMBER}{error.reason}", cache)


def _done(tasks: Iterable[Task], workers: int, tracker: ProgressTracker) -> Iterator[tuple[Task, Outcome]]:
    """Outcomes as they are finished: parallel tasks first, the largest before the others."""
    ordered = sorted(tasks, key=lambda task: (task.row.alone, -task.seconds))
    shared = [task for task in ordered if not task.row.alone]
    if workers > 1 and len(shared) > 1:
        yield from _together(shared, workers, tracker)
        ordered = ordered[len(shared) :]
    for task in ordered:
        tracker.begin(task.name)
        yield task, task.outcome()


def _together(
    tasks: Sequence[Task], workers: int, tracker: ProgressTracker
) -> Iterator[tuple[Task, Outcome]]:
    pool = ThreadPoolExecutor(min(workers, len(tasks)), thread_name_prefix="crossroads-audit")
    try:
        futures: dict[Future[Outcome], Task] = {pool.submit(task.outcome): task for task in tasks}
        tracker.begin(tasks[0].name)
        for future in as_completed([*futures]):
            task = futures.pop(future)
            yield task, future.result()
            if futures:
                tracker.begin(next(iter(futures.values())).name)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def collect(tasks: Iterable[Task], context: Context, outcomes: Outcomes) -> Findings:
    """Results by name in the order of the tasks, families put together, and reasons for missing ones."""
    found, families = Findings(), set()
    for task in tasks:
        row, unit, outcome = task.row, task.unit, outcomes[task.row.name][task.unit.name]
        if row.family is not None and row.family not in families:
            families.add(row.family)
            family = row.family(context, outcomes)
            found.results.update(family.results)
            found.left_out.update(family.left_out)
        if isinstance(outcomes.get(row.follows, {}).get(unit.name), str):
            continue
        if isinstance(outcome, Result):
            found.results.update({row.named.format(unit.name): outcome} if row.family is None else {})
            found.designs.update({} if unit.design is None else {unit.name: unit.design})
        elif row.reported:
            found.left_out[row.named.format(unit.name)] = outcome
    return found

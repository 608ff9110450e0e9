"""Run the parts of an audit: results of earlier runs are read, other parts run in parallel.

Threads are sufficient, because most of the time is spent in compiled counts and array operations that release
the interpreter lock. Results do not depend on the number of workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

import numpy as np

from crossroads.audit.kept import PartsFolder
from crossroads.audit.parts import Outcome, Part
from crossroads.audit.progress import ProgressTracker
from crossroads.errors import InputError
from crossroads.workers.processes import processors

MOST = 8
"""Largest default number of workers, since each may use much memory for sums."""


def worker_count(workers: int | None) -> int:
    """The number of workers: as given, or one per processor up to :data:`MOST`."""
    if workers is not None:
        if workers < 1:
            raise InputError(f"workers={workers} is too small.", hint="give a number from 1 up.")
        return workers
    return min(processors(), MOST)


def run_parts(
    parts: Sequence[Part],
    place: PartsFolder,
    *,
    workers: int | None = None,
    tracker: ProgressTracker | None = None,
) -> dict[str, Outcome]:
    """Run parts, or read their outcomes from earlier runs.

    Parameters
    ----------
    parts
        The parts, with unique names.
    place
        Folder in which outcomes are kept.
    workers
        Number of parts that run at a time; those that use all processors run one by one.
    tracker
        Reports progress; it must already expect the parts.

    Returns
    -------
    dict
        Name to outcome, in the order of the parts.
    """
    tracker, count = tracker or ProgressTracker(), worker_count(workers)
    names = [part.name for part in parts]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(f"two parts of the audit are called {twice!r}.", hint="give designs other names.")
    found: dict[str, Outcome] = {}
    left: list[Part] = []
    for part in parts:
        outcome = place.read(part)
        if outcome is None:
            left.append(part)
            continue
        found[part.name] = outcome
        tracker.finish(kept=True, work=part.work)
    for part, outcome in _done(left, count, tracker):
        found[part.name] = place.write(part, outcome)
        tracker.finish(work=part.work)
    return {part.name: found[part.name] for part in parts}


def _done(parts: Iterable[Part], workers: int, tracker: ProgressTracker) -> Iterator[tuple[Part, Outcome]]:
    """Outcomes as they are finished: parallel parts first, the largest before the others."""
    ordered = sorted(parts, key=lambda part: -part.work)
    shared = [part for part in ordered if not part.alone]
    single = [part for part in ordered if part.alone]
    if workers == 1 or len(shared) < 2:
        shared, single = [], [*shared, *single]
    if shared:
        yield from _together(shared, workers, tracker)
    for part in single:
        tracker.begin(part.name)
        yield part, _outcome(part)


def _together(
    parts: Sequence[Part], workers: int, tracker: ProgressTracker
) -> Iterator[tuple[Part, Outcome]]:
    pool = ThreadPoolExecutor(min(workers, len(parts)), thread_name_prefix="crossroads-audit")
    try:
        futures: dict[Future[Outcome], Part] = {pool.submit(_outcome, part): part for part in parts}
        tracker.begin(parts[0].name)
        waiting = {part.name: None for part in parts}
        for future in as_completed(futures):
            part = futures[future]
            yield part, future.result()
            del waiting[part.name]
            if waiting:
                tracker.begin(next(iter(waiting)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _outcome(part: Part) -> Outcome:
    try:
        return Outcome(result=part.run())
    except part.skips as error:
        return Outcome(reason=error.reason)
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        return Outcome(reason=f"a number does not exist for these data: {error}.")

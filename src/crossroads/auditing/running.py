"""Run the parts of an audit: those of earlier runs are read, the others share the processors.

Threads suffice: what takes long are compiled counts and array operations, which let other threads work
meanwhile; and nothing has to be started or sent. Results do not depend on the number of workers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from crossroads.auditing.keeping import Workplace
from crossroads.auditing.parts import Outcome, Part
from crossroads.auditing.watching import Tally
from crossroads.errors import InputError

MOST = 8
"""Workers where none are asked for, at most: each may hold large lists of sums."""


def processors(workers: int | None) -> int:
    """The number of workers: as asked for, or one for each processor up to :data:`MOST`."""
    if workers is not None:
        if workers < 1:
            raise InputError(f"workers={workers} is too small.", hint="give a number from 1 up.")
        return workers
    try:
        there = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        there = os.cpu_count() or 1
    return min(there, MOST)


def run_parts(
    parts: Sequence[Part], place: Workplace, *, workers: int | None = None, tally: Tally | None = None
) -> dict[str, Outcome]:
    """Run parts, or read what earlier runs made of them.

    Parameters
    ----------
    parts
        What to do, each under a name of its own.
    place
        Where outcomes are kept.
    workers
        How many parts run at a time; those that use all processors by themselves run one by one.
    tally
        Counts them; they must have been announced to it.

    Returns
    -------
    dict
        Name to outcome, in the order of the parts.
    """
    tally, count = tally or Tally(), processors(workers)
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
        tally.finish(kept=True, work=part.work)
    for part, outcome in _done(left, count, tally):
        found[part.name] = place.write(part, outcome)
        tally.finish(work=part.work)
    return {part.name: found[part.name] for part in parts}


def _done(parts: Iterable[Part], workers: int, tally: Tally) -> Iterator[tuple[Part, Outcome]]:
    """Outcomes as they come: shared parts first, the largest of them before the others."""
    ordered = sorted(parts, key=lambda part: -part.work)
    shared = [part for part in ordered if not part.alone]
    single = [part for part in ordered if part.alone]
    if workers == 1 or len(shared) < 2:
        shared, single = [], [*shared, *single]
    if shared:
        yield from _together(shared, workers, tally)
    for part in single:
        tally.begin(part.name)
        yield part, _outcome(part)


def _together(parts: Sequence[Part], workers: int, tally: Tally) -> Iterator[tuple[Part, Outcome]]:
    pool = ThreadPoolExecutor(min(workers, len(parts)), thread_name_prefix="crossroads-audit")
    try:
        futures: dict[Future[Outcome], Part] = {pool.submit(_outcome, part): part for part in parts}
        tally.begin(parts[0].name)
        waiting = {part.name: None for part in parts}
        for future in as_completed(futures):
            part = futures[future]
            yield part, future.result()
            del waiting[part.name]
            if waiting:
                tally.begin(next(iter(waiting)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _outcome(part: Part) -> Outcome:
    try:
        return Outcome(result=part.run())
    except part.skips as error:
        return Outcome(reason=error.reason)

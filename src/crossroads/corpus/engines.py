"""Engines that search: this process, others of this machine, or Ray Data.

An engine takes parts and yields their tables in any order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from crossroads.corpus.files import Part, Progress
from crossroads.corpus.tasks import Search, Table, checked, search_part
from crossroads.workers.cluster import on_cluster
from crossroads.workers.processes import Task, in_processes, processors

Thresholds = Callable[[], Sequence[bytes]]
"""Returns the priorities above which contexts are no longer needed."""
Engine = Callable[[Search, Sequence[Part], Thresholds, Progress], Iterator[Table]]
"""Searches parts."""


def local(
    search: Search, parts: Sequence[Part], thresholds: Thresholds, progress: Progress, *, workers: int | None
) -> Iterator[Table]:
    """Search parts on this machine, in this process if one worker is enough."""
    workers = min(workers or processors(), len(parts))
    if workers <= 1:
        for part in parts:
            yield checked(search_part(search, part, thresholds(), progress), search.procedure)
        return
    for _, table in in_processes(
        searcher,
        search,
        lambda number: (parts[number], thresholds()),
        range(len(parts)),
        workers=workers,
        name=lambda number: str(parts[number].source.path),
        hint="if memory ran out, use fewer workers; with workers=1 this process reads by itself.",
        progress=progress,
    ):
        yield checked(table, search.procedure)


def searcher(search: Search) -> Task:
    """The task of a worker: from a part and thresholds to a table."""
    return lambda question, tell: search_part(search, question[0], question[1], tell)


def on_ray(
    search: Search,
    parts: Sequence[Part],
    thresholds: Thresholds,  # noqa: ARG001 - known only when the work is done
    progress: Progress,
    *,
    workers: int | None,
    address: str | None,
) -> Iterator[Table]:
    """Search parts with Ray Data.

    Parameters
    ----------
    search, parts
        What to look for, and where; every node must see the files under the same paths.
    thresholds
        Not used.
    progress
        Called with the bytes of each part that is done.
    workers
        How many parts are searched at once; by default as many as fit on the cluster.
    address
        The cluster; by default the one in use, or a new one on this machine.
    """
    found = on_cluster(
        part_searcher,
        (search, [_absolute(part) for part in parts]),
        range(len(parts)),
        workers=workers,
        address=address,
        hint="check that crossroads is installed on every node, and that all of them see the files.",
    )
    for number, table in found:
        yield checked(table, search.procedure)
        progress(parts[number].bytes)


def part_searcher(setup: tuple[Search, Sequence[Part]]) -> Task:
    """The task of a Ray actor: from the number of a part to a table."""
    search, parts = setup
    return lambda number, _: search_part(search, parts[number])


def _absolute(part: Part) -> Part:
    """The same part for a process in another folder."""
    return dataclasses.replace(
        part, source=dataclasses.replace(part.source, path=part.source.path.absolute())
    )

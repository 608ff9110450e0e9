"""The search of one part of a file, which gives a table that can be merged, and the engines that search many.

An engine, in this process, in others of this machine or on Ray, takes parts and yields their tables in
any order.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.cluster import on_cluster
from crossroads.contexts.corpus.documents import batches
from crossroads.contexts.corpus.files import Part, Progress
from crossroads.contexts.corpus.matches import Matcher, Matches
from crossroads.contexts.corpus.sample import SAMPLE, Counts, Kept, Reservoirs
from crossroads.contexts.corpus.scripts import is_unspaced
from crossroads.contexts.corpus.text import BLANK, Text, plain
from crossroads.contexts.corpus.windows import Window, Words, is_near
from crossroads.core.errors import CrossroadsError
from crossroads.core.workers import Task, in_processes, processors

_FEW = 2500
"""Characters for each match beyond which it takes less time to search documents with a match again."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """The settings of a search, which are all that a worker needs."""

    forms: tuple[str, ...]
    """The spellings, each different."""
    window: Window
    """How many words are kept around them."""
    hyphens: str
    """Whether hyphens ``"join"`` or ``"split"`` words."""
    limit: int
    """Most contexts of a form."""
    seed: int
    """Seed of the sample."""

    @property
    def unspaced(self) -> tuple[str, ...]:
        """The forms that begin or end in a script without spaces, which are found in running text too."""
        return tuple(form for form in self.forms if is_unspaced(form[0]) or is_unspaced(form[-1]))

    @property
    def procedure(self) -> str:
        """The name of the procedure that finds and draws contexts; another if words in running text count."""
        return f"{SAMPLE}, with words in running text" if self.unspaced else SAMPLE

    def reservoirs(self) -> Reservoirs:
        """Empty reservoirs for the forms."""
        return Reservoirs(self.forms, limit=self.limit, seed=self.seed)


class Table(NamedTuple):
    """The contexts found in a part."""

    kept: Mapping[int, Mapping[bytes, Kept]]
    """Form to priority to context."""
    occurrences: NDArray[np.int64]
    """How often each form was found."""
    counts: Counts
    """Totals of what was read."""
    sample: str
    """The procedure by which contexts were drawn, :attr:`Search.procedure` in the process that drew them."""


@functools.lru_cache(maxsize=2)
def matcher_of(search: Search) -> Matcher:
    """What finds the forms of a search, built once per process; raises for forms that cannot be found."""
    return Matcher(search.forms, hyphens=search.hyphens)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector from going through all contexts again and again; none of them is part of a cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def search_part(
    search: Search, part: Part, thresholds: Sequence[bytes] | None = None, progress: Progress | None = None
) -> Table:
    """Search a part of a file."""
    matcher, reservoirs = matcher_of(search), search.reservoirs()
    if thresholds is not None:
        reservoirs.restrict(thresholds)
    totals: Counter[str] = Counter()
    with uncollected():
        for documents, counts in batches(part, progress):
            number, characters = collect(documents, matcher, search.window, reservoirs)
            totals.update(counts, documents=number, characters=characters)
    return Table(reservoirs.contents(), reservoirs.occurrences, Counts(**totals), search.procedure)


def checked(answer: Table, procedure: str) -> Table:
    """Return the table; samples of two procedures are never merged."""
    if answer.sample != procedure:
        raise CrossroadsError(
            f"a worker draws contexts by {answer.sample}, this process by {procedure}.",
            hint="install the same version of crossroads wherever workers run.",
        )
    return answer


def collect(
    documents: Iterable[str], matcher: Matcher, window: Window, reservoirs: Reservoirs
) -> tuple[int, int]:
    """Offer every match to the reservoirs; returns how many documents have text, and their characters."""
    texts = [text for text in documents if text.strip(BLANK)]
    simple = list(filter(str.isascii, texts))
    others = list(itertools.filterfalse(str.isascii, texts))
    for group in (simple, others):
        left = _collect_as_written(group, matcher, window, reservoirs) if is_near(window) else group
        if left:
            text = Text([plain(document) for document in left])
            _offer(text, matcher.find(text), matcher, window, reservoirs)
    return len(texts), sum(map(len, texts))


def _collect_as_written(
    documents: list[str], matcher: Matcher, window: Window, reservoirs: Reservoirs
) -> list[str]:
    """Offer matches in documents with any white space; those that need single spaces are returned."""
    text = Text(documents)
    matches, left = matcher.find_as_written(text)
    if matches.forms.size * _FEW < len(text.text):
        left[text.documents_at(matches.starts)] = True
    else:
        _offer(text, matches, matcher, window, reservoirs)
    return [documents[number] for number in np.flatnonzero(left)]


def _offer(text: Text, matches: Matches, matcher: Matcher, window: Window, reservoirs: Reservoirs) -> None:
    """Offer the contexts of matches to the reservoirs."""
    reservoirs.occurrences += np.bincount(matches.forms, minlength=len(reservoirs.forms))
    if matches.forms.size:
        reservoirs.add(Words(text).contexts(matches, window, matcher.unspaced(matches)))


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
        hint="if memory ran out, use fewer workers; with one, this process reads by itself.",
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
    """Search parts with Ray; every node must see the files under the same paths."""
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

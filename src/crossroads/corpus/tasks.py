"""The search of one part of a file, which gives a table that can be merged."""

from __future__ import annotations

import functools
import gc
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.documents import batches
from crossroads.corpus.files import Part, Progress
from crossroads.corpus.matches import Matcher, prepared
from crossroads.corpus.sample import SAMPLE, Counts, Kept, Reservoirs
from crossroads.corpus.scripts import is_unspaced
from crossroads.corpus.text import BREAK, composed
from crossroads.corpus.windows import Bounds, Window, beside, is_near
from crossroads.errors import CrossroadsError


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
    sample: str | None = None
    """The procedure by which contexts were drawn, :attr:`Search.procedure` in the process that drew them.
    None from a version that did not record it."""


@functools.lru_cache(maxsize=2)
def matcher_of(search: Search) -> Matcher:
    """The automaton of a search, built once per process."""
    return Matcher(search.forms, hyphens=search.hyphens)


def search_part(
    search: Search, part: Part, thresholds: Sequence[bytes] | None = None, progress: Progress | None = None
) -> Table:
    """Search a part of a file.

    Parameters
    ----------
    search
        The search.
    part
        The part.
    thresholds
        Priorities that contexts must stay below, from the other parts.
    progress
        Called with the number of further bytes read.
    """
    matcher, reservoirs = matcher_of(search), search.reservoirs()
    if thresholds is not None:
        reservoirs.restrict(thresholds)
    totals: Counter[str] = Counter()
    gc.freeze()  # what is there already stays: the collector need not go through it again and again
    try:
        for documents, counts in batches(part, progress):
            texts = [text for text in documents if text[:1].isalnum() or text.replace(BREAK, " ").strip()]
            totals.update(counts, documents=len(texts), characters=sum(map(len, texts)))
            _collect(texts, matcher, search.window, reservoirs)
    finally:
        gc.unfreeze()
    return Table(reservoirs.contents(), reservoirs.occurrences, Counts(**totals), search.procedure)


def checked(answer: Table, procedure: str = SAMPLE) -> Table:
    """Return the table; samples of two procedures are never merged."""
    if answer.sample != procedure:
        theirs = answer.sample or "a procedure of an older version, which has no name"
        raise CrossroadsError(
            f"a worker draws contexts by {theirs}, this process by {procedure}.",
            hint="install the same version of crossroads wherever workers run.",
        )
    return answer


def _collect(documents: list[str], matcher: Matcher, window: Window, reservoirs: Reservoirs) -> None:
    """Offer every match in some documents to the reservoirs."""
    if is_near(window):
        simple = [text for text in documents if text.isascii()]
        others = [composed(text) for text in documents if not text.isascii()]
        documents = [
            text
            for some in filter(None, (simple, others))
            for text in _collect_quickly(some, matcher, window, reservoirs)
        ]
    for text in prepared(documents):
        _collect_in(text, matcher, window, reservoirs)


def _collect_quickly(
    documents: Sequence[str], matcher: Matcher, window: Window, reservoirs: Reservoirs
) -> list[str]:
    """Offer every match in some documents to the reservoirs, except in those that are returned.

    These need a closer look, because they may contain a phrase or a word in a script without spaces.
    """
    text = BREAK.join(documents)
    if text.count(BREAK) >= len(documents):  # some are in the middle of documents
        text = BREAK.join([document.replace(BREAK, " ") for document in documents])
    matches, doubtful = matcher.find_quickly(text)
    sizes = np.fromiter(map(len, documents), np.int64, len(documents))
    stops = np.cumsum(sizes + 1)  # each with the break after it
    aside = np.zeros(len(documents), bool)
    aside[np.searchsorted(stops, doubtful, "right")] = True
    within = np.searchsorted(stops, matches.starts, "right")
    sure = ~aside[within]
    (forms, starts, ends), within = (column[sure] for column in matches), within[sure]
    reservoirs.occurrences += np.bincount(forms, minlength=len(reservoirs.forms))
    highs = stops[within] - 1
    places = zip(*map(np.ndarray.tolist, (highs - sizes[within], highs, starts, ends)), strict=True)
    add = reservoirs.add
    for form, size, (shown, begin) in zip(
        forms.tolist(), (ends - starts).tolist(), beside(text, places, window), strict=True
    ):
        add(form, shown, begin, begin + size)
    return [documents[number] for number in np.flatnonzero(aside).tolist()]


def _collect_in(text: str, matcher: Matcher, window: Window, reservoirs: Reservoirs) -> None:
    """Offer every match in a text to the reservoirs; neighbours with the same window share one string."""
    matches = matcher.find(text)
    reservoirs.occurrences += np.bincount(matches.forms, minlength=len(reservoirs.forms))
    if not matches.forms.size:
        return
    begins, stops = Bounds(text).around(matches.starts, matches.ends, window, matcher.unspaced(matches))
    add = reservoirs.add
    shared, last_begin, last_stop = "", -1, -1
    for form, begin, stop, start, end in zip(
        matches.forms.tolist(),
        begins.tolist(),
        stops.tolist(),
        (matches.starts - begins).tolist(),
        (matches.ends - begins).tolist(),
        strict=True,
    ):
        if begin != last_begin or stop != last_stop:
            shared, last_begin, last_stop = text[begin:stop], begin, stop
        add(form, shared, start, end)

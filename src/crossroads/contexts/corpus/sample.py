"""Random samples that do not depend on the order or the division of the population.

Every context has a priority, a keyed hash of itself; a sample is the contexts of lowest priority. Equal
contexts have equal priorities and are kept once, and the sample of a union is found from the samples of its
parts (bottom-k sampling; Cohen and Kaplan 2007, doi:10.1145/1281100.1281133). Text, start and
form are hashed in this order, so that a text with many targets need not be hashed for each of them.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SAMPLE = "crossroads-sample/2"
"""Name of the procedure that finds contexts and draws a sample of them. It is raised whenever the same
corpus, settings and seed would give other contexts or another order of them, as the change log then says."""
Kept = tuple[str, int, int]
"""Text, start and end of a context."""
_ALL = b"\xff" * 17
"""A value above every priority."""


class Reservoirs:
    """A sample of contexts for each of some forms, and how often each form occurred."""

    def __init__(self, forms: Sequence[str], *, limit: int, seed: int) -> None:
        self.forms, self.limit = tuple(forms), limit
        self.occurrences: NDArray[np.int64] = np.zeros(len(self.forms), np.int64)
        self._kept: list[dict[bytes, Kept]] = [{} for _ in self.forms]
        self._below = [_ALL] * len(self.forms)
        self._room = limit + max(limit // 4, 64)
        salt = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
        self._blank = hashlib.blake2b(digest_size=16, salt=salt)

    def add(self, contexts: Iterable[tuple[int, str, int, int]]) -> None:
        """Offer contexts: number of a form, text, start and end. A repeated text is best the same object."""
        below, kept, forms, blank = self._below, self._kept, self.forms, self._blank
        last, hashed = "", blank
        for form, text, start, end in contexts:
            rest = f"\0{start}\0{forms[form]}"
            if text is last:  # so a text with many targets is hashed twice, not for each of them
                if hashed is blank:
                    hashed = blank.copy()
                    hashed.update(text.encode())
                priority = hashed.copy()
                priority.update(rest.encode())
            else:
                last, hashed = text, blank
                priority = blank.copy()
                priority.update(f"{text}{rest}".encode())
            key = priority.digest()
            if key < below[form]:
                kept[form][key] = (text, start, end)
                if len(kept[form]) > self._room:
                    self._cut(form)

    def merge(self, other: Mapping[int, Mapping[bytes, Kept]], occurrences: NDArray[np.int64]) -> None:
        """Add the contexts and counts of another reservoir with the same forms and seed."""
        self.occurrences += occurrences
        for form, contexts in other.items():
            self._kept[form].update(contexts)
            if len(self._kept[form]) > self.limit:
                self._cut(form)

    def contents(self) -> dict[int, dict[bytes, Kept]]:
        """The kept contexts of each form found, by priority."""
        for form in range(len(self.forms)):
            self._cut(form)
        return {form: kept for form, kept in enumerate(self._kept) if kept}

    def thresholds(self) -> list[bytes]:
        """For each form the priority that a context must stay below to be kept."""
        return list(self._below)

    def restrict(self, thresholds: Iterable[bytes]) -> None:
        """Keep nothing that reaches these priorities, because the merged sample would drop it."""
        self._below = [min(mine, theirs) for mine, theirs in zip(self._below, thresholds, strict=True)]

    def count(self, form: int) -> int:
        """How many contexts of a form there are, up to the limit."""
        return min(len(self._kept[form]), self.limit)

    def sample(self, form: int) -> tuple[Context, ...]:
        """The contexts of a form in the order of their priority, which is random."""
        kept, name = self._kept[form], (self.forms[form],)
        return tuple(_context(name + kept[key]) for key in sorted(kept)[: self.limit])

    def _cut(self, form: int) -> None:
        """Drop contexts above the limit, and store the threshold."""
        kept = self._kept[form]
        if len(kept) < self.limit:
            return
        keys = sorted(kept)[: self.limit]
        if len(keys) < len(kept):
            self._kept[form] = {key: kept[key] for key in keys}
        self._below[form] = keys[-1]


class Context(NamedTuple):
    """One occurrence of a stimulus."""

    form: str
    """The spelling that was looked for, such as ``"john"`` for the stimulus ``"John"``."""
    text: str
    """The words around it, with single spaces between them."""
    start: int
    """Start of the stimulus in the text, in characters."""
    end: int
    """Its end."""


_context = functools.partial(tuple.__new__, Context)
"""A context of its four values, in half the time that ``Context._make`` takes."""


@dataclass(frozen=True, kw_only=True)
class WordCoverage:
    """How often one stimulus was found, and in which spelling."""

    word: str
    """The stimulus."""
    form: str
    """The spelling whose contexts are kept."""
    rule: str
    """How that spelling follows from the stimulus: ``"exact"``, or the rules of the fallback."""
    occurrences: int
    """How often that spelling occurs in the corpus, repetitions included."""
    contexts: int
    """How many distinct contexts of it are kept."""
    enough: bool
    """Whether these reach the minimum, and are at least one."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Totals over all files read."""

    documents: int = 0
    """Lines, paragraphs or records with text in them."""
    characters: int = 0
    """Characters of these documents."""
    bytes: int = 0
    """Bytes of the files as they are stored."""
    broken: int = 0
    """Lines that are not a JSON object; they are skipped."""
    invalid: int = 0
    """Documents with bytes that are not UTF-8; each such byte is read as U+FFFD."""
    without_text: int = 0
    """Records without text in the field that is read."""
    run_on: int = 0
    """Rows of CSV files that go on for more than a hundred lines; a quotation mark may be missing."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{name: value + getattr(other, name) for name, value in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class CorpusFile:
    """A record of a file of the corpus."""

    name: str
    """Its name, without the folder."""
    bytes: int
    """Its size."""
    format: str
    """Its format: ``"text"``, ``"jsonl"``, ``"csv"``, ``"tsv"`` or ``"parquet"``."""
    field: str | None
    """The field that holds the text, if there are fields."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """Contexts of stimuli, and how well the corpus covers them."""

    words: tuple[str, ...]
    """The stimuli, in the order given."""
    contexts: Mapping[str, tuple[Context, ...]]
    """The contexts of each stimulus, in the random order of the sample."""
    coverage: tuple[WordCoverage, ...]
    """How each stimulus was found, in the same order."""
    counts: Counts
    """Totals of what was read, and of what could not be."""
    files: tuple[CorpusFile, ...]
    """The files read, sorted by name."""
    settings: Mapping[str, Any]
    """Every option that the contexts depend on."""

    @property
    def below(self) -> tuple[WordCoverage, ...]:
        """The stimuli with fewer contexts than the minimum, including those without any."""
        return tuple(one for one in self.coverage if not one.enough)

    def __repr__(self) -> str:
        contexts = sum(map(len, self.contexts.values()))
        found = sum(bool(rows) for rows in self.contexts.values())
        return f"<Found: {contexts:,} contexts of {found:,} of {len(self.words):,} words>"

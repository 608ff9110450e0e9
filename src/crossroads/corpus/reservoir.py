"""Random samples that do not depend on the order or the division of what they are drawn from.

Every context has a priority, a keyed hash of itself; a sample is the contexts of lowest priority. Equal
contexts have equal priorities and are kept once, and the sample of a union is found from the samples of its
parts (bottom-k sampling; Cohen and Kaplan 2007, doi:10.1145/1281100.1281133). What is hashed is text, start
and form in this order, so that a text with many targets need not be hashed for each of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.found import Context

SAMPLE = "crossroads-sample/2"
"""Name of the procedure that finds contexts and draws a sample of them. It is raised whenever the same
corpus, settings and seed would give other contexts or another order of them, and the change log says so. The
first procedure hashed the form before the text; no folder that it wrote names it."""
Kept = tuple[str, int, int]
"""Text, start and end of a context."""
_ALL = b"\xff" * 17
"""Above every priority."""


class Reservoirs:
    """A sample of contexts for each of some forms, and how often each form occurred.

    Parameters
    ----------
    forms
        The spellings that are looked for.
    limit
        Most contexts to keep of each.
    seed
        Chooses among all samples; the same seed gives the same sample.
    """

    def __init__(self, forms: Sequence[str], *, limit: int, seed: int) -> None:
        self.forms, self.limit = tuple(forms), limit
        self.occurrences: NDArray[np.int64] = np.zeros(len(self.forms), np.int64)
        self._kept: list[dict[bytes, Kept]] = [{} for _ in self.forms]
        self._below = [_ALL] * len(self.forms)
        self._room = limit + max(limit // 4, 64)
        salt = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
        self._blank = hashlib.blake2b(digest_size=16, salt=salt)
        self._text = ""
        self._hash: hashlib.blake2b | None = None  # of the text, if it came more than once

    def add(self, form: int, text: str, start: int, end: int) -> None:
        """Offer a context of a form, given by its number; the same text again should be the same object."""
        if text is not self._text:
            self._text, self._hash = text, None
            priority = self._blank.copy()
            priority.update(f"{text}\0{start}\0{self.forms[form]}".encode())
        else:
            if self._hash is None:
                self._hash = self._blank.copy()
                self._hash.update(text.encode())
            priority = self._hash.copy()
            priority.update(f"\0{start}\0{self.forms[form]}".encode())
        key = priority.digest()
        if key < self._below[form]:
            kept = self._kept[form]
            kept[key] = (text, start, end)
            if len(kept) > self._room:
                self._cut(form)

    def merge(self, other: Mapping[int, Mapping[bytes, Kept]], occurrences: NDArray[np.int64]) -> None:
        """Take over what another reservoir of the same forms and seed has kept and counted."""
        self.occurrences += occurrences
        for form, contexts in other.items():
            self._kept[form].update(contexts)
            if len(self._kept[form]) > self.limit:
                self._cut(form)

    def contents(self) -> dict[int, dict[bytes, Kept]]:
        """What is kept of each form that was met, by priority."""
        for form in range(len(self.forms)):
            self._cut(form)
        return {form: kept for form, kept in enumerate(self._kept) if kept}

    def thresholds(self) -> list[bytes]:
        """For each form the priority that a context must stay below to be kept."""
        return list(self._below)

    def restrict(self, thresholds: Iterable[bytes]) -> None:
        """Keep nothing that reaches these priorities: a greater sample has no use for it."""
        self._below = [min(mine, theirs) for mine, theirs in zip(self._below, thresholds, strict=True)]

    def count(self, form: int) -> int:
        """How many contexts of a form there are, up to the limit."""
        return min(len(self._kept[form]), self.limit)

    def sample(self, form: int) -> tuple[Context, ...]:
        """The contexts of a form in the order of their priority, which is random."""
        kept = self._kept[form]
        name = self.forms[form]
        return tuple(Context(name, *kept[key]) for key in sorted(kept)[: self.limit])

    @staticmethod
    def in_order(contexts: Sequence[Context], *, seed: int) -> bool:
        """Whether contexts of one form stand as a sample of this procedure does, lowest priority first."""
        again = Reservoirs(list({context.form for context in contexts}), limit=len(contexts), seed=seed)
        for context in contexts:
            again.add(0, context.text, context.start, context.end)
        return len(again.forms) <= 1 and (not contexts or again.sample(0) == tuple(contexts))

    def _cut(self, form: int) -> None:
        """Drop what is above the limit, and remember where that begins."""
        kept = self._kept[form]
        if len(kept) < self.limit:
            return
        keys = sorted(kept)[: self.limit]
        if len(keys) < len(kept):
            self._kept[form] = {key: kept[key] for key in keys}
        self._below[form] = keys[-1]

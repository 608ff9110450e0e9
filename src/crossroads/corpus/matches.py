"""Whole words in long texts, all of them in one pass.

Every stimulus becomes a pattern with a space on either side, and the text a copy in which whatever is not
part of a word is a space; so an automaton (Aho and Corasick 1975) reports only whole words. Patterns that
hold more than plain letters are compared with the text itself again, and those that begin or end with
punctuation must not continue there: *.NET* is not found in *ASP.NET*, nor *C++* in *C+++*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.text import (
    BREAK,
    composed,
    in_word,
    letters,
    same_signs,
    single_spaces,
    single_spaces_in_all,
)
from crossroads.errors import InputError, require

Positions = NDArray[np.int64]


class Matches(NamedTuple):
    """Positions of forms in a text."""

    forms: Positions
    """The number of the form."""
    starts: Positions
    """Its start, in characters."""
    ends: Positions
    """Its end."""


class Matcher:
    """Finds whole words and phrases.

    Parameters
    ----------
    forms
        The distinct forms to look for; case matters.
    hyphens
        ``"join"``: *term* is not found in *short-term*; ``"split"``: it is.

    Examples
    --------
    >>> matcher = Matcher(["Anna", "New York"])
    >>> (text,) = prepared(["Anna's way to  New", "York; Joanna's to New York"])
    >>> [text[start:end] for _, start, end in zip(*matcher.find(text))]
    ['Anna', 'New York']
    """

    def __init__(self, forms: Sequence[str], *, hyphens: str = "join") -> None:
        package = require("ahocorasick_rs", extra="corpus", purpose="searching a corpus")
        self._join = hyphens == "join"
        self._written = [same_signs(plain(form)) for form in forms]
        marked = [bytes(letters(form, join=self._join)) for form in self._written]
        for form, mark in zip(forms, marked, strict=True):
            if not mark.strip():
                raise InputError(
                    f"{form!r} has no letter and no digit, so it cannot be looked for.",
                    hint="leave it out.",
                )
        # punctuation before and after the letters of a form, such as that of 'C++'
        self._before = np.array([len(m) - len(m.lstrip()) - 1 for m in marked], np.int64)
        self._after = np.array([len(m) - len(m.rstrip()) - 1 for m in marked], np.int64)
        self._doubtful = np.array(
            [
                not w.isascii() or m != f" {w} ".encode() or " " in w
                for w, m in zip(self._written, marked, strict=True)
            ]
        )
        self._signed = (self._before > 0) | (self._after > 0)
        patterns = [b" " + m.strip() + b" " for m in marked]
        self._automaton = package.BytesAhoCorasick(patterns, implementation=package.Implementation.DFA)

    def find(self, text: str) -> Matches:
        """Find every form in a text from :func:`prepared`."""
        marked = letters(text, join=self._join)
        hits = self._automaton.find_matches_as_indexes(marked, overlapping=True)
        table = np.array(hits, np.int64).reshape(-1, 3)
        forms = table[:, 0]
        # the space before the text and the one before the pattern cancel out
        starts = table[:, 1] - self._before[forms]
        ends = table[:, 2] - 2 + self._after[forms]
        kept = (starts >= 0) & (ends <= len(text))
        for at in np.flatnonzero(kept & self._doubtful[forms]):
            kept[at] = same_signs(text[starts[at] : ends[at]]) == self._written[forms[at]]
        for at in np.flatnonzero(kept & self._signed[forms]):
            kept[at] = self._is_separate(text, forms[at], starts[at], ends[at])
        return Matches(forms[kept], starts[kept], ends[kept])

    def _is_separate(self, text: str, form: int, start: int, end: int) -> bool:
        """Whether a form that begins or ends with punctuation is not part of something longer."""
        before, after = text[max(start - 1, 0) : start], text[end : end + 1]
        if self._before[form] and before and in_word(before):
            return False
        if not self._after[form] or not after:
            return True
        return not in_word(after) and same_signs(after) != self._written[form][-1]


def plain(text: str) -> str:
    """A document or a stimulus as it is searched: accents composed, single spaces, none around it."""
    return single_spaces(composed(text))


def prepared(documents: Iterable[str]) -> Iterator[str]:
    """Join documents into long texts with :data:`BREAK` between them: those in ASCII, and the others.

    Documents without text are left out, and so are texts without documents.
    """
    documents = list(documents)
    simple = [document for document in documents if document.isascii()]
    text = single_spaces_in_all(simple)
    if text:
        yield text
    if len(simple) < len(documents):
        others = (plain(document.replace(BREAK, " ")) for document in documents if not document.isascii())
        text = BREAK.join(filter(None, others))
        if text:
            yield text

"""What a reader is asked for, what it notices on the way, and what it hands back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import ne
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from crossroads.errors import InputError, in_short, one_of
from crossroads.evidence.spelling import is_cased, spellings

Progress = Callable[[int, int | None], None]
"""Called with the bytes read so far and the bytes there are, if known."""

DUPLICATES = ("raise", "first")
"""What may be done when a word has two different vectors."""

ENCODING_ERRORS = ("strict", "replace", "ignore", "backslashreplace")
"""What may be done with a word that is not UTF-8; Python's own names."""

_SAMPLES = 3
_MARKER = re.compile(r"^(?:<.*>|\[.*\])$", re.MULTILINE)
"""A label that is a marker, such as ``<UNK>`` or ``[PAD]``, and no word."""
_ENOUGH = 25_000
"""Words with a capital letter after which no more are counted: the vocabulary is cased."""
_REMEMBERED = 4 << 20
"""Characters of vocabulary that are kept for suggestions: those of the first 400,000 words or so."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked of a reader."""

    wanted: frozenset[str] | None = None
    """The stored forms worth keeping; ``None`` keeps every word."""
    noticed: frozenset[str] = frozenset()
    """Further forms of the words asked for, of which it is noted whether they are there."""
    duplicates: str = "raise"
    """``"raise"`` or ``"first"``, for a word with two different vectors."""
    encoding_errors: str = "strict"
    """How to decode words that are not UTF-8."""
    member: str | None = None
    """The member of a zip archive to read, where it holds several."""
    progress: Progress | None = None
    """Called as the file is read."""

    def __post_init__(self) -> None:
        one_of("rule for duplicates", self.duplicates, DUPLICATES)
        one_of("rule for encoding errors", self.encoding_errors, ENCODING_ERRORS)

    def keeps(self, label: str) -> bool:
        """Whether a label is worth keeping."""
        return self.wanted is None or label in self.wanted

    def wanted_bytes(self) -> frozenset[bytes] | None:
        """The forms worth keeping as they stand in a file."""
        if self.wanted is None:
            return None
        return frozenset(form.encode("utf-8", "surrogatepass") for form in self.wanted)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a reader hands back."""

    labels: list[str]
    """The words kept, in the order of the file."""
    vectors: NDArray[Any]
    """One row a word."""
    vocabulary: Vocabulary
    """What was noticed about all words, kept or not."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Facts for the provenance, beyond those that every source has."""
    revision: str | None = None
    """Version of the source, where it has one."""


class Vocabulary:
    """What is noticed about every word of a source, kept or not.

    ``size`` counts the words. ``capitalised`` counts those that have a capital letter among the ``looked_at``
    first ones, which are all unless there are tens of thousands; markers such as ``<UNK>`` and ``[PAD]`` do
    not count as such. ``samples`` holds the first few, for messages, and
    ``blocks`` the first few megabytes, one word a line, where not every word is kept. ``forms`` are the
    noticed ones that are there.

    Parameters
    ----------
    labels
        Words to take note of at once.
    request
        What was asked for.
    """

    def __init__(self, labels: Sequence[str] = (), *, request: Request | None = None) -> None:
        self.size = 0
        self.capitalised = 0
        self.looked_at = 0
        self.samples: list[str] = []
        self.forms: set[str] = set()
        self.blocks: list[str] = []
        noticed = frozenset() if request is None else request.noticed
        self._noticed = noticed
        self._noticed_bytes = frozenset(form.encode("utf-8", "surrogatepass") for form in noticed)
        self._room = 0 if request is None or request.wanted is None else _REMEMBERED
        if labels:
            self.see(labels)

    @property
    def cased(self) -> bool:
        """Whether more than a few words have a capital letter."""
        return is_cased(self.capitalised, self.looked_at)

    def see(self, labels: Sequence[str]) -> None:
        """Take note of some words."""
        if self._noticed:
            self.forms.update(self._noticed.intersection(labels))
        self._note(labels, "\n".join(labels))

    def see_bytes(self, tokens: Sequence[bytes]) -> None:
        """Take note of some words as they stand in a file, without decoding more than is needed."""
        if self._noticed:
            self.forms.update(
                token.decode("utf-8", "surrogatepass") for token in self._noticed_bytes.intersection(tokens)
            )
        self._note(tokens, b"\n".join(tokens).decode("utf-8", "replace"))

    def _note(self, labels: Sequence[str] | Sequence[bytes], text: str) -> None:
        """Count some words, of which ``text`` has one a line."""
        self.size += len(labels)
        if len(self.samples) < _SAMPLES:
            self.samples += text.split("\n", _SAMPLES)[: min(_SAMPLES - len(self.samples), len(labels))]
        if self.capitalised < _ENOUGH:
            self.looked_at += len(labels)
            self.capitalised += _capitalised(text)
        if self._room > 0 and text:
            self.blocks.append(text if len(text) <= self._room else text[: self._room].rpartition("\n")[0])
            self._room -= len(text)


def _capitalised(text: str) -> int:
    """How many lines have a capital letter and are no marker."""
    lowered = text.lower()
    if text == lowered:
        return 0
    found: int = sum(map(ne, text.split("\n"), lowered.split("\n")))
    markers: list[str] = _MARKER.findall(text)
    return found - sum(marker != marker.lower() for marker in markers)


def wanted_forms(words: Iterable[str] | None, rules: Iterable[str]) -> frozenset[str] | None:
    """Every stored form that the words could be found under.

    Parameters
    ----------
    words
        The words asked for; ``None`` asks for all.
    rules
        The fallback rules that may be used to find them.
    """
    if words is None:
        return None
    if isinstance(words, str):
        raise InputError(
            f"words is the single string {in_short(words)}.",
            hint="give a list of words: words=[...] or words=None.",
        )
    rules = tuple(rules)
    forms: set[str] = set()
    for word in words:
        if not isinstance(word, str):
            raise InputError(
                f"words holds {in_short(word)}, which is not a string.", hint="give words as strings."
            )
        forms.update(form for form, _ in spellings(word, rules))
    if not forms:
        raise InputError("words is empty.", hint="name at least one word, or give None to keep every word.")
    return frozenset(forms)


def named(path: Path) -> str:
    """How a path is named in provenance: as it was given, with forward slashes."""
    return path.as_posix()

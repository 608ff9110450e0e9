"""Requests to readers of vectors, and what they return."""

from __future__ import annotations

import errno
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import ne
from pathlib import Path
from tokenize import TokenError
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, FormatError, InputError, in_short, one_of
from crossroads.core.evidence.spelling import spellings
from crossroads.core.storage.streams import Stream

Progress = Callable[[int, int | None], None]
"""Called with the bytes read so far and their total, if known."""

Duplicates = Literal["raise", "first"]
"""Rules for a word that has two different vectors."""

EncodingErrors = Literal["strict", "replace", "ignore", "backslashreplace"]
"""Rules for a word that is not UTF-8, with Python's own names."""

_HEAD = 100
"""First words that are kept, by which the order of a file is judged."""
_MARKER = re.compile(r"^(?:<.*>|\[.*\])$", re.MULTILINE)
"""A label that is a marker, such as ``<UNK>`` or ``[PAD]``, and not a word."""
_ENOUGH = 25_000
"""Number of words with a capital letter at which counting stops: the vocabulary is cased."""
_REMEMBERED = 4 << 20
"""Characters of vocabulary that are kept for suggestions: those of the first 400,000 words or so."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to a reader."""

    wanted: frozenset[str] | None = None
    """The stored forms worth keeping; ``None`` keeps every word."""
    noticed: frozenset[str] = frozenset()
    """Further forms of the words asked for, whose presence is noted."""
    duplicates: Duplicates = "raise"
    encoding_errors: EncodingErrors = "strict"
    member: str | None = None
    """The member of a zip archive to read, if it holds several."""
    progress: Progress | None = None
    pool: int | None = None
    """How many other words are also read; None for none."""
    ranked: bool | None = None
    """Whether words come in the order of their frequency, where the caller says so."""
    usually_ranked: bool = False
    """Whether those who write the format list words by frequency."""

    def __post_init__(self) -> None:
        one_of("rule for duplicates", self.duplicates, Duplicates)
        one_of("rule for encoding errors", self.encoding_errors, EncodingErrors)
        if self.pool is not None and (type(self.pool) is not int or self.pool < 1):
            raise InputError(
                f"pool is {in_short(self.pool)}.",
                hint="give a whole number of words, such as 20_000, or None for none.",
            )
        if self.ranked is not None and type(self.ranked) is not bool:
            raise InputError(f"ranked is {in_short(self.ranked)}.", hint="give True, False or None.")

    def open(self, path: Path) -> Stream:
        """Open a file as a decompressed stream that reports progress."""
        return Stream(path, member=self.member, progress=self.progress)

    @property
    def reads_others(self) -> bool:
        """Whether other words are also read, next to those asked for."""
        return self.wanted is not None and self.pool is not None

    def wanted_bytes(self) -> frozenset[bytes] | None:
        """The forms worth keeping, as encoded in a file."""
        if self.wanted is None:
            return None
        return frozenset(form.encode("utf-8", "surrogatepass") for form in self.wanted)


class Sample(NamedTuple):
    """The words of a pool, in the order of the file, each with its row there, counted from 1."""

    labels: list[str]
    vectors: NDArray[Any]
    ranks: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The result of a reader."""

    labels: list[str]
    """The words kept, in the order of the file."""
    vectors: NDArray[Any]
    vocabulary: Vocabulary
    """Facts about all words, kept or not."""
    ranks: NDArray[np.int64]
    """The place of each among the words of the source, counted from 1."""
    common: NDArray[Any]
    """Vectors of some of the first words, asked for or not."""
    pool: Sample | None = None
    """Other words that were also read."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Facts for the provenance, beyond those that every source has."""
    revision: str | None = None
    """Version of the source, if it has one."""


class Vocabulary:
    """Facts about all words of a source, kept or not.

    ``size`` counts the words. ``capitalised`` counts those that have a capital letter among the ``looked_at``
    first ones, which are all unless there are tens of thousands; markers such as ``<UNK>`` and ``[PAD]`` do
    not count as such. ``head`` holds the first hundred, and ``blocks`` the first few megabytes, one word per
    line, if not every word is kept. ``forms`` are the requested forms that were found.
    """

    def __init__(self, labels: Sequence[str] = (), *, request: Request | None = None) -> None:
        self.size = 0
        self.capitalised = 0
        self.looked_at = 0
        self.head: list[str] = []
        self.forms: set[str] = set()
        self.blocks: list[str] = []
        forms = frozenset() if request is None else request.noticed
        encoded = (form.encode("utf-8", "surrogatepass") for form in forms)
        self._noticed: frozenset[str | bytes] = frozenset().union(forms, encoded)
        self._room = 0 if request is None or request.wanted is None else _REMEMBERED
        if labels:
            self.see(labels)

    def see(self, labels: Sequence[str] | Sequence[bytes]) -> None:
        """Count some words, decoded or as they are in a file."""
        for form in self._noticed.intersection(labels):
            self.forms.add(form if isinstance(form, str) else form.decode("utf-8", "surrogatepass"))
        if labels and isinstance(labels[0], bytes):
            text = b"\n".join(cast(Sequence[bytes], labels)).decode("utf-8", "replace")
        else:
            text = "\n".join(cast(Sequence[str], labels))
        self.size += len(labels)
        if len(self.head) < _HEAD:
            self.head += text.split("\n", _HEAD)[: min(_HEAD - len(self.head), len(labels))]
        if self.capitalised < _ENOUGH:
            self.looked_at += len(labels)
            self.capitalised += _capitalised(text)
        if self._room > 0 and text:
            self.blocks.append(text if len(text) <= self._room else text[: self._room].rpartition("\n")[0])
            self._room -= len(text)


def decode_word(token: str | bytes, errors: str, line: int) -> str:
    """Decode a word from UTF-8; the error names the line."""
    try:
        return token if isinstance(token, str) else token.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"the word {shown(error.object)} is not UTF-8.",
            line=line,
            hint='convert the file to UTF-8, or load it in Python with encoding_errors="replace".',
        ) from error


def is_number(field: bytes) -> bool:
    """Whether a field of a line is a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def shown(data: bytes, most: int = 60) -> str:
    """A piece of a file, short enough for a message."""
    text = data[:most].decode("utf-8", "backslashreplace")
    return repr(text) + (" …" if len(data) > most else "")


def _capitalised(text: str) -> int:
    """How many lines have a capital letter and are not markers."""
    lowered = text.lower()
    if text == lowered:
        return 0
    found: int = sum(map(ne, text.split("\n"), lowered.split("\n")))
    markers: list[str] = _MARKER.findall(text)
    return found - sum(marker != marker.lower() for marker in markers)


def wanted_forms(words: Iterable[str], rules: Sequence[str]) -> frozenset[str]:
    """Every stored form that the words could be found under."""
    return frozenset(form for word in words for form, _ in spellings(word, rules))


INCOMPLETE = "the file is incomplete or damaged; fetch it again."
"""What to do with a file that ends early."""
_DAMAGE = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, NotImplementedError, SyntaxError, TokenError),
    *(TypeError, ValueError, struct.error, zipfile.BadZipFile, zlib.error),
)
"""Exceptions of the libraries that decode files, for damaged files."""


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Name the file in the errors of readers, and turn exceptions of decoders into such errors."""
    try:
        yield
    except FormatError as error:
        if error.path is not None:
            raise
        sign = ":" if error.line is None and error.key is None else ","
        located = type(error)(f"{path}{sign} {error.message}", hint=error.hint)
        located.option, located.path, located.line, located.key = error.option, path, error.line, error.key
        raise located from error
    except CrossroadsError:
        raise
    except _DAMAGE as error:
        raise FormatError(
            f"the file is damaged, or not what it seems to be ({type(error).__name__}: {error}).",
            path=path,
            hint="compare its size or checksum with the original, or name its format.",
        ) from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise FormatError("the file is damaged: it points outside itself.", path=path) from error

"""What can go wrong, said so that a person knows what to do next.

Every error states what is wrong and the value that was given; after a blank line a hint says what is
allowed. Errors carry their data as attributes, so that programs need not parse sentences.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePath
from typing import Any

MOST_CHARACTERS = 400
"""Most characters of a message, and of a hint; what is longer loses its middle."""
_DIGITS = 40
_DEPTH = 6


class CrossroadsError(Exception):
    """Anything this library raises on purpose.

    Parameters
    ----------
    message
        What is wrong, with the value that was given.
    hint
        What to do about it; printed after a blank line.
    """

    longest = MOST_CHARACTERS

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        message = without_middle(message, self.longest)
        hint = None if hint is None else without_middle(hint, self.longest)
        super().__init__(message if hint is None else f"{message}\n\nhint: {hint}")
        self.message = message
        self.hint = hint

    @property
    def reason(self) -> str:
        """The message, without the name of what it is about where that stands beside it."""
        return self.message


class InputError(CrossroadsError, ValueError):
    """A value, an option or a combination of options that cannot be used."""


class WrongKindError(InputError, TypeError):
    """A value of another kind than is asked for, such as the result of another measure."""


class DesignError(InputError):
    """A stimulus set or a design that cannot be tested."""


class EvidenceError(InputError):
    """Vectors that cannot be measured: not finite, not of one dimension, not one per label."""


class FormatError(InputError):
    """A file that is not what it claims to be.

    Parameters
    ----------
    path
        The file.
    line
        The line (text formats) or record (binary formats) at fault, counted from 1.
    key
        The key at fault, in structured files.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        key: str | None = None,
        hint: str | None = None,
    ) -> None:
        place = "" if path is None else str(path)
        if line is not None:
            place += f", line {line}" if place else f"line {line}"
        if key is not None:
            place += f", key {in_short(key)}" if place else f"key {in_short(key)}"
        super().__init__(f"{place}: {message}" if place else message, hint=hint)
        self.path = None if path is None else Path(path)
        self.line = line
        self.key = key


class UnsafeFileError(FormatError):
    """A file that asks for something a data file has no business doing, such as running code."""


class UnknownNameError(InputError, LookupError):
    """A name that is not known, with the nearest ones that are.

    Parameters
    ----------
    kind
        What kind of thing was looked for ("test", "format", "alternative").
    name
        What was given.
    known
        Every name that would have been understood.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, hint: str | None = None) -> None:
        known = tuple(known)
        name = _as_text(name)
        near = nearest(name, known)
        if hint is None:
            if near:
                hint = f"did you mean {join_words(map(in_short, near), last='or')}?"
            elif len(known) <= 12:
                hint = f"known: {', '.join(known)}."
            else:
                hint = f"{len(known)} are known, such as {', '.join(known[:6])}."
        super().__init__(f"unknown {kind} {in_short(name)}.", hint=hint)
        self.kind, self.name, self.known, self.nearest = kind, name, known, near


Gaps = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Design to set to stimulus to reason; the design is ``""`` where sets were given without one."""


class MissingStimuliError(InputError, LookupError):
    """Stimuli of one or more designs for which the evidence has no usable vector.

    Parameters
    ----------
    message
        What is wrong, without the name of the design.
    missing
        Stimulus to reason, such as ``"not in the vocabulary"``.
    gaps
        The same by design and set, where they are known.
    design
        Name of the design, where it is one.
    """

    longest = 5 * MOST_CHARACTERS  # all that is missing is named

    def __init__(
        self,
        message: str,
        *,
        missing: Mapping[str, str] | None = None,
        gaps: Gaps | None = None,
        design: str = "",
        hint: str | None = None,
    ) -> None:
        super().__init__(f"in {design}, {message}" if design else message, hint=hint)
        self.gaps = {name: {s: dict(w) for s, w in sets.items()} for name, sets in (gaps or {}).items()}
        found = (words for sets in self.gaps.values() for words in sets.values())
        self.missing = {word: why for words in found for word, why in words.items()} | dict(missing or {})
        self._reason = message

    @property
    def reason(self) -> str:
        """What is wrong, for where the name of the design stands beside it."""
        return self._reason


class MissingExtraError(CrossroadsError, ImportError):
    """A feature whose optional dependency is not installed."""


class DiskFullError(CrossroadsError):
    """There is no room for what is to be written.

    Parameters
    ----------
    place
        What was to be written; ``None`` where that is not known.
    needed
        Bytes that it takes, where they are known.
    """

    def __init__(
        self, message: str, *, place: Path | None, needed: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.place, self.needed = place, needed


class CrossroadsWarning(UserWarning):
    """A doubtful choice that the user should know about; given at most once a call."""

    def __init__(self, message: object = "") -> None:
        super().__init__(without_middle(str(message), 2 * MOST_CHARACTERS))


def require(module: str, *, extra: str, purpose: str) -> Any:
    """Import an optional dependency, or say which extra provides it.

    Parameters
    ----------
    module
        What to import, such as ``"pyarrow.parquet"``.
    extra
        The extra of this package that installs it.
    purpose
        What it is needed for, as the subject of a sentence: ``"reading Parquet files"``.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs the package {module.partition('.')[0]!r}, which cannot be imported ({error}).",
            hint=f'pip install "crossroads[{extra}]"',
        ) from error


def _as_text(name: object) -> str:
    """A name that was given; one that is no text, in words."""
    return name if isinstance(name, str) else in_short(name)


def in_short(value: object, most: int = 60) -> str:
    """What ``repr`` says of a value, short enough for a message.

    Values come out of files of others: what a few bytes of a pickle describe can be larger than the memory
    when it is written out, and a number too long to be written at all. So no more is written than is shown.

    Parameters
    ----------
    value
        Anything.
    most
        Number of characters, about: a text that is cut ends with "…".
    """
    pieces, size = [], 0
    for piece in _pieces(value, most, _DEPTH):
        pieces.append(piece)
        size += len(piece)
        if size > most + 3:  # a text of that length has its quotation marks, and the sign that it is cut
            return f"{''.join(pieces)[:most]}…"
    return "".join(pieces)


def _pieces(value: object, most: int, depth: int) -> Iterator[str]:
    """What ``repr`` says, bit by bit, as far as anybody asks."""
    if isinstance(value, PurePath):
        value = str(value)
    if isinstance(value, str):  # of whatever class: only its letters count
        yield repr(str.__str__(value) if len(value) <= most else str.__getitem__(value, slice(most)) + "…")
    elif isinstance(value, bytes | bytearray):
        yield repr(bytes(value[:most])) + ("…" if len(value) > most else "")
    elif isinstance(value, int):
        yield _integer(value)
    elif isinstance(value, Mapping | AbstractSet | list | tuple) and depth == 0:
        yield "…"
    elif isinstance(value, Mapping):
        yield "{"
        for i, (key, one) in enumerate(value.items()):
            yield ", " if i else ""
            yield from _pieces(key, most, depth - 1)
            yield ": "
            yield from _pieces(one, most, depth - 1)
        yield "}"
    elif isinstance(value, AbstractSet | list | tuple):
        first, last = "()" if isinstance(value, tuple) else "[]" if isinstance(value, list) else "{}"
        yield first
        for i, one in enumerate(value):
            yield ", " if i else ""
            yield from _pieces(one, most, depth - 1)
        yield f",{last}" if isinstance(value, tuple) and len(value) == 1 else last
    else:
        yield _otherwise(value)


def _integer(value: int) -> str:
    if value.bit_length() > 3 * _DIGITS:
        return f"a number of about {value.bit_length() * 30_103 // 100_000 + 1:,} digits"
    return repr(value)


def _otherwise(value: object) -> str:
    """What any other object says of itself."""
    try:
        if isinstance(shape := getattr(value, "shape", None), tuple) and shape:
            return f"{type(value).__name__} of shape {in_short(shape)}"
        return repr(value)
    except Exception:  # it is the value that is wrong, and not this message about it
        return f"<{type(value).__name__}>"


def without_middle(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text that is not too long, or its beginning and its end."""
    if len(text) <= most:
        return text
    sign = " […] "
    end = most // 3
    return f"{text[: most - end - len(sign)].rstrip()}{sign}{text[-end:].lstrip()}"


def nearest(name: str, known: Iterable[str], *, n: int = 3) -> tuple[str, ...]:
    """The known names closest to a mistyped one, best first, ignoring case."""
    if len(name) > MOST_CHARACTERS:  # the comparison takes the product of lengths
        return ()
    table: dict[str, str] = {}
    for candidate in known:
        table.setdefault(candidate.casefold(), candidate)
    return tuple(table[m] for m in difflib.get_close_matches(name.casefold(), table, n=n, cutoff=0.6))


def one_of(kind: str, name: Any, known: Iterable[str]) -> str:
    """Return ``name`` if it is known, else raise with the nearest that is."""
    known = tuple(known)
    if not isinstance(name, str) or name not in known:  # an array compares item by item
        raise UnknownNameError(kind, name, known)
    return name


def join_words(words: Iterable[str], *, last: str = "and", most: int | None = None) -> str:
    """Join words as prose does: ``a, b and c``; past ``most`` the rest is counted."""
    words = list(words)
    if most is not None and len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"

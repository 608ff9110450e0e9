"""What can go wrong, said so that a person knows what to do next.

Every error states what is wrong and the value that was given; after a blank line a hint says what is
allowed. Errors carry their data as attributes, so that programs need not parse sentences.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


class CrossroadsError(Exception):
    """Anything this library raises on purpose.

    Parameters
    ----------
    message
        What is wrong, with the value that was given.
    hint
        What to do about it; printed after a blank line.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\n\nhint: {hint}")
        self.message = message
        self.hint = hint

    @property
    def reason(self) -> str:
        """The message, without the name of what it is about where that stands beside it."""
        return self.message


class InputError(CrossroadsError, ValueError):
    """A value, an option or a combination of options that cannot be used."""


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
            place += f", key {key!r}" if place else f"key {key!r}"
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
        near = nearest(name, known)
        if hint is None:
            if near:
                hint = f"did you mean {join_words([repr(n) for n in near], last='or')}?"
            elif len(known) <= 12:
                hint = f"known: {', '.join(known)}."
            else:
                hint = f"{len(known)} are known, such as {', '.join(known[:6])}."
        super().__init__(f"unknown {kind} {name!r}.", hint=hint)
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


class CrossroadsWarning(UserWarning):
    """A doubtful choice that the user should know about; given at most once a call."""


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


def nearest(name: str, known: Iterable[str], *, n: int = 3) -> tuple[str, ...]:
    """The known names closest to a mistyped one, best first, ignoring case."""
    table: dict[str, str] = {}
    for candidate in known:
        table.setdefault(candidate.casefold(), candidate)
    return tuple(table[m] for m in difflib.get_close_matches(name.casefold(), table, n=n, cutoff=0.6))


def one_of(kind: str, name: Any, known: Iterable[str]) -> str:
    """Return ``name`` if it is known, else raise with the nearest that is."""
    known = tuple(known)
    if not isinstance(name, str) or name not in known:  # an array compares item by item
        raise UnknownNameError(kind, str(name), known)
    return name


def join_words(words: Iterable[str], *, last: str = "and", most: int | None = None) -> str:
    """Join words as prose does: ``a, b and c``; past ``most`` the rest is counted."""
    words = list(words)
    if most is not None and len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"

"""Errors and warnings, with hints on what to do.

Every error states what is wrong and the value that was given; after a blank line a hint says what is
allowed. Errors carry their data as attributes, so that programs need not parse sentences.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePath
from typing import Any, Literal, TypeVar, get_args

Given = TypeVar("Given")
OnMissing = Literal["raise", "drop"]
"""Treatment of stimuli, groups or traits that cannot be measured."""
Missing = Literal[OnMissing, "balance"]
"""The same for the stimuli of a design, of which equally many may be kept on both sides."""
MOST_CHARACTERS = 400
"""Largest number of characters of a message, and of a hint; longer ones are cut in the middle."""
_DIGITS = 40
_DEPTH = 6
UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that terminals obey instead of showing them: control characters, and marks that reverse the
direction of text or hide in it. Line breaks, tabs and the joiners of Persian words and of emoji are not among
them."""


class CrossroadsError(Exception):
    """Base class of all errors that this library raises.

    Parameters
    ----------
    message
        What is wrong, with the value that was given.
    hint
        What to do about it; printed after a blank line.
    option
        Name of the argument that the error is about: where the text says ``method='auto'``, the command line
        prints ``-C method=auto``.

    Examples
    --------
    >>> import crossroads as cr
    >>> try:
    ...     cr.catalog("weat66")
    ... except cr.CrossroadsError as error:
    ...     print(error.hint)
    did you mean 'weat6', 'weat9' or 'weat8'?
    """

    longest = MOST_CHARACTERS
    exit_status = 2
    """Exit status of the program."""

    def __init__(
        self, message: str, *, hint: str | None = None, option: str | tuple[str, ...] | None = None
    ) -> None:
        message = without_middle(printable(message), self.longest)
        hint = None if hint is None else without_middle(printable(hint), self.longest)
        super().__init__(message if hint is None else f"{message}\n\nhint: {hint}")
        self.message, self.hint, self.option = message, hint, option
        self.reason = message
        """The message, without the name of its subject where that is shown separately."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle an error with its class and attributes, for other processes."""
        return Exception.__new__, (type(self), *self.args), self.__dict__


class InputError(CrossroadsError, ValueError):
    """A value, an option or a combination of options that cannot be used.

    Examples
    --------
    >>> import crossroads as cr
    >>> try:
    ...     cr.stats.holm([0.01, 1.2])
    ... except cr.InputError as error:
    ...     print(error.message)
    1.2 is not a p-value.
    """


class WrongKindError(InputError, TypeError):
    """A value of the wrong kind, such as the result of another measure."""

    longest = 2 * MOST_CHARACTERS  # all kinds that would do are named


class DesignError(InputError):
    """A stimulus set or a design that cannot be tested."""


class EvidenceError(InputError):
    """Vectors that cannot be measured: not finite, not of one dimension, not one per label."""


class FormatError(InputError):
    """A file that does not have the expected format.

    ``line`` is the line or, in binary formats, the record at fault, counted from 1; ``key`` is the key.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        key: str | None = None,
        hint: str | None = None,
        option: str | None = None,
    ) -> None:
        places = {"": path, "line ": line, "key ": None if key is None else in_short(key)}
        place = ", ".join(f"{what}{value}" for what, value in places.items() if value not in (None, ""))
        super().__init__(f"{place}: {message}" if place else message, hint=hint, option=option)
        self.path = None if path is None else Path(path)
        self.line = line
        self.key = key


class UnsafeFileError(FormatError):
    """A file that would do something no data file should do, such as running code."""


class UnknownNameError(InputError, LookupError):
    """A name of some kind ("test", "format") that is not known, with the nearest ones that are."""

    def __init__(self, kind: str, name: object, known: Iterable[str], *, hint: str | None = None) -> None:
        known = tuple(known)
        name = name if isinstance(name, str) else in_short(name)
        near = nearest(name, known)
        if hint is None and near:
            hint = f"did you mean {join_words(map(in_short, near), last='or')}?"
        elif hint is None:
            few = f"known: {', '.join(known)}."
            hint = few if len(known) <= 12 else f"{len(known)} are known, such as {', '.join(known[:6])}."
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

    Examples
    --------
    >>> import crossroads as cr
    >>> emb = cr.Embeddings.from_dict({"rose": [1, 0], "wasp": [0, 1], "joy": [1, 1], "pain": [1, 2]})
    >>> try:
    ...     cr.weat(emb, cr.Design(name="mine", x=["rose"], y=["hornet"], a=["joy"], b=["pain"]))
    ... except cr.MissingStimuliError as error:
    ...     print(error.missing)
    {'hornet': 'not in the vocabulary'}
    """

    longest = 5 * MOST_CHARACTERS  # all missing stimuli are named

    def __init__(
        self,
        message: str,
        *,
        missing: Mapping[str, str] | None = None,
        gaps: Gaps | None = None,
        design: str = "",
        hint: str | None = None,
    ) -> None:
        super().__init__(
            f"in {design}, {message}" if design else message, hint=hint, option=("missing", "fallback")
        )
        self.gaps = {name: {s: dict(w) for s, w in sets.items()} for name, sets in (gaps or {}).items()}
        gaps_of_sets = (words for sets in self.gaps.values() for words in sets.values())
        self.missing = {word: why for words in gaps_of_sets for word, why in words.items()}
        self.missing |= missing or {}
        self.reason = message


class MissingExtraError(CrossroadsError, ImportError):
    """A feature whose optional dependency is not installed."""


class DiskFullError(CrossroadsError):
    """There is not enough disk space for a file: its ``place`` and the bytes ``needed``, where known."""

    def __init__(
        self, message: str, *, place: Path | None, needed: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.place, self.needed = place, needed


class CrossroadsWarning(UserWarning):
    """A doubtful choice that the user should know about; given at most once per call.

    Examples
    --------
    >>> import warnings
    >>> import crossroads as cr
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", cr.CrossroadsWarning)  # a doubtful choice stops the program
    ...     p = cr.stats.holm([0.01, 0.02])
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(without_middle(printable(str(message)), 2 * MOST_CHARACTERS))


def require(module: str, *, extra: str, purpose: str) -> Any:
    """Import an optional dependency, or raise an error that names the extra that provides it.

    ``purpose`` is the subject of a sentence, such as ``"reading Parquet files"``.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs the package {module.partition('.')[0]!r}, which cannot be imported ({error}).",
            hint=f'pip install "crossroads-audit[{extra}]"',
        ) from error


def in_short(value: object, most: int = 60) -> str:
    """Return the ``repr`` of a value, cut after about ``most`` characters for a message.

    Values may come from untrusted files: a few bytes of a pickle can describe a value whose ``repr`` does not
    fit in memory, or a number too long to be written. So no more is written than is shown.
    """
    pieces, size = [], 0
    for piece in _pieces(value, most, _DEPTH):
        pieces.append(piece)
        size += len(piece)
        if size > most + 3:  # quotation marks and the ellipsis are not counted
            return f"{''.join(pieces)[:most]}…"
    return "".join(pieces)


def _pieces(value: object, most: int, depth: int) -> Iterator[str]:
    """The ``repr`` of a value in pieces, generated as needed."""
    if isinstance(value, PurePath):
        value = str(value)
    if isinstance(value, str):  # also a subclass: only its characters count
        yield repr(str.__str__(value) if len(value) <= most else str.__getitem__(value, slice(most)) + "…")
    elif isinstance(value, bytes | bytearray):
        yield repr(bytes(value[:most])) + ("…" if len(value) > most else "")
    elif isinstance(value, int) and value.bit_length() > 3 * _DIGITS:
        yield f"a number of about {value.bit_length() * 30_103 // 100_000 + 1:,} digits"
    elif isinstance(value, Mapping | AbstractSet | list | tuple):
        first, last = "()" if isinstance(value, tuple) else "[]" if isinstance(value, list) else "{}"
        if depth == 0:
            first, value, last = "…", (), ""
        yield first
        for i, item in enumerate(value):
            yield ", " if i else ""
            yield from _pieces(item, most, depth - 1)
            if isinstance(value, Mapping):
                yield ": "
                yield from _pieces(value[item], most, depth - 1)
        yield f",{last}" if isinstance(value, tuple) and len(value) == 1 else last
    else:
        try:
            shape, name = getattr(value, "shape", None), type(value).__name__
            is_array = isinstance(shape, tuple) and shape
            yield f"{name} of shape {in_short(shape)}" if is_array else repr(value)
        except Exception:  # a broken repr must not hide the message
            yield f"<{type(value).__name__}>"


def printable(text: str) -> str:
    """A text without the characters that terminals obey instead of showing them (:data:`UNSEEN`).

    Names of models, tasks and words may come from untrusted files; every message and everything that is
    printed in a terminal passes here.
    """
    return UNSEEN.sub("", text)


def without_middle(text: str, most: int = MOST_CHARACTERS) -> str:
    """Cut a text in the middle if it is too long."""
    if len(text) <= most:
        return text
    sign = " […] "
    end = most // 3
    return f"{text[: most - end - len(sign)].rstrip()}{sign}{text[-end:].lstrip()}"


def nearest(name: str, known: Iterable[str], *, n: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """The known names closest to a mistyped one, best first, ignoring case."""
    if len(name) > MOST_CHARACTERS:  # the time of the comparison is the product of lengths
        return ()
    table = {candidate.casefold(): candidate for candidate in reversed([*known])}
    return tuple(table[m] for m in difflib.get_close_matches(name.casefold(), table, n=n, cutoff=cutoff))


def one_of(kind: str, name: Given, known: Any) -> Given:
    """Return ``name`` if it is known, else raise an error with the nearest known name.

    ``kind`` is for the error; ``known`` is a ``Literal`` of the allowed names, or any collection of names.
    """
    known = get_args(known) or tuple(known)
    if not isinstance(name, str) or name not in known:  # an array compares item by item
        raise UnknownNameError(kind, name, known)
    return name


def join_words(words: Iterable[str], *, last: str = "and", most: int | None = None) -> str:
    """Join words as in prose: ``a, b and c``; beyond ``most`` the rest is counted."""
    words = list(words)
    if most is not None and len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"

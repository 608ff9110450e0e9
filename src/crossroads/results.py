"""What all results share: their conventions, where they came from, and how they are written and read."""

from __future__ import annotations

import dataclasses
import html
import json
import math
import platform
import types
import typing
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Self, TypeVar

import numpy as np

from crossroads.errors import FormatError, InputError, in_short, require
from crossroads.evidence.model_names import model_name
from crossroads.evidence.provenance import Provenance
from crossroads.version import VERSION

SCHEMA = 1
"""Version of the written form of results."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Which stimuli were measured, and what became of the others."""

    policy: str
    """What was asked for when stimuli are missing: ``raise``, ``drop`` or ``balance``."""
    used: Mapping[str, tuple[str, ...]]
    """The stimuli measured, by set."""
    dropped: Mapping[str, Mapping[str, str]]
    """The stimuli left out and why, by set."""
    respelled: Mapping[str, str]
    """Stimuli found under another spelling, with the spelling and the rule that found it."""
    notes: tuple[str, ...] = ()
    """What else is to be known of the stimuli: words in two sets, and what that does to the number."""

    @property
    def complete(self) -> bool:
        """Whether every stimulus was measured."""
        return not any(self.dropped.values())

    @property
    def missing(self) -> dict[str, str]:
        """Every stimulus left out, with its reason."""
        return {word: why for words in self.dropped.values() for word, why in words.items()}


@cache
def versions() -> Mapping[str, str]:
    """Versions of what computed a result."""
    return {"python": platform.python_version(), "crossroads": VERSION, "numpy": np.__version__}


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """Fields and views that every result has.

    Results are equal when they are of one type and write the same data. Subclasses are dataclasses with
    ``eq=False``, so that arrays are compared as a whole; results have no hash.
    """

    coverage: Coverage | None = None
    """Which stimuli were measured."""
    conventions: Mapping[str, Any] = field(default_factory=dict)
    """Every choice that the numbers depend on, as it was resolved."""
    provenance: tuple[Provenance, ...] = ()
    """Where the evidence came from; one entry for each model."""
    versions: Mapping[str, str] = field(default_factory=lambda: dict(versions()))
    """Versions of the software that computed the result."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return type(self) is type(other) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> list[dict[str, Any]]:
        """The result as tidy rows: what :meth:`to_frame` shows."""
        return [{k: v for k, v in self.to_dict().items() if not isinstance(v, (dict, list))}]

    def to_frame(self) -> Any:
        """The result as a tidy pandas data frame."""
        pandas = require("pandas", extra="frames", purpose="to_frame()")
        return pandas.DataFrame(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """The whole result as plain data, nothing rounded."""
        return {"type": type(self).__name__, "schema": SCHEMA, **_encode_fields(self)}

    def to_json(self, *, indent: int | None = None) -> str:
        """The whole result as a JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`."""
        kind = data.get("type")
        if kind != cls.__name__:
            raise FormatError(f"this is a {in_short(kind)}, not a {in_short(cls.__name__)}.", key="type")
        if data.get("schema") != SCHEMA:
            raise FormatError(
                f"written with schema {in_short(data.get('schema'))}; this version reads {SCHEMA}.",
                key="schema",
            )
        return _decode_dataclass(cls, {k: v for k, v in data.items() if k not in ("type", "schema")})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Rebuild a result from :meth:`to_json`."""
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise FormatError(f"not a JSON document: {error.msg}.", line=error.lineno) from error
        except (ValueError, RecursionError) as error:
            raise FormatError(f"this cannot be read: {error}.") from error
        if not isinstance(data, dict):
            raise FormatError(f"expected a JSON object, found {type(data).__name__}.")
        return cls.from_dict(data)

    def _repr_html_(self) -> str:
        rows = self.rows()
        columns = list(rows[0]) if rows else []
        head = "".join(f"<th>{html.escape(str(c))}</th>" for c in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(row.get(c)))}</td>" for c in columns) + "</tr>"
            for row in rows[:50]
        )
        more = f"<p>… {len(rows) - 50} more rows</p>" if len(rows) > 50 else ""
        title = html.escape(type(self).__name__)
        return (
            f"<p><b>{title}</b></p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
        )


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _encode_fields(instance: Any) -> dict[str, Any]:
    return {f.name: encode(getattr(instance, f.name)) for f in dataclasses.fields(instance)}


_WORDS_AND_COUNTS = frozenset({str, int, bool, type(None)})
_NOT_FINITE = "a result holds {}, which JSON cannot say."


def _is_plain(values: Collection[Any]) -> bool:
    """Whether values are JSON data as they stand: looked at together, since there may be millions."""
    kinds = set(map(type, values))
    return kinds <= _WORDS_AND_COUNTS or (kinds == {float} and all(map(math.isfinite, values)))


def _encode_array(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind not in "fbiuU":
        return encode(array.tolist())
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        odd = float(array[~np.isfinite(array)][0])
        raise InputError(_NOT_FINITE.format(odd), hint="please report this.")
    return array.tolist()


def encode(value: Any) -> Any:
    """Plain JSON data for anything a result may hold."""
    if type(value) in _WORDS_AND_COUNTS:
        return value
    if isinstance(value, Result):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_fields(value)
    if isinstance(value, np.ndarray):
        return _encode_array(value)
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, Mapping):
        if _is_plain(value.values()):
            return dict(zip(map(str, value), value.values(), strict=True))
        return {str(k): encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return list(value) if _is_plain(value) else [encode(v) for v in value]
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(_NOT_FINITE.format(value), hint="please report this.")
    return value


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _decode_dataclass(cls: type[T], data: Any) -> T:
    if not isinstance(data, Mapping):
        raise TypeError(cls.__name__)
    hints: dict[str, Any] = _hints(cls)  # type: ignore[arg-type]
    known = {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    unknown = set(data) - known
    if unknown:
        raise FormatError(f"unknown field(s) {sorted(unknown)} in a {cls.__name__}.")
    missing = {f.name for f in dataclasses.fields(cls) if _required(f)} - set(data)  # type: ignore[arg-type]
    if missing:
        raise FormatError(f"field(s) {sorted(missing)} are missing from a {cls.__name__}.")
    return cls(**{name: _decode_field(name, hints[name], value) for name, value in data.items()})


def _required(field: dataclasses.Field[Any]) -> bool:
    """Whether a field must be in a file; one with a default is younger than some files."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _decode_field(name: str, hint: Any, value: Any) -> Any:
    try:
        return _decode(hint, value)
    except FormatError:
        raise
    except (AttributeError, TypeError, ValueError) as error:
        raise FormatError(f"{in_short(value)} is not a value of this field.", key=name) from error


_PLAIN: Mapping[Any, tuple[type, ...]] = {float: (float, int), int: (int,), str: (str,), bool: (bool,)}


def _all_plain(hint: Any, values: Iterable[Any]) -> bool:
    """Whether every value is one of a plain type as it stands; those that are not are looked at singly."""
    return hint in _PLAIN and set(map(type, values)) <= set(_PLAIN[hint])


def _decode(hint: Any, value: Any) -> Any:
    """Rebuild a value from plain data, guided by the annotation of its field."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _decode(next(a for a in args if a is not type(None)), value)
    if hint in _PLAIN and (
        not isinstance(value, _PLAIN[hint]) or (hint is not bool and isinstance(value, bool))
    ):
        raise TypeError(hint.__name__)
    if isinstance(hint, type) and issubclass(hint, Result):
        return hint.from_dict(value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _decode_dataclass(hint, value)
    if origin is np.ndarray:
        return read_only(np.array(value, dtype=typing.get_args(args[1])[0]))
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise TypeError("tuple")
        if len(args) == 2 and args[1] is Ellipsis:
            if _all_plain(args[0], value):
                return tuple(value)
            return tuple(_decode(args[0], v) for v in value)
        return tuple(_decode(a, v) for a, v in zip(args, value, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        key = args[0]
        if key is not int and _all_plain(args[1], value.values()):
            return dict(value)
        return {(int(k) if key is int else k): _decode(args[1], v) for k, v in value.items()}
    return value


def model_of(result: Result) -> str | None:
    """What the first model of a result is called, if it says where it came from."""
    return model_name(result.provenance[0]) if result.provenance else None


def read_only(array: np.ndarray[Any, Any]) -> Any:
    """The array, protected against change."""
    array.flags.writeable = False
    return array


def describe_coverage(coverage: Coverage, *, most: int = 8) -> list[str]:
    """Sentences that say what was left out and what was found under another spelling."""
    sentences = []
    for name, words in coverage.dropped.items():
        by_reason: dict[str, list[str]] = {}
        for word, why in words.items():
            by_reason.setdefault(why, []).append(word)
        for why, left in by_reason.items():
            sentences.append(f"{name}: left out {_listed(left, most)} ({why})")
    if coverage.respelled:
        shown = [f"{word} as {how}" for word, how in coverage.respelled.items()]
        sentences.append(f"found under another spelling: {_listed(shown, most)}")
    return [*sentences, *(f"note: {note}" for note in coverage.notes)]


def _listed(words: Sequence[str], most: int) -> str:
    rest = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + rest

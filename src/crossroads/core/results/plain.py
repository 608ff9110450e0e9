"""Results as plain data: how they are written to JSON, and read back.

A field with a default may be absent from a file. A field that is not known is ignored, with a warning.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

import numpy as np

from crossroads.core import VERSION
from crossroads.core.errors import CrossroadsWarning, FormatError, InputError, in_short, join_words
from crossroads.core.wording.phrases import TAILS

T = TypeVar("T")


def encode_fields(instance: Any) -> dict[str, Any]:
    """Every field of a dataclass as plain data, under its name without an underscore before it."""
    names = [one.name for one in dataclasses.fields(instance)]
    return {name.removeprefix("_"): encode(getattr(instance, name)) for name in names}


_WORDS_AND_COUNTS = frozenset({str, int, bool, type(None)})
_NOT_FINITE = "a result contains {}, which JSON cannot represent."


def _is_plain(values: Collection[Any]) -> bool:
    """Whether values are JSON data as they are; checked together, since there may be millions."""
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
    """Plain JSON data for any value in a result."""
    if type(value) in _WORDS_AND_COUNTS:
        return value
    if hasattr(value, "to_json"):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return encode_fields(value)
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


def resolved(hint: Any) -> Any:
    """An annotation in place of its alias: since numpy 2.5, ``NDArray`` is one on Python 3.12 and newer."""
    while (inside := getattr(typing.get_origin(hint) or hint, "__value__", None)) is not None:
        hint = inside[arguments] if (arguments := typing.get_args(hint)) else inside
    return hint


def decode_fields(cls: type[T], data: Any) -> T:
    """Build an instance of a dataclass from plain data."""
    if not isinstance(data, Mapping):
        raise TypeError(cls.__name__)
    hints: dict[str, Any] = _hints(cls)  # type: ignore[arg-type]
    fields = {one.name.removeprefix("_"): one for one in dataclasses.fields(cls)}  # type: ignore[arg-type]
    required = {key for key, one in fields.items() if one.default is one.default_factory is MISSING}
    if missing := required - set(data):
        raise FormatError(f"field(s) {sorted(missing)} are missing from a {cls.__name__}.")
    if unknown := [in_short(name) for name in data if name not in fields]:
        warnings.warn(
            f"a {cls.__name__} has fields that crossroads {VERSION} does not know: "
            f"{join_words(unknown, most=5)}; they are ignored.",
            CrossroadsWarning,
            stacklevel=2,
        )
    known = {name: one.name for name, one in fields.items() if name in data}
    return cls(**{own: _decode_field(name, hints[own], data[name]) for name, own in known.items()})


def _decode_field(name: str, hint: Any, value: Any) -> Any:
    try:
        _check_tail(name, value)
        return _decode(hint, value)
    except FormatError:
        raise
    except (AttributeError, TypeError, ValueError) as error:
        raise FormatError(f"{in_short(value)} is not a value of this field.", key=name) from error


def _check_tail(name: str, value: Any) -> None:
    """Refuse an alternative that no test has, in a field or among conventions: a page would repeat it."""
    if name == "conventions" and isinstance(value, Mapping):
        value = value.get("alternative")
    elif name != "alternative":
        return
    if value is not None and value not in TAILS:
        raise FormatError(f"the alternative is {in_short(value)}, and not {join_words(TAILS, last='or')}.")


_PLAIN: Mapping[Any, tuple[type, ...]] = {float: (float, int), int: (int,), str: (str,), bool: (bool,)}


def _all_plain(hint: Any, values: Iterable[Any]) -> bool:
    """Whether every value is already of a plain type; others are decoded one by one."""
    return hint in _PLAIN and set(map(type, values)) <= set(_PLAIN[hint])


def _decode(hint: Any, value: Any) -> Any:
    """Rebuild a value from plain data, guided by the annotation of its field."""
    hint = resolved(hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _decode(next(a for a in args if a is not type(None)), value)
    if hint in _PLAIN and (
        not isinstance(value, _PLAIN[hint]) or (hint is not bool and isinstance(value, bool))
    ):
        raise TypeError(hint.__name__)
    if hasattr(hint, "from_json"):
        return hint.from_dict(value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return decode_fields(hint, value)
    if origin is typing.Literal:
        if value not in args:
            raise ValueError(value)
        return value
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
        whole = (key.removeprefix("-").isdecimal() for key in value)
        numbers = args[0] is int or (int in typing.get_args(args[0]) and all(whole))
        if not numbers and _all_plain(args[1], value.values()):
            return dict(value)
        return {(int(k) if numbers else k): _decode(args[1], v) for k, v in value.items()}
    return value


def read_only(array: np.ndarray[Any, Any]) -> Any:
    """Make an array read-only."""
    array.flags.writeable = False
    return array

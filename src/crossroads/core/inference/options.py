"""Checks of numbers and switches given as options.

Every check returns its value, so that it can be used in place of the value. Options are checked before
anything is computed, even if they are not needed, because a result records all of them.
"""

from __future__ import annotations

from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from crossroads.core.errors import InputError, in_short


def whole(name: str, value: Any, *, least: int = 0, hint: str | None = None) -> int:
    """Check a whole number of at least ``least``, such as a number of samples.

    Examples
    --------
    >>> whole("samples", 100, least=3)
    100
    """
    if isinstance(value, bool | np.bool_ | np.ndarray) or not hasattr(value, "__index__") or value < least:
        raise InputError(
            f"{name} is {in_short(value)}.", hint=hint or f"give a whole number that is at least {least}."
        )
    return int(value)


def seed_of(value: Any) -> int:
    """Check a seed, which must be a whole number that is not negative."""
    return whole("seed", value, hint="give a whole number that is not negative.")


def share(name: str, value: Any, *, hint: str = "give a share between 0 and 1, such as 0.95.") -> float:
    """Check a number strictly between 0 and 1, such as a level, a rate or a power."""
    return number(name, value, above=0.0, below=1.0, hint=hint)


def number(
    name: str,
    value: Any,
    *,
    least: float = -inf,
    above: float = -inf,
    below: float = inf,
    hint: str = "give a number.",
) -> float:
    """Check a finite number within bounds."""
    given = _as_float(value)
    if given is None or not isfinite(given) or value < least or not above < value < below:
        raise InputError(f"{name} is {in_short(value)}.", hint=hint)
    return given


def work(value: Any) -> float:
    """Check a limit of work: a number that is not negative, or infinity."""
    given = _as_float(value)
    if given is None or not given >= 0:
        raise InputError(
            f"max_work is {in_short(value)}.",
            hint="give a number that is not negative; float('inf') for no limit.",
        )
    return given


def switch(name: str, value: Any) -> bool:
    """Check that a value is True or False, not merely truthy or falsy, such as the text "no"."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} is {in_short(value)}.", hint="use True or False.")
    return bool(value)


def _as_float(value: Any) -> float | None:
    """A real number as a float, infinite where it is too large for one; None where it is not a number."""
    if not is_number(value):
        return None
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def is_number(value: object) -> bool:
    """Whether a value is a real number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)

"""The nine outcomes of an embedding association test (Wolfe, Hiniker & Howe 2024, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from crossroads.core.inference.options import number, share
from crossroads.core.wording.phrases import STRENGTHS

LEAST_EFFECT = 0.2
"""A target with an effect size at or below this does not lean to either attribute."""
ALPHA = 0.05
"""A target with a p-value at or above this does not lean to either attribute."""

PATTERNS: Mapping[str, tuple[str | None, str | None]] = {
    "AB-Divergent": ("a", "b"),
    "BA-Divergent": ("b", "a"),
    "A-Uniform": ("a", "a"),
    "B-Uniform": ("b", "b"),
    "AX-Singular": ("a", None),
    "BX-Singular": ("b", None),
    "AY-Singular": (None, "a"),
    "BY-Singular": (None, "b"),
    "Non-Directional": (None, None),
}
"""Each pattern, with the attribute to which the first and the second target lean."""

_NAMES = {leanings: name for name, leanings in PATTERNS.items()}


def check_rule(alpha: float, least_effect: float) -> None:
    """Raise an error for a rule that cannot decide whether a target leans to an attribute."""
    share("alpha", alpha, hint="give a share between 0 and 1, such as 0.05.")
    number("least_effect", least_effect, least=0.0, hint="give a number that is not negative, such as 0.2.")


def lean(effect_size: float, pvalue: float | None, *, least_effect: float, alpha: float) -> str | None:
    """The attribute to which a target leans: ``"a"``, ``"b"`` or neither.

    A target leans to A when its Level 2 effect size exceeds 0.2 and p < 0.05, to B when it is below −0.2
    and p < 0.05. (The paper's text has "p-value > 0.05" here, which contradicts its tables.)
    """
    if pvalue is None or pvalue >= alpha:
        return None
    if effect_size > least_effect:
        return "a"
    return "b" if effect_size < -least_effect else None


def pattern_of(x: str | None, y: str | None) -> str:
    """Name of the pattern of two leanings.

    Examples
    --------
    >>> pattern_of("a", "b"), pattern_of(None, "b")
    ('AB-Divergent', 'BY-Singular')
    """
    return _NAMES[x, y]


def critical_effect(
    n_a: int, n_b: int, *, ddof: int, alternative: str, least_effect: float, alpha: float
) -> float:
    """The smallest effect size that the normal curve fitted to the divisions calls significant."""
    tail = alpha / 2 if alternative == "two-sided" else alpha
    n = n_a + n_b
    scale = float(np.sqrt((1 / n_a + 1 / n_b) * ((n - ddof) / (n - 1))))
    return max(-NormalDist().inv_cdf(tail) * scale, least_effect)


def cells(pattern: str) -> dict[str, bool]:
    """Which of the four cells of the EAT-Map are associated: ``"ax"``, ``"bx"``, ``"ay"``, ``"by"``."""
    x, y = PATTERNS[pattern]
    return {"ax": x == "a", "bx": x == "b", "ay": y == "a", "by": y == "b"}


@dataclass(frozen=True, kw_only=True)
class MapCell:
    """One of the four cells of an EAT-Map: a target beside an attribute."""

    towards: bool
    """Whether the target lies further towards this attribute than towards the other one."""
    found: bool
    """Whether the target is found to lean to this attribute."""
    step: int
    """Strength of its colour, from 0 to 3; a leaning that is not found has no more than 2."""
    size: float | None
    """Size of the Level 2 effect size, without its sign; None where it is not towards this attribute."""


def map_cells(pattern: str, effects: Mapping[str, float] | None = None) -> dict[str, MapCell]:
    """The four cells of an EAT-Map by name: ``"ax"``, ``"bx"``, ``"ay"``, ``"by"``.

    Examples
    --------
    >>> found = map_cells("BY-Singular", {"x": 0.73, "y": -1.49})
    >>> found["by"]
    MapCell(towards=True, found=True, step=3, size=1.49)
    >>> found["ax"].found, found["ax"].step, found["bx"].towards
    (False, 2, False)
    """
    made = {}
    for key, found in cells(pattern).items():
        d = None if effects is None else effects[key[1]]
        towards = found if d is None else (d > 0 if key[0] == "a" else d < 0)
        size = abs(d) if d is not None and towards else None
        step = sum(size >= one for one in STRENGTHS) if size is not None else len(STRENGTHS) * found
        made[key] = MapCell(
            towards=towards,
            found=found,
            step=max(step, 1) if found else min(step, len(STRENGTHS) - 1),
            size=size,
        )
    return made


def reach(exact: float, beyond: float | None, *, alpha: float = ALPHA) -> str:
    """How far the difference of two targets reaches, a key of ``phrases.DIFFERENCES``.

    Examples
    --------
    >>> reach(0.001, 0.01), reach(0.001, 0.3), reach(0.2, 0.3)
    ('others', 'words', '')
    """
    if beyond is not None and beyond < alpha:
        return "others"
    return "words" if exact < alpha else ""

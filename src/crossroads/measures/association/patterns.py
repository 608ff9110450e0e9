"""The nine outcomes of an embedding association test (Wolfe, Hiniker & Howe 2024, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping

from crossroads.inference.crossed import Crossed
from crossroads.inference.options import number, share

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


def lean(effect_size: float, pvalue: float, *, least_effect: float, alpha: float) -> str | None:
    """The attribute to which a target leans: ``"a"``, ``"b"`` or neither.

    A target leans to A when its Level 2 effect size exceeds 0.2 and p < 0.05, to B when it is below −0.2
    and p < 0.05. (The paper's text has "p-value > 0.05" here, which contradicts its tables.)
    """
    if pvalue >= alpha:
        return None
    if effect_size > least_effect:
        return "a"
    return "b" if effect_size < -least_effect else None


def crossed_lean(
    effect_size: float, found: Crossed | None, *, least_effect: float, alpha: float
) -> str | None:
    """The attribute to which a target leans by the p-value that holds for other words."""
    p = None if found is None else found.pvalue
    return None if p is None else lean(effect_size, p, least_effect=least_effect, alpha=alpha)


def pattern_of(x: str | None, y: str | None) -> str:
    """Name of the pattern of two leanings.

    Examples
    --------
    >>> pattern_of("a", "b"), pattern_of(None, "b")
    ('AB-Divergent', 'BY-Singular')
    """
    return _NAMES[x, y]


def cells(pattern: str) -> dict[str, bool]:
    """Which of the four cells of the EAT-Map are associated: ``"ax"``, ``"bx"``, ``"ay"``, ``"by"``."""
    x, y = PATTERNS[pattern]
    return {"ax": x == "a", "bx": x == "b", "ay": y == "a", "by": y == "b"}

"""Numbers and phrases as figures print them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal

from crossroads.measures.mleat import MleatResult
from crossroads.measures.weat import WeatResult
from crossroads.results import Result, model_of

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_TAILS = {
    "greater": "one-sided, greater",
    "less": "one-sided, less",
    "two-sided": "two-sided",
    "observed": "one-sided, in the observed direction",
}


def number(value: float, digits: int = 2, *, sign: bool = False) -> str:
    """A number with a proper minus and no negative zero.

    Examples
    --------
    >>> number(-0.687), number(-0.001), number(0.2, sign=True)
    ('−0.69', '0.00', '+0.20')
    """
    rounded = round(value, digits) + 0.0
    return f"{rounded:{'+' if sign and rounded else ''}.{digits}f}".replace("-", "−")


def probability(p: float, *, bound: bool = False) -> str:
    """A p-value: three places without the leading zero, or a power of ten where these show nothing.

    Parameters
    ----------
    p
        The p-value.
    bound
        Whether it is an upper bound, which is not rounded down.

    Examples
    --------
    >>> probability(0.0227), probability(0.5), probability(7.77e-05), probability(1.0), probability(0.0)
    ('.023', '.500', '7.8×10⁻⁵', '1', '0')
    >>> probability(0.0221, bound=True), probability(7.71e-05, bound=True)
    ('.023', '7.8×10⁻⁵')
    """
    if p == 0:
        return "0"
    exact, rounding = Decimal(repr(float(p))), ROUND_CEILING if bound else ROUND_HALF_EVEN
    if p >= 0.001:
        shown = exact.quantize(Decimal("0.001"), rounding)
        return "1" if shown == 1 else f"{shown}".lstrip("0")
    step = Decimal(1).scaleb(exact.adjusted() - 1)
    mantissa, _, exponent = f"{exact.quantize(step, rounding):.1e}".partition("e")
    return f"{mantissa}×10{str(int(exponent)).translate(_RAISED)}"


def percent(share: float, digits: int = 1) -> str:
    """A share of cases in per cent: ``81.6 %``."""
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"


def effect(test: WeatResult, *, star: bool = False) -> str:
    """The effect size of a test, starred on demand: ``d = 0.60 *``."""
    return f"d = {number(test.effect_size)}{' *' if star else ''}"


def chance(test: WeatResult) -> str:
    """The p-value of a test; ``≤`` where it is a bound, ``≈`` where it is estimated."""
    exact, bound = test.pvalue_low == test.pvalue_high, test.method == "bracket"
    sign = "=" if exact else "≤" if bound else "≈"
    return f"p {sign} {probability(test.pvalue, bound=bound and not exact)}"


def tail(alternative: str) -> str:
    """What an alternative means, as a phrase."""
    return _TAILS.get(alternative, alternative)


def level(alpha: float) -> str:
    """A level of significance without its leading zero: ``.05``."""
    return f"{alpha:g}".lstrip("0")


def rule(test: MleatResult) -> str:
    """What a Level 2 test had to show to count as an association."""
    least, alpha = test.conventions["least_effect"], test.conventions["alpha"]
    return f"|d| > {least:g} and p < {level(alpha)} ({tail(test.level1.alternative)})"


def titled(key: str, titles: Mapping[str, str]) -> str:
    """What a set stands for, with its letter: ``flowers (X)``; the letter alone where it has no name."""
    title, letter = titles.get(key, key), key.upper()
    return letter if title.casefold() == key else f"{title} ({letter})"


def model(result: Result) -> str:
    """The model behind a result, shortly; empty where the vectors came from memory."""
    first = result.provenance[0] if result.provenance else None
    if first is None or first.source == "given as arrays":
        return ""
    return f"{model_of(result)}\N{NO-BREAK SPACE}{first.revision or ''}".strip()


def sentence(*parts: str) -> str:
    """Join what there is to say by middle dots."""
    return " · ".join(part for part in parts if part)

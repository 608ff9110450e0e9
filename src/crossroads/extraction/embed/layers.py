"""Which hidden states become a vector: one layer, or the sum or mean of several.

Layer 0 is the input of the first block (the embeddings), layer k the output of block k; the top one is taken
after the final normalisation if there is one, as in the published tests. Negative numbers count from the top.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from crossroads.errors import InputError, UnknownNameError

AUTO = "auto"
"""The layers of the published tests: the top one, and of an ELMo the sum of all."""
_COMBINED = ("sum", "mean")
_NUMBER = re.compile(r"[-+]?\d+")


@dataclass(frozen=True, kw_only=True)
class Layers:
    """Layers of a model, and how they are combined."""

    numbers: tuple[int, ...]
    """The layers, counted from 0, in ascending order."""
    combined: str
    """``"one"``, ``"sum"`` or ``"mean"``."""
    of: int
    """The top layer of the model."""

    def __str__(self) -> str:
        if self.combined == "one":
            return str(self.numbers[0])
        return f"{self.combined}:{','.join(map(str, self.numbers))}"


def parse_layers(wanted: int | str, top: int) -> Layers:
    """Parse a choice of layers, and check that the model has them.

    Parameters
    ----------
    wanted
        A number such as ``-1`` (the top layer), or ``"sum"``, ``"mean"`` (of all, the embeddings among
        them), or ``"sum:-4,-3,-2,-1"``.
    top
        The top layer of the model: its number of blocks.

    Examples
    --------
    >>> str(parse_layers(-1, 12)), str(parse_layers("sum:-2,-1", 12))
    ('12', 'sum:11,12')
    """
    text = str(wanted).strip()
    if _NUMBER.fullmatch(text):
        return Layers(numbers=(_checked(text, text, top),), combined="one", of=top)
    kind, colon, rest = text.partition(":")
    if kind not in _COMBINED:
        raise UnknownNameError("layer", text, (*_COMBINED, *map(str, range(-1, top + 1))), hint=None)
    if not colon:
        return Layers(numbers=tuple(range(top + 1)), combined=kind, of=top)
    numbers = [_checked(part.strip(), text, top) for part in rest.split(",")]
    if len(set(numbers)) < len(numbers):
        raise InputError(f"layers {text!r} name one layer twice.", hint="name each layer once.")
    return Layers(numbers=tuple(sorted(numbers)), combined=kind, of=top)


def _checked(number: str, text: str, top: int) -> int:
    if not _NUMBER.fullmatch(number):
        raise InputError(
            f"{number!r} in the layers {text!r} is not a number.", hint="write for example sum:1,2,3."
        )
    value = int(number)
    if not -top - 1 <= value <= top:
        raise InputError(
            f"there is no layer {value}: the model has layers 0 (embeddings) to {top} (top).",
            hint=f"give a number from {-top - 1} to {top}; -1 is the top.",
        )
    return value % (top + 1)

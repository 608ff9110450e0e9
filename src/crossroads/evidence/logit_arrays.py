"""Arguments of :class:`~crossroads.evidence.logits.Logits` as arrays and labels, and how much to keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.errors import EvidenceError, InputError, UnknownNameError, in_short
from crossroads.stimuli import Trait


def head_suffices(head: ArrayLike, logit: float, *, gamma: float = 1.0) -> bool:
    """Whether the largest logits of a slot are enough for the SeT distance of a token.

    With the logits l in descending order, those below the K-th stay as they are if that one does:
    K·l_K − (l_1 + … + l_(K−1)) + γ ≤ l_t for a token t below the head, and one l_K less for a token
    in it. Ask with the smallest logit that the slot is read for, and the largest margin of interest.

    Examples
    --------
    >>> head_suffices([9.0, 8.5, 7.0, 2.0], 0.0), head_suffices([9.0, 8.5], 0.0)
    (True, False)
    """
    ordered = np.asarray(head, dtype=np.float64)
    below = ordered[0] - ordered  # how far each is below the largest: no digits are lost in the sums
    size = ordered.size if logit < ordered[-1] else ordered.size - 1
    slack = below[:-1].sum() - size * below[-1] + gamma
    return bool(slack <= (logit - ordered[0] if logit < ordered[-1] else 0.0))


def flat_heads(head: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Heads of any lengths as one array, and where each begins."""
    try:
        rows = [np.asarray(row) for row in head]
    except (TypeError, ValueError) as error:
        raise EvidenceError("head is not a sequence of arrays.", hint="give one array a slot.") from error
    if not rows or any(row.ndim != 1 or row.size == 0 or row.dtype.kind not in "fiu" for row in rows):
        raise EvidenceError(
            "a head is empty, or not a list of numbers.", hint="give each slot its largest logits."
        )
    kind = np.result_type(np.float32, *{row.dtype for row in rows})
    edges = np.concatenate([[0], np.cumsum([row.size for row in rows])])
    return np.concatenate(rows).astype(kind), edges.astype(np.int64)


def floats(values: ArrayLike, name: str, dtype: Any = np.float64) -> NDArray[Any]:
    """Numbers as an array of their own."""
    try:
        return np.array(values, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise EvidenceError(f"{name} is not an array of numbers.", hint=str(error)) from error


def maybe_floats(values: ArrayLike | None, name: str) -> NDArray[Any] | None:
    """The same, where they were given."""
    return None if values is None else floats(values, name)


def integers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Positions as an array of their own."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise EvidenceError(f"{name} is of type {array.dtype}.", hint="give positions in the table of slots.")
    return array.astype(np.int64)


def listed(values: Any, name: str) -> list[Any]:
    """Any iterable but a string, as a list."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} is {in_short(values)}.", hint="give a list.")
    return list(values)


def names_of(values: Any, name: str) -> tuple[str, ...]:
    """Labels as a tuple; what they have to be is checked later."""
    return tuple(listed(values, name))


def trait_of(pair: Any) -> Trait:
    """A pair of adjectives as a trait without a scale."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError(
            f"{in_short(pair)} is not a pair of traits.", hint='give ("cold", "warm"), or a Trait.'
        )
    left, right = pair
    return Trait(left=left, right=right, scale="", human_key=f"{left} - {right}")


def trait_from(data: Mapping[str, Any]) -> Trait:
    """A trait out of a manifest."""
    known = {field.name for field in fields(Trait)}
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k in known}
    return Trait(**given)


def positions(kind: str, names: Iterable[str] | None, known: Sequence[str]) -> list[int]:
    """Positions of some names, or of all."""
    if names is None:
        return list(range(len(known)))
    wanted = dict.fromkeys(listed(names, f"{kind}s"))
    if not wanted:
        raise InputError(f"no {kind} is left.", hint=f"name at least one {kind}.")
    for name in wanted:
        if name not in known:
            raise UnknownNameError(kind, str(name), known)
    return [known.index(name) for name in wanted]

"""Checks of the arguments of :class:`~crossroads.Logits`, and of how many logits to keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.errors import EvidenceError, InputError, UnknownNameError, in_short, one_of
from crossroads.stimuli import Trait

if TYPE_CHECKING:
    from crossroads.evidence.logits import Logits


def head_suffices(head: ArrayLike, logit: float, *, gamma: float = 1.0) -> bool:
    """Whether the largest logits of a slot are enough for the SeT distance of a token.

    With the logits l in descending order, those below the K-th are unchanged if that one is:
    K·l_K − (l_1 + … + l_(K−1)) + γ ≤ l_t for a token t below the head, and one l_K less for a token
    in it. Call it with the smallest logit that is read at the slot, and the largest margin of interest.

    Examples
    --------
    >>> head_suffices([9.0, 8.5, 7.0, 2.0], 0.0), head_suffices([9.0, 8.5], 0.0)
    (True, False)
    """
    ordered = np.asarray(head, dtype=np.float64)
    below = ordered[0] - ordered  # distances to the largest, so that no digits are lost in the sums
    size = ordered.size if logit < ordered[-1] else ordered.size - 1
    slack = below[:-1].sum() - size * below[-1] + gamma
    return bool(slack <= (logit - ordered[0] if logit < ordered[-1] else 0.0))


def flat_heads(head: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Concatenate heads of any lengths, and return where each begins."""
    try:
        rows = [np.asarray(row) for row in head]
    except (TypeError, ValueError) as error:
        raise EvidenceError("head is not a sequence of arrays.", hint="give one array per slot.") from error
    if not rows or any(row.ndim != 1 or row.size == 0 or row.dtype.kind not in "fiu" for row in rows):
        raise EvidenceError(
            "a head is empty, or not a list of numbers.", hint="give each slot its largest logits."
        )
    kind = np.result_type(np.float32, *{row.dtype for row in rows})
    edges = np.concatenate([[0], np.cumsum([row.size for row in rows])])
    return np.concatenate(rows).astype(kind), edges.astype(np.int64)


def floats(values: ArrayLike, name: str, dtype: Any = np.float64) -> NDArray[Any]:
    """Copy numbers into an array."""
    try:
        return np.array(values, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise EvidenceError(f"{name} is not an array of numbers.", hint=str(error)) from error


def maybe_floats(values: ArrayLike | None, name: str) -> NDArray[Any] | None:
    """The same, if they are given."""
    return None if values is None else floats(values, name)


def integers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Copy positions into an array."""
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
    """Labels as a tuple; they are checked later."""
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
    """Read a trait from a manifest."""
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


CELLS = ("logit", "slot", "chain_logit", "chain_slot")
"""Arrays with one entry per cell."""
SUMS = ("log_sum_initial", "log_sum_continuation", "log_sum_bare_initial", "log_sum_bare_continuation")
"""Optional arrays with one entry per slot: sums over some tokens, in pairs."""
SLOTS = ("log_sum_exp", "hidden_sq_norm", *SUMS)
"""Arrays with one entry per slot."""
ARRAYS = (*CELLS, "word_initial", "heads", "head_edges", *SLOTS)
KINDS = ("masked", "causal")
_BUILD = "build logits with Logits.from_arrays, which documents each array."
_SLACK = 1e-3
"""Tolerance of the bounds of log-sum-exps: models compute them in single precision."""


def check_names(logits: Logits) -> None:
    """Check that labels are present and distinct, and every trait is among the adjectives."""
    one_of("kind of model", logits.kind, KINDS)
    if isinstance(logits.vocabulary, bool) or not isinstance(logits.vocabulary, int | np.integer):
        raise EvidenceError(
            f"vocabulary is {in_short(logits.vocabulary)}.", hint="give the number of tokens."
        )
    for name, found in (
        ("group", logits.groups),
        ("prior", logits.priors),
        ("template", logits.templates),
        ("adjective", logits.adjectives),
    ):
        _check_labels(name, found)
    shared = set(logits.groups) & set(logits.priors)
    if shared:
        raise EvidenceError(
            f"{min(shared)!r} is both a group and a prior.", hint="give them different names."
        )
    if not logits.traits:
        raise EvidenceError("there are no traits.", hint="give at least one pair of adjectives.")
    _check_labels("trait", [trait.name for trait in logits.traits])
    for trait in logits.traits:
        for word in (trait.left, trait.right):
            if word not in logits.adjectives:
                raise UnknownNameError(f"adjective of the trait {trait.name!r},", word, logits.adjectives)


def _check_labels(kind: str, names: Sequence[Any]) -> None:
    if not names and kind != "prior":
        raise EvidenceError(f"there is no {kind}.", hint=f"give at least one {kind}.")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise EvidenceError(f"a {kind} is {in_short(name)}.", hint="give words.")
        if name in seen:
            raise EvidenceError(
                f"the {kind} {in_short(name)} is given twice.", hint=f"give every {kind} once."
            )
        seen.add(name)


def check_cells(logits: Logits) -> None:
    """Check that cells have one shape, pieces come first, and every piece has a slot."""
    wanted = (len(logits.rows), len(logits.templates), len(logits.adjectives))
    shape = np.shape(logits.logit)
    if shape[:3] != wanted or len(shape) != 4:
        raise EvidenceError(
            f"logit has shape {shape}, expected {wanted} and the number of pieces.",
            hint="rows (groups, then priors) × templates × adjectives × pieces.",
        )
    if (logits.chain_logit is None) != (logits.chain_slot is None):
        raise EvidenceError("only one of chain_logit and chain_slot is given.", hint="give both or neither.")
    if logits.kind == "causal" and logits.chain_logit is not None:
        raise EvidenceError(
            "chain_logit is given for a causal model.",
            hint="the logits of a causal model run left to right already; give them as logit and slot.",
        )
    _check_shape("logit", logits.logit, shape)
    _check_shape("slot", logits.slot, shape, "i")
    _check_shape("word_initial", logits.word_initial, shape[2:], "b")
    there = _check_pattern(logits, "logit", logits.logit, logits.slot)
    if logits.chain_logit is not None and logits.chain_slot is not None:
        _check_shape("chain_logit", logits.chain_logit, shape)
        _check_shape("chain_slot", logits.chain_slot, shape, "i")
        chained = _check_pattern(logits, "chain_logit", logits.chain_logit, logits.chain_slot)
        _refuse(logits, there != chained, "has other pieces in chain_logit than in logit")


def _check_shape(name: str, array: Any, shape: tuple[int, ...], kind: str = "f") -> None:
    if np.shape(array) != shape:
        raise EvidenceError(f"{name} has shape {np.shape(array)}, expected {shape}.", hint=_BUILD)
    if not isinstance(array, np.ndarray) or array.dtype.kind != kind:
        raise EvidenceError(f"{name} is of the wrong type: {np.asarray(array).dtype}.", hint=_BUILD)


def _check_pattern(
    logits: Logits, name: str, values: NDArray[Any], slots: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which pieces exist, after checking that they are consistent."""
    _refuse(logits, np.isinf(values), f"has an infinite {name}")
    there: NDArray[np.bool_] = ~np.isnan(values)
    _refuse(logits, ~there[..., :1], f"has no {name}: it was not asked for")
    _refuse(logits, there[..., 1:] & ~there[..., :-1], f"lacks a piece of {name} before the last")
    _refuse(logits, there != there[:1], f"does not have as many pieces of {name} as in the first row")
    _refuse(logits, there != (slots >= 0), f"has a {name} without a slot, or a slot without a {name}")
    _refuse(logits, slots >= logits.slots, f"has a slot of {name} past the {logits.slots} slots")
    return there


def _refuse(logits: Logits, bad: NDArray[np.bool_], what: str) -> None:
    if not bad.any():
        return
    row, template, adjective, _ = np.argwhere(bad)[0].tolist()
    raise EvidenceError(
        f"{logits.adjectives[adjective]!r} {what}, in {logits.templates[template]!r} with "
        f"{logits.rows[row]!r}.",
        hint="fill every cell; use NaN and slot −1 for pieces that an adjective does not have.",
    )


def check_slots(logits: Logits) -> None:
    """Check that sums are within the bounds of the heads, and logits are found in the heads."""
    n = logits.slots
    for name in SLOTS:
        array = getattr(logits, name)
        if array is None:
            continue
        _check_shape(name, array, (n,))
        _refuse_slot(~np.isfinite(array), name, array, "finite numbers")
    _refuse_slot(logits.hidden_sq_norm <= 0, "hidden_sq_norm", logits.hidden_sq_norm, "positive numbers")
    for one, other in (SUMS[:2], SUMS[2:]):
        if (getattr(logits, one) is None) != (getattr(logits, other) is None):
            raise EvidenceError(f"only one of {one} and {other} is given.", hint="give both or neither.")
    largest = logits.heads[logits.head_edges[:-1]].astype(np.float64)
    slack = _SLACK + 1e-6 * np.abs(largest)
    low, high = largest - slack, largest + log(logits.vocabulary) + slack
    outside = (logits.log_sum_exp < low) | (logits.log_sum_exp > high)
    _refuse_slot(
        outside, "log_sum_exp", logits.log_sum_exp, "between the largest logit and that plus log(vocabulary)"
    )
    for name in SUMS:
        part = getattr(logits, name)
        if part is not None:
            _refuse_slot(part > logits.log_sum_exp + slack, name, part, "at most log_sum_exp")
    _check_found(logits, logits.logit, logits.slot)
    if logits.chain_logit is not None and logits.chain_slot is not None:
        _check_found(logits, logits.chain_logit, logits.chain_slot)


def _refuse_slot(bad: NDArray[np.bool_], name: str, values: NDArray[Any], allowed: str) -> None:
    if bad.any():
        at = int(np.argmax(bad))
        raise EvidenceError(f"{name} of slot {at} is {values[at]:.6g}.", hint=f"expected: {allowed}.")


def check_heads(logits: Logits) -> None:
    """Check that there is one head per slot, of finite logits in descending order."""
    heads, edges = logits.heads, logits.head_edges
    _check_shape("heads", heads, (np.size(heads),))
    _check_shape("head_edges", edges, (np.size(edges),), "i")
    if edges.size < 2 or edges[0] != 0 or edges[-1] != heads.size:
        raise EvidenceError(f"head_edges do not run from 0 to {heads.size}.", hint=_BUILD)
    sizes = np.diff(edges)
    if sizes.min(initial=1) < 1 or sizes.max(initial=1) > logits.vocabulary:
        raise EvidenceError(
            f"heads hold {sizes.min()} to {sizes.max()} logits of a vocabulary of {logits.vocabulary}.",
            hint="give each slot at least one logit, at most all.",
        )
    if not np.isfinite(heads).all():
        at = int(np.searchsorted(edges, np.argmin(np.isfinite(heads)), side="right")) - 1
        raise EvidenceError(f"the head of slot {at} is not finite.", hint="repair it.")
    rises = np.flatnonzero(np.diff(heads) > 0) + 1
    inside = rises[~np.isin(rises, edges)]
    if inside.size:
        at = int(np.searchsorted(edges, inside[0], side="right")) - 1
        raise EvidenceError(f"the head of slot {at} is not in descending order.", hint="sort it.")


def _check_found(logits: Logits, values: NDArray[Any], slots: NDArray[np.int64]) -> None:
    """Check that a logit above the end of the head of its slot is in it."""
    there = slots >= 0
    found, at = values[there], slots[there]
    order = np.argsort(at, kind="stable")
    edges = np.searchsorted(at[order], np.arange(logits.slots + 1))
    missing = np.zeros(found.size, dtype=bool)
    for number in range(logits.slots):
        part = order[edges[number] : edges[number + 1]]
        if part.size:
            rising = logits.head(number)[::-1]
            place = np.minimum(np.searchsorted(rising, found[part]), rising.size - 1)
            missing[part] = (found[part] > rising[0]) & (rising[place] != found[part])
    if missing.any():
        bad = np.zeros(values.shape, dtype=bool)
        bad[there] = missing
        _refuse(logits, bad, "has a logit above the end of its head that is not in the head")

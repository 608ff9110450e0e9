"""Checks of :class:`~crossroads.Logits`: labels, shapes, and numbers that are finite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.errors import EvidenceError, InputError, in_short, one_of

if TYPE_CHECKING:
    from crossroads.evidence.logits import Logits

CELLS = ("logit", "slot", "chain_logit", "chain_slot")
"""Arrays with one entry per cell."""
SUMS = ("log_sum_initial", "log_sum_continuation", "log_sum_bare_initial", "log_sum_bare_continuation")
"""Optional arrays with one entry per slot: sums over some tokens, in pairs."""
SLOTS = ("log_sum_exp", "hidden_sq_norm", *SUMS)
"""Arrays with one entry per slot."""
ARRAYS = (*CELLS, "word_initial", "heads", "head_edges", *SLOTS)
OPTIONAL = ("chain_logit", "chain_slot", *SUMS)
_TYPES = {"slot": np.integer, "chain_slot": np.integer, "head_edges": np.integer, "word_initial": np.bool_}
"""Types of arrays that do not hold floating-point numbers."""


def listed(values: Any, name: str) -> list[Any]:
    """Any iterable but a string, as a list."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} is {in_short(values)}.", hint="give a list.")
    return list(values)


def positions(kind: str, names: Iterable[str] | None, known: Sequence[str]) -> list[int]:
    """Positions of some names, or of all."""
    if names is None:
        return list(range(len(known)))
    wanted = dict.fromkeys(listed(names, f"{kind}s"))
    if not wanted:
        raise InputError(f"no {kind} is left.", hint=f"name at least one {kind}.")
    return [known.index(one_of(kind, name, known)) for name in wanted]


def check_labels(logits: Logits) -> None:
    """Refuse labels that are missing or occur twice, and traits that are not among the adjectives."""
    one_of("kind of model", logits.kind, ("masked", "causal"))
    labels: dict[str, tuple[Any, ...]] = {"group": logits.groups, "group or prior": logits.rows}
    labels |= {"template": logits.templates, "adjective": logits.adjectives}
    labels["trait"] = tuple(trait.name for trait in logits.traits)
    for kind, names in labels.items():
        texts = all(isinstance(name, str) and name.strip() for name in names)
        if not names or not texts or len(set(names)) < len(names):
            what = f"a {kind} is missing, empty or given twice: {in_short(names, 200)}."
            raise EvidenceError(what, hint="give each one once.")
    for trait in logits.traits:
        for end in (trait.left, trait.right):
            one_of("adjective of a trait", end, logits.adjectives)


def check_shapes(logits: Logits) -> None:
    """Refuse arrays that do not fit the labels or each other."""
    pieces = max((1, *logits.logit.shape[-1:]))
    cells = (len(logits.rows), len(logits.templates), len(logits.adjectives), pieces)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(CELLS, cells)
    shapes |= dict.fromkeys(SLOTS, (logits.slots,))
    shapes |= {"word_initial": cells[2:], "heads": (logits.heads.size,), "head_edges": (logits.slots + 1,)}
    for name, shape in shapes.items():
        array, kind = getattr(logits, name), _TYPES.get(name, np.floating)
        if array is not None and (array.shape != shape or not np.issubdtype(array.dtype, kind)):
            raise EvidenceError(
                f"{name} has shape {array.shape} of {array.dtype}, expected {shape} of {kind.__name__}.",
                hint="Logits.from_arrays documents each array.",
            )


def check_numbers(logits: Logits) -> None:
    """Refuse numbers that are missing, not finite or in a slot that they cannot be from."""
    heads, edges, slots = logits.heads, logits.head_edges, logits.slots
    sizes = np.diff(edges)
    whole = slots > 0 and edges[0] == 0 and edges[-1] == heads.size
    if not whole or sizes.min() < 1 or sizes.max() > logits.vocabulary:
        what = f"a head is empty, or longer than the vocabulary of {in_short(logits.vocabulary)}."
        raise EvidenceError(what, hint="give each slot its largest logits.")
    rises = np.flatnonzero(heads[1:] > heads[:-1]) + 1
    if not np.isfinite(heads).all() or not np.isin(rises, edges).all():
        raise EvidenceError("a head is not finite, or not in descending order.", hint="sort each head.")
    largest = heads[edges[:-1]].astype(np.float64)
    least = largest - 1e-3 - 1e-6 * np.abs(largest)  # models compute sums in single precision
    for name, low in {**dict.fromkeys(SUMS, -np.inf), "log_sum_exp": least, "hidden_sq_norm": 0.0}.items():
        array = getattr(logits, name)
        if array is not None and (wrong := ~(np.isfinite(array) & (array > low))).any():
            slot = int(np.argmax(wrong))
            raise EvidenceError(
                f"{name} of slot {slot} is {array[slot]:.6g}.",
                hint="give finite numbers, norms above 0 and sums of at least the largest logit.",
            )
    there = logits.slot[:1] >= 0  # the pieces of the first row, which all rows have
    for values, at in ((logits.logit, logits.slot), (logits.chain_logit, logits.chain_slot)):
        if values is None or at is None:
            continue
        wrong = (np.isfinite(values) != there) | ((at >= 0) != there) | (at >= slots) | ~there[..., :1]
        wrong |= (at < -1) | (values > largest[np.clip(at, 0, slots - 1)])
        if wrong.any():
            row, template, adjective, _ = np.argwhere(wrong)[0].tolist()
            raise EvidenceError(
                f"{logits.adjectives[adjective]!r} lacks a logit or its slot, or has one above its head, "
                f"in {logits.templates[template]!r} with {logits.rows[row]!r}.",
                hint="fill every cell; use NaN and slot −1 for pieces that an adjective does not have.",
            )

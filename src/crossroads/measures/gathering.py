"""Find the vectors of the stimuli that a measure asks for, and account for those that have none."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import (
    CrossroadsWarning,
    DesignError,
    EvidenceError,
    InputError,
    MissingStimuliError,
    join_words,
    one_of,
)
from crossroads.evidence import Embeddings
from crossroads.evidence.embeddings import Match
from crossroads.evidence.spelling import RULES
from crossroads.geometry import Floats, unit
from crossroads.results import Coverage
from crossroads.stimuli import Design

MISSING = ("raise", "drop", "balance")
NOT_THERE = "not in the vocabulary"
NO_CONTEXT = "no context"
ZERO = "zero vector"
BALANCED = "left out to balance the sets"

_ROWS_AT_A_TIME = 1 << 12
_PARTNERS = {"x": "y", "y": "x", "a": "b", "b": "a"}


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """Unit vectors of the stimuli of each set, and what became of the others."""

    vectors: Mapping[str, Floats]
    """Unit vectors by set, one row a stimulus; none of sets of which only the rows were asked for."""
    words: Mapping[str, tuple[str, ...]]
    """The stimuli of those rows."""
    coverage: Coverage
    """Which stimuli were dropped or respelled, and why."""
    rows: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    """Where the vectors stand in the embeddings."""


def gather(
    emb: Embeddings,
    sets: Mapping[str, Sequence[str]],
    *,
    missing: str,
    least: Mapping[str, int],
    absent: str = NOT_THERE,
    rows_only: Container[str] = (),
) -> Gathered:
    """Look up every stimulus of every set.

    Parameters
    ----------
    emb
        Where to look.
    sets
        Stimuli by set; ``balance`` pairs the sets named x and y, and a and b.
    missing
        ``"raise"``, ``"drop"``, or ``"balance"``, which drops and then shortens the longer set of each
        pair from its end until both are equal.
    least
        How many stimuli each set must have left.
    absent
        What to say of a stimulus that is not there.
    rows_only
        Sets of which the rows are wanted, not the vectors: those that may be as long as a vocabulary.
    """
    one_of("missing", missing, MISSING)
    places: dict[str, list[int]] = {}
    used: dict[str, list[str]] = {}
    dropped: dict[str, dict[str, str]] = {name: {} for name in sets}
    respelled: dict[str, str] = {}
    for name, words in sets.items():
        places[name], used[name] = [], []
        exact = emb.exact_rows(words)
        if None not in exact:
            places[name], used[name] = exact, list(words)  # type: ignore[assignment]
            continue
        for word, row in zip(words, exact, strict=True):
            match = emb.find(word) if row is None else Match(row, word, "exact")
            if match is None:
                dropped[name][word] = absent
                continue
            if match.rule != "exact":
                respelled[word] = f"{match.label} ({match.rule})"
            places[name].append(match.row)
            used[name].append(word)
    rows = {name: _with_direction(emb, found, used[name], dropped[name]) for name, found in places.items()}
    if missing == "raise" and any(dropped.values()):
        raise _missing_error(emb, dropped)
    _warn_about_twins(emb, places, used)
    if missing == "balance":
        _balance(rows, used, dropped)
    _check_sizes(sets, used, dropped, least)
    kept = {name: tuple(words) for name, words in used.items()}
    return Gathered(
        vectors={
            name: unit(emb.vectors[at]) for name, at in rows.items() if name not in rows_only and at.size
        },
        words=kept,
        coverage=Coverage(policy=missing, used=kept, dropped=dropped, respelled=respelled),
        rows=rows,
    )


def listed_words(name: str, words: object, *, hint: str = "give a list of words.") -> tuple[str, ...]:
    """Words of a list, each once; refused if they are one string, or no words."""
    if isinstance(words, str | bytes) or not isinstance(words, Iterable):
        one = "one string, " if isinstance(words, str) else ""
        raise InputError(f"{name} is {one}{words!r}.", hint=hint)
    listed = tuple(dict.fromkeys(words))
    for word in listed:
        if not isinstance(word, str):
            raise InputError(f"{name} holds {word!r}, of type {type(word).__name__}.", hint=hint)
    return listed


def check_vectors(model: object) -> None:
    """Refuse what is not embeddings, with the call that makes some."""
    if not isinstance(model, Embeddings):
        raise InputError(
            f"the vectors are of type {type(model).__name__}.",
            hint="load a file with cr.load(path), or build them with cr.Embeddings.from_dict({...}).",
        )


def check_inputs(design: object, *models: object) -> None:
    """Refuse what is not a design or not embeddings, with the call that makes one."""
    for model in models:
        check_vectors(model)
    if not isinstance(design, Design):
        named = f"cr.catalog({design!r}) gives a published one."
        raise InputError(
            f"the design is of type {type(design).__name__}: {design!r}.",
            hint=named if isinstance(design, str) else "build a cr.Design.",
        )


def listed_designs(designs: object) -> list[Design]:
    """One design or several, as a list; refused if there is none, or something else among them."""
    several = [designs] if isinstance(designs, Design) else designs
    if isinstance(several, str) or not isinstance(several, Iterable):
        raise InputError(f"the designs are {designs!r}.", hint="give designs, such as [cr.catalog('weat6')].")
    listed = list(several)
    if not listed:
        raise InputError("there are no designs to test.", hint="give at least one.")
    for design in listed:
        check_inputs(design)
    return listed


def warn_about_sharing(design: Design) -> None:
    """Warn, once, where words stand in both sets of a pair: they count twice and pull the effect to 0."""
    shared = {"targets": design.shared_targets, "attributes": design.shared_attributes}
    parts = [
        f"{join_words(map(repr, words), most=3)} in both {what}" for what, words in shared.items() if words
    ]
    if parts:
        warnings.warn(f"the design {design.name!r} has {join_words(parts)}.", CrossroadsWarning, stacklevel=3)


def _warn_about_twins(emb: Embeddings, rows: dict[str, list[int]], used: dict[str, list[str]]) -> None:
    """Warn where two spellings found the same vector, in one set or in the two sets of a pair."""
    twins: dict[str, None] = {}
    for name, found in rows.items():
        seen: dict[int, str] = {}
        partner = _PARTNERS.get(name, "")
        if partner in rows and name < partner:
            written = set(used[partner])
            seen = {row: emb.labels[row] for row in rows[partner] if emb.labels[row] not in written}
        if not seen and len(set(found)) == len(found):
            continue
        for row in found:
            if row in seen:
                twins[emb.labels[row]] = None
            seen[row] = emb.labels[row]
    if twins:
        warnings.warn(
            f"several stimuli were found as {join_words(map(repr, twins), most=3)}, and count several times.",
            CrossroadsWarning,
            stacklevel=4,
        )


def _with_direction(
    emb: Embeddings, found: list[int], used: list[str], dropped: dict[str, str]
) -> NDArray[np.intp]:
    """Leave out rows of zeros, which have no direction; refuse rows that are not finite."""
    rows = np.array(found, dtype=np.intp)
    zero = np.zeros(rows.size, dtype=bool)
    for start in range(0, rows.size, _ROWS_AT_A_TIME):
        part = slice(start, start + _ROWS_AT_A_TIME)
        vectors = emb.vectors[rows[part]]
        if vectors.dtype.kind == "f" and not np.isfinite(vectors).all():
            bad = [repr(used[start + i]) for i in np.flatnonzero(~np.isfinite(vectors).all(axis=1))]
            raise EvidenceError(
                f"the vector of {join_words(bad, most=3)} holds nan or infinite values.",
                hint="remove these rows, or repair them at their source.",
            )
        zero[part] = ~vectors.any(axis=1)
    if not zero.any():
        return rows
    for i in reversed(np.flatnonzero(zero)):
        dropped[used[i]] = ZERO
    used[:] = [word for word, without in zip(used, zero, strict=True) if not without]
    return rows[~zero]


def _balance(
    rows: dict[str, NDArray[np.intp]], used: dict[str, list[str]], dropped: dict[str, dict[str, str]]
) -> None:
    for name, partner in _PARTNERS.items():
        if name in used and partner in used:
            keep = min(len(used[name]), len(used[partner]))
            for word in used[name][keep:]:
                dropped[name][word] = BALANCED
            del used[name][keep:]
            rows[name] = rows[name][:keep]


def _missing_error(emb: Embeddings, dropped: Mapping[str, Mapping[str, str]]) -> MissingStimuliError:
    missing = {word: why for words in dropped.values() for word, why in words.items()}
    parts = [f"{name}: {join_words(words, most=6)}" for name, words in dropped.items() if words]
    allowed = [*emb.fallback, *(rule for rule in RULES if rule not in emb.fallback)]
    lenient = emb.with_fallback(RULES)
    found = [word for word, why in missing.items() if why in (NOT_THERE, NO_CONTEXT) and word in lenient]
    hint = "pass missing='drop' to leave them out, or missing='balance' to keep the sets of equal size."
    if found:
        hint = (
            f"{len(found)} of them are there under another spelling: allow it with "
            f"fallback={allowed!r}. Or {hint}"
        )
    count = len(missing)
    return MissingStimuliError(
        f"{count} {'stimulus has' if count == 1 else 'stimuli have'} no usable vector ({'; '.join(parts)}).",
        missing=missing,
        hint=hint,
    )


def _check_sizes(
    sets: Mapping[str, Sequence[str]],
    used: Mapping[str, Sequence[str]],
    dropped: Mapping[str, Mapping[str, str]],
    least: Mapping[str, int],
) -> None:
    for name, words in sets.items():
        need = least.get(name, 1)
        have = len(used[name])
        if have >= need:
            continue
        if len(words) < need:
            raise DesignError(
                f"{name} holds {len(words)} stimulus: {', '.join(map(repr, words))}.",
                hint=f"this measure compares stimuli with each other, so {name} needs at least {need}.",
            )
        raise MissingStimuliError(
            f"{name} has {have} of {len(words)} stimuli left, and needs {need}; "
            f"left out: {join_words(dropped[name], most=6)}.",
            missing=dropped[name],
            hint="use vectors that cover the design, or a design that the vectors cover.",
        )

"""Errors about stimuli without a usable vector, all in one message with advice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from crossroads.core.errors import DesignError, Gaps, MissingStimuliError, join_words
from crossroads.core.evidence import Embeddings
from crossroads.core.stimuli import Design

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
R = TypeVar("R")
NOT_THERE = "not in the vocabulary"
NO_CONTEXT = "no context"
ZERO = "zero vector"

_FEW = 60
"""Largest number of gaps listed word by word; of more, the first of each set are listed."""
_FIRST = 6
_LONGEST = 40
_SUGGESTED = 6
"""Words for which others are suggested."""


def require_stimuli(
    models: Embeddings | Mapping[Any, Embeddings], designs: Iterable[Design], *, absent: str = NOT_THERE
) -> None:
    """Raise one error that names every stimulus of every design that has no usable vector.

    ``absent`` is the reason given for a stimulus that is not found. Several models are named after the
    designs; suggestions are those of the first.
    """
    several = {"": models} if isinstance(models, Embeddings) else models
    require_sets(several, {design.name: design.sets for design in designs}, absent=absent)


def require_sets(
    models: Mapping[Any, Embeddings],
    designs: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    absent: str = NOT_THERE,
) -> None:
    """The same for sets of words, by design and set."""
    gaps = {
        f"{design} {name}".rstrip(): lacking
        for name, emb in models.items()
        for design, sets in designs.items()
        if (lacking := _lacking(emb, sets, absent))
    }
    if gaps:
        raise missing_error(next(iter(models.values())), gaps)


def _lacking(emb: Embeddings, sets: Mapping[str, Sequence[str]], absent: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, words in sets.items():
        for word in words:
            match = emb.find(word)
            if match is None:
                found.setdefault(name, {})[word] = absent
            elif not emb.vectors[match.row].any():
                found.setdefault(name, {})[word] = ZERO
    return found


def measured(
    items: Iterable[tuple[K, T]],
    measure: Callable[[T], R],
    *,
    missing: str,
    progress: Callable[[K], object] | None = None,
) -> tuple[list[tuple[K, R]], dict[K, str]]:
    """Measure one item after another, by name; those with too few stimuli are skipped, and why is said."""
    found: list[tuple[K, R]] = []
    skipped: dict[K, str] = {}
    for name, item in items:
        if progress is not None:
            progress(name)
        try:
            found.append((name, measure(item)))
        except MissingStimuliError as error:
            if missing == "raise":
                raise
            skipped[name] = error.reason
    return found, skipped


def missing_error(emb: Embeddings, gaps: Gaps) -> MissingStimuliError:
    """The error for stimuli without a usable vector where all must have one, by design and set."""
    gaps = {name: {s: words for s, words in sets.items() if words} for name, sets in gaps.items()}
    counts = {name: len({w for words in sets.values() for w in words}) for name, sets in gaps.items()}
    most = None if sum(counts.values()) <= _FEW else _FIRST
    shown = {
        name: "; ".join(f"{s}: {join_words(map(_short, words), most=most)}" for s, words in sets.items())
        for name, sets in gaps.items()
    }
    hint = "pass missing='drop' to leave them out, or missing='balance' to keep the sets of equal size."
    words = {word: why for sets in gaps.values() for some in sets.values() for word, why in some.items()}
    advice = [*_spelling_advice(emb, words), hint, *_complete_advice(emb, words)]
    if len(gaps) == 1:
        (design,) = gaps
        count = counts[design]
        has = "stimulus has" if count == 1 else "stimuli have"
        message = f"{count} {has} no usable vector ({shown[design]})."
    else:
        design = ""
        lines = "".join(f"\n  {name}: {text}" for name, text in shown.items())
        message = f"{len(words)} stimuli of {len(gaps)} designs have no usable vector:{lines}"
    return MissingStimuliError(message, gaps=gaps, design=design, hint=" Or ".join(advice))


def too_few(
    emb: Embeddings,
    sets: Mapping[str, Sequence[str]],
    used: Mapping[str, Sequence[str]],
    dropped: Mapping[str, Mapping[str, str]],
    least: Mapping[str, int],
    *,
    design: str,
) -> None:
    """Raise one error for all sets that have fewer stimuli left than a measure needs (``least``)."""
    short = [name for name in sets if len(used[name]) < least.get(name, 1)]
    for name in short:
        needed = least.get(name, 1)
        if len(sets[name]) < needed:
            raise DesignError(
                f"{name} has {len(sets[name])} stimulus: {', '.join(map(repr, sets[name]))}.",
                hint=f"this measure compares stimuli with each other, so {name} needs at least {needed}.",
            )
    if not short:
        return
    parts = [
        f"{name} has {len(used[name])} of {len(sets[name])} stimuli left, and needs {least.get(name, 1)}; "
        f"left out: {join_words(map(_short, dropped[name]), most=_FIRST)}"
        for name in short
    ]
    missing = {word: why for words in dropped.values() for word, why in words.items()}
    hint = "use vectors that cover the design, or a design that the vectors cover."
    raise MissingStimuliError(
        f"{'. '.join(parts)}.{_other_spelling(emb, missing)}",
        gaps={design: {name: _gaps(dropped[name]) for name in sets if _gaps(dropped[name])}},
        design=design,
        hint=" Or ".join([hint, *_complete_advice(emb, missing)]),
    )


def _other_spelling(emb: Embeddings, missing: Mapping[str, str]) -> str:
    """Sentence on stimuli that a rule of spelling would find, for stored messages as well as errors."""
    rules, found = emb.helpful_rules(_absent(missing))
    if not found:
        return ""
    names = join_words(map(repr, rules))
    return f" {len(found)} of them would be found with the fallback {names} (--spelling {','.join(rules)})."


def _spelling_advice(emb: Embeddings, missing: Mapping[str, str]) -> list[str]:
    """Advice on other spellings of some words, and on words similar to the others."""
    absent = _absent(missing)
    rules, found = emb.helpful_rules(absent)
    advice = []
    if found:
        are = "is" if len(found) == 1 else "are"
        named = repr(rules[0]) if len(rules) == 1 else repr(list(rules))
        advice.append(
            f"{len(found)} of them {are} there under another spelling: allow it with fallback={named}."
        )
    others = [word for word in absent if word not in found][:_SUGGESTED]
    near = emb.nearest(others) if others else {}
    if near:
        shown = [f"for {_short(word)}: {', '.join(map(_short, labels))}" for word, labels in near.items()]
        advice.append(f"use a similar word ({'; '.join(shown)}).")
    return advice


def _complete_advice(emb: Embeddings, missing: Mapping[str, str]) -> list[str]:
    """Advice to use the complete file, for vectors that are a part of it."""
    details = emb.provenance.details
    if "complete" not in details or not _absent(missing):
        return []
    return [f"give the complete file, {details['complete']}: these vectors have {details['included']}."]


def _absent(missing: Mapping[str, str]) -> list[str]:
    return [word for word, why in missing.items() if why in (NOT_THERE, NO_CONTEXT)]


def _gaps(dropped: Mapping[str, str]) -> dict[str, str]:
    """Stimuli that have no usable vector, without those that were left out to balance the sets."""
    return {word: why for word, why in dropped.items() if why in (NOT_THERE, NO_CONTEXT, ZERO)}


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}…"

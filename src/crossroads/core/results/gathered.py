"""Lookup of the vectors of stimuli, with a record of those that have none."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    CrossroadsWarning,
    DesignError,
    EvidenceError,
    InputError,
    in_short,
    join_words,
    one_of,
)
from crossroads.core.errors import Missing as Missing
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.embeddings import Match
from crossroads.core.evidence.spelling import strip_accents
from crossroads.core.inference.copies import SAME, Near, Words, near
from crossroads.core.inference.geometry import Floats, cosines, unit
from crossroads.core.results import Coverage
from crossroads.core.results.gaps import NOT_THERE, ZERO, missing_error, too_few
from crossroads.core.stimuli import Design

BALANCED = "left out to balance the sets"

_ROWS_AT_A_TIME = 1 << 12
_PARTNERS = {"x": "y", "y": "x", "a": "b", "b": "a"}
_MEETS = {"x": "yab", "y": "ab", "a": "b", "words": "ab"}
"""Pairs of sets that should not share a word, each pair once."""
_Rows = tuple[Sequence[str], NDArray[np.intp]]
_ALONE = "since no word is compared with itself"
_CANCELS = "which counts on either side and pulls the effect size to 0"
_OVERLAPS = (
    ("x", "y", f"in both targets, {{}} and {{}}, {_CANCELS}"),
    ("a", "b", f"in both attributes, {{}} and {{}}, {_CANCELS}"),
    *(
        (one, two, f"in the target {{}} and in the attribute {{}}, left out of the target, {_ALONE}")
        for one, two in product("xy", "ab")
    ),
    *(
        ("words", two, f"among the words measured and in the attribute {{1}}, not measured, {_ALONE}")
        for two in "ab"
    ),
)
"""Pairs of sets, and what is said of words that are in both."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """Unit vectors of the stimuli of each set, and why others are left out."""

    vectors: Mapping[str, Floats]
    """Unit vectors by set, one row per stimulus; none for sets of which only the rows were requested."""
    words: Mapping[str, tuple[str, ...]]
    """The stimuli of those rows."""
    coverage: Coverage
    """Which stimuli were dropped or respelled, and why."""
    rows: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    """Rows of the vectors in the embeddings."""
    source: Embeddings | None = None
    """Those embeddings."""

    def cosines(self) -> Floats:
        """Cosines of all targets with all attributes."""
        v = self.vectors
        targets = np.concatenate([v["x"], v["y"]]) if "y" in v else v["x"]
        return cosines(targets, np.concatenate([v["a"], v["b"]]))

    def near(self, words: Words, *, sets: Iterable[str] = "xyab") -> Near | None:
        """Near copies in each of some sets; None where all words count as independent."""
        if one_of("words", words, Words) == "independent":
            return None
        vocabulary = None if self.source is None else self.source.vocabulary
        return near({key: self.vectors[key] for key in sets if key in self.vectors}, self.words, vocabulary)


def gather(
    emb: Embeddings,
    sets: Mapping[str, Sequence[str]],
    *,
    missing: str,
    least: Mapping[str, int],
    absent: str = NOT_THERE,
    design: str = "",
    rows_only: Container[str] = (),
) -> Gathered:
    """Look up every stimulus of every set.

    ``missing`` is ``"raise"``, ``"drop"``, or ``"balance"``, which drops and then shortens the longer set of
    each pair (x and y, a and b) from its end until both are equal. Every set must have ``least`` stimuli
    left. ``absent`` is the reason recorded for a stimulus that is not found. Of the sets ``rows_only`` only
    rows are returned, not vectors, because they may be as long as a vocabulary.
    """
    one_of("missing", missing, Missing)
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
    written, rows = dict(used), {name: np.array(found, dtype=np.intp) for name, found in places.items()}

    def leave_out(name: str, gone: NDArray[np.bool_], why: str) -> None:
        if gone.any():
            dropped[name] |= {word: why for word, out in zip(used[name], gone, strict=True) if out}
            used[name] = [word for word, out in zip(used[name], gone, strict=True) if not out]
            rows[name] = rows[name][~gone]

    for name, found in rows.items():
        leave_out(name, _without_direction(emb, found, used[name]), ZERO)
    if missing == "raise" and any(dropped.values()):
        raise missing_error(emb, {design: dropped})
    _warn_about_twins(emb, places, written)
    notes = _overlaps(emb, sets, places)
    for name in ("x", "y", "words"):  # the cosine of a word with itself is 1
        others = [other for other in rows if other != name and (name == "words" or other in "ab")]
        for other in others if name in rows else ():
            itself = same_words(emb.vectors, *((used[key], rows[key]) for key in (name, other)))
            leave_out(name, itself, f"also in {other}, and no word is compared with itself")
    for name, partner in _PARTNERS.items() if missing == "balance" else ():
        if name in used and partner in used:
            leave_out(name, np.arange(len(used[name])) >= len(used[partner]), BALANCED)
    too_few(emb, sets, used, dropped, least, design=design)
    kept = {name: tuple(words) for name, words in used.items()}
    return Gathered(
        vectors={
            name: unit(emb.vectors[at]) for name, at in rows.items() if name not in rows_only and at.size
        },
        words=kept,
        coverage=Coverage(policy=missing, used=kept, dropped=dropped, respelled=respelled, notes=notes),
        rows=rows,
        source=emb,
    )


def same_words(vectors: NDArray[Any], found: _Rows, others: _Rows) -> NDArray[np.bool_]:
    """Which words are among others, in the same row or spelled another way and with the same vector."""
    same = np.isin(found[1], others[1])
    rows = {strip_accents(word).casefold(): row for word, row in zip(*others, strict=True)}
    for at, (word, row) in enumerate(zip(*found, strict=True)):
        twin = rows.get(strip_accents(word).casefold())
        if twin is not None and vectors.shape[1] > 1:  # in one dimension all words have one direction
            one, two = unit(vectors[[row, twin]])
            same[at] |= one @ two > SAME
    return same


def listed_words(name: str, words: object, *, hint: str = "give a list of words.") -> tuple[str, ...]:
    """Words of a list, each once; an error for a single string or anything but words."""
    if isinstance(words, str | bytes) or not isinstance(words, Iterable):
        one = "one string, " if isinstance(words, str) else ""
        raise InputError(f"{name} is {one}{in_short(words)}.", hint=hint)
    listed = list(words)
    for word in listed:
        if not isinstance(word, str):
            raise InputError(f"{name} contains {in_short(word)}, of type {type(word).__name__}.", hint=hint)
    return tuple(dict.fromkeys(listed))


def check_vectors(model: object) -> None:
    """Raise an error for anything but embeddings, naming the calls that create them."""
    if not isinstance(model, Embeddings):
        raise InputError(
            f"the vectors are of type {type(model).__name__}.",
            hint="load a file with cr.load(path), or build them with cr.Embeddings.from_dict({...}).",
        )


def check_inputs(design: object, *models: object) -> None:
    """Raise an error for anything but a design and embeddings, naming the calls that create them."""
    for model in models:
        check_vectors(model)
    if not isinstance(design, Design):
        named = f"cr.catalog({design!r}) gives a published one."
        raise InputError(
            f"the design is of type {type(design).__name__}: {in_short(design)}.",
            hint=named if isinstance(design, str) else "build a cr.Design.",
        )


def require_two_targets(design: Design, *, hint: str = "give y as well.") -> None:
    """Raise an error for a design with a single target."""
    if design.y is None:
        raise DesignError(f"the design {design.name!r} has a single target.", hint=hint)


def listed_designs(designs: object) -> list[Design]:
    """One design or several, as a list; an error if there is none or anything else among them."""
    several = [designs] if isinstance(designs, Design) else designs
    if isinstance(several, str) or not isinstance(several, Iterable):
        raise InputError(
            f"the designs are {in_short(designs)}.", hint="give designs, such as [cr.catalog('weat6')]."
        )
    listed = list(several)
    if not listed:
        raise InputError("there are no designs to test.", hint="give at least one.")
    for design in listed:
        check_inputs(design)
    return listed


def _warn_about_twins(
    emb: Embeddings, places: Mapping[str, Sequence[int]], words: Mapping[str, Sequence[str]]
) -> None:
    """Warn where two spellings found the same vector, in one set or in two that should share no word."""
    twins: dict[str, None] = {}
    for name, rows in places.items():
        elsewhere: dict[int, set[str]] = {}
        for other in filter(places.__contains__, _MEETS.get(name, "")):
            for row, word in zip(places[other], words[other], strict=True):
                elsewhere.setdefault(row, set()).add(unicodedata.normalize("NFC", word))
        if len(set(rows)) == len(rows) and elsewhere.keys().isdisjoint(rows):
            continue
        seen: set[int] = set()
        for row, word in zip(rows, words[name], strict=True):
            others = elsewhere.get(row)
            if row in seen or (others is not None and unicodedata.normalize("NFC", word) not in others):
                twins[emb.labels[row]] = None
            seen.add(row)
    if twins:
        shown = join_words(map(in_short, twins), most=3)
        warnings.warn(
            f"several stimuli were found as {shown}, and count several times.",
            CrossroadsWarning,
            stacklevel=4,
        )


def _overlaps(
    emb: Embeddings, sets: Mapping[str, Sequence[str]], rows: Mapping[str, list[int]]
) -> tuple[str, ...]:
    """Vectors found in two sets, under any spelling."""
    others = {row for name, found in rows.items() if name != "words" for row in found}
    keyed: dict[str, dict[Hashable, str]] = {
        name: {row: emb.labels[row] for row in found if row in others} for name, found in rows.items()
    }
    return overlap_notes(keyed, titles_of(sets))


def _without_direction(emb: Embeddings, rows: NDArray[np.intp], words: list[str]) -> NDArray[np.bool_]:
    """Which rows are zeros and have no direction; raise an error for rows that are not finite."""
    zero = np.zeros(rows.size, dtype=bool)
    for start in range(0, rows.size, _ROWS_AT_A_TIME):
        part = slice(start, start + _ROWS_AT_A_TIME)
        vectors = emb.vectors[rows[part]]
        if vectors.dtype.kind == "f" and not np.isfinite(vectors).all():
            bad = [repr(words[start + i]) for i in np.flatnonzero(~np.isfinite(vectors).all(axis=1))]
            raise EvidenceError(
                f"the vector of {join_words(bad, most=3)} contains nan or infinite values.",
                hint="remove these rows, or fix them at their source.",
            )
        zero[part] = ~vectors.any(axis=1)
    return zero


def overlap_notes(keyed: Mapping[str, Mapping[Hashable, str]], titles: Mapping[str, str]) -> tuple[str, ...]:
    """Describe the words that are in two sets, from words by set and by the key of equal words."""
    return tuple(
        f"{shared} {text.format(_named(one, titles), _named(two, titles))}"
        for one, two, text in _OVERLAPS
        if (shared := _shared(keyed, one, two))
    )


def warn_about_sharing(design: Design, *, stacklevel: int = 3) -> None:
    """Warn, once, where words are in two sets of a design."""
    if notes := overlap_notes(keyed_by_word(design.sets), titles_of(design.sets)):
        text = f"the design {design.name!r} has {'; '.join(notes)}."
        warnings.warn(text, CrossroadsWarning, stacklevel=stacklevel)


def warn_about_words(sets: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> None:
    """Warn, once, where words are in both attributes, or are measured by attributes that contain them."""
    if notes := overlap_notes(keyed_by_word(sets), titles):
        warnings.warn(f"there is {'; '.join(notes)}.", CrossroadsWarning, stacklevel=3)


def keyed_by_word(sets: Mapping[str, Sequence[str]]) -> dict[str, dict[Hashable, str]]:
    """Words of each set by their text, however their accents are written; ``words`` only if elsewhere too."""
    keyed: dict[str, dict[Hashable, str]] = {
        name: {unicodedata.normalize("NFC", word): word for word in words}
        for name, words in sets.items()
        if name != "words"
    }
    others = {key for found in keyed.values() for key in found}
    texts = ((unicodedata.normalize("NFC", word), word) for word in sets.get("words", ()))
    return {**keyed, "words": {text: word for text, word in texts if text in others}}


def titles_of(sets: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """What each set stands for, where sets have names."""
    return {role: str(getattr(words, "name", role)) for role, words in sets.items()}


def _shared(keyed: Mapping[str, Mapping[Hashable, str]], one: str, two: str) -> str:
    there = keyed.get(two, {})
    return join_words((repr(word) for key, word in keyed.get(one, {}).items() if key in there), most=8)


def _named(role: str, titles: Mapping[str, str]) -> str:
    title = titles.get(role, role)
    return role if title == role else f"{role} ({title})"

"""The words of a design that two models have in common, with their cosines in each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from crossroads.contexts.measures.ceat import CeatResult
from crossroads.contexts.measures.draws import context_sets, counts_of, expected_cosines, near_means
from crossroads.core.errors import (
    DesignError,
    EvidenceError,
    InputError,
    Missing,
    MissingStimuliError,
    join_words,
    one_of,
)
from crossroads.core.evidence import Contexts, Embeddings, Provenance
from crossroads.core.inference.copies import Copies, Words, linked
from crossroads.core.inference.geometry import Floats, cosines, rounding_error
from crossroads.core.results import Coverage
from crossroads.core.results.gathered import BALANCED, Gathered, check_vectors, gather
from crossroads.core.stimuli import Design
from crossroads.words.measures.weat import scores_of

Evidence = Embeddings | Contexts | CeatResult
"""Evidence of one model: a vector per word, or many, or a CEAT with its cosines."""
_LEAST = {"x": 2, "y": 2, "a": 1, "b": 1}
_DIM = 1 << 14  # an upper limit of dimensions, which saved results do not record


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedWords:
    """The words that both models have, and the cosines of targets and attributes in each."""

    words: Mapping[str, tuple[str, ...]]
    """The words, by set."""
    scores: tuple[Floats, Floats]
    """Association of each target, x then y, in each model."""
    errors: tuple[float, float]
    """The largest rounding error of these associations."""
    tables: tuple[Floats, Floats]
    """Cosine of each target with each attribute, a then b: over contexts the expected one."""
    coverage: Coverage
    """Which words were left out of both models, and why."""
    provenance: tuple[Provenance, ...]
    """Where the evidence of either model came from."""
    contexts: Mapping[str, tuple[int, int]] = dataclasses.field(default_factory=dict)
    """Number of contexts of each word in either model; empty where a word has one vector."""
    copies: tuple[Copies, ...] | None = None
    """Near copies in each set, in either model; None where all words count as independent."""
    same_contexts: bool | None = None
    """Whether both models read the same contexts; None where that is not known or there are none."""

    @property
    def sizes(self) -> dict[str, int]:
        """Number of words in each set."""
        return {name: len(words) for name, words in self.words.items()}


def shared_words(
    first: Evidence, second: Evidence, design: Design, missing: str, words: Words = "effective"
) -> SharedWords:
    """Find the words of a design that both models have, in the same order."""
    one_of("missing", missing, Missing)
    one_of("words", words, Words)
    if isinstance(first, Embeddings) and isinstance(second, Embeddings):
        return _of_vectors(first, second, design, missing, words)
    over = (Contexts, CeatResult)
    if isinstance(first, over) and isinstance(second, over):
        return _of_contexts(first, second, design, missing, words)
    if not isinstance(first, over) and not isinstance(second, over):
        check_vectors(first)
        check_vectors(second)
    raise InputError(
        f"the models are of type {type(first).__name__} and {type(second).__name__}.",
        hint="compare vectors with vectors, or contexts or results of cr.ceat(...) with each other.",
    )


def _of_vectors(
    first: Embeddings, second: Embeddings, design: Design, missing: str, words: Words
) -> SharedWords:
    found = _gathered(first, second, design, missing)
    one, two = (np.concatenate(scores_of(each)[:2]) for each in found)
    tables = [
        cosines(np.concatenate([v["x"], v["y"]]), np.concatenate([v["a"], v["b"]]))
        for v in (each.vectors for each in found)
    ]
    near = [each.near(words) for each in found]
    return SharedWords(
        words=found[0].words,
        scores=(one, two),
        errors=(rounding_error(first.dim), rounding_error(second.dim)),
        tables=(tables[0], tables[1]),
        coverage=found[0].coverage,
        provenance=(first.provenance, second.provenance),
        copies=None if near[0] is None or near[1] is None else _either(near[0].copies, near[1].copies),
    )


def _either(first: Sequence[Copies], second: Sequence[Copies]) -> tuple[Copies, ...]:
    """Words that are near copies in one of the models."""
    return tuple(np.maximum(one, two) for one, two in zip(first, second, strict=True))


def _gathered(first: Embeddings, second: Embeddings, design: Design, missing: str) -> tuple[Gathered, ...]:
    """The stimuli that both models have, in the same order, with the coverage of both in the first."""
    gathered = partial(gather, least=_LEAST, design=design.name)
    whole = gathered(first, design.sets, missing="raise" if missing == "raise" else "drop")
    two = gathered(second, whole.words, missing=missing)
    one = gathered(first, two.words, missing="drop")
    left_out = ((whole.coverage.dropped, "first"), (two.coverage.dropped, "second"))
    dropped = {
        name: {
            word: _reason(reason, which) for lost, which in left_out for word, reason in lost[name].items()
        }
        for name in design.sets
    }
    coverage = _respelled(whole.coverage, two.coverage)
    coverage = dataclasses.replace(coverage, policy=missing, used=one.words, dropped=dropped)
    return Gathered(vectors=one.vectors, words=one.words, coverage=coverage, source=first), two


def _respelled(one: Coverage, two: Coverage) -> Coverage:
    """Coverage of the first model, with the words respelled in either."""
    return dataclasses.replace(one, respelled={**two.respelled, **one.respelled})


def _reason(reason: str, which: str) -> str:
    return reason if reason.startswith(("left out", "also in")) else f"{reason} of the {which} model"


@dataclass(frozen=True, eq=False)
class _Expected:
    """Expected cosines of one model over contexts."""

    table: Floats
    counts: Mapping[str, int]
    coverage: Coverage
    provenance: Provenance | None
    near: Mapping[str, Sequence[Sequence[str]]]

    def chosen(self, words: Mapping[str, Sequence[str]]) -> Floats:
        """The table of some of the words."""
        used = self.coverage.used
        places = {name: [used[name].index(word) for word in words[name]] for name in "xyab"}
        rows = [*places["x"], *(len(used["x"]) + place for place in places["y"])]
        columns = [*places["a"], *(len(used["a"]) + place for place in places["b"])]
        return np.asarray(self.table[np.ix_(rows, columns)])


def _of_contexts(
    first: Contexts | CeatResult, second: Contexts | CeatResult, design: Design, missing: str, words: Words
) -> SharedWords:
    sides = [_expected(one, design, missing) for one in (first, second)]
    independent = words == "independent"
    coverage = _shared(sides[0].coverage, sides[1].coverage, design, missing)
    used = coverage.used
    tables = [side.chosen(used) for side in sides]
    n_a = len(used["a"])
    one, two = (table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1) for table in tables)
    listed = [word for words in used.values() for word in words]
    counts = {word: (sides[0].counts[word], sides[1].counts[word]) for word in listed}
    sources = [side.provenance for side in sides]
    return SharedWords(
        words=used,
        scores=(one, two),
        errors=(rounding_error(_DIM), rounding_error(_DIM)),
        tables=(tables[0], tables[1]),
        coverage=coverage,
        provenance=tuple(source for source in sources if source is not None),
        contexts=counts,
        copies=None
        if independent
        else _either(*([linked(used[k], s.near.get(k, ())) for k in used] for s in sides)),
        same_contexts=_same(sources, counts),
    )


def _expected(evidence: Contexts | CeatResult, design: Design, missing: str) -> _Expected:
    """The expected cosines of a design, computed or read from a CEAT."""
    if isinstance(evidence, Contexts):
        policy = "raise" if missing == "raise" else "drop"
        stacked, found = context_sets(evidence, design.sets, missing=policy, least=_LEAST, design=design.name)
        counts = counts_of(stacked, found)
        near = near_means(stacked, found, "effective")
        copies = {} if near is None else near.words
        return _Expected(expected_cosines(stacked), counts, found.coverage, evidence.provenance, copies)
    coverage = evidence.coverage
    if coverage is None:
        raise EvidenceError(
            f"the CEAT of {evidence.design!r} does not say which words it measured.", hint="measure it again."
        )
    _check_saved(evidence, coverage, design)
    source = evidence.provenance[0] if evidence.provenance else None
    return _Expected(evidence._cosines, evidence.contexts, coverage, source, evidence.crossed.copies)


def _check_saved(evidence: CeatResult, coverage: Coverage, design: Design) -> None:
    """Raise an error for a result of other words, or with inconsistent parts."""
    used, table = coverage.used, evidence._cosines
    for name, words in design.sets.items():
        known = {*used.get(name, ()), *coverage.dropped.get(name, {})}
        if other := sorted(known.symmetric_difference(words)):
            raise DesignError(
                f"{name} of the design {design.name!r} is not what the CEAT of {evidence.design!r} measured: "
                f"{join_words(other, most=4)} in one of them only.",
                hint="compare results of the same word lists.",
            )
    shape = (len(used["x"]) + len(used["y"]), len(used["a"]) + len(used["b"]))
    counted = all(word in evidence.contexts for words in used.values() for word in words)
    wrong = ""
    if table.shape != shape or not counted:
        wrong = f"has cosines of shape {table.shape} for {shape[0]} targets and {shape[1]} attributes"
    elif not (np.abs(table) <= 1 + rounding_error(_DIM)).all():  # false for NaN too
        wrong = "contains numbers that are not cosines"
    if wrong:
        what = f"the CEAT of {evidence.design!r} {wrong}."
        raise EvidenceError(what, hint="the file was changed; measure it again.")


def _shared(one: Coverage, two: Coverage, design: Design, missing: str) -> Coverage:
    """Words with contexts in both models, and why others are left out."""
    dropped: dict[str, dict[str, str]] = {}
    used: dict[str, list[str]] = {}
    for name, words in design.sets.items():
        lacks = one.dropped.get(name, {}), two.dropped.get(name, {})
        dropped[name] = {word: _lacking(word, *lacks) for word in words if word in {*lacks[0], *lacks[1]}}
        used[name] = [word for word in words if word not in dropped[name]]
    missing_words = {word: why for lacks in dropped.values() for word, why in lacks.items()}
    if missing == "raise" and missing_words:
        raise MissingStimuliError(
            f"{join_words(missing_words, most=6)} of the design {design.name!r}: not in both models.",
            missing=missing_words,
            hint="pass missing='drop' to leave them out of both.",
        )
    for name, partner in (("x", "y"), ("a", "b")) if missing == "balance" else ():
        keep = min(len(used[name]), len(used[partner]))
        for each in (name, partner):
            dropped[each] |= dict.fromkeys(used[each][keep:], BALANCED)
            del used[each][keep:]
    for name, need in _LEAST.items():
        if len(used[name]) < need:
            raise MissingStimuliError(
                f"{name} has {len(used[name])} of {len(design.sets[name])} stimuli in both models, and needs "
                f"{need}; left out: {join_words(dropped[name], most=6)}.",
                missing=dropped[name],
                hint="collect contexts of these words for both models.",
            )
    return Coverage(
        policy=missing,
        used={name: tuple(words) for name, words in used.items()},
        dropped=dropped,
        respelled={**two.respelled, **one.respelled},
    )


def _lacking(word: str, first: Mapping[str, str], second: Mapping[str, str]) -> str:
    """Why a word is left out, and which model lacks it."""
    if word in first and word in second:
        return f"{first[word]} in either model"
    return f"{first[word]} in the first model" if word in first else f"{second[word]} in the second model"


def _same(sources: Sequence[Provenance | None], counts: Mapping[str, tuple[int, int]]) -> bool | None:
    """Whether two models read the same contexts: as many of each word, from one collection.

    None where a store does not record the checksum of the contexts that it was computed from.
    """
    if any(one != two for one, two in counts.values()):
        return False
    records = [None if source is None else source.details.get("record") for source in sources]
    one, two = (record.get("contexts") if isinstance(record, Mapping) else None for record in records)
    return one == two if isinstance(one, str) and isinstance(two, str) else None

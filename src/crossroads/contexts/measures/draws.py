"""Contexts of the words of a design, drawn at random, and the associations in each draw."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, InputError, in_short, join_words, one_of
from crossroads.core.evidence import Contexts
from crossroads.core.inference.copies import Near, Words, near
from crossroads.core.inference.crossed import Crossed, crossed
from crossroads.core.inference.geometry import Floats, rounding_error, unit
from crossroads.core.inference.permutation.compiled import kernels
from crossroads.core.inference.permutation.test import Alternative, PermutationResult, permutation_test
from crossroads.core.results.gaps import NO_CONTEXT
from crossroads.core.results.gathered import (
    Gathered,
    check_inputs,
    gather,
    require_two_targets,
    same_words,
    warn_about_sharing,
)
from crossroads.core.stimuli import Design

_SAFE_SQUARES = (1e-280, 1e300)  # squared lengths outside lose digits; the kernel has the same bounds
_BLOCK = 256
_BLOCK_BYTES = 16 << 20
_TABLE_BYTES = 1 << 24
_WORTH_COMPILING = 20_000_000
STIMULUS_WORK = 2e6  # work beyond which a p-value over stimuli is bracketed, to within one per cent


@dataclass(frozen=True, kw_only=True, eq=False)
class Stack:
    """The context vectors of the words of a design, in memory order."""

    rows: NDArray[Any]  # context vectors, of any length; those of a word are contiguous
    scale: NDArray[Any]  # inverse length of each row
    starts: NDArray[np.int64]  # first row of each word, in the order x, y, a, b
    counts: NDArray[np.int64]  # number of contexts of each word
    means: Floats  # mean of the unit vectors of each word
    sizes: tuple[int, ...]  # number of words in each set
    positions: tuple[int, ...]  # position of each word among those of the contexts

    @property
    def edges(self) -> tuple[int, int]:
        """Positions of the first word of A and of the first of B."""
        n_targets = sum(self.sizes[:-2])
        return n_targets, n_targets + self.sizes[-2]

    def unit(self, word: int) -> NDArray[Any]:
        """Unit context vectors of one word."""
        place = slice(self.starts[word], self.starts[word] + self.counts[word])
        return np.asarray(self.rows[place] * self.scale[place, None])


@dataclass(eq=False)
class _Known:
    """Values computed from a set of contexts, valid for its lifetime because it is read-only."""

    scales: dict[int, NDArray[Any]] = field(default_factory=dict)
    means: dict[int, Floats] = field(default_factory=dict)
    tests: dict[tuple[Any, ...], tuple[PermutationResult, Crossed]] = field(default_factory=dict)


_KNOWN: WeakKeyDictionary[Contexts, _Known] = WeakKeyDictionary()


def stack(contexts: Contexts, found: Mapping[str, Sequence[str]]) -> Stack:
    """Collect the contexts of the words that were found, by set, with their lengths and means."""
    words = [word for name in found for word in found[name]]
    positions = [match.row for word in words if (match := contexts.find(word)) is not None]
    places = [contexts.place(position) for position in positions]
    known = _KNOWN.setdefault(contexts, _Known())
    _summarise(contexts, known, positions, places)
    kind = np.promote_types(contexts.dtype, np.float32)
    counts = np.array([stop - start for _, start, stop in places], dtype=np.int64)
    first, *others = {block for block, _, _ in places}
    block = contexts.blocks[first]
    if others or block.dtype != kind or not block.flags.c_contiguous:
        pieces = [(contexts.blocks[b][i:j], known.scales[b][i:j]) for b, i, j in places]
        rows = np.concatenate([piece for piece, _ in pieces], dtype=kind)
        scale = np.concatenate([part for _, part in pieces])
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    else:
        rows, scale = np.asarray(block), known.scales[first]
        starts = np.array([start for _, start, _ in places], dtype=np.int64)
    return Stack(
        rows=rows,
        scale=scale,
        starts=starts,
        counts=counts,
        means=np.stack([known.means[position] for position in positions]),
        sizes=tuple(len(part) for part in found.values()),
        positions=tuple(positions),
    )


def _summarise(
    contexts: Contexts, known: _Known, positions: list[int], places: list[tuple[int, int, int]]
) -> None:
    """Compute lengths and means of the words for which they are not yet known."""
    kind = np.promote_types(contexts.dtype, np.float32)
    new = {p: place for p, place in zip(positions, places, strict=True) if p not in known.means}
    work = sum(stop - start for _, start, stop in new.values()) * contexts.dim
    compiled = kernels() if contexts.dtype == kind and _worth(work) else None
    for block in {block for block, _, _ in new.values()}:
        if block not in known.scales:
            known.scales[block] = np.zeros(len(contexts.blocks[block]), kind)
        here = {p: place[1:] for p, place in new.items() if place[0] == block}
        spans = np.array(list(here.values()), dtype=np.int64)
        means = np.empty((len(here), contexts.dim))
        rows, scale = np.asarray(contexts.blocks[block]), known.scales[block]
        if compiled is not None and rows.flags.c_contiguous:
            compiled.unit_summaries(rows, spans[:, 0], spans[:, 1], scale, means)
        else:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                parts = [(rows[i:j], scale[i:j], mean) for (i, j), mean in zip(spans, means, strict=True)]
                list(pool.map(lambda part: _summarise_word(*part), parts))
        for number, (position, (start, stop)) in enumerate(here.items()):
            lengths = scale[start:stop]
            if not (np.isfinite(lengths).all() and lengths.all()):
                means[number] = _rescaled(rows[start:stop], lengths, contexts.words[position])
            known.means[position] = means[number]


def _rescaled(rows: NDArray[Any], scale: NDArray[Any], word: str) -> Floats:
    """Inverse lengths, and the mean unit vector, where squares overflow or underflow in double precision."""
    exact = np.asarray(rows, dtype=np.float64)
    largest = np.abs(exact).max(axis=1)
    if not (np.isfinite(largest) & (largest > 0)).all():
        raise EvidenceError(
            f"a context of {word!r} is a zero vector or not finite.", hint="leave this context out."
        )
    turned = unit(exact)
    at = np.arange(len(exact)), np.abs(exact).argmax(axis=1)
    with np.errstate(over="ignore"):
        scale[:] = turned[at] / exact[at]
    if not np.isfinite(scale).all():
        short = f"is too short for {rows.dtype}: its largest value is {largest.min():.3g}"
        hint = "multiply all vectors by a constant, which changes no cosine."
        raise EvidenceError(f"a context of {word!r} {short}.", hint=hint)
    return np.asarray(turned.mean(axis=0))


def _summarise_word(rows: NDArray[Any], scale: NDArray[Any], mean: Floats) -> None:
    exact = np.asarray(rows, dtype=np.float64)
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", exact, exact)
    usable = (squares > _SAFE_SQUARES[0]) & (squares < _SAFE_SQUARES[1])
    inverse = np.divide(1.0, np.sqrt(squares), where=usable, out=np.zeros_like(squares))
    with np.errstate(over="ignore"):
        scale[:] = inverse
    if usable.all():
        np.einsum("i,ij->j", inverse, exact, out=mean)
        mean /= len(rows)


def _worth(work: int) -> bool:
    """Whether the compiled kernels are worth loading; once they are loaded, they always are."""
    return work >= _WORTH_COMPILING or "crossroads.core.inference.permutation.kernels" in sys.modules


def draw_contexts(counts: NDArray[np.int64], samples: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Draw one context per word for each sample, uniformly; one row per word."""
    drawn = rng.random((counts.size, samples))
    drawn *= counts[:, None]
    return drawn.astype(np.int32)


def sample_associations(stacked: Stack, drawn: NDArray[np.int32], *, compiled: bool | None = None) -> Floats:
    """Compute the association of each target in each sample; one row per sample."""
    rows, (n_targets, n_before_b) = stacked.rows, stacked.edges
    index = np.int32 if len(rows) <= np.iinfo(np.int32).max else np.int64
    picked = drawn + stacked.starts[:, None].astype(index)
    samples = picked.shape[1]
    worth = compiled if compiled is not None else _worth(picked.size * rows.shape[1])
    found = kernels() if worth else None
    if found is not None:
        # few large blocks use contexts again best, but every core should have one
        blocks = max(-(-samples * rows.shape[1] * rows.itemsize // _BLOCK_BYTES), os.cpu_count() or 1)
        size = max(64, -(-samples // blocks))
        n_a = n_before_b - n_targets
        s = found.contextual_associations(rows, stacked.scale, picked, n_targets, n_a, size)
        return np.asarray(s.T)
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # numpy releases the interpreter lock here
        pieces = (picked[:, start : start + _BLOCK] for start in range(0, samples, _BLOCK))
        return np.concatenate(list(pool.map(partial(_block_associations, stacked), pieces)), axis=1).T


def _block_associations(stacked: Stack, picked: NDArray[Any]) -> Floats:
    rows, scale, (n_targets, n_before_b) = stacked.rows, stacked.scale, stacked.edges
    difference = _mean(rows, scale, picked[n_targets:n_before_b])
    difference -= _mean(rows, scale, picked[n_before_b:])
    s = np.empty((n_targets, picked.shape[1]))
    for at, word in enumerate(picked[:n_targets]):
        s[at] = np.einsum("nd,nd->n", rows[word], difference)
        s[at] *= scale[word]
    return s


def _mean(rows: NDArray[Any], scale: NDArray[Any], picked: NDArray[Any]) -> NDArray[Any]:
    total: NDArray[Any] = rows[picked[0]] * scale[picked[0], None]
    for word in picked[1:]:
        total += rows[word] * scale[word, None]
    total /= len(picked)
    return total


def expected_associations(stacked: Stack) -> Floats:
    """Compute the expected association of each target over all choices of contexts.

    Contexts are drawn independently, so the expected cosine of two words is the product of their mean unit
    vectors.
    """
    targets, a, b = np.split(stacked.means, stacked.edges)
    return np.asarray(targets @ (a.mean(axis=0) - b.mean(axis=0)))


def expected_cosines(stacked: Stack) -> Floats:
    """Expected cosine of each target with each attribute over all choices of contexts, one row per target."""
    targets, attributes = np.split(stacked.means, stacked.edges[:1])
    # not a matrix product: the threads of BLAS keep spinning afterwards and slow down the next kernel
    return np.asarray(np.einsum("td,ad->ta", targets, attributes))


def check_spread(variances: Floats, stacked: Stack) -> None:
    """Raise an error for samples whose associations differ by rounding error only."""
    if not (np.sqrt(variances) > 8 * np.finfo(stacked.rows.dtype).eps).all():
        hint = "check that the contexts of different words differ."
        raise EvidenceError("all associations of a sample are equal, so it has no effect size.", hint=hint)


def check_expected(scores: Floats, dim: int, what: str) -> None:
    """Raise an error for expected scores that differ by rounding error only: they have no effect size."""
    if float(scores.max() - scores.min()) <= 2 * rounding_error(dim):
        fault = f"every {what} equals {float(scores[0]):.6g} over all contexts, so there is no effect size."
        hint = "check that the contexts differ and that the two attributes are not the same words."
        raise EvidenceError(fault, hint=hint)


def near_means(stacked: Stack, found: Gathered, words: Words) -> Near | None:
    """Near copies by the mean vectors of words over their contexts."""
    if one_of("words", words, Words) == "independent":
        return None
    means = np.split(stacked.means, np.cumsum(stacked.sizes)[:-1])
    return near(dict(zip(found.words, means, strict=True)), found.words)


def stimulus_test(
    contexts: Contexts, stacked: Stack, s: Floats, table: Floats, copies: Near | None
) -> tuple[PermutationResult, Crossed]:
    """Exchange the labels of two targets on their expected associations; and draw all words.

    The p-value depends on the contexts and the words alone, so it is cached with the contexts: other seeds
    and numbers of samples do not repeat the test.
    """
    tests = _KNOWN.setdefault(contexts, _Known()).tests
    key = (stacked.positions, stacked.sizes, copies is None)
    if key not in tests:
        n_x, n_a = stacked.sizes[0], stacked.sizes[-2]
        options = exchange_options(contexts, "two-sided")
        drawn = crossed(table, n_x, n_a, near=copies, **options)
        tests[key] = permutation_test(s[:n_x], s[n_x:], **options), drawn
    return tests[key]


def exchange_options(contexts: Contexts, alternative: Alternative) -> dict[str, Any]:
    """How labels are exchanged on expected associations."""
    error = rounding_error(contexts.dim)
    return {"alternative": alternative, "score_error": error, "max_work": STIMULUS_WORK}


def design_contexts(
    contexts: Contexts, design: Design, *, missing: str, least: Mapping[str, int]
) -> tuple[Stack, Gathered]:
    """The contexts of a design with two targets, in the order x, y, a, b."""
    check_contexts(contexts)
    check_inputs(design)
    require_two_targets(design)
    warn_about_sharing(design)
    return context_sets(contexts, design.sets, missing=missing, least=least, design=design.name)


def context_sets(
    contexts: Contexts,
    sets: Mapping[str, Sequence[str]],
    *,
    missing: str,
    least: Mapping[str, int],
    design: str = "",
) -> tuple[Stack, Gathered]:
    """Look up the contexts of several sets of words, by the same rules as vectors (``gather``)."""
    found = gather(contexts.index, sets, missing=missing, least=least, absent=NO_CONTEXT, design=design)
    stacked = stack(contexts, found.words)
    named = [word for words in found.words.values() for word in words]
    cut, rows = stacked.edges[0], np.arange(len(named))
    same = same_words(stacked.means, (named[:cut], rows[:cut]), (named[cut:], rows[cut:]))
    if same.any():
        raise EvidenceError(
            f"{join_words(map(in_short, compress(named, same)), most=3)} has the contexts of an attribute.",
            hint="no word is compared with itself: leave it out of the targets.",
        )
    return stacked, found


def shared_fields(contexts: Contexts, found: Gathered, measure: str, **options: Any) -> dict[str, Any]:
    """Fields that every result over contexts has."""
    fallback = ", ".join(contexts.fallback) or "none"
    conventions = {"measure": measure, **options, "missing": found.coverage.policy, "fallback": fallback}
    return {"coverage": found.coverage, "conventions": conventions, "provenance": (contexts.provenance,)}


def counts_of(stacked: Stack, found: Gathered) -> dict[str, int]:
    """Number of contexts of each word."""
    words = [word for members in found.words.values() for word in members]
    return dict(zip(words, stacked.counts.tolist(), strict=True))


def check_contexts(contexts: object) -> None:
    """Raise an error for anything but contexts, naming the calls that create them."""
    if not isinstance(contexts, Contexts):
        hint = "open a store with cr.Contexts.open(path), or build them with cr.Contexts.from_dict({...})."
        raise InputError(f"the contexts are of type {type(contexts).__name__}.", hint=hint)


def sample_cosines(stacked: Stack, drawn: NDArray[np.int32], n_first: int) -> Iterator[tuple[slice, Floats]]:
    """Cosines of the first words with the others, one table per sample, for a block of samples at a time.

    ``drawn`` has the index of the context of each word (row) in each sample.
    """
    rows, scale = stacked.rows, stacked.scale
    picked = (drawn + stacked.starts[:, None]).T
    size = max(1, _TABLE_BYTES // (drawn.shape[0] * rows.shape[1] * rows.itemsize))
    for start in range(0, len(picked), size):
        block = slice(start, min(start + size, len(picked)))
        here = picked[block]
        # unit vectors first: products of very long or short ones would overflow or underflow in float32
        vectors: NDArray[Any] = rows[here] * scale[here][:, :, None]
        table = vectors[:, :n_first] @ vectors[:, n_first:].transpose(0, 2, 1)
        yield block, table.astype(np.float64)

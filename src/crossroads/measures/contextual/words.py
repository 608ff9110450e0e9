"""Lookup of the contexts of sets of words, shared by all measures over contexts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import DesignError, InputError
from crossroads.evidence import Contexts
from crossroads.geometry import Floats
from crossroads.measures.contextual.draws import Stack, stack
from crossroads.measures.coverage.gaps import NO_CONTEXT
from crossroads.measures.coverage.overlaps import warn_about_sharing
from crossroads.measures.coverage.words import Gathered, check_inputs, gather
from crossroads.stimuli import Design

_BLOCK_BYTES = 1 << 24


def design_contexts(
    contexts: Contexts, design: Design, *, missing: str, least: Mapping[str, int]
) -> tuple[Stack, Gathered]:
    """The contexts of a design with two targets, in the order x, y, a, b."""
    check_contexts(contexts)
    check_inputs(design)
    if design.y is None:
        raise DesignError(f"the design {design.name!r} has a single target.", hint="give y as well.")
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
    """Look up the contexts of several sets of words, by the same rules as vectors.

    Parameters
    ----------
    contexts
        The contexts to search.
    sets
        Words by set.
    missing, least, design
        As in :func:`~crossroads.measures.coverage.words.gather`.
    """
    found = gather(contexts.index, sets, missing=missing, least=least, absent=NO_CONTEXT, design=design)
    return stack(contexts, found.words), found


def counts_of(stacked: Stack, found: Gathered) -> dict[str, int]:
    """Number of contexts of each word."""
    words = [word for members in found.words.values() for word in members]
    return dict(zip(words, stacked.counts.tolist(), strict=True))


def check_contexts(contexts: object) -> None:
    """Raise an error for anything but contexts, naming the calls that create them."""
    if not isinstance(contexts, Contexts):
        raise InputError(
            f"the contexts are of type {type(contexts).__name__}.",
            hint="open a store with cr.Contexts.open(path), or build them with cr.Contexts.from_dict({...}).",
        )


def sample_cosines(stacked: Stack, drawn: NDArray[np.int32], n_first: int) -> Iterator[tuple[slice, Floats]]:
    """Compute cosines of the first words with the others in each sample, a block of samples at a time.

    Parameters
    ----------
    stacked
        Context vectors.
    drawn
        Index of the context of each word in each sample; one row per word.
    n_first
        Number of words in the rows of the table; the others are in its columns.

    Yields
    ------
    tuple of slice and array
        The samples, and one table per sample.
    """
    rows, scale = stacked.rows, stacked.scale
    samples = drawn.shape[1]
    picked = (drawn + stacked.starts[:, None]).T
    size = max(1, _BLOCK_BYTES // (drawn.shape[0] * rows.shape[1] * rows.itemsize))
    for start in range(0, samples, size):
        block = slice(start, min(start + size, samples))
        here = picked[block]
        # unit vectors first: products of very long or short ones would overflow or underflow in float32
        vectors: NDArray[Any] = rows[here] * scale[here][:, :, None]
        table = vectors[:, :n_first] @ vectors[:, n_first:].transpose(0, 2, 1)
        yield block, table.astype(np.float64)

"""Compiled versions of the inner loops, for the ``fast`` extra. Importing this module needs numba.

Kernels that count return exactly what their numpy counterparts return; those that add real numbers agree up
to rounding. The tests compare them.

All release the interpreter lock, so that other threads run, including the one that handles Ctrl-C. Those that
use all processors run one at a time, because not every threading layer of numba is thread-safe.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numba import njit, prange

from crossroads.core.inference.permutation.counting import Overlap
from crossroads.core.inference.permutation.scores import Integers

_WINDOW = 1 << 14  # sums read at a time: with their bins they fit in the L2 cache
_BINS = 1 << 16
_SCANNED = 16  # up to this size, comparing every sum of a bin is faster than a search that branches
_PROCESSORS = threading.Lock()


def _one_at_a_time(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Make a kernel wait until no other is running."""

    @wraps(kernel)
    def run(*arguments: Any) -> Any:
        with _PROCESSORS:
            return kernel(*arguments)

    return run


def count_overlap(part: Overlap, tie: int) -> tuple[int, int]:
    """Compiled :func:`crossroads.core.inference.permutation.counting.count_overlap`."""
    if part.work == 0:
        return 0, 0
    x = _rows(part.x_blocks, part.low, part.high + 2 * tie)
    y = _rows(part.y_blocks, part.low + tie, part.high + tie)
    above, tied = _count_rows(*x, *y, part.low, part.high, tie)
    return int(above), int(tied)


def _rows(blocks: list[tuple[Integers, Integers]], low: int, high: int) -> tuple[Integers, ...]:
    """Rows as flat arrays: base, first position, end position; and all back sums in one array."""
    base, start, end, flat = [], [], [], []
    offset = 0
    for front, back in blocks:
        base.append(front)
        start.append(np.searchsorted(back, low - front) + offset)
        end.append(np.searchsorted(back, high - front) + offset)
        flat.append(back)
        offset += back.size
    # most rows have no sum in the overlap: without them every window is faster to fill
    keep = np.concatenate(end) > np.concatenate(start)
    return (
        np.concatenate(base)[keep],
        np.concatenate(start)[keep],
        np.concatenate(end)[keep],
        np.concatenate(flat),
    )


@njit(cache=True, nogil=True)
def _fill(
    base: Any, start: Any, end: Any, flat: Any, limit: Any, reach: Any, buffer: Any, position: Any
) -> Any:
    """Copy every sum below ``reach`` into the buffer, and note where the sums below ``limit`` end.

    Returns how many are below the limit and how many were copied; the latter is -1 if they do not fit.
    """
    count = 0
    inside = 0
    for row in range(base.size):
        at = start[row]
        # the base is subtracted from the limits once, not added to every sum of the row
        below = limit - base[row]
        beyond = reach - base[row]
        position[row] = end[row]
        passed = False
        while at < end[row] and flat[at] < beyond:
            if not passed:
                if flat[at] >= below:
                    position[row] = at
                    passed = True
                else:
                    inside += 1
            if count == buffer.size:  # the caller narrows the window and calls again
                return inside, -1
            buffer[count] = flat[at] + base[row]
            count += 1
            at += 1
        if not passed:
            position[row] = at
    return inside, count


@njit(cache=True, nogil=True)
def _sort_into_bins(buffer: Any, count: Any, low: Any, shift: Any, bins: Any, ends: Any, ordered: Any) -> Any:
    """Counting sort: bin j ends up as ``ordered[ends[j]:ends[j + 1]]``; large bins are sorted within."""
    # a sort by comparison would take most of the time; within a window the sums are nearly uniform, so that
    # bins of equal width have a few each, and a shift finds the bin
    for j in range(bins + 2):
        ends[j] = 0
    for i in range(count):
        # counted two places on: after the running sum and the second pass, ends[j] is where bin j begins
        ends[((buffer[i] - low) >> shift) + 2] += 1
    for j in range(2, bins + 2):
        ends[j] += ends[j - 1]
    for i in range(count):
        j = ((buffer[i] - low) >> shift) + 1
        ordered[ends[j]] = buffer[i]
        ends[j] += 1
    for j in range(bins):
        if ends[j + 1] - ends[j] > _SCANNED:
            ordered[ends[j] : ends[j + 1]].sort()


@njit(cache=True, nogil=True)
def _below(ordered: Any, first: Any, last: Any, value: Any) -> Any:
    """Number of ``ordered[first:last]``, one bin, below a value; large bins are sorted."""
    if last - first <= _SCANNED:
        found = 0
        for i in range(first, last):
            found += ordered[i] < value
        return found
    start = first
    while first < last:
        middle = (first + last) >> 1
        if ordered[middle] < value:
            first = middle + 1
        else:
            last = middle
    return first - start


@njit(cache=True, nogil=True)
def _count_rows(
    x_base: Any,
    x_start: Any,
    x_end: Any,
    x_flat: Any,
    y_base: Any,
    y_start: Any,
    y_end: Any,
    y_flat: Any,
    low: Any,
    high: Any,
    tie: Any,
) -> Any:
    """Read the overlap by windows; the rule is in :mod:`crossroads.core.inference.permutation.counting`."""
    above = tied = seen = 0
    buffer = np.empty(2 * _WINDOW, np.int64)
    ordered = np.empty(2 * _WINDOW + 1, np.int64)
    ends = np.zeros(_BINS + 4, np.int32)
    # sums of both groups are integers: comparisons are exact, and ties lie within a known distance
    position = x_start.copy()
    narrowest = 4 * tie + 1  # below this, windows would read the sums within a tie repeatedly
    width = max(narrowest, (high - low) // ((x_end - x_start).sum() // _WINDOW + 1))
    left_edge = low
    while left_edge < high:
        right_edge = min(left_edge + width, high)
        # a tie extends beyond the edge: these sums are read here and again in the next window
        reach = right_edge + 2 * tie
        inside, count = _fill(x_base, x_start, x_end, x_flat, right_edge, reach, buffer, position)
        if count < 0:
            if width > narrowest:
                width = max(narrowest, width // 4)
            else:  # more sums in the narrowest window than the buffer holds
                buffer = np.empty(4 * buffer.size, np.int64)
                ordered = np.empty(buffer.size + 1, np.int64)
            continue
        x_start[:] = position
        span = reach - left_edge
        # about four bins for each sum, so that most are empty or have one
        shift = 0
        while (span >> shift) + 1 > min(_BINS, max(64, 4 * count)):
            shift += 1
        _sort_into_bins(buffer, count, left_edge, shift, (span >> shift) + 1, ends, ordered)
        n_y = 0
        for row in range(y_base.size):
            at = y_start[row]
            below = right_edge + tie - y_base[row]
            while at < y_end[row] and y_flat[at] < below:
                value = y_flat[at] + y_base[row] - tie
                upper = value + 2 * tie
                j = (value - left_edge) >> shift
                k = (upper - left_edge) >> shift
                # both ends of the tie are nearly always in one small bin: count both in one pass
                if j == k and ends[j + 1] - ends[j] <= _SCANNED:
                    above += ends[j]
                    for i in range(ends[j], ends[j + 1]):
                        above += ordered[i] < value
                        tied += value <= ordered[i] <= upper
                else:
                    left = ends[j] + _below(ordered, ends[j], ends[j + 1], value)
                    above += left
                    tied += ends[k] + _below(ordered, ends[k], ends[k + 1], upper + 1) - left
                n_y += 1
                at += 1
            y_start[row] = at
        # every sum of earlier windows is below all of this one
        above += seen * n_y
        seen += inside
        left_edge = right_edge
        # make the next window as wide as would have filled this one, at most twice as wide
        busiest = max(count, n_y)
        width = min(high - low, max(narrowest, int(width * min(2.0, _WINDOW / max(1, busiest)))))
    return above, tied


@_one_at_a_time
@njit(parallel=True, cache=True, nogil=True)
def count_small_rows(
    scores: Any, n_x: Any, x_order: Any, y_order: Any, bounds_x: Any, bounds_y: Any, ties: Any
) -> Any:
    """Count divisions above and tied with the observed one, for every row of a table of small-group scores.

    ``x_order`` and ``y_order`` list the subsets of each group as bit masks in order of their size; subsets of
    size k are at ``bounds[k]`` to ``bounds[k + 1]``.
    """
    n_rows, n = scores.shape
    n_y = n - n_x
    above = np.empty(n_rows, np.int64)
    tied = np.empty(n_rows, np.int64)
    for row in prange(n_rows):
        x_by_mask = np.zeros(1 << n_x, np.int64)
        y_by_mask = np.zeros(1 << n_y, np.int64)
        x = np.empty(x_order.size, np.int64)
        y = np.empty(y_order.size, np.int64)
        # each subset is a smaller one plus its highest member: one addition per sum
        for j in range(n_x):
            for mask in range(1 << j):
                x_by_mask[(1 << j) + mask] = x_by_mask[mask] + scores[row, j]
        for j in range(n_y):
            for mask in range(1 << j):
                y_by_mask[(1 << j) + mask] = y_by_mask[mask] + scores[row, n_x + j]
        for i in range(x.size):
            x[i] = x_by_mask[x_order[i]]
        for i in range(y.size):
            y[i] = y_by_mask[y_order[i]]
        tie = ties[row]
        n_above = 0
        n_reaching = 0
        for k in range(min(n_x, n_y) + 1):
            v = y[bounds_y[k] : bounds_y[k + 1]]
            # swapping k of X for k of Y raises the statistic where the sum of Y is larger; with groups this
            # small, comparing all pairs without a branch is faster than sorting
            for i in range(bounds_x[k], bounds_x[k + 1]):
                threshold = x[i] + tie
                reach = x[i] - tie
                strictly = 0
                weakly = 0
                for u in range(v.size):
                    strictly += v[u] > threshold
                    weakly += v[u] >= reach
                n_above += strictly
                n_reaching += weakly
        above[row] = n_above
        tied[row] = n_reaching - n_above
    return above, tied


@_one_at_a_time
@njit(parallel=True, fastmath=True, cache=True, nogil=True)
def contextual_associations(rows: Any, scale: Any, drawn: Any, n_targets: Any, n_a: Any, block: Any) -> Any:
    """Compute the association of each target in each sample of contexts.

    It is the product of the target with the attribute difference. ``drawn`` has one row per word and one
    column per sample. Samples are processed block by block and, within a block, four words at a time, so that
    the contexts of these words stay in the cache while the block draws from them and each difference is read
    once for four products.
    """
    n_words, n_samples = drawn.shape
    kind = rows.dtype.type
    share = np.ones(n_words, rows.dtype)
    share[n_targets : n_targets + n_a] = kind(1.0 / n_a)
    # mean over A less mean over B is one weighted sum over all attributes
    share[n_targets + n_a :] = kind(-1.0 / (n_words - n_targets - n_a))
    found = np.empty((n_targets, n_samples), np.float64)
    for number in prange((n_samples + block - 1) // block):
        first = number * block
        last = min(n_samples, first + block)
        difference = np.zeros((last - first, rows.shape[1]), rows.dtype)
        word = n_targets
        while word + 4 <= n_words:
            _add_four(rows, scale, share, drawn, word, first, last, difference)
            word += 4
        while word < n_words:
            for i in range(first, last):
                row = drawn[word, i]
                factor = share[word] * scale[row]
                for k in range(rows.shape[1]):
                    difference[i - first, k] += factor * rows[row, k]
            word += 1
        word = 0
        while word + 4 <= n_targets:
            _multiply_four(rows, scale, drawn, word, first, last, difference, found)
            word += 4
        while word < n_targets:
            for i in range(first, last):
                row = drawn[word, i]
                total = kind(0)
                for k in range(rows.shape[1]):
                    total += rows[row, k] * difference[i - first, k]
                found[word, i] = total * scale[row]
            word += 1
    return found


@njit(fastmath=True, cache=True, nogil=True)
def _add_four(
    rows: Any, scale: Any, share: Any, drawn: Any, word: Any, first: Any, last: Any, difference: Any
) -> None:
    """Add the drawn contexts of four attribute words to the differences of a block of samples."""
    for i in range(first, last):
        r0, r1, r2, r3 = drawn[word, i], drawn[word + 1, i], drawn[word + 2, i], drawn[word + 3, i]
        f0, f1 = share[word] * scale[r0], share[word + 1] * scale[r1]
        f2, f3 = share[word + 2] * scale[r2], share[word + 3] * scale[r3]
        a0, a1, a2, a3 = rows[r0], rows[r1], rows[r2], rows[r3]
        into = difference[i - first]
        for k in range(rows.shape[1]):
            into[k] += f0 * a0[k] + f1 * a1[k] + f2 * a2[k] + f3 * a3[k]


@njit(fastmath=True, cache=True, nogil=True)
def _multiply_four(
    rows: Any, scale: Any, drawn: Any, word: Any, first: Any, last: Any, difference: Any, found: Any
) -> None:
    """Multiply the drawn contexts of four targets by the differences of a block of samples."""
    kind = rows.dtype.type
    for i in range(first, last):
        r0, r1, r2, r3 = drawn[word, i], drawn[word + 1, i], drawn[word + 2, i], drawn[word + 3, i]
        a0, a1, a2, a3 = rows[r0], rows[r1], rows[r2], rows[r3]
        with_ = difference[i - first]
        t0, t1, t2, t3 = kind(0), kind(0), kind(0), kind(0)
        for k in range(rows.shape[1]):
            t0 += a0[k] * with_[k]
            t1 += a1[k] * with_[k]
            t2 += a2[k] * with_[k]
            t3 += a3[k] * with_[k]
        found[word, i], found[word + 1, i] = t0 * scale[r0], t1 * scale[r1]
        found[word + 2, i], found[word + 3, i] = t2 * scale[r2], t3 * scale[r3]


@_one_at_a_time
@njit(parallel=True, fastmath={"reassoc", "contract"}, cache=True, nogil=True)  # infinities must be kept
def unit_summaries(rows: Any, starts: Any, stops: Any, scale: Any, means: Any) -> None:
    """Compute the inverse length of every row of some words, and the mean unit vector of each word.

    A row whose squared length is 0, not finite, or so small or large that it lost digits gets the scale 0.
    """
    for word in prange(starts.size):
        total = means[word]
        total[:] = 0
        for row in range(starts[word], stops[word]):
            square = 0.0
            for k in range(rows.shape[1]):
                square += np.float64(rows[row, k]) * np.float64(rows[row, k])
            inverse = 1.0 / np.sqrt(square) if 1e-280 < square < 1e300 else 0.0
            scale[row] = inverse
            for k in range(rows.shape[1]):
                total[k] += inverse * np.float64(rows[row, k])
        for k in range(rows.shape[1]):
            total[k] /= stops[word] - starts[word]


_DEPTH = 2.0
_DEEPER = 1.5
_LEAST_DEEPER = 1.01
_BLOCK = 16


@njit(cache=True, nogil=True)
def _least_change(below: Any, gap: Any, gamma: Any) -> Any:
    """Sum the squared changes for one target, and find how far the new logit is below the top plus γ.

    ``below`` has the distances of the largest logits below the top in ascending order, ``gap`` that of the
    target. See :mod:`crossroads.traits.measures.least_change` for the rule.
    """
    # the target is among the largest itself, and does not compete with itself
    own = np.searchsorted(below, gap)
    if own == below.size or below[own] != gap:
        own = -1
    first = 1 if own == 0 else 0
    if first >= below.size:
        return 0.0, gamma + gap
    # distances are from the nearest competitor: differences of close numbers keep their digits
    nearest = below[first]
    total = gamma + (gap - nearest)
    movers = 0
    for j in range(first, below.size):
        if j == own:
            continue
        # a competitor moves only if it is above the level to which those before it are lowered
        if not (below[j] - nearest) * (movers + 1) < total:
            break
        movers += 1
        total += below[j] - nearest
    lead = total / (movers + 1)
    summed = squared = 0.0
    j = first
    while movers > 0:
        if j != own:
            moved = lead - (below[j] - nearest)
            summed += moved
            squared += moved * moved
            movers -= 1
        j += 1
    return summed * summed + squared, nearest + lead


@njit(cache=True, nogil=True)
def _least_changes_of(row: Any, top: Any, targets: Any, gamma: Any, buffer: Any, found: Any) -> None:
    """Sums of the squared changes for the targets of one context; the buffer is of its size."""
    gap = 0.0
    for target in targets:
        gap = max(gap, top - np.float64(row[target]))
    # one competitor alone would lift the target half-way: no logit further down can move
    deepest = gamma if gap == 0.0 else (gap + gamma) / 2
    depth = min(deepest, max(_DEPTH, _DEPTH * gamma))
    while True:
        edge = np.nextafter(row.dtype.type(top - depth), row.dtype.type(-np.inf))
        count = 0
        for value in row:
            if value >= edge:
                buffer[count] = top - np.float64(value)
                count += 1
        below = buffer[:count]
        below.sort()
        # the lowest target is lifted least, and more competitors can only lift it further
        reach = _least_change(below, gap, gamma)[1]
        if depth == deepest or reach <= depth:
            break
        # a reach from few competitors is far too long; rounding errors must not stop the search
        depth = min(deepest, max(min(reach, _DEEPER * depth), _LEAST_DEEPER * depth))
    for t in range(targets.size):
        found[t] = _least_change(below, top - np.float64(row[targets[t]]), gamma)[0]


@_one_at_a_time
@njit(parallel=True, cache=True, nogil=True)
def least_changes(rows: Any, tops: Any, targets: Any, gamma: Any) -> Any:
    """Compiled ``least_changes`` of :mod:`crossroads.traits.measures.least_change`, for every row."""
    found = np.empty((rows.shape[0], targets.size), np.float64)
    # a block of contexts shares one buffer of the size of the vocabulary
    for block in prange((rows.shape[0] + _BLOCK - 1) // _BLOCK):
        buffer = np.empty(rows.shape[1], np.float64)
        for i in range(block * _BLOCK, min(rows.shape[0], (block + 1) * _BLOCK)):
            _least_changes_of(rows[i], np.float64(tops[i]), targets, gamma, buffer, found[i])
    return found


@_one_at_a_time
@njit(parallel=True, cache=True, nogil=True)
def changes_from_heads(
    heads: Any, edges: Any, wanted: Any, cuts: Any, gamma: Any, vocabulary: Any, squared: Any, certain: Any
) -> None:
    """Compiled ``changes_from_heads`` of the same module, targets in order of contexts."""
    for i in prange(edges.size - 1):
        if cuts[i] == cuts[i + 1]:
            continue
        head = heads[edges[i] : edges[i + 1]]
        top = np.float64(head[0])
        below = np.empty(head.size, np.float64)
        for j in range(head.size):
            below[j] = top - np.float64(head[j])
        for t in range(cuts[i], cuts[i + 1]):
            squared[t], reach = _least_change(below, top - wanted[t], gamma)
            # logits that were not kept are below the head: they matter only if the new logit is as low
            certain[t] = head.size >= vocabulary or below[-1] >= reach

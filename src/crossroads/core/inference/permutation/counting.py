"""Exact counts of the divisions of two groups that score at least as high as the observed one.

Any division into groups of the same sizes is the observed one with a k-subset U of X exchanged for a
k-subset V of Y, and its statistic differs from the observed one by a positive multiple of
``sum(V) - sum(U)``. So the count of divisions above the observed one is a count of pairs (U, V) of equal
size with ``sum(V) > sum(U)``: the threshold is exactly 0, groups may differ in size, and a large effect
leaves few pairs to compare.

The k-subset sums of a group are never all stored. A group is split into a small front and a larger back,
whose subset sums are sorted by subset size; each front sum then defines a *row*, a sorted run of sums. Rows
are cut to the range in which sums of X and Y overlap, and that range is read window by window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb

import numpy as np

from crossroads.core.inference.permutation.compiled import kernels
from crossroads.core.inference.permutation.scores import Integers, Scores

UNSPLIT = 12
"""Groups up to this size have one list of sums; larger ones are split into front and back."""
LARGEST = 1 << 22
"""Largest number of subset sums in the front or the back list of a group."""
WINDOW = 1 << 19
"""Largest number of sums of one group in a window."""
WORTH_COMPILING = 5_000_000
"""Number of sums in the overlap from which loading the compiled kernels pays off."""
_INT64_SAFE = 1 << 31

Bounds = list[Integers]


class TooMuchWork(Exception):  # noqa: N818 - used by the planner only, never raised to users
    """The overlap has more sums than the planner allows."""


@dataclass(frozen=True)
class Counts:
    """Divisions compared with the observed one."""

    above: int
    """Divisions whose statistic is larger than the observed one."""
    tied: int
    """Divisions whose statistic equals the observed one, itself included."""
    total: int
    """All divisions."""

    @property
    def below(self) -> int:
        """Divisions whose statistic is smaller than the observed one."""
        return self.total - self.above - self.tied


class SubsetSums:
    """The sums of all subsets of a group, by subset size, as rows of sorted runs."""

    def __init__(self, scores: Integers, largest: int) -> None:
        ordered = np.sort(scores)[::-1]
        cut = _cut(ordered.size)
        self.front = _sums_by_size(ordered[:cut], largest)
        self.back = _sums_by_size(ordered[cut:], largest)

    def blocks(self, size: int) -> list[tuple[Integers, Integers]]:
        """Front sums and the sorted back sums they are added to, for subsets of one size."""
        return [
            (front, self.back[size - i])
            for i, front in enumerate(self.front)
            if 0 <= size - i < len(self.back)
        ]


def _sums_by_size(scores: Integers, largest: int) -> list[Integers]:
    """Sorted sums of the subsets of ``scores``, one array for each size up to ``largest``."""
    lists: list[Integers] = [np.zeros(1, dtype=np.int64)]
    for score in scores:
        grown = [lists[0]]
        for size in range(1, min(len(lists), largest) + 1):
            extended = lists[size - 1] + score
            grown.append(np.concatenate([lists[size], extended]) if size < len(lists) else extended)
        lists = grown
    for sums in lists:
        sums.sort()
    return lists


@dataclass(frozen=True)
class Overlap:
    """The sums of one subset size in the range where those of X and Y overlap."""

    x_blocks: list[tuple[Integers, Integers]]
    y_blocks: list[tuple[Integers, Integers]]
    low: int
    high: int
    work: int


def overlap(x: SubsetSums, y: SubsetSums, size: int, tie: int) -> Overlap:
    """Find the range in which sums of X and Y of one subset size overlap, and the number of sums in it."""
    x_blocks, y_blocks = x.blocks(size), y.blocks(size)
    x_least = min(int(front[0] + back[0]) for front, back in x_blocks)
    y_most = max(int(front[-1] + back[-1]) for front, back in y_blocks)
    low, high = x_least - 2 * tie, y_most - tie + 1
    if high <= low:
        return Overlap([], [], low, high, 0)
    inside = _held(_starts(x_blocks, x_least), _starts(x_blocks, high + 2 * tie))
    inside += _held(_starts(y_blocks, low + tie), _starts(y_blocks, y_most + 1))
    return Overlap(x_blocks, y_blocks, low, high, inside)


def overlaps(scores: Scores, *, max_work: float) -> list[Overlap]:
    """Overlaps of every subset size; raise :class:`TooMuchWork` if they have more sums than allowed."""
    largest = min(scores.x.size, scores.y.size)
    if max(_listed(scores.x.size, largest), _listed(scores.y.size, largest)) > LARGEST:
        raise TooMuchWork
    x, y = SubsetSums(scores.x, largest), SubsetSums(scores.y, largest)
    found: list[Overlap] = []
    work = 0
    for size in range(largest + 1):
        found.append(overlap(x, y, size, scores.tie))
        work += found[-1].work
        if work > max_work:
            raise TooMuchWork
    return found


def _cut(size: int) -> int:
    """Number of scores of a group in its front."""
    return 0 if size <= UNSPLIT else round(0.4 * size)


def _listed(size: int, largest: int) -> int:
    """Subset sums in the longer of the two lists of a group, for subsets up to the largest size.

    Counting stops above :data:`LARGEST`: with thousands of scores the rest would take minutes.
    """
    longer, listed = max(_cut(size), size - _cut(size)), 0
    for k in range(min(longer, largest) + 1):
        listed += comb(longer, k)
        if listed > LARGEST:
            break
    return listed


def _starts(blocks: list[tuple[Integers, Integers]], value: int) -> Bounds:
    """For each row, the position of its first sum that is not below ``value``."""
    return [np.searchsorted(back, value - front) for front, back in blocks]


def _held(starts: Bounds, ends: Bounds) -> int:
    """Number of sums between two positions in each row."""
    return sum(int((e - s).sum()) for s, e in zip(starts, ends, strict=True))


def _gather(blocks: list[tuple[Integers, Integers]], starts: Bounds, ends: Bounds) -> Integers:
    """The sums between two positions in each row, sorted."""
    parts = []
    for (front, back), start, end in zip(blocks, starts, ends, strict=True):
        lengths = end - start
        held = int(lengths.sum())
        if held:
            before = np.cumsum(lengths) - lengths
            position = np.repeat(start - before, lengths)
            position += np.arange(held)
            sums = back[position]
            sums += np.repeat(front, lengths)
            parts.append(sums)
    gathered = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    gathered.sort()
    return gathered


@dataclass(frozen=True)
class _Window:
    """Sums of Y whose value less the tie is in [low, high), and the sums of X around it."""

    low: int
    high: int
    x_start: Bounds
    x_end: Bounds
    y_start: Bounds
    y_end: Bounds

    def split(self, part: Overlap, tie: int) -> tuple[_Window, _Window]:
        """Halve the window at the middle of its range."""
        middle = (self.low + self.high) // 2
        x_middle = _clip(_starts(part.x_blocks, middle), self.x_start, self.x_end)
        y_middle = _clip(_starts(part.y_blocks, middle + tie), self.y_start, self.y_end)
        return (
            _Window(self.low, middle, self.x_start, x_middle, self.y_start, y_middle),
            _Window(middle, self.high, x_middle, self.x_end, y_middle, self.y_end),
        )


def _clip(positions: Bounds, starts: Bounds, ends: Bounds) -> Bounds:
    return [np.clip(p, s, e) for p, s, e in zip(positions, starts, ends, strict=True)]


def _windows(part: Overlap, tie: int, window: int) -> Iterator[tuple[_Window, int, int]]:
    """Windows from low to high, none with more sums than ``window`` unless it is as narrow as ties."""
    x_start, x_end = _starts(part.x_blocks, part.low), _starts(part.x_blocks, part.high)
    y_start, y_end = _starts(part.y_blocks, part.low + tie), _starts(part.y_blocks, part.high + tie)
    stack = [_Window(part.low, part.high, x_start, x_end, y_start, y_end)]
    while stack:
        top = stack.pop()
        n_x, n_y = _held(top.x_start, top.x_end), _held(top.y_start, top.y_end)
        # windows narrower than a tie would read the sums within it repeatedly
        if max(n_x, n_y) > window and top.high - top.low > 4 * tie + 1:
            stack.extend(reversed(top.split(part, tie)))
        else:
            yield top, n_x, n_y


def count_overlap(part: Overlap, tie: int, *, window: int = WINDOW) -> tuple[int, int]:
    """Numbers of pairs of one subset size with sum(V) above sum(U), and of ties."""
    above = tied = seen = 0
    if part.work == 0:
        return above, tied
    for span, n_x, n_y in _windows(part, tie, window):
        above += seen * n_y
        seen += n_x
        if n_y == 0:
            continue
        beyond = _starts(part.x_blocks, span.high + 2 * tie)
        x = _gather(part.x_blocks, span.x_start, beyond)
        if x.size == 0:
            continue
        y = _gather(part.y_blocks, span.y_start, span.y_end)
        left = np.searchsorted(x, y - tie)
        above += int(left.sum(dtype=np.int64))
        near = x[np.minimum(left, x.size - 1)]
        equal = np.flatnonzero((left < x.size) & (near <= y + tie))
        if equal.size:
            right = np.searchsorted(x, y[equal] + tie, side="right")
            tied += int((right - left[equal]).sum(dtype=np.int64))
    return above, tied


def _counter(work: int, compiled: bool | None) -> Callable[[Overlap, int], tuple[int, int]] | None:
    if compiled is False or (compiled is None and not WORTH_COMPILING <= work <= _INT64_SAFE):
        return None
    found = kernels()
    return None if found is None else found.count_overlap


def count_exactly(
    scores: Scores, *, max_work: float = float("inf"), window: int = WINDOW, compiled: bool | None = None
) -> Counts:
    """Count all divisions against the observed one, with some sums in memory at a time.

    :class:`TooMuchWork` is raised if the overlap has more than ``max_work`` subset sums. By default compiled
    kernels are used where they are installed and the work is worth loading them; the result is the same.
    """
    total = scores.total
    leaning = scores.leaning
    ordered = scores if leaning >= 0 else scores.swapped
    if int(ordered.x.min()) - int(ordered.y.max()) > scores.tie:
        above, tied = 0, 1  # separated: every exchange lowers the statistic
    else:
        above = tied = 0
        parts = overlaps(ordered, max_work=max_work)
        count = _counter(sum(part.work for part in parts), compiled)
        for part in parts:
            more, equal = count(part, scores.tie) if count else count_overlap(part, scores.tie, window=window)
            above, tied = above + more, tied + equal
    if leaning < 0:
        above = total - above - tied
    return Counts(above=above, tied=tied, total=total)

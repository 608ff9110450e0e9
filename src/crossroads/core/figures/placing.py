"""Positions of labels next to points that avoid each other and, if possible, what is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, hypot, inf, pi, sin

import numpy as np

from crossroads.core.inference.geometry import Floats

Point = tuple[float, float]

_ANGLES = (0, 180, 90, 270, 45, 135, 315, 225, 22, 158, 338, 202, 67, 113, 293, 247)
_STEPS = (0.0, 0.05, 0.1, 0.17, 0.25, 0.35, 0.48, 0.62, 0.8, 1.0)
_FAR = 14.0  # cost of an inch of distance, in points covered
_TURN = 0.05  # cost of a less usual side
_NEAR = 0.035  # nearer than this, in inches, a label seems to belong to another point
_SAMPLES = np.linspace(0.15, 1.0, 14)[:, None]


@dataclass(frozen=True)
class Place:
    """Position of a label, in inches from the lower left corner of the axes."""

    centre: Point
    """Middle of the label."""
    leader: tuple[Point, Point] | None
    """A line from the point to the label, if it is not directly next to it."""


class Page:
    """Axes of a known size in inches that fill with labels."""

    def __init__(self, wide: float, tall: float) -> None:
        self.size = np.array([wide, tall])
        self._boxes = np.empty((0, 4))
        self._barred = np.empty((0, 2))
        self._points = np.empty((0, 2))
        self._weights = np.empty(0)

    def bar(self, centre: Point, wide: float, tall: float) -> None:
        """Keep a box free: no label and no leader crosses it."""
        x, y = centre
        box = [x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2]
        self._boxes = np.vstack([self._boxes, box])

    def avoid(self, points: Floats, weight: float = 1.0) -> None:
        """Points that a label should not cover, but may, at a cost for each."""
        self._points = np.vstack([self._points, points])
        self._weights = np.concatenate([self._weights, np.full(len(points), weight)])

    def put(self, anchors: Iterable[Point], wide: float, tall: float, *, gap: float) -> Place | None:
        """Find and reserve a position for a label next to one of some points; None if there is none."""
        best: tuple[float, Place] | None = None
        half = np.array([wide, tall]) / 2
        for anchor in map(np.array, anchors):
            for step in _STEPS:
                if best is not None and best[0] <= step * _FAR:
                    break  # no position at this distance can be better
                for rank, angle in enumerate(_ANGLES):
                    own, most = step * _FAR + rank * _TURN, inf if best is None else best[0]
                    if own >= most:
                        continue
                    way = np.array([cos(angle * pi / 180), sin(angle * pi / 180)])
                    centre = anchor + way * (gap + step) + half * np.clip(1.45 * way, -1, 1)
                    cost = self._cost(anchor, centre, half, own, most, leader=step > 0)
                    if cost is not None and cost < most:
                        best = cost, _place(anchor, centre, half, gap, leader=step > 0)
        if best is None:
            return None
        place = best[1]
        self.bar(place.centre, wide, tall)
        if place.leader is not None:
            start, end = map(np.array, place.leader)
            self._barred = np.vstack([self._barred, start + (end - start) * _SAMPLES])
        return place

    def _cost(
        self, anchor: Floats, centre: Floats, half: Floats, own: float, most: float, *, leader: bool
    ) -> float | None:
        """Cost of a position and of what it covers; None if it is taken or too expensive."""
        low, high = centre - half, centre + half
        if (low < 0).any() or (high > self.size).any():
            return None
        boxes = self._boxes
        if ((low < boxes[:, 2:]).all(axis=1) & (high > boxes[:, :2]).all(axis=1)).any():
            return None
        if _within(self._barred, low, high).any():
            return None
        if leader:
            path = anchor + (np.clip(anchor, low, high) - anchor) * _SAMPLES
            inside = (path[:, None] > boxes[:, :2]).all(axis=2) & (path[:, None] < boxes[:, 2:]).all(axis=2)
            if inside.any():
                return None
        covered = float(self._weights[_within(self._points, low, high)].sum())
        near = float(self._weights[_within(self._points, low - _NEAR, high + _NEAR)].sum())
        crossed = 0.0
        if covered + near / 2 + own >= most:
            return None
        if leader:
            across, along = (np.abs(self._points[:, i] - path[:, i, None]) < _NEAR for i in (0, 1))
            crossed = float(self._weights[(across & along).any(axis=0)].sum())
        return covered + near / 2 + crossed / 4 + own


def _within(points: Floats, low: Floats, high: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    x, y = points[:, 0], points[:, 1]
    return np.asarray((x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1]))


def _place(anchor: Floats, centre: Floats, half: Floats, gap: float, *, leader: bool) -> Place:
    middle = (float(centre[0]), float(centre[1]))
    if not leader:
        return Place(middle, None)
    end = np.clip(anchor, centre - half, centre + half)
    far = hypot(*(end - anchor))
    start = anchor + (end - anchor) * min(1.0, 0.8 * gap / far) if far else anchor
    return Place(middle, ((float(start[0]), float(start[1])), (float(end[0]), float(end[1]))))

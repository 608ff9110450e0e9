"""What an audit tells about its progress: one account for reading, asking models and measuring alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Event:
    """How far an audit is."""

    doing: str
    """What is being done, such as ``"reading vectors.txt"`` or ``"mleat weat1"``."""
    done: int
    """Parts that are finished, those of earlier runs among them."""
    total: int
    """Parts that are known of."""
    kept: int
    """Parts that an earlier run has finished."""
    step: int = 0
    """How far the part is that is being done, in units of its own."""
    steps: int | None = None
    """How many such units it has, where that is known."""


Progress = Callable[[Event], None]


class Tally:
    """Counts the parts of an audit and reports every change.

    Parameters
    ----------
    progress
        Whom to tell.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self._doing, self.done, self.total, self.kept = "", 0, 0, 0

    def expect(self, parts: int) -> None:
        """So many parts more are to be done."""
        self.total += parts

    def begin(self, doing: str) -> None:
        """Something is begun."""
        self._doing = doing
        self._tell()

    def step(self, step: int, steps: int | None) -> None:
        """What is being done has come so far."""
        self._tell(step, steps)

    def finish(self, *, kept: bool = False) -> None:
        """A part is finished, by this run or by an earlier one."""
        self.done += 1
        self.kept += kept
        self._tell()

    def _tell(self, step: int = 0, steps: int | None = None) -> None:
        if self._progress is not None:
            self._progress(
                Event(
                    doing=self._doing,
                    done=self.done,
                    total=max(self.total, self.done),
                    kept=self.kept,
                    step=step,
                    steps=steps,
                )
            )

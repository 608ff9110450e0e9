"""What an audit tells about its progress: one account for reading, asking models and measuring alike.

Parts are weighed by the seconds that they take, roughly and on some machine or other: only ratios matter.
A model that is asked some fifty thousand questions outweighs all tests of its vectors together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

LOADING = 8.0
"""Seconds that go by until a model is loaded and has read the words of the tests."""
WRITING = 12.0
"""Seconds until the folder of an audit is written, most of them for figures."""
SMALL = 0.05
"""Seconds of a part that nothing else is known of."""


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
    share: float = 0.0
    """How much of the work is done, from 0 to 1, by the seconds that parts take; never less than before."""
    seconds: float = 0.0
    """About how long all of the work takes on some machine or other."""
    worked: float = 0.0
    """How many of these seconds stand for what this run has done, and no earlier one."""
    step: int = 0
    """How far the part is that is being done, in units of its own."""
    steps: int | None = None
    """How many such units it has, where that is known."""


Progress = Callable[[Event], None]


class Tally:
    """Counts and weighs the parts of an audit and reports every change.

    Parameters
    ----------
    progress
        Whom to tell.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self._doing, self.done, self.total, self.kept = "", 0, 0, 0
        self._work = self._expected = self._current = self._share = 0.0
        self._own = self._found = 0.0
        self._model, self._models = 0, 1

    def divide(self, models: int) -> None:
        """So many models are audited one after the other, and count alike.

        What is expected is expected of one of them: little is known of a model until its turn comes.
        """
        self._model, self._models = 0, models

    def next_model(self) -> None:
        """All is done with a model, and the next is begun."""
        self._model += 1
        self._work = self._expected = self._current = 0.0

    def expect(self, parts: int, work: float | None = None) -> None:
        """So many parts more are to be done, which take so many seconds together."""
        self.total += parts
        self._expected += SMALL * parts if work is None else work

    def begin(self, doing: str, work: float = 0.0) -> None:
        """Something is begun, whose steps are told and which takes so many seconds."""
        self._doing, self._current = doing, work
        self._tell()

    def step(self, step: int, steps: int | None, kept: int = 0) -> None:
        """What is being done has come so far; so many steps were done by an earlier run."""
        self._found = self._current * kept / steps if steps else 0.0
        self._tell(step, steps)

    def finish(self, *, kept: bool = False, work: float = SMALL) -> None:
        """A part is finished, by this run or by an earlier one."""
        self.done += 1
        self.kept += kept
        self._own += 0.0 if kept else work - self._found
        self._work, self._current, self._found = self._work + work, 0.0, 0.0
        self._tell()

    def _tell(self, step: int = 0, steps: int | None = None) -> None:
        if self._progress is None:
            return
        under_way = self._current * min(step / steps, 1.0) if steps else 0.0
        mine = min((self._work + under_way) / max(self._expected, SMALL), 1.0)
        self._share = max(self._share, (self._model + mine) / self._models)
        self._progress(
            Event(
                doing=self._doing,
                done=self.done,
                total=max(self.total, self.done),
                kept=self.kept,
                share=self._share,
                seconds=self._expected * self._models,
                worked=max(0.0, self._own + under_way - self._found),
                step=step,
                steps=steps,
            )
        )

"""Progress of an audit, over reading vectors, running models and measuring.

Parts are weighted by the approximate seconds that they take on a typical machine; only ratios matter. Asking
a language model about fifty thousand texts outweighs all tests of its vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

LOADING = 8.0  # seconds to load a model and encode the words of the tests
WRITING = 12.0  # seconds to write the folder of an audit, most of them for figures
SMALL = 0.05  # default seconds of a part


@dataclass(frozen=True, kw_only=True)
class Event:
    """Progress of an audit."""

    doing: str  # current step, such as ``"reading vectors.txt"`` or ``"mleat weat1"``
    done: int  # finished parts, including those of earlier runs
    total: int  # parts expected so far
    kept: int  # parts finished by an earlier run
    share: float = 0.0  # share of the work done, from 0 to 1, weighted by seconds; it never decreases
    seconds: float = 0.0  # approximate seconds of all work on a typical machine
    worked: float = 0.0  # how many of these seconds were done by this run
    step: int = 0  # steps done of the current part
    steps: int | None = None  # total steps of the current part, if known


Progress = Callable[[Event], None]


class ProgressTracker:
    """Counter of the weighted parts of an audit that reports every change to a function."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self._doing, self.done, self.total, self.kept = "", 0, 0, 0
        self._work = self._expected = self._current = self._share = 0.0
        self._own = self._found = 0.0
        self._model, self._models = 0, 1

    def divide(self, models: int) -> None:
        """Set the number of models, which are audited one after the other with equal weights.

        Expected work is that of the current model, because the work of later models is not yet known.
        """
        self._model, self._models = 0, models

    def next_model(self) -> None:
        """Finish a model and start the next."""
        self._model += 1
        self._work = self._expected = self._current = 0.0

    def expect(self, parts: int, work: float | None = None) -> None:
        """Add expected parts, and the seconds that they take together."""
        self.total += parts
        self._expected += SMALL * parts if work is None else work

    def begin(self, doing: str, work: float = 0.0) -> None:
        """Start a step that takes the given number of seconds."""
        self._doing, self._current = doing, work
        self._tell()

    def step(self, step: int, steps: int | None, kept: int = 0) -> None:
        """Report the progress of the current step; ``kept`` steps were done by an earlier run."""
        self._found = self._current * kept / steps if steps else 0.0
        self._tell(step, steps)

    def finish(self, *, kept: bool = False, work: float = SMALL) -> None:
        """Count a part as finished, by this run or by an earlier one."""
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

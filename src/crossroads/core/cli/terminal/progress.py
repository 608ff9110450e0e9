"""Progress of a command: a bar in a terminal, otherwise a line at intervals.

A log without output looks like a program that hangs, and some services end programs that are silent for long.
So if stderr is not a terminal, a thread writes a line at least every :data:`EVERY` seconds with the current
step, the progress and the estimated remaining time, even during one long step.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import InputError

EVERY = 30.0  # largest number of seconds between two lines
VARIABLE = "CROSSROADS_PROGRESS"  # the environment variable that sets other seconds; 0 for no lines
_PERIOD = 600.0  # seconds over which bars average the speed


class Bar(Progress):
    """A bar on stderr with the current step; without a terminal it only records the progress."""

    def __init__(self, *columns: ProgressColumn, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(
            *columns,
            console=printing.err,
            transient=True,
            disable=not printing.err.is_terminal,
            speed_estimate_period=_PERIOD,
            get_time=clock,
        )

    def start(self) -> None:
        """Show it."""
        _bars.append(self)
        super().start()

    def stop(self) -> None:
        """Remove it."""
        with contextlib.suppress(ValueError):
            _bars.remove(self)
        super().stop()

    def said(self) -> str:
        """The bar in words: the current step, the progress, and the remaining time."""
        task = next(iter(reversed(self.tasks)), None)
        if task is None:
            return "at work"
        words = [Text.from_markup(task.description).plain.strip()]
        words += [f"{task.percentage:.0f} %"] if task.total else []
        if left := time_left(task):
            step = 1 if left < 10 else 5 if left < 60 else 10  # as accurate as the estimate
            words.append(f"about {span(step * round(left / step))} left")
        return ", ".join(words)


class TimeLeft(ProgressColumn):
    """Estimated remaining time."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """Hours, minutes and seconds; dashes if unknown."""
        left = time_left(task)
        if left is None:
            return Text("-:--:--", style="progress.remaining")
        minutes, seconds = divmod(round(left), 60)
        return Text(f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}", style="progress.remaining")


def time_left(task: Task) -> float | None:
    """Seconds until a task is done: its own estimate (``due``), or from its speed."""
    due: float | None = task.fields.get("due")
    return task.time_remaining if due is None else max(0.0, due - task.get_time())


_bars: list[Bar] = []
"""Those that are shown, the innermost last."""


@contextlib.contextmanager
def _at_work(what: str, *columns: ProgressColumn) -> Iterator[Any]:
    """A progress bar that is told what is done, and of how much."""
    with Bar(TextColumn("{task.description}"), BarColumn(), *columns, TimeLeft()) as bar:
        task = bar.add_task(escape(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def reading(what: str) -> AbstractContextManager[Any]:
    """A progress bar over the bytes of a file."""
    return _at_work(f"reading {what}", DownloadColumn())


def asking(what: str) -> AbstractContextManager[Any]:
    """A progress bar over the words that a model is asked for."""
    return _at_work(f"asking {what}")


@contextlib.contextmanager
def counting(what: str, total: int) -> Iterator[Any]:
    """A progress bar over a number of things."""
    count = TextColumn("{task.completed:,.0f} of {task.total:,.0f}")
    with Bar(TextColumn("{task.description}"), BarColumn(), count, TimeLeft()) as bar:
        task = bar.add_task(what, total=total)
        yield bar, task


@contextlib.contextmanager
def telling(arguments: Sequence[str], clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Write lines while the block runs, if stderr is not a terminal.

    ``arguments`` are those of the program; the first that is not an option is the command.
    """
    every = seconds_between()
    if not every or sys.stderr is None or printing.err.is_terminal:
        yield
        return
    command = next((one for one in arguments if not one.startswith("-")), "crossroads")
    over, begun = threading.Event(), clock()

    def tell() -> None:
        while not over.wait(every):
            if interrupting.is_ending():
                return  # what is said of an interruption is all that is said
            with contextlib.suppress(OSError):
                printing.err.print(line(command, clock() - begun), markup=False, soft_wrap=True)

    thread = threading.Thread(target=tell, name="crossroads-waiting", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


def line(command: str, seconds: float) -> str:
    """One line of a log, such as ``audit, 1 min 30 s: asking bert, 43 %, about 2 min left``."""
    said = _bars[-1].said() if _bars else "at work"
    return f"{command}, {span(seconds)}: {said}"


def span(seconds: float) -> str:
    """Seconds as text."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 10 and rest:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(round(whole / 60), 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def seconds_between() -> float:
    """Seconds between two lines: as the environment says, or :data:`EVERY`."""
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return EVERY
    try:
        found = float(given)
    except ValueError:
        found = -1.0
    if not 0 <= found <= threading.TIMEOUT_MAX:
        hint = "give seconds between two lines of a log, such as 10, or 0 for no such lines."
        raise InputError(f"{VARIABLE}={given[:40]!r} is not a number of seconds.", hint=hint)
    return found

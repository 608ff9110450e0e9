"""Handling of Ctrl-C and SIGTERM: one line on stderr, and the program ends within a second.

A separate thread receives signals at once, whatever the main thread is doing. The main thread is interrupted
as usual, so that it can clean up; if that takes longer than :data:`GRACE` seconds, because of an exact count
or a model, the program ends anyway. This is safe: files are written under a temporary name and renamed, so
none is left half-written.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from crossroads.storage.disks import is_anything_finished

GRACE = 0.4
"""Seconds in which the main thread may clean up."""
UNTOUCHED = "interrupted before any work was started: nothing was changed; run the same command again."
"""The message if the program is interrupted while loading or checking its input."""
_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""Signals that end the program, and their exit status."""
_UNDECIDED = (signal.default_int_handler, signal.SIG_DFL)
"""The default handlers of the signals."""


class _Ending:
    """Whether the program is ending, and its message."""

    def __init__(self) -> None:
        self.line: str | Callable[[], str] = UNTOUCHED
        """The current message, or a function that returns it."""
        self.loading = True
        """Whether no work was started, so that there is nothing to clean up."""
        self.status: int | None = None
        """The exit status, once the program is ending."""
        self._final: str | None = None
        self._once = threading.Lock()

    def begin(self, status: int) -> None:
        """Record that the program is ending; the message is determined now, before cleaning up."""
        if self.status is None:
            self._final, self.status = self._now(), status

    def _now(self) -> str:
        return self.line if isinstance(self.line, str) else self.line()

    def say(self) -> None:
        """Write the message once, without buffers, which another thread may have locked."""
        if sys.__stderr__ is None:  # closed from the beginning: what is open under its number is another file
            return
        if self._once.acquire(blocking=False):
            clear = "\r\x1b[2K\x1b[?25h" if _is_terminal() else ""  # a bar may stand there, and no cursor
            with contextlib.suppress(OSError):
                os.write(2, f"{clear}{self._final or self._now()}\n".encode(errors="replace"))

    def end_now(self) -> NoReturn:
        """Exit immediately."""
        self.say()
        os._exit(1 if self.status is None else self.status)


_ending = _Ending()


def _is_terminal() -> bool:
    try:
        return os.isatty(2)
    except OSError:
        return False


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Handle Ctrl-C and SIGTERM while the block runs, from its first import on.

    Signals with another handler, such as one set by ``nohup``, are left alone. Threads other than the main
    one receive no signals.
    """
    global _ending
    mine = [one for one in _CODES if signal.getsignal(one) in _UNDECIDED]
    if threading.current_thread() is not threading.main_thread() or not mine:
        yield
        return
    _ending = _Ending()
    atexit.unregister(_be_done)  # once, and before others, for the first to be registered is the last to run
    atexit.register(_be_done)
    with _watched():
        before = {one: signal.signal(one, _heed) for one in mine}
        try:
            yield
        except BaseException:
            if _ending.status is None:
                raise  # what is said of an interruption is all that is said
        finally:
            if _ending.status is None:
                for one, handler in before.items():
                    signal.signal(one, handler)
        if _ending.status is not None:
            _ending.say()
            sys.exit(_ending.status)


def started() -> None:
    """Mark that loading is finished, so that there may be something to clean up."""
    _ending.loading = False


def is_ending() -> bool:
    """Whether the program is ending."""
    return _ending.status is not None


def promise(line: str | Callable[[], str]) -> None:
    """Set the message of an interruption: what is kept, and how to resume."""
    _ending.line = line


def _heed(number: int, frame: FrameType | None) -> None:
    """Interrupt the main thread, which runs this; only once, so that cleaning up is not interrupted."""
    first = _ending.status is None
    _ending.begin(_CODES[signal.Signals(number)])
    if _ending.loading or _is_importing(frame):
        _ending.end_now()
    if first:
        sys.unraisablehook = _keep_quiet
        raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being loaded: compiled ones may abort on an interrupt."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _be_done() -> None:
    """Ignore interruptions after all work is done, while memory is released.

    After an interruption the program does not wait for that, which takes seconds if a model was loaded. If a
    calling program has set its own handlers meanwhile, these are left alone.
    """
    if _ending.status is not None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        _ending.end_now()
    for one in _CODES:
        if signal.getsignal(one) in (*_UNDECIDED, _heed):
            signal.signal(one, signal.SIG_IGN)


def _keep_quiet(_unraisable: Any) -> None:
    """Suppress the report of an interrupt where nothing can be raised; the program ends anyway."""


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """A thread that receives signals and ends the program if it does not end by itself."""
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    except (
        AttributeError,
        OSError,
        ValueError,
    ):  # a system that cannot: the main thread is interrupted anyway
        os.close(reader)
        os.close(writer)
        yield
        return
    thread = threading.Thread(target=_watch, args=(reader,), name="crossroads-interrupts", daemon=True)
    thread.start()
    try:
        yield
    finally:
        if _ending.status is None:  # else the thread is needed until the very end
            signal.set_wakeup_fd(before)
            os.close(writer)
            thread.join()
            os.close(reader)


def _watch(reader: int) -> None:
    """Wait for a signal, let the main thread clean up, and end the program."""
    while told := os.read(reader, 1):
        if told[0] in _CODES:
            time.sleep(GRACE)
            _ending.begin(_CODES[signal.Signals(told[0])])
            _ending.end_now()


NOTHING = "interrupted before any part was finished: nothing is kept; run the same command again."
"""The message if no part of the work was finished."""


def kept(output: Path, parts: Path, *, again: str = "the same command") -> Callable[[], str]:
    """The message on the work done for an output, determined at the time of the interruption.

    Parameters
    ----------
    output
        The output.
    parts
        Folder of finished parts, beside it.
    again
        The command that resumes from them.
    """

    def line() -> str:
        if is_anything_finished(parts):
            return f"interrupted: finished parts of {output} are kept; {again} resumes from them."
        return NOTHING

    return line


def kept_or_finished(output: Path, parts: Path) -> Callable[[], str]:
    """The same for an output that exists only when it is finished."""
    before, otherwise = _is_there(output), kept(output, parts)

    def line() -> str:
        if before:
            return f"interrupted: {output} is unchanged."
        return finished(output) if _is_there(output) else otherwise()

    return line


def _is_there(output: Path) -> bool:
    """Whether a folder has any contents."""
    try:
        return any(output.iterdir())
    except OSError:
        return False


def finished(output: Path) -> str:
    """The message if everything was written."""
    return f"interrupted: the work was already finished, and is written to {output}."

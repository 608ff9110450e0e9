"""Ctrl-C and SIGTERM: one line on stderr, and the exit status 130 or 143.

The first signal interrupts the main thread, which cleans up; a second one ends the program at once. Both are
safe: files are written under a temporary name and renamed, so none is left half-written.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from crossroads.core.storage.files import is_anything_finished

UNTOUCHED = "interrupted before any work was started: nothing was changed; run the same command again."
NOTHING = "interrupted before any part was finished: nothing is kept; run the same command again."
_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
_message: str | Callable[[], str] = UNTOUCHED
_status: int | None = None
"""The exit status, once a signal has come."""


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Handle Ctrl-C and SIGTERM while the block runs, from its first import on.

    Signals with another handler, such as one set by ``nohup``, are left alone. Threads other than the main
    one receive no signals.
    """
    usual = (signal.default_int_handler, signal.SIG_DFL)
    mine = [one for one in _CODES if signal.getsignal(one) in usual]
    if threading.current_thread() is not threading.main_thread() or not mine:
        yield
        return
    promise(UNTOUCHED)
    atexit.unregister(signal.signal)
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # all is done while memory is released
    before = {one: signal.signal(one, _interrupt) for one in mine}
    try:
        yield
    finally:
        if _status is not None:
            _end()  # without waiting for threads
        for one, handler in before.items():
            signal.signal(one, handler)


def promise(message: str | Callable[[], str]) -> None:
    """Set the message of an interruption: what is kept, and how to resume."""
    global _message
    if _status is None:
        _message = message


def is_ending() -> bool:
    """Whether the program is ending."""
    return _status is not None


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt the main thread; where it has nothing to clean up, or is interrupted again, end at once."""
    global _message, _status
    again = _status is not None
    if not again:
        if not isinstance(_message, str):
            _message = _message()  # what is kept now, before cleaning up
        _status = _CODES[signal.Signals(number)]
    if again or _message == UNTOUCHED or _is_importing(frame):
        _end()
    sys.unraisablehook = _end_if_lost
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being loaded: compiled ones may abort on an interrupt."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _end_if_lost(unraisable: Any) -> None:
    """End the program where the interrupt was raised in code that cannot raise, such as a finalizer."""
    if unraisable.exc_type is KeyboardInterrupt:
        _end()


def _end() -> NoReturn:
    """Write the message, without buffers, which another thread may have locked, and exit."""
    with contextlib.suppress(OSError):
        clear = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""  # a bar may be there, and no cursor
        if sys.__stderr__ is not None:  # otherwise another file may be open under its number
            os.write(2, f"{clear}{_message}\n".encode(errors="replace"))
    os._exit(_status or 1)


def kept(output: Path, parts: Path, *, again: str = "the same command") -> Callable[[], str]:
    """The message on the finished parts of an output, determined at the time of the interruption."""
    some = f"interrupted: finished parts of {output} are kept; {again} resumes from them."
    return lambda: some if is_anything_finished(parts) else NOTHING


def kept_or_finished(output: Path, parts: Path) -> Callable[[], str]:
    """The same for an output that exists only when it is finished."""
    if any(output.glob("*")):
        return lambda: f"interrupted: {output} is unchanged."
    finished = f"interrupted: the work was already finished, and is written to {output}."
    return lambda: finished if any(output.glob("*")) else kept(output, parts)()

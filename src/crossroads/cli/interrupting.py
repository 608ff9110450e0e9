"""What Ctrl-C and a request to end do: one line on stderr, and the program is gone within a second.

The system tells a thread of ours at once, whatever the main thread is doing. That one is interrupted as
Python does it, so that it can tidy up; where it is not done in :data:`GRACE` seconds, because an exact count
or a model keeps it, the program ends all the same. Nothing is lost by that: everything is written under
another name and renamed, so a program that ends anywhere leaves nothing half-written.
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
from types import FrameType
from typing import Any, NoReturn

GRACE = 0.4
"""Seconds in which the main thread may tidy up."""
UNTOUCHED = "interrupted before anything was begun: all is as it was; the same command begins again."
"""The line for whoever interrupts a program that is still being loaded, or that only looks at its input."""
_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""Signals that end the program, and the exit status that shells know them by."""
_UNDECIDED = (signal.default_int_handler, signal.SIG_DFL)
"""What a signal does about which nobody has decided."""


class _Ending:
    """Whether the program is to end, and what it says then."""

    def __init__(self) -> None:
        self.line: str | Callable[[], str] = UNTOUCHED
        """What would be said now, or what finds out."""
        self.loading = True
        """Whether nothing was begun, so that there is nothing to tidy up."""
        self.status: int | None = None
        """The exit status, once the program was told to end."""
        self._final: str | None = None
        self._once = threading.Lock()

    def begin(self, status: int) -> None:
        """The program was told to end: what it says is decided now, not when all has been tidied up."""
        if self.status is None:
            self._final, self.status = self._now(), status

    def _now(self) -> str:
        return self.line if isinstance(self.line, str) else self.line()

    def say(self) -> None:
        """Say the line, once; past all buffers, which another thread may hold."""
        if sys.__stderr__ is None:  # closed from the beginning: what is open under its number is another file
            return
        if self._once.acquire(blocking=False):
            clear = "\r\x1b[2K\x1b[?25h" if _is_terminal() else ""  # a bar may stand there, and no cursor
            with contextlib.suppress(OSError):
                os.write(2, f"{clear}{self._final or self._now()}\n".encode(errors="replace"))

    def end_now(self) -> NoReturn:
        """End without a look back."""
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
    """Heed Ctrl-C and requests to end while the block runs, from its first import on.

    Signals that somebody has decided about, as ``nohup`` does, are left alone; so is everything in a thread
    other than the main one, which gets no signals.
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
    """All is loaded: from now on there may be something to tidy up."""
    _ending.loading = False


def is_ending() -> bool:
    """Whether the program was told to end."""
    return _ending.status is not None


def promise(line: str | Callable[[], str]) -> None:
    """From now on, say this line to whoever interrupts: what is kept, and how to go on."""
    _ending.line = line


def _heed(number: int, frame: FrameType | None) -> None:
    """Interrupt the main thread, which runs this; once, for tidying up is not to be interrupted."""
    first = _ending.status is None
    _ending.begin(_CODES[signal.Signals(number)])
    if _ending.loading or _is_importing(frame):
        _ending.end_now()
    if first:
        sys.unraisablehook = _keep_quiet
        raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being loaded: compiled ones take an interrupt for a fault of theirs, or abort."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _be_done() -> None:
    """All was done and said: whoever interrupts now, while memory is given back, comes too late.

    Who has interrupted does not wait for that, which takes seconds where a model was loaded. A program that
    called us and goes on may have decided about signals itself by then; these are left alone.
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
    """An interrupt that arrives where nothing can be raised is no news; the program ends anyway."""


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """A thread that the system tells of signals directly, and that ends what does not end by itself."""
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
    """Wait for a signal, give the main thread its time, and end the program."""
    while told := os.read(reader, 1):
        if told[0] in _CODES:
            time.sleep(GRACE)
            _ending.begin(_CODES[signal.Signals(told[0])])
            _ending.end_now()

"""What long commands say to whoever interrupts them: what is kept, if anything is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from crossroads.evidence.full_disks import is_anything_finished

NOTHING = "interrupted before anything was finished: nothing is kept; the same command begins again."
"""The line for whoever interrupts a program that has finished no part of its work."""


def kept(output: Path, parts: Path, *, again: str = "the same command") -> Callable[[], str]:
    """What becomes of the work that is done for an output, told at the moment when somebody interrupts.

    Parameters
    ----------
    output
        What is being made.
    parts
        Folder of finished parts, beside it.
    again
        What goes on from them.
    """

    def line() -> str:
        if is_anything_finished(parts):
            return f"interrupted: finished parts of {output} are kept; {again} goes on from there."
        return NOTHING

    return line


def kept_or_finished(output: Path, parts: Path) -> Callable[[], str]:
    """The same for an output that is there only when it is finished."""
    before, otherwise = _is_there(output), kept(output, parts)

    def line() -> str:
        if before:
            return f"interrupted: {output} is as it was."
        return finished(output) if _is_there(output) else otherwise()

    return line


def _is_there(output: Path) -> bool:
    """Whether a folder holds anything."""
    try:
        return any(output.iterdir())
    except OSError:
        return False


def finished(output: Path) -> str:
    """The line for whoever interrupts a program that has written everything."""
    return f"interrupted: the work is finished all the same, and written to {output}."

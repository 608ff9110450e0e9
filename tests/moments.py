"""Run code to which something happens at a chosen moment: ``moments.py EVENT TEXT COUNTS WHAT CODE …``.

The moment is an event of the interpreter, before the operation that it announces, and so the same in every
run, however busy the machine is. Whoever watches from outside and then sends a signal may come too late.

``WHAT`` is ``SIGNAL:self``, ``SIGNAL:group`` or ``SIGNAL:MARK``, the last for one of the processes that this
one has started, directly or not, whose command line contains the mark. ``COUNTS`` is one number or several
with commas between them: at which of the events with this text it happens. The rest are the arguments of the
code.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

NOBODY = 99
"""Exit status where a signal had nobody to go to."""


def install(event: str, text: str, counts: set[int], what: str) -> None:
    """Arrange for it."""
    name, _, whom = what.partition(":")
    sent, seen, gone = signal.Signals[name], 0, set[int]()

    def hook(happens: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if happens != event or text not in str(arguments):
            return
        seen += 1
        if seen not in counts:
            return
        if whom == "self":
            os.kill(os.getpid(), sent)
        elif whom == "group":
            os.killpg(os.getpgid(0), sent)
        else:
            found = [one for one in descendants(whom) if one not in gone]
            if not found:
                os._exit(NOBODY)
            gone.add(found[0])
            os.kill(found[0], sent)

    sys.addaudithook(hook)


def descendants(mark: str) -> list[int]:
    """Processes that come from this one, with something in their command line."""
    parents, lines = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            lines[int(folder.name)] = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
    return [one for one, line in lines.items() if mark in line and os.getpid() in lineage(one, parents)]


def lineage(one: int, parents: dict[int, int]) -> set[int]:
    """All that a process comes from."""
    found: set[int] = set()
    while (one := parents.get(one, 0)) and one not in found:
        found.add(one)
    return found


if __name__ == "__main__":
    event, text, counts, what, code, *arguments = sys.argv[1:]
    sys.argv = ["-c", *arguments]
    install(event, text, {int(count) for count in counts.split(",")}, what)
    exec(compile(code, "<code>", "exec"), {"__name__": "__main__"})

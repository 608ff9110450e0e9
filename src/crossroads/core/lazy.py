"""Public names that are loaded when they are first used: a stub says where each lives."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

_PACKAGE = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120


def homes_in(stub: str) -> dict[str, str]:
    """The names of a stub and the module of each; those of a subject that was deleted are left out.

    Lines are split by hand, because importing ast or pathlib would take longer than all the rest.
    """
    with open(stub, encoding="utf-8") as lines:  # noqa: PTH123
        homes = {words[-1]: words[1] for line in lines if (words := line.split())[:1] == ["from"]}
    there = {name.partition(".")[0] for name in os.listdir(_PACKAGE)}  # noqa: PTH208
    return {name: home for name, home in homes.items() if {*home.split(".")[1:2]} <= there}


def lazy(module: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a module whose stub lies next to it."""
    homes = homes_in(f"{file}i")

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return load, lambda: sorted(homes), [*homes]

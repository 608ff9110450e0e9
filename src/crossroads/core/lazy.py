"""Public names that are loaded when they are first used: a stub says where each lives."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module


def homes_in(stub: str) -> dict[str, str]:
    """The names of a stub and the module of each.

    Lines are split by hand, because importing ast or pathlib would take longer than all the rest.
    """
    with open(stub, encoding="utf-8") as lines:  # noqa: PTH123
        return {words[-1]: words[1] for line in lines if (words := line.split())[:1] == ["from"]}


def lazy(module: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a module whose stub lies next to it."""
    homes = homes_in(f"{file}i")

    def load(name: str) -> object:
        """Load a public name from its home."""
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return load, lambda: sorted(homes), [*homes]

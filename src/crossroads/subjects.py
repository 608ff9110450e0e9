"""The subjects: every folder of the package with a ``subject.py``; deleting one is deleting its folder."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from crossroads.core.subjects import Command, Subject


@cache
def subjects() -> dict[str, Subject]:
    """What each subject says of itself, by the name of its folder, in their order."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/subject.py"))
    found = {name: import_module(f"crossroads.{name}.subject").SUBJECT for name in folders}
    return dict(sorted(found.items(), key=lambda item: item[1].place))


def commands() -> dict[str, Command]:
    """The commands of all subjects, with the full names of their modules."""
    return {
        command: entry._replace(module=f"crossroads.{name}.{entry.module}")
        for name, subject in subjects().items()
        for command, entry in subject.commands.items()
    }


def brought(what: str) -> list[ModuleType]:
    """The modules with which subjects bring something: a field of :class:`Subject` such as ``"audit"``."""
    named = {name: getattr(subject, what) for name, subject in subjects().items()}
    return [import_module(f"crossroads.{name}.{module}") for name, module in named.items() if module]


def load_results() -> list[ModuleType]:
    """Import every module that defines results, so that their types are known."""
    return [
        import_module(f"crossroads.{name}.{module}")
        for name, subject in subjects().items()
        for module in subject.results
    ]

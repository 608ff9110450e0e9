"""The subjects, which are folders with a ``subject.py`` of names: to delete one is to delete its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple


class Command(NamedTuple):
    """A command: where it is, and what a list of commands says of it."""

    module: str  # its module below the folder, which has a function such as ``rsa_command``
    group: str  # its group in the help
    sentence: str  # the first sentence of its help


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A folder of the package: what it brings to audits, reports and the command line, and what it may use.

    Modules are named below the folder, such as ``measures.weat``.
    """

    place: int  # its place among the subjects: the order of tables, sections and commands
    lines: int  # how many lines of Python it may have
    uses: tuple[str, ...] = ()  # other subjects that it imports
    results: tuple[str, ...] = ()  # modules that define types of results
    audit: str = ""
    """Module of audits: ``ROWS`` of the table of measures, ``WORK`` for kinds of models, and ``draw``."""
    formats: str = ""  # module that recognises files, folders and names of vectors
    manifests: Mapping[str, str] = field(default_factory=dict)
    """Formats of manifests of its folders, and the kinds of models that these are."""
    several: str = ""  # module that compares the audits of several models
    published: str = ""  # module with what papers say about tests
    commands: Mapping[str, Command] = field(default_factory=dict)  # its commands


@cache
def subjects() -> dict[str, Subject]:
    """What each subject says of itself, by the name of its folder, in their order."""
    folders = sorted(path.parent.name for path in Path(__file__).parents[1].glob("*/subject.py"))
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

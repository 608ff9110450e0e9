"""What a subject says of itself: names only, so that reading them loads none of its code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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

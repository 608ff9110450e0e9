"""The folder of an audit: its permitted contents, and the names of the audits in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from crossroads.core.errors import InputError, join_words
from crossroads.core.results import result_kinds
from crossroads.core.storage.files import read_record
from crossroads.core.storage.staging import check_place

MARK = "results.json"  # the file that identifies the folder of an audit


@cache
def ours() -> frozenset[str]:
    """Files that an audit or a comparison writes; a folder with others, except audits, is not replaced."""
    return frozenset(
        {
            *(MARK, "results.csv", "results.parquet", "report.html", "vectors.npz"),
            *("associations.csv", "coverage.csv", "table.tex", "methods.md", "citations.bib"),
            *("summary.md", "gate.json", "figures", "comparison.md", "comparison.tex"),
            *(f"{kind._stem}.csv" for kind in result_kinds() if kind._stem),
        }
    )


def check_output(output: Path) -> None:
    """Refuse a path that has other contents or cannot be written, before any work is done.

    If an earlier run was killed while it replaced an audit, that audit is restored first.
    """
    check_place(output)
    if output.is_dir() and any(output.iterdir()):
        foreign = sorted(path.name for path in output.iterdir() if not _is_ours(path))
        if foreign or not _is_audit(output / MARK):
            others = join_words([repr(name) for name in foreign], most=3)
            shown = others or f"a {MARK} that is not from an audit"
            hint = "give an empty or a new folder as output=."
            raise InputError(f"the folder {output} has other contents: {shown}.", hint=hint, option="output")


def _is_ours(path: Path) -> bool:
    """Whether a file or folder is written by an audit, or is the audit of one of several models."""
    if path.name in ours() or path.is_symlink() or not path.is_dir():
        return path.name in ours()
    return _is_audit(path / MARK) and all(inner.name in ours() for inner in path.iterdir())


def _is_audit(path: Path) -> bool:
    return {"crossroads", "designs", "results"} <= set(read_record(path))


_SAYS_NOTHING = ("model", "models", "checkpoint", "final", "output", "outputs")
"""Folder names that are meaningless without their parent folder."""


def folder_names(models: Iterable[str]) -> dict[str, str]:
    """A unique folder name for each model: letters and digits, and not the name of a file of the audit."""
    taken: set[str] = {name.casefold() for name in ours()}
    names: dict[str, str] = {}
    parts = {model: re.split(r"[\\/]", model.rstrip("\\/")) for model in models}
    ends = [last for *_, last in parts.values()]
    for model, (*above, last) in parts.items():
        if last.lower() in _SAYS_NOTHING or ends.count(last) > 1:
            last = "-".join([*above[-1:], last])
        signs = "".join(sign if sign.isalnum() or sign in "_." else "-" for sign in last)
        stem = re.sub("-+", "-", signs)[:60].strip("-.") or "model"
        names[model] = free_name(stem, taken)
    return names


def free_name(name: str, taken: set[str]) -> str:
    """A name, numbered if it is taken in any case; it is taken from then on."""
    found, number = name, 1
    while found.casefold() in taken:
        number += 1
        found = f"{name}-{number}"
    taken.add(found.casefold())
    return found

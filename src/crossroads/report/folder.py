"""The folder of an audit: what may stand in it, and what it and the audits in it are called."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

from crossroads.errors import InputError, join_words
from crossroads.evidence.full_disks import disk_errors
from crossroads.evidence.replacing import recover
from crossroads.evidence.staging import settle_file

MARK = "results.json"
"""The file by which a folder is known to be an audit."""
OURS = {
    *(MARK, "results.csv", "results.parquet", "report.html", "vectors.npz"),
    *("tests.csv", "associations.csv", "influence.csv", "coverage.csv", "detections.csv", "rsa.csv"),
    *("series.csv", "contexts.csv", "context_levels.csv", "traits.csv", "alignment.csv", "order.csv"),
    *(
        "dominance.csv",
        "emergent.csv",
        "table.tex",
        "methods.md",
        "citations.bib",
        "summary.md",
        "gate.json",
        "figures",
    ),
    *("comparison.csv", "comparison.md", "comparison.tex", "trait_comparison.csv"),
}
"""What an audit or a comparison writes; a folder that holds anything else, but audits, is not replaced."""


def check_output(output: Path) -> None:
    """Refuse a place that holds something else or cannot be written, before any work is done.

    An audit that was about to be replaced when its writer was killed is put back first.
    """
    recover(output)
    if output.is_symlink() and not output.exists():
        raise InputError(f"{output} is a link to nothing.", hint="name a folder as output=.")
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is a file.", hint="name a folder as output=.")
    if output.resolve() in (Path.cwd(), *Path.cwd().parents):
        raise InputError(f"{output} is the current folder or above it.", hint="name a new folder as output=.")
    if output.is_dir() and any(output.iterdir()):
        foreign = sorted(path.name for path in output.iterdir() if not _is_ours(path))
        if foreign or not _is_audit(output / MARK):
            shown = (
                join_words([repr(name) for name in foreign], most=3) or f"a {MARK} that is not of an audit"
            )
            raise InputError(
                f"the folder {output} holds other things: {shown}.",
                hint="name an empty or a new folder as output=.",
            )
    parent = next(path for path in (output.resolve(), *output.resolve().parents) if path.exists())
    if not os.access(parent, os.W_OK):
        raise InputError(f"{parent} cannot be written to.", hint="name another folder as output=.")


def _is_ours(path: Path) -> bool:
    """Whether a file or folder is what an audit writes, or the audit of one of several models."""
    if path.name in OURS:
        return True
    if path.is_symlink() or not path.is_dir():
        return False
    return _is_audit(path / MARK) and all(inner.name in OURS for inner in path.iterdir())


def _is_audit(path: Path) -> bool:
    """Whether a file is the record of an audit."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and {"crossroads", "designs", "results"} <= set(data)


_SAYS_NOTHING = ("model", "models", "checkpoint", "final", "output", "outputs")
"""Names of folders that say nothing without the one that they lie in."""


def folder_names(models: Iterable[str]) -> dict[str, str]:
    """A name for the folder of each model: letters and digits, each different and none a name of ours."""
    taken: set[str] = {name.casefold() for name in OURS}
    names: dict[str, str] = {}
    models = list(models)
    ends = [re.split(r"[\\/]", model.rstrip("\\/"))[-1] for model in models]
    for model in models:
        parts = re.split(r"[\\/]", model.rstrip("\\/"))
        alone = parts[-1].lower() not in _SAYS_NOTHING and ends.count(parts[-1]) == 1
        last = parts[-1] if alone else "-".join(parts[-2:])
        signs = "".join(sign if sign.isalnum() or sign in "_." else "-" for sign in last)
        kept = re.sub("-+", "-", signs)[:60].strip("-.")
        name, number = kept or "model", 1
        while name.casefold() in taken:
            number += 1
            name = f"{kept or 'model'}-{number}"
        taken.add(name.casefold())
        names[model] = name
    return names


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Write a text file, given whole or in pieces, in one step: all of it or nothing, in place of another."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        needed = (lambda: len(text.encode("utf-8"))) if isinstance(text, str) else None
        with disk_errors(path, needed=needed), beside.open("w", encoding="utf-8") as file:
            file.writelines([text] if isinstance(text, str) else text)
        settle_file(beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)

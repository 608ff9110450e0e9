"""The folder of an audit: what may stand in it, and how it is put in place as a whole."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from crossroads.errors import InputError, join_words
from crossroads.evidence.staging import held, lock_folder, remove_abandoned, settle_folder, umask

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
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and {"crossroads", "designs", "results"} <= set(data)


_SAYS_NOTHING = ("model", "models", "checkpoint", "final", "output", "outputs")
"""Names of folders that say nothing without the one that they lie in."""


def folder_names(models: Iterable[str]) -> dict[str, str]:
    """A name for the folder of each model: letters and digits, each different and none a name of ours."""
    taken: set[str] = {name.casefold() for name in OURS}
    names: dict[str, str] = {}
    for model in models:
        parts = re.split(r"[\\/]", model.rstrip("\\/"))
        last = "-".join(parts[-2:]) if parts[-1].lower() in _SAYS_NOTHING else parts[-1]
        signs = "".join(sign if sign.isalnum() or sign in "_." else "-" for sign in last)
        kept = re.sub("-+", "-", signs)[:60].strip("-.")
        name, number = kept or "model", 1
        while name.casefold() in taken:
            number += 1
            name = f"{kept or 'model'}-{number}"
        taken.add(name.casefold())
        names[model] = name
    return names


@contextmanager
def staged(output: Path) -> Iterator[Path]:
    """A folder to write to, which takes the place of ``output`` at the end, or vanishes on an error.

    What a killed writer has left beside it is put back or removed first. An ``output`` that is a link stays
    one: the folder to which it leads is replaced.
    """
    output = output.resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    recover(output)
    remove_abandoned(output)
    staging, lock = held(output)
    try:
        yield staging
        for path in staging.rglob("*"):
            if path.is_file():
                _settle(path)
        staging.chmod(0o777 & ~umask())
        _move(staging, output)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    finally:
        if lock is not None:
            os.close(lock)


def write_whole(path: Path, text: str) -> None:
    """Write a text file in one step: all of it or nothing, in place of one that exists."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        _settle(beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _settle(path: Path) -> None:
    """Wait until a file is on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _move(staging: Path, output: Path) -> None:
    """Put the new folder in place of an old audit; the old one goes only when the new one stands.

    In between there is a moment without either; :func:`recover` puts the old one back if that is the last.
    """
    if not output.exists():
        staging.rename(output)
        settle_folder(output.parent)
        return
    aside, lock = held(output, _OLD)
    try:
        output.rename(aside / _WHOLE)
        staging.rename(output)
        settle_folder(output.parent)
    finally:
        _put_back(aside, output)
        if lock is not None:
            os.close(lock)


_OLD = "-old-"
"""By this, folders for old audits are known."""
_WHOLE, _GOING = "audit", "going"
"""An old audit that was moved aside, and one that is being removed: only the first is ever put back."""


def recover(output: Path) -> None:
    """Clear up after writers that were killed while they replaced a folder.

    Where the old folder was moved aside and the new one had not taken its place, the old one is put back;
    else it is removed. Writers that are at work are left alone.
    """
    output = output.resolve()
    name = re.compile(rf"{re.escape(f'.{output.name}{_OLD}')}[a-z0-9_]{{8}}")
    with suppress(OSError):  # a place that cannot be read or written is refused in words elsewhere
        for aside in sorted(output.parent.iterdir()):
            if name.fullmatch(aside.name) and aside.is_dir() and not aside.is_symlink():
                with suppress(BlockingIOError, FileNotFoundError):
                    _recover(aside, output)


def _recover(aside: Path, output: Path) -> None:
    lock = lock_folder(aside)
    try:
        if {one.name for one in aside.iterdir()} <= {_WHOLE, _GOING}:  # else it is somebody's own
            _put_back(aside, output)
    finally:
        if lock is not None:
            os.close(lock)


def _put_back(aside: Path, output: Path) -> None:
    """Put an old audit back if nothing stands in its place, and remove it else.

    It is renamed before it is removed: half of an audit is never taken for a whole one.
    """
    old = aside / _WHOLE
    if old.is_dir() and not output.exists():
        old.rename(output)
        settle_folder(output.parent)
    elif old.is_dir():
        old.rename(aside / _GOING)
    shutil.rmtree(aside, ignore_errors=True)

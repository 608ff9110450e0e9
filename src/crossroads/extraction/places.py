"""Whether a store can be made where it is asked for; found out before any work is done."""

from __future__ import annotations

import os
from pathlib import Path

from crossroads.errors import InputError

_ELSEWHERE = "name a new folder elsewhere."


def usable_place(store: str | Path) -> Path:
    """The folder to make, links followed; or an error that says why it cannot be made.

    A finished store is always usable: there is nothing to write.

    Parameters
    ----------
    store
        What was asked for; it may be an empty folder, or a link to one.
    """
    path = Path(store)
    try:
        if (path / "manifest.json").is_file() and path.name not in ("", ".."):
            return path
        _check(path)
        linked = path.is_symlink() or path.name in ("", "..")
        return path.resolve() if linked else path
    except (OSError, RuntimeError) as error:  # too long a name; a link to itself
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be used: {reason}.", hint=_ELSEWHERE) from error


def _check(path: Path) -> None:
    whole = path.resolve()
    here = Path.cwd().resolve()
    if path.is_symlink() and not path.exists():
        raise InputError(f"{path} is a link to nothing.", hint=_ELSEWHERE)
    if whole in (here, *here.parents):
        raise InputError(f"{path} is the current folder or above it.", hint="name a new folder inside it.")
    if path.is_dir() and os.path.ismount(whole):
        raise InputError(
            f"{path} is a mount point, which cannot be replaced.", hint="name a new folder inside it."
        )
    parent = next(folder for folder in whole.parents if os.path.lexists(folder))
    if not parent.is_dir():
        raise InputError(f"{parent} is not a folder, so {path} cannot be made.", hint=_ELSEWHERE)
    if not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"{parent} cannot be written to, so {path} cannot be made.", hint=_ELSEWHERE)

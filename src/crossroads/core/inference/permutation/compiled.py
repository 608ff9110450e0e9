"""The compiled kernels, where they are installed and can be used."""

from __future__ import annotations

from functools import cache
from types import ModuleType


@cache
def kernels() -> ModuleType | None:
    """The kernels, or None: numba may be absent, or have no folder to cache compiled code in."""
    try:
        from crossroads.core.inference.permutation import (
            kernels as found,  # numba is optional and slow to import
        )
    except (ImportError, RuntimeError):
        return None
    return found

"""Writing figures to files."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossroads.errors import InputError, in_short, one_of
from crossroads.plots.style import house, matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UNDATED: dict[str, dict[str, None]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


@house()
def save(figure: Figure | Axes, path: str | os.PathLike[str], *, dpi: float = 200) -> Path:
    """Write a figure to a file and return its path.

    The same figure gives the same bytes, as no file holds a date. The file appears whole or not at all;
    one that exists is replaced.

    Parameters
    ----------
    figure
        A figure, or axes of it.
    path
        Ends in ``.png``, ``.svg`` or ``.pdf``, which chooses the format.
    dpi
        Dots per inch of a PNG.
    """
    path = Path(path)
    suffix = check_figure_file(path)
    root = _root(figure)
    if not dpi > 0:
        raise InputError(f"dpi is {in_short(dpi)}.", hint="use a positive number, such as 200.")
    drawn = io.BytesIO()
    root.savefig(drawn, format=suffix[1:], dpi=dpi, metadata=_UNDATED[suffix])
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(drawn.getvalue())
        beside.replace(path)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)  # a full disk does not say what it has no room for
        raise
    finally:
        beside.unlink(missing_ok=True)
    return path


def check_figure_file(path: Path) -> str:
    """Refuse a file to which no figure can go, before any work is done; returns its suffix."""
    suffix = one_of("kind of figure", path.suffix.lower(), _UNDATED)
    if not path.parent.is_dir():
        raise InputError(
            f"there is no folder {str(path.parent)!r}.", hint="make it first, or choose another."
        )
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder.", hint="give the name of a file.")
    return suffix


def _root(drawn: Any) -> Any:
    """The figure at the root of a figure, a part of a figure, or axes."""
    root = getattr(drawn, "figure", None)
    if not isinstance(root, matplotlib("figure").FigureBase):
        raise InputError(f"a {type(drawn).__name__} cannot be saved.", hint="give a figure or axes.")
    while getattr(root, "figure", root) is not root:
        root = root.figure
    return root

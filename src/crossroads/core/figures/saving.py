"""Writing figures to files, and showing them in notebooks."""

from __future__ import annotations

import io
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossroads.core.errors import InputError, in_short, one_of
from crossroads.core.figures.style import matplotlib, own_style
from crossroads.core.storage.files import check_file, write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UNDATED: dict[str, dict[str, None]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


@own_style()
def save(figure: Figure | Axes, path: str | os.PathLike[str], *, dpi: float = 200) -> Path:
    """Write a figure to a file and return its path.

    The same figure gives the same bytes, because files contain no date. The file is written atomically;
    one that exists is replaced.

    Parameters
    ----------
    figure
        A figure, or axes of it.
    path
        Ends in ``.png``, ``.svg`` or ``.pdf``, which chooses the format.
    dpi
        Dots per inch of a PNG.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import crossroads as cr
    >>> cr.plots.save(cr.plots.taxonomy(), Path(mkdtemp(), "taxonomy.svg")).name
    'taxonomy.svg'
    """
    path = Path(path)
    suffix = one_of("kind of figure", path.suffix.lower(), _UNDATED)
    check_file(path)
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder.", hint="give the name of a file.")
    root = _root(figure)
    if not dpi > 0:
        raise InputError(f"dpi is {in_short(dpi)}.", hint="use a positive number, such as 200.")
    drawn = io.BytesIO()
    root.savefig(drawn, format=suffix[1:], dpi=dpi, metadata=_UNDATED[suffix])
    write_file(path, drawn.getvalue())
    return path


_PIXELS = 120
"""Pixels per inch of a picture in a notebook; twice as many are drawn, for screens with fine pixels."""


def show_in_notebooks(drawn: Figure | Axes) -> None:
    """Let a notebook display a figure, or the figure of axes, at the end of a cell.

    Notebooks look for ``_repr_png_``. Only for new figures: pyplot displays those of the caller.
    """
    drawn._repr_png_ = partial(_picture, _root(drawn))  # type: ignore[union-attr]


@own_style()
def _picture(figure: Figure) -> tuple[bytes, dict[str, int]]:
    """A figure as PNG, and how large a notebook should show it."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=2 * _PIXELS)
    wide, tall = (round(inches * _PIXELS) for inches in figure.get_size_inches())
    return drawn.getvalue(), {"width": wide, "height": tall}


def _root(drawn: Any) -> Any:
    """The figure at the root of a figure, a part of a figure, or axes."""
    root = getattr(drawn, "figure", None)
    if not isinstance(root, matplotlib("figure").FigureBase):
        raise InputError(f"a {type(drawn).__name__} cannot be saved.", hint="give a figure or axes.")
    while getattr(root, "figure", root) is not root:
        root = root.figure
    return root

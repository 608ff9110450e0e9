"""The style of all figures: colours, sizes, fonts. Private to this package."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from crossroads.core.errors import WrongKindError, join_words, require

P = ParamSpec("P")
T = TypeVar("T")

RED = "#B2182B"
"""Association; a leaning to A."""
BLUE = "#2166AC"
"""A leaning to B, where the side needs a colour. Red and blue differ for every common colour vision."""
BROWN, TEAL = "#8C510A", "#01665E"
"""The targets X and Y, where they share a picture."""
INK = "#222222"
"""Text, and lines that matter."""
GREY = "#6B6B6B"
"""Second-rank text."""
RULE = "#B5B5B5"
"""Reference lines and axes."""
CELL, ON_CELL = "#E4E4E4", "#505050"
"""A cell that shows nothing in particular, and text on it."""

TITLE, BODY, SMALL, LEAST = 9.0, 7.5, 6.5, 5.5
"""Font sizes in points; no text is smaller than the last."""

COLUMN, WIDE, PAGE = 3.5, 5.5, 7.0
"""Widths of figures, in inches: one column of a journal, one and a half, two."""

_FALLBACKS = (
    *(f"Noto Sans {script}" for script in ("CJK SC", "CJK JP", "Arabic", "Hebrew", "Devanagari")),
    *("Noto Sans", "Hiragino Sans", "PingFang SC", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic"),
    *("Nirmala UI", "Arial Unicode MS", "WenQuanYi Zen Hei"),
)


def matplotlib(module: str) -> Any:
    """A module of matplotlib, or an error with how to install it."""
    return require(f"matplotlib.{module}", extra="plots", purpose="drawing figures")


@cache
def families() -> tuple[str, ...]:
    """DejaVu Sans, which comes with matplotlib, and installed fonts for the scripts that it lacks."""
    installed = set(matplotlib("font_manager").fontManager.get_font_names())
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in installed))


_inside: ContextVar[bool] = ContextVar("crossroads_style", default=False)
"""Whether the style is already active."""


@contextmanager
def own_style() -> Iterator[None]:
    """Draw in this style regardless of the user's settings, which are restored afterwards.

    A character that no installed font has is drawn as a box; matplotlib's warnings of these are suppressed.
    """
    if _inside.get():  # thousands of texts are measured for one figure
        yield
        return
    settings = {
        "font.family": list(families()),
        "text.usetex": False,
        "svg.hashsalt": "crossroads",
        # editable type, which journals ask for; OpenType fallback fonts cannot be written that way
        "pdf.fonttype": 42 if len(families()) == 1 else 3,
    }
    with matplotlib("style").context(["default", settings]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from", UserWarning)
        warnings.filterwarnings("ignore", r"Matplotlib currently does not support \w+ natively", UserWarning)
        token = _inside.set(True)
        try:
            yield
        finally:
            _inside.reset(token)


def figure(*kinds: type, inside: type = object) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Draw in this style, after checking the type of the first argument, and of what is ``inside`` it."""
    takes = join_words([kind.__name__ for kind in kinds], last="or")
    takes += "" if inside is object else f" of {inside.__name__}"

    def decorated(draw: Callable[P, T]) -> Callable[P, T]:
        first = next(iter(inspect.signature(draw).parameters))

        @wraps(draw)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            value: Any = args[0] if args else kwargs.get(first)
            items = list(value.values()) if isinstance(value, Mapping) else value
            several = isinstance(items, Sequence)
            wrong = [one for one in items if not isinstance(one, inside)] if several else []
            if wrong or not isinstance(value, kinds):
                kind = type(wrong[0] if wrong else value).__name__
                raise WrongKindError(
                    f"{draw.__name__} draws {takes}, and was given {kind}.",
                    hint="the method plot() of a result draws its own figure.",
                )
            with own_style():
                return draw(*args, **kwargs)

        return checked

    return decorated


def tint(colour: str, share: float) -> str:
    """A share of a colour on white.

    Examples
    --------
    >>> tint("#B2182B", 0.5), tint("#B2182B", 1)
    ('#D88C95', '#B2182B')
    """
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - part)):02X}" for part in parts)


def bare(ax: Any, *, grid: str | None = None, left: bool = False) -> None:
    """Remove everything from axes that carries no information; ``grid`` names an axis with faint lines."""
    for side, spine in ax.spines.items():
        spine.set_visible(side == "bottom" or (side == "left" and left))
        spine.set(color=RULE, linewidth=0.8)
    ax.tick_params(
        labelsize=SMALL, labelcolor=INK, color=RULE, length=2.5, width=0.8, labelfontfamily=list(families())
    )
    ax.ticklabel_format(useOffset=False, style="plain")
    if not left:
        ax.set_yticks([])
    if grid:
        ax.grid(axis=grid, color="#EFEFEF", linewidth=0.6)
        ax.set_axisbelow(True)

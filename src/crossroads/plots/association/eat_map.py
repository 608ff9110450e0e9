"""The EAT-Map: which target is associated with which attribute (Wolfe, Hiniker & Howe 2024, Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from crossroads.measures.association.mleat import MleatResult
from crossroads.measures.association.patterns import cells
from crossroads.plots.frame import wording
from crossroads.plots.frame.accepted import figure
from crossroads.plots.frame.layout import Frame, write
from crossroads.plots.frame.lettering import fitted, height, width, wrapped
from crossroads.plots.frame.style import BODY, CELL, COLUMN, GREY, INK, RED, SMALL, TITLE, matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_SQUARE = 2.1
_LEFT = 1.05


@figure
def eat_map(result: MleatResult, *, ax: Axes | None = None) -> Axes:
    """Draw the EAT-Map of one test: columns X and Y, rows A and B, associated cells red.

    An associated cell also has a dark border and its starred Level 2 effect size, so that nothing
    depends on colour. Every cell prints its Level 3 mean cosine; Level 1 is in the heading, the Level 2
    tests below their targets, and under them the pattern with the share of resamples that agree.

    Parameters
    ----------
    result
        An ML-EAT.
    ax
        Axes to draw on; a new figure if not given.

    References
    ----------
    Wolfe, R., Hiniker, A., & Howe, B. (2024). doi:10.48550/arXiv.2408.01966

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> ax = cr.plots.eat_map(cr.mleat(emb, design))
    """
    columns = {key: wrapped(result.titles[key], _SQUARE / 2 - 0.08, BODY, lines=3) for key in "xy"}
    share = result.pattern_shares.get(result.pattern)
    frame = Frame(
        width=COLUMN,
        body=_SQUARE,
        left=_LEFT,
        right=COLUMN - _LEFT - _SQUARE,
        title=result.design,
        subtitle=f"Level 1: {wording.effect(result.level1)}, {wording.chance(result.level1)}",
        above=0.1 + height("X", BODY) + max(height(text, BODY) for text in columns.values()),
        below=0.66 if share is None else 0.8,
        note=wording.sentence(
            f"* associated (red, dark border): {wording.rule(result)}",
            "cos: mean cosine (Level 3)",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    draw_cells(ax, result.pattern, inside(result, large=True), size=BODY)
    for i, key in enumerate("xy"):
        _label(ax, key, columns[key], (i + 0.5, 2), (0, 0.05), ha="center", va="bottom")
        test = result.level2[key]
        text = f"{wording.effect(test)}\n{wording.chance(test)}"
        write(ax, text, (i + 0.5, 0), (0, -0.06), coords="data", size=SMALL, ha="center", va="top")
    for i, key in enumerate("ba"):
        row = wrapped(result.titles[key], _LEFT - 0.2, BODY, lines=4)
        _label(ax, key, row, (0, i + 0.5), (-0.07, 0), ha="right", va="center")
    write(ax, "Level 2", (0, 0), (-0.07, -0.06), coords="data", size=SMALL, color=GREY, ha="right", va="top")
    write(
        ax, result.pattern, (1, 0), (0, -0.4), coords="data", weight="bold", size=TITLE, ha="center", va="top"
    )
    if share is not None:
        text = f"in {share:.0%} of resamples".replace("%", " %")
        write(ax, text, (1, 0), (0, -0.56), coords="data", size=SMALL, color=GREY, ha="center", va="top")
    return ax


def _label(
    ax: Axes, key: str, title: str, at: tuple[float, float], offset: tuple[float, float], *, ha: str, va: str
) -> None:
    """The letter and the name of a set."""
    letter = key.upper()
    text = letter if title.casefold() == key else f"{letter}\n{title}"
    write(ax, text, at, offset, coords="data", size=BODY, ha=ha, va=va)


def inside(result: MleatResult, *, large: bool) -> dict[str, str]:
    """What the four cells print: the starred effect size where associated; in large ones the mean cosine."""
    texts = {}
    for key, on in cells(result.pattern).items():
        test = result.level2[key[1]]
        lines = []
        if on:
            lines.append(
                wording.effect(test, star=True) if large else f"{wording.number(test.effect_size)} *"
            )
        if large:
            lines.append(f"cos {wording.number(result.level3[key].mean)}")
        texts[key] = "\n".join(lines)
    return texts


def draw_cells(ax: Axes, pattern: str, texts: Mapping[str, str], *, size: float) -> None:
    """Draw the four cells of a pattern as a square from (0, 0) to (2, 2)."""
    rectangle = matplotlib("patches").Rectangle
    for key, on in cells(pattern).items():
        column, row = "xy".index(key[1]), "ba".index(key[0])
        ax.add_patch(
            rectangle(
                (column, row),
                1,
                1,
                facecolor=RED if on else CELL,
                edgecolor=INK if on else "white",
                linewidth=1.6 if on else 1.2,
                joinstyle="miter",
                zorder=2 if on else 1,
            )
        )
        write(
            ax,
            texts.get(key, ""),
            (column + 0.5, row + 0.5),
            coords="data",
            size=size,
            color="white" if on else GREY,
            weight="bold" if on else "normal",
            ha="center",
            va="center",
            zorder=3,
        )
    ax.set(xlim=(-0.01, 2.01), ylim=(-0.01, 2.01), aspect="equal")
    ax.axis("off")


_BOX, _SPACE = 0.11, 0.06


def map_legend(ax: Axes, room: float, tall: float, rule: str) -> None:
    """Fill axes of a given size in inches with a key to the two kinds of cell.

    Parameters
    ----------
    ax
        Axes to fill; they become as many units wide and high as they have inches.
    room, tall
        Width and height of the axes in inches.
    rule
        What an association had to show.
    """
    ax.set(xlim=(0, room), ylim=(0, tall))
    ax.axis("off")
    rectangle = matplotlib("patches").Rectangle
    left = 0.02
    plain = "no leaning found"
    rest = room - 2 * (_BOX + _SPACE) - 0.25 - width(plain, SMALL)
    starred, size = fitted(f"associated: {rule}", rest, SMALL, lines=2)
    for face, edge, text in ((RED, INK, starred), (CELL, "#FFFFFF", plain)):
        ax.add_patch(
            rectangle((left, (tall - _BOX) / 2), _BOX, _BOX, facecolor=face, edgecolor=edge, linewidth=1.2)
        )
        if face == RED:
            write(
                ax,
                "*",
                (left + _BOX / 2, tall / 2 - 0.02),
                coords="data",
                size=SMALL,
                color="white",
                weight="bold",
                ha="center",
                va="center",
            )
        left += _BOX + _SPACE
        write(ax, text, (left, tall / 2), coords="data", size=size, va="center")
        left += max(width(line, size) for line in text.split("\n")) + 0.25

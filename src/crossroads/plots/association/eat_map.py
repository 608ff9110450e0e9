"""The EAT-Map: which target lies towards which attribute (Wolfe, Hiniker & Howe 2024, Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crossroads.measures.association.mleat import MleatResult
from crossroads.measures.association.patterns import MapCell, map_cells, reach
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, axes_height, axes_width, write
from crossroads.plots.frame.lettering import LEADING, fitted, height, width, wrapped
from crossroads.plots.frame.style import (
    BLUE,
    BODY,
    CELL,
    COLUMN,
    GREY,
    INK,
    ON_CELL,
    RED,
    SMALL,
    TITLE,
    figure,
    matplotlib,
    tint,
)
from crossroads.wording import phrases

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE, _TALL = COLUMN - 2 * MARGIN, 2.0
_SHARES = (0.0, 0.16, 0.36, 1.0)
_SIDES = {"a": RED, "b": BLUE}
_DASHES = (0, (3, 2))
IN_CELL = 0.05
"""Room beside the text of a cell, in inches."""


@figure(MleatResult)
def eat_map(result: MleatResult, *, ax: Axes | None = None) -> Axes:
    """Draw the EAT-Map of one test: a column for each target, a row for each attribute.

    A cell is the stronger in colour the further its target lies towards its attribute, and says so in
    words, with the size of the Level 2 effect size. A leaning that is found has a dark border and a star,
    one that is not a dashed border, so that nothing depends on colour. A sign of inequality stands in the
    middle where the two targets differ, in a dashed circle where other words might not show it. Every cell
    prints its Level 3 mean cosine; Level 1 is in the heading, the Level 2 tests below their targets, and
    under them the pattern in words, and the paper's with the share of resamples that agree.

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
    level1 = result.level1
    differ = reach(level1.pvalue, level1.crossed.pvalue, alpha=result.conventions["alpha"])
    room = _WIDE if ax is None else max(axes_width(ax), 1.0)
    columns = {
        key: wrapped(result.titles[key], room / 2 - 0.08, BODY, lines=3, weight="bold") for key in "xy"
    }
    below = _below(result, differ, room)
    frame = Frame(
        width=COLUMN,
        body=_TALL,
        title=result.design,
        subtitle=f"Level 1: {wording.effect(result.level1)}, {wording.chance(result.level1)}",
        above=0.12 + max(height(text, BODY) for text in columns.values()),
        below=0.12 + sum(height(text, size) + gap for text, size, gap, _ in below),
        note=wording.sentence(
            f"* found to lean (dark border): {wording.rule(result)}",
            "dashed border: not found to lean",
            "≠ the groups differ; dashed: other words might not show it" if differ else "",
            "number: size of the Level 2 effect size",
            "cos: mean cosine (Level 3)",
            "p: for other words for the same things",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    cosines = {key: f"cos {wording.number(one.mean)}" for key, one in result.level3.items()}
    place = (axes_width(ax) / 2, axes_height(ax) / 2)
    draw_cells(ax, cells_of(result), result.titles, place, size=BODY, last=cosines)
    draw_mark(ax, differ, place, BODY + 2)
    for i, key in enumerate("xy"):
        at: dict[str, Any] = {"coords": "data", "ha": "center"}
        write(ax, columns[key], (i + 0.5, 2), (0, 0.05), size=BODY, weight="bold", va="bottom", **at)
    down = -0.06
    for text, size, gap, look in below:
        rest = {key: value for key, value in look.items() if key != "at"}
        for at_x, line in zip(look["at"], text.split("|"), strict=True):
            write(ax, line, (at_x, 0), (0, down), coords="data", size=size, ha="center", va="top", **rest)
        down -= height(text.split("|")[0], size) + gap
    return ax


def _below(result: MleatResult, differ: str, room: float) -> list[tuple[str, float, float, dict[str, Any]]]:
    """What stands below a map: texts, their size, the room under each, and how they look."""
    tests = (f"Level 2: {wording.effect(one)}, {wording.chance(one)}" for one in result.level2.values())
    sized = [fitted(text, room / 2 - 0.06, SMALL) for text in tests]
    size = min(size for _, size in sized)
    pattern = phrases.pattern(result.crossed_pattern, result.titles)
    said = wrapped(pattern, room, TITLE, lines=3, weight="bold")
    found: list[tuple[str, float, float, dict[str, Any]]] = [
        ("|".join(text for text, _ in sized), size, 0.06, {"at": (0.5, 1.5), "color": ON_CELL}),
        (said, TITLE, 0.02, {"at": (1,), "weight": "bold"}),
    ]
    share = result.pattern_shares.get(result.pattern)
    told = [phrases.difference(differ, result.crossed_pattern)]
    if share is not None:
        told.append(f"paper's pattern: {result.pattern}, in {wording.percent(share)} of resamples")
    quiet: dict[str, Any] = {"at": (1,), "color": ON_CELL}
    return [*found, *((wrapped(text, room, SMALL, lines=3), SMALL, 0.0, quiet) for text in told)]


def cells_of(result: MleatResult) -> dict[str, MapCell]:
    """The four cells of the map of a test."""
    return map_cells(result.crossed_pattern, {key: one.effect_size for key, one in result.level2.items()})


def cell_text(cell: MapCell, title: str, room: float, size: float, *, lines: int = 5) -> str:
    """What a cell says: towards which attribute, and how far; of the other cells the attribute alone."""
    weight, star = ("bold", " *") if cell.found else ("normal", "")
    text = f"towards {title}" if cell.step else title
    if cell.size is None:
        return wrapped(f"{text}{star}", room, size, lines=lines, weight=weight)
    said = wrapped(text, room, size, lines=lines, weight=weight)
    return f"{said}\n{wording.number(cell.size)}{star}"


def draw_cells(
    ax: Axes,
    found: Mapping[str, MapCell],
    titles: Mapping[str, str],
    place: tuple[float, float],
    *,
    size: float,
    last: Mapping[str, str] | None = None,
) -> None:
    """Draw the four cells of a map from (0, 0) to (2, 2).

    Parameters
    ----------
    ax
        Axes to draw on.
    found
        The cells.
    titles
        Names of the attributes, ``a`` and ``b``.
    place
        Width and height of a cell in inches.
    size
        Font size.
    last
        A last line for each cell.
    """
    for key, cell in found.items():
        column, row = "xy".index(key[1]), "ba".index(key[0])
        ax.add_patch(_patch(cell, key[0], (column, row)))
        others = (cell.size is not None) + (last is not None)
        most = max(1, int((place[1] - 0.1) * 72 / (size * LEADING)) - others)
        text = cell_text(cell, titles[key[0]], place[0] - IN_CELL, size, lines=most)
        colour = "white" if cell.step == len(_SHARES) - 1 else INK if cell.step else ON_CELL
        look: dict[str, Any] = {"color": colour, "size": size, "ha": "center", "coords": "data"}
        up = size * LEADING / 144 if last else 0.0
        at, weight = (column + 0.5, row + 0.5), "bold" if cell.found else "normal"
        write(ax, text, at, (0, up), weight=weight, zorder=3, **look)
        if last:
            under = -(text.count("\n") + 1) * size * LEADING / 144
            write(ax, last[key], at, (0, under), zorder=3, **{**look, "size": min(size, SMALL)})
    ax.set(xlim=(-0.01, 2.01), ylim=(-0.01, 2.01))
    ax.axis("off")


def _patch(cell: MapCell, side: str, at: tuple[float, float], wide: float = 1, tall: float = 1) -> Any:
    """The rectangle of a cell: filled by strength, with a border that says whether a leaning is found."""
    inset = 0.012 * min(wide, tall)
    return matplotlib("patches").Rectangle(
        (at[0] + inset, at[1] + inset),
        wide - 2 * inset,
        tall - 2 * inset,
        facecolor=tint(_SIDES[side], _SHARES[cell.step]) if cell.step else CELL,
        edgecolor=INK if cell.found else _SIDES[side] if cell.step else "none",
        linewidth=1.6 if cell.found else 0.8,
        linestyle="-" if cell.found or not cell.step else _DASHES,
        joinstyle="miter",
        zorder=2 if cell.found else 1,
    )


def draw_mark(
    ax: Axes, differ: str, place: tuple[float, float], size: float, at: tuple[float, float] = (1, 1)
) -> None:
    """A sign of inequality in the middle of a map, where its targets differ.

    Parameters
    ----------
    ax
        Axes to draw on.
    differ
        How far the difference reaches; nothing is drawn where there is none.
    place
        Inches per unit of the data, across and up.
    size
        Font size.
    at
        Where, in data coordinates.
    """
    if not differ:
        return
    across = 1.7 * size / 72
    ax.add_patch(
        matplotlib("patches").Ellipse(
            at,
            across / place[0],
            across / place[1],
            facecolor="white",
            edgecolor=INK,
            linewidth=1.1,
            linestyle="-" if differ == "others" else _DASHES,
            zorder=4,
        )
    )
    write(ax, "≠", at, coords="data", size=size, weight="bold", ha="center", zorder=5)


_BOX, _SPACE, _APART, _LINE = 0.13, 0.06, 0.2, 0.17
Entry = tuple[MapCell | str, str]
"""What a key shows, a cell or how far a difference reaches, and its meaning."""


def key_entries(rule: str, cells: Sequence[MapCell], marks: Sequence[str] = ()) -> list[Entry]:
    """What a key must explain of some cells and marks.

    Parameters
    ----------
    rule
        What a leaning had to show to be found.
    cells, marks
        All cells, and how far each difference reaches.
    """
    entries: list[Entry] = []
    if found := max((one for one in cells if one.found), key=lambda one: one.step, default=None):
        entries.append((found, f"found to lean: {rule}"))
    if unsure := max(
        (one for one in cells if one.step and not one.found), key=lambda one: one.step, default=None
    ):
        entries.append((unsure, "towards it, not found to lean"))
    return [*entries, *((one, phrases.difference(one)) for one in ("others", "words") if one in marks)]


def key_rows(entries: Sequence[Entry], room: float) -> list[list[tuple[MapCell | str, str, float]]]:
    """The entries of a key in rows that fit, each with the size of its type."""
    rows: list[list[tuple[MapCell | str, str, float]]] = []
    left = room + 1
    for shown, text in entries:
        line, size = fitted(text, room - _BOX - _SPACE, SMALL)
        wide = _BOX + _SPACE + width(line, size)
        if left + wide > room:
            rows.append([])
            left = 0.0
        rows[-1].append((shown, line, size))
        left += wide + _APART
    return rows


def draw_key(ax: Axes, rows: Sequence[Sequence[tuple[MapCell | str, str, float]]], room: float) -> None:
    """Fill axes that are as wide as ``room`` inches with a key, and as high as its rows need."""
    tall = key_height(rows)
    ax.set(xlim=(0, room), ylim=(0, tall))
    ax.axis("off")
    for i, row in enumerate(rows):
        left, middle = 0.01, tall - (i + 0.5) * _LINE
        for shown, text, size in row:
            if isinstance(shown, str):
                draw_mark(ax, shown, (1, 1), 5.5, (left + _BOX / 2, middle))
            else:
                ax.add_patch(_patch(shown, "a", (left, middle - _BOX / 2), _BOX, _BOX))
                star: dict[str, Any] = {
                    "color": "white" if shown.step == len(_SHARES) - 1 else INK,
                    "weight": "bold",
                }
                if shown.found:
                    at = (left + _BOX / 2, middle - 0.02)
                    write(ax, "*", at, coords="data", size=SMALL, ha="center", zorder=3, **star)
            write(ax, text, (left + _BOX + _SPACE, middle), coords="data", size=size, color=GREY)
            left += _BOX + _SPACE + width(text, size) + _APART


def key_height(rows: Sequence[Any]) -> float:
    """Height of a key in inches."""
    return len(rows) * _LINE

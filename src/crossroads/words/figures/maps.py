"""EAT-Maps: which target lies towards which attribute (Wolfe, Hiniker & Howe 2024, Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crossroads.core.errors import InputError, join_words
from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, Frame, axes_height, axes_width, new_figure, write
from crossroads.core.figures.lettering import LEADING, alike, fitted, height, width, wrapped
from crossroads.core.figures.style import (
    BLUE,
    BODY,
    CELL,
    COLUMN,
    GREY,
    INK,
    LEAST,
    ON_CELL,
    PAGE,
    RED,
    SMALL,
    TITLE,
    figure,
    matplotlib,
    own_style,
    tint,
)
from crossroads.core.inference.options import whole
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import (
    ALPHA,
    LEAST_EFFECT,
    PATTERNS,
    MapCell,
    MleatResult,
    map_cells,
    reach,
)
from crossroads.words.measures.weat import WeatResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAP_WIDE, _MAP_TALL = COLUMN - 2 * MARGIN, 2.0
_SHARES = (0.0, 0.16, 0.36, 1.0)
_SIDES = {"a": RED, "b": BLUE}
_DASHES = (0, (3, 2))
IN_CELL = 0.05
"""Room next to the text of a cell, in inches."""


def _effect(test: WeatResult) -> str:
    return wording.effect(test.effect_size, test.crossed)


def _rule(test: MleatResult) -> str:
    least, alpha = test.conventions["least_effect"], test.conventions["alpha"]
    tail = wording.tail(test.level1.alternative)
    return f"|d| > {least:g} and p < {wording.level(alpha)} ({tail})"


@figure(MleatResult)
def eat_map(result: MleatResult, *, ax: Axes | None = None) -> Axes:
    """Draw the EAT-Map of one test: a column for each target, a row for each attribute.

    A cell is the stronger in colour the further its target lies towards its attribute, with the size of the
    Level 2 effect size and the Level 3 mean cosine. A leaning that is found has a dark border and a star, one
    that is not a dashed border. A sign of inequality is in the middle where the two targets differ, in a
    dashed circle where other words might not show it. Below are the Level 2 tests, the pattern in words, and
    the paper's.

    References
    ----------
    Wolfe, R., Hiniker, A., & Howe, B. (2024). doi:10.48550/arXiv.2408.01966

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> ax = cr.plots.eat_map(cr.mleat(emb, design))
    """
    level1 = result.level1
    differ = reach(level1.pvalue, level1.crossed.pvalue, alpha=result.conventions["alpha"])
    room = _MAP_WIDE if ax is None else max(axes_width(ax), 1.0)
    columns = {
        key: wrapped(result.titles[key], room / 2 - 0.08, BODY, lines=3, weight="bold") for key in "xy"
    }
    below = _below(result, differ, room)
    frame = Frame(
        width=COLUMN,
        body=_MAP_TALL,
        title=result.design,
        subtitle=f"Level 1: {_effect(result.level1)}",
        above=0.12 + max(height(text, BODY) for text in columns.values()),
        below=0.12 + sum(height(texts[0][1], size) + gap for texts, size, gap, _ in below),
        note=wording.sentence(
            f"* association found (dark border): {_rule(result)}",
            "dashed border: association not found",
            "≠ the groups differ; dashed: other words might not show it" if differ else "",
            "number: size of the Level 2 effect size",
            "cos: mean cosine (Level 3)",
            f"{wording.AGREE} · p: for other words for the same things",
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
    for texts, size, gap, look in below:
        for x, line in texts:
            write(ax, line, (x, 0), (0, down), coords="data", size=size, ha="center", va="top", **look)
        down -= height(texts[0][1], size) + gap
    return ax


_Line = tuple[list[tuple[float, str]], float, float, dict[str, Any]]
"""Texts side by side, each with its place, their size, the room under them, and how they look."""


def _below(result: MleatResult, differ: str, room: float) -> list[_Line]:
    """What is below a map: the tests of Level 2, the pattern, and how sure it is."""
    tests = (f"Level 2: {_effect(one)}" for one in result.level2.values())
    left, right = (wrapped(text, room / 2 - 0.06, SMALL, lines=2) for text in tests)
    pattern = phrases.pattern(result.crossed_pattern, result.titles)
    quiet = [phrases.difference(differ, result.crossed_pattern), f"paper's pattern: {result.pattern}"]
    grey: dict[str, Any] = {"color": ON_CELL}
    return [
        ([(0.5, left), (1.5, right)], SMALL, 0.06, grey),
        ([(1.0, wrapped(pattern, room, TITLE, lines=3, weight="bold"))], TITLE, 0.02, {"weight": "bold"}),
        *(([(1.0, wrapped(text, room, SMALL, lines=3))], SMALL, 0.0, grey) for text in quiet),
    ]


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
    """Draw the four cells of a map, ``place`` inches wide and high, from (0, 0) to (2, 2)."""
    for key, cell in found.items():
        column, row = "xy".index(key[1]), "ba".index(key[0])
        ax.add_patch(_patch(cell, key[0], (column, row)))
        others = (cell.size is not None) + (last is not None)
        most = max(1, int((place[1] - 0.1) * 72 / (size * LEADING)) - others)
        text = cell_text(cell, titles[key[0]], place[0] - IN_CELL, size, lines=most)
        look: dict[str, Any] = {"color": _ink(cell), "size": size, "ha": "center", "coords": "data"}
        up = size * LEADING / 144 if last else 0.0
        at, weight = (column + 0.5, row + 0.5), "bold" if cell.found else "normal"
        write(ax, text, at, (0, up), weight=weight, zorder=3, **look)
        if last:
            under = -(text.count("\n") + 1) * size * LEADING / 144
            write(ax, last[key], at, (0, under), zorder=3, **{**look, "size": min(size, SMALL)})
    ax.set(xlim=(-0.01, 2.01), ylim=(-0.01, 2.01))
    ax.axis("off")


def _ink(cell: MapCell) -> str:
    return "white" if cell.step == len(_SHARES) - 1 else INK if cell.step else ON_CELL


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
    """A sign of inequality in the middle of a map, where its targets differ; ``place``: inches per unit."""
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
_Keyed = tuple[MapCell | str, str, float]
"""The same with the size of the type."""


def key_entries(rule: str, cells: Sequence[MapCell], marks: Sequence[str] = ()) -> list[Entry]:
    """What a key must explain of some cells, and of how far differences reach."""
    towards = sorted((cell for cell in cells if cell.step), key=lambda cell: -cell.step)
    found = [(cell, f"association found: {rule}") for cell in towards if cell.found]
    unsure = [(cell, "towards it, not found to be associated") for cell in towards if not cell.found]
    reached = [(mark, phrases.difference(mark)) for mark in ("others", "words") if mark in marks]
    return [*found[:1], *unsure[:1], *reached]


def key_rows(entries: Sequence[Entry], room: float) -> list[list[_Keyed]]:
    """The entries of a key in rows that fit, each with the size of its type."""
    rows: list[list[_Keyed]] = []
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


def draw_key(ax: Axes, rows: Sequence[Sequence[_Keyed]], room: float) -> None:
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
                if shown.found:
                    at = (left + _BOX / 2, middle - 0.02)
                    star: dict[str, Any] = {"weight": "bold", "color": _ink(shown), "ha": "center"}
                    write(ax, "*", at, coords="data", size=SMALL, zorder=3, **star)
            write(ax, text, (left + _BOX + _SPACE, middle), coords="data", size=size, color=GREY)
            left += _BOX + _SPACE + width(text, size) + _APART


def key_height(rows: Sequence[Any]) -> float:
    """Height of a key in inches."""
    return len(rows) * _LINE


_PITCH = (PAGE - 2 * MARGIN) / 5
_MAPS_WIDE = _PITCH - 0.06
_LINES, _LINES_IN_CELL, _SAID = 3, 6, 3
_HEADING, _BETWEEN = 0.34, 0.12


@figure(BatteryResult)
def eat_maps(result: BatteryResult, *, columns: int = 5) -> Figure:
    """Draw the EAT-Map of every test of a battery, with its Level 1 test and its pattern in words.

    Cells, borders and marks are those of :func:`eat_map`; whether two targets differ is decided by the
    adjusted p-values.

    Parameters
    ----------
    columns
        Maps per row; five fill the width of a page.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> figure = cr.plots.eat_maps(cr.battery(emb, [design]))
    """
    if not result.tests:
        raise InputError("the battery has no test to draw.", hint="see its field 'skipped' for the reasons.")
    tests = result.tests
    columns = min(whole("columns", columns, least=1), len(tests))
    room = max(columns, 3) * _PITCH
    width = room + 2 * MARGIN
    names = [test.titles[key] for test in tests for key in "xy"]
    heads, size = alike(names, _MAPS_WIDE / 2 - 0.03, SMALL, lines=_LINES)
    told = [phrases.pattern(test.crossed_pattern, test.titles) for test in tests]
    fits = _PITCH - 0.06
    patterned = min(fitted(text, fits, SMALL, lines=_SAID, weight="bold")[1] for text in told)
    said = [wrapped(text, fits, patterned, lines=_SAID + 2, weight="bold") for text in told]
    marks = [
        reach(test.level1.pvalue, p, alpha=test.conventions["alpha"])
        for test, p in zip(tests, result.adjusted[phrases.ADJUSTMENT], strict=True)
    ]
    adjusted = result._adjusted_p()
    notes = wrapped(_note(result, marks), room, SMALL, lines=8)
    shown = [cell for test in tests for cell in cells_of(test).values()]
    key = key_rows(key_entries(_rule(tests[0]), shown, marks), room)
    lines = [range(start, min(start + columns, len(tests))) for start in range(0, len(tests), columns)]
    labelled = [max(height(heads[2 * i + j], size) for i in line for j in (0, 1)) for line in lines]
    tall = [_tall([tests[i] for i in line]) for line in lines]
    below = [max(height(said[i], patterned) for i in line) + 0.06 + _BETWEEN for line in lines]
    body = _HEADING * len(lines) + sum(labelled) + sum(tall) + sum(below)
    foot = key_height(key)
    total = MARGIN + body + foot + height(notes, SMALL) + 2 * MARGIN
    figure = new_figure(width, total)
    top = total - MARGIN
    for line, head, high, under in zip(lines, labelled, tall, below, strict=True):
        bottom = top - _HEADING - head - high
        for column, i in enumerate(line):
            left = MARGIN + column * _PITCH + (_PITCH - _MAPS_WIDE) / 2
            ax = figure.add_axes((left / width, bottom / total, _MAPS_WIDE / width, high / total))
            draw_cells(ax, cells_of(tests[i]), tests[i].titles, (_MAPS_WIDE / 2, high / 2), size=LEAST)
            draw_mark(ax, marks[i], (_MAPS_WIDE / 2, high / 2), LEAST + 1)
            for j, head_text in enumerate(heads[2 * i : 2 * i + 2]):
                at = (j + 0.5, 2)
                write(ax, head_text, at, (0, 0.02), coords="data", size=size, ha="center", va="bottom")
            _write_heading(ax, tests[i], adjusted[i], head)
            write(ax, said[i], (0.5, 0), (0, -0.05), size=patterned, weight="bold", ha="center", va="top")
        top = bottom - under
    bottom = MARGIN + height(notes, SMALL)
    last = figure.add_axes((MARGIN / width, (bottom + MARGIN) / total, room / width, foot / total))
    draw_key(last, key, room)
    write(last, notes, (0, 0), (0, -0.04), size=SMALL, color=GREY, va="top")
    return figure


def _tall(tests: Sequence[MleatResult]) -> float:
    """Height of maps in inches: that of the cell with most to say."""
    texts = [
        cell_text(cell, test.titles[key[0]], _MAPS_WIDE / 2 - IN_CELL, LEAST, lines=_LINES_IN_CELL)
        for test in tests
        for key, cell in cells_of(test).items()
    ]
    return 2 * max(0.46, max(height(text, LEAST) for text in texts) + 0.2)


def _note(result: BatteryResult, marks: Sequence[str]) -> str:
    """The model, what the numbers are, and what could not be measured."""
    tail = wording.tail(result.tests[0].level1.alternative)
    return wording.sentence(
        "in the cells, the size of the Level 2 effect size",
        f"above each map, the Level 1 test: {wording.AGREE}; p for other words for the same things ({tail}), "
        f"{wording.FILLED} for the number of tests",
        f"≠ in a full circle: p for other words < .05 {wording.FILLED}" if "others" in marks else "",
        f"not measured: {join_words(result.skipped, most=12)}" if result.skipped else "",
        wording.model(result),
    )


def _write_heading(ax: Axes, test: MleatResult, adjusted: P | None, labelled: float) -> None:
    """The name of a test and its Level 1 test, above the names of its targets."""
    level1 = f"{wording.agree(test.level1.crossed)}{wording.adjusted_chance(adjusted)}"
    for text, up, asked, weight in ((test.design, 0.17, BODY, "bold"), (level1, 0.05, SMALL, "normal")):
        line, fits = fitted(text, _PITCH - 0.06, asked, weight=weight)
        look = {"weight": weight, "color": ON_CELL if weight == "normal" else INK}
        write(ax, line, (0.5, 1), (0, labelled + up), size=fits, ha="center", va="bottom", **look)


_COLUMNS = 5
_TAXONOMY_WIDE, _TAXONOMY_TALL, _ABOVE, _BELOW = 1.28, 1.0, 0.2, 0.52


@own_style()
def taxonomy() -> Figure:
    """Draw the nine patterns with their EAT-Maps.

    References
    ----------
    Wolfe, R., Hiniker, A., & Howe, B. (2024). doi:10.48550/arXiv.2408.01966

    Examples
    --------
    >>> import crossroads as cr
    >>> figure = cr.plots.taxonomy()
    """
    room = PAGE - 2 * MARGIN
    step, pitch = room / _COLUMNS, _ABOVE + _TAXONOMY_TALL + _BELOW
    rule = f"Level 2 test with |d| > {LEAST_EFFECT:g} and p < {wording.level(ALPHA)}"
    shown = [cell for pattern in PATTERNS for cell in map_cells(pattern).values()]
    rows, titles = key_rows(key_entries(rule, shown), room), phrases.ANY_SETS
    total = 2 * MARGIN + 2 * pitch + key_height(rows)
    figure = new_figure(PAGE, total)
    for i, pattern in enumerate(PATTERNS):
        row, column = divmod(i, _COLUMNS)
        # the second row has one map fewer and is centred
        left = MARGIN + (column + row / 2) * step + (step - _TAXONOMY_WIDE) / 2
        bottom = total - MARGIN - row * pitch - _ABOVE - _TAXONOMY_TALL
        ax = figure.add_axes((left / PAGE, bottom / total, _TAXONOMY_WIDE / PAGE, _TAXONOMY_TALL / total))
        place = (_TAXONOMY_WIDE / 2, _TAXONOMY_TALL / 2)
        draw_cells(ax, map_cells(pattern), titles, place, size=LEAST)
        for j, key in enumerate("xy"):
            head, size = fitted(titles[key], _TAXONOMY_WIDE / 2 - 0.02, SMALL)
            write(ax, head, (j + 0.5, 2), (0, 0.03), coords="data", size=size, ha="center", va="bottom")
        write(ax, pattern, (0.5, 0), (0, -0.05), weight="bold", ha="center", va="top")
        text = wrapped(phrases.LEANINGS[pattern].format(**titles), step - 0.06, LEAST, lines=3)
        write(ax, text, (0.5, 0), (0, -0.19), size=LEAST, color=ON_CELL, ha="center", va="top")
    foot = figure.add_axes((MARGIN / PAGE, MARGIN / total, room / PAGE, key_height(rows) / total))
    draw_key(foot, rows, room)
    return figure

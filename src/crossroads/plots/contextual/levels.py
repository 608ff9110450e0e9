"""Levels 1 and 2 of several designs over contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crossroads.errors import InputError
from crossroads.measures.contextual.levels import CombinedLevel, MultilevelCeatResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import alike, fitted, widest
from crossroads.plots.frame.style import BODY, BROWN, GREY, INK, PAGE, SMALL, TEAL, bare, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.56
_LONGEST, _WIDEST = 2.0, 1.5
_LINE = 0.145
_SIDE = ("axes fraction", "data")
_LOOKS = ((INK, "o"), (BROWN, "^"), (TEAL, "v"))


@figure(MultilevelCeatResult, Sequence, inside=MultilevelCeatResult)
def context_levels(
    results: MultilevelCeatResult | Sequence[MultilevelCeatResult], *, ax: Axes | None = None
) -> Axes:
    """Draw the combined effect size of each design and of each of its targets alone.

    Marks are filled where the p-value over stimuli is below the level; pale bands are the middle 95 % of the
    samples, lines are the prediction intervals of the random-effects model.

    Parameters
    ----------
    results
        A multilevel CEAT, or several.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> ax = cr.plots.context_levels(cr.multilevel_ceat(contexts, design, samples=1000))
    """
    results = [results] if isinstance(results, MultilevelCeatResult) else list(results)
    if not results:
        raise InputError("there is no test to draw.", hint="give at least one multilevel CEAT.")
    names = [fitted(one.design, _LONGEST, BODY, weight="bold") for one in results]
    titles = [f"{wording.titled(key, one.titles)} alone" for one in results for key in "xy"]
    lines, size = alike(titles, _LONGEST, SMALL, lines=1)
    labelled = max(widest(lines, size), *(widest([text], s, "bold") for text, s in names)) + 0.12
    columns = _columns(results)
    widths = [0.14 + widest(column, SMALL) for column in columns]
    frame = Frame(
        width=PAGE,
        body=len(results) * _ROW,
        left=MARGIN + labelled,
        right=MARGIN + sum(widths),
        title="Each target alone, over contexts",
        above=0.24,
        below=0.48,
        note=_note(results[0]),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(results) - 0.5, -0.5)
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    for y, one in enumerate(results):
        texts = [(*names[y], "bold"), (lines[2 * y], size, "normal"), (lines[2 * y + 1], size, "normal")]
        levels = (one.level1, one.level2["x"], one.level2["y"])
        for i, ((text, type_, weight), level, (color, marker)) in enumerate(
            zip(texts, levels, _LOOKS, strict=True)
        ):
            place = (-labelled, (1 - i) * _LINE)
            write(ax, text, (0, y), place, coords=_SIDE, size=type_, weight=weight, color=color)
            _draw_level(ax, y + (i - 1) * _LINE / _ROW, level, color, marker, one.conventions["alpha"])
    _write_columns(ax, columns, widths)
    ax.margins(x=0.04)
    ax.set_xlabel("combined effect size d", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _draw_level(ax: Axes, y: float, level: CombinedLevel, color: str, marker: str, alpha: float) -> None:
    band: dict[str, Any] = {"linewidth": 3.2, "alpha": 0.3, "solid_capstyle": "butt"}
    ax.plot(list(level.sample_interval), [y, y], color=color, zorder=1.5, **band)
    ax.plot(list(level.prediction_interval), [y, y], color=color, linewidth=1.1, zorder=2)
    face = color if level.answer is not None and level.answer.value < alpha else "white"
    mark: dict[str, Any] = {
        "marker": marker,
        "markersize": 4.6,
        "markeredgewidth": 1.1,
        "markerfacecolor": face,
    }
    ax.plot([level.effect_size], [y], color=color, zorder=3, **mark)


def _columns(results: Sequence[MultilevelCeatResult]) -> list[list[str]]:
    """Columns of text with a heading and three lines per design."""
    d, p, pattern = ["d"], ["p"], ["pattern"]
    for one in results:
        for level in (one.level1, one.level2["x"], one.level2["y"]):
            d.append(wording.number(level.effect_size))
            p.append(wording.probability(level.answer))
        share = wording.percent(one.pattern_shares[one.pattern], 0)
        attributes = f"{wording.titled('a', one.titles)} / {wording.titled('b', one.titles)}"
        pattern += [
            one.crossed_pattern,
            f"paper's: {one.pattern}, in {share} of samples",
            fitted(attributes, _WIDEST, SMALL)[0],
        ]
    return [d, p, pattern]


def _write_columns(ax: Axes, columns: list[list[str]], widths: list[float]) -> None:
    right = 0.0
    for column, room in zip(columns, widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for i, text in enumerate(column[1:]):
            y, line = divmod(i, 3)
            color = GREY if line and column[0] == "pattern" else INK
            place = (right, (1 - line) * _LINE)
            text, size = fitted(text, _WIDEST, SMALL)
            write(ax, text, (1, y), place, coords=_SIDE, size=size, color=color, ha="right")


def _note(first: MultilevelCeatResult) -> str:
    rule = f"|d| > {first.conventions['least_effect']:g} and p < {wording.level(first.conventions['alpha'])}"
    return wording.sentence(
        f"combined over {first.sample_effect_sizes.size:,} samples of one context per word",
        "pale: the middle 95\N{NO-BREAK SPACE}% of samples; line: prediction interval of the random-effects "
        "model",
        "right of 0: closer to A than to B; in the first row closer to A, relative to B, than the second "
        "target is",
        f"p: for other words for the same things ({wording.tail(first.conventions['alternative'])})",
        f"filled: p < {wording.level(first.conventions['alpha'])}",
        f"a target leans if {rule}",
        wording.model(first),
    )

"""Tests over contexts: effect sizes, levels, and how an effect size is distributed over samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.contexts.measures.levels import MultilevelCeatResult
from crossroads.core.errors import InputError, join_words, one_of
from crossroads.core.figures import wording
from crossroads.core.figures.layout import write
from crossroads.core.figures.lettering import alike, fitted
from crossroads.core.figures.rows import SIDE, Line, Rows, draw_mark, row_axes
from crossroads.core.figures.style import (
    BODY,
    BROWN,
    GREY,
    INK,
    PAGE,
    RED,
    RULE,
    SMALL,
    TEAL,
    figure,
)
from crossroads.core.inference.bootstrap import percentile_interval
from crossroads.core.wording.phrases import ADJUSTMENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FOREST_ROW, _LOW_ROW, _LEVELS_ROW = 0.42, 0.27, 0.56
_MANY = 20  # tests from which rows are low and sets are not named
_FOREST_LONGEST, _LEVELS_LONGEST, _WIDEST = 2.2, 2.0, 1.5
_FOREST_LINE, _LEVELS_LINE = 0.115, 0.145
_APART = 0.17  # of a row, between the two marks of a test
_ALPHA = 0.05
_LOOKS = ((INK, "o"), (BROWN, "^"), (TEAL, "v"))
_BAND: dict[str, Any] = {"linewidth": 3.2, "solid_capstyle": "butt", "zorder": 1.5}
_OTHER_WORDS = "p: for other words for the same things"
_PREDICTION = "line: prediction interval of the random-effects model"


@figure(CeatBatteryResult)
def context_forest(
    result: CeatBatteryResult, published: Mapping[str, float] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the combined and the stimulus-level effect size of every test of a battery of CEATs.

    Above, a circle with the middle 95 % of the samples and the prediction interval of the random-effects
    model; below, a square, filled where it stays significant after adjustment for the number of tests.

    Parameters
    ----------
    published
        Published combined effect sizes by name of the design, drawn as crosses.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> result = cr.battery(contexts, [design], samples=1000)
    >>> ax = cr.plots.context_forest(result, {"c7": 0.5})  # with a published effect size
    """
    if not result.tests:
        raise InputError("the battery has no test to draw.", hint="see its field 'skipped' for the reasons.")
    published = published or {}
    for name in published:
        one_of("design", name, [*(test.design for test in result.tests), *result.skipped])
    many = len(result.tests) > _MANY
    titles = [] if many else [result.titles[test.design] for test in result.tests]
    pairs = [f"{t[one]} / {t[two]}" for t in titles for one, two in ("xy", "ab")]
    labels = _labels([test.design for test in result.tests], pairs, _FOREST_LONGEST)
    rows = Rows(labels=labels, columns=_forest_columns(result, published), step=_FOREST_LINE)
    tall, title = _LOW_ROW if many else _FOREST_ROW, "Effect sizes over contexts and over stimuli"
    ax = _rows_axes(rows, ax, tall, title, "effect size d", _forest_note(result, published))
    for y, test in enumerate(result.tests):
        rows.write_label(ax, y, y)
        above, below, p = y - _APART, y + _APART, result.adjusted[ADJUSTMENT][y]
        kept = p is not None and p < _ALPHA
        color = RED if kept else GREY
        ax.plot(percentile_interval(test.sample_effect_sizes, 0.95), [above, above], color=RULE, **_BAND)
        ax.plot(list(test.prediction_interval), [above, above], color=INK, linewidth=0.9, zorder=2)
        ax.plot([test.effect_size], [above], color=INK, marker="o", markersize=3.6, zorder=3)
        draw_mark(ax, test.stimulus_effect_size, below, "s", 4.6, color, filled=kept)
        if test.design in published:
            cross: dict[str, Any] = {"marker": "x", "markersize": 4.5, "markeredgewidth": 1.1}
            ax.plot([published[test.design]], [above], color=INK, zorder=4, **cross)
    rows.write_columns(ax)
    return ax


def _labels(designs: list[str], titles: list[str], longest: float) -> list[list[Line]]:
    """The name of each test, and two lines of titles if there are any, with their size and weight."""
    names = [fitted(design, longest, BODY, weight="bold") for design in designs]
    lines, size = alike(titles, longest, SMALL, lines=1) if titles else ([], SMALL)
    return [
        [(*name, "bold"), *((line, size, "normal") for line in lines[2 * i : 2 * i + 2])]
        for i, name in enumerate(names)
    ]


def _rows_axes(rows: Rows, ax: Axes | None, tall: float, title: str, axis: str, note: str) -> Axes:
    body = len(rows.labels) * tall
    frame = rows.frame(width=PAGE, body=body, title=title, above=0.24, below=0.48, note=note)
    ax = row_axes(frame, ax, len(rows.labels))
    ax.margins(x=0.04)
    ax.set_xlabel(axis, fontsize=BODY, color=INK, labelpad=3)
    return ax


def _forest_columns(result: CeatBatteryResult, published: Mapping[str, float]) -> list[list[str]]:
    tests, number, probability = result.tests, wording.number, wording.probability
    columns = [["agree", *(wording.chance(test.crossed.agreement) for test in tests)]]
    columns.append(["CES", *(number(test.effect_size) for test in tests)])
    if published:
        sizes = [published.get(test.design) for test in tests]
        columns.append(["paper", *("–" if d is None else number(d) for d in sizes)])
    columns.append(["d", *(number(test.stimulus_effect_size) for test in tests)])
    return [
        *columns,
        ["p", *(probability(test._answer) for test in tests)],
        [wording.ADJUSTED, *map(probability, result._adjusted_p())],
        ["exact p", *(probability(test._p) for test in tests)],
    ]


def _forest_note(result: CeatBatteryResult, published: Mapping[str, float]) -> str:
    first = result.tests[0]
    return wording.sentence(
        f"circle: combined effect size (CES) over {first.sample_effect_sizes.size:,} samples of one context "
        f"per word; pale: the middle 95\N{NO-BREAK SPACE}% of samples; {_PREDICTION}",
        "square: effect size of the stimuli over all contexts",
        f"filled: p < {wording.level(_ALPHA)} {wording.FILLED}; open: not",
        "cross: published CES" if published else "",
        wording.AGREE,
        "p two-sided, for other words for the same things; exact p: labels of the targets exchanged",
        _unmeasured(result.skipped),
        wording.model(result),
    )


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

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> ax = cr.plots.context_levels(cr.mleat(contexts, design, samples=1000))
    """
    results = [results] if isinstance(results, MultilevelCeatResult) else list(results)
    if not results:
        raise InputError("there is no test to draw.", hint="give at least one multilevel CEAT.")
    titles = [f"{wording.titled(key, result.titles)} alone" for result in results for key in "xy"]
    labels = _labels([result.design for result in results], titles, _LEVELS_LONGEST)
    colors = [color for color, _ in _LOOKS]
    rows = Rows(labels=labels, columns=_levels_columns(results), step=_LEVELS_LINE, colors=colors)
    title, axis = "Each target alone, over contexts", "combined effect size d"
    ax = _rows_axes(rows, ax, _LEVELS_ROW, title, axis, _levels_note(results[0]))
    for y, result in enumerate(results):
        rows.write_label(ax, y, y)
        levels = (result.level1, result.level2["x"], result.level2["y"])
        for i, (level, (color, marker)) in enumerate(zip(levels, _LOOKS, strict=True)):
            at = y + (i - 1) * _LEVELS_LINE / _LEVELS_ROW
            ax.plot(list(level.sample_interval), [at, at], color=color, alpha=0.3, **_BAND)
            ax.plot(list(level.prediction_interval), [at, at], color=color, linewidth=1.1, zorder=2)
            found = level._answer is not None and level._answer.value < result.conventions["alpha"]
            draw_mark(ax, level.effect_size, at, marker, 4.6, color, filled=found)
    _levels_write_columns(ax, rows)
    return ax


def _levels_columns(results: Sequence[MultilevelCeatResult]) -> list[list[str]]:
    agree, d, p, pattern = ["agree"], ["d"], ["p"], ["pattern"]
    for result in results:
        for level in (result.level1, result.level2["x"], result.level2["y"]):
            agree.append(wording.chance(level.crossed.agreement))
            d.append(wording.number(level.effect_size))
            p.append(wording.probability(level._answer))
        share = wording.percent(result.pattern_share, 0)
        published = f"paper's: {result.pattern}, in {share} of samples"
        attributes = " / ".join(wording.titled(key, result.titles) for key in "ab")
        pattern += [result.crossed_pattern, published, fitted(attributes, _WIDEST, SMALL)[0]]
    return [agree, d, p, pattern]


def _levels_write_columns(ax: Axes, rows: Rows) -> None:
    right = 0.0
    for column, room in zip(rows.columns, rows.widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for i, text in enumerate(column[1:]):
            y, line = divmod(i, 3)
            color = GREY if line and column[0] == "pattern" else INK
            place = (right, (1 - line) * _LEVELS_LINE)
            text, size = fitted(text, _WIDEST, SMALL)
            write(ax, text, (1, y), place, coords=SIDE, size=size, color=color, ha="right")


def _levels_note(first: MultilevelCeatResult) -> str:
    reached = f"p < {wording.level(first.conventions['alpha'])}"
    return wording.sentence(
        f"combined over {first.sample_effect_sizes.size:,} samples of one context per word",
        f"pale: the middle 95\N{NO-BREAK SPACE}% of samples; {_PREDICTION}",
        "right of 0: closer to A than to B; in the first row closer to A, relative to B, than the second "
        "target is",
        wording.AGREE,
        f"{_OTHER_WORDS} ({wording.tail(first.conventions['alternative'])})",
        f"filled: {reached}",
        f"a target is associated if |d| > {first.conventions['least_effect']:g} and {reached}",
        wording.model(first),
    )


def _unmeasured(skipped: Mapping[str, str]) -> str:
    return f"not measured: {join_words(skipped, most=12)}" if skipped else ""

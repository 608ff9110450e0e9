"""A model's geometry: dissimilarities of items, and how well they fit rival hypotheses."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.errors import InputError
from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, axes_width, new_figure, write
from crossroads.core.figures.lettering import fitted, height, width, wrapped
from crossroads.core.figures.rows import Rows, row_axes
from crossroads.core.figures.style import (
    BODY,
    BROWN,
    GREY,
    INK,
    LEAST,
    PAGE,
    RULE,
    SMALL,
    TEAL,
    TITLE,
    figure,
    matplotlib,
)
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.ranks import doubled_midranks
from crossroads.core.wording.numbers import P, p_equals
from crossroads.core.wording.phrases import ADJUSTMENT
from crossroads.intersections.rsa import RsaGridResult, RsaResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABELLED = 45
_BIG, _SMALL_MAP = 3.5, 1.42
_BETWEEN, _BAR = 0.36, 0.5
_ABOVE = 0.6  # above a map, for its heading and the names of the sets
_RDM_LONGEST = 0.85
_LIGHTEST, _DARKEST = 97.0, 12.0


@figure(RsaResult)
def rdms(result: RsaResult) -> Figure:
    """Draw the dissimilarities of all items as ranks, and the two hypotheses in the same order.

    The items are in the order group 1, group 2, concept, in both rows and columns; they are named if
    there are 45 or fewer. Dark is unlike. An item is not compared with itself, and the diagonal left white.

    Parameters
    ----------
    result
        An RSA.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> sets = [[f"{name} {i}" for i in range(6)] for name in ("he", "she", "work")]
    >>> emb = cr.Embeddings(sum(sets, []), np.random.default_rng(1).normal(size=(18, 9)))
    >>> figure = cr.plots.rdms(cr.rsa(emb, *sets, n=4))
    """
    sizes = [len(result.items[name]) for name in ("group1", "group2", "concept")]
    items = [word for name in ("group1", "group2", "concept") for word in result.items[name]]
    labels = _labels(items)
    out = 0.06 + max((width(text, size) + 0.05 for text, size in labels), default=0.0)
    left = MARGIN + 0.16 + out
    beside = left + _BIG + _BETWEEN
    wide = beside + _SMALL_MAP + _BAR
    room = wide - 2 * MARGIN
    first, second, concept = result.names
    title = wrapped(f"The geometry of {first}, {second} and {concept}", room, TITLE, lines=2, weight="bold")
    subtitle = wrapped(_subtitle(result), room, BODY, lines=2)
    note = wrapped(_rdm_note(result), room, SMALL, lines=8)
    top = MARGIN + height(title, TITLE) + height(subtitle, BODY) + 0.1
    foot = MARGIN + height(note, SMALL) + 0.12
    total = top + _ABOVE + _BIG + foot
    figure = new_figure(wide, total)

    def axes(left: float, bottom: float, across: float, up: float) -> Axes:
        return figure.add_axes((left / wide, bottom / total, across / wide, up / total))

    model = axes(left, foot, _BIG, _BIG)
    image = _draw_map(model, ranked(result.geometry), sizes)
    _name_sets(model, result.names, sizes, _BIG, "the model's geometry")
    _name_rows(model, result.names, sizes, _BIG, out=out)
    for i, (text, size) in enumerate(labels):
        write(model, text, (0, 1 - (i + 0.5) / len(items)), (-0.05, 0), size=size, ha="right")
    over = _ABOVE + 0.1
    place = (MARGIN - left, over + height(subtitle, BODY))
    write(model, title, (0, 1), place, size=TITLE, weight="bold", va="bottom")
    write(model, subtitle, (0, 1), (MARGIN - left, over), va="bottom")
    write(model, note, (0, 0), (MARGIN - left, -0.12), size=SMALL, color=GREY, va="top")
    for i, (together, apart) in enumerate(((first, 1), (second, 0))):
        heading = f"hypothesis {i + 1}\n{together} with {concept}"
        bottom = foot + (1 - i) * (_BIG - _SMALL_MAP)
        small = axes(beside, bottom, _SMALL_MAP, _SMALL_MAP)
        _draw_map(small, hypothesis(sizes, apart), sizes)
        _name_sets(small, result.names, sizes, _SMALL_MAP, heading)
    _draw_bar(axes(beside + _SMALL_MAP + 0.14, foot, 0.09, _BIG), image)
    return figure


@cache
def greys() -> Any:
    """Greys from light to dark in steps that look equal: linear in the lightness L* of CIELAB."""
    lightness = np.linspace(_LIGHTEST, _DARKEST, 256)
    luminance = ((lightness + 16) / 116) ** 3
    value = np.clip(1.055 * luminance ** (1 / 2.4) - 0.055, 0, 1)
    table = matplotlib("colors").ListedColormap(np.column_stack([value] * 3), name="crossroads greys")
    return table.with_extremes(bad="white")


def ranked(distances: Floats) -> Floats:
    """Ranks of the dissimilarities of all pairs, from 0 (most alike) to 1; not a number on the diagonal."""
    size = len(distances)
    upper = np.triu_indices(size, 1)
    ranks = doubled_midranks(np.asarray(distances[upper])[None, :])[0].astype(np.float64)
    table = np.full((size, size), np.nan)
    table[upper] = (ranks / 2 - 1) / max(1, ranks.size - 1)
    table.T[upper] = table[upper]
    return table


def hypothesis(sizes: list[int], apart: int) -> Floats:
    """Ones for pairs with one item of the separate set, zeros for the others."""
    out = np.repeat(np.arange(3), sizes) == apart
    table: Floats = (out[:, None] != out[None, :]).astype(np.float64)
    np.fill_diagonal(table, np.nan)
    return table


def _draw_map(ax: Axes, table: Floats, sizes: list[int]) -> Any:
    ax.axis("off")
    drawn = ax.imshow(table, cmap=greys(), vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    for cut in np.cumsum(sizes)[:-1] - 0.5:
        ax.axhline(cut, color="white", linewidth=1.4)
        ax.axvline(cut, color="white", linewidth=1.4)
    return drawn


def _spans(sizes: list[int]) -> list[tuple[float, float]]:
    """Where each set begins and ends, in shares of the side."""
    ends = np.concatenate([[0], np.cumsum(sizes)]) / sum(sizes)
    return [(float(one), float(two)) for one, two in itertools.pairwise(ends)]


def _name_sets(ax: Axes, names: tuple[str, str, str], sizes: list[int], side: float, heading: str) -> None:
    """The heading, and the sets with brackets over their columns."""
    spans = _spans(sizes)
    labels = [
        fitted(name, (end - start) * side - 0.02, SMALL, lines=2)
        for name, (start, end) in zip(names, spans, strict=True)
    ]
    over = 0.1 + max(height(text, size) for text, size in labels)
    lines = [fitted(line, side + 0.1, BODY, weight="bold") for line in heading.split("\n")]
    size = min(fits for _, fits in lines)
    write(ax, "\n".join(line for line, _ in lines), (0, 1), (0, over), size=size, weight="bold", va="bottom")
    pad = 0.025 / side
    for (text, size), (start, end) in zip(labels, spans, strict=True):
        _bracket(ax, [start + pad, end - pad], [1 + 0.05 / side] * 2)
        write(ax, text, ((start + end) / 2, 1), (0, 0.07), size=size, ha="center", va="bottom")


def _name_rows(ax: Axes, names: tuple[str, str, str], sizes: list[int], side: float, *, out: float) -> None:
    """The sets with brackets beside their rows."""
    pad = 0.025 / side
    for name, (start, end) in zip(names, _spans(sizes), strict=True):
        _bracket(ax, [-out / side] * 2, [1 - start - pad, 1 - end + pad])
        line, size = fitted(name, (end - start) * side - 0.04, SMALL)
        place: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "center"}
        write(ax, line, (0, 1 - (start + end) / 2), (-out - 0.04, 0), size=size, **place)


def _bracket(ax: Axes, x: list[float], y: list[float]) -> None:
    ax.plot(x, y, transform=ax.transAxes, color=INK, linewidth=0.9, clip_on=False, solid_capstyle="butt")


def _labels(items: list[str]) -> list[tuple[str, float]]:
    """The items and the sizes to set them in; none where there are too many."""
    if len(items) > _LABELLED:
        return []
    size = min(SMALL, max(LEAST, 0.92 * _BIG / len(items) * 72))
    return [fitted(item, _RDM_LONGEST, size) for item in items]


def _draw_bar(ax: Axes, image: Any) -> None:
    """The one colour bar, with its ends in words."""
    bar = ax.figure.colorbar(image, cax=ax)
    bar.outline.set_visible(False)
    ax.tick_params(labelsize=SMALL, labelcolor=INK, length=2, width=0.6, pad=2)
    ax.set_yticks([0, 0.5, 1], ["0", "", "1"])
    text = "dissimilarity, as rank (dark: unlike)"
    write(ax, text, (1, 0.5), (0.2, 0), size=SMALL, rotation=90, ha="center", va="center")


def _subtitle(result: RsaResult) -> str:
    fits = (result.similarity1, result.similarity2)
    return (
        f"mean fit of hypothesis 1: {wording.number(fits[0])}, of hypothesis 2: {wording.number(fits[1])}, "
        f"of at most {wording.number(result.attainable)}"
        + ("" if result._answer is None else f"; {p_equals(result._answer, 'figure')} for their difference")
    )


def _rdm_note(result: RsaResult) -> str:
    kind = result.conventions.get("dissimilarity", "")
    first, second, concept = result.names
    return wording.sentence(
        f"ranks of the dissimilarities of all pairs of items{f' ({kind})' if kind else ''}, "
        "from 0, most alike, to 1, least alike",
        "hypotheses 1 and 2: the pairs that would be unlike are 1, the others 0",
        f"rows and columns in the same order: {first}, {second}, {concept}",
        "" if result._answer is None else "p: two-sided, for other items of the groups and the concept",
        wording.model(result),
    )


_ROW = 0.46
_LINE = 0.125  # of an inch
_FIT_LONGEST = 1.9
_ENDS = (2.5, 97.5)


@figure(RsaResult, RsaGridResult, Sequence, inside=RsaResult)
def fit_plot(results: RsaResult | Sequence[RsaResult] | RsaGridResult, *, ax: Axes | None = None) -> Axes:
    """Draw the fits of both hypotheses of each test, with their spread, and the best possible fit.

    A disc is the fit of the hypothesis that the first group is with the concept, a square that of the
    second; each is on the line of its group. Intervals contain 95 % of the samples: from the percentile
    2.5 to the percentile 97.5. A tick marks the best fit a hypothesis can have.

    Parameters
    ----------
    results
        RSAs, or a grid of them, whose p-values are then shown adjusted too.

    References
    ----------
    Lepori, M. A. (2020). doi:10.18653/v1/2020.coling-main.151

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> sets = [[f"{name} {i}" for i in range(6)] for name in ("he", "she", "work")]
    >>> emb = cr.Embeddings(sum(sets, []), np.random.default_rng(1).normal(size=(18, 9)))
    >>> ax = cr.plots.fit_plot([cr.rsa(emb, *sets, n=4)])
    """
    if isinstance(results, RsaResult):
        results = [results]
    tests = list(results.tests if isinstance(results, RsaGridResult) else results)
    if not tests:
        raise InputError("there is no test to draw.", hint="give at least one RSA.")
    labels = [_label(test) for test in tests]
    marks = results._adjusted_marks()[ADJUSTMENT] if isinstance(results, RsaGridResult) else None
    columns = _columns(tests, marks)
    rows = Rows(labels=labels, columns=columns, step=_LINE, colors=(INK, BROWN, TEAL))
    rows.widths[0] += 0.1  # off the names of the ticks
    frame = rows.frame(
        width=PAGE,
        body=len(tests) * _ROW,
        title="Which group is closer to the concept? Fit of the two hypotheses",
        above=0.12 + height(columns[0][0], SMALL),
        below=0.48,
        note=_fit_note(tests, grid=isinstance(results, RsaGridResult)),
    )
    ax = row_axes(frame, ax, len(tests))
    for y, test in enumerate(tests):
        if y:
            ax.axhline(y - 0.5, color=RULE, linewidth=0.5, zorder=0.5)
        rows.write_label(ax, y, y)
        _draw_test(ax, y, test)
    ax.margins(x=0.03)
    ax.autoscale_view(scaley=False)
    _name_tick(ax, tests[0])
    rows.write_columns(ax)
    ax.set_xlabel("fit with the hypothesis (Spearman's ρ)", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _label(test: RsaResult) -> list[tuple[str, float, str]]:
    """The concept, and below it the groups, each a line with size and weight."""
    first, second, concept = test.names
    return [
        (*fitted(f"with {concept}:", _FIT_LONGEST, BODY, weight="bold"), "bold"),
        *(
            (*fitted(f"{sign} {name}", _FIT_LONGEST, SMALL), "normal")
            for sign, name in (("●", first), ("□", second))
        ),
    ]


def _draw_test(ax: Axes, y: int, test: RsaResult) -> None:
    """Two dots with their bars on the lines of their groups, and the tick of what can be reached."""
    look: tuple[dict[str, Any], ...] = (
        {"marker": "o", "markersize": 5.0, "color": BROWN},
        {"marker": "s", "markersize": 4.6, "color": TEAL, "markerfacecolor": "white"},
    )
    fits = ((test.similarity1, test.samples1), (test.similarity2, test.samples2))
    for i, (mean, samples) in enumerate(fits):
        at = y + i * _LINE / _ROW
        ends = np.percentile(samples, _ENDS).tolist()
        ax.plot(ends, [at, at], color=look[i]["color"], linewidth=1.1, marker="|", markersize=4, zorder=2)
        ax.plot([mean], [at], linestyle="none", markeredgewidth=1.1, zorder=3, **look[i])
    ends = [y - 0.3, y + 0.42]
    ax.plot([test.attainable] * 2, ends, color=INK, linewidth=1.2, zorder=2, solid_capstyle="butt")


def _name_tick(ax: Axes, test: RsaResult) -> None:
    """Name the tick above the first row."""
    low, high = ax.get_xlim()
    at = (test.attainable - low) / (high - low) * axes_width(ax)
    right = min(axes_width(ax) + 0.06, at + width("attainable", SMALL) / 2)
    write(ax, "attainable", (0, 1), (right, 0.05), size=SMALL, color=INK, ha="right", va="bottom")


def _columns(tests: list[RsaResult], adjusted: Mapping[int, P] | None) -> list[list[str]]:
    """The columns of text beside the chart, each with its heading."""
    exchanged = [wording.probability(test._p) if test.permutations else "–" for test in tests]
    other = ["–" if test._answer is None else wording.probability(test._answer) for test in tests]
    columns = [
        ["Δ", *(wording.number(test.delta, sign=True) for test in tests)],
        ["p", *other],
        ["exact p", *exchanged],
        ["p, sign test", *(wording.probability(test.sign_pvalue) for test in tests)],
    ]
    if adjusted is not None:
        texts = [wording.probability(adjusted[i]) if i in adjusted else "–" for i in range(len(tests))]
        columns.insert(2, [wording.ADJUSTED, *texts])
    return columns


def _fit_note(tests: list[RsaResult], *, grid: bool) -> str:
    drawn = {(len(test.samples1), test.conventions.get("n")) for test in tests}
    samples, n = next(iter(drawn))
    of = f"{samples:,} samples of {n} items per set" if len(drawn) == 1 and n else "the samples"
    times = {test.permutations for test in tests}
    often = f", {next(iter(times)):,} times" if len(times) == 1 else ""
    return wording.sentence(
        "● mean fit if the first group is with the concept and the second is separate, □ if the reverse",
        f"bars: percentiles 2.5 to 97.5 of {of}",
        "tick: the best fit that such a hypothesis can have",
        "Δ: difference of the fits over all items at once, which p is about",
        "p: two-sided, for other items of the groups and the concept",
        "exact p: two-sided, from exchanging the group labels of the "
        f"items{often}" + (f"; {wording.ADJUSTED}: adjusted for the number of tests" if grid else ""),
        "sign test over samples, as published: samples share items, so it is far too small",
        wording.model(tests[0]),
    )

"""A model's geometry: dissimilarities of items, and how well they fit rival hypotheses."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from crossroads.core.errors import InputError
from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, Frame, axes_width, write
from crossroads.core.figures.lettering import fitted, height, width
from crossroads.core.figures.rows import Line, Rows, row_axes
from crossroads.core.figures.style import BODY, BROWN, INK, LEAST, PAGE, RULE, SMALL, TEAL, figure, matplotlib
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.ranks import doubled_midranks
from crossroads.core.wording.numbers import P, p_equals
from crossroads.core.wording.phrases import ADJUSTMENT
from crossroads.intersections.rsa import RsaGridResult, RsaResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AGREE = "agree: chance that another set of items would point the same way"
_LABELLED = 45
_BIG, _SMALL_MAP = 3.5, 1.42
_BETWEEN, _BAR = 0.36, 0.5
_ABOVE = 0.7  # above a map, for its heading and the names of the sets
_RDM_LONGEST = 0.85
_LIGHTEST, _DARKEST = 97.0, 12.0
_SETS = ("group1", "group2", "concept")


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
    sizes = [len(result.items[name]) for name in _SETS]
    items = [word for name in _SETS for word in result.items[name]]
    size = min(SMALL, max(LEAST, 0.92 * _BIG / len(items) * 72))
    labels = [fitted(item, _RDM_LONGEST, size) for item in items] if len(items) <= _LABELLED else []
    out = 0.06 + max((width(text, size) + 0.05 for text, size in labels), default=0.0)
    left = MARGIN + 0.16 + out
    first, second, concept = result.names
    fits = map(wording.number, (result.similarity1, result.similarity2, result.attainable))
    subtitle = "mean fit of hypothesis 1: {}, of hypothesis 2: {}, of at most {}".format(*fits)
    p, agree, kind = (
        result._answer,
        wording.agree(result.crossed),
        result.conventions.get("dissimilarity", ""),
    )
    frame = Frame(
        width=left + _BIG + _BETWEEN + _SMALL_MAP + _BAR,
        body=_BIG,
        left=left,
        right=_BETWEEN + _SMALL_MAP + _BAR,
        title=f"The geometry of {first}, {second} and {concept}",
        subtitle=subtitle
        if p is None
        else f"{subtitle}; {agree}{p_equals(p, 'figure')} for their difference",
        note=wording.sentence(
            f"ranks of the dissimilarities of all pairs of items{f' ({kind})' if kind else ''}, "
            "from 0, most alike, to 1, least alike",
            "hypotheses 1 and 2: the pairs that would be unlike are 1, the others 0",
            f"rows and columns in the same order: {', '.join(result.names)}",
            "" if p is None else f"{_AGREE}; p: two-sided, for other items of the groups and the concept",
            wording.model(result),
        ),
        above=_ABOVE,
        below=0.12,
    )
    model = frame.axes(None)
    whole, place = cast("Figure", model.figure), model.get_position()

    def axes(right: float, up: float, wide: float, tall: float) -> Axes:
        """Axes at a distance from the lower left corner of the model's map."""
        across, high = place.width / _BIG, place.height / _BIG
        at = (place.x0 + right * across, place.y0 + up * high, wide * across, tall * high)
        return whole.add_axes(at)

    image = _draw_map(model, ranked(result.geometry), sizes)
    _name_sets(model, result.names, sizes, _BIG, "the model's geometry")
    _name_rows(model, result.names, sizes, _BIG, out=out)
    for i, (text, size) in enumerate(labels):
        write(model, text, (0, 1 - (i + 0.5) / sum(sizes)), (-0.05, 0), size=size, ha="right")
    for i, (together, apart) in enumerate(((first, 1), (second, 0))):
        small = axes(_BIG + _BETWEEN, (1 - i) * (_BIG - _SMALL_MAP), _SMALL_MAP, _SMALL_MAP)
        _draw_map(small, hypothesis(sizes, apart), sizes)
        _name_sets(small, result.names, sizes, _SMALL_MAP, f"hypothesis {i + 1}\n{together} with {concept}")
    _draw_bar(axes(_BIG + _BETWEEN + _SMALL_MAP + 0.14, 0, 0.09, _BIG), image)
    return whole


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
    upper = np.triu_indices(len(distances), 1)
    ranks = doubled_midranks(np.asarray(distances[upper])[None, :])[0].astype(np.float64)
    table = np.full(distances.shape, np.nan)
    table[upper] = table.T[upper] = (ranks / 2 - 1) / max(1, ranks.size - 1)
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
    ends = np.cumsum([0, *sizes]) / sum(sizes)
    return list(itertools.pairwise(ends.tolist()))


def _name_sets(ax: Axes, names: tuple[str, str, str], sizes: list[int], side: float, heading: str) -> None:
    """The heading, and the sets with brackets over their columns."""
    places = list(zip(names, _spans(sizes), strict=True))
    labels = [fitted(name, (end - start) * side - 0.02, SMALL, lines=2) for name, (start, end) in places]
    over = 0.1 + max(height(text, size) for text, size in labels)
    lines = [fitted(line, side + 0.1, BODY, weight="bold") for line in heading.split("\n")]
    size = min(fits for _, fits in lines)
    write(ax, "\n".join(line for line, _ in lines), (0, 1), (0, over), size=size, weight="bold", va="bottom")
    pad = 0.025 / side
    for (text, size), (_, (start, end)) in zip(labels, places, strict=True):
        _bracket(ax, [start + pad, end - pad], [1 + 0.05 / side] * 2)
        write(ax, text, ((start + end) / 2, 1), (0, 0.07), size=size, ha="center", va="bottom")


def _name_rows(ax: Axes, names: tuple[str, str, str], sizes: list[int], side: float, *, out: float) -> None:
    """The sets with brackets next to their rows."""
    pad = 0.025 / side
    for name, (start, end) in zip(names, _spans(sizes), strict=True):
        _bracket(ax, [-out / side] * 2, [1 - start - pad, 1 - end + pad])
        line, size = fitted(name, (end - start) * side - 0.04, SMALL)
        place: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "center"}
        write(ax, line, (0, 1 - (start + end) / 2), (-out - 0.04, 0), size=size, **place)


def _bracket(ax: Axes, x: list[float], y: list[float]) -> None:
    ax.plot(x, y, transform=ax.transAxes, color=INK, linewidth=0.9, clip_on=False, solid_capstyle="butt")


def _draw_bar(ax: Axes, image: Any) -> None:
    """The one colour bar, with its ends in words."""
    bar = ax.figure.colorbar(image, cax=ax)
    bar.outline.set_visible(False)
    ax.tick_params(labelsize=SMALL, labelcolor=INK, length=2, width=0.6, pad=2)
    ax.set_yticks([0, 0.5, 1], ["0", "", "1"])
    text = "dissimilarity, as rank (dark: unlike)"
    write(ax, text, (1, 0.5), (0.2, 0), size=SMALL, rotation=90, ha="center", va="center")


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
    marks = results._adjusted_marks()[ADJUSTMENT] if isinstance(results, RsaGridResult) else None
    columns = _columns(tests, marks)
    rows = Rows(labels=[*map(_label, tests)], columns=columns, step=_LINE, colors=(INK, BROWN, TEAL))
    rows.widths[0] += 0.1  # off the names of the ticks
    frame = rows.frame(
        width=PAGE,
        body=len(tests) * _ROW,
        title="Which group is closer to the concept? Fit of the two hypotheses",
        above=0.12 + height(columns[0][0], SMALL),
        below=0.48,
        note=_fit_note(tests, adjusted=marks is not None),
    )
    ax = row_axes(frame, ax, len(tests))
    for y, test in enumerate(tests):
        if y:
            ax.axhline(y - 0.5, color=RULE, linewidth=0.5, zorder=0.5)
        rows.write_label(ax, y, y)
        _draw_test(ax, y, test)
    ax.margins(x=0.03)
    ax.autoscale_view(scaley=False)
    low, high = ax.get_xlim()  # the name of the tick above the first row
    at = (tests[0].attainable - low) / (high - low) * axes_width(ax)
    right = min(axes_width(ax) + 0.06, at + width("attainable", SMALL) / 2)
    write(ax, "attainable", (0, 1), (right, 0.05), size=SMALL, color=INK, ha="right", va="bottom")
    rows.write_columns(ax)
    ax.set_xlabel("fit with the hypothesis (Spearman's ρ)", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _label(test: RsaResult) -> list[Line]:
    """The concept, and below it the groups."""
    first, second, concept = test.names
    groups = [fitted(text, _FIT_LONGEST, SMALL) for text in (f"● {first}", f"□ {second}")]
    heading = fitted(f"with {concept}:", _FIT_LONGEST, BODY, weight="bold")
    return [(*heading, "bold"), *((*group, "normal") for group in groups)]


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


def _columns(tests: list[RsaResult], adjusted: Mapping[int, P] | None) -> list[list[str]]:
    """The columns of text next to the chart, each with its heading."""
    columns = [
        ["agree", *(wording.chance(test.crossed.agreement) for test in tests)],
        ["Δ", *(wording.number(test.crossed.difference, sign=True) for test in tests)],
        ["p", *(wording.probability(test._answer) for test in tests)],
        ["exact p", *(wording.probability(test._p if test._permutations else None) for test in tests)],
        ["p, sign test", *(wording.probability(test.sign_pvalue) for test in tests)],
    ]
    if adjusted is not None:
        texts = (wording.probability(adjusted.get(i)) for i in range(len(tests)))
        columns.insert(3, [wording.ADJUSTED, *texts])
    return columns


def _fit_note(tests: list[RsaResult], *, adjusted: bool) -> str:
    drawn = {(len(test.samples1), test.conventions.get("n")) for test in tests}
    samples, n = next(iter(drawn))
    of = f"{samples:,} samples of {n} items per set" if len(drawn) == 1 and n else "the samples"
    times = {test._permutations for test in tests}
    often = f", {next(iter(times)):,} times" if len(times) == 1 else ""
    return wording.sentence(
        "● mean fit if the first group is with the concept and the second is separate, □ if the reverse",
        f"bars: percentiles 2.5 to 97.5 of {of}",
        "tick: the best fit that such a hypothesis can have",
        "Δ: difference of the fits over all items at once, which p is about",
        f"{_AGREE}; p: two-sided, for other items of the groups and the concept",
        "exact p: two-sided, from exchanging the group labels of the "
        f"items{often}" + (f"; {wording.ADJUSTED}: adjusted for the number of tests" if adjusted else ""),
        "sign test over samples, as published: samples share items, so it is far too small",
        wording.model(tests[0]),
    )

"""How well a model's geometry fits rival hypotheses about two groups and a concept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.errors import InputError
from crossroads.measures.geometry.rsa import RsaGridResult, RsaResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, axes_width, write
from crossroads.plots.frame.lettering import fitted, height, widest, width
from crossroads.plots.frame.style import BODY, BROWN, GREY, INK, PAGE, RULE, SMALL, TEAL, bare, figure
from crossroads.wording.numbers import P
from crossroads.wording.phrases import ADJUSTMENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.46
_LINE = 0.125  # of an inch
_LONGEST = 1.9
_SIDE = ("axes fraction", "data")
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
    ax
        Axes to draw on; a new figure if not given.

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
    labelled = max(widest([text], size, weight) for lines in labels for text, size, weight in lines) + 0.12
    marks = results.adjusted_marks()[ADJUSTMENT] if isinstance(results, RsaGridResult) else None
    columns = _columns(tests, marks)
    widths = [0.14 + widest(column, SMALL) for column in columns]
    widths[0] += 0.1  # off the names of the ticks
    frame = Frame(
        width=PAGE,
        body=len(tests) * _ROW,
        left=MARGIN + labelled,
        right=MARGIN + sum(widths),
        title="Which group is closer to the concept? Fit of the two hypotheses",
        above=0.12 + height(columns[0][0], SMALL),
        below=0.48,
        note=_note(tests, grid=isinstance(results, RsaGridResult)),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(tests) - 0.5, -0.5)
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    for y, (test, lines) in enumerate(zip(tests, labels, strict=True)):
        if y:
            ax.axhline(y - 0.5, color=RULE, linewidth=0.5, zorder=0.5)
        for i, (text, size, weight) in enumerate(lines):
            place = (-labelled, (1 - i) * _LINE)
            color = (INK, BROWN, TEAL)[i]
            write(ax, text, (0, y), place, coords=_SIDE, size=size, weight=weight, color=color)
        _draw_test(ax, y, test)
    ax.margins(x=0.03)
    ax.autoscale_view(scaley=False)
    _name_tick(ax, tests[0])
    right = 0.0
    for column, room in zip(columns, widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for y, text in enumerate(column[1:]):
            write(ax, text, (1, y), (right, 0), coords=_SIDE, size=SMALL, ha="right")
    ax.set_xlabel("fit with the hypothesis (Spearman's ρ)", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _label(test: RsaResult) -> list[tuple[str, float, str]]:
    """The concept, and below it the groups, each a line with size and weight."""
    first, second, concept = test.names
    return [
        (*fitted(f"with {concept}:", _LONGEST, BODY, weight="bold"), "bold"),
        *(
            (*fitted(f"{sign} {name}", _LONGEST, SMALL), "normal")
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
    exchanged = [wording.probability(test.p) if test.permutations else "–" for test in tests]
    other = ["–" if test.answer is None else wording.probability(test.answer) for test in tests]
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


def _note(tests: list[RsaResult], *, grid: bool) -> str:
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

"""A model's geometry: dissimilarities of items, and how well they fit rival hypotheses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.errors import InputError
from crossroads.core.figures import wording
from crossroads.core.figures.layout import axes_width, write
from crossroads.core.figures.lettering import fitted, height, width
from crossroads.core.figures.rows import Line, Rows, row_axes
from crossroads.core.figures.style import BODY, BROWN, INK, PAGE, RULE, SMALL, TEAL, figure
from crossroads.core.wording.numbers import P
from crossroads.core.wording.phrases import ADJUSTMENT
from crossroads.intersections.rsa import RsaGridResult, RsaResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AGREE = "agree: chance that another set of items would point the same way"


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

"""Differences of models on benchmarks, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossroads.errors import InputError
from crossroads.measures.comparison.run_results import RunDifference, RunMean, RunsResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.accepted import figure
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import alike, fitted, widest
from crossroads.plots.frame.style import BODY, GREY, INK, PAGE, SMALL, TEAL, bare
from crossroads.wording import phrases

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.34
_LONGEST = 2.6
_LINE = 0.075
_SIDE = ("axes fraction", "data")
_WIDEST = 1.5
"""Values beyond which a scale is not that of a share."""


@figure
def runs_plot(result: RunsResult, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the difference of two models on each metric; the values of each where there is one model.

    Marks are filled where a difference stays significant after adjustment. Metrics whose differences are no
    shares, such as distances of log-likelihoods, are left out where there are others.

    Parameters
    ----------
    result
        A comparison of models on benchmarks.
    alpha
        Level at which a difference counts as significant.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import crossroads as cr
    >>> from crossroads.evidence.runs import Metric, Run, RunItem, Runs
    >>> def run(model, right):
    ...     values = [{"acc": (float(i in right), 1.0)} for i in range(9)]
    ...     items = [RunItem(id=str(i), digest="", values=one) for i, one in enumerate(values)]
    ...     return Run(model=model, task="quiz", items=tuple(items), metrics={"acc": Metric(name="acc")})
    >>> ax = cr.plots.runs_plot(cr.compare_runs(Runs([run("old", {1, 2, 4}), run("new", {2, 3})])))
    """
    rows = _rows(result)
    if not rows:
        raise InputError("there is nothing to draw.", hint="see its field 'skipped' for the reasons.")
    kept = [p is not None and p < alpha for p in _adjusted(result)]
    names = [fitted(one.name, _LONGEST, BODY, weight="bold") for _, one in rows]
    below, size = alike([_who(one) for _, one in rows], _LONGEST, SMALL, lines=1)
    labelled = max(max(widest([text], at, "bold") for text, at in names), widest(below, size)) + 0.12
    texts = [_number(one) for _, one in rows]
    frame = Frame(
        width=PAGE,
        body=len(rows) * _ROW,
        left=MARGIN + labelled,
        right=MARGIN + 0.14 + widest(texts, SMALL),
        title="Differences of models on benchmarks" if result.differences else "Models on benchmarks",
        above=0.15,
        below=0.48,
        note=wording.sentence(
            f"filled: p < {wording.level(alpha)} {wording.FILLED}; open: not",
            "intervals over clusters drawn again",
        ),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(rows) - 0.5, -0.5)
    if result.differences:
        ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    for y, (at, one) in enumerate(rows):
        text, letters = names[y]
        write(ax, text, (0, y), (-labelled, _LINE), coords=_SIDE, size=letters, weight="bold")
        write(ax, below[y], (0, y), (-labelled, -_LINE), coords=_SIDE, size=size, color=GREY)
        write(ax, texts[y], (1, y), (0.14, 0), coords=_SIDE, size=SMALL)
        if one.found.low is not None and one.found.high is not None:
            ax.plot([one.found.low, one.found.high], [y, y], color=INK, linewidth=1.2, zorder=2)
        face = TEAL if kept[at] else "white"
        ax.plot([one.found.mean], [y], marker="o", markersize=5, color=TEAL, markerfacecolor=face, zorder=3)
    ax.margins(x=0.05)
    said = "first model less the second" if result.differences else "value"
    ax.set_xlabel(said, fontsize=BODY, color=INK, labelpad=3)
    return ax


def _rows(result: RunsResult) -> list[tuple[int, RunDifference | RunMean]]:
    """What is drawn, each with its number in the result."""
    found: tuple[RunDifference | RunMean, ...] = result.differences or result.means
    every = list(enumerate(found))
    shares = [(at, one) for at, one in every if abs(one.found.mean) <= _WIDEST]
    return shares or every


def _adjusted(result: RunsResult) -> tuple[float | None, ...]:
    return (result.adjusted if result.differences else result.adjusted_means)[phrases.ADJUSTMENT]


def _who(one: RunDifference | RunMean) -> str:
    return one.model if isinstance(one, RunMean) else " / ".join(one.models)


def _number(one: RunDifference | RunMean) -> str:
    ends = one.found
    text = wording.number(ends.mean, 3, sign=isinstance(one, RunDifference))
    if ends.low is None or ends.high is None:
        return text
    return f"{text} ({wording.number(ends.low, 3)} to {wording.number(ends.high, 3)})"

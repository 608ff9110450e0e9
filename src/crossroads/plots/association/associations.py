"""The associations of a test by word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crossroads.measures.association.mleat import MleatResult
from crossroads.measures.association.weat import WeatResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, axes_width, name_ends, write
from crossroads.plots.frame.lettering import fitted, widest
from crossroads.plots.frame.style import BLUE, BODY, INK, RED, RULE, SMALL, WIDE, bare, figure
from crossroads.wording.numbers import p_equals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 1.5
_MANY = 40


@figure(MleatResult, WeatResult)
def association_plot(result: MleatResult | WeatResult, *, ax: Axes | None = None) -> Axes:
    """Draw the association of every word with the attributes, sorted within its set, and the two means.

    For a test of two targets the words are those of X and Y; for a single-target test, whose attributes
    are permuted, they are those of A and B.

    Parameters
    ----------
    result
        A WEAT, or an ML-EAT, of which Level 1 is shown.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> ax = cr.plots.association_plot(cr.weat(emb, design))
    """
    test = result.level1 if isinstance(result, MleatResult) else result
    titles = dict(result.titles)
    keys = ("x", "y") if "y" in test.sets else ("a", "b")
    groups = {
        key: sorted(((test.associations[word], word) for word in test.sets[key]), key=lambda pair: -pair[0])
        for key in keys
    }
    count = sum(len(group) for group in groups.values())
    row, size = (0.155, SMALL) if count <= _MANY else (0.115, SMALL - 0.5)
    labels = {key: [fitted(word, _LONGEST, size) for _, word in group] for key, group in groups.items()}
    left = MARGIN + 0.1 + max(widest([text], fits) for some in labels.values() for text, fits in some)
    frame = Frame(
        width=WIDE,
        body=(count + 3.4) * row,
        left=left,
        right=0.2,
        title=f"{test.design}: associations of the words",
        subtitle=f"{wording.effect(test)}, {wording.chance(test)} ({wording.tail(test.alternative)})"
        f", exact {p_equals(test.p, 'figure')}",
        below=0.5,
        note=wording.sentence(
            "vertical lines: means of the two sets", wording.WHICH_P, wording.model(result)
        ),
    )
    ax = frame.axes(ax)
    ax.set_ylim(count + 2.9, -0.5)
    bare(ax, grid="x")
    top = 0.0
    for key, group in groups.items():
        mean = sum(value for value, _ in group) / len(group)
        heading = f"{wording.titled(key, titles)}: mean {wording.number(mean, 3)}"
        line, fits = fitted(heading, axes_width(ax), BODY, weight="bold")
        spot: dict[str, Any] = {"coords": ("axes fraction", "data"), "bbox": {"color": "white", "pad": 0.5}}
        write(ax, line, (0, top), size=fits, weight="bold", zorder=1, **spot)
        draw_group(ax, [value for value, _ in group], labels[key], top + 1, mean, sided="y" in test.sets)
        top += len(group) + 1.7
    ax.margins(x=0.06)
    _name_axis(ax, titles, sided="y" in test.sets)
    return ax


def _name_axis(ax: Axes, titles: dict[str, str], *, sided: bool) -> None:
    if sided:
        a, b = (wording.titled(key, titles) for key in "ab")
        name_ends(ax, f"← {b}", "association s(w, A, B)", f"{a} →")
    else:
        target = wording.titled("x", titles) if "x" in titles else "the target"
        name_ends(ax, "", f"mean cosine with {target}", "")


def draw_group(
    ax: Axes, values: list[float], labels: list[tuple[str, float]], top: float, mean: float, *, sided: bool
) -> None:
    """One set: a dot per word, red or blue by the side of zero it is on, and lines at zero and the mean."""
    rows = [top + i for i in range(len(values))]
    ends = (rows[0] - 0.5, rows[-1] + 0.5)
    ax.vlines(mean, *ends, color=INK, linewidth=1.4, zorder=3)
    if sided:
        ax.vlines(0, *ends, color=RULE, linewidth=0.8, zorder=1)
        ax.hlines(rows, 0, values, color=RULE, linewidth=0.7, zorder=2)
    for on_a, color, marker in ((True, RED, "o"), (False, BLUE, "D")):
        some = [(value, y) for value, y in zip(values, rows, strict=True) if (value >= 0) == on_a]
        if not sided:
            color, marker = INK, "o"
        ax.plot(
            [value for value, _ in some],
            [y for _, y in some],
            linestyle="none",
            marker=marker,
            markersize=4.0 if marker == "o" else 3.4,
            color=color,
            zorder=4,
        )
    for (text, size), y in zip(labels, rows, strict=True):
        write(ax, text, (0, y), (-0.06, 0), coords=("axes fraction", "data"), size=size, ha="right")

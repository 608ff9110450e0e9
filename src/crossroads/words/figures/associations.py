"""Single words: their associations, rankings, and the influence of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, Frame, axes_width, name_ends, write
from crossroads.core.figures.lettering import fitted, widest, wrapped
from crossroads.core.figures.rows import SIDE, row_axes
from crossroads.core.figures.style import (
    BLUE,
    BODY,
    COLUMN,
    GREY,
    INK,
    RED,
    RULE,
    SMALL,
    WIDE,
    at_least_one,
    bare,
    figure,
)
from crossroads.core.wording.numbers import p_equals
from crossroads.words.measures.mleat import MleatResult
from crossroads.words.measures.patterns import ALPHA
from crossroads.words.measures.sc_weat import ScWeatResult
from crossroads.words.measures.stability import InfluenceResult
from crossroads.words.measures.weat import WeatResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST_WORD = 1.5
_MANY = 40
_RANKING_ROW = 0.155
_WIDTH = COLUMN + 0.7


@figure(MleatResult, WeatResult)
def association_plot(result: MleatResult | WeatResult, *, ax: Axes | None = None) -> Axes:
    """Draw the association of every word with the attributes, sorted within its set, and the two means.

    For a test of two targets the words are those of X and Y; for a single-target test, whose attributes
    are permuted, they are those of A and B.

    Parameters
    ----------
    result
        A WEAT, or an ML-EAT, of which Level 1 is shown.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> ax = cr.plots.association_plot(cr.weat(emb, design))
    """
    test = result.level1 if isinstance(result, MleatResult) else result
    titles, sided = dict(result.titles), "y" in test.sets
    keys = ("x", "y") if sided else ("a", "b")
    values = {key: {word: test.associations[word] for word in test.sets[key]} for key in keys}
    row, size = (0.155, SMALL) if sum(map(len, values.values())) <= _MANY else (0.115, SMALL - 0.5)
    ax = draw_sets(
        ax,
        values,
        titles,
        row=row,
        size=size,
        digits=3,
        sided=sided,
        title=f"{test.design}: associations of the words",
        subtitle=f"{wording.effect(test.effect_size, test.crossed.pvalue)} "
        f"({wording.tail(test.alternative)}), exact {p_equals(test._p, 'figure')}",
        note=wording.sentence(
            "vertical lines: means of the two sets", wording.WHICH_P, wording.model(result)
        ),
    )
    ax.margins(x=0.06)
    _name_axis(ax, titles, sided=sided)
    return ax


def draw_sets(
    ax: Axes | None,
    values: Mapping[str, Mapping[str, float]],
    titles: Mapping[str, str],
    *,
    row: float,
    size: float,
    digits: int,
    sided: bool,
    **texts: Any,
) -> Axes:
    """Two sets of words one below the other, each sorted by value, under its name and its mean."""
    groups = {key: sorted(some.items(), key=lambda one: -one[1]) for key, some in values.items()}
    labels = {key: [fitted(word, _LONGEST_WORD, size) for word, _ in some] for key, some in groups.items()}
    count = sum(map(len, groups.values()))
    left = MARGIN + 0.1 + max(widest([text], fits) for some in labels.values() for text, fits in some)
    frame = Frame(width=WIDE, body=(count + 3.4) * row, left=left, right=0.2, below=0.5, **texts)
    ax = frame.axes(ax)
    ax.set_ylim(count + 2.9, -0.5)
    bare(ax, grid="x")
    top = 0.0
    for key, some in groups.items():
        mean = sum(value for _, value in some) / len(some)
        heading = f"{wording.titled(key, titles)}: mean {wording.number(mean, digits)}"
        line, fits = fitted(heading, axes_width(ax), BODY, weight="bold")
        spot: dict[str, Any] = {"coords": SIDE, "bbox": {"color": "white", "pad": 0.5}}
        write(ax, line, (0, top), size=fits, weight="bold", zorder=1, **spot)
        _draw_group(ax, [value for _, value in some], labels[key], top + 1, mean, sided=sided)
        top += len(some) + 1.7
    return ax


def _name_axis(ax: Axes, titles: dict[str, str], *, sided: bool) -> None:
    if sided:
        a, b = (wording.titled(key, titles) for key in "ab")
        name_ends(ax, f"← {b}", "association s(w, A, B)", f"{a} →")
    else:
        target = wording.titled("x", titles) if "x" in titles else "the target"
        name_ends(ax, "", f"mean cosine with {target}", "")


def _draw_group(
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
        write(ax, text, (0, y), (-0.06, 0), coords=SIDE, size=size, ha="right")


@figure(ScWeatResult)
def ranking(result: ScWeatResult, *, n: int = 20, alpha: float = ALPHA, ax: Axes | None = None) -> Axes:
    """Draw the words that lean most to A and those that lean most to B, with their effect sizes.

    A filled dot and a star mark words whose p-value for other attribute words is below ``alpha``, in the tail
    the result records.

    Parameters
    ----------
    result
        An SC-WEAT.
    n
        The most words on either side.
    alpha
        Level of significance.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> ax = cr.plots.ranking(cr.sc_weat(emb, design.x, design.a, design.b))
    """
    at_least_one("n", n)
    order = np.argsort(-result.effect_size, kind="stable")
    to_a = [int(i) for i in order if result.effect_size[i] >= 0][:n]
    to_b = [int(i) for i in order if result.effect_size[i] < 0][-n:]
    between = len(result.words) - len(to_a) - len(to_b)
    shown: list[int | None] = [*to_a, *([None] if between else []), *to_b]
    furthest = max(abs(float(result.effect_size[i])) for i in (*to_a, *to_b)) or 1.0
    frame = Frame(
        width=_WIDTH,
        body=(len(shown) + 0.6) * _RANKING_ROW,
        left=MARGIN,
        right=MARGIN,
        title=_title(result),
        subtitle=_attributes(result),
        below=0.48,
        note=_note(result, alpha),
    )
    ax = frame.axes(ax)
    ax.set(xlim=(-1.42 * furthest, 1.42 * furthest), ylim=(len(shown) - 0.2, -0.8))
    bare(ax)
    ax.axvline(0, color=INK, linewidth=0.8, zorder=3)
    room = axes_width(ax) / 2 - 0.1
    for y, i in enumerate(shown):
        if i is None:
            write(
                ax,
                f"… {between:,} words between …",
                (0, y),
                coords="data",
                size=SMALL,
                color=GREY,
                ha="center",
                va="center",
                bbox={"color": "white", "pad": 1},
                zorder=4,
            )
        else:
            _draw_word(ax, result, i, y, room, starred=_starred(result, i, alpha))
    a, b = (wording.titled(key, result.titles) for key in "ab")
    name_ends(ax, f"← {b}", "effect size d", f"{a} →")
    return ax


def _starred(result: ScWeatResult, i: int, alpha: float) -> bool:
    return bool(result.crossed_pvalue[i] < alpha)


def _draw_word(ax: Axes, result: ScWeatResult, i: int, y: int, room: float, *, starred: bool) -> None:
    """A dot on a stem; the word across the zero line, the number beyond the dot."""
    d = float(result.effect_size[i])
    side = 1 if d >= 0 else -1
    color = RED if side > 0 else BLUE
    ax.hlines(y, 0, d, color=color, linewidth=1.1, zorder=2)
    ax.plot(
        [d],
        [y],
        marker="o",
        markersize=4.2,
        color=color,
        zorder=4,
        markerfacecolor=color if starred else "white",
        markeredgewidth=1.0,
    )
    places: dict[str, Any] = {"coords": "data", "va": "center"}
    word, size = fitted(result.words[i], room, SMALL + 0.5)
    write(ax, word, (0, y), (-0.06 * side, 0), size=size, ha="right" if side > 0 else "left", **places)
    text = wording.number(d) + (" *" if starred else "")
    write(ax, text, (d, y), (0.06 * side, 0), size=SMALL, ha="left" if side > 0 else "right", **places)


def _title(result: ScWeatResult) -> str:
    """What the figure shows; with the names of the attributes where they have any."""
    a, b = (result.titles.get(key, key.upper()) for key in "ab")
    return f"Words that lean most to {a} and to {b}, of {len(result.words):,}"


def _attributes(result: ScWeatResult) -> str:
    """The two attributes, each on a line or two."""
    return "\n".join(
        wrapped(
            f"{wording.titled(key, result.titles)}: {', '.join(words)}", _WIDTH - 2 * MARGIN, BODY, lines=1
        )
        for key, words in zip("ab", result.attributes, strict=True)
    )


def _note(result: ScWeatResult, alpha: float) -> str:
    tail = wording.tail(result.alternative)
    asked = f"● * p < {wording.level(alpha)} ({tail}, for other attribute words); ○ not"
    side = {"greater": "b", "less": "a"}.get(result.alternative, "")
    untested = wording.titled(side, result.titles)
    doubt = f"this test cannot single out words that lean to {untested}" if untested else ""
    return wording.sentence(asked, doubt, wording.model(result))


_INFLUENCE_ROW = 0.17
_INFLUENCE_LONGEST = 1.3


@figure(InfluenceResult)
def influence_plot(result: InfluenceResult, *, n: int = 15, ax: Axes | None = None) -> Axes:
    """Draw the effect size that is left without each of the most influential words.

    Parameters
    ----------
    n
        The most words shown.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> ax = cr.plots.influence_plot(cr.stats.influence(emb, design), n=10)
    """
    rows = result._rows()[: at_least_one("n", n)]
    total = sum(len(words) for words in result.without.values())
    labels = [fitted(str(row["word"]), _INFLUENCE_LONGEST, SMALL + 0.5) for row in rows]
    low, high = (wording.number(end) for end in result.span)
    frame = Frame(
        width=_WIDTH,
        body=(len(rows) + 0.4) * _INFLUENCE_ROW,
        left=MARGIN + max(widest([text], size) for text, size in labels) + 0.3,
        right=0.5,
        title=f"{result.design}: the effect size without one word",
        subtitle=f"d = {wording.number(result.effect_size)} with all words, {low} to {high} without one",
        below=0.48,
        note=wording.sentence(
            f"the {len(rows)} most influential of {total} words",
            _sets(result),
            "on the right, the change of d",
            wording.model(result),
        ),
    )
    ax = row_axes(frame, ax, len(rows), zero=result.effect_size, edge=0.2)
    for y, (row, (text, size)) in enumerate(zip(rows, labels, strict=True)):
        d = float(row["without"])
        ax.hlines(y, result.effect_size, d, color=RULE, linewidth=1.1, zorder=2)
        ax.plot([d], [y], marker="o", markersize=4.4, color=INK, zorder=3)
        write(ax, text, (0, y), (-0.22, 0), coords=SIDE, size=size, ha="right")
        letter = str(row["set"]).upper()
        write(ax, letter, (0, y), (-0.1, 0), coords=SIDE, size=SMALL, color=GREY, weight="bold", ha="center")
        change = wording.number(float(row["change"]), 3, sign=True)
        write(ax, change, (1, y), (0.42, 0), coords=SIDE, size=SMALL, ha="right")
    ax.margins(x=0.06)
    ax.set_xlabel("effect size d without the word", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _sets(result: InfluenceResult) -> str:
    """The meaning of the letters before the words."""
    if not result.titles:
        return "X, Y, A, B: the set of the word"
    return ", ".join(f"{key.upper()}: {result.titles[key]}" for key in result.without)

"""Paired identities: which domain their scores follow, and traits beyond both components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.errors import InputError
from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, Frame, write
from crossroads.core.figures.lettering import fitted, height, widest, wrapped
from crossroads.core.figures.rows import SIDE, Rows, row_axes
from crossroads.core.figures.style import (
    BLUE,
    BODY,
    CELL,
    GREY,
    INK,
    RED,
    RULE,
    SMALL,
    WIDE,
    figure,
    matplotlib,
)
from crossroads.core.inference.options import whole
from crossroads.traits.pairs.dominance import DominanceResult
from crossroads.traits.pairs.emergent import EmergentResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TALL = 0.4
_DOMINANCE_LONGEST = 1.1


@figure(DominanceResult)
def dominance_matrix(result: DominanceResult, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the differences of mean correlations, row domain minus column domain.

    A cell is red where pairs follow the domain of the row, and blue where they follow that of the column. A
    dark border marks a difference that counts as dominance, a star a q-value below ``alpha``, so that nothing
    depends on colour. Every pair of domains has two cells, one the negative of the other; domains that
    dominate more come first.

    Parameters
    ----------
    alpha
        The q-value below which a difference is starred.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> pairs = cr.pairs.paired_groups(["woman", "man", "Black", "White"])
    >>> rng, traits = np.random.default_rng(1), [trait.name for trait in cr.catalog("abc-traits")]
    >>> names = ["woman", "man", "Black", "White", *(pair.name for pair in pairs)]
    >>> table = {name: dict(zip(traits, rng.normal(size=16), strict=True)) for name in names}
    >>> scores = cr.traits.TraitScores.from_table(table)
    >>> ax = cr.plots.dominance_matrix(cr.pairs.domain_dominance(scores, pairs))
    """
    if not result.domain_pairs:
        raise InputError("there are no two domains to draw.", hint="measure pairs of different domains.")
    domains, relations = _ordered(result), result.relations
    labels = [wrapped(name, _DOMINANCE_LONGEST, BODY, lines=2) for name in domains]
    left = MARGIN + widest(labels, BODY) + 0.1
    side = (WIDE - left - MARGIN) / len(domains)
    columns = [wrapped(name, side - 0.06, SMALL, lines=4) for name in domains]
    frame = Frame(
        width=WIDE,
        body=_TALL * len(domains),
        left=left,
        right=MARGIN,
        title="Which domain do paired identities follow?",
        subtitle="mean rank correlation with the component of the row domain, "
        "minus that of the column domain",
        above=0.1 + max(height(text, SMALL) for text in columns),
        below=0.1,
        note=wording.sentence(
            f"dark border: the row dominates the column (difference of at least {result.least:g}, "
            "interval without 0)",
            f"* q < {wording.level(alpha)}, groups of both domains drawn",
            "red: pairs follow the domain of the row; blue: that of the column",
            f"{sum(row.pairs for row in result.domain_pairs):,} paired identities; Kendall's τ-b over traits "
            f"(scores: {result._measured})",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    ax.set(xlim=(0, len(domains)), ylim=(len(domains), 0))
    ax.axis("off")
    known = {frozenset((row.domain1, row.domain2)): row for row in result.domain_pairs}
    furthest = max(abs(row.difference) for row in result.domain_pairs) or 1.0
    for i, one in enumerate(domains):
        write(ax, labels[i], (0, i + 0.5), (-0.07, 0), coords="data", size=BODY, ha="right")
        write(ax, columns[i], (i + 0.5, 0), (0, 0.05), coords="data", size=SMALL, ha="center", va="bottom")
        for j, two in enumerate(domains):
            dominant = two in relations[one]["dominates"]
            row = known.get(frozenset((one, two)))
            if row is None:
                _draw_box(ax, i, j, "white" if i == j else CELL, dominant)
                continue
            value = row.difference if row.domain1 == one else -row.difference
            _draw_box(ax, i, j, _shade(value / furthest), dominant)
            star = "*" if row.qvalue is not None and row.qvalue < alpha else ""
            write(
                ax,
                f"{wording.number(value, sign=True)}{star}",
                (j + 0.5, i + 0.5),
                coords="data",
                size=SMALL,
                color="white" if abs(value) / furthest > 0.62 else INK,
                weight="bold" if dominant else "normal",
                ha="center",
                zorder=3,
            )
    return ax


def _ordered(result: DominanceResult) -> list[str]:
    """Domains by how many they dominate minus how many dominate them, then by their mean difference."""
    relations = result.relations
    matrix = dict(zip(result.domains, result.matrix, strict=True))

    def place(name: str) -> tuple[float, float]:
        balance = len(relations[name]["dominates"]) - len(relations[name]["dominated by"])
        return -balance, -float(np.nanmean(matrix[name]))

    return sorted((name for name in result.domains if name in relations), key=place)


def _draw_box(ax: Axes, i: int, j: int, color: Any, dominant: bool) -> None:
    """The background of a cell, with a border where the row dominates the column."""
    edge = {"edgecolor": INK, "linewidth": 1.4} if dominant else {"edgecolor": "white", "linewidth": 1.0}
    inset, order = (0.02, 2) if dominant else (0.0, 1)
    box = matplotlib("patches").Rectangle((j + inset, i + inset), 1 - 2 * inset, 1 - 2 * inset, **edge)
    box.set(facecolor=color, joinstyle="miter", zorder=order)
    ax.add_patch(box)


def _shade(share: float) -> tuple[float, float, float]:
    """From white at 0 to red at 1 and to blue at −1."""
    full = np.array(matplotlib("colors").to_rgb(RED if share > 0 else BLUE))
    red, green, blue = 1 + (full - 1) * min(1.0, abs(share))
    return float(red), float(green), float(blue)


_ROW = 0.165
_EMERGENT_LONGEST, _TRAIT = 1.75, 0.95
_NULLS = {"pooled": "p from the deviations of all pairs and traits, with a fitted tail"}
_FITS = {
    "identities": "deviations from what each identity contributes to all its pairs",
    "scores": "deviations from a linear function of the components' scores",
}


@figure(EmergentResult)
def emergent_traits(result: EmergentResult, *, n: int = 15, ax: Axes | None = None) -> Axes:
    """Draw the largest increases above both components, and below both, from the closer one to the pair.

    An upright tick is the score of the closer component and a dot that of the pair; a filled dot and a star
    mark associations within the false-discovery rate.

    Parameters
    ----------
    n
        Largest number of associations on each side.

    Examples
    --------
    >>> import crossroads as cr
    >>> rows = {"blind": (0.1, -0.3), "woman": (0.3, -0.1), "blind woman": (0.9, -0.2)}
    >>> table = {name: dict(zip(("cold-warm", "poor-wealthy"), row)) for name, row in rows.items()}
    >>> scores = cr.traits.TraitScores.from_table(table)
    >>> found = cr.pairs.emergent(scores, {"blind woman": ("blind", "woman")}, on="traits", null="none")
    >>> ax = cr.plots.emergent_traits(found)
    """
    whole("n", n, least=1)
    sides = [result.top(n, direction="above"), result.top(n, direction="below")]
    rows: list[dict[str, Any] | None] = [*sides[0], *([None] if all(sides) else []), *sides[1]]
    if not rows:
        raise InputError("no pair scores beyond both its components.", hint="there is nothing to draw.")
    shown = [row for row in rows if row is not None]
    names, traits = (
        [("", SMALL) if row is None else fitted(str(row[key]), longest, SMALL + 0.5) for row in rows]
        for key, longest in (("pair", _EMERGENT_LONGEST), ("trait", _TRAIT))
    )
    first, second = (max(widest([text], size) for text, size in texts) for texts in (names, traits))
    columns = _columns(rows)
    table = Rows(labels=[], columns=columns)
    tested, said = "", ["no null distribution was used"]
    if result.qvalue.size:
        rate = wording.level(result.fdr)
        null, fit = (result.conventions.get(name, "") for name in ("null", "fit"))
        tested = f"; {int(result.emergent.sum()):,} at a false-discovery rate of {rate}"
        said = [f"● * q ≤ {rate}", _NULLS.get(null, ""), _FITS.get(fit, "")]
    frame = Frame(
        width=WIDE,
        body=(len(rows) + 0.4) * _ROW,
        left=MARGIN + first + second + 0.22,
        right=MARGIN + sum(table.widths),
        title="Traits of paired identities beyond both components",
        subtitle=f"the furthest {len(sides[0])} above and {len(sides[1])} below, of "
        f"{result.increase.size:,} among {len(result.pairs):,} pairs and {len(result.traits):,} traits"
        f"{tested}",
        above=0.24,
        below=0.48,
        note=wording.sentence("| the closer component, ○ the pair", *said, wording.model(result)),
    )
    ax = row_axes(frame, ax, len(rows), zero=None, edge=0.2)
    values = [float(row[key]) for row in shown for key in ("score", "component_score")]
    margin = 0.05 * ((max(values) - min(values)) or 1.0)
    ax.set_xlim(min(values) - margin, max(values) + margin)
    for y, row in enumerate(rows):
        if row is not None:
            _draw_row(ax, row, y)
            for (text, size), left in ((traits[y], -0.07), (names[y], -0.17 - second)):
                write(ax, text, (0, y), (left, 0), coords=SIDE, size=size, ha="right")
    table.write_columns(ax)
    if "" in columns[0]:
        ax.axhline(columns[0].index("") - 1, color=RULE, linewidth=0.8, zorder=1)
    ax.set_xlabel(f"score ({result._measured})", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _draw_row(ax: Axes, row: dict[str, Any], y: int) -> None:
    color = RED if row["direction"] == "above" else BLUE
    start, end = row["component_score"], row["score"]
    ax.hlines(y, start, end, color=color, linewidth=1.1, zorder=2)
    ax.plot([start], [y], marker="|", markersize=6, color=GREY, markeredgewidth=1.2, zorder=3)
    face = color if row["emergent"] else "white"
    ax.plot([end], [y], marker="o", markersize=4.2, color=color, markerfacecolor=face, zorder=4)


def _columns(rows: list[dict[str, Any] | None]) -> list[list[str]]:
    """The increases, and q-values where there are any, each under its heading."""
    steps, qs = ["increase"], ["q"]
    for row in rows:
        step = q = ""
        if row is not None:
            sign = 1 if row["direction"] == "above" else -1
            step = wording.number(sign * row["increase"], 3, sign=True)
        if row is not None and row["qvalue"] is not None:
            q = wording.probability(row["qvalue"]) + (" *" if row["emergent"] else "")
        steps.append(step)
        qs.append(q)
    return [steps, qs] if any(qs[1:]) else [steps]

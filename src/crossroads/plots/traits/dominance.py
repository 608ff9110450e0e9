"""Which domain the scores of paired identities follow, for every pair of domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.errors import InputError
from crossroads.measures.pairs.dominance import DomainPair, DominanceResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import height, widest, wrapped
from crossroads.plots.frame.style import BLUE, BODY, CELL, INK, RED, SMALL, WIDE, figure, matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TALL = 0.4
_LONGEST = 1.1


@figure(DominanceResult)
def dominance_matrix(result: DominanceResult, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the differences of mean correlations, row domain less column domain.

    A cell is red where pairs follow the domain of the row, and blue where they follow that of the column. A
    dark border marks a difference that counts as dominance, a star a q-value below ``alpha``, so that nothing
    depends on colour. Every pair of domains has two cells, one the negative of the other; domains that
    dominate more come first.

    Parameters
    ----------
    result
        The dominance of domains.
    alpha
        The q-value below which a difference is starred.
    ax
        Axes to draw on; a new figure if not given.

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
    labels = [wrapped(name, _LONGEST, BODY, lines=2) for name in domains]
    left = MARGIN + widest(labels, BODY) + 0.1
    side = (WIDE - left - MARGIN) / len(domains)
    columns = [wrapped(name, side - 0.06, SMALL, lines=4) for name in domains]
    frame = Frame(
        width=WIDE,
        body=_TALL * len(domains),
        left=left,
        right=MARGIN,
        title="Which domain do paired identities follow?",
        subtitle="mean rank correlation with the component of the row domain, less that of the column domain",
        above=0.1 + max(height(text, SMALL) for text in columns),
        below=0.1,
        note=_note(result, alpha),
    )
    ax = frame.axes(ax)
    ax.set(xlim=(0, len(domains)), ylim=(len(domains), 0))
    ax.axis("off")
    known = {(row.domain1, row.domain2): row for row in result.domain_pairs}
    furthest = max(abs(row.difference) for row in result.domain_pairs) or 1.0
    for i, one in enumerate(domains):
        write(ax, labels[i], (0, i + 0.5), (-0.07, 0), coords="data", size=BODY, ha="right")
        write(ax, columns[i], (i + 0.5, 0), (0, 0.05), coords="data", size=SMALL, ha="center", va="bottom")
        for j, two in enumerate(domains):
            row = known.get((one, two)) or known.get((two, one))
            sign = 1.0 if (one, two) in known else -1.0
            _draw_cell(ax, i, j, row, sign, furthest, two in relations[one]["dominates"], alpha)
    return ax


def _ordered(result: DominanceResult) -> list[str]:
    """Domains by how many they dominate less how many dominate them, then by their mean difference."""
    relations = result.relations
    matrix = dict(zip(result.domains, result.matrix, strict=True))

    def place(name: str) -> tuple[float, float]:
        balance = len(relations[name]["dominates"]) - len(relations[name]["dominated by"])
        return -balance, -float(np.nanmean(matrix[name]))

    return sorted((name for name in result.domains if name in relations), key=place)


def _draw_cell(
    ax: Axes,
    i: int,
    j: int,
    row: DomainPair | None,
    sign: float,
    furthest: float,
    dominant: bool,
    alpha: float,
) -> None:
    """One cell; on the diagonal and where there is no pair, an empty one."""
    value = 0.0 if row is None or i == j else sign * row.difference
    empty = row is None or i == j
    options: dict[str, Any] = {
        "facecolor": "white" if i == j else CELL if empty else _shade(value / furthest),
        "edgecolor": INK if dominant else "white",
        "linewidth": 1.4 if dominant else 1.0,
        "joinstyle": "miter",
        "zorder": 2 if dominant else 1,
    }
    inset = 0.02 if dominant else 0.0
    ax.add_patch(
        matplotlib("patches").Rectangle((j + inset, i + inset), 1 - 2 * inset, 1 - 2 * inset, **options)
    )
    if row is not None and i != j:
        text = wording.number(value, sign=True) + (
            "*" if row.qvalue is not None and row.qvalue < alpha else ""
        )
        color = "white" if abs(value) / furthest > 0.62 else INK
        weight = "bold" if dominant else "normal"
        place: dict[str, Any] = {"coords": "data", "ha": "center", "zorder": 3}
        write(ax, text, (j + 0.5, i + 0.5), size=SMALL, color=color, weight=weight, **place)


def _shade(share: float) -> tuple[float, float, float]:
    """From white at 0 to red at 1 and to blue at −1."""
    full = np.array(matplotlib("colors").to_rgb(RED if share > 0 else BLUE))
    red, green, blue = 1 + (full - 1) * min(1.0, abs(share))
    return float(red), float(green), float(blue)


def _note(result: DominanceResult, alpha: float) -> str:
    pairs, scores = sum(row.pairs for row in result.domain_pairs), result.conventions.get("scores", "given")
    return wording.sentence(
        f"dark border: the row dominates the column (difference of at least {result.least:g}, "
        "interval without 0)",
        f"* q < {wording.level(alpha)}, groups of both domains drawn",
        "red: pairs follow the domain of the row; blue: that of the column",
        f"{pairs:,} paired identities; Kendall's τ-b over traits (scores: {scores})",
        wording.model(result),
    )

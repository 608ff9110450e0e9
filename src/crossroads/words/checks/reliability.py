"""Internal consistency of the words of a test: split halves and Cronbach's α."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Self

import numpy as np

from crossroads.core.evidence import Embeddings
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.geometry import Floats, rounding_error
from crossroads.core.inference.options import whole
from crossroads.core.results import QUESTION, Stat, label_for, stat
from crossroads.core.results.gathered import Missing, titles_of
from crossroads.core.stimuli import Design
from crossroads.words.measures.weat import CheckOfTest, gather_two, origin

_NAMES = ("first target", "second target", "first attribute", "second attribute")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReliabilityResult(CheckOfTest):
    """Reliability of the associations of one test."""

    _stem: ClassVar[str] = "reliability"
    _cites: ClassVar[tuple[str, ...]] = (
        "spearman1910correlation",
        "brown1910some",
        "cronbach1951coefficient",
    )
    _label_format: ClassVar[str] = "{design} reliability"
    _table_title: ClassVar[str] = "Reliability of the word lists"
    _long_table: ClassVar[tuple[str, str, str]] = ("reliability", "splits", "")
    _file_names: ClassVar[str] = "design attributes targets alpha"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "reliability": "attributes targets alpha_x=alpha.x alpha_y=alpha.y alpha_a=alpha.a alpha_b=alpha.b "
        "left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("design", "test"),
        QUESTION,
        stat("attributes", note="reliability of associations, attributes split"),
        stat("targets", note="the same with the targets split"),
        *(
            stat(f"alpha_{key}", f"α({key.upper()})", f"Cronbach's α, {name}", of=f"alpha.{key}", spare=2)
            for key, name in zip("xyab", _NAMES, strict=True)
        ),
    )

    attributes: float | None
    """Split-half reliability of the associations of the targets, attributes split; None where a set of
    attributes has fewer than two words, there are fewer than three targets, or all associations are equal."""
    targets: float | None
    """The same for the associations of the attributes, targets split."""
    alpha: Mapping[str, float | None]
    """Cronbach's α of each set: its words are the items, the words of the other facet the cases. None where
    it has fewer than two words, or their sum does not vary."""
    splits: int
    """Number of random splits."""

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        """What a negative α means, where there is one."""
        if any((value or 0) < 0 for one in results.values() for value in one.alpha.values()):
            yield "α below 0: words of the set vary against each other, not together."


reliability_name = partial(label_for, ReliabilityResult)
"""Name of the reliability of a test, such as ``weat6 reliability``."""


def reliability(
    emb: Embeddings, design: Design, *, splits: int = 1000, seed: int = 0, missing: Missing = "raise"
) -> ReliabilityResult:
    r"""Estimate how consistently the words of a test measure the associations it compares.

    Attributes are split into random halves, :math:`s(w, A, B)` is computed from each half, and :math:`r`, the
    mean correlation of the two over all targets, is stepped up to the full length, :math:`2r/(1+|r|)`
    (Spearman and Brown; of negative :math:`r`, for which their formula falls without end, the size is stepped
    up, as Krus and Helmstadter do). The same is done with the targets split. Low values explain wide
    intervals: other words for the same things would have given other associations. Cronbach's α of a set
    takes its words as items and the words of the other facet as cases.

    References
    ----------
    Spearman, C. (1910). doi:10.1111/j.2044-8295.1910.tb00206.x; Brown, W. (1910).
    doi:10.1111/j.2044-8295.1910.tb00207.x; Cronbach, L. J. (1951). doi:10.1007/BF02310555; Krus, D. J., &
    Helmstadter, G. C. (1993). Educational and Psychological Measurement, 53, 643–650.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> rng, words = np.random.default_rng(1), [*"abcdefghijklmnop"]
    >>> emb = cr.Embeddings(words, np.repeat([[1, 0], [0, 1]], 8, axis=0) + rng.normal(0, 0.3, (16, 2)))
    >>> toy = cr.Design(name="toy", x=words[:4], y=words[8:12], a=words[4:8], b=words[12:])
    >>> reliability(emb, toy).attributes > 0.9
    True
    """
    whole("splits", splits, least=1, hint="split at least once; 1,000 is usual.")
    found = gather_two(emb, design, missing, least=1)
    table, n_x, n_a = found.cosines(), len(found.words["x"]), len(found.words["a"])
    rng, error = generator(seed), rounding_error(emb.dim)
    parts = {"x": table[:n_x], "y": table[n_x:], "a": table[:, :n_a].T, "b": table[:, n_a:].T}
    conventions = {"measure": "reliability", "random halves": splits, "seed": seed}
    return ReliabilityResult(
        design=design.name,
        attributes=_split_half(table, n_a, splits, rng, error),
        targets=_split_half(table.T, n_x, splits, rng, error),
        alpha={key: _alpha(part, error) for key, part in parts.items()},
        splits=splits,
        titles=titles_of(design.sets),
        **origin(emb, found.coverage, {**conventions, "missing": missing}),
    )


def _split_half(
    table: Floats, first: int, splits: int, rng: np.random.Generator, error: float
) -> float | None:
    """Mean correlation, stepped up, of contrasts of the columns, which are split within each group.

    None where there is no contrast but rounding error.
    """
    sizes = (first, table.shape[1] - first)
    if min(sizes) < 2 or len(table) < 3:
        return None
    contrast = []
    masks = [np.argsort(rng.random((splits, n)), axis=1).argsort(axis=1) < n // 2 for n in sizes]
    for one in (True, False):
        weights = [(mask == one) / (mask == one).sum(axis=1, keepdims=True) for mask in masks]
        contrast.append(table[:, :first] @ weights[0].T - table[:, first:] @ weights[1].T)
    centred = [part - part.mean(axis=0) for part in contrast]
    spread = np.sqrt((centred[0] ** 2).sum(axis=0) * (centred[1] ** 2).sum(axis=0))
    varies = spread > len(table) * (2 * error) ** 2
    if not varies.any():
        return None
    r = np.where(varies, (centred[0] * centred[1]).sum(axis=0) / np.where(varies, spread, 1.0), 0.0)
    mean = float(r.mean())
    return 2 * mean / (1 + abs(mean))  # the formula has no lower bound


def _alpha(items: Floats, error: float) -> float | None:
    """Cronbach's α: one row per item, one column per case."""
    k = len(items)
    total = float(items.sum(axis=0).var(ddof=1)) if items.shape[1] > 1 else 0.0
    if k < 2 or total <= (2 * k * error) ** 2:
        return None
    return k / (k - 1) * (1 - float(items.var(axis=1, ddof=1).sum()) / total)

"""Projection on an axis between two attributes: SemAxis and RIPA as one score, for other words too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from crossroads.core.errors import DesignError, EvidenceError, Missing, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.copies import Copies, Words
from crossroads.core.inference.crossed import (
    LEVEL,
    Crossed,
    Spread,
    half_width,
    settled,
    spread,
    with_copies,
)
from crossroads.core.inference.geometry import Floats, effect_size, rounding_error
from crossroads.core.inference.permutation.test import MAX_WORK, Alternative, permutation_test
from crossroads.core.results import QUESTION, TEST, Row, Stat, long_row, stat
from crossroads.core.results.gathered import Gathered, check_inputs, gather, warn_about_sharing
from crossroads.core.stimuli import Design
from crossroads.core.wording.numbers import P
from crossroads.words.measures.weat import DIFFERENCE, CheckOfTest, Options, crossed_rows, origin

Axis = Literal["means", "pairs"]
_PLACES = "mean place of the first target on the axis minus that of the second, if there is one"
_PARTNER = "its partner has no usable vector"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProjectionResult(CheckOfTest):
    """Places of words on an axis between two attributes, and the difference of two targets on it."""

    _cites: ClassVar[tuple[str, ...]] = ("an2018semaxis", "ethayarajh2019understanding")
    _figure: ClassVar[str] = "association_plot"
    _stem: ClassVar[str] = "projection"
    _label_format: ClassVar[str] = "{design} projection"
    _table_title: ClassVar[str] = "Projections on an axis between the attributes"
    _file_names: ClassVar[str] = (
        "design axis effect_size difference=crossed.difference low=crossed.low high=crossed.high "
        "p=crossed.pvalue exact_p=pvalue"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "projection": "projection_d=effect_size projection=crossed.difference projection_p=crossed.pvalue"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        QUESTION,
        stat("d", of="effect_size"),
        stat("difference", note=_PLACES, of="crossed.difference"),
        *DIFFERENCE[1:],
    )

    axis: str
    """How the axis was made: from the means of both attributes, or from pairs of their words."""
    associations: Mapping[str, float]
    """Place of each target word on the axis; A is on its positive side."""
    effect_size: float | None
    """Difference of the mean places of both targets, in standard deviations of all; None with one target."""
    pvalue: float | None
    """Share of divisions of the targets that are at least as extreme; None with one target."""
    method: str
    """How that was found; empty with one target."""
    alternative: str
    """Tail of the p-values."""
    sets: Mapping[str, tuple[str, ...]]
    """The stimuli measured, by set."""
    crossed: Crossed
    """The difference of mean places, of one target the mean place, and how sure it is for other words."""

    def _long_rows(self, name: str) -> Iterator[Row]:
        yield from crossed_rows("projection", self.design, "", self.crossed, self.pvalue)
        yield long_row("projection", self.design, "", "effect_size", self.effect_size)
        for word, place in self.associations.items():
            yield long_row("projection", self.design, word, "association", place)

    @property
    def _p(self) -> P | None:
        return None if self.pvalue is None else P.of(self.pvalue, self.method)


def projection(
    emb: Embeddings,
    design: Design,
    *,
    axis: Axis = "means",
    lengths: bool | None = None,
    alternative: Alternative = "two-sided",
    missing: Missing = "raise",
    words: Words = "effective",
) -> ProjectionResult:
    r"""Place words on an axis from attribute B to attribute A, and compare two targets there.

    .. math::
        s(w) = \langle w, u \rangle, \qquad
        u_\text{means} = \frac{\bar a - \bar b}{\lVert \bar a - \bar b \rVert}, \qquad
        u_\text{pairs} = \arg\max_{\lVert u \rVert = 1} \sum_i \langle a_i - b_i, u \rangle^2

    With means this is SemAxis; with pairs, such as *he* and *she*, it is RIPA. Δ is the difference of the
    mean scores of both targets, or the mean score of a single one, with target and attribute words both
    drawn, as in ``crossed`` of :func:`~crossroads.weat`. Pairs are drawn as pairs: their variance is that of
    a jackknife over pairs, and at least that of the component held fixed. Where pairs do not agree on a
    direction (t test of their places on the axis, .05) there is no p-value.

    Parameters
    ----------
    axis
        ``"means"`` of both attributes (SemAxis), or ``"pairs"`` (RIPA) of their first, second, … words.
    lengths
        Whether words keep their lengths. By default as published: no with means, so that scores are cosines,
        and yes with pairs.
    emb, design, alternative, missing, words
        As in :func:`~crossroads.weat`. With pairs, a word without a vector also leaves out its partner.

    Notes
    -----
    *Departures:* neither paper tests differences. Attributes keep their lengths, as in both.

    References
    ----------
    An, J., Kwak, H., & Ahn, Y.-Y. (2018). doi:10.18653/v1/P18-1228; Ethayarajh, K., Duvenaud, D., & Hirst, G.
    (2019). doi:10.18653/v1/P19-1166

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.Design(name="work", x=["nurse", "chef"], a=["she", "her"], b=["he", "his"])
    >>> emb = cr.load("default", words=design.words)
    >>> result = cr.projection(emb, design)
    >>> {word: round(score, 2) for word, score in result.associations.items()}
    {'nurse': 0.41, 'chef': 0.16}
    """
    one_of("axis", axis, Axis)
    check_inputs(design, emb)
    warn_about_sharing(design)
    least = dict.fromkeys(design.sets, 1)
    found = gather(emb, design.sets, missing=missing, least=least, design=design.name)
    if axis == "pairs":
        found = _paired(found, design)
    keeps = axis == "pairs" if lengths is None else lengths
    targets = [name for name in "xy" if name in found.words]
    vectors = {name: emb.vectors[rows].astype(np.float64) for name, rows in found.rows.items()}
    rows = np.concatenate([(vectors if keeps else found.vectors)[name] for name in targets])
    near = found.near(words, sets=[*targets, *("ab" if axis == "means" else "")])
    n_x, error = len(found.words["x"]), rounding_error(emb.dim)
    place = _on_means if axis == "means" else _on_pairs
    copies = None if near is None else near.copies
    scores, measured, error = place(rows, vectors["a"], vectors["b"], n_x, error, copies)
    options = Options(alternative, 1, "weak", "auto", 0, MAX_WORK, words)
    first, second = scores[:n_x], scores[n_x:]
    tested = permutation_test(first, second, **options.settings(error)) if len(second) else None
    named = [word for name in targets for word in found.words[name]]
    measure = {
        "measure": "projection",
        "association": f"{'product' if keeps else 'cosine'} with the axis of {axis}",
    }
    return ProjectionResult(
        design=design.name,
        axis=axis,
        associations=dict(zip(named, scores.tolist(), strict=True)),
        effect_size=effect_size(first, second, ddof=options.ddof) if len(second) else None,
        pvalue=None if tested is None else tested.pvalue,
        method="" if tested is None else tested.method,
        alternative=alternative,
        sets=dict(found.words),
        titles={name: design.sets[name].name for name in found.words},
        crossed=settled(
            measured,
            targets=len(targets),
            alternative=alternative,
            score_error=error,
            reason=_no_direction(vectors) if axis == "pairs" else None,
            near=near,
        ),
        **origin(emb, found.coverage, {**measure, **options.conventions(found.coverage.policy)}),
    )


def _paired(found: Gathered, design: Design) -> Gathered:
    """Only attributes of which the partner, at the same place in the other list, was found as well."""
    if len(design.a) != len(design.b):
        raise DesignError(
            f"the design {design.name!r} has {len(design.a)} and {len(design.b)} attributes: no pairs.",
            hint="give lists of the same length, partners at the same place, or use axis='means'.",
        )
    there = [
        (a, b)
        for a, b in zip(design.a, design.b, strict=True)
        if a in found.words["a"] and b in found.words["b"]
    ]
    if len(there) < 2:
        raise EvidenceError(
            f"{len(there)} of {len(design.a)} pairs of attributes have vectors of both words.",
            hint="use at least two pairs, or axis='means'.",
        )
    words, rows, dropped = dict(found.words), dict(found.rows), dict(found.coverage.dropped)
    for name, kept in zip("ab", zip(*there, strict=True), strict=True):
        alone = [word for word in words[name] if word not in kept]
        rows[name] = rows[name][[words[name].index(word) for word in kept]]
        dropped[name] = {**dropped.get(name, {}), **dict.fromkeys(alone, _PARTNER)}
        words[name] = kept
    return replace(
        found, words=words, rows=rows, coverage=replace(found.coverage, used=words, dropped=dropped)
    )


_Copies = Sequence[Copies] | None


def _on_means(
    words: Floats, a: Floats, b: Floats, n_x: int, error: float, copies: _Copies
) -> tuple[Floats, Spread, float]:
    """Scores on the axis between two means; products with each attribute are the table of a WEAT."""
    axis = a.mean(axis=0) - b.mean(axis=0)
    length = float(np.linalg.norm(axis))
    largest = float(np.abs(np.concatenate([a, b])).max())
    if length <= error * largest:
        raise EvidenceError(
            "both attributes have the same mean vector, so there is no axis between them.",
            hint="check that the two attributes are not the same words.",
        )
    table = words @ np.concatenate([a, b]).T / length
    return words @ axis / length, spread(table, n_x, len(a), copies), error * float(np.abs(table).max())


def _on_pairs(
    words: Floats, a: Floats, b: Floats, n_x: int, error: float, copies: _Copies
) -> tuple[Floats, Spread, float]:
    """Scores on the first component of pairs; a jackknife over pairs is added to a table of pairs."""
    differences = a - b
    axis, weights = _component(differences)
    n = len(differences)
    table = words @ (differences * weights[:, None] * n).T
    # a column of zeros is a second attribute that does not vary, so that pairs are one facet
    held = spread(np.column_stack([table, np.zeros(len(words))]), n_x, n)
    scores = words @ axis
    without = [words @ _component(np.delete(differences, i, axis=0), axis)[0] for i in range(n)]
    gaps = np.array([_gap(one, n_x) for one in without])
    jackknife = (n - 1) / n * float(((gaps - gaps.mean()) ** 2).sum())
    parts = held.parts.copy()
    parts[-2] = max(parts[-2], jackknife)
    sizes = [size for size in (n_x, len(words) - n_x) if size]
    measured = held._replace(difference=_gap(scores, n_x), parts=parts, effective=[*sizes, n, 1])
    pairs = None if copies is None else [*copies, np.eye(n), np.eye(1)]
    measured = with_copies(measured, len(sizes), pairs)
    measured = measured._replace(effective=[*list(measured.effective)[:-1], n])
    return scores, measured, error * float(np.abs(table).max())


def _no_direction(vectors: Mapping[str, Floats]) -> str | None:
    """Why there is no p-value where the pairs do not agree on which end of the axis is whose."""
    differences = vectors["a"] - vectors["b"]
    along, n = differences @ _component(differences)[0], len(differences)
    if abs(along.mean()) > half_width(along.std(ddof=1) / np.sqrt(n), n - 1, LEVEL):
        return None
    return "the pairs do not agree on a direction of the axis, so that its sign is chance"


def _gap(scores: Floats, n_x: int) -> float:
    return float(scores[:n_x].mean() - (scores[n_x:].mean() if n_x < len(scores) else 0.0))


def _component(differences: Floats, along: Floats | None = None) -> tuple[Floats, Floats]:
    """The first component of differences, and the weights of the differences in it.

    It points where the mean difference does, or in the direction ``along``.
    """
    left, sizes, right = np.linalg.svd(differences, full_matrices=False)
    if sizes[0] == 0:
        raise EvidenceError("the words of each pair have the same vector, so there is no axis.")
    sign = 1.0 if right[0] @ (differences.mean(axis=0) if along is None else along) >= 0 else -1.0
    return sign * right[0], sign * left[:, 0] / sizes[0]

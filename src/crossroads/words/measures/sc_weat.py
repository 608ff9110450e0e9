"""SC-WEAT, the single-category test: one word, or every word of a vocabulary, against two attributes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, InputError, Missing, in_short, join_words, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.copies import Facet, Words, facet
from crossroads.core.inference.crossed import LEVEL, degrees_of_freedom, half_width, tail_probability
from crossroads.core.inference.geometry import Floats, rounding_error, standardised
from crossroads.core.inference.permutation.rows import permutation_blocks
from crossroads.core.inference.permutation.test import MAX_WORK, Alternative, Method, Ties
from crossroads.core.results import NAMED, Result, Row, Stat, read_only, stat
from crossroads.core.results.gathered import (
    check_vectors,
    gather,
    keyed_by_word,
    listed_words,
    overlap_notes,
    titles_of,
    warn_about_words,
)
from crossroads.core.stimuli import StimulusSet
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P
from crossroads.core.wording.table import Table
from crossroads.words.measures.weat import Options, origin

ScMethod = Literal[Method, "none"]
Precision = Literal["auto", "float32", "float64"]
EVERY_WORD = "*"
"""Stands for the whole vocabulary."""

_CHUNK = 1 << 14
_SAFE: dict[type[Any], tuple[float, float]] = {np.float32: (1e-12, 1e12), np.float64: (1e-120, 1e120)}
_OF_S = "of s, over the choice of attribute words"


def _other_words(results: Sequence[ScWeatResult]) -> str:
    tails = ", ".join(dict.fromkeys(phrases.tail(one.alternative) for one in results))
    return f"how often other attribute words would differ so, were there no association, {tails}"


class OtherAttributes(NamedTuple):
    """What holds for other attribute words, by Welch's t test: an entry per word, NaN where there is none."""

    low: NDArray[np.float64]
    """Lower ends of the 95 % intervals of the differences over the choice of attribute words."""
    high: NDArray[np.float64]
    """Upper ends."""
    pvalue: NDArray[np.float64]
    """p-values."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScWeatResult(Result):
    """Association of single words with two attributes; every array has one entry per word."""

    _section: ClassVar[str] = "tests"
    _cites: ClassVar[tuple[str, ...]] = ("caliskan2017semantics",)
    _stem: ClassVar[str] = "sc_weat"
    _figure: ClassVar[str] = "ranking"
    _table_title: ClassVar[str] = "Words between two attributes"
    _most_rows: ClassVar[int] = 20
    _columns: ClassVar[tuple[Stat, ...]] = (
        NAMED,
        stat("word"),
        stat("d", note="effect size: above 0 the word is closer to the first attribute", of="effect_size"),
        stat("s", "s(w, A, B)", "difference of its mean cosines", of="association", digits=4, spare=1),
        stat("ci", "95 % CI", _OF_S, of="low", digits=4, kind="interval", spare=2),
        stat("p", note=_other_words),
        stat("exact_p", note=lambda some: phrases.divisions(one.conventions for one in some), spare=1),
    )

    words: tuple[str, ...]
    """The words measured."""
    effect_size: NDArray[np.float64]
    """Difference of the mean cosines with A and B, in standard deviations of all those cosines."""
    association: NDArray[np.float64]
    """Difference of the mean cosines itself, s(w, A, B)."""
    pvalue: NDArray[np.float64]
    """p-value of permuting the attributes; empty without p-values."""
    pvalue_low: NDArray[np.float64]
    """Lower bounds of the p-values."""
    pvalue_high: NDArray[np.float64]
    """Upper bounds of the p-values."""
    method: str
    """How the p-values were found; ``none`` without p-values."""
    alternative: str
    """Tail of the p-values."""
    min_pvalue: float
    """The smallest p-value that attributes of these sizes can give."""
    attributes: tuple[tuple[str, ...], tuple[str, ...]]
    """The attribute words A and B."""
    titles: Mapping[str, str]
    """What A and B stand for, where they were given as sets with a name."""
    se: NDArray[np.float64]
    """Standard error of the difference over the choice of attribute words; 0 where those of each set have the
    same cosine."""
    df: NDArray[np.float64]
    """Degrees of freedom of the difference (Welch); at most one where A or B has two words."""

    @cached_property
    def crossed(self) -> OtherAttributes:
        """Intervals and p-values of the differences that hold for other attribute words."""
        known, tail = self.se > 0, cast(Alternative, self.alternative)
        se = np.where(known, self.se, np.nan)
        half = half_width(se, self.df, LEVEL)
        pvalue: NDArray[np.float64] = np.full(self.se.shape, np.nan)
        pvalue[known] = tail_probability(self.association[known] / se[known], self.df[known], tail)
        return OtherAttributes(self.association - half, self.association + half, pvalue)

    def _rows(self) -> list[dict[str, Any]]:
        low, high, p = self.crossed
        columns = {"effect_size": self.effect_size, "association": self.association}
        columns |= {"low": low, "high": high, "p": p, "exact_p": self.pvalue}
        none = [None] * len(self.words)
        values = [[None if x != x else x for x in some.tolist()] or none for some in columns.values()]
        return [
            {"word": word, **dict(zip(columns, row, strict=True))}
            for word, *row in zip(self.words, *values, strict=True)
        ]

    def strongest(self, n: int = 10) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The n words closest to A, and the n closest to B, strongest first."""
        order = np.argsort(self.effect_size, kind="stable")
        to_a, to_b = (tuple(self.words[i] for i in some[:n]) for some in (order[::-1], order))
        return to_a, to_b

    @property
    def _label(self) -> str:
        return self._question or "sc-weat"

    @property
    def _question(self) -> str:
        return f"{self.titles['a']} / {self.titles['b']}" if "a" in self.titles else ""

    def _members(self) -> Iterator[Row]:
        """Words from those closest to A to those closest to B."""
        rows = self._rows()
        for i in np.argsort(-self.effect_size, kind="stable").tolist():
            exact = P.of(float(self.pvalue[i]), self.method) if self.pvalue.size else None
            yield {**rows[i], "exact_p": exact}

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        table = super()._tabulate(results)
        return table if len(results) > 1 else table.without(["test"])


def sc_weat(
    emb: Embeddings,
    words: str | Iterable[str],
    a: Iterable[str],
    b: Iterable[str],
    *,
    alternative: Alternative = "two-sided",
    ddof: int = 1,
    ties: Ties = "weak",
    method: ScMethod = "auto",
    seed: int = 0,
    missing: Missing = "raise",
    max_work: float = MAX_WORK,
    precision: Precision = "auto",
    progress: Callable[[int], None] | None = None,
    copies: Words = "effective",
) -> ScWeatResult:
    r"""Measure the association of each word with two attributes.

    .. math::
        d_w = \frac{\operatorname{mean}_{a \in A} \cos(w, a) - \operatorname{mean}_{b \in B} \cos(w, b)}
                   {\operatorname{sd}_{c \in A \cup B} \cos(w, c)}

    ``pvalue`` permutes the attribute labels of the cosines of each word. The intervals and p-values in
    ``crossed`` hold for other attribute words: they are those of Welch's t test, in which near copies, such
    as plurals, count as about one word.

    Parameters
    ----------
    words
        One word, several, or ``"*"`` for the whole vocabulary (rows of zeros are left out). Attribute words
        are not measured: no word is compared with itself.
    a, b
        Attribute words; sets with a name keep it in the result.
    alternative, ddof, ties, seed, missing, max_work
        As in :func:`~crossroads.weat`.
    method
        As in :func:`~crossroads.weat`, or ``"none"`` for effect sizes without p-values.
    precision
        Without p-values: ``"float64"``; ``"float32"``, which halves the time, with an error of about 1e-6; or
        ``"auto"``, float32 for more than 100,000 words stored as float32. With p-values it is float64.
    progress
        Called with the number of words done while p-values are computed.
    copies
        How attribute words count: ``words`` of :func:`~crossroads.weat`.

    Notes
    -----
    Exchanging labels assumes that the cosines of A and of B have the same spread. Where the smaller set has
    the larger spread, ``pvalue`` is too small, and ``crossed.pvalue`` is not.

    References
    ----------
    Caliskan, A., Bryson, J. J., & Narayanan, A. (2017). doi:10.1126/science.aal4230;
    Welch, B. L. (1947). doi:10.1093/biomet/34.1-2.28

    Examples
    --------
    >>> import crossroads as cr
    >>> emb = cr.load("default", words=["nurse", "smith", "he", "him", "she", "her"])
    >>> result = cr.sc_weat(emb, ["nurse", "smith"], ["he", "him"], ["she", "her"])
    >>> dict(zip(result.words, result.effect_size.round(2).tolist(), strict=True))
    {'nurse': -1.72, 'smith': 1.53}
    """
    check_vectors(emb)
    options = Options(alternative, ddof, ties, method, seed, max_work, copies)
    one_of("alternative", alternative, Alternative)
    one_of("ties", ties, Ties)
    one_of("method", method, ScMethod)
    one_of("precision", precision, Precision)
    conventions = {"measure": "sc-weat", **options.conventions(missing)}
    sets, titles = {"a": _as_words("a", a), "b": _as_words("b", b)}, titles_of({"a": a, "b": b})
    least = {"words": 1, "a": 2, "b": 2}
    if isinstance(words, str) and words == EVERY_WORD:
        warn_about_words(sets, titles)
        found = gather(emb, sets, missing=missing, least=least)
        blocks = (emb.vectors[i : i + _CHUNK] for i in range(0, len(emb), _CHUNK))
        keep = np.concatenate([block.any(axis=1) for block in blocks])
        keep[np.concatenate([found.rows["a"], found.rows["b"]])] = False
        rows, labels = np.flatnonzero(keep), tuple(compress(emb.labels, keep))
        among = keyed_by_word({"words": (*found.words["a"], *found.words["b"]), **found.words})
        coverage = replace(found.coverage, notes=overlap_notes(among, titles))
    else:
        sets = {"words": (words,) if isinstance(words, str) else _as_words("words", words), **sets}
        warn_about_words(sets, titles)
        found = gather(emb, sets, missing=missing, least=least, rows_only=("words",))
        labels, rows = found.words["words"], found.rows["words"]
        coverage = replace(found.coverage, used={name: found.words[name] for name in "ab"})
    large = len(labels) > 100_000 and emb.vectors.dtype == np.float32
    single = method == "none" and (precision == "float32" or (precision == "auto" and large))
    attributes, n_a = np.concatenate([found.vectors["a"], found.vectors["b"]]), len(found.words["a"])
    measured = _Measured(*(np.empty(len(labels)) for _ in range(4)))
    centred = attributes - attributes.mean(axis=0)  # keeps the digits of cosines that are nearly equal
    kind, tested = np.float32 if single else np.float64, None
    near = found.near(copies, sets="ab")
    facets = None if near is None else [facet(one) for one in near.copies]
    spread = partial(_from_scores, n_a=n_a, ddof=ddof, facets=facets)
    scored = _scored(emb.vectors, rows, centred, spread, kind, measured, divided=method != "none")
    if method == "none":
        deque(scored, maxlen=0)
    else:
        settings = options.settings(rounding_error(emb.dim))
        tested = permutation_blocks(scored, (len(labels), len(centred)), n_a, progress=progress, **settings)
    bad = np.flatnonzero(~np.isfinite(measured.effect))
    if bad.size:
        none = join_words([repr(labels[i]) for i in bad[:4]], most=3)
        raise EvidenceError(
            f"{none} ({bad.size} in all) has the same cosine with every attribute, or a vector that is not "
            "finite, so there is no effect size.",
            hint="leave these words out, or check the vectors.",
        )
    pvalues: dict[str, Any] = {
        name: read_only(getattr(tested, name) if tested else np.empty(0))
        for name in ("pvalue", "pvalue_low", "pvalue_high")
    }
    return ScWeatResult(
        words=labels,
        effect_size=read_only(measured.effect),
        association=read_only(measured.difference),
        se=read_only(measured.se),
        df=read_only(measured.df),
        **pvalues,
        method=tested.method if tested else "none",
        alternative=alternative,
        min_pvalue=tested.min_pvalue if tested else 1.0,
        attributes=(found.words["a"], found.words["b"]),
        titles={key: words.name for key, words in (("a", a), ("b", b)) if isinstance(words, StimulusSet)},
        **origin(emb, coverage, {**conventions, "precision": "float32" if single else "float64"}),
    )


def _as_words(name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Words of a list that is not empty and has none twice."""
    every = words if isinstance(words, str) or not hasattr(words, "__iter__") else [*words]
    listed = listed_words(name, every)
    if not listed:
        raise InputError(f"{name} is empty.", hint="give at least one word.")
    twice = [word for word, times in Counter(every).items() if times > 1]
    if twice:
        raise InputError(
            f"{name} lists {join_words(map(in_short, twice), most=3)} twice.", hint="list each word once."
        )
    return listed


class _Measured(NamedTuple):
    """What is computed for each word."""

    effect: NDArray[Any]
    difference: NDArray[Any]
    se: NDArray[Any]
    df: NDArray[Any]


def _from_scores(
    scores: NDArray[Any], n_a: int, ddof: int, *, smallest: Any, facets: Sequence[Facet] | None = None
) -> _Measured:
    """Effect sizes, NaN where scores differ by rounding errors only, and Welch's standard errors."""
    n = scores.shape[1]
    sides, sizes = (scores[:, :n_a], scores[:, n_a:]), (n_a, n - n_a)
    means, squares, parts = [], [], []  # parts: variance of each mean
    for side, size in zip(sides, sizes, strict=True):
        mean = side @ np.full(size, 1 / size, dtype=scores.dtype)
        square = np.einsum("ij,ij->i", side, side)
        rest = square - size * mean * mean
        parts.append(np.where(rest <= size * smallest**2, 0.0, rest) / (size * (size - 1.0)))
        means.append(mean)
        squares.append(square)
    free: Sequence[float] = [size - 1 for size in sizes]
    if facets is not None:
        ratios = [one.factor * size * (size - 1) for one, size in zip(facets, sizes, strict=True)]
        parts = [part * max(1.0, ratio) for part, ratio in zip(parts, ratios, strict=True)]
        free = [one.free for one in facets]
    variance = parts[0] + parts[1]
    df = np.where(variance > 0, degrees_of_freedom(parts, free, variance), n - 2.0)
    difference, whole = means[0] - means[1], squares[0] + squares[1]
    effect = standardised(difference, whole / (n - ddof), flat=whole <= n * smallest**2)
    return _Measured(effect.astype(scores.dtype), difference, np.sqrt(variance), df)


def _scored(
    vectors: NDArray[Any],
    rows: NDArray[np.intp],
    attributes: Floats,
    spread: Callable[..., _Measured],
    kind: type[Any],
    measured: _Measured,
    *,
    divided: bool,
) -> Iterator[NDArray[Any]]:
    """Centred cosines, times the length of the word if not ``divided``, by blocks; fills in ``measured``."""
    columns: NDArray[Any] = np.ascontiguousarray(attributes.T, dtype=kind)
    error = rounding_error(vectors.shape[1]) * float(np.finfo(kind).eps / np.finfo(np.float64).eps)
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, min(start + _CHUNK, len(rows)))
        chunk: NDArray[Any] = np.asarray(vectors[rows[part]], dtype=kind)
        with np.errstate(over="ignore", under="ignore"):
            lengths: Any = np.sqrt(np.einsum("ij,ij->i", chunk, chunk))
        odd = ~((lengths > _SAFE[kind][0]) & (lengths < _SAFE[kind][1]))
        if odd.any():  # squares overflow or underflow: scale these rows, which changes no cosine
            chunk = chunk.copy()
            chunk[odd] /= np.abs(chunk[odd]).max(axis=1, keepdims=True)
            lengths = np.sqrt(np.einsum("ij,ij->i", chunk, chunk))
        scores = chunk @ columns
        if divided:
            scores, lengths = scores / lengths[:, None], 1.0
        found = spread(scores, smallest=error * lengths)
        measured.effect[part], measured.df[part] = found.effect, found.df
        measured.difference[part], measured.se[part] = found.difference / lengths, found.se / lengths
        yield scores

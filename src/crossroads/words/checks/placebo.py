"""Placebo tests: the same test with groups of words that have nothing to do with the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, Missing
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.embeddings import scattered
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.crossed import crossed, spread
from crossroads.core.inference.detection import exact_interval
from crossroads.core.inference.geometry import Floats, rounding_error, unit
from crossroads.core.inference.options import whole
from crossroads.core.results import QUESTION, TEST, Result, Stat, label_for, read_only, stat
from crossroads.core.results.checks import TOPICS, Check
from crossroads.core.results.gathered import check_inputs, gather, titles_of
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import counted, percent
from crossroads.words.measures.weat import CheckOfTest, origin

POOL = 20_000
"""Most words of a pool, and the rarest rank of one whose words are ranked."""
LEAST_POOL, _LEAST_PER_WORD = 1_000, 10
"""How many words a pool must have, and how many for each word of the test."""
_AT_A_TIME, _ROWS = 64, 256
"""Placebos, and rows of a table of nearest words, that are computed together."""
_MANY = 6
"""Tests from which on nearly every word is drawn by one of them."""
_SPARE = 60
"""Nearest words that are found beyond those that a test takes, since some may be its own."""
_LEVEL = 0.05
_TOPIC, _TESTS, _COMMON = 100, 20, 6_000
"""Words of a topic out of 20,000, in how many tests each topic is, and of how many common words they are."""

Rows = NDArray[np.intp]
_DEALT = "weaker tests of arbitrary topics with attribute words dealt at random"
_AS_STRONG = "at least as strong among these, two-sided"
_TOPICS = "weaker tests whose attributes are arbitrary topics too: a description, not a test"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlaceboResult(CheckOfTest):
    """How strong a test is among tests on groups of words that have nothing to do with its question."""

    _stem: ClassVar[str] = "placebos"
    _figure: ClassVar[str] = "placebo_plot"
    _cites: ClassVar[tuple[str, ...]] = ("clopper1934use",)
    _label_format: ClassVar[str] = "{design} placebo"
    _table_title: ClassVar[str] = "Among tests of arbitrary topics"
    _long_table: ClassVar[tuple[str, str, str]] = ("placebo", "statistics.size", "")
    _file_names: ClassVar[str] = (
        "design statistic percentile placebo_p=pvalue placebo_p_low=pvalue_low placebo_p_high=pvalue_high "
        "p=crossed_pvalue agrees topic_percentile draws=statistics.size pool n=sizes coherence"
    )
    # under a name of its own, since tests have p-values
    _rule_names: ClassVar[Mapping[str, str]] = {"placebo": "placebo_p=pvalue percentile topic_percentile"}
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        QUESTION,
        stat("t", note="difference in standard errors over the choice of all words", of="statistic"),
        stat("dealt", note=_DEALT, of="percentile", kind="share"),
        stat("placebo_p", "placebo p", _AS_STRONG, of="pvalue", kind="estimate"),
        stat("p", note="the same by the distribution of t", of="crossed_pvalue", spare=2),
        stat("topics", note=_TOPICS, of="topic_percentile", kind="share"),
        stat("pool", note="words drawn from", kind="count", spare=3),
    )

    statistic: float
    """t of the test: its difference of mean cosines in standard errors over the choice of all words."""
    statistics: NDArray[np.float64]
    """t of each placebo test with dealt attributes."""
    topic_statistics: NDArray[np.float64]
    """t of each placebo test whose attributes are topics too; the targets are those of ``statistics``."""
    percentile: float
    """Share of ``statistics`` that are smaller than that of the test, signs ignored; equal ones are not."""
    topic_percentile: float
    """The same share of ``topic_statistics``: a description, not a test."""
    pvalue: float
    """How often dealt attributes give a t at least as large, two-sided: (1 + count) / (1 + draws)."""
    pvalue_low: float
    """Lower end of the 95 % interval of that share, for the number of draws (Clopper and Pearson)."""
    pvalue_high: float
    """Upper end."""
    crossed_pvalue: float
    """The two-sided p-value of the same t from its t distribution."""
    agrees: bool
    """Whether both p-values are on one side of .05; so too where the interval of the first holds .05."""
    sizes: Mapping[str, int]
    """Number of words of each set, in the test and in every placebo."""
    pool: int
    """Number of words that placebos were drawn from."""
    coherence: Mapping[str, float]
    """Mean cosine of two words of one target set, in the ``test`` and on average in ``placebos``."""

    @property
    def _among_topics(self) -> str:
        share = percent(self.topic_percentile)
        return f"stronger than {share} of associations between arbitrary topics in this model"

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        """Tests whose two p-values lead to different answers."""
        if apart := [one.design for one in results.values() if not one.agrees]:
            yield f"Both p differ about .05, and the placebos are believed: {', '.join(apart)}."

    def _check(self) -> Check:
        method = counted(self.topic_statistics.size, "placebo test")
        found = Check(asks=TOPICS, answer=None, value=self.topic_percentile, sign="≈", method=method)
        if self.agrees or self.crossed_pvalue >= _LEVEL:
            return found
        again = f"{percent(self.pvalue)} of placebo tests with attributes dealt at random have such a t"
        return replace(found, reason=again)


placebo_name = partial(label_for, PlaceboResult)
"""Name of the placebo tests of a test, such as ``weat6 placebo``."""


def placebo(
    emb: Embeddings, design: Design, *, draws: int = 1000, seed: int = 0, missing: Missing = "raise"
) -> PlaceboResult:
    r"""How strong a test is among tests on groups of words that have nothing to do with its question.

    A placebo has sets of the same sizes, out of a pool of other words of the model. Its target sets are
    topics: the words nearest to a word drawn at random. Its attributes are either words drawn at random and
    dealt into A and B, so that every finding is a false one; or topics as well. What is compared is t, the
    difference of mean cosines in standard errors over the choice of all words (``WeatResult.crossed``), since
    the effect size d of coherent targets is large whatever the attributes.

    Dealt attributes check the p-value of t within the model itself; where the two disagree, believe the
    placebos. Topics as attributes describe: an association that is stronger than 54 % of those between
    arbitrary topics is an ordinary one, which is no reason to dismiss it.

    Parameters
    ----------
    emb, design, missing
        As in :func:`~crossroads.weat`. The pool is ``emb.pool``: vectors of a whole vocabulary are their own,
        and ``cr.load(path, words=…, pool=20_000)`` also loads one. Where ``emb`` was loaded without a pool,
        its file is read again.

    Notes
    -----
    Words of the design are left out of the pool, and so are labels without a letter and words whose vector
    another word has already. Of words with ranks the 20,000 most frequent take part, of others at most
    20,000, drawn at random. The sets of a placebo share no word: where two topics overlap, the later set
    takes the next nearest words. :func:`~crossroads.frequency` asks about frequency.

    References
    ----------
    Clopper, C. J., & Pearson, E. S. (1934). doi:10.1093/biomet/26.4.404

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat6")
    >>> emb = cr.load("default", words=design.words, pool=20_000)
    >>> found = cr.placebo(emb, design, draws=200)
    >>> found.pvalue < 0.05, 0 <= found.topic_percentile <= 1
    (True, True)
    """
    return placebo_among(OtherWords(emb), design, draws=draws, seed=seed, missing=missing)


def placebo_among(
    others: OtherWords, design: Design, *, draws: int = 1000, seed: int = 0, missing: Missing = "raise"
) -> PlaceboResult:
    """The same, among other words that several tests may share."""
    whole("draws", draws, least=1, hint="draw at least one placebo; 1,000 is usual.")
    rng, emb = generator(seed), others.emb
    check_inputs(design, emb)
    sets = design.sets
    found = gather(emb, sets, missing=missing, least=dict.fromkeys(sets, 1), design=design.name)
    sizes = {key: len(words) for key, words in found.words.items()}
    options: dict[str, Any] = {"alternative": "two-sided", "score_error": rounding_error(emb.dim)}
    own = crossed(found.cosines(), sizes["x"], sizes["a"], exchange=False, **options)
    if own.statistic is None or own.pvalue is None:
        raise EvidenceError(
            f"the test of {design.name!r} has no t to compare with: {own.reason}.",
            hint="give at least two words per set.",
        )
    among = others.without(design, sum(sizes.values()), rng)
    statistics, topics, coherence = _draw(among, sizes, draws, rng)
    size = abs(own.statistic)
    at_least = int((np.abs(statistics) >= size).sum())
    low, high = exact_interval(at_least, draws, 0.95)
    said = {"statistic": "t with targets and attributes drawn", "targets": "nearest words of a random word"}
    conventions = {"measure": "placebo", "placebo tests": draws, **said, "seed": seed, "missing": missing}
    return PlaceboResult(
        design=design.name,
        statistic=own.statistic,
        statistics=read_only(statistics),
        topic_statistics=read_only(topics),
        percentile=float((np.abs(statistics) < size).mean()),
        topic_percentile=float((np.abs(topics) < size).mean()),
        pvalue=(1 + at_least) / (1 + draws),
        pvalue_low=low,
        pvalue_high=high,
        crossed_pvalue=own.pvalue,
        agrees=low <= _LEVEL <= high or (own.pvalue < _LEVEL) == (high < _LEVEL),
        sizes=sizes,
        pool=len(among.rows),
        coherence={"test": _coherence([v for k, v in found.vectors.items() if k in "xy"]), **coherence},
        titles=titles_of(sets),
        **origin(emb, found.coverage, conventions),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OrdinaryResult(Result):
    """How large an association usually is in a model: the unit of Δ."""

    _section: ClassVar[str] = "tests"
    _stem: ClassVar[str] = "ordinary"
    _printed: ClassVar[bool] = False
    _label_format: ClassVar[str] = "ordinary association"
    _table_title: ClassVar[str] = "The ordinary association"
    _long_table: ClassVar[tuple[str, str, str]] = ("ordinary", "tests", "")
    _file_names: ClassVar[str] = "margin tests topics words pool"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("margin", "Δ", phrases.ORDINARY, digits=3),
        stat("tests", kind="count"),
        stat("topics", note="the nearest words of a random one each", kind="count"),
        stat("words", "words", "of each topic", kind="count"),
        stat("pool", note="words drawn from", kind="count"),
    )

    margin: float
    """Median size of the difference of mean cosines Δ."""
    tests: int
    """Number of tests, each of four topics."""
    topics: int
    """Number of topics that they were drawn from."""
    words: int
    """Number of words of each topic."""
    pool: int
    """Number of words that topics were drawn from."""

    @property
    def _ordinary(self) -> float:
        return self.margin


def ordinary(emb: Embeddings, *, draws: int = 1000, seed: int = 0) -> OrdinaryResult:
    r"""How large Δ usually is in a model: the median of tests whose four sets are topics.

    .. math:: m = \operatorname{median}\,
        \bigl|(\bar x - \bar y) \cdot (\bar a - \bar b)\bigr|

    with :math:`\bar x` the mean unit vector of a topic: the 100 nearest words of a random one of the 20,000
    commonest, or as many fewer as the pool has fewer words. It is the unit of Δ, in which models with even
    and uneven spaces can be compared, and what a difference has to be below to count as *no* difference in
    :func:`~crossroads.checks`.

    Parameters
    ----------
    emb
        Vectors with a pool, as in :func:`~crossroads.placebo`. Where words have ranks, 6,000 of the 20,000
        commonest are taken, the same ones whatever else was loaded.
    draws
        Number of topics. Each is in twenty tests.

    Examples
    --------
    >>> import crossroads as cr
    >>> found = cr.stats.ordinary(cr.load("default", words=["rose"], pool=20_000))
    >>> round(found.margin, 2)
    0.09
    """
    return ordinary_among(OtherWords(emb), draws=draws, seed=seed)


def ordinary_among(others: OtherWords, *, draws: int = 1000, seed: int = 0) -> OrdinaryResult:
    """The same, among other words that placebo tests may share."""
    whole("draws", draws, least=4, hint="draw at least four topics; 1,000 is usual.")
    rng, vectors = generator(seed), others.common()
    n = len(vectors)
    if n < LEAST_POOL:
        raise EvidenceError(
            f"there are {n:,} other words to draw topics from, and it takes {LEAST_POOL:,}.",
            hint="give vectors of a whole vocabulary, or cr.load(path, words=..., pool=20_000).",
        )
    words, draws = max(1, round(_TOPIC * n / POOL)), min(draws, n)
    among, centres = Among(vectors, np.arange(n), None), rng.choice(n, draws, replace=False)
    parts = (centres[start : start + _ROWS] for start in range(0, draws, _ROWS))
    means = np.concatenate([vectors[among.near(some, words)].mean(axis=1) for some in parts])
    fours = np.stack([rng.permutation(draws)[: draws // 4 * 4] for _ in range(_TESTS)]).reshape(-1, 4)
    x, y, a, b = means[fours.T]
    emb = others.emb
    return OrdinaryResult(
        margin=float(np.median(np.abs(np.einsum("td,td->t", x - y, a - b)))),
        tests=len(fours),
        topics=draws,
        words=words,
        pool=n,
        conventions={"measure": "ordinary", "topics": draws, "tests of each topic": _TESTS, "seed": seed},
        provenance=(emb.provenance,),
    )


class OtherWords:
    """Words that placebo tests are drawn from, with their nearest words where many ``designs`` share them."""

    def __init__(self, emb: Embeddings, designs: Sequence[Design] = ()) -> None:
        sizes = [sum(map(len, design.sets.values())) for design in designs]
        self._most = max(sizes) if len(sizes) >= _MANY else None
        self.emb, self._lock = emb, Lock()

    @cached_property
    def _words(self) -> tuple[list[str], Rows, Floats]:
        """Words without case, common ones where ranks are known; numbers of their vectors; unit vectors."""
        pool = self.emb.others(POOL)
        if pool is None:
            raise EvidenceError(
                f"there are no other words of {self.emb.provenance.source} to draw placebo tests from.",
                hint="load some: cr.load(path, words=..., pool=20_000), or give them: emb.with_pool(...).",
            )
        ranks, labels = pool.ranks, pool.labels
        common = [
            row
            for row, label in enumerate(labels)
            if (ranks is None or ranks[label] <= POOL) and any(map(str.isalpha, label))
        ]
        vectors = np.asarray(pool.vectors[common])
        measurable = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
        folded = [labels[common[at]].casefold() for at in np.flatnonzero(measurable)]
        vectors, numbers = vectors[measurable], dict[bytes, int]()
        same = [numbers.setdefault(vector.tobytes(), len(numbers)) for vector in vectors]
        return folded, np.array(same, np.intp), unit(vectors)

    def common(self) -> Floats:
        """Unit vectors of common words: the same whatever else was loaded, where ranks are known."""
        pool = self.emb.others(POOL)
        if pool is None or pool.ranks is None:
            _, same, vectors = self._words
            return vectors[np.unique(same)]
        sources = [one for one in (pool, self.emb) if one.ranks is not None]
        ranks = [np.fromiter((one.ranks or {}).values(), np.int64, len(one)) for one in sources]
        chosen = [
            [row for row in np.flatnonzero(some <= POOL).tolist() if one.labels[row].isalpha()]
            for one, some in zip(sources, ranks, strict=True)
        ]
        places = np.concatenate([some[rows] for some, rows in zip(ranks, chosen, strict=True)])
        found = np.concatenate([one.vectors[rows] for one, rows in zip(sources, chosen, strict=True)])
        places, rows = np.unique(places, return_index=True)
        usable = np.isfinite(found[rows]).all(axis=1) & found[rows].any(axis=1)
        places, rows = places[usable], rows[usable]
        least = np.sort(np.argsort(scattered(places) * places, kind="stable")[:_COMMON])
        return unit(found[rows[least]])

    def without(self, design: Design, words: int, rng: np.random.Generator) -> Among:
        """Words that are not of a test of ``words`` words, each vector once, and no more than needed."""
        with self._lock:
            labels, same, vectors = self._words
        matches = (self.emb.find(word) for word in design.words)
        own = {word.casefold() for word in design.words}
        own |= {match.label.casefold() for match in matches if match is not None}
        free = np.array([row for row, label in enumerate(labels) if label not in own], np.intp)
        rows = free[np.sort(np.unique(same[free], return_index=True)[1])]
        least = max(LEAST_POOL, _LEAST_PER_WORD * words)
        if len(rows) < least:
            raise EvidenceError(
                f"there are {len(rows):,} other words to draw placebo tests of {design.name!r} from, and "
                f"{words} words a test take at least {least:,}.",
                hint="give vectors of a whole vocabulary, or cr.load(path, words=..., pool=20_000).",
            )
        if len(rows) > POOL:
            rows = rows[np.sort(rng.choice(len(rows), POOL, replace=False))]
        if self._most is None or len(labels) > POOL:
            return Among(vectors[rows], np.arange(len(rows)), None)
        with self._lock:
            return Among(vectors, rows, self._nearest)

    @cached_property
    def _nearest(self) -> NDArray[np.int32]:
        vectors = self._words[2]
        k = min((self._most or 0) + _SPARE, len(vectors))
        among = Among(vectors, np.arange(len(vectors)), None)
        parts = (among.rows[at : at + _ROWS] for at in range(0, len(vectors), _ROWS))
        return np.concatenate([among.near(part, k).astype(np.int32) for part in parts])


class Among:
    """Rows that placebos of one test are drawn from; ``table`` has the nearest rows of each, if known."""

    def __init__(self, vectors: Floats, rows: Rows, table: NDArray[np.int32] | None) -> None:
        self.vectors, self.rows, self._table = vectors, rows, table
        self._product = np.empty((0, len(rows)), np.float32)

    @cached_property
    def _small(self) -> NDArray[np.float32]:
        return self.vectors[self.rows].astype(np.float32)

    def near(self, centres: Rows, k: int) -> Rows:
        """The k nearest rows of each of some rows, the nearest first."""
        if self._table is None:
            return self._found(centres, k)
        free = np.zeros(len(self.vectors), dtype=bool)
        free[self.rows] = True
        near = self._table[centres].astype(np.intp)
        known = free[near]
        near = np.take_along_axis(near, np.argsort(~known, axis=1, kind="stable")[:, :k], axis=1)
        short = known.sum(axis=1) < k
        if short.any():
            near[short] = self._found(centres[short], k)
        return near

    def _found(self, centres: Rows, k: int) -> Rows:
        if len(self._product) < len(centres):  # new memory costs more than the product
            self._product = np.empty((len(centres), len(self.rows)), np.float32)
        product = self._product[: len(centres)]
        np.matmul(self.vectors[centres].astype(np.float32), self._small.T, out=product)
        return self.rows[nearest(product, k)]


def _draw(
    among: Among, sizes: Mapping[str, int], draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats, dict[str, float]]:
    """T of placebos with dealt attributes and with topics, and how coherent their targets are."""
    vectors, n, words, kinds = among.vectors, len(among.rows), sum(sizes.values()), len(sizes)
    centres, others = (
        among.rows[np.stack([rng.choice(n, size, replace=False) for _ in range(draws)])]
        for size in (kinds, words)
    )
    t: dict[str, list[Floats]] = {"dealt": [], "topics": []}
    coherent = []
    target_keys = [key for key in ("x", "y") if key in sizes]
    for start in range(0, draws, _AT_A_TIME):
        part = slice(start, start + _AT_A_TIME)
        near = among.near(centres[part].ravel(), words).reshape(-1, kinds, words)
        topics: list[Rows] = []
        for at, key in enumerate((*target_keys, "a", "b")):
            topics.append(_others(near[:, at], topics, sizes[key]))
        targets = topics[: len(target_keys)]
        attributes = {
            "dealt": _others(others[part], targets, sizes["a"] + sizes["b"]),
            "topics": np.concatenate(topics[len(targets) :], axis=1),
        }
        rows = vectors[np.concatenate(targets, axis=1)]
        for kind, columns in attributes.items():
            found = spread(rows @ vectors[columns].transpose(0, 2, 1), sizes["x"], sizes["a"])
            if not (found.total > 0).all():
                message = "words of a placebo do not differ, so it has no t."
                raise EvidenceError(message, hint="check that the vectors differ.")
            t[kind].append(found.difference / np.sqrt(found.total))
        coherent.append(_coherence([vectors[one] for one in targets]) * len(rows))
    return np.concatenate(t["dealt"]), np.concatenate(t["topics"]), {"placebos": sum(coherent) / draws}


def nearest(similarities: NDArray[Any], k: int) -> Rows:
    """Columns of the k largest values of each row, the largest first.

    Only values are sorted that reach the k-th largest of the maxima of blocks of columns, which are few.
    """
    rows, n = similarities.shape
    blocks = max(4 * k, 256)
    across = n // blocks
    tops = similarities
    if across > 1:
        tops = similarities[:, : across * blocks].reshape(rows, across, blocks).max(axis=1)
    least = np.partition(tops, tops.shape[1] - k, axis=1)[:, tops.shape[1] - k]
    row, column = np.divmod(np.flatnonzero(similarities >= least[:, None]), n)
    order = np.lexsort((-similarities[row, column], row))
    first = np.searchsorted(row, np.arange(rows))
    return np.asarray(column[order][first[:, None] + np.arange(k)])


def _others(candidates: Rows, taken: Sequence[Rows], n: int) -> Rows:
    """The first n candidates of each row that no other set has."""
    fresh = np.ones(candidates.shape, dtype=bool)
    for some in taken:
        fresh &= ~(candidates[:, :, None] == some[:, None, :]).any(axis=2)
    order = np.argsort(~fresh, axis=1, kind="stable")[:, :n]
    return np.take_along_axis(candidates, order, axis=1)


def _coherence(sets: Sequence[Floats]) -> float:
    """Mean cosine of two words of one set of unit vectors, over sets; first axes: several of each."""
    found = []
    for one in sets:
        n = one.shape[-2]
        if n > 1:
            total = one.sum(axis=-2)
            found.append((np.einsum("...i,...i->...", total, total) - n) / (n * (n - 1)))
    return float(np.mean(found)) if found else 1.0

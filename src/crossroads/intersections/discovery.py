"""Thresholds and discoveries that control an error rate, by assigning names to groups at random."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import Missing, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.detection import plug_in_qvalues
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.options import seed_of, share, switch, whole
from crossroads.core.results import Result, Row, Stat, read_only, stat
from crossroads.core.stimuli import Groups
from crossroads.core.wording.numbers import percent
from crossroads.core.wording.table import Table
from crossroads.intersections.wefat import Candidates, look_up
from crossroads.words.measures.sc_weat import EVERY_WORD
from crossroads.words.measures.weat import check_ddof

Control = Literal["word", "family"]
Null = Literal["auto", "empirical", "exchange"]
FEWEST = 200
"""Candidates from which the null distribution is fitted to their scores by default."""
_FITTED = 100_000
_QUARTILES = 2 * NormalDist().inv_cdf(0.75)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DiscoveryResult(Result):
    """The words of a vocabulary that a group is associated with, with their false-discovery rates."""

    _section: ClassVar[str] = "intersections"
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting", "tusher2001significance")
    _stem: ClassVar[str] = "discoveries"
    _figure: ClassVar[str] = "discoveries"
    _most_rows: ClassVar[int] = 20
    _file_names: ClassVar[str] = "word score z qvalue"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("group", several=True),
        stat("word"),
        stat("score"),
        stat("z", note="beyond the middle of all candidates, in their spread", spare=1),
        stat("q", note="smallest false-discovery rate at which the word is found", of="qvalue", kind="p"),
    )

    target: str
    """The group."""
    _kind: str
    """``ibd``: any pair; ``eibd``: every pair, beyond what the constituents explain."""
    words: tuple[str, ...]
    """Words with a q-value up to the requested rate, strongest first."""
    scores: NDArray[np.float64]
    """Their scores."""
    qvalues: NDArray[np.float64]
    """Expected share of false discoveries among them and everything stronger."""
    fdr: float
    """The rate requested."""
    candidates: int
    """Number of candidate words."""
    _permutations: int
    """Number of random assignments of names to groups."""
    z: NDArray[np.float64]
    """What words are ordered by: the difference of mean cosines with each pair, from the middle of all
    candidates, in their spread. Empty where the null distribution is that of exchanging names alone."""

    def _members(self) -> Iterator[Row]:
        z = self.z.tolist() or [None] * len(self.words)
        for row in zip(self.words, self.scores.tolist(), z, self.qvalues.tolist(), strict=True):
            yield dict(zip(("group", "word", "score", "z", "qvalue"), (self.target, *row), strict=True))

    @property
    def _label(self) -> str:
        return f"{self.target} {self._kind.upper()} discovery"

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        titles = (
            f"{one.target}, {one._kind.upper()}: {len(one.words):,} of {one.candidates:,} words at a "
            f"false-discovery rate of {percent(one.fdr)}"
            for one in results.values()
        )
        return replace(super()._tabulate(results), title="; ".join(titles))


def null_threshold(
    emb: Embeddings,
    groups: Groups | Mapping[Any, Any],
    words: str | Iterable[str],
    target: str | Iterable[str],
    *,
    alpha: float = 0.05,
    control: Control = "word",
    draws: int = 200,
    ddof: int = 1,
    seed: int = 0,
    missing: Missing = "raise",
    null: Null = "auto",
) -> float:
    """Find the IBD threshold that words without any association exceed at a given rate.

    Names are assigned to the groups at random, keeping group sizes, and the largest score of each word over
    all pairs is collected, after differences of mean cosines were moved to the middle and the spread of
    those observed, and divided by the standard deviations of words drawn at random.

    Parameters
    ----------
    emb, groups, words, target, ddof, missing
        As in :func:`~crossroads.wefat`.
    alpha
        The error rate.
    control
        ``"word"``: the rate at which a word exceeds the threshold. ``"family"``: that at which any word does.
    draws, seed, null
        As in :func:`discover`. For a list of fewer than 200 words, find the threshold with ``words="*"``.

    Examples
    --------
    >>> import crossroads as cr
    >>> groups, words = cr.catalog("ceat-groups"), cr.catalog("ceat-validation").all_words
    >>> emb = cr.load("default")
    >>> round(cr.stats.null_threshold(emb, groups, words, "AF", missing="drop", draws=50), 1)
    0.9
    """
    one_of("control", control, Control)
    share("alpha", alpha, hint="give a rate between 0 and 1.")
    candidates = look_up(emb, groups, target, words, missing)
    scorer = _Scorer(candidates, null, draws, seed, ddof, relative=False)
    drawn = np.empty((draws, 1 if control == "family" else len(candidates.rows)), dtype=np.float32)
    observed, (rng,) = scorer.differences(), generator(seed).spawn(1)
    (middle, spread), within = _bulk(observed), scorer.within(observed)
    for draw, member in zip(drawn, scorer.shuffled(), strict=True):
        if scorer.empirical:
            moved = middle + spread * _standard(scorer.differences(member))
            others = within[:, rng.permutation(within.shape[1])]
            scores = moved / np.sqrt(others + (moved / scorer.limits) ** 2)
        else:
            scores = scorer.scores(member)
        largest = scorer.top(scores)
        draw[:] = largest.max() if control == "family" else largest
    return float(np.quantile(drawn, 1 - alpha, overwrite_input=True))


def discover(
    emb: Embeddings,
    groups: Groups | Mapping[Any, Any],
    target: str | Iterable[str],
    *,
    words: str | Iterable[str] = EVERY_WORD,
    emergent: bool = False,
    relative: bool = True,
    fdr: float = 0.05,
    draws: int = 100,
    ddof: int = 1,
    seed: int = 0,
    missing: Missing = "raise",
    null: Null = "auto",
    progress: Callable[[int], None] | None = None,
) -> DiscoveryResult:
    """Find the words of a whole vocabulary that a group is associated with.

    The score of a word is its largest WEFAT score over all pairs. For ``emergent`` words it is the
    smallest score over all pairs, minus the smallest constituent score where that is positive: the word must
    be closer to the group than to *every* other one, and by more than the constituents explain. The
    false-discovery rate of a score is the number of words that reach it when names are assigned to groups at
    random, over the number that do reach it. With an empirical null distribution, words are ordered by
    differences of mean cosines instead of scores, taken from the median of all candidates in units of their
    interquartile range, for the observed names and for every random assignment alike: where a group is
    closer to all words, no word is found for that.

    Parameters
    ----------
    emb, groups, target, ddof, missing
        As in :func:`~crossroads.wefat`.
    words
        Candidates; ``"*"`` is the whole vocabulary without the names.
    emergent
        Find words of the intersection, not of its parts: EIBD instead of IBD.
    relative
        Measure each name's cosines from its mean cosine with all candidates: rare names are close to all.
    fdr
        Words up to this rate are returned.
    draws, seed
        Number of random assignments of names, and the seed.
    null
        ``"empirical"``, as above; ``"exchange"``: any word with a difference between the names counts as a
        true discovery, whatever its meaning; ``"auto"``: empirical from 200 candidates on, which should then
        not be chosen for the group.
    progress
        Called with the number of draws done.

    References
    ----------
    Tusher, V. G., Tibshirani, R., & Chu, G. (2001), for the rate. doi:10.1073/pnas.091062498;
    Efron, B. (2004), for the empirical null. doi:10.1198/016214504000000089

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> words = "Aisha Ebony Darnell Tyrone Amy Katie Brad Frank strong loud kind proud".split()
    >>> emb = cr.Embeddings(words, np.random.default_rng(1).normal(size=(12, 9)))
    >>> black = {"female": words[:2], "male": words[2:4]}
    >>> groups = {"Black": black, "White": {"female": words[4:6], "male": words[6:8]}}
    >>> result = cr.discover(emb, groups, ("Black", "female"), fdr=0.9, draws=20)
    >>> result.words
    ('proud', 'kind')
    """
    share("fdr", fdr, hint="give a rate between 0 and 1.")
    switch("emergent", emergent)
    switch("relative", relative)
    candidates = look_up(emb, groups, target, words, missing)
    scorer = _Scorer(candidates, null, draws, seed, ddof, relative=relative)
    score, empirical = scorer.beyond if emergent else scorer.top, scorer.empirical

    def compared(member: Floats | None = None) -> Floats:
        """What words are ordered by."""
        return score(_standard(scorer.differences(member)) if empirical else scorer.scores(member))

    observed = compared()
    order = np.argsort(observed, kind="stable")
    ascending, exceeding = observed[order], np.zeros(observed.size)
    for done, member in enumerate(scorer.shuffled(), start=1):
        chance = np.sort(compared(member))
        exceeding += chance.size - np.searchsorted(chance, ascending)
        if progress is not None:
            progress(done)
    descending = order[::-1]
    q = plug_in_qvalues(observed[descending], exceeding[::-1] / draws + 1 / draws)
    found = int((q <= fdr).sum())
    strongest = descending[:found]
    return DiscoveryResult(
        target=candidates.group,
        _kind="eibd" if emergent else "ibd",
        words=tuple(candidates.words[i] for i in strongest),
        scores=read_only(score(scorer.scores())[strongest].astype(np.float64)),
        z=read_only(observed[strongest].astype(np.float64) if empirical else np.empty(0)),
        qvalues=read_only(q[:found]),
        fdr=fdr,
        candidates=len(candidates.words),
        _permutations=draws,
        coverage=candidates.coverage,
        conventions={
            "measure": "discover",
            "emergent": emergent,
            "relative": relative,
            "null": "empirical" if empirical else "exchange",
            "ordered by": "differences of mean cosines" if empirical else "scores",
            "draws": draws,
            "ddof": ddof,
            "missing": missing,
            "seed": seed,
        },
        provenance=(emb.provenance,),
    )


def _bulk(scores: Floats) -> tuple[Floats, Floats]:
    """Middle and spread of the scores of all words with each contrast, as columns: from their quartiles."""
    every = max(1, scores.shape[1] // _FITTED)
    low, middle, high = np.quantile(scores[:, ::every], [0.25, 0.5, 0.75], axis=1).astype(scores.dtype)
    spread = (high - low) / scores.dtype.type(_QUARTILES)
    return middle[:, None], np.where(spread > 0, spread, 1)[:, None]


def _standard(scores: Floats) -> Floats:
    """Scores from their middle, in their spread."""
    middle, spread = _bulk(scores)
    return np.asarray((scores - middle) / spread)


class _Scorer:
    """Scores of candidates for the observed names of each group, and for names assigned at random."""

    def __init__(
        self, candidates: Candidates, null: Null, draws: int, seed: int, ddof: int, *, relative: bool
    ) -> None:
        one_of("null", null, Null)
        check_ddof(ddof)
        self.candidates, self.ddof, self.seed = candidates, ddof, seed_of(seed)
        self.draws = whole("draws", draws, least=1, hint="give at least one; 100 is usual.")
        self.empirical = null == "empirical" or (null == "auto" and len(candidates.rows) >= FEWEST)
        member = candidates.member
        self.cosines = np.empty((len(candidates.rows), len(member)), dtype=np.float32)
        for part, chunk in candidates.cosines():
            self.cosines[part] = chunk
        if relative:
            self.cosines -= self.cosines.mean(axis=0, dtype=np.float64).astype(np.float32)
            self.cosines -= self.cosines.mean(axis=1, keepdims=True)  # which changes no contrast
        self.squares = self.cosines * self.cosines
        sizes = [[member[:, side].sum() for side in sides] for sides in candidates.sides]
        limits = np.sqrt([(n + m - ddof) * (n + m) / (n * m) for n, m in sizes])
        self.limits = limits.astype(np.float32)[:, None]  # the largest effect size of each contrast

    def scores(self, member: Floats | None = None) -> Floats:
        """Scores of all words with every contrast; 0 where a word is equally close to all names."""
        member = self.candidates.member if member is None else member
        single = member.astype(np.float32)
        scores = self.candidates.scores(self.cosines @ single, self.squares @ single, member, self.ddof)
        return np.nan_to_num(scores, copy=False, nan=0.0)

    def differences(self, member: Floats | None = None) -> Floats:
        """Differences of mean cosines of all words with every contrast."""
        member = self.candidates.member if member is None else member
        return self.candidates.differences(self.cosines @ member.astype(np.float32), member)

    def within(self, differences: Floats) -> Floats:
        """What the squared difference over the limit is added to for the variance of all cosines."""
        scores = self.scores()  # 0 where a word is equally close to all names
        whole = np.divide(differences, scores, out=np.full_like(scores, np.inf), where=scores != 0)
        return np.asarray(whole**2 * np.maximum(1 - (scores / self.limits) ** 2, np.float32(1e-6)))

    def shuffled(self) -> Iterator[Floats]:
        """Which name belongs to which group, for names assigned at random."""
        rng, member = generator(self.seed), self.candidates.member
        return (member[rng.permutation(len(member))] for _ in range(self.draws))

    def top(self, scores: Floats) -> Floats:
        """Largest score over the pairs of the group."""
        return np.asarray(scores[: len(self.candidates.pairs)].max(axis=0))

    def beyond(self, scores: Floats) -> Floats:
        """Smallest pair score, minus the smallest constituent score where that is positive."""
        pairs = len(self.candidates.pairs)
        return np.asarray(scores[:pairs].min(axis=0) - np.maximum(scores[pairs:].min(axis=0), 0.0))

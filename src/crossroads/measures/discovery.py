"""Thresholds and discoveries that hold an error rate, by giving the names to groups at random."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import one_of
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats
from crossroads.inference.bootstrap import generator
from crossroads.inference.detection import plug_in_qvalues
from crossroads.inference.options import seed_of, share, switch, whole
from crossroads.measures.groups import GroupTable, Key, group_table
from crossroads.measures.sc_weat import EVERY_WORD
from crossroads.measures.weat import check_ddof
from crossroads.measures.wefat import (
    Contrasts,
    GroupSums,
    contrast_scores,
    contrasts_of,
    look_up,
    name_cosines,
)
from crossroads.results import Result, read_only
from crossroads.stimuli import Groups


@dataclass(frozen=True, kw_only=True, eq=False)
class DiscoveryResult(Result):
    """The words of a vocabulary that a group is associated with, with their false-discovery rates."""

    target: str
    """The group."""
    kind: str
    """``ibd``: any pair; ``eibd``: every pair, beyond what the constituents explain."""
    words: tuple[str, ...]
    """Words with a q-value up to the wanted rate, strongest first."""
    scores: NDArray[np.float64]
    """Their scores."""
    qvalues: NDArray[np.float64]
    """Expected share of false discoveries among them and everything stronger."""
    fdr: float
    """The rate asked for."""
    candidates: int
    """How many words were looked at."""
    permutations: int
    """How often the names were given to groups at random."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a discovery."""
        return [
            {"word": word, "score": float(score), "qvalue": float(q)}
            for word, score, q in zip(self.words, self.scores, self.qvalues, strict=True)
        ]


def null_threshold(
    emb: Embeddings,
    groups: Groups | Mapping[Any, Any],
    words: str | Iterable[str],
    target: str | Iterable[str],
    *,
    level: float = 0.05,
    control: str = "word",
    permutations: int = 200,
    ddof: int = 1,
    seed: int = 0,
    missing: str = "raise",
) -> float:
    """The IBD threshold that words without any association exceed at a given rate.

    Names are given to the groups at random, sizes kept, and the largest score of each word over all pairs
    is collected.

    Parameters
    ----------
    emb, groups, words, target, ddof, missing
        As in :func:`~crossroads.measures.wefat.wefat`.
    level
        The rate.
    control
        ``"word"``: a word exceeds it with this chance. ``"family"``: any word at all does.
    permutations
        How often names are given out.
    seed
        Of the giving out.
    """
    one_of("control", control, ("word", "family"))
    check_ddof(ddof)
    share("level", level, hint="give a rate between 0 and 1.")
    _check_draws(permutations, seed)
    table = group_table(groups)
    names, _, rows, _ = look_up(emb, table, words, missing)
    drawn = np.empty((permutations, 1 if control == "family" else len(rows)), dtype=np.float32)
    permuted = _permuted(emb, rows, names, table, table.find(target), permutations, ddof, seed)
    for draw, (scores, contrasts) in zip(drawn, permuted, strict=True):
        largest = _top(scores, contrasts)
        draw[:] = largest.max() if control == "family" else largest
    return float(np.quantile(drawn, 1 - level, overwrite_input=True))


def discover(
    emb: Embeddings,
    groups: Groups | Mapping[Any, Any],
    target: str | Iterable[str],
    *,
    words: str | Iterable[str] = EVERY_WORD,
    kind: str = "ibd",
    relative: bool = True,
    fdr: float = 0.05,
    permutations: int = 100,
    ddof: int = 1,
    seed: int = 0,
    missing: str = "raise",
    progress: Callable[[int], None] | None = None,
) -> DiscoveryResult:
    """Find the words of a whole vocabulary that a group is associated with.

    The score of a word is its largest WEFAT score over all pairs (``"ibd"``). For ``"eibd"`` it is the
    smallest score over all pairs, less the smallest constituent score where that is positive: the word
    must be closer to the group than to *every* other one, and by more than the constituents explain. The
    false-discovery rate of a score is the number of words that reach it when names are given to groups at
    random, over the number that do reach it: it is about names being exchangeable, so that any word with
    a real difference between the groups of names counts as a true discovery, whatever its meaning.

    Parameters
    ----------
    emb, groups, target, ddof, missing
        As in :func:`~crossroads.measures.wefat.wefat`.
    words
        Candidates; ``"*"`` is the whole vocabulary without the names.
    kind
        ``"ibd"`` or ``"eibd"``.
    relative
        Measure each name's cosines from its mean cosine with all candidates. Names differ in how close they
        are to everything, if only by how often they occur, and without this nearly every word of a
        vocabulary tells a group of rare names from one of common names.
    fdr
        Words up to this rate are returned.
    permutations, seed
        How often names are given out at random, and the seed.
    progress
        Called with the number of permutations done.

    References
    ----------
    Tusher, V. G., Tibshirani, R., & Chu, G. (2001), for the rate. doi:10.1073/pnas.091062498
    """
    one_of("kind", kind, ("ibd", "eibd"))
    check_ddof(ddof)
    share("fdr", fdr, hint="give a rate between 0 and 1.")
    switch("relative", relative)
    _check_draws(permutations, seed)
    table = group_table(groups)
    key = table.find(target)
    names, kept, rows, coverage = look_up(emb, table, words, missing)
    cosines = _all_cosines(emb, rows, names, relative=relative)
    member = _membership(names)
    contrasts = contrasts_of(table, key)
    score = _top if kind == "ibd" else _beyond
    observed = score(_scores(cosines, member, list(names), contrasts, ddof), contrasts)
    order = np.argsort(observed, kind="stable")
    ascending = observed[order]
    exceeding = np.zeros(observed.size)
    for done, shuffled in enumerate(_shuffles(member, permutations, seed)):
        null = np.sort(score(_scores(cosines, shuffled, list(names), contrasts, ddof), contrasts))
        exceeding += null.size - np.searchsorted(null, ascending)
        if progress is not None:
            progress(done + 1)
    exceeding = exceeding[::-1] / permutations
    descending = order[::-1]
    q = plug_in_qvalues(observed[descending], exceeding + 1 / permutations)
    found = int((q <= fdr).sum())
    return DiscoveryResult(
        target=table.labels[key],
        kind=kind,
        words=tuple(kept[i] for i in descending[:found]),
        scores=read_only(observed[descending[:found]].astype(np.float64)),
        qvalues=read_only(q[:found]),
        fdr=fdr,
        candidates=len(kept),
        permutations=permutations,
        coverage=coverage,
        conventions={
            "measure": "discover",
            "kind": kind,
            "relative": relative,
            "ddof": ddof,
            "missing": missing,
            "seed": seed,
        },
        provenance=(emb.provenance,),
    )


def _top(scores: Floats, contrasts: Contrasts) -> Floats:
    """Largest score over the pairs of the group."""
    return np.asarray(scores[: len(contrasts.pairs)].max(axis=0))


def _beyond(scores: Floats, contrasts: Contrasts) -> Floats:
    """Smallest pair score, less the smallest constituent score where that is positive."""
    owned = scores[: len(contrasts.pairs)].min(axis=0)
    explained = np.maximum(scores[len(contrasts.pairs) :].min(axis=0), 0.0)
    return np.asarray(owned - explained)


@dataclass(frozen=True)
class _Cosines:
    """Cosines of all words with all names, and their squares, in float32."""

    values: NDArray[np.float32]
    squares: NDArray[np.float32]


def _all_cosines(
    emb: Embeddings, rows: NDArray[np.intp], names: Mapping[Key, Floats], *, relative: bool
) -> _Cosines:
    cosines = np.empty((len(rows), sum(len(vectors) for vectors in names.values())), dtype=np.float32)
    for part, chunk in name_cosines(emb, rows, names):
        cosines[part] = chunk
    if relative:
        cosines -= cosines.mean(axis=0, dtype=np.float64).astype(np.float32)
        cosines -= cosines.mean(axis=1, keepdims=True)  # a constant of a word changes no contrast
    return _Cosines(cosines, cosines * cosines)


def _membership(names: Mapping[Key, Floats]) -> Floats:
    """Which name belongs to which group: one row a name, one column a group."""
    sizes = [len(vectors) for vectors in names.values()]
    return np.repeat(np.eye(len(sizes)), sizes, axis=0)


def _scores(cosines: _Cosines, member: Floats, order: list[Key], contrasts: Contrasts, ddof: int) -> Floats:
    single = member.astype(np.float32)
    sums = GroupSums(cosines.values @ single, cosines.squares @ single, member.sum(axis=0).astype(np.int64))
    scores = contrast_scores(sums, order, contrasts.sides, ddof)
    return np.nan_to_num(scores, copy=False, nan=0.0)  # equally close to all names: leans to neither side


def _check_draws(permutations: int, seed: int) -> None:
    whole("permutations", permutations, least=1, hint="give at least one; 100 is usual.")
    seed_of(seed)


def _shuffles(member: Floats, permutations: int, seed: int) -> Iterator[Floats]:
    rng = generator(seed)
    for _ in range(permutations):
        yield member[rng.permutation(len(member))]


def _permuted(
    emb: Embeddings,
    rows: NDArray[np.intp],
    names: Mapping[Key, Floats],
    table: GroupTable,
    target: Key,
    permutations: int,
    ddof: int,
    seed: int,
) -> Iterator[tuple[Floats, Contrasts]]:
    cosines, member = _all_cosines(emb, rows, names, relative=False), _membership(names)
    contrasts = contrasts_of(table, target)
    for shuffled in _shuffles(member, permutations, seed):
        yield _scores(cosines, shuffled, list(names), contrasts, ddof), contrasts

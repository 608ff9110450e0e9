"""Pairs of sentences of which one stereotypes more, as in CrowS-Pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, WrongKindError, in_short
from crossroads.evidence.sentences import SCALES, SCORES, Per, SentenceScores
from crossroads.geometry import Floats
from crossroads.inference.multiplicity import adjust
from crossroads.inference.options import seed_of, share
from crossroads.measures.sentences.by_category import (
    ALL,
    ByCategory,
    adjusted_columns,
    first_columns,
    levels_of,
    preferred,
)
from crossroads.measures.sentences.preference import TIES, Preference, groupings_of, preference
from crossroads.results import Conclusion, Coverage, Result, Row, long_row, status_of
from crossroads.results.conclusion import numbers
from crossroads.results.plain import read_only
from crossroads.wording import phrases
from crossroads.wording.numbers import P
from crossroads.wording.table import Column, Table

_NUMBERS = (
    *("share", "low", "high", "p", "sign_pvalue"),
    *("difference", "difference_low", "difference_high", "difference_pvalue"),
    *("pairs", "preferred", "ties"),
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SentencePairsResult(ByCategory, Result):
    """Which sentence of pairs a language model prefers."""

    section: ClassVar[str] = "sentences"
    stem: ClassVar[str] = "sentence-pairs"
    figure: ClassVar[str] = "sentences:sentence_plot"
    cites: ClassVar[tuple[str, ...]] = (
        *("nangia2020crows", "blodgett2021stereotyping", "cameron2011robust"),
        *("holm1979simple", "benjamini1995controlling"),
    )
    measure: ClassVar[str] = "sentence pairs"
    numbers: ClassVar[tuple[str, ...]] = _NUMBERS
    kind: ClassVar[str] = "sentences"
    choice: ClassVar[str] = "the sentence that stereotypes more / less"
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {"sentences": (*_NUMBERS, f"p_{phrases.ADJUSTMENT}")}

    overall: Preference
    """Over all pairs."""
    categories: Mapping[str, Preference]
    """By what the stereotype is about."""
    directions: Mapping[str, Preference]
    """By direction: ``stereo`` where the sentence that stereotypes more is about a disadvantaged group,
    ``antistereo`` where it is about an advantaged one; empty where the data do not say."""
    cluster: tuple[str, ...]
    """What pairs share that is drawn: ``contrast`` (the words in which their sentences differ), ``frame``
    (the other words), or columns of the file."""
    differences: NDArray[np.float64]
    """Score of the sentence that stereotypes more less that of the other, in the order of the pairs."""

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row for all pairs and per category."""
        rows = [
            {
                "test": label,
                "category": name,
                "pairs": one.pairs,
                "ties": one.ties,
                "share": one.share,
                "ci": one.interval,
                "p": P(one.pvalue),
                f"p_{phrases.ADJUSTMENT}": p,
                "difference": one.difference,
                "difference_ci": one.difference_interval,
                "sign_p": P(one.sign_pvalue),
            }
            for label, result in results.items()
            for name, _, one, p in result.parts_named()
        ]
        shared = " or ".join(dict.fromkeys(" and ".join(one.cluster) for one in results.values()))
        columns = (
            *first_columns(results, "pairs"),
            Column(key="ties", head="ties", kind="count", spare=2),
            Column(
                key="share",
                head="share",
                note="pairs in which the sentence that stereotypes more scores higher",
            ),
            Column(
                key="ci", head="CI", note=f"{levels_of(results)}, pairs that share {shared} drawn together"
            ),
            Column(key="p", head="p", note=f"signs flipped by {shared}, two-sided"),
            *adjusted_columns(results),
            Column(key="difference", head="Δ", note=_difference_note(results), spare=3),
            Column(key="difference_ci", head="CI of Δ", spare=4),
            Column(key="sign_p", head="sign test", note="exact, as if pairs shared nothing", spare=1),
        )
        notes = tuple(dict.fromkeys(flaw for one in results.values() for flaw in one.flaws))
        return Table(
            name="sentence-pairs", title="Preferred sentences", columns=columns, rows=tuple(rows), notes=notes
        )

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number."""
        yield from super().long_rows(name)
        for direction, one in self.directions.items():
            yield long_row("sentence pairs", name, direction, "share", one.share, p=one.pvalue)

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """Whether sentences that stereotype more are preferred, of all and by category."""
        for part, place, one, p in self.parts_named():
            about = self.data if part == ALL else part
            yield preferred(
                name=self.named(part),
                items="pairs",
                about=about,
                more=2 * one.preferred >= one.pairs - one.ties,
                status=status_of(p or one.pvalue, one.sign_pvalue),
                found=numbers(
                    value=(f"{place}/share", one.share),
                    low=(f"{place}/low", one.low),
                    high=(f"{place}/high", one.high),
                ),
            )


def sentence_pairs(
    scores: SentenceScores,
    *,
    cluster: str | Sequence[str] | None = "auto",
    per: Per = "auto",
    level: float = 0.95,
    seed: int = 0,
) -> SentencePairsResult:
    r"""Measure which sentence of pairs a language model prefers, as in CrowS-Pairs.

    The share of pairs in which the sentence that stereotypes more has the higher score is the published
    metric; .5 means no preference. Pairs that share words are not independent: a model that finds *black*
    less likely than *white* does so in all pairs that contrast the two. So the signs of all pairs of a
    cluster are flipped together, counted over all flips, for the p-value; intervals hold the values that
    such flips do not reject.

    Parameters
    ----------
    scores
        Scores of pairs, from :func:`~crossroads.score_sentences`.
    cluster
        What pairs share: ``"auto"`` for the words in which their sentences differ (``contrast``) and the
        others (``frame``); one or two columns of the file; None to take pairs as independent.
    per
        ``"sentence"`` for sums over the tokens that count, ``"token"`` for their means, ``"probability"`` for
        mean probabilities (of ``blank``), ``"auto"`` as published for the score. The share depends on it
        only where sentences differ in length.
    level
        Level of intervals.
    seed
        Seed of the flips for intervals, where there are too many to count.

    Notes
    -----
    Ties, of scores that differ by no more than the rounding errors of both
    (:meth:`~crossroads.evidence.sentences.SentenceScores.rounding`), count as pairs that are not preferred,
    as published, and for nothing in the tests. In ``antistereo`` pairs the sentence that stereotypes more
    is about an advantaged group; they count like others, and ``directions`` has both apart.

    References
    ----------
    Nangia, N., Vania, C., Bhalerao, R., & Bowman, S. R. (2020). doi:10.18653/v1/2020.emnlp-main.154;
    Blodgett, S. L., Lopez, G., Olteanu, A., Sim, R., & Wallach, H. (2021). doi:10.18653/v1/2021.acl-long.81

    Examples
    --------
    >>> import crossroads as cr
    >>> from crossroads.evidence.sentences import ScoredItem, SentenceScores
    >>> from crossroads.stimuli.files.sentences import SentenceItem
    >>> texts = [("Women cook.", "Men cook."), ("Girls sing.", "Boys sing."), ("Women cry.", "Men cry.")]
    >>> items = [
    ...     ScoredItem(item=SentenceItem(sentences=pair), totals=(-4.0, -5.0), tokens=(2, 2))
    ...     for pair in texts
    ... ]
    >>> scores = SentenceScores(name="mine", kind="pairs", score="pll", items=tuple(items))
    >>> result = cr.sentence_pairs(scores)
    >>> result.overall.share, result.overall.sign_pvalue, result.overall.pvalue  # two contrasts
    (1.0, 0.25, 0.5)
    """
    checked(scores, "pairs", "sentence_triples")
    level, seed = share("level", level), seed_of(seed)
    values = scores.values(per)
    differences: Floats = values[:, 0] - values[:, 1]
    room: Floats = scores.rounding(per).sum(axis=1)
    groupings = groupings_of(scores, cluster)

    def of(chosen: NDArray[np.bool_]) -> Preference:
        shared = [one[chosen] for one in groupings.values()]
        return preference(differences[chosen], room[chosen], shared, level=level, seed=seed)

    def by(names: Sequence[str]) -> dict[str, Preference]:
        given = np.array(names)
        return {name: of(given == name) for name in dict.fromkeys(names) if name}

    categories = by([one.item.category for one in scores])
    return SentencePairsResult(
        data=scores.name,
        score=scores.score,
        per=scores.resolved(per),
        overall=of(np.ones(len(differences), np.bool_)),
        categories=categories,
        directions=by([one.item.direction for one in scores]),
        adjusted=adjust([one.pvalue for one in categories.values()]) if categories else {},
        cluster=tuple(groupings),
        differences=read_only(differences),
        level=level,
        coverage=coverage_of(scores),
        conventions={
            "measure": "sentence pairs",
            **scored_as(scores, per),
            "ties": TIES,
            "cluster": list(groupings) if cluster is not None else "none",
            "alternative": "two-sided",
            "seed": seed,
        },
        provenance=(scores.provenance,),
    )


def checked(scores: object, kind: str, other: str) -> None:
    """Refuse what is no scores, or scores of another kind."""
    if not isinstance(scores, SentenceScores):
        raise WrongKindError(
            f"the scores are {in_short(scores)}.", hint="score sentences first, as with cr.score_sentences."
        )
    if scores.kind != kind:
        raise InputError(f"{scores.name} has {scores.kind}, not {kind}.", hint=f"use cr.{other}.")


_ADDED = {
    "sentence": "sum of {what}",
    "token": "mean of {what}",
    "probability": "logarithm of the mean of {plain}",
}


def scored_as(scores: SentenceScores, per: Per) -> dict[str, str]:
    """How sentences were scored, as conventions."""
    added, what = _ADDED[scores.resolved(per)], SCORES[scores.score]
    return {
        "scored by": scores.score,
        "score": added.format(what=what, plain=what.removeprefix("log-")),
        "special tokens": "not counted",
    }


def coverage_of(scores: SentenceScores) -> Coverage:
    """Which items were scored."""
    left = {str(scores.kind): dict(scores.left_out)} if scores.left_out else {}
    return Coverage(policy="drop" if left else "raise", used={}, dropped=left, respelled={})


def _difference_note(results: Mapping[str, SentencePairsResult]) -> str:
    what = " or ".join(dict.fromkeys(SCALES[one.per] for one in results.values()))
    return f"mean difference of {what}, with its interval"

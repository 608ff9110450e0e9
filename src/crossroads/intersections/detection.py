"""IBD and EIBD: detecting intersectional and emergent intersectional associations (Guo & Caliskan 2021)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, Missing, UnknownNameError, in_short, join_words, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.detection import (
    area_interval,
    area_under_curve,
    best_threshold,
    exact_interval,
)
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.options import number, seed_of, share, switch, whole
from crossroads.core.results import Conclusion, Result, Row, Stat, Values, long_row, numbers, stat
from crossroads.core.results.gathered import listed_words
from crossroads.core.results.stats import NAME, named
from crossroads.core.stimuli import Groups
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import counted
from crossroads.core.wording.table import Rate, Table
from crossroads.intersections.discovery import null_threshold
from crossroads.intersections.wefat import ScoreTable, wefat
from crossroads.words.measures.sc_weat import EVERY_WORD

GRID = np.arange(-40, 41) / 20
"""Thresholds tried when a rule chooses one."""
_REMOVED = {
    "all": " and not for every constituent pair",
    "any": " and for no constituent pair",
    "none": ", whatever the constituent pairs",
}
Removal = Literal["all", "any", "none"]
"""Which words EIBD removes: above the threshold for all constituent pairs, for any, or none."""
Rule = Literal["accuracy", "youden"]
"""Rules that choose a threshold: the highest accuracy, or the largest tpr − fpr."""
_RULES = {
    "given": "as given",
    "accuracy": "the one that judges most words rightly",
    "youden": "the one with the largest TPR − FPR",
}
"""How a threshold was found, in words."""
_FOUND = "words above it are found, for EIBD unless they are above it with every constituent pair"
_TPR = f"share of the {phrases.LISTED} that was found, and how many of how many"


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share of cases with its exact binomial confidence interval."""

    value: float
    """Hits over cases."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    hits: int
    """How many."""
    cases: int
    """Number of cases."""

    @property
    def rate(self) -> Rate:
        """The share and its counts, as tables show them."""
        return Rate(self.value, self.hits, self.cases)


def _threshold_note(results: Sequence[Any]) -> str:
    rules = dict.fromkeys(one.threshold_rule for one in results)
    texts = (_RULES[rule] if len(rules) == 1 else f"{rule}: {_RULES[rule]}" for rule in rules)
    return f"the threshold, {'; '.join(texts)}; {_FOUND}"


def _candidates(results: Sequence[Any]) -> str:
    return f"of {' or '.join(dict.fromkeys(counted(len(one.scores), 'word') for one in results))}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DetectionResult(Result):
    """Words detected as associated with a group and, where the truth is known, how well."""

    _section: ClassVar[str] = "intersections"
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting", "clopper1934use")
    _stem: ClassVar[str] = "detections"
    _figure: ClassVar[str] = "roc"
    _table_title: ClassVar[str] = "Words of intersectional groups"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "detection": "found=_found accuracy honest_accuracy tpr fpr auc baseline left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("detection", of=NAME),
        stat("threshold", "above", _threshold_note, spare=3),
        stat("rule", of="threshold_rule", spare=1),
        stat("found", note=_candidates, of="words.len"),
        stat("tpr", "TPR", _TPR, of="intervals.tpr.rate"),
        stat("fpr", "FPR", "the same of the other words", of="intervals.fpr.rate"),
        stat("auc", "AUC", "area under the ROC curve; 0.5 is chance"),
        stat("auc_ci", "AUC interval", of="auc_interval", kind="interval", spare=2),
        stat("right", note="words classified correctly", of="accuracy", digits=1, kind="share", spare=4),
        stat("baseline", "none", "the same for finding nothing", digits=1, kind="share", spare=4),
    )

    _kind: str
    """``ibd`` or ``eibd``."""
    words: tuple[str, ...]
    """The words detected, strongest first."""
    scores: Mapping[str, float]
    """Score of every candidate: its largest WEFAT score over all pairs; for EIBD, minus its smallest score
    over the constituent pairs (``remove="any"``: largest; ``"none"``: minus nothing)."""
    threshold: float
    """Scores above this count."""
    threshold_rule: str
    """How the threshold was found: ``given``, ``accuracy`` or ``youden``."""
    truth: tuple[str, ...]
    """Words that people listed for the group, of the candidates; empty where none were given."""
    _absent: tuple[str, ...]
    """Listed words that are not among the candidates."""
    accuracy: float | None = None
    """Share of candidates classified correctly."""
    tpr: float | None = None
    """Share of listed words detected."""
    fpr: float | None = None
    """Share of other words detected."""
    auc: float | None = None
    """Chance that a listed word scores above another one."""
    intervals: Mapping[str, Share] = field(default_factory=dict)
    """Exact confidence intervals of accuracy, tpr and fpr."""
    auc_interval: tuple[float, float] | None = None
    """Bootstrap interval of the area under the curve."""
    chance: float | None = None
    """Share of listed words among the candidates: the paper's rate of correct random classification."""
    baseline: float | None = None
    """Accuracy of the better of detecting nothing and detecting everything."""
    honest_accuracy: float | None = None
    """Accuracy when the threshold for each word is chosen without it; only where a rule chose one."""
    curve: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Rates over all thresholds: ``threshold``, ``fpr``, ``tpr``."""

    def _rows(self) -> list[dict[str, Any]]:
        detected, true = set(self.words), set(self.truth)
        rows: list[dict[str, Any]] = [
            {"word": word, "score": score, "detected": word in detected}
            for word, score in sorted(self.scores.items(), key=lambda item: -item[1])
        ]
        return rows if self.accuracy is None else [{**row, "true": row["word"] in true} for row in rows]

    @property
    def _label(self) -> str:
        """How words were detected; an audit names the group before it."""
        return self._kind.upper()

    def _to_draw(self) -> dict[str, DetectionResult]:
        """Detections by name, since the figure draws several together."""
        return {self._label: self}

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        every = list(results.values())
        empty = ["rule"] if len({one.threshold_rule for one in every}) == 1 else []
        if all(one.intervals for one in every):
            empty.append("found")  # TPR and FPR say how many were found
        table = super()._tabulate(results).without(empty)
        if all(name == one._label for name, one in results.items()):
            return table
        first, *others = table.columns
        return replace(table, columns=(replace(first, head="group"), *others))

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        if chance := [name for name, one in results.items() if one._at_chance]:
            text = f"{phrases.AT_CHANCE.capitalize()}, as the interval of the AUC includes 0.5"
            yield f"{text}: {join_words(chance)}."
        if judged := [one.intervals["accuracy"].cases for one in results.values() if one.curve]:
            yield f"Judged by {counted(max(judged), 'validation word')}."

    @property
    def _found(self) -> float:
        return float(len(self.words))

    @property
    def _at_chance(self) -> bool | None:
        """Whether the interval of the AUC includes a half or lies below it; None where there is none."""
        return None if self.auc_interval is None else self.auc_interval[0] <= 0.5

    def _long_rows(self, name: str) -> Iterator[Row]:
        row = partial(long_row, self._kind, name)
        yield row("", "threshold", self.threshold, method=self.threshold_rule)
        yield row("", "found", len(self.words), n=len(self.scores))
        for statistic, rate in self.intervals.items():
            yield row("", statistic, rate.value, low=rate.low, high=rate.high, n=rate.cases)
        if self.auc is not None:
            low, high = self.auc_interval or (None, None)
            yield row("", "auc", self.auc, low=low, high=high)
        for statistic, value in named(self, "chance baseline honest_accuracy").items():
            if value is not None:
                yield row("", statistic, value)
        for word, score in self.scores.items():
            yield row(word, "score", score)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        """Whether words that people listed for the group score above the others."""
        if self.auc is None or self.auc_interval is None:
            return
        low, high = self.auc_interval
        group = name.removesuffix(self._label).strip() or "the group"
        beyond = " beyond what its parts explain" if self._kind == "eibd" else ""
        above = "below" if self.auc < 0.5 else "above"
        words = ("words that people in the study listed for ", group, f" score {above} other words{beyond}")
        yield Conclusion(
            name=name,
            status="unknown" if self._at_chance else "holds",
            statement=words,
            subject=f"words for {group}{beyond}",
            poles=("below others", "above others"),
            scale="AUC",
            middle=0.5,
            numbers=numbers(
                value=("auc", self.auc), low=("auc_interval/0", low), high=("auc_interval/1", high)
            ),
        )

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        yield from ((name, kind, values) for _, kind, values in super()._readings(name))


def ibd(
    emb: Embeddings | Mapping[str, Mapping[str, float]],
    groups: Groups | Mapping[Any, Any] | None = None,
    target: str | Iterable[str] = "",
    words: str | Iterable[str] = EVERY_WORD,
    *,
    emergent: bool = False,
    threshold: float | Rule | Literal["null"] = "youden",
    truth: Iterable[str] | None = None,
    remove: Removal = "all",
    missing: Missing = "raise",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> DetectionResult:
    """Detect words associated with an intersectional group: above the threshold for *any* pair.

    Parameters
    ----------
    emb
        Vectors of the names and the words. Or, alone, scores of the group against every other: pair to word
        to score, such as ``pairs`` of :func:`~crossroads.stats.wefat`.
    groups, target, words, missing
        As in :func:`~crossroads.stats.wefat`.
    emergent
        Leave out words that the parts of the group explain: :func:`~crossroads.stats.eibd`, with ``remove``.
    threshold
        A number; or ``"accuracy"``, the one from −2 to 2 in steps of .05 with the highest accuracy; or
        ``"youden"``, the one with the largest tpr − fpr. Rules need ``truth`` and take the highest of
        several. With vectors also ``"null"``, that of :func:`~crossroads.stats.null_threshold` for a
        false-positive rate of 5 %, which replaces ``"youden"`` where there is no ``truth``.
    truth
        The words that should be detected, for accuracy, rates and the area under the curve.
    level, resamples, seed
        Level, number of resamples and seed of the confidence intervals.

    Notes
    -----
    Where few words were listed, accuracy often prefers to detect nothing at all, and ``"youden"`` is the
    better rule: compare an accuracy with ``baseline``. A threshold chosen by accuracy overstates the accuracy
    it is judged by; ``honest_accuracy`` does not.

    References
    ----------
    Guo, W., & Caliskan, A. (2021). doi:10.1145/3461702.3462536

    Examples
    --------
    >>> import crossroads as cr
    >>> pairs = {
    ...     "BF / BM": {"strong": 0.9, "loud": 0.2, "kind": -0.4},
    ...     "BF / WF": {"strong": 0.1, "loud": 0.8, "kind": -0.3},
    ... }
    >>> result = cr.ibd(pairs, threshold=0.5, truth=["strong"])
    >>> result.words, round(result.accuracy, 2)
    (('strong', 'loud'), 0.67)
    """
    one_of("missing", missing, Missing)
    pairs: Any = emb
    constituents: ScoreTable | None = None
    if switch("emergent", emergent) and groups is None:
        raise InputError("emergent=True needs the groups.", hint="give vectors and groups, or use eibd.")
    if groups is not None:
        scored: tuple[Any, ...] = (emb, groups, words, target)
        if threshold == "null" or (truth is None and threshold == "youden"):
            threshold = null_threshold(*scored, missing=missing, seed=seed)
        scores = wefat(*scored, missing=missing)
        pairs, constituents = scores.pairs, scores.constituents if emergent else None
    ways: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    return _detect(pairs, constituents, remove, threshold, truth, **ways)


def eibd(
    pairs: Mapping[str, Mapping[str, float]],
    constituents: Mapping[str, Mapping[str, float]],
    *,
    threshold: float | str,
    truth: Iterable[str] | None = None,
    remove: Removal = "all",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> DetectionResult:
    """Detect emergent words: associated with the group, but not with all of its constituents.

    A word is emergent if it is above the threshold for any pair, as in IBD, and not for every constituent
    pair.

    Parameters
    ----------
    pairs, threshold, truth, level, resamples, seed
        As in :func:`~crossroads.ibd`. The paper uses one threshold for both: pass the one of IBD.
    constituents
        Scores of each subcategory of the group against its siblings: pair to word to score.
    remove
        ``"all"``, the published rule, removes words that are above the threshold for every constituent
        pair; ``"any"`` those that are above it for one: stricter, and closer to the name; ``"none"`` nothing,
        as the released code does: EIBD is then IBD, judged against the emergent words.

    Notes
    -----
    A word of one parent only, such as one about women of any group, scores about 0 with the other parent, so
    the published rule keeps it and calls it emergent; ``remove="any"`` does not. Words are emergent for
    thresholds from their smallest (``"any"``: largest) constituent score up to their largest pair score. The
    length of that interval is the score behind ``auc``, which is not published. With ``remove="none"`` the
    score is that of IBD.

    *Departures:* the released code compares with the sum of conditions, which is True and never 3, so that no
    word is removed and EIBD equals IBD. Its constituent pair of genders has one score for each race; here all
    names of a gender are compared with all of the other.

    References
    ----------
    Guo, W., & Caliskan, A. (2021). Section 8.2. doi:10.1145/3461702.3462536

    Examples
    --------
    >>> import crossroads as cr
    >>> pairs = {"BF / BM": {"strong": 0.9, "loud": 0.2}, "BF / WF": {"strong": 0.1, "loud": 0.8}}
    >>> constituents = {"Black / White": {"strong": 0.7, "loud": 0.1}}
    >>> result = cr.stats.eibd(pairs, constituents, threshold=0.5)  # "strong" goes with all of "Black" too
    >>> result.words
    ('loud',)
    """
    parents = ScoreTable.of(constituents, "constituents")
    ways: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    return _detect(pairs, parents, remove, threshold, truth, **ways)


def _detect(
    pairs: Mapping[str, Mapping[str, float]],
    parents: ScoreTable | None,
    remove: Removal,
    threshold: float | str,
    truth: Iterable[str] | None,
    **ways: Any,
) -> DetectionResult:
    """Detect words by the scores with the pairs and, for EIBD, with those of the parents."""
    one_of("remove", remove, Removal)
    share("level", ways["level"])
    whole("resamples", ways["resamples"], least=1, hint="draw at least one; 2,000 is usual.")
    seed_of(ways["seed"])
    table = ScoreTable.of(pairs, "pairs")
    words, scores = table.words, table.scores.max(axis=0)
    top, bottom = scores, np.full(scores.shape, -np.inf)  # found at thresholds from the second to the first
    if parents is not None:
        if odd := set(parents.words) ^ set(words):
            raise InputError(
                "pairs and constituents score different words, such as "
                f"{join_words(map(in_short, sorted(odd)), most=3)}.",
                hint="score the same words with both.",
            )
        at = {word: i for i, word in enumerate(parents.words)}
        aligned = parents.scores[:, [at[word] for word in words]]
        if remove != "none":
            bottom = aligned.min(axis=0) if remove == "all" else aligned.max(axis=0)
            scores = top - bottom
    kind = "ibd" if parents is None else "eibd"
    true, present, absent = _truth(words, truth)
    chosen, rule, honest = _threshold(threshold, top, bottom, true)
    flags = (top > chosen) & (bottom <= chosen)
    judged: dict[str, Any] = {}
    if true is not None:
        judged = {**_judge(flags, true, scores, **ways), "curve": _curve(top, bottom, true)}
    return DetectionResult(
        _kind=kind,
        words=tuple(words[i] for i in np.argsort(-scores, kind="stable") if flags[i]),
        scores=dict(zip(words, scores.tolist(), strict=True)),
        threshold=chosen,
        threshold_rule=rule,
        truth=present,
        _absent=absent,
        **judged,
        honest_accuracy=honest,
        coverage=None if table.origin is None else table.origin.coverage,
        provenance=() if table.origin is None else table.origin.provenance,
        conventions={
            "measure": kind,
            "detected": f"above the threshold for any pair{'' if parents is None else _REMOVED[remove]}",
            "threshold": rule,
            **ways,
        },
    )


def _truth(
    words: tuple[str, ...], truth: Iterable[str] | None
) -> tuple[NDArray[np.bool_] | None, tuple[str, ...], tuple[str, ...]]:
    """Which candidates are listed, these words, and the listed words that are no candidates."""
    if truth is None:
        return None, (), ()
    listed = dict.fromkeys(listed_words("truth", truth))
    flags = np.array([word in listed for word in words])
    known = set(words)
    present = tuple(word for word in listed if word in known)
    if flags.all() or not flags.any():
        raise InputError(
            f"{len(present)} of {len(words)} candidates are true, so there is nothing to distinguish.",
            hint="candidates must include listed words and others.",
        )
    return flags, present, tuple(word for word in listed if word not in known)


def _threshold(
    threshold: float | str, top: Floats, bottom: Floats, true: NDArray[np.bool_] | None
) -> tuple[float, str, float | None]:
    """The threshold, how it was found, and the accuracy without each word's own part in choosing it."""
    if not isinstance(threshold, str):
        return number("threshold", threshold, hint="give a number, 'accuracy' or 'youden'."), "given", None
    if threshold not in get_args(Rule):
        raise UnknownNameError("threshold", threshold, get_args(Rule))
    if true is None:
        raise InputError(
            f"threshold={in_short(threshold)} needs the words that people listed.",
            hint="pass truth=[...], or a number.",
            option="threshold",
        )
    flags = (top > GRID[:, None]) & (bottom <= GRID[:, None])
    chosen, honest = best_threshold(flags, true, GRID, balanced=threshold == "youden")
    return chosen, threshold, honest


def _judge(
    flags: NDArray[np.bool_], true: NDArray[np.bool_], scores: Floats, level: float, resamples: int, seed: int
) -> dict[str, Any]:
    shares = {}
    for name, judged in (("accuracy", flags == true), ("tpr", flags[true]), ("fpr", flags[~true])):
        hits, cases = int(judged.sum()), judged.size
        low, high = exact_interval(hits, cases, level)
        shares[name] = Share(value=hits / cases, low=low, high=high, hits=hits, cases=cases)
    listed, others = scores[true], scores[~true]
    return {
        **{name: share.value for name, share in shares.items()},
        "auc": area_under_curve(listed, others),
        "auc_interval": area_interval(listed, others, resamples=resamples, level=level, seed=seed),
        "intervals": shares,
        "chance": listed.size / true.size,
        "baseline": max(listed.size, others.size) / true.size,
    }


def _curve(top: Floats, bottom: Floats, true: NDArray[np.bool_]) -> dict[str, tuple[float, ...]]:
    """Rates at every threshold at which a word enters or leaves, from the highest down."""
    finite = bottom[np.isfinite(bottom)]
    thresholds = np.unique(np.concatenate([top, finite, GRID]))[::-1]
    both = np.minimum(top, bottom)  # above a threshold: not detected at it, although the pairs are above it

    def rate(among: NDArray[np.bool_]) -> tuple[float, ...]:
        above = [np.searchsorted(np.sort(values[among]), thresholds, side="right") for values in (top, both)]
        return tuple(((above[1] - above[0]) / among.sum()).tolist())

    return {"threshold": tuple(thresholds.tolist()), "fpr": rate(~true), "tpr": rate(true)}

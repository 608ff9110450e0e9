"""Per-group CEAT: position of each of many social groups between the ends of a trait (Cao et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.measures.draws import (
    Stack,
    check_contexts,
    counts_of,
    draw_contexts,
    sample_cosines,
    stack,
)
from crossroads.core.errors import (
    DesignError,
    EvidenceError,
    InputError,
    MissingStimuliError,
    OnMissing,
    in_short,
    join_words,
    one_of,
)
from crossroads.core.evidence import Contexts
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.crossed import LEVEL, spread
from crossroads.core.inference.geometry import Floats, effect_sizes
from crossroads.core.inference.options import seed_of, switch, whole
from crossroads.core.inference.random_effects import combine
from crossroads.core.results import read_only
from crossroads.core.results.gaps import NO_CONTEXT
from crossroads.core.results.gathered import Gathered, gather
from crossroads.core.stimuli import Groups, StimulusSet, Traits
from crossroads.traits.measures.scores import CellScores, cell_intervals, cell_rows
from crossroads.words.measures.weat import check_ddof

Score = Literal["pooled", "sampled", "difference"]
Forms = Literal["all", "singular", "plural", "capitalised"]

Ends = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
"""Words of the left and of the right end of each trait."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GroupCeatResult(CellScores):
    """Scores of groups on traits over contexts."""

    _label_format: ClassVar[str] = "group-ceat scores"
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting", "cao2022theory")
    _stem: ClassVar[str] = "group_ceat"
    _table_title: ClassVar[str] = "Groups and traits over contexts"

    differences: NDArray[np.float64]
    """Difference of the expected cosines with the right and the left end: the numerator of the score."""
    spreads: NDArray[np.float64]
    """The standard deviation in the denominator of the score; 1 where there is none."""
    score: str
    """Kind of score: ``pooled``, ``sampled`` or ``difference``."""
    skipped: Mapping[str, str]
    """Groups and traits that could not be measured, and why."""
    contexts: Mapping[str, int]
    """Number of contexts of each word."""

    def of(self, group: str, trait: str) -> float:
        """The score of one group on one trait."""
        row, column = one_of("group", group, self.groups), one_of("trait", trait, self.traits)
        return float(self.scores[self.groups.index(row), self.traits.index(column)])

    def _rows(self) -> list[dict[str, Any]]:
        more = cell_rows(self.groups, self.traits, difference=self.differences, spread=self.spreads)
        return [{**row, **also} for row, also in zip(super()._rows(), more, strict=True)]


def group_ceat(
    contexts: Contexts,
    groups: Groups | Mapping[str, Iterable[str]],
    traits: Traits | Mapping[str, tuple[Iterable[str], Iterable[str]]],
    *,
    score: Score = "pooled",
    forms: Forms = "all",
    synonyms: bool = False,
    samples: int = 1000,
    ddof: int = 1,
    seed: int = 0,
    missing: OnMissing = "raise",
) -> GroupCeatResult:
    r"""Measure the position of each group between the two ends of each trait, in contextual vectors.

    .. math::
        \mathrm{CEAT}(g, A, B) =
        \frac{\operatorname{mean}_{t \in A} \cos(g, t) - \operatorname{mean}_{t \in B} \cos(g, t)}
             {\operatorname{sd}_{t \in A \cup B} \cos(g, t)}

    with A the right end of a trait and B the left one, so that positive scores are closer to the right.

    Parameters
    ----------
    groups
        Groups of the catalogue, ``catalog("abc-groups")``, or a name and words for each.
    traits
        Traits of the catalogue, ``catalog("abc-traits")``, or a name and ``(left, right)`` words for each.
    score
        ``"pooled"``: t runs over all contexts of the adjectives, each word with the same weight, and g is
        the mean over the contexts of the group. ``"sampled"``: as the CEAT does, each sample draws one
        context per word, t runs over words, and samples are combined under random effects; this needs two
        words at either end. ``"difference"``: the numerator of ``"pooled"`` alone.
    forms, synonyms
        Which form of a catalogue group represents it: ``"all"``, ``"singular"``, ``"plural"`` or
        ``"capitalised"``; and whether the ends of catalogue traits include the words close to them.
    samples, seed
        Number of samples and seed of ``"sampled"``.
    missing
        ``"raise"``, or ``"drop"``: groups and traits that have no context left are skipped and listed.

    Notes
    -----
    Standard errors are over the words of a group and of both ends, with contexts averaged and spreads as they
    are. A single word adds nothing: the score is for that word. There are none where some group and both ends
    of a trait have one word each, and for ``"sampled"``.

    The paper gives the formula but no code for it. With one adjective at either end and t over words, every
    score would be ±√2 in any model; therefore contexts, not words, are pooled by default.

    References
    ----------
    Cao, Y. T., et al. (2022), section 3.1. doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> words, rng = ["nurse", "nurses", "judge", "judges", "warm", "cold"], np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in words})
    >>> groups = {"nurses": ["nurse", "nurses"], "judges": ["judge", "judges"]}
    >>> result = cr.traits.group_ceat(contexts, groups, {"cold-warm": (["cold"], ["warm"])})
    >>> round(result.of("nurses", "cold-warm"), 2)
    0.36
    """
    check_contexts(contexts)
    one_of("score", score, Score)
    one_of("missing", missing, OnMissing)
    check_ddof(ddof)
    whole("samples", samples, least=3, hint="draw at least three; 1,000 is usual.")
    seed_of(seed)
    switch("synonyms", synonyms)
    members, ends = _members(groups, one_of("forms", forms, Forms)), _ends(traits, synonyms)
    kept, stacked, found = _found(contexts, members, ends, 2 if score == "sampled" else 1, missing)
    means = stacked.means
    centres = np.stack([means[words].mean(axis=0) for words in kept.members])
    poles = [means[right].mean(axis=0) - means[left].mean(axis=0) for left, right in kept.ends]
    differences = np.asarray(centres @ np.stack(poles).T)
    if score == "sampled":
        scores, spreads = _sampled(stacked, kept, samples, ddof, seed)
    elif score == "pooled":
        spreads = _spreads(stacked, kept, centres, ddof)
        scores = differences / spreads
    else:
        scores, spreads = differences.copy(), np.ones_like(differences)
    return GroupCeatResult(
        groups=kept.groups,
        traits=kept.traits,
        scores=read_only(scores),
        differences=read_only(differences),
        spreads=read_only(spreads),
        score=score,
        skipped=kept.skipped,
        **cell_intervals(scores, *((None, None) if score == "sampled" else _errors(stacked, kept, spreads))),
        contexts=counts_of(stacked, found),
        coverage=found.coverage,
        conventions={
            "measure": "group-ceat",
            "score": score,
            "forms": forms,
            "synonyms": synonyms,
            "orientation": "right end minus left end",
            "samples": samples if score == "sampled" else None,
            "ddof": ddof,
            "seed": seed,
            "missing": missing,
            "interval": "t, words drawn",
            "level": LEVEL,
            "fallback": ", ".join(contexts.fallback) or "none",
        },
        provenance=(contexts.provenance,),
    )


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """What can be measured, and positions of the words of each group and trait end among all words."""

    groups: tuple[str, ...]
    traits: tuple[str, ...]
    members: tuple[slice, ...]
    ends: tuple[tuple[slice, slice], ...]
    skipped: Mapping[str, str]


def _members(groups: Groups | Mapping[str, Iterable[str]], forms: str) -> dict[str, tuple[str, ...]]:
    if isinstance(groups, Groups):
        for group in groups.members if forms != "all" else ():
            if forms not in group.forms:
                raise DesignError(
                    f"the group {group.name!r} has no {forms} form.",
                    hint="it is given by names: use forms='all'.",
                )
        return {g.name: tuple(g.items) if forms == "all" else (g.forms[forms],) for g in groups.members}
    if not hasattr(groups, "items") or not groups:
        raise DesignError(
            f"the groups are of type {type(groups).__name__}.",
            hint="give cr.catalog('abc-groups'), or {name: [words], ...} with at least one group.",
        )
    return {str(name): tuple(StimulusSet.of(words, str(name))) for name, words in groups.items()}


def _ends(traits: Traits | Mapping[str, tuple[Iterable[str], Iterable[str]]], synonyms: bool) -> Ends:
    if isinstance(traits, Traits):
        if not synonyms:
            return {pair.name: ((pair.left,), (pair.right,)) for pair in traits}
        return {p.name: ((p.left, *p.left_synonyms), (p.right, *p.right_synonyms)) for p in traits}
    hint = "give cr.catalog('abc-traits'), or {name: ([left words], [right words]), ...}."
    if not hasattr(traits, "items") or not traits:
        raise DesignError(f"the traits are of type {type(traits).__name__}.", hint=hint)
    ends: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    given: Mapping[str, Any] = traits
    for name, pair in given.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise DesignError(f"the trait {in_short(name)} is {in_short(pair)}.", hint=hint)
        left, right = (StimulusSet.of(pair[i], f"{name}, {side}") for i, side in enumerate(("left", "right")))
        ends[str(name)] = (tuple(left), tuple(right))
    return ends


def _found(
    contexts: Contexts, members: Mapping[str, tuple[str, ...]], ends: Ends, least: int, missing: str
) -> tuple[_Kept, Stack, Gathered]:
    """Look up every word, and leave out groups and traits that have too few left."""
    wanted: dict[str, Sequence[str]] = {f"group {name}": words for name, words in members.items()}
    for name, (left, right) in ends.items():
        wanted |= {f"{name}, left": left, f"{name}, right": right}
    found = gather(contexts.index, wanted, missing=missing, least=dict.fromkeys(wanted, 0), absent=NO_CONTEXT)
    have = {name: len(words) for name, words in found.words.items()}
    borders = np.concatenate([[0], np.cumsum(list(have.values()))]).tolist()
    places = {name: slice(a, b) for name, (a, b) in zip(wanted, pairwise(borders), strict=True)}
    skipped = {name: "no contexts" for name in members if have[f"group {name}"] == 0}
    traits = []
    for name in ends:
        counts = {side: have[f"{name}, {side}"] for side in ("left", "right")}
        thin = [side for side, count in counts.items() if count < least]
        if thin and least == 2 and all(counts.values()):
            raise InputError(
                f"the trait {name!r} has {counts[thin[0]]} word at its {thin[0]} end, which makes every "
                "score ±√2.",
                hint="use score='pooled', or more words at either end: synonyms=True.",
            )
        if thin:
            skipped[f"trait {name}" if name in members else name] = f"no contexts at its {thin[0]} end"
        else:
            traits.append(name)
    groups = [name for name in members if have[f"group {name}"] > 0]
    if not groups or not traits:
        what = "group" if not groups else "trait"
        raise MissingStimuliError(
            f"no {what} has contexts; looked for {join_words(members if not groups else ends, most=4)}.",
            missing=found.coverage.missing,
            hint="collect contexts of their words first, or allow other spellings with fallback.",
        )
    kept = _Kept(
        groups=tuple(groups),
        traits=tuple(traits),
        members=tuple(places[f"group {name}"] for name in groups),
        ends=tuple((places[f"{name}, left"], places[f"{name}, right"]) for name in traits),
        skipped=skipped,
    )
    return kept, stack(contexts, found.words), found


def _errors(stacked: Stack, kept: _Kept, spreads: Floats) -> tuple[Floats, Floats] | tuple[None, None]:
    """Standard errors over the words of groups and of both ends, which are crossed, and their df."""
    errors, free = np.empty(spreads.shape), np.empty(spreads.shape)
    for i, words in enumerate(kept.members):
        for j, (left, right) in enumerate(kept.ends):
            low, high, group = stacked.means[left], stacked.means[right], stacked.means[words]
            if max(len(group), len(low), len(high)) < 2:
                return None, None
            cosines = np.asarray(group @ np.concatenate([low, high]).T, dtype=np.float64)
            found = spread(cosines, len(group), len(low))
            errors[i, j], free[i, j] = np.sqrt(float(found.total)) / spreads[i, j], float(found.df)
    return errors, free


def _spreads(stacked: Stack, kept: _Kept, centres: Floats, ddof: int) -> Floats:
    """Standard deviation of the cosines over the contexts of both ends, all words weighted equally."""
    spreads = np.empty((len(kept.groups), len(kept.traits)))
    for column, (left, right) in enumerate(kept.ends):
        words = [*range(left.start, left.stop), *range(right.start, right.stop)]
        parts = [stacked.unit(word) @ centres.T for word in words]
        cosines: Floats = np.concatenate(parts).astype(np.float64)
        total = len(cosines)
        if total < 3:
            raise EvidenceError(
                f"the trait {kept.traits[column]!r} has {total} contexts, which makes every score ±√2.",
                hint="collect more contexts, or use score='difference'.",
            )
        weights = np.concatenate([np.full(len(part), 1 / (len(words) * len(part))) for part in parts])
        squares = weights @ (cosines - weights @ cosines) ** 2
        spreads[:, column] = np.sqrt(squares * (total / (total - ddof)))
    _check_spread(spreads, stacked, kept)
    return spreads


def _sampled(stacked: Stack, kept: _Kept, samples: int, ddof: int, seed: int) -> tuple[Floats, Floats]:
    """Effect sizes over words combined over samples, and the root mean square of their denominators."""
    drawn = draw_contexts(stacked.counts, samples, generator(seed))
    first = min(end.start for both in kept.ends for end in both)
    shape = (len(kept.groups), len(kept.traits), samples)
    effects, variances = np.empty(shape), np.empty(shape)
    for block, table in sample_cosines(stacked, drawn, first):
        for i, words in enumerate(kept.members):
            u = table[:, words].mean(axis=1)
            for j, (left, right) in enumerate(kept.ends):
                low = u[:, left.start - first : left.stop - first]
                high = u[:, right.start - first : right.stop - first]
                both = np.concatenate([low, high], axis=1)
                found, variances[i, j, block] = effect_sizes(both, low.shape[1], ddof=ddof)
                effects[i, j, block] = -found  # a score is high towards the second adjective
    _check_spread(np.sqrt(variances.min(axis=2)), stacked, kept)
    combined = [
        [combine(d, v).effect_size for d, v in zip(*row, strict=True)]
        for row in zip(effects, variances, strict=True)
    ]
    return np.array(combined), np.sqrt(variances.mean(axis=2))


def _check_spread(spreads: Floats, stacked: Stack, kept: _Kept) -> None:
    if len(flat := np.argwhere(~(spreads > 8 * np.finfo(stacked.rows.dtype).eps))):  # rounding error
        raise EvidenceError(
            f"the group {kept.groups[int(flat[0][0])]!r} has the same cosine with every context of a trait, "
            "so there is no score.",
            hint="check that the contexts differ, or use score='difference'.",
        )

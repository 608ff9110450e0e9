"""WEFAT scores of words with pairs of social groups, the input of IBD and EIBD (Guo & Caliskan 2021)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    DesignError,
    EvidenceError,
    InputError,
    Missing,
    UnknownNameError,
    in_short,
    join_words,
)
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.geometry import Floats, standardised, unit
from crossroads.core.results import Coverage, Result, Row, Stat, long_row, read_only, stat
from crossroads.core.results.gathered import check_vectors, gather, listed_words
from crossroads.core.stimuli import Groups, StimulusSet
from crossroads.core.wording.table import Table
from crossroads.words.measures.sc_weat import EVERY_WORD
from crossroads.words.measures.weat import check_ddof

_CHUNK = 1 << 13
Key = tuple[str, ...]
"""A group by its subcategories, one for each category: ``("African American", "female")``."""
Sides = tuple[tuple[Key, ...], tuple[Key, ...]]
"""The groups on either side of a contrast."""


class ScoreTable(Mapping[str, Mapping[str, float]]):
    """Scores of many words with several pairs of groups: ``table[pair][word]``, stored as one array."""

    def __init__(
        self, pairs: tuple[str, ...], words: tuple[str, ...], scores: Floats, *, origin: Result | None = None
    ) -> None:
        self.pairs, self.words, self.scores, self.origin = pairs, words, scores, origin

    def __getitem__(self, pair: str) -> Mapping[str, float]:
        if pair not in self.pairs:
            raise KeyError(pair)
        return dict(zip(self.words, self.scores[self.pairs.index(pair)].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    @classmethod
    def of(cls, table: Mapping[str, Mapping[str, float]], what: str) -> ScoreTable:
        """Convert a mapping of pair to word to score; every pair must score the same words."""
        if isinstance(table, ScoreTable):
            return table
        form = f"give {{pair: {{word: score, ...}}, ...}}, such as wefat(...).{what}."
        rows: Any = table  # whatever a user gives
        if not (isinstance(rows, Mapping) and all(isinstance(row, Mapping) for row in rows.values())):
            raise InputError(f"{what} is of type {type(table).__name__}, not a table of scores.", hint=form)
        if not table:
            raise InputError(f"{what} contains no pair of groups.", hint=form)
        words = tuple(next(iter(table.values())))
        for pair, scores in table.items():
            if odd := set(words) ^ set(scores):
                raise InputError(
                    f"{what}: the pair {pair!r} scores other words than the first pair, such as "
                    f"{join_words(sorted(map(repr, odd)), most=3)}.",
                    hint="every pair must score the same words.",
                )
        array = np.array([[float(scores[word]) for word in words] for scores in table.values()])
        if array.size == 0 or not np.isfinite(array).all():
            wrong = "contains nan or infinite scores" if array.size else "scores no words"
            raise InputError(f"{what} {wrong}.", hint="give a number for every candidate word.")
        return cls(tuple(map(str, table)), words, array)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WefatResult(Result):
    """WEFAT scores of words for one intersectional group."""

    _section: ClassVar[str] = "intersections"
    _printed: ClassVar[bool] = False
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting",)
    _label_format: ClassVar[str] = "{target} WEFAT"
    _table_name: ClassVar[str] = "wefat"
    _table_title: ClassVar[str] = "Words with intersectional groups"
    _most_rows: ClassVar[int] = 10
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("group"),
        stat("word"),
        stat("score", "smallest score", "with every other intersectional group"),
    )

    target: str
    """The group."""
    words: tuple[str, ...]
    """The words scored."""
    pair_names: tuple[str, ...]
    """The group against every other intersectional group."""
    pair_scores: NDArray[np.float64]
    """Scores, one row per pair and one column per word."""
    constituent_names: tuple[str, ...]
    """Each subcategory of the group against its siblings."""
    constituent_scores: NDArray[np.float64]
    """Scores, one row per pair of subcategories and one column per word."""
    groups: Mapping[str, tuple[str, ...]]
    """The names that represent each group."""

    @property
    def pairs(self) -> ScoreTable:
        """Scores with every pair of intersectional groups: pair to word to score."""
        return ScoreTable(self.pair_names, self.words, self.pair_scores, origin=self)

    @property
    def constituents(self) -> ScoreTable:
        """Scores with every pair of constituent groups: pair to word to score."""
        return ScoreTable(self.constituent_names, self.words, self.constituent_scores, origin=self)

    def _rows(self) -> list[dict[str, Any]]:
        names = (*self.pair_names, *self.constituent_names)
        table = np.concatenate([self.pair_scores, self.constituent_scores])
        return [
            {"word": word, **dict(zip(names, scores, strict=True))}
            for word, scores in zip(self.words, table.T.tolist(), strict=True)
        ]

    def _members(self) -> Iterator[Row]:
        """The words by their smallest score among the pairs of the group."""
        least = self.pair_scores.min(axis=0, initial=np.inf).tolist()
        for word, score in zip(self.words, least, strict=True):
            yield {"group": self.target, "word": word, "score": score}

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """The words that are closest to the group first."""
        table = super()._tabulate(results)
        return replace(table, rows=tuple(sorted(table.rows, key=lambda row: -row["score"])))

    def _long_rows(self, name: str) -> Iterator[Row]:
        for table in (self.pairs, self.constituents):
            for pair, scores in table.items():
                for word, score in scores.items():
                    yield long_row("wefat", self._label, f"{pair} {word}", "score", score)


def wefat(
    emb: Embeddings,
    groups: Groups | Mapping[Any, Any],
    words: str | Iterable[str],
    target: str | Iterable[str],
    *,
    ddof: int = 1,
    missing: Missing = "raise",
) -> WefatResult:
    r"""Score words by their association with a group relative to each other group.

    .. math::
        s(w, G, H) = \frac{\operatorname{mean}_{g \in G} \cos(w, g)
                           - \operatorname{mean}_{h \in H} \cos(w, h)}
                          {\operatorname{sd}_{n \in G \cup H} \cos(w, n)}

    The *pairs* compare the target group with every other intersectional group. The *constituents* compare
    each of its subcategories, the union of the groups that it contains, with the other subcategories of the
    same category; a subcategory is never compared with itself, because EIBD would then equal IBD.

    Parameters
    ----------
    emb
        Vectors of the names and the words.
    groups
        Table of groups; see :func:`~crossroads.intersections.wefat.group_table` for its forms.
    words
        Candidate words, or ``"*"`` for the whole vocabulary without the names.
    target
        The group: its label, or its subcategories.
    ddof, missing
        As in :func:`~crossroads.weat`; ``missing`` applies to names and words alike.

    Notes
    -----
    *Departures:* the released code has one score of female against male names for each race; here the
    constituent *female* is the union of the female groups of all races.

    References
    ----------
    Guo, W., & Caliskan, A. (2021). doi:10.1145/3461702.3462536

    Examples
    --------
    >>> import crossroads as cr
    >>> groups, words = cr.catalog("ceat-groups"), cr.catalog("ceat-validation").all_words
    >>> scores = cr.stats.wefat(cr.load("default"), groups, words, "AF", missing="drop")
    >>> list(scores.constituents)[1:], round(scores.pairs["AF vs AM"]["loud"], 2)
    (['African American vs Mexican American', 'female vs male'], -0.37)
    """
    check_ddof(ddof)
    found = look_up(emb, groups, target, words, missing)
    first, second = np.empty((2, len(found.rows), len(found.names)))
    for part, cosines in found.cosines():
        first[part] = cosines @ found.member
        second[part] = (cosines * cosines) @ found.member
    scores = found.scores(first, second, found.member, ddof)
    bad = np.flatnonzero(~np.isfinite(scores).all(axis=0))
    if bad.size:
        raise EvidenceError(
            f"the cosines of {join_words([repr(found.words[i]) for i in bad[:4]], most=3)} with all names of "
            "a pair of groups are equal.",
            hint="leave such words out.",
        )
    cut = len(found.pairs)
    return WefatResult(
        target=found.group,
        words=found.words,
        pair_names=tuple(found.pairs),
        pair_scores=read_only(scores[:cut]),
        constituent_names=tuple(found.constituents),
        constituent_scores=read_only(scores[cut:]),
        groups={name: words for name, words in found.coverage.used.items() if name != "words"},
        coverage=found.coverage,
        conventions={"measure": "wefat", "ddof": ddof, "missing": missing, "self pairs": "excluded"},
        provenance=(emb.provenance,),
    )


@dataclass(frozen=True, eq=False)
class Candidates:
    """Words to score for a group, with the names of all groups and what the group is compared with."""

    emb: Embeddings
    group: str
    words: tuple[str, ...]
    rows: NDArray[np.intp]
    """The rows of the words."""
    names: Mapping[Key, Floats]
    """Unit vectors of the names of every group."""
    pairs: Mapping[str, Sides]
    """The group against every other one: name of the pair to the groups on either side."""
    constituents: Mapping[str, Sides]
    """Each subcategory of the group against its siblings."""
    coverage: Coverage

    @cached_property
    def member(self) -> Floats:
        """Which name belongs to which group: one row per name, one column per group."""
        sizes = [len(vectors) for vectors in self.names.values()]
        return np.repeat(np.eye(len(sizes)), sizes, axis=0)

    @cached_property
    def sides(self) -> list[list[list[int]]]:
        """Columns of the groups on either side of every pair, then of every constituent pair."""
        order, every = list(self.names), (*self.pairs.values(), *self.constituents.values())
        return [[[order.index(key) for key in side] for side in sides] for sides in every]

    def cosines(self) -> Iterator[tuple[slice, Floats]]:
        """Cosines of the words with all names, chunk by chunk, minus a constant of each word.

        The names are centred first: the same number for all names of a word changes no contrast, and
        centring avoids cancellation in sums of squares.
        """
        stacked = np.concatenate(list(self.names.values()))
        columns = np.ascontiguousarray((stacked - stacked.mean(axis=0)).T)
        for start in range(0, len(self.rows), _CHUNK):
            part = slice(start, min(start + _CHUNK, len(self.rows)))
            yield part, unit(self.emb.vectors[self.rows[part]]) @ columns

    def differences(self, first: NDArray[Any], member: Floats) -> Floats:
        """Difference of mean cosines of every word with every contrast; ``first`` as in :meth:`scores`."""
        count = member.sum(axis=0)
        means = [[_added(first, side) / int(count[side].sum()) for side in sides] for sides in self.sides]
        return np.stack([one - other for one, other in means])

    def scores(self, first: NDArray[Any], second: NDArray[Any], member: Floats, ddof: int) -> Floats:
        """Effect size of every word with every contrast; NaN where all cosines are equal.

        ``first`` and ``second`` are sums of cosines and of their squares: a row per word, a column per group.
        """
        sizes, scores = member.sum(axis=0), self.differences(first, member)
        for row, (g, h) in zip(scores, self.sides, strict=True):
            n = int(sizes[g + h].sum())
            squares = _added(second, g + h) - (_added(first, g) + _added(first, h)) ** 2 / n
            row[:] = standardised(row, squares / (n - ddof), flat=squares <= 1e-20)
        return scores


def _added(table: NDArray[Any], columns: list[int]) -> NDArray[Any]:
    """The sum of some columns, one after the other: fast, and the same on every machine."""
    return reduce(np.add, (table[:, column] for column in columns))


def look_up(
    emb: Embeddings,
    groups: Groups | Mapping[Any, Any],
    target: str | Iterable[str],
    words: str | Iterable[str],
    missing: str,
) -> Candidates:
    """Find the words and the names, and what the target is compared with."""
    table = group_table(groups)
    key = table.find(target)
    check_vectors(emb)
    sets = {table.labels[one]: names for one, names in table.names.items()}
    least, every = dict.fromkeys(sets, 2), isinstance(words, str) and words == EVERY_WORD
    if not every:
        sets["words"] = listed_words("words", words, hint="give a list of words, or '*' for all.")
        least["words"] = 1
        if not sets["words"]:
            raise InputError("there are no candidate words.", hint="give at least one, or '*' for all.")
    found = gather(emb, sets, missing=missing, least=least, rows_only=("words",))
    if not every:
        candidates, rows = found.words["words"], found.rows["words"]
    else:
        usable = np.concatenate([emb.vectors[i : i + _CHUNK].any(axis=1) for i in range(0, len(emb), _CHUNK)])
        usable[np.concatenate(list(found.rows.values()))] = False
        rows = np.flatnonzero(usable)
        if not rows.size:
            raise InputError("the vocabulary contains nothing but the names.", hint="add candidate words.")
        candidates = tuple(emb.labels[i] for i in rows)
    label, vectors = table.labels[key], {one: found.vectors[table.labels[one]] for one in table.names}
    others = [one for one in table.names if one != key]
    pairs = {f"{label} vs {table.labels[one]}": ((key,), (one,)) for one in others}
    constituents = table.constituents(key)
    return Candidates(emb, label, candidates, rows, vectors, pairs, constituents, found.coverage)


@dataclass(frozen=True, kw_only=True)
class GroupTable:
    """Intersectional groups by their subcategories."""

    categories: tuple[str, ...]
    """Names of the categories."""
    names: Mapping[Key, tuple[str, ...]]
    """The names that stand for each group."""
    labels: Mapping[Key, str]
    """Name of each group in results."""

    def find(self, target: str | Iterable[str]) -> Key:
        """Find a group by its label or its subcategories."""
        if not isinstance(target, Iterable):
            raise DesignError(
                f"the target is {in_short(target)}.", hint="give the label of a group, or its subcategories."
            )
        name = target if isinstance(target, str) else " / ".join(map(str, target))
        for key, label in self.labels.items():
            if name.casefold() in (label.casefold(), " / ".join(key).casefold(), "/".join(key).casefold()):
                return key
        known = (*self.labels.values(), *(" / ".join(key) for key in self.names))
        raise UnknownNameError("group", name, dict.fromkeys(known))

    def constituents(self, target: Key) -> dict[str, Sides]:
        """Each subcategory of a group against the others of the same category."""
        constituents: dict[str, Sides] = {}
        contested = [
            (i, value, other)
            for i, value in enumerate(target)
            for other in dict.fromkeys(key[i] for key in self.names)
            if other != value
        ]
        for i, value, other in contested:
            mine, theirs = (tuple(key for key in self.names if key[i] == one) for one in (value, other))
            # "high" and "low" may be of income and of rank
            twice = sum((v, o) == (value, other) for _, v, o in contested) > 1
            constituents[f"{value} vs {other}{f' ({self.categories[i]})' if twice else ''}"] = (mine, theirs)
        return constituents


def group_table(groups: Groups | Mapping[Any, Any]) -> GroupTable:
    """Convert a table of groups from any accepted form.

    Parameters
    ----------
    groups
        Groups of the catalogue; or a mapping of subcategories to names, ``{("Black", "female"): [...]}``;
        or nested mappings in which each level is a category, ``{"Black": {"female": [...]}}``; or
        category to subcategory to names, ``{"race": {"Black": [...]}, "gender": {"female": [...]}}``, where
        each name is listed once under every category, and groups are the names that two subcategories share.

    Examples
    --------
    >>> table = group_table({"Black": {"female": ["Aisha"], "male": ["Jamal"]}})
    >>> table.find("black/male"), table.names["Black", "male"]
    (('Black', 'male'), ('Jamal',))
    """
    categories: tuple[str, ...] = ()
    labels: dict[Key, str] = {}
    if isinstance(groups, Groups):
        table: dict[Key, Any] = dict(groups.table())
        categories = tuple(groups.categories)
        labels = {tuple(g.categories[c] for c in categories): g.name for g in groups.members}
    elif not hasattr(groups, "items") or not groups:
        raise DesignError(
            f"the groups are of type {type(groups).__name__}.",
            hint="give a mapping such as {('Black', 'female'): ['Aisha', ...], ...}.",
        )
    elif any(isinstance(key, tuple) for key in groups):
        keys = {key: key if isinstance(key, tuple) else (key,) for key in groups}
        table = {tuple(map(str, parts)): groups[key] for key, parts in keys.items()}
    else:
        table = _flattened(groups)
        if not table:
            raise DesignError("the groups contain no names.", hint="give the names of each group.")
        if len(groups) > 1 and all(len(key) == 2 for key in table):
            listed = {str(category): set[str]() for category in groups}
            for (category, _), words in table.items():
                listed[category].update(words)
            first, *others = listed.values()
            if all(names == first for names in others):
                table, categories = _crossed(table), tuple(listed)
    categories = categories or tuple(f"category {i + 1}" for i in range(len(next(iter(table)))))
    labels = labels or {key: " / ".join(key) for key in table}
    names = {key: tuple(StimulusSet.of(words, labels[key])) for key, words in table.items()}
    _check(names, labels)
    return GroupTable(categories=categories, names=names, labels=labels)


def _flattened(groups: Mapping[Any, Any], above: Key = ()) -> dict[Key, StimulusSet]:
    found: dict[Key, StimulusSet] = {}
    for key, value in groups.items():
        here = (*above, str(key))
        if isinstance(value, Mapping):
            found |= _flattened(value, here)
        else:
            found[here] = StimulusSet.of(value, " / ".join(here))
    return found


def _crossed(parts: Mapping[Key, Iterable[str]]) -> dict[Key, list[str]]:
    """Groups as the names that are listed under one subcategory of every category."""
    place: dict[str, dict[str, str]] = {}
    for (category, value), names in parts.items():
        for name in names:
            if category in place.setdefault(name, {}):
                raise DesignError(
                    f"{in_short(name)} is listed under two subcategories of {in_short(category)}.",
                    hint="put each name under one subcategory of every category.",
                )
            place[name][category] = value
    table: dict[Key, list[str]] = {}
    for name, values in place.items():
        table.setdefault(tuple(values.values()), []).append(name)
    return table


def _check(names: Mapping[Key, tuple[str, ...]], labels: Mapping[Key, str]) -> None:
    if len({len(key) for key in names}) > 1:
        shown = join_words([" / ".join(key) for key in names], most=4)
        raise DesignError(
            f"the groups do not have the same number of categories: {shown}.",
            hint="name one subcategory of every category for each group.",
        )
    if len(names) < 2:
        raise DesignError(f"there is one group, {next(iter(labels.values()))!r}.", hint="give two or more.")
    if "words" in labels.values() or len(set(labels.values())) < len(labels):
        raise DesignError(
            f"groups are called {join_words(map(in_short, labels.values()), most=4)}.",
            hint="give each group its own name; 'words' is reserved for the candidates.",
        )
    owner: dict[str, str] = {}
    for name, label in ((name, labels[key]) for key, words in names.items() for name in words):
        if name in owner:
            raise DesignError(
                f"the groups {in_short(owner[name])} and {in_short(label)} share the name {in_short(name)}.",
                hint="a name can stand for one group only: remove it from one of them, or from both.",
            )
        owner[name] = label

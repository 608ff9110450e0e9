"""One question under every choice that a researcher could have made: the specification curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, ClassVar, Literal, Self

import numpy as np

from crossroads.errors import EvidenceError, InputError, MissingStimuliError, one_of
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats, effect_sizes, rounding_error, unit
from crossroads.inference.crossed import spread, tail_probability
from crossroads.inference.options import share
from crossroads.measures.association.weat import check_ddof
from crossroads.measures.coverage.words import Missing, check_inputs, gather
from crossroads.results import Result, Row, Values, long_row
from crossroads.stimuli import Design
from crossroads.wording.numbers import counted
from crossroads.wording.table import Column, Table

Casing = Literal["as given", "lower", "capitalised"]
Similarity = Literal["cosine", "dot", "euclidean"]
_MOST = 10_000
"""Specifications beyond which nobody reads a curve."""


@dataclass(frozen=True, kw_only=True)
class Specification:
    """One combination of choices, and what it gives."""

    choices: Mapping[str, str]
    """The choice made of each kind."""
    effect_size: float
    """Effect size d."""
    difference: float
    """Difference of the mean similarities, in their own units."""
    statistic: float
    """That difference in standard errors over the choice of words in all sets."""
    pvalue: float
    """Its two-sided p-value, for other words for the same things."""
    words: int
    """Number of words measured."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultiverseResult(Result):
    """One test under every combination of choices."""

    section: ClassVar[str] = "tests"
    stem: ClassVar[str] = "multiverse"
    figure: ClassVar[str] = "association.multiverse:specification_curve"
    cites: ClassVar[tuple[str, ...]] = ("steegen2016increasing", "simonsohn2020specification")
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "multiverse": ("agreement", "same_sign", "below", "median", "smallest", "largest")
    }

    design: str
    """Name of the design."""
    specifications: tuple[Specification, ...]
    """Every combination that could be measured; the first is the one that the others are compared with."""
    skipped: Mapping[str, str]
    """Combinations that could not be measured, and why."""
    level: float
    """Level at which a p-value is an answer."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What the sets of the first design stand for."""

    @property
    def label(self) -> str:
        """The design, and that it was measured in many ways."""
        return multiverse_name(self.design)

    @property
    def agreement(self) -> float:
        """Share of specifications with the answer of the first: its sign if p is below the level."""
        first = self._answer(self.specifications[0])
        return self._share(lambda one: self._answer(one) == first)

    @property
    def same_sign(self) -> float:
        """Share of specifications whose difference has the sign of the first."""
        sign = np.sign(self.specifications[0].difference)
        return self._share(lambda one: bool(np.sign(one.difference) == sign))

    @property
    def below(self) -> float:
        """Share of specifications whose p-value is below the level."""
        return self._share(lambda one: one.pvalue < self.level)

    def rows(self) -> list[Row]:
        """One row per specification, in order of effect size."""
        ordered = sorted(self.specifications, key=lambda one: one.effect_size)
        return [
            {
                **one.choices,
                "effect_size": one.effect_size,
                "difference": one.difference,
                "statistic": one.statistic,
                "p": one.pvalue,
                "words": one.words,
            }
            for one in ordered
        ]

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per test: how many specifications there are, and how many agree."""
        rows = [
            {
                "test": one.design,
                "question": one.question,
                "specifications": len(one.specifications),
                "agree": one.agreement,
                "sign": one.same_sign,
                "below": one.below,
                **dict(zip(("low", "middle", "high"), one.range(), strict=True)),
            }
            for one in results.values()
        ]
        columns = (
            Column(key="test", head="test"),
            Column(key="question", head="question", spare=1),
            Column(key="specifications", head="ways", note="combinations of choices", kind="count"),
            Column(
                key="agree",
                head="agree",
                note="share of ways with the answer of the first (sign, and p below the level or not)",
                kind="share",
            ),
            Column(key="sign", head="same sign", note="share with its sign", kind="share", spare=2),
            Column(key="below", head="p < .05", note="share below the level, for other words", kind="share"),
            Column(key="low", head="least d", note="smallest effect size", spare=3),
            Column(key="middle", head="median d"),
            Column(key="high", head="most d", note="largest effect size", spare=3),
        )
        lost = {one.design: len(one.skipped) for one in results.values() if one.skipped}
        notes = tuple(f"{name}: {counted(n, 'way')} could not be measured." for name, n in lost.items())
        title = "Every way to ask the same question"
        return Table(name="multiverse", title=title, columns=columns, rows=tuple(rows), notes=notes)

    def by_choice(self) -> dict[str, dict[str, float]]:
        """Median effect size of the specifications with each choice: which choices matter."""
        found: dict[str, dict[str, float]] = {}
        for kind in self.specifications[0].choices:
            values = dict.fromkeys(one.choices[kind] for one in self.specifications)
            found[kind] = {
                value: float(
                    np.median([one.effect_size for one in self.specifications if one.choices[kind] == value])
                )
                for value in values
            }
        return found

    def range(self) -> tuple[float, float, float]:
        """Smallest, median and largest effect size."""
        sizes = np.array([one.effect_size for one in self.specifications])
        return float(sizes.min()), float(np.median(sizes)), float(sizes.max())

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number of every specification."""
        for one in self.specifications:
            part = ", ".join(one.choices.values())
            p = {"p": one.pvalue, "method": "crossed", "n": one.words}
            yield long_row("multiverse", self.design, part, "effect_size", one.effect_size, **p)
            yield long_row("multiverse", self.design, part, "difference", one.difference, **p)
            yield long_row("multiverse", self.design, part, "statistic", one.statistic)
        for statistic in ("agreement", "same_sign", "below", "level"):
            yield long_row("multiverse", self.design, "", statistic, getattr(self, statistic))

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """Shares and range, for rules."""
        low, middle, high = self.range()
        shares: Values = {"agreement": self.agreement, "same_sign": self.same_sign, "below": self.below}
        yield self.label, "multiverse", {**shares, "median": middle, "smallest": low, "largest": high}

    def _answer(self, one: Specification) -> float:
        """The sign of a difference that is an answer; 0 for none."""
        return float(np.sign(one.difference)) if one.pvalue < self.level else 0.0

    def _share(self, holds: Callable[[Specification], bool]) -> float:
        return sum(map(holds, self.specifications)) / len(self.specifications)


def multiverse_name(design: str) -> str:
    """Name of the specifications of a test, such as ``weat6 multiverse``."""
    return f"{design} multiverse"


def multiverse(
    models: Embeddings | Mapping[str, Embeddings],
    designs: Design | Mapping[str, Design],
    *,
    casing: Sequence[Casing] = ("as given",),
    similarity: Sequence[Similarity] = ("cosine", "dot", "euclidean"),
    ddof: Sequence[int] = (1, 0),
    level: float = 0.05,
    missing: Missing = "drop",
) -> MultiverseResult:
    """Ask one question in every way in which it could have been asked.

    Each combination of a model, a variant of the word lists and the conventions is a specification. All are
    measured with targets and attributes drawn, and the share that gives the same answer as the first is what
    an analyst who chose otherwise would probably have found.

    Parameters
    ----------
    models
        Vectors, or several by name: layers, templates, seeds, corpora.
    designs
        A design, or variants of its word lists by name.
    casing
        How words are looked up: ``"as given"``, ``"lower"``, ``"capitalised"``. The vectors must hold the
        words so written.
    similarity
        ``"cosine"``, ``"dot"`` (of vectors as they are) or ``"euclidean"`` (the distance, negative).
    ddof
        1 or 0, of the standard deviation in d.
    level
        Level at which a p-value is an answer.
    missing
        As in :func:`~crossroads.weat`; ways in which a set has too few words left are skipped and listed.

    Notes
    -----
    The first of each kind makes the specification that others are compared with. Specifications are not
    independent, and their share is not a p-value.

    References
    ----------
    Steegen, S., Tuerlinckx, F., Gelman, A., & Vanpaemel, W. (2016). doi:10.1177/1745691616658637;
    Simonsohn, U., Simmons, J. P., & Nelson, L. D. (2020). doi:10.1038/s41562-020-0912-z

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat6")
    >>> emb = cr.load("default", words=design.words)
    >>> found = cr.multiverse(emb, {"all": design, "ml-eat": cr.catalog("weat6", variant="ml-eat")})
    >>> len(found.specifications), found.agreement
    (12, 1.0)
    """
    models = {"": models} if isinstance(models, Embeddings) else models
    designs = {"": designs} if isinstance(designs, Design) else designs
    given: tuple[tuple[str, Any], ...] = (("models", models), ("designs", designs))
    for name, some in given:
        if not hasattr(some, "items") or not some:
            hint = "give one, or several by name: {name: ..., ...}."
            raise InputError(f"{name} is of type {type(some).__name__}, or empty.", hint=hint)
    for design in designs.values():
        check_inputs(design, *models.values())
        if design.y is None:
            raise InputError(f"the design {design.name!r} has a single target.", hint="give y.")
    share("level", level)
    for name, values, known in (("casing", casing, Casing), ("similarity", similarity, Similarity)):
        for value in _several(name, values):
            one_of(name, value, known)
    for value in _several("ddof", ddof):
        check_ddof(value)  # type: ignore[arg-type]
    total = len(models) * len(designs) * len(casing) * len(similarity) * len(ddof)
    if total > _MOST:
        raise InputError(f"there are {total:,} specifications.", hint=f"offer at most {_MOST:,}.")
    found: list[Specification] = []
    skipped: dict[str, str] = {}
    for (model, emb), (variant, design), case in product(models.items(), designs.items(), casing):
        where = {"model": model, "words": variant, "casing": case if len(casing) > 1 else ""}
        named = {key: value for key, value in where.items() if value}
        try:
            tables = _tables(emb, _cased(design, case), missing, similarity)
        except (MissingStimuliError, EvidenceError) as error:
            skipped[", ".join(named.values()) or design.name] = getattr(error, "reason", error.message)
            continue
        for kind, (table, n_x, n_a) in tables.items():
            for one in ddof:
                choices = named | {"similarity": kind, "ddof": str(one)}
                found.append(_specification(table, n_x, n_a, one, choices))
    if not found:
        reason = next(iter(skipped.values()))
        raise InputError(
            f"no specification can be measured: {reason}", hint="use vectors that hold the words."
        )
    first = next(iter(designs.values()))
    sources = {one.provenance.source: one.provenance for one in models.values()}
    return MultiverseResult(
        design=first.name,
        specifications=tuple(found),
        skipped=skipped,
        level=level,
        titles={key: words.name for key, words in first.sets.items()},
        conventions={
            "measure": "multiverse",
            "models": list(filter(None, models)),
            "designs": list(filter(None, designs)),
            "casing": list(casing),
            "similarity": list(similarity),
            "ddof": list(ddof),
            "level": level,
            "missing": missing,
        },
        provenance=tuple(sources.values()),
    )


def _several(name: str, values: object) -> Iterable[object]:
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise InputError(f"{name} is {values!r}.", hint="give a list of at least one choice.")
    return values


def _cased(design: Design, casing: Casing) -> Design:
    """The design with its words written in another case; words that become equal count once."""
    if casing == "as given":
        return design
    written = str.lower if casing == "lower" else _capitalised
    sets: dict[str, Any] = {
        key: replace(words, items=tuple(dict.fromkeys(map(written, words))))
        for key, words in design.sets.items()
    }
    return replace(design, **sets)


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]


def _tables(
    emb: Embeddings, design: Design, missing: Missing, similarity: Sequence[Similarity]
) -> dict[Similarity, tuple[Floats, int, int]]:
    """Similarities of targets with attributes, and the sizes of the first sets."""
    found = gather(emb, design.sets, missing=missing, least=dict.fromkeys("xyab", 2), design=design.name)
    rows = {key: np.asarray(emb.vectors[place], dtype=np.float64) for key, place in found.rows.items()}
    targets, attributes = np.concatenate([rows["x"], rows["y"]]), np.concatenate([rows["a"], rows["b"]])
    tables: dict[Similarity, Floats] = {}
    for kind in similarity:
        if kind == "cosine":
            tables[kind] = unit(targets) @ unit(attributes).T
        elif kind == "dot":
            tables[kind] = targets @ attributes.T
        else:
            apart = targets[:, None, :] - attributes[None, :, :]
            tables[kind] = -np.sqrt(np.einsum("tad,tad->ta", apart, apart))
    n_x, n_a = len(rows["x"]), len(rows["a"])
    for kind, table in tables.items():
        s = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
        error = rounding_error(emb.dim) * max(1.0, float(np.abs(table).max()))
        if float(s.max() - s.min()) <= 2 * error:
            raise EvidenceError(f"every association of the design {design.name!r} is equal ({kind}).")
        if float(spread(table, n_x, n_a).total) <= (4 * error) ** 2:
            raise EvidenceError(
                f"the words of the sets of the design {design.name!r} do not differ ({kind})."
            )
    return {kind: (table, n_x, n_a) for kind, table in tables.items()}


def _specification(table: Floats, n_x: int, n_a: int, ddof: int, choices: Mapping[str, str]) -> Specification:
    s = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
    (d,), _ = effect_sizes(s[None], n_x, ddof=ddof)
    found = spread(table, n_x, n_a)
    t = float(found.difference / np.sqrt(found.total))
    return Specification(
        choices=choices,
        effect_size=float(d),
        difference=float(found.difference),
        statistic=t,
        pvalue=float(tail_probability(t, found.df, "two-sided")),
        words=sum(table.shape),
    )

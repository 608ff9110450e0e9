"""Scores of social groups on pairs of opposite traits, by any measure."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    CrossroadsWarning,
    InputError,
    UnknownNameError,
    in_short,
    one_of,
    require,
)
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.crossed import LEVEL, half_width, spread, tail_probability
from crossroads.core.inference.multiplicity import benjamini_hochberg
from crossroads.core.results import Coverage, Result, Row, Stat, long_row, read_only, stat
from crossroads.core.results.stats import NAME
from crossroads.core.wording import phrases
from crossroads.core.wording.table import Table
from crossroads.traits.probe.evidence import Logits, positions

Cell = tuple[str, str, str]
"""A template, a group (or prior) and an adjective."""
Adjectives = Literal["pairs", "synonyms", "synonyms-median"]
"""Which words stand for an adjective: itself, or the mean or median of itself and its synonyms."""
Floats = NDArray[np.float64]
_CELLS = {"se": "se", "df": "df", "low": "low", "high": "high", "p": "pvalue", "p_bh": "p_bh"}
"""Numbers of a cell by their names in files, and the fields that have them."""

CITED: Mapping[str, tuple[str, ...]] = {
    "ilps": ("cao2022theory", "kurita2019measuring"),
    "ilps*": ("cao2022theory", "kurita2019measuring"),
    "set": ("cao2022theory",),
    "group-ceat": ("guo2021detecting", "cao2022theory"),
}
"""Publications behind measures of groups on traits."""
_CI = "of each score by itself, for other templates and words"
_P = "how often other templates and words would give a score as far from 0, were the mean over all of them 0"
_MODELS = {"masked": "masked", "causal": "causal: the adjective continues the text before it"}


def cell_rows(groups: tuple[str, ...], traits: tuple[str, ...], **tables: Floats | None) -> list[Row]:
    """One row per group and trait, with its cell of each table; None in place of NaN."""
    return [
        {"group": group, "trait": trait}
        | {key: None if table is None else _plain(float(table[g, t])) for key, table in tables.items()}
        for g, group in enumerate(groups)
        for t, trait in enumerate(traits)
    ]


def cell_intervals(scores: Floats, se: Floats | None, df: Floats | None) -> dict[str, Any]:
    """Intervals and p-values of cells by their t statistics, as fields of a result.

    The p-values of all cells are adjusted together. NaN where a standard error is missing or rounding error.
    """
    if se is None or df is None:
        return {"se": se, **dict.fromkeys(("df", "low", "high", "pvalue", "p_bh"))}
    known = se > 1e-12 * np.nanmax(np.abs(scores), initial=0.0)
    safe = np.where(known, se, 1.0)
    half = np.where(known, half_width(safe, df, LEVEL), np.nan)
    pvalue = np.where(known, tail_probability(scores / safe, df, "two-sided"), np.nan)
    adjusted = np.full(scores.shape, np.nan)
    adjusted[known] = benjamini_hochberg(pvalue[known])
    tables = {"se": se, "df": np.where(known, df, np.nan), "low": scores - half, "high": scores + half}
    tables |= {"pvalue": pvalue, "p_bh": adjusted}
    return {name: read_only(np.asarray(table)) for name, table in tables.items()}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CellScores(Result):
    """Scores of groups on traits, each with an interval; every table has a row per group."""

    _section: ClassVar[str] = "traits"
    _figure: ClassVar[str] = "trait_heatmap"
    _most_rows: ClassVar[int] = 10
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("scores", of=NAME, several=True),
        stat("group"),
        stat("trait", "pair"),
        stat("score", note="above 0 towards the second adjective of the pair"),
        stat("ci", "95 % CI", _CI, of="low", kind="interval", spare=2),
        stat("p", note=_P, spare=3),
        stat("p_bh", "BH", f"{phrases.ADJUSTMENTS['bh'][1]} for all cells", kind="p", spare=1),
    )
    _arrays: ClassVar[tuple[str, ...]] = ("scores", *_CELLS.values())
    """Fields with an array, of which groups are always the last dimension but one."""

    groups: tuple[str, ...]
    """The groups: rows of the scores."""
    traits: tuple[str, ...]
    """The pairs of traits, left end first: columns of the scores."""
    scores: Floats
    """Groups × pairs, positive towards the right end; NaN where a cell behind a score is undefined."""
    se: Floats | None = None
    """Standard error of each score over the choice of templates, and of words where several stand for a group
    or for an end of a pair; NaN where the score is. None where nothing could have been chosen otherwise, or
    for scores computed elsewhere."""
    df: Floats | None = None
    """Degrees of freedom of the standard errors."""
    low: Floats | None = None
    """Lower ends of 95 % intervals, each by itself; NaN where templates and words do not differ."""
    high: Floats | None = None
    """Upper ends."""
    pvalue: Floats | None = None
    """Two-sided p-values of scores of 0: as close to either end, over all templates and words."""
    p_bh: Floats | None = None
    """The same adjusted for the number of cells (Benjamini & Hochberg)."""

    def _tables(self) -> dict[str, Any]:
        """The arrays that are known."""
        return {name: table for name in self._arrays if (table := getattr(self, name)) is not None}

    def _members(self) -> list[Row]:
        return self._rows()

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """The furthest scores from 0 first."""
        table = super()._tabulate(results)
        rows = sorted((r for r in table.rows if r["score"] is not None), key=lambda r: -abs(r["score"]))
        known = any(row["ci"] for row in rows)
        return replace(table if known else table.without(("ci", "p", "p_bh")), rows=tuple(rows))

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        for label, one in results.items():
            size = f"{len(one.groups)} groups × {len(one.traits)} pairs of traits"
            yield f"{label}: {size}, the furthest scores first."

    def _rows(self) -> list[Row]:
        known = {name: getattr(self, field) for name, field in _CELLS.items()}
        return cell_rows(self.groups, self.traits, score=self.scores, **known)

    def to_dict(self) -> dict[str, Any]:
        """The whole result as plain data; undefined numbers are ``None``."""
        tables = self._tables()
        defined: dict[str, Any] = {name: np.nan_to_num(table) for name, table in tables.items()}
        plain = {name: _plain(table.tolist()) for name, table in tables.items()}
        return {**super(CellScores, replace(self, **defined)).to_dict(), **plain}

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every score, with what is known of it; not those of single templates."""
        measure = str(getattr(self, "measure", self.conventions.get("measure", "")))
        for row in self._rows():
            cell = partial(long_row, measure, self._label, f"{row['group']}, {row['trait']}")
            yield cell("score", row["score"], **{key: row[key] for key in ("low", "high", "p", "p_bh")})
            for statistic in ("se", "df") if self.se is not None else ():
                yield cell(statistic, row[statistic])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TraitScores(CellScores):
    """One score for each group and pair of traits: that of the right adjective minus that of the left.

    Examples
    --------
    >>> import crossroads as cr
    >>> scores = cr.traits.TraitScores.from_table({"women": {"cold-warm": 0.4}, "men": {"cold-warm": -0.1}})
    >>> scores.groups, scores.row("men")
    (('women', 'men'), {'cold-warm': -0.1})
    """

    _stem: ClassVar[str] = "traits"
    _arrays: ClassVar[tuple[str, ...]] = (*CellScores._arrays, "adjective_scores", "template_scores")
    _label_format: ClassVar[str] = "{measure} scores"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "scores": "largest=_extremes.1 smallest=_extremes.0 undefined=_undefined_cells left_out=_left_out"
    }

    measure: str
    """The measure: ``ilps``, ``ilps*``, ``set``, or a name of your own."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Left and right adjective of each pair; empty for scores computed elsewhere."""
    adjectives: tuple[str, ...] = ()
    """The adjectives of the pairs; empty for scores computed elsewhere."""
    adjective_scores: Floats | None = None
    """Groups × adjectives: the mean over the templates."""
    templates: tuple[str, ...] = ()
    """The templates that were averaged."""
    template_scores: Floats | None = None
    """Templates × groups × adjectives, relative to the prior."""
    undefined: tuple[Cell, ...] = ()
    """Cells without a score under the conventions chosen: template, group and adjective."""
    floored: tuple[Cell, ...] = ()
    """Cells whose distance was below the floor and counts as the floor; rows of the prior included."""

    def __post_init__(self) -> None:
        cells, words = (len(self.groups), len(self.traits)), (len(self.groups), len(self.adjectives))
        sizes = {"adjective_scores": words, "template_scores": (len(self.templates), *words)}
        for name, table in self._tables().items():
            if table.shape != sizes.get(name, cells):
                raise InputError(
                    f"{name} are of shape {table.shape}, expected {sizes.get(name, cells)}.",
                    hint="groups × traits, groups × adjectives and templates × groups × adjectives.",
                )

    def to_frame(self, *, wide: bool = False) -> Any:
        """The scores as a pandas data frame: one row per group and pair, or ``wide``, one row per group."""
        if not wide:
            return super().to_frame()
        pandas = require("pandas", extra="frames", purpose="to_frame()")
        index = pandas.Index(self.groups, name="group")
        return pandas.DataFrame(np.array(self.scores), index=index, columns=list(self.traits))

    def row(self, group: str) -> dict[str, float]:
        """The scores of one group by pair."""
        (at,) = positions("group", [group], self.groups)
        return dict(zip(self.traits, self.scores[at].tolist(), strict=True))

    def select(
        self, groups: Iterable[str] | None = None, *, templates: Iterable[str] | None = None
    ) -> TraitScores:
        """Some of the groups, in the order given, and the scores of some templates alone, averaged again.

        Standard errors are then over these templates; where synonyms were averaged there are none, since
        their single scores are not kept.
        """
        at = positions("group", groups, self.groups)
        tables: dict[str, Any] = {name: read_only(t[..., at, :]) for name, t in self._tables().items()}
        used = self.templates
        if templates is not None:
            every = self._single_templates()
            chosen = positions("template", templates, self.templates)
            used = tuple(self.templates[i] for i in chosen)
            tables = averages(every[chosen][:, at], self.adjectives, self.pairs)
            if self.conventions.get("adjectives", "pairs") != "pairs":
                tables["se"] = None
        tables |= cell_intervals(tables["scores"], tables.get("se"), tables.get("df"))  # of fewer cells
        names = tuple(self.groups[i] for i in at)
        gone = set(self.groups).difference(names)  # rows of the prior are of no group, and stay
        cells: dict[str, Any] = {
            kind: tuple(cell for cell in getattr(self, kind) if cell[0] in used and cell[1] not in gone)
            for kind in ("undefined", "floored")
        }
        return replace(self, groups=names, templates=used, **tables, **cells)

    def _by_template(self) -> Floats:
        """Scores before averaging: templates × groups × pairs."""
        return differences(self._single_templates(), self.adjectives, self.pairs)

    def _single_templates(self) -> Floats:
        if self.template_scores is None:
            raise InputError(
                "these scores are not available per template.", hint="measure them with templates."
            )
        return self.template_scores

    @classmethod
    def from_table(
        cls, table: Mapping[str, Mapping[str, float]], *, measure: str = "given scores", provenance: Any = ()
    ) -> Self:
        """Scores computed elsewhere: group to trait to score, every group with the same traits."""
        given: Any = table
        if not isinstance(given, Mapping) or not given:
            raise InputError(
                f"{in_short(given)} is not a table of scores.", hint="give {group: {trait: score}}."
            )
        first, top = next(iter(given.items()))
        traits = tuple(top) if isinstance(top, Mapping) else ()
        for group, row in given.items():
            if not traits or not isinstance(row, Mapping) or set(row) != set(traits):
                raise InputError(
                    f"the group {in_short(group)} has no scores, or other traits than {in_short(first)}.",
                    hint="give every group the same traits.",
                )
        try:
            scores = np.array([[float(row[trait]) for trait in traits] for row in table.values()])
        except (TypeError, ValueError) as error:
            raise InputError(f"a score is not a number: {error}.", hint="leave such groups out.") from error
        if not np.isfinite(scores).all():
            raise InputError("a score is nan or infinite.", hint="leave out groups without scores.")
        return cls(
            measure=measure,
            groups=tuple(table),
            traits=traits,
            scores=read_only(scores),
            conventions={"measure": measure},
            provenance=tuple(provenance),
        )

    @property
    def _cites(self) -> tuple[str, ...]:  # type: ignore[override]
        return CITED.get(str(self.conventions.get("measure", self.measure)), ())

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        names = ", ".join(dict.fromkeys(phrases.measure(one.measure) for one in results.values()))
        return replace(super()._tabulate(results), title=f"Groups and traits: {names}")

    def _long_rows(self, name: str) -> Iterator[Row]:
        yield from super()._long_rows(name)
        row = partial(long_row, self.measure, self._label)
        if self.adjective_scores is not None:
            for one in cell_rows(self.groups, self.adjectives, score=self.adjective_scores):
                yield row(f"{one['group']}, {one['trait']}", "adjective_score", one["score"])
        for kind in ("undefined", "floored"):
            yield row("", kind, len(getattr(self, kind)))

    @property
    def _extremes(self) -> tuple[float, float] | None:
        known = self.scores[np.isfinite(self.scores)]
        return (float(known.min()), float(known.max())) if known.size else None

    @property
    def _undefined_cells(self) -> float:
        return float(len(self.undefined))


def _plain(value: Any) -> Any:
    """Nested lists with None in place of NaN."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if value != value else value


_Pairs = tuple[tuple[str, str], ...]


def differences(scores: Floats, adjectives: tuple[str, ...], pairs: _Pairs) -> Floats:
    """Scores of the right adjective of each pair minus those of the left one, on the last axis."""
    left, right = ([adjectives.index(pair[side]) for pair in pairs] for side in (0, 1))
    return np.asarray(scores[..., right] - scores[..., left])


def averages(template_scores: Floats, adjectives: tuple[str, ...], pairs: _Pairs) -> dict[str, Any]:
    """Scores averaged over templates, with standard errors where there are several: fields of a result."""
    by_adjective, each = template_scores.mean(axis=0), differences(template_scores, adjectives, pairs)
    n, several = len(each), len(each) > 1
    return {
        "scores": read_only(differences(by_adjective, adjectives, pairs)),
        "se": each.std(axis=0, ddof=1) / np.sqrt(n) if several else None,
        "df": np.full(each.shape[1:], n - 1.0) if several else None,
        "adjective_scores": read_only(by_adjective),
        "template_scores": read_only(np.ascontiguousarray(template_scores)),
    }


def selected(logits: Logits, templates: Iterable[str] | None) -> Logits:
    """Check the logits, and select the templates to measure."""
    given: Any = logits
    if not isinstance(given, Logits):
        hint = "give the logits of a language model: cr.Logits."
        if isinstance(given, Embeddings):
            hint = "word vectors have no logits; use weat, mleat or group_ceat."
        raise InputError(f"logits are of type {type(given).__name__}.", hint=hint)
    return logits if templates is None else logits.select(templates=templates)


def trait_scores(
    logits: Logits,
    values: Floats,
    *,
    measure: str,
    prior: str | None,
    adjectives: str,
    conventions: Mapping[str, Any],
    floored: NDArray[np.bool_] | None = None,
) -> TraitScores:
    """Scores relative to a prior, averaged over synonyms and templates.

    ``values`` are log-scores, rows × templates × adjectives, NaN where undefined; ``floored`` says which of
    them were moved to a floor.
    """
    one_of("choice of adjectives", adjectives, Adjectives)
    if prior is None:
        prior = "mask" if logits.kind == "masked" else "noun"
    if prior not in logits.priors:
        hint = None if logits.priors else "probe again with a prior: mask or noun."
        raise UnknownNameError("prior", prior, logits.priors, hint=hint)
    base = len(logits.groups) + logits.priors.index(prior)
    relative = values[: len(logits.groups)] - values[base]
    words = tuple(dict.fromkeys(word for trait in logits.traits for word in (trait.left, trait.right)))
    stand_ins, dropped = _stand_ins(logits, words, adjectives)
    reduce = np.median if adjectives == "synonyms-median" else np.mean
    merged = [reduce(relative[:, :, stand_ins[word]], axis=2) for word in words]
    table = np.stack(merged, axis=2).transpose(1, 0, 2)
    pairs = tuple((trait.left, trait.right) for trait in logits.traits)
    tables = averages(table, words, pairs)
    if adjectives == "synonyms" and len(table) > 1:  # templates and the words of either end are crossed
        ends = [(stand_ins[left], stand_ins[right]) for left, right in pairs]
        errors = [spread(relative[:, :, [*one, *two]], relative.shape[1], len(one)) for one, two in ends]
        tables["se"] = np.sqrt(np.stack([one.total for one in errors], axis=1))
        tables["df"] = np.stack([one.df for one in errors], axis=1)
    tables |= cell_intervals(tables["scores"], tables["se"], tables["df"])
    undefined = _cells(np.isnan(table), logits.templates, logits.groups, words)
    if undefined:
        warnings.warn(
            f"{len(undefined)} of {table.size} cells are undefined, and so is every score they enter; "
            "see .undefined.",
            CrossroadsWarning,
            stacklevel=4,
        )
    lowered: tuple[Cell, ...] = ()
    if floored is not None:
        at = [*range(len(logits.groups)), base]
        rows = (*logits.groups, prior)
        lowered = _cells(floored[at].swapaxes(0, 1), logits.templates, rows, logits.adjectives)
    asked = dict.fromkeys(logits.adjectives[i] for columns in stand_ins.values() for i in columns)
    return TraitScores(
        measure=measure,
        groups=logits.groups,
        traits=tuple(trait.name for trait in logits.traits),
        pairs=pairs,
        adjectives=words,
        templates=logits.templates,
        **tables,
        undefined=undefined,
        floored=lowered,
        coverage=Coverage(
            policy="drop",
            used={"groups": logits.groups, "adjectives": tuple(asked), "templates": logits.templates},
            dropped={"adjectives": dropped},
            respelled={},
        ),
        conventions={
            "measure": measure,
            "prior": prior,
            "model": _MODELS[logits.kind],
            "adjectives": adjectives,
            "trait score": "right minus left",
            "templates": "mean",
            "interval": "t, templates drawn" if adjectives == "pairs" else "t, templates and synonyms drawn",
            "level": LEVEL,
            **conventions,
        },
        provenance=(logits.provenance,),
    )


def _stand_ins(
    logits: Logits, words: tuple[str, ...], adjectives: str
) -> tuple[dict[str, list[int]], dict[str, str]]:
    """Columns that stand for each adjective, and synonyms that were not asked for."""
    synonyms: dict[str, tuple[str, ...]] = {}
    for trait in logits.traits:
        synonyms.update({trait.left: trait.left_synonyms, trait.right: trait.right_synonyms})
    found: dict[str, list[int]] = {}
    dropped: dict[str, str] = {}
    for word in words:
        close = synonyms[word] if adjectives != "pairs" else ()
        found[word] = [logits.adjectives.index(w) for w in (word, *close) if w in logits.adjectives]
        dropped |= {w: "the model was not asked for it" for w in close if w not in logits.adjectives}
    if adjectives != "pairs" and all(len(columns) == 1 for columns in found.values()):
        raise InputError(
            "the model was asked for no synonym of any adjective.", hint='use adjectives="pairs".'
        )
    return found, dropped


def _cells(
    bad: NDArray[np.bool_], templates: tuple[str, ...], rows: tuple[str, ...], words: tuple[str, ...]
) -> tuple[Cell, ...]:
    return tuple((templates[t], rows[g], words[a]) for t, g, a in np.argwhere(bad).tolist())

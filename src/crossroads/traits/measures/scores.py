"""Scores of social groups on pairs of opposite traits, by any measure."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
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
from crossroads.core.inference.crossed import spread
from crossroads.core.results import Coverage, Result, Row, long_row, read_only
from crossroads.core.wording import phrases
from crossroads.core.wording.table import Column, Table
from crossroads.traits.probe.evidence import Logits, positions

Cell = tuple[str, str, str]
"""A template, a group (or prior) and an adjective."""
Adjectives = Literal["pairs", "synonyms", "synonyms-median"]
"""Which words stand for an adjective: itself, or the mean or median of itself and its synonyms."""
Floats = NDArray[np.float64]

CITED: Mapping[str, tuple[str, ...]] = {
    "ilps": ("cao2022theory", "kurita2019measuring"),
    "ilps*": ("cao2022theory", "kurita2019measuring"),
    "set": ("cao2022theory",),
    "group-ceat": ("guo2021detecting", "cao2022theory"),
}
"""Publications behind measures of groups on traits."""
_ERROR = "standard error over the choice of templates and words"
_MODELS = {"masked": "masked", "causal": "causal: the adjective continues the text before it"}


def cell_rows(groups: tuple[str, ...], traits: tuple[str, ...], **tables: Floats | None) -> list[Row]:
    """One row per group and trait, with its cell of each table; None in place of NaN."""
    return [
        {"group": group, "trait": trait}
        | {key: None if table is None else _plain(float(table[g, t])) for key, table in tables.items()}
        for g, group in enumerate(groups)
        for t, trait in enumerate(traits)
    ]


def scores_table(name: str, title: str, results: Mapping[str, Any]) -> Table:
    """Scores of groups on traits, the furthest from 0 first."""
    rows = [
        {"scores": label, **{key: row[key] for key in ("group", "trait", "score", "se")}}
        for label, one in results.items()
        for row in one._rows()
        if row["score"] is not None
    ]
    rows.sort(key=lambda row: -abs(row["score"]))
    known = any(row["se"] is not None for row in rows)
    columns = (
        *([Column(key="scores", head="scores")] if len(results) > 1 else []),
        Column(key="group", head="group"),
        Column(key="trait", head="pair"),
        Column(key="score", head="score", note="above 0 towards the second adjective of the pair"),
        *([Column(key="se", head="SE", note=_ERROR, spare=1)] if known else []),
    )
    notes = tuple(
        f"{label}: {len(one.groups)} groups × {len(one.traits)} pairs of traits, the furthest scores first."
        for label, one in results.items()
    )
    return Table(name=name, title=title, columns=columns, rows=tuple(rows), notes=notes, most=10)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TraitScores(Result):
    """One score for each group and pair of traits: that of the right adjective minus that of the left.

    Examples
    --------
    >>> import crossroads as cr
    >>> scores = cr.traits.TraitScores.from_table({"women": {"cold-warm": 0.4}, "men": {"cold-warm": -0.1}})
    >>> scores.groups, scores.row("men")
    (('women', 'men'), {'cold-warm': -0.1})
    """

    _section: ClassVar[str] = "traits"
    _stem: ClassVar[str] = "traits"
    _figure: ClassVar[str] = "trait_heatmap"
    _label_format: ClassVar[str] = "{measure} scores"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "scores": "largest=_extremes.1 smallest=_extremes.0 undefined=_undefined_cells left_out=_left_out"
    }

    measure: str
    """The measure: ``ilps``, ``ilps*``, ``set``, or a name of your own."""
    groups: tuple[str, ...]
    """The groups: rows of the scores."""
    traits: tuple[str, ...]
    """Names of the pairs, left adjective first: columns of the scores."""
    scores: Floats
    """Groups × pairs: the mean over the templates; NaN where a cell behind it is undefined."""
    se: Floats | None = None
    """Standard error of each score over the choice of templates, and of synonyms where these are averaged;
    None where there is one template, or for scores computed elsewhere; NaN where the score is."""
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
        sizes: dict[str, tuple[int, ...]] = {"scores": cells, "se": cells, "adjective_scores": words}
        sizes["template_scores"] = (len(self.templates), *words)
        for name, table in self._tables().items():
            if table.shape != sizes[name]:
                raise InputError(
                    f"{name} are of shape {table.shape}, expected {sizes[name]}.",
                    hint="groups × traits, groups × adjectives and templates × groups × adjectives.",
                )

    def _tables(self) -> dict[str, Any]:
        """The arrays that are known; groups are always the last dimension but one."""
        names = ("scores", "se", "adjective_scores", "template_scores")
        return {name: table for name in names if (table := getattr(self, name)) is not None}

    def _rows(self) -> list[Row]:
        return cell_rows(self.groups, self.traits, score=self.scores, se=self.se)

    def to_frame(self, *, wide: bool = False) -> Any:
        """The scores as a pandas data frame: one row per group and pair, or ``wide``, one row per group."""
        if not wide:
            return super().to_frame()
        pandas = require("pandas", extra="frames", purpose="to_frame()")
        index = pandas.Index(self.groups, name="group")
        return pandas.DataFrame(np.array(self.scores), index=index, columns=list(self.traits))

    def to_dict(self) -> dict[str, Any]:
        """The whole result as plain data; undefined scores are ``None``."""
        tables = self._tables()
        defined: dict[str, Any] = {name: np.nan_to_num(table) for name, table in tables.items()}
        plain = {name: _plain(table.tolist()) for name, table in tables.items()}
        return {**super(TraitScores, replace(self, **defined)).to_dict(), **plain}

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
        return scores_table("traits", f"Groups and traits: {names}", results)

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every score but those of single templates."""
        errors = {} if self.se is None else {"se": self.se}
        rows = cell_rows(self.groups, self.traits, score=self.scores, **errors)
        if self.adjective_scores is not None:
            rows += cell_rows(self.groups, self.adjectives, adjective_score=self.adjective_scores)
        for row in rows:
            part = f"{row.pop('group')}, {row.pop('trait')}"
            for statistic, value in row.items():
                yield long_row(self.measure, self._label, part, statistic, value)
        for kind in ("undefined", "floored"):
            yield long_row(self.measure, self._label, "", kind, len(getattr(self, kind)))

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
    return {
        "scores": read_only(differences(by_adjective, adjectives, pairs)),
        "se": read_only(each.std(axis=0, ddof=1) / np.sqrt(len(each))) if len(each) > 1 else None,
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
        tables["se"] = read_only(np.sqrt(np.stack([one.total for one in errors], axis=1)))
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

"""Every cell of the tables of the ABC study: as printed, and as measured where it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from crossroads.errors import InputError
from crossroads.evidence.judgements import Judgements
from crossroads.measures.traits.alignment import AlignmentResult, align
from crossroads.papers.abc.paired_scores import PairedScores
from crossroads.papers.abc.pairs import pair_cells
from crossroads.papers.abc.pilot import (
    as_published,
    by_template,
    chosen_here,
    other_templates,
    pilot_cells,
)
from crossroads.papers.abc.tables import (
    TRAITS,
    columns,
    dominations,
    how,
    model_of,
    precision_from_rows,
    table_cell,
)
from crossroads.papers.cells import Attempt, Cell, judge, judge_mark
from crossroads.papers.published import table
from crossroads.stimuli import catalog

_BY_GROUP = {"tableA11": "kendall_tau", "tableA12": "precision_top", "tableA13": "precision_bottom"}
_DIGITS = {"tableA11": 3, "tableA12": 2, "tableA13": 2}
_NOT_RELEASED = "the released judgements do not give the race and gender of the annotators"


@dataclass(frozen=True)
class Alignments:
    """Alignments of the columns that have scores, with all groups or without those of the pilot."""

    scores: Mapping[str, Any]
    """Scores by column."""
    human: Judgements | None
    """The human judgements."""
    seed: int
    """The random seed."""
    same: bool = True
    """Whether the scores are of the models of the paper."""

    def of(
        self, column: str, *, pilot: bool = True, templates: tuple[str, ...] | None = None
    ) -> AlignmentResult | None:
        """The alignment of a column; None without scores or judgements of a group.

        Parameters
        ----------
        column
            As the tables head it.
        pilot
            Whether the groups of the pilot count.
        templates
            Templates to average; by default those of the paper, if the scores are known by template.
        """
        if column not in self.scores or self.human is None:
            return None
        printed = table("abc")
        left_out = () if pilot else printed["pilot"]
        groups = [one for one in self.human.groups if one in printed["tableA11"] and one not in left_out]
        if not groups:
            return None
        chosen = self.human.select(groups)
        scores = self.scores[column]
        taken = as_published(column, scores) if templates is None else scores.with_templates(templates)
        try:
            return align(taken, chosen, permutations=0, bootstrap=0, splits=0, seed=self.seed)
        except InputError:  # no group in common, or nothing to rank
            return None


def abc_cells(alignments: Alignments, pairs: PairedScores | None = None) -> Iterator[Cell]:
    """Every cell of Tables 5, 6 and A8 to A19, and the numbers in the text of section 5.2.

    Parameters
    ----------
    alignments
        Scores of single groups beside the human judgements.
    pairs
        Scores of pairs of groups.
    """
    found = {name: alignments.of(name) for name in columns()}
    yield from pilot_cells(alignments.scores, alignments.human, same=alignments.same)
    yield from _overall(alignments, found)
    yield from _dominations()
    yield from pair_cells(pairs)
    for part in _BY_GROUP:
        yield from _by_group(part, found, alignments)
    yield from _annotators()
    yield from _without_pilot(alignments)


def _measured(
    part: str, row: str, column: str, text: str, ours: float | None, alignments: Alignments,
    attempts: list[Attempt] | None = None, *, lacking: str = "",
) -> Cell:  # fmt: skip
    said = _unjudged(column, ours, alignments, lacking)
    return table_cell(part, row, column, text, ours, said or judge(text, ours or 0.0, attempts or []))


def _unjudged(
    column: str, ours: float | None, alignments: Alignments, lacking: str = ""
) -> tuple[str, str] | None:
    """Verdict and reason if there is nothing to judge; None if there is."""
    if column not in alignments.scores or alignments.human is None:
        return "model absent", how(column)
    lacking = "; ".join(filter(None, (lacking, other_templates(column, alignments.scores[column]))))
    if ours is None:
        return "not covered", lacking or "the scores and the judgements share no group of the table"
    if not alignments.same:
        return "other model", f"the paper measured {model_of(column)}{f'; {lacking}' if lacking else ''}"
    return ("not covered", lacking) if lacking else None


def _groups_lacking(column: str, result: AlignmentResult | None, *, pilot: bool = True) -> str:
    """How many groups of a column were compared, if not all; empty if all were."""
    source, at = table("abc"), columns().index(column)
    left_out = () if pilot else source["pilot"]
    wanted = [name for name, row in source["tableA11"].items() if not isnan(row[at]) and name not in left_out]
    here = (
        []
        if result is None
        else [name for name in wanted if name in result.by_group and result.by_group[name].traits == TRAITS]
    )
    few = f"{len(here)} of {len(wanted)} groups are scored and judged on all {TRAITS} traits"
    return "" if len(here) == len(wanted) else few


def _overall(alignments: Alignments, found: Mapping[str, AlignmentResult | None]) -> Iterator[Cell]:
    """Table 6: τ with its dagger, and precision, which also follows from the tables by group."""
    printed, recomputed = table("abc")["table6"], precision_from_rows()
    for i, name in enumerate(columns()):
        result = found[name]
        tau, precision = f"{printed['tau'][i]:.3f}", f"{printed['precision'][i]:.3f}"
        ours = None if result is None else result.kendall_tau
        lacking = _groups_lacking(name, result)
        others = other_taus(alignments, name, result)
        yield _measured("table6", "τ", name, tau, ours, alignments, others, lacking=lacking)
        yield _dagger("table6", name, printed["significant"][i], result, alignments, lacking)
        said = judge(precision, recomputed[name], _other_precisions(i))
        yield table_cell("table6", "P@3 from A12, A13", name, precision, recomputed[name], said)
        ours = None if result is None else result.precision_at_3
        yield _measured("table6", "P@3", name, precision, ours, alignments, lacking=lacking)


def other_taus(alignments: Alignments, name: str, result: AlignmentResult | None) -> list[Attempt]:
    """Other cells over which τ might have been taken."""

    def mean() -> float | None:
        if result is None:
            return None
        taus = [one.kendall_tau for one in result.by_group.values() if one.kendall_tau is not None]
        return sum(taus) / len(taus) if taus else None

    def without() -> float | None:
        other = alignments.of(name, pilot=False)
        return None if other is None else other.kendall_tau

    def chosen() -> float | None:
        choice = chosen_here(alignments.scores.get(name), alignments.human)
        other = None if choice is None else alignments.of(name, templates=choice.templates)
        return None if other is None else other.kendall_tau

    found: list[Attempt] = [
        ("mean of the groups' own τ instead of all cells", mean),
        ("without the pilot groups", without),
    ]
    if by_template(alignments.scores.get(name)) is not None:
        found.append(("the templates that the pilot chooses here", chosen))
    return found


def _other_precisions(i: int) -> list[Attempt]:
    """Other ways to add up the printed rows, each a named convention."""
    source = table("abc")

    def mean(parts: tuple[str, ...], *, pilot: bool, thirds: bool) -> Callable[[], float]:
        def value() -> float:
            cells = [
                row[i]
                for part in parts
                for group, row in source[part].items()
                if not isnan(row[i]) and (pilot or group not in source["pilot"])
            ]
            return float(sum(round(3 * cell) / 3 if thirds else cell for cell in cells)) / len(cells)

        return value

    both = ("tableA12", "tableA13")
    return [
        ("cells as printed instead of thirds", mean(both, pilot=True, thirds=False)),
        ("without the pilot groups", mean(both, pilot=False, thirds=True)),
        ("top 3 alone", mean(both[:1], pilot=True, thirds=True)),
        ("bottom 3 alone", mean(both[1:], pilot=True, thirds=True)),
    ]


def _dagger(
    part: str, name: str, marked: bool, result: AlignmentResult | None, alignments: Alignments, lacking: str
) -> Cell:
    ours = None if result is None else float(result.kendall_pvalue < 0.05)
    said = _unjudged(name, ours, alignments, lacking) or judge_mark(marked, ours == 1.0)
    return table_cell(part, "dagger of τ", name, "†" if marked else "", ours, said, mark=True)


def _dominations() -> Iterator[Cell]:
    """Table A8 against the numbers of Table A9; both are printed."""
    ours = dominations()
    for name, row in table("abc")["tableA8"].items():
        for column, others in row.items():
            for other in (one for one in ours if one != name):
                here = other in ours[name] if column == "dominates" else name in ours[other]
                said = judge_mark(other in others, here)
                said = (
                    said[0],
                    "follows from A9" if said[0] == "equal" else "the difference in A9 contradicts it",
                )
                mark = "listed" if other in others else ""
                yield table_cell(
                    "tableA8", f"{name} from A9", f"{column} {other}", mark, float(here), said, mark=True
                )


def _by_group(
    part: str, found: Mapping[str, AlignmentResult | None], alignments: Alignments
) -> Iterator[Cell]:
    for group, row in table("abc")[part].items():
        for name, value in zip(columns(), row, strict=True):
            if isnan(value):
                continue
            result = found[name]
            one = None if result is None else result.by_group.get(group)
            ours = None if one is None else getattr(one, _BY_GROUP[part])
            lacking = "the scores or the judgements lack this group"
            if one is not None:
                lacking = (
                    "" if one.traits == TRAITS else f"{one.traits} of {TRAITS} traits are scored and judged"
                )
            text = _as_printed(value, _DIGITS[part])
            yield _measured(part, group, name, text, ours, alignments, lacking=lacking)


def _as_printed(value: float, digits: int) -> str:
    """A number with the digits of its table, or with more if it is printed so."""
    usual = f"{value:.{digits}f}"
    return usual if float(usual) == value else f"{value:g}"


def _annotators() -> Iterator[Cell]:
    """Tables A14 to A18, by people of one race and gender."""
    ratings = catalog().ratings("abc-annotators")
    tables = {"White": "A14", "Black": "A15", "White male": "A16", "White female": "A17"}
    said = "not covered", _NOT_RELEASED
    for who, number in tables.items():
        for group, row in ratings[who].items():
            for trait, value in row.items():
                yield table_cell(f"table{number}", group, trait, f"{value:g}", None, said)
    for group, values in table("abc")["tableA18"].items():
        for who, value in zip(("Black", "White", "White male", "White female"), values, strict=True):
            if not isnan(value):
                yield table_cell("tableA18", group, f"τ with {who} annotators", f"{value:.3f}", None, said)


def _without_pilot(alignments: Alignments) -> Iterator[Cell]:
    printed = table("abc")["tableA19"]
    for i, name in enumerate(columns()):
        result = alignments.of(name, pilot=False)
        ours = None if result is None else result.kendall_tau
        lacking, text = _groups_lacking(name, result, pilot=False), f"{printed['tau'][i]:.3f}"
        yield _measured("tableA19", "τ", name, text, ours, alignments, lacking=lacking)
        yield _dagger("tableA19", name, printed["significant"][i], result, alignments, lacking)

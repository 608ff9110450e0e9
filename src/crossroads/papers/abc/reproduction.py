"""The tables of the ABC study, what they imply, and our alignments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

from crossroads.core.errors import InputError, join_words, one_of
from crossroads.core.stimuli import catalog
from crossroads.core.stimuli.files.text import read_trait_lists
from crossroads.papers.abc import tables
from crossroads.papers.abc.pairs import PairedScores, Truth, notes_on_pairs, pair_cells
from crossroads.papers.abc.tables import (
    COLUMNS,
    MEASURES,
    PAIRED,
    TABLES,
    TRAITS,
    model_of,
    table_cell,
    templates_of,
)
from crossroads.papers.cells import Attempt, Cell, Reproduction, Said, judge, judge_mark, reproduction
from crossroads.traits.measures.files import Scores
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.measures.templates import TemplateChoice, choose_templates
from crossroads.traits.pairs.identities import origin
from crossroads.traits.people.alignment import align
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.traits.people.evidence import Judgements
from crossroads.traits.people.files import read_judgements

_BY_GROUP = {
    "tableA11": ("kendall_tau", 3),
    "tableA12": ("precision_top", 2),
    "tableA13": ("precision_bottom", 2),
}
"""Tables by group, with what they print and its number of digits."""
_MOST = 2
"""Most templates that the paper averages."""
_ANSWERS = 5
"""Number of answers about each pilot group in the paper."""


@dataclass(frozen=True)
class Alignments:
    """Scores of the columns and human judgements, with all groups or without those of the pilot."""

    scores: Mapping[str, Any]
    human: Judgements | None
    seed: int
    same: bool = True
    """Whether the scores are of the models of the paper."""

    def of(
        self, column: str, *, pilot: bool = True, templates: tuple[str, ...] | None = None
    ) -> AlignmentResult | None:
        """The alignment of a column, of all groups or without the pilot; None if none is scored and judged.

        Scores that are known by template are those of the templates of the paper, unless others are given.
        """
        if column not in self.scores or self.human is None:
            return None
        wanted = set(TABLES["tableA11"]).difference(() if pilot else TABLES["pilot"])
        groups = [group for group in self.human.groups if group in wanted]
        scores = self.scores[column]
        taken = (
            tables.as_published(column, scores) if templates is None else scores.select(templates=templates)
        )
        try:
            return _aligned(taken, self.human.select(groups), self.seed) if groups else None
        except InputError:  # no group in common, or nothing to rank
            return None

    def cell(
        self,
        place: tuple[str, str, str, str],
        ours: float | None,
        judge: Callable[[float], Said],
        lacking: str,
        **mark: Any,
    ) -> Cell:
        """A cell with the alignment with people: its table, row, column and printed number, and ours."""
        column = place[2]
        if column not in self.scores or self.human is None:
            return table_cell(*place, None, absent=TABLES["get"][column], **mark)
        if place[0] != "table5":  # which chooses among templates
            lacking = "; ".join(filter(None, (lacking, tables.other_templates(column, self.scores[column]))))
        if ours is None:
            lacking = lacking or "the scores and the judgements share no group of the table"
        other = "" if self.same else model_of(column)
        return table_cell(*place, ours, judge, lacking=lacking, other=other, **mark)


def _aligned(scores: Any, human: Judgements, seed: int = 0) -> AlignmentResult:
    return align(scores, human, draws=0, resamples=0, splits=0, seed=seed)


def overall_cells(
    part: str, alignments: Alignments, found: Mapping[str, AlignmentResult | None]
) -> Iterator[Cell]:
    """Tables 6 and A19: τ with its dagger; in Table 6 precision, which also follows from those by group."""
    printed, pilot = TABLES[part], part == "table6"
    for i, name in enumerate(COLUMNS):
        result = found[name]
        lacking = _groups_lacking(name, result, pilot=pilot)
        text, marked = f"{printed['tau'][i]:.3f}", float(printed["significant"][i])
        attempts = other_taus(alignments, name, result) if pilot else []
        ours = None if result is None else result.kendall_tau
        yield alignments.cell((part, "τ", name, text), ours, partial(judge, text, attempts=attempts), lacking)
        ours = None if result is None else float(result.kendall_pvalue < 0.05)
        place = (part, "dagger of τ", name, "†" if marked else "")
        yield alignments.cell(place, ours, partial(judge_mark, marked), lacking, published=marked)
        if pilot:
            text = f"{printed['precision'][i]:.3f}"
            yield tables.precision_cell(name, text)
            ours = getattr(result, "precision_at_3", None)
            yield alignments.cell((part, "P@3", name, text), ours, partial(judge, text), lacking)


def _groups_lacking(column: str, result: AlignmentResult | None, *, pilot: bool) -> str:
    """How many groups of a column were compared, if not all; empty if all were."""
    left_out = () if pilot else TABLES["pilot"]
    printed = (one[1] for one in tables.printed_cells() if (one[0], one[2]) == ("tableA11", column))
    wanted = [group for group in printed if group not in left_out]
    by_group = {} if result is None else result.by_group
    here = [name for name in wanted if name in by_group and by_group[name].traits == TRAITS]
    few = f"{len(here)} of {len(wanted)} groups are scored and judged on all {TRAITS} traits"
    return "" if len(here) == len(wanted) else few


def other_taus(alignments: Alignments, name: str, result: AlignmentResult | None) -> list[Attempt]:
    """Other cells over which τ might have been taken."""

    def mean() -> float | None:
        groups = [] if result is None else result.by_group.values()
        taus = [group.kendall_tau for group in groups if group.kendall_tau is not None]
        return sum(taus) / len(taus) if taus else None

    def chosen() -> float | None:
        choice = chosen_here(alignments.scores.get(name), alignments.human)
        templates = None if isinstance(choice, str) else alignments.of(name, templates=choice.templates)
        return getattr(templates, "kendall_tau", None)

    several = by_template(alignments.scores.get(name)) is not None
    return [
        ("mean of the groups' own τ instead of all cells", mean),
        (
            "without the pilot groups",
            lambda: getattr(alignments.of(name, pilot=False), "kendall_tau", None),
        ),
        *([("the templates that the pilot chooses here", chosen)] if several else []),
    ]


def cells_by_group(alignments: Alignments, found: Mapping[str, AlignmentResult | None]) -> Iterator[Cell]:
    """Tables A11 to A13: τ and precision of each group."""
    for part, group, name, value in tables.printed_cells():
        result, (statistic, digits) = found[name], _BY_GROUP[part]
        row = None if result is None else result.by_group.get(group)
        lacking = "the scores or the judgements lack this group"
        if row is not None:
            few = f"{row.traits} of {TRAITS} traits are scored and judged"
            lacking = "" if row.traits == TRAITS else few
        text = f"{value:.{digits}f}"
        text = text if float(text) == value else f"{value:g}"  # one number is printed with more digits
        place, ours = (part, group, name, text), getattr(row, statistic, None)
        yield alignments.cell(place, ours, partial(judge, text), lacking)


def by_template(scores: Any) -> TraitScores | None:
    """Scores of more templates than the paper averages, each known by itself; None for all others."""
    if not isinstance(scores, TraitScores) or scores.template_scores is None:
        return None
    return scores if len(scores.templates) > _MOST else None


def chosen_here(
    scores: Any, human: Judgements | None, target: Mapping[str, Mapping[str, float]] | None = None
) -> TemplateChoice | str:
    """The templates that agree best with people (or other means of them) on the pilot groups; or why none."""
    several = by_template(scores)
    if several is None or human is None:
        return (
            "the scores are not known by template, or of two at most; the paper chose among "
            f"{_candidates()}: leave out --templates and --human when probing"
        )
    means, pilot = human.to_dict(), TABLES["pilot"]
    absent = [group for group in pilot if group not in several.groups or group not in means]
    if absent:
        return f"the scores or the judgements lack the pilot groups {join_words(absent)}"
    traits = [one for one in several.traits if any(one not in means[group] for group in pilot)]
    if traits:
        return f"people did not judge the pilot groups on {join_words(traits, most=3)}"
    try:
        return choose_templates(several, target or means, groups=pilot, most=_MOST)
    except InputError as error:
        return error.message.rstrip(".")


def _candidates() -> int:
    families = catalog().templates("abc-templates")
    return sum(len(families[name].templates) for name in families)


def pilot_cells(alignments: Alignments) -> Iterator[Cell]:
    """The cells of Table 5."""
    human = alignments.human
    for one in TABLES["table5"]:
        column, text = f"{one['measure']} {one['model']}", f"{one['tau']:.3f}"
        several = by_template(alignments.scores.get(column))
        choice = chosen_here(several, human)
        lacking, ours = (choice, None) if isinstance(choice, str) else ("", choice.kendall_tau)
        attempts: list[Attempt] = []
        if several is not None and human is not None and ours is not None:
            attempts = _other_pilots(column, several, human)
            if len(several.templates) < _candidates():
                lacking = f"scored with {len(several.templates)} of {_candidates()} templates"
            elif len(several.traits) < TRAITS:
                lacking = f"scored on {len(several.traits)} of {TRAITS} pairs of traits"
        lacking = lacking if ours is None or alignments.same else ""
        place = ("table5", "τ of the pilot", column, text)
        yield alignments.cell(place, ours, partial(judge, text, attempts=attempts), lacking)


def _other_pilots(column: str, scores: TraitScores, human: Judgements) -> list[Attempt]:
    """Other ways to the number: the templates as printed, and other answers of people."""
    pilot, printed = TABLES["pilot"], templates_of(column)

    def with_printed() -> float | None:
        if not set(printed) <= set(scores.templates):
            return None
        return _aligned(scores.select(templates=printed), human.select(pilot)).kendall_tau

    def with_few() -> float | None:
        return getattr(chosen_here(scores, human, first_answers(human, pilot)), "kendall_tau", None)

    few = f"the first {_ANSWERS} answers about each group (the paper does not say which {_ANSWERS} it took)"
    return [(f"the templates that Table 5 prints ({' '.join(printed)})", with_printed), (few, with_few)]


def first_answers(human: Judgements, groups: list[str], n: int = _ANSWERS) -> dict[str, dict[str, float]]:
    """Means over the first people who rated each group, if they are known individually."""
    found: dict[str, dict[str, float]] = {group: {} for group in groups}
    for group, means in found.items():
        people = [human.annotators.index(name) for name in human.raters(group)[:n]]
        columns_of_traits = human.ratings[people, human.groups.index(group)].T.tolist()
        for trait, column in zip(human.traits, columns_of_traits, strict=True):
            if answers := [value for value in column if isfinite(value)]:
                means[trait] = sum(answers) / len(answers)
    return found


def reproduce_abc(
    scores: Mapping[str, Any] | None = None,
    human: Judgements | str | Path | None = None,
    *,
    pairs: Scores | Mapping[str, Mapping[str, float]] | None = None,
    truth: Truth | str | Path | None = None,
    same_models: bool = True,
    seed: int = 0,
) -> Reproduction:
    """Put the tables of Cao et al. (2022) next to what they imply, and to our alignments.

    Parameters
    ----------
    scores
        Scores of models by column of the tables, such as ``{"SeT BERT": result}``: anything that
        :func:`~crossroads.align` takes. Table 5 chooses among their templates; the other tables take those
        that the paper chose.
    human
        The human judgements, or a file of them. Without scores, they tell which printed numbers are possible.
    pairs
        Scores by SeT of pairs of groups by their singular, and of single groups.
    truth
        What people listed for pairs of race and gender, or a file of it (``pair,trait``): ends of the scales,
        such as ``"low Communion"``, or adjectives of the study.
    same_models
        Whether the scores are of the models of the paper. If not, they are shown but not judged.
    """
    scores = scores or {}
    for name, column in scores.items():
        one_of("column of the tables", name, COLUMNS)
        measure = getattr(column, "measure", None) or getattr(column, "conventions", {}).get("measure")
        if measure in MEASURES.values() and measure != MEASURES[name.split()[0]]:
            raise InputError(
                f"the scores given for {name} are of {measure}.",
                hint=f"name a column of that measure, or give scores of {MEASURES[name.split()[0]]}.",
            )
    judged = read_judgements(human) if isinstance(human, (str, Path)) else human
    said = read_trait_lists(truth) if isinstance(truth, (str, Path)) else truth
    given = TraitScores.from_table(pairs) if isinstance(pairs, Mapping) else pairs
    paired = None if given is None else PairedScores(given, said, same=same_models)
    measured = [*(scores if judged is not None else ()), *(() if pairs is None else ("pairs of groups",))]
    alignments = Alignments(scores, judged, seed, same_models)
    found = {name: alignments.of(name) for name in COLUMNS}
    return reproduction(
        "abc",
        cells=(
            *pilot_cells(alignments),
            *overall_cells("table6", alignments, found),
            *tables.domination_cells(),
            *pair_cells(paired),
            *cells_by_group(alignments, found),
            *tables.annotator_cells(),
            *overall_cells(
                "tableA19", alignments, {name: alignments.of(name, pilot=False) for name in COLUMNS}
            ),
        ),
        notes=(
            *_about_models(scores, judged, paired, said is not None),
            *notes_on_pairs(paired),
            *([] if judged is None else [_possible(judged)]),
        ),
        vectors=join_words(measured) if measured else "the published tables alone",
        same_vectors=bool(measured) and same_models,
        conventions={"least": tables.LEAST, "seed": seed},
        provenance=(
            *([] if judged is None else [judged.provenance]),
            *([] if given is None else origin(given)["provenance"]),
        ),
    )


def _about_models(
    scores: Mapping[str, Any], human: Judgements | None, pairs: PairedScores | None, truth: bool
) -> Iterator[str]:
    if not scores or human is None:
        lacking = "No scores" if not scores else "No human judgements"
        yield (
            f"{lacking} given, so τ is only shown as published, precision is computed from the printed rows, "
            "and domination from the printed correlations."
        )
    several = {} if human is None else {column: by_template(given) for column, given in scores.items()}
    for column, templated in several.items():
        if templated is not None:
            few, n = len(tables.as_published(column, templated).templates) <= _MOST, len(templated.templates)
            yield (
                f"{column}: scored with {n} templates; Table 5 chooses among them, and "
                f"the other tables average {'those that it prints' if few else 'all of them'}."
            )
    if pairs is None and truth:
        yield f"A list of human answers about pairs was given without scores of pairs ({PAIRED})."
    absent = [] if human is None else [g for g in TABLES["tableA11"] if g not in human.groups]
    if absent:
        yield f"The judgements lack {join_words(absent, most=6)}."


def _possible(human: Judgements) -> str:
    """Cells of A11 to A13 that the human means make impossible for any model."""
    means = {group: list(row.values()) for group, row in human.to_dict().items()}
    cells = [one for one in tables.printed_cells() if len(means.get(one[1], ())) == tables.TRAITS]
    wrong = [
        f"{value} for {group}, {name} in Table {part[5:]}"
        for part, group, name, value in cells
        if not _is_possible(value, means[group], part)
    ]
    possible = f"All {len(cells)} cells of Tables A11 to A13 are possible with these human means."
    return f"The human means make impossible: {join_words(wrong, most=5)}." if wrong else possible


def attainable_tau(printed: float, values: list[float]) -> bool:
    """Whether some untied order of the traits gives a τ-b that prints so.

    Over n traits with d pairs that people do not tie, agreeing minus disagreeing pairs are d, d − 2, …, −d,
    and τ-b divides them by √(d · n(n − 1)/2).
    """
    n = len(values)
    pairs = n * (n - 1) // 2
    untied = sum(values[i] != values[j] for i in range(n) for j in range(i))
    scale = sqrt(untied * pairs)
    return any(abs(s / scale - printed) <= tables.ROUNDING for s in range(-untied, untied + 1, 2))


def _is_possible(printed: float, values: list[float], part: str) -> bool:
    """Whether some order of the traits gives the τ, or three traits are on the right side that often."""
    if part == "tableA11":
        return attainable_tau(printed, values)
    right = sum(value > 50 if part == "tableA12" else value < 50 for value in values)
    return max(0, 3 - (len(values) - right)) <= round(3 * printed) <= min(3, right)

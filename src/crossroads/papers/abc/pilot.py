"""Table 5 of the ABC study, τ of the pilot, and the templates that its other tables were measured with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from crossroads.errors import InputError, join_words
from crossroads.evidence.judgements import Judgements
from crossroads.measures.traits.alignment import align
from crossroads.measures.traits.scores import TraitScores
from crossroads.measures.traits.templates import TemplateChoice, choose_templates
from crossroads.papers.abc.tables import TRAITS, how, model_of, table_cell, templates_of
from crossroads.papers.cells import Attempt, Cell, judge
from crossroads.papers.published import table
from crossroads.stimuli import catalog

_MOST = 2
"""Most templates that the paper averages."""
_ANSWERS = 5
"""Number of answers about each pilot group in the paper."""


def by_template(scores: Any) -> TraitScores | None:
    """Scores of more templates than the paper averages, each known by itself; None for all others."""
    if not isinstance(scores, TraitScores) or scores.template_scores is None:
        return None
    return scores if len(scores.templates) > _MOST else None


def as_published(column: str, scores: Any) -> Any:
    """The scores of the templates that the paper chose, if they are known by template; else as given."""
    printed = templates_of(column)
    if not isinstance(scores, TraitScores) or scores.template_scores is None or not printed:
        return scores
    return scores.with_templates(printed) if set(printed) <= set(scores.templates) else scores


def other_templates(column: str, scores: Any) -> str:
    """A note that scores are of other templates than the paper's; empty if not, or not known."""
    printed, taken = templates_of(column), getattr(as_published(column, scores), "templates", ())
    if not printed or not taken or set(taken) == set(printed):
        return ""
    return f"scored with other templates than the paper's {join_words(map(repr, printed))}"


def chosen_here(scores: Any, human: Judgements | None) -> TemplateChoice | None:
    """The templates that agree best with people on the pilot groups; None if not known."""
    several = by_template(scores)
    if several is None or human is None or _lacking(several, human):
        return None
    try:
        return choose_templates(several, human.to_dict(), groups=table("abc")["pilot"], most=_MOST)
    except InputError:
        return None


def pilot_cells(scores: Mapping[str, Any], human: Judgements | None, *, same: bool) -> Iterator[Cell]:
    """The cells of Table 5.

    Parameters
    ----------
    scores
        Scores by column.
    human
        The human judgements.
    same
        Whether the scores are of the models of the paper.
    """
    for one in table("abc")["table5"]:
        column, text = f"{one['measure']} {one['model']}", f"{one['tau']:.3f}"
        if column not in scores or human is None:
            ours, said = None, ("model absent", how(column))
        else:
            ours, said = _judged(column, text, scores[column], human, same)
        yield table_cell("table5", "τ of the pilot", column, text, ours, said)


def _judged(
    column: str, text: str, scores: Any, human: Judgements, same: bool
) -> tuple[float | None, tuple[str, str]]:
    several = by_template(scores)
    if several is None:
        return None, (
            "not covered",
            "the scores are not known by template, or of two at most; the paper chose among "
            f"{_candidates()}: leave out --templates and --human when probing",
        )
    lacking = _lacking(several, human)
    if lacking:
        return None, ("not covered", lacking)
    try:
        ours = choose_templates(several, human.to_dict(), groups=table("abc")["pilot"]).kendall_tau
    except InputError as error:
        return None, ("not covered", error.message.rstrip("."))
    if not same:
        return ours, ("other model", f"the paper measured {model_of(column)}")
    if len(several.templates) < _candidates():
        return ours, ("not covered", f"scored with {len(several.templates)} of {_candidates()} templates")
    if len(several.traits) < TRAITS:
        return ours, ("not covered", f"scored on {len(several.traits)} of {TRAITS} pairs of traits")
    return ours, judge(text, ours, _attempts(column, several, human))


def _candidates() -> int:
    """Number of templates in the catalogue."""
    families = catalog().templates("abc-templates")
    return sum(len(families[name].templates) for name in families)


def _lacking(scores: TraitScores, human: Judgements) -> str:
    """What the pilot needs and lacks; empty if nothing is missing."""
    means, pilot = human.to_dict(), table("abc")["pilot"]
    absent = [group for group in pilot if group not in scores.groups or group not in means]
    if absent:
        return f"the scores or the judgements lack the pilot groups {join_words(absent)}"
    traits = [one for one in scores.traits if any(one not in means[group] for group in pilot)]
    return f"people did not judge the pilot groups on {join_words(traits, most=3)}" if traits else ""


def _attempts(column: str, scores: TraitScores, human: Judgements) -> list[Attempt]:
    """Other ways to the number: the templates as printed, and other answers of people."""
    pilot, printed = table("abc")["pilot"], templates_of(column)

    def with_printed() -> float | None:
        if not set(printed) <= set(scores.templates):
            return None
        return align(
            scores.with_templates(printed), human.select(pilot), permutations=0, bootstrap=0, splits=0
        ).kendall_tau

    def with_few(target: Callable[[], Mapping[str, Mapping[str, float]]]) -> float | None:
        try:
            return choose_templates(scores, target(), groups=pilot).kendall_tau
        except InputError:
            return None

    few = f"the first {_ANSWERS} answers about each group (the paper does not say which {_ANSWERS} it took)"
    return [
        (f"the templates that Table 5 prints ({' '.join(printed)})", with_printed),
        (few, lambda: with_few(lambda: first_answers(human, pilot))),
    ]


def first_answers(human: Judgements, groups: list[str], n: int = _ANSWERS) -> dict[str, dict[str, float]]:
    """Means over the first people who rated each group, if they are known individually.

    Parameters
    ----------
    human
        The human judgements.
    groups
        The groups.
    n
        How many people.
    """
    found: dict[str, dict[str, float]] = {}
    for group in groups:
        at, who = human.groups.index(group), human.raters(group)[:n]
        rows = [human.ratings[human.annotators.index(one), at].tolist() for one in who]
        found[group] = {}
        for t, trait in enumerate(human.traits):
            said = [row[t] for row in rows if isfinite(row[t])]
            if said:
                found[group][trait] = sum(said) / len(said)
    return found

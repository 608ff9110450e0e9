"""Table 5 of the ABC study: scores by template beside people, on the groups of the pilot."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from crossroads.core.errors import InputError
from crossroads.core.stimuli import catalog
from crossroads.papers.abc.reproduction import first_answers, reproduce_abc
from crossroads.papers.cells import Cell, Reproduction
from crossroads.papers.published import table
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.people.evidence import Judgements
from tests.papers.abc.orders import ADJECTIVES, PAPER, TRAITS, by_adjectives, inverted

PILOT = tuple(table("abc")["pilot"])
FAMILIES = catalog().templates("abc-templates")
TEMPLATES = tuple(one.text for name in FAMILIES for one in FAMILIES[name].templates)


def people() -> Judgements:
    """One mean a cell, all different, in a random order."""
    means = np.random.default_rng(0).permutation(16 * len(PILOT)).reshape(-1, 16) / 16
    traits = tuple(one.name for one in TRAITS)
    return Judgements(groups=PILOT, traits=traits, ratings=np.empty((0, *means.shape)), given=means)


def model(human: Judgements, k: int, templates: tuple[str, ...] = TEMPLATES) -> TraitScores:
    """Scores that agree with people but for k inversions under the paper's template, and oppose them else.

    Those of other templates are larger, so that no average with one of them agrees better.
    """
    places = np.asarray(human.means() * 16, dtype=int)
    agree = inverted(k, places.size)[places]
    by_template = np.zeros((len(templates), len(human.groups), len(ADJECTIVES)))
    for at, template in enumerate(templates):
        by_template[at, :, 1::2] = agree if template == PAPER else -1000.0 * places
    made = by_adjectives(human.groups, by_template.mean(axis=0))
    return dataclasses.replace(made, templates=templates, template_scores=by_template)


def cell_of(result: Reproduction, column: str = "SeT RoBERTa", row: str = "Table 5") -> Cell:
    (found,) = (c for c in result.cells if c.row.startswith(row) and c.column == column)
    return found


@pytest.mark.slow
def test_a_planted_tau_of_the_pilot_is_equal() -> None:
    human = people()
    # 64 cells make 2016 pairs of cells; 753 inversions leave (2016 − 2 · 753) / 2016 = 0.25298
    result = reproduce_abc({"SeT RoBERTa": model(human, 753)}, human)
    cell = cell_of(result)
    assert cell.ours == pytest.approx(510 / 2016)
    assert (cell.printed, cell.verdict) == ("0.253", "equal")
    assert cell_of(result, "SeT BERT").verdict == "model absent"
    other = cell_of(reproduce_abc({"SeT BERT": model(human, 753)}, human), "SeT BERT")
    assert (other.printed, other.verdict) == ("0.214", "differs")
    assert "Table 5 prints" in other.reason and "first 5 answers" in other.reason


@pytest.mark.slow
def test_the_other_tables_take_the_templates_of_the_paper() -> None:
    human = people()
    result = reproduce_abc({"SeT RoBERTa": model(human, 753)}, human)
    assert cell_of(result, row="Table 6, τ").ours == pytest.approx(510 / 2016)
    assert any("scored with 35 templates" in note and "those that it prints" in note for note in result.notes)
    without = model(human, 753, tuple(one for one in TEMPLATES if one != PAPER))
    result = reproduce_abc({"SeT RoBERTa": without}, human)
    tau = cell_of(result, row="Table 6, τ")
    assert tau.ours == pytest.approx(-1.0)
    assert tau.verdict == "not covered"
    assert tau.reason.endswith(f"scored with other templates than the paper's {PAPER!r}")


def test_scores_of_another_model_are_shown_and_not_judged() -> None:
    human = people()
    result = reproduce_abc({"SeT BERT": model(human, 753)}, human, same_models=False)
    assert cell_of(result, "SeT BERT").verdict == "other model"
    judged = {c.verdict for c in result.cells if c.column == "SeT BERT" and c.ours is not None}
    assert judged == {"other model", "differs"}  # the latter: precision out of printed rows, no scores
    with pytest.raises(InputError, match="given for ILPS BERT are of set"):
        reproduce_abc({"ILPS BERT": model(human, 753)}, human)


def test_first_answers_are_means_of_the_first_people_who_rated() -> None:
    ratings = np.array([[[10.0], [np.nan]], [[20.0], [40.0]], [[90.0], [60.0]]])
    human = Judgements(groups=("a", "b"), traits=("t",), annotators=("p", "q", "r"), ratings=ratings)
    assert first_answers(human, ["a", "b"], 2) == {"a": {"t": 15.0}, "b": {"t": 50.0}}

"""The appendix of the CEAT paper: as printed, as catalogued, and beside contexts at hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crossroads import Contexts, catalog, ceat
from crossroads.core.errors import EvidenceError, UnknownNameError
from crossroads.papers.ceat import (
    alike_by_chance,
    printed,
    reproduce_ceat,
    spread_between_tables,
)
from crossroads.papers.cells import Reproduction
from crossroads.sources import Provenance


def world(
    dim: int = 6, *, source: str = "random", names: tuple[str, ...] = ("c1", "i1", "em-ef-career")
) -> Contexts:
    rng = np.random.default_rng(0)
    words = dict.fromkeys(word for name in names for word in catalog(name).words)
    rows = {word: rng.normal(size=dim) + 0.3 * rng.normal(size=(4, dim)) for word in words}
    return Contexts.from_dict(rows, provenance=Provenance(source=source))


def test_without_contexts_the_published_numbers_stand_alone() -> None:
    result = reproduce_ceat()
    assert len(result.cells) == len(printed())
    assert {(cell.verdict, cell.ours) for cell in result.cells} == {("model absent", None)}
    assert Reproduction.from_json(result.to_json()) == result


def test_other_contexts_are_shown_beside_all_four_models() -> None:
    contexts = world()
    seen: list[str] = []
    result = reproduce_ceat(contexts, samples=20, seed=2, progress=seen.append)
    assert sorted(seen) == sorted({one.test for one in printed()})
    assert not result.same_vectors
    cells = {(cell.row, cell.column): cell for cell in result.cells}
    ours = ceat(contexts, catalog("c1"), samples=20, seed=2).effect_size
    assert cells["c1", "BERT, Table 2"].ours == ours
    assert cells["c1", "BERT, Table 2"].published == 0.96
    assert cells["em-ef-career", "ELMo, Table 3"].published == 1.15
    assert cells["em-ef-career", "ELMo, Table 4"].published == 1.07
    assert Counter(cell.verdict for cell in result.cells) == {
        # c1, i1 and i2, which is part of it; em, ef and af by pleasant and career, in both Tables 3 and 4
        "other model": 4 * (3 + 2 * 6),
        "not covered": 4 * (11 + 2 * 54),
    }
    assert "less than 75% of the words of a set: c2, c3" in result.notes[1]


def test_a_test_without_most_of_its_words_does_not_stand_for_the_published_one() -> None:
    rng = np.random.default_rng(1)
    # six of eight male names are left, which is just enough
    rows = {word: rng.normal(size=(3, 5)) for word in catalog("c6").words if word not in ("John", "Paul")}
    result = reproduce_ceat(Contexts.from_dict(rows), samples=5)
    assert {cell.row for cell in result.cells if cell.ours is not None} == {"c6"}
    assert "without some words: c6 (2)" in " ".join(result.notes)
    del rows["Mike"]
    with pytest.raises(EvidenceError, match="in c1, x has 0 of 25 stimuli left"):
        reproduce_ceat(Contexts.from_dict(rows), samples=5)


@pytest.mark.slow
def test_a_verdict_weighs_the_difference() -> None:
    result = reproduce_ceat(world(), model="bert", samples=20)
    assert result.same_vectors
    assert len(result.cells) == 134
    near = 2 * spread_between_tables()["BERT"]
    measured = {cell.row for cell in result.cells if cell.ours is not None}
    errors = {name: ceat(world(), catalog(name), samples=20).se for name in measured}
    for cell in result.cells:
        if cell.ours is None:
            assert cell.verdict == "not covered"
            continue
        off = abs(cell.ours - cell.published)
        if off <= 0.005 + 3 * np.sqrt(2) * errors[cell.row]:
            assert (cell.verdict, "two sets of samples" in cell.reason) == ("equal", True)
        elif off <= near:
            assert (cell.verdict, "Tables 3 and 4" in cell.reason) == ("equal", True)
        else:
            assert cell.verdict in ("differs", "convention")
    assert {"equal", "differs"} <= {cell.verdict for cell in result.cells}


@pytest.mark.slow
def test_how_much_a_verdict_is_worth_is_said() -> None:
    assert (alike_by_chance("BERT", 5.0), alike_by_chance("BERT", -1.0)) == (1.0, 0.0)
    near = 2 * spread_between_tables()["BERT"]
    cells = [(one.test, one.d) for one in printed() if one.model == "BERT"]
    apart = [abs(d - e) for test, d in cells for other, e in cells if test < other]
    assert alike_by_chance("BERT", near) == sum(gap <= near for gap in apart) / len(apart)
    result = reproduce_ceat(world(), model="bert", samples=5)
    notes = " ".join(result.notes)
    assert f"{alike_by_chance('BERT', near):.0%} of pairs of different tests" in notes
    judged = np.array([(cell.published, cell.ours) for cell in result.cells if cell.ours is not None])
    assert f"correlate by r = {np.corrcoef(judged.T)[0, 1]:.2f}" in notes


@pytest.mark.parametrize(
    ("dim", "source", "model"),
    [(768, "openai-community/gpt2", "GPT-2"), (6, "bert-base-cased", "none"), (768, "bert-large", "none")],
)
def test_the_model_is_recognised_by_name_and_dimensions(dim: int, source: str, model: str) -> None:
    contexts = world(dim, source=source, names=("c6",))
    assert reproduce_ceat(contexts, samples=5).conventions["model"] == model
    assert not reproduce_ceat(contexts, model="none", samples=5).same_vectors


def test_contexts_of_nothing_the_paper_tests_and_unknown_models_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="'bert'"):
        reproduce_ceat(world(), model="brt")
    with pytest.raises(EvidenceError, match="none of the 74 tests"):
        reproduce_ceat(Contexts.from_dict({"nothing": np.ones((2, 3))}))

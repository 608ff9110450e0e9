"""Pairs of groups in the tables of the ABC study: planted scores beside what is printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import InputError, UnknownNameError
from crossroads.core.stimuli import catalog
from crossroads.papers.abc.pairs import PairedScores
from crossroads.papers.abc.reproduction import reproduce_abc
from crossroads.papers.cells import Cell, Reproduction
from crossroads.papers.published import table
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.emergent import emergent
from crossroads.traits.pairs.material import paired_groups
from tests.papers.abc.orders import ADJECTIVES, PAPER, Floats, by_adjectives, inverted

PAIRS = paired_groups()
GROUPS = (*catalog().groups("abc-groups"), *(pair.name for pair in PAIRS))


def profiles(seed: int = 0) -> dict[str, Floats]:
    """Every group and pair with a random order of traits."""
    rng = np.random.default_rng(seed)
    return {name: rng.permutation(16).astype(np.float64) for name in GROUPS}


def scored(rows: dict[str, Floats], *, measure: str = "set") -> TraitScores:
    """Scores whose right adjectives have the given values, and whose left ones have none."""
    by_adjective = np.zeros((len(rows), len(ADJECTIVES)))
    by_adjective[:, 1::2] = np.stack(list(rows.values()))
    return by_adjectives(tuple(rows), by_adjective, measure)


def cells_of(result: Reproduction, name: str) -> dict[tuple[str, str], Cell]:
    return {(c.row.removeprefix(f"{name}, "), c.column): c for c in result.cells if c.table == name}


@pytest.fixture(scope="module")
def planted() -> TraitScores:
    """Pairs of age and politics that correlate with their age as Table A9 prints it, and all else at random.

    There are 8 such pairs. Seven have τ = 38/120 with their age, one 40/120: the mean is 306/960 = 0.31875,
    which is printed as 0.319.
    """
    rows = profiles()
    here = [pair for pair in PAIRS if set(pair.domains) == {"age", "politics"}]
    assert len(here) == 8
    for at, pair in enumerate(here):
        age = pair.components[pair.domains.index("age")]
        rows[pair.name] = inverted(40 if at == 0 else 41)[rows[age].astype(int)]
    return scored(rows)


@pytest.mark.slow
def test_a_planted_correlation_is_equal_and_the_others_are_not(planted: TraitScores) -> None:
    result = reproduce_abc(pairs=planted)
    cells = cells_of(result, "Table A9")
    age = cells["age and politics", "correlation with age"]
    assert (age.printed, age.verdict) == ("0.319", "equal")
    assert age.ours == pytest.approx(306 / 960)
    other = cells["age and politics", "correlation with politics"]
    assert other.verdict == "differs"
    assert "32 adjectives" in other.reason
    assert result.same_vectors
    assert Reproduction.from_json(result.to_json()) == result
    shown = reproduce_abc(pairs=planted, same_models=False)
    assert not shown.same_vectors
    assert {cell.verdict for cell in cells_of(shown, "Table A9").values()} == {"other model"}


@pytest.mark.slow
def test_the_two_orders_correlate_as_planted() -> None:
    rows = profiles(1)
    orders = {pair.components: pair for pair in PAIRS if pair.ordered}
    both = [
        (one, orders[two[::-1]]) for two, one in orders.items() if two < two[::-1] and two[::-1] in orders
    ]
    for at, (one, two) in enumerate(both):
        # 82/120 three times, then 84/120 twice: 0.69 on average
        rows[two.name] = inverted(19 if at % 5 < 3 else 18)[rows[one.name].astype(int)]
    cells = cells_of(reproduce_abc(pairs=scored(rows)), "Text of 5.2")
    cell = cells["SeT RoBERTa", "correlation of the two orders"]
    assert cell.ours == pytest.approx(0.69, abs=1e-3)
    assert cell.verdict == "equal"
    closer = cells["SeT RoBERTa", "correlation with the closer component"]
    assert closer.verdict == "differs"
    assert "only the pairs given in both orders" in closer.reason


@pytest.mark.slow
def test_a_planted_increase_is_equal_and_all_increases_are_those_of_the_measure() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(len(GROUPS), len(ADJECTIVES)))
    for name, score in (("mechanic", -0.0449), ("Jamaican", -0.3), ("Jamaican mechanic", -0.0449 + 0.1055)):
        values[GROUPS.index(name), ADJECTIVES.index("trustworthy")] = score
    scores = by_adjectives(GROUPS, values)
    cells = cells_of(reproduce_abc(pairs=scores), "Table A10")
    row = "Jamaican mechanic, trustworthy"
    assert (cells[row, "increase"].verdict, cells[row, "component score"].verdict) == ("equal", "equal")
    measured = {(r["pair"], r["trait"]): r for r in emergent(scores, null="none", direction="above")._rows()}
    for group, trait, *_ in table("abc")["tableA10"]["rows"]:
        cell, found = cells[f"{group}, {trait}", "increase"], measured.get((group, trait))
        assert cell.ours is not None
        if found is None:
            assert cell.ours <= 0
        else:
            component = cells[f"{group}, {trait}", "component score"]
            assert (cell.ours, component.ours) == pytest.approx((found["increase"], found["component_score"]))


def test_scores_of_opposite_ends_are_tried_for_table_a10() -> None:
    values = np.zeros((len(GROUPS), len(ADJECTIVES)))
    column = ADJECTIVES.index("poor")  # a left end: its pair is poor-wealthy
    for name, score in (("unemployed", 0.2), ("Italian", 0.1), ("unemployed Italian person", 0.5)):
        values[GROUPS.index(name), column] = score
        values[GROUPS.index(name), column + 1] = 0.1
    pairs = PairedScores(by_adjectives(GROUPS, values))
    asked = ("unemployed Italian person", "poor")
    assert pairs.rise(*asked, 0) == pytest.approx(0.3)
    # poor less wealthy: 0.4 for the pair, 0.1 and 0.0 for its components
    assert pairs.rise(*asked, 0, on="traits") == pytest.approx(0.3)
    assert pairs.rise(*asked, 1, on="traits") == pytest.approx(0.1)


FEW = ("teenage Democrat", "Democrat teenager", "Jamaican mechanic")


@pytest.mark.parametrize(
    ("kept", "undefined", "reason"),
    [
        (FEW, None, "2 of 8 pairs of age and politics are scored"),
        ((), None, "no pair of the catalogue is scored together with its two groups"),
        (GROUPS, "teenage Democrat", "7 of 8 pairs of age and politics are scored"),
    ],
)
def test_few_pairs_are_shown_and_not_judged(kept: Any, undefined: str | None, reason: str) -> None:
    rows = profiles()
    if undefined:
        rows[undefined] = np.full(16, np.nan)
    names = dict.fromkeys([*catalog().groups("abc-groups"), *kept])
    result = reproduce_abc(pairs=scored({name: rows[name] for name in names}))
    few = cells_of(result, "Table A9")["age and politics", "correlation with age"]
    assert (few.verdict, few.reason, few.ours is None) == ("not covered", reason, not kept)
    if kept == FEW:
        emerging = cells_of(result, "Table A10")
        assert emerging["Jamaican mechanic, trustworthy", "increase"].verdict == "differs"
        assert "not among the scores" in emerging["Deaf mechanic, likable", "increase"].reason


def with_templates(scores: TraitScores, templates: tuple[str, ...]) -> TraitScores:
    """The scores under the first template, and their opposites under all others."""
    assert scores.adjective_scores is not None
    parts = np.stack([scores.adjective_scores * (1 if i == 0 else -3) for i in range(len(templates))])
    made = by_adjectives(scores.groups, parts.mean(axis=0))
    return replace(made, templates=templates, template_scores=parts)


@pytest.mark.slow
def test_of_several_templates_that_of_the_paper_is_taken(planted: TraitScores) -> None:
    two = with_templates(planted, (PAPER, "A {singular} is {trait}."))
    cells = cells_of(reproduce_abc(pairs=two), "Table A9")
    assert cells["age and politics", "correlation with age"].verdict == "equal"
    other = with_templates(planted, ("A {singular} is {trait}.",))
    cell = cells_of(reproduce_abc(pairs=other), "Table A9")["age and politics", "correlation with age"]
    assert cell.verdict == "not covered"
    assert cell.ours == pytest.approx(306 / 960)
    assert f"other templates than the paper's {PAPER!r}" in cell.reason


def test_scores_of_another_measure_are_refused() -> None:
    with pytest.raises(InputError, match="those of group-ceat"):
        reproduce_abc(pairs=scored(profiles(), measure="group-ceat"))


@pytest.fixture
def emerging() -> TraitScores:
    """Black women are cold and powerful beyond both components, and so on no other adjective."""
    values = np.zeros((len(GROUPS), len(ADJECTIVES)))
    for name in ("Black woman", "female Black person"):
        values[GROUPS.index(name)] = -1.0
        for adjective in ("cold", "powerful"):
            values[GROUPS.index(name), ADJECTIVES.index(adjective)] = 1.0
    values += np.random.default_rng(0).normal(0, 1e-3, values.shape)  # so that orders exist
    return by_adjectives(GROUPS, values)


@pytest.mark.slow
def test_emergent_traits_are_compared_with_what_people_said(emerging: TraitScores, tmp_path: Path) -> None:
    asked = [("SeT RoBERTa", f"{one} of emergent traits") for one in ("precision", "recall")]

    def judged(truth: Any) -> list[Cell]:
        cells = cells_of(reproduce_abc(pairs=emerging, truth=truth), "Text of 5.2")
        return [cells[one] for one in asked]

    file = tmp_path / "truth.csv"
    file.write_text("pair,trait\nBlack | woman,low Communion\nBlack | woman,high Beliefs\n", encoding="utf-8")
    # found: low Communion (cold) and high Agency (powerful); true: low Communion and high Beliefs.
    # People were asked about men and women of four races of the catalogue: one pair of them is not the list.
    for cell in judged(file):
        assert (cell.ours, cell.verdict) == (0.5, "not covered")
        assert "the list of human answers lacks Asian and man" in cell.reason
    # adjectives count by the end of the scale that they lie at: repellent as cold
    assert [cell.ours for cell in judged({("Black", "woman"): ["repellent", "powerless"]})] == [0.5, 0.5]
    races, who = ("Asian", "Black", "Hispanic", "White"), ("man", "woman")
    whole: dict[Any, list[str]] = {(one, race): ["low Communion"] for race in races for one in who}
    _, recall = judged(whole)
    assert (recall.verdict, "scales without their ends" in recall.reason) == ("differs", True)
    del whole["woman", "Hispanic"]
    assert judged({**whole, "latina": ["low Communion"]})[1] == recall  # by its name, in any case of letters


@pytest.mark.parametrize(
    ("truth", "reason"),
    [
        (None, "--truth TRUTH.csv"),
        ({"purple women": ["cold"]}, "unknown pair 'purple women'"),
        ({"White woman": ["cold"]}, "'White woman' or one of its two groups is not among the scores"),
    ],
)
def test_agreement_without_a_list_or_the_pairs_of_it_is_not_covered(truth: Any, reason: str) -> None:
    few = scored({name: row for name, row in profiles().items() if name in ("Black", "woman", "Black woman")})
    cells = cells_of(reproduce_abc(pairs=few, truth=truth), "Text of 5.2")
    cell = cells["SeT RoBERTa", "recall of emergent traits"]
    assert (cell.verdict, cell.ours) == ("not covered", None)
    assert reason in cell.reason
    with pytest.raises(UnknownNameError, match="'low Comunion'"):
        reproduce_abc(pairs=few, truth={("Black", "woman"): ["low Comunion"]})

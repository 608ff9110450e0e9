"""Two models on groups and traits: what must come out, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from crossroads.core.errors import InputError
from crossroads.core.evidence import Provenance
from crossroads.core.results import read_only
from crossroads.traits.measures.compare import CompareTraitsResult, compare_traits
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.people.agreement import tau_interval

GROUPS = tuple(f"g{i}" for i in range(6))
TRAITS = tuple(f"t{i}" for i in range(5))


def scores(table: Any, groups: tuple[str, ...] = GROUPS, source: str = "m") -> TraitScores:
    return TraitScores(
        measure="ilps",
        groups=groups,
        traits=TRAITS,
        scores=read_only(np.array(table, dtype=np.float64)),
        provenance=(Provenance(source=source),),
    )


def noise(seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=(6, 5))


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_tau_is_that_of_scipy_and_does_not_depend_on_the_order_of_the_models(seed: int) -> None:
    one, two = scores(noise(seed)), scores(noise(seed + 1))
    result = compare_traits(one, two, draws=19)
    assert result.kendall_tau == pytest.approx(
        kendalltau(one.scores.ravel(), two.scores.ravel()).statistic, abs=1e-12
    )
    back = compare_traits(two, one, draws=0)
    assert back.kendall_tau == pytest.approx(result.kendall_tau, abs=1e-12)
    assert np.array_equal(back.differences, -result.differences)


def test_a_model_agrees_with_itself_on_whatever_scale() -> None:
    table = noise(1)
    result = compare_traits(scores(table), scores(7 * table + 3), draws=199)
    assert result.kendall_tau == pytest.approx(1)
    assert result.interval == pytest.approx((1, 1))
    assert np.abs(result.differences).max() < 1e-12
    # the order at hand is as far out as can be: one of 720 orders of groups, one of 120 of traits, twice
    # over; among 199 random orders of traits four more of it have a chance of 3 %
    assert result.exchanges["groups"].pvalue <= 0.02
    assert result.exchanges["traits"].pvalue <= 0.05
    unrelated = compare_traits(scores(table), scores(noise(2)), draws=199)
    assert min(one.pvalue for one in unrelated.exchanges.values()) > 0.05


def test_models_are_compared_within_blocks_as_a_model_and_people_are() -> None:
    one, two = scores(noise(1)), scores(noise(2))
    blocks = dict(zip(GROUPS, "aaabbb", strict=True))
    named = compare_traits(one, two, draws=99, blocks=blocks)
    blocks_of = {kind: exchange.blocks for kind, exchange in named.exchanges.items()}
    assert blocks_of == {"groups": 2, "traits": 1}
    assert named.interval == tau_interval(one.scores, two.scores, 0.95, [list("aaabbb"), ()])
    assert compare_traits(one, two).exchanges["groups"].blocks == 1  # the catalogue knows none of these


def test_the_cell_that_was_changed_is_the_largest_difference() -> None:
    table = noise(1)
    other = table.copy()
    other[2, 3] += 5
    result = compare_traits(scores(table), scores(other), draws=0)
    top = result.largest(1)[0]
    assert (top["group"], top["trait"]) == ("g2", "t3")
    assert top["difference"] < -1
    assert result.exchanges == {}


def test_cells_and_groups_that_one_model_lacks_are_left_out() -> None:
    table = noise(1)
    table[1, 1] = np.nan
    one = scores(table)
    two = scores(noise(2)[:5], groups=(*GROUPS[1:5], "other"), source="n")
    result = compare_traits(one, two, draws=9)
    assert result.models == ("m", "n")
    assert result.groups == GROUPS[1:5]
    assert result.coverage is not None
    assert result.coverage.dropped["groups"] == {
        "g0": "not scored by the second model",
        "g5": "not scored by the second model",
        "other": "not scored by the first model",
    }
    empty = next(row for row in result._rows() if row["group"] == "g1" and row["trait"] == "t1")
    assert (empty["score_1"], empty["difference"]) == (None, None)
    assert int((~result.known).sum()) == 1
    assert len(result.largest(100)) == 19
    assert CompareTraitsResult.from_json(result.to_json()) == result


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (scores(noise(2), groups=tuple("uvwxyz")), "no groups in common"),
        (scores(np.ones((6, 5))), "all scores of one model are equal"),
        ({"a": {"t": 1.0}}, "scores are of type"),
    ],
)
def test_what_cannot_be_compared_is_refused(second: Any, message: str) -> None:
    for pair in ((scores(noise(1)), second), (second, scores(noise(1)))):
        with pytest.raises(InputError, match=message):
            compare_traits(*pair)

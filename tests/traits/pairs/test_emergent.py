from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import genpareto

from crossroads.core.errors import InputError
from crossroads.core.results import read_only
from crossroads.core.stimuli import catalog
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.emergent import emergent, ordinary_pvalues, studentised
from crossroads.traits.pairs.identities import pair_scores
from crossroads.traits.pairs.truth import against, poles

Draw = Callable[[np.random.Generator, int], Any]
NORMAL: Draw = lambda rng, n: rng.normal(size=n)  # noqa: E731
HEAVY: Draw = lambda rng, n: rng.standard_t(5, size=n)  # noqa: E731
UNIFORM: Draw = lambda rng, n: rng.uniform(size=n)  # noqa: E731


@dataclass(frozen=True)
class World:
    """Scores of groups and of their pairs, with the pairs."""

    scores: TraitScores
    pairs: dict[str, tuple[str, str]]


def scored(rows: dict[str, Any]) -> TraitScores:
    names = tuple(f"t{i}" for i in range(len(next(iter(rows.values())))))
    values = read_only(np.array(list(rows.values()), dtype=float))
    return TraitScores(
        measure="toy",
        groups=tuple(rows),
        traits=names,
        scores=values,
        adjectives=names,
        adjective_scores=values,
    )


def world(seed: int, draw: Draw = NORMAL, *, size: int = 12, traits: int = 32, planted: float = 0.0) -> World:
    """Pairs in both orders that score what their components contribute, plus a deviation; one may be planted.

    What a group contributes to its pairs differs from half its own score, as *mechanic* in the paper's data.
    """
    rng = np.random.default_rng(seed)
    groups = [f"g{i}" for i in range(size)]
    own = {name: rng.normal(size=traits) for name in groups}
    part = {name: own[name] / 2 + rng.normal(size=traits) / 2 for name in groups}
    pairs = {f"{a} {b}": (a, b) for a in groups for b in groups if a != b}
    rows = dict(own)
    for name, (a, b) in pairs.items():
        rows[name] = part[a] + part[b] + draw(rng, traits)
    rows["g1 g2"] = rows["g1 g2"] + planted * (np.arange(traits) == 7)
    return World(scored(rows), pairs)


# One pair, by hand: above both components on t0 (3 - 2), between them on t1, below both on t2 (-1 - 0), equal
# to the larger one on t3.
BY_HAND = scored({"p": [1, 0, 0, 1], "q": [2, 1, 1, 0], "p q": [3, 0.5, -1, 1]})
PAIR = {"p q": ("p", "q")}


def test_increases_are_measured_from_the_nearer_component() -> None:
    result = emergent(BY_HAND, PAIR, null="none")
    rows = [(row["trait"], row["direction"], row["increase"]) for row in result._rows()]
    assert rows == [("t0", "above", 1.0), ("t2", "below", 1.0)]
    assert [row["component_score"] for row in result._rows()] == [2.0, 0.0]
    assert [row["score"] for row in result._rows()] == [3.0, -1.0]
    assert result.tests == 8
    assert (result.pvalue.size, bool(result.emergent.any())) == (0, False)
    assert [row["trait"] for row in emergent(BY_HAND, PAIR, null="none", direction="below")._rows()] == ["t2"]


def test_rows_are_ranked_and_cut() -> None:
    toy = world(0)
    result = emergent(toy.scores, toy.pairs)
    steps = [row["increase"] for row in result._rows()]
    assert steps == sorted(steps, reverse=True)
    assert result.top(3) == result._rows()[:3]
    assert [row["direction"] for row in result.top(4, direction="below")] == ["below"] * 4


def test_traits_may_be_opposite_pairs_as_well_as_adjectives() -> None:
    apart = replace(BY_HAND, traits=("a-b",), scores=read_only(np.array([[0.0], [1.0], [3.0]])))
    assert emergent(apart, PAIR, null="none", on="traits")._rows()[0]["increase"] == 2.0
    assert emergent(apart, PAIR, null="none").traits == BY_HAND.adjectives
    bare = replace(apart, adjectives=(), adjective_scores=None)
    with pytest.raises(InputError, match=r"not available per adjective(.|\n)*on='traits'"):
        emergent(bare, PAIR, null="none")


def test_deviations_are_those_of_a_regression_without_the_pair() -> None:
    """A deviation is the t of a dummy variable for the pair in a least-squares fit, by definition."""
    toy = world(1, size=5, traits=3)
    table = pair_scores(toy.scores, toy.pairs, None, missing="raise", adjectives=True)
    deviations, left, _ = studentised(table, "identities")
    member = np.array(
        [[name in pair.components for name in table.groups] for pair in table.pairs], dtype=float
    )
    for i, t in ((0, 0), (7, 2), (19, 1)):
        columns = np.column_stack([member, np.arange(len(member)) == i])
        weights, rest, rank, _ = np.linalg.lstsq(columns, table.whole[:, t], rcond=None)
        freedom = len(member) - rank
        variance = rest[0] / freedom * np.linalg.inv(columns.T @ columns)[-1, -1]
        assert deviations[i, t] == pytest.approx(weights[-1] / np.sqrt(variance), rel=1e-9)
        assert left == freedom


def test_the_fit_by_scores_takes_the_larger_and_the_smaller_component() -> None:
    rng = np.random.default_rng(0)
    toy = world(2, size=6, traits=2)
    table = pair_scores(toy.scores, toy.pairs, None, missing="raise", adjectives=True)
    high, low = np.maximum(table.first, table.second), np.minimum(table.first, table.second)
    noise = 0.1 * rng.normal(size=table.whole.shape)
    noise[4, 1] = 2.0
    made = replace(table, whole=1 + 0.7 * high - 0.2 * low + noise)
    deviations, _, _ = studentised(made, "scores")
    assert int(np.argmax(deviations)) == 4 * 2 + 1
    assert deviations[4, 1] > 10
    assert np.abs(np.delete(deviations[:, 1], 4)).max() < 4


@pytest.mark.parametrize(("draw", "traits", "heavy"), [(HEAVY, 32, True), (UNIFORM, 16, False)])
def test_p_values_are_ranks_and_in_the_tail_those_of_a_fitted_pareto(
    draw: Draw, traits: int, heavy: bool
) -> None:
    # Hosking & Wallis (1987): with the mean m of what is beyond an edge, and w its mean weighted by the share
    # above, the shape is 2 − m / (m − 2w) and the scale 2mw / (m − 2w). No tail is lighter than exponential.
    toy = world(1, draw, traits=traits)
    table = pair_scores(toy.scores, toy.pairs, None, missing="raise", adjectives=True)
    deviations, _, _ = studentised(table, "identities")
    for side, found in zip((1, -1), ordinary_pvalues(table, fit="identities"), strict=True):
        each = side * deviations
        ordered = np.sort(each, axis=None)
        n, k = each.size, min(250, each.size // 10)
        beyond = ordered[-k:] - ordered[-k - 1]
        mean, weighted = beyond.mean(), (beyond * np.arange(k - 1, -1, -1)).mean() / (k - 1)
        shape, scale = 2 - mean / (mean - 2 * weighted), 2 * mean * weighted / (mean - 2 * weighted)
        assert (shape > 0.02) == heavy
        tail = k / n * genpareto.sf(each - ordered[-k - 1], max(0.0, shape), scale=scale)
        ranks = 1 - np.searchsorted(ordered, each) / n
        assert found == pytest.approx(np.where(each > ordered[-k - 1], tail, ranks), rel=1e-9)


def test_a_normal_null_finds_emergent_traits_in_heavy_tails_and_is_refused() -> None:
    # Student's t for the deviations finds some in 98 % of tables of 56 pairs by 32 traits without any
    with pytest.raises(InputError, match=r"heavy(.|\n)*null='pooled'"):
        emergent(BY_HAND, PAIR, null="normal")  # type: ignore[arg-type]


@pytest.mark.parametrize("sign", [1, -1])
def test_one_planted_trait_is_found_and_nothing_else(sign: int) -> None:
    for seed in range(5):
        toy = world(seed, planted=sign * 14.0)
        found = emergent(toy.scores, toy.pairs).discoveries()
        assert [(row["pair"], row["trait"]) for row in found] == [("g1 g2", "t7")]
        assert found[0]["direction"] == ("above" if sign > 0 else "below")
    rows = dict(zip(toy.scores.groups, np.array(toy.scores.scores), strict=True))
    rows["g1"] = rows["g1"] + sign * 40.0 * (np.arange(32) == 7)  # now beyond what the pair scores
    assert emergent(scored(rows), toy.pairs, direction=found[0]["direction"]).discoveries() == []


def test_a_component_that_lifts_all_its_pairs_is_no_news_about_one_of_them() -> None:
    """The paper's mechanic: a low score alone, an ordinary one in every pair."""
    toy = world(3)
    rows = dict(zip(toy.scores.groups, np.array(toy.scores.scores), strict=True))
    for name, two in toy.pairs.items():
        if "g4" in two:
            rows[name] = rows[name] + 8.0 * (np.arange(32) == 5)
    lifted = scored(rows)
    raw = emergent(lifted, toy.pairs, null="none").top(12)
    assert all(row["trait"] == "t5" and "g4" in row["pair"] for row in raw)
    assert emergent(lifted, toy.pairs).discoveries() == []
    median = {}
    for fit in ("identities", "scores"):
        rows_of = emergent(lifted, toy.pairs, fit=fit, direction="above")._rows()
        median[fit] = np.median([r["p"] for r in rows_of if r["trait"] == "t5" and "g4" in r["pair"]])
    assert median["identities"] > 0.3  # ordinary pairs of g4
    assert median["scores"] < 0.1  # far out, seen from what g4 scores alone


def test_a_pair_that_no_other_shares_a_group_with_is_not_judged() -> None:
    toy = world(5)
    rows = dict(zip(toy.scores.groups, np.array(toy.scores.scores), strict=True))
    rng = np.random.default_rng(0)
    rows |= {"lone": rng.normal(size=32), "some": rng.normal(size=32), "lone some": np.full(32, 50.0)}
    result = emergent(scored(rows), {**toy.pairs, "lone some": ("lone", "some")})
    alone = [row for row in result._rows() if row["pair"] == "lone some"]
    assert len(alone) == 32
    assert all(row["p"] == 1.0 for row in alone)


def test_scores_on_another_scale_or_moved_give_the_same_p_values() -> None:
    toy = world(6, planted=9.0)
    moved = scored(
        {name: 1000 * (row + 3) for name, row in zip(toy.scores.groups, toy.scores.scores, strict=True)}
    )
    one, two = emergent(toy.scores, toy.pairs), emergent(moved, toy.pairs)
    assert two.increase == pytest.approx(1000 * one.increase)
    assert two.pvalue == pytest.approx(one.pvalue, rel=1e-6)


def test_few_combinations_are_ranked_without_a_fitted_tail_and_constant_scores_are_ordinary() -> None:
    toy = world(7, size=4, traits=4)  # 12 pairs x 4 traits
    result = emergent(toy.scores, toy.pairs)
    assert ((result.pvalue * 48).round(9) % 1 == 0).all()
    assert not result.emergent.any()
    flat = scored({name: np.zeros(4) for name in toy.scores.groups})
    assert emergent(flat, toy.pairs).increase.size == 0


def test_three_degrees_of_freedom_are_enough() -> None:
    # fit="scores" has a mean and two slopes: six pairs leave three degrees of freedom
    made = world(4, size=4, traits=5)
    five, six = (dict(list(made.pairs.items())[:pairs]) for pairs in (5, 6))
    assert emergent(made.scores, six, fit="scores").pairs == tuple(six)
    with pytest.raises(InputError, match="5 pairs leave 2 degrees of freedom next to 3 effects"):
        emergent(made.scores, five, fit="scores")
    with pytest.raises(InputError, match=r"1 pairs leave 0 degrees of freedom(.|\n)*fit='scores'"):
        emergent(BY_HAND, PAIR)


FOUND = emergent(
    scored(
        dict.fromkeys("pqr", [0] * 4)
        | {"p q": [1, 1, -1, -1], "q p": [1, -1, 1, -1], "p r": [-1, -1, -1, 1]},
    ),
    {"p q": ("p", "q"), "q p": ("q", "p"), "p r": ("p", "r")},
    null="none",
)


def test_precision_and_recall_count_pairs_and_traits() -> None:
    # detected: p q: t0, t1; p r: t3. True: p q: t0, t2; p r: t3. Two hits of three, of three true.
    result = against(FOUND, {"p q": ["t0", "t2"], "P R": ["t3"]}, draws=999)
    assert (result.precision, result.recall) == (2 / 3, 2 / 3)
    assert [one.hits for one in result.by_pair] == [("t0",), ("t3",)]
    # chance: two of four traits drawn for p q, each true with 1/2: 1 hit; one of four for p r: 1/4 hit.
    assert result.chance_precision == pytest.approx(1.25 / 3, abs=0.03)
    assert result.chance_recall == pytest.approx(1.25 / 3, abs=0.03)
    # two hits or more: both true traits for p q (1/6), whatever p r has, or one of them (4/6) and p r (1/4)
    assert result.pvalue == pytest.approx(1 / 6 + 4 / 6 / 4, abs=0.05)
    assert result._rows()[0] == {"pair": "p q", "detected": "t0, t1", "true": "t0, t2", "hits": 1}


def test_orders_directions_and_dimensions_of_what_was_listed() -> None:
    both = against(FOUND, {("q", "p"): ["t0", "t3"]}, draws=9)  # all orders of them
    assert (both.by_pair[0].pair, both.by_pair[0].detected) == ("q and p", ("t0", "t1", "t2"))
    assert against(FOUND, {"p q": ["t2"]}, direction="below", draws=9).recall == 1.0
    assert against(FOUND, {"p q": ["t2"]}, direction="above", draws=9).recall == 0.0
    dimensions = {"t0": "warm", "t1": "warm", "t2": "cold", "t3": "cold"}
    result = against(FOUND, {"p q": ["warm"], "p r": ["warm"]}, dimensions=dimensions, draws=9)
    assert (result.precision, result.recall) == (0.5, 0.5)
    assert result.items == ("warm", "cold")
    nothing = against(FOUND, {"p q": ["t0"]}, which="emergent", draws=9)
    assert (nothing.precision, nothing.chance_precision) == (None, None)
    assert (nothing.recall, nothing.pvalue) == (0.0, 1.0)


def test_lists_dealt_out_to_other_pairs_give_no_credit_for_what_all_share() -> None:
    truth: dict[Any, list[str]] = {"p q": ["t0"], "q p": ["t0"]}
    result = against(FOUND, truth, exchange="pairs", draws=99)
    assert result.recall == result.chance_recall == 1.0
    assert result.pvalue == 1.0


def test_every_adjective_lies_at_an_end_of_a_scale() -> None:
    traits = catalog().traits("abc-traits")
    ends = poles(traits)
    assert set(ends) == set(traits.adjectives)
    assert ends["threatening"] == "low Communion"
    assert ends["powerful"] == "high Agency"
    assert set(ends.values()) == {f"{end} {t.scale}" for t in traits for end in ("low", "high")}


@pytest.mark.parametrize(
    ("truth", "options", "message"),
    [
        ({"p s": ["t0"]}, {}, r"unknown pair 'p s'"),
        ({"p q": ["t9"]}, {}, "unknown trait 't9'"),
        ({"p q": "t0"}, {}, "are one string"),
        ({"p q": []}, {}, "is empty"),
        ({"p q": ["t0"]}, {"draws": 0}, "draws is 0"),
    ],
)
def test_bad_lists_are_refused(truth: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        against(FOUND, truth, **options)

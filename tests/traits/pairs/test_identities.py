from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from crossroads.core.errors import EvidenceError, InputError, MissingStimuliError, UnknownNameError
from crossroads.traits.pairs.identities import row_taus
from crossroads.traits.pairs.order import order_sensitivity


@dataclass(frozen=True)
class Table:
    """Scores of groups on traits: what the measures read of trait scores."""

    groups: tuple[str, ...]
    traits: tuple[str, ...]
    scores: Any
    measure: str = "toy"


def table(rows: dict[str, list[float]]) -> Table:
    width = len(next(iter(rows.values())))
    return Table(
        tuple(rows), tuple(f"t{i}" for i in range(width)), np.array(list(rows.values()), dtype=float)
    )


def random_table(names: list[str], seed: int = 0, traits: int = 8) -> Table:
    rng = np.random.default_rng(seed)
    return table({name: list(rng.normal(size=traits)) for name in names})


# Black: 1234, woman: 1243; "Black woman" follows woman exactly, "female Black person" follows Black exactly.
SMALL = table(
    {
        "Black": [1, 2, 3, 4],
        "woman": [1, 2, 4, 3],
        "Black woman": [10, 20, 40, 30],
        "female Black person": [5, 6, 7, 8],
    }
)


@given(
    st.integers(2, 9).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in range(2)])
    )
)
def test_row_taus_are_those_of_scipy(rows: tuple[list[int], list[int]]) -> None:
    one, two = (np.array([row], dtype=float) for row in rows)
    if len(set(rows[0])) == 1 or len(set(rows[1])) == 1:
        with pytest.raises(EvidenceError, match="there is no order"):
            row_taus(one, two)
    else:
        assert row_taus(one, two)[0] == pytest.approx(kendalltau(*rows).statistic, abs=1e-12)


def test_many_rows_are_the_same_as_one_by_one_and_one_trait_has_no_order() -> None:
    one, two = np.random.default_rng(0).normal(size=(2, 1100, 5))
    assert np.array_equal(row_taus(one, two)[700:701], row_taus(one[700:701], two[700:701]))
    with pytest.raises(InputError, match="at least two traits"):
        row_taus(np.ones((1, 1)), np.ones((1, 1)))


def test_correlations_with_first_second_and_reversed_order() -> None:
    # One discordant pair of traits of six: tau = (5 - 1) / 6 = 2/3. The first component is Black in "Black
    # woman" (2/3), woman in "female Black person" (2/3); the second ones correlate perfectly; reversed: 2/3.
    result = order_sensitivity(SMALL, resamples=200)
    assert result.pairs == ("female Black person", "Black woman")
    assert result.tau_first.tolist() == pytest.approx([2 / 3, 2 / 3])
    assert result.tau_second.tolist() == pytest.approx([1, 1])
    means = {row["with"]: row["tau"] for row in result._rows()}
    wanted = {"first": 2 / 3, "second": 1, "difference": 1 / 3, "highest": 1, "reversed": 2 / 3}
    assert means == pytest.approx(wanted)
    assert result.reversals == (("female Black person", "Black woman"),)
    row = result.by_pair()[1]
    assert (row["pair"], row["first"], row["second"]) == ("Black woman", "Black", "woman")
    assert (row["tau_first"], row["tau_second"]) == (result.tau_first[1], result.tau_second[1])


def test_components_may_be_scored_apart_and_their_traits_in_another_order() -> None:
    pairs = replace(SMALL, groups=SMALL.groups[2:], scores=SMALL.scores[2:])
    apart = Table(SMALL.groups[:2], SMALL.traits[::-1], SMALL.scores[:2, ::-1])
    result = order_sensitivity(pairs, components=apart, resamples=50)
    assert result.highest.mean == 1
    with pytest.raises(InputError, match=r"the trait '(odd|t0)' is scored for the pairs or for"):
        order_sensitivity(pairs, components=replace(apart, traits=("t3", "t2", "t1", "odd")))


def test_what_has_no_other_order_counts_in_the_highest_correlation_only() -> None:
    phrase = order_sensitivity(random_table(["Hispanic", "woman", "Latina"]), resamples=50)
    assert phrase.pairs == ("Latina",)
    assert phrase.first is phrase.second is phrase.difference is phrase.reversed is None
    assert [row["with"] for row in phrase._rows()] == ["highest"]
    scores = random_table(["Black", "woman", "doctor", "Black woman", "female Black person", "Black doctor"])
    result = order_sensitivity(scores, resamples=50)
    assert result.first is not None
    assert (result.first.pairs, result.highest.pairs) == (2, 3)


def test_pairs_may_be_given_as_a_mapping() -> None:
    scores = random_table(["p", "q", "p and q"])
    assert order_sensitivity(scores, {"p and q": ("p", "q")}, resamples=50).components == (("p", "q"),)
    for bad in ({"p and q": "pq"}, {"p and q": ("p", "p")}, {"p and q": ("p",)}):
        with pytest.raises(InputError, match="the pair 'p and q' has the components"):
            order_sensitivity(scores, bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'p and q' is not a paired group"):
        order_sensitivity(scores, ["p and q"])  # type: ignore[list-item]


def test_pairs_asked_for_but_not_scored_are_named_or_dropped() -> None:
    pairs: dict[str, tuple[str, str]] = {"p and q": ("p", "q"), "p and r": ("p", "r"), "q and p": ("q", "p")}
    scores = random_table(["p", "q", "p and q", "p and r"])
    with pytest.raises(MissingStimuliError, match="'p and r' and 1 more") as caught:
        order_sensitivity(scores, pairs)
    wanted = {"p and r": "its component 'r' is not among the scores", "q and p": "not among the scores"}
    assert caught.value.missing == wanted
    result = order_sensitivity(scores, pairs, missing="drop", resamples=50)
    assert result.coverage is not None
    assert result.coverage.missing == wanted


def test_scores_without_a_pair_or_without_numbers_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="must contain the pairs by their singular"):
        order_sensitivity(random_table(["Black", "woman"]))
    with pytest.raises(InputError, match="there are no pairs"):
        order_sensitivity(SMALL, [])
    with pytest.raises(EvidenceError, match="the scores have the shape"):
        order_sensitivity(replace(SMALL, scores=SMALL.scores[:, :2]))
    holes = SMALL.scores.copy()
    holes[1, 2] = np.nan
    with pytest.raises(EvidenceError, match="scores of 'woman' contain a value that is not a number"):
        order_sensitivity(replace(SMALL, scores=holes))


def test_drawing_groups_gives_the_spread_that_shared_groups_cause() -> None:
    """Pairs share groups: intervals from drawing pairs would be too narrow, from drawing groups they are not.

    The correlation of a pair with its first component is made to depend on the second group alone: 1 if that
    group is loud (it leaves the order as it is), and about 0 if it is quiet. The mean over all ordered pairs
    of G groups is then about the share of loud groups, whose standard error is that of G draws,
    sqrt(0.25 / G), and not that of G (G - 1) draws.
    """
    rng = np.random.default_rng(3)
    groups = [f"g{i}" for i in range(20)]
    own = {name: rng.normal(size=16) for name in groups}
    pairs = {f"{a} {b}": (a, b) for a in groups for b in groups if a != b}
    loud = set(groups[::2])
    rows = {name: list(own[a] if b in loud else rng.normal(size=16)) for name, (a, b) in pairs.items()}
    scores = table({**{name: list(values) for name, values in own.items()}, **rows})
    result = order_sensitivity(scores, pairs, resamples=1000)
    assert result.first is not None
    half = (result.first.high - result.first.low) / 2
    by_groups, by_pairs = 1.96 * np.sqrt(0.25 / 20), 1.96 * np.sqrt(0.25 / 380)
    assert half == pytest.approx(by_groups, rel=0.2)
    assert half > 3 * by_pairs

"""Choosing templates on a pilot set: the best one or two, by every rule of the publication."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from crossroads.core.errors import EvidenceError, InputError
from crossroads.traits.measures.scores import TraitScores, averages
from crossroads.traits.measures.templates import choose_templates

PAIRS = (("a", "b"), ("c", "d"), ("e", "f"))
TRAITS = ("a-b", "c-d", "e-f")
GROUPS = ("one", "two", "three")


def scores(by_template: Any) -> TraitScores:
    """Templates × groups × pairs as they are: the left adjectives score nothing."""
    given = np.asarray(by_template, dtype=float)
    table = np.zeros((*given.shape[:2], 6))
    table[:, :, 1::2] = given
    adjectives = tuple(word for pair in PAIRS for word in pair)
    return TraitScores(
        measure="toy",
        groups=GROUPS,
        traits=TRAITS,
        pairs=PAIRS,
        adjectives=adjectives,
        templates=tuple(f"t{i}" for i in range(len(given))),
        **averages(table, adjectives, PAIRS),
    )


def table(values: Any) -> dict[str, dict[str, float]]:
    return {g: dict(zip(TRAITS, row, strict=True)) for g, row in zip(GROUPS, values, strict=True)}


@pytest.mark.parametrize("seed", range(6))
def test_no_set_of_templates_agrees_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given, human = rng.normal(size=(6, 3, 3)), rng.uniform(0, 100, size=(3, 3))
    found = choose_templates(scores(given), table(human))
    taus = {
        chosen: kendalltau(given[list(chosen)].mean(axis=0).ravel(), human.ravel()).statistic
        for size in (1, 2)
        for chosen in combinations(range(6), size)
    }
    assert found.kendall_tau == pytest.approx(max(taus.values()))
    chosen = tuple(int(name[1:]) for name in found.templates)
    assert taus[chosen] == pytest.approx(found.kendall_tau)
    assert found.single_tau == pytest.approx([taus[i,] for i in range(6)])
    honest = []
    for left in range(3):  # the choice without a group, judged on that group
        others = [g for g in range(3) if g != left]
        best = max(
            taus, key=lambda some: kendalltau(given[list(some)].mean(axis=0)[others], human[others])[0]
        )
        honest.append(kendalltau(given[list(best)].mean(axis=0)[left], human[left]).statistic)
    assert found.cross_validated_tau == pytest.approx(np.mean(honest))
    alone = choose_templates(scores(given), table(human), most=1)
    assert alone.templates == (f"t{int(np.argmax(found.single_tau))}",)


def test_two_templates_are_chosen_only_if_they_do_better_than_one() -> None:
    human = np.arange(9.0).reshape(3, 3)
    # the first is perfect; with any other it cannot be better
    found = choose_templates(scores([human, human * 2, -human]), table(human))
    assert found.templates == ("t0",)
    assert found.kendall_tau == pytest.approx(1)
    # each half is constant where the other one speaks: together they are perfect
    halves = [np.where(human < 4, human, 4), np.where(human < 4, 4, human)]
    both = choose_templates(scores([-human, *halves]), table(human))
    assert both.templates == ("t1", "t2")
    assert both.kendall_tau == pytest.approx(1)


def test_only_the_pilot_groups_are_looked_at() -> None:
    human = np.arange(9.0).reshape(3, 3)
    good_on_first = np.concatenate([human[:1], -human[1:]])
    given = scores([good_on_first, human[::-1]])
    found = choose_templates(given, table(human), groups=["one"])
    assert found.groups == ("one",)
    assert found.templates == ("t0",)
    assert found.cross_validated_tau is None  # of a single group
    assert choose_templates(given, {"one": table(human)["one"]}).kendall_tau == found.kendall_tau


HUMAN = np.arange(9.0).reshape(3, 3)
GIVEN = scores([HUMAN, -HUMAN])


@pytest.mark.parametrize(
    ("given", "pilot", "options", "said"),
    [
        (GIVEN, {"one": {"a-b": 1.0}}, {}, "trait of the pilot group 'one'"),
        (GIVEN, table(HUMAN * np.nan), {}, "contains nan"),
        (GIVEN, table(HUMAN), {"most": 0}, "most is 0"),
        (scores(np.ones((40, 3, 3))), table(HUMAN), {"most": 6}, "too many sets"),
        (scores([HUMAN, np.ones((3, 3))]), table(HUMAN), {}, "'t1' or of the pilot set are all equal"),
        (TraitScores.from_table(table(HUMAN)), table(HUMAN), {}, "not available per template"),
    ],
)
def test_what_cannot_be_chosen_from_is_said(given: Any, pilot: Any, options: Any, said: str) -> None:
    with pytest.raises((InputError, EvidenceError), match=said):
        choose_templates(given, pilot, **options)

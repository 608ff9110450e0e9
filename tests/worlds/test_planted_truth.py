"""Where the truth is known: logits of a model that was told profiles, and the measures give them back.

An adjective follows a group with probability proportional to exp(base + profile / 2) for the right adjective
of a pair and exp(base − profile / 2) for the left one. The base differs between adjectives and is all there
is for *person*. Hence log p(right | group) − log p(left | group), less the same for *person*, is the profile.
A pair of groups has the mean profile of its two, but for one adjective of one pair, which belongs to neither
of the two: it emerges. Half of the sentences end with a word that is no trait.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from crossroads.evidence.logits import Logits
from crossroads.inference.agreement import kendall
from crossroads.measures.pairs.emergent import emergent
from crossroads.measures.traits.alignment import align
from crossroads.measures.traits.ilps import ilps_star
from crossroads.measures.traits.scores import TraitScores
from crossroads.measures.traits.sensitivity import set_test
from crossroads.stimuli.identities.pairs import paired_groups

GROUPS = ("man", "woman", "Black", "Asian", "teenager", "elderly")
TRAITS = (
    ("powerless", "powerful"), ("poor", "wealthy"), ("cold", "warm"), ("traditional", "modern"),
    ("religious", "scientific"), ("dishonest", "sincere"), ("conservative", "liberal"), ("shy", "confident"),
)  # fmt: skip
FILLERS = 3
"""Words that sentences end with every other time, whoever they are about: no trait is the likeliest word."""
EMERGENT = ("Black woman", "shy")
BUMP = 2.5
PAIRS = paired_groups(GROUPS)
RNG = np.random.default_rng(12)
PROFILES = {name: RNG.normal(0, 1.4, len(TRAITS)) for name in GROUPS}
BASE = RNG.normal(0, 0.5, 2 * len(TRAITS))
TRUTH = {
    name: {f"{left}-{right}": value for (left, right), value in zip(TRAITS, row.tolist(), strict=True)}
    for name, row in PROFILES.items()
}


def planted() -> Logits:
    """What a model answers that knows how often each word follows: every adjective is one token."""
    profiles = PROFILES | {pair.name: (PROFILES[pair.first] + PROFILES[pair.second]) / 2 for pair in PAIRS}
    shifts = {name: np.stack([-row / 2, row / 2], axis=1).ravel() for name, row in profiles.items()}
    shifts[EMERGENT[0]][[word for pair in TRAITS for word in pair].index(EMERGENT[1])] += BUMP
    weights = np.exp(BASE + np.stack([*shifts.values(), np.zeros_like(BASE)]))
    adjectives = 0.5 * weights / weights.sum(axis=1, keepdims=True)
    probability = np.concatenate([adjectives, np.full((len(weights), FILLERS), 0.5 / FILLERS)], axis=1)
    # a template may make all words more or less likely, which falls out of every difference
    full = np.log(probability)[:, None] - [[[0.0], [1.5]]]
    rows, templates, count = full.shape
    slots = np.arange(rows * templates).reshape(rows, templates, 1, 1)
    return Logits.from_arrays(
        groups=list(shifts),
        priors=["noun"],
        templates=["The {singular} is {trait}.", "{capitalised} are {trait}."],
        traits=TRAITS,
        logit=full[..., : 2 * len(TRAITS), None],
        slot=np.broadcast_to(slots, (rows, templates, 2 * len(TRAITS), 1)).copy(),
        head=-np.sort(-full.reshape(-1, count), axis=1),
        log_sum_exp=np.log(np.exp(full).sum(axis=-1)).ravel(),
        hidden_sq_norm=np.ones(rows * templates),
        vocabulary=count,
        kind="causal",
        provenance="planted",
    )


def test_ilps_star_is_the_planted_profile() -> None:
    scores = ilps_star(planted(), prior="noun")
    for group, profile in TRUTH.items():
        assert scores.row(group) == pytest.approx(profile, abs=1e-5)


def test_set_gives_the_order_of_the_planted_profiles_back() -> None:
    scores = set_test(planted(), prior="noun")
    found = [value for group in GROUPS for value in scores.row(group).values()]
    assert kendall(np.array(found), np.concatenate([*PROFILES.values()]))[0] >= 0.8


def test_alignment_with_people_who_know_the_truth_is_close() -> None:
    people = {
        group: {trait: 100 / (1 + np.exp(-value)) for trait, value in row.items()}
        for group, row in TRUTH.items()
    }
    result = align(ilps_star(planted(), prior="noun"), people, bootstrap=200)
    assert result.kendall_tau == pytest.approx(1.0)
    assert result.precision_at_3 >= 0.9
    assert result.permutation_pvalue is not None
    assert result.permutation_pvalue < 0.05  # the model tells the groups apart, not just the traits


@pytest.mark.parametrize("measure", [ilps_star, set_test], ids=["ilps*", "set"])
def test_the_trait_planted_for_one_pair_alone_emerges(measure: Callable[..., TraitScores]) -> None:
    found = emergent(measure(planted(), prior="noun"), PAIRS, null="none").rows()
    first, second = found[0], found[1]
    assert (first["pair"], first["trait"]) == EMERGENT
    assert first["increase"] > 3 * second["increase"]

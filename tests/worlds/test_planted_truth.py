"""Where the truth is known: models read text with planted profiles, and the measures give them back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="extra 'models'")
pytest.importorskip("transformers", reason="extra 'models'")

from crossroads.traits.measures.ilps import ilps_star
from crossroads.traits.measures.least_change import set_test
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.emergent import emergent
from crossroads.traits.people.agreement import kendall
from crossroads.traits.people.alignment import align
from crossroads.traits.probe.evidence import Logits
from crossroads.traits.probe.run import probe

KINDS = ("planted", *(pytest.param(kind, marks=pytest.mark.full) for kind in ("masked", "causal")))
"""Logits of a model that has read everything, and, where patience is asked for, models that were trained."""
Probed = Callable[[str], Logits]


@pytest.fixture(scope="module")
def probed(world: Any, request: pytest.FixtureRequest) -> Probed:
    """``probed("masked")``: what the trained model answers about groups and pairs of groups."""
    made: dict[str, Logits] = {}

    def make(kind: str) -> Logits:
        if kind == "planted":
            return planted(world)
        if kind not in made:
            folder: Path = request.getfixturevalue(f"{kind}_model")
            made[kind] = probe(
                folder,
                groups=[*world.truth, *world.pairs],
                traits=[tuple(name.split("-")) for name in next(iter(world.truth.values()))],
                templates=["The {singular} is {trait}.", "{capitalised} are {trait}."],
                device="cpu",
                threads=1,
            )
        return made[kind]

    return make


def planted(world: Any) -> Logits:
    """What a model answers that knows how often each word follows: every adjective is one token."""
    names, count = [*world.truth, *(pair.name for pair in world.pairs)], len(world.words)
    pairs = [tuple(name.split("-")) for name in next(iter(world.truth.values()))]
    # a template may make all words more or less likely, which falls out of every difference
    full = np.stack([np.log(world.probability[row]) for row in (*names, "noun")])[:, None] - [[[0.0], [1.5]]]
    rows, templates, adjectives = len(names) + 1, 2, 2 * len(pairs)
    slots = np.arange(rows * templates).reshape(rows, templates, 1, 1)
    return Logits.from_arrays(
        groups=names,
        priors=["noun"],
        templates=["The {singular} is {trait}.", "{capitalised} are {trait}."],
        traits=pairs,
        logit=full[..., :adjectives, None],
        slot=np.broadcast_to(slots, (rows, templates, adjectives, 1)).copy(),
        head=-np.sort(-full.reshape(-1, count), axis=1),
        log_sum_exp=np.log(np.exp(full).sum(axis=-1)).ravel(),
        hidden_sq_norm=np.ones(rows * templates),
        vocabulary=count,
        kind="causal",
        provenance="planted",
    )


def test_ilps_star_is_the_planted_profile_where_logits_are_what_was_planted(world: Any) -> None:
    scores = ilps_star(planted(world), prior="noun")
    for group, profile in world.truth.items():
        assert scores.row(group) == pytest.approx(profile, abs=1e-5)


def tau(scores: TraitScores, world: Any, traits: list[str]) -> float:
    """Agreement with the planted profiles, over all groups and the given pairs of traits."""
    found = [scores.row(group)[trait] for group in world.truth for trait in traits]
    planted = [world.truth[group][trait] for group in world.truth for trait in traits]
    return float(kendall(np.array(found), np.array(planted))[0])


@pytest.mark.parametrize("kind", KINDS)
def test_ilps_star_gives_the_planted_profiles_back(world: Any, probed: Probed, kind: str) -> None:
    logits = probed(kind)
    traits = [trait.name for trait in logits.traits]
    scores = ilps_star(logits, prior="noun")
    assert logits.pieces.max() == (1 if kind == "planted" else 2)
    assert tau(scores, world, traits) >= 0.8
    # Not the order alone: the profile is log p(right) − log p(left) relative to the noun, which ILPS* is.
    # The number of masks tells whether an adjective of one or of two pieces follows; it is the same for
    # both of a pair and falls out of the difference.
    errors = [scores.row(g)[t] - world.truth[g][t] for g in world.truth for t in traits]
    assert np.sqrt(np.mean(np.square(errors))) < 0.5  # profiles have a standard deviation of 1.4


@pytest.mark.full
def test_ilps_star_against_a_mask_gives_the_profiles_back(world: Any, probed: Probed) -> None:
    logits = probed("masked")
    assert tau(ilps_star(logits, prior="mask"), world, [trait.name for trait in logits.traits]) >= 0.8


@pytest.mark.parametrize("kind", KINDS)
def test_set_gives_the_order_of_the_planted_profiles_back(world: Any, probed: Probed, kind: str) -> None:
    # Of an adjective of two pieces, the second is all but certain once the first is filled in, so that the
    # largest score over pieces is that of the second, whoever is spoken of. Such pairs are told apart by
    # the smallest score instead.
    logits = probed(kind)
    single = [t.name for t, n in zip(logits.traits, logits.pieces[0, ::2], strict=True) if n == 1]
    split = [t.name for t in logits.traits if t.name not in single]
    scores = set_test(logits, prior="noun")
    assert tau(scores, world, single) >= 0.8
    if kind == "planted":
        return
    assert len(split) == 1
    assert tau(set_test(logits, prior="noun", pieces="min"), world, split) > tau(scores, world, split)


@pytest.mark.parametrize("kind", KINDS)
def test_alignment_with_people_who_know_the_truth_is_close(world: Any, probed: Probed, kind: str) -> None:
    people = {
        group: {trait: 100 / (1 + np.exp(-value)) for trait, value in row.items()}
        for group, row in world.truth.items()
    }
    result = align(ilps_star(probed(kind), prior="noun"), people, resamples=200)
    assert result.kendall_tau >= 0.8
    assert result.precision_at_3 >= 0.8
    assert result.exchanges["groups"].pvalue < 0.05  # the model tells the groups apart, not just the traits


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("measure", [ilps_star, set_test], ids=["ilps*", "set"])
def test_the_trait_planted_for_one_pair_alone_emerges(
    world: Any, probed: Probed, kind: str, measure: Callable[..., TraitScores]
) -> None:
    found = emergent(measure(probed(kind), prior="noun"), world.pairs, null="none")._rows()
    first, second = found[0], found[1]
    assert (first["pair"], first["trait"]) == world.emergent
    assert first["increase"] > 3 * second["increase"]

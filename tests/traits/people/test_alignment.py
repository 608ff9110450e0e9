"""Alignment with people: published definitions, clustering, ceilings, and what is left out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from crossroads.core.errors import InputError
from crossroads.core.inference.bootstrap import percentile_interval, resampled_weights
from crossroads.core.stimuli import catalog
from crossroads.traits.people.agreement import orders_within, tau_interval
from crossroads.traits.people.alignment import align
from crossroads.traits.people.alignment_result import AlignmentResult, align_table
from crossroads.traits.people.evidence import Judgements

TRAITS = tuple(pair.name for pair in catalog().traits("abc-traits"))
GROUPS = tuple(catalog().groups("abc-groups"))
QUICK: dict[str, Any] = {"draws": 0, "resamples": 0, "splits": 0}


def table(values: np.ndarray) -> dict[str, dict[str, float]]:
    """A mapping of the first groups and traits of the catalogue."""
    return {
        group: {trait: float(v) for trait, v in zip(TRAITS, row, strict=False)}
        for group, row in zip(GROUPS, values, strict=False)
    }


def scored(values: np.ndarray, **more: Any) -> SimpleNamespace:
    groups, traits = values.shape
    return SimpleNamespace(
        measure="toy", groups=GROUPS[:groups], traits=TRAITS[:traits], scores=values, **more
    )


def judged(ratings: np.ndarray) -> Judgements:
    people, groups, traits = ratings.shape
    return Judgements(
        groups=GROUPS[:groups],
        traits=TRAITS[:traits],
        annotators=tuple(f"p{i}" for i in range(people)),
        ratings=ratings,
    )


def answers(truth: np.ndarray, people: int, noise: float, rng: np.random.Generator) -> Judgements:
    """Ratings of simulated people around a truth; a part of the noise is a person's own level."""
    level = rng.normal(size=(people, len(truth), 1)) * noise / 3
    return judged(np.clip(truth + level + rng.normal(size=(people, *truth.shape)) * noise, 0, 100))


def test_tau_and_precision_follow_their_definitions() -> None:
    human = np.array([[90.0, 70, 40, 20], [60, 55, 52, 10]])
    model = np.array([[4.0, 3, 1, 2], [1, 2, 3, 4]])
    result = align(scored(model), table(human), k=1, **QUICK)
    assert result.kendall_tau == pytest.approx(kendalltau(model.ravel(), human.ravel()).statistic)
    assert result.kendall_pvalue == pytest.approx(kendalltau(model.ravel(), human.ravel()).pvalue)
    one, two = (result.by_group[group] for group in GROUPS[:2])
    # first group: one of six pairs in the wrong order; highest trait above 50, lowest trait (40) below it
    assert one.kendall_tau == pytest.approx((5 - 1) / 6)
    assert (one.precision_top, one.precision_bottom, one.precision_at_3) == (1, 1, 1)
    # second group: all pairs in the wrong order; the highest trait has 10, the lowest 60
    assert two.kendall_tau == pytest.approx(-1)
    assert (two.precision_top, two.precision_bottom, two.precision_at_3) == (0, 0, 0)
    assert (result.precision_at_3, result.precision_chance) == (0.5, 0.5)
    assert result.k == 1
    assert result._rows()[-1]["group"] == "all groups"


def test_a_mean_at_the_threshold_is_on_neither_side() -> None:
    human = np.array([[50.0, 50, 50, 20], [90, 80, 10, 20]])
    result = align(scored(np.array([[4.0, 3, 2, 1], [4, 3, 2, 1]])), table(human), k=1, **QUICK)
    assert result.by_group[GROUPS[0]].precision_top == 0
    assert result.by_group[GROUPS[0]].precision_bottom == 1
    # of the first group a quarter has a side, of the second all: (1/4 + 1) / 2 / 2
    assert result.precision_chance == pytest.approx(0.3125)


def test_who_agrees_with_oneself_agrees_perfectly_but_for_sides_that_have_too_few_traits() -> None:
    values = 60.0 + np.arange(48).reshape(6, 8) % 17
    values[0, :2] = 10, 20  # two traits below 50 cannot fill three places at the bottom; the others have none
    result = align(table(values), table(values), resamples=0, draws=99, splits=0)
    assert result.kendall_tau == 1.0
    assert [result.by_group[group].precision_top for group in GROUPS[:2]] == [1, 1]
    assert [result.by_group[group].precision_bottom for group in GROUPS[:2]] == pytest.approx([2 / 3, 0])
    assert result.exchanges["groups"].pvalue == pytest.approx(0.02)  # 2 · 1/100: the smallest there is


def tau(one: np.ndarray, two: np.ndarray) -> float:
    return float(kendalltau(one.ravel(), two.ravel()).statistic)


def two_sided(observed: float, others: list[float]) -> float:
    above = sum(other >= observed - 1e-9 for other in others)
    below = sum(other <= observed + 1e-9 for other in others)
    return min(1.0, 2 * (min(above, below) + 1) / (len(others) + 1))


@pytest.mark.parametrize("blocked", [False, True])
def test_exchanges_equal_a_loop_over_the_orders_drawn(blocked: bool) -> None:
    rng = np.random.default_rng(4)
    model, human = rng.normal(size=(7, 6)), rng.uniform(0, 100, size=(7, 6)).round()
    names = {"groups": GROUPS[:7], "traits": TRAITS[:6]}
    parts = {kind: [f"{kind} {i % 2 * blocked}" for i in range(len(n))] for kind, n in names.items()}
    blocks = {name: part for kind in names for name, part in zip(names[kind], parts[kind], strict=True)}
    options: dict[str, Any] = {"draws": 30, "seed": 5, "k": 2, "threshold": 40.0}
    found = align(scored(model), table(human), resamples=0, splits=0, blocks=blocks, **options)

    def precision(people: np.ndarray) -> float:
        hits = 0
        for scores, judged in zip(model, people, strict=True):
            order = np.argsort(scores)
            hits += sum(judged[order[-2:]] > 40) + sum(judged[order[:2]] < 40)
        return hits / (2 * 2 * len(model))

    drawn = np.random.default_rng(5)
    for kind in ("groups", "traits"):
        orders = orders_within(parts[kind], 30, drawn)
        people = [human[order] if kind == "groups" else human[:, order] for order in orders]
        taus, precise = [tau(model, one) for one in people], [precision(one) for one in people]
        one = found.exchanges[kind]
        assert (one.tau, one.expected_tau) == pytest.approx((tau(model, human), np.mean(taus)))
        assert one.expected_precision == pytest.approx(np.mean(precise))
        assert one.pvalue == two_sided(tau(model, human), taus)
        assert one.precision_pvalue == two_sided(precision(human), precise)
        assert (one.draws, one.blocks) == (30, 1 + blocked)
    assert found.precision_at_3 == pytest.approx(precision(human))


def test_the_interval_of_precision_draws_groups() -> None:
    rng = np.random.default_rng(6)
    model, human = rng.normal(size=(9, 6)), rng.uniform(0, 100, size=(9, 6))
    found = align(scored(model), table(human), draws=0, resamples=200, splits=0, level=0.8, seed=3)
    each = [found.by_group[group].precision_at_3 or 0.0 for group in found.by_group]
    means = resampled_weights(9, 200, np.random.default_rng(3)) @ np.array(each)
    assert found.precision_interval == pytest.approx(percentile_interval(means, 0.8))
    assert found.annotator_interval is None


def test_ceilings_and_the_interval_over_people_equal_a_plain_transcription() -> None:
    # Whole people are drawn within groups. Errors of resampled means are scaled by √(n / (n − 1)), and means
    # are shrunk within groups until their variance is that of the means less that of their errors.
    rng = np.random.default_rng(3)
    people = answers(50 + rng.normal(size=(4, 8)) * 12, 6, 15, rng)
    model = people.means() + rng.normal(size=(4, 8)) * 10
    options: dict[str, Any] = {"draws": 0, "resamples": 10, "splits": 40, "level": 0.9, "seed": 2}
    found = align(scored(model), people, k=2, **options)
    drawn = np.random.default_rng(2)
    errors, truth = np.empty((40, 4, 8)), np.empty((4, 8))
    for g in range(4):
        rows = people.ratings[:, g]
        weights = drawn.multinomial(6, [1 / 6] * 6, size=40) / 6
        errors[:, g] = (weights @ rows - rows.mean(axis=0)) * np.sqrt(6 / 5)
        within = errors[:, g] - errors[:, g].mean(axis=1)[:, None]
        means = rows.mean(axis=0)
        kept = max(0.0, 1 - (within**2).mean() / means.var(ddof=1))
        truth[g] = means.mean() + np.sqrt(kept) * (means - means.mean())
    halves = [people.halves(drawn) for _ in range(40)]
    seen = truth + errors
    noise = found.noise
    assert noise is not None
    assert found.ceiling == noise.truth == pytest.approx(np.mean([tau(truth, one) for one in seen]))
    again = [tau(one, two) for one, two in zip(seen, np.roll(seen, 1, axis=0), strict=True)]
    assert noise.same_size == pytest.approx(np.mean(again))
    split = [tau(one, two) for one, two in halves]
    assert noise.split_half == pytest.approx(np.mean(split))
    assert noise.split_half_interval == pytest.approx(np.quantile(split, [0.025, 0.975]))
    for g, group in enumerate(found.by_group):
        wanted = np.mean([tau(truth[g], one[g]) for one in seen])
        assert found.by_group[group].ceiling == noise.by_group[group] == pytest.approx(wanted)
    order = np.argsort(truth, axis=1)
    hits = [
        (one[g, order[g, -2:]] > 50).sum() + (one[g, order[g, :2]] < 50).sum()
        for one in seen
        for g in range(4)
    ]
    assert noise.truth_precision == pytest.approx(np.mean(hits) / 4)
    taus = np.array([tau(people.means() + one, model) for one in errors])
    ends = percentile_interval(found.kendall_tau + taus - taus.mean(), 0.9)
    assert found.annotator_interval == pytest.approx(ends)
    assert AlignmentResult.from_json(found.to_json()) == found == align(scored(model), people, k=2, **options)
    assert align(scored(model), people, k=2, **options | {"seed": 1}) != found


def test_labels_are_exchanged_within_domains_and_scales_of_the_catalogue() -> None:
    values = np.random.default_rng(11).normal(size=(20, 16))
    people = table(np.clip(50 + 10 * values, 0, 100))

    def parts(**options: Any) -> dict[str, int]:
        found = align(scored(values), people, **{**QUICK, "draws": 9}, **options)
        return {kind: one.blocks for kind, one in found.exchanges.items()}

    members = catalog().groups("abc-groups")
    domains = {members[group].categories["domain"] for group in GROUPS[:20]}
    assert parts() == {"groups": len(domains), "traits": 3}
    assert parts(blocks=None) == {"groups": 1, "traits": 1}
    assert parts(blocks={group: f"block {i % 2}" for i, group in enumerate(GROUPS[:20])}) == {
        "groups": 2,
        "traits": 1,
    }
    pairs = {group: f"block {i // 2}" for i, group in enumerate(GROUPS[:20])}
    assert parts(blocks=pairs)["groups"] == 10  # two can change places
    assert parts(blocks={group: group for group in GROUPS[:20]}) == {"traits": 1}  # nothing to exchange


def test_the_interval_leaves_out_blocks_by_any_form_of_their_names() -> None:
    rng = np.random.default_rng(12)
    values, human = rng.normal(size=(2, 8, 6)) + np.tile([1.0, -1.0], 4)[:, None]
    people = table(np.clip(50 + 10 * human, 0, 100))
    members = catalog().groups("abc-groups")
    wanted = {GROUPS[i]: "ab"[i % 2] for i in range(8)}
    forms = {str(members[group].forms["plural"]): block for group, block in wanted.items()}
    named, plural, free = (
        align(scored(values), people, draws=0, splits=0, blocks=blocks) for blocks in (wanted, forms, None)
    )
    assert named.interval == plural.interval != free.interval
    assert named.interval == tau_interval(values, 50 + 10 * human, 0.95, [list("abababab"), ()])
    assert (named.blocks, free.blocks) == ({"groups": 2, "traits": 1}, {"groups": 1, "traits": 1})
    known = align(scored(values), people, draws=99, splits=0)
    domains = len({members[group].categories["domain"] for group in GROUPS[:8]})
    assert known.blocks == {"groups": domains, "traits": 1}  # six traits, all of one scale


def test_a_table_says_where_no_blocks_are_known() -> None:
    values = np.random.default_rng(13).normal(size=(20, 16))
    people = table(np.clip(50 + 10 * values, 0, 100))
    for blocks, several in ((None, True), ("catalogue", False)):
        choice: Any = blocks
        found = align(scored(values), people, draws=9, splits=0, blocks=choice)
        assert any("No blocks" in note for note in found._table().notes) is several


def test_what_one_side_lacks_is_listed() -> None:
    human = table(np.full((3, 4), 20.0) + np.arange(12).reshape(3, 4))
    model = {**table(np.arange(12.0).reshape(3, 4)), "Martian": dict.fromkeys(TRAITS[:4], 1.0)}
    del model[GROUPS[0]]
    del model[GROUPS[1]][TRAITS[2]]
    result = align(model, {**human, "average people": dict.fromkeys(TRAITS[:4], 50.0)}, **QUICK)
    assert tuple(result.by_group) == GROUPS[1:3]
    assert result.coverage is not None
    assert result.coverage.dropped["groups"] == {
        "Martian": "no human judgement",
        GROUPS[0]: "no score of the model",
        "average people": "no score of the model",
    }
    assert result.coverage.dropped["cells"] == {f"{GROUPS[1]}, {TRAITS[2]}": "no score on one side"}
    assert result.by_group[GROUPS[1]].traits == 3


def test_forms_of_a_group_and_turned_pairs_meet() -> None:
    human = {"women": {"warm - cold": 80.0, "poor-wealthy": 60.0, "powerless-powerful": 10.0}}
    model = {"Women": {"cold-warm": -3.0, "wealthy-poor": -2.0, "powerless-powerful": -5.0}}
    # people: warm 20, wealthy 60, powerful 10; the model: −3, 2, −5: the same order
    result = align(
        model | {"man": model["Women"]}, human | {"men": human["women"]}, k=1, groups=["WOMEN"], **QUICK
    )
    assert tuple(result.by_group) == ("woman",)
    assert result.kendall_tau == 1.0
    assert result.human_scores["woman"]["cold-warm"] == 20.0
    assert result.model_scores["woman"]["poor-wealthy"] == 2.0
    assert result.coverage is not None
    assert result.coverage.dropped["groups"] == {"man": "not asked for"}


MODEL = scored(np.arange(8.0).reshape(2, 4))
HUMAN = table(10 + np.arange(8.0).reshape(2, 4))
FEW = {"woman": {"cold-warm": 1.0, "poor-wealthy": 2.0}, "man": {"traditional-modern": 1.0}}
JUDGED = {
    "woman": {"cold-warm": 60.0, "poor-wealthy": 40.0},
    "man": {"traditional-modern": 70.0, "cold-warm": 20.0},
}


@pytest.mark.parametrize(
    ("model", "human", "options", "said"),
    [
        (MODEL, HUMAN, {"k": 0}, "k is 0"),
        (MODEL, HUMAN, {"k": 5}, "there are 4 traits"),
        (MODEL, HUMAN, {"threshold": 100.0}, "threshold"),
        (MODEL, HUMAN, {"blocks": {"Martians": "a"}}, "unknown group or trait 'Martians'"),
        (MODEL, HUMAN, {"blocks": {GROUPS[0]: "a"}}, f"has '{GROUPS[0]}' and not '{GROUPS[1]}'"),
        (scored(np.ones((2, 4))), HUMAN, {}, "are equal"),
        (scored(np.full((2, 4), np.inf)), HUMAN, {}, "infinite"),
        (MODEL, {"man": {TRAITS[0]: 120.0}}, {}, "a judgement is 120"),
        ({"man": {"cold-wram": 1.0}}, HUMAN, {}, "unknown trait 'cold-wram'"),
        ({"woman": {"a": 1.0}}, {"woman": 3}, {}, "3 is not a mapping of traits to scores"),
        (FEW, JUDGED, {}, "no group has scores on 3 traits"),
        ({"man": {TRAITS[0]: 1.0}}, {"man": {TRAITS[1]: 1.0}}, {}, "no trait in common"),
        ({"Martian": {"a": 1.0}}, {"Martians": {"a": 1.0}}, {}, r"no group in common(.|\n)*'Martians' by"),
    ],
)
def test_what_cannot_be_aligned_gets_a_sentence(model: Any, human: Any, options: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        align(model, human, **{**QUICK, **options})


def test_measures_and_models_stand_side_by_side() -> None:
    rng = np.random.default_rng(9)
    human = table(rng.uniform(0, 100, size=(4, 5)))
    one = align(scored(rng.normal(size=(4, 5))), human, draws=9, resamples=0)
    two = align(scored(rng.normal(size=(3, 5))), human, draws=9, resamples=0)
    found = align_table({("SeT", "BERT"): one, ("CEAT", "BERT"): two})
    assert found.to_wide() == {"SeT": {"BERT": one.kendall_tau}, "CEAT": {"BERT": two.kendall_tau}}
    assert found.to_wide("precision_at_3")["CEAT"]["BERT"] == two.precision_at_3
    assert not found.same_groups
    assert "Rows compare different groups" in " ".join(found._table().reading())
    with pytest.raises(InputError, match="no field 'tau'"):
        found.to_wide("tau")
    with pytest.raises(InputError, match="no alignment"):
        align_table({})


def test_a_group_whose_first_trait_nobody_rated_keeps_its_ceiling() -> None:
    means = np.array([[10.0, 40.0, 60.0, 90.0], [90.0, 60.0, 30.0, 10.0]])
    ratings = np.array(answers(means, 10, 4, np.random.default_rng(0)).ratings)
    ratings[:, 0, 0] = np.nan
    result = align(table(means), judged(ratings), draws=9, resamples=9, splits=20)
    assert all(one.ceiling is not None and one.ceiling > 0.8 for one in result.by_group.values())


@pytest.mark.parametrize("seed", range(20))
def test_few_coarse_answers_leave_nothing_undefined(seed: int) -> None:
    # three answers on a scale of three: samples and halves of people often give all cells the same mean,
    # which has no order, and some halves have rated nothing at all
    rng = np.random.default_rng(seed)
    groups, traits, people = (int(n) for n in rng.integers((1, 2, 1), (4, 5, 5)))
    ratings = rng.choice([0.0, 50.0, 100.0], (people, groups, traits))
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    model = table(rng.normal(size=(groups, traits)))
    try:
        result = align(model, judged(ratings), k=1, draws=9, resamples=9)
    except InputError as error:
        assert "all scores of one side are equal" in error.message
        return
    again = AlignmentResult.from_json(result.to_json())  # JSON has no NaN
    assert again.ceiling == result.ceiling
    if result.noise is not None:
        assert -1 <= result.noise.split_half <= 1
        assert -1 <= result.noise.same_size <= 1

"""Alignment with people: published definitions, clustering, ceilings, and what is left out."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from crossroads.errors import CrossroadsWarning, InputError, UnknownNameError
from crossroads.evidence.judgement_files import read_judgements
from crossroads.evidence.judgements import Judgements
from crossroads.inference.agreement import tau_interval
from crossroads.measures.traits.alignment import AlignmentResult, align
from crossroads.measures.traits.alignment_table import AlignmentTable, align_table
from crossroads.stimuli import catalog
from crossroads.wording.numbers import P

SHARED = Path(os.environ.get("CROSSROADS_SHARED") or Path(__file__).resolve().parents[4] / "shared")
TRAITS = tuple(pair.name for pair in catalog().traits("abc-traits"))
GROUPS = tuple(catalog().groups("abc-groups"))
QUICK: dict[str, Any] = {"permutations": 0, "bootstrap": 0, "splits": 0}


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


def answers(truth: np.ndarray, people: int, noise: float, rng: np.random.Generator) -> Judgements:
    """Ratings of simulated people around a truth; a part of the noise is a person's own level."""
    level = rng.normal(size=(people, len(truth), 1)) * noise / 3
    ratings = truth + level + rng.normal(size=(people, *truth.shape)) * noise
    return Judgements(
        groups=GROUPS[: len(truth)],
        traits=TRAITS[: truth.shape[1]],
        annotators=tuple(f"p{i}" for i in range(people)),
        ratings=np.clip(ratings, 0, 100),
    )


@pytest.fixture(scope="module")
def published() -> Judgements:
    file = SHARED / "data" / "human-abc" / "data_full.json"
    if not file.is_file():
        pytest.skip("needs the project's shared data folder beside the checkout")
    with pytest.warns(CrossroadsWarning):
        return read_judgements(file)


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
    assert result.precision_at_3 == 0.5
    assert result.k == 1
    assert result.rows()[-1]["group"] == "all groups"


def test_a_random_order_has_a_precision_of_one_half_whatever_people_think() -> None:
    rng = np.random.default_rng(0)
    human = table(np.vstack([rng.uniform(60, 99, size=(1, 8)), rng.uniform(0, 99, size=(1, 8))]))
    found = [align(scored(rng.normal(size=(2, 8))), human, **QUICK) for _ in range(200)]
    assert {result.precision_chance for result in found} == {0.5}
    # one half ± four standard errors of 200 means of groups with at most ½ spread
    assert np.mean([result.precision_at_3 for result in found]) == pytest.approx(0.5, abs=0.05)


def test_a_mean_at_the_threshold_is_on_neither_side() -> None:
    human = np.array([[50.0, 50, 50, 20], [90, 80, 10, 20]])
    result = align(scored(np.array([[4.0, 3, 2, 1], [4, 3, 2, 1]])), table(human), k=1, **QUICK)
    assert result.by_group[GROUPS[0]].precision_top == 0
    assert result.by_group[GROUPS[0]].precision_bottom == 1
    # of the first group a quarter has a side, of the second all: (1/4 + 1) / 2 / 2
    assert result.precision_chance == pytest.approx(0.3125)


@pytest.mark.reference
def test_the_human_means_align_with_themselves_perfectly(published: Judgements) -> None:
    result = align(published.to_dict(), published, bootstrap=50, permutations=99, splits=20)
    assert result.kendall_tau == 1.0
    # women have two traits below 50 and cannot fill three places at the bottom
    assert result.by_group["woman"].precision_bottom == pytest.approx(2 / 3)
    assert result.permutation_pvalue == pytest.approx(0.02)  # 2 · 1/100: the smallest there is


@pytest.mark.reference
def test_people_agree_with_each_other_far_more_than_any_published_model_with_them(
    published: Judgements,
) -> None:
    result = align(published.to_dict(), published, bootstrap=0, permutations=0, splits=50)
    assert result.noise is not None
    assert result.ceiling == result.noise.truth
    # the best model of Table 6 has 0.199
    assert 0.199 < result.noise.split_half < result.noise.same_size < result.noise.truth < 1
    assert set(result.noise.by_group) == set(result.groups)
    assert result.noise.truth_precision > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("noise", [8.0, 25.0])
def test_the_ceiling_is_what_the_truth_would_reach(noise: float) -> None:
    rng = np.random.default_rng(3)
    estimated, reached, again, same = [], [], [], []
    for _ in range(8):
        truth = 50 + rng.normal(size=(10, 16)) * 8
        human, other = answers(truth, 20, noise, rng), answers(truth, 20, noise, rng)
        result = align(scored(truth), human, bootstrap=0, permutations=0, splits=40)
        assert result.noise is not None
        estimated.append(result.noise.truth)
        reached.append(result.kendall_tau)
        same.append(result.noise.same_size)
        again.append(kendalltau(human.means().ravel(), other.means().ravel()).statistic)
    assert np.mean(estimated) == pytest.approx(np.mean(reached), abs=0.03)
    assert np.mean(same) == pytest.approx(np.mean(again), abs=0.04)


@pytest.mark.slow
def test_cells_that_go_together_deceive_the_published_p_and_not_the_exchanges() -> None:
    # Model and people are independent, but each has its own level for every group and every trait.
    rng = np.random.default_rng(4)
    rejected = {"published": 0, "groups": 0, "traits": 0}
    runs = 200
    for _ in range(runs):
        model, human = (
            rng.normal(size=(10, 8)) + 1.5 * rng.normal(size=(10, 1)) + 1.5 * rng.normal(size=(1, 8))
            for _ in range(2)
        )
        scaled = np.clip(50 + 8 * human, 0, 100)
        result = align(scored(model), table(scaled), permutations=99, bootstrap=0, splits=0)
        rejected["published"] += result.kendall_pvalue < 0.05
        for name, one in result.exchanges.items():
            rejected[name] += one.pvalue <= 0.05
    # 200 tests at 5 %: 10 ± 4 · 3.1
    assert rejected["groups"] <= 22
    assert rejected["traits"] <= 22
    assert rejected["published"] >= 40


@pytest.mark.slow
def test_in_domains_and_factors_exchanges_hold_within_blocks_and_the_interval_holds_zero() -> None:
    # Independent tables of 25 groups in domains by 16 traits in three factors. In 400 to 1,000 such worlds
    # unrestricted exchanges were below .05 in 12 to 48 %, exchanges within blocks in 3 to 8 %; the interval
    # from resampling groups held 0 in 34 % where traits have levels of their own, this one in 95 %.
    rng = np.random.default_rng(10)
    domains = np.repeat(np.arange(6), [5, 5, 5, 5, 3, 2])
    factors = np.arange(16) % 3
    blocks = {GROUPS[i]: str(d) for i, d in enumerate(domains)} | {
        TRAITS[i]: str(f) for i, f in enumerate(factors)
    }
    runs = 150
    free, within, held = {"groups": 0, "traits": 0}, {"groups": 0, "traits": 0}, 0
    for _ in range(runs):
        noise = rng.normal(size=(2, 25, 16))
        clustered = (
            noise + 1.5 * rng.normal(size=(2, 6, 1))[:, domains] + rng.normal(size=(2, 1, 3))[..., factors]
        )
        for counted, how in ((free, None), (within, blocks)):
            found = align(
                scored(clustered[0]), table(50 + 6 * np.clip(clustered[1], -8, 8)),
                permutations=99, bootstrap=0, splits=0, blocks=how,
            )  # fmt: skip
            for name, one in found.exchanges.items():
                counted[name] += one.pvalue <= 0.05
        levels = noise + 1.5 * rng.normal(size=(2, 1, 16))
        ends = tau_interval(levels[0], levels[1], 0.95)
        assert ends is not None
        held += ends[0] <= 0 <= ends[1]
    assert min(free.values()) > 0.12 * runs
    assert max(within.values()) <= 0.11 * runs  # 5 % and three standard errors
    assert held >= 0.89 * runs


def test_labels_are_exchanged_within_domains_and_scales_of_the_catalogue() -> None:
    rng = np.random.default_rng(11)
    values = rng.normal(size=(20, 16))
    people = table(np.clip(50 + 10 * values, 0, 100))
    known = align(scored(values), people, bootstrap=0, splits=0, permutations=99)
    members = catalog().groups("abc-groups")
    domains = {members[group].categories["domain"] for group in GROUPS[:20]}
    assert known.exchanges["groups"].blocks == len(domains) > 1
    assert known.exchanges["traits"].blocks == 3
    free = align(scored(values), people, bootstrap=0, splits=0, permutations=99, blocks=None)
    assert {one.blocks for one in free.exchanges.values()} == {1}
    own = {group: f"block {i % 2}" for i, group in enumerate(GROUPS[:20])}
    given = align(scored(values), people, bootstrap=0, splits=0, permutations=99, blocks=own)
    assert (given.exchanges["groups"].blocks, given.exchanges["traits"].blocks) == (2, 1)
    apart = {group: group for group in GROUPS[:20]}  # nothing can be exchanged
    assert set(align(scored(values), people, **QUICK | {"permutations": 9}, blocks=apart).exchanges) == {
        "traits"
    }


def test_blocks_that_fit_no_group_or_not_all_are_refused() -> None:
    values = np.arange(12.0).reshape(3, 4)
    for blocks, said in (
        ({"Martians": "a"}, "unknown group or trait 'Martians'"),
        ({GROUPS[0]: "a"}, f"has '{GROUPS[0]}' and not '{GROUPS[1]}'"),
        ("domain", "blocks is 'domain'"),
    ):
        with pytest.raises(InputError, match=said):
            align(scored(values), table(values), **QUICK, blocks=blocks)  # type: ignore[arg-type]


def test_exchanging_groups_asks_only_for_what_tells_groups_apart() -> None:
    # A profile that all groups share, on both sides: traits agree, groups are not told apart.
    rng = np.random.default_rng(5)
    common = rng.normal(size=(1, 16)) * 3
    model = common + rng.normal(size=(20, 16)) * 0.5
    human = 50 + 6 * (common + rng.normal(size=(20, 16)) * 0.5)
    result = align(scored(model), table(np.clip(human, 0, 100)), bootstrap=0, splits=0)
    assert result.exchanges["groups"].pvalue > 0.05
    assert result.exchanges["traits"].pvalue < 0.01
    assert result.exchanges["groups"].expected_tau == pytest.approx(result.kendall_tau, abs=0.05)
    assert abs(result.exchanges["traits"].expected_tau) < 0.1


def test_intervals_hold_the_estimate_and_are_repeatable() -> None:
    rng = np.random.default_rng(6)
    truth = 50 + rng.normal(size=(12, 16)) * 10
    human = answers(truth, 12, 15, rng)
    model = truth + rng.normal(size=truth.shape) * 10
    one, two = (align(scored(model), human, bootstrap=300, splits=60) for _ in range(2))
    assert one == two
    for interval in (one.interval, one.annotator_interval):
        assert interval is not None
        assert interval[0] < one.kendall_tau < interval[1]
    assert one.precision_interval is not None
    assert one.precision_interval[0] <= one.precision_at_3 <= one.precision_interval[1]
    assert align(scored(model), human, bootstrap=300, splits=60, seed=1) != one


def test_what_one_side_lacks_is_listed() -> None:
    human = table(np.full((3, 4), 20.0) + np.arange(12).reshape(3, 4))
    model = {**table(np.arange(12.0).reshape(3, 4)), "Martian": dict.fromkeys(TRAITS[:4], 1.0)}
    del model[GROUPS[0]]
    del model[GROUPS[1]][TRAITS[2]]
    result = align(model, {**human, "average people": dict.fromkeys(TRAITS[:4], 50.0)}, **QUICK)
    assert result.groups == GROUPS[1:3]
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
    result = align(model, human, k=1, **QUICK)
    assert result.kendall_tau == 1.0
    assert result.human_scores["woman"]["cold-warm"] == 20.0
    assert result.model_scores["woman"]["poor-wealthy"] == 2.0


def test_some_groups_can_be_asked_for_by_any_of_their_names() -> None:
    rng = np.random.default_rng(7)
    model, human = scored(rng.normal(size=(4, 5))), table(rng.uniform(0, 100, size=(4, 5)))
    result = align(model, human, groups=["Men", "women"], **QUICK)
    assert set(result.groups) == {"man", "woman"}
    assert result.coverage is not None
    assert set(result.coverage.dropped["groups"].values()) == {"not asked for"}
    with pytest.raises(UnknownNameError, match="unknown group 'wommen'"):
        align(model, human, groups=["wommen"], **QUICK)


def test_nothing_in_common_is_an_error_with_the_nearest_names() -> None:
    with pytest.raises(InputError, match=r"no group in common(.|\n)*did you mean 'Martians' by 'Martian'"):
        align({"Martian": {TRAITS[0]: 1.0}}, {"Martians": {TRAITS[0]: 1.0}}, **QUICK)
    with pytest.raises(InputError, match="no trait in common"):
        align({"man": {TRAITS[0]: 1.0}}, {"man": {TRAITS[1]: 1.0}}, **QUICK)


def test_bad_options_and_scores_are_refused() -> None:
    model, human = scored(np.arange(8.0).reshape(2, 4)), table(10 + np.arange(8.0).reshape(2, 4))
    for options, said in (
        ({"k": 0}, "k is 0"),
        ({"k": 5}, "there are 4 traits"),
        ({"threshold": 100.0}, "threshold"),
        ({"permutations": -1}, "permutations is -1"),
        ({"level": 1.5}, "level"),
        ({"seed": -1}, "seed"),
    ):
        with pytest.raises(InputError, match=said):
            align(model, human, **{**QUICK, **options})
    with pytest.raises(InputError, match="are equal"):
        align(scored(np.ones((2, 4))), human, **QUICK)
    with pytest.raises(InputError, match="scores are of type int"):
        align(3, human, **QUICK)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="judgements are of type int"):
        align(model, 3, **QUICK)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="infinite"):
        align(scored(np.full((2, 4), np.inf)), human, **QUICK)
    with pytest.raises(InputError, match="a judgement is 120"):
        align(model, {"man": {TRAITS[0]: 120.0}}, **QUICK)
    with pytest.raises(UnknownNameError, match="unknown trait 'cold-wram'"):
        align({"man": {"cold-wram": 1.0}}, human, **QUICK)


def test_traits_of_ones_own_work_on_both_sides() -> None:
    human = {"man": {"slow-fast": 10.0, "old-new": 90.0}, "woman": {"slow-fast": 20.0, "old-new": 70.0}}
    model = {"man": {"slow-fast": -1.0, "old-new": 2.0}, "woman": {"slow-fast": 0.0, "old-new": 1.0}}
    assert align(model, human, k=1, **QUICK).kendall_tau == 1.0


def test_a_result_is_written_and_read_back_whole() -> None:
    rng = np.random.default_rng(8)
    truth = 50 + rng.normal(size=(5, 6)) * 10
    result = align(scored(truth), answers(truth, 5, 10, rng), permutations=9, bootstrap=9, splits=4)
    assert AlignmentResult.from_json(result.to_json()) == result


def test_measures_and_models_stand_side_by_side() -> None:
    rng = np.random.default_rng(9)
    human = table(rng.uniform(0, 100, size=(4, 5)))
    one = align(scored(rng.normal(size=(4, 5))), human, permutations=9, bootstrap=0)
    two = align(scored(rng.normal(size=(3, 5))), human, permutations=9, bootstrap=0)
    found = align_table({("SeT", "BERT"): one, ("CEAT", "BERT"): two})
    assert found.to_wide() == {"SeT": {"BERT": one.kendall_tau}, "CEAT": {"BERT": two.kendall_tau}}
    assert found.to_wide("precision_at_3")["CEAT"]["BERT"] == two.precision_at_3
    assert not found.same_groups
    assert [entry.groups for entry in found.entries] == [4, 3]
    assert AlignmentTable.from_json(found.to_json()) == found
    with pytest.raises(InputError, match="no field 'tau'"):
        found.to_wide("tau")
    with pytest.raises(InputError, match="no alignment"):
        align_table({})


def test_too_few_traits_in_every_group_are_an_error_and_not_a_nan() -> None:
    scores = {"woman": {"cold-warm": 1.0, "poor-wealthy": 2.0}, "man": {"traditional-modern": 1.0}}
    human = {
        "woman": {"cold-warm": 60.0, "poor-wealthy": 40.0},
        "man": {"traditional-modern": 70.0, "cold-warm": 20.0},
    }
    with pytest.raises(InputError, match="no group has scores on 3 traits"):
        align(scores, human)


def test_a_group_whose_first_trait_nobody_rated_keeps_its_ceiling() -> None:
    rng = np.random.default_rng(0)
    traits = ("cold-warm", "poor-wealthy", "traditional-modern", "powerless-powerful")
    means = np.array([[10.0, 40.0, 60.0, 90.0], [90.0, 60.0, 30.0, 10.0]])
    ratings = np.clip(means + rng.normal(0, 4, size=(10, 2, 4)), 0, 100)
    ratings[:, 0, 0] = np.nan
    human = Judgements(
        groups=("woman", "man"),
        traits=traits,
        annotators=tuple(f"p{i}" for i in range(10)),
        ratings=ratings,
    )
    table = {
        g: dict(zip(traits, row.tolist(), strict=True))
        for g, row in zip(("woman", "man"), means, strict=True)
    }
    result = align(table, human, permutations=9, bootstrap=9, splits=20)
    assert all(one.ceiling is not None and one.ceiling > 0.8 for one in result.by_group.values())


def test_a_number_in_the_place_of_traits_is_refused() -> None:
    table = {"woman": {"a": 1.0, "b": 2.0}, "man": {"a": 2.0, "b": 1.0}}
    for pair in (({"woman": 3}, table), (table, {"woman": 3})):
        with pytest.raises(InputError, match="3 is not a mapping of traits to scores"):
            align(*pair)


@pytest.mark.parametrize("seed", range(40))
def test_few_coarse_answers_leave_nothing_undefined(seed: int) -> None:
    # three answers on a scale of three: samples and halves of people often give all cells the same mean,
    # which has no order, and some halves have rated nothing at all
    rng = np.random.default_rng(seed)
    groups, traits, people = (int(n) for n in rng.integers((1, 2, 1), (4, 5, 5)))
    ratings = rng.choice([0.0, 50.0, 100.0], (people, groups, traits))
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    human = Judgements(
        groups=GROUPS[:groups],
        traits=TRAITS[:traits],
        annotators=tuple(f"p{i}" for i in range(people)),
        ratings=ratings,
    )
    try:
        result = align(table(rng.normal(size=(groups, traits))), human, k=1, permutations=9, bootstrap=9)
    except InputError as error:
        assert "all scores of one side are equal" in error.message
        return
    again = AlignmentResult.from_json(result.to_json())  # JSON has no NaN
    assert again.ceiling == result.ceiling
    if result.noise is not None:
        assert -1 <= result.noise.split_half <= 1
        assert -1 <= result.noise.same_size <= 1


def test_a_table_of_alignments_marks_sampled_p_values_and_says_what_its_columns_are() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(5, 6))
    full = align(scored(values), table(50 + 10 * values), **(QUICK | {"permutations": 99}), k=2)
    bare = align(scored(values[:2]), table(50 + 10 * values[:2]), **QUICK, k=2)
    shown = align_table({("set", "BERT"): full, ("ilps", "BERT"): bare}).table()
    first, second = (
        dict(zip([one.head for one in shown.columns], row, strict=True)) for row in shown.cells()
    )
    assert full.permutation_pvalue is not None
    assert (first["measure"], first["model"], first["groups"]) == ("SeT", "BERT", "5")
    assert first["p (groups)"] == str(P(full.permutation_pvalue, "≈"))
    assert first["p (cells)"] == str(P(full.kendall_pvalue))
    assert second["p (groups)"] == "–"
    said = " ".join(shown.reading())
    assert "P@2: share of the model's 2 highest and 2 lowest traits that people put on the same side." in said
    assert said.count("≈: an estimate from labels exchanged at random, not a count.") == 1
    assert "Rows compare different groups, and so do not rank measures or models." in said
    assert "kendall" not in " ".join(one.head for one in shown.columns)
    alike = align_table({("set", "BERT"): full}).table()
    assert not any("different groups" in one for one in alike.reading())

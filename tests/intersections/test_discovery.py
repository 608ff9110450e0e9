"""Thresholds and discoveries: their error rates on noise, and their power on planted words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.validity.worlds import name_worlds

from crossroads import Embeddings, discover, ibd
from crossroads.core.errors import MissingStimuliError, UnknownNameError
from crossroads.stats import null_threshold, wefat
from tests.intersections.worlds import TARGET, Groups, group_names, planted


def noise_world(seed: int, n_words: int, *, dim: int = 40) -> tuple[Embeddings, Groups]:
    """Names and words that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    groups = group_names()
    labels = [n for names in groups.values() for n in names] + [f"w{k}" for k in range(n_words)]
    return Embeddings(labels, rng.normal(size=(len(labels), dim))), groups


def test_the_threshold_is_the_quantile_of_scores_with_names_given_out_at_random() -> None:
    emb, groups = noise_world(1, 15)
    words = [f"w{k}" for k in range(15)]
    names = [n for listed in groups.values() for n in listed]
    rng = np.random.default_rng(7)
    tops = []
    for _ in range(12):
        order = rng.permutation(len(names))
        # a name joins the group of the name whose place it takes
        owner = {name: key for key, listed in groups.items() for name in listed}
        shuffled: Groups = {key: [] for key in groups}
        for i, name in enumerate(names):
            shuffled[owner[names[order[i]]]].append(name)
        tops.append(list(ibd(wefat(emb, shuffled, words, TARGET).pairs, threshold=0.0).scores.values()))
    options: dict[str, Any] = {"draws": 12, "seed": 7, "alpha": 0.1}
    by_word = null_threshold(emb, groups, words, TARGET, **options)
    assert by_word == pytest.approx(np.quantile(tops, 0.9), abs=1e-5)
    by_family = null_threshold(emb, groups, words, TARGET, control="family", **options)
    assert by_family == pytest.approx(np.quantile(np.max(tops, axis=1), 0.9), abs=1e-5)
    assert by_family > by_word


def test_discovery_scores_are_those_of_wefat() -> None:
    # relative=False and everything returned: scores equal the largest pair score to the precision of float32
    emb, groups = noise_world(3, 50)
    result = discover(emb, groups, TARGET, relative=False, fdr=0.999, draws=5)
    expected = ibd(wefat(emb, groups, "*", TARGET).pairs, threshold=0.0).scores
    assert result.words
    assert dict(zip(result.words, result.scores, strict=True)) == pytest.approx(
        {word: expected[word] for word in result.words}, abs=1e-5
    )
    assert result.candidates == 50
    for results in ({"one": result}, {"one": result, "two": result}):  # who it is about: only among several
        columns = [column.key for column in type(result)._tabulate(results).columns]
        assert ("group" in columns) == (len(results) > 1)
    assert list(result.scores) == sorted(result.scores, reverse=True)
    assert list(result.qvalues) == sorted(result.qvalues)


def differences(emb: Embeddings, groups: Groups, words: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Differences of mean cosines of words with each pair of the target, and standard deviations of both."""
    unit = {w: np.asarray(emb[w]) / np.linalg.norm(emb[w]) for w in emb.labels}
    own = np.array([[float(unit[w] @ unit[n]) for n in groups[TARGET]] for w in words])
    found, spreads = [], []
    for key, names in groups.items():
        if key != TARGET:
            rival = np.array([[float(unit[w] @ unit[n]) for n in names] for w in words])
            found.append(own.mean(axis=1) - rival.mean(axis=1))
            squares = ((own.T - own.mean(axis=1)) ** 2).sum(axis=0) + (
                (rival.T - rival.mean(axis=1)) ** 2
            ).sum(axis=0)
            spreads.append(squares)
    return np.array(found), np.array(spreads)


def standard(table: np.ndarray) -> np.ndarray:
    low, middle, high = np.quantile(table, [0.25, 0.5, 0.75], axis=1)
    return np.asarray((table.T - middle) / ((high - low) / 1.3489795)).T  # of a normal distribution


def test_z_counts_interquartile_ranges_of_differences_from_the_median_of_all_words() -> None:
    """With an empirical null each pair of groups has its own middle and scale."""
    emb, groups = noise_world(4, 60)
    words = [f"w{k}" for k in range(60)]
    result = discover(emb, groups, TARGET, relative=False, fdr=0.999, draws=5, null="empirical")
    assert result.conventions["ordered by"] == "differences of mean cosines"
    found, _ = differences(emb, groups, words)
    expected = dict(zip(words, standard(found).max(axis=0).tolist(), strict=True))
    assert len(result.words) > 20
    assert dict(zip(result.words, result.z, strict=True)) == pytest.approx(
        {word: expected[word] for word in result.words}, abs=1e-4
    )


def test_an_empirical_threshold_is_of_moved_differences_in_the_spread_of_other_words() -> None:
    emb, groups = noise_world(6, 30)
    words, names = [f"w{k}" for k in range(30)], [n for listed in groups.values() for n in listed]
    observed, squares = differences(emb, groups, words)
    low, middle, high = np.quantile(observed, [0.25, 0.5, 0.75], axis=1)
    rng, apart, tops = np.random.default_rng(3), np.random.default_rng(3).spawn(1)[0], []
    owner = {name: key for key, listed in groups.items() for name in listed}
    for _ in range(8):
        order = rng.permutation(len(names))
        shuffled: Groups = {key: [] for key in groups}
        for i, name in enumerate(names):
            shuffled[owner[names[order[i]]]].append(name)
        moved = standard(differences(emb, shuffled, words)[0]).T * ((high - low) / 1.3489795) + middle
        others = squares[:, apart.permutation(30)]
        # 16 names: the mean of 8 minus that of 8 is 4 d² of the sum of squares
        tops.append((moved.T / np.sqrt((others + 4 * moved.T**2) / 15)).max(axis=0))
    options: dict[str, Any] = {"draws": 8, "seed": 3, "alpha": 0.1, "null": "empirical"}
    by_word = null_threshold(emb, groups, words, TARGET, **options)
    assert by_word == pytest.approx(np.quantile(tops, 0.9), abs=1e-4)
    by_family = null_threshold(emb, groups, words, TARGET, control="family", **options)
    assert by_family == pytest.approx(np.quantile(np.max(tops, axis=1), 0.9), abs=1e-4)


def test_relative_cosines_are_measured_from_the_mean_of_each_name() -> None:
    emb, groups = noise_world(4, 60)
    words = [f"w{k}" for k in range(60)]
    unit = {w: np.asarray(emb[w]) / np.linalg.norm(emb[w]) for w in emb.labels}
    own = np.array([[float(unit[w] @ unit[n]) for n in groups[TARGET]] for w in words])
    own -= own.mean(axis=0)
    tops = np.full(60, -np.inf)
    for key, names in groups.items():
        if key != TARGET:
            rival = np.array([[float(unit[w] @ unit[n]) for n in names] for w in words])
            rival -= rival.mean(axis=0)
            spread = np.concatenate([own, rival], axis=1).std(axis=1, ddof=1)
            tops = np.maximum(tops, (own.mean(axis=1) - rival.mean(axis=1)) / spread)
    result = discover(emb, groups, TARGET, words=words, fdr=0.999, draws=5)
    expected = dict(zip(words, tops, strict=True))
    assert dict(zip(result.words, result.scores, strict=True)) == pytest.approx(
        {w: expected[w] for w in result.words}, abs=1e-5
    )


def test_a_qvalue_counts_exchanges_that_reach_the_score_and_one_more() -> None:
    # Two groups of two names can be formed in six ways, and the word prefers the observed one. So a sixth of
    # the exchanges reach its score, by restoring the groups, and none exceeds it.
    emb = Embeddings.from_dict(
        {"a1": [9, 1, 0], "a2": [8, 0, 2], "b1": [1, 9, 0], "b2": [0, 7, 3], "w": [1, 0, 0]}
    )
    groups = {"A": ["a1", "a2"], "B": ["b1", "b2"]}
    options: dict[str, Any] = {"words": ["w"], "relative": False, "fdr": 0.9}
    assert discover(emb, groups, "A", draws=600, **options).qvalues[0] == pytest.approx(1 / 6, abs=0.06)
    # Without an exchange that reaches it, the score still has the rate of one in as many as were tried.
    emb, planted_groups, _ = planted(1, {"own": 4, "nobody": 30})
    strongest = discover(emb, planted_groups, TARGET, draws=10).qvalues
    assert strongest == pytest.approx(np.full(4, 1 / 10 / 4))


def test_eibd_discoveries_are_words_of_the_group_alone() -> None:
    # A word of one parent is no closer to the group than to its siblings in that parent: its smallest pair
    # score is about 0. A word of both parents is explained by its constituents more than an own word is.
    emb, groups, words = planted(1, {"own": 20, "both": 20, "race": 20, "nobody": 100})
    plain = set(discover(emb, groups, TARGET, draws=50).words)
    beyond = discover(emb, groups, TARGET, emergent=True, draws=50).words
    assert {*words["own"], *words["both"], *words["race"]} <= plain
    assert set(beyond[:20]) == set(words["own"])
    assert not set(beyond) & set(words["race"])


def test_words_equally_close_to_all_names_are_no_discoveries() -> None:
    emb, groups, words = planted(5, {"own": 10, "nobody": 50})
    wide = np.concatenate([emb.vectors, np.zeros((len(emb), 1))], axis=1)
    apart = Embeddings([*emb.labels, "apart"], np.concatenate([wide, np.eye(61)[60:]]))
    result = discover(apart, groups, TARGET, relative=False, fdr=0.1, draws=50)
    assert set(words["own"]) <= set(result.words)
    assert "apart" not in result.words
    assert np.isfinite(result.scores).all()
    assert np.isfinite(null_threshold(apart, groups, "*", TARGET, draws=5))


def test_discovery_depends_on_the_seed_and_reports_its_progress() -> None:
    emb, groups = noise_world(9, 60)
    seen: list[int] = []
    options: dict[str, Any] = {"fdr": 0.999, "draws": 8, "progress": seen.append}
    one, other = (discover(emb, groups, TARGET, seed=seed, **options) for seed in (1, 2))
    assert seen == [*range(1, 9), *range(1, 9)]
    assert list(other.qvalues) != list(one.qvalues)


def test_missing_words_and_unknown_groups_are_refused() -> None:
    emb, groups = noise_world(1, 5)
    with pytest.raises(MissingStimuliError):
        discover(emb, groups, TARGET, words=["w1", "nothing"])
    dropped = discover(emb, groups, TARGET, words=["w1", "w2", "nothing"], missing="drop", draws=2)
    assert dropped.candidates == 2
    with pytest.raises(UnknownNameError, match="did you mean 'r0 / g0'"):
        discover(emb, groups, ("r0", "g00"))


def topical_world(seed: int, planted: int = 0) -> tuple[Embeddings, dict[tuple[str, str], list[str]]]:
    """Groups of ten names with topics of their own, and 2,000 random words; some near the target's topic."""
    rng = np.random.default_rng(seed)
    groups = {(r, g): [f"{r}{g}{i}" for i in range(10)] for r in ("r0", "r1") for g in ("g0", "g1")}
    names = [rng.normal(size=50) * 0.7 + rng.normal(size=(10, 50)) for _ in groups]
    words = rng.normal(size=(2000, 50))
    apart = names[0].mean(axis=0) - np.mean([some.mean(axis=0) for some in names[1:]], axis=0)
    words[:planted] += 0.9 * np.sqrt(50) * apart / np.linalg.norm(apart)
    labels = [name for some in groups.values() for name in some] + [f"w{i}" for i in range(2000)]
    return Embeddings(labels, np.concatenate([*names, words])), groups


def test_topics_of_names_are_no_discoveries_with_an_empirical_null() -> None:
    # exchanging names finds a quarter of all random words: names of a group differ with almost any of them
    emb, groups = topical_world(0)
    assert len(discover(emb, groups, TARGET, null="exchange", draws=40).words) > 200
    assert len(discover(emb, groups, TARGET, draws=40).words) <= 5
    largest = wefat(emb, groups, "*", TARGET).pair_scores.max(axis=0)
    limits = {
        n: null_threshold(emb, groups, "*", TARGET, draws=40, null=n) for n in ("empirical", "exchange")
    }
    assert 0.03 < (largest > limits["empirical"]).mean() < 0.09
    assert (largest > limits["exchange"]).mean() > 0.2
    emb, groups = topical_world(0, planted=40)
    words = discover(emb, groups, TARGET, draws=40).words
    true = sum(int(word[1:]) < 40 for word in words)
    assert true > 12
    assert len(words) - true <= 0.15 * len(words)


def test_few_candidates_are_compared_by_exchange_unless_asked_otherwise() -> None:
    emb, groups, _ = planted(2, {"own": 5, "nobody": 60})
    plain = discover(emb, groups, TARGET, draws=10)
    assert plain.conventions["null"] == "exchange"
    assert plain.z.size == 0
    fitted = discover(emb, groups, TARGET, draws=10, null="empirical", fdr=0.9)
    assert fitted.z.size == len(fitted.words)
    assert list(fitted.z) == sorted(fitted.z, reverse=True)


def test_a_group_that_is_closer_to_all_words_has_none_of_them() -> None:
    # names of the target and all words share a direction; by scores 31 of 100 such worlds had a discovery
    flagged, above = 0, []
    for emb, groups, words in name_worlds("strong shift", worlds=8, seed=2):
        names: Any = groups
        flagged += bool(discover(emb, names, ("one", "first"), words=words, draws=20).words)
        limit = null_threshold(emb, names, words, ("one", "first"), draws=20)
        above.append((wefat(emb, names, words, ("one", "first")).pair_scores.max(axis=0) > limit).mean())
    assert flagged <= 1
    assert 0.03 < np.mean(above) < 0.07

"""Models compared on the items of benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import crossroads as cr
from crossroads.errors import InputError, UnknownNameError
from crossroads.evidence.runs import Metric, Run, RunItem, Runs
from crossroads.inference.clustered import cluster_mean, cluster_sign_flip
from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.measures.comparison.run_results import RunsResult

LOGS = Path(__file__).parents[2] / "references" / "runs"
ACC = {"acc": Metric(name="acc")}
LEAN = {"lean": Metric(name="lean", neutral=0.0, bounds=(-1.0, 1.0), ratio=True)}


def run(
    model: str,
    values: Mapping[str, tuple[float, float] | float],
    *,
    metrics: Mapping[str, Metric] = ACC,
    cluster: Callable[[str], str] | None = None,
    digest: str = "",
    task: str = "quiz",
) -> Run:
    """A run with one metric: values by item, each a number or a numerator and a denominator."""
    (name,) = metrics
    items = [
        RunItem(
            id=key,
            digest=digest,
            values={name: one if isinstance(one, tuple) else (float(one), 1.0)},
            labels=_labels(key, cluster),
        )
        for key, one in values.items()
    ]
    return Run(model=model, task=task, items=tuple(items), metrics=metrics)


def _labels(key: str, cluster: Callable[[str], str] | None) -> dict[str, str]:
    kind = {"kind": "even" if int(key) % 2 == 0 else "odd"}
    return {**kind, "story": cluster(key)} if cluster else kind


def story(key: str) -> str:
    return str(int(key) // 3)


def drawn(seed: int, n: int = 30) -> dict[str, float]:
    return {str(i): float(one) for i, one in enumerate(np.random.default_rng(seed).integers(0, 2, n))}


def test_the_difference_is_that_of_the_clustered_differences_of_items() -> None:
    one, two = drawn(1), drawn(2)
    (found,) = cr.compare_runs(
        Runs([run("a", one, cluster=story), run("b", two, cluster=story)]), cluster="story"
    ).differences
    gaps, groups = [one[key] - two[key] for key in one], [story(key) for key in one]
    assert found.found == cluster_mean(gaps, groups)
    assert found.flip == cluster_sign_flip(gaps, groups)
    assert found.values == pytest.approx((np.mean(list(one.values())), np.mean(list(two.values()))))
    assert found.correlation == pytest.approx(stats.pearsonr(list(one.values()), list(two.values()))[0])
    better = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    assert found.above == (better[0] / 30, better[1] / 30)
    assert found.mcnemar == pytest.approx(stats.binomtest(better[0], sum(better)).pvalue)
    assert found.detectable is not None and found.detectable > 2 * (found.found.se or 0)


def test_pairing_cancels_what_makes_an_item_hard() -> None:
    # 40 of 200 items are lost by both models; of the others the second loses 16 more. The two-sample z test
    # of the harness' model_comparator sees .80 and .72 with errors of .03 each; pairs see 16 of 16.
    first = {str(i): float(i >= 40) for i in range(200)}
    second = {str(i): float(i >= 56) for i in range(200)}
    (found,) = cr.compare_runs(Runs([run("a", first), run("b", second)])).differences
    unpaired = stats.norm.sf(0.08 / np.sqrt(0.8 * 0.2 / 199 + 0.72 * 0.28 / 199)) * 2
    assert unpaired > 0.05
    assert found.found.pvalue is not None and found.found.pvalue < 0.001
    assert found.mcnemar == pytest.approx(2 * 0.5**16)


def test_items_of_one_run_only_and_those_with_another_text_are_left_out_and_counted() -> None:
    first, second = run("a", drawn(1)), run("b", {**drawn(2, 28), "40": 1.0})
    other = [
        RunItem(id=one.id, digest="other" if one.id in ("1", "2") else "", values=one.values)
        for one in first.items
    ]
    strange = Run(model="c", task="quiz", metrics=ACC, items=tuple(other))
    result = cr.compare_runs(Runs([first, second, strange]))
    found = {one.models: one for one in result.differences}
    assert (found["a", "b"].found.items, found["a", "b"].left_out) == (28, 3)
    assert (found["a", "c"].found.items, found["a", "c"].left_out) == (28, 4)
    assert "quiz, a / b: 2 items only in a left out: '28' and '29'" in result.notes
    assert "quiz, a / b: 1 item only in b left out: '40'" in result.notes
    assert "quiz, a / c: 2 items left out whose text is not the same in both runs" in result.notes
    assert result.left_out() == 7  # of b and c: 2 + 1 alone, and 2 in each with another text


def test_runs_without_a_common_item_are_not_compared() -> None:
    result = cr.compare_runs(Runs([run("a", drawn(1)), run("b", drawn(1), digest="other")]))
    assert result.skipped == {"quiz, a / b": "the runs have no items in common"}
    assert list(result.unmeasured("x")) == [
        ("quiz, a / b", "runs difference", "the runs have no items in common")
    ]
    assert result.table().title == "Models on benchmarks"


def test_different_prompts_are_said() -> None:
    def asked(model: str, prompt: str) -> Run:
        values = [{"acc": (float(i % 2), 1.0)} for i in range(4)]
        items = tuple(
            RunItem(id=str(i), digest="", values=one, prompt=prompt) for i, one in enumerate(values)
        )
        return Run(model=model, task="quiz", items=items, metrics=ACC)

    result = cr.compare_runs(Runs([asked("a", "x"), asked("b", "y")]))
    assert result.notes == ("quiz, a / b: 4 items asked in other words (prompts differ)",)


def test_p_values_are_adjusted_over_all_differences() -> None:
    runs = Runs([run(name, drawn(seed)) for name, seed in (("a", 1), ("b", 2), ("c", 3))])
    result = cr.compare_runs(runs, by="kind")
    assert [one.subset for one in result.differences[:3]] == ["", "even", "odd"]
    pvalues = [one.found.pvalue for one in result.differences]
    assert len(pvalues) == 9
    assert result.adjusted["holm"] == pytest.approx(tuple(holm(pvalues)))  # type: ignore[arg-type]
    assert result.adjusted["bh"] == pytest.approx(tuple(benjamini_hochberg(pvalues)))  # type: ignore[arg-type]
    first = cr.compare_runs(runs, against="first")
    assert [one.models for one in first.differences] == [("a", "b"), ("a", "c")]


def ratio(*answers: tuple[int, int]) -> dict[str, tuple[float, float]]:
    return {str(i): (float(top), float(bottom)) for i, (top, bottom) in enumerate(answers)}


def test_a_ratio_counts_only_items_that_have_an_answer() -> None:
    # the first model leans in 3 of 4 answers, the second in 1 of 3
    one = ratio((1, 1), (1, 1), (-1, 1), (1, 1), (0, 0), (0, 0))
    two = ratio((1, 1), (0, 0), (-1, 1), (0, 0), (-1, 1), (0, 0))
    result = cr.compare_runs(Runs([run("a", one, metrics=LEAN), run("b", two, metrics=LEAN)]))
    (found,) = result.differences
    assert found.values == pytest.approx((2 / 4, -1 / 3))
    assert found.found.mean == pytest.approx(2 / 4 + 1 / 3)
    assert found.mcnemar is None and found.correlation is None
    first = result.means[0]
    assert first.flip is not None
    assert first.flip.pvalue == pytest.approx(stats.binomtest(3, 4).pvalue)
    assert first.found.high == 1.0  # an interval ends where the scale does


def test_a_model_without_any_answer_is_named() -> None:
    silent = ratio((0, 0), (0, 0))
    result = cr.compare_runs(
        Runs([run("a", ratio((1, 1), (0, 1)), metrics=LEAN), run("b", silent, metrics=LEAN)])
    )
    assert result.skipped == {"quiz lean, a / b": "a model has no answer that counts"}
    assert [one.model for one in result.means] == ["a"]


def test_leaning_is_tested_against_the_neutral_value() -> None:
    stereotype = {"pct": Metric(name="pct", neutral=0.5, bounds=(0.0, 1.0))}
    values = {str(i): float(i % 8 != 0) for i in range(40)}
    result = cr.compare_runs(Runs([run("a", values, metrics=stereotype)]))
    (mean,) = result.means
    assert mean.found.pvalue == pytest.approx(stats.ttest_1samp(list(values.values()), 0.5).pvalue)
    assert mean.flip is not None and mean.flip.pvalue == pytest.approx(stats.binomtest(35, 40).pvalue)
    (said,) = result.conclusions("x")
    assert said.sentence == "On quiz pct, a leans to the stereotype."
    assert said.status == "holds"
    without = cr.compare_runs(Runs([run("a", values)])).means[0]
    assert without.found.pvalue is None and without.flip is None  # accuracy has no neutral value


def test_a_difference_says_which_model_is_above() -> None:
    worse = {**dict.fromkeys(map(str, range(9)), 0.0), "9": 1.0}
    result = cr.compare_runs(Runs([run("a", worse), run("b", dict.fromkeys(worse, 1.0))]))
    (said,) = result.conclusions("x")
    assert said.sentence == "On quiz acc, b is above a."
    number = said.numbers["value"]
    data: Any = result.to_dict()
    for step in number[0].split("/"):
        data = data[int(step)] if isinstance(data, list) else data[step]
    assert data == number[1] == pytest.approx(-0.9)


def test_items_needed_are_for_the_difference_asked_for() -> None:
    runs = Runs([run("a", drawn(1)), run("b", drawn(2))])
    assert cr.compare_runs(runs).differences[0].needed is None
    small, large = (cr.compare_runs(runs, difference=one).differences[0].needed for one in (0.05, 0.1))
    assert small is not None and large is not None
    assert small[0] == pytest.approx(4 * large[0], rel=0.02)


def test_the_cluster_of_a_log_is_used_unless_another_is_named() -> None:
    runs = cr.read_runs(sorted((LOGS / "harness").glob("*/samples_crows*")))
    ways = (None, "none", "bias_type")
    found = {how: cr.compare_runs(runs, cluster=how, metric="pct_stereotype") for how in ways}
    assert [one.clusters["crows_pairs_made_up"] for one in found.values()] == ["frame", "none", "bias_type"]
    assert [one.differences[0].found.clusters for one in found.values()] == [10, 20, 2]


def test_wrong_names_get_the_nearest_right_one() -> None:
    runs = Runs([run("a", drawn(1), cluster=story)])
    for options, message in (
        ({"metric": "ac"}, "unknown metric 'ac'"),
        ({"cluster": "storey"}, "unknown cluster label 'storey'"),
        ({"by": "kinds"}, "unknown by label 'kinds'"),
        ({"against": "some"}, "unknown against 'some'"),
    ):
        with pytest.raises(UnknownNameError, match=message):
            cr.compare_runs(runs, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="difference is -1"):
        cr.compare_runs(runs, difference=-1)
    with pytest.raises(InputError, match=r"give what cr\.read_runs returns"):
        cr.compare_runs([1])  # type: ignore[arg-type]


def test_real_logs_of_both_programs_make_one_result() -> None:
    pytest.importorskip("zstandard", reason="Inspect compresses members by zstandard")
    result = cr.compare_runs(cr.read_runs(LOGS), by="category")
    assert RunsResult.from_json(result.to_json()) == result
    # runs of one task by two programs have no items in common, and say so
    assert sum("no items in common" in why for why in result.skipped.values()) == 4
    assert any("sample without a score (error)" in note for note in result.notes)
    names = [name for name, _, _ in result.readings("runs")]
    assert "bbq_made_up amb_bias_score, Age, tiny-a" in names
    assert "stereoset_made_up stereotype_score, mockllm/first / mockllm/second" in names

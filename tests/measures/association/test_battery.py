"""Many designs on one model, and one design on many models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossroads import Design, Embeddings, battery, mleat, series
from crossroads.errors import DesignError, FormatError, InputError, MissingStimuliError
from crossroads.measures import SeriesResult
from crossroads.stats import benjamini_hochberg, holm, minimum_detectable
from crossroads.wording.numbers import P

WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
LABELS = [word for words in WORDS.values() for word in words]


def model(seed: int) -> Embeddings:
    return Embeddings(LABELS, np.random.default_rng(seed).normal(size=(16, 6)), provenance=f"model {seed}")


def designs() -> list[Design]:
    """The same sets in three roles."""
    one = Design(name="one", **WORDS)  # type: ignore[arg-type]
    two = Design(name="two", x=WORDS["x"], y=WORDS["a"], a=WORDS["y"], b=WORDS["b"])
    three = Design(name="three", x=WORDS["b"], y=WORDS["a"], a=WORDS["y"], b=WORDS["x"])
    return [one, two, three]


def test_a_battery_is_its_tests_with_adjusted_p_values() -> None:
    result = battery(model(1), designs(), resamples=0, alternative="two-sided")
    assert result.tests == tuple(
        mleat(model(1), d, resamples=0, alternative="two-sided", missing="drop") for d in designs()
    )
    drawn = [test.level1.crossed for test in result.tests]
    p = [one.pvalue for one in drawn if one is not None and one.pvalue is not None]
    assert len(set(p)) == len(result.tests) > 1
    assert p != [test.level1.pvalue for test in result.tests]  # what is adjusted is not the exact p
    assert result.adjusted["holm"] == tuple(holm(p))
    assert result.adjusted["bh"] == tuple(benjamini_hochberg(p))
    adjusted = zip(result.adjusted["holm"], result.adjusted["bh"], p, strict=True)
    assert all(h is not None and b is not None and h >= b >= q for h, b, q in adjusted)
    assert result.skipped == {}
    assert result.conventions["alternative"] == "two-sided"
    assert result.provenance == (model(1).provenance,)


def test_a_tail_chosen_after_the_fact_is_not_adjusted() -> None:
    # Level 1 p-values of the observed side have twice the level they claim: Holm would not keep its promise
    result = battery(model(1), designs(), resamples=0, alternative="observed")
    drawn = [test.level1.crossed for test in result.tests]
    two_sided = [one.tail("two-sided") or 0.0 for one in drawn if one is not None]
    assert [one.pvalue for one in drawn if one is not None] != two_sided
    assert result.adjusted["holm"] == tuple(holm(two_sided))
    assert result.adjusted["bh"] == tuple(benjamini_hochberg(two_sided))
    assert result.conventions["adjusted"] == "Level 1, other words, two-sided"


def test_a_battery_says_what_sets_of_these_sizes_could_have_shown() -> None:
    small = Design(name="small", x=WORDS["x"][:3], y=WORDS["y"][:3], a=WORDS["a"], b=WORDS["b"])
    result = battery(model(1), [designs()[0], small], resamples=0)
    large, none = result.detectable
    assert large == minimum_detectable(4, 4, alternative="two-sided")  # the tail was chosen after the fact
    assert none.detectable is None
    assert none.reason == "the smallest p-value of sets of 3 and 3 is 0.1, which is not below 0.05"
    rows = result.rows()
    assert rows[0]["critical_effect_size"] == large.critical
    assert rows[0]["detectable_effect_size"] == large.detectable
    assert rows[1]["critical_effect_size"] is rows[1]["detectable_effect_size"] is None


def test_what_could_have_been_shown_goes_by_the_conventions_of_the_tests() -> None:
    given = {"alternative": "less", "alpha": 0.1, "ddof": 0, "ties": "strict"}
    (found,) = battery(model(1), designs()[:1], resamples=0, **given).detectable  # type: ignore[arg-type]
    assert found == minimum_detectable(4, 4, **given)  # type: ignore[arg-type]
    (curve,) = battery(model(1), designs()[:1], resamples=0, method="normal").detectable
    assert curve == minimum_detectable(4, 4, alternative="two-sided", method="normal")
    assert len({found.detectable, curve.detectable, minimum_detectable(4, 4).detectable}) == 3


def test_a_battery_of_a_version_that_did_not_say_is_read() -> None:
    result = battery(model(1), designs(), resamples=0)
    data = result.to_dict()
    assert type(result).from_dict(data) == result
    del data["detectable"]
    read = type(result).from_dict(data)
    assert read.detectable == ()
    assert [row["detectable_effect_size"] for row in read.rows()] == [None] * 3
    del data["adjusted"]
    with pytest.raises(FormatError, match=r"\['adjusted'\] are missing"):
        type(result).from_dict(data)


def test_designs_with_too_few_words_are_skipped_and_listed() -> None:
    strange = Design(name="strange", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"])
    seen: list[str] = []
    result = battery(model(1), [designs()[0], strange, designs()[1]], resamples=0, progress=seen.append)
    assert [test.design for test in result.tests] == ["one", "two"]
    assert seen == ["one", "strange", "two"]
    assert set(result.skipped) == {"strange"}
    assert "x has 0 of 2 stimuli left" in result.skipped["strange"]
    # a test that was not run does not count
    assert {how: len(some) for how, some in result.adjusted.items()} == {"holm": 2, "bh": 2, "by": 2}
    with pytest.raises(MissingStimuliError):
        battery(model(1), [designs()[0], strange], missing="raise", resamples=0)


def test_a_battery_may_end_with_nothing_measured() -> None:
    strange = Design(name="strange", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"])
    result = battery(model(1), [strange])
    assert (result.tests, result.adjusted["holm"], result.adjusted["bh"]) == ((), (), ())
    assert result.rows() == []
    assert "Association tests" in result._repr_html_()
    assert repr(result) == "<BatteryResult battery, in model 1: 0 rows>"


def test_a_design_that_no_model_could_answer_is_an_error() -> None:
    single = Design(name="single", x=WORDS["x"], a=WORDS["a"], b=WORDS["b"])
    with pytest.raises(DesignError, match="single target"):
        battery(model(1), [designs()[0], single], resamples=0)
    with pytest.raises(InputError, match="no designs"):
        battery(model(1), [])


def test_the_frame_of_a_battery_has_one_row_a_test() -> None:
    pytest.importorskip("pandas", reason="data frames need the extra 'frames'")
    frame = battery(model(1), designs(), resamples=0).to_frame()
    assert frame["design"].tolist() == ["one", "two", "three"]
    shown = ["holm", "bh", "by", "holm_sign", "bh_sign", "by_sign"]
    shown += ["critical_effect_size", "detectable_effect_size", "ci_low", "ci_high", "min_pvalue"]
    assert list(frame.columns[-11:]) == shown


def test_a_series_measures_every_point_in_order_of_time() -> None:
    pytest.importorskip("pandas", reason="data frames need the extra 'frames'")
    models = {1990: model(3), 1900: model(1), 1950: model(2)}
    result = series(models, designs()[0], resamples=0)
    assert list(result.points) == [1900, 1950, 1990]
    for year, point in result.points.items():
        assert point == mleat(models[int(year)], designs()[0], resamples=0, missing="drop")
    assert [p.source for p in result.provenance] == ["model 1", "model 2", "model 3"]
    assert result.to_frame()["time"].tolist() == [1900, 1950, 1990]


def test_points_without_the_words_are_skipped_and_listed() -> None:
    # rows of zeros are how historical vectors say that a word did not occur in a decade
    vectors = np.array(model(1).vectors)
    vectors[:3] = 0
    models = {1810: Embeddings(LABELS, vectors), 1900: model(1)}
    result = series(models, designs()[0], resamples=0)
    assert list(result.points) == [1900]
    assert set(result.skipped) == {1810}
    assert "x has 1 of 4 stimuli left, and needs 2" in result.skipped[1810]
    vectors[2] = 1
    partly = series({1810: Embeddings(LABELS, vectors)}, designs()[0], resamples=0)
    coverage = partly.points[1810].coverage
    assert coverage is not None
    assert coverage.missing == {"x0": "zero vector", "x1": "zero vector"}
    with pytest.raises(MissingStimuliError):
        series(models, designs()[0], missing="raise", resamples=0)


def test_an_empty_series_is_an_error() -> None:
    with pytest.raises(InputError, match="series is empty"):
        series({}, designs()[0])


def test_points_of_a_series_are_adjusted_for_their_number() -> None:
    result = series({year: model(year) for year in (1, 2, 3, 4)}, designs()[0], resamples=0)
    crossed = [point.level1.crossed for point in result.points.values()]
    pvalues = [one.pvalue for one in crossed if one is not None and one.pvalue is not None]
    assert list(result.adjusted["bh"]) == pytest.approx(benjamini_hochberg(pvalues).tolist())
    readings = {name: values for name, kind, values in result.readings("") if kind == "decade"}
    assert readings["one 2"]["adjusted"] == result.adjusted["bh"][1]
    assert result.table().rows[1]["p_bh"] == P(float(result.adjusted["bh"][1] or 0))
    assert SeriesResult.from_json(result.to_json()) == result


def test_the_trend_is_over_words_that_are_there_at_all_times() -> None:
    models = {year: model(year) for year in (1900, 1950, 1990)}
    vectors = np.array(models[1950].vectors)
    vectors[0] = 0
    models[1950] = Embeddings(LABELS, vectors)
    result = series(models, designs()[0], resamples=0)
    found = result.trend
    assert found is not None
    assert found.words == {"x": 3, "y": 4, "a": 4, "b": 4}
    named = {name: values for name, kind, values in result.readings("") if kind == "trend"}
    assert named["one over time"]["slope_pvalue"] == found.pvalue
    assert "per 10 years" in result.table().notes[-1]
    assert any(row["statistic"] == "slope" and row["part"] == "trend" for row in result.long_rows(""))


def test_two_points_have_no_trend_and_say_so() -> None:
    result = series({1900: model(1), 1950: model(2)}, designs()[0], resamples=0)
    assert result.trend is not None
    assert (result.trend.slope, result.trend.reason) == (None, "a trend needs three points in time")
    assert "a trend needs three points in time" in result.table().notes[-1]


def test_models_that_are_the_same_at_all_times_have_no_trend() -> None:
    found = series(dict.fromkeys(range(1900, 2000, 10), model(1)), designs()[0], resamples=0).trend
    assert found is not None
    assert (found.slope, found.pvalue) == (None, None)
    assert found.reason == "the words do not differ, or do not change"


def test_labels_keep_their_order_and_come_back_from_json() -> None:
    models = {name: model(i) for i, name in enumerate(("start", "middle", "late", "end"))}
    result = series(models, designs()[0], resamples=0)
    assert (result.over, list(result.points), result.label) == ("point", list(models), "one over the series")
    back = SeriesResult.from_json(result.to_json())
    assert list(back.points) == list(models)
    # labels have no distances: they are numbered
    numbered = series(dict(enumerate(models.values())), designs()[0], resamples=0)
    assert result.trend is not None and numbered.trend is not None
    assert result.trend.slope == numbered.trend.slope
    assert list(series({"10": model(1), "9": model(2)}, designs()[0], resamples=0).points) == [9, 10]


def test_layers_are_no_sample_and_years_are() -> None:
    models = {at: model(at) for at in range(5)}
    layers = series(models, designs()[0], over="layer", resamples=0)
    years = series(models, designs()[0], resamples=0)
    assert layers.label == "one over layers" and years.label == "one over time"
    assert layers.trend is not None and years.trend is not None
    assert (layers.trend.slope, layers.trend.drawn, years.trend.drawn) == (years.trend.slope, False, True)
    assert (layers.trend.se or 0) <= (years.trend.se or 0)
    assert layers.change is not None and layers.change.splits == 4
    between = layers.change_between()
    assert between is not None and between[1] == layers.change.position
    assert "words drawn)" in layers.slope_said()
    assert "both for all 4 splits" in layers.change_said()
    assert ("one layer 3", "decade") in [(name, kind) for name, kind, _ in layers.readings("")]
    names = {row["statistic"] for row in layers.long_rows("") if row["part"] == "change"}
    assert {"difference", "position", "split_pvalue"} <= names


@pytest.mark.parametrize("points", [{1.5: 0}, {"": 0, "a": 1}, {None: 0}, {True: 0}])
def test_points_without_a_name_are_refused(points: dict[Any, int]) -> None:
    with pytest.raises(InputError):
        series({at: model(seed) for at, seed in points.items()}, designs()[0])

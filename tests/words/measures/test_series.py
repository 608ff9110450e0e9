"""One design on many models: decades, layers, checkpoints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossroads import Design, Embeddings, mleat, series
from crossroads.core.errors import InputError, MissingStimuliError
from crossroads.stats import benjamini_hochberg
from crossroads.words.measures.series import SeriesResult
from tests.results import LABELS, WORDS


def model(seed: int) -> Embeddings:
    return Embeddings(LABELS, np.random.default_rng(seed).normal(size=(16, 6)), provenance=f"model {seed}")


DESIGN = Design(name="one", **WORDS)  # type: ignore[arg-type]


def test_a_series_measures_every_point_in_order_of_time() -> None:
    models = {1990: model(3), 1900: model(1), 1950: model(2)}
    result = series(models, DESIGN)
    assert list(result.points) == [1900, 1950, 1990]
    for year, point in result.points.items():
        assert point == mleat(models[int(year)], DESIGN, missing="drop")
    assert [p.source for p in result.provenance] == ["model 1", "model 2", "model 3"]


def test_points_of_a_series_are_adjusted_for_their_number() -> None:
    result = series({year: model(year) for year in (1, 2, 3, 4)}, DESIGN)
    crossed = [point.level1.crossed for point in result.points.values()]
    pvalues = [one.pvalue for one in crossed if one.pvalue is not None]
    assert list(result.adjusted["bh"]) == pytest.approx(benjamini_hochberg(pvalues).tolist())
    readings = {name: values for name, kind, values in result._readings("") if kind == "decade"}
    assert readings["one 2"]["p_bh"] == result.adjusted["bh"][1]


def test_points_without_the_words_are_skipped_and_listed() -> None:
    # rows of zeros are how historical vectors say that a word did not occur in a decade
    vectors = np.array(model(1).vectors)
    vectors[:3] = 0
    models = {1810: Embeddings(LABELS, vectors), 1900: model(1)}
    result = series(models, DESIGN)
    assert list(result.points) == [1900]
    assert set(result.skipped) == {1810}
    assert "x has 1 of 4 stimuli left, and needs 2" in result.skipped[1810]
    vectors[2] = 1
    partly = series({1810: Embeddings(LABELS, vectors)}, DESIGN)
    coverage = partly.points[1810].coverage
    assert coverage is not None
    assert coverage.missing == {"x0": "zero vector", "x1": "zero vector"}
    with pytest.raises(MissingStimuliError):
        series(models, DESIGN, missing="raise")


def test_labels_keep_their_order_and_come_back_from_json() -> None:
    models = {name: model(i) for i, name in enumerate(("start", "middle", "late", "end"))}
    result = series(models, DESIGN)
    assert (result.over, list(result.points), result._label) == ("point", list(models), "one over the series")
    back = SeriesResult.from_json(result.to_json())
    assert list(back.points) == list(models)
    # labels have no distances: they are numbered
    numbered = series(dict(enumerate(models.values())), DESIGN)
    assert result.trend.slope == numbered.trend.slope
    assert list(series({"10": model(1), "9": model(2)}, DESIGN).points) == [9, 10]


def test_the_trend_is_over_words_that_are_there_at_all_times() -> None:
    models = {year: model(year) for year in (1900, 1950, 1990)}
    vectors = np.array(models[1950].vectors)
    vectors[0] = 0
    models[1950] = Embeddings(LABELS, vectors)
    result = series(models, DESIGN)
    found = result.trend
    assert found is not None
    assert found.words == {"x": 3, "y": 4, "a": 4, "b": 4}
    assert "per 10 years" in result._table().notes[-1]


@pytest.mark.parametrize(
    ("models", "reason"),
    [
        ({1900: model(1), 1950: model(2)}, "a trend needs three points in time"),
        (
            dict.fromkeys(range(1900, 2000, 10), model(1)),
            "the words do not differ, or do not change",
        ),
    ],
)
def test_few_or_equal_points_have_no_trend_and_say_so(models: dict[Any, Embeddings], reason: str) -> None:
    found = series(models, DESIGN).trend
    assert found is not None
    assert (found.slope, found.pvalue, found.reason) == (None, None, reason)


def test_layers_are_no_sample_and_years_are() -> None:
    models = {at: model(at) for at in range(5)}
    layers = series(models, DESIGN, over="layer")
    years = series(models, DESIGN)
    assert layers._label == "one over layers" and years._label == "one over time"
    assert (layers.trend.slope, layers.trend.drawn, years.trend.drawn) == (years.trend.slope, False, True)
    assert (layers.trend.se or 0) <= (years.trend.se or 0)
    assert layers.trend.autocorrelation is None and "autocorrelation" not in layers.conventions
    assert years.conventions["autocorrelation"].startswith("AR(1)")
    assert f", allowing for an autocorrelation of {years.trend.autocorrelation:.2f})" in years.slope_said()
    assert layers.change.splits == 4
    between = layers.change_between()
    assert between is not None and between[1] == layers.change.position
    assert "both for all 4 splits" in layers.change_said()
    written = {row["statistic"]: row["value"] for row in layers._long_rows("") if row["part"] == "change"}
    assert (written["position"], written["difference"]) == (layers.change.position, layers.change.difference)


@pytest.mark.parametrize("points", [{}, {1.5: 0}, {"": 0, "a": 1}, {True: 0}])
def test_no_points_and_points_without_a_name_are_refused(points: dict[Any, int]) -> None:
    with pytest.raises(InputError):
        series({at: model(seed) for at, seed in points.items()}, DESIGN)

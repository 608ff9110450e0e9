"""The charts of single words, of time and of several tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossroads import catalog
from crossroads.core.errors import InputError
from crossroads.core.figures.style import BLUE, RED
from crossroads.core.results import Result
from crossroads.plots import (
    association_plot,
    decades,
    forest,
    frequency_plot,
    placebo_plot,
    ranking,
)
from crossroads.words.checks.frequency import frequency
from crossroads.words.checks.placebo import PlaceboResult
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import MleatResult
from crossroads.words.measures.sc_weat import sc_weat
from crossroads.words.measures.series import SeriesResult, series
from tests.fixtures.figures import Toy, colour_of, faults, said


def markers(ax: Any) -> list[tuple[float, float, bool, str]]:
    """Every marker: where it is, whether it is filled, and its colour."""
    return [
        (float(x), float(y), line.get_markerfacecolor() != "white", colour_of(line))
        for line in ax.lines
        if line.get_marker() not in ("None", "|", None)
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    ]


def xs(line: Any) -> list[float]:
    return list(line.get_xdata())


def ys(line: Any) -> list[float]:
    return list(line.get_ydata())


def test_every_target_word_has_a_dot_at_its_association_and_sets_are_sorted() -> None:
    result = Toy().mleat()
    ax = association_plot(result)
    dots = sorted(markers(ax), key=lambda dot: dot[1])
    for key, drawn in (("x", dots[:5]), ("y", dots[5:])):
        wanted = sorted((result.level1.associations[w] for w in result.level1.sets[key]), reverse=True)
        assert [dot[0] for dot in drawn] == wanted
    texts = said(ax)
    assert set(result.level1.associations) <= set(texts)
    assert f"flowers (X): mean {np.mean([dot[0] for dot in dots[:5]]):.3f}" in texts
    assert {"pleasant (A) →", "← unpleasant (B)"} <= set(texts)
    single = result.level2["y"]
    texts = said(association_plot(single))
    assert {"mean cosine with insects (X)", *single.sets["a"]} <= set(texts)


@pytest.fixture
def ranked() -> Callable[..., Any]:
    made = Toy()
    rng = np.random.default_rng(4)
    words = {f"word{i}": rng.normal(size=3) for i in range(60)}
    emb = type(made.embeddings).from_dict(
        {**dict(zip(made.embeddings.labels, made.embeddings.vectors, strict=True)), **words}
    )
    return lambda **options: sc_weat(
        emb, list(words), list(made.design.a), list(made.design.b), **{"alternative": "two-sided", **options}
    )


@pytest.mark.slow
def test_the_ranking_shows_the_strongest_words_of_either_side_in_order(ranked: Callable[..., Any]) -> None:
    result = ranked()
    ax = ranking(result, n=5)
    to_a, to_b = result.strongest(5)
    texts = said(ax)
    assert [text for text in texts if text.startswith("word")] == [*to_a, *to_b[::-1]]
    assert any("50 words between" in text for text in texts)
    sizes = sorted(result.effect_size, reverse=True)
    assert [dot[0] for dot in markers(ax)] == sizes[:5] + sizes[-5:]
    # significant words are filled and starred
    ax = ranking(result, n=30)
    effects = {
        float(d): bool(p < 0.05) for d, p in zip(result.effect_size, result.crossed.pvalue, strict=True)
    }
    assert {dot[0]: dot[2] for dot in markers(ax)} == effects
    assert {True, False} == set(effects.values())
    assert sum(text.endswith(" *") for text in said(ax)) == sum(effects.values())


def test_decades_are_filled_where_significant_and_lines_break_where_one_could_not_be_measured(
    years: SeriesResult,
) -> None:
    ax = decades(years)
    lines = [line for line in ax.lines if line.get_linestyle() != "None" and len(xs(line)) == 4]
    assert len(lines) == 3
    for line in lines:
        assert xs(line) == [1900, 1910, 1920, 1930]
        assert list(np.isnan(ys(line))) == [False, True, False, False]
    assert {"×", "Level 1"} <= set(said(ax))
    assert list(ax.get_xticks()) == [1900, 1910, 1920, 1930]
    wanted = {
        (time, test.effect_size): (test.crossed.pvalue or 1.0) < 0.05
        for time, point in years.points.items()
        for test in point.level2.values()
    }
    level1 = zip(years.points.items(), years.adjusted["bh"], strict=True)
    wanted |= {(time, point.level1.effect_size): (p or 1.0) < 0.05 for (time, point), p in level1}
    drawn = {(dot[0], dot[1]): dot[2] for dot in markers(ax)}
    assert drawn == wanted
    assert {True, False} == set(drawn.values())


def surest_first(nine: BatteryResult, value: Callable[[MleatResult], float]) -> list[MleatResult]:
    """The tests as a report orders them: yes, or not yet; then by size."""

    def place(test: MleatResult) -> int:
        adjusted = nine.adjusted["bh"][nine.tests.index(test)]
        return 0 if adjusted is not None and adjusted < 0.05 else 1

    return sorted(nine.tests, key=lambda test: (place(test), -abs(value(test))))


def difference(test: MleatResult) -> float:
    return test.level1.crossed.difference


def test_the_forest_has_a_square_per_test_filled_as_tables_adjust(nine: BatteryResult) -> None:
    ax = forest(nine)
    tests = surest_first(nine, difference)
    adjusted = {test.design: p for test, p in zip(nine.tests, nine.adjusted["bh"], strict=True)}
    held = {name for name, p in adjusted.items() if p is not None and p < 0.05}
    assert [(dot[0], dot[2]) for dot in markers(ax)] == [(difference(t), t.design in held) for t in tests]
    assert nine.adjusted["bh"] != nine.adjusted["holm"]
    texts = said(ax)
    assert f"{len(held)} of 9 associations generalize to other words for the same things" in texts
    bars = [xs(line) for line in ax.lines if line.get_marker() == "|"]
    assert bars == [list(nine.adjusted_intervals[nine.tests.index(test)] or ()) for test in tests]
    assert "not measured: absent" in " ".join(texts)


def test_what_cannot_be_drawn_is_refused_in_words(nine: BatteryResult, ranked: Callable[..., Any]) -> None:
    no_point = series({1950: Toy().embeddings}, catalog("weat7"))
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: ranking(ranked(), n=0), "n is 0"),
        (lambda: decades(no_point), "no point of the series 'weat7'"),
        (lambda: forest(replace(nine, tests=(), adjusted={})), "no test to draw"),
    ]
    for draw, message in refused:
        with pytest.raises(InputError, match=message):
            draw()


def test_a_test_is_marked_among_its_placebos(every_result: dict[str, Result]) -> None:
    result = every_result["placebo"]
    assert isinstance(result, PlaceboResult)
    ax = placebo_plot(result)
    assert [abs(result.statistic)] * 2 in [xs(line) for line in ax.lines]
    texts = " ".join(said(ax)).replace("\N{NO-BREAK SPACE}", " ")
    assert result._among_topics.replace("\N{NO-BREAK SPACE}", " ") in texts


def test_associations_stand_against_log_frequency_with_one_slope() -> None:
    made = Toy()
    counts = {word: 3.0 + 5 * i % 11 for i, word in enumerate(made.embeddings)}
    found = frequency(made.embeddings, made.design, frequencies=counts)
    ax = frequency_plot(found)
    shown = {(x, y): color for x, y, _, color in markers(ax)}
    for key, color in (("x", RED), ("y", BLUE)):
        for word in found.sets[key]:
            assert shown[found.basis.log_frequencies[word], found.basis.associations[word]] == color
    lines = [line for line in ax.lines if len(xs(line)) == 2 and colour_of(line) in (RED, BLUE)]
    slopes = [(ys(one)[1] - ys(one)[0]) / (xs(one)[1] - xs(one)[0]) for one in lines]
    assert slopes == pytest.approx([found.basis.slope, found.basis.slope])
    heights = [ys(one)[0] - found.basis.slope * xs(one)[0] for one in lines]
    assert heights[0] - heights[1] == pytest.approx(found.adjusted.difference)
    text = " ".join(said(ax))
    assert f"more than frequency? {found.answer}" in text


def test_a_series_of_labels_is_drawn_in_their_order() -> None:
    made = Toy()
    models = dict.fromkeys(("zero", "first", "and a long one", "last"), made.embeddings)
    ax = decades(series(models, made.design))
    assert [tick.get_text().replace("\n", " ") for tick in ax.get_xticklabels()] == list(models)
    assert faults(ax) == []

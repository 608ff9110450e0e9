"""The chart of models on benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crossroads import plots
from crossroads.errors import InputError
from crossroads.evidence import Provenance
from crossroads.evidence.runs import Runs
from crossroads.measures import compare_runs
from crossroads.wording.numbers import number
from tests.results import benchmark

Says = Callable[[Any], list[str]]
SOURCE = Provenance(source="m")


def test_every_difference_is_drawn_with_its_interval(said: Says) -> None:
    result = compare_runs(Runs([benchmark("<m>", 1, SOURCE), benchmark("n", 2, SOURCE)]))
    ax = plots.runs_plot(result, alpha=2)  # above which no p is
    lines: list[Any] = list(ax.lines)
    dots = [line for line in lines if line.get_marker() == "o"]
    assert [float(line.get_xdata()[0]) for line in dots] == [one.found.mean for one in result.differences]
    assert all(line.get_markerfacecolor() != "white" for line in dots)
    spans = [list(line.get_xdata()) for line in lines if line.get_linewidth() == 1.2]
    assert spans == [[one.found.low, one.found.high] for one in result.differences]
    first = result.differences[0].found
    assert first.low is not None and first.high is not None
    ends = f"{number(first.low, 3)} to {number(first.high, 3)}"
    assert f"{number(first.mean, 3, sign=True)} ({ends})" in said(ax)
    assert "Differences of models on benchmarks" in " ".join(said(ax))
    open_dots = [line for line in plots.runs_plot(result, alpha=1e-9).lines if line.get_marker() == "o"]
    assert all(line.get_markerfacecolor() == "white" for line in open_dots)


def test_of_one_model_its_values_are_drawn_and_of_nothing_nothing(said: Says) -> None:
    result = compare_runs(Runs([benchmark("<m>", 1, SOURCE)]))
    ax = plots.runs_plot(result)
    assert sum(line.get_marker() == "o" for line in ax.lines) == len(result.means) == 2
    assert "<m>" in said(ax)
    with pytest.raises(InputError, match="nothing to draw"):
        plots.runs_plot(replace(result, means=()))

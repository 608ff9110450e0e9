"""A battery of CEATs: its tests are CEATs, its adjustments those of the p-values over stimuli."""

from __future__ import annotations

import numpy as np
import pytest

from crossroads import Contexts, Design, ceat, ceat_battery
from crossroads.errors import InputError, MissingStimuliError
from crossroads.stats import benjamini_hochberg, ceat_bootstrap, holm

WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
DESIGNS = [
    Design(name="one", **WORDS),  # type: ignore[arg-type]
    Design(name="two", x=WORDS["y"], y=WORDS["a"], a=WORDS["x"], b=WORDS["b"]),
    Design(name="absent", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"]),
]


@pytest.fixture
def contexts() -> Contexts:
    rng = np.random.default_rng(0)
    return Contexts.from_dict(
        {word: rng.normal(size=6) + 0.5 * rng.normal(size=(5, 6)) for word in DESIGNS[0].words}
    )


def test_tests_are_ceats_and_p_values_for_other_words_are_adjusted(contexts: Contexts) -> None:
    seen: list[str] = []
    result = ceat_battery(contexts, DESIGNS, samples=20, seed=3, progress=seen.append)
    assert seen == ["one", "two", "absent"]
    for test, design in zip(result.tests, DESIGNS, strict=False):
        assert test == ceat(contexts, design, samples=20, seed=3, missing="drop")
    drawn = [test.crossed for test in result.tests]
    p = [one.pvalue for one in drawn if one is not None and one.pvalue is not None]
    assert len(p) == 2
    assert list(result.adjusted["holm"]) == holm(p).tolist()
    assert list(result.adjusted["bh"]) == benjamini_hochberg(p).tolist()
    assert list(result.skipped) == ["absent"]
    assert "x has 0 of 2 stimuli left" in result.skipped["absent"]
    assert result.intervals == {}


def test_intervals_are_those_of_the_bootstrap(contexts: Contexts) -> None:
    result = ceat_battery(contexts, DESIGNS[0], samples=5, seed=3, resamples=30, level=0.9, ddof=0)
    wanted = ceat_bootstrap(contexts, DESIGNS[0], resamples=30, level=0.9, seed=3, ddof=0, missing="drop")
    assert result.intervals["one"] == wanted
    row = result.rows()[0]
    ends = (row["stimulus_effect_size_low"], row["stimulus_effect_size_high"])
    assert ends == (wanted.low, wanted.high)


def test_bad_input_is_refused(contexts: Contexts) -> None:
    with pytest.raises(InputError, match="no designs"):
        ceat_battery(contexts, [])
    with pytest.raises(MissingStimuliError):
        ceat_battery(contexts, DESIGNS, missing="raise", samples=5)


def test_a_test_without_an_interval_is_still_measured(contexts: Contexts) -> None:
    # one attribute word is enough for the CEAT, but cannot be drawn anew
    lone = Design(name="lone", x=WORDS["x"], y=WORDS["y"], a=["a0"], b=["b0"])
    result = ceat_battery(contexts, [DESIGNS[0], lone], samples=5, resamples=5)
    assert [test.design for test in result.tests] == ["one", "lone"]
    assert set(result.intervals) == {"one"}

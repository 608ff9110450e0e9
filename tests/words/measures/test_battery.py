"""Many designs on one model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossroads import Design, Embeddings, battery, mleat
from crossroads.core.errors import DesignError, InputError, MissingStimuliError
from crossroads.stats import benjamini_hochberg, holm
from crossroads.words.measures.battery import BatteryResult
from tests.results import LABELS, WORDS


def model(seed: int) -> Embeddings:
    return Embeddings(LABELS, np.random.default_rng(seed).normal(size=(16, 6)), provenance=f"model {seed}")


def designs() -> list[Design]:
    """The same sets in three roles."""
    one = Design(name="one", **WORDS)  # type: ignore[arg-type]
    two = Design(name="two", x=WORDS["x"], y=WORDS["a"], a=WORDS["y"], b=WORDS["b"])
    three = Design(name="three", x=WORDS["b"], y=WORDS["a"], a=WORDS["y"], b=WORDS["x"])
    return [one, two, three]


def test_a_battery_is_its_tests_with_adjusted_p_values() -> None:
    options: dict[str, Any] = {"alternative": "two-sided", "words": "independent"}
    result = battery(model(1), designs(), **options)
    assert result.tests == tuple(mleat(model(1), d, missing="drop", **options) for d in designs())
    drawn = [test.level1.crossed for test in result.tests]
    p = [one.pvalue for one in drawn if one.pvalue is not None]
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
    result = battery(model(1), designs(), alternative="observed")
    drawn = [test.level1.crossed for test in result.tests]
    two_sided = [one.tail("two-sided") or 0.0 for one in drawn]
    assert [one.pvalue for one in drawn] != two_sided
    assert result.adjusted["holm"] == tuple(holm(two_sided))
    assert result.adjusted["bh"] == tuple(benjamini_hochberg(two_sided))
    assert result.conventions["adjusted"] == "Level 1, other words, two-sided"


def test_a_battery_says_what_each_test_could_have_found() -> None:
    small = Design(name="small", x=WORDS["x"][:3], y=WORDS["y"][:3], a=WORDS["a"], b=WORDS["b"])
    result = battery(model(1), [designs()[0], small])
    found = [test.level1.crossed.detectable for test in result.tests]
    assert [row["detectable"] for row in result._rows()] == found
    long = [row for row in result._long_rows("") if row["statistic"] == "detectable_difference"]
    assert [row["value"] for row in long if row["part"] == "level 1"] == found
    (name, _, values), *_ = result._readings("")
    assert (name, values["detectable"]) == ("one", found[0])
    table = BatteryResult._tabulate({"battery": result})
    assert [row["detectable"] for row in table.rows] == found
    # 3 and 3 words have 20 divisions, of which two are the least that a two-sided p can be
    least = "the smallest exact p that sets of these sizes can have is 0.10, which is not below .05."
    assert table.notes[-1] == f"small: nothing could be found with just these words: {least}"
    # a2 and a3 are near copies of each other, so that four words count as 16/6
    assert "one, small: words for a count as 2.7 of 4 words, near copies as about one: a2, a3." in table.notes


def test_designs_with_too_few_words_are_skipped_and_listed() -> None:
    strange = Design(name="strange", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"])
    seen: list[str] = []
    result = battery(model(1), [designs()[0], strange, designs()[1]], progress=seen.append)
    assert [test.design for test in result.tests] == ["one", "two"]
    assert seen == ["one", "strange", "two"]
    assert set(result.skipped) == {"strange"}
    assert "x has 0 of 2 stimuli left" in result.skipped["strange"]
    # a test that was not run does not count
    assert {how: len(some) for how, some in result.adjusted.items()} == {"holm": 2, "bh": 2, "by": 2}
    nothing = battery(model(1), [strange])
    assert (nothing.tests, nothing.adjusted["bh"], nothing._rows()) == ((), (), [])
    with pytest.raises(MissingStimuliError):
        battery(model(1), [designs()[0], strange], missing="raise")


def test_a_design_that_no_model_could_answer_is_an_error() -> None:
    single = Design(name="single", x=WORDS["x"], a=WORDS["a"], b=WORDS["b"])
    with pytest.raises(DesignError, match="single target"):
        battery(model(1), [designs()[0], single])
    with pytest.raises(InputError, match="no designs"):
        battery(model(1), [])

"""Many designs in several models: signs, adjustment and intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads import Design, Embeddings, compare
from crossroads.comparison.battery import compare_battery
from crossroads.core.errors import InputError, MissingStimuliError
from crossroads.core.inference.multiplicity import benjamini_hochberg, holm

SIZE = 6
TOPICS = ("one", "two", "three")
WORDS = {topic: {role: [f"{topic} {role}{i}" for i in range(SIZE)] for role in "xyab"} for topic in TOPICS}
DESIGNS = [Design(name=topic, **WORDS[topic]) for topic in TOPICS]  # type: ignore[arg-type]
LABELS = [word for design in DESIGNS for word in design.words]


def model(rng: np.random.Generator, leans: dict[str, float] | None = None, dim: int = 12) -> Embeddings:
    """Targets that lean to the side of their attribute, each topic along an axis of its own, and noise."""
    vectors = rng.normal(size=(len(LABELS), dim)) * 0.5
    place = {label: i for i, label in enumerate(LABELS)}
    for axis, topic in enumerate(TOPICS):
        lean = (leans or {}).get(topic, 0.0)
        for role, side in {"x": lean, "y": -lean, "a": 2.0, "b": -2.0}.items():
            vectors[[place[word] for word in WORDS[topic][role]], axis] += side
    return Embeddings(LABELS, vectors)


def three(seed: int = 1) -> dict[str, Embeddings]:
    rng = np.random.default_rng(seed)
    return {"p": model(rng), "q": model(rng, {"one": 0.3}), "r": model(rng, {"one": -0.2})}


def test_every_two_models_are_compared_on_every_design_or_all_with_the_first() -> None:
    said: list[str] = []
    every = compare(three(), DESIGNS, progress=said.append)
    assert said == list(TOPICS)
    assert every.models == ("p", "q", "r")
    assert every.pairs == (("p", "q"), ("p", "r"), ("q", "r")) * 3
    assert [test.design for test in every.tests] == [topic for topic in TOPICS for _ in range(3)]
    first = compare(three(), {one.name: one for one in DESIGNS}, against="first")
    assert first.pairs == (("p", "q"), ("p", "r")) * 3
    assert first.tests[0] == every.tests[0]


def test_each_test_is_the_paired_test_and_p_values_are_adjusted_over_all_of_them() -> None:
    models = three()
    result = compare_battery(models, DESIGNS, ddof=0, scale="cosine", ties="strict")
    for (one, two), test in zip(result.pairs, result.tests, strict=True):
        design = next(design for design in DESIGNS if design.name == test.design)
        alone = compare(
            models[one], models[two], design, ddof=0, scale="cosine", ties="strict", missing="drop"
        )
        assert test == alone
    pvalues = [test.pvalue for test in result.tests]
    assert result.adjusted["holm"] == tuple(holm(pvalues).tolist())
    assert result.adjusted["bh"] == tuple(benjamini_hochberg(pvalues).tolist())
    rows = result._rows()
    assert [row["p_bh"] for row in rows] == list(result.adjusted["bh"])
    assert (rows[1]["model_1"], rows[1]["model_2"]) == ("p", "r")


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_swapping_the_models_flips_every_sign_and_keeps_every_p_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = model(rng, {"one": 0.4}), model(rng)
    there = compare_battery({"p": one, "q": two}, DESIGNS)
    back = compare_battery({"q": two, "p": one}, DESIGNS)
    for test, other in zip(there.tests, back.tests, strict=True):
        assert other.difference == -test.difference
        assert other.pvalue == test.pvalue
    assert back.adjusted["holm"] == there.adjusted["holm"]
    for ends, others in zip(there.intervals, back.intervals, strict=True):
        # the same draws, and quantiles of negated numbers
        assert ends is not None
        assert others is not None
        assert (others.low, others.high) == pytest.approx((-ends.high, -ends.low), abs=1e-12)


def test_a_jackknife_interval_leaves_out_every_word_once_and_needs_no_seed() -> None:
    models = three()
    result = compare_battery(models, DESIGNS[0], against="first", level=0.9)
    again = compare_battery(models, DESIGNS[0], against="first", level=0.9, seed=5)
    assert result.intervals == again.intervals
    told = {ends and (ends.level, ends.resamples, ends.undefined) for ends in result.intervals}
    assert told == {(0.9, 4 * SIZE, 0)}
    assert result.conventions["interval"].startswith("jackknife, ")


def test_what_cannot_be_compared_is_skipped_with_its_reason_or_raised() -> None:
    models = three()
    few = Design(name="few", x=["one x0", "gone"], y=["one y0", "one y1"], a=["one a0"], b=["one b0"])
    single = Design(name="single", x=["one x0", "one x1"], a=["one a0"], b=["one b0"])
    result = compare_battery(models, [*DESIGNS[:1], few, single], against="first")
    assert list(result.skipped) == ["few: p / q", "few: p / r", "single: p / q", "single: p / r"]
    assert "needs 2" in result.skipped["few: p / q"]
    assert "single target" in result.skipped["single: p / q"]
    assert len(result.tests) == 2
    with pytest.raises(MissingStimuliError):
        compare_battery(models, few, missing="raise")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": {}}, "0 model"),
        ({"models": ["p", "q"]}, "of type list"),
        ({"designs": []}, "no designs"),
        ({"designs": [DESIGNS[0], DESIGNS[0]]}, "two designs are called 'one'"),
    ],
)
def test_bad_input_is_refused(changes: dict[str, Any], message: str) -> None:
    given = {"models": three(), "designs": DESIGNS, **changes}
    with pytest.raises(InputError, match=message):
        compare(given["models"], given["designs"])
    with pytest.raises(InputError, match="level given for two models and one design"):
        compare(*list(three().values())[:2], DESIGNS[0], level=0.9)  # type: ignore[call-overload]

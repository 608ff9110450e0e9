"""Adjusted p-values: against R, against their definitions, and against what they promise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from crossroads.core.errors import InputError
from crossroads.core.inference.multiplicity import ADJUSTMENTS, adjust, benjamini_yekutieli
from crossroads.core.wording import phrases
from crossroads.stats import benjamini_hochberg, holm

# p.adjust of R 4.2.2, 2026-11-15; see references/adjust.R
ADJUST = json.loads((Path(__file__).parents[2] / "references" / "adjust.json").read_text(encoding="utf-8"))

pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.reference
@pytest.mark.parametrize("case", ADJUST["cases"], ids=lambda case: str(case["name"]))
def test_adjusted_p_values_equal_those_of_r(case: dict[str, Any]) -> None:
    assert holm(case["p"]) == pytest.approx(case["holm"], rel=1e-14)
    assert benjamini_hochberg(case["p"]) == pytest.approx(case["bh"], rel=1e-14)
    # p.adjust(p, "BY") is that times the sum of 1 / (1:m), as far as it is below 1
    harmonic = sum(1 / k for k in range(1, len(case["p"]) + 1))
    below = [i for i, bh in enumerate(case["bh"]) if bh * harmonic < 1]
    wanted = [case["bh"][i] * harmonic for i in below]
    assert benjamini_yekutieli(case["p"])[below] == pytest.approx(wanted, rel=1e-14)


@given(pvalues)
def test_benjamini_and_yekutieli_adjust_as_scipy(p: list[float]) -> None:
    assert benjamini_yekutieli(p) == pytest.approx(false_discovery_control(p, method="by"), rel=1e-12)


@given(pvalues)
def test_a_family_is_adjusted_in_every_way_at_once(p: list[float]) -> None:
    found = adjust(p)
    assert list(found) == list(ADJUSTMENTS) == ["holm", "bh", "by"] == list(phrases.ADJUSTMENTS)
    for how, function in ADJUSTMENTS.items():
        assert found[how] == tuple(function(p).tolist())
    assert phrases.ADJUSTMENT in found


@given(pvalues)
def test_holm_is_the_largest_bonferroni_of_the_steps_before(p: list[float]) -> None:
    # Holm 1979: the i-th smallest is compared with alpha / (m - i + 1), until the first that is not rejected
    adjusted = holm(p)
    for i, own in enumerate(p):
        steps = [q * sum(r >= q for r in p) for q in p if q <= own]
        assert adjusted[i] == pytest.approx(min(1.0, max(steps)), abs=1e-15)


@given(pvalues, st.sampled_from([0.01, 0.05, 0.2]))
def test_benjamini_and_hochberg_reject_up_to_the_last_step_that_holds(p: list[float], alpha: float) -> None:
    # 1995: reject the k smallest, k the largest with p_(k) <= k alpha / m
    m, ordered = len(p), sorted(p)
    last = max((k for k in range(1, m + 1) if ordered[k - 1] * (m / k) <= alpha), default=0)
    rejected = {ordered[k] for k in range(last)}
    assert {q for q, a in zip(p, benjamini_hochberg(p), strict=True) if a <= alpha} == rejected


@given(pvalues, st.randoms(use_true_random=False))
def test_adjusting_keeps_order_and_only_raises(p: list[float], random: Any) -> None:
    shuffled = p[:]
    random.shuffle(shuffled)
    for how in ADJUSTMENTS.values():
        adjusted = how(p)
        assert all(a >= q for a, q in zip(adjusted, p, strict=True))
        assert np.array_equal(np.sort(adjusted), adjusted[np.argsort(p, kind="stable")])
        assert sorted(how(shuffled)) == sorted(adjusted)
    assert (holm(p) >= benjamini_hochberg(p)).all()
    assert (benjamini_yekutieli(p) >= benjamini_hochberg(p)).all()
    assert all(how(p[:1]).tolist() == p[:1] for how in ADJUSTMENTS.values())


def test_nothing_to_adjust_is_nothing_adjusted() -> None:
    assert all(how([]).size == 0 for how in ADJUSTMENTS.values())
    assert adjust([]) == {"holm": (), "bh": (), "by": ()}


@pytest.mark.parametrize("how", [*ADJUSTMENTS.values(), adjust])
@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.1, 1.2], "1.2 is not a p-value"),
        ([[0.1]], "shape"),
        (["0.1"], "give real numbers"),
    ],
)
def test_what_is_no_p_value_is_refused(how: Any, p: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        how(p)

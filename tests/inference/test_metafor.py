"""Random effects against R's metafor, whose numbers and script are in tests/references."""

from __future__ import annotations

import json
from math import log10
from pathlib import Path
from typing import Any

import pytest
from scipy.special import ndtri

from crossroads.inference.random_effects import combine

METAFOR = json.loads((Path(__file__).parents[1] / "references" / "metafor.json").read_text(encoding="utf-8"))
each_case = pytest.mark.parametrize("case", METAFOR["cases"], ids=lambda case: case["name"])


@pytest.mark.reference
@each_case
def test_the_combination_is_that_of_metafor(case: dict[str, Any]) -> None:
    found = combine(case["effect_sizes"], case["variances"])
    for field in ("effect_size", "se", "tau2", "i2", "q"):
        assert getattr(found, field) == pytest.approx(case[field], rel=1e-10, abs=1e-13), field
    if case["pvalue"] > 0:
        assert found.pvalue == pytest.approx(case["pvalue"], rel=1e-9)
        assert found.log10_pvalue == pytest.approx(log10(case["pvalue"]), rel=1e-10)
    else:  # where R's p-value has run out, ours has too, and its exponent goes on
        assert found.pvalue == 0.0
        assert found.log10_pvalue < -300


@pytest.mark.reference
@each_case
def test_the_prediction_interval_is_that_of_higgins_and_riley(case: dict[str, Any]) -> None:
    found = combine(case["effect_sizes"], case["variances"])
    assert found.prediction_interval == pytest.approx(case["riley"], rel=1e-9)


@pytest.mark.reference
@each_case
def test_metafors_own_interval_differs_by_the_quantile_alone(case: dict[str, Any]) -> None:
    # the default of metafor: mean ± 1.96 sqrt(tau² + se²), where ours has t with k - 2 degrees of freedom
    found = combine(case["effect_sizes"], case["variances"])
    reach = float(ndtri(0.975)) * (found.tau2 + found.se**2) ** 0.5
    assert (found.effect_size - reach, found.effect_size + reach) == pytest.approx(case["normal"], rel=1e-9)
    assert found.prediction_interval[0] < case["normal"][0]


@pytest.mark.reference
def test_the_cases_are_not_all_of_one_kind() -> None:
    cases = METAFOR["cases"]
    assert {case["tau2"] == 0 for case in cases} == {True, False}
    assert any(case["pvalue"] > 0.05 for case in cases)
    assert any(case["pvalue"] < 1e-30 for case in cases)

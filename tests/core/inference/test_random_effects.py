"""Random effects: the paper's formulas, R's metafor (see tests/references), and where digits run out."""

from __future__ import annotations

import json
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crossroads.core.errors import InputError
from crossroads.core.inference.random_effects import combine

METAFOR = json.loads((Path(__file__).parents[2] / "references" / "metafor.json").read_text(encoding="utf-8"))
effects = st.lists(st.tuples(st.floats(-2, 2), st.floats(0.001, 3)), min_size=2, max_size=30)


@given(effects)
def test_it_equals_a_transcription_of_section_8_3(pairs: list[tuple[float, float]]) -> None:
    es, v = np.array(pairs).T
    w = 1 / v
    c = w.sum() - (w**2).sum() / w.sum()
    q = (w * es**2).sum() - (w * es).sum() ** 2 / w.sum()
    tau2 = (q - (len(es) - 1)) / c if q >= len(es) - 1 else 0.0
    weights = 1 / (v + tau2)
    mean, se = (weights * es).sum() / weights.sum(), np.sqrt(1 / weights.sum())
    found = combine(es, v)
    assert found.effect_size == pytest.approx(mean, rel=1e-6, abs=1e-9)
    assert found.se == pytest.approx(se, rel=1e-6)
    assert found.tau2 == pytest.approx(tau2, rel=1e-5, abs=1e-9)
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(abs(mean / se)), rel=1e-4)


def test_the_exponent_goes_on_where_the_p_value_ends() -> None:
    found = combine([1.0] * 10_000, [0.01] * 10_000)  # z = 1000
    assert found.pvalue == 0.0
    # ln of the two-sided tail is about -z²/2 - ln z - ln sqrt(pi / 2)
    z = 1000.0
    assert found.log10_pvalue == pytest.approx(
        (-(z**2) / 2 - np.log(z) - np.log(np.sqrt(np.pi / 2))) / np.log(10)
    )
    near = combine([1.0] * 4, [1.0] * 4)
    assert near.log10_pvalue == pytest.approx(np.log10(near.pvalue))


@pytest.mark.parametrize(
    ("es", "v", "words"),
    [
        ([1.0], [1.0, 2.0], "shape"),
        ([1.0, np.nan], [1.0, 1.0], "finite"),
        ([1.0], [0.0], "variance is 0"),
    ],
)
def test_unusable_effects_are_refused(es: list[float], v: list[float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        combine(es, v)


def test_one_effect_that_outweighs_all_others_leaves_the_variance_between_them_defined() -> None:
    # with weights W, 1 and 1, C = ΣW − ΣW² / ΣW is 4 − 2 / W to the first order: total − Σw² / total would
    # cancel to 0 in float64. Q = Σw(es − mean)² is 1 + 4 around the mean 0, so that tau² = (5 − 2) / 4.
    found = combine([0.0, 1.0, 2.0], [1e-20, 1.0, 1.0])
    assert found.tau2 == pytest.approx(0.75, rel=1e-9)
    assert np.isfinite(found.effect_size)


@pytest.mark.reference
@pytest.mark.parametrize("case", METAFOR["cases"], ids=lambda case: case["name"])
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
    # the interval of Higgins and Riley, with t of k - 2 degrees of freedom; that of metafor is normal
    assert found.prediction_interval == pytest.approx(case["riley"], rel=1e-9)
    reach = float(stats.norm.ppf(0.975)) * (found.tau2 + found.se**2) ** 0.5
    assert (found.effect_size - reach, found.effect_size + reach) == pytest.approx(case["normal"], rel=1e-9)

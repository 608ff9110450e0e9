"""Random effects: the paper's formulas, theory, and where digits run out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crossroads.errors import InputError
from crossroads.inference.random_effects import combine

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


def test_equal_effects_have_no_variance_between_them() -> None:
    found = combine([0.4] * 5, [0.1, 0.2, 0.3, 0.4, 0.5])
    assert (found.tau2, found.i2) == (0.0, 0.0)
    assert found.effect_size == pytest.approx(0.4)
    assert found.se == pytest.approx(np.sqrt(1 / sum(1 / v for v in (0.1, 0.2, 0.3, 0.4, 0.5))))


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


def test_the_prediction_interval_is_that_of_a_t_distribution() -> None:
    # mean ± t of n - 2 degrees of freedom × sqrt(tau² + se²); with four effects se² is not small beside tau²
    es, v = [0.1, 0.4, 0.9, 0.2], [0.05, 0.04, 0.06, 0.05]
    found = combine(es, v)
    assert found.tau2 > 0
    reach = stats.t.ppf(0.975, 2) * np.sqrt(found.tau2 + found.se**2)
    assert found.prediction_interval == pytest.approx((found.effect_size - reach, found.effect_size + reach))


@pytest.mark.parametrize(
    ("es", "v", "words"),
    [
        ([], [], "shape"),
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


@pytest.mark.parametrize("level", [0, 1, 2, "0.95", None])
def test_a_prediction_interval_needs_a_level(level: object) -> None:
    with pytest.raises(InputError, match="level is "):
        combine([0.1, 0.2, 0.3], [1.0, 1.0, 1.0], level=level)  # type: ignore[arg-type]

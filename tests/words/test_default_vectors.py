"""The WEAT on the embedded default vectors, against numbers computed independently."""

from __future__ import annotations

import pytest

from crossroads import Embeddings, catalog, load, mleat, weat

pytestmark = pytest.mark.reference

# GloVe 6B, 50 dimensions ddof 1, to three decimals
PUBLISHED = {"weat1": 1.080, "weat5": 0.995, "weat6": 1.708, "weat7": 1.495}


@pytest.fixture(scope="module")
def default() -> Embeddings:
    return load("default", words=sorted({w for name in PUBLISHED for w in catalog().design(name).words}))


@pytest.mark.parametrize(("name", "d"), PUBLISHED.items())
def test_effect_sizes_of_the_default_are_the_known_ones(name: str, d: float, default: Embeddings) -> None:
    result = weat(default, catalog().design(name), missing="drop")
    assert result.coverage is not None
    assert set(result.coverage.missing) == ({"gladiola"} if name == "weat1" else set())
    assert result.effect_size == pytest.approx(d, abs=5e-4)
    assert result.method == "exact"
    assert result.min_pvalue <= result.pvalue < 0.01


def test_the_female_names_carry_the_association_with_family(default: Embeddings) -> None:
    # What Level 1 alone cannot tell: male names lean to career, but 8 words a set do not settle it.
    result = mleat(default, catalog().design("weat6"), alternative="two-sided")
    assert result.pattern == "BY-Singular"
    assert result.level2["x"].effect_size == pytest.approx(0.7346, abs=5e-4)
    assert result.level2["y"].effect_size == pytest.approx(-1.4893, abs=5e-4)

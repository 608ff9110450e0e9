"""CEAT and batteries of it: a transcription on the same draws, p-values over words, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import Contexts, Design, battery, ceat, weat
from crossroads.contexts.measures.draws import draw_contexts
from crossroads.core.errors import CrossroadsError, MissingStimuliError
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.random_effects import combine
from crossroads.stats import benjamini_hochberg, holm, permutation_test

WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
DESIGN = Design(name="test", **WORDS)  # type: ignore[arg-type]


def world(
    seed: int, *, lean: float = 0.0, n: int = 4, contexts: int = 6, dim: int = 10
) -> dict[str, NDArray[np.float64]]:
    """Words with a place of their own, contexts around it; x and a lean to one side."""
    rng = np.random.default_rng(seed)
    made = {}
    for name in "xyab":
        for i in range(n):
            place = rng.normal(size=dim) + (lean if name in "xa" else 0.0) * np.eye(dim)[0]
            made[f"{name}{i}"] = place + 0.5 * rng.normal(size=(contexts + (i % 2), dim))
    return made


def test_every_sample_is_a_weat_of_the_contexts_drawn() -> None:
    made = world(1, lean=1.0)
    contexts = Contexts.from_dict(made)
    result = ceat(contexts, DESIGN, samples=40, seed=5)
    words = list(DESIGN.words)
    drawn = draw_contexts(np.array([len(made[w]) for w in words]), 40, np.random.default_rng(5))
    for picked, d, v in zip(drawn.T, result.sample_effect_sizes, result._sample_variances, strict=True):
        vectors = np.stack([made[word][row] for word, row in zip(words, picked, strict=True)])
        one = weat(Embeddings(words, vectors), DESIGN)
        assert d == pytest.approx(one.effect_size, rel=1e-12)
        assert v == pytest.approx(np.var(list(one.associations.values()), ddof=1), rel=1e-12)
    again = combine(result.sample_effect_sizes, result._sample_variances)
    assert (result.effect_size, result.se, result.tau2) == (again.effect_size, again.se, again.tau2)
    assert result.share_positive == (result.sample_effect_sizes > 0).mean()
    assert result.contexts["x1"] == 7


def test_the_expected_association_is_the_mean_over_all_choices() -> None:
    made = world(3, lean=0.5, n=2, contexts=2)
    design = Design(name="s", **{k: v[:2] for k, v in WORDS.items()})  # type: ignore[arg-type]
    result = ceat(Contexts.from_dict(made), design, samples=3)
    unit = {w: r / np.linalg.norm(r, axis=1, keepdims=True) for w, r in made.items()}

    def cosine(one: str, other: str) -> float:
        return float((unit[one] @ unit[other].T).mean())

    s = {
        t: np.mean([cosine(t, a) for a in design.a]) - np.mean([cosine(t, b) for b in design.b])
        for t in ("x0", "x1", "y0", "y1")
    }
    values = np.array(list(s.values()))
    expected = (values[:2].mean() - values[2:].mean()) / values.std(ddof=1)
    assert result.stimulus_effect_size == pytest.approx(expected, rel=1e-10)
    tested = permutation_test(values[:2], values[2:], alternative="two-sided")
    assert result.stimulus_pvalue == tested.pvalue


def test_the_textbook_variance_is_offered() -> None:
    result = ceat(Contexts.from_dict(world(5)), DESIGN, samples=10, variance="hedges")
    d = result.sample_effect_sizes
    assert result._sample_variances == pytest.approx(8 / 16 + d**2 / 16)


def test_missing_stimuli_follow_the_policy() -> None:
    made = world(6)
    del made["x0"], made["a3"]
    contexts = Contexts.from_dict(made)
    with pytest.raises(MissingStimuliError) as error:
        ceat(contexts, DESIGN, samples=3)
    assert set(error.value.missing) == {"x0", "a3"}
    policies: list[tuple[Any, list[int]]] = [("drop", [3, 4, 3, 4]), ("balance", [3, 3, 3, 3])]
    for policy, left in policies:
        coverage = ceat(contexts, DESIGN, samples=3, missing=policy).coverage
        assert coverage is not None
        assert [len(words) for words in coverage.used.values()] == left


ZERO = world(8)
ZERO["b1"][2] = 0
# every word stands in a context and in its opposite: the mean unit vectors are 0, and so is every expected
# association, while each sample has an effect size. What rounding leaves is no effect size.
OPPOSITES = {word: np.concatenate([rows, -rows]) for word, rows in world(3).items()}


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (world(7), {"samples": 2}, "samples is 2"),
        (world(7), {"design": Design(name="s", x=["x0"], a=["a0"], b=["b0"])}, "single target"),
        (ZERO, {"samples": 3}, "'b1' is a zero vector"),
        (OPPOSITES, {"samples": 5}, "every expected association of the design 'test' equals"),
    ],
)
def test_bad_input_is_refused(given: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(CrossroadsError, match=said):
        ceat(Contexts.from_dict(given), **{"design": DESIGN, **options})


OTHERS = [
    DESIGN,
    Design(name="two", x=WORDS["y"], y=WORDS["a"], a=WORDS["x"], b=WORDS["b"]),
    Design(name="absent", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"]),
]


def test_a_battery_has_ceats_and_adjusts_p_values_for_other_words() -> None:
    contexts, seen = Contexts.from_dict(world(0)), list[str]()
    result = battery(contexts, OTHERS, samples=20, seed=3, progress=seen.append)
    assert seen == ["test", "two", "absent"]
    for test, design in zip(result.tests, OTHERS, strict=False):
        assert test == ceat(contexts, design, samples=20, seed=3, missing="drop")
    drawn = [test.crossed for test in result.tests]
    p = [one.pvalue for one in drawn if one.pvalue is not None]
    assert len(p) == 2
    assert list(result.adjusted["holm"]) == holm(p).tolist()
    assert list(result.adjusted["bh"]) == benjamini_hochberg(p).tolist()
    assert list(result.skipped) == ["absent"]
    assert "x has 0 of 2 stimuli left" in result.skipped["absent"]
    with pytest.raises(MissingStimuliError):
        battery(contexts, OTHERS, missing="raise", samples=5)
    with pytest.raises(CrossroadsError, match="no designs"):
        battery(contexts, [])


def test_one_attribute_word_is_enough_for_a_test_in_a_battery() -> None:
    lone = Design(name="lone", x=WORDS["x"], y=WORDS["y"], a=["a0"], b=["b0"])
    result = battery(Contexts.from_dict(world(0)), [DESIGN, lone], samples=5)
    assert [test.design for test in result.tests] == ["test", "lone"]

"""Words that stand in two sets: warned of with the sets, and noted in the coverage."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from crossroads import Contexts, Design, Embeddings, ceat, mleat, sc_weat, weat
from crossroads.core.errors import CrossroadsWarning
from crossroads.sources import StimulusSet
from tests.words.measures.plain import cosine, mean

WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
LABELS = [word for words in WORDS.values() for word in words]


def model(*labels: str) -> Embeddings:
    rng = np.random.default_rng(1)
    return Embeddings.from_dict({label: rng.normal(size=6) for label in (*LABELS, *labels)})


def design(**more: list[str]) -> Design:
    sets = {role: StimulusSet(f"set {role}", (*words, *more.get(role, []))) for role, words in WORDS.items()}
    return Design(name="doubtful", **sets)  # type: ignore[arg-type]


LEFT_OUT = "in the target {0} (set {0}) and in the attribute {1} (set {1}), left out of the target"
EITHER_SIDE = "in both {2}, {0} (set {0}) and {1} (set {1}), which counts on either side"


@pytest.mark.parametrize(
    ("role", "other", "told"),
    [
        *((target, attribute, LEFT_OUT) for target in "xy" for attribute in "ab"),
        ("x", "y", EITHER_SIDE),
        ("a", "b", EITHER_SIDE),
    ],
)
def test_a_word_in_two_sets_is_warned_of_once_and_noted(role: str, other: str, told: str) -> None:
    word = f"{other}1"
    said = told.format(role, other, "targets" if role == "x" else "attributes")
    for measure in (weat, mleat):
        message = re.escape(f"the design 'doubtful' has {word!r} {said}")
        with pytest.warns(CrossroadsWarning, match=message) as caught:
            result = measure(model(), design(**{role: [word]}))
        assert len(caught) == 1
        assert result.coverage is not None
        assert result.coverage.notes[0].startswith(repr(word))


def associations_in_loops(emb: Embeddings, sets: dict[str, list[str]]) -> dict[str, float]:
    """Associations of the targets that no attribute has, cosine by cosine."""

    def near(word: str, others: list[str]) -> float:
        return mean([cosine(emb[word], emb[other]) for other in others])

    targets = [word for word in (*sets["x"], *sets["y"]) if word not in (*sets["a"], *sets["b"])]
    return {word: near(word, sets["a"]) - near(word, sets["b"]) for word in targets}


@pytest.mark.parametrize(("role", "other"), [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")])
def test_no_word_is_compared_with_itself(role: str, other: str) -> None:
    emb, shared = model("new"), design(**{role: ["new"], other: ["new"]})
    with pytest.warns(CrossroadsWarning, match="'new' in the target"):
        result = weat(emb, shared)
    sets = {name: list(words) for name, words in shared.sets.items()}
    assert result.associations == pytest.approx(associations_in_loops(emb, sets))
    apart = weat(emb, design(**{other: ["new"]}))
    assert (result.effect_size, result.pvalue) == (apart.effect_size, apart.pvalue)
    assert result.crossed == apart.crossed
    assert result.coverage is not None
    assert result.coverage.dropped[role] == {"new": f"also in {other}, and no word is compared with itself"}


@pytest.mark.parametrize("words", ["*", ["x0", "a1", "b0"]])
def test_attribute_words_are_not_measured_one_by_one(words: Any) -> None:
    with pytest.warns(CrossroadsWarning) if words != "*" else nullcontext():
        result = sc_weat(model(), words, WORDS["a"], WORDS["b"])
    assert result.words == tuple(LABELS[:8] if words == "*" else ["x0"])
    assert result.coverage is not None
    assert "not measured, since no word is compared with itself" in result.coverage.notes[0]


@pytest.mark.parametrize("spelling", ["Rose", "rose"])
def test_two_spellings_of_one_word_in_two_sets_are_noticed(spelling: str) -> None:
    emb = model("rose").with_fallback("lower")
    with pytest.warns(CrossroadsWarning, match="found as 'rose'|'Rose' in the target x") as caught:
        result = weat(emb, design(x=["Rose"], a=[spelling]))
    assert len(caught) == 1
    assert result.coverage is not None
    assert result.coverage.notes[0].startswith("'rose' in the target x")
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    with pytest.warns(CrossroadsWarning, match="in the target x .* and in the attribute a"):
        weat(model(composed), design(x=[decomposed], a=[composed]))


def test_over_contexts_a_word_is_not_compared_with_its_own_contexts() -> None:
    rng = np.random.default_rng(1)
    contexts = Contexts.from_dict({word: rng.normal(size=(3, 6)) for word in LABELS})
    for measure in (ceat, mleat):
        with pytest.warns(CrossroadsWarning, match="'a1' in the target x .*, left out of the target"):
            result = measure(contexts, design(x=["a1"]), samples=5)
        apart = measure(contexts, design(), samples=5)
        assert result.coverage is not None
        assert result.coverage.dropped["x"] == {"a1": "also in a, and no word is compared with itself"}
        numbers: list[Any] = [getattr(some, "level1", some) for some in (result, apart)]
        assert numbers[0].stimulus_effect_size == numbers[1].stimulus_effect_size

"""Words that stand in two sets: warned of with the sets, and noted in the coverage."""

from __future__ import annotations

import numpy as np
import pytest

from crossroads import Contexts, Design, Embeddings, StimulusSet, ceat, mleat, weat
from crossroads.errors import CrossroadsWarning
from crossroads.measures import WeatResult

WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
LABELS = [word for words in WORDS.values() for word in words]


def model(*labels: str) -> Embeddings:
    rng = np.random.default_rng(1)
    return Embeddings.from_dict({label: rng.normal(size=6) for label in (*LABELS, *labels)})


def design(**more: list[str]) -> Design:
    sets = {role: StimulusSet(f"set {role}", (*words, *more.get(role, []))) for role, words in WORDS.items()}
    return Design(name="doubtful", **sets)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("role", "word", "told"),
    [
        (
            "x",
            "a1",
            r"'a1' in the target x \(set x\) and in the attribute a \(set a\); .* which raises",
        ),
        (
            "x",
            "b1",
            r"'b1' in the target x \(set x\) and in the attribute b \(set b\); .* which lowers",
        ),
        (
            "y",
            "a1",
            r"'a1' in the target y \(set y\) and in the attribute a \(set a\); .* which lowers",
        ),
        (
            "y",
            "b1",
            r"'b1' in the target y \(set y\) and in the attribute b \(set b\); .* which raises",
        ),
        ("x", "y1", r"'y1' in both targets, x \(set x\) and y \(set y\), which counts on either side"),
        ("a", "b1", r"'b1' in both attributes, a \(set a\) and b \(set b\), which counts on either side"),
    ],
)
def test_a_word_in_two_sets_is_warned_of_once_and_noted(role: str, word: str, told: str) -> None:
    doubtful = design(**{role: [word]})
    for measure in (weat, mleat):
        with pytest.warns(CrossroadsWarning, match=f"the design 'doubtful' has {told}") as caught:
            result = measure(model(), doubtful)
        assert len(caught) == 1
        assert result.coverage is not None
        assert result.coverage.notes[0].startswith(repr(word))
        assert type(result).from_json(result.to_json()).coverage == result.coverage


def test_what_is_said_of_the_number_is_true() -> None:
    # no other cosine is as large as that of a word with itself, so that the mean with it is further out
    emb = model("new")
    for role, other, sign in (("x", "a", 1), ("x", "b", -1), ("y", "a", 1), ("y", "b", -1)):
        apart = weat(emb, design(**{role: ["new"]}))
        with pytest.warns(CrossroadsWarning, match="raises" if (role == "x") == (other == "a") else "lowers"):
            shared = weat(emb, design(**{role: ["new"], other: ["new"]}))
        assert (shared.associations["new"] - apart.associations["new"]) * sign > 0


def test_designs_without_overlaps_have_no_notes() -> None:
    coverage = weat(model(), design()).coverage
    assert coverage is not None
    assert coverage.notes == ()


def test_two_spellings_of_one_word_in_two_sets_are_noticed() -> None:
    emb = model("rose").with_fallback("lower")
    with pytest.warns(CrossroadsWarning, match="several stimuli were found as 'rose'"):
        result = weat(emb, design(x=["Rose"], a=["rose"]))
    assert result.coverage is not None
    assert result.coverage.notes[0].startswith("'rose' in the target x")
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    with pytest.warns(CrossroadsWarning, match="in the target x .* and in the attribute a"):
        weat(model(composed), design(x=[decomposed], a=[composed]))


def test_over_contexts_the_word_is_compared_with_its_own_contexts() -> None:
    rng = np.random.default_rng(1)
    contexts = Contexts.from_dict({word: rng.normal(size=(3, 6)) for word in LABELS})
    with pytest.warns(CrossroadsWarning, match="the contexts of a word are compared with one another"):
        result = ceat(contexts, design(x=["a1"]), samples=5)
    assert result.coverage is not None
    assert "contexts of a word" in result.coverage.notes[0]


def test_results_of_earlier_versions_have_no_notes_and_are_read() -> None:
    data = weat(model(), design()).to_dict()
    del data["coverage"]["notes"]
    coverage = WeatResult.from_dict(data).coverage
    assert coverage is not None
    assert coverage.notes == ()


def test_one_word_in_two_sets_is_warned_of_once_whatever_it_is_found_as() -> None:
    emb = model("rose").with_fallback("lower")
    with pytest.warns(CrossroadsWarning, match="'Rose' in the target x") as caught:
        result = weat(emb, design(x=["Rose"], a=["Rose"]))
    assert len(caught) == 1
    assert result.coverage is not None
    assert result.coverage.notes[0].startswith("'rose' in the target x")

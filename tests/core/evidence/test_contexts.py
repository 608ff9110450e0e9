"""Context vectors: looked up, read-only, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossroads import Contexts
from crossroads.core.errors import EvidenceError, InputError


def test_contexts_are_found_by_word() -> None:
    rng = np.random.default_rng(0)
    given = {
        "rose": rng.normal(size=(3, 4)),
        "wasp": rng.normal(size=(1, 4)),
        "Iris": rng.normal(size=(2, 4)),
    }
    contexts = Contexts.from_dict(given, provenance="test", fallback="title")
    assert contexts.words == ("rose", "wasp", "Iris")
    assert contexts.offsets.tolist() == [0, 3, 4, 6]
    for word, rows in given.items():
        assert np.array_equal(contexts[word], rows)
    assert contexts.count("iris") == 2
    assert "lily" not in contexts
    assert (len(contexts), contexts.dim, list(contexts)) == (3, 4, ["rose", "wasp", "Iris"])
    assert contexts.provenance.source == "test"
    assert "3 words, 6 × 4 float64" in repr(contexts)
    with pytest.raises(InputError, match="'lily'"):
        contexts["lily"]
    with pytest.raises(ValueError, match="read-only"):
        contexts.vectors[0, 0] = 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "empty"),
        ("store", "the contexts are of type"),
        ({"a": [[1.0, 2.0]], "b": [[1.0]]}, "shape"),
        ({"a": [1.0, 2.0]}, "shape"),
        ({"a": np.empty((0, 2))}, "shape"),
        ({"a": [[1.0, np.nan]]}, "nan"),
    ],
)
def test_unusable_contexts_are_refused(given: Any, words: str) -> None:
    with pytest.raises(EvidenceError, match=words):
        Contexts.from_dict(given)


@pytest.mark.parametrize(
    ("words", "counts", "said"),
    [
        (["a", "b"], [1, 2], "3 contexts"),
        (["a", "b"], [2, 0], "'b' has no context"),
        (["a", "a"], [1, 1], "'a'"),
    ],
)
def test_arrays_must_fit_their_words(words: list[str], counts: list[int], said: str) -> None:
    with pytest.raises(EvidenceError, match=said):
        Contexts(words, counts, np.ones((2, 2)))

"""Projections on an axis: SemAxis and RIPA against their formulas, and what is drawn in their inference."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from crossroads import Design, Embeddings, projection, weat
from crossroads.core.errors import DesignError, EvidenceError, InputError, MissingStimuliError

WORDS = {name: [f"{name}{i}" for i in range(5)] for name in "xyab"}


def model(seed: int = 0, dim: int = 7, leave: tuple[str, ...] = ()) -> Embeddings:
    rng = np.random.default_rng(seed)
    labels = [word for words in WORDS.values() for word in words]
    vectors = rng.normal(size=(len(labels), dim)) * rng.uniform(0.3, 3, size=(len(labels), 1))
    vectors[10:15, 0] += 9  # the pairs of attributes agree on a direction
    return Embeddings.from_dict({w: row for w, row in zip(labels, vectors, strict=True) if w not in leave})


def design(**more: Any) -> Design:
    return Design(name="d", **{**WORDS, **more})


def rows(emb: Embeddings, name: str) -> Any:
    return np.array([emb[word] for word in WORDS[name]], dtype=float)


def test_semaxis_is_the_cosine_with_the_difference_of_two_means() -> None:
    emb = model()
    axis = rows(emb, "a").mean(axis=0) - rows(emb, "b").mean(axis=0)
    result = projection(emb, design())
    for word in (*WORDS["x"], *WORDS["y"]):
        expected = emb[word] @ axis / np.linalg.norm(emb[word]) / np.linalg.norm(axis)
        assert result.associations[word] == pytest.approx(expected, abs=1e-12)
    scores = np.array([*result.associations.values()])
    difference = scores[:5].mean() - scores[5:].mean()
    assert result.crossed.difference == pytest.approx(difference, abs=1e-12)
    assert result.effect_size == pytest.approx(difference / scores.std(ddof=1), abs=1e-12)
    divisions = [scores[list(some)].sum() for some in combinations(range(10), 5)]
    upper = np.mean([one >= scores[:5].sum() - 1e-12 for one in divisions])
    lower = np.mean([one <= scores[:5].sum() + 1e-12 for one in divisions])
    assert result.pvalue == pytest.approx(min(1.0, 2 * min(upper, lower)))


def test_ripa_is_the_product_with_the_first_component_of_the_differences_of_pairs() -> None:
    emb = model(1)
    differences = rows(emb, "a") - rows(emb, "b")
    # as the authors: a principal component of both words of each pair around the middle of the pair
    around = np.concatenate([differences / 2, -differences / 2])
    values, vectors = np.linalg.eigh(around.T @ around)
    axis = vectors[:, np.argmax(values)]
    axis *= np.sign(axis @ differences.mean(axis=0))
    result = projection(emb, design(), axis="pairs")
    assert result.associations == pytest.approx(
        {word: float(emb[word] @ axis) for word in (*WORDS["x"], *WORDS["y"])}, abs=1e-12
    )


def test_the_variance_over_pairs_is_a_jackknife_that_finds_the_component_again() -> None:
    emb = model(2)
    differences = rows(emb, "a") - rows(emb, "b")
    gaps = []
    for i in range(5):
        axis = np.linalg.svd(np.delete(differences, i, axis=0))[2][0]
        axis *= np.sign(axis @ np.linalg.svd(differences)[2][0])
        gaps.append((rows(emb, "x") @ axis).mean() - (rows(emb, "y") @ axis).mean())
    # here without the sign of the whole component, which turns all of them
    jackknife = 4 / 5 * sum((gap - np.mean(gaps)) ** 2 for gap in gaps)
    result = projection(emb, design(), axis="pairs")
    scores = np.array([*result.associations.values()])
    targets = scores[:5].var(ddof=1) / 5 + scores[5:].var(ddof=1) / 5
    assert result.crossed.se is not None
    assert result.crossed.se**2 >= max(jackknife, targets) - 1e-12
    assert result.crossed.se**2 <= jackknife + targets + 1e-12 or jackknife < targets


def test_with_unit_vectors_and_means_the_table_is_that_of_a_weat_on_another_scale() -> None:
    emb = model(3)
    emb = Embeddings(emb.labels, emb.vectors / np.linalg.norm(emb.vectors, axis=1, keepdims=True))
    ours, theirs = projection(emb, design()), weat(emb, design())
    assert ours.effect_size == pytest.approx(theirs.effect_size)
    assert ours.pvalue == theirs.pvalue
    assert ours.crossed.pvalue == pytest.approx(theirs.crossed.pvalue)


@pytest.mark.parametrize("axis", ["means", "pairs"])
def test_a_single_target_has_a_mean_score_and_no_exchange(axis: Any) -> None:
    emb = model(4)
    result = projection(emb, design(y=None), axis=axis)
    both = projection(emb, design(), axis=axis)
    assert result.associations == {word: both.associations[word] for word in WORDS["x"]}
    assert result.crossed.difference == pytest.approx(np.mean([*result.associations.values()]))
    assert (result.effect_size, result.pvalue, result.method) == (None, None, "")
    assert result.crossed.pvalue is not None
    assert type(result).from_json(result.to_json()).to_dict() == result.to_dict()


def test_lengths_can_be_kept_or_not() -> None:
    emb = model(5)
    for axis, usual in (("means", False), ("pairs", True)):
        found: Any = [projection(emb, design(), axis=axis, lengths=keep) for keep in (False, True)]  # type: ignore[arg-type]
        for word in WORDS["x"]:
            length = np.linalg.norm(emb[word])
            assert found[1].associations[word] == pytest.approx(found[0].associations[word] * length)
        assert projection(emb, design(), axis=axis).to_dict() == found[usual].to_dict()  # type: ignore[arg-type]


def test_a_missing_word_leaves_out_its_partner_and_says_so() -> None:
    emb = model(6, leave=("a1", "b3"))
    result = projection(emb, design(), axis="pairs", missing="drop")
    assert result.sets["a"] == ("a0", "a2", "a4")
    assert result.sets["b"] == ("b0", "b2", "b4")
    assert result.coverage is not None
    assert result.coverage.dropped["b"]["b1"] == "its partner has no usable vector"
    small = design(a=["a0", "a2", "a4"], b=["b0", "b2", "b4"])
    assert result.associations == projection(emb, small, axis="pairs").associations
    assert projection(emb, design(), missing="drop").sets["a"] == ("a0", "a2", "a3", "a4")


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"axis": "middle"}, InputError, "'middle'"),
        ({"axis": "pairs", "a": ["a0", "a1"]}, DesignError, "2 and 5 attributes"),
        ({"axis": "pairs", "a": ["a0", "no"], "b": ["b0", "b1"], "missing": "drop"}, EvidenceError, "1 of 2"),
        ({"x": ["x0", "none"]}, MissingStimuliError, "none"),
    ],
)
def test_what_cannot_be_projected_is_refused(options: dict[str, Any], kind: Any, said: str) -> None:
    lists = {name: options.pop(name) for name in [*options] if name in WORDS}
    with pytest.raises(kind, match=said):
        projection(model(), design(**lists), **options)


def test_attributes_with_one_mean_have_no_axis() -> None:
    emb = Embeddings.from_dict({"x": [1, 0], "z": [0, 1], "a": [1, 2], "b": [2, 1], "c": [2, 1], "d": [1, 2]})
    with pytest.raises(EvidenceError, match="no axis between them"):
        projection(emb, Design(name="d", x=["x", "z"], a=["a", "b"], b=["c", "d"]))
    same = Embeddings(list("xzabcd"), [[1, 0], [0, 1], [1, 2], [2, 1], [1, 2], [2, 1]])
    with pytest.raises(EvidenceError, match="the words of each pair have the same vector"):
        projection(same, Design(name="d", x=["x", "z"], a=["a", "b"], b=["c", "d"]), axis="pairs")


def test_pairs_without_a_common_direction_have_no_p() -> None:
    """Pairs differ most along one dimension, each the other way round: its sign says nothing."""
    rng = np.random.default_rng(3)
    words = {key: [f"{key}{i}" for i in range(8)] for key in "xyab"}
    vectors = 0.1 * rng.normal(size=(32, 20))
    vectors[:8, 0] += 1  # the targets differ along it
    vectors[16:24, 0] += np.tile([1, -1], 4)
    emb = Embeddings([word for some in words.values() for word in some], vectors)
    found = projection(emb, Design(name="mixed", **words), axis="pairs").crossed  # type: ignore[arg-type]
    assert found.pvalue is None
    assert found.reason == "the pairs do not agree on a direction of the axis, so that its sign is chance"
    vectors[16:24, 0] = np.abs(vectors[16:24, 0])
    same = Embeddings(emb.labels, vectors)
    agreed = projection(same, Design(name="one way", **words), axis="pairs").crossed  # type: ignore[arg-type]
    assert agreed.pvalue is not None
    assert agreed.pvalue < 0.001

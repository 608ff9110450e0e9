"""WEFAT score tables against a naive transcription of the formula."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads import Embeddings
from crossroads.core.errors import CrossroadsError, InputError, MissingStimuliError
from crossroads.intersections.wefat import ScoreTable
from crossroads.stats import wefat
from tests.words.measures.plain import cosine, mean, sd

Key = tuple[str, ...]
Groups = dict[Key, list[str]]


def world(
    shape: tuple[int, ...], sizes: list[int], dim: int, seed: int, *, kind: Any = np.float64, n_words: int = 5
) -> tuple[Embeddings, Groups, list[str]]:
    """Random vectors with a common direction for a crossing of categories; sizes are cycled over."""
    rng = np.random.default_rng(seed)
    groups: Groups = {}
    for i, place in enumerate(product(*(range(n) for n in shape))):
        key = tuple(f"c{c}v{value}" for c, value in enumerate(place))
        groups[key] = [f"{'.'.join(key)}#{k}" for k in range(sizes[i % len(sizes)])]
    words = [f"w{i}" for i in range(n_words)]
    labels = [name for names in groups.values() for name in names] + words
    vectors = rng.normal(size=(len(labels), dim)) + 0.5 * rng.normal(size=dim)
    return Embeddings(labels, vectors.astype(kind)), groups, words


def naive(emb: Embeddings, word: str, first: list[str], second: list[str], ddof: int = 1) -> float:
    """s(w, G, H): difference of the mean cosines over their standard deviation, name by name."""
    g = [cosine(emb[word], emb[name]) for name in first]
    h = [cosine(emb[word], emb[name]) for name in second]
    return (mean(g) - mean(h)) / sd(g + h, ddof)


SHAPES = [(3,), (2, 2), (3, 2), (2, 2, 2), (4, 3)]


@settings(deadline=None, max_examples=30)
@given(
    shape=st.sampled_from(SHAPES),
    sizes=st.lists(st.integers(2, 5), min_size=1, max_size=4),
    dim=st.integers(3, 20),
    seed=st.integers(0, 10_000),
    kind=st.sampled_from([np.float64, np.float32]),
    ddof=st.sampled_from([0, 1]),
    data=st.data(),
)
def test_every_pair_and_every_constituent_equals_the_formula(
    shape: tuple[int, ...], sizes: list[int], dim: int, seed: int, kind: Any, ddof: int, data: st.DataObject
) -> None:
    emb, groups, words = world(shape, sizes, dim, seed, kind=kind)
    target = data.draw(st.sampled_from(list(groups)))
    result = wefat(emb, groups, words, target, ddof=ddof)
    label = " / ".join(target)
    pairs = {f"{label} vs {' / '.join(key)}": names for key, names in groups.items() if key != target}
    assert list(result.pairs) == list(pairs)
    for pair, rivals in pairs.items():
        for word in words:
            expected = naive(emb, word, groups[target], rivals, ddof)
            assert result.pairs[pair][word] == pytest.approx(expected, rel=1e-10, abs=1e-10)
    expected_names = []
    for c, value in enumerate(target):
        mine = [name for key, names in groups.items() if key[c] == value for name in names]
        for other in (f"c{c}v{i}" for i in range(shape[c])):
            if other == value:
                continue  # no subcategory is set against itself
            theirs = [name for key, names in groups.items() if key[c] == other for name in names]
            expected_names.append(f"{value} vs {other}")
            for word in words:
                expected = naive(emb, word, mine, theirs, ddof)
                found = result.constituents[expected_names[-1]][word]
                assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert list(result.constituents) == expected_names


def test_the_length_of_vectors_does_not_matter() -> None:
    emb, groups, words = world((3, 2), [3], 10, 6)
    # squares of the longest and shortest leave the range of floats
    lengths = 10.0 ** np.random.default_rng(0).uniform(-300, 300, size=(len(emb), 1))
    scaled = Embeddings(emb.labels, emb.vectors * lengths)
    target = ("c0v0", "c1v0")
    one, other = wefat(emb, groups, words, target), wefat(scaled, groups, words, target)
    assert other.pair_scores == pytest.approx(one.pair_scores, rel=1e-9)
    assert other.constituent_scores == pytest.approx(one.constituent_scores, rel=1e-9)


def test_categories_with_the_same_subcategories_are_kept_apart() -> None:
    # Income and rank are both high or low: two constituents, not one that overwrites the other.
    emb, groups, words = world((2, 2), [3, 4], 8, 1)
    keys = [("high", "high"), ("high", "low"), ("low", "high"), ("low", "low")]
    renamed = dict(zip(keys, groups.values(), strict=True))
    one = wefat(emb, groups, words, ("c0v0", "c1v0"))
    other = wefat(emb, renamed, words, ("high", "high"))
    assert other.constituent_names == ("high vs low (category 1)", "high vs low (category 2)")
    assert np.array_equal(other.constituent_scores, one.constituent_scores)


def test_the_whole_vocabulary_without_names_and_zeros_equals_word_by_word() -> None:
    emb, groups, words = world((3, 2), [3], 8, 4, n_words=30, kind=np.float32)
    rows = [*range(10), *range(len(emb) - 20, len(emb)), *range(10, len(emb) - 20)]  # names not in one block
    shuffled = Embeddings(
        [*(emb.labels[i] for i in rows), "zero"], np.concatenate([emb.vectors[rows], np.zeros((1, 8))])
    )
    every = wefat(shuffled, groups, "*", ("c0v0", "c1v0"))
    assert sorted(every.words) == sorted(words)
    some = words[:7]
    single = wefat(shuffled, groups, np.array([*some, *some]), ("c0v0", "c1v0"))  # each is scored once
    assert list(single.words) == some
    at = [every.words.index(word) for word in some]
    assert every.pair_scores[:, at] == pytest.approx(single.pair_scores, rel=1e-12, abs=1e-12)
    assert every.constituent_scores[:, at] == pytest.approx(single.constituent_scores, rel=1e-12, abs=1e-12)


def test_a_vocabulary_of_several_chunks_is_scored_as_a_whole() -> None:
    emb, groups, words = world((2, 2), [2], 4, 4, n_words=9000)
    every = wefat(emb, groups, "*", ("c0v0", "c1v0"))
    some = [0, 8190, 8191, 8192, 8999]
    single = wefat(emb, groups, [words[i] for i in some], ("c0v0", "c1v0"))
    assert every.words == tuple(words)
    assert every.pair_scores[:, some] == pytest.approx(single.pair_scores, rel=1e-10)


def test_names_found_under_another_spelling_are_left_out_of_the_vocabulary_too() -> None:
    emb, groups, words = world((2, 2), [3], 8, 4)
    lower = Embeddings([label.lower() for label in emb.labels], emb.vectors, fallback="lower")
    upper = {key: [name.upper() for name in names] for key, names in groups.items()}
    result = wefat(lower, upper, "*", ("c0v0", "c1v0"))
    assert result.words == tuple(words)
    assert result.coverage is not None
    assert len(result.coverage.respelled) == 12


def test_a_score_table_is_a_mapping_of_pair_to_word_to_score() -> None:
    table = ScoreTable.of({"p": {"v": 1, "w": 2}, "q": {"w": 4, "v": 3}}, "pairs")
    assert table.scores.tolist() == [[1, 2], [3, 4]]
    assert (list(table), len(table), table["q"], "p" in table) == (["p", "q"], 2, {"v": 3.0, "w": 4.0}, True)
    assert ScoreTable.of(table, "pairs") is table
    with pytest.raises(KeyError):
        table["r"]


def test_missing_names_and_words_are_refused_or_dropped_with_their_reasons() -> None:
    emb, groups, words = world((2, 2), [3], 8, 4)
    vectors = np.array(emb.vectors)
    vectors[emb.labels.index("w1")] = 0
    holey, target = Embeddings(emb.labels, vectors), ("c0v0", "c1v0")
    asked = {key: [*names, "nobody"] if key == target else names for key, names in groups.items()}
    with pytest.raises(MissingStimuliError) as error:
        wefat(holey, asked, [*words, "nothing"], target)
    assert error.value.missing == {
        "nobody": "not in the vocabulary",
        "nothing": "not in the vocabulary",
        "w1": "zero vector",
    }
    result = wefat(emb, asked, ["nothing", *words], target, missing="drop")
    assert np.array_equal(result.pair_scores, wefat(emb, groups, words, target).pair_scores)
    assert result.coverage is not None
    assert result.coverage.dropped["words"] == {"nothing": "not in the vocabulary"}
    assert result.coverage.dropped["c0v0 / c1v0"] == {"nobody": "not in the vocabulary"}


EMB, GROUPS, CANDIDATES = world((2, 2), [3], 8, 4)
# one word at a right angle to all others
APART = Embeddings(
    [*EMB.labels, "apart"], np.concatenate([np.pad(EMB.vectors, [(0, 0), (0, 1)]), np.eye(9)[8:]])
)
LOST = {**GROUPS, ("c0v1", "c1v1"): [GROUPS["c0v1", "c1v1"][0], "nobody", "noone"]}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"words": []}, "no candidate words"),
        ({"words": "w1"}, "one string, 'w1'"),
        ({"words": ["no", "such"], "missing": "drop"}, "words has 0 of 2"),
        ({"words": "*", "emb": Embeddings(EMB.labels[:12], EMB.vectors[:12])}, "nothing but the names"),
        ({"groups": LOST, "missing": "drop"}, r"c0v1 / c1v1 has 1 of 3"),
        ({"emb": APART, "words": ["apart"]}, "the cosines of 'apart' with all names"),
    ],
)
def test_what_cannot_be_scored_gets_a_sentence(changed: dict[str, Any], says: str) -> None:
    given: dict[str, Any] = {"emb": EMB, "groups": GROUPS, "words": CANDIDATES, "target": ("c0v0", "c1v0")}
    emb, groups, words, target = ((given | changed)[name] for name in given)
    options: dict[str, Any] = {name: value for name, value in changed.items() if name not in given}
    with pytest.raises(CrossroadsError, match=says):
        wefat(emb, groups, words, target, **options)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({}, "contains no pair"),
        ({"p": {}}, "scores no words"),
        ({"p": {"v": float("inf")}}, "nan or infinite"),
        ({"p": {"v": 1.0}, "q": {"w": 1.0}}, "'q' scores other words .* 'v' and 'w'"),
    ],
)
def test_what_is_no_table_of_scores_is_refused(table: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        ScoreTable.of(table, "pairs")

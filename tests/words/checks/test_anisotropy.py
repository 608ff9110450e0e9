"""Anisotropy and corrections: definitions over all pairs, known spaces, and what is recorded and refused."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

import crossroads as cr
from crossroads.core.errors import CrossroadsWarning, EvidenceError, InputError
from crossroads.core.inference.geometry import unit
from crossroads.stats import anisotropy
from crossroads.words.checks.corrections import (
    AS_IT_IS,
    CORRECTIONS,
    corrected,
    corrections,
    effective_rank,
    measured_anisotropy,
)

DESIGN = cr.catalog("weat7")


def named(vectors: Any, **more: Any) -> cr.Embeddings:
    return cr.Embeddings([f"w{i}" for i in range(len(vectors))], vectors, **more)


def stimuli(shift: float = 0.0, dim: int = 12, seed: int = 1) -> cr.Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(len(DESIGN.words), dim))
    return cr.Embeddings(DESIGN.words, vectors + shift * np.eye(dim)[0])


@given(st.integers(2, 12), st.integers(1, 6), st.floats(-2, 2), st.integers(0, 99))
def test_mean_cosine_and_contributions_are_those_of_a_loop_over_pairs(
    n: int, dim: int, shift: float, seed: int
) -> None:
    vectors = np.random.default_rng(seed).normal(size=(n, dim)) + shift
    found, units = measured_anisotropy(named(vectors)), unit(vectors)
    products = np.array([one * other for one, other in combinations(units, 2)])
    assert found.mean_cosine == pytest.approx(products.sum(axis=1).mean(), abs=1e-12)
    strongest = np.sort(products.mean(axis=0))[::-1][:3]
    np.testing.assert_allclose(list(found.rogue.values()), strongest, atol=1e-12)
    assert 1 - 1e-9 <= found.effective_rank <= min(n, dim) + 1e-9


def test_a_rogue_dimension_is_found_named_and_warned_of_once() -> None:
    # Unit normals plus 10 in dimension 7 of 20: 100 of a squared length of about 119, so the mean cosine is
    # about 100 / 119, all of it from dimension 7.
    even = np.random.default_rng(5).normal(size=(2000, 20))
    with pytest.warns(CrossroadsWarning, match=r"random words have a mean cosine of 0\.84") as caught:
        found = anisotropy(named(even + 10 * np.eye(20)[7]))
    assert len(caught) == 1
    assert found.mean_cosine == pytest.approx(100 / 119, abs=0.01)
    assert next(iter(found.rogue)) == "7"
    assert found.rogue_share == pytest.approx(1, abs=0.01)
    # ranks of dimensions keep the largest one the largest: that correction cannot undo it all
    assert abs(found.corrected["standardise"]) < 0.01 and abs(found.corrected["all-but-the-top"]) < 0.01
    assert found.corrected["rank"] < 0.2
    plain = anisotropy(named(even))
    assert abs(plain.mean_cosine) < 0.005 and plain.rogue_share is None and not plain.high
    assert plain.effective_rank == pytest.approx(20, abs=0.2)


def test_effective_rank_of_known_singular_values() -> None:
    # shares ½, ¼, ¼: entropy 1.5 bits, so 2^1.5 directions
    assert effective_rank(np.diag([2.0, 1.0, 1.0])) == pytest.approx(2**1.5)
    assert effective_rank(np.ones((5, 3))) == pytest.approx(1)


def test_the_words_are_those_of_the_pool_with_a_vector_or_one_context_each() -> None:
    vectors = np.random.default_rng(5).normal(size=(40, 5))
    vectors[:10] = 0
    few = measured_anisotropy(named(vectors))
    assert (few.over, few.words) == ("stimuli", 30)
    with pytest.raises(EvidenceError, match="pairs of words"):
        anisotropy(named(vectors[:11]))
    pooled = measured_anisotropy(stimuli().with_pool(named(np.random.default_rng(5).normal(size=(1500, 12)))))
    assert (pooled.over, pooled.words) == ("pool", 1500)
    contexts = {f"w{i}": np.random.default_rng(5).normal(size=(3, 4)) + 5 for i in range(50)}
    found = measured_anisotropy(cr.Contexts.from_dict(contexts))
    assert (found.over, found.words) == ("contexts", 50)
    assert found.high and not found.corrected


def test_rank_turns_cosines_into_spearman_correlations() -> None:
    vectors = np.round(np.random.default_rng(5).normal(size=(6, 15)), 1)  # with ties
    units = unit(corrected(named(vectors), "rank").vectors)
    np.testing.assert_allclose(units @ units.T, spearmanr(vectors, axis=1).statistic, atol=1e-12)


def test_standardised_dimensions_have_mean_0_and_deviation_1_over_the_pool() -> None:
    pool = named(np.random.default_rng(5).normal(3, 2, size=(1200, 7)))
    emb = stimuli(dim=7).with_pool(pool)
    found = corrected(emb, "standardise")
    assert found.pool is not None
    np.testing.assert_allclose(found.pool.vectors.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found.pool.vectors.std(axis=0), 1)
    mean, deviation = pool.vectors.mean(axis=0), pool.vectors.std(axis=0)
    np.testing.assert_allclose(found.vectors, (emb.vectors - mean) / deviation)


def test_all_but_the_top_removes_the_mean_and_one_direction_per_hundred_dimensions() -> None:
    vectors = np.random.default_rng(5).normal(size=(400, 299)) * np.linspace(3, 1, 299) + 2
    found = corrected(named(vectors), "all-but-the-top").vectors
    assert np.linalg.matrix_rank(found) == 297  # 299 // 100 = 2 are gone
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-10)
    small = corrected(named(vectors[:, :50]), "all-but-the-top").vectors
    assert np.linalg.matrix_rank(small) == 49  # at least one


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_correction_is_recorded_and_words_without_a_vector_stay_without(correction: Any) -> None:
    vectors = np.random.default_rng(5).normal(size=(30, 8)).astype(np.float32) + 4
    vectors[3] = 0
    emb = named(vectors, fallback="lower", ranks=range(1, 31))
    found = corrected(emb, correction)
    assert not found.vectors[3].any() and found.vectors.dtype == np.float32
    assert found.provenance.details["correction"] == correction
    assert (found.labels, found.fallback, found.ranks) == (emb.labels, emb.fallback, emb.ranks)
    assert found.pool is found
    with pytest.raises(InputError, match="corrected already"):
        corrected(found, "rank")


def test_corrections_of_tests_equal_tests_of_corrected_vectors() -> None:
    emb = stimuli(shift=6.0)
    found = corrections(emb, DESIGN)
    for name in (AS_IT_IS, *CORRECTIONS):
        test = cr.weat(emb if name == AS_IT_IS else corrected(emb, name), DESIGN)  # type: ignore[arg-type]
        assert found.effect_sizes["weat7"][name] == pytest.approx(test.effect_size)
        assert found.differences["weat7"][name] == pytest.approx(test.crossed.difference)
        assert found.pvalues["weat7"][name] == pytest.approx(test.crossed.pvalue)


def test_an_association_in_one_rogue_dimension_is_seen_to_depend_on_the_correction() -> None:
    # Targets and attributes differ in dimension 0 alone, which is five times as large as the others: the
    # test finds little else, and standardising leaves one dimension among forty.
    rng = np.random.default_rng(3)
    vectors = {w: 20 * rng.normal(size=40) for w in DESIGN.words}
    for key, side in (("x", 1), ("a", 1), ("y", -1), ("b", -1)):
        for word in DESIGN.sets[key]:
            vectors[word][0] = 100 * side + rng.normal(0, 40)
    pool = named(rng.normal(size=(1000, 40)) * np.array([100, *[20] * 39]))
    found = corrections(cr.Embeddings.from_dict(vectors).with_pool(pool), [DESIGN])
    assert found.changed == ("weat7",)
    assert "depends on the correction in weat7" in found._table().notes[0]


def test_tests_that_cannot_be_measured_are_listed_or_raise() -> None:
    single = cr.Design(name="single", x=DESIGN.x, a=DESIGN.a, b=DESIGN.b)
    found = corrections(stimuli(), [DESIGN, single, cr.catalog("weat1")], missing="drop")
    assert list(found.effect_sizes) == ["weat7"]
    assert set(found.skipped) == {"single", "weat1"}
    with pytest.raises(InputError, match="single target"):
        corrections(stimuli(), single)
    with pytest.raises(EvidenceError, match="none of the 1 tests"):
        corrections(stimuli(), [single])
    rows = np.repeat(np.random.default_rng(1).normal(size=(4, 6)), 8, axis=0)  # sets of equal words
    alike = corrections(cr.Embeddings(DESIGN.words, rows), [DESIGN])
    assert set(alike.pvalues["weat7"].values()) == {None}
    assert alike.changed == ()
    assert alike._table().notes[0].endswith("the words of each set do not differ: weat7.")


def test_wrong_kinds_get_a_plain_error() -> None:
    contexts = cr.Contexts.from_dict({"a": np.eye(2), "b": np.eye(2)})
    with pytest.raises(InputError, match="of type Contexts"):
        corrected(contexts, "rank")  # type: ignore[arg-type]
    with pytest.raises(EvidenceError, match="vectors of 1 word"):
        corrected(named([[1.0, 2.0]]), "standardise")
    flat = {word: np.eye(5)[i % 5] + i for i, word in enumerate(DESIGN.words)} | {DESIGN.x[0]: np.ones(5)}
    with pytest.raises(EvidenceError, match="no direction left after the correction 'rank'"):
        corrections(cr.Embeddings.from_dict(flat), DESIGN)

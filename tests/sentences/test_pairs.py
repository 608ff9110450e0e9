"""Preferences between two sentences: counts, clusters, categories, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossroads as cr
from crossroads.sentences.evidence import ScoredItem, SentenceScores
from crossroads.sentences.material import SentenceItem
from crossroads.sentences.pairs import contrast_and_frame, sentence_pairs

Texts = Sequence[tuple[str, str]]


def scored(differences: Sequence[float], sentences: Texts | None = None, **columns: Any) -> SentenceScores:
    """Pairs whose scores differ as given; columns hold one value per pair."""
    items = []
    for i, one in enumerate(differences):
        row = {key: some[i] for key, some in columns.items()}
        item = SentenceItem(
            sentences=sentences[i] if sentences else (f"Women do {i}.", f"Men do {i}."),
            category=row.pop("category", ""),
            direction=row.pop("direction", ""),
            columns=row,
        )
        items.append(ScoredItem(item=item, totals=(one - 5.0, -5.0), tokens=(3, 3)))
    return SentenceScores(name="mine", kind="pairs", score="pll", items=tuple(items))


def test_counts_ties_and_the_sign_test() -> None:
    # without known errors, scores of 5 count as rounded to 32 bits: 2 · 5 · 2^-23 is 1.2e-6
    result = sentence_pairs(scored([1, 2, 3, -1, 0, 1e-6]), cluster=None)
    one = result.overall
    assert (one.pairs, one.preferred, one.ties) == (6, 3, 2)
    assert one.share == 0.5  # ties count as pairs, as published
    assert one.sign_pvalue == pytest.approx(0.625)  # 2 (1 + 4) / 16: three of four
    assert one.pvalue == one.sign_pvalue
    assert one.difference == pytest.approx(5.000001 / 6)


def test_small_differences_count_where_rounding_is_smaller() -> None:
    # AULA: weights of attention make log-probabilities, and their differences, small
    small = (2e-5, 5e-5, 9e-5, -2e-5, -7e-5)
    items = [replace(one, totals=(-2.0 + 3 * d, -2.0)) for one, d in zip(scored([0] * 5), small, strict=True)]
    scores = replace(scored([0]), score="aula", items=tuple(items))
    found = sentence_pairs(scores, cluster=None)
    assert (found.overall.preferred, found.overall.ties) == (3, 0)
    errors = [replace(one, rounding=(3 * 2.4e-5, 3 * 1e-6)) for one in items]
    rounded = sentence_pairs(replace(scores, items=tuple(errors)), cluster=None)
    assert (rounded.overall.preferred, rounded.overall.ties) == (2, 2)


@settings(max_examples=50)
@given(st.lists(st.floats(-50, 0, width=32), min_size=2, max_size=40), st.integers(0, 2**32 - 1))
def test_the_same_numbers_in_another_order_are_a_tie(logs: list[float], seed: int) -> None:
    # sums of float32 numbers: whatever their order rounds away is a tie, also of sums close to 0
    order = np.random.default_rng(seed).permutation(len(logs))
    sums = [float(np.array(some, np.float64).sum()) for some in (logs, np.array(logs)[order])]
    item = replace(scored([0]).items[0], totals=tuple(sums), tokens=(len(logs), len(logs)))
    assert sentence_pairs(replace(scored([0]), items=(item,)), cluster=None).overall.ties == 1


def test_pairs_that_contrast_the_same_words_count_once() -> None:
    # nine pairs on women and men, and one on each of two others: 9 + 1 + 1, of 2^3 flips 2 are as far
    texts = [(f"Women do {i}.", f"Men do {i}.") for i in range(9)] + [
        ("Old a.", "Young a."),
        ("Poor b.", "Rich b."),
    ]
    one = sentence_pairs(scored([1.0] * 11, texts)).overall
    assert one.sign_pvalue == pytest.approx(2 / 2**11)
    assert one.pvalue == one.min_pvalue == pytest.approx(2 / 2**3)
    assert (one.clusters, one.largest) == ((3, 11), 9)
    assert (one.low, one.high) == (None, None)  # with three clusters nothing is rejected


def test_a_column_or_two_say_what_pairs_share() -> None:
    rng = np.random.default_rng(0)
    values, writers = rng.normal(0.4, 1, 40).tolist(), [f"w{i % 8}" for i in range(40)]
    scores = scored(values, writer=writers, topic=[f"t{i // 5}" for i in range(40)])
    one = sentence_pairs(scores, cluster="writer")
    assert (one.cluster, one.overall.clusters) == (("writer",), (8,))
    both = sentence_pairs(scores, cluster=["writer", "topic"])
    assert both.overall.clusters == (8, 8)
    assert both.overall.pvalue >= one.overall.pvalue
    for cluster, why in (("writr", "unknown column 'writr'"), (["writer", "topic", "frame"], "cluster is")):
        with pytest.raises(cr.InputError, match=why):
            sentence_pairs(scores, cluster=cluster)
    with pytest.raises(TypeError, match="the scores are"):
        cr.sentence_test([1, 2])  # type: ignore[arg-type]
    assert cr.sentence_test(scores, cluster="writer").to_dict() == one.to_dict()


def test_swapped_sentences_turn_everything_round_and_the_order_of_rows_changes_no_count() -> None:
    scores = scored(np.random.default_rng(1).normal(0.3, 1, 30).tolist())
    turned = [
        replace(one, item=replace(one.item, sentences=one.item.sentences[::-1]), totals=one.totals[::-1])
        for one in scores
    ]
    mixed = [scores.items[i] for i in np.random.default_rng(0).permutation(30)]
    a, b, c = (
        sentence_pairs(replace(scores, items=tuple(items)), cluster="frame").overall
        for items in (scores.items, turned, mixed)
    )
    assert b.share == pytest.approx(1 - a.share)
    assert b.difference == pytest.approx(-a.difference)
    assert (a.pvalue, a.sign_pvalue) == (b.pvalue, b.sign_pvalue) == (c.pvalue, c.sign_pvalue)
    assert a.low is not None
    assert b.high == pytest.approx(1 - a.low, abs=0.02)  # flips are drawn
    assert c.share == a.share


def test_categories_are_adjusted_and_directions_apart() -> None:
    values, categories = [1.0] * 12 + [-1.0, 1.0] * 4, ["a"] * 12 + ["b"] * 8
    scores = scored(values, category=categories, direction=["stereo", "antistereo"] * 10)
    result = sentence_pairs(scores, cluster=None)
    assert {name: one.share for name, one in result.categories.items()} == {"a": 1.0, "b": 0.5}
    assert result.adjusted["bh"] == pytest.approx((4 / 2**12, 1.0))  # twice the p of the first
    assert {name: one.pairs for name, one in result.directions.items()} == {"stereo": 10, "antistereo": 10}
    assert [one.status for one in result._conclusions("x")] == ["holds", "holds", "unknown"]
    # all on women and men: one cluster, which says nothing of others
    alone = sentence_pairs(scores)
    these, other, *rest = cr.checks(alone).tests["mine pll"]
    assert (these.answer, other.answer, other.value) == ("yes", "cannot tell", 1.0)
    assert {one.answer for one in rest} == {"not asked"}
    assert next(iter(alone._conclusions("x"))).status == "unknown"
    assert "Blodgett et al. (2021)" in alone._table().notes[0]


@pytest.mark.parametrize(
    ("sentences", "contrast", "frame"),
    [
        (("Women can't drive.", "Men can't DRIVE!"), "men / women", "_ can't drive"),
        (("He told his boss.", "She told her boss."), "he his / she her", "_ told _ boss"),
        (("Poor people.", "People."), " / poor", "_ people"),
        (("女人做饭。", "男人做饭。"), "女 / 男", "_ 人 做 饭 。"),
    ],
)
def test_contrast_and_frame(sentences: tuple[str, str], contrast: str, frame: str) -> None:
    for order in (sentences, sentences[::-1]):
        one = ScoredItem(item=SentenceItem(sentences=order), totals=(0.0, 0.0), tokens=(1, 1))
        assert contrast_and_frame(one) == (contrast, frame)

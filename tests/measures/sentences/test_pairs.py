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
from crossroads.evidence.sentences import ScoredItem, SentenceScores
from crossroads.measures.sentences.preference import contrast_and_frame
from crossroads.stimuli.files.sentences import SentenceItem

SMALL = (2e-5, 5e-5, 9e-5, -2e-5, -7e-5)


def scored(
    differences: Sequence[float], sentences: Sequence[tuple[str, str]] | None = None, **columns: Any
) -> SentenceScores:
    """Pairs whose scores differ as given; columns hold one value per pair."""
    texts = sentences or [(f"Women do {i}.", f"Men do {i}.") for i in range(len(differences))]
    items = [
        ScoredItem(
            item=SentenceItem(
                sentences=texts[i],
                category=columns.get("category", [""] * len(texts))[i],
                direction=columns.get("direction", [""] * len(texts))[i],
                columns={
                    key: some[i] for key, some in columns.items() if key not in ("category", "direction")
                },
            ),
            totals=(one - 5.0, -5.0),
            tokens=(3, 3),
        )
        for i, one in enumerate(differences)
    ]
    return SentenceScores(name="mine", kind="pairs", score="pll", items=tuple(items))


def test_counts_ties_and_the_sign_test() -> None:
    # without known errors, scores of 5 count as rounded to 32 bits: 2 · 5 · 2^-23 is 1.2e-6
    result = cr.sentence_pairs(scored([1, 2, 3, -1, 0, 1e-6]), cluster=None)
    one = result.overall
    assert (one.pairs, one.preferred, one.ties) == (6, 3, 2)
    assert one.share == 0.5  # ties count as pairs, as published
    assert one.sign_pvalue == pytest.approx(0.625)  # 2 (1 + 4) / 16: three of four
    assert one.pvalue == one.sign_pvalue
    assert one.difference == pytest.approx(5.000001 / 6)
    assert result.conventions["cluster"] == "none"


def test_small_differences_count_where_rounding_is_smaller() -> None:
    # AULA: weights of attention make log-probabilities, and their differences, small
    items = [replace(one, totals=(-2.0 + 3 * d, -2.0)) for one, d in zip(scored([0] * 5), SMALL, strict=True)]
    scores = replace(scored([0]), score="aula", items=tuple(items))
    found = cr.sentence_pairs(scores, cluster=None)
    assert (found.overall.preferred, found.overall.ties) == (3, 0)
    errors = [replace(one, rounding=(3 * 2.4e-5, 3 * 1e-6)) for one in items]
    rounded = cr.sentence_pairs(replace(scores, items=tuple(errors)), cluster=None)
    assert (rounded.overall.preferred, rounded.overall.ties) == (2, 2)
    assert rounded.conventions["ties"] == "differences within the rounding errors of both scores"


@settings(max_examples=50)
@given(st.lists(st.floats(-50, 0, width=32), min_size=2, max_size=40), st.integers(0, 2**32 - 1))
def test_the_same_numbers_in_another_order_are_a_tie(logs: list[float], seed: int) -> None:
    # sums of float32 numbers: whatever their order rounds away is a tie, also of sums close to 0
    order = np.random.default_rng(seed).permutation(len(logs))
    sums = [float(np.array(some, np.float64).sum()) for some in (logs, np.array(logs)[order])]
    item = replace(scored([0]).items[0], totals=tuple(sums), tokens=(len(logs), len(logs)))
    assert cr.sentence_pairs(replace(scored([0]), items=(item,)), cluster=None).overall.ties == 1


def test_pairs_that_contrast_the_same_words_count_once() -> None:
    # nine pairs on women and men, and one on each of two others: 9 + 1 + 1, of 2^3 flips 2 are as far
    texts = [(f"Women do {i}.", f"Men do {i}.") for i in range(9)] + [
        ("Old a.", "Young a."),
        ("Poor b.", "Rich b."),
    ]
    one = cr.sentence_pairs(scored([1.0] * 11, texts)).overall
    assert one.sign_pvalue == pytest.approx(2 / 2**11)
    assert one.pvalue == one.min_pvalue == pytest.approx(2 / 2**3)
    assert (one.clusters, one.largest) == ((3, 11), 9)
    assert (one.low, one.high) == (None, None)  # with three clusters nothing is rejected


def test_a_column_or_two_say_what_pairs_share() -> None:
    rng = np.random.default_rng(0)
    values, writers = rng.normal(0.4, 1, 40).tolist(), [f"w{i % 8}" for i in range(40)]
    scores = scored(values, writer=writers, topic=[f"t{i // 5}" for i in range(40)])
    one = cr.sentence_pairs(scores, cluster="writer")
    assert (one.cluster, one.overall.clusters) == (("writer",), (8,))
    both = cr.sentence_pairs(scores, cluster=["writer", "topic"])
    assert both.overall.clusters == (8, 8)
    assert both.overall.pvalue >= one.overall.pvalue
    with pytest.raises(cr.InputError, match="unknown column 'writr'") as caught:
        cr.sentence_pairs(scores, cluster="writr")
    assert "writer" in str(caught.value.hint)
    with pytest.raises(cr.InputError, match="cluster is"):
        cr.sentence_pairs(scores, cluster=["writer", "topic", "frame"])


def test_swapping_sentences_turns_everything_round() -> None:
    values = np.random.default_rng(1).normal(0.3, 1, 30)
    scores = scored(values.tolist())
    turned = replace(
        scores,
        items=tuple(
            replace(one, item=replace(one.item, sentences=one.item.sentences[::-1]), totals=one.totals[::-1])
            for one in scores
        ),
    )
    a, b = (cr.sentence_pairs(one, cluster="frame").overall for one in (scores, turned))
    assert b.share == pytest.approx(1 - a.share)
    assert b.difference == pytest.approx(-a.difference)
    assert (b.pvalue, b.sign_pvalue) == (a.pvalue, a.sign_pvalue)
    assert a.low is not None
    assert b.high == pytest.approx(1 - a.low, abs=0.02)  # flips are drawn


def test_the_order_of_rows_changes_no_count() -> None:
    values = np.random.default_rng(2).normal(0.3, 1, 30).round(2)
    scores = scored(values.tolist(), category=[f"c{i % 3}" for i in range(30)])
    order = np.random.default_rng(0).permutation(30)
    mixed = replace(scores, items=tuple(scores.items[i] for i in order))
    a, b = cr.sentence_pairs(scores), cr.sentence_pairs(mixed)
    assert (a.overall.share, a.overall.pvalue) == (b.overall.share, b.overall.pvalue)
    for name, one in a.categories.items():
        assert (one.share, one.pvalue) == (b.categories[name].share, b.categories[name].pvalue)


def test_categories_are_adjusted_and_directions_apart() -> None:
    values = [1.0] * 12 + [-1.0, 1.0] * 4
    scores = scored(
        values,
        category=["a"] * 12 + ["b"] * 8,
        direction=["stereo", "antistereo"] * 10,
    )
    result = cr.sentence_pairs(scores, cluster=None)
    assert {name: one.share for name, one in result.categories.items()} == {"a": 1.0, "b": 0.5}
    assert result.adjusted["bh"] == pytest.approx((4 / 2**12, 1.0))  # twice the p of the first
    assert {name: one.pairs for name, one in result.directions.items()} == {"stereo": 10, "antistereo": 10}
    first, a, b = result.conclusions("x")
    assert (first.status, a.status, b.status) == ("holds", "holds", "absent")
    assert a.sentence == "In pairs on a, the model prefers sentences that stereotype more."
    assert b.sentence == "It was not found that in pairs on b, the model prefers either sentence."


def test_the_ladder_answers_for_these_items_and_for_others() -> None:
    result = cr.sentence_pairs(scored([1.0] * 12))  # all on women and men: one cluster
    these, other, *rest = cr.ladder(result).tests["mine pll"]
    assert (these.answer, other.answer, other.value) == ("yes", "no", 1.0)
    assert {one.answer for one in rest} == {"not asked"}
    (found,) = result.conclusions("x")
    assert found.status == "depends"
    assert "0 of 1 preference would be found" in cr.ladder(result).headline()


def test_known_flaws_are_said_wherever_the_number_is() -> None:
    result = cr.sentence_pairs(scored([1.0, -1.0]))
    assert "Blodgett et al. (2021)" in result.flaws[0]
    assert result.flaws[0] in result.table().notes


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


def test_other_scores_are_refused() -> None:
    with pytest.raises(TypeError, match="the scores are"):
        cr.sentence_pairs([1, 2])  # type: ignore[arg-type]
    with pytest.raises(cr.InputError, match="mine has pairs, not triples"):
        cr.sentence_triples(scored([1.0]))

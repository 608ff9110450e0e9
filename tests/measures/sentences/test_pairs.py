"""Preferences between two sentences: counts, clusters, categories, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence.sentences import ScoredItem, SentenceScores
from crossroads.measures.sentences.preference import contrast_and_frame
from crossroads.stimuli.files.sentences import SentenceItem


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
    result = cr.sentence_pairs(scored([1, 2, 3, -1, 0, 5e-5]), cluster=None)
    one = result.overall
    assert (one.pairs, one.preferred, one.ties) == (6, 3, 2)
    assert one.share == 0.5  # ties count as pairs, as published
    assert one.sign_pvalue == pytest.approx(0.625)  # 2 (1 + 4) / 16: three of four
    assert one.pvalue == one.sign_pvalue
    assert one.difference == pytest.approx(5.00005 / 6)
    assert result.conventions["cluster"] == "none"


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

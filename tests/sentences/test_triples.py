"""ss, lms and icat: against a plain transcription of the published evaluation, and their intervals."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.sentences.evidence import ScoredItem, SentenceScores
from crossroads.sentences.material import SentenceItem
from crossroads.sentences.pairs import cluster_names
from crossroads.sentences.score import Split, shared_places
from crossroads.sentences.triples import sentence_triples


def scored(values: Any, targets: list[str] | None = None, categories: str = "") -> SentenceScores:
    items = []
    for i, row in enumerate(values):
        item = SentenceItem(
            sentences=(f"s{i}", f"a{i}", f"u{i}"),
            category=categories[i : i + 1],
            columns={} if targets is None else {"target": targets[i]},
        )
        items.append(ScoredItem(item=item, totals=tuple(map(float, row)), tokens=(2, 2, 4)))
    return SentenceScores(name="mine", kind="triples", score="likelihood", items=tuple(items))


def published(values: Any, targets: list[str]) -> tuple[float, float, float]:
    """The mean over targets, as in the evaluation of StereoSet."""
    counts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for (pro, anti, unrelated), target in zip(values, targets, strict=True):
        counts[target][0] += pro > anti
        counts[target][1] += int(pro > unrelated) + int(anti > unrelated)
        counts[target][2] += 1
    ss = float(np.mean([100 * pro / total for pro, _, total in counts.values()]))
    lms = float(np.mean([100 * related / (2 * total) for _, related, total in counts.values()]))
    return ss, lms, lms * min(ss, 100 - ss) / 50


def test_scores_are_the_published_ones() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 3)) + np.array([0.4, 0.2, -0.8])
    targets = [f"t{int(i)}" for i in rng.integers(0, 9, 60)]
    one = sentence_triples(scored(values, targets)).overall
    assert (one.ss, one.lms, one.icat) == pytest.approx(published(values, targets))
    assert (one.triples, one.targets, one.ties) == (60, len(set(targets)), 0)
    for name in ("ss", "lms", "icat"):
        low, value, high = (getattr(one, key) for key in (f"{name}_low", name, f"{name}_high"))
        assert 0 <= low <= value <= high <= 100
    alone = sentence_triples(scored(values, targets), cluster=None).overall
    assert alone.ss == pytest.approx(100 * (values[:, 0] > values[:, 1]).mean())
    assert alone.targets == 60
    with pytest.raises(cr.InputError, match="unknown column 'targt'"):
        sentence_triples(scored(values, targets), cluster="targt")


def test_a_mean_over_tokens_may_turn_a_comparison() -> None:
    scores = scored([(-4.0, -5.0, -6.0)] * 3)  # per token -2, -2.5, -1.5
    assert sentence_triples(scores).overall.lms == 100
    assert sentence_triples(scores, per="token").overall.lms == 0


def test_targets_and_not_triples_are_drawn() -> None:
    values = [(1.0, 0.0, -1.0)] * 40
    one = sentence_triples(scored(values, ["a", "b"] * 20)).overall
    assert one.sign_pvalue == pytest.approx(2 / 2**40)
    assert one.pvalue == 0.5  # two targets: two of four flips
    assert one.ss_low is None


def test_categories_are_adjusted_and_said() -> None:
    values = [(1.0, 0.0, -1.0)] * 10 + [(0.0, 1.0, -1.0)] * 10
    result = sentence_triples(scored(values, categories="x" * 10 + "y" * 10))
    assert result.adjusted["bh"] == pytest.approx((2 / 2**10, 2 / 2**10))
    first, x, y = result._conclusions("")
    assert first.status == "unknown"
    assert x.sentence.endswith("the model prefers sentences that stereotype more.")
    assert y.sentence.endswith("the model prefers sentences that stereotype less.")


def test_triples_share_their_target_and_nothing_else_that_a_file_says() -> None:
    item = SentenceItem(sentences=("s", "a", "u"), columns={"author": "x", "target": "nurse"})
    assert cluster_names([item], "triples", "auto") == ("target",)


def test_places_that_sentences_share_may_lie_elsewhere_in_each() -> None:
    first, second = Split((1, 2, 3), (0, 1, 2)), Split((9, 1, 2, 3), (0, 1, 2, 3))
    assert shared_places([first, second]) == [(0, 1, 2), (1, 2, 3)]

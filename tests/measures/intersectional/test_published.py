"""IBD and EIBD against the published shares and points of the paper."""

from __future__ import annotations

from typing import Any

import pytest

from crossroads import catalog, eibd, ibd

PUBLISHED_CHANCE = {
    ("female", "biases"): 13.3,
    ("male", "biases"): 13.3,
    ("African American", "biases"): 12.2,
    ("AF", "emergent"): 9.2,
    ("AF", "intersectional"): 14.3,
    ("AM", "emergent"): 3.1,
    ("AM", "intersectional"): 13.3,
    ("European American", "biases"): 15.3,
    ("EF", "emergent"): 1.0,
    ("EF", "intersectional"): 14.3,
    ("EM", "emergent"): 3.1,
    ("EM", "intersectional"): 15.3,
    ("Mexican American", "biases"): 14.3,
    ("MF", "emergent"): 6.1,
    ("MF", "intersectional"): 13.3,
    ("MM", "emergent"): 4.1,
    ("MM", "intersectional"): 15.3,
    ("random", "random"): 25.5,
}
"""Section 9.5: the random chance of correct classification of each list, in per cent."""


@pytest.mark.reference
@pytest.mark.parametrize(("category", "kind"), list(PUBLISHED_CHANCE))
def test_chance_is_the_papers_and_detecting_nothing_is_right_in_all_other_cases(
    category: str, kind: str
) -> None:
    lists = catalog("ceat-validation")
    assert {(c, k) for c, kinds in lists.items() for k in kinds} == set(PUBLISHED_CHANCE)
    scores = dict.fromkeys(lists.all_words, 0.0)
    result = ibd({"p": scores}, threshold=0.0, truth=lists[category][kind], resamples=2)
    assert result.chance is not None
    assert round(100 * result.chance, 1) == PUBLISHED_CHANCE[category, kind]
    assert result.absent == result.words == ()
    assert result.accuracy == result.baseline == pytest.approx(1 - result.chance)
    assert result.auc == 0.5  # all scores are equal


POINTS = [
    # group, kind, true words detected, of, others detected, of, printed accuracy in per cent
    ("AF", "ibd", 5, 14, 9, 84, 81.6),
    ("MF", "ibd", 5, 13, 9, 85, 82.7),
    ("AF", "eibd", 4, 9, 10, 89, 84.7),
    ("MF", "eibd", 5, 6, 33, 92, 65.3),
]


@pytest.mark.reference
@pytest.mark.parametrize(("group", "kind", "hits", "positives", "alarms", "negatives", "printed"), POINTS)
def test_the_published_points_are_consistent_and_all_below_detecting_nothing(
    group: str, kind: str, hits: int, positives: int, alarms: int, negatives: int, printed: float
) -> None:
    # (hits + others left alone) / 98: 80, 81, 83 and 64 of 98. Detecting nothing at all would be right in
    # 84, 85, 89 and 92 cases, so every published accuracy is below that baseline.
    lists = catalog("ceat-validation")
    truth = list(lists[group]["intersectional" if kind == "ibd" else "emergent"])
    others = [w for w in lists.all_words if w not in truth]
    assert (len(truth), len(others)) == (positives, negatives)
    found = {*truth[:hits], *others[:alarms]}
    pairs = {"pair": {w: 1.0 if w in found or kind == "eibd" else 0.0 for w in lists.all_words}}
    constituents = {"parent": {w: 0.0 if w in found else 1.0 for w in lists.all_words}}
    options: dict[str, Any] = {"threshold": 0.5, "truth": truth, "resamples": 2}
    result = ibd(pairs, **options) if kind == "ibd" else eibd(pairs, constituents, **options)
    assert (result.intervals["tpr"].hits, result.intervals["fpr"].hits) == (hits, alarms)
    assert result.accuracy is not None
    assert result.baseline is not None
    assert round(100 * result.accuracy, 1) == printed
    assert result.baseline == negatives / 98
    assert result.accuracy < result.baseline

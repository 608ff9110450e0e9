"""Planned numbers of words: against the variance of the test itself, and what cannot be planned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import crossroads as cr
from crossroads.core.errors import CrossroadsError

SETS = {key: [f"{key}{i}" for i in range(8)] for key in "xyab"}
WORDS = [word for some in SETS.values() for word in some]
DESIGN = cr.Design(name="toy", **SETS)  # type: ignore[arg-type]


def model(seed: int = 0, apart: float = 0.6) -> cr.Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(32, 20))
    vectors[:8, 0] += apart
    vectors[16:24, 0] += 3 * apart
    return cr.Embeddings(WORDS, vectors)


def test_what_the_words_that_are_there_find_follows_from_the_test() -> None:
    found, tested = cr.plan(model(), DESIGN, power=0.9), cr.weat(model(), DESIGN).crossed
    assert min(tested.effective.values()) < 8  # some words are near copies of others
    assert cr.plan(model(), DESIGN).detectable == tested.detectable
    assert tested.se is not None
    assert tested.df is not None
    t = stats.t(tested.df)
    assert found.detectable == pytest.approx((t.ppf(0.975) + t.ppf(0.9)) * tested.se)
    assert (found.seen, found.difference) == pytest.approx((tested.difference, abs(tested.difference) / 2))
    assert found.sizes == dict.fromkeys("xyab", 8)


def test_more_words_are_needed_for_less_and_for_more_power() -> None:
    plans = [cr.plan(model(), DESIGN, difference=d).words for d in (0.4, 0.2, 0.1, 0.05)]
    assert None not in plans
    assert plans == sorted(plans)  # type: ignore[type-var]
    some, more = (cr.plan(model(), DESIGN, difference=0.2, power=power).words for power in (0.5, 0.95))
    assert some is not None and more is not None and some < more
    assert cr.plan(model(), DESIGN, difference=1e-6).words is None
    fewest = cr.plan(model(), DESIGN, difference=0.1)
    assert fewest.targets is not None and fewest.attributes is not None and fewest.words is not None
    assert fewest.targets + fewest.attributes <= 2 * fewest.words


def test_the_sets_that_vary_more_are_to_be_lengthened() -> None:
    rng = np.random.default_rng(3)
    for noisy, said in ((slice(0, 16), "targets"), (slice(16, 32), "attributes")):
        vectors = 0.05 * rng.normal(size=(32, 20))
        vectors[:16, 1] += 1  # all targets are alike but for what follows, and so are attributes
        vectors[16:, 1] += 1
        vectors[16:24, 0] += 1
        vectors[:8, 0] += 0.5
        vectors[noisy, 0] += rng.normal(size=16)
        assert cr.plan(cr.Embeddings(WORDS, vectors), DESIGN).lengthen == said


def test_a_plan_is_a_result_and_a_single_target_can_be_planned() -> None:
    found = cr.plan(model(), cr.Design(name="one", x=SETS["x"], a=SETS["a"], b=SETS["b"]), difference=0.1)
    assert found.sizes == dict.fromkeys("xab", 8)
    assert found.words is not None
    assert type(found).from_json(found.to_json()) == found
    assert found._headline().replace("\xa0", " ") in repr(found)
    assert str(found).startswith(found._headline())


def test_the_sentence_says_how_many_words_are_needed_and_which_first() -> None:
    design = cr.catalog("weat7")
    emb = cr.load("default", words=design.words)
    found = [cr.plan(emb, design, difference=d)._headline().replace("\xa0", " ") for d in (0.1, 0.2, 1e-5)]
    assert found == [
        "To find Δ = 0.1 in 80 % of cases, about 18 words per set are needed; lengthen the attributes first.",
        "To find Δ = 0.2 in 80 % of cases, about 7 words per set are needed; these are enough.",
        "To find Δ = 1e-05 in 80 % of cases, more than a million words per set are needed; "
        "lengthen the attributes first.",
    ]
    # near copies, such as he, him and his, need more words of the same kinds
    independent = cr.plan(emb, design, difference=0.1, words="independent")
    assert (independent.words, cr.plan(emb, design, difference=0.1).words) == (10, 18)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0}, "difference is 0"),
        ({"difference": "much"}, "difference is 'much'"),
        ({"power": 1}, "power is 1"),
        ({"power": 80}, "power is 80"),
    ],
)
def test_what_cannot_be_planned_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CrossroadsError, match=message):
        cr.plan(model(), DESIGN, **options)

"""The ladder: its answers, and the sentence that says first what was found."""

from __future__ import annotations

from typing import Any

import numpy as np

import crossroads as cr


def world(lean: float, seed: int = 0) -> tuple[cr.Embeddings, cr.Design]:
    rng, sets = np.random.default_rng(seed), {key: [f"{key}{i}" for i in range(8)] for key in "xyab"}
    middle = {"x": lean, "y": -lean, "a": lean, "b": -lean}
    rows = {
        w: rng.normal(size=20) + 3 * middle[k] * np.eye(20)[0] for k, words in sets.items() for w in words
    }
    given: dict[str, Any] = dict(sets)
    return cr.Embeddings.from_dict(rows), cr.Design(name="made up", **given)


def test_an_association_that_other_words_would_show_is_told_from_one_that_they_would_not() -> None:
    for lean, answer in ((1.0, "yes"), (0.0, "no")):
        emb, design = world(lean)
        sure = cr.ladder(cr.battery(emb, design, resamples=0))
        assert [one.answer for one in sure.tests["made up"]][1] == answer
        count = 1 if answer == "yes" else 0
        said = f"{count} of 1 association would be found with other words for the same things."
        assert sure.headline() == said


def test_each_kind_of_test_is_counted_by_itself_and_frequency_only_where_it_was_asked() -> None:
    emb, design = world(1.0)
    battery = cr.battery(emb, design, resamples=0)
    fit = cr.rsa(emb, design.x, design.y or (), design.a, n=5, samples=5, permutations=99)
    counts = {word: 10.0 + i % 5 for i, word in enumerate(design.words)}
    explained = cr.frequency(emb, design, frequencies=counts)
    sure = cr.ladder([battery, fit, explained])
    assert fit.crossed is not None and fit.crossed.pvalue is not None
    more = 1 if explained.answer == "yes" else 0
    assert sure.headline() == (
        f"1 of 1 association and {int(fit.crossed.pvalue < 0.05)} of 1 comparison of geometry would be found "
        f"with other words for the same things; of 1 association among them, {more} "
        f"{'is' if more else 'are'} more than words being rare or common."
    )
    assert type(sure).from_json(sure.to_json()) == sure

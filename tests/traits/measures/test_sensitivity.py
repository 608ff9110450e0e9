"""SeT on a toy model: every convention by hand, what is undefined, and what the heads settle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import CrossroadsWarning, EvidenceError, InputError
from crossroads.traits.measures.least_change import set_distance, set_test
from crossroads.traits.probe.evidence import Logits

FLOOR = 1e-3


KNOWN: dict[Any, float] = {}
"""Distances that were computed already: twelve tests ask for the same ones."""


def distances(
    probed: Any,
    word: str,
    row: int,
    template: int,
    *,
    masks: str,
    floor: float = 0.0,
    gamma: float = 1.0,
    bias: bool = False,
) -> list[float]:
    """Δ of every piece, from all logits of the model; what leads already is moved to the floor on request."""
    pieces, found = probed.pieces[word], []
    for place, token in enumerate(pieces):
        seen = (-1,) * len(pieces)
        if masks == "filled":
            seen = pieces[:place] + seen[place:]
        key = (probed.model, row, template, seen, place, token, gamma, bias)
        logits, norm = probed.model(row, template, seen, place)
        if key not in KNOWN:
            KNOWN[key] = set_distance(logits, norm, token, gamma=gamma, bias=bias)
        found.append(max(floor**2 / 2 / (norm + bias), KNOWN[key]))
    return found


REDUCE: dict[str, Any] = {"max": max, "min": min, "sum": sum}


@pytest.mark.parametrize("pieces", ["max", "min", "sum"])
@pytest.mark.parametrize("masks", ["filled", "empty"])
@pytest.mark.parametrize("score", ["paper", "code"])
def test_scores_are_what_the_definition_says(masked: Any, score: Any, masks: Any, pieces: Any) -> None:
    choices: list[dict[str, Any]] = [{"gamma": 1.0, "bias": False}, {"gamma": 0.3, "bias": True}]
    for options in choices:
        found: Any = set_test(masked.logits, score=score, masks=masks, pieces=pieces, **options)

        floor = FLOOR if score == "paper" else 0.0

        def raw(word: str, row: int, t: int, *, options: Any = options, floor: float = floor) -> float:
            each = [
                -np.log(delta) if score == "paper" else np.log(1 - np.sqrt(delta))
                for delta in distances(masked, word, row, t, masks=masks, floor=floor, **options)
            ]
            return float(REDUCE[pieces](each))

        leading = [
            (masked.logits.templates[t], masked.logits.rows[row], word)
            for t in range(2)
            for row in range(4)
            for word in masked.logits.adjectives
            if 0.0 in distances(masked, word, row, t, masks=masks, **options)
        ]
        assert found.undefined == ()
        assert found.floored == (tuple(leading) if score == "paper" else ())
        for t in range(2):
            for g in range(3):
                for a, word in enumerate(found.adjectives):
                    wanted = raw(word, g, t) - raw(word, 3, t)
                    assert found.template_scores[t, g, a] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert np.allclose(
            found.scores[:, 0], found.adjective_scores[:, 1] - found.adjective_scores[:, 0], atol=1e-14
        )


def test_a_causal_model_is_asked_left_to_right(probed: Any) -> None:
    """Loads the compiled kernel, which takes seconds where no compiled code is kept."""
    found: Any = set_test(probed.logits, prior="noun")
    for g in range(3):
        parts = [
            max(-np.log(d) for d in distances(probed, "high status", row, 0, masks="filled", floor=FLOOR))
            for row in (g, 4)
        ]
        assert found.template_scores[0, g, 3] == pytest.approx(parts[0] - parts[1], rel=1e-9)
    if probed.logits.kind == "causal":
        with pytest.raises(InputError, match="a causal model has no masks"):
            set_test(probed.logits, masks="empty")


def of_rows(full: Any, *, words: tuple[int, int], norms: Any = (4.0, 4.0), keep: int | None = None) -> Logits:
    """One group and one prior with single-piece adjectives, from all logits."""
    full = np.asarray(full)
    return Logits.from_arrays(
        groups=["women"],
        priors=["mask"],
        templates=["{plural} are {trait}."],
        traits=[("cold", "warm")],
        logit=full[:, None, list(words), None],
        slot=np.array([0, 1])[:, None, None, None] * np.ones((1, 1, 2, 1), dtype=int),
        head=-np.sort(-full, axis=1)[:, :keep],
        log_sum_exp=np.log(np.exp(full).sum(axis=1)),
        hidden_sq_norm=norms,
        vocabulary=full.shape[1],
    )


def test_a_trait_that_leads_already_has_the_value_of_the_floor() -> None:
    # prior: token 1 is 1 below the leader, so Σc² = (1 + 1)²/2 = 2; group: it leads by 3, Σc² = 0
    logits = of_rows([[0.0, 3.0, -5.0], [1.0, 0.0, -5.0]], words=(2, 1), norms=(400.0, 400.0))
    found: Any = set_test(logits, floor=0.01)
    assert found.adjective_scores[0, 1] == pytest.approx(-np.log(0.01**2 / 2) + np.log(2))
    assert found.floored == (("{plural} are {trait}.", "women", "warm"),)
    assert np.isfinite(found.scores).all()
    with pytest.raises(InputError, match="floor is 0"):
        set_test(logits, floor=0)
    exact: Any = set_test(logits, score="code")
    assert exact.floored == ()
    # log(1 − 0) less log(1 − √(2/400))
    assert exact.adjective_scores[0, 1] == pytest.approx(-np.log(1 - np.sqrt(2 / 400)))


def test_the_score_of_the_code_is_undefined_from_a_norm_of_one_on() -> None:
    # Σc² = (gap + 1)²/2; with ‖h‖² = 2: gap 1 gives √Δ = 1, gap 0.5 gives 0.75
    full = [[0.0, -1.0, -0.5], [0.0, -0.5, -0.5]]
    logits = of_rows(full, words=(1, 2), norms=(2.0, 2.0))
    with pytest.warns(CrossroadsWarning, match="1 of 2 cells are undefined"):
        found: Any = set_test(logits, score="code", gamma=1.0)
    assert found.undefined == (("{plural} are {trait}.", "women", "cold"),)
    assert found._rows()[0]["score"] is None
    again = type(found).from_json(found.to_json())
    assert again == found
    assert np.isnan(again.scores[0, 0])
    set_test(logits)  # the score of the publication is defined everywhere: no warning


def test_a_piece_without_a_value_is_never_the_largest(masked: Any) -> None:
    """With a hidden vector so short that long ways have no value, max keeps the near pieces."""
    short = replace(masked.logits, hidden_sq_norm=masked.logits.hidden_sq_norm / 12)
    with pytest.warns(CrossroadsWarning):
        most: Any = set_test(short, score="code", pieces="max")
    with pytest.warns(CrossroadsWarning):
        least: Any = set_test(short, score="code", pieces="min")
    assert set(most.undefined) < set(least.undefined)


def test_short_heads_give_the_same_scores_or_say_that_they_do_not_suffice(masked: Any) -> None:
    whole: Any = set_test(masked.logits, gamma=0.1)
    outcomes = []
    for keep in range(1, masked.logits.vocabulary + 1):
        logits = masked.probe(masked.model, keep=keep)
        try:
            found: Any = set_test(logits, gamma=0.1)
        except EvidenceError as error:
            outcomes.append(False)
            assert f"the {keep} largest logits that were kept do not determine" in error.message
            assert error.hint is not None
            assert f"keep more than {keep} logits" in error.hint
        else:
            outcomes.append(True)
            assert np.allclose(found.scores, whole.scores, rtol=1e-12)
    assert outcomes == sorted(outcomes)  # once enough, more is enough
    assert not outcomes[0]
    assert outcomes[-2]  # enough before all are kept

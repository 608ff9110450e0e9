"""ILPS and ILPS* against probabilities written out over the whole vocabulary of a toy model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import EvidenceError, InputError, UnknownNameError
from crossroads.core.evidence import Embeddings
from crossroads.traits.measures.ilps import ilps, ilps_star
from crossroads.traits.probe.evidence import Logits


def chances(logits: Any, tokens: Any = None) -> Any:
    """Probabilities of all tokens, or among some of them."""
    weights = np.exp(logits)
    return weights / (weights.sum() if tokens is None else weights[tokens].sum())


def by_hand(probed: Any, word: str, row: int, template: int, *, whole: bool, restricted: str = "") -> float:
    """Log-probability of an adjective, or of its first piece, from the model itself."""
    pieces = probed.pieces[word]
    total = 0.0
    for place, token in enumerate(pieces if whole else pieces[:1]):
        seen = pieces[:place] + (-1,) * (len(pieces) - place)
        logits, _ = probed.model(row, template, seen, place)
        continues = place > 0 if restricted == "position" else token in probed.continues
        kind = [t for t in range(logits.size) if (t in probed.continues) == continues]
        total += np.log(chances(logits, kind if restricted else None)[token])
    return total


@pytest.mark.parametrize("prior", ["mask", "noun"])
@pytest.mark.parametrize(
    ("measure", "options", "whole", "restricted"),
    [
        (ilps, {}, False, ""),
        (ilps_star, {}, True, ""),
        (ilps_star, {"renormalise": True}, True, "position"),
        (ilps_star, {"renormalise": "piece"}, True, "piece"),
    ],
)
def test_scores_are_what_the_definition_says(
    probed: Any, measure: Any, options: dict[str, Any], whole: bool, restricted: str, prior: str
) -> None:
    found = measure(probed.logits, prior=prior, **options)
    base = {"mask": 3, "noun": 4}[prior]
    assert found.adjectives == ("cold", "warm", "low status", "high status")
    for t in range(2):
        for g in range(3):
            for a, word in enumerate(found.adjectives):
                score, least = (
                    by_hand(probed, word, row, t, whole=whole, restricted=restricted) for row in (g, base)
                )
                assert found.template_scores[t, g, a] == pytest.approx(score - least, abs=1e-10)
    means = found.template_scores.mean(axis=0)
    assert np.allclose(found.adjective_scores, means)
    assert np.allclose(found.scores, np.stack([means[:, 1] - means[:, 0], means[:, 3] - means[:, 2]], axis=1))
    assert found.traits == ("cold-warm", "low status-high status")
    assert found.undefined == found.floored == ()


def test_the_prior_is_chosen_by_the_kind_of_model(probed: Any) -> None:
    found: Any = ilps(probed.logits)
    wanted = {"masked": "mask", "causal": "noun"}[probed.logits.kind]
    assert found == ilps(probed.logits, prior=wanted)
    assert found.provenance[0].source == "toy"


@pytest.mark.parametrize(("choice", "reduce"), [("synonyms", np.mean), ("synonyms-median", np.median)])
def test_synonyms_are_averaged_with_their_adjective(masked: Any, choice: Any, reduce: Any) -> None:
    found: Any = ilps_star(masked.logits, adjectives=choice)
    plain: Any = ilps_star(masked.logits)
    for g in range(3):
        for t in range(2):
            parts = [
                by_hand(masked, word, g, t, whole=True) - by_hand(masked, word, 3, t, whole=True)
                for word in ("cold", "icy", "frosty")
            ]
            assert found.template_scores[t, g, 0] == pytest.approx(reduce(parts), abs=1e-10)
    assert np.array_equal(found.adjective_scores[:, 1:], plain.adjective_scores[:, 1:])  # no synonyms asked
    assert found.coverage.missing == {"chilly": "the model was not asked for it"}
    assert plain.coverage.complete


def test_what_cannot_be_measured_is_said(masked: Any) -> None:
    logits = masked.logits
    with pytest.raises(UnknownNameError, match=r"unknown template(.|\n)*'{capitalised} are {trait}\.'"):
        ilps(logits, templates=["{capitalised} are {trait}"])
    with pytest.raises(InputError, match="no template is left"):
        ilps(logits, templates=[])
    given: Any = Embeddings(["a"], [[1.0]])
    with pytest.raises(InputError, match=r"logits are of type Embeddings(.|\n)*word vectors have no logits"):
        ilps(given)
    bare = masked.probe(masked.model, words=("cold", "warm", "low status", "high status"))
    with pytest.raises(InputError, match="asked for no synonym"):
        ilps(bare, adjectives="synonyms")


def test_what_was_not_kept_cannot_be_measured() -> None:
    # two pieces, but no pass with the first one filled in, no restricted sums, and no prior
    logits = Logits.from_arrays(
        groups=["women"],
        priors=[],
        templates=["{plural} are {trait}"],
        traits=[("cold", "warm")],
        logit=[[[[0.0, np.nan], [1.0, 0.5]]]],
        slot=[[[[0, -1], [0, 0]]]],
        head=[[1.0, 0.5, 0.0]],
        log_sum_exp=[np.log(np.exp([1.0, 0.5, 0.0]).sum())],
        hidden_sq_norm=[1.0],
        vocabulary=3,
    )
    with pytest.raises(UnknownNameError, match=r"unknown prior 'mask'(.|\n)*probe again with a prior"):
        ilps(logits)
    with pytest.raises(EvidenceError, match="'warm' has several pieces, and no logits with earlier pieces"):
        ilps_star(logits)
    with pytest.raises(EvidenceError, match="begin or continue a word were not kept"):
        logits.log_probabilities(filled=False, restricted="piece")

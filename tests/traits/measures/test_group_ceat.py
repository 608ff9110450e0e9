"""Per-group CEAT: the formula against loops, the three scores, what is skipped, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import Contexts, catalog
from crossroads.contexts.measures.draws import draw_contexts
from crossroads.core.errors import CrossroadsError, EvidenceError, InputError, MissingStimuliError
from crossroads.core.inference.random_effects import combine
from crossroads.traits import group_ceat

GROUPS = {"teenagers": ["teenager", "teenagers"], "doctors": ["doctor"]}
TRAITS = {
    "poor-wealthy": (["poor", "needy"], ["wealthy", "rich"]),
    "cold-warm": (["cold", "icy"], ["warm", "hot", "mild"]),
}
ALL = [*(w for g in GROUPS.values() for w in g), *(w for t in TRAITS.values() for side in t for w in side)]


def world(seed: int, words: list[str] = ALL, *, contexts: int = 5) -> dict[str, NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    return {
        word: rng.normal(size=8) + 0.5 * rng.normal(size=(contexts + i % 3, 8))
        for i, word in enumerate(words)
    }


def unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def cosine(made: dict[str, NDArray[np.float64]], one: str, context: NDArray[np.float64]) -> float:
    """Mean cosine of a word over its contexts with one unit vector."""
    return float((unit(made[one]) @ context).mean())


def test_the_pooled_score_is_the_formula_over_contexts() -> None:
    made = world(1, contexts=4)
    for word in made:
        made[word] = made[word][:4]  # equally many, so that all contexts weigh the same
    result = group_ceat(Contexts.from_dict(made), GROUPS, TRAITS)
    for group, trait in (("teenagers", "poor-wealthy"), ("doctors", "cold-warm")):
        left, right = TRAITS[trait]

        def scores(words: list[str], members: list[str]) -> list[float]:
            return [
                float(np.mean([cosine(made, member, context) for member in members]))
                for word in words
                for context in unit(made[word])
            ]

        high, low = scores(right, GROUPS[group]), scores(left, GROUPS[group])
        if trait == "poor-wealthy":  # as many words at either end: the plain formula
            d = (np.mean(high) - np.mean(low)) / np.std(high + low, ddof=1)
            assert result.of(group, trait) == pytest.approx(d, rel=1e-10)
        assert result.differences[result.groups.index(group), result.traits.index(trait)] == pytest.approx(
            np.mean(high) - np.mean(low)
        )
    assert result.scores == pytest.approx(result.differences / result.spreads)
    plain = group_ceat(Contexts.from_dict(made), GROUPS, TRAITS, score="difference")
    assert plain.scores == pytest.approx(result.differences)


def test_words_weigh_the_same_however_many_contexts_they_have() -> None:
    made = world(2)
    often = {**made, "rich": np.concatenate([made["rich"]] * 50)}
    one, other = (group_ceat(Contexts.from_dict(w), GROUPS, TRAITS, ddof=0) for w in (made, often))
    assert other.scores == pytest.approx(one.scores, rel=1e-10)


def test_the_sampled_score_combines_effect_sizes_over_words() -> None:
    made = world(3)
    contexts = Contexts.from_dict(made)
    result = group_ceat(contexts, GROUPS, TRAITS, score="sampled", samples=30, seed=2)
    counts = np.array([len(made[word]) for word in ALL])
    drawn = draw_contexts(counts, 30, np.random.default_rng(2)).T
    left, right = TRAITS["cold-warm"]
    effects, variances = [], []
    for picked in drawn:
        vector = {word: unit(made[word])[i] for word, i in zip(ALL, picked, strict=True)}
        u = [np.mean([vector[g] @ vector[t] for g in GROUPS["teenagers"]]) for t in (*left, *right)]
        effects.append((np.mean(u[2:]) - np.mean(u[:2])) / np.std(u, ddof=1))
        variances.append(np.var(u, ddof=1))
    assert result.of("teenagers", "cold-warm") == pytest.approx(
        combine(effects, variances).effect_size, rel=1e-10
    )
    assert result.spreads[0, 1] == pytest.approx(np.sqrt(np.mean(variances)))


def test_two_words_a_trait_would_make_every_sampled_score_the_same() -> None:
    single = {"poor-wealthy": (["poor"], ["wealthy"])}
    contexts = Contexts.from_dict(world(6))
    with pytest.raises(InputError, match="±√2"):
        group_ceat(contexts, GROUPS, single, score="sampled")
    # two numbers lie one standard deviation times 1/√2 from their mean
    once = Contexts.from_dict({word: rows[:1] for word, rows in world(6).items()})
    with pytest.raises(EvidenceError, match="2 contexts, which makes every score ±√2"):
        group_ceat(once, GROUPS, single)
    assert group_ceat(contexts, GROUPS, single).scores.shape == (2, 1)


def test_the_catalogue_of_the_paper_is_measured_and_what_is_missing_listed() -> None:
    groups, traits = catalog().groups("abc-groups"), catalog().traits("abc-traits")
    words = [word for group in groups.members for word in group.items] + list(traits.adjectives)
    absent = ("doctor", "doctors", "Doctors", "teenager", "warm")
    words = [word for word in dict.fromkeys(words) if word not in absent]
    contexts = Contexts.from_dict(world(7, words))
    with pytest.raises(MissingStimuliError, match="doctor"):
        group_ceat(contexts, groups, traits)
    result = group_ceat(contexts, groups, traits, missing="drop")
    assert result.groups == tuple(name for name in groups if name != "doctor")
    assert result.traits == tuple(pair.name for pair in traits if pair.name != "cold-warm")
    assert result.skipped["cold-warm"] == "no contexts at its right end"
    assert result.coverage is not None
    assert result.coverage.dropped["group teenager"] == {"teenager": "no context"}
    plural = group_ceat(contexts, groups, traits, forms="plural", missing="drop")
    assert plural.coverage is not None
    assert plural.coverage.used["group immigrant"] == ("immigrants",)
    wide = [*words, *(word for pair in traits for word in (*pair.left_synonyms, *pair.right_synonyms))]
    rich = group_ceat(Contexts.from_dict(world(8, wide)), groups, traits, synonyms=True, missing="drop")
    assert rich.coverage is not None
    assert len(rich.coverage.used["powerless-powerful, left"]) == 4


def test_a_standard_error_is_over_the_words_of_group_and_ends() -> None:
    made = world(3)
    found = group_ceat(Contexts.from_dict(made), GROUPS, TRAITS, score="difference")
    means = {word: unit(rows).mean(axis=0) for word, rows in made.items()}
    left, right = TRAITS["poor-wealthy"]
    table = np.array([[means[g] @ means[w] for w in (*left, *right)] for g in GROUPS["teenagers"]])
    s = table[:, 2:].mean(axis=1) - table[:, :2].mean(axis=1)
    t = table.mean(axis=0)
    over_groups, over_words = s.var(ddof=1) / 2, t[:2].var(ddof=1) / 2 + t[2:].var(ddof=1) / 2
    single = 0.0
    for side in (table[:, :2], table[:, 2:]):
        rest = side - side.mean(axis=0) - side.mean(axis=1)[:, None] + side.mean()
        single += (rest**2).sum() / 4
    variance = max(over_groups + over_words - single, over_groups, over_words)
    assert found.se is not None
    assert found.se[0, 0] == pytest.approx(np.sqrt(variance), rel=1e-5)
    assert found.df is not None
    assert found.df[0, 0] <= 1  # two words of the group, and of either end
    pooled = group_ceat(Contexts.from_dict(made), GROUPS, TRAITS)
    assert np.allclose(pooled.se, found.se / pooled.spreads)  # type: ignore[arg-type]
    assert np.allclose(pooled.pvalue, found.pvalue)  # type: ignore[arg-type]
    assert {"low", "high", "p", "p_bh"} <= set(pooled._rows()[0])
    assert [row["p"] for row in pooled._long_rows("") if row["statistic"] == "score"] == [
        row["p"] for row in pooled._rows()
    ]
    sampled = group_ceat(Contexts.from_dict(made), GROUPS, TRAITS, score="sampled", samples=9)
    assert (sampled.se, sampled.low, sampled.pvalue) == (None, None, None)
    alone = group_ceat(Contexts.from_dict(made), {"doctors": ["doctor"]}, {"c-w": (["cold"], ["warm"])})
    assert alone.se is None  # no word could have been another


ALIKE = Contexts.from_dict({word: np.ones((3, 4)) for word in ALL})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"traits": {}}, "traits are of type dict"),
        ({"traits": {"poor-wealthy": "teenagers"}}, "'poor-wealthy' is"),
        ({"samples": 1}, "samples is 1"),
        ({"groups": catalog().groups("ceat-groups"), "forms": "singular"}, "no singular form"),
        ({"groups": {"nobody": ["nobody"]}, "missing": "drop"}, "no group has contexts"),
        ({"contexts": ALIKE}, "same cosine"),
    ],
)
def test_bad_input_is_refused(given: dict[str, Any], said: str) -> None:
    usual = {"contexts": Contexts.from_dict(world(9)), "groups": GROUPS, "traits": TRAITS}
    with pytest.raises(CrossroadsError, match=said):
        group_ceat(**{**usual, **given})

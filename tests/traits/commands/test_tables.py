"""Tables of traits: which groups are shown, and under which adjectives."""

from __future__ import annotations

from dataclasses import replace

from crossroads.traits.commands import score_table
from crossroads.traits.measures.scores import TraitScores

SCORES = replace(
    TraitScores.from_table(
        {
            "women": {"cold-warm": 0.4, "poor-wealthy": -0.2},
            "men": {"cold-warm": -0.1, "poor-wealthy": 0.3},
            "nurses": {"cold-warm": 0.2, "poor-wealthy": -0.9},
            "cooks": {"cold-warm": 0.0, "poor-wealthy": 0.05},
        }
    ),
    pairs=(("cold", "warm"), ("poor", "wealthy")),
)


def test_groups_have_the_adjectives_of_their_strongest_associations() -> None:
    rows = {row["group"]: row["strongest"] for row in score_table(SCORES).rows}
    assert rows["women"] == "warm 0.40, poor 0.20"
    assert rows["nurses"] == "poor 0.90, warm 0.20"
    assert list(rows) == ["women", "men", "nurses", "cooks"]

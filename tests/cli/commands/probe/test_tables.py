"""Tables of traits: which groups are shown, and under which adjectives."""

from __future__ import annotations

from dataclasses import replace

from crossroads.cli.commands.probe.tables import score_table
from crossroads.measures.traits.scores import TraitScores

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


def rows(most: int | None) -> dict[str, str]:
    groups, shown = (list(column.cells) for column in score_table(SCORES, most=most).columns)
    return dict(zip(map(str, groups), map(str, shown), strict=True))


def test_groups_with_the_strongest_associations_are_shown_in_their_order_with_the_adjectives() -> None:
    assert rows(None)["women"] == "warm 0.40, poor 0.20"
    assert rows(None)["nurses"] == "poor 0.90, warm 0.20"
    assert list(rows(None)) == ["women", "men", "nurses", "cooks"]
    assert list(rows(2)) == ["women", "nurses"]

"""Figures of paired identities: which domain they follow, and which traits emerge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import InputError
from crossroads.traits.figures.pairs import dominance_matrix, emergent_traits
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.dominance import DomainPair, DominanceResult
from crossroads.traits.pairs.emergent import EmergentResult, emergent
from tests.fixtures.figures import faults, said


def relation(one: str, two: str, difference: float, q: float = 0.5) -> DomainPair:
    sure = 0.05 if abs(difference) >= 0.1 else 1.0
    options: Any = {
        "low": difference - sure,
        "high": difference + sure,
        "pvalue": q / 2,
        "qvalue": q,
        "pairs": 12,
    }
    return DomainPair(domain1=one, domain2=two, correlation1=difference, correlation2=0.0, **options)


def dominance() -> DominanceResult:
    """The second dominates the first by .3 (starred); the last has no pairs with the third."""
    names = a, b, c, d = "race", "age", "religion", "politics"
    table = (
        relation(a, b, -0.3, 0.001),
        relation(a, c, 0.04),
        relation(a, d, 0.1),
        relation(b, c, 0.05, 0.01),
        relation(b, d, 0.0),
    )
    return DominanceResult(
        domains=names, domain_pairs=table, least=0.1, level=0.95, conventions={"scores": "set"}
    )


@pytest.fixture(scope="module")
def found() -> EmergentResult:
    rng = np.random.default_rng(0)
    rows = {f"g{i}": rng.normal(size=12) for i in range(10)}
    pairs = {f"g{i} g{j}": (f"g{i}", f"g{j}") for i in range(10) for j in range(i)}
    for name, (a, b) in pairs.items():
        rows[name] = (rows[a] + rows[b]) / 2 + rng.normal(size=12)
    rows[list(pairs)[7]][3] += 14
    rows[list(pairs)[20]][5] -= 14
    labels, values = tuple(f"trait {i}" for i in range(12)), np.array(list(rows.values()))
    scores = TraitScores(measure="set", groups=tuple(rows), traits=labels, scores=values)
    result = emergent(scores, pairs, on="traits")
    # 45 pairs are too few to be sure
    return replace(result, qvalue=np.where(np.arange(result.increase.size) < 2, 0.001, result.qvalue))


def test_every_two_domains_have_two_cells_of_opposite_sign() -> None:
    texts = said(dominance_matrix(dominance()))
    assert {"−0.30*", "+0.30*", "+0.04", "−0.04", "+0.10", "−0.10", "+0.05*", "−0.05*"} <= set(texts)
    # race/age, race/religion, race/politics, age/religion, age/politics, each twice
    assert sum(text.strip("*")[-3:-2] == "." for text in texts) == 10


def test_a_dark_border_marks_dominance_and_domains_that_dominate_come_first() -> None:
    ax: Any = dominance_matrix(dominance())
    bordered = [patch for patch in ax.patches if patch.get_linewidth() > 1.2]
    rows = [text for text in said(ax) if text in ("race", "age", "religion", "politics")]
    # Age dominates one domain more than dominate it, politics one fewer; religion and race stand between, by
    # mean difference (-.045 and -.053). Each is named at its row and at its column.
    assert rows[::2] == ["age", "religion", "race", "politics"]
    corners = {(int(patch.get_x()), int(patch.get_y())) for patch in bordered}
    assert corners == {(2, 0), (3, 2)}  # age over race, race over politics


def test_rows_run_from_the_nearer_component_to_the_pair(found: EmergentResult) -> None:
    ax: Any = emergent_traits(found, n=5)
    rows = [*found.top(5, direction="above"), *found.top(5, direction="below")]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    ticks = [line for line in ax.lines if line.get_marker() == "|"]
    assert [float(line.get_xdata()[0]) for line in dots] == [row["score"] for row in rows]
    assert [float(line.get_xdata()[0]) for line in ticks] == [row["component_score"] for row in rows]
    filled = [line.get_markerfacecolor() != "white" for line in dots]
    assert filled == [row["emergent"] for row in rows]
    assert sum(filled) == 2
    texts = said(ax)
    assert [text for text in texts if text in found.pairs] == [row["pair"] for row in rows]
    assert "2 at a false-discovery rate of .05" in " ".join(texts)
    assert sum(text.endswith(" *") for text in texts) == 2


def test_increases_alone_are_drawn_without_q_values(found: EmergentResult) -> None:
    bare = replace(
        found, pvalue=np.empty(0), qvalue=np.empty(0), conventions={"scores": "set", "null": "none"}
    )
    texts = said(emergent_traits(bare, n=3))
    assert "increase" in texts
    assert "q" not in texts
    assert "no null distribution was used" in " ".join(texts)


def test_one_side_alone_is_drawn(found: EmergentResult) -> None:
    up = np.flatnonzero(found.above)
    names = ("pair_index", "trait_index", "above", "increase", "component_score", "pvalue", "qvalue")
    changes: dict[str, Any] = {name: getattr(found, name)[up] for name in names}
    one = replace(found, **changes)
    ax: Any = emergent_traits(one, n=4)
    assert len([line for line in ax.lines if line.get_marker() == "o"]) == 4
    assert faults(ax) == []
    none = {name: values[:0] for name, values in changes.items()}
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: emergent_traits(replace(found, **none)), "no pair scores beyond"),
        (lambda: emergent_traits(found, n=0), "n is 0"),
        (lambda: dominance_matrix(replace(dominance(), domains=(), domain_pairs=())), "no two domains"),
    ]
    for draw, message in refused:
        with pytest.raises(InputError, match=message):
            draw()

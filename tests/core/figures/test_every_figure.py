"""Every figure of every result: nothing is clipped or overprinted, also with long and foreign names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.figures.style import own_style
from crossroads.core.results import Result
from crossroads.plots import save
from crossroads.traits.pairs.material import paired_groups
from tests import results
from tests.fixtures.figures import axes_of_the_caller, faults, said

AWKWARD = (
    "Donaudampfschifffahrtsgesellschaftskapitäne",
    "花と昆虫 $x_1$",
    "a name that says everything, and says it twice to be sure",
    "\\frac{1}{2}",
    "שלום עולם",
)
PLAIN = (
    *results.LABELS, *results.CROSSED, *(pair.name for pair in paired_groups(results.CROSSED)),
    *(f"<b>{i}" for i in range(12)), results.DESIGN.name, results.CHAT.name, "<script>pairs</script>",
    "<b>gender</b>", "age", "race/ethnicity", "religion", "<m>", "<g>", "<y>", "p-q", "r-s",
    "p", "q", "s", "t", "n", "h", "i", "u", "v", "w",
)  # fmt: skip
RENAMED = {name: f"{AWKWARD[i % 5]} {i}" for i, name in enumerate(PLAIN)}
TITLES = dict(zip("xyab", AWKWARD, strict=False))


def renamed(tree: Any) -> Any:
    """A result as plain data, with awkward names instead of plain ones."""
    if isinstance(tree, str):
        return RENAMED.get(tree, tree)
    if isinstance(tree, list):
        return [renamed(one) for one in tree]
    if isinstance(tree, Mapping):
        return {
            RENAMED.get(key, key): TITLES if key == "titles" and one.keys() == TITLES.keys() else renamed(one)
            for key, one in tree.items()
        }
    return tree


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_nothing_is_clipped_or_overprinted_and_a_figure_is_the_same_twice(
    part: int, every_result: dict[str, Result], tmp_path: Path
) -> None:
    """Some forty figures, in four parts, are laid out, and the places of all their texts compared."""
    for name, result in list(every_result.items())[part::4]:
        if not result._figure or name in ("eibd without truth", "chat of refusals"):
            continue
        drawn = result.plot()
        assert faults(drawn) == [], name
        first, second = (save(one, tmp_path / "a.svg").read_bytes() for one in (drawn, result.plot()))
        assert first == second, name
        if drawn is not drawn.figure:
            (ax,) = axes_of_the_caller(1)
            assert result.plot(ax=ax) is ax, name
            assert len(ax.texts) > 3, name
        with own_style():  # letters without a glyph are drawn as boxes
            awkward = type(result).from_dict(renamed(result.to_dict())).plot()
            assert faults(awkward) == [], name
            assert name == "ibd" or said(awkward) != said(drawn), name  # its curve bears no name of its own

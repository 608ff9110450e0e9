"""Profiles of one group and maps of all: everything readable, nothing told by colour alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import InputError, UnknownNameError
from crossroads.core.figures.style import own_style
from crossroads.core.stimuli import catalog
from crossroads.plots import profile, trait_heatmap
from crossroads.traits.people.alignment import align
from crossroads.traits.people.alignment_result import AlignmentResult
from tests.fixtures.figures import faults, said

TRAITS = [pair.name for pair in catalog().traits("abc-traits")]
GROUPS = list(catalog().groups("abc-groups"))
LONG = [
    "people who have lived abroad for more than a decade and then come back",
    "Donaudampfschifffahrtsgesellschaftskapitäne",
    "花屋",
    "$5 & a_b^c \\frac{1}{2}",
]


def aligned(groups: list[str], traits: list[str], seed: int = 0, measure: str = "set") -> AlignmentResult:
    rng = np.random.default_rng(seed)
    human = {g: {t: float(rng.uniform(0, 100)) for t in traits} for g in groups}
    scores = SimpleNamespace(
        measure=measure, groups=groups, traits=traits, scores=rng.normal(size=(len(groups), len(traits)))
    )
    return align(scores, human, draws=0, resamples=0)


@pytest.fixture(scope="module")
def result() -> AlignmentResult:
    return aligned(GROUPS[:6], TRAITS)


def test_a_profile_names_both_ends_of_every_pair_and_every_scale(result: AlignmentResult) -> None:
    drawn = profile(result, "man")
    texts = said(drawn)
    for pair in catalog().traits("abc-traits"):
        assert pair.left in texts
        assert pair.right in texts
    assert {"Agency", "Beliefs", "Communion", "people", "set", "man"} <= set(texts)
    assert faults(drawn) == []


def test_people_and_models_differ_in_shape_and_stand_where_their_scores_say(result: AlignmentResult) -> None:
    other = aligned(GROUPS[:6], TRAITS, seed=1)
    drawn = profile({"one": result, "two": other}, "man")
    marks: dict[str, set[str]] = {}
    places: dict[str, list[float]] = {}
    for line in drawn.lines:
        name = line.get_gid()
        if name:
            marks.setdefault(name, set()).add(str(line.get_marker()))
            places.setdefault(name, []).append(float(np.asarray(line.get_xdata())[0]))
    assert len(set.union(*marks.values())) == 3
    assert {name: len(shapes) for name, shapes in marks.items()} == {"human": 1, "one": 1, "two": 1}
    assert sorted(places["human"]) == pytest.approx(sorted(other.human_scores["man"].values()))
    row = np.array(list(result.model_scores["man"].values()))
    assert sorted(places["one"]) == pytest.approx(sorted(50 + 50 * row / np.abs(row).max()))


@pytest.mark.slow
def test_long_and_foreign_names_fit() -> None:
    traits = [f"{one}-{one[::-1]}" for one in ("unübersichtlichkeitsverdächtig", "花屋", "a$b", "slow")]
    result = aligned(LONG, traits, measure="a measure with quite a long name, on a model with another")
    with own_style():
        assert faults(profile({f"{name} {i}": result for i, name in enumerate(LONG)}, LONG[0])) == []
        assert faults(trait_heatmap(result)) == []


@pytest.mark.slow
def test_a_map_shows_the_numbers_of_the_side_that_was_asked_for(result: AlignmentResult) -> None:
    human, model = said(trait_heatmap(result, side="human")), said(trait_heatmap(result))
    shown = [f"{value:.0f}" for value in result.human_scores["man"].values()]
    assert all(text in human for text in shown)
    first = result.model_scores["man"][TRAITS[0]]
    assert f"{first:.2f}".replace("-", "−") in model
    with pytest.raises(UnknownNameError, match="side 'people'"):
        trait_heatmap(result, side="people")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="order 'random'"):
        trait_heatmap(result, order="random")  # type: ignore[arg-type]


def test_groups_with_like_profiles_are_neighbours() -> None:
    # two kinds of profile, given in turns
    one = np.array([3.0, 2.0, -3.0, -2.0])
    values = np.stack([one * (1 if i % 2 else -1) * (1 + 0.01 * i) for i in range(6)])
    scores = SimpleNamespace(measure="set", groups=GROUPS[:6], traits=TRAITS[:4], scores=values)
    drawn = trait_heatmap(scores)
    names = [text.get_text() for text in drawn.texts if text.get_text() in GROUPS[:6]]
    halves = [{GROUPS.index(name) % 2 for name in part} for part in (names[:3], names[3:])]
    assert sorted(map(tuple, halves)) == [(0,), (1,)]
    given = trait_heatmap(scores, order="given")
    assert [t.get_text() for t in given.texts if t.get_text() in GROUPS[:6]] == GROUPS[:6]


def test_scores_whose_interval_holds_zero_are_set_in_italics_on_white() -> None:
    values, half = np.array([[0.5, 0.25, -1.0, np.nan]]), np.array([[0.4, 0.5, 1.0, np.nan]])
    ends = {"low": values - half, "high": values + half}
    scores = SimpleNamespace(measure="set", groups=GROUPS[:1], traits=TRAITS[:4], scores=values, **ends)
    drawn: Any = trait_heatmap(scores)
    styles = {text.get_text(): text.get_style() for text in drawn.texts}
    assert [styles[text] for text in ("0.50", "0.25", "−1.00")] == ["normal", "italic", "italic"]
    assert "the 95 % interval holds 0" in " ".join(said(drawn))
    assert "nan" not in styles  # a cell without a score is left empty


def test_what_cannot_be_drawn_is_refused(result: AlignmentResult) -> None:
    with pytest.raises(UnknownNameError, match="unknown group 'men'"):
        profile(result, "men")
    with pytest.raises(InputError, match="7 alignments"):
        profile({str(i): result for i in range(7)}, "man")
    with pytest.raises(InputError, match="0 alignments"):
        profile({}, "man")

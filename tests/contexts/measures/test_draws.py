"""Contexts drawn at random: the draws themselves, both ways of computing, memory-mapped and split vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import Contexts, Design, ceat, mleat
from crossroads.contexts.measures import draws as contextual
from crossroads.contexts.measures import draws as contextual_words
from crossroads.contexts.measures.draws import (
    counts_of,
    design_contexts,
    draw_contexts,
    sample_associations,
    sample_cosines,
    stack,
)
from crossroads.core.errors import EvidenceError
from tests.words.measures.plain import cosine, mean

SETS = {"x": ("x0", "x1", "x2", "x3", "x4"), "y": ("y0", "y1"), "a": ("a0", "a1", "a2"), "b": ("b0", "b1")}
DESIGN = Design(name="test", **{name: list(words) for name, words in SETS.items()})  # type: ignore[arg-type]


def world(kind: Any = np.float64, dim: int = 33) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(0)
    words = [word for part in SETS.values() for word in part]
    return {word: rng.normal(3.0, 2.0, (4 + i, dim)).astype(kind) for i, word in enumerate(words)}


def plain(made: dict[str, NDArray[Any]], drawn: NDArray[Any]) -> NDArray[np.float64]:
    """The definition: mean cosine with A less mean cosine with B, sample by sample."""
    rows = []
    for picked in drawn.T:
        vector = {word: made[word][row] for word, row in zip(made, picked, strict=True)}

        def near(target: str, name: str, at: dict[str, Any] = vector) -> float:
            return mean([cosine(at[target], at[word]) for word in SETS[name]])

        rows.append([near(target, "a") - near(target, "b") for target in (*SETS["x"], *SETS["y"])])
    return np.array(rows)


def test_every_context_of_a_word_is_drawn_alike() -> None:
    drawn = draw_contexts(np.array([1, 5, 7]), 20_000, np.random.default_rng(0))
    assert drawn.shape == (3, 20_000)
    assert not drawn[0].any()
    for row, count in ((1, 5), (2, 7)):
        seen = np.bincount(drawn[row], minlength=count)
        assert seen.size == count
        # binomial with sd sqrt(20,000 q (1 - q)) around 20,000 / count: five standard deviations
        assert np.abs(seen - 20_000 / count).max() < 5 * np.sqrt(20_000 / count * (1 - 1 / count))
    assert abs(np.corrcoef(drawn[1], drawn[2])[0, 1]) < 5 / np.sqrt(20_000)


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("kind", "error"), [(np.float64, 1e-14), (np.float32, 1e-6), (np.float16, 1e-6)])
def test_associations_are_those_of_the_definition(kind: Any, error: float, compiled: bool) -> None:
    """Compiles the kernel of each type of number, which takes seconds where no compiled code is kept."""
    if compiled:
        pytest.importorskip("numba", reason="the compiled kernels need the extra 'fast'")
    made = world(kind)
    stacked = stack(Contexts.from_dict(made), SETS)
    drawn = draw_contexts(stacked.counts, 300, np.random.default_rng(1))
    found = sample_associations(stacked, drawn, compiled=compiled)
    assert found == pytest.approx(plain(made, drawn), abs=error)


def test_the_order_of_the_store_does_not_matter(tmp_path: Path) -> None:
    made = world(np.float32)
    reverse = dict(reversed(made.items()))
    Contexts.from_dict(reverse).save(tmp_path / "one")
    opened = Contexts.open(tmp_path / "one")
    assert isinstance(opened.blocks[0], np.memmap) or isinstance(opened.blocks[0].base, np.memmap)
    blocks = [np.concatenate([made[word] for word in part]) for part in SETS.values()]
    split = Contexts(list(made), [len(rows) for rows in made.values()], blocks)
    whole = ceat(Contexts.from_dict(made), DESIGN, samples=50, seed=3)
    for other in (opened, split):
        result = ceat(other, DESIGN, samples=50, seed=3)
        assert np.array_equal(result.sample_effect_sizes, whole.sample_effect_sizes)
        assert result.stimulus_effect_size == whole.stimulus_effect_size
        assert result.contexts == whole.contexts


def test_what_is_remembered_does_not_change_an_answer() -> None:
    made = world()
    contexts = Contexts.from_dict(made)
    small = Design(name="small", x=["x0", "x1"], y=["y0", "y1"], a=["a0", "a1"], b=["b0", "b1"])
    first = ceat(contexts, DESIGN, samples=20, seed=1)
    again, other = ceat(contexts, small, samples=20, seed=1), ceat(contexts, DESIGN, samples=20, seed=1)
    assert other.stimulus_pvalue == first.stimulus_pvalue
    fresh = ceat(Contexts.from_dict(made), small, samples=20, seed=1)
    assert again.stimulus_pvalue == fresh.stimulus_pvalue
    assert np.array_equal(again.sample_effect_sizes, fresh.sample_effect_sizes)


@pytest.mark.parametrize("worth", [0, 10**12])
@pytest.mark.parametrize("value", [0.0, np.inf, np.nan])
def test_a_context_without_a_direction_is_named(
    value: float, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contextual, "_worth", lambda work: work >= worth)
    made = world()
    made["b1"][2] = value
    contexts = Contexts(
        list(made), [len(rows) for rows in made.values()], np.concatenate(list(made.values()))
    )
    with pytest.raises(EvidenceError, match="'b1' is a zero vector or not finite"):
        stack(contexts, SETS)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_targets_that_lie_on_one_line_have_no_effect_size(kind: Any) -> None:
    # all targets point the same way: what differs between their associations is rounding
    made = world(kind)
    direction = made["x0"][0]
    for i, word in enumerate((*SETS["x"], *SETS["y"])):
        made[word] = np.stack([direction * kind(1 + 0.37 * i)])
    for measure in (ceat, mleat):
        with pytest.raises(EvidenceError, match="no effect size"):
            measure(Contexts.from_dict(made), DESIGN, samples=20)


@pytest.mark.parametrize("worth", [0, 10**12])
@pytest.mark.parametrize(("kind", "error"), [(np.float64, 1e-13), (np.float32, 1e-6)])
def test_the_length_of_contexts_does_not_matter(
    kind: Any, error: float, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # squares of values of 1e-159 lose digits before they vanish, those of 1e160 are infinite
    monkeypatch.setattr(contextual, "_worth", lambda work: work >= worth)
    made = world(kind)
    made["x1"][0, :3] = 0.0  # zeros inside a vector are no fault
    expected = stack(Contexts.from_dict(made), SETS)
    drawn = draw_contexts(expected.counts, 40, np.random.default_rng(1))
    wanted = sample_associations(expected, drawn, compiled=False)
    for power in (-300, -159, 160, 300) if kind is np.float64 else (-25, 20):
        scaled = (made["x1"] * 10.0**power).astype(kind)
        found = stack(Contexts.from_dict({**made, "x1": scaled}), SETS)
        assert found.means == pytest.approx(expected.means, rel=10 * error, abs=error / 100)
        assert sample_associations(found, drawn, compiled=worth == 0) == pytest.approx(wanted, abs=error)


@pytest.mark.parametrize("worth", [0, 10**12])
def test_contexts_too_short_for_their_type_are_named(worth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # 1e-41 is there in single precision, but 1 / 1e-41 is not
    monkeypatch.setattr(contextual, "_worth", lambda work: work >= worth)
    made = {word: rows.astype(np.float32) for word, rows in world().items()}
    made["a1"] = (made["a1"] * 1e-41).astype(np.float32)
    with pytest.raises(EvidenceError, match=r"'a1' is too short for float32.*\n\nhint: multiply all vectors"):
        stack(Contexts.from_dict(made), SETS)


@pytest.mark.parametrize("block", [1, 1 << 24], ids=["one sample at a time", "all at once"])
def test_cosines_are_those_of_the_contexts_drawn(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contextual_words, "_TABLE_BYTES", block)
    rng = np.random.default_rng(1)
    # other words lie between those of the design, and the order is another
    made = {word: rng.normal(size=(i + 2, 5)) for i, word in enumerate(["b1", "z", *DESIGN.words[:-1]])}
    least = {"x": 2, "y": 2, "a": 1, "b": 1}
    stacked, found = design_contexts(Contexts.from_dict(made), DESIGN, missing="raise", least=least)
    assert counts_of(stacked, found) == {word: len(made[word]) for word in DESIGN.words}
    drawn = draw_contexts(stacked.counts, 9, rng)
    tables = np.concatenate([table for _, table in sample_cosines(stacked, drawn, 7)])
    blocks = [where for where, _ in sample_cosines(stacked, drawn, 7)]
    assert np.concatenate([np.arange(9)[where] for where in blocks]).tolist() == list(range(9))
    for sample, table in enumerate(tables):
        for i, target in enumerate(DESIGN.words[:7]):
            for j, attribute in enumerate(DESIGN.words[7:]):
                one, other = made[target][drawn[i, sample]], made[attribute][drawn[7 + j, sample]]
                assert table[i, j] == pytest.approx(cosine(one, other))

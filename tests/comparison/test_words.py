"""Two models compared over contexts: unit, words that both have and what was read."""

from __future__ import annotations

import dataclasses
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads import Contexts, Design, Embeddings, battery, ceat, compare
from crossroads.comparison.battery import compare_battery
from crossroads.comparison.jackknife import jackknife
from crossroads.comparison.models import CompareResult
from crossroads.comparison.words import shared_words
from crossroads.contexts.measures.ceat import CeatResult
from crossroads.core.errors import CrossroadsError, MissingStimuliError
from crossroads.sources import Provenance

WORDS = {name: [f"{name}{i}" for i in range(6)] for name in "xyab"}
DESIGN = Design(name="test", **WORDS)  # type: ignore[arg-type]
SIDES = {"x": 1.0, "y": -1.0, "a": 2.0, "b": -2.0}
Rows = dict[str, Any]


def rows_of(
    rng: np.random.Generator, lean: float = 0.0, *, dim: int = 8, most: int = 5, words: Any = WORDS
) -> Rows:
    """One to five contexts for each word, around a place of its own; targets lean to an attribute."""
    found = {}
    for name, members in words.items():
        for word in members:
            place = rng.normal(size=dim) * 0.5
            place[0] += SIDES[name] * (lean if name in "xy" else 1.0)
            found[word] = place + rng.normal(size=(int(rng.integers(1, most + 1)), dim)) * 0.6
    return found


def store(rows: Rows, name: str = "m", **record: str) -> Contexts:
    details = {"record": record} if record else {}
    return Contexts.from_dict(rows, provenance=Provenance(source=name, details=details))


def mean_association(rows: Rows, word: str, design: Design = DESIGN) -> float:
    """The association of a target over every choice of one context a word, by definition."""
    unit = {key: [row / np.linalg.norm(row) for row in rows[key]] for key in rows}
    sides = [
        np.mean([np.mean([t @ u for t, u in product(unit[word], unit[other])]) for other in members])
        for members in (design.a, design.b)
    ]
    return float(sides[0] - sides[1])


@settings(deadline=None, max_examples=6)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from(["sd", "cosine"]))
def test_it_exchanges_labels_of_changes_of_mean_associations(seed: int, scale: Any) -> None:
    rng = np.random.default_rng(seed)
    small = Design(name="small", **{name: words[:3] for name, words in WORDS.items()})  # type: ignore[arg-type]
    first, second = rows_of(rng, 0.4), rows_of(rng, 0.1, dim=5)
    s = [
        np.array([mean_association(rows, word, small) for word in small.words[:6]])
        for rows in (first, second)
    ]
    z = [(one - one.mean()) / one.std(ddof=1) for one in s]
    changes = z[0] - z[1] if scale == "sd" else s[0] - s[1]
    sums = np.array([changes[list(chosen)].sum() for chosen in combinations(range(6), 3)])
    up, down = ((side * sums >= side * changes[:3].sum() - 1e-9).mean() for side in (1, -1))
    result = compare(store(first), store(second), small, scale=scale, attributes="given")
    assert result.pvalue == pytest.approx(min(1.0, 2 * min(up, down)), rel=1e-12)
    assert list(result.changes.values()) == pytest.approx(changes.tolist(), abs=1e-9)
    d = [float(one[:3].mean() - one[3:].mean()) for one in z]
    assert result.effect_sizes == pytest.approx(tuple(d), abs=1e-9)
    assert (result.method, result.measure) == ("exact", "ceat")
    assert "target word" in result.conventions["unit over contexts"]


def test_saved_ceats_give_the_very_comparison_of_the_stores_whatever_was_sampled() -> None:
    rng = np.random.default_rng(1)
    first, second = store(rows_of(rng, 0.5), "p"), store(rows_of(rng), "q")
    whole = compare(first, second, DESIGN)
    for samples in (3, 50):
        saved = [
            CeatResult.from_json(ceat(one, DESIGN, samples=samples, seed=samples).to_json())
            for one in (first, second)
        ]
        assert compare(saved[0], saved[1], DESIGN) == whole
        assert compare(first, saved[1], DESIGN) == whole
        assert whole.effect_sizes == pytest.approx(tuple(one.stimulus_effect_size for one in saved), abs=1e-9)
    assert CompareResult.from_json(whole.to_json()) == whole
    assert whole.contexts["x0"] == (first.count("x0"), second.count("x0"))
    assert [one.source for one in whole.provenance] == ["p", "q"]


def test_a_ceat_keeps_the_expected_cosine_of_every_pair_of_words() -> None:
    rows = rows_of(np.random.default_rng(2), most=3)
    result = ceat(store(rows), DESIGN, samples=3)
    unit = {word: found / np.linalg.norm(found, axis=1, keepdims=True) for word, found in rows.items()}
    words = list(DESIGN.words)
    for (i, target), (j, attribute) in product(enumerate(words[:12]), enumerate(words[12:])):
        expected = np.mean(unit[target] @ unit[attribute].T)
        assert result._cosines[i, j] == pytest.approx(expected, abs=1e-12)
    expected_s = {word: mean_association(rows, word) for word in words[:12]}
    assert result._associations == pytest.approx(expected_s, abs=1e-12)
    assert dataclasses.replace(result, coverage=None)._associations == {}


def test_a_planted_difference_is_found_and_more_contexts_of_the_same_words_make_it_no_surer() -> None:
    rng = np.random.default_rng(5)
    first, second = rows_of(rng, 1.0), rows_of(rng, -0.2)
    once = compare(store(first), store(second), DESIGN)
    assert once.pvalue < 0.05
    twenty = [{word: np.repeat(found, 20, axis=0) for word, found in one.items()} for one in (first, second)]
    assert compare(store(twenty[0]), store(twenty[1]), DESIGN).pvalue == once.pvalue


def without(rows: Rows, *gone: str) -> Contexts:
    return store({word: one for word, one in rows.items() if word not in gone})


def test_words_that_either_model_lacks_are_left_out_of_both() -> None:
    rng = np.random.default_rng(7)
    rows = rows_of(rng, 0.4), rows_of(rng)
    first, second = without(rows[0], "x1", "b0"), without(rows[1], "y2", "a5", "b0")
    with pytest.raises(MissingStimuliError) as raised:
        compare(first, second, DESIGN)
    assert set(raised.value.missing) == {"x1", "b0"}
    saved = [ceat(one, DESIGN, samples=3, missing="drop") for one in (first, second)]
    with pytest.raises(MissingStimuliError, match="not in both models"):
        compare(saved[0], saved[1], DESIGN)
    result = compare(first, second, DESIGN, missing="drop")
    assert result == compare(saved[0], saved[1], DESIGN, missing="drop")
    assert result.coverage is not None
    assert result.coverage.missing == {
        "x1": "no context in the first model",
        "y2": "no context in the second model",
        "a5": "no context in the second model",
        "b0": "no context in either model",
    }
    plain = compare(first, second, DESIGN, missing="drop", words="independent")
    left = DESIGN.replace(dict.fromkeys(result.coverage.missing))
    same = compare(store(rows[0]), store(rows[1]), left, words="independent")
    assert (plain.difference, plain.pvalue) == (same.difference, same.pvalue)
    balanced = compare(first, without(rows[1], "y2", "y3", "y4"), DESIGN, missing="balance").coverage
    assert balanced is not None
    assert {name: len(words) for name, words in balanced.used.items()} == {"x": 3, "y": 3, "a": 5, "b": 5}
    assert balanced.missing["x5"] == "left out to balance the sets"
    halves = without(rows[0], *WORDS["x"][:4]), without(rows[1], *WORDS["x"][2:])
    with pytest.raises(MissingStimuliError, match="x has 0 of 6 stimuli in both models, and needs 2"):
        compare(*halves, DESIGN, missing="drop")


def test_whether_the_same_contexts_were_read_is_known_where_the_stores_say_so() -> None:
    rng = np.random.default_rng(8)
    rows = rows_of(rng)
    first = store(rows, contexts="abc")
    moved = {word: one + rng.normal(size=one.shape) for word, one in rows.items()}
    fewer = {**moved, "a0": np.repeat(moved["a0"], 2, axis=0)}
    cases = [
        (store(moved, contexts="abc"), True),
        (store(moved, contexts="def"), False),
        (store(fewer, contexts="abc"), False),  # of one word one model read others
        (store(moved), None),
        (Contexts.from_dict(moved, provenance=Provenance(source="q", details={"record": "a text"})), None),
    ]
    for second, same in cases:
        assert compare(first, second, DESIGN).same_contexts is same


def test_three_models_are_compared_two_by_two_and_the_notes_say_what_they_read() -> None:
    rng = np.random.default_rng(9)
    rows = rows_of(rng, 0.5)
    near = {word: one + 0.1 * rng.normal(size=one.shape) for word, one in rows.items()}
    sets = {"p": rows, "q": near, "r": rows_of(rng)}
    models = {name: store(one, name, contexts="abc") for name, one in sets.items()}
    result = compare_battery(models, DESIGN)
    assert result.pairs == (("p", "q"), ("p", "r"), ("q", "r"))
    assert [test.same_contexts for test in result.tests] == [True, False, False]
    read = [note.partition(" read")[0] for note in result.notes]
    assert read == ["p and q", "p and r did not", "q and r did not"]


@pytest.mark.parametrize(("samples", "told"), [(("v1", "v2"), True), (("v2", "v2"), False)])
def test_contexts_that_two_procedures_drew_are_told(samples: tuple[str, str], told: bool) -> None:
    rows = rows_of(np.random.default_rng(18))
    first, second = samples
    models = {
        "p": store(rows, "p", contexts="abc", sample=first),
        "q": store(rows, "q", contexts="def", sample=second),
    }
    (note,) = compare_battery(models, DESIGN).notes
    assert ("drawn by different procedures (v1 and v2)" in note) == told


ROWS = rows_of(np.random.default_rng(10))
CONTEXTS = store(ROWS)
SAVED = ceat(CONTEXTS, DESIGN, samples=3)


def altered(**changed: Any) -> CeatResult:
    """A saved result of which something was changed."""
    return dataclasses.replace(SAVED, **changed)


@pytest.mark.parametrize(
    ("first", "second", "options", "message"),
    [
        (Embeddings(list(ROWS), [one[0] for one in ROWS.values()]), CONTEXTS, {}, "Embeddings and Contexts"),
        (CONTEXTS, "store", {}, "Contexts and str"),
        (CONTEXTS, store({word: [[1.0, 0.0]] for word in ROWS}), {}, "every association"),
        (SAVED, SAVED, {"design": DESIGN.replace({"x5": "z"})}, "x5 and z in one of them only"),
        (SAVED, altered(coverage=None), {}, "does not say which words it measured"),
        (SAVED, altered(_cosines=np.zeros((2, 2))), {}, r"cosines of shape \(2, 2\)"),
        (SAVED, altered(_cosines=np.full((12, 12), np.nan)), {}, "numbers that are not cosines"),
        (SAVED, altered(_cosines=np.full((12, 12), 1.1)), {}, "numbers that are not cosines"),
        (SAVED, altered(contexts={}), {}, "the file was changed"),
        (battery(CONTEXTS, DESIGN, samples=3), CONTEXTS, {}, "of type CeatBatteryResult and Contexts"),
    ],
)
def test_what_is_not_comparable_is_refused(
    first: Any, second: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(CrossroadsError, match=message):
        compare(first, second, **{"design": DESIGN, **options})


def test_one_attribute_word_and_unequal_sets_are_enough_over_contexts() -> None:
    rng = np.random.default_rng(12)
    sets = {"x": WORDS["x"][:2], "y": WORDS["y"][:4], "a": WORDS["a"][:1], "b": WORDS["b"][:1]}
    few = Design(name="few", **sets)  # type: ignore[arg-type]
    first, second = rows_of(rng), rows_of(rng)
    s = [np.array([mean_association(rows, w, few) for w in few.words[:6]]) for rows in (first, second)]
    changes = s[0] - s[1]
    # 15 ways to choose two of six; with unequal sets a difference of means is not one of sums
    means = [changes[list(two)].mean() - np.delete(changes, two).mean() for two in combinations(range(6), 2)]
    up = np.mean(np.array(means) >= means[0] - 1e-9)
    models = {"p": store(first), "q": store(second)}
    result = compare_battery(models, few, scale="cosine", alternative="greater")
    assert result.tests[0].pvalue == pytest.approx(up, rel=1e-12)
    assert result.intervals == (None,)  # a single word cannot be drawn anew
    saved = compare_battery(
        {name: battery(one, few, samples=3) for name, one in models.items()},
        few, scale="cosine", alternative="greater",
    )  # fmt: skip
    assert saved.tests == result.tests


def test_what_was_respelled_in_either_model_is_told() -> None:
    rows = rows_of(np.random.default_rng(14))
    capital = {("X0" if word == "x0" else word): one for word, one in rows.items()}
    lenient = Contexts.from_dict(capital, fallback="title")
    for pair in ((store(rows), lenient), (lenient, store(rows))):
        coverage = compare(*pair, DESIGN).coverage
        assert coverage is not None
        assert coverage.respelled == {"x0": "X0 (title)"}


def test_words_without_which_there_is_no_effect_size_are_counted() -> None:
    # Two words a set, and x0 and y0 are one point in the second model.
    rng = np.random.default_rng(15)
    small = Design(name="small", **{name: words[:2] for name, words in WORDS.items()})  # type: ignore[arg-type]
    first, second = rows_of(rng), rows_of(rng)
    second["y0"] = second["x0"]
    # where y1 is that point too, leaving out x1 leaves equal associations
    second["y1"] = second["x0"]
    models = {"p": store(first), "q": store(second)}
    assert jackknife(shared_words(models["p"], models["q"], small, "raise"), "sd").undefined == 1
    # two words a set show no association for other words, so that the difference of means is what varies
    (ends,) = compare_battery(models, small).intervals
    assert ends is not None
    assert (ends.undefined, ends.resamples) == (0, 8)


@pytest.mark.parametrize(("scale", "told"), [("sd", True), ("cosine", False)])
def test_fewer_contexts_in_one_model_are_told_where_they_make_its_effect_sizes_smaller(
    scale: Any, told: bool
) -> None:
    rng = np.random.default_rng(17)
    rows = rows_of(rng, 0.5)
    more = {word: np.concatenate([one, one + rng.normal(size=one.shape)]) for word, one in rows.items()}
    for models in ({"p": store(rows), "q": store(more)}, {"q": store(more), "p": store(rows)}):
        (note,) = compare_battery(models, DESIGN, scale=scale).notes
        assert ("p has fewer contexts per word than q, and noise" in note) == told
    once = {**more, "a0": rows["a0"]}  # a single word does not make a model read less
    (note,) = compare_battery({"p": store(once), "q": store(more)}, DESIGN, scale=scale).notes
    assert "fewer" not in note

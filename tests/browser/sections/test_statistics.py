"""The arithmetic of the page is that of the library: levels, patterns, and p-values to the last division."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.crossed import crossed
from crossroads.core.inference.geometry import rounding_error, unit
from crossroads.core.inference.multiplicity import adjust_known
from crossroads.core.inference.permutation.test import Alternative, Ties, permutation_test
from crossroads.core.report.page import data
from crossroads.core.stimuli import Design
from crossroads.words.measures.mleat import PATTERNS, lean, pattern_of

LEVELS = """({x, y, a, b}, options) => {
  const {level1, level2, level3} = window.crossroads;
  const plain = ({first, second, ...rest}) => ({...rest, scores: [...first, ...second]});
  return {
    level1: plain(level1({x, y, a, b}, options)),
    x: plain(level2(x, a, b, options)), y: plain(level2(y, a, b, options)),
    ax: level3(x, a, options), bx: level3(x, b, options),
    ay: level3(y, a, options), by: level3(y, b, options),
  };
}"""
TEST = """([tests]) => tests.map(([x, y, options]) => {
  const found = window.crossroads.permutationTest(x, y, options);
  return {...found, divisions: String(found.divisions)};
})"""
CROSSED = """(cases) => cases.map(([sets, options]) => {
  const rows = (some) => some.map((one) => Float64Array.from(one));
  const units = Object.fromEntries(Object.entries(sets).map(([role, some]) => [role, rows(some)]));
  return window.crossroads.crossedTest(units, {...options, near: {limit: 0.5, seen: (unit) => unit}});
})"""
NUMBERS = ["difference", "low", "high", "pvalue", "agreement", "se", "df", "detectable", "effective"]
EDITED = """(edits) => edits.map((sets) => {
  const {vectors} = window.crossroads.contextOf(0);
  const rows = (words) => words.map(vectors.unit);
  const units = Object.fromEntries(Object.entries(sets).map(([role, words]) => [role, rows(words)]));
  return window.crossroads.crossedTest(units, {alternative: "two-sided", near: vectors.near});
})"""
STEPS = """([x, y, options]) => {
  const {now, later} = window.crossroads.permutationSteps(x, y, options);
  let last = null, pauses = 0;
  for (let step = later?.next(); step; step = later.next()) {
    if (step.done) { last = step.value; break; }
    pauses++;
  }
  const plain = (one) => one && {...one, divisions: String(one.divisions)};
  return {now: plain(now), last: plain(last), pauses};
}"""


@pytest.fixture(scope="module")
def page(chromium: Any, report: Path) -> Iterator[Any]:
    """A page, opened once, whose functions are tried; they change nothing in it."""
    window = chromium.new_page()
    window.goto(report.as_uri())
    window.wait_for_selector("html[data-ready=yes]")
    yield window
    window.close()


def _random_design(rng: np.random.Generator, sizes: tuple[int, ...], dim: int) -> tuple[Embeddings, Design]:
    words = {role: [f"{role}{i}" for i in range(n)] for role, n in zip("xyab", sizes, strict=True)}
    labels = [word for some in words.values() for word in some]
    return Embeddings(labels, rng.normal(size=(len(labels), dim)) + 0.3), Design(
        name="random", x=words["x"], y=words["y"], a=words["a"], b=words["b"]
    )


def _units(emb: Embeddings, design: Design) -> dict[str, list[list[float]]]:
    def rows(words: Any) -> list[list[float]]:
        found: list[list[float]] = unit(np.stack([emb[word] for word in words])).tolist()
        return found

    return {role: rows(words) for role, words in design.sets.items()}


@pytest.mark.parametrize("alternative", get_args(Alternative))
def test_what_holds_for_other_words_equals_the_library(page: Any, alternative: Any) -> None:
    """Random tables of many sizes, from two words a set; also of one target, and with a clear difference."""
    rng = np.random.default_rng(len(alternative))
    cases, expected = [], []
    for number in range(24):
        sizes = tuple(int(n) for n in rng.integers(2, 30, size=4))
        emb, design = _random_design(rng, sizes, dim=int(rng.integers(3, 120)))
        if number % 3 == 0:
            moved = np.array(emb.vectors)
            moved[: sizes[0]] += 2 * moved[sum(sizes[:2]) : sum(sizes[:3])].mean(axis=0)
            emb = Embeddings(emb.labels, moved)
        if number % 4 == 0:
            design = Design(name="single", x=design.x, a=design.a, b=design.b)
        cases.append([_units(emb, design), {"alternative": alternative}])
        expected.append(cr.weat(emb, design, alternative=alternative, method="normal").crossed)
    for found, one in zip(page.evaluate(CROSSED, cases), expected, strict=True):
        assert one is not None
        for key in ("difference", "low", "high", "statistic"):
            assert found[key] == pytest.approx(getattr(one, key), rel=1e-11, abs=1e-13)
        for key in ("se", "df", "pvalue"):
            assert found[key] == pytest.approx(getattr(one, key), rel=1e-11)
        assert found["shares"] == pytest.approx(dict(one.shares), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("dim", [40, 7])
@pytest.mark.parametrize("known", [True, False], ids=["vocabulary", "vectors alone"])
def test_edited_lists_count_near_copies_as_the_library_does(
    made: Callable[..., Any], known: bool, dim: int
) -> None:
    """Random edits of lists with twos and fours that are near copies, and chains of them."""
    rng = np.random.default_rng(dim)
    centres = np.repeat(rng.normal(size=(30, dim)), [1, 2, 4] * 10, axis=0)
    vectors = (
        centres + rng.choice([0.2, 0.5, 0.8], size=(len(centres), 1)) * rng.normal(size=centres.shape)
    ).astype("f4")
    words, common = [f"w{i}" for i in range(len(vectors))], None
    if known:  # a few directions have most of the variance, so that correlations are not cosines
        common = rng.normal(size=(200, dim)) * np.geomspace(3, 0.3, dim)
    emb = Embeddings(words, vectors, common=common)
    first = Design(name="first", x=words[:9], y=words[9:20], a=words[20:28], b=words[28:40])
    edits = [first]
    for _ in range(40):
        chosen, sizes = rng.permutation(words).tolist(), rng.integers(2, 16, size=4)
        ends = np.cumsum([0, *sizes])
        sets = {role: chosen[ends[i] : ends[i + 1]] for i, role in enumerate("xyab")}
        sets["x"] = sorted({*sets["x"], *(w for w in words[:9] if w not in chosen[: ends[-1]])})
        edits.append(Design(name="edited", **(sets if rng.random() < 0.8 else {**sets, "y": None})))
    page = made(cr.weat(emb, first), vectors=emb)
    found = page.evaluate(
        EDITED, [{role: list(one) for role, one in design.sets.items()} for design in edits]
    )
    linked = 0
    for ours, design in zip(found, edits, strict=True):
        expected = cr.weat(emb, design, words="effective", method="normal").crossed
        for key in NUMBERS:
            assert ours[key] == pytest.approx(getattr(expected, key), rel=1e-6, abs=1e-9), key
        assert ours["shares"] == pytest.approx(dict(expected.shares), rel=1e-6, abs=1e-9)
        groups = {
            role: tuple(tuple(design.sets[role].items[i] for i in group) for group in some)
            for role, some in ours["copies"].items()
            if some
        }
        assert groups == dict(expected.copies)
        linked += len(groups)
    assert linked > 20  # of some 160 sets


def test_a_vocabulary_too_large_for_the_page_leaves_every_word_independent(
    made: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "OTHERS_BUDGET", 100)
    rng = np.random.default_rng(5)
    rows = np.repeat(rng.normal(size=(16, 9)), 2, axis=0) + 0.01 * rng.normal(size=(32, 9))
    emb = Embeddings([f"w{i}" for i in range(32)], rows.astype("f4"), common=rng.normal(size=(60, 9)))
    sets: dict[str, Any] = {role: emb.labels[8 * i : 8 * i + 8] for i, role in enumerate("xyab")}
    design = Design(name="twos", **sets)
    page = made(cr.weat(emb, design), vectors=emb)
    (ours,) = page.evaluate(EDITED, [{role: list(one) for role, one in design.sets.items()}])
    assert ours["pvalue"] == pytest.approx(cr.weat(emb, design, words="independent").crossed.pvalue, rel=1e-9)
    assert ours["effective"] == dict.fromkeys("xyab", 8)


def test_sets_of_one_word_and_words_that_do_not_differ_have_no_interval(page: Any) -> None:
    rng = np.random.default_rng(1)
    emb, design = _random_design(rng, (1, 3, 4, 1), dim=9)
    same = [[1.0, 0.0]] * 2
    cases = [
        [_units(emb, design), {"alternative": "two-sided"}],
        [{"x": same, "y": same, "a": same, "b": [[0.0, 1.0]] * 2}, {"alternative": "two-sided"}],
    ]
    single, flat = page.evaluate(CROSSED, cases)
    units = [np.array(rows) for rows in _units(emb, design).values()]
    table = np.vstack(units[:2]) @ np.vstack(units[2:]).T
    expected = crossed(table, 1, 4, alternative="two-sided", score_error=rounding_error(9))
    assert expected.reason == "B and X have a single word, and one word has no spread"
    assert (sorted(single["alone"]), single["pvalue"], single["low"]) == (["b", "x"], None, None)
    assert single["difference"] == pytest.approx(expected.difference, rel=1e-12)
    assert (flat["alone"], flat["flat"], flat["pvalue"]) == ([], True, None)


def test_adjusted_p_values_equal_the_library(page: Any) -> None:
    rng = np.random.default_rng(3)
    for n in (1, 2, 7, 30):
        pvalues = [None if rng.random() < 0.2 else float(p) for p in np.round(rng.random(n) ** 3, 2)]
        found = page.evaluate("(some) => crossroads.adjustedPs(some)", pvalues)
        for ours, expected in zip(found, adjust_known(pvalues)["bh"], strict=True):
            assert ours == (None if expected is None else pytest.approx(expected, rel=1e-14))


def test_single_words_have_the_intervals_of_the_library(page: Any) -> None:
    rng = np.random.default_rng(4)
    emb, design = _random_design(rng, (20, 2, 5, 7), dim=30)
    for alternative in get_args(Alternative):
        result = cr.sc_weat(emb, design.x, design.a, design.b, alternative=alternative)
        numbers = zip(result.association.tolist(), result.se.tolist(), result.df.tolist(), strict=True)
        given = [{"difference": d, "se": se, "df": df, "alternative": alternative} for d, se, df in numbers]
        found = page.evaluate("(some) => some.map((one) => crossroads.welchTest(one))", given)
        for key, expected in result.crossed._asdict().items():
            assert [one[key] for one in found] == pytest.approx(expected.tolist(), rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("sizes", [(8, 8, 8, 8), (2, 5, 3, 7), (2, 2, 2, 2)])
def test_all_three_levels_equal_those_of_the_library(page: Any, sizes: tuple[int, ...], ddof: int) -> None:
    rng = np.random.default_rng(sum(sizes) + ddof)
    emb, design = _random_design(rng, sizes, dim=int(rng.integers(3, 301)))
    expected = cr.mleat(emb, design, ddof=ddof)
    found = page.evaluate(
        f"([sets, options]) => ({LEVELS})(sets, options)", [_units(emb, design), {"ddof": ddof}]
    )
    for key, level in {"level1": expected.level1, **expected.level2}.items():
        assert found[key]["effect_size"] == pytest.approx(level.effect_size, rel=1e-12)
        assert found[key]["statistic"] == pytest.approx(level.exchange.statistic, rel=1e-12, abs=1e-13)
        assert found[key]["scores"] == pytest.approx(list(level.associations.values()), rel=1e-12, abs=1e-14)
    for key, cell in expected.level3.items():
        assert found[key]["mean"] == pytest.approx(cell.mean, rel=1e-12, abs=1e-15)
        assert found[key]["sd"] == pytest.approx(cell.sd, rel=1e-12)
        assert found[key]["pairs"] == cell.pairs


def test_cosines_equal_numpy_also_where_squares_would_overflow(page: Any) -> None:
    rng = np.random.default_rng(0)
    for scale in (1.0, 1e-200, 1e200):
        u, v = rng.normal(size=(2, 50))
        expected = float(u @ v / np.sqrt((u @ u) * (v @ v)))
        found = page.evaluate("([u, v]) => crossroads.cosine(u, v)", [(scale * u).tolist(), v.tolist()])
        assert found == pytest.approx(expected, rel=1e-12)


def test_leanings_and_patterns_are_those_of_the_library(page: Any) -> None:
    cases = [(d, p) for d in (-1.0, -0.2, -0.1, 0.0, 0.2, 0.21, 1.0) for p in (0.001, 0.05, 0.0499, 0.7)]
    found = page.evaluate("(cases) => cases.map(([d, p]) => crossroads.lean(d, p))", cases)
    assert found == [lean(d, p, least_effect=0.2, alpha=0.05) for d, p in cases]
    strict = page.evaluate("crossroads.lean(0.6, 0.02, {least_effect: 0.5, alpha: 0.01})")
    assert strict is None
    for name, (x, y) in PATTERNS.items():
        assert page.evaluate("([x, y]) => crossroads.patternOf(x, y)", [x, y]) == name == pattern_of(x, y)


def _small_test(rng: np.random.Generator, number: int) -> tuple[list[float], list[float]]:
    """Scores of sets of one to twelve words: some far apart, some with many ties, some with all equal."""
    n_x, n_y = rng.integers(1, 13, size=2)
    x, y = rng.normal(size=n_x) + rng.choice([-1.5, 0.0, 0.5, 3.0]), rng.normal(size=n_y)
    if number % 4 == 1:
        x, y = np.round(x), np.round(y)
    elif number % 4 == 2:
        x, y = np.round(x, 1), np.round(y, 1)
    elif number % 40 == 3:
        x, y = np.zeros(n_x), np.zeros(n_y)
    return x.tolist(), y.tolist()


@pytest.mark.parametrize("ties", get_args(Ties))
@pytest.mark.parametrize("alternative", get_args(Alternative))
def test_p_of_small_sets_is_the_same_to_the_last_division(page: Any, alternative: str, ties: str) -> None:
    rng = np.random.default_rng(len(alternative) + len(ties))
    tests = [_small_test(rng, number) for number in range(60)]
    options = {"alternative": alternative, "ties": ties, "score_error": rounding_error(50)}
    found = page.evaluate(TEST, [[[x, y, options] for x, y in tests]])
    for (x, y), ours in zip(tests, found, strict=True):
        expected = permutation_test(x, y, **options)  # type: ignore[arg-type]
        assert ours["method"] == expected.method == "exact"
        assert ours["divisions"] == str(expected.total)
        assert ours["tied"] == expected.tied
        assert ours["pvalue"] == expected.pvalue  # a ratio of the same whole numbers
        assert ours["min_pvalue"] == expected.min_pvalue
        assert {name: one[0] for name, one in ours["tails"].items()} == {
            name: one[0] for name, one in expected.tails.items()
        }


@pytest.mark.parametrize(("n_x", "n_y"), [(16, 16), (18, 18), (13, 19), (3, 30)])
def test_p_of_larger_sets_is_the_same_to_the_last_division(page: Any, n_x: int, n_y: int) -> None:
    # from 18 words on a group is split and its sums are read window by window; both signs, so that it swaps
    rng = np.random.default_rng(n_x * n_y)
    for shift in (0.0, 0.4, -0.4):
        x, y = rng.normal(size=n_x) + shift, rng.normal(size=n_y)
        expected = permutation_test(x, y, alternative="two-sided", score_error=rounding_error(50))
        options = {"alternative": "two-sided", "score_error": rounding_error(50)}
        (ours,) = page.evaluate(TEST, [[[x.tolist(), y.tolist(), options]]])
        assert (ours["method"], ours["pvalue"], ours["tied"]) == ("exact", expected.pvalue, expected.tied)


def test_ties_in_split_groups_are_counted_like_any_other(page: Any) -> None:
    # whole numbers from 0 to 3 crowd into few sums, which are then counted by sorting
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 4, size=18).astype(float), rng.integers(0, 4, size=19).astype(float)
    expected = permutation_test(x, y, method="exact", alternative="greater")
    (ours,) = page.evaluate(TEST, [[[x.tolist(), y.tolist(), {"alternative": "greater"}]]])
    assert expected.tied is not None
    assert expected.tied > 1_000_000
    assert (ours["pvalue"], ours["tied"]) == (expected.pvalue, expected.tied)


@pytest.mark.parametrize("ties", get_args(Ties))
@pytest.mark.parametrize("decimals", [16, 1], ids=["no ties", "many ties"])
@pytest.mark.parametrize(("n_x", "n_y"), [(20, 20), pytest.param(19, 21, marks=pytest.mark.full)])
def test_what_cannot_be_counted_at_once_is_bounded_and_then_counted_with_pauses(
    page: Any, n_x: int, n_y: int, decimals: int, ties: Any
) -> None:
    rng = np.random.default_rng(2)
    x, y = np.round(rng.normal(size=n_x) + 0.3, decimals), np.round(rng.normal(size=n_y), decimals)
    expected = permutation_test(x, y, ties=ties, score_error=1e-15)
    found = page.evaluate(STEPS, [x.tolist(), y.tolist(), {"ties": ties, "score_error": 1e-15}])
    assert found["now"]["method"] == "bracket"
    for name, (exact, *_) in expected.tails.items():
        _, low, high = found["now"]["tails"][name]
        assert low <= exact <= high
        assert found["last"]["tails"][name][0] == exact
    assert found["now"]["pvalue_high"] < 1.1 * found["now"]["pvalue_low"]
    assert found["pauses"] > 5
    assert (found["last"]["method"], found["last"]["tied"]) == ("exact", expected.tied)


@pytest.mark.parametrize(("n_x", "n_y"), [(32, 32), (8, 45), (40, 33)])
def test_bounds_hold_where_no_count_is_possible(page: Any, n_x: int, n_y: int) -> None:
    rng = np.random.default_rng(n_x)
    x, y = rng.normal(size=n_x) + 0.3, rng.normal(size=n_y)
    # exact, or bounds that are certain as well
    expected = permutation_test(x, y, alternative="greater")
    found = page.evaluate(STEPS, [x.tolist(), y.tolist(), {"alternative": "greater"}])
    for one in (found["now"], found["last"]):
        if one is not None:
            assert one["method"] == "bracket"
            assert one["pvalue_low"] <= expected.pvalue_high
            assert one["pvalue_high"] >= expected.pvalue_low
            assert one["pvalue"] == one["pvalue_high"]  # it errs towards not rejecting


def test_lists_too_long_for_bounds_fall_back_on_a_normal_curve(page: Any) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=600) + 0.1, rng.normal(size=600)
    for alternative in get_args(Alternative):
        expected = permutation_test(x, y, method="normal", alternative=alternative)
        (found,) = page.evaluate(TEST, [[[x.tolist(), y.tolist(), {"alternative": alternative}]]])
        assert found["method"] == "normal"
        assert found["pvalue"] == pytest.approx(expected.pvalue, rel=1e-6)

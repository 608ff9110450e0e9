"""Frequency: known worlds, definitions written out, numbers of the default vectors, and what is refused."""

from __future__ import annotations

import sys
from itertools import product
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.validity.worlds import frequency_worlds
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import crossroads as cr
from crossroads.core.errors import CrossroadsError, FormatError, MissingStimuliError, UnknownNameError
from crossroads.core.inference.crossed import facing, spread, spread_at_equal
from crossroads.core.stimuli.files.text import read_frequencies
from crossroads.words.checks.frequency import FrequencyResult
from crossroads.words.checks.matched import Drawn

module = sys.modules["crossroads.words.checks.frequency"]  # the function hides it
SIZE = 4_000
LETTERS = product("bdfgklmnprst", "aeiou", "bdfgklmnprst", "aeiou", "xz")
WORDS = ["".join(some) for some in LETTERS][:SIZE]
COUNTS = {word: 1e6 / rank for rank, word in enumerate(WORDS, start=1)}


def world(*, moved: float, meant: float = 0.0, seed: int = 0) -> tuple[cr.Embeddings, cr.Design]:
    """A vocabulary by frequency, whose vectors frequency moves, and a test whose targets differ in frequency.

    Parameters
    ----------
    moved
        How far frequency moves vectors.
    meant
        How far the first target lies towards the first attribute, for what it means.
    """
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(SIZE, 30))
    vectors[:, 0] += moved * (np.log(np.arange(1, SIZE + 1)) - 6)
    places = {
        "y": np.unique(np.geomspace(60, 500, 16).astype(int)),
        "x": np.unique(np.geomspace(60, 500, 16).astype(int)) * 6 + 1,
        "a": np.geomspace(111, 3_600, 12).astype(int) // 4 * 4 + 2,
        "b": np.geomspace(16, 900, 12).astype(int) // 4 * 4,
    }
    vectors[places["x"], 1] += meant
    vectors[places["a"], 1] += 3.0
    sets = {key: [WORDS[row] for row in rows] for key, rows in places.items()}
    emb = cr.Embeddings(WORDS, vectors, ranks=np.arange(1, SIZE + 1))
    return emb, cr.Design(name="world", x=sets["x"], y=sets["y"], a=sets["a"], b=sets["b"])


def test_attributes_in_two_clusters_at_equal_frequency_are_exchanged_at_random() -> None:
    sizes = (16, 16, 16, 16)
    worlds = frequency_worlds("own ranks", worlds=3, sizes=sizes, effect=0.2, seed=0)
    found = [cr.frequency(emb, design, draws=5).adjusted for emb, design, _ in worlds]
    assert [one.attribute_method for one in found] == ["monte-carlo", "saddlepoint", "monte-carlo"]
    assert found[0].attribute_pvalue == pytest.approx(found[0].pvalue, abs=0.1)


def test_what_frequency_does_alone_is_told_from_what_words_mean() -> None:
    for seed in range(5):
        emb, design = world(moved=1.5, seed=seed)
        assert cr.weat(emb, design).pvalue < 0.05
        assert cr.frequency(emb, design).answer != "yes"
        assert cr.frequency(*world(moved=1.5, meant=5.0, seed=seed)).answer == "yes"
    alone = cr.frequency(*world(moved=1.5))
    assert alone.answer == "no"
    assert abs(alone.adjusted.difference) < abs(alone.difference) / 2


def test_an_association_against_what_frequency_does_is_more_than_frequency() -> None:
    emb, design = world(moved=1.5, meant=-5.0)
    turned = cr.frequency(emb, design)
    low, median, high = turned.matched["effect_size"]
    assert turned.effect_size < 0 < low < median
    assert abs(turned.effect_size) < high  # some words of like frequency are as far apart, on the other side
    assert turned.matched_pvalue is not None and turned.matched_pvalue < 0.01
    assert turned.answer == "yes"


@given(st.integers(0, 500), st.integers(3, 6), st.integers(3, 6), st.integers(2, 5), st.integers(2, 5))
def test_numbers_are_those_of_their_definitions(seed: int, n_x: int, n_y: int, n_a: int, n_b: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = {"x": n_x, "y": n_y, "a": n_a, "b": n_b}
    sets = {key: [f"{key}{i}" for i in range(n)] for key, n in sizes.items()}
    words = [word for some in sets.values() for word in some]
    emb = cr.Embeddings(words, rng.normal(size=(len(words), 7)))
    counts = dict(zip(words, rng.lognormal(3, 1.5, len(words)).tolist(), strict=True))
    toy = cr.Design(name="toy", x=sets["x"], y=sets["y"], a=sets["a"], b=sets["b"])
    found = cr.frequency(emb, toy, frequencies=counts)
    f = {key: [log(counts[word]) for word in some] for key, some in sets.items()}
    level = {key: [found.basis.associations[word] for word in sets[key]] for key in "xy"}
    mean = {key: sum(f[key]) / len(f[key]) for key in "xy"}
    squares = sum((value - mean[key]) ** 2 for key in "xy" for value in f[key])
    gap = (mean["x"] - mean["y"]) / (squares / (n_x + n_y - 2)) ** 0.5
    assert found.gap == pytest.approx(gap)
    assert found.overlap == pytest.approx(2 * stats.norm.cdf(-abs(gap) / 2))
    within_f = [value - mean[key] for key in "xy" for value in f[key]]
    within_s = [value - sum(level[key]) / len(level[key]) for key in "xy" for value in level[key]]
    assert found.r == pytest.approx(stats.pearsonr(within_f, within_s).statistic)
    # ordinary least squares on set and log frequency; slopes are steeper, since the list is of another text
    slopes = []

    def at_equal(values: dict[str, list[float]], one: str, two: str) -> float:
        rows = np.array([[1.0, key == one, value] for key in (one, two) for value in f[key]])
        fitted = np.linalg.lstsq(rows, np.array(values[one] + values[two]), rcond=None)[0]
        slopes.append(fitted[2])
        away = np.mean(f[one]) - np.mean(f[two])
        return float(np.mean(values[one]) - np.mean(values[two]) - fitted[2] / 0.7 * away)

    cosines = {
        (word, other): float(emb[word] @ emb[other] / np.linalg.norm(emb[word]) / np.linalg.norm(emb[other]))
        for word in sets["x"] + sets["y"]
        for other in sets["a"] + sets["b"]
    }
    t: dict[str, list[float]] = {"a": [], "b": []}
    for key in "ab":
        for other in sets[key]:
            t[key].append(at_equal({k: [cosines[w, other] for w in sets[k]] for k in "xy"}, "x", "y"))
    plain = float(np.mean(t["a"]) - np.mean(t["b"]))
    expected = plain if min(n_a, n_b) < 3 else at_equal(t, "a", "b")
    assert found.adjusted.difference == pytest.approx(expected, abs=1e-10)
    assert at_equal(level, "x", "y") == pytest.approx(expected, abs=1e-10)
    assert found.basis.slope == pytest.approx(slopes[-1] / 0.7, abs=1e-10)
    assert found.basis.reliability == 0.7
    assert found.matched_pvalue is None  # no other words are there to draw from


@pytest.mark.parametrize(
    ("drawn", "share"),
    [
        ([1 / 3, 2 / 3, 1, 4 / 3, -1.1], 4 / 6),  # on the side of most tests: as large on either side
        ([-1 / 4, -1 / 2, -3 / 4, -1, 0.8], 1 / 6),  # -1 is as large, where frequency pulls
    ],
)
def test_the_matched_p_is_the_share_that_is_as_large(
    drawn: list[float], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    emb, design = world(moved=1.5)
    effects = cr.weat(emb, design).effect_size * np.array(drawn)
    monkeypatch.setattr(module, "drawn_targets", lambda *_, **__: Drawn(effects, effects))
    assert cr.frequency(emb, design).matched_pvalue == pytest.approx(share)


def test_groups_apart_in_frequency_cannot_be_told_apart_in_meaning() -> None:
    emb, design = world(moved=1.5, meant=3.0)
    targets = {**dict.fromkeys(design.x, 2.0), **dict.fromkeys(design.sets["y"], 4.0)}
    far = {word: 1e9 if targets.get(word) == 4 else 1 + i / 100 for i, word in enumerate(WORDS)}
    apart = cr.frequency(emb, design, frequencies=far)
    assert apart.answer == "cannot tell"
    assert apart.overlap < 0.1
    flat = cr.frequency(emb, design, frequencies={**dict.fromkeys(WORDS, 3.0), **targets})
    assert (flat.gap, flat.overlap, flat.r, flat.answer) == (None, 0.0, None, "cannot tell")
    assert type(flat).from_json(flat.to_json()) == flat


def test_without_a_gap_or_a_slope_the_difference_stays() -> None:
    rng = np.random.default_rng(2)
    table = rng.normal(size=(12, 8))
    f = np.tile(rng.normal(size=6), 2)  # the same frequencies in both targets
    same = spread_at_equal(table, facing(6, 12, f), facing(4, 8), 6, 4)
    assert same.difference == pytest.approx(spread(table, 6, 4).difference)
    level = spread_at_equal(table, facing(6, 12, np.ones(12)), facing(4, 8), 6, 4)  # nothing to adjust for
    assert level.parts.tolist() == pytest.approx(spread(table, 6, 4).parts.tolist())
    assert float(level.total) == pytest.approx(float(spread(table, 6, 4).total))


@pytest.fixture(scope="module")
def of_default() -> dict[str, FrequencyResult]:
    names = ("weat1", "weat2", "weat6", "weat7", "weat8", "weat9", "i1", "i2")
    designs = [cr.catalog(name) for name in names]
    emb = cr.load("default", words=[word for one in designs for word in one.words], pool=20_000)
    return {one.name: cr.frequency(emb, one, missing="drop") for one in designs}


def test_the_intersectional_tests_of_the_default_vectors_are_what_frequency_predicts(
    of_default: dict[str, FrequencyResult],
) -> None:
    i1 = of_default["i1"]
    low, median, high = i1.matched["effect_size"]
    # from an independent measurement: d = 1.48 (1.15 to 1.72) of words of the same ranks, p = .22
    assert (low, median, high) == pytest.approx((1.15, 1.48, 1.72), abs=0.06)
    assert i1.matched_pvalue == pytest.approx(0.22, abs=0.06)
    assert i1.answer == of_default["i2"].answer == "cannot tell"
    expected = {"i1": (0.139, -0.045), "i2": (0.156, -0.034), "weat9": (0.103, 0.014)}
    for name, (plain, equal) in expected.items():
        found = of_default[name]
        assert (found.difference, found.adjusted.difference) == pytest.approx((plain, equal), abs=0.002)
        assert found.adjusted.low is not None and found.adjusted.high is not None
        assert found.adjusted.low < 0 < found.adjusted.high
    assert of_default["weat9"].answer == "no"


def test_other_tests_of_the_default_vectors_stay_at_equal_frequency(
    of_default: dict[str, FrequencyResult],
) -> None:
    for name in ("weat1", "weat2", "weat6", "weat7", "weat8"):
        found = of_default[name]
        assert found.adjusted.difference > 0.7 * found.difference
        assert found.matched_pvalue is not None and found.matched_pvalue < 0.01
        assert found.answer == ("cannot tell" if name in ("weat7", "weat8") else "yes")
        assert (found.basis.reliability, found.basis.least_reliability) == (1.0, None)


def test_a_whole_file_and_words_with_a_pool_agree(tmp_path: Path) -> None:
    emb, design = world(moved=1.5)
    words = ["the", "of", "and", "to", *WORDS]  # by which the order is known
    path = tmp_path / "vectors.txt"
    rows = np.concatenate([np.ones((4, 30)), emb.vectors])
    path.write_text("\n".join(f"{w} {' '.join(map(str, row))}" for w, row in zip(words, rows, strict=True)))
    whole = cr.frequency(cr.load(path), design)
    some = cr.frequency(cr.load(path, words=design.words, pool=SIZE), design)
    assert some.matched == whole.matched
    assert some.matched_pvalue == whole.matched_pvalue
    bare = cr.frequency(cr.load(path, words=design.words), design)
    assert bare.matched_pvalue is None
    assert bare.adjusted == whole.adjusted


def test_frequencies_come_from_a_table_or_a_file(tmp_path: Path) -> None:
    emb, design = world(moved=1.5)
    by_rank = cr.frequency(emb, design)
    by_table = cr.frequency(emb, design, frequencies=COUNTS)
    assert (by_rank.basis.reliability, by_table.basis.reliability) == (1.0, 0.7)
    assert abs(by_table.adjusted.difference - by_rank.adjusted.difference) > 1e-6
    assert by_table.matched_pvalue == pytest.approx(by_rank.matched_pvalue, abs=0.01)  # edges round
    path = tmp_path / "counts.tsv"
    path.write_text("word\tcount\n" + "\n".join(f"{word}\t{count!r}" for word, count in COUNTS.items()))
    for file in (path, str(path)):
        assert cr.frequency(emb, design, frequencies=file) == by_table
    assert (by_rank.basis.source, by_table.basis.source) == ("order of the vector file", "given as a table")
    # words are looked up in lower case, where the table has no other
    upper = cr.Embeddings([word.title() for word in WORDS], emb.vectors)
    titled = design.replace({word: word.title() for word in design.words})
    assert cr.frequency(upper, titled, frequencies=COUNTS).matched_pvalue == by_table.matched_pvalue


def test_wordfreq_knows_languages() -> None:
    wordfreq = pytest.importorskip("wordfreq", reason="extra 'frequency'")
    design = cr.catalog("weat7")
    emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    found = cr.frequency(emb, design, frequencies="wordfreq")
    assert found.basis.source == "wordfreq, en"
    assert found.basis.log_frequencies["math"] == pytest.approx(log(wordfreq.word_frequency("math", "en")))
    for name in ("de", "wordfreq:de"):
        assert cr.frequency(emb, design, frequencies=name, missing="drop").basis.source == "wordfreq, de"
    with pytest.raises(UnknownNameError, match="xq"):
        cr.frequency(emb, design, frequencies="wordfreq:xq")


def test_words_without_a_frequency_are_named_or_left_out() -> None:
    emb, design = world(moved=1.5)
    gone = [design.x[2], design.b[1]]
    counts = {word: n for word, n in COUNTS.items() if word not in gone}
    with pytest.raises(CrossroadsError, match=f"frequency of '{gone[0]}' and '{gone[1]}' is not known"):
        cr.frequency(emb, design, frequencies=counts)
    found = cr.frequency(emb, design, frequencies=counts, missing="drop")
    assert found.coverage is not None
    assert found.coverage.missing == dict.fromkeys(gone, "no frequency is known")
    assert found._left_out() == 2
    assert gone[0] not in found.basis.associations
    balanced = cr.frequency(emb, design, frequencies=counts, missing="balance")
    assert {key: len(words) for key, words in balanced.sets.items()} == {"x": 15, "y": 15, "a": 11, "b": 11}
    assert balanced.coverage is not None
    assert balanced.coverage.dropped["x"] == {gone[0]: "no frequency is known"}
    assert list(balanced.coverage.dropped["y"].values()) == ["left out to balance the sets"]
    with pytest.raises(MissingStimuliError, match="x has 1 of"):
        few = {word: n for word, n in counts.items() if word not in design.x[1:]}
        cr.frequency(emb, design, frequencies=few, missing="drop")


def test_a_pool_without_words_of_like_frequency_is_said() -> None:
    emb, design = world(moved=1.5, meant=5.0)
    attributes = {*design.a, *design.b}
    counts = {word: n * 1e7 if word in attributes else n for word, n in COUNTS.items()}  # none is as frequent
    found = cr.frequency(emb, design, frequencies=counts)
    assert found.matched_pvalue is not None
    assert found.matched_both_pvalue is None
    counts = {word: n * 1e7 if word in design.words else n for word, n in COUNTS.items()}
    none = cr.frequency(emb, design, frequencies=counts)
    assert (none.matched_pvalue, none.answer) == (None, "yes")
    assert "too few other words are about as frequent as" in none.reason


EMB, DESIGN = world(moved=1.5)


@pytest.mark.parametrize(
    ("emb", "design", "options", "message"),
    [
        (cr.Embeddings(EMB.labels, EMB.vectors), DESIGN, {}, r"(?s)their order is unknown.*ranked=True"),
        (EMB, DESIGN, {"frequencies": [1, 2]}, "frequencies is of type list"),
        *(
            (EMB, DESIGN, {"frequencies": {**COUNTS, DESIGN.x[0]: odd}}, f"frequency of '{DESIGN.x[0]}' is")
            for odd in (0, float("inf"), "many")
        ),
        (EMB, cr.Design(name="single", x=DESIGN.x, a=DESIGN.a, b=DESIGN.b), {}, "has a single target"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    emb: cr.Embeddings, design: cr.Design, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(CrossroadsError, match=message):
        cr.frequency(emb, design, **options)


def test_two_words_in_a_target_have_no_slope_to_adjust_by() -> None:
    emb, design = world(moved=1.5, meant=3.0)
    small = cr.Design(name="small", x=[design.x[3], design.x[9]], y=design.y, a=design.a, b=design.b)
    found = cr.frequency(emb, small)
    assert found.adjusted.pvalue is None
    assert found.adjusted.reason == "a slope within the targets takes three words in each"
    assert found.answer in ("no", "cannot tell")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rose,1,2\n", "there are 3 columns"),
        ("word,count\nrose,often\n", "'often' is no frequency of 'rose'"),
        ("rose,1\nrose,2\n", "'rose' is there twice"),
        ("word,count\n", "no frequencies"),
    ],
)
def test_a_file_of_frequencies_says_what_is_wrong_with_it(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_frequencies(path)


def test_rows_of_zeros_are_not_drawn() -> None:
    emb, design = world(moved=1.5)
    vectors = np.array(emb.vectors)
    own = set(design.words)
    zero = [row for row in range(100, 200) if WORDS[row] not in own][::3]
    vectors[zero] = 0.0
    found = cr.frequency(cr.Embeddings(WORDS, vectors, ranks=np.arange(1, SIZE + 1)), design)
    assert np.isfinite(found.matched["both_difference"]).all()


def test_frequencies_of_another_text_are_never_a_plain_yes() -> None:
    emb, design = world(moved=1.5, meant=5.0)
    own, other = cr.frequency(emb, design), cr.frequency(emb, design, frequencies=COUNTS)
    assert (own.answer, other.answer) == ("yes", "yes")
    assert "reliability" not in own.reason
    least = other.basis.least_reliability
    assert least is not None and least < 0.7
    assert f"unless the reliability of these frequencies within the sets is below {least:.2f}" in other.reason


def test_lists_of_another_text_seldom_find_what_is_only_frequency() -> None:
    rng, yes, options = np.random.default_rng(5), 0, {"draws": 50}
    for seed in range(40):
        emb, design = world(moved=1.5, seed=seed)
        noise = np.exp(rng.normal(size=SIZE) * 0.65)  # reliability of about .7 within the sets
        counts = {word: n * float(e) for (word, n), e in zip(COUNTS.items(), noise, strict=True)}
        yes += cr.frequency(emb, design, frequencies=counts, **options).answer == "yes"  # type: ignore[arg-type]
    assert yes <= 4

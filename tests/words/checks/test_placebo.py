"""Placebo tests: the procedure written out, worlds with and without an association, pools, bad input."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.errors import EvidenceError, InputError
from crossroads.core.inference.crossed import crossed
from crossroads.core.inference.geometry import unit
from crossroads.words.checks.placebo import OtherWords, nearest, placebo_among

module = sys.modules["crossroads.words.checks.placebo"]  # the function hides it
SIZES = {"x": 5, "y": 4, "a": 6, "b": 3}


def world(
    words: int = 1500, dim: int = 12, seed: int = 0, strength: float = 0.0
) -> tuple[cr.Embeddings, cr.Design]:
    """Words around forty centres, and a design out of other words, with or without an association."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(40, dim))
    vectors = {f"w{i}": centres[i % 40] + rng.normal(0, 0.5, dim) for i in range(words)}
    direction = rng.normal(size=dim)
    for key, n in SIZES.items():
        side = strength * (1 if key in "xa" else -1)
        vectors |= {f"{key}{i}": rng.normal(size=dim) + side * direction for i in range(n)}
    sets = {key: [f"{key}{i}" for i in range(n)] for key, n in SIZES.items()}
    return cr.Embeddings.from_dict(vectors), cr.Design(name="world", **sets)  # type: ignore[arg-type]


def written_out(
    pool: np.ndarray, sizes: dict[str, int], draws: int, seed: int
) -> tuple[list[float], list[float]]:
    """Both kinds of placebos one at a time: draw centres, take neighbours, deal attributes."""
    rng = np.random.default_rng(seed)
    n, words = len(pool), sum(sizes.values())
    centres = [rng.choice(n, len(sizes), replace=False) for _ in range(draws)]
    others = [rng.choice(n, words, replace=False) for _ in range(draws)]
    found: tuple[list[float], list[float]] = ([], [])
    for at in range(draws):
        taken: list[int] = []
        topics: dict[str, list[int]] = {}
        for key, centre in zip(sizes, centres[at], strict=True):
            by_cosine = sorted(range(n), key=lambda row: -float(pool[row] @ pool[centre]))
            topics[key] = [row for row in by_cosine if row not in taken][: sizes[key]]
            taken += topics[key]
        targets = topics["x"] + topics.get("y", [])
        dealt = [row for row in others[at] if row not in targets][: sizes["a"] + sizes["b"]]
        for kind, attributes in enumerate((dealt, topics["a"] + topics["b"])):
            table = pool[targets] @ pool[attributes].T
            tested = crossed(table, sizes["x"], sizes["a"], alternative="two-sided")
            assert tested.statistic is not None
            found[kind].append(tested.statistic)
    return found


def test_by_default_a_thousand_are_drawn_and_coherence_is_the_mean_cosine_within_a_set() -> None:
    emb, design = world()
    two = cr.Design(name="two", x=design.x[:2], y=design.sets["y"][:2], a=design.a[:2], b=design.b[:2])
    found = cr.placebo(emb, two)
    assert len(found.statistics) == len(found.topic_statistics) == 1000
    ends = [(emb[words[0]], emb[words[1]]) for words in (two.x, two.sets["y"])]
    within = [one @ other / np.linalg.norm(one) / np.linalg.norm(other) for one, other in ends]
    assert found.coherence["test"] == pytest.approx(np.mean(within))


@pytest.mark.parametrize("single", [False, True])
def test_placebos_are_those_of_the_procedure_written_out(single: bool) -> None:
    emb, design = world()
    if single:
        design = cr.Design(name="single", x=design.x, a=design.a, b=design.b)
    found = cr.placebo(emb, design, draws=30, seed=7)
    own = set(design.words)
    pool = unit(np.stack([emb[word] for word in emb.labels if word not in own]))
    sizes = {key: SIZES[key] for key in design.sets}
    dealt, topics = written_out(pool, sizes, 30, 7)
    assert found.statistics == pytest.approx(dealt, rel=1e-9)
    assert found.topic_statistics == pytest.approx(topics, rel=1e-9)
    assert found.sizes == sizes
    assert found.pool == len(pool)


def test_tests_that_share_the_nearest_words_have_the_placebos_that_each_has_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SPARE", 5)  # fewer than the words of the first test among the nearest
    emb, design = world()
    near = [f"w{i}" for i in range(0, 1200, 40)]  # around one centre
    extra = np.stack([emb["w1"], emb["w40"] + 1e-3])
    more = cr.Embeddings([*emb.labels, "copy", "W0"], np.concatenate([emb.vectors, extra]))
    designs = [
        cr.Design(name="near", x=near[:14], y=near[14:28], a=["w1", "w41"], b=["w2", "w42"]),
        *(design.replace({"x0": f"w{i}"}) for i in range(5)),
    ]
    shared = OtherWords(more, designs)
    for one in designs:
        alone, together = cr.placebo(more, one, draws=40), placebo_among(shared, one, draws=40)
        assert together.to_dict() == alone.to_dict()


def test_percentiles_and_p_count_what_they_say() -> None:
    emb, design = world(strength=0.4)
    found = cr.placebo(emb, design, draws=200)
    tested = cr.weat(emb, design, alternative="two-sided").crossed
    assert tested is not None
    assert found.statistic == pytest.approx(tested.statistic, rel=1e-12)
    assert found.crossed_pvalue == pytest.approx(tested.pvalue, rel=1e-9)
    larger = sum(abs(t) >= abs(found.statistic) for t in found.statistics)
    assert found.pvalue == (1 + larger) / 201
    assert found.percentile == 1 - larger / 200
    assert found.topic_percentile == sum(abs(t) < abs(found.statistic) for t in found.topic_statistics) / 200
    assert found.pvalue_low <= larger / 200 <= found.pvalue_high


def test_nothing_is_found_where_nothing_is_and_a_strong_association_stands_out() -> None:
    assert cr.placebo(*world(), draws=199).pvalue > 0.05
    strong = cr.placebo(*world(strength=1.5), draws=199)
    assert (strong.pvalue, strong.percentile, strong.agrees) == (1 / 200, 1.0, True)


@pytest.mark.parametrize(
    ("interval", "strength", "agree"),
    [
        ((0.0, 0.004), 1.5, True),
        ((0.0, 0.004), 0.0, False),
        ((0.1, 0.2), 1.5, False),
        ((0.1, 0.2), 0.0, True),
        ((0.04, 0.07), 1.5, True),
        ((0.04, 0.07), 0.0, True),
    ],
)
def test_p_values_agree_on_one_side_of_the_level(
    interval: tuple[float, float], strength: float, agree: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "exact_interval", lambda *_: interval)
    found = cr.placebo(*world(strength=strength), draws=5)
    assert (found.crossed_pvalue < 0.05) == (strength > 0)
    assert found.agrees is agree


def test_the_largest_are_found_in_order() -> None:
    rng = np.random.default_rng(0)
    for rows, columns, k in ((3, 10, 10), (4, 300, 7), (5, 5000, 30), (2, 1031, 64)):
        values = rng.normal(size=(rows, columns)).astype(np.float32)
        expected = np.argsort(-values, axis=1)[:, :k]
        assert np.array_equal(nearest(values, k), expected)
    tied = np.zeros((1, 2000), np.float32)
    assert nearest(tied, 3).tolist() == [[0, 1, 2]]


def test_words_of_the_design_copies_and_numbers_are_no_placebos() -> None:
    emb, design = world(1100)
    labels = [*emb.labels, "X0", "1999", "--", "zero", "copy"]
    extra = np.stack([emb["w1"] * -1, emb["w2"] * -2, emb["w3"] * -3, np.zeros(12), emb["w4"]])
    more = cr.Embeddings(labels, np.concatenate([emb.vectors, extra]))
    # X0 is x0 in another case, two labels have no letter, one no direction, one the vector of w4
    assert cr.placebo(more, design, draws=5).pool == 1100


def test_of_ranked_words_the_common_ones_are_drawn_and_a_large_pool_is_thinned() -> None:
    emb, design = world(1000)
    vectors = np.random.default_rng(0).normal(size=(20_500, 12)).astype(np.float32)
    labels = [f"v{i}" for i in range(20_500)]
    assert cr.placebo(emb.with_pool(cr.Embeddings(labels, vectors)), design, draws=3).pool == 20_000
    ranked = cr.Embeddings(labels[:1500], vectors[:1500], ranks=range(19_000, 20_500))
    assert cr.placebo(emb.with_pool(ranked), design, draws=3).pool == 1001


def test_a_file_that_was_read_without_a_pool_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emb, design = world(1300)
    letters = str.maketrans("0123456789", "abcdefghij")  # labels of letters alone, as pools of files have
    rows = zip(emb.labels, emb.vectors.tolist(), strict=True)
    lines = [f"{word[0]}q{word[1:].translate(letters)} {' '.join(map(repr, row))}\n" for word, row in rows]
    file = tmp_path / "vectors.txt"
    file.write_text("".join(lines), encoding="utf-8")
    design = design.replace({word: f"{word[0]}q{word[1:].translate(letters)}" for word in design.words})
    monkeypatch.chdir(tmp_path)
    emb = cr.load("vectors.txt", words=design.words)
    monkeypatch.chdir("/")
    again = cr.placebo(emb, design, draws=20)
    along = cr.placebo(cr.load(file, words=design.words, pool=20_000), design, draws=20)
    whole = cr.placebo(cr.load(file), design, draws=20)
    assert again.statistics.tolist() == along.statistics.tolist() == whole.statistics.tolist()
    assert again.pool == 1300
    some = cr.load(file, words=design.words).select(design.words)
    assert cr.placebo(some, design, draws=20).pool == 1300
    file.unlink()
    assert cr.placebo(emb, design, draws=20) == again  # it was remembered
    with pytest.raises(InputError, match="no such file"):
        cr.placebo(some.with_pool(None), design, draws=20)


def test_without_enough_words_or_a_t_there_is_nothing_to_compare_with() -> None:
    emb, design = world(900)
    with pytest.raises(EvidenceError, match=r"900 other words .* at least 1,000"):
        cr.placebo(emb, design)
    with pytest.raises(EvidenceError, match="no other words of"):
        cr.placebo(emb.select(design.words), design)
    one = cr.Design(name="one", x=design.x, y=design.y, a=["a0"], b=design.b)
    with pytest.raises(EvidenceError, match="A has a single word"):
        cr.placebo(emb, one)
    with pytest.raises(InputError, match="draws is 0"):
        cr.placebo(emb, design, draws=0)


@pytest.mark.slow
def test_the_published_tests_stand_where_they_did_in_the_default_vectors() -> None:
    """It takes a while: fewer than 1,000 placebos of each test would not tell these percentiles apart."""
    # 400 placebos out of the 20,000 most frequent words gave these percentiles: dealt, topics
    before = {"weat6": (1.00, 0.84), "weat7": (0.88, 0.34), "weat9": (0.78, 0.36), "i2": (0.56, 0.22)}
    designs = {name: cr.catalog(name) for name in before}
    words = [word for design in designs.values() for word in design.words]
    emb = cr.load("default", words=words, pool=20_000)
    for name, expected in before.items():
        found = cr.placebo(emb, designs[name], missing="drop")
        assert (found.percentile, found.topic_percentile) == pytest.approx(expected, abs=0.08)
        assert found.agrees


def test_the_ordinary_association_is_the_median_of_tests_of_topics() -> None:
    emb, _ = world(words=1500)
    found = cr.stats.ordinary(emb, draws=40, seed=3)
    rows = unit(np.asarray(emb.vectors))  # no ranks: every word of the pool
    assert (found.pool, found.topics, found.tests) == (len(rows), 40, 200)
    assert found.words == round(100 * len(rows) / 20_000)
    rng = np.random.default_rng(3)
    centres = rng.choice(len(rows), 40, replace=False)
    topics = [
        sorted(range(len(rows)), key=lambda i: -float(rows[i] @ rows[c]))[: found.words] for c in centres
    ]
    sizes = []
    for _ in range(20):
        for x, y, a, b in rng.permutation(40).reshape(10, 4):
            table = [[(rows[topics[t]] @ rows[topics[s]].T).mean() for s in (a, b)] for t in (x, y)]
            sizes.append(abs(table[0][0] - table[0][1] - table[1][0] + table[1][1]))
    assert found.margin == pytest.approx(np.median(sizes), rel=1e-5)


def test_the_ordinary_association_is_the_same_whatever_words_were_loaded() -> None:
    some, others = (cr.catalog(name).words for name in ("weat6", "weat1"))
    found = {
        cr.stats.ordinary(cr.load("default", **options)).margin
        for options in (
            {"words": some, "pool": 20_000},
            {"words": others, "pool": 20_000},
            {"words": ["rose"]},
            {},
        )
    }
    assert len(found) == 1
    assert found.pop() == pytest.approx(0.09, abs=0.005)  # how-sure: GloVe .09
    emb = cr.load("default", words=some, pool=20_000)
    assert cr.stats.ordinary(emb, seed=1).margin == pytest.approx(0.09, abs=0.005)


def test_topics_take_a_pool() -> None:
    small = cr.Embeddings([f"w{i}" for i in range(60)], np.random.default_rng(0).normal(size=(60, 5)))
    with pytest.raises(EvidenceError, match="60 other words to draw topics from, and it takes 1,000"):
        cr.stats.ordinary(small)
    with pytest.raises(InputError, match="draw at least four topics"):
        cr.stats.ordinary(world()[0], draws=3)

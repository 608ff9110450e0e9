"""Figures of intersectional detections, of discoveries and of representational geometry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import InputError
from crossroads.core.evidence import Embeddings
from crossroads.core.figures.style import own_style
from crossroads.core.wording.numbers import number
from crossroads.intersections.detection import eibd, ibd
from crossroads.intersections.discovery import DiscoveryResult, discover
from crossroads.intersections.rsa import RsaGridResult, RsaResult, rsa
from crossroads.intersections.wefat import WefatResult, wefat
from crossroads.plots import discoveries, fit_plot, roc
from tests.fixtures.figures import faults, said

PUBLISHED = {"AF IBD": (9 / 84, 5 / 14), "AF EIBD": (10 / 89, 4 / 9), "elsewhere": (33 / 92, 5 / 6)}


@pytest.fixture(scope="module")
def material() -> Any:
    """Scores of sixty words, ten of which lie near the names of the target, with the table of groups."""
    races = ("African American", "European American", "Mexican American")
    rng = np.random.default_rng(7)
    groups: dict[tuple[str, str], list[str]] = {}
    vectors: dict[str, Any] = {}
    for i, race in enumerate(races):
        for j, gender in enumerate(("female", "male")):
            names = [f"name{i}{j}{k}" for k in range(6)]
            groups[race, gender] = names
            for name in names:
                vectors[name] = rng.normal(size=8) + 2 * np.eye(8)[i] + 2 * np.eye(8)[4 + j]
    words = [f"word{i}" for i in range(60)]
    for i, word in enumerate(words):
        vectors[word] = rng.normal(size=8) + (i < 10) * 1.2 * (np.eye(8)[0] + np.eye(8)[4])
    emb = Embeddings.from_dict(vectors)
    return emb, groups, words, wefat(emb, groups, words, (races[0], "female"))


@pytest.fixture(scope="module")
def scores(material: Any) -> WefatResult:
    result: WefatResult = material[3]
    return result


@pytest.fixture(scope="module")
def detected(scores: WefatResult) -> dict[str, Any]:
    options: Any = {"truth": [f"word{i}" for i in range(10)], "resamples": 100}
    first = ibd(scores.pairs, threshold="youden", **options)
    second = eibd(scores.pairs, scores.constituents, threshold=first.threshold, **options)
    return {"AF IBD": first, "AF EIBD": second}


@pytest.fixture(scope="module")
def found(material: Any) -> DiscoveryResult:
    emb, groups, words, _ = material
    target = ("African American", "female")
    return discover(emb, groups, target, words=words, fdr=0.6, draws=20, relative=False)


@pytest.fixture(scope="module")
def grid() -> RsaGridResult:
    rng = np.random.default_rng(3)
    groups = {name: [f"{i}-{k}" for k in range(6)] for i, name in enumerate(("one", "two", "three"))}
    concepts = {"thing": [f"c{k}" for k in range(6)]}
    vectors = {item: rng.normal(size=20) for items in (groups | concepts).values() for item in items}
    for item in (*groups["one"], *concepts["thing"]):
        vectors[item] = vectors[item] + 1.5 * np.arange(20) / 20
    return rsa(Embeddings.from_dict(vectors), groups, concepts, n=4, samples=40, draws=99)


@pytest.fixture(scope="module")
def pair(grid: RsaGridResult) -> RsaResult:
    return grid.tests[0]


def drawn(ax: Any, marker: str) -> list[tuple[float, float]]:
    """Where markers of a shape stand, in data, legends aside."""
    return [
        (float(x), float(y))
        for line in ax.lines
        if line.get_marker() == marker and line.get_transform() == ax.transData
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    ]


@pytest.mark.slow
def test_a_detection_shows_listed_and_other_words_the_threshold_and_what_was_found(
    detected: dict[str, Any],
) -> None:
    ax: Any = roc(detected, published=PUBLISHED)
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    expected = [
        sorted(
            score
            for word, score in result.scores.items()
            if ((word in result.truth), (word in result.words)) == (listed, found)
        )
        for result in detected.values()
        for listed in (True, False)
        for found in (False, True)
    ]
    assert [sorted(line.get_xdata()) for line in marks] == expected
    assert [line.get_markerfacecolor() == line.get_color() for line in marks] == [False, True] * 4
    lines = [list(line.get_xdata()) for line in ax.lines if line.get_marker() == "None"]
    assert lines == [[detected["AF IBD"].threshold] * 2]  # none divides what EIBD finds
    texts = said(ax)
    for result in detected.values():
        low, high = result.auc_interval
        assert f"AUC {result.auc:.2f} ({low:.2f} to {high:.2f})" in texts
        assert {f"{share.hits}/{share.cases}" for share in list(result.intervals.values())[1:]} <= set(texts)
    assert "elsewhere 83\N{NO-BREAK SPACE}% and 36\N{NO-BREAK SPACE}%" in " ".join(texts)
    assert "possibly at chance" in texts
    better = replace(detected["AF IBD"], auc_interval=(0.6, 0.9))
    assert any(text.startswith(f"found: {', '.join(better.words[:3])}") for text in said(roc({"AF": better})))
    assert faults(ax) == []
    with own_style():
        names = (
            "Donaudampfschifffahrtsgesellschaftskapitäne",
            "花と昆虫 $x_1$",
            "a name that says everything",
        )
        many = {f"{name} {i}": detected["AF EIBD"] for name in names for i in range(2)}
        assert faults(roc(many, published=dict.fromkeys(names, (0.2, 0.7)))) == []


@pytest.mark.slow
def test_each_test_has_two_fits_with_percentiles_its_attainable_one_and_the_difference_of_the_table(
    grid: RsaGridResult,
) -> None:
    ax: Any = fit_plot(grid)
    assert [x for x, _ in drawn(ax, "o")] == [test.similarity1 for test in grid.tests]
    assert [x for x, _ in drawn(ax, "s")] == [test.similarity2 for test in grid.tests]
    ends = [
        float(end)
        for test in grid.tests
        for samples in (test.samples1, test.samples2)
        for end in np.percentile(samples, (2.5, 97.5))
    ]
    assert [x for x, _ in drawn(ax, "|")] == ends
    ticks = [
        list(line.get_xdata())
        for line in ax.lines
        if line.get_marker() == "None" and line.get_xdata()[0] not in (0, 1)
    ]
    assert ticks == [[x, x] for x in (test.attainable for test in grid.tests)]
    texts = said(ax)
    assert "percentiles 2.5 to 97.5 of 40 samples of 4 items per set" in " ".join(texts)
    column = texts[texts.index("Δ") + 1 :][: len(grid.tests)]
    assert column == [number(row["difference"], sign=True) for row in grid._table().rows]
    assert column != [number(test.similarity1 - test.similarity2, sign=True) for test in grid.tests]


def test_both_p_values_are_said(pair: RsaResult) -> None:
    texts = said(fit_plot([replace(pair, pvalue=0.0227, sign_pvalue=7.77e-5)]))
    assert {"≈ 0.023", "7.8×10⁻⁵"} <= set(texts)
    assert "p, BH" not in texts
    assert "–" in said(fit_plot([replace(pair, _permutations=0)]))


def test_the_strongest_discoveries_come_first_with_scores_and_q_values(found: DiscoveryResult) -> None:
    ax: Any = discoveries(found, n=5)
    assert drawn(ax, "o") == [(float(score), i) for i, score in enumerate(found.scores[:5])]
    texts = said(ax)
    assert [text for text in texts if text in found.words] == list(found.words[:5])
    assert all(f"{score:.3f}" in texts for score in found.scores[:5])
    stems = [collection.get_segments()[0] for collection in ax.collections]
    assert [(float(stem[0][0]), float(stem[1][0])) for stem in stems] == [
        (0, float(score)) for score in found.scores[:5]
    ]
    assert f"the 5 strongest of {len(found.words)} discoveries among 60 words" in " ".join(texts)


def test_what_cannot_be_drawn_is_refused_in_words(
    scores: WefatResult, detected: dict[str, Any], found: DiscoveryResult
) -> None:
    none = replace(found, words=(), scores=np.array([]), qvalues=np.array([]))
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: roc({}), "no detection to draw"),
        (lambda: roc({"blind": ibd(scores.pairs, threshold=1.0)}), "truth of 'blind' is not known"),
        (lambda: fit_plot([]), "no test to draw"),
        (lambda: discoveries(none), r"no word reached a false-discovery rate of 0\.6"),
        (lambda: discoveries(found, n=0), "n is 0"),
    ]
    for draw, message in refused:
        with pytest.raises(InputError, match=message):
            draw()

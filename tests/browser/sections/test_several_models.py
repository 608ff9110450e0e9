"""Several models on one page: all of them test by test, any two of them, and names that stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence import Contexts, Embeddings, Provenance
from crossroads.measures.comparison.battery import CompareBatteryResult, compare_battery
from crossroads.report.audit import by_label
from crossroads.report.documents.records import Record, described, results_document
from crossroads.report.page.page import write_page
from crossroads.stimuli import Design, StimulusSet

Open = Callable[..., Any]
WORDS = {name: [f"{name}{i}" for i in range(6)] for name in "xyab"}


def design(name: str, x: str, y: str, a: str, b: str) -> Design:
    """A design whose sets have names."""
    sets: dict[str, Any] = {
        key: StimulusSet(title, tuple(WORDS[key])) for key, title in {"x": x, "y": y, "a": a, "b": b}.items()
    }
    return Design(name=name, **sets)


FIRST = design("first", "cats", "dogs", "indoors", "outdoors")
SECOND = design("second", "tea", "coffee", "quiet", "loud")


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
    return compare_battery(MODELS, [FIRST, SECOND], resamples=0)


@pytest.fixture(scope="module")
def page(compared: CompareBatteryResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models, and their comparison as a record of its own."""
    path = tmp_path_factory.mktemp("models") / "report.html"
    records = [
        Record(document=results_document([cr.battery(emb, [FIRST, SECOND], resamples=0)], model=name))
        for name, emb in MODELS.items()
    ]
    document = results_document([compared], model="comparison")
    both = Record(document=document, methods="How they were compared.")
    write_page(path, [*records, both])
    return path


def test_a_comparison_is_no_model(opened: Open, page: Path) -> None:
    seen = opened(page).page
    assert seen.locator("#model option").all_text_contents() == list(MODELS)
    assert seen.evaluate("crossroads.data.comparisons.map((one) => one.document.model)") == ["comparison"]
    seen.locator("#comparison summary", has_text="Methods and citations").click()
    seen.get_by_text("How they were compared.").wait_for()


def test_every_test_has_a_panel_with_a_dot_for_each_model(opened: Open, page: Path) -> None:
    seen = opened(page).page
    titles = seen.locator("#comparison g.model > title").all_text_contents()
    d = {name: cr.weat(emb, FIRST).effect_size for name, emb in MODELS.items()}
    told = [f"{name}: {value:.2f}, holds for other words".replace("-", "−") for name, value in d.items()]
    assert titles == told * 2  # both tests have the same words
    words = seen.locator("#comparison figure svg").first.text_content()
    for pole in ("cats closer to", "indoors", "relative to", "outdoors", "tea closer to"):
        assert pole in words


def test_any_two_models_can_be_chosen(opened: Open, page: Path, compared: CompareBatteryResult) -> None:
    seen = opened(page).page
    section = seen.locator("#comparison")
    counted = section.locator("ul.told-differences").first.inner_text()
    small = [p < 0.05 for p in compared.adjusted["bh"]]
    for pair in dict.fromkeys(compared.pairs):
        differ = sum(one for one, of in zip(small, compared.pairs, strict=True) if of == pair)
        assert f"{pair[0]} and {pair[1]}: {differ} of 2 tests" in counted
    section.get_by_label("Models", exact=True).select_option(label="another and the third")
    heads = section.locator("table").first.locator("thead th").all_text_contents()
    assert heads[1:3] == ["d: another", "d: the third"]
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


def test_parts_bear_the_same_names_in_every_model(opened: Open, tmp_path: Path) -> None:
    def store(seed: int) -> Contexts:
        rng = np.random.default_rng(seed)
        return Contexts.from_dict({w: rng.normal(size=(3, 5)) for some in WORDS.values() for w in some})

    records = []
    for seed, some in enumerate([[FIRST, SECOND], [SECOND]]):
        found: list[Any] = [cr.ceat(store(seed), one, samples=20) for one in some]
        found += [cr.rsa(MODELS["one"], one.x, one.y or (), one.a, n=4, samples=5) for one in some]
        records.append(Record(document=results_document(found, model=f"model {seed}")))
    write_page(tmp_path / "p.html", records)
    seen = opened(tmp_path / "p.html").page
    wanted = ["context-second", "geometry-tea-coffee-quiet"]
    for index in (0, 1):
        seen.select_option("#model", str(index))
        for name in wanted:
            assert seen.evaluate("(id) => document.getElementById(id) !== null", name), name
    seen.locator("#geometry table a").first.click()
    assert seen.evaluate("(id) => document.getElementById(id).open", wanted[1])


def test_contexts_and_geometry_begin_with_what_was_found(opened: Open, tmp_path: Path) -> None:
    words = MODELS["one"]
    rng = np.random.default_rng(2)
    near = {w: words[w] + 0.05 * rng.normal(size=(4, 12)) for w in words.labels}
    drawn = cr.ceat_battery(Contexts.from_dict(near), [FIRST], samples=50, resamples=0)
    groups = {"cats": WORDS["x"], "dogs": WORDS["y"]}
    grid = cr.rsa_grid(words, groups, {"indoors": WORDS["a"]}, n=4, samples=5)
    told = described(by_label([drawn, grid]))
    write_page(tmp_path / "p.html", [Record(document=results_document([drawn, grid]), **told)])
    seen = opened(tmp_path / "p.html").page
    for section, name in {"contexts": "first CEAT", "geometry": grid.tests[0].label}.items():
        first = seen.locator(f"#{section} > *").nth(1)  # after the heading
        (said,) = (one.found for one in told["conclusions"] if one.section == section)
        assert said.status == "holds"
        assert first.locator("dt").all_inner_texts() == ["Holds for other words: 1 test"]
        assert first.locator("dd").inner_text().startswith(f"{said.sentence} ")
        assert first.locator("dd").inner_text().endswith(name)
        assert {"cats", "indoors"} <= {one.lower() for one in first.locator("strong").all_inner_texts()}


def test_findings_of_a_comparison_stand_beside_those_of_each_model(
    opened: Open, compared: CompareBatteryResult, tmp_path: Path
) -> None:
    records = [
        Record(document=results_document([cr.weat(emb, FIRST)], model=name)) for name, emb in MODELS.items()
    ]
    write_page(tmp_path / "p.html", records, comparison=compared)
    seen = opened(tmp_path / "p.html").page
    for index in (0, 2):
        seen.select_option("#model", str(index))
        said = seen.locator("#findings").inner_text()
        assert "than in another" in said
        shown = seen.locator('#findings data[data-at$="/difference"]')
        assert shown.first.get_attribute("data-audit") == "3"  # after the three models

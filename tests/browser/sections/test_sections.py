"""The sections beyond the association tests: every type of result is shown, and can be worked with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence import Contexts, Embeddings, Provenance
from crossroads.measures import TraitScores
from crossroads.measures.comparison.battery import compare_battery
from crossroads.measures.comparison.joined import join_comparisons
from crossroads.measures.comparison.traits import compare_traits
from crossroads.report.comparison.audits import adjusted
from crossroads.report.documents.records import Record, results_document
from crossroads.report.page.page import write_page
from crossroads.results import Result, result_kinds
from crossroads.stimuli import Design
from tests.conftest import Once

Open = Callable[..., Any]
WORDS = {name: [f"{name}{i}" for i in range(5)] for name in "xyab"}
LABELS = [word for words in WORDS.values() for word in words]
DESIGN = Design(name="Zoë <script>window.broken = 1</script>", **WORDS)  # type: ignore[arg-type]
SECOND = Design(name="second", x=WORDS["y"], y=WORDS["x"], a=WORDS["a"], b=WORDS["b"])


def model(seed: int) -> Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(20, 6))
    return Embeddings(
        LABELS, vectors, provenance=Provenance(source=f"model {seed}", details={"decade": 1900})
    )


def scores(seed: int) -> TraitScores:
    rng = np.random.default_rng(seed)
    rows = {group: {f"<b>{i}": float(rng.normal()) for i in range(12)} for group in "ghijk"}
    return TraitScores.from_table(rows, provenance=(model(1).provenance,))


def in_contexts() -> Contexts:
    rng = np.random.default_rng(1)
    rows = {word: rng.normal(size=(2 + i % 3, 6)) + np.eye(6)[i % 6] for i, word in enumerate(LABELS)}
    return Contexts.from_dict(rows, provenance=model(1).provenance)


GATE = {
    "passed": False,
    "verdicts": [
        {"rule": f"<r>{i}", "test": "t", "statistic": "d", "outcome": outcome, "sentence": f"sentence {i}."}
        for i, outcome in enumerate(("passed", "broken", "excused"))
    ],
    "unmatched": ["<none>"],
}


@pytest.fixture(scope="module")
def document(every_result: dict[str, Result]) -> dict[str, Any]:
    """A result of every type in one document."""
    found = results_document(every_result.values(), model="everything <b>at once</b>")
    return {**json.loads(json.dumps(found)), "skipped": {"<w>": "no <i>words</i>"}}


@pytest.fixture(scope="module")
def page(document: dict[str, Any], once: Once) -> Path:
    """A page of all of them."""
    record = Record(
        document=document,
        gate=GATE,
        methods="# Methods\n\nWe used <b>one</b> \\[model\\].\n\nTwice.",
        citations="@misc{crossroads,\n  title = {<script>}\n}",
    )
    folder = once("browser-every", lambda folder: write_page(folder / "every.html", [record]))
    return folder / "every.html"


def _named(record: Record, name: str) -> Mapping[str, Any]:
    return record.results[list(record.document["names"]).index(name)]


def shown(page: Any, path: str) -> list[float]:
    """Every number on the page that stands for a place."""
    cells = page.evaluate(
        "[...document.querySelectorAll('data[data-at]')].map((e) => [e.dataset.at, e.value])"
    )
    return [float(value) for found, value in cells if found == path]


def rows_of(page: Any, caption: str) -> list[list[str]]:
    """The cells of a table, by the beginning of its caption."""
    table = page.locator(f'table:has(caption:has-text("{caption}"))').first
    found: list[list[str]] = table.evaluate(
        "(t) => [...t.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent))"
    )
    return found


def filtered(scope: Any, title: str) -> Any:
    """The filter of a table, by its title."""
    return scope.locator("label", has_text=title).locator("select").first


# Every type


def test_no_result_is_missing_and_every_number_is_its_own(
    opened: Open, page: Path, document: dict[str, Any], agreeing: Callable[..., list[str]]
) -> None:
    """All types of results on one page, with every part of it open."""
    assert {one["type"] for one in document["results"]} == {one.__name__ for one in result_kinds()}
    seen = opened(page).page
    seen.evaluate("unfolded()")
    places = agreeing(seen, document)
    for pairs in seen.locator("#comparison").get_by_label("Models", exact=True).all():
        for index in range(pairs.locator("option").count()):  # two models at a time
            pairs.select_option(str(index))
            places += agreeing(seen, document)
    for number, result in enumerate(document["results"]):
        if result["type"] != "ScreenResult":  # of one person, whose agreement with others is no number
            assert any(path.startswith(f"/results/{number}/") for path in places), result["type"]
    assert seen.evaluate("window.broken") is None
    assert seen.locator("main script, main img, main b, main i").count() == 0
    text = seen.locator("#methods").text_content()
    for result in document["results"]:  # the conventions of all types are gathered
        for name, value in result["conventions"].items():
            assert name in text
            if isinstance(value, (dict, list)):
                assert json.dumps(value, ensure_ascii=False, separators=(",", ":")) in text, name


# Intersections


@pytest.fixture(scope="module")
def crossed(vectors: Embeddings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A page of WEFAT scores with a detection in them, from the published lists."""
    groups, lists = cr.catalog("ceat-groups"), cr.catalog("ceat-validation")
    scores = cr.wefat(vectors, groups, lists.all_words, "AF", missing="drop")
    found = cr.ibd(scores.pairs, threshold="youden", truth=lists["AF"]["intersectional"])
    document = {**results_document([scores, found]), "names": ["AF WEFAT", "AF IBD"]}
    path = tmp_path_factory.mktemp("crossed") / "report.html"
    write_page(path, [Record(document=document, vectors=vectors)])
    return path, document


def test_words_can_be_filtered_by_what_became_of_them(
    opened: Open, crossed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    _, document = crossed
    document = {**document, "results": [*document["results"]]}
    document["results"][1] = {**document["results"][1], "auc_interval": [0.6, 0.9]}
    write_page(tmp_path / "better.html", [Record(document=document)])
    seen, result = opened(tmp_path / "better.html").page, document["results"][1]
    seen.locator("#detection-0 > summary").click()
    box = seen.locator("#detection-0")
    filtered(box, "Outcome").select_option(label="✗ listed, missed")
    words = {row[0] for row in rows_of(box, "Every candidate word")}
    assert words == set(result["truth"]) - set(result["words"])
    label = box.locator("svg[role=img]").get_attribute("aria-label")
    assert f"the area is {result['auc']:.2f}" in label


def test_the_curve_of_emergent_words_follows_the_threshold_where_it_turns_back(
    opened: Open, report: Path, record: Record
) -> None:
    curve = _named(record, "AF EIBD")["curve"]
    assert list(curve["fpr"]) != sorted(curve["fpr"])  # it does
    seen = opened(report).page
    seen.locator("#detection-1 > summary").click()
    line = seen.locator("#detection-1 svg path.line").get_attribute("d")
    points = np.array([point.split(",") for point in line[1:].split("L")], dtype=float)
    rates = np.column_stack([curve["fpr"], curve["tpr"]])
    assert points.shape == rates.shape
    for drawn, rate in zip(points.T, rates.T, strict=True):
        slope, start = np.polyfit(rate, drawn, 1)
        assert np.allclose(slope * rate + start, drawn, atol=0.1)


def test_what_was_left_out_of_a_detection_is_told(opened: Open, crossed: tuple[Path, dict[str, Any]]) -> None:
    path, document = crossed
    seen, coverage = opened(path).page, document["results"][1]["coverage"]
    seen.locator("#detection-0 > summary").click()
    seen.locator("#detection-0 summary", has_text="Coverage").click()
    table = rows_of(seen.locator("#detection-0"), "Words that were not measured as written")
    left_out = {(row[0], row[1]) for row in table if row[2].startswith("left out")}
    assert left_out == {(word, name) for name, words in coverage["dropped"].items() for word in words}
    assert left_out


def test_a_detection_at_chance_says_so_first_and_folds_its_plane(
    opened: Open, crossed: tuple[Path, dict[str, Any]]
) -> None:
    path, document = crossed
    result = document["results"][1]
    low, high = result["auc_interval"]
    assert low < 0.5 < high
    seen = opened(path).page
    assert seen.locator("#intersections svg.plane").count() == 0
    assert "no better than chance: African American females" in (
        seen.locator("#planes-at-chance > summary").inner_text()
    )
    seen.locator("#detection-0 > summary").click()
    first = seen.locator("#detection-0 .opened > p").first
    assert first.inner_text().startswith("This detection is no better than chance: ")
    assert shown(seen, "/results/1/auc_interval/0")[0] == low
    assert "words people listed in the study" in first.inner_text()
    assert "true word" not in seen.locator("#intersections").inner_text().lower()


def test_what_emerges_is_the_headline_where_it_stands(
    opened: Open, crossed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    _, document = crossed
    scores, found = document["results"]
    emergent = {**found, "kind": "eibd", "auc": 0.8, "auc_interval": [0.6, 0.9]}
    emergent["conventions"] = {**found["conventions"], "detected": "above it and for no constituent pair"}
    path = tmp_path / "standing.html"
    page = {**document, "results": [scores, found, emergent], "names": [*document["names"], "AF EIBD"]}
    write_page(path, [Record(document=page)])
    seen = opened(path).page
    headline = seen.locator("#intersections > p, #intersections > div > p").first.inner_text()
    said = "Emerging for African American females, and for neither of the groups that meet in it: "
    assert headline.startswith(said)
    assert headline.removeprefix(said).startswith(", ".join(found["words"][:3]))
    assert "better than chance (AUC 0.80, 95\u202f% interval 0.60 to 0.90)" in headline
    assert seen.locator("#intersections svg.plane").is_visible()  # one of its detections stands
    assert seen.locator("#planes-at-chance").count() == 0


def plane_of(page: Any) -> Any:
    """The plane, which is folded where nothing detected is better than chance; here that is so."""
    page.locator("#planes-at-chance > summary").click()
    page.locator("#intersections svg.plane").wait_for()
    return page


def chosen(page: Any) -> str:
    found: str = page.locator("#intersections .reading h4").text_content()
    return found


def test_the_plane_is_read_with_the_arrow_keys(opened: Open, crossed: tuple[Path, dict[str, Any]]) -> None:
    path, document = crossed
    seen, result = plane_of(opened(path).page), document["results"][0]
    names = result["constituent_names"]
    across = result["constituent_scores"][names.index("female vs male")]
    order = [result["words"][i] for i in np.argsort(across)]
    plane = seen.locator("#intersections svg.plane")
    assert plane.locator("[role=option][tabindex='0']").count() == 1
    plane.locator("[role=option][tabindex='0']").focus()
    first = order.index(chosen(seen))
    seen.keyboard.press("ArrowLeft")
    assert chosen(seen) == order[first - 1]
    seen.keyboard.press("ArrowLeft")
    assert chosen(seen) == order[first - 2]
    assert seen.evaluate("document.activeElement.dataset.word") == order[first - 2]
    word = result["words"].index(order[first - 2])
    for row, name in enumerate(names):
        at_word = f"/results/0/constituent_scores/{row}/{word}"
        assert shown(seen, at_word) == [result["constituent_scores"][row][word]], name


def test_without_saved_scores_the_plane_is_computed_from_the_vectors(
    opened: Open, report: Path, record: Record, vectors: Embeddings
) -> None:
    groups = cr.catalog("ceat-groups")
    words = list(_named(record, "AF IBD")["scores"])
    scores = cr.wefat(vectors, groups, words, "AF", missing="drop")
    seen = plane_of(opened(report).page)
    word = chosen(seen)
    cells = seen.evaluate(
        "[...document.querySelectorAll('.reading data.computed')].map((e) => Number(e.value))"
    )
    expected = [scores.pairs[name][word] for name in scores.pair_names]
    assert cells == pytest.approx(expected, rel=1e-9)


# Geometry


# Contexts


def test_a_published_p_value_too_small_for_a_number_is_a_bound(opened: Open, tmp_path: Path) -> None:
    result = replace(cr.ceat(in_contexts(), DESIGN, samples=5), pvalue=0.0, log10_pvalue=-4321.4)
    write_page(tmp_path / "p.html", [Record(document=results_document([result]))])
    seen = opened(tmp_path / "p.html").page
    shown = rows_of(seen, "Associations over contexts")[0]
    assert "<\N{NO-BREAK SPACE}1e−300" in shown
    assert "4321" not in shown


@pytest.mark.parametrize("old", [False, True], ids=["this version", "older"])
def test_a_test_over_contexts_says_what_other_words_would_show_where_that_was_measured(
    opened: Open, older: Callable[..., dict[str, Any]], tmp_path: Path, *, old: bool
) -> None:
    made = results_document([cr.ceat(in_contexts(), one, samples=5) for one in (DESIGN, SECOND)])
    made["results"][0].update(stimulus_pvalue=0.001)
    made["results"][0]["crossed"]["pvalue"] = 0.3
    made["results"][1].update(stimulus_pvalue=0.3)
    made["results"][1]["crossed"]["pvalue"] = 0.4
    write_page(tmp_path / "p.html", [Record(document=older(made) if old else made)])
    seen = opened(tmp_path / "p.html").page
    heads = seen.locator("#contexts thead th .sort").all_inner_texts()
    words = ["p (words)"] if old else ["p", "p (words)"]
    assert heads[: 2 + len(words)] == ["test", "CES", *words]
    assert seen.locator("#contexts figure .dot.hollow").count() == 2  # what is not known does not hold
    part = seen.locator("#contexts details[id]").first
    part.locator("summary").first.click()
    said = part.locator("p").nth(1)
    said.wait_for()
    assert ("Whether other words for the same things would show it" in said.inner_text()) is not old
    assert said.inner_text().endswith("attributes as they are: 0.001.")


# Traits


# Comparison


def test_a_comparison_is_there_whichever_model_is_chosen(opened: Open, tmp_path: Path) -> None:
    one, two = model(1), model(2)
    records = [Record(document=results_document([cr.weat(emb, DESIGN)])) for emb in (one, two)]
    both = compare_battery({"m": one, "n": two}, [DESIGN, SECOND], resamples=20)
    write_page(tmp_path / "p.html", records, comparison=both)
    seen = opened(tmp_path / "p.html").page
    assert seen.locator("#model option").count() == 2
    for index in (0, 1):
        seen.select_option("#model", str(index))
        rows = rows_of(seen.locator("#comparison"), "Differences of effect sizes")
        assert [row[0] for row in rows] == [DESIGN.name, "second"]
        others = seen.locator("#overview .others").inner_text()
        assert others == "Comparisons of models: 1 result, see Comparison."
    changed = seen.locator("#comparison details", has_text="second").last
    changed.locator("summary").first.click()
    assert len(rows_of(changed, "second: m and n: change of each word")) == 10
    cells = seen.evaluate(
        "[...document.querySelectorAll('#comparison details data')].map((e) => [e.dataset.at, e.value])"
    )
    changes = [float(value) for path, value in cells if "/changes/" in path]
    assert changes == sorted(both.tests[1].changes.values(), key=lambda change: -abs(change))


def test_a_comparison_over_contexts_says_what_was_read_and_of_how_many_contexts(
    opened: Open, tmp_path: Path
) -> None:
    static = compare_battery({"<m>": model(1), "n": model(2)}, DESIGN, resamples=20)
    stores = {}
    for seed, name in enumerate(("<m>", "n")):
        rng = np.random.default_rng(seed)
        rows = {word: rng.normal(size=(3 + seed, 4)) for word in DESIGN.words}
        stores[name] = cr.Contexts.from_dict(rows)
    over = compare_battery(stores, DESIGN, resamples=20)
    traits = compare_traits(scores(1), scores(2), permutations=9)
    whole = adjusted(join_comparisons([static, over], static.models), [traits])
    write_page(tmp_path / "p.html", [Record(document=results_document(whole.results))])
    seen = opened(tmp_path / "p.html").page
    section = seen.locator("#comparison")
    rows_shown = rows_of(section, "Differences of effect sizes")
    assert [row[0] for row in rows_shown] == [DESIGN.name, f"{DESIGN.name} CEAT"]
    filtered(section, "Evidence").select_option("contexts")
    assert len(rows_of(section, "Differences of effect sizes")) == 1
    section.locator("details summary", has_text="CEAT").first.click()
    section.get_by_text("4 to 4 in n").wait_for()  # a part is built when it opens
    told = section.text_content()
    assert "3 to 3 in <m> and 4 to 4 in n" in told
    assert "did not read the same contexts of all words" in told
    word = next(iter(over.tests[0].contexts))
    assert shown(seen, f"/results/0/tests/1/contexts/{word}/1") == [4]
    section.locator("details summary", has_text="Groups on traits").first.click()
    section.get_by_text("p (Holm), groups exchanged").wait_for()
    assert shown(seen, "/results/1/adjusted/holm/groups") == [whole.traits[0].adjusted["holm"]["groups"]]
    assert shown(seen, "/results/1/adjusted/bh/traits") == [whole.traits[0].adjusted["bh"]["traits"]]


# Published work, methods


def test_methods_are_text_and_citations_can_be_copied(opened: Open, page: Path) -> None:
    seen = opened(page).page
    text = seen.locator("#methods")
    assert text.locator("p", has_text="We used <b>one</b> [model].").count() == 1
    seen.evaluate("unfolded()")
    seen.evaluate("emptied()")
    seen.get_by_role("button", name="Copy BibTeX").first.click()
    assert seen.evaluate("copied()") == "@misc{crossroads,\n  title = {<script>}\n}"
    assert rows_of(text, "What could not be measured") == [["<w>", "no <i>words</i>"]]


def test_the_gate_is_told_rule_by_rule(opened: Open, page: Path) -> None:
    seen = opened(page).page
    rows = rows_of(seen.locator("#methods"), "Verdicts of the rules")
    assert [row[3] for row in rows] == ["✓ passed", "✗ broken", "○ excused"]
    filtered(seen.locator("#methods"), "Outcome").select_option(label="✗ broken")
    assert [row[0] for row in rows_of(seen.locator("#methods"), "Verdicts of the rules")] == ["<r>1"]

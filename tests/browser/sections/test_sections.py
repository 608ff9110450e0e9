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
from crossroads.evidence import Contexts, Embeddings, Judgements, Logits, Provenance
from crossroads.measures import (
    Answers,
    DetectionResult,
    RsaResult,
    TraitScores,
    against,
    align_table,
    choose_templates,
    domain_dominance,
    emergent,
    order_sensitivity,
    screen,
    set_test,
)
from crossroads.measures.comparison.battery import compare_battery
from crossroads.measures.comparison.joined import join_comparisons
from crossroads.measures.comparison.traits import compare_traits
from crossroads.measures.traits.alignment import AlignmentResult
from crossroads.measures.traits.files import TraitTable
from crossroads.papers.cells import Cell, Reproduction
from crossroads.papers.fidelity import fidelity as published_fidelity
from crossroads.report import Audit
from crossroads.report.audit import tables_of
from crossroads.report.comparison.audits import adjusted
from crossroads.report.documents.records import Record, audit_document, results_document
from crossroads.report.page.page import write_page
from crossroads.results import Result, result_kinds
from crossroads.stimuli import Design, paired_groups

Open = Callable[..., Any]
WORDS = {name: [f"{name}{i}" for i in range(5)] for name in "xyab"}
LABELS = [word for words in WORDS.values() for word in words]
HOSTILE = "Zoë <script>window.broken = 1</script>"
DESIGN = Design(name=HOSTILE, **WORDS)  # type: ignore[arg-type]
SECOND = Design(name="second", x=WORDS["y"], y=WORDS["x"], a=WORDS["a"], b=WORDS["b"])
GROUPS = {("p", "s"): WORDS["x"], ("p", "t"): WORDS["y"], ("q", "s"): WORDS["b"]}
IDENTITIES = ["teenager", "elderly", "Black", "White", "Catholic", "Muslim"]


def model(seed: int) -> Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(20, 6))
    return Embeddings(
        LABELS, vectors, provenance=Provenance(source=f"model {seed}", details={"decade": 1900})
    )


def in_contexts() -> Contexts:
    rng = np.random.default_rng(1)
    rows = {word: rng.normal(size=(2 + i % 3, 6)) + np.eye(6)[i % 6] for i, word in enumerate(LABELS)}
    return Contexts.from_dict(rows, provenance=model(1).provenance)


def alignment() -> AlignmentResult:
    rng = np.random.default_rng(1)
    traits = ("cold-warm", "<t>", "v", "w")
    human = Judgements(
        groups=("<g>", "h", "i"),
        traits=traits,
        annotators=("p", "q", "r"),
        ratings=rng.uniform(0, 100, (3, 3, 4)),
    )
    table = TraitTable(
        measure="given scores",
        groups=("<g>", "h", "i"),
        traits=traits,
        scores=rng.normal(size=(3, 4)),
        provenance=(model(1).provenance,),
    )
    return cr.align(table, human, permutations=9, bootstrap=9, splits=3)


def trait_scores() -> TraitScores:
    """Scores of the groups of the alignment, one of them not a number."""
    rows = {group: dict(scores) for group, scores in alignment().model_scores.items()}
    found = TraitScores.from_table(rows, provenance=(model(1).provenance,))
    values = found.scores.copy()
    values[0, 1] = np.nan
    return replace(found, scores=values)


def paired(seed: int = 1) -> TraitScores:
    rng = np.random.default_rng(seed)
    names = [*IDENTITIES, *(pair.name for pair in paired_groups(IDENTITIES))]
    rows = {name: {f"<b>{i}": float(rng.normal()) for i in range(12)} for name in names}
    return TraitScores.from_table(rows, provenance=(model(1).provenance,))


def asked() -> TraitScores:
    full = np.random.default_rng(1).normal(size=(6, 4))
    logits = Logits.from_arrays(
        groups=["<b>", "g"],
        priors=["mask"],
        templates=["<script>", "t"],
        traits=[("p", "q"), ("r", "s")],
        logit=full.reshape(3, 2, 4, 1),
        slot=np.repeat(np.arange(6), 4).reshape(3, 2, 4, 1),
        head=-np.sort(-full, axis=1),
        log_sum_exp=np.log(np.exp(full).sum(axis=1)),
        hidden_sq_norm=np.ones(6),
        vocabulary=4,
        provenance=model(1).provenance,
    )
    return set_test(logits)


def reproduction() -> Reproduction:
    cells = tuple(
        Cell(
            row=f"<r>{i}", column="d", published=0.5 + i / 10, ours=None if i == 3 else 0.51, verdict=verdict
        )
        for i, verdict in enumerate(("equal", "differs", "equal", "model absent"))
    )
    return Reproduction(
        paper="p",
        title="a published table",
        citation="c",
        doi="10.1/1",
        published_vectors="<v>",
        vectors="w",
        same_vectors=False,
        cells=cells,
        notes=("n",),
        conventions={"measure": "reproduction"},
    )


def of_vectors() -> list[Result]:
    one, two = model(1), model(2)
    others = Embeddings([f"w{i}" for i in range(1000)], np.random.default_rng(4).normal(size=(1000, 6)))
    scores = cr.wefat(one, GROUPS, WORDS["a"], "p / s")
    found = cr.ibd(scores.pairs, threshold="accuracy", truth=["a1"])
    battery = cr.battery(one, [DESIGN], resamples=10)
    return [
        cr.weat(one, DESIGN),
        cr.mleat(one, DESIGN, resamples=20),
        cr.sc_weat(one, WORDS["x"], WORDS["a"], WORDS["b"]),
        cr.stats.bootstrap(one, SECOND, resamples=20),
        cr.stats.influence(one, SECOND),
        cr.stats.reliability(one, SECOND),
        cr.multiverse(one, SECOND),
        cr.stats.icc({"one": one, "two": two}, SECOND),
        cr.placebo(one.with_pool(others), SECOND, draws=20),
        cr.frequency(one, SECOND, frequencies={word: 2.0 + 3 * i % 7 for i, word in enumerate(one)}),
        cr.compare(one, two, DESIGN),
        compare_battery({"<m>": one, "n": two, "o": model(3)}, [DESIGN, SECOND], resamples=20),
        battery,
        cr.ladder(battery),
        compare_traits(paired(), paired(seed=2), permutations=9),
        cr.series({1900: one, 1950: two}, DESIGN, resamples=0),
        scores,
        found,
        cr.eibd(scores.pairs, scores.constituents, threshold=found.threshold),
        cr.discover(one, GROUPS, "p / s", fdr=0.9, permutations=5),
        cr.rsa(one, WORDS["y"], WORDS["a"], WORDS["b"], n=3, samples=5, permutations=9),
        cr.rsa_grid(one, {"<y>": WORDS["y"], "a": WORDS["a"]}, {"b": WORDS["b"]}, n=3, samples=2),
    ]


def of_contexts() -> list[Result]:
    contexts = in_contexts()
    traits = {"t": (WORDS["a"], WORDS["b"]), "u": (WORDS["b"], WORDS["y"])}
    return [
        cr.ceat(contexts, DESIGN, samples=5),
        cr.stats.ceat_bootstrap(contexts, DESIGN, resamples=5),
        cr.ceat_battery(contexts, [SECOND], samples=500, resamples=4),
        cr.multilevel_ceat(contexts, DESIGN, samples=5),
        cr.traits.group_ceat(contexts, {"<g>": WORDS["x"]}, traits),
    ]


def of_traits() -> list[Result]:
    crossed, pairs, templates = paired(), paired_groups(IDENTITIES), asked()
    emerged = emergent(crossed, pairs, on="traits")
    pilot = {"<b>": {"p-q": 1.0, "r-s": 2.0}, "g": {"p-q": 3.0, "r-s": 0.0}}
    page = {"women": {"cold-warm": 80.0, "poor-wealthy": 10.0}}
    person = Answers(annotator="<p>", ratings=page, repeated="women", repetition=page["women"])
    return [
        trait_scores(),
        templates,
        alignment(),
        align_table({("<m>", "n"): alignment()}),
        screen([person]),
        order_sensitivity(crossed, pairs, resamples=20),
        domain_dominance(crossed, pairs),
        emerged,
        against(emerged, {("Black", "Muslim"): ["<b>0"]}, permutations=9),
        choose_templates(templates, pilot),
        reproduction(),
    ]


@pytest.fixture(scope="module")
def results(every_result: dict[str, Result]) -> list[Result]:
    """A result of every type."""
    names = (
        "anisotropy",
        "corrections",
        "chat_association",
        "sentence_pairs",
        "sentence_triples",
    )
    others = [every_result[name] for name in names]
    return [*of_vectors(), *of_contexts(), *of_traits(), *others]


GATE = {
    "passed": False,
    "verdicts": [
        {"rule": f"<r>{i}", "test": "t", "statistic": "d", "outcome": outcome, "sentence": f"sentence {i}."}
        for i, outcome in enumerate(("passed", "broken", "excused"))
    ],
    "unmatched": ["<none>"],
}


@pytest.fixture(scope="module")
def document(results: list[Result]) -> dict[str, Any]:
    """All of them in one document."""
    found = results_document(results, model="everything <b>at once</b>")
    said = {
        "DetectionResult": iter(["p / s IBD", "p / s EIBD"]),
        "AlignmentResult": iter(["<SeT> alignment"]),
    }
    names = [
        next(said[type(one).__name__], name) if type(one).__name__ in said else name
        for name, one in zip(found["names"], results, strict=True)
    ]
    return {**found, "names": names, "skipped": {"<w>": "no <i>words</i>"}}


@pytest.fixture(scope="module")
def page(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of all of them."""
    path = tmp_path_factory.mktemp("sections") / "report.html"
    record = Record(
        document=document,
        vectors=model(1),
        gate=GATE,
        methods="# Methods\n\nWe used <b>one</b> \\[model\\].\n\nTwice.",
        citations="@misc{crossroads,\n  title = {<script>}\n}",
    )
    write_page(path, [record], fidelity=published_fidelity())
    return path


def open_everything(page: Any) -> None:
    page.evaluate("unfolded()")


def at(tree: Any, path: str) -> Any:
    for part in path.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree


def place(document: Mapping[str, Any], kind: str) -> str:
    """JSON pointer of the first result of a type."""
    return f"/results/{[one['type'] for one in document['results']].index(kind)}"


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


def test_a_page_is_made_of_every_type_of_result(results: list[Result]) -> None:
    assert {type(one) for one in results} == set(result_kinds())


def test_no_result_is_missing_from_the_page(opened: Open, page: Path, document: dict[str, Any]) -> None:
    seen = opened(page).page
    open_everything(seen)
    every = "[...document.querySelectorAll('data[data-at]')].map((e) => [e.dataset.at, e.value])"
    cells = seen.evaluate(every)
    pairs = seen.locator("#comparison").get_by_label("Models", exact=True)
    for index in range(pairs.locator("option").count()):  # two models at a time
        pairs.select_option(str(index))
        cells += seen.evaluate(every)
    for number, result in enumerate(document["results"]):
        assert any(path.startswith(f"/results/{number}/") for path, _ in cells), result["type"]
    for path, value in cells:
        assert float(value) == at(document, path), path


def test_names_are_shown_as_text(opened: Open, page: Path) -> None:
    seen = opened(page).page
    open_everything(seen)
    assert seen.evaluate("window.broken") is None
    assert seen.locator("main script, main img, main b, main i").count() == 0
    assert HOSTILE in seen.locator("#contexts").text_content()
    assert len(seen.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")) == len(
        set(seen.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)"))
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_need_not_scroll_sideways(opened: Open, page: Path, *, dark: bool) -> None:
    seen = opened(page, width=360, height=740, dark=dark).page
    assert seen.evaluate("document.documentElement.scrollWidth") <= 360
    open_everything(seen)
    assert seen.evaluate("document.documentElement.scrollWidth") <= 360


def test_results_without_a_section_are_shown_as_they_are(opened: Open, tmp_path: Path) -> None:
    influence = cr.stats.influence(model(1), SECOND)
    document = results_document([influence])
    write_page(tmp_path / "p.html", [Record(document=document)])
    seen = opened(tmp_path / "p.html").page
    assert seen.locator("#nav a", has_text="Other results").count() == 1
    open_everything(seen)
    assert shown(seen, "/results/0/without/x/y0") == [influence.without["x"]["y0"]]


def test_what_is_known_about_a_test_is_in_it_and_one_folded_part_has_each_kind(
    opened: Open, tmp_path: Path
) -> None:
    emb, designs = model(1), (DESIGN, SECOND)
    results = [cr.battery(emb, designs, resamples=0), *(cr.stats.reliability(emb, one) for one in designs)]
    audit = Audit(results)
    document = audit_document(audit, designs)
    write_page(tmp_path / "p.html", [Record(document=document, tables=tables_of(audit))])
    seen = opened(tmp_path / "p.html").page
    kinds = seen.locator("#others > details")
    assert kinds.locator("summary").all_inner_texts() == ["Reliability of the word lists: 2 results"]
    assert kinds.get_attribute("open") is None
    kinds.locator("summary").press("Enter")  # a click may miss it while the page above it is still growing
    links = kinds.locator("tbody a")
    links.first.wait_for()
    assert links.all_inner_texts() == [DESIGN.name, SECOND.name]
    assert kinds.locator("details details").count() == 0  # the rest is in the tests
    links.nth(1).click()
    inside = seen.locator("#tests > details:nth-of-type(2)")
    inside.locator("summary", has_text="Reliability of the word lists").click()
    place = next(i for i, one in enumerate(document["results"]) if one.get("design") == SECOND.name)
    inside.locator(f"data[data-at='/results/{place}/targets']").wait_for()
    assert shown(seen, f"/results/{place}/targets") == [document["results"][place]["targets"]]


NASTY = (
    "<script>window.broken = 1</script>", "<img src=x onerror='window.broken = 3'>", "שלום", "👩🏾\u200d🚀",
    "a/b~c", "__proto__", "constructor", "0", '"quoted"', "x" * 300,
)  # fmt: skip


def test_words_may_be_called_anything(opened: Open, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = {key: [f"{key}{i}" for i in range(4)] for key in "gh"}
    words = [*NASTY, *names["g"], *names["h"], "p", "q"]
    one, two = (cr.Embeddings(words, rng.normal(size=(len(words), 6)), provenance="m") for _ in "ab")
    design = Design(name=NASTY[0], x=NASTY[:5], y=NASTY[5:], a=names["g"], b=names["h"])
    scores = cr.wefat(
        one, {("<i>", "s"): names["g"], ("<i>", "t"): names["h"], ("j", "s"): ["p", "q"]}, NASTY, "<i> / s"
    )
    contexts = Contexts.from_dict({word: rng.normal(size=(2, 6)) for word in words})
    results: list[Result] = [
        scores,
        cr.ibd(scores.pairs, threshold=0.0, truth=NASTY[:3]),
        cr.multilevel_ceat(contexts, design, samples=5),
        cr.compare(one, two, design),
        cr.rsa(one, NASTY[:5], NASTY[5:], names["g"], n=3, samples=4, permutations=9),
    ]
    document = results_document(results)
    write_page(tmp_path / "p.html", [Record(document=document, vectors=one)])
    seen = opened(tmp_path / "p.html", width=360).page
    open_everything(seen)
    assert seen.evaluate("window.broken") is None
    assert seen.locator("main script, main img, main i").count() == 0
    assert seen.evaluate("document.documentElement.scrollWidth") <= 360
    for word in NASTY:
        seen.get_by_label("Find a word").fill(word)
        seen.get_by_label("Find a word").press("Enter")
        assert chosen(seen) == word
    cells = seen.evaluate(
        "[...document.querySelectorAll('data[data-at]')].map((e) => [e.dataset.at, e.value])"
    )
    for path, value in cells:
        assert float(value) == at(document, path), path
    seen_words = {path.rpartition("/")[2] for path, _ in cells if "/changes/" in path}
    assert seen_words == {word.replace("~", "~0").replace("/", "~1") for word in NASTY}


# Intersections


@pytest.mark.parametrize("width", [1280, 360])
def test_no_text_of_any_picture_is_cut_whatever_the_font(
    opened_in_font: Callable[..., Any], misplaced: Callable[[Any], str], page: Path, width: int
) -> None:
    shown = opened_in_font(page, width=width).page
    shown.evaluate("unfolded()")
    assert shown.locator("svg text").count() > 100
    assert misplaced(shown) == ""


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


def test_a_detection_at_chance_lists_no_words_and_says_why(
    opened: Open, crossed: tuple[Path, dict[str, Any]]
) -> None:
    path, document = crossed
    seen, result = opened(path).page, document["results"][1]
    assert result["auc_interval"][0] < 0.5 and len(result["words"]) > 3
    summary = seen.locator("#detection-0 > summary")
    assert "words found" not in summary.inner_text()
    summary.click()
    said = "No words are listed, since the detection is no better than chance"
    seen.locator("#detection-0").get_by_text(said).wait_for()
    assert seen.locator("#detection-0").get_by_text(result["words"][0], exact=True).count() == 0


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
    opened: Open, report: Path, audit: Audit
) -> None:
    curve = audit.of(DetectionResult)["AF EIBD"].curve
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


def test_the_plane_is_one_stop_of_the_keyboard(opened: Open, crossed: tuple[Path, dict[str, Any]]) -> None:
    seen = plane_of(opened(crossed[0]).page)
    seen.locator("#intersections svg.plane [role=option][tabindex='0']").wait_for(state="attached")
    seen.locator("#intersections").get_by_label("Find a word").focus()
    seen.keyboard.press("Tab")
    assert seen.evaluate("document.activeElement.getAttribute('role')") == "option"


def test_a_word_of_the_plane_is_searched_and_pointed_at(
    opened: Open, crossed: tuple[Path, dict[str, Any]]
) -> None:
    path, document = crossed
    seen, words = plane_of(opened(path).page), document["results"][0]["words"]
    seen.get_by_label("Find a word").fill(words[7].upper())
    seen.get_by_label("Find a word").press("Enter")
    assert chosen(seen) == words[7]
    far = next(
        w for w in document["results"][1]["words"] if w != words[7]
    )  # its mark is drawn over those not found
    seen.locator(f"[data-word='{far}']").scroll_into_view_if_needed()
    box = seen.locator(f"[data-word='{far}'] .dot").bounding_box()
    seen.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert chosen(seen) == far


def test_the_axes_of_the_plane_can_be_chosen(opened: Open, crossed: tuple[Path, dict[str, Any]]) -> None:
    seen = plane_of(opened(crossed[0]).page)
    seen.locator("#intersections").get_by_label("Across", exact=True).select_option(label="AF vs EM")
    plane = seen.locator("#intersections svg.plane")
    assert "EM" in plane.text_content()
    assert "by AF vs EM and African American vs European American" in plane.locator(
        "[role=listbox]"
    ).get_attribute("aria-label")


def test_without_saved_scores_the_plane_is_computed_from_the_vectors(
    opened: Open, report: Path, audit: Any, vectors: Embeddings
) -> None:
    groups = cr.catalog("ceat-groups")
    words = list(audit.of(DetectionResult)["AF IBD"].scores)
    scores = cr.wefat(vectors, groups, words, "AF", missing="drop")
    seen = plane_of(opened(report).page)
    word = chosen(seen)
    cells = seen.evaluate(
        "[...document.querySelectorAll('.reading data.computed')].map((e) => Number(e.value))"
    )
    expected = [scores.pairs[name][word] for name in scores.pair_names]
    assert cells == pytest.approx(expected, rel=1e-9)


# Geometry


def test_the_map_of_dissimilarities_is_drawn_on_demand(opened: Open, report: Path, audit: Any) -> None:
    seen = opened(report).page
    part = seen.locator("#geometry details[id]").first
    part.locator("summary").first.click()
    assert part.locator(".cells").count() == 0
    part.locator("summary", has_text="Map of dissimilarities").click()
    part.locator(".cells").first.wait_for(state="attached")
    drawn = part.locator(".cells").evaluate_all("(some) => some.map((e) => e.getAttribute('d')).join('')")
    items = sum(map(len, next(iter(audit.of(RsaResult).values())).items.values()))
    assert drawn.count("M") == items * (items - 1)  # each pair twice, and nothing on the diagonal


def test_the_sign_test_stands_beside_a_warning(opened: Open, report: Path) -> None:
    seen = opened(report).page
    assert "far too small" in seen.locator("#geometry").text_content()


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


def test_a_test_over_contexts_opens_with_its_distribution_and_its_fewest_contexts(
    opened: Open, page: Path, document: dict[str, Any]
) -> None:
    seen = opened(page).page
    battery = at(document, place(document, "CeatBatteryResult"))
    row = seen.locator("#contexts details", has_text="second").first
    row.locator("summary").first.click()
    label = row.locator("figure svg[role=img]").first.get_attribute("aria-label")
    assert label.startswith("Effect sizes of 500 samples")
    counts = [int(cells[1]) for cells in rows_of(row, "Contexts of each word")]
    assert counts == sorted(battery["tests"][0]["contexts"].values())
    assert "sure of almost anything" in row.text_content()


# Traits


def test_a_profile_follows_the_choices(opened: Open, page: Path, document: dict[str, Any]) -> None:
    seen = opened(page).page
    where, tool = place(document, "TraitScores"), seen.locator("#traits")
    scores = at(document, f"{where}/scores")
    tool.get_by_label("Group", exact=True).select_option(label="h")
    beside = tool.get_by_label("Beside", exact=True)
    beside.focus()
    beside.select_option(label="i")
    assert seen.evaluate("document.activeElement.value") == "3"  # the choice made keeps the focus
    tool.locator("summary", has_text="The same in numbers").click()
    tool.locator("table caption", has_text="Scores of h").wait_for()
    assert set(shown(seen, f"{where}/scores/1/0")) == {scores[1][0]}
    assert set(shown(seen, f"{where}/scores/2/0")) == {scores[2][0]}
    people = f"{place(document, 'AlignmentResult')}/human_scores/h/cold-warm"
    assert shown(seen, people) == [at(document, people)]
    pressed = tool.get_by_role("button", name="People’s answers")
    assert pressed.get_attribute("aria-pressed") == "true"
    pressed.press("Enter")
    assert pressed.get_attribute("aria-pressed") == "false"
    assert seen.evaluate("document.activeElement.textContent") == "People’s answers"
    tool.locator("summary", has_text="The same in numbers").click()
    tool.locator("table caption", has_text="Scores of h").wait_for()
    assert shown(seen, people) == []


def test_a_score_that_is_not_a_number_is_a_dash(opened: Open, page: Path, document: dict[str, Any]) -> None:
    seen = opened(page).page
    assert at(document, f"{place(document, 'TraitScores')}/scores/0/1") is None
    seen.locator("#traits details", has_text="3 groups, 4 pairs").locator("summary").first.click()
    assert rows_of(seen.locator("#traits"), "given scores")[0][2] == "–"


def test_emergent_traits_can_be_filtered_by_pair(opened: Open, page: Path, document: dict[str, Any]) -> None:
    seen, result = opened(page).page, at(document, place(document, "EmergentResult"))
    pair = result["pairs"][result["pair_index"][0]]
    seen.locator("#traits summary", has_text="Every score beyond both identities").first.click()
    seen.locator("#traits table", has_text="Scores beyond both components").wait_for()
    filtered(seen.locator("#traits"), "Pair").select_option(pair)
    rows = rows_of(seen.locator("#traits"), "Scores beyond both components")
    assert len(rows) == sum(result["pairs"][i] == pair for i in result["pair_index"])
    assert {row[0] for row in rows} == {pair}


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
        assert [row[0] for row in rows] == [HOSTILE, "second"]
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


@pytest.mark.parametrize("attributes", ["drawn", "given"])
def test_whether_other_attributes_count_is_said_below_the_table(
    opened: Open, tmp_path: Path, attributes: Any
) -> None:
    one = cr.compare(model(1), model(2), DESIGN, attributes=attributes)
    write_page(tmp_path / "p.html", [Record(document=results_document([one]))])
    seen = opened(tmp_path / "p.html").page
    note = seen.locator("#comparison .table > .note:visible").first.inner_text()
    seen.locator("#comparison details[id] > summary").first.click()
    detail = seen.locator("#comparison details[id] p").first.inner_text()
    assert ("Attribute words count as drawn too" in note) is (attributes == "drawn")
    assert ("accounting for the choice of attributes" in detail) is (attributes == "drawn")


def test_many_comparisons_are_shown_one_at_a_time(opened: Open, tmp_path: Path) -> None:
    designs = [replace(DESIGN, name=f"d{i}") for i in range(31)]
    many = compare_battery({"m": model(1), "n": model(2)}, designs, resamples=0)
    write_page(tmp_path / "p.html", [Record(document=results_document([many]))])
    seen = opened(tmp_path / "p.html").page
    last = len(many.tests) - 1
    assert shown(seen, f"/results/0/tests/{last}/min_pvalue") == []
    seen.locator("#comparison").get_by_label("Comparison", exact=True).select_option(str(last))
    assert shown(seen, f"/results/0/tests/{last}/min_pvalue") == [many.tests[last].min_pvalue]
    assert "null" not in seen.locator("#comparison").inner_text()  # what is not there is not written


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
    scores = compare_traits(paired(), paired(seed=2), permutations=9)
    whole = adjusted(join_comparisons([static, over], static.models), [scores])
    write_page(tmp_path / "p.html", [Record(document=results_document(whole.results))])
    seen = opened(tmp_path / "p.html").page
    section = seen.locator("#comparison")
    rows_shown = rows_of(section, "Differences of effect sizes")
    assert [row[0] for row in rows_shown] == [HOSTILE, f"{HOSTILE} CEAT"]
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


def test_cells_of_a_published_table_can_be_filtered_by_verdict(opened: Open, page: Path) -> None:
    seen = opened(page).page
    box = seen.locator("#published details", has_text="a published table")
    assert "2 equal, 1 differs, 1 model absent" in box.locator("summary").first.text_content()
    box.locator("summary").first.click()
    filtered(box, "Verdict").select_option("equal")
    rows = rows_of(box, "a published table: published")
    assert [row[0] for row in rows] == ["<r>0", "<r>2"]
    assert rows[0][-2] == "= equal"


def test_every_measure_says_whose_formula_it_follows(opened: Open, page: Path) -> None:
    seen = opened(page).page
    seen.locator("#published summary", has_text="measures and parts").click()
    assert len(rows_of(seen.locator("#published"), "Measures and the publications")) == len(
        published_fidelity()
    )


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


def test_conventions_of_every_type_are_gathered(opened: Open, page: Path, document: dict[str, Any]) -> None:
    seen = opened(page).page
    open_everything(seen)
    text = seen.locator("#methods").text_content()
    for result in document["results"]:
        for name, value in result["conventions"].items():
            assert name in text
            if isinstance(value, (dict, list)):
                assert json.dumps(value, ensure_ascii=False, separators=(",", ":")) in text, name

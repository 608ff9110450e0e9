"""The first screen: what was found, in words, how sure, and the chart of all of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.report.audit import Audit
from crossroads.report.documents.records import audit_record
from crossroads.report.page.page import write_page

Open = Callable[..., Any]
NAMES = ("weat6", "weat7", "weat1")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of three tests of real vectors: two hold for other words, one is seen with these."""
    designs = [cr.catalog(name) for name in NAMES]
    emb = cr.load("default", words=[word for design in designs for word in design.words])
    battery = cr.battery(emb, designs, missing="drop", resamples=40)
    audit = Audit({"how sure": cr.ladder(battery), "battery": battery}, name="glove")
    path = tmp_path_factory.mktemp("told") / "report.html"
    gate = {
        "passed": False,
        "verdicts": [{"rule": "no gender", "outcome": "failed", "sentence": "weat6: d is above 1"}],
        "unmatched": [],
    }
    write_page(path, [audit_record(audit, designs, vectors=emb, gate=gate)])
    return path


def _on_screen(page: Any, place: str) -> bool:
    top = page.locator(place).first.evaluate("(one) => one.getBoundingClientRect().top")
    return bool(0 <= top < page.viewport_size["height"] - 40)


def test_the_first_screen_says_what_was_found_and_how_sure(opened: Open, told: Path) -> None:
    page = opened(told, width=1440, height=900).page
    first = page.locator(".finding .said").first
    assert first.inner_text() == "Male names are closer to career, relative to family, than female names are."
    for place in (".status", ".finding .said", ".hero svg"):
        assert _on_screen(page, place), place
    groups = page.locator("#findings h3, #findings summary").all_inner_texts()
    assert groups == ["Holds for other words 2", "Seen with these words, not shown for others 1"]
    rungs = page.locator(".finding").first.locator(".rung").all_text_contents()
    assert rungs == ["✓ these words: yes", "✓ other words: yes"]


def test_a_finding_has_its_number_and_its_name_last(opened: Open, told: Path) -> None:
    page = opened(told, width=1440).page
    how = page.locator(".finding .how").first
    assert how.locator(".id").inner_text() == "weat6"
    data = json.loads(page.locator("#data").text_content())
    battery = data["audits"][0]["document"]["results"][1]
    crossed = battery["tests"][0]["level1"]["crossed"]
    values = [float(one) for one in how.locator("data").evaluate_all("(all) => all.map((one) => one.value)")]
    agree = battery["intervals"]["weat6"]["same_sign"] if battery["intervals"] else None
    expected = [crossed["difference"], crossed["low"], crossed["high"]]
    assert values == expected + ([] if agree is None else [agree])


def test_a_closed_gate_gives_its_reasons_on_top(opened: Open, told: Path) -> None:
    page = opened(told).page
    strip = page.locator(".status")
    assert "Gate closed: 1 of 1 rule failed" in strip.inner_text()
    assert "no gender: weat6: d is above 1" in strip.inner_text()
    assert re.search(r"3 of 3 tests run", strip.inner_text())
    assert re.search(r"\d{4}-\d\d-\d\d", strip.inner_text())


def test_a_chat_score_is_drawn_on_its_own_scale(opened: Open, tmp_path: Path) -> None:
    design = cr.Design(name="age", x=["young"], y=["old"], a=["joy", "peace"], b=["agony", "evil"])
    answers = [
        "joy - young; peace - old; agony - old; evil - old",
        "joy - young; peace - young; evil - old; agony - young",
    ]
    result = cr.chat_association(answers * 3, design)
    write_page(tmp_path / "chat.html", [audit_record(Audit([result]), [design])])
    page = opened(tmp_path / "chat.html").page
    chart = page.locator(".hero svg")
    assert "score, from −1 to 1" in chart.text_content()
    assert "cosine" not in page.locator(".hero").text_content()
    assert {"−1", "1"} <= {text.strip() for text in chart.locator(".axis text").all_text_contents()}
    assert page.locator(".finding .how").first.text_content().startswith("score = 0.50")


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [(("passed", "passed", "excused"), "Gate open: 2 of 2 rules passed"),
     (("passed", "broken", "not measured"), "Gate closed: 1 of 2 rules failed")],
)  # fmt: skip
def test_the_strip_counts_rules_not_verdicts(
    opened: Open, tmp_path: Path, outcomes: tuple[str, ...], expected: str
) -> None:
    rules = zip(("one", "two", "two"), outcomes, strict=True)
    verdicts = [{"rule": rule, "test": "t", "outcome": said, "sentence": "s"} for rule, said in rules]
    gate = {"passed": "open" in expected, "verdicts": verdicts}
    emb = cr.Embeddings(list("abcdefgh"), np.random.default_rng(0).normal(size=(8, 4)), provenance="m")
    design = cr.Design(name="t", x=["a", "b"], y=["c", "d"], a=["e", "f"], b=["g", "h"])
    write_page(tmp_path / "gate.html", [audit_record(Audit([cr.battery(emb, design)]), [design], gate=gate)])
    page = opened(tmp_path / "gate.html").page
    assert expected in page.locator(".status").inner_text()
    assert expected.partition(": ")[2] in page.locator("#methods").text_content()


@pytest.mark.parametrize("width", [1440, 390])
def test_differences_and_effect_sizes_can_be_switched_by_keyboard(
    opened: Open, told: Path, width: int
) -> None:
    page = opened(told, width=width).page
    assert "difference" in page.locator(".hero svg").text_content()
    page.get_by_role("button", name="effect size d").press("Enter")
    assert "effect size d" in page.locator(".hero svg").text_content()
    assert page.get_by_role("button", name="effect size d").get_attribute("aria-pressed") == "true"
    outside = page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
    assert outside is False


def test_headings_say_what_was_drawn_where_it_was_not_words(
    opened: Open, tmp_path: Path, every_result: dict[str, Any]
) -> None:
    kinds = ("OrderSensitivityResult", "SentencePairsResult")
    some = {name: one for name, one in every_result.items() if type(one).__name__ in kinds}
    path = tmp_path / "report.html"
    record = audit_record(Audit(some, kind="results", name="several"))
    held = [one._replace(found=replace(one.found, status="holds")) for one in record.conclusions]
    write_page(path, [replace(record, conclusions=held)])
    for width in (1440, 390):
        page = opened(path, width=width).page
        heads = [one.rsplit(" ", 1)[0] for one in page.locator("#findings h3").all_inner_texts()]
        assert sorted(heads) == ["Holds for other groups", "Holds for other sentences"]
        assert "words" not in page.locator("#findings").inner_text()
        said = page.locator(".hero figcaption").inner_text()
        assert "over the choice of" in said
        assert page.evaluate("document.documentElement.scrollWidth > innerWidth + 1") is False


PLACED = """(text) => {
  const id = text.querySelector('tspan').textContent.length, all = text.getNumberOfChars();
  const signs = Array.from({ length: all }, (_, i) => text.getExtentOfChar(i));
  const label = signs.slice(0, all - id).filter((one) => one.width > 0);
  const name = signs.slice(all - id).filter((one) => one.width > 0);
  return [Math.max(...label.map((one) => one.x + one.width)), Math.min(...name.map((one) => one.x))];
}"""


@pytest.mark.parametrize("width", [1440, 390])
def test_right_to_left_names_stay_in_their_places(opened: Open, tmp_path: Path, width: int) -> None:
    names = {"x": "أسماء الرجال", "y": "أسماء النساء", "a": "العمل", "b": "البيت"}
    rng = np.random.default_rng(1)
    words: dict[str, Any] = {}
    for key, side in zip("xyab", (1, -1, 1, -1), strict=True):
        words |= {f"{names[key]}{i}": rng.normal(size=6) + side for i in range(5)}
    sets: dict[str, Any] = {
        key: cr.StimulusSet(name, tuple(word for word in words if word.startswith(name)))
        for key, name in names.items()
    }
    battery = cr.battery(cr.Embeddings.from_dict(words), [cr.Design(name="مهن", **sets)], resamples=0)
    audit = Audit({"how sure": cr.ladder(battery), "battery": battery}, name="made up")
    write_page(tmp_path / "rtl.html", [audit_record(audit, [])])
    page = opened(tmp_path / "rtl.html", width=width).page
    label = page.locator(".hero-row text.row-label").first
    end, start = label.evaluate(PLACED)
    assert start > end  # the name of the test stands behind what is compared
    assert page.locator(".finding .said bdi").all_inner_texts() == [names[key] for key in "xabyba"]
    card = page.locator("#overview a.card.map .pattern").inner_text()
    assert card.startswith(f"\u2068{names['x']}\u2069 towards \u2068{names['a']}\u2069, ")

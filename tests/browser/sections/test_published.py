"""Published models beside ours: a strip for every test, in the section and in the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.papers.findings import findings
from crossroads.report.documents.records import Record, results_document
from crossroads.report.page.page import write_page

Open = Callable[..., Any]
TESTS = ("weat6", "weat7", "weat9")
OVERLAPS = """(svg) => {
  const texts = [...svg.querySelectorAll("g > text")].filter((one) => !one.closest(".axis"));
  const boxes = texts.map((one) => one.getBoundingClientRect()), all = svg.getBoundingClientRect();
  const beside = (a, b) => a.left >= b.right - 1 || b.left >= a.right - 1;
  const meet = (a, b) => !beside(a, b) && a.top < b.bottom - 3 && b.top < a.bottom - 3;
  const through = (line, box) => line.left > box.left && line.left < box.right - 1
    && line.top < box.bottom - 3 && line.bottom > box.top + 3;
  const said = texts.map((one) => one.textContent);
  const lines = [...svg.querySelectorAll(".leader")].map((one) => one.getBoundingClientRect());
  return boxes.flatMap((box, i) => [
    box.left < all.left - 1 || box.right > all.right + 1 ? `${said[i]} leaves the picture` : null,
    ...boxes.map((other, k) => (k > i && meet(box, other) ? `${said[i]} on ${said[k]}` : null)),
    ...lines.map((line) => (through(line, box) ? `a line through ${said[i]}` : null)),
  ]).filter(Boolean);
}"""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A page of three published tests, with what is published about them."""
    designs = [cr.catalog(name) for name in TESTS]
    words = dict.fromkeys(word for design in designs for word in design.words)
    battery = cr.battery(cr.load("default", words=words), designs, resamples=0)
    document = results_document([battery], model="ours")
    path = tmp_path_factory.mktemp("published") / "report.html"
    write_page(path, [Record(document=document)], findings=findings(TESTS))
    return path, document


@pytest.mark.parametrize("width", [1280, 390])
def test_every_published_model_has_a_dot_with_its_name_and_ours_another_shape(
    opened: Open, published: tuple[Path, dict[str, Any]], width: int
) -> None:
    path, document = published
    page = opened(path, width=width).page
    strips = page.locator("#published svg.strip")
    assert strips.count() == len(TESTS)
    for test, strip in zip(document["results"][0]["tests"], strips.all(), strict=True):
        wanted = {
            (one.model, one.statistic): one.value
            for one in findings([test["design"]])[test["design"]]
            if one.statistic in ("effect size d (Level 1)", "combined effect size (CES)")
        }
        label = strip.get_attribute("aria-label")
        for (model, _), value in wanted.items():
            assert f"{model} {value:.2f}".replace("-", "−") in label or "over contexts" in label
        assert strip.locator("circle.dot").count() == len(wanted)
        assert strip.locator("path.dot.ours").count() == 1
        d = f"{test['level1']['effect_size']:.2f}".replace("-", "−")
        names = strip.locator("g > text").all_text_contents()
        assert f"this model, ours {d}" in names
        assert f"Measured here: this model, ours {d}." in label
        assert strip.evaluate(OVERLAPS) == []


def test_a_dot_lies_where_its_number_says(opened: Open, published: tuple[Path, dict[str, Any]]) -> None:
    page = opened(published[0]).page
    strip = page.locator("#published svg.strip").first
    ticks = {
        float(text.text_content().replace("−", "-")): float(text.get_attribute("x"))
        for text in strip.locator(".axis text").all()
    }
    for flag in strip.locator("g:has(> path.leader)").all():
        value = float(flag.locator("text").text_content().rsplit(" ", 1)[1].replace("−", "-"))
        x = float(flag.locator("path").get_attribute("d")[1:].split(" ")[0])
        assert x == pytest.approx(ticks[0] + value * (ticks[1] - ticks[0]), abs=1)


def test_a_test_shows_its_own_strip(opened: Open, published: tuple[Path, dict[str, Any]]) -> None:
    page = opened(published[0]).page
    page.locator("#weat6 > summary").click()
    strip = page.locator("#weat6 svg.strip[aria-label^='Effect sizes']")
    strip.wait_for()
    assert "male names / female names: career / family" in strip.get_attribute("aria-label")
    # letters of sets are for Methods
    assert page.locator("#weat6 .cited").get_by_text("effect size d of male names (Level 2)").count() >= 1

"""The pictures of the page fit their text at every width, and with every font."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.core.report.documents.records import Record, results_document
from crossroads.core.report.page.page import write_page
from crossroads.core.results import Result
from tests import registry
from tests.browser import fonts
from tests.browser.conftest import HELPERS
from tests.conftest import Once

Open = Callable[..., Any]
# Texts that reach beyond their picture, with how far: left, right, top, bottom.
OUTSIDE = """() => [...document.querySelectorAll("svg text")].filter((text) => {
  const [box, all] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
  return box.width > 0 && (box.left < all.left - 1 || box.right > all.right + 1
    || box.top < all.top - 1 || box.bottom > all.bottom + 1);
}).map((text) => {
  const [box, all] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
  const out = [all.left - box.left, box.right - all.right, all.top - box.top, box.bottom - all.bottom];
  return `${text.textContent} (${out.map((one) => one.toFixed(1))})`;
})"""
# Pairs of texts of which one lies on the other.
OVER = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].filter((one) => one.getBoundingClientRect().width > 0);
  const ink = (text) => {
    const box = text.getBoundingClientRect(), turned = text.hasAttribute("transform");
    // lines are taller than letters
    const [more, less] = turned ? [box.width * 0.3, 1] : [1, box.height * 0.3];
    return { left: box.left + more, right: box.right - more, top: box.top + less, bottom: box.bottom - less };
  };
  const boxes = texts.map(ink), found = [];
  boxes.forEach((one, i) => boxes.slice(i + 1).forEach((other, k) => {
    if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)
      found.push(`${texts[i].textContent} | ${texts[i + 1 + k].textContent}`);
  }));
  return found;
})"""


@pytest.fixture(scope="session")
def pages(report: Path, every_result: dict[str, Result], once: Once) -> dict[str, Path]:
    """The audit, a page of every type of result, and one of designs whose attributes have long names."""

    def make(folder: Path) -> None:
        designs = [cr.catalog(name) for name in ("i1", "i2", "i3", "i4")]
        words = dict.fromkeys(word for design in designs for word in design.words)
        battery = cr.battery(cr.load("default", words=words), designs)
        some: dict[str, list[Result]] = {"titles": [battery], "every": [*every_result.values()]}
        for name, results in some.items():
            write_page(folder / f"{name}.html", [Record(document=results_document(results))])

    folder = once("browser-fonts", make)
    return {"audit": report, **{name: folder / f"{name}.html" for name in ("every", "titles")}}


def fits(page: Any) -> None:
    """No text of a picture is cut or covered, drawn for a desk and drawn again for two widths."""
    page.evaluate("unfolded()")
    assert page.locator("svg text").count() > 40
    for width in (1280, 768, 320):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("settled()")
        assert page.evaluate(OUTSIDE) == [], width
        assert page.evaluate(OVER) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ["audit", "every", "titles"])
def test_no_text_of_a_picture_is_cut_by_its_edge_or_lies_on_another(
    opened: Open, pages: dict[str, Path], name: str
) -> None:
    """Every picture of three pages, at three widths."""
    fits(opened(pages[name]).page)


@pytest.mark.full
@pytest.mark.parametrize("font", fonts.FONTS)
def test_the_same_holds_with_other_fonts(
    launched: Callable[..., Any], pages: dict[str, Path], tmp_path: Path, font: str
) -> None:
    """A browser on a machine with one family of fonts, for each of four."""
    found = fonts.configuration(font, tmp_path / font, registry.npm_member)
    browser = launched(env=fonts.environment(found))
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.add_init_script(HELPERS)
    for path in pages.values():
        page.goto(path.resolve().as_uri())
        page.wait_for_selector("html[data-ready=yes]")
        fits(page)
    browser.close()

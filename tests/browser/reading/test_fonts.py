"""The page fits its text whatever font the reader has, and however the screen is scaled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.report.documents.records import Record, results_document
from crossroads.report.page.page import write_page
from crossroads.results import Result
from tests.conftest import Once

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def pages(report: Path, every_result: dict[str, Result], once: Once) -> dict[str, Path]:
    """The audit, a page of every type of result, and one of designs whose attributes have long names."""

    def make(folder: Path) -> None:
        designs = [cr.catalog(name) for name in ("i1", "i2", "i3", "i4")]
        words = dict.fromkeys(word for design in designs for word in design.words)
        battery = cr.battery(cr.load("default", words=words), designs, resamples=0)
        some: dict[str, list[Result]] = {"titles": [battery], "every": [*every_result.values()]}
        for name, results in some.items():
            write_page(folder / f"{name}.html", [Record(document=results_document(results))])

    folder = once("browser-fonts", make)
    return {"audit": report, **{name: folder / f"{name}.html" for name in ("every", "titles")}}


@pytest.mark.parametrize("name", ["audit", "every", "titles"])
def test_no_text_of_a_picture_is_cut_by_its_edge_or_lies_on_another(
    opened_in_font: Open, misplaced: Callable[[Any], str], pages: dict[str, Path], name: str
) -> None:
    """Every picture of a page, drawn for a desk and drawn anew for two widths."""
    page = opened_in_font(pages[name]).page
    page.evaluate("unfolded()")
    assert page.locator("svg text").count() > 40
    for width in (1280, 768, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert misplaced(page) == "", width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_text_of_an_edited_strip_lies_on_another(
    opened_in_font: Open, report: Path, misplaced: Callable[[Any], str]
) -> None:
    page = opened_in_font(report, width=390).page
    page.evaluate("location.hash = 'weat6&e=x-John'")
    page.wait_for_selector("#weat6 .strip-word.out")
    assert misplaced(page) == ""


@pytest.mark.parametrize("scale", [1.25, pytest.param(2, marks=pytest.mark.full)])
def test_no_text_of_a_picture_is_cut_on_a_screen_of_another_scale(
    opened: Open, misplaced: Callable[[Any], str], report: Path, scale: float
) -> None:
    page = opened(report, width=412, device_scale_factor=scale).page
    page.evaluate("unfolded()")
    assert misplaced(page) == ""


@pytest.mark.full
def test_the_fonts_differ(browsers: Callable[[str], Any]) -> None:
    wide = {}
    for font in ("dejavu", "noto", "wide"):
        page = browsers(font).new_page()
        wide[font] = page.evaluate(
            """() => { const span = document.createElement("span"); span.textContent = "listed words found";
            span.style.font = "100px system-ui, 'Noto Sans', sans-serif"; document.body.append(span);
            return span.getBoundingClientRect().width; }"""
        )
        page.close()
    assert wide["wide"] > 1.25 * wide["dejavu"] > 1.25 * wide["noto"]

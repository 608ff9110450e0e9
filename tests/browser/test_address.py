"""The address of a page: it holds the model and the open part, and brings a reader back to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.report.documents.records import Record
from crossroads.report.page.page import write_page
from crossroads.stimuli import Design
from tests.conftest import Once

Open = Callable[..., Any]
OPEN = "[...document.querySelectorAll('#main details[open]')].map((one) => one.dataset.part)"


@pytest.fixture(scope="module")
def two(record: Record, once: Once) -> Path:
    """A page of two models, of which the second has its tests in another order."""
    (battery, *others) = record.document["results"]
    turned = {**battery, "tests": battery["tests"][::-1]}
    turned["adjusted"] = {name: some[::-1] for name, some in battery["adjusted"].items()}
    other = {**record.document, "model": "another & <model>", "results": [turned, *others]}
    records = [record, Record(document=other, marks=record.marks, tables=record.tables)]
    return once("browser-two", lambda folder: write_page(folder / "two.html", records)) / "two.html"


def _window(page: Any, address: str) -> Any:
    """A new window with an address."""
    window = page.context.new_page()
    window.goto(address)
    window.wait_for_selector("html[data-ready=yes]")
    return window


def test_an_address_opens_the_test_that_it_names(opened: Open, report: Path) -> None:
    page = _window(opened(report).page, f"{report.as_uri()}#weat6")
    assert page.evaluate(OPEN) == ["weat6"]
    assert page.locator("#weat6 .opened h4").first.is_visible()
    top: float = page.locator("#weat6").evaluate("(one) => one.getBoundingClientRect().top")
    assert 0 <= top < 120  # at the upper edge, below the contents


@pytest.mark.parametrize("way", ["keyboard", "touch"])
def test_opening_a_test_is_a_step_that_can_be_taken_back(opened: Open, report: Path, way: str) -> None:
    page = opened(report, has_touch=True).page
    summary = page.locator("#weat7 > summary")
    {"keyboard": lambda: summary.press("Enter"), "touch": summary.tap}[way]()
    page.wait_for_function("() => location.hash === '#weat7'")
    assert page.evaluate(OPEN) == ["weat7"]
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('#main details[open]').length === 0")
    page.go_forward()
    page.wait_for_function("() => document.querySelector('#weat7').open")
    assert page.evaluate("location.hash") == "#weat7"
    summary.click()  # closing it leaves it out of the address
    page.wait_for_function("() => location.hash !== '#weat7'")
    assert page.evaluate(OPEN) == []


def test_a_plain_link_of_the_page_opens_a_part_and_the_way_back_leads_to_where_it_was_pressed(
    opened: Open, report: Path
) -> None:
    page = opened(report, height=500).page
    link = page.locator("#overview a.card[href='#weat6']")
    link.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    link.click()
    page.wait_for_selector("#weat6[open]")
    page.go_back()
    page.wait_for_selector("#weat6:not([open])")
    assert abs(page.evaluate("scrollY") - before) < 3


def test_a_copied_address_restores_model_and_part_in_a_new_window(opened: Open, two: Path) -> None:
    page = opened(two).page
    page.locator("#model").select_option("1")
    page.locator("#i4 > summary").click()
    page.wait_for_function("() => location.hash.startsWith('#i4&m=')")
    window = _window(page, page.url)
    assert window.locator("#model").input_value() == "1"
    assert window.evaluate(OPEN) == ["i4"]
    assert window.locator("#i4 data").first.get_attribute("data-audit") == "1"
    window.go_back()  # to the empty window
    window.go_forward()
    window.wait_for_selector("#i4[open]")


def test_the_way_back_leads_to_the_model_before(opened: Open, two: Path) -> None:
    page = opened(two).page
    page.locator("#weat6 > summary").click()
    page.wait_for_selector("#weat6[open]")
    page.locator("#model").select_option("1")
    assert page.evaluate(OPEN) == ["weat6"]
    page.go_back()
    page.wait_for_function("() => document.querySelector('#model').value === '0'")
    assert page.evaluate(OPEN) == ["weat6"]


def test_switching_the_model_keeps_what_is_open_where_it_is_seen_and_what_has_the_focus(
    opened: Open, two: Path
) -> None:
    page = opened(two).page
    page.evaluate("location.hash = '#weat1'")
    page.wait_for_selector("#weat1[open]")
    inner = page.locator("#weat1 details", has_text="Every word of the lists").first
    inner.locator("summary").press("Enter")
    inner.locator("table").first.wait_for()
    inner.evaluate("(one) => scrollBy({ top: one.getBoundingClientRect().top - 60 })")
    page.evaluate("settled()")
    names, top = page.evaluate(OPEN), inner.evaluate("(one) => one.getBoundingClientRect().top")
    assert len(names) == 2
    page.evaluate("crossroads.choose(1)")
    page.evaluate("settled()")
    assert sorted(page.evaluate(OPEN)) == sorted(names)  # the same parts, in another order on the page
    assert abs(inner.evaluate("(one) => one.getBoundingClientRect().top") - top) < 40
    assert page.evaluate("document.activeElement.parentElement.dataset.part") == names[1]


def test_edits_in_the_address_are_left_as_they_are(opened: Open, two: Path) -> None:
    page = _window(opened(two).page, f"{two.as_uri()}#weat6&e=x%2D%26aster")
    page.locator("#model").select_option("1")
    assert page.evaluate("location.hash") == "#weat6&m=another%20%26%20%3Cmodel%3E&e=x%2D%26aster"


def test_an_address_that_leads_nowhere_is_told_and_does_no_harm(opened: Open, two: Path) -> None:
    page = opened(two).page
    for address in ("#weat99", "#weat6&m=nobody", "#%E0%A4%A", "#&m=%"):
        page.evaluate("listening()")
        page.evaluate("(address) => { location.hash = address; }", address)
        page.wait_for_function("() => heard.seen.some((one) => one.startsWith('There is no '))")
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.locator("#explorer").count() == 1


def test_every_part_has_a_name_and_no_two_the_same(opened: Open, two: Path) -> None:
    page = opened(two).page
    page.evaluate("unfolded()")
    page.evaluate("crossroads.choose(1)")  # which names those that have just been made
    names = page.evaluate("[...document.querySelectorAll('#main details')].map((one) => one.dataset.part)")
    assert len(names) > 30
    assert None not in names
    assert len(set(names)) == len(names)
    assert {"weat1", "weat6"} <= set(names)
    assert any(name.startswith("intersections~") for name in names)


NAMES = ("data", "tests", "a & b", "a - b", "a & b", "100 %", "methods-title", "שלום", "x" * 200, "~#")


def test_no_name_of_a_test_takes_the_place_of_something_else(made: Open) -> None:
    words = {key: [f"{key}{i}" for i in range(3)] for key in "xyab"}
    labels = [word for some in words.values() for word in some]
    emb = cr.Embeddings(labels, np.random.default_rng(3).normal(size=(12, 5)), provenance="made up")
    results = [cr.weat(emb, Design(name=name, **words)) for name in NAMES]  # type: ignore[arg-type]
    page = made(*results)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    links = page.locator("#overview .table tbody th a")
    assert links.all_inner_texts() == list(NAMES)
    for place in range(len(NAMES)):
        links.nth(place).click()
        page.wait_for_selector(f"#tests > details:nth-of-type({place + 1})[open]")
        address = page.url
        window = _window(page, address)
        assert window.locator("#tests > details[open]").count() == 1
        assert window.locator(f"#tests > details:nth-of-type({place + 1})[open]").count() == 1
        window.close()

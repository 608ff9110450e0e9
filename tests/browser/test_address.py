"""The address of a page: it holds the model and the open part, and brings a reader back to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.core.report.documents.records import Record
from crossroads.core.report.page.page import write_page
from tests.browser.conftest import design_of, lists, random_vectors
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


def test_opening_a_test_is_a_step_that_can_be_taken_back(opened: Open, report: Path) -> None:
    page = opened(report, height=500).page
    summary = page.locator("#weat7 > summary")
    summary.press("Enter")
    page.wait_for_function("() => location.hash === '#weat7'")
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('#main details[open]').length === 0")
    page.go_forward()
    page.wait_for_function("() => document.querySelector('#weat7').open")
    assert page.evaluate("location.hash") == "#weat7"
    summary.click()  # closing it leaves it out of the address
    page.wait_for_function("() => location.hash !== '#weat7'")
    assert page.evaluate(OPEN) == []
    # a plain link opens a part, and the way back leads to where it was pressed
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
    page.locator("#i4 > summary").click()
    page.wait_for_selector("#i4[open]")
    page.locator("#model").select_option("1")
    page.wait_for_function("() => location.hash.startsWith('#i4&m=')")
    window = _window(page, page.url)
    assert window.locator("#model").input_value() == "1"
    assert window.evaluate(OPEN) == ["i4"]
    assert window.locator("#i4 data").first.get_attribute("data-audit") == "1"
    page.go_back()  # to the model before
    page.wait_for_function("() => document.querySelector('#model').value === '0'")
    assert page.evaluate(OPEN) == ["i4"]
    edited = _window(page, f"{two.as_uri()}#weat6&e=x%2D%26aster")  # edits are left as they are
    edited.locator("#model").select_option("1")
    assert edited.evaluate("location.hash") == "#weat6&m=another%20%26%20%3Cmodel%3E&e=x%2D%26aster"


def test_an_address_that_leads_nowhere_is_told_and_does_no_harm(opened: Open, two: Path) -> None:
    page = opened(two).page
    for address in ("#weat99", "#weat6&m=nobody", "#%E0%A4%A", "#&m=%"):
        page.evaluate("listening()")
        page.evaluate("(address) => { location.hash = address; }", address)
        page.wait_for_function("() => heard.seen.some((one) => one.startsWith('There is no '))")
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.locator("#explorer").count() == 1


NAMES = ("data", "tests", "a & b", "a - b", "a & b", "100 %", "methods-title", "שלום", "x" * 200, "~#")


def test_no_name_of_a_test_takes_the_place_of_something_else(made: Open) -> None:
    words = lists(3)
    emb = random_vectors(word for some in words.values() for word in some)
    page = made(*(cr.weat(emb, design_of(name, words)) for name in NAMES))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    links = page.locator("#overview .table tbody th a")
    assert links.all_inner_texts() == list(NAMES)
    for place in range(len(NAMES)):
        links.nth(place).click()
        page.wait_for_selector(f"#tests > details:nth-of-type({place + 1})[open]")
        window = _window(page, page.url)
        assert window.locator("#tests > details[open]").count() == 1
        assert window.locator(f"#tests > details:nth-of-type({place + 1})[open]").count() == 1
        window.close()

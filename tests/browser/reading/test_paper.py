"""The page on paper: what was found on two pages, or everything, in tables that keep their headings."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

Open = Callable[..., Any]


def test_print_is_two_pages_with_findings_and_picture(opened: Open, report: Path) -> None:
    page = opened(report).page
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= 2
    page.emulate_media(media="print")
    assert page.locator("#findings .finding").first.is_visible()
    assert page.locator("#findings .hero svg").is_visible()
    assert page.locator(".menu").first.is_hidden()
    assert not page.locator("nav").is_visible()


def test_after_everything_was_printed_what_was_closed_is_closed_again(opened: Open, report: Path) -> None:
    page = opened(report).page
    page.locator("#weat6 > summary").click()
    page.evaluate(
        "window.print = () => { window.seen = document.querySelectorAll('details:not([open])').length; }"
    )
    page.get_by_role("button", name="Print").click()
    page.get_by_role("menuitem", name="Print with everything open").click()
    assert page.evaluate("[seen, document.documentElement.dataset.print]") == [0, "all"]
    page.evaluate("void dispatchEvent(new Event('afterprint'))")
    opened_parts = page.evaluate("[...document.querySelectorAll('#main details[open]')].map((one) => one.id)")
    assert opened_parts == ["weat6"]


def test_tables_fit_on_paper_and_have_their_headings_on_every_page(opened: Open, report: Path) -> None:
    page = opened(report, width=680).page  # A4 with margins of 15 mm
    page.evaluate("unfolded()")
    page.emulate_media(media="print")
    page.evaluate("document.documentElement.dataset.print = 'all'")
    page.evaluate("settled()")
    found = page.evaluate(
        """[...document.querySelectorAll("#main table")].map((one) => [one.caption.textContent,
          one.getBoundingClientRect().right > innerWidth + 1,
          [...one.querySelectorAll("th")].some((head) => getComputedStyle(head).position !== "static")])"""
    )
    assert len(found) > 20
    assert [caption for caption, wide, moved in found if wide or moved] == []
    # Chromium repeats the row of headings on each page, but paints no button in it after the first
    boxes = page.evaluate(
        """[...new Set([...document.querySelectorAll("#main thead th *")]
          .map((one) => getComputedStyle(one).display))]"""
    )
    assert boxes == ["contents"]
    assert page.locator("thead th .sort").first.is_visible()

"""The page on a phone, at 200 % and in print: everything is there, within reach, and in its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]
PHONE: dict[str, Any] = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


def test_a_phone_shows_rows_as_cards_with_their_headings(opened: Open, report: Path) -> None:
    page = opened(report, **PHONE).page
    table = page.locator("#overview .table").first
    assert not table.locator("thead").is_visible()
    card = table.locator("tbody tr").first
    heads = card.evaluate(
        "(row) => [...row.querySelectorAll('td')].map((one) => getComputedStyle(one, '::before').content)"
    )
    assert heads[:3] == ['"question"', '"d"', '"Δ"']
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    # and no region is left that scrolls sideways
    assert table.locator(".scroll").evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0


def test_cards_are_sorted_by_a_choice(opened: Open, report: Path) -> None:
    page = opened(report, **PHONE).page
    page.locator("#weat6 > summary").tap()
    table = page.locator("#weat6 .table").filter(has=page.locator("caption", has_text="Target words")).first
    table.locator(".by select").select_option(label="association s ↓")
    shown = table.locator("tbody td:nth-child(3) data").evaluate_all(
        "(all) => all.map((one) => Number(one.value))"
    )
    assert len(shown) == 16
    assert shown == sorted(shown, reverse=True)


def test_the_contents_stay_in_one_line_at_the_top_and_say_where_the_reader_is(
    opened: Open, report: Path
) -> None:
    page = opened(report, **PHONE).page
    page.locator("#nav a[href='#intersections']").tap()
    page.wait_for_selector("#nav a[href='#intersections'][aria-current]")
    box = page.locator("#nav").bounding_box()
    assert box["y"] == pytest.approx(0, abs=1)
    assert box["height"] < 60
    title = page.locator("#intersections-title").bounding_box()
    assert title["y"] >= box["height"] - 1  # not behind the contents
    assert page.locator("#nav [aria-current]").count() == 1


def test_what_is_shown_by_pointing_is_shown_by_a_tap(opened: Open, report: Path) -> None:
    page = opened(report, **PHONE).page
    page.evaluate("listening()")
    mark = page.locator("#overview figure svg.chart g:has(> title) .dot").first
    said = mark.evaluate("(one) => one.closest('g:has(> title)').querySelector('title').textContent")
    mark.scroll_into_view_if_needed()
    mark.tap(force=True)
    page.wait_for_function("(said) => heard.seen.includes(said)", arg=said)


SMALL = """() => [...document.querySelectorAll('a[href], button, summary, input, select, [role=menuitem]')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.skip, .unseen'))
  .filter((one) => !(one.matches('a') && getComputedStyle(one).display === 'inline'))  // links in sentences
  .map((one) => [`${one.className} ${one.textContent.slice(0, 20)}`, one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24))
  .map(([name, box]) => `${name} ${box.width}×${box.height}`)"""


@pytest.mark.parametrize("size", [PHONE, {"width": 1280}], ids=["phone", "desk"])
def test_whatever_is_pressed_is_at_least_24_pixels_wide_and_high(
    opened: Open, report: Path, size: dict[str, Any]
) -> None:
    page = opened(report, **size).page
    page.evaluate("unfolded()")
    assert page.evaluate(SMALL) == []


CLIPPED = """() => [...document.querySelectorAll('body *')].filter((one) => {
  const look = getComputedStyle(one);
  const cut = (overflow) => ['hidden', 'clip'].includes(overflow);
  return one.checkVisibility() && !one.closest('.unseen, .skip, select, svg') && one.textContent.trim()
    && ((cut(look.overflowX) && one.scrollWidth > one.clientWidth + 1)
      || (cut(look.overflowY) && one.scrollHeight > one.clientHeight + 1));
}).map((one) => `${one.tagName}.${one.className}`)"""


@pytest.mark.parametrize("way", ["page", "letters"])
def test_at_200_percent_nothing_is_lost(opened: Open, report: Path, way: str) -> None:
    wide = 640 if way == "page" else 1280
    page = opened(report, width=wide, height=450, device_scale_factor=2 if way == "page" else 1).page
    size = "parseFloat(getComputedStyle(document.querySelector('#overview p')).fontSize)"
    before = page.evaluate(size)
    if way == "letters":  # as readers choose them in the browser
        session = page.context.new_cdp_session(page)
        session.send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
        page.wait_for_function(f"() => {size} > {1.9 * before}")
    page.evaluate("unfolded()")
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    assert [one for one in page.evaluate(CLIPPED) if "chip-word" not in one] == []  # those open by a press


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_moves_once_the_page_is_ready(opened: Open, report: Path, width: int) -> None:
    page = opened(report, width=width).page
    for address in ("", "#weat6"):
        page.goto("about:blank")
        page.goto(report.as_uri() + address)
        page.wait_for_selector("html[data-ready=yes]")
        for _ in range(4):
            page.evaluate("settled()")
        assert page.evaluate("shifts") == []
    # what is watched for is seen
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("void (document.querySelector('h1').style.marginTop = '200px')")
    page.wait_for_function("() => shifts.length > 0")


def _pages(page: Any, **options: Any) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", **options)))


def test_print_is_two_pages_with_findings_picture_and_methods(opened: Open, report: Path) -> None:
    page = opened(report).page
    assert _pages(page) <= 2
    page.emulate_media(media="print")
    assert page.locator("#findings .finding").first.is_visible()
    assert page.locator("#findings .hero svg").is_visible()
    assert not page.locator("#tests").is_visible()
    assert not page.locator("#overview").is_visible()
    assert page.locator(".menu").first.is_hidden()


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
    assert page.evaluate("document.documentElement.dataset.print") is None
    assert page.evaluate("[...document.querySelectorAll('#main details[open]')].map((one) => one.id)") == [
        "weat6"
    ]

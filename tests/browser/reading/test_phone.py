"""The page on a phone and at 200 %: everything is there, within reach, and in its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]
PHONE: dict[str, Any] = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
SMALL = """() => [...document.querySelectorAll('a[href], button, summary, input, select, [role=menuitem]')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.skip, .unseen'))
  .filter((one) => !(one.matches('a') && getComputedStyle(one).display === 'inline'))  // links in sentences
  .map((one) => [`${one.className} ${one.textContent.slice(0, 20)}`, one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24))
  .map(([name, box]) => `${name} ${box.width}×${box.height}`)"""


def test_a_phone_shows_all_within_its_width_and_nothing_too_small_to_press(
    opened: Open, report: Path
) -> None:
    page = opened(report, **PHONE).page
    page.evaluate("listening()")
    mark = page.locator("#overview figure svg.chart g:has(> title) .dot").first
    said = mark.evaluate("(one) => one.closest('g:has(> title)').querySelector('title').textContent")
    mark.scroll_into_view_if_needed()
    mark.tap(force=True)  # what is shown by pointing is shown by a tap
    page.wait_for_function("(said) => heard.seen.includes(said)", arg=said)
    page.evaluate("unfolded()")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("#overview .scroll").first.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0
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

"""The page on paper and on a phone: long tables keep their headings, and captions the room that there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]


def test_headings_come_again_on_every_page_of_a_long_table(opened: Open, report: Path) -> None:
    page = opened(report).page
    page.evaluate("unfolded()")
    assert page.locator("th .sort").first.evaluate("(one) => getComputedStyle(one).display") != "contents"
    page.emulate_media(media="print")
    page.evaluate("document.documentElement.dataset.print = 'all'")
    # Chromium repeats the row of headings on each page, but paints no button in it after the first
    boxes = page.evaluate(
        """[...new Set([...document.querySelectorAll("#main thead th *")]
          .map((one) => getComputedStyle(one).display))]"""
    )
    assert boxes == ["contents"]
    assert page.locator("thead th .sort").first.is_visible()


@pytest.mark.parametrize("width", [1280, 360])
def test_the_caption_of_a_narrow_table_takes_the_room_beside_it(
    opened: Open, report: Path, width: int
) -> None:
    page = opened(report, width=width).page
    page.evaluate("unfolded()")
    found = page.evaluate(
        """[...document.querySelectorAll(".scroll caption > span")].map((one) => {
          const room = one.closest(".scroll"), wide = one.closest("table").offsetWidth;
          const { width, height } = one.getBoundingClientRect();
          const lines = Math.round(height / parseFloat(getComputedStyle(one).lineHeight));
          return [one.textContent, lines, room.clientWidth - width, room.scrollWidth - room.clientWidth,
            wide - room.clientWidth];
        })"""
    )
    assert len(found) > 20
    # a second line only where the first is full: what is free is less than a long word
    assert [text for text, lines, free, *_ in found if lines > 1 and free > 150] == []
    # and no caption makes a table scroll that would not by itself
    assert [text for text, _, _, over, wider in found if over > max(0, wider) + 1] == []

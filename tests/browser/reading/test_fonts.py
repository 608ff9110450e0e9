"""The page fits its text whatever font the reader has, and however the screen is scaled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]


@pytest.mark.parametrize("width", [1280, 768, 360])
def test_no_text_of_a_picture_is_cut_by_its_edge_or_lies_on_another(
    opened_in_font: Open, misplaced: Callable[[Any], str], report: Path, width: int
) -> None:
    page = opened_in_font(report, width=width).page
    page.evaluate("unfolded()")
    assert page.locator("svg text").count() > 100
    assert misplaced(page) == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scale", [1.25, 2, 3])
def test_no_text_of_a_picture_is_cut_on_a_screen_of_another_scale(
    opened: Open, misplaced: Callable[[Any], str], report: Path, scale: float
) -> None:
    page = opened(report, width=412, device_scale_factor=scale).page
    page.evaluate("unfolded()")
    assert misplaced(page) == ""


def test_pictures_are_drawn_anew_when_the_window_gets_another_width(
    opened_in_font: Open, misplaced: Callable[[Any], str], report: Path
) -> None:
    page = opened_in_font(report, width=1280).page
    page.evaluate("unfolded()")
    page.set_viewport_size({"width": 400, "height": 800})
    page.evaluate("settled()")
    assert misplaced(page) == ""


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

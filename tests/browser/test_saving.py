"""Figures and tables leave the page as files and by the clipboard, from one menu each."""

from __future__ import annotations

import csv
import io
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Open = Callable[..., Any]
SVG = "{http://www.w3.org/2000/svg}"


def _figure(page: Any) -> Any:
    return page.locator("#overview figure", has=page.locator(".menu")).first


def _saved(page: Any, item: str, box: Any) -> tuple[str, bytes]:
    """The name and the content of a file that an item of a menu saves."""
    box.locator(".menu-button").first.click()
    with page.expect_download() as found:
        page.get_by_role("menuitem", name=item).click()
    return found.value.suggested_filename, Path(found.value.path()).read_bytes()


@pytest.mark.parametrize("dark", [False, True])
def test_a_saved_svg_needs_nothing_of_the_page(opened: Open, report: Path, dark: bool) -> None:
    page = opened(report, dark=dark).page
    figure = _figure(page)
    name, content = _saved(page, "Save SVG", figure)
    assert name.endswith(".svg")
    text = content.decode("utf-8")
    assert not re.search(r"var\(|class=|style=|color-mix|data-|url\(", text)
    root = ElementTree.fromstring(text)
    ground = root.find(f"{SVG}rect")
    assert ground is not None
    assert ground.get("fill") == ("rgb(22, 24, 27)" if dark else "rgb(253, 252, 250)")
    ink = "rgb(232, 230, 225)" if dark else "rgb(34, 34, 34)"
    shown = figure.locator("svg text").all_text_contents()
    texts = list(root.iter(f"{SVG}text"))
    assert ["".join(one.itertext()) for one in texts] == shown
    assert any(one.get("fill") == ink for one in texts)
    assert "system-ui" in (root.get("font-family") or texts[0].get("font-family") or "")
    # and it looks the same by itself: each text as wide as on the page
    wide = "(all) => all.map((one) => one.getBBox().width)"
    before = figure.locator("svg text").evaluate_all(wide)
    window = page.context.new_page()
    window.set_content(text)
    assert window.locator("svg text").evaluate_all(wide) == pytest.approx(before, abs=0.6)


def test_a_figure_is_saved_and_copied_with_two_pixels_for_each(opened: Open, report: Path) -> None:
    page = opened(report).page
    figure = _figure(page)
    name, content = _saved(page, "Save PNG", figure)
    assert name.endswith(".png")
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    box = figure.locator("svg").evaluate("(one) => [one.viewBox.baseVal.width, one.viewBox.baseVal.height]")
    assert list(struct.unpack(">II", content[16:24])) == [round(2 * one) for one in box]
    assert len(content) > 5000  # something is drawn
    page.evaluate("listening()")
    figure.locator(".menu-button").click()
    page.get_by_role("menuitem", name="Copy PNG").click()
    page.wait_for_function("() => heard.seen.includes('PNG copied') && heard.said.includes('PNG copied')")
    assert page.evaluate("navigator.clipboard.read().then(([one]) => [...one.types])") == ["image/png"]


def test_a_table_is_saved_as_it_is_copied(opened: Open, report: Path) -> None:
    page = opened(report).page
    table = page.locator("#overview .table").first
    name, content = _saved(page, "Save CSV", table)
    assert name.endswith(".csv")
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8"))))
    assert [row["test"] for row in rows] == ["weat1", "weat6", "weat7", "i4"]
    assert _saved(page, "Save LaTeX", table)[1].startswith(b"% needs \\usepackage{booktabs}")
    # and copied by the keyboard alone
    button = table.locator(".menu-button")
    button.focus()
    page.evaluate("emptied()")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "Copy CSV"
    page.keyboard.press("Enter")
    assert page.evaluate("copied()") == content.decode("utf-8")
    assert button.evaluate("(one) => one === document.activeElement")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false"

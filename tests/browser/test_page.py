"""The page as a whole: it opens from disk, says nothing wrong, and asks for nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crossroads.report
from crossroads.core.report.documents.records import Record
from tests.browser.conftest import agreeing

Open = Callable[..., Any]


def test_it_opens_without_a_request_and_every_number_is_the_one_of_results_json(
    opened: Open,
    report: Path,
    record: Record,
) -> None:
    page = opened(report).page
    assert page.title() == "Associations in GloVe 6B, 50 dimensions"
    assert page.locator("h1").count() == 1
    page.evaluate("unfolded()")
    assert len(agreeing(page, record.document)) > 50


def test_the_policy_of_the_page_allows_nothing_from_elsewhere(report: Path) -> None:
    policy = re.search(r'Security-Policy" content="([^"]*)"', report.read_text(encoding="utf-8"))
    assert policy is not None
    kept = [one for one in policy[1].split("; ") if not one.startswith(("script-src", "style-src"))]
    assert kept == ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]


def test_the_reader_chooses_between_light_and_dark_and_print_is_light(opened: Open, report: Path) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    page = opened(report).page
    button = page.get_by_role("button", name="Dark")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert page.evaluate(colour) == "rgb(22, 24, 27)"
    page = opened(report, dark=True).page
    assert page.evaluate(colour) == "rgb(22, 24, 27)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"


def test_a_reader_without_scripts_finds_the_main_numbers(opened: Open, report: Path) -> None:
    page = opened(report, ready=False, java_script_enabled=False).page
    rows = page.locator("noscript tbody tr, .plain tbody tr").all_text_contents()
    assert [row for row in rows if "weat6" in row and "1.71" in row]


def test_no_part_of_the_script_writes_markup() -> None:
    forbidden = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function")
    folder = Path(crossroads.__file__).parent / "core" / "report" / "page" / "files"
    paths = sorted(folder.rglob("*.js"))
    assert paths
    for path in paths:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("//")]
        for line in lines:
            assert not any(one in line for one in forbidden), f"{path.name}: {line}"
            assert not re.search(r"https?://(?!www\.w3\.org|doi\.org)", line), f"{path.name}: {line}"

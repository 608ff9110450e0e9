"""Make what this folder shows: reports of the embedded default vectors, and pictures of them.

Run it with ``make gallery``. It needs Chromium; CROSSROADS_CHROMIUM names one that is not on the path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OPEN_WEAT6 = "() => { location.hash = 'weat6'; }"
SCROLL = "(place) => document.querySelector(place).scrollIntoView({ behavior: 'instant' })"


@dataclass(frozen=True)
class Picture:
    """What to look at, and how."""

    name: str
    width: int = 1280
    height: int = 1000
    dark: bool = False
    place: str | None = None
    script: str | None = None


PICTURES = (
    Picture("findings", width=1440, height=900),
    Picture("maps", place="#overview .cards"),
    Picture("test", script=OPEN_WEAT6),
    Picture("intersections", place="#intersections"),
    Picture("explorer", place="#explorer"),
    Picture("dark", width=1440, height=900, dark=True),
    Picture("phone", width=390, height=844),
)


def main() -> None:
    """Audit the default vectors, keep the reports, and take their pictures."""
    executable = chromium()
    program = Path(sys.executable).with_name("crossroads")
    with tempfile.TemporaryDirectory() as scratch:
        audit, tables = Path(scratch) / "audit", Path(scratch) / "tables.json"
        subprocess.run([program, "audit", "--output", audit, "--no-figures"], check=True)
        draw_forest(audit)
        shutil.copyfile(audit / "report.html", HERE / "default.html")
        subprocess.run([program, "reproduce", "--output", tables], check=True, stdout=subprocess.DEVNULL)
        shown = [program, "report", tables, "--output", HERE / "published.html"]
        subprocess.run([*shown, "--title", "The embedded default beside four papers"], check=True)
    take_pictures(executable, HERE / "default.html")


def draw_forest(audit: Path) -> None:
    """The chart of all differences, drawn by matplotlib."""
    from crossroads.core.report.documents.reading import read_records
    from crossroads.core.report.documents.records import revive

    (record,) = read_records(audit)
    (battery,) = (revive(one) for one in record.results if one["type"] == "BatteryResult")
    battery.plot().figure.savefig(HERE / "forest.png", dpi=160)


def chromium() -> str:
    """The browser that takes the pictures."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CROSSROADS_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or sys.exit("Chromium is not installed; install it, or name it in CROSSROADS_CHROMIUM.")


def take_pictures(executable: str, page: Path, pictures: Sequence[Picture] = PICTURES) -> None:
    """Open a report as readers do, and keep what they see."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=flags)
        for picture in pictures:
            take_picture(browser, page, picture)
        browser.close()


def take_picture(browser: Any, page: Path, picture: Picture) -> None:
    """One picture: of the top of the page, or of a place in it."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.dark else "light",
    )
    opened = context.new_page()
    opened.goto(page.resolve().as_uri())
    opened.wait_for_selector("html[data-ready=yes]")
    if picture.script is not None:
        opened.evaluate(picture.script)
    if picture.place is not None:
        opened.evaluate(SCROLL, picture.place)
    opened.wait_for_timeout(800)
    opened.screenshot(path=HERE / f"{picture.name}.png")
    context.close()


if __name__ == "__main__":
    main()

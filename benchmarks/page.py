"""The page of a report: its size, time to open it, and to respond to an edit of a list in its explorer."""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from benchmarks.timing import Report, best
from crossroads.core.report.audit import Audit
from crossroads.core.report.documents.records import Record, audit_document
from crossroads.core.report.page.page import write_page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
OPENING = """async () => {
  const begun = performance.now();
  location.hash = "explorer";
  while (!document.querySelector(".explorer-results[data-shown=yes]")) {
    await new Promise((done) => setTimeout(done, 1));
  }
  return performance.now() - begun;
}"""
# from the press of a button until the frame with the new numbers has been drawn
EDITING = """async (edits) => {
  const taken = [];
  for (let i = 0; i < edits; i++) {
    const button = document.querySelector(`.explorer-list.${"xyab"[i % 4]} .remove`);
    const begun = performance.now();
    button.click();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    taken.push(performance.now() - begun);
    await new Promise((done) => setTimeout(done, 40));
  }
  return taken;
}"""

SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (document.documentElement.dataset.ready) shifts += one.value;
}).observe({ type: "layout-shift" });
"""


def audited(seed: int, *, words: int, dim: int, tests: int) -> tuple[Record, cr.Embeddings, cr.Design]:
    """Tests of 25 words per list on random vectors; without effects, counts are long."""
    labels = [f"word{i:05}" for i in range(words)]
    about = cr.sources.Provenance(source=f"model{seed}")
    vectors = np.random.default_rng(seed).normal(size=(words, dim)).astype(np.float32)
    emb = cr.Embeddings(labels, vectors, provenance=about)
    designs = []
    for number in range(tests):
        x, y, a, b = (labels[(100 * number + k) % words :][:25] for k in (0, 25, 50, 75))
        designs.append(cr.Design(name=f"test{number}", x=x, y=y, a=a, b=b))
    audit = Audit([cr.battery(emb, designs, method="normal")])
    return Record(document=audit_document(audit, designs), vectors=emb), emb, designs[0]


def timed(browser: Any, path: Path) -> dict[str, Any]:
    """Milliseconds until a page is ready, until its explorer is, and for each of some edits."""
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    found = {"ready": _ready(page), "opened": page.evaluate(OPENING), "edits": page.evaluate(EDITING, 24)}
    page.close()
    return found


def _ready(page: Any) -> float:
    found: float = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    return found


def opened(browser: Any, path: Path, repeats: int = 5) -> dict[str, float]:
    """Milliseconds until a page is ready, by the clock and of its thread, at best; what then moves."""
    times, busy, moved = [], [], 0.0
    for _ in range(repeats):
        page = browser.new_page()
        page.add_init_script(SHIFTS)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=yes]")
        metrics = session.send("Performance.getMetrics")["metrics"]
        busy.append(1000 * next(one["value"] for one in metrics if one["name"] == "TaskDuration"))
        page.wait_for_timeout(500)
        times.append(_ready(page))
        moved = max(moved, page.evaluate("shifts"))
        page.close()
    size = path.stat().st_size / 1e6
    return {"ready": min(times), "busy": min(busy), "moved": moved, "megabytes": size}


def run(report: Report) -> None:
    report.head("The page of a report, in Chromium")
    chromium = os.environ.get("CROSSROADS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if importlib.util.find_spec("playwright") is None or chromium is None:
        report.line("no Playwright or no Chromium here", "left out")
        return
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path, large, default = (Path(folder) / name for name in ("page.html", "large.html", "default"))
        record, emb, design = audited(0, words=2_000, dim=300, tests=20)
        write_page(path, [record])
        write_page(large, [audited(seed, words=10_000, dim=300, tests=100)[0] for seed in range(5)])
        asked = ["audit", "-o", str(default)]
        code = f"import sys, crossroads.core.cli; sys.argv[1:] = {asked!r}; crossroads.core.cli.main()"
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        found = timed(browser, path)
        edited = timed(browser, default / "report.html")
        _sizes(report, "the default audit", opened(browser, default / "report.html"), 2.5, 1)
        _sizes(report, "100 tests × 5 models", opened(browser, large), 20, 3)
        browser.close()
    edit = statistics.median(edited["edits"])
    report.line("the default audit: an edit (median)", f"{edit:.0f} ms", "< 100 ms", reached=edit < 100)
    seconds, _ = best(lambda: cr.mleat(emb, design, alternative="two-sided"), repeats=3)
    edit, slowest = statistics.median(found["edits"]), max(found["edits"])
    report.line("20 tests, 2,000 words of 300 dimensions: page ready", f"{found['ready']:.0f} ms")
    report.line("explorer opened, vectors unpacked", f"{found['opened']:.0f} ms")
    report.line(
        "an edit of 4 × 25 words, until it is drawn (median)",
        f"{edit:.0f} ms",
        "< 100 ms",
        reached=edit < 100,
    )
    report.line("the slowest of 24 edits", f"{slowest:.0f} ms")
    report.line("the same lists with every division counted, in Python", f"{1e3 * seconds:.0f} ms")
    report.line("ratio to an edit, which bounds first and counts later", f"{1e3 * seconds / edit:.0f}×")


def _sizes(report: Report, what: str, found: dict[str, float], most: float, seconds: float) -> None:
    size, ready, moved = found["megabytes"], found["ready"], found["moved"]
    report.line(f"{what}: size of the page", f"{size:.1f} MB", f"< {most:g} MB", reached=size < most)
    report.line(f"{what}: ready", f"{ready:.0f} ms", f"< {seconds:g} s", reached=ready < 1000 * seconds)
    report.line(f"{what}: processor time until then", f"{found['busy']:.0f} ms")
    report.line(f"{what}: layout shift after that", f"{moved:.3f}", "0", reached=moved == 0)

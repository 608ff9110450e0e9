"""The page of a report: time to open it, and to respond to an edit of a word list in its explorer."""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from benchmarks.timing import Report, best
from crossroads.report import Audit
from crossroads.report.documents.records import Record, audit_document
from crossroads.report.page.page import write_page

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


def written(path: Path, *, words: int, dim: int, tests: int) -> tuple[cr.Embeddings, cr.Design]:
    """Write a page of random vectors, with tests of 25 words per list; without effects, counts are long."""
    labels = [f"word{i:05}" for i in range(words)]
    emb = cr.Embeddings(labels, np.random.default_rng(0).normal(size=(words, dim)).astype(np.float32))
    designs = []
    for number in range(tests):
        x, y, a, b = (labels[(100 * number + k) % words :][:25] for k in (0, 25, 50, 75))
        designs.append(cr.Design(name=f"test{number}", x=x, y=y, a=a, b=b))
    audit = Audit([cr.battery(emb, designs, method="normal", resamples=0)])
    write_page(path, [Record(document=audit_document(audit, designs), vectors=emb)])
    return emb, designs[0]


def timed(browser: Any, path: Path) -> dict[str, Any]:
    """Milliseconds until a page is ready, until its explorer is, and for each of some edits."""
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    found = {"ready": ready, "opened": page.evaluate(OPENING), "edits": page.evaluate(EDITING, 24)}
    page.close()
    return found


def run(report: Report) -> None:
    report.head("The page of a report, in Chromium")
    chromium = os.environ.get("CROSSROADS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if importlib.util.find_spec("playwright") is None or chromium is None:
        report.line("no Playwright or no Chromium here", "left out")
        return
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "report.html"
        emb, design = written(path, words=2_000, dim=300, tests=20)
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        found = timed(browser, path)
        browser.close()
    seconds, _ = best(lambda: cr.mleat(emb, design, alternative="two-sided", resamples=0), repeats=3)
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

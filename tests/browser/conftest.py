"""A real browser for the pages: headless Chromium, driven by Playwright; what it says is written down."""

from __future__ import annotations

import csv
import io
import os
import pickle
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.report.audit import Audit, by_label
from crossroads.core.report.documents.records import Record, audit_record, results_document, revive
from crossroads.core.report.page.page import write_page
from crossroads.core.results import Result
from crossroads.core.stimuli import Design
from crossroads.words.measures.battery import BatteryResult
from tests import registry
from tests.conftest import Once

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
# What tests ask the page for, and is waited for there: what is done in steps is not done after a fixed time.
HELPERS = """
const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
async function settled() { for (let i = 0; i < 5; i += 1) await drawn(); }
/** Open everything that opens, and what that holds; contents are made when the event has come. */
async function unfolded() {
  for (let round = 0; round < 10; round += 1) {
    const closed = [...document.querySelectorAll('details:not([open])')];
    if (!closed.length) break;
    await Promise.all(closed.map((one) => new Promise((done) => {
      one.addEventListener('toggle', done, { once: true });
      one.open = true;
    })));
  }
  await settled();
}
/** What was copied since `emptied`. */
async function emptied() { await navigator.clipboard.writeText(''); }
async function copied() {
  for (;;) {
    const text = await navigator.clipboard.readText();
    if (text) return text;
    await drawn();
  }
}
/** Keep, from now on, what is shown for a moment and what is said: either may be gone when asked for. */
function listening() {
  window.heard = { seen: [], said: [] };
  new MutationObserver(() => {
    const shown = [...document.querySelectorAll('.told')].filter((one) => one.checkVisibility());
    heard.seen.push(...shown.map((one) => one.innerText));
    heard.said.push(document.getElementById('said').textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}
Object.assign(window, { settled, unfolded, emptied, copied, listening });
"""
SECONDS = 120
"""How long a page may take on a machine that is busy with other things."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _executable() -> str:
    found = os.environ.get("CROSSROADS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium on this machine: install it, or name it in CROSSROADS_CHROMIUM.")
    return found


@pytest.fixture(scope="session")
def launched() -> Iterator[Callable[..., Any]]:
    """``launched(**options)``: a browser."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install 'crossroads-audit[test]'"
    )
    with playwright.sync_playwright() as driver:
        yield partial(driver.chromium.launch, executable_path=_executable(), args=list(FLAGS))


@pytest.fixture(scope="session")
def chromium(launched: Callable[..., Any]) -> Iterator[Any]:
    """The browser, with the fonts of this machine."""
    found = launched()
    yield found
    found.close()


@dataclass
class Opened:
    """A page in the browser, and what happened in it."""

    page: Any
    """Playwright's page."""
    errors: list[str] = field(default_factory=list)
    """Errors and warnings of the console, and exceptions."""
    requests: list[str] = field(default_factory=list)
    """Addresses that were asked for beyond the file itself."""


@pytest.fixture(scope="session")
def kept() -> Iterator[dict[Any, Opened]]:
    """The windows that are open, by kind: each shows one page after the other."""
    windows: dict[Any, Opened] = {}
    yield windows
    for one in windows.values():
        one.page.context.close()


@pytest.fixture
def opened(chromium: Any, kept: dict[Any, Opened]) -> Iterator[Callable[..., Opened]]:
    """``opened(path, width=…, height=…, dark=…)``: open a page; at the end nothing may have gone wrong."""
    used: list[Opened] = []

    def open_page(
        path: Path,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        ready: bool = True,
        **more: Any,
    ) -> Opened:
        scheme = "dark" if dark else "light"
        kind = (width, height, scheme, *sorted(more.items()))
        size = {"width": width, "height": height}
        if kind not in kept:
            kept[kind] = _window(chromium.new_context(viewport=size, color_scheme=scheme, **more))
        found = kept[kind]
        used.append(found)
        found.page.emulate_media(media="null", color_scheme=scheme)
        found.page.set_viewport_size(size)
        found.page.goto("about:blank")
        found.page.goto(path.resolve().as_uri())
        if ready:
            found.page.wait_for_selector("html[data-ready=yes]")
        return found

    yield open_page
    faults = [(one.errors.copy(), one.requests.copy()) for one in used]
    for one in used:
        one.errors.clear()
        one.requests.clear()
        for other in one.page.context.pages:
            if other != one.page:
                other.close()
    assert faults == [([], [])] * len(used)


def _window(context: Any) -> Opened:
    """A window that notes what goes wrong, and what is asked for beyond the page itself."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(SECONDS * 1000)
    context.add_init_script(HELPERS)
    found = Opened(context.new_page())
    page = found.page
    page.on("console", lambda said: _noted(found.errors, said))
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("request", lambda one: None if _is_page(one) else found.requests.append(one.url))
    return found


def _is_page(request: Any) -> bool:
    return bool(request.is_navigation_request() and request.url.startswith("file:"))


def _noted(errors: list[str], said: Any) -> None:
    if said.type in ("error", "warning"):
        errors.append(said.text)


AXE = ("axe-core", "4.14.0", "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878", "axe.min.js")


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    found: Path = registry.npm_member(*AXE)
    return found.read_text(encoding="utf-8")


def lists(n: int = 6, stem: str = "") -> dict[str, list[str]]:
    """Words for the four sets of a design."""
    return {key: [f"{stem}{key}{i}" for i in range(n)] for key in "xyab"}


def random_vectors(
    words: Iterable[str], *, seed: int = 1, dim: int = 8, source: str = "made up"
) -> Embeddings:
    """Vectors of a made-up model."""
    labels = list(words)
    rows = np.random.default_rng(seed).normal(size=(len(labels), dim)).astype(np.float32)
    return Embeddings(labels, rows, provenance=Provenance(source=source))


def design_of(
    name: str, words: Mapping[str, Iterable[str]], titles: Mapping[str, str] | None = None
) -> Design:
    """A design of four sets, named by their letters unless they have titles."""
    x, y, a, b = (cr.sources.StimulusSet((titles or {}).get(key, key), tuple(words[key])) for key in "xyab")
    return Design(name=name, x=x, y=y, a=a, b=b)


TESTS = ("weat1", "weat6", "weat7", "i4")


@pytest.fixture(scope="session")
def designs() -> list[Design]:
    """Four designs of the catalogue: large and small, with and without missing words."""
    return [cr.catalog(name) for name in TESTS]


@pytest.fixture(scope="session")
def report(designs: list[Design], once: Once) -> Path:
    """The page of a small audit of the embedded default, with all that static vectors have."""
    return once("browser-report", lambda folder: _audited(folder, designs)) / "report.html"


@pytest.fixture(scope="session")
def record(report: Path) -> Record:
    """What is on that page, as the page takes it."""
    found: Record = pickle.loads((report.parent / "record.pickle").read_bytes())
    return found


@pytest.fixture(scope="session")
def vectors(record: Record) -> Embeddings:
    """The embedded default vectors of every word that the audit needs."""
    assert record.vectors is not None
    return record.vectors


@pytest.fixture(scope="session")
def tested(record: Record) -> BatteryResult:
    """The battery of that audit."""
    found = revive(record.results[0])
    assert isinstance(found, BatteryResult)
    return found


def _audited(folder: Path, designs: list[Design]) -> None:
    groups, lists = cr.catalog("ceat-groups"), cr.catalog("ceat-validation")
    words = [word for design in designs for word in design.words]
    words += [name for group in groups.members for name in group.items]
    words += list(lists.all_words)
    vectors = cr.load("default", words=list(dict.fromkeys(words)))
    battery: BatteryResult = cr.battery(vectors, designs, alternative="two-sided")
    scores = cr.stats.wefat(vectors, groups, lists.all_words, "AF", missing="drop")
    found = cr.ibd(scores.pairs, threshold="youden", truth=lists["AF"]["intersectional"])
    emergent = cr.stats.eibd(
        scores.pairs,
        scores.constituents,
        threshold=found.threshold,
        truth=lists["AF"]["emergent"],
    )
    names = {key: group.items for key, group in zip(groups, groups.members, strict=True)}
    fit = cr.rsa(
        vectors,
        cr.sources.StimulusSet("African American women", names["AF"]),
        cr.sources.StimulusSet("European American men", names["EM"]),
        cr.sources.StimulusSet("career", tuple(cr.catalog("weat6").a)),
        missing="drop",
        n=7,
    )
    influences = [cr.stats.influence(vectors, one, missing="drop") for one in designs]
    audit = Audit({**by_label([battery, *influences]), "AF IBD": found, "AF EIBD": emergent, fit._label: fit})
    record = audit_record(audit, designs, vectors=vectors)
    write_page(folder / "report.html", [record])
    (folder / "record.pickle").write_bytes(pickle.dumps(record))


@pytest.fixture
def made(opened: Callable[..., Opened], tmp_path: Path) -> Callable[..., Any]:
    """``made(result, …)``: the opened page of some results; other options are those of a record."""

    def make(*results: Result, changed: Mapping[str, Any] | None = None, **more: Any) -> Any:
        path = tmp_path / "made.html"
        document = {**results_document(results), **(changed or {})}
        write_page(path, [Record(document=document, **more)])
        return opened(path).page

    return make


def opened_test(page: Any, place: int = 0) -> Any:
    """Open a test and give its part of the page."""
    box = page.locator(f"#tests > details:nth-of-type({place + 1})")
    box.locator("> summary").click()
    box.locator("> .opened").wait_for()
    return box


def copied_rows(table: Any) -> list[dict[str, str]]:
    """The rows that the menu of a table copies."""
    table.page.evaluate("emptied()")
    table.get_by_role("button", name="Copy or save this table").click()
    table.page.get_by_role("menuitem", name="Copy CSV").click()
    return list(csv.DictReader(io.StringIO(table.page.evaluate("copied()"))))


def agreeing(page: Any, *documents: Mapping[str, Any]) -> list[str]:
    """The places of all numbers on a page, each of which must be that of its document."""
    cells = page.evaluate(
        "[...document.querySelectorAll('data[data-at]')]"
        ".map((one) => [one.dataset.audit, one.dataset.at, one.value])"
    )
    for audit, path, value in cells:
        assert float(value) == at(documents[int(audit or 0)], path), path
    return [path for _, path, _ in cells]


def at(tree: Any, path: str) -> Any:
    """What a JSON pointer points at."""
    for part in path.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree

"""A real browser for the pages: headless Chromium, driven by Playwright; what it says is written down."""

from __future__ import annotations

import csv
import io
import json
import os
import pickle
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.evidence import Embeddings
from crossroads.inference.multiplicity import adjust_known
from crossroads.measures import BatteryResult
from crossroads.report.audit import Audit, by_label
from crossroads.report.documents.records import Record, audit_record, results_document, revive
from crossroads.report.page.page import write_page
from crossroads.results import Result
from crossroads.stimuli import Design
from tests import registry
from tests.browser import fonts
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
/** Whatever moves by itself, and how far. */
window.shifts = [];
new PerformanceObserver((list) => shifts.push(...list.getEntries().map((one) => one.value)))
  .observe({ type: 'layout-shift' });
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
def browsers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """``browsers(font)``: the browser on a machine with certain fonts; ``""`` for those of this one."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install 'crossroads-audit[test]'"
    )
    running: dict[str, Any] = {}

    def browser(font: str) -> Any:
        if font not in running:
            env = None
            if font:
                folder = tmp_path_factory.mktemp(f"fonts-{font}")
                env = fonts.environment(fonts.configuration(font, folder, registry.npm_member))
            running[font] = driver.chromium.launch(executable_path=_executable(), args=list(FLAGS), env=env)
        return running[font]

    with playwright.sync_playwright() as driver:
        yield browser
        for one in running.values():
            one.close()


@pytest.fixture(scope="session")
def chromium(browsers: Callable[[str], Any]) -> Any:
    """The browser, with the fonts of this machine or those that ``CROSSROADS_FONT`` names."""
    return browsers(os.environ.get("CROSSROADS_FONT", ""))


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
    """The windows that are open, by browser and kind: each shows one page after the other."""
    windows: dict[Any, Opened] = {}
    yield windows
    for one in windows.values():
        one.page.context.close()


@pytest.fixture
def opened(chromium: Any, kept: dict[Any, Opened]) -> Iterator[Callable[..., Opened]]:
    """``opened(path, width=…, height=…, dark=…)``: open a page; at the end nothing may have gone wrong."""
    yield from _opening(chromium, kept)


@pytest.fixture(
    params=[fonts.FONTS[-1], *(pytest.param(name, marks=pytest.mark.full) for name in fonts.FONTS[:-1])]
)
def opened_in_font(
    request: Any, browsers: Callable[[str], Any], kept: dict[Any, Opened]
) -> Iterator[Callable[..., Opened]]:
    """The same on a machine with the widest font; ``make full`` tries the others."""
    yield from _opening(browsers(request.param), kept)


def _opening(chromium: Any, kept: dict[Any, Opened]) -> Iterator[Callable[..., Opened]]:
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
        kind = (id(chromium), width, height, scheme, *sorted(more.items()))
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


# Texts that reach beyond their picture, with how far: left, right, top, bottom.
OUTSIDE = """() => [...document.querySelectorAll("svg text")].filter((text) => {
  const [box, all] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
  return box.width > 0 && (box.left < all.left - 1 || box.right > all.right + 1
    || box.top < all.top - 1 || box.bottom > all.bottom + 1);
}).map((text) => {
  const [box, all] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
  const out = [all.left - box.left, box.right - all.right, all.top - box.top, box.bottom - all.bottom];
  return `${text.textContent} (${out.map((one) => one.toFixed(1))})`;
})"""
# Pairs of texts of which one lies on the other.
OVER = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].filter((one) => one.getBoundingClientRect().width > 0);
  const ink = (text) => {
    const box = text.getBoundingClientRect(), turned = text.hasAttribute("transform");
    // lines are taller than letters
    const [more, less] = turned ? [box.width * 0.3, 1] : [1, box.height * 0.3];
    return { left: box.left + more, right: box.right - more, top: box.top + less, bottom: box.bottom - less };
  };
  const boxes = texts.map(ink), found = [];
  boxes.forEach((one, i) => boxes.slice(i + 1).forEach((other, k) => {
    if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)
      found.push(`${texts[i].textContent} | ${texts[i + 1 + k].textContent}`);
  }));
  return found;
})"""


@pytest.fixture(scope="session")
def misplaced() -> Callable[[Any], str]:
    """``misplaced(page)``: the texts of pictures that are cut by an edge or lie on another."""

    def found(page: Any) -> str:
        page.evaluate("settled()")
        return "; ".join([*page.evaluate(OUTSIDE), *page.evaluate(OVER)])

    return found


AXE = ("axe-core", "4.14.0", "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878", "axe.min.js")


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    found: Path = registry.npm_member(*AXE)
    return found.read_text(encoding="utf-8")


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
    vectors = cr.load("default", words=dict.fromkeys(words))
    battery: BatteryResult = cr.battery(vectors, designs, alternative="two-sided")
    scores = cr.wefat(vectors, groups, lists.all_words, "AF", missing="drop")
    found = cr.ibd(scores.pairs, threshold="youden", truth=lists["AF"]["intersectional"])
    emergent = cr.eibd(
        scores.pairs,
        scores.constituents,
        threshold=found.threshold,
        truth=lists["AF"]["emergent"],
    )
    names = {key: group.items for key, group in zip(groups, groups.members, strict=True)}
    fit = cr.rsa(
        vectors,
        cr.StimulusSet("African American females", names["AF"]),
        cr.StimulusSet("European American males", names["EM"]),
        cr.StimulusSet("career", tuple(cr.catalog("weat6").a)),
        missing="drop",
        n=7,
    )
    drawn = {one.name: cr.stats.bootstrap(vectors, one, missing="drop") for one in designs}
    influences = [cr.stats.influence(vectors, one, missing="drop") for one in designs]
    whole = replace(battery, intervals=drawn)
    audit = Audit({**by_label([whole, *influences]), "AF IBD": found, "AF EIBD": emergent, fit.label: fit})
    record = audit_record(audit, designs, vectors=vectors)
    write_page(folder / "report.html", [record])
    (folder / "record.pickle").write_bytes(pickle.dumps(record))


def _uncrossed(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_uncrossed(one) for one in tree]
    if isinstance(tree, dict):
        return {key: None if key.startswith("crossed") else _uncrossed(one) for key, one in tree.items()}
    return tree


@pytest.fixture(scope="session")
def older() -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """``older(document)``: the same as a version wrote it that did not say what other words would show."""

    def without(document: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = _uncrossed(json.loads(json.dumps(dict(document))))
        for result in found["results"]:
            if result["type"] == "BatteryResult":
                exact = [test["level1"]["tails"]["two-sided"][0] for test in result["tests"]]
                result["adjusted"] = {name: list(some) for name, some in adjust_known(exact).items()}
        return found

    return without


@pytest.fixture
def made(opened: Callable[..., Opened], tmp_path: Path) -> Callable[..., Any]:
    """``made(result, …)``: the opened page of some results; other options are those of a record."""

    def make(
        *results: Result,
        width: int = 1280,
        changed: Mapping[str, Any] | None = None,
        beside: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Any:
        path = tmp_path / "made.html"
        document = {**results_document(results), **(changed or {})}
        write_page(path, [Record(document=document, **more)], **(beside or {}))
        return opened(path, width=width).page

    return make


@pytest.fixture(scope="session")
def opened_test() -> Callable[..., Any]:
    """``opened_test(page, place)``: open a test and give its part of the page."""

    def part(page: Any, place: int = 0) -> Any:
        box = page.locator(f"#tests > details:nth-of-type({place + 1})")
        box.locator("> summary").click()
        box.locator("> .opened").wait_for()
        return box

    return part


@pytest.fixture(scope="session")
def copied() -> Callable[[Any], list[dict[str, str]]]:
    """``copied(table)``: the rows that the menu of a table copies."""

    def rows(table: Any) -> list[dict[str, str]]:
        table.page.evaluate("emptied()")
        table.get_by_role("button", name="Copy or save this table").click()
        table.page.get_by_role("menuitem", name="Copy CSV").click()
        return list(csv.DictReader(io.StringIO(table.page.evaluate("copied()"))))

    return rows


@pytest.fixture(scope="session")
def agreeing() -> Callable[..., list[str]]:
    """``agreeing(page, documents)``: the places of numbers on a page, each that of its document."""

    def checked(page: Any, *documents: Mapping[str, Any]) -> list[str]:
        cells = page.evaluate(
            "[...document.querySelectorAll('data[data-at]')]"
            ".map((one) => [one.dataset.audit, one.dataset.at, one.value])"
        )
        for audit, path, value in cells:
            assert float(value) == at(documents[int(audit or 0)], path), path
        return [path for _, path, _ in cells]

    return checked


def at(tree: Any, path: str) -> Any:
    """What a JSON pointer points at."""
    for part in path.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree

"""The first screen: what was found, in words, how sure, and the chart of all of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.report.audit import Audit
from crossroads.core.report.documents.records import audit_record
from crossroads.core.report.page.page import write_page
from tests.browser.conftest import design_of, random_vectors

Open = Callable[..., Any]
NAMES = ("weat6", "weat7", "weat1")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of three tests of real vectors: two with a yes, and one that cannot be told yet."""
    designs = [cr.catalog(name) for name in NAMES]
    emb = cr.load("default", words=[word for design in designs for word in design.words])
    battery = cr.battery(emb, designs, missing="drop")
    audit = Audit({"how sure": cr.checks(battery), "battery": battery}, name="glove")
    path = tmp_path_factory.mktemp("told") / "report.html"
    rules = {"failed": "no gender", "passed": "two", "excused": "two"}
    verdicts = [
        {"rule": rule, "test": "t", "outcome": outcome, "sentence": "weat6: d is above 1"}
        for outcome, rule in rules.items()
    ]
    gate = {"passed": False, "verdicts": verdicts, "unmatched": []}
    write_page(path, [audit_record(audit, designs, vectors=emb, gate=gate)])
    return path


def test_the_first_screen_says_what_was_found_and_how_sure(opened: Open, told: Path) -> None:
    page = opened(told, width=1440, height=900).page
    first = page.locator(".finding .said").first
    assert first.inner_text() == (
        "Male names are closer to career, relative to family, than female names are; "
        "another set of words would point the same way in 99 of 100 cases."
    )
    for place in (".status", ".finding .said", ".hero svg"):
        top = page.locator(place).first.evaluate("(one) => one.getBoundingClientRect().top")
        assert 0 <= top < 860, place
    groups = page.locator("#findings h3, #findings summary").all_inner_texts()
    assert groups == ["Yes: generalizes to other words 2", "Cannot tell yet 1"]
    lead = page.locator("#findings .lead").inner_text()
    assert lead.endswith("just these words? Of 3 associations: 2 yes, 1 cannot tell yet.")
    checks = page.locator(".finding").first.locator(".check").all_text_contents()
    assert checks == ["✓ these words: yes", "✓ other words: yes"]
    # with the numbers of the result
    battery = json.loads(page.locator("#data").text_content())["audits"][0]["document"]["results"][1]
    crossed = battery["tests"][0]["level1"]["crossed"]
    shown = page.locator(".finding").first.locator("data").evaluate_all("(all) => all.map((e) => e.value)")
    ends = battery["adjusted_intervals"][0]  # at the level that agrees with the adjusted p-value
    assert [float(one) for one in shown[:4]] == [crossed["agreement"], crossed["difference"], *ends]
    assert (
        f"({100 * battery['adjusted_level']:.1f}\u202f%:" in page.locator(".finding .how").first.inner_text()
    )
    # and why the gate is closed, by rules, of which one has several verdicts
    status = page.locator(".status").inner_text()
    assert "Gate closed: 1 of 2 rules failed" in status
    assert "no gender: weat6: d is above 1" in status
    assert "3 of 3 tests run" in status


def test_right_to_left_names_are_kept_apart_from_what_is_beside_them(opened: Open, tmp_path: Path) -> None:
    names = {"x": "أسماء الرجال", "y": "أسماء النساء", "a": "العمل", "b": "البيت"}
    words = {key: [f"{name}{i}" for i in range(5)] for key, name in names.items()}
    emb = random_vectors(word for some in words.values() for word in some)
    moved = np.repeat([1.0, -1.0, 1.0, -1.0], 5)[:, None]
    emb = cr.Embeddings(emb.labels, emb.vectors + moved)
    battery = cr.battery(emb, [design_of("مهن", words, names)])
    audit = Audit({"how sure": cr.checks(battery), "battery": battery}, name="made up")
    write_page(tmp_path / "rtl.html", [audit_record(audit, [])])
    page = opened(tmp_path / "rtl.html", width=390).page
    assert page.locator(".finding .said bdi").all_inner_texts() == [names[key] for key in "xaby"]
    card = page.locator("#overview a.card.map .pattern").inner_text()
    assert card.startswith(f"\u2068{names['x']}\u2069 towards \u2068{names['a']}\u2069, ")

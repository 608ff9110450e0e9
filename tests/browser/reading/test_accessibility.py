"""What axe-core finds in a page: nothing moderate or worse, in light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FINDINGS = """
async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((one) => ["moderate", "serious", "critical"].includes(one.impact))
  .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`)
"""


@pytest.mark.parametrize("everything", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_moderate_or_worse(
    opened: Callable[..., Any], report: Path, axe: str, *, width: int, dark: bool, everything: bool
) -> None:
    page = opened(report, width=width, dark=dark).page
    if everything:
        page.evaluate("unfolded()")
        page.evaluate("location.hash = 'explorer'")  # it is built when it comes near
        page.wait_for_selector(".explorer-results[data-shown=yes]")
    page.evaluate(axe)
    assert page.evaluate(FINDINGS) == []


def test_the_checker_would_see_a_fault(opened: Callable[..., Any], report: Path, axe: str) -> None:
    page = opened(report).page
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    page.evaluate(axe)
    assert any(one.startswith("button-name") for one in page.evaluate(FINDINGS))

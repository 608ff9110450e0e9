"""What axe-core finds in a page: nothing moderate or worse, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Contrast, which takes axe-core longest, is measured by itself: see test_contrast.py.
FINDINGS = """
async (where) => (await axe.run(document.querySelector(where), { resultTypes: ["violations"],
    rules: { "color-contrast": { enabled: false } } })).violations
  .filter((one) => ["moderate", "serious", "critical"].includes(one.impact))
  .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`)
"""


@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_moderate_or_worse(
    opened: Callable[..., Any], report: Path, axe: str, width: int
) -> None:
    """It looks at every element of the page with everything open, which takes its time."""
    page = opened(report, width=width).page
    page.evaluate("unfolded()")
    page.evaluate("location.hash = 'explorer'")  # it is built when it comes near
    page.wait_for_selector(".explorer-results[data-shown=yes]")
    page.evaluate(axe)
    assert page.evaluate(FINDINGS, "html") == []
    # and it would see a fault
    page.evaluate("document.querySelector('h1').append(document.createElement('button'))")
    assert any(one.startswith("button-name") for one in page.evaluate(FINDINGS, "h1"))

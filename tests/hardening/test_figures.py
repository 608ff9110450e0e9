"""The page about hardening has the numbers that its commands have written, and no others."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hardening import figures


def test_the_page_has_the_numbers_that_were_recorded() -> None:
    text = figures.PAGE.read_text(encoding="utf-8")
    assert figures.written(text, json.loads(figures.KEPT.read_text(encoding="utf-8"))) == text


def test_recording_one_number_keeps_the_others_and_the_text(tmp_path: Path) -> None:
    page, kept = tmp_path / "page.md", tmp_path / "kept" / "figures.json"
    page.write_text(f"before\n{figures.BEGIN}\nold\n{figures.END}\nafter\n", encoding="utf-8")
    figures.record("fuzz", {"inputs": 1000, "failures": 0, "seed": 4}, page=page, kept=kept)
    figures.record("coverage", {"percent": 96.25, "lines": 12345}, page=page, kept=kept)
    scores = {"total": {"mutants": 20, "killed": 15, "interval": [0.531, 0.888]}}
    figures.record("mutation", {"seed": 1, "scores": scores, "survivors": []}, page=page, kept=kept)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    assert "| `make fuzz` | 1,000 inputs, 0 kinds of failures; seed 4 |" in text
    assert "| `make coverage` | 96.2 % of 12,345 lines |" in text
    assert "total 15 of 20 mutants killed, 75 % (53 to 89 %); seed 1" in text
    assert "| `make kills` | not recorded yet | – |" in text
    assert set(json.loads(kept.read_text(encoding="utf-8"))) == {"fuzz", "coverage", "mutation"}

"""The page of benchmarks: its tables are those that the command wrote."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import written
from benchmarks.timing import Report


def test_what_a_benchmark_measured_is_written_into_the_page_and_replaced(tmp_path: Path) -> None:
    page, kept = tmp_path / "page.md", tmp_path / "kept.json"
    page.write_text(f"before\n{written.BEGIN}\nold\n{written.END}\nafter\n", encoding="utf-8")
    for ratio in (2.5, 1.5):
        report = Report()
        report.head("Searching")
        report.line("ours | grep", f"{ratio}×", "≤ 2×", reached=ratio <= 2)
        report.line("  memory", "7 MB")
        written.record("contexts", report.sections, page=page, kept=kept)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{written.BEGIN}\n\n### Searching\n")
    assert text.endswith(f"\n{written.END}\nafter\n")
    assert "| ours \\| grep | 1.5× | ≤ 2× | reached |\n| … memory | 7 MB |  |  |" in text
    assert "2.5×" not in text
    assert "old" not in text


def test_the_page_has_the_numbers_that_were_kept() -> None:
    known = json.loads(written.KEPT.read_text(encoding="utf-8"))
    page = written.PAGE.read_text(encoding="utf-8")
    assert f"{written.BEGIN}\n{written.tables(known)}\n{written.END}" in page

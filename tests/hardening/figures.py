"""The numbers of ``docs/hardening.md``, as the commands that make them have written them.

They are kept in ``docs/hardening/figures.json``; the table of the page is made from that. ``python -m
tests.hardening.figures`` takes the coverage of the last ``make coverage``; a word after it names the marker
of tests that were left out.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "hardening.md"
KEPT = ROOT / "docs" / "hardening" / "figures.json"
BEGIN, END = "<!-- begin: written by the commands -->", "<!-- end: written by the commands -->"


def record(name: str, numbers: dict[str, Any], *, page: Path = PAGE, kept: Path = KEPT) -> None:
    """Keep the numbers of a command with the date, and write the table of the page anew."""
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    known[name] = {"date": time.strftime("%Y-%m-%d"), **numbers}
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    page.write_text(written(text, known), encoding="utf-8")


def written(text: str, known: dict[str, Any]) -> str:
    """The page with the table of some numbers."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{table(known)}\n{END}{after}"


def table(known: dict[str, Any]) -> str:
    """The table: a row for each number that was recorded, and one for each that was not."""
    rows = ["", "| command | measured | date |", "|---|---|---|"]
    for name, phrase in PHRASES.items():
        one = known.get(name)
        said, date = (phrase(one), one["date"]) if one else ("not recorded yet", "–")
        rows.append(f"| `make {name}` | {said} | {date} |")
    return "\n".join([*rows, ""])


def _coverage(one: dict[str, Any]) -> str:
    """The coverage in words."""
    said = f"{one['percent']:.1f} % of {one['lines']:,} lines"
    return f"{said} ({one['left_out']})" if one.get("left_out") else said


def killed(scores: dict[str, Any]) -> list[str]:
    """The mutation scores in words, by subject and in total."""
    parts = []
    for name, score in scores.items():
        low, high = (100 * bound for bound in score["interval"])
        share = 100 * score["killed"] / score["mutants"]
        counted = f"{score['killed']} of {score['mutants']}"
        parts.append(f"{name} {counted} mutants killed, {share:.0f} % ({low:.0f} to {high:.0f} %)")
    return parts


def _mutation(one: dict[str, Any]) -> str:
    """The recorded run in words."""
    said = "; ".join(killed(one["scores"])) + f"; seed {one['seed']}"
    return f"{said} ({one['left_out']})" if one.get("left_out") else said


PHRASES: dict[str, Callable[[dict[str, Any]], str]] = {
    "coverage": _coverage,
    "mutation": _mutation,
    "fuzz": "{inputs:,} inputs, {failures} kinds of failures; seed {seed}".format_map,
    "kills": "{kills} kills in {rounds} rounds, all {files} files the same".format_map,
}


def main() -> None:
    """Record the coverage that was measured last."""
    file = ROOT / ".cache" / "coverage" / "report.json"
    totals = json.loads(file.read_text(encoding="utf-8"))["totals"]
    numbers = {"percent": totals["percent_covered"], "lines": totals["num_statements"]}
    without = sys.argv[1:]
    left_out = {"left_out": f"tests marked {without[0]} left out"} if without else {}
    record("coverage", numbers | left_out)


if __name__ == "__main__":
    main()

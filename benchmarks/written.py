"""The tables of ``docs/reference/benchmarks.md``: what each benchmark measured when it was last kept."""

from __future__ import annotations

import json
import os
import platform
import re
import time
from pathlib import Path
from typing import Any

import numpy as np

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
PAGE, KEPT = REFERENCE / "benchmarks.md", REFERENCE / "benchmarks.json"
BEGIN, END = "<!-- begin: written by python -m benchmarks --write -->", "<!-- end -->"
REACHED = {True: "reached", False: "**not reached**", None: ""}


def machine() -> str:
    """The processor and the versions that times depend on most."""
    cpus = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", cpus.read_text(encoding="utf-8")) if cpus.exists() else None
    name = found[1].strip() if found else platform.machine()
    return f"{os.cpu_count()} cores of {name}, Python {platform.python_version()}, numpy {np.__version__}"


def record(name: str, sections: list[dict[str, Any]], *, page: Path = PAGE, kept: Path = KEPT) -> None:
    """Keep what a benchmark measured, and write the tables of the page anew."""
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    known[name] = {"date": time.strftime("%Y-%m-%d"), "machine": machine(), "sections": sections}
    kept.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{tables(known)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def tables(known: dict[str, Any]) -> str:
    """A heading and a table for every section of every benchmark that was kept."""
    parts = []
    for name, one in known.items():
        for section in one["sections"]:
            rows = ["| | measured | goal | |", "|---|---|---|---|"]
            for line in section["lines"]:
                what = ("… " if line["what"].startswith(" ") else "") + line["what"].strip()
                cells = (what, line["measured"].strip(), line["goal"], REACHED[line["reached"]])
                rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
            parts.append(f"\n### {section['title']}\n\n" + "\n".join(rows))
        parts.append(f"\n`python -m benchmarks {name}`, {one['date']}, {one['machine']}.")
    return "\n".join([*parts, ""])

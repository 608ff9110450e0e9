"""The blocks of code in a page of the documentation; needs nothing but the standard library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(
    r"(?P<marks>(?:^<!-- not run[^\n]*-->\n)*)^```(?P<kind>python|sh|bash|console)\n(?P<text>.*?)^```"
    r"(?:\n\n```text\n(?P<shown>.*?)^```)?",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"^<!-- not run(?:, (?P<beginning>[^:]+))?: (?P<reason>.+) -->$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block of code in a page."""

    kind: str
    """Its language."""
    text: str
    """What of it is run."""
    shown: str
    """What the page says that it prints."""
    left: dict[str, str]
    """What is not run, and why."""


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in their order; marks above a block name what of it is not run."""
    found = []
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        text = match["text"]
        left: dict[str, str] = {}
        for mark in MARK.finditer(match["marks"]):
            beginning = mark["beginning"]
            lines = [line for line in text.splitlines() if beginning is None or line.startswith(beginning)]
            assert lines, f"{page.name}: no line begins with {beginning!r}, which is marked as not run."
            left |= dict.fromkeys(lines, mark["reason"])
        rest = "\n".join(line for line in text.splitlines() if line not in left)
        found.append(Block(kind=match["kind"], text=rest, shown=match["shown"] or "", left=left))
    return found


def unprinted(shown: str, printed: str) -> str | None:
    """The first line that a page shows and that was not printed in its place; ``None`` if all were."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for line in filter(None, (" ".join(line.split()) for line in shown.splitlines())):
        if not any(line == other for other in lines):
            return line
    return None

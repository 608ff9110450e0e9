"""Plain English: what users read has no words for which there is a more common one."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import crossroads

ROOT = Path(__file__).parents[1]
SOURCE = Path(crossroads.__file__).parent
INSTEAD = {
    r"beside": "next to, with, alongside",
    r"less (?:that|those) of": "minus",
    r"of like frequency": "frequency-matched",
    r"drawn again|redrawn": "resampled",
    r"holds? for other words": "generalizes to other words",
    r"read along": "also loaded",
    r"taken off": "subtracted",
    r"leans?|leant": "is closer to, is associated",
    r"all told|is told by": "in all, by",
    r"(?<!\")(?:whoever|nobody|somebody)": "the user, no one, someone",
    r"ladders?|rungs?": "robustness checks, check",
    r"mend(?:s|ed)?|anew|hence|thus": "fix, again, so",
    r"(?:African|Mexican|European) American (?:fe)?males": "women, men",
    r"this house|the house|house style": "the package",
}
"""Words that are not written, and what is written instead."""
FORBIDDEN = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.IGNORECASE)
PRINTED = re.compile(r"\"[^\"]*\"|'[^']*'|“[^”]*”|`[^`]*`")
"""What is quoted: titles, words of lists and code."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """What is in a file for people to read, with its line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield node.lineno, node.value
    elif path.suffix == ".js":
        for number, line in enumerate(text.splitlines(), 1):
            yield from ((number, one) for one in re.findall(r"\"[^\"]*\"|`[^`]*`", line) if " " in one)
    elif path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "markdown":
                yield 1, "".join(cell["source"])
    else:
        yield from enumerate(text.splitlines(), 1)


def test_the_common_word_is_written() -> None:
    places = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    places += [*(ROOT / "docs").rglob("*.ipynb"), *SOURCE.rglob("*.py"), *SOURCE.rglob("*.js")]
    assert len(places) > 300
    found = [
        f"{path.relative_to(ROOT)}:{line}: {match.group()}"
        for path in places
        for line, text in texts(path)
        for match in FORBIDDEN.finditer(text if path.suffix in (".py", ".js") else PRINTED.sub("", text))
    ]
    assert found == []


def test_the_check_itself_sees_what_is_wrong(tmp_path: Path) -> None:
    for name, text in (
        ("a.py", 'def f():\n    """The first beside the second."""\n'),
        ("a.js", 'el("p", {}, "leans to the left");\n'),
        ("a.md", "Words of like frequency.\n"),
    ):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert any(FORBIDDEN.search(one) for _, one in texts(path)), name

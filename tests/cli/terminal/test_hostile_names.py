"""Names that would steer a terminal: none of their control characters is printed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import UNSEEN, printable

HOSTILE = "gar\x1b[2J\x1b]0;owned\x07den \u202eevil\u202c\x9b31m \u2066\u200f"
Command = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Vectors and a design whose names are all hostile."""
    words = {role: [f"{role}{i}\u202ew" for i in range(3)] for role in "xyab"}
    rng = np.random.default_rng(0)
    lines = [" ".join([one, *map(str, rng.normal(size=4))]) for some in words.values() for one in some]
    vectors = tmp_path / f"v{HOSTILE.replace('/', '')}.txt"
    vectors.write_text("\n".join(lines) + "\n", encoding="utf-8")
    design = {"name": HOSTILE, "title": HOSTILE} | {
        role: {"name": f"{role} {HOSTILE}", "items": some} for role, some in words.items()
    }
    (tmp_path / "d.json").write_text(json.dumps(design), encoding="utf-8")
    return vectors, tmp_path / "d.json"


@pytest.mark.parametrize("name", ["weat", "sc-weat", "mleat"])
def test_names_of_files_designs_and_words_print_no_control_characters(
    command: Command, files: tuple[Path, Path], name: str
) -> None:
    vectors, design = files
    run = command(name, vectors, "-d", design)
    assert run.status == 0, run.err
    assert "den evil31m" in run.out
    assert UNSEEN.findall(run.out + run.err) == []


def test_json_has_the_names_in_escapes(command: Command, files: tuple[Path, Path]) -> None:
    vectors, design = files
    run = command("weat", vectors, "-d", design, "--json")
    assert UNSEEN.findall(run.out) == []
    assert json.loads(run.out)["results"][0]["design"] == HOSTILE


def test_errors_and_warnings_print_no_control_characters(
    command: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    vectors, design = files
    few = tmp_path / "few.txt"
    few.write_text("\n".join(vectors.read_text(encoding="utf-8").split("\n")[:4]), encoding="utf-8")
    run = command("weat", few, "-d", design)
    assert run.status == 2
    assert UNSEEN.findall(run.out + run.err) == []
    assert UNSEEN.findall(f"{cr.InputError(HOSTILE, hint=HOSTILE)} {cr.CrossroadsWarning(HOSTILE)}") == []


def test_progress_bars_and_cells_print_no_control_characters_but_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    console = printing._Terminal(file=stream, force_terminal=True, color_system=None, width=80)
    monkeypatch.setattr(printing, "err", console)
    with waiting.asking(HOSTILE) as tell:
        tell(1, 2)
    assert "\x1b]0;" not in stream.getvalue()
    assert "\u202e" not in stream.getvalue()
    table = printing.plain_table(HOSTILE)
    table.add_column(HOSTILE)
    table.add_row(HOSTILE)
    with console.capture() as shown:
        console.print(table)
    assert UNSEEN.findall(shown.get()) == []
    assert shown.get().count("den evil31m") == 3


def test_what_is_seen_stays() -> None:
    for text in ("a\tb\nc", "می\u200cخواهم", "👩🏾\u200d🚀", "שלום", "caf\udce9", "\xa0n"):
        assert printable(text) == text

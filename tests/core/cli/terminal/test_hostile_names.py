"""Names that would steer a terminal: none of their control characters is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import crossroads as cr
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import UNSEEN, printable
from tests.fixtures.commands import Command, write_vectors

HOSTILE = "gar\x1b[2J\x1b]0;owned\x07den \u202eevil\u202c\x9b31m \u2066\u200f"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Vectors and a design whose names are all hostile."""
    words = {role: [f"{role}{i}\u202ew" for i in range(3)] for role in "xyab"}
    labels = [word for some in words.values() for word in some]
    vectors = write_vectors(tmp_path / f"v{HOSTILE.replace('/', '')}.txt", labels)
    design = {"name": HOSTILE, "title": HOSTILE} | {
        role: {"name": f"{role} {HOSTILE}", "items": some} for role, some in words.items()
    }
    (tmp_path / "d.json").write_text(json.dumps(design), encoding="utf-8")
    return vectors, tmp_path / "d.json"


def test_names_of_files_designs_and_words_print_no_control_characters(
    command: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    vectors, design = files
    for name in ("weat", "sc-weat", "mleat"):
        run = command(name, vectors, "-d", design)
        assert run.status == 0, run.err
        assert "den evil31m" in run.out
        assert UNSEEN.findall(run.out + run.err) == []
    document = command("weat", vectors, "-d", design, "--json").out
    assert UNSEEN.findall(document) == []
    assert json.loads(document)["results"][0]["design"] == HOSTILE
    few = tmp_path / "few.txt"
    few.write_text("\n".join(vectors.read_text(encoding="utf-8").split("\n")[:4]), encoding="utf-8")
    run = command("weat", few, "-d", design)
    assert run.status == 2
    assert UNSEEN.findall(run.out + run.err) == []
    assert UNSEEN.findall(f"{cr.InputError(HOSTILE, hint=HOSTILE)} {cr.CrossroadsWarning(HOSTILE)}") == []


def test_progress_bars_and_cells_print_no_control_characters_but_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    console = type(printing.err)(force_terminal=True, color_system=None, width=80)
    monkeypatch.setattr(printing, "err", console)
    with console.capture() as shown, waiting.asking(HOSTILE) as tell:
        tell(1, 2)
    assert "den evil31m" in shown.get()
    assert "\x1b]0;" not in shown.get()
    assert "\u202e" not in shown.get()
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

"""Every Python block of the documentation runs, and every command that it shows is one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from crossroads.cli.app import app
from crossroads.stimuli import Design, read_design, read_designs
from crossroads.stimuli.design import ROLES, TEXT_FIELDS

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
LINES = re.compile(r"^```(?:sh|text|yaml)\n(.*?)^```|^    (crossroads [^\n]*)$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ |- run: )?crossroads ([a-z][a-z-]*) ([^#\n]*(?:\\\n[^#\n]*)*)", re.MULTILINE)


@pytest.mark.parametrize(
    "page", [p for p in PAGES if BLOCK.search(p.read_text(encoding="utf-8"))], ids=lambda p: p.stem
)
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="the pages use the embedded default vectors: extra 'default'")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def options(command: str) -> set[str]:
    """The names of all options of a command, without what every one has."""
    program: Any = get_command(app)
    found = program.commands[command].params
    return {name for one in found for name in (*one.opts, *one.secondary_opts) if name.startswith("--")}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: p.stem)
def test_commands_and_options_that_are_shown_exist(page: Path) -> None:
    lines = "\n".join(map("".join, LINES.findall(page.read_text(encoding="utf-8"))))
    for command, rest in COMMAND.findall(lines):
        given = set(re.findall(r"(?<=\s)--[a-z][a-z-]*", rest))
        assert given <= options(command), f"crossroads {command} {given - options(command)}"


COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_reference_lists_every_option(command: str) -> None:
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    shared, _, rest = text.partition("\n## ")
    (own,) = (p for p in rest.split("\n## ") if command in p.partition("\n")[0].split(", "))
    off = {f"--{name.removeprefix('--no-')}" for name in options(command) if name.startswith("--no-")}
    for name in options(command) - off:  # of a switch that is on, the one that turns it off
        assert f"{name}`" in shared + own or f"{name} " in shared + own, name


def test_the_example_of_a_file_of_designs_has_every_key_and_is_read() -> None:
    file = ROOT / "docs" / "guides" / "designs-example.toml"
    full, least = read_designs(file)
    assert (full.name, least.name) == ("doctors", "women and care")
    assert least.y is None
    assert full.x.name == "male terms"
    given = tomllib.loads(file.read_text(encoding="utf-8"))["design"][0]
    assert set(given) == {"name", *ROLES, *TEXT_FIELDS, "source", "departures", "templates"}
    assert Design.from_dict(full.to_dict()) == full
    guide = (ROOT / "docs" / "guides" / "designs.md").read_text(encoding="utf-8")
    for key in given:
        assert f"`{key}`" in guide, key


def test_the_tables_of_the_guide_to_designs_are_read(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "guides" / "designs.md").read_text(encoding="utf-8")
    (wide,) = re.findall(r"^```text\n(x: .*?)^```", guide, re.MULTILINE | re.DOTALL)
    (plain,) = re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "wide.csv").write_text(wide, encoding="utf-8")
    (tmp_path / "plain.toml").write_text(plain, encoding="utf-8")
    design = read_design(tmp_path / "wide.csv")
    assert [words.name for words in design.sets.values()] == ["doctors", "nurses", "male terms", "b"]
    assert read_design(tmp_path / "plain.toml").b.name == "nurses"

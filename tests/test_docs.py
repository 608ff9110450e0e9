"""Every block of the documentation runs as it is typed, and its references are those of the program."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from docs.site import command_line
from typer.main import get_command

from crossroads.core.cli.app import app
from crossroads.core.report.gate import read_rules
from crossroads.core.stimuli import Design, read_designs
from crossroads.core.stimuli.design import ROLES, TEXT_FIELDS
from crossroads.words.measures.battery import BatteryResult
from tests.docs_blocks import blocks, unprinted
from tests.docs_material import made_by, shell
from tests.program import on_the_path

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
LINES = re.compile(r"^```(?:sh|text|yaml)\n(.*?)^```|^    (crossroads [^\n]*)$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ |- run: )?crossroads ([a-z][a-z-]*) ([^#\n]*(?:\\\n[^#\n]*)*)", re.MULTILINE)
Shell = Callable[[str, Path], str]
READ = {"gpt2", "bert-base-uncased", "elmo"}
"""Models that Python blocks read: small ones are made for them."""
PATIENT = {"models", "sentence-pairs", "context-vectors"}
"""Pages whose commands load a model each; those of the others are run in every run."""
RUN = [
    pytest.param(page, marks=[pytest.mark.full] if page.stem in PATIENT else [], id=page.stem)
    for page in PAGES
    if any(block.text.strip() for block in blocks(page))
]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell that finds the program."""
    if shutil.which("bash") is None:
        pytest.skip("commands of the documentation are run by bash, which is not installed.")
    with on_the_path(tmp_path_factory.mktemp("path")) as environment:
        yield partial(shell, environment)


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN)
def test_blocks_run_as_they_are_typed(
    page: Path, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page takes as long as a reader who types it: what it shows is compared with what comes out."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.kind == "python":
            for name in READ & set(re.findall(r'"([^"\n]+)"', block.text)):
                make_files(name, page, tmp_path, made_by(partial(shell, {})))
            exec(compile(block.text, str(page), "exec"), names)
        elif block.text.strip():
            commands: Shell = request.getfixturevalue("run")
            make_files(block.text, page, tmp_path, made_by(commands))
            printed = commands(block.text, tmp_path)
            line = unprinted(block.shown, printed)
            assert line is None, f"not printed: {line!r}\n\n{printed}"


def make_files(text: str, page: Path, folder: Path, makers: dict[str, Any]) -> None:
    """Make what commands name and nothing has made yet; what they write themselves is left to them."""
    written = set(re.findall(r"(?:-o|--output|>) (\S+)", text))
    words = shlex.split(text, comments=True)
    for before, word in zip(["", *words], words, strict=False):
        if before == "crossroads":  # a command may have the name of what it writes
            continue
        name = word.rpartition("=")[2].removeprefix("./").rstrip("/")
        make = makers.get(f"{page.stem}: {name}", makers.get(name))
        if make is not None and name not in written and not any(folder.glob(name)):
            make(folder / name)


def test_what_is_not_run_is_little_and_has_a_reason() -> None:
    found = [block for page in PAGES for block in blocks(page)]
    left = {line: reason for block in found for line, reason in block.left.items()}
    assert all(len(reason.split()) >= 3 for reason in left.values())
    assert len(left) < sum(len(block.text.splitlines()) for block in found) / 4


def test_links_lead_somewhere() -> None:
    for page in (*PAGES, ROOT / "CONTRIBUTING.md"):
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def options(command: str) -> set[str]:
    """The names of all options of a command, without what every one has."""
    program: Any = get_command(app)
    found = program.commands[command].params
    return {name for one in found for name in (*one.opts, *one.secondary_opts) if name.startswith("--")}


def test_commands_and_options_that_are_shown_exist() -> None:
    for page in (*PAGES, ROOT / "CONTRIBUTING.md"):
        lines = "\n".join(map("".join, LINES.findall(page.read_text(encoding="utf-8"))))
        for command, rest in COMMAND.findall(lines):
            given = set(re.findall(r"(?<=\s)--[a-z][a-z-]*", rest))
            assert given <= options(command), f"{page.name}: crossroads {command}"


def test_the_reference_of_the_command_line_is_that_of_the_program() -> None:
    text = command_line.PAGE.read_text(encoding="utf-8")
    assert command_line.made(text) == text, "write it anew: python -m docs.site.command_line"
    assert set(re.findall(r"^## ([a-z-]+)$", text, re.MULTILINE)) == set(command_line.commands())


def test_the_example_of_a_file_of_designs_has_every_key_and_is_read() -> None:
    file = ROOT / "docs" / "guides" / "designs-example.toml"
    full, _ = read_designs(file)
    given = tomllib.loads(file.read_text(encoding="utf-8"))["design"][0]
    assert set(given) == {"name", *ROLES, *TEXT_FIELDS, "source", "departures", "templates"}
    assert Design.from_dict(full.to_dict()) == full
    guide = (ROOT / "docs" / "guides" / "designs.md").read_text(encoding="utf-8")
    for key in given:
        assert f"`{key}`" in guide, key


def _block(page: str, kind: str, beginning: str = "") -> str:
    """The one block of this kind in a page that has this beginning."""
    text = (ROOT / "docs" / "guides" / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{kind}\n({beginning}.*?)^```", text, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_files_that_guides_show_are_read(tmp_path: Path) -> None:
    rules, wide, plain = (tmp_path / name for name in ("rules.toml", "wide.csv", "plain.toml"))
    rules.write_text(_block("audits.md", "toml"), encoding="utf-8")
    assert read_rules(rules)
    wide.write_text(_block("designs.md", "text", "x: "), encoding="utf-8")
    names = [words.name for words in read_designs(wide)[0].sets.values()]
    assert names == ["doctors", "nurses", "male terms", "b"]
    plain.write_text(_block("designs.md", "toml"), encoding="utf-8")
    assert read_designs(plain)[0].b.name == "nurses"


def test_the_guide_to_a_first_audit_explains_the_columns_that_are_printed(
    every_result: dict[str, Any],
) -> None:
    battery = every_result["battery"]
    columns = [one.head for one in BatteryResult._tabulate({"battery": battery}).columns]
    guide = (ROOT / "docs" / "guides" / "first-audit.md").read_text(encoding="utf-8")
    table = guide.partition("| column |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([^|-]+?) \|", table, re.MULTILINE) == columns


MEASURED = """
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar
from crossroads import catalog, load
from crossroads.core.evidence import Embeddings
from crossroads.core.results import TEST, Result, Stat, stat
from crossroads.core.results.gathered import Missing, check_inputs, gather
from crossroads.core.stimuli import Design
{}
result = gap(load("default", words=catalog("weat6").words), catalog("weat6"))
assert GapResult.from_json(result.to_json()) == result
print(result._rows(), list(result._readings("")), *result._table().cells()[0])
"""


def test_the_measure_for_contributors_measures(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M | re.S)
    module = tmp_path / "gap.py"
    module.write_text(MEASURED.format(code), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(module)], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.startswith("[{'design': 'weat6', 'gap': 0.189")
    assert run.stdout.endswith("weat6 0.189\n")


def test_the_word_list_for_contributors_is_read(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M | re.S)
    copied = tmp_path / "crossroads"
    left = shutil.ignore_patterns("__pycache__", "glove")
    shutil.copytree(ROOT / "src" / "crossroads", copied, ignore=left)
    catalogue = copied / "core" / "stimuli" / "catalogue"
    (catalogue / "data" / "paper").mkdir()
    (catalogue / "data" / "paper" / "mine.toml").write_text(text, encoding="utf-8")
    index = catalogue / "index.py"
    index.write_text(index.read_text("utf-8").replace('*("weat", ', '*("mine", "weat", '), encoding="utf-8")
    said = "import crossroads as cr; print(cr.catalog('mine1').sets, cr.sources.batteries()['mine'])"
    run = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert "'rose', 'lily'" in run.stdout
    assert "('mine1',)" in run.stdout

"""What is released: distributions that are built, checked, and work where nothing else is installed."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from crossroads.core import VERSION
from tests.lowest import declared, floors

ROOT = Path(__file__).parents[1]
PROJECT: Any = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = "crossroads_audit"


def run(*command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program without the paths and settings of the tests."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_"))}
    given = [str(one) for one in command]
    done = subprocess.run(given, cwd=cwd, env=kept, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(given)}\n{done.stdout}{done.stderr}"
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution, and the wheel that is built from it."""
    for package in ("build", "hatchling"):
        pytest.importorskip(package, reason="extra 'test'")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder / f"{NAME}-{VERSION}.tar.gz", folder / f"{NAME}-{VERSION}-py3-none-any.whl"


@pytest.mark.slow
def test_the_distributions_pass_their_checks(built: tuple[Path, Path]) -> None:
    for package in ("twine", "check_wheel_contents"):
        pytest.importorskip(package, reason="extra 'test'")
    run(sys.executable, "-m", "twine", "check", "--strict", *built)
    run(sys.executable, "-m", "check_wheel_contents", built[1])


@pytest.mark.slow
def test_the_distributions_have_what_they_need_and_no_more(built: tuple[Path, Path]) -> None:
    source, wheel = built
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(f"{NAME}-{VERSION}.dist-info/METADATA").decode()
    ours = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "crossroads").rglob("*.*")}
    ours = {name for name in ours if "__pycache__" not in name}
    assert {name for name in names if not name.startswith(NAME)} == ours
    assert "\nName: crossroads-audit\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    with tarfile.open(source) as archive_of_source:
        inside = {name.partition("/")[2] for name in archive_of_source.getnames()}
    assert {"CITATION.cff", "LICENSE", "Makefile", "tests/conftest.py", "r/DESCRIPTION"} <= inside
    assert not [name for name in inside if name.startswith((".venv", ".git/", "audit/"))]


@pytest.mark.full
def test_the_wheel_works_where_nothing_else_is_installed(built: tuple[Path, Path], tmp_path: Path) -> None:
    place = tmp_path / "empty"
    venv.create(place, with_pip=False)
    python = next(path for path in place.glob("*/python*") if path.stem == "python")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet")
    run(*pip, "--constraint", ROOT / "constraints.txt", built[1])
    program = python.with_name(f"crossroads{python.suffix}")
    assert "weat6" in run(program, "catalog", cwd=tmp_path).stdout
    sets = {"x": ["rose", "lily"], "y": ["wasp", "ant"], "a": ["joy", "love"], "b": ["pain", "hate"]}
    words = [word for some in sets.values() for word in some]
    rows = [f"{word} {at % 3} {at % 5}\n" for at, word in enumerate(words, 1)]
    (tmp_path / "vectors.txt").write_text("".join(rows))
    (tmp_path / "words.json").write_text(json.dumps({"name": "mine", **sets}))
    run(program, "audit", "vectors.txt", "--words", "words.json", "-o", "audit", cwd=tmp_path)
    document = json.loads((tmp_path / "audit" / "results.json").read_text(encoding="utf-8"))
    assert document["designs"][0]["name"] == "mine"
    asked = "print(crossroads.__version__, importlib.metadata.version('crossroads-audit'))"
    said = run(python, "-c", f"import crossroads, importlib.metadata; {asked}", cwd=tmp_path).stdout
    assert said.split() == [VERSION, VERSION]


def test_every_place_has_the_same_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    description = (ROOT / "r" / "DESCRIPTION").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [VERSION]
    assert re.findall(r"^Version: (.*)$", description, re.MULTILINE) == [VERSION]


def test_every_dependency_has_a_lowest_version_and_one_that_is_tested() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").casefold().replace("_", "-")
    ours = {"crossroads-audit"}
    extras = PROJECT["optional-dependencies"]
    for name, requirements in {"": PROJECT["dependencies"], **extras}.items():
        given = [one for one in requirements if one.partition("[")[0] not in ours]
        for package in floors(given):
            assert f"\n{package.replace('_', '-')}==" in pins or name == "release", package
    assert declared().keys() >= {"numpy", "scipy", "typer", "rich", "pandas"}
    with pytest.raises(ValueError, match="has no lowest version"):
        floors(["numpy"])


@pytest.mark.full
def test_the_recipe_for_pytest_is_a_file_of_tests_that_pass(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "guides" / "pytest.md").read_text(encoding="utf-8")
    tests, rules = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "test_associations.py").write_text(tests, encoding="utf-8")
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", tmp_path)
    kept = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([*map(str, command)], cwd=tmp_path, env=kept, capture_output=True, text=True)
    assert (done.returncode, "4 passed" in done.stdout) == (0, True), done.stdout
    compile(rules, "rules", "exec")


RECORDER = """\
#!/bin/sh
printf '%s\\n' "$0" "$@" >> "$RECORD"
printf 'end of call\\n' >> "$RECORD"
for last; do :; done
case "$*" in *venv*) mkdir -p "$last/bin" && cp "$0" "$last/bin/python" ;; esac
"""


def recorded_calls(step: int, folder: Path, **inputs: str) -> list[list[str]]:
    """Programs that a step of the action starts, with their arguments; they only note that they ran."""
    yaml: Any = pytest.importorskip("yaml", reason="the action is read in the full test environment")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    record, programs = folder / "record", folder / "programs"
    programs.mkdir()
    for program in (programs / "python", folder / "temp" / "crossroads" / "bin" / "crossroads"):
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(RECORDER, encoding="utf-8")
        program.chmod(0o755)
    known = {"RECORD": str(record), "RUNNER_TEMP": str(folder / "temp"), **inputs}
    known["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    script = action["runs"]["steps"][step]["run"]
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, env=known, check=True)
    return [one.splitlines() for one in record.read_text(encoding="utf-8").split("end of call\n")[:-1]]


unix = pytest.mark.skipif(os.name == "nt", reason="steps of the action are run by a shell of Unix here")


@unix
def test_the_action_loads_no_module_of_the_job_and_installs_the_versions_that_were_tested(
    tmp_path: Path,
) -> None:
    calls = recorded_calls(0, tmp_path, EXTRAS="default,fast", PLACE=str(ROOT))
    assert [one[1:4] for one in calls] == [["-I", "-m", "venv"], ["-I", "-m", "pip"]]
    at = calls[1].index("--constraint")
    assert Path(calls[1][at + 1]).is_file()
    assert calls[1][-1] == f"{ROOT}[default,fast]"


@unix
def test_the_action_passes_names_of_tests_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "weat1 of mine").touch()
    inputs = {"MODEL": "vectors *", "RULES": "", "TESTS": "weat*  weat6\ni?", "OUTPUT": "out"}
    ((_, *arguments),) = recorded_calls(1, tmp_path, **inputs)
    tests = [two for one, two in itertools.pairwise(arguments) if one == "--test"]
    assert tests == ["weat*", "weat6", "i?"]
    assert arguments[-2:] == ["--", "vectors *"]

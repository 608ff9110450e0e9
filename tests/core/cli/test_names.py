"""Models have short names wherever they are read of, and paths are in the provenance of results.json only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossroads import catalog
from crossroads.core.cli.app import app
from crossroads.core.errors import InputError
from crossroads.core.report.documents.reading import read_records
from crossroads.core.report.documents.records import read_document
from tests.fixtures.commands import write_vectors


def run(*arguments: str) -> str:
    found = CliRunner().invoke(app, list(arguments))
    assert found.exit_code == 0, found.output
    return found.stdout


def refused(*arguments: str) -> str:
    found = CliRunner().invoke(app, list(arguments))
    assert isinstance(found.exception, InputError), found.output
    return str(found.exception)


@pytest.fixture
def vectors(tmp_path: Path) -> list[str]:
    """Two files of one name in folders that nobody should be told of."""
    paths = [tmp_path / "secret-place" / folder / "glove.txt" for folder in ("one", "two")]
    for seed, path in enumerate(paths):
        path.parent.mkdir(parents=True)
        write_vectors(path, catalog("weat6").words, seed)
    return list(map(str, paths))


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def disclosing(folder: Path) -> set[str]:
    """Written files that hold a folder of the vectors; what is kept beside them for another run is none."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and b"secret-place" in path.read_bytes()
    }


def test_paths_are_in_the_provenance_of_results_only(vectors: list[str], elsewhere: Path) -> None:
    printed = run("audit", *vectors, "-t", "weat6", "-o", "out", "--no-figures")
    assert "secret-place" not in printed
    out = elsewhere / "out"
    assert disclosing(out) == {"results.json", "one-glove/results.json", "two-glove/results.json"}
    document = read_document(out / "one-glove" / "results.json")
    assert document["model"] == "one/glove"
    bare = json.dumps({**document, "results": [_without_provenance(one) for one in document["results"]]})
    assert "secret-place" not in bare
    assert document["results"][0]["provenance"][0]["source"] == vectors[0]
    page = (out / "report.html").read_text("utf-8")
    assert "<title>Associations in one/glove and two/glove</title>" in page
    run("compare", "out/one-glove", "out/two-glove", "-o", "again", "--no-figures")
    assert disclosing(elsewhere / "again") == {"results.json"}
    run("report", "out/one-glove", "out/two-glove", "-o", "both.html")
    assert "secret-place" not in Path("both.html").read_text("utf-8")


def _without_provenance(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_provenance(one) for key, one in value.items() if key != "provenance"}
    return [_without_provenance(one) for one in value] if isinstance(value, list) else value


def test_models_are_called_as_they_are_named(vectors: list[str], elsewhere: Path) -> None:
    named = ("--name", "First", "--name", "Second one")
    run("audit", *vectors, *named, "-t", "weat6", "-o", "out", "--no-figures")
    assert [one.model for one in read_records(elsewhere / "out")] == ["First", "Second one", "comparison"]
    assert {path.name for path in (elsewhere / "out").iterdir() if path.is_dir()} == {"First", "Second-one"}
    run("compare", "out/First", "out/Second-one", "--name", "A", "--name", "B", "-o", "again", "--no-figures")
    battery = json.loads((elsewhere / "again" / "results.json").read_text("utf-8"))["results"][0]
    assert battery["models"] == ["A", "B"]
    run("report", "out", "--name", "C", "--name", "D", "-o", "page.html")
    assert "<title>Associations in C, D</title>" in Path("page.html").read_text("utf-8")


def test_names_that_do_not_fit_the_models_are_refused(vectors: list[str], elsewhere: Path) -> None:
    assert "--name was given 1 time, for 2 models" in refused("audit", *vectors, "--name", "a")
    assert "'a' was given twice" in refused("audit", *vectors, "--name", "a", "--name", "a ")
    assert "--name is ' '" in refused("audit", vectors[0], "--name", " ")
    assert not (elsewhere / "audit").exists()

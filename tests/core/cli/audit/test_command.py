"""The main job: a folder that is whole, readable and equal to the library's numbers."""

from __future__ import annotations

import csv
import errno
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.core.audit.audit import table
from crossroads.core.results import Result
from crossroads.words.measures.battery import BatteryResult
from tests.audits import WORDS, AuditRun
from tests.fixtures.commands import Command


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_results_are_read_back_as_they_were_measured(default_audit: AuditRun) -> None:
    """The whole audit of the embedded vectors is made first, which other tests read too."""
    assert default_audit.status == 0, default_audit.err
    audit = default_audit.audit
    sure, *others = audit.values()
    assert sure == cr.checks(others)
    battery = audit.one(BatteryResult)
    assert battery is not None
    designs = [cr.Design.from_dict(one) for one in default_audit.results["designs"]]
    assert designs == [cr.catalog(one.name) for one in designs]
    emb = cr.load("default", words=[word for design in designs for word in design.words])
    again = cr.battery(emb, designs, alternative="two-sided", seed=0)
    for one, other in zip(battery.tests, again.tests, strict=True):
        levels = replace(other.level1, provenance=one.level1.provenance)
        assert one.level1 == levels  # the audit reads more words, which its provenance counts
    assert battery.adjusted["holm"] == again.adjusted["holm"]


def test_csv_files_hold_the_same_numbers(default_audit: AuditRun) -> None:
    folder, battery = default_audit.folder, default_audit.audit.one(BatteryResult)
    assert battery is not None
    for row, test in zip(rows_of(folder / "tests.csv"), battery.tests, strict=True):
        assert float(row["effect_size"]) == test.level1.effect_size
    (weat6,) = [one for one in battery.tests if one.design == "weat6"]
    found = {
        one["word"]: float(one["association"])
        for one in rows_of(folder / "associations.csv")
        if one["design"] == "weat6" and one["level"] == "1"
    }
    assert found == weat6.level1.associations
    coverage = (folder / "coverage.csv").read_text(encoding="utf-8")
    assert "i4,x,Liset,left out,not in the vocabulary" in coverage
    assert "weat6,x,John,respelled,john (lower)" in coverage
    (row,) = [one for one in rows_of(folder / "tests.csv") if one["design"] == "weat6"]
    assert float(row["detectable"]) == weat6.level1.crossed.detectable
    (row,) = [
        one
        for one in rows_of(folder / "results.csv")
        if (one["test"], one["part"], one["statistic"]) == ("weat6", "level 1", "effect_size")
    ]
    assert float(row["value"]) == weat6.level1.effect_size


def test_the_folder_holds_figures_tables_text_and_citations(default_audit: AuditRun) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    folder = default_audit.folder
    rows = rows_of(folder / "results.csv")
    assert parquet.read_table(folder / "results.parquet").num_rows == len(rows)
    for name, said in (
        ("table.tex", r"\begin{tabular}"),
        ("methods.md", "@caliskan2017semantics"),
        ("citations.bib", "@article{caliskan2017semantics,"),
        ("summary.md", "| weat6 | male names / female names"),
        ("figures/weat6-associations.svg", "<svg"),
    ):
        assert said in (folder / name).read_text(encoding="utf-8")
    assert b"CreationDate" not in (folder / "figures" / "associations.pdf").read_bytes()
    assert not (folder / "gate.json").exists()  # there were no rules


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default_audit", "two_models_audit", "contexts_audit", "language_audit"])
def test_the_document_is_valid_under_the_published_schema(name: str, request: pytest.FixtureRequest) -> None:
    """Every shared audit, made where it is first asked for; a language model answers for all groups."""
    jsonschema = pytest.importorskip("jsonschema", reason="checked in the full test environment")
    place = Path(__file__).parents[4] / "docs" / "reference" / "results.schema.json"
    schema = json.loads(place.read_text(encoding="utf-8"))
    folder = request.getfixturevalue(name).folder
    data = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert data["schema"] == 1
    check = jsonschema.Draft202012Validator({"$ref": "#/$defs/Audit", "$defs": schema["$defs"]})
    assert [error.message for error in check.iter_errors(data)] == []
    assert not check.is_valid({**data, "schema": 2})
    assert not check.is_valid({**data, "results": [{**data["results"][0], "holm": "small"}]})


# What is written where


@pytest.mark.parametrize(
    ("mark", "ours"),
    [("{}", False), ('{"crossroads": "0", "designs": [], "results": []}', True), ("not json", False)],
)
def test_a_folder_that_only_looks_like_an_audit_is_left_alone(
    own: tuple[Any, ...], tmp_path: Path, command: Command, mark: str, ours: bool
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "results.json").write_text(mark, encoding="utf-8")
    (folder / "thesis.tex").write_text("years of work", encoding="utf-8")
    run = command(*own)
    assert run.status == 2
    assert "thesis.tex" in run.err
    assert (folder / "thesis.tex").read_text(encoding="utf-8") == "years of work"
    (folder / "thesis.tex").unlink()
    assert command(*own).status == (0 if ours else 2)


def test_a_failed_audit_leaves_nothing_behind(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text, said in (
        ("gone.txt", None, "there is no such file or folder"),
        ("broken.txt", "john 0.1 0.2\namy 0.1 0.3 nonsense\n", "broken.txt"),
        ("few.txt", "john 0.1 0.2\namy 0.1 0.3\n", "none of the "),
    ):
        if text is not None:
            Path(name).write_text(text, encoding="utf-8")
        run = command("audit", name, "-o", "out")
        assert (run.status, said in run.err.replace("\n", " ")) == (2, True), run.err
        assert not Path("out").exists()
        assert name == "few.txt" or not Path(".out.parts").exists()  # its vectors were read, and are kept


def test_what_cannot_be_written_without_a_package_is_said(
    own: tuple[Any, ...], tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    run = command(*own)
    assert run.status == 0, run.err
    assert 'no results.parquet: pip install "crossroads-audit[parquet]"' in run.out
    assert (tmp_path / "out" / "results.csv").exists()
    assert not (tmp_path / "out" / "results.parquet").exists()


# What is kept


def test_finished_parts_are_used_unless_everything_is_wanted_fresh(
    own: tuple[Any, ...], tmp_path: Path, command: Command
) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    assert command(*own).status == 0
    first = (tmp_path / "out" / "results.json").read_bytes()
    assert (tmp_path / "out" / "vectors.npz").is_file()
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / ".out.parts").glob("part-*")}
    assert parts
    assert command(*own, "--no-vectors").status == 0
    assert {path: path.stat().st_mtime_ns for path in parts} == parts  # none was written again
    assert not (tmp_path / "out" / "vectors.npz").exists()
    assert command(*own, "--fresh").status == 0
    assert all(path.stat().st_mtime_ns > before for path, before in parts.items())
    assert (tmp_path / "out" / "results.json").read_bytes() == first  # same input, same bytes
    assert {path.name for path in tmp_path.iterdir()} - before == {".out.parts", "out"}


def test_options_change_what_is_measured(own: tuple[Any, ...], tmp_path: Path, command: Command) -> None:
    found = []
    for options in ((), ("--seed", 3), ("-C", "alternative=greater"), ("-C", "correct=standardise")):
        assert command(*own, *options).status == 0
        document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
        (battery,) = (one for one in document["results"] if one["type"] == "BatteryResult")
        level = battery["tests"][0]["level1"]
        conventions = document["shared"]["conventions"]
        found.append((level["effect_size"], level["pvalue"], conventions[level["conventions"]]["seed"]))
    assert len(set(found)) == 4


def test_a_full_disk_is_told_with_what_is_kept(
    own: tuple[Any, ...], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("crossroads.core.cli.audit.write_audits", full)
    run = command(*own)
    assert run.status == 2
    assert "finished work is kept in .out.parts" in run.err.replace("\n", " ")


@pytest.mark.parametrize("fault", ["nan", "division"])
def test_a_part_without_a_number_says_why_and_the_audit_goes_on(
    own: tuple[Any, ...], tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def without(*given: Any, **options: Any) -> Result:
        found = cr.stats.influence(*given, **options)
        if fault == "division":
            raise ZeroDivisionError("float division by zero")
        return replace(found, effect_size=float("nan"))

    rows = [replace(row, measure=without) if row.name == "influence" else row for row in table()]
    monkeypatch.setattr("crossroads.core.audit.audit.table", lambda: rows)
    reason = {"nan": "a result contains nan", "division": "float division by zero"}[fault]
    for _ in range(2):  # the second time out of what was kept
        run = command(*own)
        assert run.status == 0, run.err
    document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert reason in document["skipped"]["mine influence"]
    assert {one["type"] for one in document["results"]} >= {"BatteryResult", "ProjectionResult"}
    assert reason in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_design_that_cannot_be_tested_does_not_stop_the_others(
    own: tuple[Any, ...], tmp_path: Path, command: Command
) -> None:
    one = {"name": "alone", "x": ["x0", "x1"], "a": ["a0", "a1"], "b": ["b0", "b1"]}
    (tmp_path / "alone.json").write_text(json.dumps(one), encoding="utf-8")
    run = command(*own, "-d", tmp_path / "alone.json")
    assert run.status == 0, run.err
    assert "alone: not tested: the design 'alone' has a single target." in run.out.replace("\n", " ")
    document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert document["skipped"] == {"alone": "the design 'alone' has a single target."}


def test_frequencies_come_from_a_file_or_are_refused_before_the_work(
    own: tuple[Any, ...], tmp_path: Path, command: Command
) -> None:
    assert command(*own).status == 0
    assert not (tmp_path / "out" / "frequency.csv").exists()  # nothing is known of the order of so few words
    counts = tmp_path / "counts.csv"
    words = [word for some in WORDS.values() for word in some]
    counts.write_text("word,count\n" + "".join(f"{w},{7 + 3 * n % 5}\n" for n, w in enumerate(words)))
    run = command(*own, "--frequencies", counts)
    assert run.status == 0, run.err
    (row,) = rows_of(tmp_path / "out" / "frequency.csv")
    assert row["answer"] in ("yes", "no", "cannot tell")
    counts.write_text("x0,often\nx1,seldom\n")
    wrong = command(*own, "--frequencies", counts)
    assert (wrong.status, "'seldom' is no frequency of 'x1'" in wrong.err) == (2, True)
    missing = command(*own, "--frequencies", tmp_path / "none.csv")
    assert (missing.status, "there is no such file" in missing.err) == (2, True)

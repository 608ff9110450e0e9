"""``crossroads compare``: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import Contexts, Design, Embeddings, Provenance, battery, ceat_battery
from crossroads.measures import CompareBatteryResult
from crossroads.report import Audit, write_audit

SETS = {role: [f"{role}{i}" for i in range(6)] for role in "xyab"}
DESIGN = Design(name="planted", **SETS)  # type: ignore[arg-type]
LABELS = [word for words in SETS.values() for word in words]
Command = Callable[..., Any]


def audited(
    folder: Path, lean: float, *, vectors: bool = True, design: Design = DESIGN, **options: Any
) -> Path:
    """The audit of a model in which x leans to a and y to b, or the other way round."""
    rows = np.random.default_rng(sum(folder.name.encode())).normal(size=(24, 6)) * 0.4
    for start, side in ((0, lean), (6, -lean), (12, 2), (18, -2)):
        rows[start : start + 6, 0] += side
    emb = Embeddings(LABELS, rows, provenance=Provenance(source=f"{folder.name} [b]"))
    tested = battery(emb, design, resamples=10, **{"alternative": "two-sided", **options})
    write_audit(folder, Audit([tested]), [design], vectors=emb if vectors else None, figures=False)
    return folder


@pytest.fixture
def audits(tmp_path: Path) -> tuple[Path, Path]:
    return audited(tmp_path / "up", 1.5), audited(tmp_path / "down", -1.5)


@pytest.mark.slow
def test_a_planted_difference_is_shown_and_written(
    command: Command, audits: tuple[Path, Path], tmp_path: Path
) -> None:
    run = command("compare", *audits, "-o", tmp_path / "c", "--no-figures")
    assert run.status == 0, run.err
    assert run.err == ""
    assert "up [b] / down [b]" in " ".join(run.out.split())  # no markup
    assert "planted" in run.out
    assert f"written to {tmp_path}" in run.out.replace("\n", "")
    shown = run.out.partition("written to")[0]  # a path is not broken
    assert max(map(len, shown.splitlines())) <= 80
    data = json.loads((tmp_path / "c" / "results.json").read_text(encoding="utf-8"))
    result = CompareBatteryResult.from_dict(data["results"][0])
    assert result.models == ("up [b]", "down [b]")
    # two of the 924 divisions of twelve changes are as far out as can be
    assert result.tests[0].pvalue == pytest.approx(2 / 924)
    assert "0.002" in run.out
    assert (tmp_path / "c" / "report.html").stat().st_size > 10_000
    again = command("compare", *audits, "-o", tmp_path / "c", "--no-figures")
    assert again.status == 0  # a comparison may be replaced


def test_what_one_model_lacks_and_whose_side_is_tested_is_printed(
    command: Command, audits: tuple[Path, Path], tmp_path: Path
) -> None:
    rows = np.random.default_rng(0).normal(size=(23, 6))
    few = Embeddings([word for word in LABELS if word != "x2"], rows, provenance=Provenance(source="few"))
    tested = battery(few, DESIGN, resamples=10, missing="drop", alternative="two-sided")
    write_audit(tmp_path / "few", Audit([tested]), [DESIGN], vectors=few, figures=False)
    options = ("-o", tmp_path / "c", "--no-figures", "--alternative", "less")
    run = command("compare", audits[0], tmp_path / "few", *options)
    assert run.status == 0, run.err
    told = " ".join(run.out.split())
    assert "left out of both models: x2 (not in the vocabulary of few)" in told
    assert "one-sided, for a smaller effect size in the first model" in told


def test_json_is_one_document(command: Command, audits: tuple[Path, Path], tmp_path: Path) -> None:
    run = command("compare", *audits, "-o", tmp_path / "c", "--no-figures", "--json", "--resamples", 0)
    assert run.status == 0
    data = json.loads(run.out)
    assert data["command"] == "compare"
    (result,) = data["results"]
    assert result["intervals"] == [None]
    assert result["type"] == "CompareBatteryResult"


def test_an_audit_without_vectors_is_compared_by_its_numbers_and_that_is_said(
    command: Command, audits: tuple[Path, Path], tmp_path: Path
) -> None:
    bare = audited(tmp_path / "bare", 0.5, vectors=False)
    run = command("compare", *audits, bare, "-o", tmp_path / "c", "--no-figures", "--against", "first")
    assert run.status == 0
    assert "differences of saved numbers" in " ".join(run.out.split())
    assert "bare [b] kept no vectors." in run.out
    data = json.loads((tmp_path / "c" / "results.json").read_text(encoding="utf-8"))
    assert [one["models"] for one in data["results"][0]["unpaired"]] == [["up [b]", "bare [b]"]]


def test_other_words_and_other_conventions_are_named(command: Command, tmp_path: Path) -> None:
    short = Design(name="planted", **{**SETS, "x": SETS["x"][:4]})  # type: ignore[arg-type]
    one, two = audited(tmp_path / "one", 1.0), audited(tmp_path / "two", 1.0, design=short)
    run = command("compare", one, two, "-o", tmp_path / "c")
    assert run.status == 2
    assert "nothing in common" in run.err
    assert "the word lists differ" in " ".join(run.err.split())
    assert not (tmp_path / "c").exists()
    other = audited(tmp_path / "three", 1.0, ddof=0)
    run = command("compare", one, other, "-o", tmp_path / "c", "--no-figures")
    assert run.status == 0
    assert "the audits differ in ddof" in run.out


def test_what_is_no_audit_is_refused(command: Command, audits: tuple[Path, Path], tmp_path: Path) -> None:
    run = command("compare", audits[0], "-o", tmp_path / "c")
    assert (run.status, "there is one audit to compare" in run.err) == (2, True)
    (tmp_path / "link").symlink_to(audits[0])
    run = command("compare", audits[0], tmp_path / "link", "-o", tmp_path / "c")
    assert (run.status, "there is one audit to compare" in run.err) == (2, True)
    assert "link has the same results as another input" in run.err
    run = command("compare", audits[0], tmp_path / "nowhere", "-o", tmp_path / "c")
    assert run.status == 2
    assert "no file or folder" in run.err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years", encoding="utf-8")
    run = command("compare", *audits, "-o", tmp_path / "mine")
    assert run.status == 2
    assert "thesis.tex" in run.err
    assert (tmp_path / "mine" / "thesis.tex").read_text(encoding="utf-8") == "years"


def test_a_damaged_audit_is_refused_with_its_name(
    command: Command, audits: tuple[Path, Path], tmp_path: Path
) -> None:
    (audits[1] / "vectors.npz").write_bytes(b"not an archive")
    run = command("compare", *audits, "-o", tmp_path / "c")
    assert run.status == 2
    assert "vectors.npz" in run.err.replace("\n", "")
    (audits[1] / "results.json").write_text("{", encoding="utf-8")
    run = command("compare", *audits, "-o", tmp_path / "c")
    assert run.status == 2
    assert "not a JSON document" in run.err
    assert "Traceback" not in run.err


def test_audits_of_stores_are_compared_over_contexts_with_the_unit_said(
    command: Command, tmp_path: Path
) -> None:
    for name, lean in (("up", 1.5), ("down", -1.5)):
        rng = np.random.default_rng(len(name))
        rows = {word: rng.normal(size=(3, 6)) * 0.4 for word in LABELS}
        for role, side in {"x": lean, "y": -lean, "a": 2.0, "b": -2.0}.items():
            for word in SETS[role]:
                rows[word][:, 0] += side
        about = Provenance(source=f"{name} [b]", details={"record": {"contexts": "abc"}})
        tested = ceat_battery(Contexts.from_dict(rows, provenance=about), DESIGN, samples=5)
        audit = Audit([tested], kind="contexts")
        write_audit(tmp_path / name, audit, [DESIGN], figures=False)
    run = command("compare", tmp_path / "up", tmp_path / "down", "-o", tmp_path / "c", "--no-figures")
    assert run.status == 0, run.err
    assert run.err == ""
    told = " ".join(run.out.split())
    assert "planted CEAT" in told
    assert "the unit is the target word" in told
    assert "up [b] and down [b] read the same contexts" in told
    assert "differences of saved numbers" not in told
    data = json.loads((tmp_path / "c" / "results.json").read_text(encoding="utf-8"))
    (test,) = data["results"][0]["tests"]
    assert test["pvalue"] == pytest.approx(2 / 924)  # as far out as changes of twelve words can be
    with (tmp_path / "c" / "comparison.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["measure"], row["same_contexts"]) == ("ceat", "True")


@pytest.mark.parametrize(
    "options", [("--attributes", "drawn"), ("--attributes", "given", "--resamples", "0")]
)
def test_the_line_below_the_table_tells_what_is_in_it(
    command: Command, audits: tuple[Path, Path], tmp_path: Path, options: tuple[str, ...]
) -> None:
    run = command("compare", *audits, "-o", tmp_path / "c", "--no-figures", *options)
    told = " ".join(run.out.split())
    drawn = "drawn" in options
    assert ("exchanged, accounting for the choice of attributes, two-sided" in told) == drawn
    assert ("CI: of the difference" in told) == drawn

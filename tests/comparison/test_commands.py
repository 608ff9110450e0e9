"""``crossroads compare``: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import Contexts, Design, Embeddings, battery
from crossroads.comparison.battery import CompareBatteryResult
from crossroads.core.report.audit import Audit, FinishedAudit
from crossroads.core.report.documents.records import read_document
from crossroads.core.report.files import write_audits
from crossroads.sources import Provenance
from tests.fixtures.commands import Command

SETS = {role: [f"{role}{i}" for i in range(6)] for role in "xyab"}
DESIGN = Design(name="planted", **SETS)  # type: ignore[arg-type]
LABELS = [word for words in SETS.values() for word in words]


def audited(
    folder: Path, lean: float, *, vectors: bool = True, design: Design = DESIGN, **options: Any
) -> Path:
    """The audit of a model in which x leans to a and y to b, or the other way round."""
    rows = np.random.default_rng(sum(folder.name.encode())).normal(size=(24, 60)) * 0.15
    for start, side in ((0, lean), (6, -lean), (12, 2), (18, -2)):
        rows[start : start + 6, 0] += side
    emb = Embeddings(LABELS, rows, provenance=Provenance(source=f"{folder.name} [b]"))
    tested = battery(emb, design, **{"alternative": "two-sided", **options})
    audit = FinishedAudit(audit=Audit([tested]), designs=[design], vectors=emb if vectors else None)
    write_audits(folder, {"model": audit}, figures=False)
    return folder


@pytest.fixture
def audits(tmp_path: Path) -> tuple[Path, Path]:
    return audited(tmp_path / "up", 1.5), audited(tmp_path / "down", -1.5)


def read(folder: Path) -> dict[str, Any]:
    return dict(read_document(folder / "results.json"))


@pytest.mark.slow
def test_a_planted_difference_is_shown_and_written(
    command: Command, audits: tuple[Path, Path], tmp_path: Path
) -> None:
    run = command("compare", *audits, "-o", tmp_path / "c", "--no-figures")
    assert (run.status, run.err) == (0, "")
    assert "up [b] /" in run.out and "down [b]" in run.out  # no markup
    result = CompareBatteryResult.from_dict(read(tmp_path / "c")["results"][0])
    assert result.models == ("up [b]", "down [b]")
    # two of the 924 divisions of twelve changes are as far out as can be
    assert result.tests[0].pvalue == pytest.approx(2 / 924)
    assert (tmp_path / "c" / "report.html").stat().st_size > 10_000
    again = command("compare", *audits, "-o", tmp_path / "c", "--no-figures", "--json")
    assert again.status == 0  # a comparison may be replaced
    (found,) = json.loads(again.out)["results"]
    assert len(found["intervals"]) == 1


def test_what_one_model_lacks_and_whose_side_is_tested_is_printed(
    command: Command, audits: tuple[Path, Path], tmp_path: Path
) -> None:
    rows = np.random.default_rng(0).normal(size=(23, 6))
    few = Embeddings([word for word in LABELS if word != "x2"], rows, provenance=Provenance(source="few"))
    tested = battery(few, DESIGN, missing="drop", alternative="two-sided")
    audit = FinishedAudit(audit=Audit([tested]), designs=[DESIGN], vectors=few)
    write_audits(tmp_path / "few", {"model": audit}, figures=False)
    ask = ("compare", audits[0], tmp_path / "few", "-o", tmp_path / "c", "--no-figures")
    both = {}
    for one in ("less", "greater"):
        run = command(*ask, "-C", f"alternative={one}")
        assert run.status == 0, run.err
        assert "left out of both models: x2 (not in the vocabulary of few)" in " ".join(run.out.split())
        (test,) = read(tmp_path / "c")["results"][0]["tests"]
        both[one] = test["pvalue"]
    assert sum(both.values()) > 1  # the division that was observed is in either tail


def test_options_change_what_is_measured(command: Command, audits: tuple[Path, Path], tmp_path: Path) -> None:
    flat, found = audited(tmp_path / "flat", 0.8), []
    for options in ((), ("-C", "attributes=given"), ("-C", "scale=cosine")):
        run = command("compare", audits[0], flat, "-o", tmp_path / "c", "--no-figures", *options, "--json")
        (result,) = json.loads(run.out)["results"]
        numbers = [result["tests"][0][key] for key in ("pvalue", "changes")]
        found.append(json.dumps([numbers, result["intervals"], result["adjusted"]]))
    assert len(set(found)) == 3


def test_an_audit_without_vectors_is_compared_by_its_numbers_and_that_is_said(
    command: Command, audits: tuple[Path, Path], tmp_path: Path
) -> None:
    bare = audited(tmp_path / "bare", 0.5, vectors=False)
    run = command("compare", *audits, bare, "-o", tmp_path / "c", "--no-figures", "--against", "first")
    assert run.status == 0
    assert "bare [b] kept no vectors." in run.out
    data = read(tmp_path / "c")
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
    (tmp_path / "link").symlink_to(audits[0])
    (tmp_path / "mine").mkdir()
    thesis = tmp_path / "mine" / "thesis.tex"
    thesis.write_text("years", encoding="utf-8")
    for arguments, said in (
        ((audits[0],), "there is one audit to compare"),
        ((audits[0], tmp_path / "link"), "link has the same results as another input"),
        ((audits[0], tmp_path / "nowhere"), "no file or folder"),
        ((*audits, "-o", tmp_path / "mine"), "thesis.tex"),
    ):
        run = command("compare", "-o", tmp_path / "c", *arguments)
        assert (run.status, said in run.told) == (2, True), run.err
    assert thesis.read_text(encoding="utf-8") == "years"
    for name, data, said in (
        ("vectors.npz", b"not an archive", "vectors.npz"),
        ("results.json", b"{", "not a JSON document"),
    ):
        (audits[1] / name).write_bytes(data)
        run = command("compare", *audits, "-o", tmp_path / "c")
        assert (run.status, said in run.err.replace("\n", "")) == (2, True), run.err
        assert "Traceback" not in run.err


def test_audits_of_stores_are_compared_over_contexts_with_the_unit_said(
    command: Command, tmp_path: Path
) -> None:
    for name, lean in (("up", 1.5), ("down", -1.5)):
        rng = np.random.default_rng(len(name))
        rows = {word: rng.normal(size=(3, 60)) * 0.15 for word in LABELS}
        for role, side in {"x": lean, "y": -lean, "a": 2.0, "b": -2.0}.items():
            for word in SETS[role]:
                rows[word][:, 0] += side
        about = Provenance(source=f"{name} [b]", details={"record": {"contexts": "abc"}})
        tested = battery(Contexts.from_dict(rows, provenance=about), DESIGN, samples=5)
        audit = Audit([tested], kind="contexts")
        write_audits(tmp_path / name, {name: FinishedAudit(audit=audit, designs=[DESIGN])}, figures=False)
    run = command("compare", tmp_path / "up", tmp_path / "down", "-o", tmp_path / "c", "--no-figures")
    assert (run.status, run.err) == (0, "")
    told = " ".join(run.out.split())
    assert "the unit is the target word" in told
    assert "up [b] and down [b] read the same contexts" in told
    data = read(tmp_path / "c")
    (test,) = data["results"][0]["tests"]
    assert test["pvalue"] == pytest.approx(2 / 924)  # as far out as changes of twelve words can be
    with (tmp_path / "c" / "comparison.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["measure"], row["same_contexts"]) == ("ceat", "True")

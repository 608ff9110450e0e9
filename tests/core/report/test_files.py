"""The folder of an audit holds every kind of result, the same bytes each time, and is read back whole."""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads
from crossroads import Design, Embeddings
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.core.errors import MissingExtraError
from crossroads.core.report.audit import Audit, FinishedAudit
from crossroads.core.report.documents.reading import read_records
from crossroads.core.report.documents.records import read_document
from crossroads.core.report.files import write_audits
from crossroads.core.report.folder import check_output, ours
from crossroads.core.report.gate import Rule, judge
from crossroads.core.report.page.data import stimulus_vectors, write_vectors
from crossroads.core.stimuli.files.text import from_cell
from crossroads.traits.pairs.dominance import DominanceResult
from crossroads.words.measures.battery import BatteryResult

TEXTS = {"results.json", "results.csv", "table.tex", "methods.md", "citations.bib", "summary.md"}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(
    folder: Path, audit: Audit, designs: Sequence[Design] = (), *, figures: bool = False, **more: Any
) -> list[str]:
    finished = FinishedAudit(audit=audit, designs=designs, **more)
    return write_audits(folder, {"model": finished}, figures=figures).absent


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_audit_of_vectors_is_written_and_read_back(
    audit: Audit, audit_designs: list[Design], audit_vectors: Embeddings, tmp_path: Path
) -> None:
    gate = judge(audit, [Rule(name="r", test="plain", statistic="left_out", above=9)])
    write(tmp_path / "out", audit, audit_designs, vectors=audit_vectors, gate=gate)
    found = files(tmp_path / "out")
    assert found >= TEXTS | {
        "tests.csv", "associations.csv", "influence.csv", "coverage.csv", "detections.csv", "rsa.csv",
        "vectors.npz", "report.html", "gate.json",
    }  # fmt: skip
    assert found <= ours()
    check_output(tmp_path / "out")  # and it may be replaced
    (record,) = read_records(tmp_path / "out")
    assert record.document["results"] == [result.to_dict() for result in list(audit.values())]
    assert record.gate == gate.to_dict()
    assert record.vectors is not None
    assert set(record.vectors.labels) == set(audit_vectors.labels)
    assert np.array_equal(record.vectors["x0"], audit_vectors["x0"])
    assert "@crossroads" in record.methods


def test_an_audit_without_a_battery_is_written_with_all_that_it_has(whole: Audit, tmp_path: Path) -> None:
    write(tmp_path / "out", whole)
    found = files(tmp_path / "out")
    assert found >= TEXTS | {
        "series.csv", "contexts.csv", "context_levels.csv", "traits.csv", "alignment.csv", "dominance.csv",
        "emergent.csv", "coverage.csv", "report.html",
    }  # fmt: skip
    assert "tests.csv" not in found
    assert "vectors.npz" not in found
    assert found <= ours()
    data = read_document(tmp_path / "out" / "results.json")
    assert (data["kind"], data["names"]) == ("language model", list(whole))
    assert data["skipped"]["SeT scores"] == "no logits."
    (contexts,) = whole.of(CeatBatteryResult).values()
    rows = rows_of(tmp_path / "out" / "contexts.csv")
    assert float(rows[0]["stimulus_effect_size"]) == contexts.tests[0].stimulus_effect_size
    assert [row["exact_p_sign"] for row in rows] == ["=", "="]
    for how, some in contexts.adjusted.items():
        assert [float(row[f"p_{how}"]) for row in rows] == list(some)
        assert [row[f"p_{how}_sign"] for row in rows] == ["=", "="]
    aligned = rows_of(tmp_path / "out" / "alignment.csv")
    assert aligned[0]["result"] == "m&m alignment"  # whose rows name no design
    gone = [row for row in rows_of(tmp_path / "out" / "coverage.csv") if row["word"] == "gone"]
    assert {row["design"] for row in gone} == {"plain 1900", "plain 1950", "plain CEAT"}
    assert {row["status"] for row in gone} == {"left out"}


@pytest.mark.slow
def test_a_figure_is_drawn_of_results_that_have_one(audit: Audit, whole: Audit, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    chosen = {"p IBD": audit["p IBD"], "p EIBD": audit["p EIBD"], **whole.of(DominanceResult)}
    assert write(tmp_path / "out", Audit(chosen), figures=True) == []
    assert files(tmp_path / "out" / "figures") == {  # without a list of true words there is no curve: no eibd
        f"{name}.{end}" for name in ("ibd", "m-m-dominance") for end in ("svg", "pdf")
    }


def test_the_same_audit_gives_the_same_bytes(
    audit: Audit, audit_designs: list[Design], audit_vectors: Embeddings, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, audit, audit_designs, vectors=audit_vectors)
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_what_cannot_be_written_for_want_of_a_package_is_said(
    audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = MissingExtraError("needs a package.", hint='pip install "crossroads-audit[parquet]"')

    def fails(*_: Any, **__: Any) -> None:
        raise missing

    monkeypatch.setattr("crossroads.core.report.files.write_tidy_parquet", fails)
    said = write(tmp_path / "out", audit)
    assert said == [f"no results.parquet: {missing.hint}"]
    assert "results.parquet" not in files(tmp_path / "out")


def test_vectors_of_stimuli_alone_are_kept_in_their_type_and_under_the_label_they_have(
    audit: Audit, audit_designs: list[Design], tmp_path: Path
) -> None:
    labels = ["X0", "x1", "a0", "naïve <b>", "elsewhere"]
    emb = Embeddings(labels, np.arange(15, dtype=np.float32).reshape(5, 3) + 1, fallback="title")
    design = Design(name="d", x=["x0", "x1"], a=["a0"], b=["naïve <b>"])
    kept = stimulus_vectors(emb, Audit(audit.of(BatteryResult)), [design])
    assert kept is not None
    assert kept.labels == ("X0", "x1", "a0", "naïve <b>")
    write_vectors(tmp_path / "v.npz", kept)
    again = crossroads.load(tmp_path / "v.npz")
    assert again.labels == kept.labels
    assert again.vectors.dtype == np.float32
    assert np.array_equal(again.vectors, kept.vectors)
    with zipfile.ZipFile(tmp_path / "v.npz") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    with np.load(tmp_path / "v.npz", allow_pickle=False) as archive:
        assert archive["fallback"].tolist() == ["title"]
    alone = Embeddings(["nothing"], [[1.0]])
    assert stimulus_vectors(alone, Audit(audit.of(BatteryResult)), audit_designs) is None


def test_the_seed_of_several_audits_is_that_of_what_is_compared(whole: Audit, tmp_path: Path) -> None:
    both = {name: FinishedAudit(audit=whole, designs=[]) for name in ("one", "two")}
    write_audits(tmp_path / "out", both, seed=5, figures=False)
    data = read_document(tmp_path / "out" / "results.json")
    seeds = [one["conventions"]["seed"] for one in data["results"] if one["type"] == "CompareTraitsResult"]
    assert set(seeds) == {5}


FORMULAS = ("=1+1", "+1", "-ness", "@SUM(1)", "\uff1dx", "'=z", "@", "--")
"""Words that spreadsheets would compute, or that look as if they had been kept from it."""


def test_no_cell_of_any_table_is_a_formula_and_numbers_stay_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = [*FORMULAS, *(f"w{i}" for i in range(24))]
    emb = Embeddings(words, rng.normal(size=(32, 6)), provenance="=cmd|'/C calc'!A0")
    x, y, a, b = (crossroads.sources.StimulusSet(f"-{i}", tuple(words[i * 8 : i * 8 + 8])) for i in range(4))
    design = Design(name="@design", x=x, y=y, a=a, b=b)
    measured = crossroads.battery(emb, [design], alternative="two-sided", missing="drop")
    audit = Audit([measured, crossroads.stats.influence(emb, design)])
    write(tmp_path / "out", audit, [design], vectors=emb)
    tables = sorted((tmp_path / "out").glob("*.csv"))
    assert {path.name for path in tables} >= {"results.csv", "tests.csv", "associations.csv", "influence.csv"}
    for path in tables:
        with path.open(encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        starts = [cell for cell in cells if cell.lstrip()[:1] in tuple("=+-@\uff1d") or cell[:1] in "\t\r\n"]
        number = r"|=|-?\d+(\.\d+)?(e-?\d+)?"
        assert [cell for cell in starts if not re.fullmatch(number, cell)] == [], path.name
    written = rows_of(tmp_path / "out" / "associations.csv")
    rows = [row for row in written if row["level"] == "1" and row["set"] == "x"]
    level = measured.tests[0].level1
    assert {from_cell(row["word"]): float(row["association"]) for row in rows} == {
        word: level.associations[word] for word in level.sets["x"]
    }
    assert any(row["association"].startswith("-") for row in rows)
    (record,) = read_records(tmp_path / "out")
    assert record.results[0]["tests"][0]["level1"]["sets"]["x"] == list(level.sets["x"])
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs the extra 'parquet'")
    kept = parquet.read_table(tmp_path / "out" / "results.parquet").to_pylist()
    assert {(row["test"], row["model"]) for row in kept} == {("@design", "=cmd|'/C calc'!A0")}  # as they are

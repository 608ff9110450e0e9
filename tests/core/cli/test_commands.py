"""The commands, as a shell sees them: what goes to which stream, and the exit status."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import crossroads as cr
from tests.fixtures.commands import Command, write_decades

WORDS = {
    "x": ["rose", "lily", "daisy", "tulip"],
    "y": ["wasp", "gnat", "flea", "moth"],
    "a": ["love", "peace", "joy", "honor"],
    "b": ["filth", "abuse", "grief", "agony"],
}


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """A small GloVe text file in which flowers are pleasant and insects are not."""
    rng = np.random.default_rng(4)
    lines = []
    for name, words in WORDS.items():
        centre = np.eye(8)[0 if name in "xa" else 1]
        for word in words:
            row = centre + 0.3 * rng.normal(size=8)
            lines.append(" ".join([word, *(f"{v:.6f}" for v in row)]))
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def design_file(tmp_path: Path) -> Path:
    """The design of those words."""
    path = tmp_path / "bugs.json"
    path.write_text(json.dumps({"name": "bugs", **WORDS}), encoding="utf-8")
    return path


def test_sets_that_can_show_nothing_are_said_to(command: Command, vectors: Path, tmp_path: Path) -> None:
    few = {**WORDS, "x": WORDS["x"][:3], "y": WORDS["y"][:3]}
    (tmp_path / "few.json").write_text(json.dumps({"name": "few", **few}), encoding="utf-8")
    for arguments in (("mleat",), ("weat",), ("audit", "--no-figures", "-o", tmp_path / "out")):
        run = command(*arguments, vectors, "--words", tmp_path / "few.json")
        assert run.status == 0, run.err
        assert " ".join(run.out.split()).count("few: nothing could be found with just these words") == 1


def test_the_argument_that_an_error_is_about_is_spelled_as_an_option(
    command: Command, vectors: Path, design_file: Path
) -> None:
    run = command("weat", vectors, "--words", design_file, "-C", "method=saddlepoint")
    assert (run.status, "hint: use -C method=exact." in run.err) == (2, True)


def test_json_is_one_document_and_equals_the_library(
    command: Command, vectors: Path, design_file: Path
) -> None:
    run = command("weat", vectors, "--words", design_file, "--json")
    data = json.loads(run.out)
    assert run.err == ""
    expected = cr.weat(cr.load(vectors), cr.read_designs(design_file)[0])
    assert data["command"] == "weat"
    found = data["results"][0]
    assert found["effect_size"] == expected.effect_size
    assert found["pvalue"] == expected.pvalue == 2 / 70  # the observed division is the highest
    assert found["associations"] == expected.associations
    assert data["adjusted"]["holm"] == [expected.crossed.pvalue] == [found["crossed"]["pvalue"]]
    observed = json.loads(
        command("weat", vectors, "-d", design_file, "-C", "alternative=observed", "--json").out
    )
    assert observed["adjusted_for"] == "two-sided"
    crossed = observed["results"][0]["crossed"]
    assert observed["adjusted"]["holm"] == [pytest.approx(2 * crossed["pvalue"])]


def test_the_ending_of_a_file_says_what_is_written(
    command: Command, vectors: Path, design_file: Path, tmp_path: Path
) -> None:
    ask = ("weat", vectors, "-w", design_file)
    files = [tmp_path / f"found.{ending}" for ending in ("csv", "tex", "json")]
    document = command(*ask, *(part for file in files for part in ("-o", file)), "--json").out
    table, latex, json_file = (file.read_text(encoding="utf-8") for file in files)
    assert json_file == document
    (row,) = csv.DictReader(table.splitlines())
    assert float(row["d"]) == json.loads(document)["results"][0]["effect_size"]
    assert r"\begin{tabular}" in latex


def test_second_names_and_options_give_the_same(command: Command, vectors: Path, design_file: Path) -> None:
    for second, first, option in (("mleat", "weat", "--levels"), ("sc-weat", "weat", "--each")):
        ask = (vectors, "-w", design_file, "--json")
        assert command(second, *ask).out == command(first, *ask, option).out


def test_options_reach_the_measure(command: Command, vectors: Path, design_file: Path) -> None:
    flags = (
        "-C",
        "alternative=two-sided",
        "-C",
        "ddof=0",
        "-C",
        "ties=strict",
        "-C",
        "method=exact",
        "--json",
    )
    found = json.loads(command("weat", vectors, "--words", design_file, *flags).out)["results"][0]
    for key, value in {"alternative": "two-sided", "ddof": 0, "ties": "strict", "method": "exact"}.items():
        assert found["conventions"][key] == value
    plain = json.loads(command("weat", vectors, "--words", design_file, "--json").out)["results"][0]
    assert found["effect_size"] == pytest.approx(plain["effect_size"] * np.sqrt(8 / 7))


def test_mleat_equals_the_library(command: Command, vectors: Path, design_file: Path) -> None:
    ask = ("mleat", vectors, "--words", design_file, "--seed", "3", "--json")
    data = json.loads(command(*ask).out)
    expected = cr.mleat(cr.load(vectors), cr.read_designs(design_file)[0], seed=3, alternative="two-sided")
    assert data["results"] == [json.loads(expected.to_json())]
    run = command(*ask[:-1])
    assert f"{expected.level1.crossed.detectable:.3f}" in run.out


def test_sc_weat_measures_given_words_and_whole_vocabularies(
    command: Command, vectors: Path, design_file: Path
) -> None:
    ask = ("sc-weat", vectors, "--words", design_file)
    run = command(*ask, "--word", "rose", "--word", "wasp", "--json")
    assert json.loads(run.out)["results"][0]["words"] == ["rose", "wasp"]
    run = command(*ask, "--vocabulary", "--top", "2")
    assert run.status == 0
    assert "4 more" in run.out  # 16 words without the 8 of the attributes, two at either end
    assert command(*ask, "--vocabulary", "--word", "rose").status == 2


@pytest.mark.slow
def test_figures_are_drawn(command: Command, vectors: Path, design_file: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    for name in ("weat", "mleat", "sc-weat"):
        file = tmp_path / f"{name}.svg"
        assert command(name, vectors, "--words", design_file, "-o", file).status == 0
        assert file.read_text(encoding="utf-8").startswith("<?xml")
    run = command("weat", vectors, "--words", design_file, "-o", tmp_path / "a.gif")
    assert run.status == 2
    assert not (tmp_path / "a.gif").exists()


def test_a_histwords_folder_is_measured_over_decades(
    command: Command, design_file: Path, tmp_path: Path
) -> None:
    words = [word for names in WORDS.values() for word in names]
    folder = write_decades(tmp_path / "sgns", words, (1900, 1910))
    data = json.loads(command("mleat", folder, "--words", design_file, "--json").out)
    assert list(data["results"][0]["points"]) == ["1900", "1910"]


@pytest.mark.slow
def test_catalog_lists_and_shows(command: Command) -> None:
    assert "weat6" in command("catalog").out
    shown = command("catalog", "WEAT3")
    assert "Marcellus" in shown.out
    assert "10.1126/science.aal4230" in shown.out
    assert json.loads(command("catalog", "weat6", "--json").out)["x"]["items"][0] == "John"
    entries = json.loads(command("catalog", "--json").out)["entries"]
    for name, entry in entries.items():
        if entry["kind"] != "design":
            assert command("catalog", name).status == 0
            assert json.loads(command("catalog", name, "--json").out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("weat", "{vectors}", "--test", "waet6"), "'weat6'"),
        (("weat", "{vectors}", "--test", "abc-traits"), "not a test"),
        (("weat", "{folder}/vectrs.txt", "--test", "weat6"), "vectors.txt"),
        (("weat", "{vectors}", "--words", "{folder}/nothing.toml"), "nothing.toml"),
        (("weat", "{vectors}", "-C", "ties=week"), "week"),
        (("weat", "{vectors}", "--words", "{folder}/bugs.json", "-C", "ddof=2"), "ddof is 2"),
        (("mleat", "{vectors}", "--words", "{folder}/bugs.json", "--seed", "-1"), "seed is -1"),
        (("catalog", "wet6"), "'weat6'"),
        (("wet",), "weat"),
        (("weat", "{vectors}", "--jsn"), "--json"),
        (("probe",), "MODEL"),
        (("audit", "{vectors}", "-o", "{vectors}"), "is a file"),
        (("audit", "{vectors}", "-o", "{folder}"), "other contents"),
        # the vectors are not there either: the figure is looked at first
        (("weat", "gone.txt", "-t", "weat6", "-o", "{folder}/figure.gif"), "ends in .gif"),
        (("weat", "gone.txt", "-t", "weat6", "-o", "{folder}/gone/figure.svg"), "there is no folder"),
    ],
)
def test_bad_input_ends_with_status_2_and_a_sentence(
    command: Command, vectors: Path, design_file: Path, arguments: tuple[str, ...], words: str
) -> None:
    places = {"vectors": vectors, "folder": vectors.parent}
    run = command(*(part.format(**places) for part in arguments))
    assert run.status == 2
    assert run.out == ""
    assert words in run.err.replace("\n", "")
    assert "Traceback" not in run.err


def test_a_missing_extra_names_what_to_install(
    command: Command, vectors: Path, design_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.startswith("matplotlib")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run = command("weat", vectors, "--words", design_file, "-o", tmp_path / "a.svg")
    assert run.status == 2
    assert 'pip install "crossroads-audit[plots]"' in run.err


@pytest.mark.slow
def test_the_default_battery_drops_and_a_named_test_insists(command: Command) -> None:
    assert command("weat", "default", "--json").status == 0
    run = command("weat", "default", "--test", "weat1")
    assert run.status == 2
    assert "gladiola" in run.err
    assert "--missing drop" in run.err

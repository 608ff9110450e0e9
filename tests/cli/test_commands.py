"""The commands, as a shell sees them: what goes to which stream, and the exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr

WORDS = {
    "x": ["rose", "lily", "daisy", "tulip"],
    "y": ["wasp", "gnat", "flea", "moth"],
    "a": ["love", "peace", "joy", "honor"],
    "b": ["filth", "abuse", "grief", "agony"],
}


Command = Callable[..., Any]


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


def test_weat_prints_a_table(command: Command, vectors: Path, design_file: Path) -> None:
    run = command("weat", vectors, "--design", design_file)
    assert run.status == 0
    assert "bugs" in run.out
    assert "x4 y4 a4 b4" in run.out
    assert "0.029" in run.out  # 2/70: the observed division is the highest
    assert run.err == ""
    assert max(map(len, run.out.splitlines())) <= 80


def test_sets_that_can_show_nothing_are_said_to(command: Command, vectors: Path, tmp_path: Path) -> None:
    few = {**WORDS, "x": WORDS["x"][:3], "y": WORDS["y"][:3]}
    (tmp_path / "few.json").write_text(json.dumps({"name": "few", **few}), encoding="utf-8")
    nothing = "few: nothing could be found with just these words: the smallest"
    run = command("mleat", vectors, "--design", tmp_path / "few.json")
    assert f"{nothing} p-value of sets of 3 and 3 is 0.1, which is not below" in " ".join(run.out.split())
    run = command("weat", vectors, "--design", tmp_path / "few.json")
    assert f"{nothing} exact p that sets of these sizes can have is 0.10, which is not" in " ".join(
        run.out.split()
    )
    run = command("audit", vectors, "--design", tmp_path / "few.json", "-o", tmp_path / "audit")
    assert run.status == 0, run.err
    out = " ".join(run.out.split())
    assert out.count(nothing) == 1
    assert out.index(f"Warning: {nothing}") < out.index("How sure")


def test_json_is_one_document_and_equals_the_library(
    command: Command, vectors: Path, design_file: Path
) -> None:
    run = command("weat", vectors, "--design", design_file, "--json")
    data = json.loads(run.out)
    assert run.err == ""
    emb = cr.load(vectors)
    expected = cr.weat(emb, cr.read_design(design_file))
    assert data["command"] == "weat"
    found = data["results"][0]
    assert found["effect_size"] == expected.effect_size
    assert found["pvalue"] == expected.pvalue == 2 / 70
    assert found["associations"] == expected.associations
    assert expected.crossed is not None
    assert data["adjusted"]["holm"] == [expected.crossed.pvalue] == [found["crossed"]["pvalue"]]


def test_options_reach_the_measure(command: Command, vectors: Path, design_file: Path) -> None:
    flags = ("--alternative", "two-sided", "--ddof", "0", "--ties", "strict", "--method", "exact", "--json")
    found = json.loads(command("weat", vectors, "--design", design_file, *flags).out)["results"][0]
    for key, value in {"alternative": "two-sided", "ddof": 0, "ties": "strict", "method": "exact"}.items():
        assert found["conventions"][key] == value
    plain = json.loads(command("weat", vectors, "--design", design_file, "--json").out)["results"][0]
    assert found["effect_size"] == pytest.approx(plain["effect_size"] * np.sqrt(8 / 7))


def test_mleat_prints_all_levels(command: Command, vectors: Path, design_file: Path) -> None:
    run = command("mleat", vectors, "--design", design_file)
    assert run.status == 0
    could = cr.stats.minimum_detectable(4, 4, alternative="two-sided")
    told = f"Sets of these sizes detect a true d of {could.detectable:.2f} in 80 % of cases (p < 0.05"
    assert told in " ".join(run.out.split())
    data = json.loads(command("mleat", vectors, "--design", design_file, "--json").out)
    assert data["detectable"][0]["critical"] == could.critical
    assert "AB-Divergent" in run.out
    assert "Level 3" in run.out
    assert max(map(len, run.out.splitlines())) <= 80


def test_sc_weat_measures_given_words_and_whole_vocabularies(
    command: Command, vectors: Path, design_file: Path
) -> None:
    run = command("sc-weat", vectors, "--design", design_file, "--word", "rose", "--word", "wasp", "--json")
    assert json.loads(run.out)["results"][0]["words"] == ["rose", "wasp"]
    run = command("sc-weat", vectors, "--design", design_file, "--vocabulary", "--top", "2")
    assert run.status == 0
    assert "4 more" in run.out  # 16 words without the 8 of the attributes, two at either end
    run = command("sc-weat", vectors, "--design", design_file, "--vocabulary", "--word", "rose")
    assert run.status == 2


@pytest.mark.slow
def test_figures_are_drawn(command: Command, vectors: Path, design_file: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    for name in ("weat", "mleat", "sc-weat"):
        file = tmp_path / f"{name}.svg"
        assert command(name, vectors, "--design", design_file, "--figure", file).status == 0
        assert file.read_text(encoding="utf-8").startswith("<?xml")
    run = command("weat", vectors, "--design", design_file, "--figure", tmp_path / "a.gif")
    assert run.status == 2
    assert not (tmp_path / "a.gif").exists()


def test_a_histwords_folder_is_measured_over_decades(
    command: Command, design_file: Path, tmp_path: Path
) -> None:
    import pickle

    folder = tmp_path / "sgns"
    folder.mkdir()
    words = [word for names in WORDS.values() for word in names]
    rng = np.random.default_rng(0)
    for decade in (1900, 1910):
        np.save(folder / f"{decade}-w.npy", rng.normal(size=(len(words), 6)))
        (folder / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(words, protocol=2))
    run = command("mleat", folder, "--design", design_file)
    assert run.status == 0
    assert "bugs 1900" in run.out
    assert "bugs 1910" in run.out
    data = json.loads(command("mleat", folder, "--design", design_file, "--json").out)
    assert list(data["results"][0]["points"]) == ["1900", "1910"]


@pytest.mark.slow
def test_catalog_lists_and_shows(command: Command) -> None:
    listed = command("catalog")
    assert listed.status == 0
    assert "weat6" in listed.out
    assert "ceat-pairs" in listed.out
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
        (("weat", "{vectors}", "--test", "weat6"), "no"),
        (("weat", "{vectors}", "--design", "{folder}/nothing.toml"), "nothing.toml"),
        (("weat", "{vectors}", "--ties", "week"), "week"),
        (("weat", "{vectors}", "--design", "{folder}/bugs.json", "--ddof", "2"), "ddof is 2"),
        (("catalog", "wet6"), "'weat6'"),
        (("wet",), "weat"),
        (("weat", "{vectors}", "--jsn"), "--json"),
        (("weat",), "MODEL"),
        (("audit", "{vectors}", "-o", "{vectors}"), "is a file"),
        (("audit", "{vectors}", "-o", "{folder}"), "other contents"),
        (("weat", "{folder}"), "{folder}"),
    ],
)
def test_bad_input_ends_with_status_2_and_a_sentence(
    command: Command, vectors: Path, design_file: Path, arguments: tuple[str, ...], words: str
) -> None:
    places = {"vectors": vectors, "folder": vectors.parent}
    run = command(*(part.format(**places) for part in arguments))
    assert run.status == 2
    assert run.out == ""
    assert words.format(**places).replace("\n", "") in run.err.replace("\n", "")
    assert "Traceback" not in run.err


@pytest.mark.filterwarnings("default::crossroads.errors.CrossroadsWarning")
def test_a_doubtful_design_warns_on_stderr(command: Command, vectors: Path, tmp_path: Path) -> None:
    file = tmp_path / "shared.json"
    file.write_text(json.dumps({"name": "s", **WORDS, "y": ["wasp", "gnat", "rose"]}), encoding="utf-8")
    run = command("weat", vectors, "--design", file, "--json")
    assert run.status == 0
    assert "'rose' in both targets" in run.err
    assert json.loads(run.out)["results"]


def test_a_missing_extra_names_what_to_install(
    command: Command, vectors: Path, design_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    real = importlib.import_module

    def without_matplotlib(name: str, package: str | None = None) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(f"No module named {name!r}")
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without_matplotlib)
    run = command("weat", vectors, "--design", design_file, "--figure", tmp_path / "a.svg")
    assert run.status == 1
    assert 'pip install "crossroads-audit[plots]"' in run.err


def test_version_and_help(command: Command) -> None:
    assert command("--version").out.strip() == f"crossroads {cr.__version__}"
    assert "Exit status" in command("--help").out
    for name in ("audit", "weat", "mleat", "sc-weat", "catalog"):
        assert command(name, "--help").status == 0


@pytest.mark.slow
def test_the_default_battery_drops_and_a_named_test_insists(command: Command) -> None:
    pytest.importorskip("pyarrow", reason="the embedded default needs the extra 'default'")
    assert command("weat", "default", "--json").status == 0
    run = command("weat", "default", "--test", "weat1")
    assert run.status == 2
    assert "gladiola" in run.err
    assert "--missing drop" in run.err


def test_adjusted_p_values_name_their_tail(command: Command, vectors: Path, design_file: Path) -> None:
    run = command("weat", vectors, "--design", design_file, "--alternative", "observed", "--json")
    data = json.loads(run.out)
    assert data["adjusted_for"] == "two-sided"
    found = data["results"][0]["crossed"]
    assert data["adjusted"]["holm"] == [pytest.approx(2 * found["pvalue"])]


def test_a_seed_below_zero_is_refused(command: Command, vectors: Path, design_file: Path) -> None:
    run = command("mleat", vectors, "--design", design_file, "--seed", "-1")
    assert run.status == 2
    assert "seed is -1" in run.err


@pytest.mark.parametrize(
    ("figure", "expected"),
    [("figure.gif", "kind of figure"), ("gone/figure.svg", "there is no folder"), (".", "kind of figure")],
)
def test_a_figure_that_cannot_be_written_is_refused_before_the_work(
    command: Command, figure: str, expected: str, tmp_path: Path
) -> None:
    # the vectors are not there either: the figure is looked at first
    run = command("weat", tmp_path / "gone.txt", "--test", "weat6", "--figure", tmp_path / figure)
    assert run.status == 2
    assert expected in run.err

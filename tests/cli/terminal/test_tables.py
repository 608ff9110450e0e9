"""No table cuts a number, in a terminal of any width."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from rich.console import Console
from rich.table import Table

import crossroads as cr
from crossroads.cli.app import app
from crossroads.cli.commands.probe.tables import Compared, alignment_table, score_table
from crossroads.cli.commands.reproduce.material import ml_eat_words
from crossroads.cli.terminal import tables as printing
from crossroads.evidence.judgement_files import read_judgements
from crossroads.measures.traits.alignment import align
from crossroads.measures.traits.scores import TraitScores
from crossroads.report import Audit, write_audit
from crossroads.results import Coverage
from crossroads.stimuli import catalog
from crossroads.wording.numbers import P, number, percent, pvalue
from tests.results import sentences

Command = Callable[..., Any]
Expected = Callable[[dict[str, Any]], Iterator[str]]
WIDTHS = (40, 60, 80, 100, 120)
NUMBER = re.compile(r"[−-]?\d[\d.,]*(?:e[−-]?\d+)?%?")
SILENT = {"embed", "report"}
"""Commands that print no table."""
SHEET = """
words = ["loud", "quiet", "kind", "proud", "tall", "shy"]
truth = ["loud", "proud"]

[groups.Black]
female = ["Aisha", "Keisha", "Tamika"]
male = ["Jamal", "Leroy", "Tyrone"]

[groups.White]
female = ["Emily", "Anne", "Jill"]
male = ["Brad", "Greg", "Todd"]

[concepts]
career = ["office", "salary", "business"]
"""


def write_vectors(path: Path, words: list[str], seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(len(words), 8))
    lines = (f"{w} {' '.join(f'{x:.5f}' for x in row)}" for w, row in zip(words, rows, strict=True))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made-up vectors, decades, contexts, scores and audits, one of each."""
    folder = tmp_path_factory.mktemp("tables")
    sheet = folder / "sheet.toml"
    sheet.write_text(SHEET, encoding="utf-8")
    names = re.findall(r'"(\w+)"', SHEET)
    words = list(dict.fromkeys([*ml_eat_words(), *names]))
    write_vectors(folder / "vectors.txt", words, 0)
    designs = [catalog().design(name) for name in ("c6", "c7")]
    asked = list(dict.fromkeys(word for one in designs for word in one.words))
    rng = np.random.default_rng(0)
    cr.Contexts.from_dict(
        {word: rng.normal(size=(4 + i % 5, 8)) for i, word in enumerate(asked)}, provenance="tiny"
    ).save(folder / "store")
    decades = folder / "sgns"
    decades.mkdir()
    old = list(catalog().design("weat7").words)
    for decade in (1900, 1990):
        np.save(decades / f"{decade}-w.npy", rng.normal(size=(len(old), 8)).astype(np.float32))
        (decades / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(old, protocol=2))
    _write_corpus(folder)
    _write_scores(folder)
    _write_answers(folder)
    for kind in ("pairs", "triples"):
        sentences(kind, cr.Provenance(source="tiny")).save(folder / f"{kind}.json")
    for name, seed in (("up", 1), ("down", 2)):
        emb = cr.Embeddings(
            asked, np.random.default_rng(seed).normal(size=(len(asked), 8)), provenance=f"a model, {name}"
        )
        tested = cr.battery(emb, designs, resamples=10, alternative="two-sided")
        write_audit(folder / name, Audit([tested]), designs, vectors=emb, figures=False)
    return folder


def _write_corpus(folder: Path) -> None:
    words = ["John", "Amy", "office", "home", "executive"]
    lines = [json.dumps({"body": f"on day {i} {word} was there"}) for i in range(30) for word in words]
    (folder / "dump.jsonl").write_text("\n".join(lines), encoding="utf-8")


def _write_scores(folder: Path) -> None:
    traits = [pair.name for pair in catalog().traits("abc-traits")]
    groups = ["women", "men", "Blacks/African Americans", "elderly people", "teenagers"]
    rng = np.random.default_rng(0)
    truth = 50 + rng.normal(size=(len(groups), len(traits))) * 12
    people = {
        f"annotator{i}": {
            group: {t: str(round(v)) for t, v in zip(traits, row, strict=True)}
            for group, row in zip(groups, np.clip(truth + rng.normal(size=truth.shape), 0, 100), strict=True)
        }
        for i in range(6)
    }
    scores: dict[str, Any] = {
        "type": "TraitScores",
        "measure": "set",
        "groups": groups,
        "traits": traits,
        "scores": (truth - 50).tolist(),
    }
    (folder / "scores.json").write_text(json.dumps({"command": "probe", "results": [scores]}))
    table = {g: dict(zip(traits, row, strict=True)) for g, row in zip(groups, scores["scores"], strict=True)}
    (folder / "table.json").write_text(json.dumps(table), encoding="utf-8")
    (folder / "human.json").write_text(json.dumps(people), encoding="utf-8")


def _write_answers(folder: Path) -> None:
    """Answers of a model that gives words to labels by lot."""
    sets: dict[str, Any] = {
        "x": ["young"],
        "y": ["old"],
        "a": ["joy", "love", "rest"],
        "b": ["evil", "hurt", "war"],
    }
    (folder / "age.json").write_text(json.dumps({"name": "age", **sets}), encoding="utf-8")
    rng = np.random.default_rng(0)

    def model(messages: Any) -> str:
        words = messages[-1]["content"].partition("\n\n")[2].split()
        return "\n".join(f"{word} - {rng.choice(['young', 'old'])}" for word in words)

    cr.ask_chat(model, cr.Design(name="age", **sets), prompts=8).save(folder / "answers.json")


CASES: dict[str, tuple[str, ...]] = {
    "audit": ("vectors.txt", "-t", "weat6", "-t", "weat7", "--no-figures", "-o", "out"),
    "weat": ("vectors.txt", "-t", "weat6", "-t", "weat7"),
    "mleat": ("vectors.txt", "-t", "weat6", "-t", "weat7", "--resamples", "20"),
    "mleat, decades": ("sgns", "-t", "weat7", "--resamples", "20"),
    "sc-weat": ("vectors.txt", "-t", "weat6"),
    "ibd": ("vectors.txt", "--design", "sheet.toml"),
    "eibd": ("vectors.txt", "--design", "sheet.toml"),
    "ibd, vocabulary": ("vectors.txt", "--design", "sheet.toml", "--vocabulary", "--fdr", "0.9"),
    "rsa": ("vectors.txt", "--design", "sheet.toml", "--n", "3", "--samples", "5"),
    "contexts": ("dump.jsonl", "-t", "c6", "-t", "weat7", "-o", "found", "--overwrite"),
    "ceat": ("store", "--samples", "20", "--levels", "--bootstrap", "20"),
    "ceat, without intervals": ("store", "--samples", "20"),
    "reproduce": ("--vectors", "vectors.txt"),
    "reproduce, one paper": ("ml-eat", "--vectors", "vectors.txt"),
    "reproduce, another": ("ceat", "--store", "store", "--samples", "20"),
    "reproduce, fidelity": ("--fidelity",),
    "align": ("scores.json", "--human", "human.json", "--bootstrap", "20", "--permutations", "20"),
    "compare": ("up", "down", "-o", "both", "--no-figures"),
    "chat": ("answers.json", "-d", "age.json"),
    "sentences": ("pairs.json",),
    "sentences, triples": ("triples.json",),
    "catalog": (),
}  # fmt: skip


@pytest.fixture
def at_width(command: Command, here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], str]:
    """``at_width(case, columns)``: what a command prints in a terminal of some width."""
    monkeypatch.chdir(here)

    def run(case: str, columns: int) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(printing.out, "_width", columns)
        monkeypatch.setattr(printing.err, "_width", columns)
        done = command(case.partition(",")[0], *CASES[case])
        assert done.status == 0, done.err
        return str(done.out)

    return run


def numbers(text: str) -> Counter[str]:
    return Counter(NUMBER.findall(text))


def test_every_command_is_tried_or_known_to_print_no_table() -> None:
    commands: Any = typer.main.get_command(app)
    tried = {case.partition(",")[0] for case in CASES}
    assert tried | SILENT | {"probe"} == set(commands.commands)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_same_numbers_are_printed_at_every_width(case: str, at_width: Callable[[str, int], str]) -> None:
    whole = numbers(at_width(case, 300))
    for width in WIDTHS:
        text = at_width(case, width)
        lines = [line for line in text.splitlines() if not line.startswith("written to ")]
        assert max(map(len, lines)) <= width
        found = numbers(text)
        if "Not shown here: " in text:  # columns that readers can do without are named
            assert set(found) <= set(whole), width  # names come again before their questions
        else:  # headings that hold numbers are said with every block
            assert not whole - found, width
            assert set(found) == set(whole), width
        cut = [line for line in lines if re.search(r"\S…(\s|$)", line)]
        assert not cut, width


def weat_numbers(data: dict[str, Any]) -> Iterator[str]:
    for one in data["results"]:
        yield from (number(one["effect_size"]), pvalue(P.of(one["pvalue"], one["method"])))
        yield pvalue(one["crossed"]["pvalue"])


def detected(data: dict[str, Any]) -> Iterator[str]:
    for one in data["results"]:
        low, high = one["auc_interval"]
        yield from (number(one["threshold"]), number(one["auc"]), f"{number(low)} to {number(high)}")
        yield from (percent(one["accuracy"], 1), percent(one["baseline"], 1))
        for rate in (one["intervals"]["tpr"], one["intervals"]["fpr"]):
            yield f"{number(rate['value'])} {rate['hits']}/{rate['cases']}"


def fits(data: dict[str, Any]) -> Iterator[str]:
    for one in data["results"]:
        yield from (number(one["similarity1"], 3), number(one["similarity2"], 3), pvalue(one["pvalue"]))


def levels(data: dict[str, Any]) -> Iterator[str]:
    for one in data["results"]:
        yield pvalue(P.of(one["level1"]["pvalue"], one["level1"]["method"]))
        for level in (one["level1"], *one["level2"].values()):
            yield from (number(level["effect_size"]), pvalue(level["crossed"]["pvalue"]))
        for cell in one["level3"].values():
            yield f"{number(cell['mean'], 3)} ({cell['sd']:.3f})"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("case", "expected"),
    [("weat", weat_numbers), ("mleat", levels), ("ibd", detected), ("eibd", detected), ("rsa", fits)],
)
def test_the_numbers_of_the_document_are_printed_whole(
    case: str, expected: Expected, width: int, command: Command, at_width: Callable[[str, int], str]
) -> None:
    text = at_width(case, width)
    data = json.loads(command(case, *CASES[case], "--json").out)
    wanted = list(expected(data))
    assert wanted
    for one in wanted:
        assert one in text, one


@pytest.mark.parametrize("width", WIDTHS)
def test_scores_of_traits_and_their_agreement_with_people_are_printed_whole(width: int, here: Path) -> None:
    table = TraitScores.from_table(json.loads((here / "table.json").read_text(encoding="utf-8")))
    ends = tuple((one.partition("-")[0], one.partition("-")[2]) for one in table.traits)
    scores = (replace(table, pairs=ends),)
    judged = read_judgements(here / "human.json")
    found = align(scores[0], judged, bootstrap=20, permutations=0)
    tables = (
        score_table(scores[0]),
        alignment_table(scores, Compared(alignments=(found,), without_pilot=(found,))),
    )
    text = "".join(shown(table, width) for table in tables)
    assert found.interval is not None
    low, high = found.interval
    assert f"{number(low)} to {number(high)}" in text
    assert text.count(number(found.kendall_tau)) == 2
    largest = [max(map(abs, row)) for row in scores[0].scores.tolist()]
    assert {f"{one:.2f}" for one in largest} <= set(re.findall(r"[\d.]+\d", text))
    assert "…" not in text


def shown(table: Table, width: int) -> str:
    console = Console(width=width, highlight=False)
    with console.capture() as text:
        console.print(table)
    return text.get()


def test_where_a_table_has_no_room_each_row_is_a_block_with_its_headings() -> None:
    table = printing.plain_table("A title")
    table.add_column("group")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("τ without\npilot", justify="right", no_wrap=True)
    table.add_row("women", "0.53 (0.32–0.74)", "−0.123")
    table.add_row("men", "0.60 (0.42–0.78)", "")
    assert [line.rstrip() for line in shown(table, 30).splitlines()] == [
        "A title",
        " group        women",
        " value        0.53 (0.32–0.74)",
        " τ without    −0.123",
        " pilot",
        "",
        " group        men",
        " value        0.60 (0.42–0.78)",
        "",
    ]


def test_what_only_some_results_lack_is_said_with_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    gone = Coverage(policy="drop", used={}, dropped={"x": {"w": "not there"}}, respelled={})
    whole = Coverage(policy="drop", used={}, dropped={}, respelled={})
    printing.notes([("one", gone), ("two", whole), ("three", gone), ("four", None)])
    assert capsys.readouterr().out == "one, three: left out of x: w (not there)\n"
    printing.notes([("one", gone), ("three", gone), ("four", None)])
    assert capsys.readouterr().out == "left out of x: w (not there)\n"

"""Registered tests: every term that is altered is reported, and nothing else is."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crossroads as cr
from crossroads.core.audit.audit import make_plan, run_audit
from crossroads.core.audit.engine import Settings
from crossroads.core.audit.registration import ORDINARY, Registration, read_registration
from crossroads.core.errors import CrossroadsError, FormatError
from crossroads.core.models.kinds import recognise
from crossroads.core.report.gate import Rule, judge
from crossroads.core.report.renderers.texts import markdown_summary
from crossroads.core.results.registration import RegistrationResult
from crossroads.core.stimuli import Design, batteries
from tests.core.audit.conftest import MakeVectors, made_design
from tests.fixtures.commands import Command


def designs_file(path: Path, *designs: Design) -> Path:
    path.write_text(json.dumps([one.to_dict() for one in designs]), encoding="utf-8")
    return path


@pytest.fixture
def frozen(tmp_path: Path, make_vectors: MakeVectors, command: Command) -> tuple[Path, Path, Path]:
    """Vectors, designs of which one lacks a word, and a registration of them."""
    one, two = made_design("one"), made_design("two", 5)
    more = two.add(a=["lost"])
    designs, file = designs_file(tmp_path / "designs.json", one, more), tmp_path / "registered.toml"
    vectors = make_vectors([one, two])
    run = command("plan", vectors, "-w", designs, "--difference", "0.1", "--freeze", file)
    assert run.status == 0, run.err
    assert f"Registered 2 tests, sha256 {read_registration(file).checksums['all'][:16]}" in " ".join(
        run.out.split()
    )
    return vectors, designs, file


def registration_of(model: Path | str, file: Path, *designs: Design, **options: Any) -> RegistrationResult:
    found = run_audit(model, list(designs) or None, preregistered=file, workers=1, **options)
    assert found.audit.registration is not None
    return found.audit.registration


def departed(found: RegistrationResult) -> set[str]:
    assert found.departures == len(list(found._members()))
    return {row["term"] for row in found._members()}


@pytest.mark.slow
def test_an_audit_as_registered_says_so_in_a_line_and_has_no_departures(
    frozen: tuple[Path, Path, Path], command: Command, tmp_path: Path
) -> None:
    vectors, _, file = frozen
    text = file.read_text(encoding="utf-8")
    assert '"not found of two" = ["lost"]' in text
    assert all(word in text for one in read_registration(file).designs for word in one.words)
    run = command("audit", vectors, "--preregistered", file, "--no-figures", "-o", tmp_path / "out")
    assert run.status == 0, run.err
    found = RegistrationResult.from_dict(json.loads(registration_of(vectors, file).to_json()))
    assert found.departures == 0
    line = f"As registered on {found.date}, sha256 {found.sha256[:16]}."
    assert run.out.index(f"\n{line}\n") < run.out.index("\nCannot tell yet")  # before any finding
    summary = (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert summary.index(f"**{line[:-1]}.**") < summary.index("### ")
    assert line in (tmp_path / "out" / "methods.md").read_text(encoding="utf-8")
    written = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [one["departures"] for one in written["results"] if one["type"] == "RegistrationResult"] == [0]


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    missing=st.sampled_from(["drop", "balance"]),
    alternative=st.sampled_from(["two-sided", "greater", "less", "observed"]),
    seed=st.integers(0, 2**31),
    spelling=st.sampled_from(["auto", "none", "title"]),
)
def test_the_same_settings_never_depart(
    frozen: tuple[Path, Path, Path],
    command: Command,
    missing: Any,
    alternative: Any,
    seed: int,
    spelling: str,
) -> None:
    vectors, designs, file = frozen
    file.unlink(missing_ok=True)
    options = ["--missing", missing, "-C", f"alternative={alternative}", "--seed", seed]
    run = command("plan", vectors, "-w", designs, *options, "--spelling", spelling, "--freeze", file)
    assert run.status == 0, run.err
    same = {"missing": missing, "alternative": alternative, "seed": seed, "fallback": spelling}
    assert departed(registration_of(vectors, file, **same)) == set()


@pytest.mark.parametrize(
    ("options", "terms"),
    [
        ({"missing": "balance"}, {"missing"}),
        ({"alternative": "greater"}, {"alternative"}),
        ({"seed": 7}, {"seed"}),
        ({"fallback": "none"}, {"fallback"}),
        ({"correct": "all-but-the-top"}, {"correct"}),
        ({"frequencies": {"one-x0": 3.0}}, {"frequencies"}),
        ({"placebo": True}, set()),  # words of a file are loaded anyway
    ],
)
def test_other_settings_are_reported(
    frozen: tuple[Path, Path, Path], options: dict[str, Any], terms: set[str]
) -> None:
    vectors, _, file = frozen
    assert departed(registration_of(vectors, file, **options)) == terms


def test_every_term_that_was_registered_otherwise_is_reported(frozen: tuple[Path, Path, Path]) -> None:
    vectors, _, file = frozen
    terms = read_registration(file).terms
    assert {"missing", "alternative", "alpha", "adjustment", "adjusted_together", "words", "numpy"} <= set(
        terms
    )
    assert {"measures", "model", "margin", "margin_is", "seed", "crossroads", "python"} <= set(terms)
    audit, registration = run_audit(vectors, preregistered=file, workers=1).audit, read_registration(file)
    plan = make_plan(recognise(str(vectors)), registration=registration)
    for name, value in terms.items():
        other: Any = [*value, "other"] if isinstance(value, list) else f"other {value}"
        other = value + 1 if isinstance(value, (int, float)) else other
        other = ORDINARY if name == "margin_is" else other
        altered = replace(registration, terms={**terms, name: other})
        # a margin that is wanted is what readers hold against the interval; this one was to be measured
        expected = {"margin_is": {"margin is", "margin"}, "margin": set(), "date": set(), "named": set()}
        found = departed(altered.compared(plan, Settings(), audit))
        assert found == expected.get(name, {name.replace("_", " ")}), name


@pytest.mark.slow
def test_tests_that_are_changed_added_or_not_measured_are_reported(
    frozen: tuple[Path, Path, Path], make_vectors: MakeVectors
) -> None:
    vectors, _, file = frozen
    one, _ = read_registration(file).designs
    shorter = one.replace({"one-x0": None})
    assert departed(registration_of(vectors, file, shorter)) == {"design one"}
    titled = replace(one, x=cr.sources.StimulusSet("bugs", tuple(one.x)))
    assert titled.digest == one.digest
    assert departed(registration_of(vectors, file, titled)) == {"design one"}
    three = replace(one, name="three")
    assert departed(registration_of(vectors, file, three)) == {"design three", "adjusted together"}
    without = make_vectors([one], "without.txt")
    found = registration_of(without, file)
    assert {"design two", "adjusted together", "model", "not found of two"} == departed(found)
    assert found.terms["design two"][1] == "not measured"
    assert found.terms["not found of two"] == ("lost", "none")


def test_a_model_is_the_same_under_another_name_but_not_with_other_vectors(
    frozen: tuple[Path, Path, Path], make_vectors: MakeVectors
) -> None:
    vectors, _, file = frozen
    copied = Path(shutil.copy(vectors, vectors.with_name("copied.txt")))
    assert departed(registration_of(copied, file)) == set()
    others = make_vectors([made_design("one"), made_design("two", 5)], "vectors.txt", seed=2)
    assert departed(registration_of(others, file)) == {"model"}


@pytest.mark.slow
def test_what_departs_is_in_every_output_and_can_close_a_gate(
    frozen: tuple[Path, Path, Path], command: Command, tmp_path: Path
) -> None:
    vectors, _, file = frozen
    rules = tmp_path / "rules.toml"
    text = '[[rule]]\ntest = "registration"\nstatistic = "departures"\nabove = 0\n'
    rules.write_text(text, encoding="utf-8")
    output = ("--no-figures", "--rules", rules, "-o", tmp_path / "out")
    ask = ("audit", vectors, "--preregistered", file, *output)
    assert command(*ask).status == 0
    run = command(*ask, "--seed", "3", "-C", "alternative=less")
    assert run.status == 1
    assert "registration: departures is 2, above 0" in run.told
    shown = [line.split() for line in run.out.splitlines()[1:24]]
    assert ["alternative", "two-sided", "less"] in shown
    assert ["seed", "0", "3"] in shown
    audit = run_audit(vectors, preregistered=file, workers=1, seed=3).audit
    assert "| seed | 0 | 3 |" in markdown_summary(audit).partition("### Findings")[0]
    assert not judge(audit, [Rule(name="r", statistic="departures", above=0)]).passed
    table = (tmp_path / "out" / "registration.csv").read_text(encoding="utf-8")
    assert "seed,0,3" in table
    # without a registration nothing can be held against one
    assert command("audit", vectors, "-w", frozen[1], *output).status == 2


def test_an_edited_file_is_refused_and_says_what_was_edited(frozen: tuple[Path, Path, Path]) -> None:
    _, _, file = frozen
    text = file.read_text(encoding="utf-8")
    checksums = read_registration(file).checksums
    for old, new, named in (
        ('missing = "drop"', 'missing = "raise"', "missing"),
        ("seed = 0", "seed = 1", "seed"),
        ("margin = 0.1", "margin = 0.2", "margin"),
        ('"one-x1", ', "", "design one"),
        ('name = "two"', 'name = "too"', "design"),
        (f'seed = "{checksums["seed"]}"', 'seed = "0000000000000000"', "seed"),
        (checksums["all"], checksums["all"][::-1], "all"),
        ("[sha256]", "[more]\nx = 1\n\n[sha256]", "more"),
        ("alpha = 0.05\n", "", "alpha"),
    ):
        assert text.count(old) >= 1, old
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(FormatError, match="it was edited after it was written: ") as error:
            read_registration(file)
        assert named in error.value.message.partition("written: ")[2]
    for broken in ("", "[registered]\n", text.replace("[registered]", "[registered"), "registered = 1\n"):
        file.write_text(broken, encoding="utf-8")
        with pytest.raises(FormatError, match="this is not a registration: "):
            read_registration(file)


def test_registrations_of_all_published_tests_are_read_as_they_were_written(tmp_path: Path) -> None:
    designs = [cr.catalog(name) for names in batteries().values() for name in names]
    strange = Design(name='a "b" [c] \\ = é', x=["a\u00adb", "'"], y=['"'], a=["\\"], b=["#", "=1"])
    every = tuple({one.name: one for one in [*designs, strange]}.values())
    written = Registration(terms={"a b": [1, 0.1, "x"], "date": "2026-11-20", "t": True}, designs=every)
    written.write(tmp_path / "all.toml")
    found = read_registration(tmp_path / "all.toml")
    assert found == written
    assert [one.to_dict() for one in found.designs] == [one.to_dict() for one in every]


def test_what_cannot_be_registered_is_refused(
    frozen: tuple[Path, Path, Path], command: Command, tmp_path: Path, store: Path
) -> None:
    vectors, designs, file = frozen
    before = file.read_bytes()
    run = command("plan", vectors, "-w", designs, "--freeze", file)
    assert (run.status, "exists already" in run.told) == (2, True)
    assert file.read_bytes() == before
    run = command("plan", vectors, "-w", designs, "-C", "alternative=less")
    assert (run.status, "without --freeze" in run.told) == (2, True)
    single = replace(made_design("one"), y=None)
    alone = designs_file(tmp_path / "single.json", single)
    assert command("plan", vectors, "-w", alone).status == 0  # it can be planned
    run = command("plan", vectors, "-w", alone, "--freeze", tmp_path / "new.toml")
    assert (run.status, "has a single target" in run.told) == (2, True)
    mine = designs_file(tmp_path / "mine.json", made_design("mine"))
    run = command("plan", store, "-w", mine, "--freeze", tmp_path / "new.toml")
    assert (run.status, "freeze" in run.told) == (2, True)
    assert not (tmp_path / "new.toml").exists()
    with pytest.raises(CrossroadsError, match="there is no such file"):
        run_audit(vectors, preregistered=tmp_path / "nowhere.toml")


def test_an_audit_that_goes_on_is_that_of_a_fresh_one(
    frozen: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    vectors, designs, file = frozen
    run_audit(vectors, cr.read_designs(designs), work=tmp_path / "parts", workers=1)  # nothing was registered
    again = run_audit(vectors, preregistered=file, work=tmp_path / "parts", workers=1, seed=2)
    fresh = run_audit(vectors, preregistered=file, workers=1, seed=2)
    assert list(again.audit) == list(fresh.audit)
    assert again.audit == fresh.audit


@pytest.mark.slow
def test_models_that_read_words_in_prompts_can_be_registered(
    small_bert: Path, tmp_path: Path, command: Command
) -> None:
    design = designs_file(tmp_path / "d.json", made_design("one"))
    file = tmp_path / "registered.toml"
    run = command("plan", small_bert, "-w", design, "-M", "prompt=This is {word}.", "--freeze", file)
    assert run.status == 0, run.err
    assert departed(registration_of(small_bert, file, prompt="This is {word}.")) == set()
    assert departed(registration_of(small_bert, file, prompt="It is {word}.")) == {"prompt"}
    assert departed(registration_of(small_bert, file)) >= {"prompt"}

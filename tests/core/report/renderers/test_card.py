"""The section of a model card and the entries of ``.eval_results``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.errors import FormatError, InputError
from crossroads.core.report.audit import Audit, conclusions_of
from crossroads.core.report.documents.records import Record, audit_record
from crossroads.core.report.renderers.card import (
    BEGIN,
    END,
    ENTRIES,
    card_files,
    card_section,
    eval_results,
    with_section,
    write_card,
)
from crossroads.core.wording.numbers import between


@pytest.fixture(scope="module")
def record(whole: Audit) -> Record:
    return audit_record(whole)


def test_there_is_an_entry_for_each_test_with_an_interval_and_none_for_the_whole(
    whole: Audit, record: Record
) -> None:
    entries = eval_results(record, "me/words")
    found = [one.found for one in conclusions_of(whole)]
    said = [one for one in found if {"value", "low", "high"} <= set(one.numbers)]
    assert len(entries) == len(said) > 1
    assert len({one["dataset"]["task_id"] for one in entries}) == len(entries)
    for entry, one in zip(entries, said, strict=True):
        low, high = one.number("low"), one.number("high")
        assert low is not None and high is not None
        assert entry["value"] == one.number("value")
        assert between(low, high, 3 if one.scale.startswith("Δ") else 2) in entry["notes"]


def test_the_hub_reads_the_entries(record: Record, tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub", minversion="1.4", reason="extra 'models'")
    yaml = pytest.importorskip("yaml", reason="extra 'models'")
    write_card(card_files(tmp_path / "README.md", [record], "me/words"))
    written = yaml.safe_load((tmp_path / ENTRIES).read_text(encoding="utf-8"))
    assert written == eval_results(record, "me/words")  # hard names come back as they are
    read = hub.parse_eval_result_entries(written)
    assert [one.value for one in read] == [one["value"] for one in written]
    assert hub.eval_result_entries_to_yaml(read) == written


def test_the_section_states_every_finding_and_is_replaced_alone(record: Record, tmp_path: Path) -> None:
    card = tmp_path / "README.md"
    card.write_text("---\nlicense: mit\n---\n# Mine\n", encoding="utf-8")
    for _ in range(2):
        write_card(card_files(card, [record]))
        assert card.read_text(encoding="utf-8") == f"---\nlicense: mit\n---\n# Mine\n\n{card_section(record)}"
        assert not (tmp_path / ENTRIES).exists()
    with card.open("a", encoding="utf-8") as file:
        file.write("\n## After\n")
    fewer = dataclasses.replace(record, conclusions=record.conclusions[:1])
    write_card(card_files(card, [fewer]))
    text = card.read_text(encoding="utf-8")
    assert text.endswith(f"{END}\n\n## After\n")
    assert text.count("\n- ") == 1
    assert ": 1 test, measured with crossroads " in text
    assert card_section(record).count("\n- ") == len(record.conclusions)


def test_the_section_says_how_many_rules_passed_and_why_others_failed(record: Record) -> None:
    assert "rule" not in card_section(record)
    passed = {"rule": "size", "test": "a", "outcome": "passed", "sentence": "a: d is 1, as allowed"}
    failed = {"rule": "words", "test": "a", "outcome": "broken", "sentence": "a: left_out is 2, above 1"}
    section = card_section(dataclasses.replace(record, gate={"passed": True, "verdicts": [passed]}))
    assert "\n\nRelease rules: 1 of 1 rule passed.\n\n" in section
    section = card_section(dataclasses.replace(record, gate={"passed": False, "verdicts": [passed, failed]}))
    assert "Release rules: 1 of 2 rules failed:\n\n- words: a: left\\_out is 2, above 1\n\n" in section


@pytest.mark.parametrize("card", [BEGIN, END, f"{END}\n{BEGIN}", f"{BEGIN}{BEGIN}{END}{END}"])
def test_marks_that_do_not_fit_are_refused(card: str) -> None:
    with pytest.raises(FormatError, match="do not enclose one section"):
        with_section(card, "new")


def test_what_cannot_be_a_card_is_refused(record: Record, tmp_path: Path) -> None:
    place = tmp_path / "README.md"
    bare = dataclasses.replace(record, conclusions=())
    refused: list[tuple[Any, str]] = [
        ((place, [record], "words"), "not the name of a dataset"),
        ((tmp_path / "card.html", [record]), r"does not end in \.md"),
        ((tmp_path / "none" / "README.md", [record]), "there is no folder"),
        ((place, [record, record]), "a card describes one model, not"),
        ((place, [bare]), "no result comes to a finding"),
    ]
    for given, message in refused:
        with pytest.raises(InputError, match=message):
            card_files(*given)
    assert list(tmp_path.iterdir()) == []

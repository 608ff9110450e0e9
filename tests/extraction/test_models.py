"""Models that are found and loaded, and those that are refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import CrossroadsError, FormatError, InputError, UnknownNameError, UnsafeFileError
from crossroads.extraction.embed.choice import resolve
from crossroads.extraction.embed.run import embed
from crossroads.sources.models.files import find_model
from crossroads.sources.models.transformers import load_config, load_tokenizer, longest_input


@pytest.fixture
def model(tiny_model: Callable[[str], Path], tmp_path: Path) -> Path:
    """A model that a test may damage."""
    return Path(shutil.copytree(tiny_model("bert"), tmp_path / "model"))


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
def test_the_checksum_changes_with_every_file_that_matters(model: Path, file: str) -> None:
    before = find_model(model).sha256
    (model / "README.md").write_text("about", encoding="utf-8")
    assert find_model(model).sha256 == before
    with (model / file).open("ab") as opened:
        opened.write(b" ")
    assert find_model(model).sha256 != before


def test_a_folder_that_is_called_model_is_named_with_the_one_above(model: Path) -> None:
    assert find_model(model).name == f"{model.parent.name}/model"
    assert find_model(model.rename(model.with_name("my-bert"))).name == "my-bert"


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


def test_pickled_weights_are_refused_with_a_way_out(model: Path) -> None:
    (model / "model.safetensors").rename(model / "pytorch_model.bin")
    with pytest.raises(UnsafeFileError, match=r"pytorch_model\.bin") as caught:
        find_model(model)
    assert "save_pretrained" in str(caught.value.hint)


def test_a_folder_without_weights_or_without_configuration_is_no_model(model: Path) -> None:
    (model / "model.safetensors").unlink()
    with pytest.raises(FormatError, match="no weights"):
        find_model(model)
    (model / "config.json").unlink()
    with pytest.raises(FormatError, match=r"no config\.json"):
        find_model(model)
    with pytest.raises(FormatError, match="a file, not a model"):
        find_model(model / "tokenizer.json")


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all", "a/b/c", "nowhere.gguf", "two words"])
def test_a_path_that_is_not_there_is_said(name: str) -> None:
    with pytest.raises(InputError, match="there is no model at"):
        find_model(name)


def test_a_name_with_the_hub_out_of_reach_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"no folder 'nobody/nothing' here.*cannot be reached"):
        find_model("nobody/nothing")


def test_a_revision_of_a_path_makes_no_sense(model: Path) -> None:
    with pytest.raises(InputError, match="revision 'main' was given for the path"):
        find_model(model, revision="main")


def test_a_model_that_brings_its_own_program_is_refused(model: Path) -> None:
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config.update(model_type="mine", auto_map={"AutoConfig": "mine.Config", "AutoModel": "mine.Model"})
    (model / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (model / "mine.py").write_text("raise SystemExit('this must never run')", encoding="utf-8")
    with pytest.raises(UnsafeFileError, match="code of its own"):
        load_config(find_model(model))


def test_a_tokenizer_without_offsets_is_refused(tmp_path: Path) -> None:
    import transformers

    config = transformers.CanineConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    transformers.CanineModel(config).save_pretrained(tmp_path)
    transformers.CanineTokenizer().save_pretrained(tmp_path)
    with pytest.raises(InputError, match="no fast tokenizer"):
        load_tokenizer(find_model(tmp_path))


def test_an_encoder_with_a_decoder_is_refused(tmp_path: Path) -> None:
    import transformers

    config = transformers.T5Config(d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, vocab_size=50)
    transformers.T5Model(config).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="encoder–decoder"):
        load_config(find_model(tmp_path))


def test_damaged_weights_are_a_sentence(model: Path, folder: Path, tmp_path: Path) -> None:
    (model / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(InputError, match="the weights cannot be loaded"):
        embed(folder, model, tmp_path / "store", workers=1, device="cpu")
    assert not (tmp_path / "store").exists()


def test_a_model_without_its_tokenizer_is_a_sentence(model: Path) -> None:
    for file in model.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(InputError, match="tokenizer"):
        load_tokenizer(find_model(model))


def test_options_are_checked_against_the_model(model: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'first'"):
        resolve(model, piece="firts")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'float16'"):
        resolve(model, dtype="flaot16")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'cuda'"):
        resolve(model, device="cuda0")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="max_length=65 cannot be used"):
        resolve(model, max_length=65)
    with pytest.raises(InputError, match="batch_size=0"):
        resolve(model, batch_size=0, device="cpu")


def test_the_engine_and_the_number_of_workers_are_checked(model: Path, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ray'"):
        embed(folder, model, tmp_path / "store", engine="rya")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="workers=0"):
        embed(folder, model, tmp_path / "store", workers=0)


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


def test_a_tokenizer_that_knows_more_than_the_model_is_a_sentence(
    model: Path, make_folder: Callable[..., Path], tmp_path: Path
) -> None:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    tokenizer.add_tokens(["orchid"])
    tokenizer.save_pretrained(model)
    contexts = make_folder([("orchid", "the orchid", 4, 10)])
    with pytest.raises(CrossroadsError, match="the model failed: IndexError: ") as caught:
        embed(contexts, model, tmp_path / "store", workers=1, device="cpu")
    assert "Traceback" not in str(caught.value)
    assert "\n" not in caught.value.message
    assert "tokenizer may allow more" in str(caught.value.hint)

"""The files of a model: one checksum over all that loading may read, and settings that are refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.errors import UnsafeFileError
from crossroads.core.models.files import find_model

MODULES = ("Transformer", "Pooling", "Dense")
OPTIONAL = (
    "special_tokens_map.json", "added_tokens.json", "generation_config.json", "processor_config.json",
    "preprocessor_config.json", "vocab.txt", "merges.txt", "spiece.model", "source.spm",
    "tokenizer.4.0.json", "chat_template.json", "chat_template.jinja",
    "additional_chat_templates/tools.jinja",
)  # fmt: skip
"""What transformers reads where it is there."""


def save_sentence_encoder(bert: Path, folder: Path) -> Path:
    """A BERT with pooling and a dense layer, as far as its files are concerned."""
    shutil.copytree(bert, folder)
    listed = [
        {"idx": at, "path": f"{at}_{name}" if at else "", "type": name} for at, name in enumerate(MODULES)
    ]
    (folder / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "mean"}', encoding="utf-8")
    (folder / "2_Dense").mkdir()
    (folder / "2_Dense" / "config.json").write_text('{"in_features": 16}', encoding="utf-8")
    shutil.copy(bert / "model.safetensors", folder / "2_Dense")
    for name in ("sentence_bert_config.json", "config_sentence_transformers.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    return folder


def save_router(bert: Path, folder: Path) -> Path:
    """A sentence encoder whose first module chooses between two others, each in a folder of its own."""
    folder.mkdir()
    listed = [{"idx": 0, "name": "0", "path": "", "type": "Router"}]
    (folder / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    routes = {"types": {"query_0_Transformer": "Transformer", "document_0_Transformer": "Transformer"}}
    (folder / "router_config.json").write_text(json.dumps(routes), encoding="utf-8")
    for name in routes["types"]:
        shutil.copytree(bert, folder / name)
    return folder


@pytest.fixture
def saved(tiny_bert: Path, tiny_gpt: Path, tiny_clip: Path, small_models: Any, tmp_path: Path) -> Any:
    """``saved(kind)``: a model of that kind that a test may change."""
    makers: dict[str, Callable[[Path], Any]] = {
        "bert": lambda folder: shutil.copytree(tiny_bert, folder),
        "gpt": lambda folder: shutil.copytree(tiny_gpt, folder),
        "clip": lambda folder: shutil.copytree(tiny_clip, folder),
        "sentence encoder": lambda folder: save_sentence_encoder(tiny_bert, folder),
        "router": lambda folder: save_router(tiny_bert, folder),
        "elmo": small_models.save_elmo,
        "gguf": Path.mkdir,
    }

    def make(kind: str) -> Path:
        folder = tmp_path / kind
        makers[kind](folder)
        if kind == "gguf":
            (folder / "model.gguf").write_bytes(b"GGUF\3\0\0\0")
            for name in ("tokenizer.json", "tokenizer_config.json"):
                shutil.copy(tiny_gpt / name, folder)
        for name in OPTIONAL if kind != "elmo" else ():
            file = folder / name
            if not file.exists() and (kind != "gguf" or not any(part in name for part in ("process", "spm"))):
                file.parent.mkdir(exist_ok=True)
                file.write_text("{}", encoding="utf-8")
        return folder

    return make


@pytest.mark.parametrize("kind", ["bert", "gpt", "clip", "sentence encoder", "router", "elmo", "gguf"])
def test_kept_work_is_known_by_every_file_that_loading_may_read(saved: Any, kind: str) -> None:
    folder = saved(kind)
    before = find_model(folder).sha256
    for name in ("README.md", ".gitattributes", "training.log", "checkpoint-5/trainer_state.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("something else", encoding="utf-8")
        assert find_model(folder).sha256 == before, name
        (folder / name).unlink()
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert len(files) >= (2 if kind == "elmo" else 8)
    for file in files:
        content = file.read_bytes()
        file.write_bytes(content + b" ")
        assert find_model(folder).sha256 != before, file
        file.write_bytes(content)
    assert find_model(folder).sha256 == before


def test_a_file_that_moves_to_another_module_is_noticed(saved: Any) -> None:
    folder = saved("sentence encoder")
    before = find_model(folder).sha256
    pooling, dense = folder / "1_Pooling" / "config.json", folder / "2_Dense" / "config.json"
    contents = pooling.read_bytes(), dense.read_bytes()
    pooling.write_bytes(contents[1])
    dense.write_bytes(contents[0])
    assert find_model(folder).sha256 != before


def put(file: Path, **settings: Any) -> None:
    """Add settings to a JSON file."""
    there = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(json.dumps({**there, **settings}), encoding="utf-8")


KERNEL = "anybody/kernel"


@pytest.mark.parametrize(
    "settings",
    [
        {"_attn_implementation": f"{KERNEL}@main:attention"},
        {"attn_implementation": f"paged|{KERNEL}"},
        {"attn_implementation": {"": "sdpa", "text_config": KERNEL}},
        {"vision_config": {"_attn_implementation": KERNEL}},
        {"experts_implementation": KERNEL},
    ],
    ids=str,
)
def test_a_kernel_of_the_hub_is_refused_before_it_is_loaded(saved: Any, settings: dict[str, Any]) -> None:
    folder = saved("clip")
    put(folder / "config.json", attn_implementation="sdpa")
    find_model(folder)
    put(folder / "config.json", **settings)
    with pytest.raises(UnsafeFileError, match=r"config\.json: it asks for code from the hub") as caught:
        find_model(folder)
    assert KERNEL in str(caught.value)
    text = (folder / "config.json").read_text(encoding="utf-8")  # the same, in other signs of JSON
    spelt = text.replace("/", "\\u002f").replace("attn_", "\\u0061ttn_")
    (folder / "config.json").write_text(spelt, encoding="utf-8")
    with pytest.raises(UnsafeFileError, match="code from the hub"):
        find_model(folder)


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        ("config.json", {"transformers_weights": "other.safetensors"}),
        ("2_Dense/config.json", {"transformers_weights": "other.safetensors"}),
        ("sentence_bert_config.json", {"model_args": {"variant": "fp16"}}),
        ("sentence_bert_config.json", {"model_kwargs": {"gguf_file": "other.gguf"}}),
        ("sentence_bert_config.json", {"model_kwargs": {"use_kernels": True}}),
        ("sentence_bert_config.json", {"model_args": {"attn_implementation": KERNEL}}),
        ("sentence_bert_config.json", {"tokenizer_name_or_path": "/elsewhere"}),
    ],
    ids=str,
)
def test_settings_that_name_other_files_are_refused(saved: Any, file: str, settings: dict[str, Any]) -> None:
    folder = saved("sentence encoder")
    put(folder / file, model_args={"dtype": "float32", "variant": None})
    find_model(folder)
    put(folder / file, **settings)
    with pytest.raises(UnsafeFileError, match=r"it asks (to load other files|for code from the hub)"):
        find_model(folder)


def test_an_adapter_is_refused_because_its_weights_are_those_of_two_models(saved: Any) -> None:
    folder = saved("sentence encoder")
    put(folder / "1_Pooling" / "adapter_config.json", base_model_name_or_path="/elsewhere")
    with pytest.raises(UnsafeFileError, match="this is an adapter"):
        find_model(folder)


@pytest.mark.parametrize("name", ["deep/{}", "../{}", "deep\\{}"])
def test_a_shard_outside_the_folder_is_refused_even_if_one_of_that_name_is_in_it(
    saved: Any, name: str
) -> None:
    # the checksum would be that of the file beside the index, the weights used those of the other
    folder = saved("bert")
    shard = "model-00001-of-00001.safetensors"
    (folder / "model.safetensors").rename(folder / shard)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": shard}}), encoding="utf-8")
    find_model(folder)
    index.write_text(json.dumps({"weight_map": {"a": shard, "b": name.format(shard)}}), encoding="utf-8")
    with pytest.raises(UnsafeFileError, match="not a file of the same folder"):
        find_model(folder)

"""What a model is, told from names and small files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from crossroads import Contexts
from crossroads.core.errors import CrossroadsError, InputError
from crossroads.core.evidence.model_names import KINDS
from crossroads.core.models.kinds import KindName, recognise
from crossroads.traits.probe.evidence import FORMAT as LOGITS


def folder_with(place: Path, **files: Any) -> str:
    """A folder of small JSON files; ``config`` becomes ``config.json``."""
    place.mkdir()
    for name, data in files.items():
        (place / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return str(place)


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"model_type": "bert", "architectures": ["BertForMaskedLM"]}, "language model"),
        ({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}, "language model"),
        ({"model_type": "bert", "architectures": ["BertForPreTraining"]}, "language model"),
        ({"model_type": "bert", "architectures": ["BertModel"]}, "encoder"),
        ({"model_type": "bert"}, "encoder"),
        ({"model_type": "clip", "architectures": ["CLIPModel"], "vision_config": {}}, "vision-language"),
        ({"model_type": "siglip", "vision_config": {}}, "vision-language"),
    ],
)
def test_a_configuration_tells_what_a_model_is(tmp_path: Path, config: dict[str, Any], kind: str) -> None:
    found = recognise(folder_with(tmp_path / "model", config=config))
    assert found.name == kind
    assert found.name in KINDS
    assert found.because.startswith("its configuration names")


def test_stores_answers_decades_and_files_are_told_by_what_they_hold(tmp_path: Path) -> None:
    Contexts.from_dict({"rose": np.ones((2, 3))}).save(tmp_path / "store")
    (tmp_path / "decades").mkdir()
    np.save(tmp_path / "decades" / "1900-w.npy", np.ones((2, 2)))
    (tmp_path / "vectors.txt").write_text("rose 1 0\nwasp 0 1\n", encoding="utf-8")
    assert recognise(folder_with(tmp_path / "sentences", modules=[])).name == "encoder"
    assert recognise(tmp_path / "store").name == "contexts"
    assert recognise(tmp_path / "decades").name == "series"
    assert recognise(tmp_path / "vectors.txt").name == "vectors"
    assert recognise(folder_with(tmp_path / "answers", manifest={"format": LOGITS})).name == "logits"
    (tmp_path / "model.gguf").write_bytes(b"GGUF\3\0\0\0")
    assert recognise(str(tmp_path / "model.gguf")).name == "language model"
    assert recognise("default").name == "vectors"
    assert recognise("https://embeddings.example/v1").name == "endpoint"


def test_a_folder_that_is_two_things_is_the_first_of_the_documented_order(tmp_path: Path) -> None:
    config = {"model_type": "bert", "architectures": ["BertModel"]}
    both = Path(folder_with(tmp_path / "both", config=config))
    np.save(both / "1900-w.npy", np.ones((2, 2)))
    assert recognise(str(both)).name == "series"
    (both / "manifest.json").write_text(json.dumps({"format": LOGITS}), encoding="utf-8")
    assert recognise(str(both)).name == "logits"
    assert recognise(str(both), kind="encoder").name == "encoder"  # unless one says what it is
    assert recognise(str(both), format="histwords").name == "series"


def test_a_kind_may_be_written_as_the_shell_writes_it() -> None:
    assert recognise("anything", kind="language-model").name == "language model"
    assert [one.replace(" ", "-") for one in KINDS if one != "results"] == [*get_args(KindName)]


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ("here/glove.6B", {}, "there is no such file or folder"),
        ("no such!", {}, "there is no such file or folder"),
        ("gloev.txt", {}, r"did you mean 'glove\.txt'"),
        ("defalt", {}, "did you mean 'default'"),
        ("anything", {"kind": "vector"}, "did you mean 'vectors'"),
        ("sentences", {}, r"--contexts .*sentences"),
        ("audit", {}, "is already an audit"),
        ("strange", {}, r"it contains 'other\.json'"),
        ("damaged", {}, "not a configuration"),
        ("t5", {}, "encoder–decoder"),
        ("llava", {}, "makes text from images"),
        ("glove.txt", {"kind": "series"}, "this is a file"),
        ("", {}, "is empty"),
    ],
)
def test_what_is_no_model_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Any, options: dict[str, Any], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "glove.txt").write_text("rose 1 2\n", encoding="utf-8")
    folder_with(tmp_path / "sentences", manifest={"format": "crossroads-contexts/1"})
    folder_with(tmp_path / "audit", results={"crossroads": "0", "results": []})
    folder_with(tmp_path / "strange", other={})
    folder_with(tmp_path / "damaged", config="{")
    folder_with(tmp_path / "t5", config={"model_type": "t5", "is_encoder_decoder": True})
    folder_with(tmp_path / "llava", config={"model_type": "llava", "vision_config": {}})
    with pytest.raises(CrossroadsError, match=said):
        recognise(given, **options)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the hub, and no way to reach the hub itself."""
    constants = pytest.importorskip("huggingface_hub.constants", reason="extra 'models'")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path / "hub"


def test_a_name_of_the_hub_is_told_by_its_configuration_alone(hub: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    folder = hub / "models--somebody--small-gpt"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(commit, encoding="utf-8")
    (folder / "snapshots" / commit).mkdir(parents=True)
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}
    (folder / "snapshots" / commit / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert recognise("somebody/small-gpt").name == "language model"  # there are no weights to load


def test_a_hub_that_cannot_be_reached_is_not_waited_for(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants", reason="extra 'models'")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for place in ("huggingface_hub.constants", "huggingface_hub.hf_api", "huggingface_hub.file_download"):
        monkeypatch.setattr(f"{place}.ENDPOINT", "http://127.0.0.1:9", raising=False)
    template = "http://127.0.0.1:9/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    with pytest.raises(InputError, match="cannot be reached"):
        recognise("somebody/bert-that-is-not-here")
    assert sum(waited) < 1


def test_what_is_secret_in_an_address_is_not_shown() -> None:
    found = recognise("https://me:secret@embeddings.example/v1?key=secret")
    assert found.shown == "https://embeddings.example/v1"

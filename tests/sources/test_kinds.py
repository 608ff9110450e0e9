"""What a model is, told from names and small files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from crossroads import Contexts
from crossroads.errors import FormatError, InputError, UnknownNameError
from crossroads.evidence.logits import FORMAT as LOGITS
from crossroads.evidence.model_names import KINDS
from crossroads.sources.kinds import KindName, recognise


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
        ({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}, "language model"),
        ({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}, "language model"),
        ({"model_type": "bert", "architectures": ["BertForPreTraining"]}, "language model"),
        ({"model_type": "bert", "architectures": ["BertModel"]}, "encoder"),
        ({"model_type": "bert"}, "encoder"),
        ({"model_type": "clip", "architectures": ["CLIPModel"], "vision_config": {}}, "vision-language"),
        ({"model_type": "siglip", "vision_config": {}}, "vision-language"),
    ],
)
def test_a_configuration_tells_what_a_transformer_is(
    tmp_path: Path, config: dict[str, Any], kind: str
) -> None:
    found = recognise(folder_with(tmp_path / "model", config=config))
    assert found.name == kind
    assert found.name in KINDS
    assert found.because.startswith("its configuration names")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "t5", "is_encoder_decoder": True}, "encoder–decoder"),
        ({"model_type": "llava", "vision_config": {}}, "makes text from images"),
    ],
)
def test_models_that_no_measure_reads_are_refused(tmp_path: Path, config: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        recognise(folder_with(tmp_path / "model", config=config))


def test_stores_answers_decades_and_files_are_told_by_what_they_hold(
    tmp_path: Path,
) -> None:
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
    assert recognise("anything", kind="Vision-Language").name == "vision-language"  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'vectors'"):
        recognise("anything", kind="vector")  # type: ignore[arg-type]
    assert [one.replace(" ", "-") for one in KINDS if one != "results"] == [*get_args(KindName)]


@pytest.mark.parametrize("name", ["glove.txt", "here/glove.6B", "./glove", "~/nowhere/vectors", "no such!"])
def test_what_looks_like_a_path_is_not_looked_for_on_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    with pytest.raises(FormatError, match="there is no such file or folder"):
        recognise(name)


def test_the_nearest_path_or_name_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "glove.txt").write_text("rose 1 2\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"did you mean 'glove\.txt'"):
        recognise("gloev.txt")
    with pytest.raises(UnknownNameError, match="did you mean 'default'"):
        recognise("defalt")


def test_folders_that_are_no_model_say_what_to_do_with_them(tmp_path: Path) -> None:
    sentences = folder_with(tmp_path / "sentences", manifest={"format": "crossroads-contexts/1"})
    with pytest.raises(InputError, match=r"--contexts .*sentences"):
        recognise(sentences)
    audit = folder_with(tmp_path / "audit", results={"crossroads": "0", "results": []})
    with pytest.raises(InputError, match="is already an audit"):
        recognise(audit)
    with pytest.raises(FormatError, match=r"it contains 'other\.json'"):
        recognise(folder_with(tmp_path / "strange", other={}))
    damaged = Path(folder_with(tmp_path / "damaged"))
    (damaged / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match="not a configuration"):
        recognise(str(damaged))


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


def test_a_name_that_is_nowhere_says_what_a_model_can_be(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.mkdir()
    monkeypatch.chdir(hub)
    with pytest.raises(InputError, match="cannot be reached") as told:
        recognise("somebody/nothing")
    assert told.value.hint is not None
    assert told.value.hint.startswith("MODEL is a file or folder of word vectors")
    (hub / "bert-bsae").mkdir()
    with pytest.raises(InputError, match="did you mean 'bert-bsae'"):
        recognise("bert-base")


def test_what_is_secret_in_an_address_is_not_shown() -> None:
    found = recognise("https://me:secret@embeddings.example/v1?key=secret")
    assert found.shown == "https://embeddings.example/v1"
    assert recognise("default").shown == "default"


@pytest.mark.parametrize("said", [{"kind": "vectors"}, {"format": "glove-text"}])
@pytest.mark.parametrize("name", ["nowhere.txt", "some.dotted.name", "~/nowhere/vectors"])
def test_vectors_that_are_not_there_are_missed_whatever_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormatError, match="there is no such file or folder"):
        recognise(name, **said)


def test_decades_are_a_folder(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("rose 1 2\n", encoding="utf-8")
    with pytest.raises(FormatError, match="this is a file"):
        recognise(str(tmp_path / "vectors.txt"), kind="series")
    with pytest.raises(FormatError, match="there is no such folder"):
        recognise(str(tmp_path / "nowhere"), format="histwords")


@pytest.mark.parametrize("name", ["", " "])
def test_a_model_has_a_name(name: str) -> None:
    with pytest.raises(InputError, match="is empty"):
        recognise(name)


def test_what_is_no_name_is_refused_and_paths_are_taken(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="of type int"):
        recognise(5)  # type: ignore[arg-type]
    file = tmp_path / "tiny.txt"
    file.write_text("rose 1 0\nwasp 0 1\n", encoding="utf-8")
    assert recognise(file) == recognise(str(file))

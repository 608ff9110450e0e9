"""What transformers says of itself while it loads a model is not said here."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import FormatError
from crossroads.sources.models.files import ModelFiles
from crossroads.sources.models.settings import resolve_model
from crossroads.sources.models.transformers import plain_errors


@pytest.mark.parametrize("gguf", ["model.gguf", None])
def test_the_bar_of_gguf_files_is_not_shown_and_standard_error_is_given_back(
    gguf: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("transformers", reason="extra 'models'")
    files = ModelFiles(name="m", folder="m", gguf=gguf, sha256="")
    before = sys.stderr
    with (
        pytest.raises(FormatError, match="the weights cannot be loaded: it broke"),
        plain_errors(files, "weights"),
    ):
        sys.stderr.write("Converting tensors: 100%")
        raise RuntimeError("it broke")
    assert sys.stderr is before
    assert ("Converting" in capsys.readouterr().err) is (gguf is None)


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [
        ("tokenizer_config.json", "model_max_length", "x"),
        ("config.json", "architectures", 3),
        ("config.json", "num_hidden_layers", 10**30),
    ],
)
def test_odd_values_of_a_configuration_are_named(
    tiny_bert: Path, tmp_path: Path, file: str, key: str, value: Any
) -> None:
    shutil.copytree(tiny_bert, tmp_path / "odd")
    path = tmp_path / "odd" / file
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {key: value}), encoding="utf-8")
    with pytest.raises(FormatError, match=f"cannot be loaded.*{key}"):
        resolve_model(path.parent, revision=None, prompt=None, pooling="auto", layer=None, device="cpu")

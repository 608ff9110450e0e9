"""What transformers says of itself while it loads a model is not said here."""

from __future__ import annotations

import sys

import pytest

from crossroads.errors import FormatError
from crossroads.sources.models.files import ModelFiles
from crossroads.sources.models.transformers import plain_errors

pytest.importorskip("transformers", reason="extra 'models'")


@pytest.mark.parametrize("gguf", ["model.gguf", None])
def test_the_bar_of_gguf_files_is_not_shown_and_standard_error_is_given_back(
    gguf: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
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

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from crossroads.errors import CrossroadsWarning, FormatError, MissingExtraError
from crossroads.sources.load import load


def pipeline(rows_of: dict[str, int], data: Any) -> Any:
    """What spacy.load gives, as far as it is read."""
    keys = {hash(word): word for word in rows_of}
    vectors = SimpleNamespace(
        key2row={hash(word): row for word, row in rows_of.items()}, data=data, shape=data.shape
    )
    vocab = SimpleNamespace(vectors=vectors, strings=keys)
    return SimpleNamespace(vocab=vocab, meta={"lang": "en", "name": "tiny", "version": "3.7.1"})


@pytest.fixture
def fake_spacy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("spacy")
    monkeypatch.setitem(sys.modules, "spacy", module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "meta.json").write_text("{}")
    (tmp_path / "vocab").mkdir()
    return tmp_path


def test_the_vectors_of_a_pipeline_are_read(fake_spacy: Any, folder: Path) -> None:
    fake_spacy.load = lambda name: pipeline({"Rose": 1, "wasp": 0}, np.eye(2, 3, dtype=np.float32))
    emb = load(folder)
    assert emb.labels == ("Rose", "wasp")
    np.testing.assert_array_equal(emb["Rose"], [0, 1, 0])
    assert emb.provenance.format == "spacy"
    assert emb.provenance.revision == "3.7.1"
    assert emb.provenance.details["pipeline"] == "en_tiny"


def test_words_that_share_a_vector_are_warned_of(fake_spacy: Any, folder: Path) -> None:
    fake_spacy.load = lambda name: pipeline({"daffodil": 0, "tulip": 0, "wasp": 1}, np.eye(2))
    with pytest.warns(CrossroadsWarning, match="daffodil = tulip"):
        emb = load(folder, words=["daffodil", "tulip"])
    assert emb.provenance.details["shared_vectors"] == 1


def test_pipelines_that_cannot_be_used_are_refused(
    fake_spacy: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_spacy.load = lambda name: pipeline({}, np.empty((0, 0)))
    with pytest.raises(FormatError, match="no static vectors"):
        load(folder)
    fake_spacy.load = Mock(side_effect=OSError("[E050] Can't find model."))
    with pytest.raises(FormatError, match="E050"):
        load("en_nothing_md", format="spacy")
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"crossroads-audit\[spacy\]"):
        load(folder)


def test_an_installed_pipeline_is_known_by_its_name(
    fake_spacy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "xx_tiny_vectors"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('must not be run')")
    (package / "meta.json").write_text("{}")
    monkeypatch.syspath_prepend(str(tmp_path))
    fake_spacy.load = lambda name: pipeline({"rose": 0}, np.ones((1, 2)))
    assert load("xx_tiny_vectors").labels == ("rose",)

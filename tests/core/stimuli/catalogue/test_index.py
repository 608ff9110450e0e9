from __future__ import annotations

import importlib.resources
import re
from pathlib import Path

import pytest

from crossroads.core.stimuli.catalogue.index import FILES, about, document, index


def test_the_index_knows_every_file_of_the_folder() -> None:
    folder = Path(str(importlib.resources.files("crossroads.core.stimuli.catalogue"))) / "data"
    found = {file.stem for file in folder.rglob("*.toml")}
    assert found == set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_every_file_says_where_its_material_comes_from_and_why_variants_differ(file: str) -> None:
    said = about(file)
    assert said.source.doi is not None
    assert re.search(r"\(\d{4}\)", said.source.text)
    assert all((said.licence.strip(), said.title.strip(), said.table.strip()))
    names = {name for name, entry in index().items() if entry.file == file}
    for variant in document(file).get("variants", {}).values():
        assert variant["reason"].endswith(".")
        assert set(variant) - {"reason", "only", "replace"} <= names

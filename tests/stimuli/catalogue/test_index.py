from __future__ import annotations

import importlib.resources
import re
from pathlib import Path

import pytest

from crossroads.stimuli.catalogue.index import FILES, KINDS, about, document, index


def test_the_index_knows_every_file_of_the_folder() -> None:
    folder = Path(str(importlib.resources.files("crossroads.stimuli.catalogue"))) / "data"
    found = {file.stem for file in folder.rglob("*.toml")}
    assert found == set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_every_file_says_where_its_material_comes_from(file: str) -> None:
    said = about(file)
    assert said.kind in KINDS
    assert said.source.doi is not None
    assert re.fullmatch(r"10\.\d{4,9}/[-._;()/:a-zA-Z0-9]+", said.source.doi)
    assert re.search(r"\(\d{4}\)", said.source.text)
    assert "  " not in said.source.text
    assert re.fullmatch(r"[a-z]{2,3}(-[A-Za-z]+)*", said.language)
    assert all((said.licence.strip(), said.title.strip(), said.table.strip()))
    for sentence in said.departures:
        assert re.fullmatch(r"[A-Z'].*\.", sentence)
        assert said.departures.count(sentence) == 1


@pytest.mark.parametrize("file", [file for file in FILES if "variants" in document(file)])
def test_variants_give_a_reason_and_name_designs_of_their_file(file: str) -> None:
    names = {name for name, entry in index().items() if entry.file == file}
    for variant in document(file)["variants"].values():
        assert variant["reason"].endswith(".")
        assert set(variant) - {"reason", "only", "replace"} <= names

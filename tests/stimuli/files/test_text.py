"""Small text files: read whole, or refused with a reason."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import FormatError
from crossroads.stimuli import read_designs
from crossroads.stimuli.files.lists import read_frequencies, read_sheet, read_trait_lists
from crossroads.stimuli.files.sentences import sentence_items
from crossroads.stimuli.files.text import load_json, load_toml, read_text
from crossroads.stimuli.identities.files import read_identities


def test_a_file_that_the_system_does_not_give_is_said_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lists.toml"
    file.write_text("a = 1")

    def refused(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refused)  # the owner of a machine may read anything
    with pytest.raises(FormatError, match=r"cannot be read \(permission denied\)"):
        read_text(file, "a TOML file")


DEEP = 3000
READERS: dict[str, Callable[[Path], Any]] = {
    "design.json": read_designs,
    "design.jsonl": read_designs,
    "design.toml": read_designs,
    "groups.json": read_sheet,
    "groups.toml": read_sheet,
    "lists.toml": read_trait_lists,
    "identities.toml": read_identities,
}
"""Files that people write, in rooms that this one may use; the others are tested with the commands."""


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "value",
    [
        "9" * 5000,
        "-1e400",
        "[" * DEEP + "]" * DEEP,
        '{"a": ' * 150 + "1" + "}" * 150,
        "0x" + "f" * 9000,  # which TOML knows, and Python reads but does not write
    ],
    ids=["digits", "beyond", "deep", "tables", "hexadecimal"],
)
def test_what_nobody_could_mean_is_refused_wherever_it_stands(name: str, value: str, tmp_path: Path) -> None:
    file = tmp_path / name
    is_toml = file.suffix == ".toml"
    value = value.replace('"a": ', "a = ") if is_toml else value
    for key in ("name", "groups", "x"):
        file.write_text(f"{key} = {value}\n" if is_toml else f'{{"{key}": {value}}}', encoding="utf-8")
        with pytest.raises(FormatError) as caught:
            READERS[name](file)
        assert len(str(caught.value)) - len(str(file)) < 600


@pytest.mark.parametrize(
    ("head", "read"),
    [
        ("targ1,targ2,attr1,attr2", read_designs),
        ("set,word", read_designs),
        ("pair,trait", read_trait_lists),
        ("word,count", read_frequencies),
        ("sent_more,sent_less", sentence_items),
    ],
)
def test_a_cell_that_is_too_long_is_refused_in_a_sentence(
    head: str, read: Callable[[Path], Any], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(f"{head}\n{'a' * 140_000},b\n", encoding="utf-8")
    with pytest.raises(FormatError, match="the table cannot be read: field larger"):
        read(tmp_path / "t.csv")


def test_keys_can_be_nested_too(tmp_path: Path) -> None:
    file = tmp_path / "design.toml"
    for text in (".".join("a" * DEEP) + " = 1", f"[{'.'.join('a' * DEEP)}]"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match="nested too deeply"):
            load_toml(text, file)
        with pytest.raises(FormatError):
            read_designs(file)


def test_documents_of_usual_size_are_read_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    value = {"a": [1, 2.5, None, True, {"b": ["c", -(10**40)]}], "d": {}}
    assert load_json(json.dumps(value), file) == value
    assert load_toml('a = [1, 0xff, 1e400]\n[b.c]\nd = "e"', file) == {
        "a": [1, 255, math.inf],
        "b": {"c": {"d": "e"}},
    }
    with pytest.raises(json.JSONDecodeError):
        load_json("{", file)

"""Small text files: read whole, or refused with a reason."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from crossroads.errors import FormatError
from crossroads.stimuli.text_files import read_text


def test_the_mark_at_the_beginning_and_the_ends_of_lines_do_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "lists.toml"
    file.write_bytes(codecs.BOM_UTF8 + "a = 'née'\r\nb = 2\rc = 3\n".encode())
    assert read_text(file, "a TOML file") == "a = 'née'\nb = 2\nc = 3\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("word".encode("utf-16"), "the text is UTF-16"),
        (b"PK\0\0", "this is not a text file"),
        ("one\ntwo\nné".encode("latin-1"), r"line 3: the byte 0xe9 is not UTF-8"),
    ],
)
def test_other_bytes_than_utf8_are_named(tmp_path: Path, data: bytes, said: str) -> None:
    file = tmp_path / "lists.toml"
    file.write_bytes(data)
    with pytest.raises(FormatError, match=said):
        read_text(file, "a TOML file")


@pytest.mark.parametrize(("name", "called"), [("words.csv", True), ("words.toml", False)])
def test_tables_are_saved_anew_under_the_name_that_spreadsheets_give(
    tmp_path: Path, name: str, called: bool
) -> None:
    for data in ("né".encode("latin-1"), "né".encode("utf-16")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FormatError, match="save the file as UTF-8") as found:
            read_text(tmp_path / name, "a file")
        assert ("CSV UTF-8" in str(found.value)) is called


def test_what_is_no_file_is_said_with_what_to_name_instead(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"there is no such file\.\s+hint: name a TOML file") as found:
        read_text(tmp_path / "nowhere", "a TOML file")
    assert "nowhere" in str(found.value)
    with pytest.raises(FormatError, match=r"this is a folder, not a file\.\s+hint: name a TOML file"):
        read_text(tmp_path, "a TOML file")
    with pytest.raises(FormatError, match=r"the file cannot be read \(.+\)\.\s+hint: name a TOML file"):
        read_text(tmp_path / ("long" * 2000), "a TOML file")


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

"""Small text files that people write: read whole, or refused with a sentence that says why."""

from __future__ import annotations

import codecs
from pathlib import Path

from crossroads.errors import FormatError

_SAVE = "save the file as UTF-8."
_SAVE_TABLE = "save the file as UTF-8; spreadsheet programs call it CSV UTF-8."
_TABLES = (".csv", ".tsv", ".txt")


def read_text(path: str | Path, expected: str) -> str:
    """The text of a file, without the mark that some editors begin it with.

    Parameters
    ----------
    path
        The file.
    expected
        What it should be, such as ``"a TOML file"``: said where it cannot be read.
    """
    file = Path(path)
    data = _bytes(file, hint=f"name {expected}.")
    save = _SAVE_TABLE if file.suffix.casefold() in _TABLES else _SAVE
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FormatError("the text is UTF-16.", path=file, hint=save)
    if b"\0" in data:
        raise FormatError("this is not a text file.", path=file, hint=f"name {expected}.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wrong = f"the byte 0x{data[error.start]:02x} is not UTF-8."
        raise FormatError(wrong, path=file, line=line, hint=save) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _bytes(file: Path, *, hint: str) -> bytes:
    try:
        if file.is_dir():
            raise FormatError("this is a folder, not a file.", path=file, hint=hint)
        return file.read_bytes()
    except FileNotFoundError as error:
        raise FormatError("there is no such file.", path=file, hint=hint) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FormatError(f"the file cannot be read ({reason}).", path=file, hint=hint) from error

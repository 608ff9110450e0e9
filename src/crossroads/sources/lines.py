"""Lines of text vectors: how many numbers each holds, where its word ends, what the numbers are.

A line is a word, then ``dim`` numbers, separated by spaces or tabs. The word may itself hold spaces (the
840B vectors of GloVe know ``". . ."`` and ``"at name@domain.com"``), so the numbers are counted from the
right.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import FormatError

HEADER = re.compile(rb"[ \t]*(\d{1,12})[ \t]+(\d{1,9})[ \t\r]*")
"""The first line of word2vec text and binary: number of words, number of dimensions."""

_LOOKS_MEASURED = re.compile(rb"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")
_SPACE, _TAB = 32, 9


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How the lines of one file are laid out."""

    dim: int
    """Numbers a line."""
    tabs: bool
    """Whether tabs separate, as well as spaces."""
    separators: int
    """Separators on an ordinary line, whose word holds none; fastText writes one more at the end."""

    def separator_mask(self, data: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Where the separators are."""
        mask: NDArray[np.bool_] = data == _SPACE
        if self.tabs:
            mask |= data == _TAB
        return mask


def learn_layout(lines: list[bytes], *, dim: int | None, path: Path, first_line: int) -> Layout:
    """Learn the layout from the first lines, by majority.

    Parameters
    ----------
    lines
        The first lines, without their line breaks.
    dim
        Numbers a line, where a header says so.
    path
        The file, for messages.
    first_line
        Number of the first of these lines.
    """
    if dim is None:
        dim = _usual_count(lines, path=path, first_line=first_line)
    tabs = any(b"\t" in line for line in lines)
    trailing = sum(line.rstrip(b"\r").endswith((b" ", b"\t")) for line in lines)
    return Layout(dim=dim, tabs=tabs, separators=dim + (2 * trailing > len(lines)))


def split_line(
    line: bytes, dim: int, *, path: Path, number: int, unfinished: bool
) -> tuple[bytes, list[bytes]]:
    """Split a line into its word and its ``dim`` numbers.

    Parameters
    ----------
    line
        The line, without its line break.
    dim
        Numbers to find, from the right.
    path, number
        The file and the number of the line, for messages.
    unfinished
        Whether the file ends with this line and without a line break.
    """
    fields = line.rsplit(None, dim)
    if len(fields) == dim + 1:
        word = fields[0]
        extra = re.split(rb"[ \t]", word)
        if len(extra) == 1 or not _LOOKS_MEASURED.fullmatch(extra[-1]) or _is_number_only(extra):
            return word, fields[1:]
        found = dim + sum(1 for field in extra[1:] if _LOOKS_MEASURED.fullmatch(field))
        raise _wrong_count(extra[0], found, dim, path, number)
    if len(fields) == dim and line[:1].isspace():
        return line[: len(line) - len(line.lstrip()) - 1], fields
    if unfinished:
        raise FormatError(
            f"the file breaks off: the last line holds {max(len(fields) - 1, 0)} of {dim} numbers.",
            path=path,
            line=number,
            hint="the file is incomplete; fetch it again.",
        )
    raise _wrong_count(fields[0] if fields else b"", len(fields) - 1, dim, path, number)


def parse_numbers(fields: list[bytes], *, path: Path, number: int) -> NDArray[np.float32]:
    """Turn fields into numbers, or name the one that is not."""
    try:
        with np.errstate(over="ignore"):
            return np.array(list(map(float, fields)), dtype=np.float32)
    except ValueError as error:
        for column, item in enumerate(fields, start=1):
            try:
                float(item)
            except ValueError:
                raise FormatError(
                    f"number {column} of {len(fields)} is {shown(item)}.",
                    path=path,
                    line=number,
                    hint="expected a word and then numbers only.",
                ) from error
        raise


def decode_word(token: bytes, errors: str, *, path: Path, number: int) -> str:
    """Decode a word from UTF-8, or name the line at which it cannot be."""
    try:
        return token.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"the word {shown(token)} is not UTF-8.",
            path=path,
            line=number,
            hint='give encoding_errors="replace" or "ignore", or convert the file to UTF-8.',
        ) from error


def shown(data: bytes, most: int = 60) -> str:
    """A piece of a file, short enough for a message."""
    text = data[:most].decode("utf-8", "backslashreplace")
    return repr(text) + (" …" if len(data) > most else "")


def _usual_count(lines: list[bytes], *, path: Path, first_line: int) -> int:
    """How many numbers most lines end in; where two counts are as frequent, the smaller that is not none."""
    found = [_trailing_numbers(line) for line in lines]
    counts = Counter(found)
    most = max(counts.values())
    usual = min((count for count in counts if count and counts[count] == most), default=0)
    if usual:
        return usual
    bare = found.index(0)
    raise FormatError(
        f"a word followed by numbers was expected, this was found: {shown(lines[bare])}.",
        path=path,
        line=first_line + bare,
        hint="name the format if it is another one: format=...; known_sources() lists them.",
    )


def _trailing_numbers(line: bytes) -> int:
    fields = line.split()
    count = 0
    for item in reversed(fields[1:]):
        try:
            float(item)
        except ValueError:
            break
        count += 1
    return count


def _is_number_only(fields: list[bytes]) -> bool:
    return all(_LOOKS_MEASURED.fullmatch(field) and b"." not in field for field in fields)


def _wrong_count(word: bytes, found: int, dim: int, path: Path, number: int) -> FormatError:
    return FormatError(
        f"{shown(word)} has {found} number(s), the other lines have {dim}.",
        path=path,
        line=number,
        hint="expected a word and then as many numbers on every line; remove or repair the line.",
    )

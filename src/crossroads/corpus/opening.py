"""Bytes of a corpus file, decompressed on the way."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from crossroads.errors import FormatError, require

MAGIC = {
    "gz": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),  # a text may begin with BZh
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zst": re.compile(rb"\x28\xb5\x2f\xfd"),
}
"""How compressed files begin, by the suffix they have."""
_HEAD = 10
"""Bytes that the longest of these has."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PIECE = 1 << 20
_SMALL = 1 << 14
"""Compressed bytes taken at once where all they expand to comes back at once."""
_LONGEST = 1 << 31
"""Largest window of a .zst file: large dumps are compressed with ``--long=31``."""

Progress = Callable[[int], None]
"""Is told how many more bytes of the file have been taken."""


def compression(path: Path) -> str | None:
    """How a file is compressed, by its first bytes: a key of :data:`MAGIC`, or ``None``.

    A file whose name promises compression that is not there is refused.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    found = next((name for name, magic in MAGIC.items() if magic.match(head)), None)
    promised = path.suffix.lower().removeprefix(".")
    if found is None and promised in MAGIC:
        what = "is empty" if not head else f"does not begin as .{promised} files do"
        raise FormatError(
            f"the file {what}.", path=path, hint="fetch it again, or give it the suffix of what it is."
        )
    if head.startswith(_UTF16):
        raise FormatError(
            "the file seems to be UTF-16.",
            path=path,
            hint="convert it to UTF-8, as with iconv, and try again.",
        )
    return found


@contextlib.contextmanager
def opened(path: Path, progress: Progress | None = None) -> Iterator[Iterator[bytes]]:
    """Open a file for its bytes, in pieces of about a megabyte.

    Parameters
    ----------
    path
        The file.
    progress
        Is told how many bytes of the file, as it is stored, have been taken since it was last told.
    """
    kind = compression(path)
    with path.open("rb") as raw:
        source = _zstandard(path, raw) if kind == "zst" else _pieces(path, raw, kind)
        yield _watched(source, raw, progress)


def _watched(source: Iterator[bytes], raw: IO[bytes], progress: Progress | None) -> Iterator[bytes]:
    done = 0
    for piece in source:
        if progress is not None:
            at = raw.tell()
            progress(at - done)
            done = at
        yield piece


def _pieces(path: Path, raw: IO[bytes], kind: str | None) -> Iterator[bytes]:
    wrap: dict[str | None, Callable[[Any], Any]] = {
        "gz": lambda file: gzip.GzipFile(fileobj=file),
        "bz2": bz2.BZ2File,
        "xz": lzma.LZMAFile,
    }
    data = wrap[kind](raw) if kind in wrap else raw
    taken = 0
    while True:
        try:
            piece = data.read(_PIECE)
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            if kind is None:
                raise
            if isinstance(error, gzip.BadGzipFile) and str(error).startswith("Not a gzipped file"):
                raise _followed(path) from error  # the file itself began well
            raise _broken(path, taken, str(error)) from error
        if not piece:
            return
        taken += len(piece)
        yield piece


def _zstandard(path: Path, raw: IO[bytes]) -> Iterator[bytes]:
    """Frame after frame; the only way to learn that the last one is not complete."""
    package = require("zstandard", extra="zstd", purpose="reading .zst files")
    decompressor = package.ZstdDecompressor(max_window_size=_LONGEST)
    taken, rest, frame = 0, b"", decompressor.decompressobj()
    fresh = True
    while compressed := rest or raw.read(_SMALL):
        try:
            piece = frame.decompress(compressed)
        except package.ZstdError as error:
            raise _broken(path, taken, str(error)) from error
        rest, fresh = b"", False
        if frame.eof:
            rest, frame, fresh = frame.unused_data, decompressor.decompressobj(), True
        taken += len(piece)
        if piece:
            yield piece
    if not fresh:
        raise _broken(path, taken, "it ends in the middle of a frame")


def _followed(path: Path) -> FormatError:
    return FormatError(
        "the compressed data is whole, but something else stands after it.",
        path=path,
        hint="fetch the file again, or decompress it with gzip -dc, which leaves the rest out.",
    )


def _broken(path: Path, taken: int, reason: str) -> FormatError:
    where = f" somewhere after {taken:,} bytes" if taken else ""
    return FormatError(
        f"the compressed data is broken{where}: {reason.rstrip('.')}.",
        path=path,
        hint="the file is damaged or incomplete; fetch it again.",
    )

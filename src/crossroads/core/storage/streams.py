"""Decompressed bytes of a file, for files of vectors and of a corpus.

A compressed file is recognised by its first bytes, not by its name, and may consist of several members or
frames. One that breaks off is refused, and so is one that expands beyond reason: vectors written as text
compress about 2.5 to 1, a log whose lines hardly differ 100 to 1 and more. Below 64 MiB nothing is refused.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from crossroads.core.errors import FormatError, in_short, join_words, require, without_middle
from crossroads.core.storage.arrays import ARCHIVE_FAULTS, FAULTS, MAX_RATIO, check_expansion

MAGIC = {
    "gz": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),  # text may begin with BZh; the second: empty
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zst": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # the second: a frame to skip
    "zip": re.compile(rb"PK(\x03\x04|\x05\x06)"),  # the second: an empty archive
}
"""First bytes of compressed files, by suffix."""
TEXT_RATIO = 2000
"""Most bytes of text per compressed byte; gzip cannot expand more than 1032 to 1."""
_HEAD = 10
_PIECE = 1 << 20
_FED = 1 << 11
"""Compressed bytes given to zstandard at once: it returns all that they expand to, at most 64 MiB."""
_LONGEST = 1 << 31
"""Largest window of a .zst file: large dumps are compressed with ``--long=31``."""
_OFFICE = {"[Content_Types].xml", "META-INF/manifest.xml"}
"""Members of the archives that Excel, Word and LibreOffice write."""


def compression(path: Path) -> str | None:
    """How a file is compressed, by its first bytes: a key of :data:`MAGIC`, or ``None``."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return next((name for name, magic in MAGIC.items() if magic.match(head)), None)


class _TrailingError(OSError):
    """Uncompressed data after compressed data."""


class Stream:
    """A file, compressed or not, that is read from start to end.

    It has the ``name`` of the data inside: without the suffix of the compression, or that of a ``member`` of
    a zip archive; its ``size`` on disk; and ``plain`` says whether offsets in the data are offsets in the
    file. ``progress`` is called with the bytes read, as they are stored, and the size; past 64 MiB ``ratio``
    limits the bytes per compressed byte.
    """

    def __init__(
        self,
        path: Path,
        *,
        member: str | None = None,
        progress: Callable[[int, int], None] | None = None,
        ratio: int = MAX_RATIO,
    ) -> None:
        self.path, self.name = path, path.name
        self.size = path.stat().st_size
        self._progress, self._ratio = progress, ratio
        kind = compression(path)
        self.plain = kind is None
        self.position = 0
        with contextlib.ExitStack() as opened:
            self._raw = opened.enter_context(path.open("rb", buffering=0 if self.plain else -1))
            self._data = self._raw if kind is None else self._open(kind, member, opened)
            self._opened = opened.pop_all()

    def _open(self, kind: str, member: str | None, opened: contextlib.ExitStack) -> Any:
        if kind == "zip":
            return opened.enter_context(self._open_member(member, opened))
        if self.path.suffix:
            self.name = self.path.stem
        if kind == "zst":
            return _ZstandardFile(self._raw)
        if kind == "gz":
            return opened.enter_context(gzip.GzipFile(fileobj=self._raw))
        return opened.enter_context((bz2.BZ2File if kind == "bz2" else lzma.LZMAFile)(self._raw))

    def _open_member(self, member: str | None, opened: contextlib.ExitStack) -> IO[bytes]:
        try:
            archive = opened.enter_context(zipfile.ZipFile(self._raw))
            info = choose_member(archive, self.path, member)
            self.name = PurePosixPath(info.filename).name
            check_expansion(self.path, info.file_size, info.compress_size, ratio=self._ratio)
            return archive.open(info)
        except FormatError:
            raise
        except ARCHIVE_FAULTS as error:
            hint = "fetch the file again, or extract it with another program."
            message = f"the zip archive cannot be read: {error!s:.200}."
            raise FormatError(message, path=self.path, hint=hint) from error

    def read(self, size: int) -> bytes:
        """Read ``size`` bytes, or as many as are left; never allocates for more than there is."""
        pieces: list[bytes] = []
        while size > 0 and (piece := self._piece(min(size, _PIECE))):
            size -= len(piece)
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def pieces(self) -> Iterator[bytes]:
        """Yield the rest in pieces of at most a megabyte."""
        return iter(lambda: self._piece(_PIECE), b"")

    def _piece(self, size: int) -> bytes:
        try:
            piece: bytes = self._data.read(size)
        except FAULTS as error:
            if self.plain:
                raise
            raise self._broken(error) from error
        self.position += len(piece)
        done = self._raw.tell()
        if not self.plain:
            check_expansion(self.path, self.position, done, ratio=self._ratio)
        if self._progress is not None:
            self._progress(min(done, self.size) if piece else self.size, self.size)
        return piece

    def _broken(self, error: BaseException) -> FormatError:
        # only files that begin as gzip does are opened as such
        if isinstance(error, _TrailingError) or str(error).startswith("Not a gzipped file"):
            hint = "fetch the file again, or decompress it yourself without the rest."
            what = "the compressed data is complete, but followed by something else."
            return FormatError(what, path=self.path, hint=hint)
        where = f" somewhere after {self.position:,} bytes" if self.position else ""
        what = f"the compressed data is broken{where}: {str(error).rstrip('.')}."
        return FormatError(what, path=self.path, hint="the file is damaged or incomplete; fetch it again.")

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _ZstandardFile:
    """A .zst file, read frame by frame, which is the only way to notice that the last one is incomplete."""

    def __init__(self, raw: IO[bytes]) -> None:
        package = require("zstandard", extra="zstd", purpose="reading .zst files")
        self._error: type[Exception] = package.ZstdError
        self._decompressor = package.ZstdDecompressor(max_window_size=_LONGEST)
        self._frame = self._decompressor.decompressobj()
        self._raw, self._rest, self._piece = raw, b"", memoryview(b"")
        self._frames, self._fresh = 0, True

    def read(self, size: int) -> bytes:
        """Read at most ``size`` bytes; none only at the end."""
        while not self._piece and (compressed := self._rest or self._raw.read(_FED)):
            self._piece = memoryview(self._decompressed(compressed))
        if not self._piece and not self._fresh:
            raise EOFError("it ends in the middle of a frame")
        given, self._piece = self._piece[:size], self._piece[size:]
        return bytes(given)

    def _decompressed(self, compressed: bytes) -> bytes:
        try:
            piece: bytes = self._frame.decompress(compressed)
        except self._error as error:
            kind = _TrailingError if self._fresh and self._frames else OSError
            raise kind(str(error)) from error
        self._rest, self._fresh = b"", False
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, self._decompressor.decompressobj()
            self._frames, self._fresh = self._frames + 1, True
        return piece


def choose_member(archive: zipfile.ZipFile, path: Path, member: str | None) -> zipfile.ZipInfo:
    """The member of a zip archive that holds the data."""
    infos = [
        info
        for info in archive.infolist()
        if not info.is_dir()
        and not info.filename.startswith("__MACOSX/")
        and not PurePosixPath(info.filename).name.startswith(".")
    ]
    if member is not None:
        matching = [info for info in infos if member in {info.filename, PurePosixPath(info.filename).name}]
    else:
        same = [info for info in infos if path.stem in {PurePosixPath(info.filename).stem, info.filename}]
        matching = infos if len(infos) == 1 else same
    if len(matching) == 1:
        return matching[0]
    names = [info.filename for info in infos]
    if _OFFICE & set(names):
        hint = "save it as text; for vectors, a line is a word and its numbers, with spaces between them."
        raise FormatError("this is an office document, not plain data.", path=path, hint=hint)
    called = "" if member is None else f" none or several of them called {in_short(member)}:"
    there = join_words([without_middle(name, 60) for name in names], most=8)
    held = f"{len(infos)} files,{called} {there}" if infos else "no files"
    hint = 'extract the one to read; or, for vectors, name it in Python with member="...".'
    raise FormatError(f"the zip archive holds {held}.", path=path, hint=hint)

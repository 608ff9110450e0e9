"""Bytes of a file, decompressed on the way, guarded against bombs.

A compressed file is recognised by its first bytes, not by its name. Vectors written as text compress
about 2.5 to 1; a file that expands more than 200 to 1, past 64 MiB, is refused.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any, Self

from crossroads.errors import FormatError, in_short, join_words, require, without_middle
from crossroads.evidence.array_files import ARCHIVE_FAULTS, FAULTS, check_expansion
from crossroads.sources.reading import Request

_MAGIC = {
    "gz": b"\x1f\x8b",
    "bz2": b"BZh",
    "xz": b"\xfd7zXZ\x00",
    "zst": b"\x28\xb5\x2f\xfd",
    "zip": b"PK\x03\x04",
}
_PIECE = 1 << 20
_OFFICE = {"[Content_Types].xml", "META-INF/manifest.xml"}
"""What the archives hold that Excel and Word write, and LibreOffice."""


def compression(path: Path) -> str | None:
    """How a file is compressed: ``"gz"``, ``"bz2"``, ``"xz"``, ``"zst"``, ``"zip"`` or ``None``."""
    with path.open("rb") as file:
        head = file.read(10)
    for name, magic in _MAGIC.items():
        if head.startswith(magic) and (name != "bz2" or head[4:10] == b"1AY&SY"):
            return name
    return None


class Stream:
    """A file to read from start to end, whatever it is compressed with.

    Parameters
    ----------
    path
        The file.
    request
        Names the member of a zip archive, and who wants to hear of progress.

    Attributes
    ----------
    name
        Name of the data inside: without the suffix of the compression, or that of the zip member.
    size
        Bytes of the file on disk.
    plain
        Whether the file is not compressed, so that offsets in the data are offsets in the file.
    """

    def __init__(self, path: Path, request: Request | None = None) -> None:
        self.path = path
        self.size = path.stat().st_size
        self.name = path.name
        self._progress = None if request is None else request.progress
        kind = compression(path)
        self.plain = kind is None
        self.position = 0
        self._least = 0
        self._faults: tuple[type[BaseException], ...] = FAULTS
        self._raw = path.open("rb", buffering=0)
        self._archive: zipfile.ZipFile | None = None
        try:
            self._data = self._open(kind, None if request is None else request.member)
        except BaseException:
            self._raw.close()
            raise

    def _open(self, kind: str | None, member: str | None) -> IO[bytes]:
        if kind is None:
            return self._raw
        if kind == "zip":
            return self._open_member(member)
        if self.path.suffix:
            self.name = self.path.stem
        opened: Any
        if kind == "gz":
            opened = gzip.GzipFile(fileobj=self._raw)
        elif kind == "bz2":
            opened = bz2.BZ2File(self._raw)
        elif kind == "xz":
            opened = lzma.LZMAFile(self._raw)  # noqa: SIM115 - closed with the stream
        else:
            opened = self._open_zstandard()
        data: IO[bytes] = opened
        return data

    def _open_zstandard(self) -> Any:
        zstandard = require("zstandard", extra="zstd", purpose="reading .zst files")
        self._faults = (zstandard.ZstdError, OSError)
        head = self._raw.read(18)
        self._raw.seek(0)
        try:
            # The decompressor takes a truncated frame for a complete one: remember what the frame declares.
            self._least = max(0, zstandard.frame_content_size(head))
            return zstandard.ZstdDecompressor().stream_reader(self._raw, read_across_frames=True)
        except self._faults as error:
            raise self._broken(str(error)) from error

    def _open_member(self, member: str | None) -> IO[bytes]:
        try:
            self._archive = zipfile.ZipFile(self._raw)
            info = choose_member(self._archive, self.path, member)
            self.name = PurePosixPath(info.filename).name
            check_expansion(self.path, info.file_size, info.compress_size)
            return self._archive.open(info)
        except FormatError:
            raise
        except ARCHIVE_FAULTS as error:
            raise FormatError(
                f"the zip archive cannot be read: {error!s:.200}.",
                path=self.path,
                hint="fetch the file again, or extract it with another program.",
            ) from error

    def read(self, size: int) -> bytes:
        """Read ``size`` bytes, or as many as are left; never allocates for more than there is."""
        pieces: list[bytes] = []
        while size > 0:
            piece = self._piece(min(size, _PIECE))
            if not piece:
                break
            size -= len(piece)
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def read_at(self, offset: int, size: int) -> bytes:
        """Read from somewhere in a file that is not compressed; the next read goes on from there."""
        self._raw.seek(offset)
        return self._raw.read(size)

    def _piece(self, size: int) -> bytes:
        try:
            piece = self._data.read(size)
        except self._faults as error:
            raise self._broken(str(error)) from error
        self.position += len(piece)
        if not piece and self.position < self._least:
            raise self._broken(f"it should hold {self._least:,}")
        done = self._raw.tell()
        if not self.plain:
            check_expansion(self.path, self.position, done)
        if self._progress is not None:
            self._progress(min(done, self.size), self.size)
        return piece

    def _broken(self, reason: str) -> FormatError:
        return FormatError(
            f"the compressed data is broken after {self.position:,} bytes: {reason}.",
            path=self.path,
            hint="the file is damaged or incomplete; fetch it again.",
        )

    def close(self) -> None:
        """Close the file."""
        if self._data is not self._raw:
            self._data.close()
        if self._archive is not None:
            self._archive.close()
        self._raw.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def choose_member(archive: zipfile.ZipFile, path: Path, member: str | None) -> zipfile.ZipInfo:
    """The member of a zip archive that holds the vectors."""
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
        raise FormatError(
            "this is a document of an office program, not vectors.",
            path=path,
            hint="save it as text: on each line a word and its numbers, with spaces or tabs between them.",
        )
    asked = "" if member is None else f" none or several of them called {in_short(member)}:"
    there = join_words([without_middle(name, 60) for name in names], most=8)
    raise FormatError(
        f"the zip archive holds {len(infos)} files,{asked} {there}."
        if infos
        else "the zip archive holds no files.",
        path=path,
        hint='say which one to read, as in member="..."; or extract it.',
    )

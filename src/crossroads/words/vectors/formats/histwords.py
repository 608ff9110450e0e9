"""HistWords folders: for every decade ``1900-w.npy`` and ``1900-vocab.pkl``.

Hamilton, Leskovec and Jurafsky (2016), doi:10.18653/v1/P16-1141. A word that does not occur in a decade has
a row of zeros there. Such rows are kept: measures treat a zero vector as absent.
"""

from __future__ import annotations

import re
from pathlib import Path

from crossroads.core.errors import FormatError, join_words
from crossroads.core.storage.arrays import map_array
from crossroads.words.vectors.formats.arrays import read_labels
from crossroads.words.vectors.reader import Reading, Request
from crossroads.words.vectors.rows import select

_VECTORS = re.compile(r"(\d{3,4})-w\.npy")


def decades(folder: Path) -> list[int]:
    """The decades of a folder, in order; empty if it is not a HistWords folder."""
    found = (_VECTORS.fullmatch(entry.name) for entry in folder.iterdir())
    return sorted(int(match[1]) for match in found if match)


def read_decade(folder: Path, decade: int, request: Request) -> Reading:
    """Read one decade of a folder."""
    vectors, words = folder / f"{decade}-w.npy", folder / f"{decade}-vocab.pkl"
    if not words.is_file():
        raise FormatError(
            f"the words of the decade {decade} are missing: {words.name}.",
            path=folder,
            hint="every decade needs two files, such as 1900-w.npy and 1900-vocab.pkl.",
        )
    return select(read_labels(words), map_array(vectors), request=request, path=vectors, decade=decade)


def read(path: Path, request: Request) -> Reading:
    """Read a folder that holds a single decade."""
    found = decades(path)
    if len(found) != 1:
        raise FormatError(
            f"the folder holds {len(found)} decades: {join_words([str(d) for d in found], most=6)}."
            if found
            else "the folder holds no HistWords decades.",
            path=path,
            hint="name one of its files, such as folder/1900-w.npy; load_series, and in the shell mleat and "
            "audit, read every decade."
            if found
            else "expected files such as 1900-w.npy and 1900-vocab.pkl.",
        )
    return read_decade(path, found[0], request)

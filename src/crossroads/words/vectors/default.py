"""The default vectors, which are part of the package: words of GloVe 6B, 50 dimensions.

Pennington, Socher and Manning (2014), doi:10.3115/v1/D14-1162; in the public domain (PDDL 1.0). Of the
400,000 words of the file, those that audits need and the most frequent ones are included, each with its rank
in the file, so that audits give the same numbers. ``packages/default.py`` writes the files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError
from crossroads.core.storage.arrays import map_array
from crossroads.core.storage.files import checksum
from crossroads.words.vectors.reader import Reading, Request
from crossroads.words.vectors.rows import select

NAME = "GloVe 6B, 50 dimensions"
"""The name of the vectors in results."""
FOLDER = Path(__file__).with_name("glove")
"""Where their files are."""
ABOUT = "about.json"
"""The file about them, with their licence and checksums."""
FILES = ("vectors.npy", "words.txt", "ranks.npy")
"""Their files."""
POOL = 20_000
"""Size of a pool up to which it is that of all words, whatever words a test has."""
POWERS = np.array([1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11])
"""What digits are divided by."""
ZERO = 1 << 17
"""How digits that are 0 are stored: negative ones are below."""
_REINSTALL = "pip install --force-reinstall crossroads-audit"


def about() -> dict[str, Any]:
    """What the file about the vectors says, among it the checksums of the others."""
    file = FOLDER / ABOUT
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise FormatError(
            f"the default vectors are damaged: {ABOUT} cannot be read.", path=file, hint=_REINSTALL
        ) from error


def unpack(rows: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The numbers of rows. GloVe has five digits of each: 18 bits for them, and 3 for the power of ten."""
    codes = rows.reshape(len(rows), -1, 3).astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    numbers: NDArray[np.float32] = (((codes >> 3) - ZERO) / POWERS[codes & 7]).astype(np.float32)
    return numbers


def read(request: Request) -> Reading:
    """Read the default vectors; every file must have its checksum."""
    described = about()
    paths = {name: FOLDER / name for name in FILES}
    for name, path in paths.items():
        if not path.is_file() or checksum(path) != described["sha256"][name]:
            wrong = "is damaged" if path.is_file() else "is missing"
            raise FormatError(f"{name} of the default vectors {wrong}.", path=path, hint=_REINSTALL)
    words = paths["words.txt"].read_text(encoding="utf-8").split("\n")[:-1]
    matrix, ranks = map_array(paths["vectors.npy"]), map_array(paths["ranks.npy"]).astype(np.int64)
    return select(words, matrix, request, decode=unpack, ranks=ranks, **described["details"])

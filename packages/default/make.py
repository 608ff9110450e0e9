"""Build ``crossroads-default``: the words of GloVe 6B that audits need, out of the package that has them all.

``python packages/default/make.py [FOLDER]`` writes the data, and builds a wheel and a source distribution
with PyPA's ``build``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crossroads.audit.job import POOL
from crossroads.measures.intersectional.published import intersectional_words
from crossroads.sources.vectors import embedded
from crossroads.sources.vectors.files.parquet import read_words
from crossroads.sources.vectors.pool import Pool
from crossroads.sources.vectors.reader import Request, Vocabulary
from crossroads.stimuli import catalog
from crossroads.storage.arrays import map_array
from crossroads.storage.files import checksum

HERE = Path(__file__).parent
FREQUENT = 30_000
"""How many of the most frequent words are kept, for tests of one's own."""


def stimuli() -> set[str]:
    """Every word of the catalogue that is measured with one vector per word, as the file spells it."""
    known = catalog()
    words = [word for name in known.of_kind("design") for word in known.design(name).words]
    return {word.lower() for word in [*words, *intersectional_words()]}


def chosen(words: Sequence[str], wanted: Iterable[str]) -> list[int]:
    """The rows to keep.

    The pool of a test leaves out its own words, so that as many more are kept as there are stimuli: whatever
    words are asked for, the pool is that of the whole file.

    Parameters
    ----------
    words
        All words, by frequency.
    wanted
        The stimuli.
    """
    wanted = frozenset(wanted)
    request = Request(wanted=frozenset(), pool=POOL + len(wanted), usually_ranked=True)
    pool = Pool(request, Vocabulary(words, request=request), 0, np.float32)
    named = [row for row, word in enumerate(words) if word in wanted]
    return sorted({*range(min(FREQUENT, len(words))), *named, *pool.settle(words)})


def write_data(folder: Path, found: embedded.Installed) -> None:
    """Write the data of the package.

    Parameters
    ----------
    folder
        A new folder for its files.
    found
        The package with all words.
    """
    words = read_words(found.files[embedded.FILES[embedded.PACKAGE][1]], "index")
    rows: NDArray[np.int64] = np.array(chosen(words, stimuli()), dtype=np.int64)
    folder.mkdir(parents=True)
    np.save(folder / "vectors.npy", np.asarray(map_array(found.vectors)[rows]))
    np.save(folder / "ranks.npy", rows + 1)
    (folder / "words.txt").write_text("".join(f"{words[row]}\n" for row in rows), encoding="utf-8")
    about = {
        "vectors": "GloVe 6B, 50 dimensions",
        "doi": "10.3115/v1/D14-1162",
        "licence": "PDDL-1.0",
        "words": f"{len(rows):,} of {len(words):,}, by frequency",
        "made from": {
            "package": found.package,
            "version": found.version,
            "sha256": {name: checksum(path) for name, path in found.files.items()},
        },
        "sha256": {name: checksum(folder / name) for name in embedded.FILES[embedded.OWN][:3]},
    }
    (folder / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def build(folder: Path) -> list[Path]:
    """Build the package; returns its wheel and its source distribution.

    Parameters
    ----------
    folder
        Where they are written.
    """
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy2(HERE / name, source / name)
    write_data(source / "crossroads_default", embedded.locate("glove-6b-50d"))
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(source)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(source)
    return sorted(folder.glob("crossroads_default-*"))


if __name__ == "__main__":
    for made in build(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")):
        print(f"{made} ({made.stat().st_size / 1e6:.1f} MB)")

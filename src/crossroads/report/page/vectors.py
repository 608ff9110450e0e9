"""The vectors that an audit saves: those of its stimuli, in numpy format without pickles."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.evidence import Embeddings
from crossroads.report.audit import Audit
from crossroads.stimuli import Design

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time of an archive: equal vectors give equal bytes


def stimulus_vectors(emb: Embeddings, audit: Audit, designs: Iterable[Design]) -> Embeddings | None:
    """The vectors of all words of designs and results; None if the model has none of them."""
    words = [word for word in dict.fromkeys(_words(audit, designs)) if word in emb]
    return emb.select(words) if words else None


def _words(audit: Audit, designs: Iterable[Design]) -> Iterator[str]:
    for design in designs:
        yield from design.words
    for _, result in audit.named():
        if result.coverage is not None:
            for used in result.coverage.used.values():
                yield from used


def write_vectors(path: Path, emb: Embeddings) -> None:
    """Write labels, vectors and rules of spelling as ``.npz``; the vectors keep their type."""
    arrays = {
        "labels": np.array(emb.labels, dtype=np.str_),
        "vectors": np.ascontiguousarray(emb.vectors),
        "fallback": np.array(emb.fallback, dtype=np.str_),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"{name}.npy", date_time=_EPOCH)
            info.external_attr = 0o600 << 16
            archive.writestr(info, _bytes(array))


def _bytes(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    npy.write_array(file, array, allow_pickle=False)
    return file.getvalue()

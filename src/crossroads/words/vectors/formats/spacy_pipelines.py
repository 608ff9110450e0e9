"""The static vectors of a spaCy pipeline, by name or folder.

Small pipelines are pruned: several words then share one vector, and an association test on them compares a
word with itself. A warning is given if words that were asked for share a vector.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsWarning, FormatError, join_words, require
from crossroads.words.vectors.reader import Reading, Request
from crossroads.words.vectors.rows import select_rows


def is_pipeline_folder(folder: Path) -> bool:
    """Whether a folder looks like a saved pipeline."""
    return (folder / "meta.json").is_file() and (folder / "vocab").is_dir()


def is_installed_pipeline(name: str) -> bool:
    """Whether a name is that of an installed pipeline package; none of its code is run."""
    if not name.isidentifier():
        return False
    spec = importlib.util.find_spec(name)
    folders = [] if spec is None else spec.submodule_search_locations or []
    return any((Path(folder) / "meta.json").is_file() for folder in folders)


def read(name: str | Path, request: Request) -> Reading:
    """Read the vectors of a pipeline."""
    spacy = require("spacy", extra="spacy", purpose="reading spaCy pipelines")
    path = Path(name)
    try:
        pipeline = spacy.load(path if path.exists() else str(name))
    except (OSError, ValueError) as error:
        raise FormatError(
            f"spaCy cannot load this pipeline: {error!s:.200}", hint="python -m spacy download NAME"
        ) from error
    table = pipeline.vocab.vectors
    strings = pipeline.vocab.strings
    rows_of = {strings[key]: int(row) for key, row in table.key2row.items() if key in strings and row >= 0}
    if not rows_of or 0 in table.shape:
        raise FormatError(
            "the pipeline has no static vectors.", hint="those ending in _md and _lg have some."
        )
    words, places = list(rows_of), list(rows_of.values())

    def fetch(rows: list[int]) -> NDArray[np.float32]:
        vectors = (table.data[places[row]] for row in rows)  # on a GPU, they have to be fetched
        return np.stack([np.asarray(v.get() if hasattr(v, "get") else v, np.float32) for v in vectors])

    by_row: dict[int, list[str]] = defaultdict(list)
    for word, row in rows_of.items():
        if request.wanted is None or word in request.wanted:
            by_row[row].append(word)
    shared = [" = ".join(words) for words in by_row.values() if len(words) > 1]
    if shared and request.wanted is not None:
        warnings.warn(
            f"{path}: {len(shared)} vector(s) are shared by several words: {join_words(shared, most=3)}. "
            "The pipeline was pruned; do not use it for association tests.",
            CrossroadsWarning,
            stacklevel=3,
        )
    meta: dict[str, Any] = dict(pipeline.meta)
    pipeline_name = f"{meta.get('lang')}_{meta.get('name')}"
    reading = select_rows(words, fetch, request, shared_vectors=len(shared), pipeline=pipeline_name)
    return replace(reading, revision=meta.get("version"))

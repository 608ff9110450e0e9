"""Kinds of models in words, and short names of models, from the files that they were read from.

A path is specific to one machine. Titles, tables and legends show a name instead: the stem of its file, and
as many of the folders above it as distinguish it from the others. Names of packages, of models on a hub
(``org/model``) and addresses are names already.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from crossroads.core.evidence.embeddings import Provenance

_ENDINGS = (
    *(".txt", ".vec", ".bin", ".model", ".kv", ".w2v", ".vectors", ".npy", ".npz", ".pkl", ".pickle"),
    *(".h5", ".hdf5", ".gguf", ".safetensors", ".parquet", ".json", ".jsonl", ".csv", ".tsv"),
    *(".gz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".tgz"),
)  # fmt: skip
GENERIC = ("model", "models", "checkpoint", "final", "output", "outputs")
"""Names of folders that do not say which model is in them."""
_ABSOLUTE = re.compile(r"[\\/~]|[A-Za-z]:[\\/]")
_BETWEEN = re.compile(r"[\\/]+")
KINDS: Mapping[str, str] = {
    "vectors": "static word vectors",
    "series": "word vectors of several decades",
    "encoder": "a contextual encoder",
    "language model": "a masked or causal language model",
    "vision-language": "a vision–language model",
    "endpoint": "an embedding service",
    "contexts": "saved context vectors",
    "logits": "saved answers of a language model",
    "results": "saved results",
}
"""Kinds of models that can be audited, with their descriptions."""


def recorded_path(path: str | os.PathLike[str]) -> str:
    """A path as provenance records it: relative to the current folder if it is inside, otherwise as given."""
    given = os.fspath(path)
    if not Path(given).is_absolute():
        return given
    try:
        return Path(given).relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):  # elsewhere, or the current folder no longer exists
        return given


def model_name(about: Provenance) -> str:
    """The name of a model: the stem of its file, the name of its folder, or its own name.

    Examples
    --------
    >>> model_name(Provenance(source="/home/me/glove.6B.300d.txt.gz", format="glove-text"))
    'glove.6B.300d'
    >>> model_name(Provenance(source="org/model", format="transformers"))
    'org/model'
    """
    return _written(about, 1) if _is_path(about) else about.source


def distinct_names(models: Sequence[Provenance]) -> list[str]:
    """A distinct name for each model: with endings, or with folders, if stems are the same."""
    names = []
    for model in models:
        alike = [other for other in models if model_name(other) == model_name(model)]
        distinct = len({other.source for other in alike}) > 1
        names.append(_distinguished(model, alike) if distinct else model_name(model))
    return numbered(names)


def numbered(names: Sequence[str]) -> list[str]:
    """Names with a number after those that occurred before."""
    distinct: list[str] = []
    for name in names:
        own, number = name, 1
        while own in distinct or (number > 1 and own in names):
            number += 1
            own = f"{name} ({number})"
        distinct.append(own)
    return distinct


def _distinguished(about: Provenance, alike: Sequence[Provenance]) -> str:
    """The shortest name that is unique to the source of a model; the common one if there is none."""
    for size in range(len(_BETWEEN.split(about.source)) + 1) if _is_path(about) else ():
        name = _written(about, size)
        same = [other for other in alike if _is_path(other) and _written(other, size) == name]
        if all(other.source == about.source for other in same):
            return name
    return model_name(about)


def _written(about: Provenance, size: int) -> str:
    """The last folders of a path and its stem, one more if that is generic; for 0, its last part as it is."""
    if size == 0:
        return _BETWEEN.split(about.source.rstrip("\\/"))[-1]
    parts = [part for part in _BETWEEN.split(about.source) if part not in ("", ".", "..", "~")]
    last = _stem(parts[-1]) or parts[-1] if parts else about.source
    if size == 1 and last.lower() in GENERIC:
        size = 2
    return "/".join([*parts[:-1], last][-size:])


def _is_path(about: Provenance) -> bool:
    """Whether a source is a path; sources in memory keep their name."""
    source = about.source
    if "://" in source:
        return False
    if _ABSOLUTE.match(source):
        return len(_BETWEEN.sub("", source)) > 0
    if about.format == "in memory":
        return False
    folders = len(_BETWEEN.split(source))
    return folders > 2 or source.startswith(".") or "\\" in source or _stem(source) != source


def _stem(name: str) -> str:
    shorter = name.rpartition(".")[0]
    while shorter and name.lower().endswith(_ENDINGS) and not shorter.endswith(("/", "\\")):
        name, shorter = shorter, shorter.rpartition(".")[0]
    return name

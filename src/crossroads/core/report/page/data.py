"""The data of a page: its audits, without what it does not show, and the vectors that an audit saves.

Numbers keep their JSON pointer in ``results.json`` even if other values are left out, so that every number on
the page can be looked up there.
"""

from __future__ import annotations

import base64
import io
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, FormatError
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.evidence.model_names import KINDS
from crossroads.core.report.audit import Audit, Concluded
from crossroads.core.report.documents.records import DRAWS, MOST_DRAWS, Record, source_names
from crossroads.core.results import SCHEMA, pointer_part, versions
from crossroads.core.stimuli import Design, catalog
from crossroads.core.storage.arrays import ArrayArchive
from crossroads.core.subjects import brought
from crossroads.core.wording import phrases
from crossroads.core.wording.table import Table

MOST_NUMBERS = 20_000  # other lists of numbers, such as one per word, are kept up to this length
BINS = 60  # bars of a histogram
BUDGET = 9_000_000  # largest size in bytes of the vectors of all audits of a page
OTHERS_BUDGET = 2_000_000
"""Largest size in bytes of the vectors of other words than stimuli, of all audits of a page."""
PAIRS = 20_000  # random pairs of these words of which the error of the cosine is measured
VECTORS = "vectors.npz"  # the file of the vectors, in the folder of an audit
MOST_OTHERS = 4_000
"""Words beyond the stimuli that are saved and shown, so that readers can try words of their own."""
_OTHERS = ("other_labels", "other_vectors")  # arrays of the vectors of these words
_COMMON = "common"  # the array by which near copies are found
_AGAIN = "run the audit again."
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time of an archive: equal vectors give equal bytes
_INNER = ("provenance", "versions", "coverage")
_QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
_LEVELS = ("level1", "level2")
_CONTAINERS = frozenset({dict, list, tuple})


def page_data(records: Sequence[Record], *, title: str, comparisons: Sequence[Record] = ()) -> dict[str, Any]:
    """The data that the script of a page reads: a record for each model, and comparisons of these."""
    models = max(1, sum(one.vectors is not None for one in records))
    share = BUDGET // models, OTHERS_BUDGET // models
    documents, papers = [one.document for one in (*records, *comparisons)], brought("published")
    known = {name: found for module in papers for name, found in module.findings_on(documents).items()}
    groups = catalog().groups("ceat-groups").members  # by short name: their label, and the names behind them
    return {
        "version": versions()["crossroads"],
        "schema": SCHEMA,
        "title": title,
        "written": _today(),
        "kinds": dict(KINDS),
        "phrases": phrases.as_json(),
        "audits": [_audit(one, share) for one in records],
        "comparisons": [_audit(one, share) for one in comparisons],
        "findings": {name: [one.to_dict() for one in numbers] for name, numbers in known.items()},
        "fidelity": [one for module in papers for one in module.fidelity()],
        "groups": {one.name: {"label": one.label, "names": list(one.items)} for one in groups},
    }


def _today() -> str:
    """The day the page is written; ``SOURCE_DATE_EPOCH`` can fix it, for pages that are to be equal."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
    return now.date().isoformat()


def _audit(record: Record, budget: tuple[int, int]) -> dict[str, Any]:
    slim = _Slim(source_names(record.results))
    results = [slim(one, f"/results/{number}") for number, one in enumerate(record.results)]
    document = {**record.document, "results": results}
    return {
        "document": document,
        "histograms": slim.histograms,
        "vectors": None if record.vectors is None else _packed(record.vectors, _words(document), *budget),
        "gate": record.gate,
        "methods": record.methods,
        "citations": record.citations,
        "unshown": dict(record.unshown),
        "marks": dict(record.marks),
        "conclusions": [_concluded(one) for one in record.conclusions],
        "tables": {kind: _table(one.shortened()) for kind, one in record.tables.items() if one.rows},
    }


def _concluded(one: Concluded) -> dict[str, Any]:
    """What a result comes to, with the JSON pointers of its numbers."""
    shown = ("status", "heading", "drawn", "parts", "subject", "rival", "poles", "scale", "middle")
    said = {name: getattr(one.found, name) for name in ("name", *shown)}
    numbers = one.found.numbers.items()
    at = {
        role: place if place[0] == "/" else f"/results/{one.result}/{place}" for role, (place, _) in numbers
    }
    return {**said, "section": one.section, "at": at}


def _table(table: Table) -> dict[str, Any]:
    """A table for results that have no own view on the page."""
    return {
        "title": table.title,
        "heads": [one.head for one in table.columns],
        "right": table.right(),
        "cells": table.cells(),
        "reading": table.reading(),
    }


class _Slim:
    """Results without what a page does not show; long lists of draws become histograms.

    Sources are called by their names: paths are only in ``results.json``. Lists and mappings that contain no
    others are not copied.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.histograms: dict[str, Any] = {}
        """Histograms by the JSON pointer of their draws."""

    def __call__(self, value: Any, path: str, *, inner: bool = False) -> Any:
        """A value, of which ``inner`` parts repeat what a result around them has."""
        if not isinstance(value, (Mapping, list)):
            return value
        if isinstance(value, Mapping):
            if _CONTAINERS.isdisjoint(map(type, value.values())):
                return value  # such as a number for each word
            levels = value.get("type") in ("MleatResult", "MultilevelCeatResult")
            return {
                key: self(
                    self._named(key, one),
                    f"{path}/{pointer_part(key)}",
                    inner=inner or (levels and key in _LEVELS),
                )
                for key, one in value.items()
                if not _is_left_out(value, key, path, inner=inner)
            }
        most = MOST_DRAWS if path.rpartition("/")[2] in DRAWS else MOST_NUMBERS
        if len(value) > most and {int, float}.issuperset(map(type, value)):
            self.histograms[path] = histogram(value)
            return None
        if _depth(value) > 2:
            return None
        if _CONTAINERS.isdisjoint(map(type, value)):
            return value
        return [self(one, f"{path}/{number}", inner=inner) for number, one in enumerate(value)]

    def _named(self, key: str, value: Any) -> Any:
        """A provenance with the names of its sources; any other value as it is."""
        if key != "provenance" or not isinstance(value, list):
            return value
        return [{**one, "source": self.names.get(one["source"], one["source"])} for one in value]


def _is_left_out(value: Mapping[str, Any], key: str, path: str, *, inner: bool) -> bool:
    """Whether a page shows a key elsewhere, or not at all."""
    if value.get("type") == "CeatResult" and key == "cosines":
        return True  # the page shows changes from model to model, not the cosines behind them
    return inner and (key in _INNER or (key == "sets" and "/level2/" in f"{path}/"))  # those of Level 1


def _depth(value: Any) -> int:
    """How deep lists of numbers are nested."""
    if not isinstance(value, list):
        return 0
    first = next((one for one in value if one is not None), None)
    return 1 + _depth(first) if isinstance(first, (list, int, float)) else 0


def histogram(values: Sequence[float]) -> dict[str, Any]:
    """Counts of numbers in each of sixty equal bins."""
    array = np.asarray(values, dtype=float)
    with np.errstate(over="ignore"):  # numbers of a file that somebody changed
        counts, edges = np.histogram(array, bins=BINS)
    return {
        "low": float(edges[0]),
        "high": float(edges[-1]),
        "counts": counts.tolist(),
        "n": int(array.size),
        "quantiles": dict(zip(map(str, _QUANTILES), np.quantile(array, _QUANTILES).tolist(), strict=True)),
    }


def _words(document: Mapping[str, Any]) -> list[str]:
    parts = [design.get(key) or [] for design in document["designs"] for key in ("x", "y", "a", "b")]
    sets = [part.get("items") or [] if isinstance(part, Mapping) else part for part in parts]
    covered = [result.get("coverage") or {} for result in document["results"]]
    used = [words for one in covered for words in (one.get("used") or {}).values()]
    return list(dict.fromkeys(word for words in (*sets, *used) for word in words))


def _packed(emb: Embeddings, words: Iterable[str], budget: int, others: int) -> dict[str, Any]:
    """Vectors as text: exact if there is room, otherwise rounded to 1/32,767 of their largest value.

    ``others`` is the room for other words than these. The page normalises all to unit vectors, so the size of
    a step is not needed.
    """
    rows = {word: match.row for word in words if (match := emb.find(word)) is not None}
    # any word of the file may be used, stimuli first
    labels, array = list(emb.labels), np.ascontiguousarray(emb.vectors)
    aliases = {word: row for word, row in rows.items() if labels[row] != word}
    kind, data = _numbers(array, budget)
    if data is None:
        return {"absent": f"the vectors of {len(labels):,} words would take {array.size * 2 / 1e6:.0f} MB"}
    return {
        "labels": labels,
        "aliases": aliases,
        "dim": int(array.shape[1]),
        "type": kind,
        "data": base64.b64encode(data).decode("ascii"),
        "others": _others(emb, others),
        "vocabulary": _vocabulary(emb, others),
    }


def _vocabulary(emb: Embeddings, budget: int) -> str | None:
    """The covariance by which near copies are found, its lower triangle in 32 bits; None where there is none.

    It is empty where there is no room: then the page counts every word as independent, and says so.
    """
    if emb.common is None or emb.dim * (emb.dim + 1) * 8 // 3 > budget:
        return None if emb.common is None else ""
    covariance = emb.vocabulary
    if covariance is None:
        return None
    lower = covariance[np.tril_indices(emb.dim)].astype("<f4")
    return base64.b64encode(lower.tobytes()).decode("ascii")


def _others(emb: Embeddings, budget: int) -> dict[str, Any] | None:
    """Common words beyond the stimuli, each rounded to 1/127 of its largest value.

    What that does to cosines is measured over random pairs, and the largest error is shown on the page.
    """
    pool = other_words(emb, min(MOST_OTHERS, budget * 3 // 4 // emb.dim))
    if pool is None:
        return None
    array = pool.vectors.astype(np.float64)
    steps = _steps(array, 127).astype("i1")
    first, second = np.random.default_rng(0).integers(len(pool), size=(2, PAIRS))
    error = _cosines(array, first, second) - _cosines(steps.astype(np.float64), first, second)
    return {
        "labels": list(pool.labels),
        "data": base64.b64encode(steps.tobytes()).decode("ascii"),
        "error": float(np.abs(error).max()),
        "pairs": PAIRS,
    }


def _cosines(rows: NDArray[np.float64], first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.einsum("ij,ij->i", units[first], units[second]))


def _steps(array: NDArray[Any], most: int) -> NDArray[np.float64]:
    """Vectors in whole steps, ``most`` of them up to the largest value of each."""
    largest = np.abs(array).max(axis=1).astype(np.float64)
    largest[largest == 0] = 1.0
    return np.asarray(np.rint(array / largest[:, None] * most))


def _numbers(array: NDArray[Any], budget: int) -> tuple[str, bytes | None]:
    """The smallest type that represents the numbers exactly, or sixteen bits if that is too large."""
    with np.errstate(over="ignore"):
        single = array.astype("<f4")
        whole = single if np.array_equal(single.astype(array.dtype), array) else array.astype("<f8")
    if whole.nbytes * 4 // 3 <= budget:
        return whole.dtype.name, whole.tobytes()
    fits = array.size * 2 * 4 // 3 <= budget
    return "int16", _steps(array, 32767).astype("<i2").tobytes() if fits else None


def stimulus_vectors(emb: Embeddings, audit: Audit, designs: Iterable[Design]) -> Embeddings | None:
    """The vectors of all words of designs and results; None if the model has none of them."""
    stimuli = [word for design in designs for word in design.words]
    covered = [result.coverage for _, result in audit.named() if result.coverage is not None]
    stimuli += [word for coverage in covered for used in coverage.used.values() for word in used]
    words = [word for word in dict.fromkeys(stimuli) if word in emb]
    return emb.select(words) if words else None


def other_words(emb: Embeddings, most: int = MOST_OTHERS) -> Embeddings | None:
    """The first words of the pool that are not among the vectors themselves; None if there is no pool.

    A pool is in the order of its file, so that these are the most frequent words where that is the order.
    """
    pool = emb.pool
    if pool is None or pool is emb:
        return None
    known, measurable = set(emb.labels), np.asarray(pool.vectors.any(axis=1))
    rows = [row for row, label in enumerate(pool.labels) if label not in known and measurable[row]][:most]
    labels = [pool.labels[row] for row in rows]
    return Embeddings(labels, pool.vectors[rows], provenance=emb.provenance) if rows else None


def write_vectors(path: Path, emb: Embeddings) -> None:
    """Write labels, vectors and rules of spelling as ``.npz``; the vectors keep their type.

    Common words, of the pool and of the source, are written next to them, where there are any.
    """
    arrays = {
        "labels": np.array(emb.labels, dtype=np.str_),
        "vectors": np.ascontiguousarray(emb.vectors),
        "fallback": np.array(emb.fallback, dtype=np.str_),
    }
    others = other_words(emb)
    if others is not None:
        words, vectors = np.array(others.labels, dtype=np.str_), np.ascontiguousarray(others.vectors)
        arrays |= dict(zip(_OTHERS, (words, vectors), strict=True))
    if emb.common is not None:
        arrays[_COMMON] = np.ascontiguousarray(emb.common)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            info, file = zipfile.ZipInfo(f"{name}.npy", date_time=_EPOCH), io.BytesIO()
            info.external_attr = 0o600 << 16
            npy.write_array(file, array, allow_pickle=False)
            archive.writestr(info, file.getvalue())


def read_vectors(path: Path, model: str) -> Embeddings:
    """The vectors and rules of spelling that an audit saved; the pool are the other words in the file."""
    with ArrayArchive(path, hint=_AGAIN) as archive:
        if missing := {"labels", "vectors", "fallback"}.difference(archive.names):
            message = f"these are not the vectors of an audit: there are no {min(missing)}."
            raise FormatError(message, path=path, hint=_AGAIN)
        labels, vectors = _labels(archive, "labels"), archive.read("vectors")
        fallback, has_others = _labels(archive, "fallback"), set(_OTHERS).issubset(archive.names)
        others = (_labels(archive, _OTHERS[0]), archive.read(_OTHERS[1])) if has_others else None
        common = archive.read(_COMMON) if _COMMON in archive.names else None
    if common is not None and (common.dtype.kind not in "fiu" or common.shape[1:] != vectors.shape[1:]):
        message = f"common vectors are of type {common.dtype!s:.60}, shape {common.shape!s:.60}."
        raise FormatError(message, path=path, hint=_AGAIN)
    provenance = Provenance(source=model, format="npz")
    try:
        found = Embeddings(labels, vectors, provenance=provenance, fallback=fallback, common=common)
        return found if others is None else found.with_pool(Embeddings(*others, provenance=provenance))
    except CrossroadsError as error:
        message = f"these are not the vectors of an audit: {error.message}"
        raise FormatError(message, path=path, hint=_AGAIN) from error


def _labels(archive: ArrayArchive, name: str) -> list[str]:
    array = archive.read(name)
    if array.ndim != 1 or array.dtype.kind != "U":
        raise FormatError(f"{name} are of type {array.dtype!s:.60}.", path=archive.path, hint=_AGAIN)
    return [str(one) for one in array]

"""What a page shows of one model, and ``results.json``, in which it is written.

In the file, what many results share is in tables (``shared``), each once, and a result has the place of its
entry instead, under the same key. An entry with a ``shape`` is an array of 64-bit floats, little-endian, in
base64.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crossroads.core.errors import FormatError, UnknownNameError, in_short
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.evidence.model_names import distinct_names, model_name
from crossroads.core.report.audit import Audit, Concluded, by_label, conclusions_of, marks_of, tables_of
from crossroads.core.results import SCHEMA, Result, result_kinds, versions
from crossroads.core.stimuli.files.text import load_json, read_text
from crossroads.core.wording.table import Table

UNNAMED = "unnamed model"  # name of a model that no result names
Plain = Mapping[str, Any]
REPEATED = frozenset({"conventions", "coverage", "provenance", "sets", "titles", "versions"})
"""Fields that many results have in common."""
DRAWS = frozenset(
    {"effect_sizes", "sample_variances", "samples1", "samples2", "statistics", "topic_statistics"}
    | {f"sample_effect_sizes{target}" for target in ("", "_x", "_y")}
)
"""Names of lists of draws, whose single numbers are not of interest."""
MOST_DRAWS = 400  # longer lists of draws are in base64 in files, and a histogram on a page
ARRAYS = DRAWS | {"geometry"}  # fields that are in base64 where they have more numbers than that
_INNERMOST = re.compile(r"[\[{]\n[^][{}]*[\]}]")


@dataclass(frozen=True, kw_only=True)
class Record:
    """Data on one model: the content of its ``results.json``, and of the files next to it."""

    document: Mapping[str, Any]  # the content of ``results.json``
    vectors: Embeddings | None = None  # vectors of the stimuli, if they were saved
    gate: Mapping[str, Any] | None = None  # verdicts of the rules, if there were any
    methods: str = ""  # the methods: a paragraph and a table of conventions
    citations: str = ""  # the citations, in BibTeX
    tables: Mapping[str, Table] = field(default_factory=dict)
    """Tables of the results by type, as in all outputs."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Signs before adjusted p-values, by their place in the document."""
    conclusions: Sequence[Concluded] = ()  # what the results come to, in sentences
    place: str = ""  # the folder of the audit or the file that it was read from, with ``/`` between its parts
    unshown: Mapping[str, str] = field(default_factory=dict)
    """Other contents of the file, with the reason why no page shows them."""

    @property
    def model(self) -> str:
        """The model, as its results name it."""
        return str(self.document["model"])

    @property
    def results(self) -> list[Mapping[str, Any]]:
        """The results as plain data."""
        return list(self.document["results"])


def audit_document(audit: Audit, designs: Iterable[Any] = ()) -> dict[str, Any]:
    """The content of the ``results.json`` of an audit, without rounding."""
    return document_of(
        list(audit),
        [one.to_dict() for one in audit.values()],
        kind=audit.kind,
        model=audit.model,
        designs=[one.to_dict() for one in designs],
        skipped={name: why for name, (_, why) in audit.unmeasured().items()},
    )


def audit_record(audit: Audit, designs: Iterable[Any] = (), **fields: Any) -> Record:
    """The record of an audit for a page; other fields of :class:`Record` as they are."""
    return Record(document=audit_document(audit, designs), **described(audit), **fields)


def described(results: Mapping[str, Result]) -> dict[str, Any]:
    """What results say of themselves, as fields of a record."""
    return {
        "tables": tables_of(results),
        "marks": marks_of(results.values()),
        "conclusions": conclusions_of(results),
    }


def results_document(results: Iterable[Result], *, model: str | None = None) -> dict[str, Any]:
    """The same for results that are not from an audit."""
    named = by_label(results)
    return document_of(list(named), [one.to_dict() for one in named.values()], model=model)


def document_of(names: Sequence[str], results: Sequence[Plain], **about: Any) -> dict[str, Any]:
    """A document with every key that readers rely on, in one order; by default it names its first model."""
    found = next((one["provenance"][0] for one in results if one.get("provenance")), None)
    model = UNNAMED if found is None else model_name(Provenance.from_dict(found, keep=True))
    return {
        "crossroads": about.get("crossroads", versions()["crossroads"]),
        "schema": SCHEMA,
        "kind": about.get("kind", "results"),
        "model": about.get("model") or model,
        "designs": about.get("designs", []),
        "skipped": about.get("skipped", {}),
        "names": list(names),
        "results": list(results),
    }


def tests_of(document: Mapping[str, Any]) -> list[str]:
    """Every design with results in a document."""
    names = [str(one["name"]) for one in document["designs"]]
    for result in document["results"]:
        tests = result.get("tests")  # of some results their number
        inside = tests if isinstance(tests, list) else []
        found = (one.get("design") for one in (result, *inside) if isinstance(one, dict))
        names += [name for name in found if isinstance(name, str)]
    return list(dict.fromkeys(names))


def revive(data: Mapping[str, Any]) -> Result:
    """A result of any type from its plain data."""
    known = {kind.__name__: kind for kind in result_kinds()}
    name = data.get("type")
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError("type of result", str(name), known)
    return known[name].from_dict(data)


def source_names(results: Iterable[Plain]) -> dict[str, str]:
    """A short name for every source of results, by the source in their provenance."""
    found: dict[str, Provenance] = {}
    for result in results:
        for one in result.get("provenance") or []:
            found.setdefault(one["source"], Provenance.from_dict(one, keep=True))
    return dict(zip(found, distinct_names(list(found.values())), strict=True))


def write_document(path: Path, document: Plain) -> None:
    """Write a document without rounding, innermost lists and objects on one line each."""
    text = json.dumps(packed(document), ensure_ascii=False, allow_nan=False, indent=1)
    # strings of JSON have no line breaks, so that a bracket before one opens a list or an object
    shown = _INNERMOST.sub(lambda found: re.sub(r"\n *", "", found[0]), text)
    path.write_text(shown + "\n", encoding="utf-8")


def read_document(path: str | Path) -> Any:
    """The content of a JSON file, with shared entries in their places."""
    path = Path(path)
    try:
        data = load_json(read_text(path, "a file as crossroads wrote it"), path, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise FormatError(f"not a JSON document: {error.msg}.", path=path, line=error.lineno) from error
    if not isinstance(data, dict) or "shared" not in data:
        return data
    try:
        return unpacked(data)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise FormatError(
            f"its shared entries are damaged: {in_short(str(error))}.", path=path, key="shared"
        ) from error


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def packed(document: Plain) -> dict[str, Any]:
    """A document as it is written: each shared entry once, in ``shared``."""
    tables: dict[str, dict[str, int]] = {}

    def share(key: str, entry: Any) -> int:
        table = tables.setdefault(key, {})
        return table.setdefault(json.dumps(entry, ensure_ascii=False, allow_nan=False), len(table))

    def pack(value: Any) -> Any:
        if isinstance(value, list):
            return [pack(one) for one in value]
        if not isinstance(value, Mapping):
            return value
        entries = _entries(value) if _is_result(value) else {}
        return {key: share(key, entries[key]) if key in entries else pack(one) for key, one in value.items()}

    results = [pack(one) for one in document["results"]]
    shared = {key: [json.loads(text) for text in tables[key]] for key in sorted(tables)}
    return {**document, "results": results, "shared": shared}


def unpacked(data: Plain) -> dict[str, Any]:
    """A document with shared entries in their places."""
    tables = {key: [_array(one) for one in table] for key, table in data["shared"].items()}

    def unpack(value: Any) -> Any:
        if isinstance(value, list):
            return [unpack(one) for one in value]
        if not isinstance(value, Mapping):
            return value
        shared = tables if _is_result(value) else {}
        return {
            key: shared[key][_place(one)] if key in shared and type(one) is int else unpack(one)
            for key, one in value.items()
        }

    return {key: unpack(value) for key, value in data.items() if key != "shared"}


def _is_result(value: Plain) -> bool:
    """Whether an object is a result, and not a mapping by words, which may be named like fields."""
    return isinstance(value.get("type"), str) and isinstance(value.get("schema"), int)


def _entries(result: Plain) -> dict[str, Any]:
    """The fields of a result that go to tables, as they are there."""
    found = {key: result[key] for key in REPEATED & result.keys() if result[key]}
    for key in ARRAYS & result.keys():
        if isinstance(result[key], list) and (entry := _in_base64(result[key])) is not None:
            found[key] = entry
    return found


def _in_base64(values: list[Any]) -> dict[str, Any] | None:
    """An array of many floats; None if it has few, or other values."""
    if len(values) * len(values) <= MOST_DRAWS:  # neither many rows, nor many numbers
        return None
    try:
        array = np.array(values)
    except ValueError:  # rows of different lengths
        return None
    if array.dtype != np.float64 or array.size <= MOST_DRAWS:
        return None
    return {"shape": list(array.shape), "float64": base64.b64encode(array.astype("<f8").tobytes()).decode()}


def _array(entry: Any) -> Any:
    """An entry of a table, an array as lists of numbers."""
    if not isinstance(entry, Mapping) or "shape" not in entry:
        return entry
    shape = entry["shape"]
    array = np.frombuffer(base64.b64decode(entry["float64"], validate=True), dtype="<f8")
    if math.prod(shape) != array.size or not np.isfinite(array).all():
        raise ValueError(f"{array.size} numbers of the shape {shape}")
    return array.reshape(shape).tolist()


def _place(place: int) -> int:
    if place < 0:
        raise IndexError(f"there is no entry {place}")
    return place

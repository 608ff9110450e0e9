"""Saved results of any kind, read back for a page: audits, documents of commands, single results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crossroads.errors import CrossroadsError, FormatError, InputError, UnknownNameError, in_short
from crossroads.evidence import Embeddings, Provenance
from crossroads.evidence.model_names import model_name, numbered
from crossroads.report.audit import (
    KINDS,
    Audit,
    Concluded,
    by_label,
    conclusions_of,
    marks_of,
    ordered,
    tables_of,
)
from crossroads.report.documents.contents import UNNAMED, by_model, completed, sources_of
from crossroads.report.documents.json_text import ascii_text, parsed
from crossroads.results import SCHEMA, Result, result_kinds, versions
from crossroads.stimuli import Design
from crossroads.stimuli.files.text import guarded
from crossroads.storage.arrays import ArrayArchive
from crossroads.wording.table import Table

MARK, VECTORS = "results.json", "vectors.npz"
"""The files of an audit that a page is made from."""
OTHERS = ("other_labels", "other_vectors")
"""Arrays of the vectors of other words than stimuli, in the file of the vectors."""
_AGAIN = "run the audit again."
_SHAPES: Mapping[str, type] = {
    "kind": str, "model": str, "designs": list, "skipped": dict, "names": list
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Record:
    """Data on one model: the content of its ``results.json``, and of the files beside it."""

    document: Mapping[str, Any]
    """The content of ``results.json``."""
    vectors: Embeddings | None = None
    """Vectors of the stimuli, if they were saved."""
    gate: Mapping[str, Any] | None = None
    """Verdicts of the rules, if there were any."""
    methods: str = ""
    """The methods: a paragraph and a table of conventions."""
    citations: str = ""
    """The citations, in BibTeX."""
    tables: Mapping[str, Table] = field(default_factory=dict)
    """Tables of the results by type, as in all outputs."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Signs before adjusted p-values, by their place in the document."""
    conclusions: Sequence[Concluded] = ()
    """What the results come to, in sentences."""
    place: str = ""
    """The folder of the audit or the file that it was read from, with ``/`` between its parts."""
    unshown: Mapping[str, str] = field(default_factory=dict)
    """Other contents of the file, with the reason why no page shows them."""

    @property
    def model(self) -> str:
        """The model, as its results name it."""
        return str(self.document["model"])

    @property
    def about(self) -> tuple[str, ...]:
        """The models of the results, from their provenance; empty if it is missing."""
        found = (sources_of(one) for one in self.results)
        return next((sources for sources in found if sources), ())

    @property
    def results(self) -> list[Mapping[str, Any]]:
        """The results as plain data."""
        return list(self.document["results"])


def audit_document(audit: Audit, designs: Iterable[Any] = ()) -> dict[str, Any]:
    """The content of the ``results.json`` of an audit, without rounding."""
    return _document(
        audit,
        kind=audit.kind,
        model=audit.model,
        designs=[one.to_dict() for one in designs],
        skipped={name: why for name, (_, why) in audit.unmeasured().items()},
    )


def audit_record(audit: Audit, designs: Iterable[Any] = (), **beside: Any) -> Record:
    """The record of an audit for a page; other fields of :class:`Record` as given."""
    return Record(document=audit_document(audit, designs), **described(audit), **beside)


def described(results: Mapping[str, Result]) -> dict[str, Any]:
    """What results say of themselves, as fields of a record."""
    return {
        "tables": tables_of(results),
        "marks": marks_of(results.values()),
        "conclusions": conclusions_of(results),
    }


def results_document(results: Iterable[Result], *, model: str | None = None) -> dict[str, Any]:
    """The same for results that are not from an audit."""
    return _document(by_label(results), kind="results", model=model)


def _document(results: Mapping[str, Result], *, kind: str, model: str | None, **more: Any) -> dict[str, Any]:
    plain = [one.to_dict() for one in results.values()]
    names = {"names": list(results), "results": plain}
    return _completed({"kind": kind, "model": model or _model_of(plain), **more, **names})


def _completed(given: Mapping[str, Any]) -> dict[str, Any]:
    """A document with every key that readers rely on, in one order."""
    empty: dict[str, Any] = {"designs": [], "skipped": {}, "names": []}
    head = {"crossroads": versions()["crossroads"], "schema": SCHEMA}
    named = {"kind": "results", "model": _model_of(given["results"])}
    whole = {**head, **named, **empty, **given}
    order = ("crossroads", "schema", "kind", "model", *empty, "results")
    return {key: whole[key] for key in order}


def _model_of(results: Iterable[Mapping[str, Any]]) -> str:
    """Name of the first model of the results."""
    found = (one["provenance"][0] for one in results if one.get("provenance"))
    first = next(found, None)
    return UNNAMED if first is None else model_name(Provenance.from_dict(first, keep=True))


def revive(data: Mapping[str, Any]) -> Result:
    """A result of any type from its plain data."""
    from crossroads.papers.cells import Reproduction  # known once it is loaded, like all other types

    kinds: tuple[type[Result], ...] = (*result_kinds(), Reproduction)
    known = {kind.__name__: kind for kind in kinds}
    name = data.get("type")
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError("type of result", str(name), known)
    return known[name].from_dict(data)


def read_records(path: str | Path) -> list[Record]:
    """Read an audit, a comparison of several, a document that a command wrote, or a single result.

    Parameters
    ----------
    path
        The folder of an audit, its ``results.json``, output of ``--json``, or ``Result.to_json()``.

    Returns
    -------
    list
        One record per model: for a folder with several models, one for each and one for their comparison; for
        other documents, one for each model that their results name.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"there is no file or folder {path}.", hint="give an audit or saved results.")
    if path.is_dir():
        if not (path / MARK).is_file():
            raise FormatError(f"this folder has no {MARK}.", path=path, hint="give the folder of an audit.")
        inner = sorted(one.parent for one in path.glob(f"*/{MARK}"))
        return [record for one in inner for record in read_records(one)] + _read_file(path / MARK)
    return _read_file(path)


def joined(records: Iterable[Record]) -> list[Record]:
    """Add results that are not from an audit to the record of their model.

    They are appended, so that every number keeps its JSON pointer in the file of the audit. Models are the
    same if their provenance records the same source, whatever their names. Results that name no model are
    added to the first. Two audits are not merged, even if they are of the same model.
    """
    found: list[Record] = []
    for one in sorted(records, key=lambda record: record.document["kind"] == "results"):
        same = [at for at, record in enumerate(found) if _same_model(record, one)]
        loose = one.document["kind"] == "results" and found
        if loose and same:
            place = same[0]
        elif loose and one.model == UNNAMED:
            place = 0
        else:
            found.append(one)
            continue
        found[place] = replace(
            found[place],
            document=_with(found[place].document, one.document),
            tables={**found[place].tables, **one.tables},
            marks={**found[place].marks, **_moved(one.marks, len(found[place].results))},
            conclusions=ordered(
                [
                    *found[place].conclusions,
                    *(said.after(len(found[place].results)) for said in one.conclusions),
                ]
            ),
            unshown={**found[place].unshown, **one.unshown},
        )
    return found


def _moved(marks: Mapping[str, str], by: int) -> dict[str, str]:
    """The JSON pointers of marks after their results were appended to others."""
    steps = [(place.split("/", 3), mark) for place, mark in marks.items()]
    return {f"/results/{int(at) + by}/{rest}": mark for (_, _, at, rest), mark in steps}


def _same_model(record: Record, loose: Record) -> bool:
    """Whether results are of the model of a record, and it was not given another name."""
    if not loose.about or record.about != loose.about:
        return False
    return loose.model == record.model or _model_of(loose.results) in loose.model


def _with(document: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """A document with the results of another after its own."""
    lists = {key: [*document[key], *more[key]] for key in ("designs", "names", "results")}
    return {**document, **lists, "skipped": {**document["skipped"], **more["skipped"]}}


def _whole(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _text(path: Path, read: Callable[[Path], str] = _whole) -> str:
    try:
        return read(path)
    except UnicodeDecodeError as error:
        raise FormatError(
            "not a text in UTF-8.", path=path, hint="give the file as crossroads writes it."
        ) from error


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _parsed(path: Path) -> Any:
    """The content of a JSON file."""
    try:
        return guarded(lambda: parsed(_text(path, ascii_text), parse_constant=_no_number), path)
    except json.JSONDecodeError as error:
        raise FormatError(f"not a JSON document: {error.msg}.", path=path, line=error.lineno) from error


def _read_file(path: Path) -> list[Record]:
    data = _parsed(path)
    if isinstance(data, dict) and "type" in data and "results" not in data:
        data = {"results": [data]}
    if not isinstance(data, dict) or not isinstance(data.get("results"), list) or not data["results"]:
        raise FormatError(
            "this has no results.", path=path, hint="give results.json, the output of --json, or to_json()."
        )
    data = {key: value for key, value in data.items() if value is not None}
    if data.get("schema", SCHEMA) != SCHEMA:
        raise FormatError(
            f"written with schema {in_short(data['schema'])}; this version reads {SCHEMA}.",
            path=path,
            key="schema",
        )
    data, unshown = completed(data)
    revived = _check(data, path)
    data["names"] = numbered([name or one.label for name, one in zip(data["names"], revived, strict=True)])
    live = dict(zip(data["names"], revived, strict=True))
    if "designs" in data and data.get("kind") != "results":
        whole = _with_companions(_completed(data), path)
        return [replace(whole, **_described(live, path))]
    place = path.as_posix()
    records = [
        Record(document=_completed(one), place=place, **_described(mine, path))
        for one in by_model(data)
        for mine in [{name: live[name] for name in one["names"]}]
    ]
    return [replace(records[0], unshown=unshown), *records[1:]]


def _described(results: Mapping[str, Result], path: Path) -> dict[str, Any]:
    """What results of a file say of themselves; raises an error where their parts contradict each other."""
    try:
        return described(results)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise FormatError(
            f"its results contradict themselves ({type(error).__name__}: {error}).",
            path=path,
            hint="the file was changed after it was written; measure again.",
        ) from error


def _check(data: Mapping[str, Any], path: Path) -> list[Result]:
    """The results; raises an error if they cannot be read back."""
    for key, shape in _SHAPES.items():
        if not isinstance(data.get(key, shape()), shape):
            raise FormatError("this is not the form of results of crossroads.", path=path, key=key)
    for number, one in enumerate(data.get("designs", [])):
        if not isinstance(one, dict):
            raise FormatError("these are not all designs.", path=path, key="designs")
        try:
            Design.from_dict(one)
        except CrossroadsError as error:
            raise FormatError(f"design {number}: {error.message}", path=path, key="designs") from error
    if data.get("kind", "results") not in KINDS:
        raise UnknownNameError("kind of audit", str(data["kind"]), KINDS)
    if any(not isinstance(name, (str, type(None))) for name in data["names"]):
        raise FormatError("these are not all names.", path=path, key="names")
    revived: list[Result] = []
    for number, one in enumerate(data["results"]):
        if not isinstance(one, dict):
            raise FormatError(f"result {number} is not an object.", path=path)
        try:
            revived.append(revive(one))
        except FormatError as error:
            raise FormatError(f"result {number}: {error.message}", path=path) from error
    return revived


def _has_verdicts(gate: Any) -> bool:
    """Whether a file has verdicts of rules, as a page and a card read them."""
    verdicts = gate.get("verdicts") if isinstance(gate, dict) else None
    needed = {"rule", "test", "outcome", "sentence"}
    return isinstance(verdicts, list) and all(
        isinstance(one, dict) and needed <= one.keys() for one in verdicts
    )


def _with_companions(document: dict[str, Any], path: Path) -> Record:
    folder = path.parent
    texts = {
        name: _text(folder / file) if (folder / file).is_file() else ""
        for name, file in {"methods": "methods.md", "citations": "citations.bib"}.items()
    }
    gate = _parsed(folder / "gate.json") if (folder / "gate.json").is_file() else None
    if gate is not None and not _has_verdicts(gate):
        raise FormatError("this file has no verdicts.", path=folder / "gate.json", hint=_AGAIN)
    vectors = read_vectors(folder / VECTORS, document["model"]) if (folder / VECTORS).is_file() else None
    return Record(
        document=document,
        vectors=vectors,
        gate=gate,
        methods=texts["methods"],
        citations=texts["citations"],
        place=(folder if path.name == MARK else path).as_posix(),
    )


def read_vectors(path: Path, model: str) -> Embeddings:
    """The vectors that an audit saved, with the rules of spelling from the same archive.

    Other words that were saved with them, which older versions did not, are their pool.
    """
    with ArrayArchive(path, hint=_AGAIN) as archive:
        missing = {"labels", "vectors"}.difference(archive.names)
        if missing:
            raise FormatError(
                f"these are not the vectors of an audit: there are no {min(missing)}.", path=path, hint=_AGAIN
            )
        labels, vectors = _words(archive, "labels"), archive.read("vectors")
        fallback = _words(archive, "fallback") if "fallback" in archive.names else []
        others = (
            (_words(archive, OTHERS[0]), archive.read(OTHERS[1]))
            if set(OTHERS).issubset(archive.names)
            else None
        )
    provenance = Provenance(source=model, format="npz")
    try:
        found = Embeddings(labels, vectors, provenance=provenance, fallback=fallback)
        return found if others is None else found.with_pool(Embeddings(*others, provenance=provenance))
    except CrossroadsError as error:
        raise FormatError(
            f"these are not the vectors of an audit: {error.message}", path=path, hint=_AGAIN
        ) from error


def _words(archive: ArrayArchive, name: str) -> list[str]:
    """A list of words from an archive."""
    array = archive.read(name)
    if array.ndim != 1 or array.dtype.kind != "U":
        raise FormatError(f"{name} are of type {array.dtype!s:.60}.", path=archive.path, hint=_AGAIN)
    return [str(one) for one in array]

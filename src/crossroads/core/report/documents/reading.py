"""Saved results, read back for a page: audits and their comparisons, or what other commands wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from crossroads.core.errors import (
    CrossroadsError,
    FormatError,
    InputError,
    UnknownNameError,
    in_short,
    join_words,
)
from crossroads.core.evidence import Provenance
from crossroads.core.evidence.model_names import KINDS, distinct_names, numbered
from crossroads.core.report.documents.records import (
    Plain,
    Record,
    described,
    document_of,
    read_document,
    revive,
    source_names,
)
from crossroads.core.report.folder import MARK
from crossroads.core.report.page.data import VECTORS, read_vectors
from crossroads.core.results import SCHEMA, Result
from crossroads.core.stimuli import Design
from crossroads.core.stimuli.files.text import read_text
from crossroads.core.wording import phrases

_SHAPES = {"kind": str, "model": str, "designs": list, "skipped": dict, "names": list, "targets": list}
_ABOUT = ("crossroads", "schema", "command", "output", "models", "results", *_SHAPES)
"""Keys that describe a document, or that are read by name."""
_HEAD = ("crossroads", "kind", "model", "designs", "skipped")  # those that a page shows
_NOT_SHOWN = {
    "adjusted": "p-values adjusted for all tests of the command; a page has those of an audit",
    "adjusted_for": "what p-values were adjusted for, which are not shown either",
    "gate": "verdicts of rules; a page has those of the folder of an audit",
    "fidelity": "whose formula each measure follows, which a page always has",
}
_Named = tuple[str, Plain, Result]  # A result with its name, as plain data and revived


class _File(NamedTuple):
    """A file of results; those of audits and comparisons alone record their designs."""

    path: Path
    data: Plain

    @property
    def place(self) -> str:
        """The folder of the audit, or the file."""
        return (self.path.parent if self.path.name == MARK else self.path).as_posix()


def read_records(path: str | Path) -> list[Record]:
    """The records of one path; see :func:`records_of`."""
    return records_of([path])[0]


def records_of(paths: Iterable[str | Path]) -> tuple[list[Record], list[str]]:
    """Read audits and comparisons of them, or else results that other commands wrote, for one page.

    ``paths`` are folders of audits and of comparisons, or their ``results.json``; or else files of what
    ``--json`` or ``Result.to_json()`` wrote. The records have distinct names: one for each audit and
    comparison, or else one for each model that results name. Paths whose content was read before are
    returned next to them.
    """
    read: list[_File] = []
    repeated: list[str] = []
    for file in (_read(one) for path in paths for one in _files(Path(path))):
        known = any(file.data == one.data and _verdicts(file) == _verdicts(one) for one in read)
        repeated.append(file.place) if known else read.append(file)
    audits = [one for one in read if "designs" in one.data]
    others = [one for one in read if "designs" not in one.data]
    if audits and others:
        raise InputError(
            f"{audits[0].place} is the folder of an audit and {others[0].place} a file of results: a page "
            "shows either folders or such files.",
            hint="make two pages: one of the folders, one of the files that --json wrote.",
        )
    return _distinct([_audit(one) for one in audits]) if audits else _by_model(others), repeated


def _files(path: Path) -> list[Path]:
    """The files of results at a path; of a folder with several models, one for each, then the comparison."""
    if not path.exists():
        raise InputError(f"there is no file or folder {path}.", hint="give an audit or saved results.")
    if not path.is_dir():
        return [path]
    if not (path / MARK).is_file():
        raise FormatError(f"this folder has no {MARK}.", path=path, hint="give the folder of an audit.")
    return [*sorted(path.glob(f"*/{MARK}")), path / MARK]


def _read(path: Path) -> _File:
    """A file of results, of which every part but the results is checked."""
    data = read_document(path)
    if isinstance(data, dict) and "type" in data and "results" not in data:
        data = {"results": [data]}
    if not isinstance(data, dict) or not isinstance(data.get("results"), list) or not data["results"]:
        hint = "give results.json, the output of --json, or to_json()."
        raise FormatError("this has no results.", path=path, hint=hint)
    if data.get("schema", SCHEMA) != SCHEMA:
        what = f"written with schema {in_short(data['schema'])}; this version reads {SCHEMA}."
        raise FormatError(what, path=path, key="schema")
    for key, shape in _SHAPES.items():
        if not isinstance(data.get(key, shape()), shape):
            raise FormatError("this is not the form of results of crossroads.", path=path, key=key)
    if data.get("kind", "results") not in KINDS:
        raise UnknownNameError("kind of audit", str(data["kind"]), KINDS)
    for key, shape in (("names", str), ("designs", dict)):
        if not all(isinstance(one, shape) for one in data.get(key, [])):
            raise FormatError(f"these are not all {key}.", path=path, key=key)
    for number, one in enumerate(data.get("designs", [])):
        try:
            Design.from_dict(one)
        except CrossroadsError as error:
            raise FormatError(f"design {number}: {error.message}", path=path, key="designs") from error
    return _File(path, data)


def _verdicts(file: _File) -> Plain | None:
    """The verdicts of rules, as a page and a card read them; None where there were no rules."""
    path = file.path.with_name("gate.json")
    if "designs" not in file.data or not path.is_file():
        return None
    gate = read_document(path)
    verdicts = gate.get("verdicts") if isinstance(gate, dict) else None
    needed = {"rule", "test", "outcome", "sentence"}
    known = isinstance(verdicts, list) and all(isinstance(one, dict) for one in verdicts)
    if not known or not all(needed <= one.keys() for one in verdicts or ()):
        raise FormatError("this file has no verdicts.", path=path, hint="run the audit again.")
    return dict(gate)


def _revived(file: _File) -> Iterator[_Named]:
    """All results of a file with their names; raises an error if one cannot be read back."""
    for number, (name, one) in enumerate(_named(file.data)):
        try:
            if not isinstance(one, dict):
                raise FormatError("this is not an object.")
            result = revive(one)
        except FormatError as error:
            raise FormatError(f"result {number}: {error.message}", path=file.path) from error
        yield name or result._label, one, result


def _named(data: Plain) -> Iterator[tuple[str | None, Any]]:
    """The results of a command, and others that it wrote next to them, with the names that it gave them."""
    results, command = data["results"], str(data.get("command", "")).upper()
    names = data.get("names") or [f"{one} {command}" for one in data.get("targets", [])]
    yield from zip(names if len(names) == len(results) else [None] * len(results), results, strict=True)
    for key, value in data.items():
        for one in _results_in(value) if key not in _ABOUT else ():
            measure = phrases.measure(str(one.get("measure")))
            yield f"{measure}, without pilot alignment" if key == "without_pilot" else None, one


def _results_in(value: Any) -> list[Plain]:
    some = value if isinstance(value, list) else [value]
    return [one for one in some if isinstance(one, dict) and {"type", "schema"} <= one.keys()]


def _record(results: Iterable[_Named], files: Sequence[_File], about: Plain, **more: Any) -> Record:
    """The record of results; raises an error where their parts contradict each other."""
    names, data, live = zip(*results, strict=True)
    names = tuple(numbered(names))
    try:
        views = described(dict(zip(names, live, strict=True)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"its results contradict themselves ({type(error).__name__}: {error})."
        hint = "the file was changed after it was written; measure again."
        raise FormatError(message, path=", ".join(str(one.path) for one in files), hint=hint) from error
    head = {key: about[key] for key in _HEAD if key in about}
    return Record(document=document_of(names, data, **head), **views, **more)


def _audit(file: _File) -> Record:
    """The record of an audit or a comparison, with the files next to its results."""
    names = {"methods": "methods.md", "citations": "citations.bib"}
    extra = {key: file.path.with_name(name) for key, name in names.items()}
    texts = {key: read_text(one, "a text of an audit") for key, one in extra.items() if one.is_file()}
    record = _record(_revived(file), [file], file.data, gate=_verdicts(file), place=file.place, **texts)
    vectors = file.path.with_name(VECTORS)
    return replace(record, vectors=read_vectors(vectors, record.model)) if vectors.is_file() else record


def _by_model(files: Sequence[_File]) -> list[Record]:
    """The results of commands by model; those that name no model go to the first."""
    groups: dict[tuple[str, ...], list[_Named]] = {}
    for file in files:
        for one in _revived(file):
            sources = tuple(source.source for source in one[2].provenance)
            people = one[2]._judged and len(sources) > 1  # whose judgements come last
            groups.setdefault(sources[:-1] if people else sources, []).append(one)
    if len(groups) > 1 and () in groups:
        unnamed = groups.pop(())
        next(iter(groups.values())).extend(unnamed)
    short = source_names(data for some in groups.values() for _, data, _ in some)
    whole = {key: value for file in reversed(files) for key, value in file.data.items()}  # the first of each
    records = []
    for sources, some in groups.items():
        model = join_words([short[one] for one in sources], most=3)
        records.append(_record(some, files, whole if len(groups) == 1 else {"model": model}))
    skipped = {name: why for file in files for name, why in file.data.get("skipped", {}).items()}
    unshown = {
        key: _NOT_SHOWN.get(key, "no result of crossroads")
        for key, value in whole.items()
        if key not in _ABOUT and value and not _results_in(value)
    }
    records[0] = replace(records[0], document={**records[0].document, "skipped": skipped}, unshown=unshown)
    return records


def _distinct(records: Sequence[Record]) -> list[Record]:
    """Audits with distinct names: those of one name are followed by the name of their folder."""
    names = [one.model for one in records]
    folders = distinct_names([Provenance(source=one.place, format="audit") for one in records])
    pairs = zip(names, folders, strict=True)
    own = numbered([name if names.count(name) == 1 else f"{name} ({folder})" for name, folder in pairs])
    documents = [{**one.document, "model": name} for one, name in zip(records, own, strict=True)]
    return [replace(one, document=new) for one, new in zip(records, documents, strict=True)]

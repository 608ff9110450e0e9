"""What a page shows of one model: its results with what they say of themselves, as a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crossroads.errors import UnknownNameError
from crossroads.evidence import Embeddings, Provenance
from crossroads.evidence.model_names import distinct_names, model_name
from crossroads.report.audit import Audit, Concluded, by_label, conclusions_of, marks_of, tables_of
from crossroads.results import SCHEMA, Result, result_kinds, versions
from crossroads.wording.table import Table

UNNAMED = "unnamed model"
"""Name of a model that no result names."""
Plain = Mapping[str, Any]


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


def revive(data: Mapping[str, Any]) -> Result:
    """A result of any type from its plain data."""
    from crossroads.papers.cells import Reproduction  # known once it is loaded, like all other types

    kinds: tuple[type[Result], ...] = (*result_kinds(), Reproduction)
    known = {kind.__name__: kind for kind in kinds}
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

"""Records for one page: duplicates removed, and unique names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from crossroads.evidence import Provenance
from crossroads.evidence.model_names import model_name
from crossroads.report.documents.contents import source_names
from crossroads.report.documents.records import Record


def once(records: Iterable[Record]) -> tuple[list[Record], list[str]]:
    """Remove records that were read twice, even by different paths.

    Two records are equal if their model and all their results are, and their verdicts of a gate do not
    differ. Of two equal records the one with more content is kept, at the position of the first.

    Returns
    -------
    tuple
        The records, and the paths of the duplicates.
    """
    found: list[Record] = []
    repeated: list[str] = []
    for one in records:
        at = next((i for i, other in enumerate(found) if _same(one, other)), None)
        if at is None:
            found.append(one)
            continue
        repeated.append(one.place or one.model)
        if _fullness(one) > _fullness(found[at]):
            found[at] = one
    return found, repeated


def _same(one: Record, other: Record) -> bool:
    gates = {id(gate): gate for gate in (one.gate, other.gate) if gate is not None}.values()
    agree = all(gate == next(iter(gates)) for gate in gates)
    return one.model == other.model and one.results == other.results and agree


def _fullness(record: Record) -> tuple[bool, bool, bool]:
    """Contents besides the results: designs, vectors, verdicts."""
    return bool(record.document["designs"]), record.vectors is not None, record.gate is not None


def apart(records: Sequence[Record]) -> list[Record]:
    """Give each record a unique name; models of the same name are distinguished by their paths."""
    names = Counter(one.model for one in records)
    told = [one.model if names[one.model] == 1 else _told(one, records) for one in records]
    taken: set[str] = set()
    found = []
    for one, name in zip(records, told, strict=True):
        own, number = name, 1
        while own in taken or (own != one.model and own in names):
            number += 1
            own = f"{name} ({number})"
        taken.add(own)
        found.append(one if own == one.model else replace(one, document={**one.document, "model": own}))
    return found


def _provenance(record: Record) -> Provenance:
    """Where the model of a record came from."""
    return next(
        Provenance.from_dict(one["provenance"][0], keep=True)
        for one in record.results
        if one.get("provenance")
    )


def _told(record: Record, records: Sequence[Record]) -> str:
    """A name that distinguishes a model from others of the same name, if there is one.

    Files with the same stem are distinguished by their folders; otherwise the name is followed by as much of
    the path of the results as is needed.
    """
    alike = [one for one in records if one.model == record.model]
    sources = {one.about for one in alike}
    if len(sources) == len(alike) and all(len(one) == 1 for one in sources):
        names = source_names(result for one in alike for result in one.results)
        if all(model_name(one) == record.model for one in map(_provenance, alike)):
            return names[record.about[0]]
    places = [one.place for one in records if one.model == record.model]
    if not record.place or places.count(record.place) > 1:
        return record.model
    parts = record.place.split("/")
    for size in range(1, len(parts) + 1):
        tail = parts[-size:]
        if sum(place.split("/")[-size:] == tail for place in places) == 1:
            return f"{record.model} ({'/'.join(tail)})"
    return f"{record.model} ({record.place})"

"""What a document that a command wrote holds: every result, what each is called, and what no page shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crossroads.evidence import Provenance
from crossroads.evidence.model_names import distinct_names

UNNAMED = "unnamed model"
"""What a model is called that no result names."""
Plain = Mapping[str, Any]
_NAMED = {"DetectionResult": "detections", "AlignmentResult": "alignments"}
_KEYS = frozenset(
    {"crossroads", "schema", "kind", "model", "models", "designs", "skipped", "results", "command", "output"}
    | {"detections", "alignments", "targets"}
)
"""Keys that say what a document is, or that are read on their own."""
_NOT_SHOWN = {
    "holm": "p-values adjusted for all tests of the command; a page has those of an audit",
    "bh": "p-values adjusted for all tests of the command; a page has those of an audit",
    "adjusted": "what p-values were adjusted for, which are not shown either",
    "gate": "verdicts of rules; a page has those of the folder of an audit",
    "fidelity": "whose formula each measure follows, which a page always has",
}


def completed(data: Plain) -> tuple[dict[str, Any], dict[str, str]]:
    """A document with all its results in one list, and what else it holds that no page shows, and why.

    Commands write some results beside the main ones, such as intervals, levels, or the agreement of scores
    with people: whatever says of which type it is is a result, wherever it stands.
    """
    looked = {key: value for key, value in data.items() if key not in _KEYS or key == "alignments"}
    beside = {key: found for key, value in looked.items() if (found := list(_results(value)))}
    rest = {key: value for key, value in data.items() if key not in beside}
    results = [*data["results"], *(one for some in beside.values() for one in some)]
    names = {"detections": _detections(data), "alignments": _alignments(rest, beside)}
    absent = {
        key: _NOT_SHOWN.get(key, "no result of crossroads")
        for key, value in rest.items()
        if key not in _KEYS and value not in (None, [], {}, "")
    }
    return {**rest, **names, "results": results}, absent


def _results(value: Any) -> Iterator[Any]:
    """The results that some value of a document is, or holds."""
    if isinstance(value, Mapping):
        inner = [value] if "type" in value else list(value.values())
    else:
        inner = value if isinstance(value, list) else []
    yield from (one for one in inner if isinstance(one, Mapping) and "type" in one and "schema" in one)


def _detections(data: Plain) -> Any:
    """Names of the detections of an audit, or of a command that was asked about several groups."""
    given = data.get("detections") or []
    targets = data.get("targets")
    if given or not isinstance(targets, list):
        return given
    return [f"{one} {str(data.get('command', '')).upper()}".strip() for one in targets]


def _alignments(rest: Plain, beside: Mapping[str, list[Any]]) -> Any:
    """Names of all results of type AlignmentResult, in their order; each is of the scores of a measure."""
    names = rest.get("alignments") or []
    if not isinstance(names, list):
        return names
    inside = [one for one in rest["results"] if isinstance(one, Mapping) and _is_alignment(one)]
    names = [*names, *(str(one.get("measure")) for one in inside[len(names) :])]
    for key, some in beside.items():
        more = "" if key == "alignments" else f", {key.replace('_', ' ')}"
        names += [f"{one.get('measure')}{more}" for one in some if _is_alignment(one)]
    return names


def _is_alignment(one: Plain) -> bool:
    return one.get("type") == "AlignmentResult"


def sources_of(result: Plain) -> tuple[str, ...]:
    """The models that a result is of; whom people were asked by is none."""
    sources = tuple(one["source"] for one in result.get("provenance") or [])
    return sources[:-1] if _is_alignment(result) and len(sources) > 1 else sources


def source_names(results: Iterable[Plain]) -> dict[str, str]:
    """A short name for everything that results came from, by what their provenance calls it."""
    found: dict[str, Provenance] = {}
    for result in results:
        for one in result.get("provenance") or []:
            found.setdefault(one["source"], Provenance.from_dict(one))
    return dict(zip(found, distinct_names(list(found.values())), strict=True))


def by_model(data: Plain) -> list[dict[str, Any]]:
    """The results of a document, apart for each model; comparisons of models stay together."""
    apart: dict[tuple[str, ...], list[tuple[Plain, Any]]] = {}
    names = {kind: iter(data.get(key) or []) for kind, key in _NAMED.items()}
    for one in data["results"]:
        name = next(names[one["type"]], None) if one["type"] in names else None
        apart.setdefault(sources_of(one), []).append((one, name))
    if len(apart) == 1:
        return [dict(data)]
    found: list[dict[str, Any]] = []
    names_of = source_names(data["results"])
    for sources, results in apart.items():
        mine: dict[str, list[Any]] = {
            key: [name for one, name in results if one["type"] == kind] for kind, key in _NAMED.items()
        }
        mine = {key: [] if None in some else some for key, some in mine.items()}
        model = " and ".join(names_of[one] for one in sources) or UNNAMED
        found.append({"model": model, **mine, "results": [one for one, _ in results]})
    found[0]["skipped"] = data.get("skipped") or {}  # which model it is about is not recorded
    return found

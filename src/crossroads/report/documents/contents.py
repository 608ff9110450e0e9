"""Contents of a document written by a command: its results, their names, and what no page shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crossroads.evidence import Provenance
from crossroads.evidence.model_names import distinct_names
from crossroads.wording import phrases

UNNAMED = "unnamed model"
"""Name of a model that no result names."""
Plain = Mapping[str, Any]
_KEYS = frozenset(
    {"crossroads", "schema", "kind", "model", "models", "designs", "skipped", "results", "command", "output"}
    | {"names", "alignments", "targets"}
)
"""Keys that describe a document, or that are read separately."""
_NOT_SHOWN = {
    "adjusted": "p-values adjusted for all tests of the command; a page has those of an audit",
    "adjusted_for": "what p-values were adjusted for, which are not shown either",
    "gate": "verdicts of rules; a page has those of the folder of an audit",
    "fidelity": "whose formula each measure follows, which a page always has",
}


def completed(data: Plain) -> tuple[dict[str, Any], dict[str, str]]:
    """A document with all its results in one list, and its other contents, which no page shows, with reasons.

    Commands write some results beside the main ones, such as intervals, levels, or the agreement of scores
    with people: every object with a type is a result, wherever it is.
    """
    looked = {key: value for key, value in data.items() if key not in _KEYS or key == "alignments"}
    beside = {key: found for key, value in looked.items() if (found := list(_results(value)))}
    rest = {key: value for key, value in data.items() if key not in beside}
    results = [*data["results"], *(one for some in beside.values() for one in some)]
    names = _names(data, beside)
    absent = {
        key: _NOT_SHOWN.get(key, "no result of crossroads")
        for key, value in rest.items()
        if key not in _KEYS and value not in (None, [], {}, "")
    }
    return {**rest, "names": names, "results": results}, absent


def _results(value: Any) -> Iterator[Any]:
    """The results in some value of a document."""
    if isinstance(value, Mapping):
        inner = [value] if "type" in value else list(value.values())
    else:
        inner = value if isinstance(value, list) else []
    yield from (one for one in inner if isinstance(one, Mapping) and "type" in one and "schema" in one)


def _names(data: Plain, beside: Mapping[str, list[Any]]) -> Any:
    """Name of each result; None for those that are named by their label.

    An audit names all of them. A command for several groups names the groups, and agreement with people is
    named by the measure and the key beside it.
    """
    given, main = data.get("names"), list(data["results"])
    if given is not None and not isinstance(given, list):
        return given
    targets = data.get("targets") if isinstance(data.get("targets"), list) else []
    how = str(data.get("command", "")).upper()
    groups = iter(f"{one} {how}".strip() for one in targets or [])
    names = [next(groups, None) if _type(one) == "DetectionResult" else None for one in main]
    names = given if given is not None and len(given) == len(main) else names
    for key, some in beside.items():
        more = "" if key == "alignments" else f", {key.replace('_', ' ')}"
        for one in some:
            measure = phrases.measure(str(one.get("measure")))
            names.append(f"{measure}{more} alignment" if _is_alignment(one) else None)
    return names


def _type(one: Any) -> Any:
    return one.get("type") if isinstance(one, Mapping) else None


def _is_alignment(one: Plain) -> bool:
    return one.get("type") == "AlignmentResult"


def sources_of(result: Plain) -> tuple[str, ...]:
    """The models of a result, without sources of human judgements."""
    sources = tuple(one["source"] for one in result.get("provenance") or [])
    return sources[:-1] if _is_alignment(result) and len(sources) > 1 else sources


def source_names(results: Iterable[Plain]) -> dict[str, str]:
    """A short name for every source of results, by the source in their provenance."""
    found: dict[str, Provenance] = {}
    for result in results:
        for one in result.get("provenance") or []:
            found.setdefault(one["source"], Provenance.from_dict(one, keep=True))
    return dict(zip(found, distinct_names(list(found.values())), strict=True))


def by_model(data: Plain) -> list[dict[str, Any]]:
    """The results of a document by model; comparisons of models stay together."""
    apart: dict[tuple[str, ...], list[tuple[Plain, Any]]] = {}
    for one, name in zip(data["results"], data["names"], strict=True):
        apart.setdefault(sources_of(one), []).append((one, name))
    if len(apart) == 1:
        return [dict(data)]
    found: list[dict[str, Any]] = []
    names_of = source_names(data["results"])
    for sources, results in apart.items():
        model = " and ".join(names_of[one] for one in sources) or UNNAMED
        names = [name for _, name in results]
        found.append({"model": model, "names": names, "results": [one for one, _ in results]})
    found[0]["skipped"] = data.get("skipped") or {}  # the model is not recorded
    return found

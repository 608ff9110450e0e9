"""BibTeX citations of an audit: its measures, its stimuli and this software."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from itertools import product
from typing import TYPE_CHECKING, Any

from crossroads.core.report.audit import Audit
from crossroads.core.results import Result, versions
from crossroads.core.wording.escaping import in_bibtex

if TYPE_CHECKING:
    from crossroads.core.evidence import Provenance
    from crossroads.core.stimuli import Citation, Design


def keys_of(entries: str) -> tuple[str, ...]:
    """The keys of BibTeX entries, in their order."""
    return tuple(re.findall(r"^@\w+\{([^,]+),$", entries, flags=re.MULTILINE))


def _read() -> dict[str, str]:
    file = resources.files("crossroads.core.report.methods").joinpath("references.bib")
    entries = re.split(r"^(?=@)", file.read_text(encoding="ascii"), flags=re.MULTILINE)[1:]
    return {keys_of(entry)[0]: entry.strip() + "\n" for entry in entries}


REFERENCES: Mapping[str, str] = _read()
"""Entries of ``references.bib`` by their keys, each as it stands in the file."""
_BY_DOI = {
    found[1]: key
    for key, entry in REFERENCES.items()
    if (found := re.search(r"^  doi = \{(.*)\},$", entry, re.M))
}
CHOSEN: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("interval", "percentile"): ("efron1979bootstrap",),
    ("interval", "jackknife"): ("efron1981jackknife", "cameron2011robust", "satterthwaite1946approximate"),
    ("attributes", "drawn"): ("efron1981jackknife", "cameron2011robust", "satterthwaite1946approximate"),
    ("variance", "hedges"): ("hedges1981distribution",),
    ("score", "sampled"): ("dersimonian1986meta",),
    ("scored by", "pll"): ("nangia2020crows",),
    ("scored by", "aul"): ("kaneko2022unmasking",),
    ("scored by", "aula"): ("kaneko2022unmasking",),
    ("null", "empirical"): ("efron2004large",),
    ("null", "pooled"): ("benjamini1995controlling", "hosking1987parameter", "knijnenburg2009fewer"),
}
"""Publications of methods chosen by a convention, by its name and value."""
FOUND: Mapping[str, tuple[str, ...]] = {
    "bracket": ("pagano1983obtaining",),
    "saddlepoint": ("skovgaard1987saddlepoint", "booth1990randomization"),
}
"""Publications of the methods of p-values that were not counted exactly."""
MADE: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("format", "default"): ("pennington2014glove",),
    ("format", "histwords"): ("hamilton2016diachronic",),
    ("format", "elmo"): ("peters2018deep",),
    ("correction", "standardise"): ("timkey2021all",),
    ("correction", "all-but-the-top"): ("mu2018allbutthetop",),
    ("correction", "rank"): ("timkey2021all",),
}
"""Publications of vectors that their provenance identifies."""


def bibtex(audit: Audit, designs: Iterable[Design] = ()) -> str:
    """BibTeX entries of every measure, design, set of known vectors, and of this software, each once."""
    behind = [name for _, one in audit.named() for name in publications(one)]
    sources = [source for result in audit.values() for source in result.provenance]
    entries = _entries([*behind, *vectors_cited(sources)])
    for source in (design.source for design in designs if design.source is not None):
        if _key(source) not in entries:
            entries[_key(source)] = _cited(source)
    return "\n".join(entries.values())


def citation_keys(audit: Audit, designs: Iterable[Design] = ()) -> tuple[str, ...]:
    """The keys of :func:`bibtex`, in its order."""
    return keys_of(bibtex(audit, designs))


def cited(
    keys: Iterable[str],
    methods: Iterable[str] = (),
    sources: Iterable[Provenance] = (),
    conventions: Mapping[str, Any] | None = None,
) -> str:
    """BibTeX entries of publications, of methods of p-values, of vectors and of this software, each once."""
    ways = [name for method in dict.fromkeys(methods) for name in FOUND.get(method, ())]
    return "\n".join(_entries([*keys, *_chosen(conventions or {}), *ways, *vectors_cited(sources)]).values())


def vectors_cited(sources: Iterable[Provenance]) -> Iterator[str]:
    """Keys of :data:`REFERENCES` for vectors that their provenance identifies."""
    for one in sources:
        for name, value in {**one.details, "format": one.format}.items():
            yield from MADE.get((name, str(value)), ())


def publications(result: Result) -> Iterator[str]:
    """Keys of :data:`REFERENCES` for a result and the methods it used."""
    yield from result._cites
    yield from _chosen(result.conventions)
    one: Any = result
    levels = (getattr(one, "level1", None), *(getattr(one, "level2", None) or {}).values())
    for part, name in product((one, *levels), ("method", "stimulus_method")):
        methods = getattr(part, name, None)
        for method in methods.split(", ") if isinstance(methods, str) else ():  # rows found in several ways
            yield from FOUND.get(method, ())


def _chosen(conventions: Mapping[str, Any]) -> Iterator[str]:
    for name, value in conventions.items():
        # "percentile, groups drawn again": what comes after the comma says on what; "emergent null": of what
        yield from CHOSEN.get((name.removeprefix("emergent "), str(value).partition(",")[0]), ())


def _entries(names: Iterable[str]) -> dict[str, str]:
    """Entries by their keys, in the order in which publications are named."""
    software = _entry(
        "misc",
        "crossroads",
        author="{The crossroads developers}",
        title="crossroads: social and intersectional associations of a model, with exact inference",
        note=f"Version {versions()['crossroads']}",
    )
    return {"crossroads": software, **{name: REFERENCES[name] for name in names}}


def _cited(source: Citation) -> str:
    """The entry of a publication, of which perhaps only the text of the citation is known."""
    key, year = _key(source), _year(source.text)
    if key in REFERENCES:
        return REFERENCES[key]
    fields = {"key": _name(source), "note": in_bibtex(source.text), "year": year}  # the first sorts it
    fields["doi"] = in_bibtex(source.doi or "")
    return _entry("misc", key, **{name: text for name, text in fields.items() if text})


def _key(source: Citation) -> str:
    """A key that depends on the publication alone: first name, year, and a checksum to make it unique."""
    if source.doi in _BY_DOI:
        return _BY_DOI[source.doi]
    checksum = hashlib.sha256((source.doi or source.text).encode("utf-8")).hexdigest()[:6]
    return f"{_name(source)}{_year(source.text)}-{checksum}"


def _name(source: Citation) -> str:
    """The first word of a reference, in plain letters."""
    plain = unicodedata.normalize("NFKD", source.text).encode("ascii", "ignore").decode()
    first = re.search("[A-Za-z]+", plain)
    return first[0].lower() if first else "source"


def _year(text: str) -> str:
    found = re.search(r"\b(?:1[89]|20)\d\d\b", text)
    return found[0] if found else ""


def _entry(kind: str, name: str, /, **fields: str) -> str:
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items()]
    return "\n".join([f"@{kind}{{{name},", *lines, "}"]) + "\n"

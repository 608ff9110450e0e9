"""What to cite for an audit: its measures, its stimuli and this software, as BibTeX."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from crossroads.report.audit import Audit
from crossroads.report.escaping import in_bibtex
from crossroads.report.naming import named_results
from crossroads.results import versions

if TYPE_CHECKING:
    from crossroads.stimuli import Citation, Design

Fields = Mapping[str, str]

REFERENCES: Mapping[str, tuple[str, str, Fields]] = {
    # DOI: (key, type, fields), in the order in which they are printed
    "10.1126/science.aal4230": (
        "caliskan2017semantics",
        "article",
        {
            "author": "Caliskan, Aylin and Bryson, Joanna J. and Narayanan, Arvind",
            "title": "Semantics derived automatically from language corpora contain human-like biases",
            "journal": "Science",
            "year": "2017",
            "volume": "356",
            "number": "6334",
            "pages": "183--186",
        },
    ),
    "10.48550/arXiv.2408.01966": (
        "wolfe2024mleat",
        "misc",
        {
            "author": "Wolfe, Robert and Hiniker, Alexis and Howe, Bill",
            "title": "{ML-EAT}: A Multilevel Embedding Association Test for Interpretable and Transparent "
            "Social Science",
            "year": "2024",
            "note": "AIES 2024; arXiv:2408.01966",
        },
    ),
    "10.1145/3461702.3462536": (
        "guo2021detecting",
        "inproceedings",
        {
            "author": "Guo, Wei and Caliskan, Aylin",
            "title": "Detecting Emergent Intersectional Biases: Contextualized Word Embeddings Contain a "
            "Distribution of Human-like Biases",
            "booktitle": "Proceedings of the 2021 AAAI/ACM Conference on AI, Ethics, and Society",
            "year": "2021",
            "pages": "122--133",
        },
    ),
    "10.18653/v1/2020.coling-main.151": (
        "lepori2020unequal",
        "inproceedings",
        {
            "author": "Lepori, Michael A.",
            "title": "Unequal Representations: Analyzing Intersectional Biases in Word Embeddings Using "
            "Representational Similarity Analysis",
            "booktitle": "Proceedings of the 28th International Conference on Computational Linguistics",
            "year": "2020",
            "pages": "1720--1728",
        },
    ),
    "10.18653/v1/2022.naacl-main.92": (
        "cao2022theory",
        "inproceedings",
        {
            "author": "Cao, Yang Trista and Sotnikova, Anna and Daum{\\'e} III, Hal and Rudinger, Rachel and "
            "Zou, Linda",
            "title": "Theory-Grounded Measurement of {U.S.} Social Stereotypes in {English} Language Models",
            "booktitle": "Proceedings of NAACL 2022",
            "year": "2022",
            "pages": "1276--1295",
        },
    ),
    "10.18653/v1/N19-1063": (
        "may2019measuring",
        "inproceedings",
        {
            "author": "May, Chandler and Wang, Alex and Bordia, Shikha and Bowman, Samuel R. and "
            "Rudinger, Rachel",
            "title": "On Measuring Social Biases in Sentence Encoders",
            "booktitle": "Proceedings of NAACL-HLT 2019",
            "year": "2019",
            "pages": "622--628",
        },
    ),
    "10.1111/j.2517-6161.1995.tb02031.x": (
        "benjamini1995controlling",
        "article",
        {
            "author": "Benjamini, Yoav and Hochberg, Yosef",
            "title": "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple "
            "Testing",
            "journal": "Journal of the Royal Statistical Society: Series B",
            "year": "1995",
            "volume": "57",
            "number": "1",
            "pages": "289--300",
        },
    ),
}
"""The publications behind measures and catalogue, by DOI."""
_CALISKAN, _WOLFE, _GUO, _LEPORI, _CAO, _MAY, _BENJAMINI = REFERENCES
MEASURES: Mapping[str, tuple[str, ...]] = {
    "weat": (_CALISKAN,),
    "single-target weat": (_CALISKAN,),
    "sc-weat": (_CALISKAN,),
    "mleat": (_CALISKAN, _WOLFE),
    "battery": (_BENJAMINI,),
    "series": (_WOLFE,),
    "bootstrap": (),
    "influence": (),
    "compare": (),
    "compare battery": (_BENJAMINI,),
    "compare traits": (_CAO,),
    "wefat": (_GUO,),
    "ibd": (_GUO,),
    "eibd": (_GUO,),
    "discover": (_GUO,),
    "rsa": (_LEPORI,),
    "rsa grid": (_LEPORI,),
    "ceat": (_GUO,),
    "ceat-battery": (_GUO, _BENJAMINI),
    "ceat-bootstrap": (_GUO,),
    "multilevel-ceat": (_GUO, _WOLFE),
    "group-ceat": (_GUO, _CAO),
    "ilps": (_CAO,),
    "ilps*": (_CAO,),
    "set": (_CAO,),
    "alignment": (_CAO,),
    "alignment table": (_CAO,),
    "template choice": (_CAO,),
    "screen": (_CAO,),
    "order_sensitivity": (_CAO,),
    "domain_dominance": (_CAO,),
    "emergent": (_CAO,),
    "against": (_CAO,),
}
"""DOIs of the publications behind each measure."""


def bibtex(audit: Audit, designs: Iterable[Design] = ()) -> str:
    """BibTeX entries of every measure and battery that was used, and of this software, each once.

    Parameters
    ----------
    audit
        What was measured.
    designs
        The designs that were tested; what they cite is cited.
    """
    entries = _measured(str(one.conventions.get("measure")) for _, one in named_results(audit))
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


def cited_measures(measures: Iterable[str]) -> str:
    """BibTeX entries of the publications behind measures, and of this software, each once."""
    return "\n".join(_measured(measures).values())


def _measured(measures: Iterable[str]) -> dict[str, str]:
    """Entries by key, in the order in which the measures were used."""
    entries = {"crossroads": _software()}
    for doi in dict.fromkeys(doi for measure in measures for doi in MEASURES.get(measure, ())):
        key, kind, fields = REFERENCES[doi]
        entries[key] = _entry(kind, key, {**fields, "doi": doi})
    return entries


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

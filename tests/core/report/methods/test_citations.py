"""What is cited, under which keys."""

from __future__ import annotations

import dataclasses
import re
from importlib import resources
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads import Design, catalog
from crossroads.core.evidence import Provenance
from crossroads.core.report.audit import Audit
from crossroads.core.report.methods.citations import (
    CHOSEN,
    FOUND,
    MADE,
    REFERENCES,
    bibtex,
    citation_keys,
    keys_of,
    publications,
)
from crossroads.core.report.methods.paragraph import described, methods_paragraph
from crossroads.core.results import Result, result_kinds
from crossroads.traits.measures.scores import CITED, TraitScores
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.vectors import default as embedded


def test_measures_software_and_designs_are_cited_once(audit: Audit, audit_designs: list[Design]) -> None:
    keys = citation_keys(audit, [*audit_designs, *audit_designs, catalog("weat6")])
    assert len(set(keys)) == len(keys)
    assert set(keys[:-1]) == {
        "crossroads", "holm1979simple", "benjamini1995controlling", "benjamini2001control",
        "caliskan2017semantics",
        "wolfe2024mleat", "cohen1988statistical", "guo2021detecting", "clopper1934use",
        "lepori2020unequal", "kriegeskorte2008representational",
    }  # fmt: skip
    assert re.fullmatch("unlu1999-[0-9a-f]{6}", keys[-1])


def parsed(entries: str) -> dict[str, dict[str, str]]:
    """Type and fields of each entry, as a parser of others reads them."""
    bibtexparser = pytest.importorskip("bibtexparser", reason="extra 'test'")
    library = bibtexparser.parse_string(entries)
    assert library.failed_blocks == []
    return {
        one.key: {"type": one.entry_type, **{f.key: f.value for f in one.fields}} for one in library.entries
    }


def test_another_program_reads_what_is_written(audit: Audit, audit_designs: list[Design]) -> None:
    written = bibtex(audit, audit_designs)
    entries = parsed(written)
    assert all({"author", "key"} & set(entry) for entry in entries.values())  # by which it is sorted
    own = list(entries.values())[-1]
    assert (own["key"], own["year"]) == ("unlu", "1999")
    assert own["note"] == r"Ünlü, A. \& \textbraceleft{}B\textbraceright{} (1999). 100 \% of it."
    assert tuple(entries) == keys_of(written) == citation_keys(audit, audit_designs)
    assert entries["crossroads"]["note"] == f"Version {cr.__version__}"
    assert entries["holm1979simple"] == parsed(REFERENCES["holm1979simple"])["holm1979simple"]


def test_every_entry_of_the_catalogue_cites_a_known_publication() -> None:
    known = {entry["doi"]: entry for entry in parsed("".join(REFERENCES.values())).values() if "doi" in entry}
    sources = {catalog().design(name).source for name in catalog().of_kind("design")}
    assert {source.doi for source in sources if source is not None} <= set(known)
    for source in sources:
        if source is None or source.doi is None:
            continue
        title = re.sub("[{}]", "", known[source.doi]["title"])
        assert title.casefold() in source.text.casefold()
        assert known[source.doi]["year"] in source.text


def test_measures_cite_known_publications() -> None:
    used = {name for table in (CITED, CHOSEN, FOUND, MADE) for names in table.values() for name in names}
    used |= {name for kind in result_kinds() if kind is not TraitScores for name in kind._cites}
    assert used <= set(REFERENCES)
    batteries = {"may2019measuring"}  # cited by designs of the catalogue alone
    assert set(REFERENCES) - used == batteries


def test_the_file_is_whole_and_each_entry_has_what_its_type_needs() -> None:
    file = (
        resources.files("crossroads.core.report.methods")
        .joinpath("references.bib")
        .read_text(encoding="ascii")
    )
    entries = parsed(file)
    assert list(entries) == list(REFERENCES)  # the library lists twins apart, as failures
    needed = {"article": "journal", "inproceedings": "booktitle", "book": "publisher", "misc": "note"}
    for key, fields in entries.items():
        assert {"author", "title", "year", needed[fields["type"]]} <= set(fields)
        surname = fields["author"].partition(",")[0].lower().replace(" ", "")
        assert key.startswith(surname + fields["year"])


def test_vectors_are_cited_where_it_is_certain_whose_they_are(tested: BatteryResult) -> None:
    default = Provenance(source=embedded.NAME, format="default")
    decades = Provenance(source="sgns", format="histwords")
    likely = Provenance(source="glove.6B.50d.txt", format="glove-text")  # may be anybody's

    def keys(source: Provenance) -> set[str]:
        return set(citation_keys(Audit([dataclasses.replace(tested, provenance=(source,))])))

    assert keys(default) - keys(likely) == {"pennington2014glove"}
    assert keys(decades) - keys(likely) == {"hamilton2016diachronic"}
    assert not keys(likely) & {"pennington2014glove", "hamilton2016diachronic"}


@pytest.mark.parametrize(
    ("name", "key", "option", "added"),
    [
        ("ceat", "variance", "hedges", {"hedges1981distribution"}),
        ("group_ceat", "score", "sampled", {"dersimonian1986meta"}),
        ("set_test", "measure", "ilps", {"kurita2019measuring"}),
        ("discover", "null", "empirical", {"efron2004large"}),
    ],
)
def test_the_method_behind_an_option_is_cited_where_it_was_used(
    name: str, key: str, option: str, added: set[str], every_result: dict[str, Result]
) -> None:
    one = every_result[name]
    other = dataclasses.replace(one, conventions={**one.conventions, key: option})
    assert set(publications(other)) - set(publications(one)) == added
    assert described(other) != described(one)


@pytest.mark.parametrize(
    ("method", "added"),
    [
        ("saddlepoint", {"skovgaard1987saddlepoint", "booth1990randomization"}),
        ("bracket", {"pagano1983obtaining"}),
        ("exact", set()),
    ],
)
def test_how_a_p_value_was_found_is_cited(method: Any, added: set[str]) -> None:
    words: dict[str, Any] = {role: [f"{role}{i}" for i in range(13)] for role in "xyab"}
    design = Design(name="large enough for an approximation", **words)
    vectors = np.random.default_rng(1).normal(size=(52, 6))
    found = cr.mleat(cr.Embeddings(design.words, vectors, provenance="made up"), design, method=method)
    assert {"skovgaard1987saddlepoint", "booth1990randomization", "pagano1983obtaining"} & set(
        publications(found)
    ) == added


def test_every_result_is_described_with_its_conventions(every_result: dict[str, Result]) -> None:
    for name, one in every_result.items():
        told = described(one)
        for key in one.conventions:
            changed = [{**one.conventions, key: value} for value in ("none", "something else")]
            others = {described(dataclasses.replace(one, conventions=each)) for each in changed}
            assert others != {told}, (name, key)


def test_the_paragraph_and_the_entries_name_the_same_keys(
    audit: Audit, whole: Audit, audit_designs: list[Design]
) -> None:
    for one in (audit, whole):
        told = re.search(r"See \[(.*)\]", methods_paragraph(one, audit_designs))
        assert told is not None
        assert tuple(key.removeprefix("@") for key in told[1].split("; ")) == keys_of(
            bibtex(one, audit_designs)
        )

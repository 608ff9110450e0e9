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
from crossroads.evidence import Provenance
from crossroads.measures import BatteryResult
from crossroads.measures.traits.scores import CITED, TraitScores
from crossroads.report import Audit, bibtex, citation_keys, methods_paragraph
from crossroads.report.methods.citations import (
    CHOSEN,
    FOUND,
    MADE,
    REFERENCES,
    keys_of,
    publications,
)
from crossroads.report.methods.paragraph import described
from crossroads.results import Result, result_kinds
from crossroads.sources.vectors import embedded


def test_measures_software_and_designs_are_cited_once(audit: Audit, audit_designs: list[Design]) -> None:
    keys = citation_keys(audit, [*audit_designs, *audit_designs, catalog("weat6")])
    assert len(set(keys)) == len(keys)
    assert set(keys[:-1]) == {
        "crossroads", "holm1979simple", "benjamini1995controlling", "caliskan2017semantics",
        "wolfe2024mleat", "cohen1988statistical", "efron1979bootstrap", "guo2021detecting", "clopper1934use",
        "lepori2020unequal", "kriegeskorte2008representational",
    }  # fmt: skip
    assert re.fullmatch("unlu1999-[0-9a-f]{6}", keys[-1])
    assert keys == citation_keys(audit, [*audit_designs, *audit_designs, catalog("weat6")])


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
    used |= {name for kind in result_kinds() if kind is not TraitScores for name in kind.cites}
    assert used <= set(REFERENCES)
    batteries = {"may2019measuring"}  # cited by designs of the catalogue alone
    assert set(REFERENCES) - used == batteries


def test_the_file_is_whole_and_each_entry_has_what_its_type_needs() -> None:
    file = resources.files("crossroads.report.methods").joinpath("references.bib").read_text(encoding="ascii")
    entries = parsed(file)
    assert list(entries) == list(REFERENCES)  # the library lists twins apart, as failures
    needed = {"article": "journal", "inproceedings": "booktitle", "book": "publisher", "misc": "note"}
    for key, fields in entries.items():
        assert {"author", "title", "year", needed[fields["type"]]} <= set(fields)
        surname = fields["author"].partition(",")[0].lower().replace(" ", "")
        assert key.startswith(surname + fields["year"])
        assert re.fullmatch(r"10\.\d{4,5}/\S+", fields.get("doi", "10.1234/none"))
        # names and abbreviations keep their capitals under styles that write titles in small letters
        bare = re.sub(r"\{.*?\}", "", fields["title"])
        assert not re.search(r"\b(?:[A-Z]{2,}|[A-Z]\.[A-Z]\.|[A-Z][a-z]+[A-Z])", bare)


def test_vectors_are_cited_where_it_is_certain_whose_they_are(tested: BatteryResult) -> None:
    default = Provenance(source="default", format="default", details={"package": embedded.PACKAGE})
    decades = Provenance(source="sgns", format="histwords")
    likely = Provenance(source="glove.6B.50d.txt", format="glove-text")  # may be anybody's

    def keys(source: Provenance) -> set[str]:
        return set(citation_keys(Audit([dataclasses.replace(tested, provenance=(source,))])))

    assert keys(default) - keys(likely) == {"pennington2014glove"}
    assert keys(decades) - keys(likely) == {"hamilton2016diachronic"}
    assert not keys(likely) & {"pennington2014glove", "hamilton2016diachronic"}


def test_contexts_traits_and_people_are_cited(whole: Audit) -> None:
    assert set(citation_keys(whole)) == {
        "crossroads", "wolfe2024mleat", "caliskan2017semantics", "guo2021detecting", "cohen1988statistical",
        "holm1979simple", "benjamini1995controlling", "cao2022theory", "kurita2019measuring",
        "kendall1945treatment", "efron1979bootstrap", "dersimonian1986meta", "higgins2009reevaluation",
        "hosking1987parameter", "knijnenburg2009fewer", "judd2012treating", "cameron2011robust",
        "satterthwaite1946approximate", "efron1981jackknife",
    }  # fmt: skip


def test_every_result_names_its_publications(every_result: dict[str, Result]) -> None:
    ours = {
        "influence",
        "compare",
        "given scores",
        "reproduction",
    }  # our own, the reader's, and a paper's table
    bare = {str(one.conventions["measure"]) for one in every_result.values() if not one.cites}
    assert bare <= ours


CAO, GUO = "cao2022theory", "guo2021detecting"
SAYS: dict[str, set[str]] = {
    # what a methods paragraph says, and what a reader then looks for in the references
    "Holm": {"holm1979simple"},
    "Benjamini and Hochberg": {"benjamini1995controlling"},
    "tau-b|tau: b": {"kendall1945treatment"},
    "interval: percentile|bootstrap: |^Confidence intervals:.*percentile": {"efron1979bootstrap"},
    "interval: bca": {"efron1987better"},
    "null: empirical": {"efron2004large"},
    "leaving out one word at a time|interval: jackknife, groups and traits": {
        "efron1981jackknife",
        "cameron2011robust",
        "satterthwaite1946approximate",
    },
    "effect size beyond": {"cohen1988statistical"},
    "sampling variance of its effect size": {"hedges1981distribution"},
    r"\(CEAT\)|Levels of the tests over contexts": {GUO, "dersimonian1986meta", "higgins2009reevaluation"},
    "score: sampled": {"dersimonian1986meta"},
    "over contexts|words and contexts|group CEAT|WEFAT": {GUO},
    r"\(E?IBD\)": {GUO, "clopper1934use"},
    "^discover": {GUO, "tusher2001significance"},
    "RSA|^rsa grid": {"lepori2020unequal", "kriegeskorte2008representational"},
    "^rsa grid": {"holm1979simple", "benjamini1995controlling"},  # whose tables have columns of both
    "Dominance between domains|null: pooled": {CAO, "benjamini1995controlling"},  # as their q
    "groups of both domains drawn": {
        "judd2012treating",
        "cameron2011robust",
        "satterthwaite1946approximate",
    },
    "null: pooled": {"hosking1987parameter", "knijnenburg2009fewer"},
    r"\(ILPS": {CAO, "kurita2019measuring"},
    r"SeT|group CEAT|people|Order of|Traits of|alignment|screen|template choice|^against|^compare tr": {CAO},
    "ML-EAT|Tests over time|Levels of the tests": {"wolfe2024mleat"},
    "ML-EAT|weat": {"caliskan2017semantics"},
    "found by saddlepoint": {"skovgaard1987saddlepoint", "booth1990randomization"},
    "Frequency of the words": {
        "ethayarajh2019understanding",
        "vanloon2022negative",
        "valentini2022undesirable",
        "inman1989overlapping",
    },
    "How sure": {
        *("clark1973language", "judd2012treating", "cameron2011robust", "satterthwaite1946approximate"),
        "benjamini1995controlling",
    },
    "chat model": {
        *("bai2025explicitly", "clark1973language", "cameron2011robust", "satterthwaite1946approximate"),
    },
    "Preferred sentences": {"blodgett2021stereotyping", "holm1979simple", "benjamini1995controlling"},
    "Preferred sentences:": {"nangia2020crows", "cameron2011robust"},
    "Preferred sentences of three": {"nadeem2021stereoset"},
    "were scored by pll": {"nangia2020crows"},
    "were scored by aul": {"kaneko2022unmasking"},
    "^multiverse": {"steegen2016increasing", "simonsohn2020specification"},
    "^icc": {"shrout1979intraclass", "mcgraw1996forming"},
    "^Reliability": {"spearman1910correlation", "brown1910some", "cronbach1951coefficient"},
    "^Placebo": {"clopper1934use"},
    "^Evenness of the space": {
        *("ethayarajh2019how", "timkey2021all", "mu2018allbutthetop", "roy2007effective", "wolfe2024mleat"),
    },
    "^Corrections of the space": {"mu2018allbutthetop", "timkey2021all"},
    "found by bracket": {"pagano1983obtaining"},
}


def every_variant(results: dict[str, Result]) -> list[Result]:
    """A result of every type, and some with options that another method stands behind."""

    def other(name: str, **conventions: str) -> Result:
        one = results[name]
        return dataclasses.replace(one, conventions={**one.conventions, **conventions})

    return [
        *results.values(),
        other("ceat_bootstrap", interval="bca"),
        other("ceat", variance="hedges"),
        other("group_ceat", score="sampled"),
        other("set_test", measure="ilps"),
        other("set_test", measure="ilps*"),
        other("emergent", null="normal"),
        other("discover", null="empirical"),
    ]


def disagreement(text: str, keys: set[str]) -> tuple[set[str], set[str]]:
    """What a text speaks of and nothing cites, and what is cited and the text does not speak of."""
    spoken = {key for said, some in SAYS.items() if re.search(said, text) for key in some}
    return spoken - keys, keys - spoken


def test_what_a_methods_paragraph_speaks_of_is_cited_and_nothing_else(
    every_result: dict[str, Result],
) -> None:
    for one in every_variant(every_result):
        keys = set(publications(one))
        assert disagreement(described(one), keys) == (set(), set()), described(one)
    met = " ".join(described(one) for one in every_variant(every_result))
    unmet = [said for said in SAYS if "found by" not in said and not re.search(said.replace("^", ""), met)]
    assert unmet == []  # every line of the table was put to the test


@pytest.mark.parametrize("method", ["saddlepoint", "bracket", "exact"])
def test_how_a_p_value_was_found_is_cited(method: Any) -> None:
    words: dict[str, Any] = {role: [f"{role}{i}" for i in range(13)] for role in "xyab"}
    design = Design(name="large enough for an approximation", **words)
    vectors = np.random.default_rng(1).normal(size=(52, 6))
    found = cr.mleat(cr.Embeddings(design.words, vectors, provenance="made up"), design, method=method)
    keys = set(publications(found))
    assert disagreement(f"{described(found)} found by {method}", keys) == (set(), set())


def test_the_paragraph_and_the_entries_name_the_same_keys(
    audit: Audit, whole: Audit, audit_designs: list[Design]
) -> None:
    for one in (audit, whole):
        told = re.search(r"See \[(.*)\]", methods_paragraph(one, audit_designs))
        assert told is not None
        assert tuple(key.removeprefix("@") for key in told[1].split("; ")) == keys_of(
            bibtex(one, audit_designs)
        )

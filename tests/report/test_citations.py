"""What is cited, under which keys."""

from __future__ import annotations

import re

from crossroads import Design, catalog
from crossroads.report import Audit, bibtex, citation_keys
from crossroads.report.citations import MEASURES, REFERENCES
from crossroads.results import Result


def test_measures_software_and_designs_are_cited_once(audit: Audit, audit_designs: list[Design]) -> None:
    keys = citation_keys(audit, [*audit_designs, *audit_designs, catalog("weat6")])
    assert len(set(keys)) == len(keys)
    assert set(keys[:-1]) == {
        "crossroads", "benjamini1995controlling", "caliskan2017semantics", "wolfe2024mleat",
        "guo2021detecting", "lepori2020unequal",
    }  # fmt: skip
    assert re.fullmatch("unlu1999-[0-9a-f]{6}", keys[-1])
    assert keys == citation_keys(audit, [*audit_designs, *audit_designs, catalog("weat6")])


def test_a_source_that_is_only_text_is_escaped(audit: Audit, audit_designs: list[Design]) -> None:
    entries = bibtex(audit, audit_designs)
    assert (
        r"  note = {Ünlü, A. \& \textbraceleft{}B\textbraceright{} (1999). 100 \% of it.},"
        + "\n  year = {1999},"
    ) in entries


def test_an_entry_without_an_author_can_be_sorted(audit: Audit, audit_designs: list[Design]) -> None:
    entries = re.split(r"^@", bibtex(audit, audit_designs), flags=re.MULTILINE)[1:]
    assert all(re.search(r"^  (author|key) = ", entry, flags=re.MULTILINE) for entry in entries)
    assert "key = {unlu}" in entries[-1]


def test_what_was_not_measured_is_not_cited(audit: Audit) -> None:
    bare = Audit(battery=audit.battery)
    assert "guo2021detecting" not in citation_keys(bare)
    assert "lepori2020unequal" not in citation_keys(bare)
    assert "wolfe2024mleat" in citation_keys(bare)


def test_braces_balance_and_fields_are_named_once(audit: Audit, audit_designs: list[Design]) -> None:
    for entry in bibtex(audit, audit_designs).split("\n\n"):
        bare = re.sub(r"\\[{}]", "", entry)
        assert bare.count("{") == bare.count("}")
        fields = re.findall(r"^  (\w+) = ", entry, flags=re.MULTILINE)
        assert len(set(fields)) == len(fields)


def test_every_entry_of_the_catalogue_cites_a_known_publication() -> None:
    sources = {catalog().design(name).source for name in catalog().of_kind("design")}
    assert {source.doi for source in sources if source is not None} <= set(REFERENCES)
    for source in sources:
        if source is None or source.doi is None:
            continue
        _, _, fields = REFERENCES[source.doi]
        title = re.sub("[{}]", "", fields["title"])
        assert title.casefold() in source.text.casefold()
        assert fields["year"] in source.text


def test_keys_are_distinct_and_measures_cite_known_publications() -> None:
    keys = [key for key, _, _ in REFERENCES.values()]
    assert len(set(keys)) == len(keys)
    assert {doi for dois in MEASURES.values() for doi in dois} <= set(REFERENCES)


def test_contexts_traits_and_people_are_cited(whole: Audit) -> None:
    assert set(citation_keys(whole)) == {
        "crossroads", "wolfe2024mleat", "caliskan2017semantics", "guo2021detecting",
        "benjamini1995controlling", "cao2022theory",
    }  # fmt: skip


def test_every_measure_that_a_result_records_has_its_publications(every_result: dict[str, Result]) -> None:
    recorded = {str(one.conventions["measure"]) for one in every_result.values()}
    ours = {"given scores", "reproduction"}  # scores of the reader's own, and a table of a paper itself
    assert recorded - ours <= set(MEASURES)

"""Published findings about tests: where they stand, and what belongs to which name."""

from __future__ import annotations

import pytest

from crossroads.papers.findings import Finding, findings
from crossroads.sources import batteries


def by_model(found: tuple[Finding, ...], statistic: str) -> dict[str, float]:
    return {one.model: one.value for one in found if one.statistic == statistic}


def test_level_1_of_word_tests_is_as_printed() -> None:
    found = findings(["weat6"])["weat6"]
    # Tables 1, 4, and 5 to 8
    assert by_model(found, "effect size d (Level 1)") == {
        "GloVe 840B": 1.81, "Google News": 1.89, "GPT-2 Base": 0.08, "GPT-2 Medium": -0.03,
        "GPT-2 Large": 1.22, "GPT-2 XL": 1.17,
    }  # fmt: skip
    assert by_model(found, "effect size d of Y (Level 2)") == {"GloVe 840B": -1.39, "Google News": -1.37}
    glove = found[0]
    assert (glove.model, glove.table, glove.doi) == ("GloVe 840B", "Table 1", "10.48550/arXiv.2408.01966")
    assert "BY-Singular" in glove.note and "starred" in glove.note


def test_tests_over_contexts_have_the_findings_of_their_words_and_the_other_way_round() -> None:
    found = findings(["c6", "weat6"])
    over_contexts = by_model(found["c6"], "combined effect size (CES)")
    assert over_contexts == {"ELMo": 1.28, "BERT": 0.91, "GPT": 0.21, "GPT-2": 0.34}
    assert [one.value for one in found["c6"]] == [one.value for one in found["weat6"]]
    assert {one.test for one in found["c6"]} == {"c6"}


def test_a_finding_on_other_words_than_those_asked_about_says_so() -> None:
    found = findings(["weat2", "weat2:google-news", "c2", "weat7"])

    def told(name: str) -> dict[str, str]:
        return {one.model: one.note.partition("slightly different words: ")[2] for one in found[name]}

    # Table 4 was measured without axe and banjo; Table 1 with them
    for name in ("weat2", "c2"):
        assert (told(name)["GloVe 840B"], told(name)["Google News"]) == ("", "the variant google-news")
    variant = told("weat2:google-news")
    assert (variant["GloVe 840B"], variant["Google News"]) == ("the original lists", "")
    assert told("weat7")["Google News"] == ""


def test_every_test_of_the_published_batteries_has_a_finding() -> None:
    names = [name for battery in batteries().values() for name in battery]
    found = findings(names)
    assert list(found) == names
    assert [name for name, ones in found.items() if not ones] == []
    assert findings(["nurses", "weat11", "c"]) == {"nurses": (), "weat11": (), "c": ()}


@pytest.mark.parametrize(
    ("name", "statistic", "model", "value"),
    [
        ("i4", "combined effect size (CES)", "ELMo", 1.52),
        ("AF IBD", "accuracy", "GloVe 840B", 80 / 98),
        ("MF EIBD", "true-positive rate", "GloVe 840B", 5 / 6),
        ("black-names-female", "fit of hypothesis 1", "GloVe 6B, 300 dimensions", 0.375),
        ("weat7:histwords", "effect size d (Level 1)", "HistWords, 1960s", 0.07),
        ("weat2:google-news", "effect size d (Level 1)", "Google News", 1.63),
    ],
)
def test_other_names_have_theirs(name: str, statistic: str, model: str, value: float) -> None:
    found = findings([name])[name]
    assert by_model(found, statistic)[model] == pytest.approx(value)
    assert {one.test for one in found} == {name}


def test_numbers_that_the_introduction_quotes_are_those_of_the_original_study() -> None:
    quoted = {
        name: [one.value for one in ones if one.doi == "10.1126/science.aal4230"]
        for name, ones in findings(["weat2", "weat10", "weat6"]).items()
    }
    assert quoted == {"weat2": [1.53], "weat10": [1.21], "weat6": []}

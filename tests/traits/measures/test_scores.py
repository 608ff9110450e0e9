"""Tables of trait scores: views, parts, files, and scores computed elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from crossroads.core.errors import EvidenceError, FormatError, InputError, UnknownNameError
from crossroads.traits.measures.files import read_scores, read_trait_tables, trait_ends
from crossroads.traits.measures.ilps import ilps, ilps_star
from crossroads.traits.measures.scores import TraitScores, cell_intervals

TABLE = {
    "woman": {"cold-warm": 0.25, "powerless-powerful": -1.5},
    "man": {"cold-warm": -0.125, "powerless-powerful": 2.0},
}


def test_a_frame_is_long_or_wide(masked: Any) -> None:
    pytest.importorskip("pandas", reason="data frames need the extra 'frames'")
    found = ilps(masked.logits)
    long, wide = found.to_frame(), found.to_frame(wide=True)
    assert wide.shape == (3, 2)
    assert wide.loc["women", "cold-warm"] == found.scores[0, 0] == long["score"][0]


def test_some_groups_can_be_selected(masked: Any) -> None:
    # every cell is listed, once as undefined and once as floored
    whole: Any = ilps_star(masked.logits)
    cells = tuple((t, g, "warm") for t in whole.templates for g in whole.groups)
    found = replace(whole, undefined=cells, floored=cells)
    part: Any = found.select(["old <b>men</b>", "women"])
    assert part.groups == ("old <b>men</b>", "women")
    assert np.array_equal(part.scores, found.scores[[2, 0]])
    assert np.array_equal(part.adjective_scores, found.adjective_scores[[2, 0]])
    assert np.array_equal(part.template_scores, found.template_scores[:, [2, 0]])
    assert part.undefined == part.floored == tuple(cell for cell in cells if cell[1] != "José")
    first = found.select(templates=found.templates[:1])
    assert first.undefined == first.floored == tuple(cell for cell in cells if cell[0] == found.templates[0])
    with pytest.raises(UnknownNameError, match="unknown group 'woman'"):
        found.select(["woman"])


def test_a_standard_error_is_that_of_a_mean_over_templates(masked: Any) -> None:
    found = ilps(masked.logits)
    each = found._by_template()  # two templates
    assert found.se is not None
    assert np.allclose(found.se, np.abs(each[1] - each[0]) / 2)
    assert found.select(templates=found.templates[:1]).se is None
    assert np.array_equal(found.select(templates=found.templates).se, found.se)  # type: ignore[arg-type]
    assert np.array_equal(found.select(["women"]).se, found.se[:1])  # type: ignore[arg-type]
    said = [row for row in found._long_rows("") if row["statistic"] == "se"]
    assert [row["value"] for row in said] == found.se.ravel().tolist()


def test_a_standard_error_with_synonyms_is_over_templates_and_words(masked: Any) -> None:
    # templates and words are crossed; the right end of the first pair has one word, the left end three
    logits = masked.logits
    found = ilps(logits, adjectives="synonyms")
    assert found.se is not None
    chances = logits.log_probabilities(filled=False)[..., 0]
    words = [logits.adjectives.index(word) for word in ("cold", "icy", "frosty", "warm")]
    for g in range(3):
        table = (chances[g] - chances[logits.rows.index("mask")])[:, words]  # templates × words
        left, right = table[:, :3], table[:, 3:]
        over_templates = (right.mean(axis=1) - left.mean(axis=1)).var(ddof=1) / 2
        over_words = left.mean(axis=0).var(ddof=1) / 3
        rest = left - left.mean(axis=0) - left.mean(axis=1)[:, None] + left.mean()
        single = (rest**2).sum() / 2 / left.size
        wanted = max(over_templates + over_words - single, over_templates, over_words)
        assert found.se[g, 0] == pytest.approx(np.sqrt(wanted))
    assert found.select(templates=found.templates).se is None  # single synonyms are not kept


def test_intervals_and_p_values_are_those_of_t_adjusted_over_all_cells() -> None:
    scores, se = (
        np.array([[0.5, -2.0, 0.1], [1.0, np.nan, 0.0]]),
        np.array([[0.2, 0.5, 0.4], [0.3, np.nan, 0.0]]),
    )
    df = np.array([[3.0, 3, 7], [3, 3, np.inf]])
    found = cell_intervals(scores, se, df)
    known = [(0, 0), (0, 1), (0, 2), (1, 0)]
    pvalues = []
    for at in known:
        half = student.ppf(0.975, df[at]) * se[at]
        pvalues.append(2 * student.sf(abs(scores[at]) / se[at], df[at]))
        for name, wanted in (
            ("low", scores[at] - half),
            ("high", scores[at] + half),
            ("pvalue", pvalues[-1]),
        ):
            assert found[name][at] == pytest.approx(wanted)
    adjusted = false_discovery_control(pvalues)
    assert [found["p_bh"][at] for at in known] == pytest.approx(adjusted)
    # no score, and templates that do not differ: nothing is known
    assert all(np.isnan(found[name][1, 1:]).all() for name in ("df", "low", "high", "pvalue", "p_bh"))


def test_what_is_known_of_a_cell_is_in_every_output(masked: Any) -> None:
    found = ilps(masked.logits)
    assert found.se is not None
    assert found.low is not None
    assert np.allclose(found.df, 1)  # type: ignore[arg-type]
    row = found._rows()[3]
    assert list(row) == ["group", "trait", "score", "se", "df", "low", "high", "p", "p_bh"]
    assert row["low"] == found.low[1, 1]
    assert (found.conventions["interval"], found.conventions["level"]) == ("t, templates drawn", 0.95)
    (long,) = [
        one for one in found._long_rows("") if one["statistic"] == "score" and one["value"] == row["score"]
    ]
    assert {key: long[key] for key in ("low", "high", "p", "p_bh")} == {
        key: row[key] for key in ("low", "high", "p", "p_bh")
    }
    assert TraitScores.from_json(found.to_json()) == found
    heads = [column.head for column in found._table().columns]
    assert heads == ["group", "pair", "score", "95 % CI", "p", "BH"]
    part = found.select(["women"])  # of a family of two
    assert part.pvalue is not None
    assert part.p_bh is not None
    assert np.allclose(part.pvalue, found.pvalue[:1])  # type: ignore[index]
    assert np.allclose(part.p_bh[0], false_discovery_control(part.pvalue[0]))


def test_four_templates_hold_the_mean_of_all_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    each = rng.normal(size=(4, 1, 500, 8)) + rng.normal(size=(4, 1, 1, 8)) + rng.normal(size=(4, 1, 500, 8))
    each = each[:, 0] - rng.normal(size=(4, 500, 8))
    scores, se = each.mean(axis=0), each.std(axis=0, ddof=1) / 2
    found = cell_intervals(scores, se, np.full(scores.shape, 3.0))
    held = (found["low"] <= 0) & (found["high"] >= 0)
    assert held.mean() == pytest.approx(0.95, abs=0.02)
    assert (np.abs(scores) <= 2 * se).mean() < 0.89  # two standard errors are too few


def test_templates_are_averaged_anew(masked: Any) -> None:
    found = ilps(masked.logits)
    each = found._by_template()
    for i, template in enumerate(found.templates):
        alone = ilps(masked.logits, templates=[template])
        assert np.allclose(found.select(templates=[template]).scores, alone.scores)
        assert np.allclose(each[i], alone.scores)


def test_scores_of_others_have_groups_and_traits() -> None:
    found = TraitScores.from_table(TABLE, measure="theirs")
    assert (found.measure, found.groups, found.traits) == ("theirs", ("woman", "man"), tuple(TABLE["man"]))
    assert {group: found.row(group) for group in found.groups} == TABLE
    for ask in (found._by_template, lambda: found.select(templates=["a"])):
        with pytest.raises(InputError, match="not available per template"):
            ask()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"a": {"t": 1.0}, "b": {"u": 1.0}}, "the group 'b' has no scores, or other traits than 'a'"),
        ({"a": 3.0}, "the group 'a' has no scores"),
        ({"a": {"t": None}}, "a score is not a number"),
        ({"a": {"t": float("nan")}}, "a score is nan or infinite"),
    ],
)
def test_tables_that_are_none_are_refused(table: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TraitScores.from_table(table)


def test_results_and_tables_are_read_from_files(tmp_path: Path, masked: Any) -> None:
    one, two = ilps(masked.logits), ilps_star(masked.logits)
    assert read_scores(saved(tmp_path, "one.json", one.to_dict())) == (one,)
    document = {"command": "probe", "results": [one.to_dict(), two.to_dict()]}
    assert read_scores(saved(tmp_path, "document.json", document)) == (one, two)
    lines = [f"{group},{trait},{score}" for group, row in TABLE.items() for trait, score in row.items()]
    wide = "group,cold-warm,powerless-powerful\nwoman,0.25,-1.5\nman,-0.125,2.0\n"
    tables = {"long.csv": "\n".join(["group,trait,score", *lines]), "wide.csv": wide, "nested.json": TABLE}
    for name, content in tables.items():
        (found,) = read_scores(saved(tmp_path, name, content))
        assert {group: found.row(group) for group in found.groups} == TABLE
        assert found.conventions["measure"] == found.measure


def test_files_that_hold_no_scores_are_refused(tmp_path: Path, masked: Any) -> None:
    path = tmp_path / "file"
    whole = ilps(masked.logits).to_dict()
    uneven = json.dumps({**whole, "groups": whole["groups"][1:]})
    for text in ("", "{", '{"results": []}', "a,b\n1,2\n", uneven):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=str(path)):
            read_scores(path)


RESULT: dict[str, Any] = {
    "type": "TraitScores",
    "measure": "set",
    "groups": ["women", "man"],
    "traits": ["cold-warm", "wealthy-poor"],
    "scores": [[0.5, 1.0], [None, -2.0]],
    "provenance": [{"source": "a model", "format": "x", "revision": None, "sha256": None, "details": {}}],
}


def saved(folder: Path, name: str, content: Any) -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def test_a_document_of_results_gives_one_table_each(tmp_path: Path) -> None:
    other = {**RESULT, "measure": None, "conventions": {"measure": "ilps"}, "provenance": []}
    document = {"command": "probe", "results": [RESULT, {"type": "WeatResult"}, other]}
    first, second = read_trait_tables(saved(tmp_path, "s.json", document))
    assert (first.measure, second.measure) == ("set", "ilps")
    assert first.groups == ("woman", "man")
    assert first.traits == ("cold-warm", "poor-wealthy")
    assert first.scores[0].tolist() == [0.5, -1.0]  # the second pair was written the other way round
    assert np.isnan(first.scores[1, 0])
    assert first.provenance[0].source == "a model"
    assert second.provenance[0].source.endswith("s.json")


def test_one_result_alone_and_plain_tables_are_read_too(tmp_path: Path) -> None:
    (alone,) = read_trait_tables(saved(tmp_path, "s.json", RESULT))
    (long,) = read_trait_tables(
        saved(tmp_path, "l.csv", "group,trait,score\nwomen,cold-warm,0.5\nman,wealthy-poor,-2\n")
    )
    (nested,) = read_trait_tables(saved(tmp_path, "n.json", {"women": {"cold-warm": -0.5}}))
    assert alone.groups == long.groups == ("woman", "man")
    assert long.scores[1, 1] == 2.0
    assert long.measure == "l"
    assert nested.scores.tolist() == [[-0.5]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"results": [{"type": "WeatResult"}]}, "no scores of groups on traits in this document"),
        ({**RESULT, "scores": [[1.0]]}, "do not fit"),
        ({**RESULT, "scores": "abc"}, "not a table of numbers"),
        ({"a": {"women": {"cold-warm": 1}}}, "ratings by single annotators"),
        ("group,trait,score\nwomen,cold-warm,1\nwomen,cold-warm,2\n", "two scores"),
        ({"woman": {"cold-warm": 1.0}, "women": {"cold-warm": 1.0}}, "the group 'women' is given twice"),
        ({"woman": {"cold-warm": 1.0, "warm-cold": 1.0}}, "the trait 'warm-cold' is given twice"),
    ],
)
def test_a_file_without_scores_gets_a_sentence(tmp_path: Path, content: Any, said: str) -> None:
    with pytest.raises((EvidenceError, FormatError), match=said):
        read_trait_tables(saved(tmp_path, "s.json" if not isinstance(content, str) else "s.csv", content))


def test_ends_of_traits_come_from_the_catalogue_or_the_name() -> None:
    known, own = trait_ends(["religious-science-oriented", "slow-fast"])
    assert (known.left, known.right, known.scale) == ("religious", "science-oriented", "Beliefs")
    assert (own.left, own.right, own.scale) == ("slow", "fast", "")

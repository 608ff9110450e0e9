"""Scores of groups on traits out of files of several kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.errors import EvidenceError, FormatError
from crossroads.measures.traits.files import read_trait_tables, trait_ends

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

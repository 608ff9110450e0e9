"""Scores of sentences: kept as they are, and refused where they say nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.errors import EvidenceError, FormatError
from crossroads.core.evidence.embeddings import Provenance
from crossroads.core.storage.files import with_checksum
from crossroads.sentences.evidence import ScoredItem, SentenceScores
from crossroads.sentences.material import SentenceItem

ITEM = SentenceItem(sentences=("Ä b.", "Ä c."), category="g", direction="stereo", columns={"w": "1"})


def scores(**changes: Any) -> SentenceScores:
    one = ScoredItem(item=ITEM, totals=(-1 / 3, -2.0), tokens=(2, 4))
    fields: dict[str, Any] = {"name": "n", "kind": "pairs", "score": "likelihood", "items": (one,)}
    about = Provenance(source="m", details={"a": 1})
    return SentenceScores(**{**fields, "provenance": about, "left_out": {"x": "why"}, **changes})


def test_scores_are_read_as_they_were_written(tmp_path: Path) -> None:
    scores().save(tmp_path / "s.json")
    assert SentenceScores.open(tmp_path / "s.json") == scores()
    assert scores() != scores(name="other")
    assert repr(scores()) == "<SentenceScores of m: 1 pairs of n, likelihood>"


def test_sums_and_means_over_tokens() -> None:
    assert scores().values().tolist() == [[-1 / 3, -2.0]]
    assert scores().values("token").tolist() == [[-1 / 6, -0.5]]
    assert scores(score="aul").values().tolist() == [[-1 / 6, -0.5]]  # a mean, as published


@pytest.mark.parametrize(
    ("totals", "tokens"), [((1.0,), (1,)), ((1.0, float("nan")), (1, 1)), ((1.0, 1.0), (1, 0))]
)
def test_scores_that_say_nothing_are_refused(totals: Any, tokens: Any) -> None:
    with pytest.raises(EvidenceError, match="item 1 has"):
        scores(items=(ScoredItem(item=ITEM, totals=totals, tokens=tokens),))
    with pytest.raises(EvidenceError, match="no scores"):
        scores(items=())


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"format": "crossroads-sentence-scores/2"})])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "s.json").write_text(content)
    with pytest.raises(FormatError, match=r"no scores of sentences|are damaged"):
        SentenceScores.open(tmp_path / "s.json")


ITEMS = [
    *(("totals", some) for some in (["a", "b"], [float("nan"), 1.0], [1e308, -1e308], None, [1.0])),
    *(("tokens", some) for some in (["1", "2"], [1.5, 2], [0, 1])),
    *(("sentences", some) for some in ([1, 2], ["a"])),
    *(("category", None), ("direction", [1]), ("columns", [1]), ("columns", {"a": {"b": 1}})),
    *(("rounding", some) for some in ([1.0], [-1.0, 1.0], [float("nan"), 0.0])),
    *(("averages", "ab"), ("averages", [-1.0, -2.0])),
]
WHOLE = [("score", "zz"), ("score", ["pll"]), ("name", 3), ("left_out", ["a"]), ("items", {})]


@pytest.mark.parametrize(
    ("inside", "key", "value"),
    [*((True, *one) for one in ITEMS), *((False, *one) for one in WHOLE)],
)
def test_damaged_files_are_refused_with_one_sentence(
    tmp_path: Path, inside: bool, key: str, value: Any
) -> None:
    scores().save(tmp_path / "s.json")
    document = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    del document["sha256"]
    (document["items"][0] if inside else document)[key] = value
    (tmp_path / "s.json").write_text(json.dumps(with_checksum(document)))
    with pytest.raises(FormatError, match="the scores cannot be read"):
        SentenceScores.open(tmp_path / "s.json")


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    scores().save(tmp_path / "s.json")
    data = (tmp_path / "s.json").read_bytes()
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        (tmp_path / "s.json").write_bytes(flipped)
        with pytest.raises(FormatError):
            SentenceScores.open(tmp_path / "s.json")
    (tmp_path / "s.json").write_text(data.decode().replace("-2.0", "-3.0"), encoding="utf-8")
    with pytest.raises(FormatError, match="the scores are damaged: their checksum is not") as caught:
        SentenceScores.open(tmp_path / "s.json")
    assert "score the sentences again" in str(caught.value.hint)

"""Files of sentence pairs and triples, and what is wrong with some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import FormatError, InputError
from crossroads.stimuli.files.sentences import sentence_items

PAIR = {"sent_more": "Women cook.", "sent_less": "Men cook."}
TRIPLE = {
    "stereotype": "Girls are soft.",
    "anti-stereotype": "Girls are tough.",
    "unrelated": "Girls are fish.",
}


def written(tmp_path: Path, name: str, content: str) -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


ROW = {**PAIR, "sent_more": "Women cook, well.", "stereo_antistereo": "stereo", "bias_type": "gender"}
HEAD = "sent_more,sent_less"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", f',{",".join(ROW)}\n0,"Women cook, well.",Men cook.,stereo,gender\n'),
        ("a.tsv", "\t".join(ROW) + "\n" + "\t".join(ROW.values()) + "\n"),
        ("a.json", json.dumps([{**ROW, "stereo_antistereo": 0}])),  # as the hub's copy has it
        ("a.jsonl", "\n" + json.dumps({key.title(): f" {text} " for key, text in ROW.items()}) + "\n"),
    ],
)
def test_every_format_gives_the_same_pairs(tmp_path: Path, name: str, content: str) -> None:
    found = sentence_items(written(tmp_path, name, content))
    assert (found.name, found.kind) == ("a", "pairs")
    (one,) = found.items
    assert one.sentences == ("Women cook, well.", "Men cook.")
    assert (one.category, one.direction) == ("gender", "stereo")


def test_further_columns_are_kept_for_clusters(tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", "sent_more,sent_less,anon_writer\nA b.,A c.,w1\n")
    assert sentence_items(file).items[0].columns == {"anon_writer": "w1"}


def stereoset(sentences: Any) -> dict[str, Any]:
    items = [{"target": "girl", "bias_type": "gender", "context": "Girls are BLANK.", "sentences": sentences}]
    return {"version": "1.0", "data": {"intersentence": [], "intrasentence": items}}


def test_triples_are_read_from_stereosets_own_files_and_from_columns(tmp_path: Path) -> None:
    labelled = [{"sentence": text, "gold_label": label} for label, text in reversed(TRIPLE.items())]
    own = written(tmp_path, "dev.json", json.dumps(stereoset(labelled)))
    # the hub's copy has lists of fields, and numbers for labels: anti-stereotype, stereotype, unrelated
    lists = {"sentence": list(TRIPLE.values()), "gold_label": [1, 0, 2]}
    hub = written(tmp_path, "hub.jsonl", json.dumps(stereoset(lists)["data"]["intrasentence"][0]))
    flat = [{**TRIPLE, "target": "girl", "bias_type": "gender"}]
    under = [{key.replace("-", "_"): value for key, value in flat[0].items()}]
    for given in (own, hub, flat, under):
        found = sentence_items(given)
        (one,) = found.items
        assert (found.kind, one.sentences) == ("triples", tuple(TRIPLE.values()))
        assert (one.category, one.columns["target"]) == ("gender", "girl")


@pytest.mark.parametrize(
    ("name", "content", "said", "hint"),
    [
        (
            "a.csv",
            "sent_mor,sent_less\na,b\n",
            "line 1: there is no column 'sent_more'",
            "is 'sent_mor' that",
        ),
        ("a.csv", "stereotype,unrelated\na,b\n", "no column 'anti-stereotype'", "triples stereotype"),
        ("a.csv", f"{HEAD}\nA b.,  \n", "line 2: sent_less is '  ', not a sentence", "all of its sentences"),
        ("a.csv", f"{HEAD}\nA b.\n", "line 2: the row has 1 cells under 2 columns", ""),
        ("a.csv", f"{HEAD},stereo_antistereo\na,b,stero\n", "the direction is 'stero'", "mean 'stereo'?"),
        ("a.csv", f"{HEAD},stereo_antistereo\na,b,7\n", "line 2, key 'stereo_antistereo'", "antistereo"),
        ("a.csv", f"{HEAD}\n", "there are no sentences", "sent_more"),
        ("a.json", "[1]", "the row is 1", "sent_more"),
        ("a.json", "{", "it is not JSON", "sent_more"),
        ("a.json", '{"data": {"intersentence": []}}', "intersentence items only", "triples"),
        ("a.jsonl", json.dumps(PAIR) + '\n{"sent_more": "a"}', "line 2: sent_less is missing", "all of its"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    tmp_path: Path, name: str, content: str, said: str, hint: str
) -> None:
    with pytest.raises(FormatError) as caught:
        sentence_items(written(tmp_path, name, content))
    assert said in caught.value.message
    assert hint in str(caught.value.hint)


@pytest.mark.parametrize("given", [3, PAIR, [PAIR, "text"]])
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"the sentences are|row 2 is"):
        sentence_items(given)


def test_a_column_or_a_label_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("sent_more,sent_less,sent_more\na b,c b,d b\n", encoding="utf-8")
    with pytest.raises(FormatError, match="the column 'sent_more' is there twice") as caught:
        sentence_items(table)
    assert caught.value.line == 1
    labels = ("stereotype", "stereotype", "unrelated")
    for some, shown in ((labels, "'stereotype', 'stereotype' and 'unrelated'"), ((), "none")):
        row = {"sentences": [{"sentence": "a b", "gold_label": label} for label in some]}
        with pytest.raises(FormatError, match=f"the gold labels of its sentences are {shown}") as caught:
            sentence_items([row])
        assert "anti-stereotype, stereotype and unrelated" in str(caught.value.hint)

"""Files of sentence pairs and triples, and what is wrong with some."""

from __future__ import annotations

import json
from typing import Any

import pytest

from crossroads.core.errors import FormatError, InputError
from crossroads.sentences.material import sentence_items
from tests.fixtures.stimuli import Write

PAIR = {"sent_more": "Women cook.", "sent_less": "Men cook."}
TRIPLE = {"stereotype": "Girls cook.", "anti-stereotype": "Girls box.", "unrelated": "Girls rust."}
LABELS = {"stereo_antistereo": "stereo", "bias_type": "gender", "by": "w1"}
ROW = {**PAIR, "sent_more": "Women cook, well.", **LABELS}
HEAD = "sent_more,sent_less"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", f',{",".join(ROW)}\n0,"Women cook, well.",Men cook.,stereo,gender,w1\n'),
        ("a.tsv", "\t".join(ROW) + "\n" + "\t".join(ROW.values()) + "\n"),
        ("a.json", json.dumps([{**ROW, "stereo_antistereo": 0}])),  # as the hub's copy has it
        ("a.jsonl", "\n" + json.dumps({key.title(): f" {text} " for key, text in ROW.items()}) + "\n"),
    ],
)
def test_every_format_gives_the_same_pairs(write: Write, name: str, content: str) -> None:
    found = sentence_items(write(name, content))
    assert (found.name, found.kind) == ("a", "pairs")
    (one,) = found.items
    assert one.sentences == ("Women cook, well.", "Men cook.")
    assert (one.category, one.direction) == ("gender", "stereo")
    assert one.columns["by"].strip() == "w1"  # further columns are kept for clusters


def stereoset(sentences: Any) -> dict[str, Any]:
    items = [{"target": "girl", "bias_type": "gender", "context": "Girls are BLANK.", "sentences": sentences}]
    return {"version": "1.0", "data": {"intersentence": [], "intrasentence": items}}


def test_triples_are_read_from_stereosets_own_files_and_from_columns(write: Write) -> None:
    labelled = [{"sentence": text, "gold_label": label} for label, text in reversed(TRIPLE.items())]
    own = write("dev.json", json.dumps(stereoset(labelled)))
    # the hub's copy has lists of fields, and numbers for labels: anti-stereotype, stereotype, unrelated
    lists = {"sentence": list(TRIPLE.values()), "gold_label": [1, 0, 2]}
    hub = write("hub.jsonl", json.dumps(stereoset(lists)["data"]["intrasentence"][0]))
    flat = [{**TRIPLE, "target": "girl", "bias_type": "gender"}]
    under = [{key.replace("-", "_"): value for key, value in flat[0].items()}]
    for given in (own, hub, flat, under):
        found = sentence_items(given)
        (one,) = found.items
        assert (found.kind, one.sentences) == ("triples", tuple(TRIPLE.values()))
        assert (one.category, one.columns["target"]) == ("gender", "girl")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "sent_mor,sent_less\na,b\n", "line 1: there is no column 'sent_more'"),
        ("a.csv", "stereotype,unrelated\na,b\n", "no column 'anti-stereotype'"),
        ("a.csv", "sent_more,sent_less,sent_more\na b,c b,d b\n", "the column 'sent_more' is there twice"),
        ("a.csv", f"{HEAD}\nA b.,  \n", "line 2: sent_less is '  ', not a sentence"),
        ("a.csv", f"{HEAD}\nA b.\n", "line 2: the row has 1 cells under 2 columns"),
        ("a.csv", f"{HEAD},stereo_antistereo\na,b,7\n", "line 2, key 'stereo_antistereo'"),
        ("a.csv", f"{HEAD}\n", "there are no sentences"),
        ("a.json", "[1]", "the row is 1"),
        ("a.json", "{", "it is not JSON"),
        ("a.json", '{"data": {"intersentence": []}}', "intersentence items only"),
        ("a.jsonl", json.dumps(PAIR) + '\n{"sent_more": "a"}', "line 2: sent_less is missing"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    write: Write, name: str, content: str, said: str
) -> None:
    with pytest.raises(FormatError) as caught:
        sentence_items(write(name, content))
    assert said in caught.value.message


@pytest.mark.parametrize("given", [3, PAIR, [PAIR, "text"]])
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"the sentences are|row 2 is"):
        sentence_items(given)


@pytest.mark.parametrize("labels", [("stereotype", "stereotype", "unrelated"), ()])
def test_labels_that_are_there_twice_or_not_at_all_are_refused(labels: tuple[str, ...]) -> None:
    row = {"sentences": [{"sentence": "a b", "gold_label": label} for label in labels]}
    with pytest.raises(FormatError, match="the gold labels of its sentences are"):
        sentence_items([row])

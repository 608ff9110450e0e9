from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.errors import FormatError, UnknownNameError
from crossroads.core.stimuli import Design, catalog, read_designs
from tests.fixtures.stimuli import Write

TOML = """\
name = "bugs"
title = "Flowers and insects"
language = "en"
source = { text = "Somebody (2020)", doi = "10.1000/182" }
departures = ["Two words each."]
x = { name = "flowers", items = ["rose", "daisy"] }
y = ["wasp", "flea"]
a = ["love"]
b = ["filth"]
"""
PLAIN: dict[str, Any] = {"name": "bugs", "x": ["rose"], "y": ["wasp"], "a": ["love"], "b": ["filth"]}
MAY: dict[str, Any] = {
    "targ1": {"category": "Flowers", "examples": ["rose"]},
    "targ2": {"category": "Insects", "examples": ["wasp"]},
    "attr1": {"category": "Pleasant", "examples": ["love"]},
    "attr2": {"category": "Unpleasant", "examples": ["filth"]},
}
HUB: dict[str, Any] = {
    "language": "el",
    "weat": "WEAT1",
    **{f"{key}.{part}": value for key, both in MAY.items() for part, value in both.items()},
}


def test_a_toml_file_gives_a_design_with_all_that_is_known(write: Write) -> None:
    design = read_designs(write("some.toml", TOML))[0]
    assert (design.name, design.x.name, list(design.x)) == ("bugs", "flowers", ["rose", "daisy"])
    assert design.source is not None
    assert (design.source.doi, design.language) == ("10.1000/182", "en")
    assert design.departures == ("Two words each.",)


def test_a_design_without_a_name_is_called_by_its_file_and_may_lack_y(write: Write) -> None:
    design = read_designs(write("single.toml", 'x = ["rose"]\na = ["love"]\nb = ["filth"]\n'))[0]
    assert (design.name, design.y) == ("single", None)


def test_several_designs_stand_under_design(write: Write) -> None:
    parts = [f'[[design]]\nname = "{n}"\nx = ["rose"]\na = ["love"]\nb = ["filth"]\n' for n in ("one", "two")]
    file = write("two.toml", "\r\n".join("".join(parts).splitlines()))
    assert [design.name for design in read_designs(file)] == ["one", "two"]


def test_json_may_hold_a_design_or_a_list_of_them(write: Write) -> None:
    for document in (PLAIN, [PLAIN], {"design": [PLAIN]}, {"designs": [PLAIN]}, {"design": PLAIN}):
        assert read_designs(write("some.json", "\ufeff" + json.dumps(document)))[0] == Design(**PLAIN)
    may = read_designs(write("weat1.jsonl", json.dumps(MAY, indent=2)))[0]
    assert (may.name, may.x.name, list(may.x)) == ("weat1", "Flowers", ["rose"])


@pytest.mark.parametrize("row", [HUB, {"language": "el", "weat": "WEAT1", **MAY}], ids=["flat", "nested"])
def test_the_shape_of_weathub_is_understood(write: Write, row: dict[str, Any]) -> None:
    other = row | {"language": "fr"}
    greek, french = read_designs(write("hub.json", json.dumps([row, other])))
    assert (greek.name, greek.language, french.name) == ("WEAT1-el", "el", "WEAT1-fr")
    assert [list(words) for words in greek.sets.values()] == [["rose"], ["wasp"], ["love"], ["filth"]]
    lines = "\n".join(json.dumps(r) for r in (row, other))
    assert read_designs(write("hub.jsonl", lines)) == [greek, french]


@pytest.mark.parametrize("entry", ["weat3", "i4", "em-ef-math"])
def test_what_to_dict_gives_is_read_back_from_json(write: Write, entry: str) -> None:
    design = catalog(entry)
    assert read_designs(write("back.json", json.dumps(design.to_dict())))[0] == design


@pytest.mark.parametrize(
    ("document", "key", "message"),
    [
        (PLAIN | {"b": "filth"}, "b", "one string"),
        (PLAIN | {"b": []}, "b", "empty"),
        (PLAIN | {"b": None}, None, "'b' is missing"),
        (PLAIN | {"b": ["filth", ""]}, "b", "'' is empty"),
        (PLAIN | {"y": ["wasp", "wasp"]}, "y", "'wasp' occurs twice"),
        (PLAIN | {"titel": "t"}, "titel", "did you mean 'title'"),
        (PLAIN | {"name": ""}, "name", "is not text"),
        (PLAIN | {"departures": "Two"}, "departures", "one string"),
        (PLAIN | {"templates": ["This is."]}, "templates", "no place"),
        (PLAIN | {"source": 3}, "source", "source"),
        (PLAIN | {"source": {"doi": "10.1000/182"}}, "source", "text"),
        (PLAIN | {"source": {"text": "S", "doi": "doi:10.1"}}, "source.doi", "is not a DOI"),
        (PLAIN | {"a": {"name": "good", "items": [3]}}, "a.items", "3 is of type int"),
        (PLAIN | {"a": {"name": "good"}}, "a", "items"),
        (PLAIN | {"a": {"words": ["joy"]}}, "a.words", "unknown key 'words'"),
        (MAY | {"targ1": {"category": "F", "example": ["rose"]}}, "targ1.example", "'examples'"),
        (MAY | {"targ1": {"category": "F"}}, "targ1", "examples of 'targ1' are missing"),
        (MAY | {"targ1": "rose"}, "targ1", "one string"),
        (HUB | {"atrr1.examples": ["love"]}, "atrr1.examples", "'attr1.examples'"),
        ("rose", None, "no design"),
        ([], None, "no design"),
        ([1], None, "not of type int"),
        ({"design": [], "title": "t"}, "title", "outside the designs"),
        ({"design": []}, "design", "no design"),
        ([PLAIN, PLAIN | {"x": []}], "design 2.x", "empty"),
        ([PLAIN, PLAIN], "name", "two designs are called 'bugs'"),
    ],
)
def test_faults_of_a_file_name_the_key(write: Write, document: Any, key: str | None, message: str) -> None:
    file = write("bad.json", json.dumps(document))
    with pytest.raises(FormatError, match=message) as caught:
        read_designs(file)
    assert caught.value.key == key
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("bad.toml", TOML.replace('["filth"]', '["filth",,'), None, r"TOML cannot be read: .*at line 9"),
        ("bad.toml", TOML.replace('"flea"]', '"wasp"]'), None, r"bad\.toml, key 'y': 'wasp' occurs twice"),
        ("bad.json", '{"name": "bugs",\n "x": ["rose"],,\n}', 2, "JSON cannot be read"),
        (
            "bad.json",
            '{"x": ["rose"],\n"a": ["love"],\n"b": ["filth"],\n"x": ["lily"]}',
            None,
            "'x': the key 'x' occurs",
        ),
        ("bad.json", "[" * 100_000, None, "nested too deeply|cannot be read"),
        ("bad.jsonl", json.dumps(PLAIN) + "\n{\n", 2, "JSON cannot be read"),
        ("bad.jsonl", f"{json.dumps(PLAIN)}\n\n{json.dumps(PLAIN | {'x': []})}\n", 3, "empty"),
    ],
)
def test_faults_of_a_file_name_the_line(
    write: Write, name: str, text: str, line: int | None, message: str
) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read_designs(write(name, text))
    assert caught.value.line == line


def test_equal_words_are_dropped_on_request_and_recorded(write: Write) -> None:
    file = write("twice.json", json.dumps(PLAIN | {"x": ["rose", "lily", "rose"]}))
    design = read_designs(file, duplicates="drop")[0]
    assert list(design.x) == ["rose", "lily"]
    assert design.departures == ("'rose', given more than once in x, is kept once.",)
    with pytest.raises(UnknownNameError, match="duplicates"):
        read_designs(file, duplicates="keep")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", None, "empty"),
        (b"\xef\xbb\xbf \n", None, "empty"),
        (b"x\ny\n\xff", 3, "0xff is not UTF-8"),
        (b"\xff\xfex\x00", None, "UTF-16"),
    ],
)
def test_files_that_are_not_text_are_refused(
    tmp_path: Path, data: bytes, line: int | None, message: str
) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(data)
    with pytest.raises(FormatError, match=message) as caught:
        read_designs(file)
    assert caught.value.line == line


def test_missing_files_folders_and_unknown_endings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    for name in ("table.xlsx", "table.docx", "table"):
        (tmp_path / name).write_bytes(b"PK")
    for name, said in (
        ("absent.toml", "no such file"),
        ("folder.json", "folder, not a file"),
        ("table.xlsx", r"spreadsheets are not read\.\s+hint: save the table as CSV UTF-8"),
        ("table.docx", r"'\.docx' is not an extension(.|\n)*\.toml"),
        ("table", "has no extension"),
    ):
        with pytest.raises(FormatError, match=said):
            read_designs(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.toml", 'language = "de"\ntarg1 = ["Hans"]\ntarg2 = ["Anna"]\nattr1 = ["Amt"]\nattr2 = ["Heim"]'),
        ("x.csv", "language,targ1,targ2,attr1,attr2\nde,['Hans'],['Anna'],['Amt'],['Heim']\n"),
        ("x.csv", "language;targ1.examples;targ2;attr1;attr2\nde;Hans;Anna;Amt;Heim\n"),
    ],
)
def test_lists_of_words_are_read_from_every_format(write: Write, name: str, text: str) -> None:
    (design,) = read_designs(write(name, text))
    assert design.language == "de"
    assert [list(words) for words in design.sets.values()] == [["Hans"], ["Anna"], ["Amt"], ["Heim"]]


def test_a_table_of_weathub_has_a_design_in_every_row(write: Write) -> None:
    head = "language,weat,targ1.category,targ1.examples,targ2.examples,attr1.examples,attr2.examples\n"
    rows = "de,WEAT6,Männer,\"['Hans', 'Paul']\",\"['Anna' 'Eva']\",\"Amt, Chef\",Heim\n"
    rows += "fr,WEAT6,Hommes,Jean,Anne,but,foyer\n"
    german, french = read_designs(write("hub.csv", head + rows))
    assert (german.name, german.x.name) == ("WEAT6-de", "Männer")
    assert (french.name, french.language) == ("WEAT6-fr", "fr")
    found = [" ".join(words) for words in german.sets.values()]
    assert found == ["Hans Paul", "Anna Eva", "Amt Chef", "Heim"]  # the second as numpy writes a list

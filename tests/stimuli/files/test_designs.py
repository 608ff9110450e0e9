from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import FormatError, UnknownNameError
from crossroads.stimuli import Design, catalog, read_design, read_designs
from tests.stimuli.conftest import Write

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
    design = read_design(write("some.toml", TOML))
    assert (design.name, design.x.name, list(design.x)) == ("bugs", "flowers", ["rose", "daisy"])
    assert design.source is not None
    assert (design.source.doi, design.language, design.departures) == (
        "10.1000/182",
        "en",
        ("Two words each.",),
    )


def test_a_design_without_a_name_is_called_by_its_file_and_may_lack_y(write: Write) -> None:
    design = read_design(write("single.toml", 'x = ["rose"]\na = ["love"]\nb = ["filth"]\n'))
    assert (design.name, design.y) == ("single", None)


def test_several_designs_stand_under_design(write: Write) -> None:
    parts = [f'[[design]]\nname = "{n}"\nx = ["rose"]\na = ["love"]\nb = ["filth"]\n' for n in ("one", "two")]
    file = write("two.toml", "\r\n".join("".join(parts).splitlines()))
    assert [design.name for design in read_designs(file)] == ["one", "two"]
    with pytest.raises(FormatError, match=r"2 designs(.|\n)*read_designs"):
        read_design(file)


@pytest.mark.parametrize(
    "document",
    [PLAIN, [PLAIN], {"design": [PLAIN]}, {"designs": [PLAIN]}, {"design": PLAIN}],
    ids=["object", "list", "design", "designs", "single"],
)
def test_json_may_hold_a_design_or_a_list_of_them(write: Write, document: Any) -> None:
    design = read_design(write("some.json", "\ufeff" + json.dumps(document)))
    assert design == Design(**PLAIN)


def test_the_shape_of_the_sentence_tests_is_understood(write: Write) -> None:
    design = read_design(write("weat1.jsonl", json.dumps(MAY, indent=2)))
    assert design.name == "weat1"
    assert [words.name for words in design.sets.values()] == ["Flowers", "Insects", "Pleasant", "Unpleasant"]


@pytest.mark.parametrize("row", [HUB, {"language": "el", "weat": "WEAT1", **MAY}], ids=["flat", "nested"])
def test_the_shape_of_weathub_is_understood(write: Write, row: dict[str, Any]) -> None:
    other = row | {"language": "fr"}
    greek, french = read_designs(write("hub.json", json.dumps([row, other])))
    assert (greek.name, greek.language, french.name) == ("WEAT1-el", "el", "WEAT1-fr")
    assert greek.sets == Design(**PLAIN).sets | greek.sets
    lines = "\n".join(json.dumps(r) for r in (row, other))
    assert read_designs(write("hub.jsonl", lines)) == [greek, french]


@pytest.mark.parametrize("entry", ["weat3", "i4", "em-ef-math"])
def test_what_to_dict_gives_is_read_back_from_json(write: Write, entry: str) -> None:
    design = catalog(entry)
    assert read_design(write("back.json", json.dumps(design.to_dict()))) == design


def located(error: FormatError) -> tuple[int | None, str | None]:
    return error.line, error.key


@pytest.mark.parametrize(
    ("change", "line", "key", "message"),
    [
        (('b = ["filth"]', 'b = "filth"'), 9, "b", "one string"),
        (('b = ["filth"]', "b = []"), 9, "b", "empty"),
        (('b = ["filth"]\n', ""), 1, None, "'b' is missing"),
        (('b = ["filth"]', 'c = ["filth"]'), 9, "c", "unknown key 'c'"),
        (("title =", "titel ="), 2, "titel", "did you mean 'title'"),
        (("doi =", "dio ="), 4, "source.dio", "did you mean 'doi'"),
        (("10.1000/182", "doi:10.1000"), 4, "source.doi", "is not a DOI"),
        (('"daisy"]', '\n"daisy",\n" lily"]'), 8, "x.items", "' lily' has spaces"),
        (('"flea"]', '"flea",\n"wasp"]'), 8, "y", "'wasp' occurs twice"),
        (('"flea"]', '"flea",\n3]'), 8, "y", "3 is of type int"),
        (("items =", "words ="), 6, "x.words", "unknown key 'words'"),
        (('name = "bugs"', 'name = ""'), 1, "name", "is not text"),
        (('language = "en"', "language = 1"), 3, "language", "is not text"),
        (('["Two words each."]', '"Two"'), 5, "departures", "one string"),
        (('b = ["filth"]', 'b = ["filth"'), 9, None, "TOML cannot be read"),
        (("title = ", "title "), 2, None, "TOML cannot be read"),
        (('name = "bugs"', 'name = "bugs"\nname = "again"'), 2, None, "TOML cannot be read"),
        (('name = "bugs"', 'name = "bugs"\ntemplates = ["This is."]'), 2, "templates", "no place"),
    ],
)
def test_faults_of_a_toml_file_name_key_and_line(
    write: Write, change: tuple[str, str], line: int, key: str | None, message: str
) -> None:
    file = write("bad.toml", TOML.replace(*change))
    with pytest.raises(FormatError, match=message) as caught:
        read_design(file)
    assert located(caught.value) == (line, key)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        ('{"name": "bugs",\n "x": ["rose"],,\n}', 2, None, "JSON cannot be read"),
        ('{"x": ["rose"],\n"a": ["love"],\n"b": ["filth"],\n"x": ["lily"]}', 4, "x", "twice"),
        ('[{"x": ["rose"],\n"a": ["love"],\n"b": ["filth", ""]}]', 3, "b", "'' is empty"),
        ('{"targ1": {"category": "F",\n"example": ["rose"]}}', 2, "targ1.example", "'examples'"),
        ('{"targ1": {"category": "F"}}', 1, "targ1", "examples of 'targ1' are missing"),
        ('{\n"targ1": "rose"}', 2, "targ1", "one string"),
        (
            '{"targ1.examples": ["rose"],\n"atrr1.examples": ["love"]}',
            2,
            "atrr1.examples",
            "'attr1.examples'",
        ),
        ('{"x": ["rose"],\n"a": {"name": "good", "items": [3]}}', 2, "a.items", "3 is of type int"),
        ('{"x": ["rose"], "a": ["love"],\n"b": {"name": "bad"}}', 2, "b", "items"),
        ('{"x": ["a"], "a": ["b"], "b": ["c"],\n"source": 3}', 2, "source", "source"),
        ('{"x": ["a"], "a": ["b"], "b": ["c"],\n"source": {"doi": "10.1000/182"}}', 2, "source", "text"),
        ('{"x": ["a"], "a": ["b"], "b": ["c"],\n"templates": ["{word}", 3]}', 2, "templates", "3"),
        ('"rose"', 1, None, "no design"),
        ("[]", 1, None, "no design"),
        ("[1]", 1, None, "not of type int"),
        ('{"design": [], "title": "t"}', 1, "title", "outside the designs"),
        ('{"design": []}', 1, "design", "no design"),
        ("[" * 100_000, None, None, "nested too deeply|cannot be read"),
    ],
)
def test_faults_of_a_json_file_name_key_and_line(
    write: Write, text: str, line: int | None, key: str | None, message: str
) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read_designs(write("bad.json", text))
    assert located(caught.value) == (line, key)


def test_faults_of_json_lines_count_from_the_top_of_the_file(write: Write) -> None:
    good = json.dumps(PLAIN)
    bad = json.dumps(PLAIN | {"name": "other", "x": ["rose", "rose"]})
    with pytest.raises(FormatError, match="'rose' occurs twice") as caught:
        read_designs(write("bad.jsonl", f"{good}\n\n{bad}\n"))
    assert located(caught.value) == (3, "x")
    with pytest.raises(FormatError, match="JSON cannot be read") as caught:
        read_designs(write("bad.jsonl", f"{good}\n{{\n"))
    assert caught.value.line == 2


def test_two_designs_of_a_file_cannot_share_a_name(write: Write) -> None:
    with pytest.raises(FormatError, match="two designs are called 'bugs'"):
        read_designs(write("same.json", json.dumps([PLAIN, PLAIN])))


def test_equal_words_are_dropped_on_request_and_recorded(write: Write) -> None:
    file = write("twice.json", json.dumps(PLAIN | {"x": ["rose", "lily", "rose"]}))
    design = read_design(file, duplicates="drop")
    assert list(design.x) == ["rose", "lily"]
    assert design.departures == ("'rose', given more than once in x, is kept once.",)
    with pytest.raises(UnknownNameError, match="duplicates"):
        read_design(file, duplicates="keep")  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", [".toml", ".json", ".csv"])
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
    tmp_path: Path, suffix: str, data: bytes, line: int | None, message: str
) -> None:
    file = tmp_path / f"bad{suffix}"
    file.write_bytes(data)
    with pytest.raises(FormatError, match=message) as caught:
        read_design(file)
    assert caught.value.line == line


def test_missing_files_folders_and_unknown_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        read_design(tmp_path / "absent.toml")
    folder = tmp_path / "folder.json"
    folder.mkdir()
    with pytest.raises(FormatError, match="folder, not a file"):
        read_design(str(folder))
    for name, said in [
        ("table.xlsx", r"spreadsheets are not read\.\s+hint: save the table as CSV UTF-8"),
        ("table.docx", r"'\.docx' is not an extension(.|\n)*\.toml"),
        ("table", r"has no extension\.\s+hint: use one of the file extensions \.toml"),
    ]:
        with pytest.raises(FormatError, match=r"there is no such file"):
            read_design(tmp_path / name)
        (tmp_path / name).write_bytes(b"PK")
        with pytest.raises(FormatError, match=said):
            read_design(tmp_path / name)


LISTS = {"targ1": ["Hans"], "targ2": ["Anna"], "attr1": ["Amt"], "attr2": ["Heim"]}
TOML_LISTS = "\n".join(['language = "de"', *(f"{key} = {words}" for key, words in LISTS.items())])
FLAT = ";".join(["language", *(f"{key}.examples" for key in LISTS)])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", json.dumps({"language": "de", **LISTS})),
        ("x.toml", TOML_LISTS.replace("'", '"')),
        ("x.csv", f"language,{','.join(LISTS)}\nde,['Hans'],['Anna'],['Amt'],['Heim']\n"),
        ("x.csv", f"{FLAT}\nde;Hans;Anna;Amt;Heim\n"),
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
    assert [list(words) for words in german.sets.values()] == [
        ["Hans", "Paul"],
        ["Anna", "Eva"],  # as numpy writes a list
        ["Amt", "Chef"],
        ["Heim"],
    ]


def test_columns_of_words_under_foreign_names_are_sets(write: Write) -> None:
    design = read_design(write("c.csv", "targ1,targ2,attr1,attr2\nHans,Anna,Amt,Heim\nPaul,Eva,Chef,Kind\n"))
    assert list(design.a) == ["Amt", "Chef"]

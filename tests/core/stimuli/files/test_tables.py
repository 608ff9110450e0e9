from __future__ import annotations

import pytest

from crossroads.core.errors import FormatError
from crossroads.core.stimuli import read_designs
from tests.fixtures.stimuli import Write

ROWS = [("x", "rose"), ("y", "wasp"), ("a", "love"), ("b", "filth")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_tables_are_read_with_any_common_delimiter_and_line_end(
    write: Write, delimiter: str, newline: str
) -> None:
    rows = [delimiter.join(row) for row in [("set", "word"), *ROWS]]
    design = read_designs(write("bugs.csv", "\ufeff" + newline.join(rows) + newline))[0]
    assert design.name == "bugs"
    assert {role: list(words) for role, words in design.sets.items()} == {r: [w] for r, w in ROWS}


def test_columns_may_come_in_any_order_and_case_and_a_line_may_announce_the_delimiter(write: Write) -> None:
    text = 'sep=;\nWord;"Set"\nrose;X\nlove;A\n;\nfilth;b\n'
    assert read_designs(write("bugs.csv", text))[0].words == ("rose", "love", "filth")


def test_several_designs_and_named_sets_fit_into_one_table(write: Write) -> None:
    lines = ["design,set,name,word"]
    lines += [f"{d},{s},{s}-set,{w}{d}" for d in ("one", "two") for s, w in ROWS]
    one, two = read_designs(write("many.csv", "\n".join(lines)))
    assert (one.name, two.name, one.x.name, list(two.b)) == ("one", "two", "x-set", ["filthtwo"])


def test_quoted_cells_may_hold_the_delimiter(write: Write) -> None:
    text = 'set,word\nx,"one, two"\na,"say ""hi"""\nb,c\n'
    assert read_designs(write("q.csv", text))[0].words == ("one, two", 'say "hi"', "c")


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        ("set,wort\nx,rose\n", 1, None, "no column 'word'"),
        ("set,word,colour\nx,rose,red\n", 1, "colour", "unknown column 'colour'"),
        ("set,word,word\nx,a,b\n", 1, "word", "twice"),
        ("set,word\nx,rose\nz,wasp\n", 3, "set", "the set is 'z'"),
        ("set,word\nx,rose\nx,rose \n", 3, "word", "'rose' occurs twice in x"),
        ("set,word\nx,\n", 2, "word", "is empty"),
        ("x,y,a,b\nrose,wasp,love,filth,more\n", 2, None, "5 cells under 4 columns"),
        ("x: men,x: women,a,b\nJohn,Amy,career,family\n", 1, None, "no column 'set'"),
        ("a\x1b[2J;one;two;three\nMann;Frau;Büro;Heim\n", 1, None, "no column 'set'"),
        ("x,y,a,b\nrose,wasp,love,\n", None, "set", "no words in b"),
        ('set,word\nx,"two\nlines"\n', 2, "word", "control character"),
        ('set,word\nx,rose\nx,"never closed\n', 3, None, "cannot be read"),
        ("set,word,name\nx,rose,flowers\nx,lily,plants\n", 3, "name", "called 'plants'"),
        ("set,word\n", None, None, "no rows"),
    ],
)
def test_faults_of_a_table_name_the_line(
    write: Write, text: str, line: int | None, key: str | None, message: str
) -> None:
    file = write("bad.csv", text)
    with pytest.raises(FormatError, match=message) as caught:
        read_designs(file)
    assert (caught.value.line, caught.value.key, caught.value.path) == (line, key, file)


def test_a_table_may_have_a_column_for_each_set_and_sets_of_different_sizes(write: Write) -> None:
    text = "X;Y;A;B\r\nrose;wasp;love;filth\r\nlily;;joy;\r\n;;peace;dirt\r\n"
    design = read_designs(write("wide.csv", text))[0]
    found = [list(words) for words in design.sets.values()]
    assert found == [["rose", "lily"], ["wasp"], ["love", "joy", "peace"], ["filth", "dirt"]]


def test_spaces_and_columns_that_a_spreadsheet_hides_are_removed(write: Write) -> None:
    text = "set;word ;;\nx;Rose ;;\nx;\u00a0Lily;;\nx;Iris;;\na; love;;\nb;filth;;\n ; ;;\n"
    design = read_designs(write("spaces.csv", text))[0]
    assert design.words == ("Rose", "Lily", "Iris", "love", "filth")
    assert design.departures == ("spaces around 'Rose', 'Lily' and 'love' are removed.",)


@pytest.mark.parametrize(
    "head",
    [
        "X:male names, Y : Female names ,A,B",
        "x (male names),y (Female names),a,b",
        "x = male names;y= Female names;a;b",
        '"x: male names","y: Female names",a,b',
        "x: male names\ty: Female names\ta\tb",
    ],
)
def test_the_sets_of_a_wide_table_may_be_named_in_the_first_row(write: Write, head: str) -> None:
    mark = next(mark for mark in ("\t", ";", ",") if mark in head)
    words = mark.join(["John", "Amy", "career", "family"])
    design = read_designs(write("names.csv", f"{head}\n{words}\n"))[0]
    assert [words.name for words in design.sets.values()] == ["male names", "Female names", "a", "b"]
    assert design.words == ("John", "Amy", "career", "family")


@pytest.mark.parametrize(
    ("heads", "line"),
    [
        ("Männer;Frauen;Beruf;Familie", "x: Männer;y: Frauen;a: Beruf;b: Familie"),
        ('"men, old",women,work,home', '"x: men, old",y: women,a: work,b: home'),
    ],
)
def test_four_headings_of_ones_own_are_refused_with_the_line_to_write(
    write: Write, heads: str, line: str
) -> None:
    words = "Mann;Frau;Büro;Heim\n".replace(";", ";" if ";" in heads else ",")
    with pytest.raises(FormatError, match="do not say which set they are") as caught:
        read_designs(write("own.csv", f"{heads}\n{words}"))
    assert f"first line: {line}\n" in str(caught.value.hint)
    names = [one.name for one in read_designs(write("own.csv", f"{line}\n{words}"))[0].sets.values()]
    assert [name in heads for name in names] == [True] * 4

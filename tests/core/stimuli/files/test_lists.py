from __future__ import annotations

import pytest

from crossroads.core.errors import FormatError
from crossroads.core.stimuli.files.text import read_trait_lists
from tests.fixtures.stimuli import Write


def test_tables_and_toml_say_the_same(write: Write) -> None:
    table = "pair,trait,source\nBlack woman,dominant,a\nBlack | man,threatening,b\nBlack woman,cold,a\n"
    toml = '"Black woman" = ["dominant", "cold"]\n"Black | man" = ["threatening"]\n'
    wanted = {"Black woman": ("dominant", "cold"), ("Black", "man"): ("threatening",)}
    assert read_trait_lists(write("truth.csv", table)) == wanted
    assert read_trait_lists(write("truth.toml", toml)) == wanted


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "group,trait\na,b\n", r"line 1: the columns are \['group', 'trait'\]"),
        ("a.csv", "pair,trait\n", "lists no traits"),
        ("a.csv", "pair,trait\na,b\na,\n", "line 3: a cell is empty"),
        ("a.csv", "pair,trait\na | b | c,d\n", "line 2: 'a . b . c' is not a pair"),
        ("a.toml", "a = 3\n", "key 'a': expected a list of traits"),
        ("a.toml", "a = \n", "Invalid value"),
    ],
)
def test_faults_are_named_with_their_place(write: Write, name: str, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_trait_lists(write(name, text))

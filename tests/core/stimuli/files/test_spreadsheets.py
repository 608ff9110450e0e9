"""Words that a spreadsheet would take for formulas, in every table that is written and read back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import crossroads
from crossroads.core.stimuli import read_designs
from crossroads.core.stimuli.files.text import from_cell, in_cell, read_trait_lists, write_rows
from crossroads.traits.people.files import ratings_of

PLAIN = ("word", "it's", "'tis", "a=b", "", "x-y", "1-2", "−0.3", "'")
SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"


def test_other_words_and_numbers_stay_as_they_are() -> None:
    assert [in_cell(word) for word in PLAIN] == [from_cell(word) for word in PLAIN] == list(PLAIN)
    assert [in_cell(number) for number in (-0.3, -1, None)] == [-0.3, -1, None]


@given(st.text(alphabet=f"'{SIGNS} \t\r\n\x00\x7f\u00a0\ufeffab1") | st.text())
def test_every_word_comes_back_and_none_begins_like_a_formula(word: str) -> None:
    cell = in_cell(word)
    assert from_cell(cell) == word
    assert cell == "=" or not re.match(rf"[\x00-\x1f\x7f]|[\s\ufeff]*[{re.escape(SIGNS)}]", cell)
    assert in_cell(f"={word}x") == f"'={word}x"


def test_heads_are_words_too_and_what_a_row_lacks_is_empty() -> None:
    file = io.StringIO(newline="")
    write_rows(file, ["=head", "n"], [{"=head": "-x", "n": -0.3}, {"n": 1}])
    assert file.getvalue() == "'=head,n\r\n'-x,-0.3\r\n,1\r\n"


def test_one_place_writes_tables() -> None:
    makers = re.compile(r"csv\.(writer|DictWriter)|\.to_csv\(|write_csv\(.*pyarrow")
    modules = Path(crossroads.__file__).parent.rglob("*.py")
    users = [path.name for path in modules if makers.search(path.read_text(encoding="utf-8"))]
    assert users == ["text.py"]


def test_designs_scores_and_traits_are_read_back(tmp_path: Path) -> None:
    words = {"x": ["=1+1", "-ness"], "y": ["@a", "'=b"], "a": ["+c", "d"], "b": ["e", "f"]}
    cells = [(key, word) for key, some in words.items() for word in some]
    rows = [{"design": "=d", "set": key, "word": word, "name": f"-{key}"} for key, word in cells]
    _write(tmp_path / "design.csv", rows)
    (design,) = read_designs(tmp_path / "design.csv")
    assert design.name == "=d"
    found = {key: (one.name, list(one)) for key, one in design.sets.items()}
    assert found == {key: (f"-{key}", some) for key, some in words.items()}
    _write(tmp_path / "scores.csv", [{"group": "=g", "trait": "-t", "score": -0.3}])
    (rating,) = ratings_of(tmp_path / "scores.csv")
    assert (rating.group, rating.trait, rating.score) == ("=g", "-t", -0.3)
    _write(tmp_path / "wide.csv", [{"group": "@g", "+t": -0.3}])
    (rating,) = ratings_of(tmp_path / "wide.csv")
    assert (rating.group, rating.trait, rating.score) == ("@g", "+t", -0.3)
    _write(tmp_path / "traits.csv", [{"pair": "=p | -q", "trait": "@t"}])
    assert read_trait_lists(tmp_path / "traits.csv") == {("=p", "-q"): ("@t",)}


def _write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, list(rows[0]), rows)
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert [cell for cell in cells if cell[:1] in "=+@" and cell] == []

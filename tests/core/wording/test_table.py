"""A table is a value: every output prints the same cells, and files have them unrounded."""

from __future__ import annotations

import dataclasses
import re

from hypothesis import given
from hypothesis import strategies as st

from crossroads.core.wording.numbers import P
from crossroads.core.wording.table import (
    Column,
    Interval,
    Rate,
    Table,
    distinct,
    in_html,
    in_latex_table,
    in_markdown_table,
)

HOSTILE = "<b>a&b</b> | 5% $x$ _y_ \\\x1b[31m\n"
NB = "\N{NO-BREAK SPACE}"


def table(**changes: object) -> Table:
    made = Table(
        name="made_up",
        title="Made up",
        columns=(
            Column(key="test", head="test"),
            Column(key="d", head="d", note="effect size"),
            Column(key="ci", head="CI", digits=1),
            Column(key="p", head="p", note="share of all divisions"),
            Column(key="share", head="share", kind="share"),
            Column(key="n", head="n", kind="count", spare=1),
            Column(key="kept", head="kept", spare=2),
        ),
        rows=(
            {
                "test": HOSTILE, "d": -0.316, "ci": Interval(-1.06, 2.0), "p": P(1.342e-4, "≤"),
                "share": 0.999, "n": 12345, "kept": True,
            },
            {"test": "two", "d": 0.0, "ci": None, "p": P(0.0496), "share": 0.5, "n": 1, "kept": False},
            {"test": "three", "d": None, "p": None},
        ),
        notes=("A note.",),
    )  # fmt: skip
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def test_values_become_text_in_every_style_and_numbers_stand_to_the_right() -> None:
    assert table().right() == [False, True, True, True, True, True, True]
    assert table().cells() == [
        [HOSTILE, "−0.32", "−1.1 to 2.0", "≤ 1.4e−4", f"99.9{NB}%", "12,345", "yes"],
        ["two", "0.00", "–", "0.0496", f"50{NB}%", "1", "no"],
        ["three", "–", "–", "–", "–", "–", "–"],
    ]
    assert [row[3] for row in table().cells("figure")] == ["≤ 1.4×10⁻⁴", "0.0496", "–"]
    hostile = r"\textless{}b\textgreater{}a\&b\textless{}/b\textgreater{} \textbar{} 5\% \$x\$ \_y\_ "
    assert table().cells("latex") == [
        [
            rf"{hostile}\textbackslash{{}}{{[}}31m", "$-0.32$", "$-1.1$ to $2.0$",
            r"$\le 1.4 \times 10^{-4}$", rf"99.9{NB}\%", "12,345", "yes",
        ],
        ["two", "$0.00$", "--", "$0.0496$", rf"50{NB}\%", "1", "no"],
        ["three", "--", "--", "--", "--", "--", "--"],
    ]  # fmt: skip


def test_files_have_every_number_unrounded_its_sign_and_both_ends_of_intervals() -> None:
    first, second, third = table().records()
    assert first == {
        "test": HOSTILE, "d": -0.316, "ci_low": -1.06, "ci_high": 2.0, "p": 1.342e-4, "p_sign": "≤",
        "share": 0.999, "n": 12345, "kept": True,
    }  # fmt: skip
    assert (second["p"], second["p_sign"], second["ci_low"], second["ci_high"]) == (0.0496, "=", None, None)
    assert (third["p"], third["p_sign"], third["share"]) == (None, None, None)
    assert list(first) == list(second) == list(third)


def test_what_columns_and_marks_mean_is_said_where_they_are_used() -> None:
    bound = "≤: an upper bound that is certain; p-values adjusted from it are bounds too."
    said = table().reading()
    assert said == ["d: effect size.", "p: share of all divisions.", bound, "A note."]
    assert bound not in table(rows=table().rows[1:]).reading()
    ways = table(rows=({"p": P.of(0.2, "monte-carlo")}, {"p": P.of(0.1, "saddlepoint")}, {"p": P(0.5)}))
    assert ways.marks() == [
        "≈: an estimate from labels exchanged at random or by a saddlepoint approximation, not a count."
    ]
    # a family of tests is marked for its least sure ones
    family = P.family([0.02], [(0.01, 0.02)], ["exact", "bracket", "saddlepoint"])
    (told,) = table(rows=({"p": family[0]},)).marks()
    assert told == "≈: an estimate by a saddlepoint approximation, not a count."
    assert ways.without(["p"]).marks() == []  # a column that is not shown needs no words


def test_a_rate_is_printed_with_its_counts_and_has_them_in_files() -> None:
    columns = (Column(key="tpr", head="TPR"),)
    made = table(columns=columns, rows=({"tpr": Rate(0.5, 1000, 2000)}, {"tpr": None}))
    assert made.cells() == [["0.50 1,000/2,000"], ["–"]]
    assert made.cells("latex")[0] == ["$0.50$ 1,000/2,000"]
    assert made.right() == [True]
    assert made.records() == [
        {"tpr": 0.5, "tpr_hits": 1000, "tpr_cases": 2000},
        {"tpr": None, "tpr_hits": None, "tpr_cases": None},
    ]


def test_a_long_table_is_shortened_and_says_so() -> None:
    long = table(most=2)
    short = long.shortened()
    assert short.rows == long.rows[:2]
    assert short.notes == ("A note.", "The first 2 of 3 rows.")
    assert len(long.records()) == 3  # files have all
    assert table(most=3).shortened() == table(most=3)
    assert table().shortened() == table()


def test_a_small_table_in_text_keeps_to_its_lines() -> None:
    lines = str(table()).splitlines()
    assert lines[0] == "Made up"
    assert len(lines) == 6
    assert lines[-1].startswith("≤: an upper bound")  # the sign is shown, so it is said what it means
    assert "\x1b" not in str(table())
    many = table(rows=({"test": "x"},) * 1015)
    assert str(many).splitlines()[-1] == "… and 1,003 more rows"
    assert str(table(rows=())).splitlines() == ["Made up", "test  d  CI  p  share  n  kept"]


def test_a_table_in_html_is_text_and_says_how_it_is_read() -> None:
    shown = in_html(table())
    assert "<b>a&b" not in shown
    assert "&lt;b&gt;a&amp;b&lt;/b&gt;" in shown
    assert shown.count("<tr>") == shown.count("</tr>") == 4
    assert "<small>d: effect size. p: share of all divisions. ≤: an upper bound" in shown
    hostile = table(title="<i>", notes=("<u>",), columns=(Column(key="test", head="<s>", note="<q>"),))
    assert not re.search(r"<(i|u|s|q)>", in_html(hostile))


@given(st.text(), st.text(), st.text())
def test_names_and_notes_never_leave_their_cell(name: str, head: str, note: str) -> None:
    made = Table(
        name="n",
        title=name,
        columns=(Column(key="a", head=head, note=note), Column(key="b", head="p")),
        rows=({"a": name, "b": P(0.5)},),
    )
    lines = in_markdown_table(made).split("\n")
    assert len(lines) == 5 if note else len(lines) == 3
    for line in lines[:3]:
        assert line.replace("\\\\", "").replace(r"\|", "").count("|") == 3
    assert "<" not in "\n".join(lines)
    printed = in_latex_table(made, label="l")
    assert len(printed.splitlines()) == 15
    row = next(line for line in printed.splitlines() if line.endswith(r"& $0.50$ \\"))
    assert len(re.findall(r"(?<!\\)&", row)) == 1
    bare = re.sub(r"\\[{}]", "", printed)
    assert bare.count("{") == bare.count("}")


def test_tables_of_one_name_are_told_apart_and_one_without_rows_has_heads() -> None:
    named = distinct([table(), table(name="traits"), table(name="traits"), table(name="other")])
    assert list(named) == ["", "traits", "traits-2", "other"]
    assert table(rows=()).heads() == ["test", "d", "ci", "p", "share", "n", "kept"]
    assert table().heads() == list(table().records()[0])

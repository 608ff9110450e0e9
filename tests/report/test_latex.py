"""The table for print: structure, escaping, and the convention in the caption."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from crossroads.report import Audit, latex_table


def rows_of(table: str) -> list[str]:
    return table.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()


def test_every_row_has_a_cell_for_every_column(audit: Audit) -> None:
    table = latex_table(audit)
    columns = re.search(r"\\begin\{tabular\}\{(\w+)\}", table)
    assert columns is not None
    rows = rows_of(table)
    assert len(rows) == len(audit.battery.tests) == 2
    for row in rows:
        assert row.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", row)) == len(columns[1]) - 1


def test_environments_are_closed_in_order_and_braces_balance(audit: Audit) -> None:
    table = latex_table(audit)
    assert re.findall(r"\\(begin|end)\{(\w+)\}", table) == [
        ("begin", "table"), ("begin", "tabular"), ("end", "tabular"), ("end", "table"),
    ]  # fmt: skip
    bare = re.sub(r"\\[{}]", "", table)
    assert bare.count("{") == bare.count("}")


def test_a_hard_name_is_escaped(audit: Audit) -> None:
    assert rows_of(latex_table(audit))[0].startswith(
        r"a\&b \%\_\#\textasciitilde{}\textasciicircum{}\textbackslash{} \textless{}i\textgreater{} "
        r"\textbar{} {[}x{]} {*}é{*} & "
    )
    assert r"Associations in vectors \& co\_1.txt." in latex_table(audit)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alternative": "greater"}, "one-sided (greater), ties included"),
        ({"alternative": "observed"}, "chosen after the fact"),
        ({"ties": "strict"}, "two-sided, ties not counted"),
        ({"ddof": 0}, "units of the population standard deviation"),
        ({"method": "normal"}, r"$\approx$: an approximation."),
    ],
)
def test_the_caption_says_the_convention(
    audit: Audit, another_audit: Callable[..., Audit], options: dict[str, object], said: str
) -> None:
    assert said not in latex_table(audit)
    assert said in latex_table(another_audit(**options))

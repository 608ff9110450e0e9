"""The table for print: structure, escaping, and the convention in the caption."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from crossroads.evidence import Provenance
from crossroads.measures import BatteryResult, TraitScores
from crossroads.report import Audit, latex_table
from crossroads.report.latex_layout import table


def rows_of(table: str) -> list[str]:
    return table.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()


def test_every_row_has_a_cell_for_every_column(audit: Audit, tested: BatteryResult) -> None:
    table = latex_table(audit)
    columns = re.search(r"\\begin\{tabular\}\{(\w+)\}", table)
    assert columns is not None
    rows = rows_of(table)
    assert len(rows) == len(tested.tests) == 2
    for row in rows:
        assert row.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", row)) == len(columns[1]) - 1


def test_environments_are_closed_in_order_and_braces_balance(audit: Audit) -> None:
    table = latex_table(audit)
    assert re.findall(r"\\(begin|end)\{(\w+)\}", table) == 3 * [  # battery, detections, geometry
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


def test_questions_stand_below_a_table_where_they_have_the_width_of_the_page(
    audit: Audit, whole: Audit
) -> None:
    # in a column the names of the catalogue's sets would carry a table beyond the page, to the right or below
    for text in (latex_table(audit), latex_table(whole).partition(r"-contexts}")[2]):
        first = text.partition(r"\end{table}")[0]
        assert r"\footnotesize" in first
        notes = first.partition("\\end{tabular}\n")[2]
        assert notes.startswith(r"\par\smallskip{\raggedright\scriptsize ")
        for row in rows_of(text):
            assert f"{row.split(' & ')[0]}: " in notes


def test_a_table_of_many_rows_is_set_in_small_type() -> None:
    for rows, size, other in ((40, r"\footnotesize", r"\scriptsize"), (41, r"\scriptsize", r"\footnotesize")):
        made = table("r", ["h"], [["1"]] * rows, caption="c", label="l")
        assert size in made
        assert other not in made


def test_scores_on_more_traits_than_a_page_is_wide_fill_several_tables() -> None:
    traits, groups = [f"t{i}" for i in range(1, 19)], ["g", "h"]
    given = {g: {t: i + 100.0 * j for i, t in enumerate(traits, 1)} for j, g in enumerate(groups)}
    scores = TraitScores.from_table(given, measure="m", provenance=(Provenance(source="m"),))
    text = latex_table(Audit(kind="results", traits=(scores,)), label="tab:x")
    assert re.findall(r"\\label\{tab:x-([\w-]+)\}", text) == [
        "traits-1",
        "traits-1-from-9",
        "traits-1-from-17",
    ]
    tables = re.split(r"(?=\\begin\{table\})", text)[1:]
    assert [len(rows_of(one)) for one in tables] == [2, 2, 2]
    assert rows_of(tables[2]) == [r"g & $17.00$ & $18.00$ \\", r"h & $117.00$ & $118.00$ \\"]
    assert "17: t17; 18: t18." in tables[2]
    assert "9: t9;" not in tables[2]
    assert "Group & 9 & 10 &" in tables[1]


def test_detections_and_geometry_are_printed_too(audit: Audit) -> None:
    text = latex_table(audit, label="tab:x")
    assert re.findall(r"\\label\{tab:x-?([\w-]*)\}", text) == ["", "detections", "geometry"]
    detections, geometry = re.split(r"(?=\\begin\{table\})", text)[2:]
    for one, columns in ((detections, 7), (geometry, 7)):
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows_of(one)} == {columns - 1}
    assert len(rows_of(detections)) == len(audit.detections)
    (fit,) = audit.fits
    assert f"${fit.similarity1:.3f}$ & ${fit.similarity2:.3f}$" in geometry
    assert r"$\approx " in geometry  # the labels were exchanged at random


def test_every_kind_of_result_has_a_table_of_its_own(whole: Audit) -> None:
    text = latex_table(whole, label="tab:x")
    labels = re.findall(r"\\label\{tab:x-([\w-]+)\}", text)
    assert labels == [
        "series-1", "contexts", "context-levels", "traits-1", "traits-2", "alignment", "order-1",
        "dominance-1", "emergent-1",
    ]  # fmt: skip
    for one in re.split(r"(?=\\begin\{table\})", text)[1:]:
        columns = re.search(r"\\begin\{tabular\}\{(\w+)\}", one)
        assert columns is not None
        rows = rows_of(one)
        assert rows
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns[1]) - 1
        assert one.count(r"\end{tabular}") == one.count(r"\end{table}") == 1
        bare = re.sub(r"\\[{}]", "", one)
        assert bare.count("{") == bare.count("}")
    assert r"measured by m\&m" in text
    assert r"\textless{}b\textgreater{}\_0" in text
    assert "combined over 5 samples" in text

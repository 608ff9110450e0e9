"""The published tables of the package are those that the papers print."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from crossroads.core.stimuli import catalog
from crossroads.papers.ceat import printed
from crossroads.papers.ml_eat import numbers
from crossroads.papers.published import table
from crossroads.traits.people.files import group_name


def same(ours: list[float], theirs: list[str]) -> bool:
    return all((t == "" and isnan(o)) or o == float(t) for o, t in zip(ours, theirs, strict=True))


def test_every_row_of_ml_eat_is_as_printed(printed_tables: Any) -> None:
    ours: dict[tuple[Any, ...], list[str]] = {}
    for one in numbers():
        text = str(int(one.value)) if one.kind == "star" else one.text
        ours.setdefault((one.table, one.model, one.prompt, one.test), []).append(text)
    assert sorted(ours.values()) == sorted(printed_tables["ml-eat"])


def test_every_cell_of_ceat_is_as_printed(printed_tables: Any) -> None:
    wanted = [
        (number, test, float(cells[i]), cells[i + 1])
        for number, test, *cells in printed_tables["ceat"]
        for i in (0, 2, 4, 6)
    ]
    assert [(one.table, one.test, one.d, one.p) for one in printed()] == wanted


def test_the_points_of_detections_are_those_of_the_released_code(printed_tables: Any) -> None:
    for row in table("ceat-ibd")["row"]:
        point = printed_tables["ceat-ibd"][f"{row['target']}_{row['kind'].upper()}"]
        for rate in ("fpr", "tpr"):
            assert row[rate][0] / row[rate][1] == pytest.approx(point[rate])
        kind = "intersectional" if row["kind"] == "ibd" else "emergent"
        assert row["tpr"][1] == len(catalog("ceat-validation")[row["target"]][kind])
        assert row["tpr"][1] + row["fpr"][1] == 98
        right = row["tpr"][0] + row["fpr"][1] - row["fpr"][0]
        assert right / 98 == pytest.approx(point["acc"])


def test_table_1_of_the_rsa_paper_is_as_printed(printed_tables: Any) -> None:
    ours = [(r["model"], r["similarity1"], r["similarity2"]) for r in table("rsa")["row"]]
    assert ours == [(model, float(one), float(two)) for model, *_, one, two in printed_tables["rsa"]]


@pytest.mark.parametrize("part", ["tableA11", "tableA12", "tableA13", "tableA18"])
def test_tables_of_the_abc_study_by_group_are_as_printed(part: str, printed_tables: Any) -> None:
    rows, ours = printed_tables["abc"][part], table("abc")[part]
    assert len(rows) == len(ours)
    for name, *cells in rows:
        assert same(ours[group_name(name)], cells), name


def test_the_other_tables_of_the_abc_study_are_as_printed(printed_tables: Any) -> None:
    source = table("abc")
    tau, precision, test_groups = printed_tables["abc"]["overall"]
    for part, row in (("table6", tau), ("tableA19", test_groups)):
        assert same(source[part]["tau"], [cell.strip("+") for cell in row[1:]])
        assert source[part]["significant"] == [cell.endswith("+") for cell in row[1:]]
    assert same(source["table6"]["precision"], precision[1:])
    for part in ("tableA9", "tableA10"):
        rows = printed_tables["abc"][part]
        assert [row[2:] for row in source[part]["rows"]] == [[float(a), float(b)] for *_, a, b in rows]

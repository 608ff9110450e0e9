"""Every output prints the numbers of the results, in one voice: same digits, same marks, same adjustment."""

from __future__ import annotations

import csv
import dataclasses
import html
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import Design, Embeddings
from crossroads.comparison.battery import compare_battery
from crossroads.comparison.report import Comparison
from crossroads.comparison.texts import comparison_latex, comparison_markdown
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.core.inference.multiplicity import adjust
from crossroads.core.report.audit import Audit, tables_of
from crossroads.core.report.documents.records import Record, audit_document
from crossroads.core.report.page.data import page_data
from crossroads.core.report.renderers.tables import write_tables
from crossroads.core.report.renderers.texts import latex_table, markdown_summary
from crossroads.core.wording.numbers import P, between, number, pvalue
from crossroads.traits.measures.compare import compare_traits
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.words.measures.battery import BatteryResult, battery

Table = list[dict[str, str]]


def markdown_tables(text: str) -> list[Table]:
    """Every table as rows of cells by heading."""
    found = []
    for block in re.findall(r"(?:^\|.*\|$\n?)+", text, flags=re.MULTILINE):
        head, _, *rows = [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()
        ]
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def latex_tables(text: str) -> list[Table]:
    found = []
    for block in re.split(r"(?=\\begin\{table\})", text)[1:]:
        lines = block.partition("\\toprule\n")[2].partition("\\bottomrule")[0].splitlines()
        head, _, *rows = [re.split(r" (?<!\\)& ", line.removesuffix(r" \\")) for line in lines]
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def headed(tables: list[Table], *names: str) -> Table:
    """The one table that has these headings."""
    (found,) = [one for one in tables if one and set(names) <= set(one[0])]
    return found


def test_the_battery_is_printed_as_measured(audit: Audit, tested: BatteryResult) -> None:
    # adjusted values that are not the unadjusted ones
    adjusted = {"holm": (0.51, 0.62), "bh": (0.31, 0.42), "by": (0.71, 0.82)}
    other = Audit({**audit, "battery": dataclasses.replace(tested, adjusted=adjusted)})
    page = headed(markdown_tables(markdown_summary(other)), "d", "p (BH)", "pattern")
    print_ = headed(latex_tables(latex_table(other)), "$d$", "$p$ (BH)", "pattern")
    for test, bh, one, two in zip(tested.tests, adjusted["bh"], page, print_, strict=True):
        level, crossed = test.level1, test.level1.crossed
        assert crossed.pvalue is not None and crossed.agreement is not None
        assert tested.adjusted_level == 0.975
        low, high = crossed.ends(0.975)
        assert one["agree"] == f"{round(100 * crossed.agreement)}\N{NO-BREAK SPACE}%"
        assert (one["d"], one["p"], one["p (BH)"], one["exact p"], one["pattern"]) == (
            number(level.effect_size), pvalue(crossed.pvalue), pvalue(bh), pvalue(level._p),
            test.crossed_pattern,
        )  # fmt: skip
        assert (one["Δ"], one["CI"]) == (number(crossed.difference, 3), between(low, high, 3))
        assert two["$d$"] == number(level.effect_size, style="latex")
        assert two["$p$ (BH)"] == pvalue(bh, "latex")


def over_contexts(whole: Audit) -> CeatBatteryResult:
    (found,) = whole.of(CeatBatteryResult).values()
    return found


def test_tests_over_contexts_are_printed_as_measured(whole: Audit) -> None:
    adjusted = {"holm": (0.51, 0.62), "bh": (0.31, 0.42), "by": (0.71, 0.82)}
    tested = dataclasses.replace(over_contexts(whole), adjusted=adjusted)
    other = Audit({**whole, tested._label: tested})
    page = headed(markdown_tables(markdown_summary(other)), "CES", "p (BH)")
    print_ = headed(latex_tables(latex_table(other)), "CES", "$p$ (BH)")
    for test, bh, one, two in zip(tested.tests, adjusted["bh"], page, print_, strict=True):
        assert (one["CES"], one["published p"]) == (number(test.effect_size), pvalue(test.pvalue))
        assert one["d"] == number(test.stimulus_effect_size)
        assert test._answer is not None
        assert (one["p"], one["p (BH)"], one["exact p"]) == (
            pvalue(test._answer),
            pvalue(bh),
            pvalue(test._p),
        )
        assert (two["CES"], two["published $p$"]) == (
            number(test.effect_size, style="latex"), pvalue(test.pvalue, "latex"),
        )  # fmt: skip
        assert (two["$p$"], two["$p$ (BH)"]) == (pvalue(test._answer, "latex"), pvalue(bh, "latex"))


def test_a_published_p_value_beyond_floats_is_printed_as_a_bound(whole: Audit) -> None:
    tested = over_contexts(whole)
    tiny = dataclasses.replace(tested.tests[0], pvalue=0.0, log10_pvalue=-27160.7)
    other = Audit([dataclasses.replace(tested, tests=(tiny, *tested.tests[1:]))])
    assert headed(markdown_tables(markdown_summary(other)), "CES")[0]["published p"] == "&lt; 1e−300"
    assert headed(latex_tables(latex_table(other)), "CES")[0]["published $p$"] == r"\textless{} 1e$-$300"


def test_agreement_with_people_is_printed_as_measured(whole: Audit) -> None:
    (aligned,) = whole.of(AlignmentResult).values()
    exchanges = {
        name: dataclasses.replace(one, pvalue=p)
        for (name, one), p in zip(aligned.exchanges.items(), (0.11, 0.22), strict=True)
    }
    aligned = dataclasses.replace(aligned, exchanges=exchanges)
    other = Audit([aligned])
    groups, traits = exchanges["groups"].pvalue, exchanges["traits"].pvalue
    assert groups is not None
    (one,) = headed(markdown_tables(markdown_summary(other)), "τ", "p (groups)")
    (two,) = headed(latex_tables(latex_table(other)), "$\\tau$", "$p$ (groups)", "ceiling")
    assert (one["p (groups)"], one["p (traits)"]) == (pvalue(P(groups, "≈")), pvalue(P(traits, "≈")))
    assert (one["τ"], one[r"P\@3"]) == (number(aligned.kendall_tau), number(aligned.precision_at_3))
    assert two["$\\tau$"] == number(aligned.kendall_tau, style="latex")


def compared() -> Comparison:
    sets = {role: [f"{role}{i}" for i in range(4)] for role in "xyab"}
    design = Design(name="d", **sets)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    models = {name: Embeddings(design.words, rng.normal(size=(16, 5))) for name in "pq"}
    adjusted = {"holm": (0.31,), "bh": (0.42,), "by": (0.53,)}
    tested = dataclasses.replace(compare_battery(models, design), adjusted=adjusted)
    tables = [{f"g{i}": {f"t{j}": float(rng.normal()) for j in range(4)} for i in range(5)} for _ in "pq"]
    first, second = (TraitScores.from_table(one, measure="ilps") for one in tables)
    agreement = compare_traits(first, second, names=("p", "q"), draws=19)
    exchanges = {
        name: dataclasses.replace(agreement.exchanges[name], pvalue=p)
        for name, p in (("groups", 0.11), ("traits", 0.22))
    }
    return Comparison(battery=tested, traits=(dataclasses.replace(agreement, exchanges=exchanges),))


def test_a_comparison_is_printed_as_measured() -> None:
    found = compared()
    (test,), (ends,), (agreement,) = found.battery.tests, found.battery.intervals, found.traits
    assert ends is not None
    tables = markdown_tables(comparison_markdown(found))
    (one,) = headed(tables, "d 1", "p (BH)")
    assert (one["d 1"], one["d 2"], one["d 1 − 2"]) == tuple(
        number(value) for value in (*test.effect_sizes, test.effect_sizes[0] - test.effect_sizes[1])
    )
    assert (one["p"], one["p (BH)"]) == (pvalue(test._p), "0.42")
    assert one["CI"] == between(ends.low, ends.high)
    (two,), (three,) = latex_tables(comparison_latex(found))
    assert (two["$d$ 1"], two["$d$ 2"]) == tuple(number(one, style="latex") for one in test.effect_sizes)
    assert (two["$p$"], two["$p$ (BH)"]) == (pvalue(test._p, "latex"), "$0.42$")
    assert (three["$p$ groups"], three["$p$ traits"]) == (r"$\approx 0.11$", r"$\approx 0.22$")
    (four,) = headed(tables, "p groups", "p traits")
    assert (four["p groups"], four["p traits"]) == ("≈ 0.11", "≈ 0.22")
    assert "CI: 95 %, for other groups and traits." in comparison_markdown(found)
    differences = agreement.differences
    place = np.unravel_index(np.argmax(np.abs(differences)), differences.shape)
    group, trait = agreement.groups[place[0]], agreement.traits[place[1]]
    assert four["largest difference"] == f"{group}, {trait}: {number(float(differences[place]))}"


# One battery in every output


KINDS = {
    # two-sided p-value with its ends, and how it was found
    "bound": (1.342e-4, 1.1e-4, 1.342e-4, "bracket"),
    "estimate": (0.472, 0.465, 0.479, "monte-carlo"),
    "just below": (0.04996, 0.04996, 0.04996, "exact"),
    "tiny": (3.27e-17, 3.27e-17, 3.27e-17, "exact"),
    "approximate": (0.0312, 0.0312, 0.0312, "normal"),
}
"""Tests of a made-up battery: exact p-values."""
CROSSED = {
    "bound": 0.0312,
    "estimate": 0.2,
    "just below": 0.04996,
    "tiny": 3.27e-17,
    "approximate": 0.0099996,
}
"""p-values of these tests for other words."""


def voiced(*names: str) -> BatteryResult:
    """A battery whose tests have these p-values."""
    sets = {role: [f"{role}{i}" for i in range(4)] for role in "xyab"}
    designs = [Design(name=name, **sets) for name in names]  # type: ignore[arg-type]
    emb = Embeddings(designs[0].words, np.random.default_rng(0).normal(size=(16, 5)), provenance="model")
    measured = battery(emb, designs, alternative="two-sided")
    tests = []
    for test in measured.tests:
        p, low, high, method = KINDS[test.design]
        tails = {**test.level1.exchange.tails, "two-sided": (p, low, high)}
        exchange = dataclasses.replace(test.level1.exchange, tails=tails)
        crossed = dataclasses.replace(test.level1.crossed, pvalue=CROSSED[test.design])
        level = dataclasses.replace(test.level1, pvalue=p, method=method, exchange=exchange, crossed=crossed)
        tests.append(dataclasses.replace(test, level1=level))
    adjusted = adjust([CROSSED[name] for name in names])
    return dataclasses.replace(measured, tests=tuple(tests), adjusted=adjusted)


HEADS = ("p", "p (BH)", "exact p")


def in_markdown(tested: BatteryResult) -> Table:
    return headed(markdown_tables(markdown_summary(Audit([tested]))), *HEADS)


def in_latex(tested: BatteryResult) -> Table:
    rows = headed(latex_tables(latex_table(Audit([tested]))), "$p$", "$p$ (BH)")
    return [{head.replace("$", ""): cell for head, cell in row.items()} for row in rows]


def in_html(tested: BatteryResult) -> Table:
    shown = tested._repr_html_()
    heads = re.findall(r"<th [^>]*>(.*?)</th>", shown)
    rows = [re.findall(r"<td [^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", shown)[1:]]
    return [dict(zip(heads, map(html.unescape, row), strict=True)) for row in rows]


def on_page(tested: BatteryResult) -> Table:
    audit = Audit([tested])
    record = Record(document=audit_document(audit), tables=tables_of(audit))
    table = page_data([record], title="t")["audits"][0]["tables"]["BatteryResult"]
    return [dict(zip(table["heads"], row, strict=True)) for row in table["cells"]]


OUTPUTS: Mapping[str, Callable[[BatteryResult], Table]] = {
    "markdown": in_markdown,
    "latex": in_latex,
    "html": in_html,
    "page": on_page,
}
FAMILIES = (
    ("bound", "just below", "tiny"),
    ("bound", "estimate", "just below", "tiny"),
    ("just below", "tiny"),
    ("approximate", "tiny"),
)


def read(text: str) -> tuple[Decimal, str]:
    """A printed p-value as the number it says, and its mark."""
    bare = text.strip("$").replace(r"\le", "≤").replace(r"\approx", "≈")
    mark = bare[0] if bare[0] in "≤≈" else ""
    digits = re.sub(r"e−| \\times 10\^\{-", "e-", bare.removeprefix(mark).strip()).rstrip("}")
    return Decimal(digits), mark


def expected(names: tuple[str, ...], tested: BatteryResult) -> dict[str, tuple[P, ...]]:
    """P-values and their marks."""
    marks: dict[str, Any] = {"bracket": "≤", "monte-carlo": "≈", "normal": "≈", "exact": ""}
    exact = {name: P(KINDS[name][0], marks[KINDS[name][3]]) for name in names}
    bh = [float(value or 0.0) for value in tested.adjusted["bh"]]
    return {name: (P(CROSSED[name]), P(bh[i]), exact[name]) for i, name in enumerate(names)}


@pytest.mark.parametrize("names", FAMILIES, ids=", ".join)
def test_every_output_prints_the_same_digits_and_marks(names: tuple[str, ...], tmp_path: Path) -> None:
    tested = voiced(*names)
    wanted = expected(names, tested)
    write_tables(tmp_path, Audit([tested]))
    with (tmp_path / "tests.csv").open(encoding="utf-8", newline="") as file:
        kept = {row["design"]: row for row in csv.DictReader(file)}
    for record in tested._table().records():
        for key, p in zip(("p", "p_bh", "exact_p"), wanted[record["test"]], strict=True):
            assert (record[key], record[f"{key}_sign"]) == (p.value, p.mark or "=")  # files have all digits
            row = kept[record["test"]]
            assert (float(row[key]), row.get(f"{key}_sign", "=")) == (p.value, p.mark or "=")
    for output in OUTPUTS.values():
        printed = {row["test"]: [row[head] for head in HEADS] for row in output(tested)}
        assert list(printed) == list(names)
        for name, three in wanted.items():
            for text, p in zip(printed[name], three, strict=True):
                value, mark = read(text)
                exact = Decimal(repr(p.value))
                assert (value, mark) == (read(pvalue(p))[0], p.mark)  # the same digits, and no mark is lost
                assert abs(value - exact) <= exact / 10
                assert mark != "≤" or value >= exact  # no bound is rounded down
                for level in (Decimal("0.05"), Decimal("0.01")):
                    assert (value < level) == (exact < level)  # no level is reached by rounding

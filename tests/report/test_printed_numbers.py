"""Tables in Markdown and LaTeX: every cell is the number that its heading names."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from crossroads import Design, Embeddings
from crossroads.measures import TraitScores, compare_battery, compare_traits
from crossroads.report import Audit, Comparison, latex_table, markdown_summary
from crossroads.report.comparison_files import comparison_latex, comparison_markdown
from crossroads.report.escaping import latex_number, latex_pvalue, number, pvalue

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


def test_the_battery_is_printed_as_measured(audit: Audit) -> None:
    battery = audit.battery
    assert battery is not None
    # adjusted values that are not the unadjusted ones
    battery = dataclasses.replace(battery, bh=(0.31, 0.42), holm=(0.51, 0.62))
    other = dataclasses.replace(audit, battery=battery)
    page = headed(markdown_tables(markdown_summary(other)), "d", "p (BH)")
    print_ = headed(latex_tables(latex_table(other)), "$d$", "$p$ (BH)")
    for test, bh, one, two in zip(battery.tests, battery.bh, page, print_, strict=True):
        level, ends = test.level1, audit.ends[test.design]
        assert (one["d"], one["p"], one["p (BH)"], one["pattern"]) == (
            number(level.effect_size), pvalue(level.pvalue, level.method), pvalue(bh), test.pattern,
        )  # fmt: skip
        assert one["CI"] == " to ".join(map(number, ends))
        assert (two["$d$"], two["$p$"], two["$p$ (BH)"], two["Pattern"]) == (
            latex_number(level.effect_size), latex_pvalue(level.pvalue, level.method), latex_pvalue(bh),
            test.pattern,
        )  # fmt: skip
        assert two["CI"] == " to ".join(map(latex_number, ends))


def test_tests_over_contexts_are_printed_as_measured(whole: Audit) -> None:
    battery = whole.contexts
    assert battery is not None
    battery = dataclasses.replace(battery, bh=(0.31, 0.42))
    other = dataclasses.replace(whole, contexts=battery)
    page = headed(markdown_tables(markdown_summary(other)), "CES", "p (BH)")
    print_ = headed(latex_tables(latex_table(other)), "CES", "$p$ (stimuli)")
    for test, bh, one, two in zip(battery.tests, battery.bh, page, print_, strict=True):
        assert (one["CES"], one["published p"]) == (number(test.effect_size), pvalue(test.pvalue))
        assert one["d"] == number(test.stimulus_effect_size)
        assert (one["p"], one["p (BH)"]) == (pvalue(test.stimulus_pvalue, test.stimulus_method), pvalue(bh))
        assert (two["CES"], two["$p$ (samples)"]) == (
            latex_number(test.effect_size), latex_pvalue(test.pvalue),
        )  # fmt: skip
        assert two["$d$"] == latex_number(test.stimulus_effect_size)
        assert two["$p$ (stimuli)"] == latex_pvalue(test.stimulus_pvalue, test.stimulus_method)
        assert two["$p$ (BH)"] == latex_pvalue(bh)


def test_a_published_p_value_beyond_floats_is_printed_as_a_bound(whole: Audit) -> None:
    battery = whole.contexts
    assert battery is not None
    tiny = dataclasses.replace(battery.tests[0], pvalue=0.0, log10_pvalue=-400.7)
    other = dataclasses.replace(
        whole, contexts=dataclasses.replace(battery, tests=(tiny, *battery.tests[1:]))
    )
    assert headed(markdown_tables(markdown_summary(other)), "CES")[0]["published p"] == "< 1e−400"
    assert headed(latex_tables(latex_table(other)), "CES")[0]["$p$ (samples)"] == "$< 10^{-400}$"


def test_agreement_with_people_is_printed_as_measured(whole: Audit) -> None:
    aligned = whole.alignments["m&m"]
    exchanges = {
        name: dataclasses.replace(one, pvalue=p)
        for (name, one), p in zip(aligned.exchanges.items(), (0.11, 0.22), strict=True)
    }
    aligned = dataclasses.replace(aligned, exchanges=exchanges)
    other = dataclasses.replace(whole, alignments={"m&m": aligned})
    groups, traits = aligned.permutation_pvalue, exchanges["traits"].pvalue
    assert groups is not None
    assert groups != traits
    (one,) = headed(markdown_tables(markdown_summary(other)), "τ", "p (groups)")
    (two,) = headed(latex_tables(latex_table(other)), "$\\tau$", "$p$ (groups)", "Ceiling")
    assert (one["p (groups)"], one["p (traits)"]) == (
        pvalue(groups, "monte-carlo"), pvalue(traits, "monte-carlo"),
    )  # fmt: skip
    assert (two["$p$ (groups)"], two["$p$ (traits)"]) == (
        latex_pvalue(groups, "monte-carlo"), latex_pvalue(traits, "monte-carlo"),
    )  # fmt: skip
    assert (one["τ"], one["precision"]) == (number(aligned.kendall_tau), number(aligned.precision_at_3))
    assert two["$\\tau$"] == latex_number(aligned.kendall_tau)


def compared() -> Comparison:
    sets = {role: [f"{role}{i}" for i in range(4)] for role in "xyab"}
    design = Design(name="d", **sets)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    models = {name: Embeddings(design.words, rng.normal(size=(16, 5))) for name in "pq"}
    battery = dataclasses.replace(compare_battery(models, design, resamples=20), holm=(0.31,), bh=(0.42,))
    tables = [{f"g{i}": {f"t{j}": float(rng.normal()) for j in range(4)} for i in range(5)} for _ in "pq"]
    first, second = (TraitScores.from_table(one, measure="ilps") for one in tables)
    agreement = compare_traits(first, second, names=("p", "q"), permutations=19, resamples=20)
    exchanges = {
        name: dataclasses.replace(agreement.exchanges[name], pvalue=p)
        for name, p in (("groups", 0.11), ("traits", 0.22))
    }
    return Comparison(battery=battery, traits=(dataclasses.replace(agreement, exchanges=exchanges),))


def test_a_comparison_is_printed_as_measured() -> None:
    found = compared()
    (test,), (ends,), (agreement,) = found.battery.tests, found.battery.intervals, found.traits
    assert ends is not None
    tables = markdown_tables(comparison_markdown(found))
    (one,) = headed(tables, "d 1", "p (Holm)")
    assert (one["d 1"], one["d 2"], one["difference"]) == tuple(
        number(value) for value in (*test.effect_sizes, test.effect_sizes[0] - test.effect_sizes[1])
    )
    assert (one["p"], one["p (Holm)"], one["p (BH)"]) == (pvalue(test.pvalue, test.method), "0.31", "0.42")
    assert one["CI"] == f"{number(ends.low)} to {number(ends.high)}"
    two, three = latex_tables(comparison_latex(found))
    assert (two[0]["$d_1$"], two[0]["$d_2$"]) == tuple(map(latex_number, test.effect_sizes))
    assert (two[0]["$p$ (Holm)"], two[0]["$p$ (BH)"]) == ("$0.31$", "$0.42$")
    assert (three[0]["$p$ (groups)"], three[0]["$p$ (traits)"]) == (r"$\approx 0.11$", r"$\approx 0.22$")
    page = comparison_markdown(found)
    assert "p ≈ 0.11 with profiles at other groups" in page
    assert "p ≈ 0.22 with traits renamed" in page
    largest = headed(tables, "score 1", "score 2")[0]
    differences = agreement.differences
    place = np.unravel_index(np.argmax(np.abs(differences)), differences.shape)
    scores = float(agreement.first_scores[place]), float(agreement.second_scores[place])
    assert (largest["score 1"], largest["score 2"]) == tuple(map(number, scores))
    assert largest["difference"] == number(scores[0] - scores[1]) == number(float(differences[place]))

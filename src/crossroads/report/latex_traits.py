"""Scores of groups on traits, and what is read from them, as tables for print."""

from __future__ import annotations

from collections.abc import Iterator

from crossroads.measures import (
    AlignmentResult,
    DominanceResult,
    EmergentResult,
    OrderSensitivityResult,
    TraitScores,
)
from crossroads.report.audit import Audit
from crossroads.report.conventions import shown_measure
from crossroads.report.escaping import counted, in_latex, latex_number, latex_pvalue
from crossroads.report.latex_layout import AT_RANDOM, interval, known, table
from crossroads.report.naming import measure_of
from crossroads.results import Result

MOST_GROUPS = 60
"""Groups beyond which scores fill no page; the CSV holds them all."""
_COLUMNS = 8
"""Pairs of traits that a page has the width for; the others fill further tables."""
MOST_TRAITS = 20
"""Emergent traits that a table shows."""


def trait_tables(audit: Audit, label: str) -> Iterator[str]:
    """A table for each set of scores, for alignment, for order, for dominance and for emergent traits."""
    for i, scores in enumerate(audit.traits, start=1):
        for start in range(0, len(scores.traits), _COLUMNS):
            more = "" if start == 0 else f"-from-{start + 1}"
            yield _scores(scores, start, audit.model, f"{label}-traits-{i}{more}")
    if audit.alignments:
        yield _alignments(dict(audit.alignments), audit.model, f"{label}-alignment")
    for i, order in enumerate(audit.orders, start=1):
        yield _order(order, f"{label}-order-{i}")
    for i, dominance in enumerate(audit.dominance, start=1):
        yield _dominance(dominance, f"{label}-dominance-{i}")
    for i, emergent in enumerate(audit.emergent, start=1):
        yield _emergent(emergent, f"{label}-emergent-{i}")


def _measure(result: Result) -> str:
    return in_latex(shown_measure(measure_of(result)))


def _scores(result: TraitScores, start: int, model: str, label: str) -> str:
    """Groups by as many pairs of traits as fit, which are numbered as their names take too much room."""
    traits = {i + 1: trait for i, trait in enumerate(result.traits)}
    traits = {i: trait for i, trait in traits.items() if start < i <= start + _COLUMNS}
    named = "; ".join(f"{i}: {in_latex(trait)}" for i, trait in traits.items())
    shown = result.groups[:MOST_GROUPS]
    rest = len(result.groups) - len(shown)
    caption = (
        f"Scores of groups on traits in {in_latex(model)}, measured by "
        f"{in_latex(shown_measure(result.measure))}. Positive: nearer to the second adjective of a pair. "
        f"{named}." + (f" {rest} more groups are in traits.csv." if rest else "")
    )
    lines = result.scores[: len(shown), start : start + _COLUMNS].tolist()
    rows = [
        [in_latex(group), *(known(None if score != score else score) for score in line)]
        for group, line in zip(shown, lines, strict=True)
    ]
    head = ["Group", *map(str, traits)]
    return table("l" + "r" * len(traits), head, rows, caption=caption, label=label)


def _alignments(found: dict[str, AlignmentResult], model: str, label: str) -> str:
    first = next(iter(found.values()))
    caption = (
        f"Agreement of {in_latex(model)} with people. $\\tau$: Kendall's $\\tau_b$ over all groups and "
        f"traits; CI from drawing groups anew, level {first.conventions['level']:.4g}. $p$ (groups): "
        "people's profiles go to other groups; $p$ "
        f"(traits): traits are renamed alike in all groups; both two-sided. P@{first.k}: share of the "
        f"{first.k} highest and lowest traits on which people agree. Ceiling: the $\\tau$ of what all people "
        f"think with the people asked. {AT_RANDOM}"
    )
    rows = []
    for name, one in found.items():
        traits = one.exchanges.get("traits")
        groups = one.permutation_pvalue
        rows.append(
            [
                in_latex(name),
                latex_number(one.kendall_tau),
                interval(one.interval),
                "--" if groups is None else latex_pvalue(groups, "monte-carlo"),
                "--" if traits is None else latex_pvalue(traits.pvalue, "monte-carlo"),
                latex_number(one.precision_at_3),
                known(one.ceiling),
            ]
        )
    head = ["Measure", "$\\tau$", "CI", "$p$ (groups)", "$p$ (traits)", f"P@{first.k}", "Ceiling"]
    return table("lrrrrrr", head, rows, caption=caption, label=label)


def _order(result: OrderSensitivityResult, label: str) -> str:
    caption = (
        f"How much the order of two identities counts ({_measure(result)}). $\\tau$: mean rank "
        "correlation of the scores of pairs with those of their first and of their second component, the "
        "second less the first, with the higher of the two, and with the reversed pair; CI from drawing "
        f"groups anew, level {result.level:.4g}."
    )
    rows = [
        [
            in_latex(row["with"]),
            known(row["tau"]),
            interval(None if row["low"] is None else (row["low"], row["high"])),
            str(row["pairs"]),
        ]
        for row in result.rows()
    ]
    return table("lrrr", ["Pairs with", "$\\tau$", "CI", "Pairs"], rows, caption=caption, label=label)


def _dominance(result: DominanceResult, label: str) -> str:
    caption = (
        f"Which of two domains the scores of paired identities follow ({_measure(result)}). "
        "$\\tau_1$, $\\tau_2$: mean rank correlation of pairs with their component in either domain; CI from "
        f"drawing groups anew, level {result.level:.4g}; $p$: components exchanged within pairs, two-sided; "
        f"$p$ (BH): adjusted by Benjamini and Hochberg for {counted(len(result.table), 'pair')} of domains."
    )
    rows = [
        [
            f"{in_latex(pair.domain1)} / {in_latex(pair.domain2)}",
            latex_number(pair.correlation1),
            latex_number(pair.correlation2),
            latex_number(pair.difference),
            interval((pair.low, pair.high)),
            latex_pvalue(pair.pvalue),
            latex_pvalue(pair.qvalue),
        ]
        for pair in result.table
    ]
    head = ["Domains", "$\\tau_1$", "$\\tau_2$", "Difference", "CI", "$p$", "$p$ (BH)"]
    return table("lrrrrrr", head, rows, caption=caption, label=label)


def _emergent(result: EmergentResult, label: str) -> str:
    shown = result.top(MOST_TRAITS)
    found = f" {int(result.emergent.sum())} of {result.tests} have a $p$ (BH) of at most {result.fdr:g}."
    caption = (
        f"Traits on which a paired identity scores beyond both its components "
        f"({_measure(result)}), the largest increases first." + (found if result.qvalue.size else "")
    )
    rows = [
        [
            in_latex(row["pair"]),
            in_latex(row["trait"]),
            row["direction"],
            latex_number(row["increase"]),
            "--" if row["qvalue"] is None else latex_pvalue(row["qvalue"]),
        ]
        for row in shown
    ]
    head = ["Pair", "Trait", "Side", "Increase", "$p$ (BH)"]
    return table("lllrr", head, rows, caption=caption, label=label)

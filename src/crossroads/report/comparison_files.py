"""A comparison of models in print: a table, a page of Markdown, a methods paragraph."""

from __future__ import annotations

from collections.abc import Iterator

from crossroads.errors import join_words
from crossroads.measures import CompareBatteryResult, CompareTraitsResult
from crossroads.measures.compare_battery import comparison_name
from crossroads.report.citations import cited_measures, keys_of
from crossroads.report.comparing import Comparison
from crossroads.report.escaping import (
    counted,
    in_latex,
    in_markdown,
    latex_number,
    latex_pvalue,
    mark_of,
    number,
    pvalue,
)
from crossroads.report.latex_layout import MARKS as LATEX_MARKS
from crossroads.report.latex_layout import interval, table
from crossroads.report.methods import described
from crossroads.report.summary_layout import MARKS, between, grid
from crossroads.results import versions

_MOST = 10
_MOST_WORDS = 40
_TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided, for a larger effect size in the first model",
    "less": "one-sided, for a smaller effect size in the first model",
}


def comparison_latex(comparison: Comparison, *, label: str = "tab:crossroads-comparison") -> str:
    r"""The comparison as tables of the package booktabs, complete with captions and labels."""
    battery = comparison.battery
    tables = [r"% needs \usepackage{booktabs}"]
    if battery.tests or battery.unpaired:
        head = ["Test", "Models", "$d_1$", "$d_2$", "Difference", "CI", "$p$", "$p$ (Holm)", "$p$ (BH)"]
        rows = [*_tested_cells(battery), *_saved_cells(battery)]
        tables.append(table("llrrrrrrr", head, rows, caption=_caption(battery), label=label))
    if comparison.traits:
        head = ["Scores", "Models", "$\\tau$", "CI", "$p$ (groups)", "$p$ (traits)"]
        caption = (
            "Agreement of models on groups and traits. $\\tau$: Kendall's $\\tau_b$ over all groups and "
            "traits; CI from drawing groups anew. $p$ (groups): profiles of one model go to other groups; "
            "$p$ (traits): its traits are renamed alike in all groups; both two-sided."
        )
        cells = [_trait_cells(one) for one in comparison.traits]
        tables.append(table("llrrrr", head, cells, caption=caption, label=f"{label}-traits"))
    return "\n".join(tables)


def _tested_cells(battery: CompareBatteryResult) -> Iterator[list[str]]:
    for test, pair, ends, holm, bh in zip(
        battery.tests, battery.pairs, battery.intervals, battery.holm, battery.bh, strict=True
    ):
        yield [
            in_latex(test.design),
            f"{in_latex(pair[0])} / {in_latex(pair[1])}",
            *(latex_number(d) for d in test.effect_sizes),
            latex_number(test.difference),
            interval(None if ends is None else (ends.low, ends.high)),
            latex_pvalue(test.pvalue, test.method),
            latex_pvalue(holm),
            latex_pvalue(bh),
        ]


def _saved_cells(battery: CompareBatteryResult) -> Iterator[list[str]]:
    for one in battery.unpaired:
        yield [
            f"{in_latex(one.design)} ({in_latex(one.measure)})",
            f"{in_latex(one.models[0])} / {in_latex(one.models[1])}",
            *(latex_number(d) for d in one.effect_sizes),
            latex_number(one.difference),
            *("--",) * 4,
        ]


def _trait_cells(one: CompareTraitsResult) -> list[str]:
    exchanged = [one.exchanges.get(name) for name in ("groups", "traits")]
    return [
        in_latex(one.measures[0]),
        f"{in_latex(one.models[0])} / {in_latex(one.models[1])}",
        latex_number(one.kendall_tau),
        interval(one.interval),
        *("--" if found is None else latex_pvalue(found.pvalue, "monte-carlo") for found in exchanged),
    ]


def _caption(battery: CompareBatteryResult) -> str:
    sentences = ["Models compared. $d_1$, $d_2$: effect size in either model."]
    if battery.tests:
        conventions = battery.conventions
        sd = "sample" if conventions["ddof"] == 1 else "population"
        sentences[0] = (
            f"Models compared on the words that both have. $d_1$, $d_2$: effect size in units of the {sd} "
            "standard deviation."
        )
        if any(battery.intervals):
            sentences.append(
                "CI: from drawing the same words in both models, level "
                f"{in_latex(format(conventions['level'], '.4g'))}; not adjusted."
            )
        what = "changes in standard deviations" if conventions["scale"] == "sd" else "changes of cosines"
        sentences.append(
            f"$p$: labels of the {what} exchanged, {_TAILS[conventions['alternative']]}; exact where "
            f"unmarked. Holm and BH: adjusted for {counted(len(battery.tests), 'comparison')}."
        )
        used = {mark_of(test.method) for test in battery.tests}
        sentences += [f"{text}." for mark, text in LATEX_MARKS.items() if mark in used]
    if battery.unpaired:
        sentences.append("Rows without $p$: differences of saved numbers.")
    return " ".join(sentences)


def comparison_markdown(comparison: Comparison) -> str:
    """The comparison on one page of GitHub's Markdown."""
    battery = comparison.battery
    blocks = [f"## {in_markdown(' / '.join(battery.models))}"]
    if battery.tests:
        blocks += [_tested(battery), _reading(battery)]
    if battery.unpaired:
        blocks += ["### Differences without a test", _saved(battery)]
    for one in comparison.traits:
        blocks += list(_agreement(one))
    lines = [f"- {in_markdown(note)}" for note in battery.notes]
    lines += [f"- {in_markdown(n)}: not compared: {in_markdown(why)}" for n, why in battery.skipped.items()]
    lines += [f"- {in_markdown(told)}" for told in left_out(battery)]
    if lines:
        blocks += ["### To know", "\n".join(lines)]
    return "\n\n".join([*blocks, f"crossroads {versions()['crossroads']}"]) + "\n"


def left_out(battery: CompareBatteryResult) -> Iterator[str]:
    """Words that paired tests do without, and which model lacks them; results.json says it test by test."""
    found: dict[str, dict[str, None]] = {}
    for test, pair in zip(battery.tests, battery.pairs, strict=True):
        for word, why in ({} if test.coverage is None else test.coverage.missing).items():
            reason = why.replace("the first model", pair[0]).replace("the second model", pair[1])
            found.setdefault(reason, {})[word] = None
    for reason, words in found.items():
        yield f"left out of both models: {join_words(words, most=_MOST_WORDS)} ({reason})"


def _tested(battery: CompareBatteryResult) -> str:
    rows = [
        [
            in_markdown(test.design),
            in_markdown(" / ".join(pair)),
            *(number(d) for d in test.effect_sizes),
            number(test.difference),
            between(None if ends is None else (ends.low, ends.high)),
            pvalue(test.pvalue, test.method),
            pvalue(holm),
            pvalue(bh),
        ]
        for test, pair, ends, holm, bh in zip(
            battery.tests, battery.pairs, battery.intervals, battery.holm, battery.bh, strict=True
        )
    ]
    head = ["test", "models", "d 1", "d 2", "difference", "CI", "p", "p (Holm)", "p (BH)"]
    return grid(head, "llrrrrrrr", rows)


def _reading(battery: CompareBatteryResult) -> str:
    tested = _TAILS[battery.conventions["alternative"]]
    marks = {mark_of(test.method) for test in battery.tests}
    told = "".join(f" {text}" for mark, text in MARKS.items() if mark in marks)
    return (
        "d: effect size on the words that both models have. p: labels of the changes from model to model "
        f"exchanged, {tested}. Holm and BH: adjusted for {counted(len(battery.tests), 'comparison')}. "
        f"CI: the same words drawn anew in both models.{told}"
    )


def _saved(battery: CompareBatteryResult) -> str:
    rows = [
        [
            in_markdown(one.design),
            in_markdown(one.measure),
            in_markdown(" / ".join(one.models)),
            *(number(d) for d in one.effect_sizes),
            number(one.difference),
            in_markdown(one.reason),
        ]
        for one in battery.unpaired
    ]
    return grid(["test", "measure", "models", "d 1", "d 2", "difference", "why"], "lllrrrl", rows)


def _agreement(one: CompareTraitsResult) -> Iterator[str]:
    yield f"### Groups and traits ({in_markdown(one.measures[0])}): {in_markdown(' / '.join(one.models))}"
    told = [f"Kendall's τ = {number(one.kendall_tau)}"]
    if one.interval is not None:
        told.append(f"({between(one.interval)})")
    asks = {"groups": "profiles at other groups", "traits": "traits renamed"}
    for name, found in one.exchanges.items():
        told.append(f"– p {pvalue(found.pvalue, 'monte-carlo')} with {asks[name]}")
    yield " ".join(told) + "."
    rows = [
        [in_markdown(row["group"]), in_markdown(row["trait"]), *(number(row[key]) for key in _KEYS)]
        for row in one.largest(_MOST)
    ]
    yield grid(["group", "pair", "score 1", "score 2", "difference"], "llrrr", rows)


_KEYS = ("score_1", "score_2", "difference")


def comparison_methods(comparison: Comparison) -> str:
    """How models were compared, in English, with every convention; how each was audited, its folder says."""
    battery = comparison.battery
    sentences = [f"Compared were {in_markdown(join_words(battery.models))}."]
    names = dict.fromkeys(test.design for test in battery.tests)
    if names:
        sentences.append(f"Paired tests: {in_markdown(', '.join(names))}.")
    saved = dict.fromkeys(f"{one.design} ({one.measure})" for one in battery.unpaired)
    if saved:
        sentences.append(f"Differences of saved numbers without a test: {in_markdown(', '.join(saved))}.")
    results = comparison.results if battery.tests else comparison.traits
    sentences += [f"{told}." for told in dict.fromkeys(described(one) for one in results)]
    sentences += [*_found_by(battery), *_without(battery)]
    sentences += [in_markdown(note) for note in battery.notes]
    if battery.skipped:
        told = [f"{in_markdown(name)} ({in_markdown(why)})" for name, why in battery.skipped.items()]
        sentences.append(f"Not compared: {'; '.join(told)}.")
    used = ", ".join(f"{name} {text}" for name, text in battery.versions.items())
    keys = "; ".join(f"@{key}" for key in keys_of(comparison_citations(comparison)))
    return " ".join([*sentences, f"Computed with {in_markdown(used)}.", f"See [{keys}]."]) + "\n"


def _found_by(battery: CompareBatteryResult) -> list[str]:
    """How the p-values of the paired tests were found."""
    found: dict[str, list[str]] = {}
    for test, pair in zip(battery.tests, battery.pairs, strict=True):
        found.setdefault(test.method, []).append(comparison_name(test.design, *pair))
    if not found:
        return []
    if set(found) == {"exact"}:
        return ["Every p-value of a paired test is exact: all divisions were counted."]
    most = max(found, key=lambda method: len(found[method]))
    told = [f"{method} for {', '.join(names)}" for method, names in found.items() if method != most]
    methods = in_markdown("; ".join([*told, f"{most} for {'all others' if told else 'all'}"]))
    return [f"p-values of paired tests were found by these methods: {methods}."]


def _without(battery: CompareBatteryResult) -> list[str]:
    """Which words the paired tests do without."""
    if not battery.tests:
        return []
    told = "; ".join(left_out(battery))
    return [f"Words of paired tests: {in_markdown(told or 'none was left out')}."]


def comparison_citations(comparison: Comparison) -> str:
    """BibTeX entries of the measures behind a comparison, and of this software."""
    battery = comparison.battery
    used = [one.measure for one in battery.unpaired]
    used += [str(one.conventions["measure"]) for one in comparison.traits]
    return cited_measures(["mleat", "compare battery", *used] if battery.tests else used)

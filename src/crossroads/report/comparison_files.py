"""A comparison of models in print: a table, a page of Markdown, a methods paragraph."""

from __future__ import annotations

from collections.abc import Iterator

from crossroads.errors import join_words
from crossroads.measures import CompareBatteryResult, CompareTraitsResult
from crossroads.report.citations import cited_measures, keys_of
from crossroads.report.comparing import Comparison
from crossroads.report.comparison_sentences import (
    OVER_CONTEXTS,
    changes_told,
    counts_told,
    exchanged_told,
    exchanges_together,
    found_by,
    left_out,
    taken_as_given,
    tested_name,
    tests_together,
    words_told,
)
from crossroads.report.escaping import (
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

_OVER_WORDS = "ceat over words"
"""What is compared of a CEAT: means over contexts, so that nothing is combined under random effects."""
_EXCHANGED = ("groups", "groups, Holm", "traits", "traits, Holm")
_MOST = 10
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
        tables.append(table("llrrrrrrr", head, rows, caption=_caption(comparison), label=label))
    if comparison.traits:
        head = ["Scores", "Models", "$\\tau$", "CI", *(f"$p$ ({name})" for name in _EXCHANGED)]
        caption = (
            "Agreement of models on groups and traits. $\\tau$: Kendall's $\\tau_b$ over all groups and "
            "traits; CI from drawing groups anew. $p$ (groups): profiles of one model go to other groups; "
            "$p$ (traits): its traits are renamed alike in all groups; both two-sided. Holm: adjusted for "
            f"{exchanges_together(comparison)}."
        )
        cells = [_trait_cells(one) for one in comparison.traits]
        tables.append(table("llrrrrrr", head, cells, caption=caption, label=f"{label}-traits"))
    return "\n".join(tables)


def _tested_cells(battery: CompareBatteryResult) -> Iterator[list[str]]:
    for test, pair, ends, holm, bh in zip(
        battery.tests, battery.pairs, battery.intervals, battery.holm, battery.bh, strict=True
    ):
        yield [
            in_latex(tested_name(test)),
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
    cells = []
    for name in ("groups", "traits"):
        found, adjusted = one.exchanges.get(name), one.holm.get(name)
        cells.append("--" if found is None else latex_pvalue(found.pvalue, "monte-carlo"))
        cells.append("--" if adjusted is None else latex_pvalue(adjusted))
    return [
        in_latex(one.measures[0]),
        f"{in_latex(one.models[0])} / {in_latex(one.models[1])}",
        latex_number(one.kendall_tau),
        interval(one.interval),
        *cells,
    ]


def _caption(comparison: Comparison) -> str:
    battery = comparison.battery
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
                "CI: over the choice of words, the same in both models, level "
                f"{in_latex(format(conventions['level'], '.4g'))}; not adjusted."
            )
        sentences.append(
            f"$p$: labels of the {changes_told(battery)} exchanged{exchanged_told(battery)}, "
            f"{_TAILS[conventions['alternative']]}; every exchange counted where unmarked. "
            f"Holm and BH: adjusted for {tests_together(comparison)}."
        )
        if any(test.contexts for test in battery.tests):
            sentences.append(f"{OVER_CONTEXTS}.")
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
        blocks += [_tested(battery), _reading(comparison)]
    if battery.unpaired:
        blocks += ["### Differences without a test", _saved(battery)]
    for one in comparison.traits:
        blocks += list(_agreement(one))
    lines = [f"- {in_markdown(note)}" for note in battery.notes]
    lines += [f"- {in_markdown(n)}: not compared: {in_markdown(why)}" for n, why in battery.skipped.items()]
    lines += [f"- {in_markdown(told)}" for told in (*taken_as_given(battery), *left_out(battery))]
    if lines:
        blocks += ["### To know", "\n".join(lines)]
    return "\n\n".join([*blocks, f"crossroads {versions()['crossroads']}"]) + "\n"


def _tested(battery: CompareBatteryResult) -> str:
    rows = [
        [
            in_markdown(tested_name(test)),
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


def _reading(comparison: Comparison) -> str:
    battery = comparison.battery
    tested = _TAILS[battery.conventions["alternative"]]
    marks = {mark_of(test.method) for test in battery.tests}
    told = "".join(f" {text}" for mark, text in MARKS.items() if mark in marks)
    over = f" {OVER_CONTEXTS}." if any(test.contexts for test in battery.tests) else ""
    level = f"{battery.conventions['level']:.4g}"
    drawn = (
        f" CI: over the choice of words, the same in both models, level {level}."
        if any(battery.intervals)
        else ""
    )
    return (
        "d: effect size on the words that both models have. "
        f"p: labels of the {changes_told(battery)} from model to model exchanged{exchanged_told(battery)}, "
        f"{tested}. "
        f"Holm and BH: adjusted for {tests_together(comparison)}.{drawn}{over}{told}"
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
        both = [(how, some[name]) for how, some in (("Holm", one.holm), ("BH", one.bh)) if name in some]
        adjusted = f" ({', '.join(f'{how} {pvalue(p)}' for how, p in both)})" if both else ""
        told.append(f"– p {pvalue(found.pvalue, 'monte-carlo')}{adjusted} with {asks[name]}")
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
    names = dict.fromkeys(tested_name(test) for test in battery.tests)
    if names:
        sentences.append(f"Paired tests: {in_markdown(', '.join(names))}.")
    sentences += counts_told(battery)
    saved = dict.fromkeys(f"{one.design} ({one.measure})" for one in battery.unpaired)
    if saved:
        sentences.append(f"Differences of saved numbers without a test: {in_markdown(', '.join(saved))}.")
    results = comparison.results if battery.tests else comparison.traits
    sentences += [f"{told}." for told in dict.fromkeys(described(one) for one in results)]
    sentences += [in_markdown(told) for told in taken_as_given(battery)]
    sentences += [*found_by(battery), *words_told(battery)]
    sentences += [in_markdown(note) for note in battery.notes]
    if battery.skipped:
        told = [f"{in_markdown(name)} ({in_markdown(why)})" for name, why in battery.skipped.items()]
        sentences.append(f"Not compared: {'; '.join(told)}.")
    used = ", ".join(f"{name} {text}" for name, text in battery.versions.items())
    keys = "; ".join(f"@{key}" for key in keys_of(comparison_citations(comparison)))
    return " ".join([*sentences, f"Computed with {in_markdown(used)}.", f"See [{keys}]."]) + "\n"


def comparison_citations(comparison: Comparison) -> str:
    """BibTeX entries of the measures behind a comparison, and of this software."""
    battery = comparison.battery
    used = [_OVER_WORDS if one.measure == "ceat" else one.measure for one in battery.unpaired]
    used += [str(one.conventions["measure"]) for one in comparison.traits]
    cited = {"weat": "mleat", "ceat": _OVER_WORDS}
    tested = [*(cited[test.measure] for test in battery.tests), "compare battery"]
    measures = [*tested, *used] if battery.tests else used
    sources = [one for result in comparison.results for one in result.provenance]
    conventions = battery.conventions if battery.tests else {}
    return cited_measures(measures, [test.method for test in battery.tests], sources, conventions)

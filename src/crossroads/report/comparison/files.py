"""A comparison of models as tables, a page of Markdown and a methods paragraph."""

from __future__ import annotations

from dataclasses import replace

from crossroads.errors import join_words
from crossroads.measures import CeatBootstrapResult, CompareBatteryResult, CompareTraitsResult, MleatResult
from crossroads.report.comparison.audits import Comparison
from crossroads.report.comparison.sentences import (
    OVER_CONTEXTS,
    changes_told,
    counts_told,
    exchanged_told,
    found_by,
    left_out,
    taken_as_given,
    tested_name,
    words_told,
)
from crossroads.report.methods.citations import cited, keys_of
from crossroads.report.methods.paragraph import described
from crossroads.report.renderers.latex import latex_tables
from crossroads.report.renderers.markdown import markdown_blocks
from crossroads.results import versions
from crossroads.wording import phrases
from crossroads.wording.escaping import in_markdown
from crossroads.wording.table import Table


def comparison_tables(comparison: Comparison) -> list[Table]:
    """The tables of a comparison, for all outputs."""
    battery = comparison.battery
    paired = CompareBatteryResult.tabulate({battery.label: battery})
    if battery.tests:
        alternative = phrases.compared_tail(str(battery.conventions["alternative"]))
        told = f"labels of the {changes_told(battery)} exchanged{exchanged_told(battery)}, {alternative}"
        columns = [replace(one, note=told) if one.key == "p" else one for one in paired.columns]
        over = [f"{OVER_CONTEXTS}."] if any(test.contexts for test in battery.tests) else []
        paired = replace(paired, columns=tuple(columns), notes=(*paired.notes, *over))
    return [paired, CompareTraitsResult.tabulate({one.label: one for one in comparison.traits})]


def comparison_notes(comparison: Comparison) -> list[str]:
    """Notes on the tables: what could not be compared, and what was left out."""
    battery = comparison.battery
    skipped = [f"{name}: not compared: {why}" for name, why in battery.skipped.items()]
    saved = dict.fromkeys(one.reason for one in battery.unpaired)
    return [*battery.notes, *saved, *skipped, *taken_as_given(battery), *left_out(battery)]


def comparison_latex(comparison: Comparison, *, label: str = "tab:crossroads-comparison") -> str:
    r"""The comparison as booktabs tables, with captions and labels."""
    return latex_tables(comparison_tables(comparison), label=label)


def comparison_markdown(comparison: Comparison) -> str:
    """The comparison on one page of GitHub's Markdown."""
    blocks = [f"## {in_markdown(' / '.join(comparison.battery.models))}"]
    blocks += [block for table in comparison_tables(comparison) for block in markdown_blocks(table)]
    if lines := [f"- {in_markdown(note)}" for note in comparison_notes(comparison)]:
        blocks += ["### Notes", "\n".join(lines)]
    return "\n\n".join([*blocks, f"crossroads {versions()['crossroads']}"]) + "\n"


def comparison_methods(comparison: Comparison) -> str:
    """How models were compared, with every convention; the folder of each audit describes how it was made."""
    battery = comparison.battery
    sentences = [f"The models {in_markdown(join_words(battery.models))} were compared."]
    names = dict.fromkeys(tested_name(test) for test in battery.tests)
    if names:
        sentences.append(f"Paired tests: {in_markdown(', '.join(names))}.")
    sentences += counts_told(battery)
    saved = dict.fromkeys(phrases.tested(one.design, one.measure) for one in battery.unpaired)
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
    # of a CEAT means over contexts are compared, so that nothing is combined under random effects
    measured = {"weat": MleatResult.cites, "mleat": MleatResult.cites, "ceat": CeatBootstrapResult.cites}
    keys = [key for test in battery.tests for key in measured[test.measure]]
    keys += [*battery.cites] if battery.tests else []
    keys += [key for one in battery.unpaired for key in measured.get(one.measure, ())]
    keys += [key for one in comparison.traits for key in one.cites]
    sources = [one for result in comparison.results for one in result.provenance]
    conventions = battery.conventions if battery.tests else {}
    return cited(keys, [test.method for test in battery.tests], sources, conventions)

"""A comparison of models as tables, a page of Markdown and a methods paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from crossroads import plots
from crossroads.comparison.battery import CompareBatteryResult, comparison_name
from crossroads.comparison.models import CompareResult
from crossroads.comparison.report.audits import Comparison
from crossroads.contexts.measures.bootstrap import CeatBootstrapResult
from crossroads.core.errors import join_words
from crossroads.core.report.documents.records import Record
from crossroads.core.report.figures import Figures
from crossroads.core.report.files import Joint, Written, write_joint
from crossroads.core.report.methods.citations import cited, keys_of
from crossroads.core.report.methods.paragraph import described
from crossroads.core.report.renderers.texts import latex_tables, markdown_blocks
from crossroads.core.results import versions
from crossroads.core.wording import phrases
from crossroads.core.wording.escaping import in_markdown
from crossroads.core.wording.numbers import counted
from crossroads.core.wording.table import Table
from crossroads.traits.measures.compare import CompareTraitsResult
from crossroads.words.measures.mleat import MleatResult

_OVER_CONTEXTS = (
    "Over contexts (CEAT) the unit is the target word, by its association averaged over all of its contexts"
)
_MOST_WORDS = 40


def joint(comparison: Comparison) -> Joint:
    """A comparison as its folder contains it."""
    battery = comparison.battery
    scores = [
        {"measure": one.measures[0], "model_1": one.models[0], "model_2": one.models[1], **row}
        for one in comparison.traits
        for row in one._rows()
    ]
    return Joint(
        results=comparison.results,
        title=f"Associations in {join_words(battery.models, most=3)}",
        methods=comparison_methods(comparison),
        citations=comparison_citations(comparison),
        markdown=comparison_markdown(comparison),
        latex=comparison_latex(comparison),
        skipped=battery.skipped,
        rows={"comparison": battery._rows(), "trait_comparison": scores},
        tables=comparison_tables(comparison),
        notes=comparison_notes(comparison),
        draw=partial(_draw, battery),
    )


def _draw(battery: CompareBatteryResult, figures: Figures) -> None:
    """Draw one figure per pair of models."""
    pairs = dict.fromkeys([*battery.pairs, *(one.models for one in battery.unpaired)])
    for i, pair in enumerate(pairs, start=1):
        name = "comparison" if len(pairs) == 1 else f"comparison-{i}"
        figures.save(name, plots.comparison_plot(battery, pair))


def write_comparison(
    output: Path, comparison: Comparison, *, records: Sequence[Record] = (), figures: bool = True
) -> Written:
    """Write a comparison of saved audits, with one page for all of them; the audits are not changed.

    Parameters
    ----------
    output
        The folder; an existing comparison is replaced.
    comparison
        What was compared.
    records
        The audits, for the page.
    figures
        Whether to draw figures.
    """
    return write_joint(output, joint(comparison), records=records, figures=figures)


def comparison_tables(comparison: Comparison) -> list[Table]:
    """The tables of a comparison, for all outputs."""
    battery = comparison.battery
    paired = CompareBatteryResult._tabulate({battery._label: battery})
    if battery.tests:
        alternative = phrases.compared_tail(str(battery.conventions["alternative"]))
        told = f"labels of the {_changes_told(battery)} exchanged{_exchanged_told(battery)}, {alternative}"
        columns = [replace(one, note=told) if one.key == "p" else one for one in paired.columns]
        over = [f"{_OVER_CONTEXTS}."] if any(test.contexts for test in battery.tests) else []
        paired = replace(paired, columns=tuple(columns), notes=(*paired.notes, *over))
    return [paired, CompareTraitsResult._tabulate({one._label: one for one in comparison.traits})]


def comparison_notes(comparison: Comparison) -> list[str]:
    """Notes on the tables: what could not be compared, and what was left out."""
    battery = comparison.battery
    skipped = [f"{name}: not compared: {why}" for name, why in battery.skipped.items()]
    saved = dict.fromkeys(one.reason for one in battery.unpaired)
    return [*battery.notes, *saved, *skipped, *_taken_as_given(battery), *_left_out(battery)]


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
    names = dict.fromkeys(_tested_name(test) for test in battery.tests)
    if names:
        sentences.append(f"Paired tests: {in_markdown(', '.join(names))}.")
    sentences += _counts_told(battery)
    saved = dict.fromkeys(phrases.tested(one.design, one.measure) for one in battery.unpaired)
    if saved:
        sentences.append(f"Differences of saved numbers without a test: {in_markdown(', '.join(saved))}.")
    results = comparison.results if battery.tests else comparison.traits
    sentences += [f"{told}." for told in dict.fromkeys(described(one) for one in results)]
    sentences += [in_markdown(told) for told in _taken_as_given(battery)]
    sentences += [*_found_by(battery), *_words_told(battery)]
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
    measured = {"weat": MleatResult._cites, "mleat": MleatResult._cites, "ceat": CeatBootstrapResult._cites}
    keys = [key for test in battery.tests for key in measured[test.measure]]
    keys += [*battery._cites] if battery.tests else []
    keys += [key for one in battery.unpaired for key in measured.get(one.measure, ())]
    keys += [key for one in comparison.traits for key in one._cites]
    sources = [one for result in comparison.results for one in result.provenance]
    conventions = battery.conventions if battery.tests else {}
    return cited(keys, [test.method for test in battery.tests], sources, conventions)


def _tested_name(test: CompareResult) -> str:
    """Name of a paired test; over contexts it is a CEAT."""
    return phrases.tested(test.design, test.measure)


def _left_out(battery: CompareBatteryResult) -> Iterator[str]:
    """Words that paired tests leave out, and the model that lacks them; results.json lists them by test."""
    found: dict[str, dict[str, None]] = {}
    for test, pair in zip(battery.tests, battery.pairs, strict=True):
        for word, why in ({} if test.coverage is None else test.coverage.missing).items():
            reason = why.replace("the first model", pair[0]).replace("the second model", pair[1])
            found.setdefault(reason, {})[word] = None
    for reason, words in found.items():
        yield f"left out of both models: {join_words(words, most=_MOST_WORDS)} ({reason})"


def _found_by(battery: CompareBatteryResult) -> list[str]:
    """The methods of the p-values of the paired tests."""
    found: dict[str, list[str]] = {}
    for test, pair in zip(battery.tests, battery.pairs, strict=True):
        name = comparison_name(test.design, *pair, measure=test.measure)
        found.setdefault(test.method, []).append(name)
    if not found:
        return []
    if set(found) == {"exact"}:
        return ["All divisions were counted for every p-value of a paired test."]
    most = max(found, key=lambda method: len(found[method]))
    told = [f"{method} for {', '.join(names)}" for method, names in found.items() if method != most]
    methods = in_markdown("; ".join([*told, f"{most} for {'all others' if told else 'all'}"]))
    return [f"p-values of paired tests were found by these methods: {methods}."]


def _changes_told(battery: CompareBatteryResult) -> str:
    """What was exchanged; changes of cosines are not on the scale of the difference shown."""
    return "changes in standard deviations" if battery.conventions["scale"] == "sd" else "changes of cosines"


def _exchanged_told(battery: CompareBatteryResult) -> str:
    """Whether p-values account for the choice of attributes; empty if attributes were taken as given."""
    drawn = {bool(test.contexts) for test in battery.tests if test.conventions.get("attributes") == "drawn"}
    kinds = {bool(test.contexts) for test in battery.tests} - drawn
    where = f" {'over contexts' if True in drawn else 'on vectors'}" if drawn and kinds else ""
    return f", accounting for the choice of attributes{where}" if drawn else ""


def _taken_as_given(battery: CompareBatteryResult) -> list[str]:
    """Tests that could not account for the choice of attributes, although this was requested."""
    if battery.conventions.get("attributes") != "drawn":
        return []
    tests = [test for test in battery.tests if test.conventions.get("attributes") == "given"]
    names = list(dict.fromkeys(_tested_name(test) for test in tests))
    if not names:
        return []
    why = "an attribute set has a single word, so attributes were taken as given, without an interval."
    return [f"{join_words(names)}: {why}"]


def _counts_told(battery: CompareBatteryResult) -> Iterator[str]:
    """Numbers of contexts per word in the models of each pair."""
    found: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for test, pair in zip(battery.tests, battery.pairs, strict=True):
        if test.contexts:
            found.setdefault(pair, {}).update(test.contexts)
    for pair, counts in found.items():
        spans = [
            f"{_span(some)} in {name}"
            for name, some in zip(pair, zip(*counts.values(), strict=True), strict=True)
        ]
        yield f"A word has {in_markdown(join_words(spans))}."


def _span(counts: tuple[int, ...]) -> str:
    """The smallest and largest number of contexts; one number if these are equal."""
    least, most = min(counts), max(counts)
    return counted(most, "context") if least == most else f"{least} to {most} contexts"


def _words_told(battery: CompareBatteryResult) -> list[str]:
    """Words that the paired tests leave out."""
    if not battery.tests:
        return []
    told = "; ".join(_left_out(battery))
    return [f"Words of paired tests: {in_markdown(told or 'none was left out')}."]

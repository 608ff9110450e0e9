"""Tables and texts of a comparison of models."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from crossroads.comparison.battery import CompareBatteryResult, SavedDifference, comparison_name
from crossroads.comparison.models import CompareResult
from crossroads.core.errors import join_words
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

if TYPE_CHECKING:
    from crossroads.comparison.report import Comparison

_OVER_CONTEXTS = (
    "Over contexts (CEAT) the unit is the target word, by its association averaged over all of its contexts."
)
_MOST_WORDS = 40


def comparison_tables(comparison: Comparison) -> list[Table]:
    """The tables of a comparison, for all outputs."""
    battery = comparison.battery
    paired = CompareBatteryResult._tabulate({battery._label: battery})
    if battery.tests:
        # changes of cosines are not on the scale of the difference shown
        changes = {"sd": "changes in standard deviations", "cosine": "changes of cosines"}
        drawn = {bool(test.contexts) for test in battery.tests if test.conventions["attributes"] == "drawn"}
        others = {bool(test.contexts) for test in battery.tests} - drawn
        where = f" {'over contexts' if True in drawn else 'on vectors'}" if drawn and others else ""
        allowed = f", accounting for the choice of attributes{where}" if drawn else ""
        note = (
            f"labels of the {changes[battery.conventions['scale']]} exchanged{allowed}, "
            + phrases.compared_tail(str(battery.conventions["alternative"]))
        )
        columns = [dataclasses.replace(one, note=note) if one.key == "p" else one for one in paired.columns]
        over = [_OVER_CONTEXTS] if any(test.contexts for test in battery.tests) else []
        paired = dataclasses.replace(paired, columns=tuple(columns), notes=(*paired.notes, *over))
    return [paired, CompareTraitsResult._tabulate({one._label: one for one in comparison.traits})]


def comparison_notes(comparison: Comparison) -> list[str]:
    """Notes on the tables: what could not be compared, and what was left out."""
    battery = comparison.battery
    skipped = [f"{name}: not compared: {why}" for name, why in battery.skipped.items()]
    saved = dict.fromkeys(one.reason for one in battery.unpaired)
    return [*battery.notes, *saved, *skipped, *_taken_as_given(battery), *_left_out(battery)]


def comparison_latex(comparison: Comparison) -> str:
    r"""The comparison as booktabs tables, with captions and labels."""
    return latex_tables(comparison_tables(comparison), label="tab:crossroads-comparison")


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
    if names := dict.fromkeys(map(_name, battery.tests)):
        sentences.append(f"Paired tests: {in_markdown(', '.join(names))}.")
    sentences += _counts(battery)
    if names := dict.fromkeys(map(_name, battery.unpaired)):
        sentences.append(f"Differences of saved numbers without a test: {in_markdown(', '.join(names))}.")
    results = comparison.results if battery.tests else comparison.traits
    sentences += [f"{text}." for text in dict.fromkeys(described(one) for one in results)]
    sentences += map(in_markdown, _taken_as_given(battery))
    if battery.tests:
        sentences.append(_found_by(battery))
        left_out = "; ".join(_left_out(battery)) or "none was left out"
        sentences.append(f"Words of paired tests: {in_markdown(left_out)}.")
    sentences += map(in_markdown, battery.notes)
    if skipped := [f"{in_markdown(name)} ({in_markdown(why)})" for name, why in battery.skipped.items()]:
        sentences.append(f"Not compared: {'; '.join(skipped)}.")
    used = ", ".join(f"{name} {text}" for name, text in battery.versions.items())
    keys = "; ".join(f"@{key}" for key in keys_of(comparison_citations(comparison)))
    return " ".join([*sentences, f"Computed with {in_markdown(used)}.", f"See [{keys}]."]) + "\n"


def comparison_citations(comparison: Comparison) -> str:
    """BibTeX entries of the measures behind a comparison, and of this software."""
    battery = comparison.battery
    # of a CEAT means over contexts are compared, so that nothing is combined under random effects
    measured = {"weat": MleatResult._cites, "mleat": MleatResult._cites, "ceat": ("guo2021detecting",)}
    keys = [key for test in battery.tests for key in measured[test.measure]]
    keys += [*battery._cites] if battery.tests else []
    keys += [key for one in battery.unpaired for key in measured.get(one.measure, ())]
    keys += [key for one in comparison.traits for key in one._cites]
    sources = [one for result in comparison.results for one in result.provenance]
    conventions = battery.conventions if battery.tests else {}
    return cited(keys, [test.method for test in battery.tests], sources, conventions)


def _name(test: CompareResult | SavedDifference) -> str:
    """Name of a test; over contexts it is a CEAT."""
    return phrases.tested(test.design, test.measure)


def _left_out(battery: CompareBatteryResult) -> Iterator[str]:
    """Words that paired tests leave out, and the model that lacks them; results.json lists them by test."""
    found: dict[str, dict[str, None]] = {}
    for test, pair in battery._paired():
        for word, why in ({} if test.coverage is None else test.coverage.missing).items():
            reason = why.replace("the first model", pair[0]).replace("the second model", pair[1])
            found.setdefault(reason, {})[word] = None
    for reason, words in found.items():
        yield f"left out of both models: {join_words(words, most=_MOST_WORDS)} ({reason})"


def _found_by(battery: CompareBatteryResult) -> str:
    """The methods of the p-values of the paired tests."""
    found: dict[str, list[str]] = {}
    for test, pair in battery._paired():
        name = comparison_name(test.design, *pair, measure=test.measure)
        found.setdefault(test.method, []).append(name)
    if set(found) == {"exact"}:
        return "All divisions were counted for every p-value of a paired test."
    most = max(found, key=lambda method: len(found[method]))
    others = [f"{method} for {', '.join(names)}" for method, names in found.items() if method != most]
    methods = in_markdown("; ".join([*others, f"{most} for {'all others' if others else 'all'}"]))
    return f"p-values of paired tests were found by these methods: {methods}."


def _taken_as_given(battery: CompareBatteryResult) -> Iterator[str]:
    """Tests that could not account for the choice of attributes, although this was requested."""
    tests = [test for test in battery.tests if test.conventions["attributes"] == "given"]
    if tests and battery.conventions.get("attributes") == "drawn":
        why = "an attribute set has a single word, so attributes were taken as given, without an interval."
        yield f"{join_words(dict.fromkeys(map(_name, tests)))}: {why}"


def _counts(battery: CompareBatteryResult) -> Iterator[str]:
    """Numbers of contexts per word in the models of each pair: the smallest and the largest."""
    found: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for test, pair in battery._paired():
        if test.contexts:
            found.setdefault(pair, {}).update(test.contexts)
    for pair, counts in found.items():
        spans = []
        for name, numbers in zip(pair, zip(*counts.values(), strict=True), strict=True):
            least, most = min(numbers), max(numbers)
            span = counted(most, "context") if least == most else f"{least} to {most} contexts"
            spans.append(f"{span} in {name}")
        yield f"A word has {in_markdown(join_words(spans))}."

"""Sentences on a comparison of models: tests, words, contexts and methods."""

from __future__ import annotations

from collections.abc import Iterator

from crossroads.errors import join_words
from crossroads.measures import CompareBatteryResult, CompareResult
from crossroads.measures.comparison.battery import comparison_name
from crossroads.wording import phrases
from crossroads.wording.escaping import in_markdown
from crossroads.wording.numbers import counted

OVER_CONTEXTS = (
    "Over contexts (CEAT) the unit is the target word, by its association averaged over all of its contexts"
)
_MOST_WORDS = 40


def tested_name(test: CompareResult) -> str:
    """Name of a paired test; over contexts it is a CEAT."""
    return phrases.tested(test.design, test.measure)


def left_out(battery: CompareBatteryResult) -> Iterator[str]:
    """Words that paired tests leave out, and the model that lacks them; results.json lists them by test."""
    found: dict[str, dict[str, None]] = {}
    for test, pair in zip(battery.tests, battery.pairs, strict=True):
        for word, why in ({} if test.coverage is None else test.coverage.missing).items():
            reason = why.replace("the first model", pair[0]).replace("the second model", pair[1])
            found.setdefault(reason, {})[word] = None
    for reason, words in found.items():
        yield f"left out of both models: {join_words(words, most=_MOST_WORDS)} ({reason})"


def found_by(battery: CompareBatteryResult) -> list[str]:
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


def changes_told(battery: CompareBatteryResult) -> str:
    """What was exchanged; changes of cosines are not on the scale of the difference shown."""
    return "changes in standard deviations" if battery.conventions["scale"] == "sd" else "changes of cosines"


def exchanged_told(battery: CompareBatteryResult) -> str:
    """Whether p-values account for the choice of attributes; empty if attributes were taken as given."""
    drawn = {bool(test.contexts) for test in battery.tests if test.conventions.get("attributes") == "drawn"}
    kinds = {bool(test.contexts) for test in battery.tests} - drawn
    where = f" {'over contexts' if True in drawn else 'on vectors'}" if drawn and kinds else ""
    return f", accounting for the choice of attributes{where}" if drawn else ""


def taken_as_given(battery: CompareBatteryResult) -> list[str]:
    """Tests that could not account for the choice of attributes, although this was requested."""
    if battery.conventions.get("attributes") != "drawn":
        return []
    tests = [test for test in battery.tests if test.conventions.get("attributes") == "given"]
    names = list(dict.fromkeys(tested_name(test) for test in tests))
    if not names:
        return []
    why = "an attribute set has a single word, so attributes were taken as given, without an interval."
    return [f"{join_words(names)}: {why}"]


def counts_told(battery: CompareBatteryResult) -> Iterator[str]:
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


def words_told(battery: CompareBatteryResult) -> list[str]:
    """Words that the paired tests leave out."""
    if not battery.tests:
        return []
    told = "; ".join(left_out(battery))
    return [f"Words of paired tests: {in_markdown(told or 'none was left out')}."]

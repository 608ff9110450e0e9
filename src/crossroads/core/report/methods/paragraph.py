"""The methods of an audit: a paragraph that can be pasted, and a table of every convention behind it.

The table includes every convention, so that the tables of two audits differ if any convention, model, word
list or version does.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crossroads.core.errors import join_words
from crossroads.core.evidence.model_names import distinct_names
from crossroads.core.report.audit import KINDS, Audit, tested
from crossroads.core.report.methods.citations import citation_keys
from crossroads.core.report.methods.conventions import (
    all_told,
    grouped,
    measure_told,
    plain,
    spaced,
    title_of,
    told_by_title,
)
from crossroads.core.results import Result
from crossroads.core.wording import phrases
from crossroads.core.wording.escaping import in_markdown

if TYPE_CHECKING:
    from crossroads.core.evidence import Provenance
    from crossroads.core.stimuli import Design

Row = tuple[str, str]
"""What was chosen or happened, and how; both in Markdown."""
_MOST_WORDS = 40
_MOST_TESTS = 20
_SAID = frozenset(
    {"battery", "ceat-battery", "mleat", "ceat", "multilevel-ceat", "checks", "influence", "bootstrap"}
    | {"ceat-bootstrap"}
)
"""Measures that are the tests themselves, or belong to them."""


def methods_text(audit: Audit, designs: Iterable[Design] = ()) -> str:
    """The methods in Markdown: :func:`methods_paragraph`, and a table of every convention.

    Designs that were tested are given for their citations and departures.
    """
    designs = list(designs)
    rows = [*_models(audit), *_tests(audit), *_departures(designs)]
    rows += [*_conventions(audit), *_pvalues(audit), *_coverage(audit), *_absent(audit), *_versions(audit)]
    lines = ["| what | how |", "| --- | --- |", *(f"| {what} | {how} |" for what, how in rows)]
    return "\n\n".join([methods_paragraph(audit, designs).strip(), "## Conventions", "\n".join(lines)]) + "\n"


def methods_paragraph(audit: Audit, designs: Iterable[Design] = ()) -> str:
    """Methods in about ten lines: model, tests, p-values, intervals, adjustment, version, citations.

    Citations are keys of ``citations.bib``, as Pandoc reads them in Markdown.
    """
    keys = "; ".join(f"@{key}" for key in citation_keys(audit, designs))
    sentences = [_subject(audit), *_asked(audit), *_inferred(audit), *_missed(audit), f"See [{keys}]."]
    return " ".join(sentences) + "\n"


def _subject(audit: Audit) -> str:
    """The model in short, and the version that measured it."""
    about, known = audit.about, [KINDS[audit.kind]]
    known += [f"revision {about.revision}"] if about.revision else []
    known += [f"{about.details['dim']} dimensions"] if "dim" in about.details else []
    version = next(one.versions["crossroads"] for one in audit.values() if "crossroads" in one.versions)
    model = f"{in_markdown(audit.model)} ({in_markdown(', '.join(known))})"
    return f"Associations in {model} were measured with {in_markdown(f'crossroads {version}')}."


def _asked(audit: Audit) -> list[str]:
    """Which tests were run, by name, and which other measures."""
    sentences = []
    for battery in _batteries(audit):
        names = [one.design for one in battery.tests]
        tests = "test compares" if len(names) == 1 else "tests compare"
        where = " over contexts" if battery._tests_on == "contexts" else ""
        if names:
            sentences.append(
                f"{len(names)} {tests} two sets of target words by their mean cosines with two sets of "
                f"attribute words{where}: {in_markdown(join_words(_runs(names), most=_MOST_TESTS))}."
            )
    others = [title_of(name) for one in audit.values() if (name := measure_told(one)) not in _SAID]
    if others:
        told = join_words(one[0].lower() + one[1:] for one in dict.fromkeys(others))
        sentences.append(f"Also measured: {in_markdown(told)}.")
    return sentences


def _runs(names: Sequence[str]) -> list[str]:
    """Names of which runs such as a1, a2, a3 are written as one: a1–a3."""
    runs: list[list[str]] = []
    for name in names:
        stem, number = re.fullmatch(r"(.*?)([1-9]\d{0,8})?", name, re.DOTALL).groups()  # type: ignore[union-attr]
        follows = number and runs and runs[-1][-1] == f"{stem}{int(number) - 1}"
        runs[-1].append(name) if follows else runs.append([name])
    return [one for run in runs for one in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else run)]


def _batteries(audit: Audit) -> list[Any]:
    """Batteries, those on words first."""
    found = [one for one in audit.values() if one._tests_on]
    return sorted(found, key=lambda one: one._tests_on != "words")


def _inferred(audit: Audit) -> list[str]:
    """How p-values and intervals were made, and the adjustment for the number of tests."""
    tests: list[Any] = [test for battery in _batteries(audit) for test in battery.tests]
    levels = [getattr(one, "level1", one) for one in tests]
    shares = dict.fromkeys(f"{100 * one.crossed.level:g} %" for one in levels)
    sentences = []
    if shares:
        sentences.append(
            f"p-values and {join_words(shares)} intervals of differences are for other words than these: the "
            "words of all sets count as drawn, with Satterthwaite's degrees of freedom."
        )
    if any(battery.adjusted for battery in _batteries(audit)):
        which = "These p-values" if shares else "p-values"
        rest = "; intervals are not" if shares else ""
        sentences.append(
            f"{which} are adjusted for the number of tests (Benjamini and Hochberg; Holm){rest}."
        )
    if tests:
        given = dict.fromkeys(str(one.conventions.get("alternative", "two-sided")) for one in tests)
        tails = [phrases.TOLD_TAILS.get(one, one) for one in given]
        ways = dict.fromkeys(method for _, one in audit.named() for _, method in one._pvalue_methods())
        sentences.append(
            "p-values for just these words count divisions of the target words "
            f"({in_markdown(join_words(ways))}; {in_markdown(join_words(tails))})."
        )
    drawn: list[Any] = [one for _, one in audit.named() if one._resampled]
    if drawn:
        told = dict.fromkeys(f"{one.conventions['interval']}, {one.resamples:,} resamples" for one in drawn)
        sentences.append(f"Intervals of effect sizes are bootstrapped ({in_markdown(join_words(told))}).")
    return sentences


def _missed(audit: Audit) -> list[str]:
    """How many stimuli were left out, and how many parts could not be measured."""
    words = {word for _, one in audit.named() if one.coverage is not None for word in one.coverage.missing}
    sentences = ["No stimulus was left out."]
    if words:
        left = "stimulus was left out" if len(words) == 1 else "stimuli were left out"
        sentences = [f"{len(words)} {left}."]
    if absent := audit.unmeasured():
        sentences.append(f"{len(absent)} {'part' if len(absent) == 1 else 'parts'} could not be measured.")
    return sentences


def _absent(audit: Audit) -> list[Row]:
    told = [
        f"{in_markdown(name)} ({in_markdown(why.rstrip('.'))})"
        for name, (_, why) in audit.unmeasured().items()
    ]
    return [("Not measured", "; ".join(told))] if told else []


def _models(audit: Audit) -> list[Row]:
    """The models of the results and the human judgements, with all that identifies them."""
    people = [one.provenance[-1] for one in audit.values() if one._judged and one.provenance]
    everyone = [source for result in audit.values() for source in result.provenance]
    models = _distinct(one for one in everyone if one not in people)
    head = "Model" if len(models) == 1 else "One of the models"
    names = {**_names([*everyone, *people]), audit.about.source: audit.model}
    return [(head, one) for one in _told(models, names)] + [
        ("Human judgements", one) for one in _told(_distinct(people), names)
    ]


def _names(sources: Iterable[Provenance]) -> dict[str, str]:
    """A short name for each source."""
    found = {one.source: one for one in sources}
    return dict(zip(found, distinct_names(list(found.values())), strict=True))


def _distinct(sources: Iterable[Provenance]) -> dict[str, list[str]]:
    """Each source once, with all ways in which it was read."""
    written = [json.dumps(one.to_dict(), ensure_ascii=False, default=str) for one in sources]
    found: dict[str, list[str]] = {}
    for one in map(json.loads, dict.fromkeys(written)):
        known = [f"format {one['format']}"]
        known += [f"{key} {one[key]}" for key in ("revision", "sha256") if one[key] is not None]
        known += [
            f"{spaced(name)} {grouped(plain(value))}"
            for name, value in one["details"].items()
            if value not in (None, {}, [])
        ]
        found.setdefault(one["source"], []).append("; ".join(known))
    return found


def _told(sources: dict[str, list[str]], names: Mapping[str, str]) -> list[str]:
    return [
        f"{in_markdown(names[name])} ({in_markdown(') and, in another way, ('.join(ways))})"
        for name, ways in sources.items()
    ]


def _tests(audit: Audit) -> list[Row]:
    """Which tests were run, and on which words."""
    tests = next((one.tests for one in _batteries(audit) if one._tests_on == "words"), ())
    lists = [f"{in_markdown(t.design)} (word lists {t.level1.digest[:12]})" for t in tests]
    rows = [("Tests", ", ".join(lists))] if lists else []
    inside = [(test.design, test.provenance) for test in tests]
    others = [
        name
        for name, one in audit.named()
        if (getattr(one, "design", None), one.provenance) not in inside
        and not (one._tests_on or one._about_test)
    ]
    if others:
        rows.append(("Also", "; ".join(map(in_markdown, dict.fromkeys(others)))))
    return rows


def _departures(designs: Iterable[Design]) -> list[Row]:
    """How word lists differ from their sources."""
    told = [f"{one.name}: {' '.join(one.departures).rstrip('.')}" for one in designs if one.departures]
    return [("Departures of the word lists", in_markdown("; ".join(told)))] if told else []


def _conventions(audit: Audit) -> list[Row]:
    """One row per measure and title; if tests of a measure differ, one per set of conventions."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name, result in audit.named():
        for title, told in told_by_title(result):
            groups.setdefault(title, {}).setdefault(told, []).append(name)
    rows = []
    for measure, variants in groups.items():
        for told, names in variants.items():
            which = [title_of(measure), *([] if len(variants) == 1 else names)]
            rows.append((in_markdown(", ".join(which)), in_markdown(told)))
    return rows


def described(result: Result) -> str:
    """The measure behind a result and every convention, without a full stop."""
    return f"{in_markdown(title_of(measure_told(result)))}: {in_markdown(all_told(result))}"


def _pvalues(audit: Audit) -> list[Row]:
    """The method that each p-value actually used."""
    found: dict[str, list[str]] = {}
    for name, result in audit.named():
        for part, method in result._pvalue_methods():
            found.setdefault(method, []).append(f"{name}{part}")
    if not found:
        return []
    told = "every one is exact: all divisions were counted"
    if set(found) != {"exact"}:
        most = max(found, key=lambda method: len(found[method]))
        rest = [f"{method} for {', '.join(parts)}" for method, parts in found.items() if method != most]
        told = in_markdown("; ".join([*rest, f"{most} for all others"]))
    return [("p-values of association tests", told)]


def _coverage(audit: Audit) -> list[Row]:
    """Stimuli left out or found under another spelling, grouped by tests that lack the same words."""
    left: dict[str, dict[str, None]] = {}
    respelled: dict[str, str] = {}
    notes: dict[str, dict[str, None]] = {}
    for name, result in audit.named():
        coverage = result.coverage
        if coverage is None or result._resampled:
            continue  # those beside a test of the same words
        of = tested(result, name)
        respelled |= coverage.respelled
        for note in coverage.notes:
            notes.setdefault(note, {})[of] = None
        reasons: dict[str, list[str]] = {}
        for word, why in coverage.missing.items():
            reasons.setdefault(why, []).append(word)
        told = "; ".join(f"{join_words(words, most=_MOST_WORDS)} ({why})" for why, words in reasons.items())
        if told:
            left.setdefault(told, {})[of] = None
    rows = [
        (f"Left out of {in_markdown(join_words(names))}", in_markdown(told)) for told, names in left.items()
    ]
    if not left:
        rows.append(("Left out", "no stimulus"))
    if respelled:
        rules = Counter(how.rpartition("(")[2].rstrip(")") for how in respelled.values())
        counts = join_words(f"{count} by the rule {rule}" for rule, count in rules.items())
        rows.append(("Found under another spelling", f"{in_markdown(counts)}; results.json lists them"))
    rows += [
        (f"Of note in {in_markdown(join_words(names))}", in_markdown(note)) for note, names in notes.items()
    ]
    return rows


def _versions(audit: Audit) -> list[Row]:
    versions = {name: text for result in audit.values() for name, text in result.versions.items()}
    return [("Computed with", in_markdown(", ".join(f"{name} {text}" for name, text in versions.items())))]

"""A methods paragraph from the conventions recorded in the results.

Every convention is included, so that the paragraphs of two audits differ if any convention, model, word list
or version does.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from crossroads.errors import join_words
from crossroads.evidence.model_names import distinct_names
from crossroads.measures import (
    AlignmentResult,
    BatteryResult,
    BootstrapResult,
    CeatBatteryResult,
    CeatBootstrapResult,
    CeatResult,
    InfluenceResult,
    MleatResult,
    MultilevelCeatResult,
)
from crossroads.report.audit import Audit
from crossroads.report.methods.citations import citation_keys
from crossroads.report.methods.conventions import (
    all_told,
    grouped,
    measure_told,
    plain,
    sentence_of,
    spaced,
    told_by_title,
)
from crossroads.results import Result
from crossroads.wording.escaping import in_markdown

if TYPE_CHECKING:
    from crossroads.evidence import Provenance
    from crossroads.stimuli import Design

_MOST_WORDS = 40


def methods_paragraph(audit: Audit, designs: Iterable[Design] = ()) -> str:
    """Methods in English: model, tests, every convention, what was left out, versions.

    Parameters
    ----------
    audit
        What was measured.
    designs
        The designs that were tested, for their citations.

    Returns
    -------
    str
        Markdown; citations are keys of :func:`~crossroads.report.bibtex`, as Pandoc reads them.
    """
    designs = list(designs)
    sentences = [*_models(audit), *_tests(audit), *_departures(designs)]
    sentences += [*_conventions(audit), *_pvalues(audit), *_coverage(audit)]
    if absent := audit.unmeasured():
        told = [f"{in_markdown(name)} ({in_markdown(why.rstrip('.'))})" for name, (_, why) in absent.items()]
        sentences.append(f"Not measured: {'; '.join(told)}.")
    keys = "; ".join(f"@{key}" for key in citation_keys(audit, designs))
    sentences += [*_versions(audit), f"See [{keys}]."]
    return " ".join(sentences) + "\n"


def _models(audit: Audit) -> list[str]:
    """The models of the results and the human judgements, with all that identifies them."""
    people = [one.provenance[-1] for one in audit.of(AlignmentResult).values() if one.provenance]
    everyone = [source for result in audit.values() for source in result.provenance]
    models = _distinct(one for one in everyone if one not in people)
    head = "The model is" if len(models) == 1 else "One of the models is"
    names = {**_names([*everyone, *people]), audit.about.source: audit.model}
    return [f"{head} {one}." for one in _told(models, names)] + [
        f"Human judgements are from {one}." for one in _told(_distinct(people), names)
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


def _tests(audit: Audit) -> list[str]:
    """Which tests were run, and on which words."""
    battery = audit.one(BatteryResult)
    tests = () if battery is None else battery.tests
    lists = [f"{in_markdown(t.design)} (word lists {t.level1.digest[:12]})" for t in tests]
    sentences = [f"Tests: {', '.join(lists)}."] if lists else []
    inside = set(map(id, tests))
    said = (BatteryResult, CeatBatteryResult, BootstrapResult, InfluenceResult)
    others = [name for name, one in audit.named() if id(one) not in inside and not isinstance(one, said)]
    if others:
        sentences.append(f"Also: {'; '.join(map(in_markdown, dict.fromkeys(others)))}.")
    return sentences


def _departures(designs: Iterable[Design]) -> list[str]:
    """How word lists differ from their sources."""
    told = [f"{one.name}: {' '.join(one.departures).rstrip('.')}" for one in designs if one.departures]
    return [f"Departures of the word lists: {in_markdown('; '.join(told))}."] if told else []


def _conventions(audit: Audit) -> list[str]:
    """One sentence per measure and title; if tests of a measure differ, one per set of conventions."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name, result in audit.named():
        for title, told in told_by_title(result):
            groups.setdefault(title, {}).setdefault(told, []).append(name)
    return [
        sentence_of(measure, told, [] if len(variants) == 1 else names)
        for measure, variants in groups.items()
        for told, names in variants.items()
    ]


def described(result: Result) -> str:
    """The measure behind a result and every convention, without a full stop."""
    return sentence_of(measure_told(result), all_told(result), []).removesuffix(".")


def _pvalues(audit: Audit) -> list[str]:
    """The method that each p-value actually used."""
    found: dict[str, list[str]] = {}
    for name, result in audit.named():
        for part, method in _methods(result):
            found.setdefault(method, []).append(f"{name}{part}")
    if not found:
        return []
    if set(found) == {"exact"}:
        return ["Every p-value of an association test is exact: all divisions were counted."]
    most = max(found, key=lambda method: len(found[method]))
    told = [f"{method} for {', '.join(parts)}" for method, parts in found.items() if method != most]
    methods = in_markdown("; ".join([*told, f"{most} for all others"]))
    return [f"p-values of association tests were found by these methods: {methods}."]


def _methods(result: Result) -> Iterator[tuple[str, str]]:
    """Each p-value over stimuli of a test, and its method."""
    if isinstance(result, MleatResult):
        yield " level 1", result.level1.method
        yield from ((f" level 2 {key}", one.method) for key, one in result.level2.items())
    elif isinstance(result, MultilevelCeatResult):
        yield " 1", result.level1.stimulus_method
        yield from ((f" 2 {key}", one.stimulus_method) for key, one in result.level2.items())
    elif isinstance(result, CeatResult):
        yield "", result.stimulus_method


def _coverage(audit: Audit) -> list[str]:
    """Stimuli left out or found under another spelling, grouped by tests that lack the same words."""
    told_once = (BootstrapResult, CeatBootstrapResult, InfluenceResult)  # beside a test of the same words
    left: dict[str, list[str]] = {}
    respelled: dict[str, str] = {}
    notes: dict[str, list[str]] = {}
    for name, result in audit.named():
        coverage = result.coverage
        if coverage is None or isinstance(result, told_once):
            continue
        respelled |= coverage.respelled
        for note in coverage.notes:
            notes.setdefault(note, []).append(name)
        reasons: dict[str, list[str]] = {}
        for word, why in coverage.missing.items():
            reasons.setdefault(why, []).append(word)
        told = "; ".join(f"{join_words(words, most=_MOST_WORDS)} ({why})" for why, words in reasons.items())
        if told:
            left.setdefault(told, []).append(name)
    sentences = [
        f"Left out of {in_markdown(join_words(names))}: {in_markdown(told)}." for told, names in left.items()
    ]
    if not left:
        sentences.append("No stimulus was left out.")
    if respelled:
        rules = Counter(how.rpartition("(")[2].rstrip(")") for how in respelled.values())
        counts = join_words(f"{count} by the rule {rule}" for rule, count in rules.items())
        sentences.append(f"Found under another spelling: {in_markdown(counts)}; results.json lists them.")
    for note, names in notes.items():
        sentences.append(f"In {in_markdown(join_words(names))} there is {in_markdown(note)}.")
    return sentences


def _versions(audit: Audit) -> list[str]:
    versions = {name: text for result in audit.values() for name, text in result.versions.items()}
    return [f"Computed with {in_markdown(', '.join(f'{name} {text}' for name, text in versions.items()))}."]

"""A methods paragraph out of the conventions that the results recorded.

Known conventions become sentences; any other is named with its value. So two audits that differ in a
convention, a model, a word list or a version differ in their paragraphs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from crossroads.errors import join_words
from crossroads.measures import (
    BootstrapResult,
    CeatBootstrapResult,
    CeatResult,
    InfluenceResult,
    MleatResult,
    MultilevelCeatResult,
)
from crossroads.report.audit import Audit
from crossroads.report.citations import citation_keys
from crossroads.report.escaping import in_markdown
from crossroads.report.naming import named_results, unmeasured
from crossroads.results import Result

if TYPE_CHECKING:
    from crossroads.evidence import Provenance
    from crossroads.stimuli import Design

_TITLES = {
    "battery": "Multiplicity",
    "mleat": "Association tests (ML-EAT)",
    "bootstrap": "Confidence intervals",
    "influence": "Influence of single words",
    "wefat": "Scores of words with groups (WEFAT)",
    "ibd": "Intersectional detection (IBD)",
    "eibd": "Emergent intersectional detection (EIBD)",
    "rsa": "Geometry (RSA)",
    "series": "Tests over time",
    "ceat-battery": "Multiplicity over contexts",
    "ceat": "Association tests over contexts (CEAT)",
    "ceat-bootstrap": "Confidence intervals over words and contexts",
    "multilevel-ceat": "Levels of the tests over contexts",
    "group-ceat": "Scores of groups on traits (group CEAT)",
    "ilps": "Scores of groups on traits (ILPS)",
    "ilps*": "Scores of groups on traits (ILPS*)",
    "set": "Scores of groups on traits (SeT)",
    "alignment": "Agreement with people",
    "order_sensitivity": "Order of two identities",
    "domain_dominance": "Dominance between domains",
    "emergent": "Traits of paired identities beyond their components",
    "compare battery": "Comparison of models",
    "compare": "Paired tests between models",
}
_ALTERNATIVES = {
    "two-sided": "p-values are two-sided",
    "greater": "p-values are one-sided, in the direction the design states",
    "less": "p-values are one-sided, against the direction the design states",
    "observed": "p-values are of the tail on the observed side, chosen after the fact",
}
_TIES = {
    "weak": "divisions that equal the observed one count",
    "strict": "divisions that equal the observed one do not count",
}
_MISSING = {
    "raise": "a missing stimulus would have stopped the run",
    "drop": "missing stimuli were left out",
    "balance": "missing stimuli were left out, and the longer set of each pair was shortened",
}
_DDOF = {
    1: "standard deviations are those of a sample (ddof 1)",
    0: "standard deviations are those of a population (ddof 0)",
}

_VARIANCES = {
    "paper": "a sample is weighted by the variance of its associations, as published",
    "hedges": "a sample is weighted by the sampling variance of its effect size",
}
_FIRST_MODEL = {
    "two-sided": "p-values are two-sided",
    "greater": "p-values are one-sided, for a larger effect size in the first model of a pair",
    "less": "p-values are one-sided, for a smaller effect size in the first model of a pair",
}
_EITHER_MODEL = {
    "raise": "a stimulus that either model lacks would have stopped the run",
    "drop": "stimuli that either model of a pair lacks were left out of both",
    "balance": "stimuli that either model of a pair lacks were left out of both, and the longer set of each "
    "pair was shortened",
}
_CHANGES = {
    "sd": "the labels of changes from model to model, in standard deviations of each, were exchanged",
    "cosine": "the labels of changes from model to model, in cosines, were exchanged",
}
_MOST_WORDS = 40
_UNRECORDED = ("level", "resamples", "least", "fdr", "k")


def _chosen(words: Mapping[Any, str], name: str) -> Callable[[Any], str]:
    return lambda value: words.get(value, f"{name} is {value}")


_SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "alternative": _chosen(_ALTERNATIVES, "the alternative"),
    "ties": _chosen(_TIES, "the rule for ties"),
    "ddof": _chosen(_DDOF, "ddof"),
    "missing": _chosen(_MISSING, "the rule for missing stimuli"),
    "seed": lambda value: f"the seed is {value}",
    "alpha": lambda value: f"a target leans to an attribute where p is below {value}",
    "least_effect": lambda value: f"and the effect size beyond ±{value}",
    "resamples": lambda value: f"resamples: {value}",
    "adjusted": lambda value: f"adjusted p-values (Holm; Benjamini and Hochberg) are of {value}",
    "method": lambda value: f"method asked for: {value}",
    "max_work": lambda value: f"an exact count could look at {value} subset sums",
    "samples": lambda value: f"{value} samples of one context a word were drawn",
    "variance": _chosen(_VARIANCES, "the variance of a sample"),
    "threshold": lambda value: (
        f"the rule for the threshold is: {value}" if isinstance(value, str) else f"the threshold is {value}"
    ),
    "permutations": lambda value: f"labels were exchanged {value} times",
    "splits": lambda value: f"people were divided {value} times",
    "gamma": lambda value: f"the margin γ is {value}",
    "association": lambda value: f"association is measured thus: {value}",
    "fallback": lambda value: (
        "words were looked up as written only"
        if value == "none"
        else f"words not found as written were looked up by these rules: {value}"
    ),
}

_COMPARED: Mapping[str, Callable[[Any], str]] = {
    "alternative": _chosen(_FIRST_MODEL, "the alternative"),
    "missing": _chosen(_EITHER_MODEL, "the rule for missing stimuli"),
    "scale": _chosen(_CHANGES, "the scale of changes"),
}
_OF_MEASURE: Mapping[str, Mapping[str, Callable[[Any], str]]] = {
    "rsa": {
        "samples": lambda value: f"{value} samples of items were drawn",
        "splits": lambda value: f"for the ceiling, dimensions were halved {value} times",
    },
    "compare": _COMPARED,
    "compare battery": _COMPARED,
}
"""Conventions that mean another thing in one measure than in the others."""


def methods_paragraph(audit: Audit, designs: Iterable[Design] = ()) -> str:
    """What was done, in English: model, tests, every convention, what was left out, versions.

    Parameters
    ----------
    audit
        What was measured.
    designs
        The designs that were tested, for their citations.

    Returns
    -------
    str
        Markdown; citations are keys of :func:`~crossroads.report.citations.bibtex`, as Pandoc reads them.
    """
    sentences = [*_models(audit), *_tests(audit), *_conventions(audit), *_pvalues(audit), *_coverage(audit)]
    if absent := unmeasured(audit):
        told = [f"{in_markdown(name)} ({in_markdown(why)})" for name, why in absent.items()]
        sentences.append(f"Not measured: {'; '.join(told)}.")
    keys = "; ".join(f"@{key}" for key in citation_keys(audit, designs))
    sentences += [*_versions(audit), f"See [{keys}]."]
    return " ".join(sentences) + "\n"


def _models(audit: Audit) -> list[str]:
    """Which models the results are of, and whom they are compared with, with all that identifies them."""
    people = [one.provenance[-1] for one in audit.alignments.values() if one.provenance]
    everyone = [source for result in audit.results for source in result.provenance]
    sources = _distinct(one for one in everyone if one not in people)
    head = "The model is" if len(sources) == 1 else "One of the models is"
    return [f"{head} {one}." for one in sources] + [
        f"Human judgements are from {one}." for one in _distinct(people)
    ]


def _distinct(sources: Iterable[Provenance]) -> list[str]:
    """Each source once, in words."""
    plain = [json.dumps(one.to_dict(), ensure_ascii=False, default=str) for one in sources]
    told = []
    for one in map(json.loads, dict.fromkeys(plain)):
        known = [f"format {one['format']}"]
        known += [f"{key} {one[key]}" for key in ("revision", "sha256") if one[key] is not None]
        known += [f"{name} {_plain(value)}" for name, value in one["details"].items()]
        told.append(f"{in_markdown(one['source'])} ({in_markdown('; '.join(known))})")
    return told


def _tests(audit: Audit) -> list[str]:
    """Which tests were run, and on which words."""
    tests = () if audit.battery is None else audit.battery.tests
    lists = [f"{in_markdown(t.design)} (word lists {t.level1.digest[:12]})" for t in tests]
    sentences = [f"Tests: {', '.join(lists)}."] if lists else []
    inside = {id(one) for one in (*tests, *audit.intervals, *audit.influences, audit.battery)}
    batteries = {id(audit.contexts)} if audit.contexts is not None else set()
    others = [name for name, one in named_results(audit) if id(one) not in inside | batteries]
    if others:
        sentences.append(f"Also: {', '.join(map(in_markdown, dict.fromkeys(others)))}.")
    return sentences


def _conventions(audit: Audit) -> list[str]:
    """One sentence a measure; where tests of a measure differ, one for each set of conventions."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name, result in named_results(audit):
        measure, told = _measure(result), _all_told(result)
        groups.setdefault(measure, {}).setdefault(told, []).append(name)
    return [
        _sentence(measure, told, [] if len(variants) == 1 else names)
        for measure, variants in groups.items()
        for told, names in variants.items()
    ]


def described(result: Result) -> str:
    """The measure behind a result and every convention, without a full stop."""
    return _sentence(_measure(result), _all_told(result), []).removesuffix(".")


def _sentence(measure: str, told: str, names: list[str]) -> str:
    which = f", {in_markdown(', '.join(names))}" if names else ""
    return f"{in_markdown(_TITLES.get(measure, measure))}{which}: {in_markdown(told)}."


def _measure(result: Result) -> str:
    return str(result.conventions.get("measure", "unnamed"))


def _all_told(result: Result) -> str:
    """Every convention of a result, those that it holds as fields included."""
    conventions = {key: value for key, value in result.conventions.items() if key != "measure"}
    kept = {key: getattr(result, key, None) for key in _UNRECORDED if key not in conventions}
    conventions |= {key: value for key, value in kept.items() if value is not None}
    sentences = {**_SENTENCES, **_OF_MEASURE.get(_measure(result), {})}
    told = [_told(sentences.get(key), key, value) for key, value in conventions.items()]
    return "; ".join(told) or "no convention is recorded"


def _told(sentence: Callable[[Any], str] | None, key: str, value: Any) -> str:
    return f"{key}: {_plain(value)}" if sentence is None else sentence(_plain(value))


def _plain(value: Any) -> Any:
    """A value as text holds it: lists and mappings as JSON, all else as it is."""
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _pvalues(audit: Audit) -> list[str]:
    """How each p-value was in fact found."""
    found: dict[str, list[str]] = {}
    for name, result in named_results(audit):
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
    """Each p-value over stimuli of a test, and how it was found."""
    if isinstance(result, MleatResult):
        yield " level 1", result.level1.method
        yield from ((f" level 2 {key}", one.method) for key, one in result.level2.items())
    elif isinstance(result, MultilevelCeatResult):
        yield " 1", result.level1.stimulus_method
        yield from ((f" 2 {key}", one.stimulus_method) for key, one in result.level2.items())
    elif isinstance(result, CeatResult):
        yield "", result.stimulus_method


def _coverage(audit: Audit) -> list[str]:
    """What was left out or found under another spelling; tests that lack the same words together."""
    told_once = (BootstrapResult, CeatBootstrapResult, InfluenceResult)  # beside a test of the same words
    left: dict[str, list[str]] = {}
    respelled: dict[str, str] = {}
    for name, result in named_results(audit):
        coverage = result.coverage
        if coverage is None or isinstance(result, told_once):
            continue
        respelled |= coverage.respelled
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
    return sentences


def _versions(audit: Audit) -> list[str]:
    versions = {name: text for result in audit.results for name, text in result.versions.items()}
    return [f"Computed with {in_markdown(', '.join(f'{name} {text}' for name, text in versions.items()))}."]

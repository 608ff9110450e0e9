"""A methods paragraph out of the conventions that the results recorded.

Known conventions become sentences; any other is named with its value. So two audits that differ in a
convention, a model, a word list or a version differ in their paragraphs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from crossroads.errors import join_words
from crossroads.report.audit import Audit, rsa_name
from crossroads.report.citations import citation_keys
from crossroads.report.escaping import in_markdown
from crossroads.results import Coverage, Result

if TYPE_CHECKING:
    from crossroads.stimuli import Design

_TITLES = {
    "battery": "Multiplicity",
    "mleat": "Association tests (ML-EAT)",
    "bootstrap": "Confidence intervals",
    "influence": "Influence of single words",
    "ibd": "Intersectional detection (IBD)",
    "eibd": "Emergent intersectional detection (EIBD)",
    "rsa": "Geometry (RSA)",
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
    "raise": "a stimulus without a vector would have stopped the run",
    "drop": "stimuli without a vector were left out",
    "balance": "stimuli without a vector were left out, and the longer set of each pair was shortened",
}
_DDOF = {
    1: "standard deviations are those of a sample (ddof 1)",
    0: "standard deviations are those of a population (ddof 0)",
}


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
    "association": lambda value: f"association is measured thus: {value}",
    "fallback": lambda value: (
        "words were looked up as written only"
        if value == "none"
        else f"words not found as written were looked up by these rules: {value}"
    ),
}


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
    sentences = [*_model(audit), *_tests(audit), *_conventions(audit), *_pvalues(audit), *_coverage(audit)]
    if audit.skipped:
        told = [f"{in_markdown(name)} ({in_markdown(why)})" for name, why in audit.skipped.items()]
        sentences.append(f"Not measured: {'; '.join(told)}.")
    keys = "; ".join(f"@{key}" for key in citation_keys(audit, designs))
    sentences += [*_versions(audit), f"See [{keys}]."]
    return " ".join(sentences) + "\n"


def _model(audit: Audit) -> list[str]:
    """Which models the results are of, with all that identifies them."""
    sources = list(
        dict.fromkeys(
            json.dumps(source.to_dict(), ensure_ascii=False, default=str)
            for result in audit.results
            for source in result.provenance
        )
    )
    sentences = []
    for one in map(json.loads, sources):
        known = [f"format {one['format']}"]
        known += [f"{key} {one[key]}" for key in ("revision", "sha256") if one[key] is not None]
        known += [f"{name} {_plain(value)}" for name, value in one["details"].items()]
        sentences.append(f"The model is {in_markdown(one['source'])} ({in_markdown('; '.join(known))}).")
    return sentences


def _tests(audit: Audit) -> list[str]:
    """Which tests were run, and on which words."""
    lists = [f"{in_markdown(t.design)} (word lists {t.level1.digest[:12]})" for t in audit.battery.tests]
    sentences = [f"Tests: {', '.join(lists)}."] if lists else []
    others = [*audit.detections, *(rsa_name(*fit.names) for fit in audit.fits)]
    if others:
        sentences.append(f"Also: {', '.join(map(in_markdown, others))}.")
    return sentences


def _conventions(audit: Audit) -> list[str]:
    """One sentence a measure; where tests of a measure differ, one for each set of conventions."""
    named: list[tuple[str, Result]] = [("the battery", audit.battery)]
    named += [(one.design, one) for one in audit.battery.tests]
    named += [(one.design, one) for one in audit.intervals]
    named += [(one.design, one) for one in audit.influences]
    named += [*audit.detections.items(), *((rsa_name(*fit.names), fit) for fit in audit.fits)]
    groups: dict[str, dict[str, list[str]]] = {}
    for name, result in named:
        conventions = dict(result.conventions)
        measure = str(conventions.pop("measure", "unnamed"))
        if "level" not in conventions and (level := getattr(result, "level", None)) is not None:
            conventions |= {"level": level, "resamples": getattr(result, "resamples", None)}
        told = "; ".join(_told(key, value) for key, value in conventions.items())
        groups.setdefault(measure, {}).setdefault(told, []).append(name)
    return [
        f"{in_markdown(_TITLES.get(measure, measure))}"
        + ("" if len(variants) == 1 else f", {in_markdown(', '.join(names))}")
        + f": {in_markdown(told)}."
        for measure, variants in groups.items()
        for told, names in variants.items()
    ]


def _told(key: str, value: Any) -> str:
    sentence = _SENTENCES.get(key)
    return f"{key}: {_plain(value)}" if sentence is None else sentence(_plain(value))


def _plain(value: Any) -> Any:
    """A value as text holds it: lists and mappings as JSON, all else as it is."""
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _pvalues(audit: Audit) -> list[str]:
    """How each p-value was in fact found."""
    found: dict[str, list[str]] = {}
    for test in audit.battery.tests:
        for part, level in {"1": test.level1, **{f"2 {k}": v for k, v in test.level2.items()}}.items():
            found.setdefault(level.method, []).append(f"{test.design} level {part}")
    if set(found) == {"exact"}:
        return ["Every p-value of a test is exact: all divisions were counted."]
    most = max(found, key=lambda method: len(found[method]), default="")
    told = [f"{method} for {', '.join(parts)}" for method, parts in found.items() if method != most]
    return [
        f"p-values were found by these methods: {in_markdown('; '.join([*told, f'{most} for all others']))}."
    ]


def _coverage(audit: Audit) -> list[str]:
    """What was left out or found under another spelling; tests that lack the same words together."""
    covered: list[tuple[str, Coverage | None]] = [(t.design, t.coverage) for t in audit.battery.tests]
    covered += [(name, one.coverage) for name, one in audit.detections.items()]
    covered += [(rsa_name(*fit.names), fit.coverage) for fit in audit.fits]
    left: dict[str, list[str]] = {}
    respelled: dict[str, str] = {}
    for name, coverage in covered:
        if coverage is None:
            continue
        respelled |= coverage.respelled
        reasons: dict[str, list[str]] = {}
        for word, why in coverage.missing.items():
            reasons.setdefault(why, []).append(word)
        told = "; ".join(f"{join_words(words)} ({why})" for why, words in reasons.items())
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

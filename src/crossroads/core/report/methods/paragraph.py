"""The methods of an audit: a paragraph that can be pasted, and a table of every convention behind it.

The table includes every convention, so that the tables of two audits differ if any convention, model, word
list or version does.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crossroads.core.errors import join_words
from crossroads.core.evidence.model_names import KINDS, distinct_names
from crossroads.core.report.audit import Audit, tested
from crossroads.core.report.methods.citations import citation_keys
from crossroads.core.results import Result
from crossroads.core.wording import phrases
from crossroads.core.wording.escaping import in_markdown
from crossroads.core.wording.numbers import counted

if TYPE_CHECKING:
    from crossroads.core.evidence import Provenance
    from crossroads.core.stimuli import Design

Row = tuple[str, str]  # what was chosen or happened, and how; both in Markdown
_MOST_WORDS = 40
_MOST_TESTS = 20
_ADJUSTED = "; ".join(name.removesuffix("'s adjustment") for _, name in phrases.ADJUSTMENTS.values())
_SAID = frozenset(
    {"battery", "ceat-battery", "mleat", "ceat", "multilevel-ceat", "checks", "influence", "registration"}
)
"""Measures that are the tests themselves, or belong to them."""


def methods_text(audit: Audit, designs: Iterable[Design] = ()) -> str:
    """The methods in Markdown: :func:`methods_paragraph`, and a table of every convention.

    Designs that were tested are given for their citations and departures.
    """
    designs = list(designs)
    departures = {one.name: " ".join(one.departures).rstrip(".") for one in designs if one.departures}
    differ = "; ".join(f"{name}: {sentences}" for name, sentences in departures.items())
    versions = {name: text for result in audit.values() for name, text in result.versions.items()}
    used = ", ".join(f"{name} {text}" for name, text in versions.items())
    rows = [*_models(audit), *_tests(audit)]
    rows += [("Departures of the word lists", in_markdown(differ))] if differ else []
    rows += [*_conventions(audit), *_pvalues(audit), *_coverage(audit)]
    absent = [f"{name} ({why.rstrip('.')})" for name, (_, why) in audit.unmeasured().items()]
    rows += [("Not measured", in_markdown("; ".join(absent)))] if absent else []
    rows.append(("Computed with", in_markdown(used)))
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
    registered = audit.registration
    sentences = [] if registered is None else [f"{in_markdown(registered._headline())}."]
    for battery in _batteries(audit):
        names = [one.design for one in battery.tests]
        tests = "test compares" if len(names) == 1 else "tests compare"
        where = " over contexts" if battery._tests_on == "contexts" else ""
        if names:
            sentences.append(
                f"{len(names)} {tests} two sets of target words by their mean cosines with two sets of "
                f"attribute words{where}: {in_markdown(join_words(_runs(names), most=_MOST_TESTS))}."
            )
    others = [_TITLES.get(name, name) for name in map(_measure, audit.values()) if name not in _SAID]
    if others:
        titles = join_words(one[0].lower() + one[1:] for one in dict.fromkeys(others))
        sentences.append(f"Also measured: {in_markdown(titles)}.")
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
        sentences.append(
            f"{which} are adjusted for the number of tests ({_ADJUSTED}); intervals printed with them have "
            "the level that agrees with those of Benjamini and Hochberg."
        )
    if tests:
        given = dict.fromkeys(str(one.conventions.get("alternative", "two-sided")) for one in tests)
        tails = [phrases.TOLD_TAILS.get(one, one) for one in given]
        ways = dict.fromkeys(method for _, one in audit.named() for _, method in one._pvalue_methods())
        sentences.append(
            "p-values for just these words count divisions of the target words "
            f"({in_markdown(join_words(ways))}; {in_markdown(join_words(tails))})."
        )
    return sentences


def _missed(audit: Audit) -> list[str]:
    """How many stimuli were left out, and how many parts could not be measured."""
    words = {word for _, one in audit.named() if one.coverage is not None for word in one.coverage.missing}
    left_out = counted(len(words), "stimulus was", "stimuli were") if words else "No stimulus was"
    absent = len(audit.unmeasured())
    parts = [f"{counted(absent, 'part')} could not be measured."] if absent else []
    return [f"{left_out} left out.", *parts]


def _models(audit: Audit) -> list[Row]:
    """The models of the results and the human judgements, with all that identifies them."""
    people = [one.provenance[-1] for one in audit.values() if one._judged and one.provenance]
    everyone = [source for result in audit.values() for source in result.provenance]
    models = _distinct(one for one in everyone if one not in people)
    found = {one.source: one for one in everyone}
    names = dict(zip(found, distinct_names(list(found.values())), strict=True))
    names[audit.about.source] = audit.model
    head = "Model" if len(models) == 1 else "One of the models"
    return [
        (head, f"{in_markdown(names[name])} ({in_markdown(') and, in another way, ('.join(ways))})")
        for head, sources in {head: models, "Human judgements": _distinct(people)}.items()
        for name, ways in sources.items()
    ]


def _distinct(sources: Iterable[Provenance]) -> dict[str, list[str]]:
    """Each source once, with all ways in which it was read."""
    written = [json.dumps(one.to_dict(), ensure_ascii=False, default=str) for one in sources]
    found: dict[str, list[str]] = {}
    for one in map(json.loads, dict.fromkeys(written)):
        known = [f"format {one['format']}"]
        known += [f"{key} {one[key]}" for key in ("revision", "sha256") if one[key] is not None]
        known += [
            f"{name.replace('_', ' ')} {_grouped(_plain(value))}"
            for name, value in one["details"].items()
            if value not in (None, {}, [])
        ]
        found.setdefault(one["source"], []).append("; ".join(known))
    return found


def _tests(audit: Audit) -> list[Row]:
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


def _conventions(audit: Audit) -> list[Row]:
    """One row per measure and title; if tests of a measure differ, one per set of conventions."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name, result in audit.named():
        for title, text in _by_title(result):
            groups.setdefault(title, {}).setdefault(text, []).append(name)
    return [
        (in_markdown(", ".join([title, *([] if len(variants) == 1 else names)])), in_markdown(text))
        for title, variants in groups.items()
        for text, names in variants.items()
    ]


def described(result: Result) -> str:
    """The measure behind a result and every convention, without a full stop."""
    title, text = _as_a_whole(result)
    return f"{in_markdown(title)}: {in_markdown(text)}"


def _pvalues(audit: Audit) -> list[Row]:
    found: dict[str, list[str]] = {}
    for name, result in audit.named():
        for part, method in result._pvalue_methods():
            found.setdefault(method, []).append(f"{name}{part}")
    if not found:
        return []
    how = "every one is exact: all divisions were counted"
    if set(found) != {"exact"}:
        most = max(found, key=lambda method: len(found[method]))
        rest = [f"{method} for {', '.join(parts)}" for method, parts in found.items() if method != most]
        how = in_markdown("; ".join([*rest, f"{most} for all others"]))
    return [("p-values of association tests", how)]


def _coverage(audit: Audit) -> list[Row]:
    """Stimuli left out or found under another spelling, grouped by tests that lack the same words."""
    left: dict[str, dict[str, None]] = {}
    respelled: dict[str, str] = {}
    notes: dict[str, dict[str, None]] = {}
    for name, result in audit.named():
        coverage, of = result.coverage, tested(result, name)
        if coverage is None:
            continue
        respelled |= coverage.respelled
        for note in coverage.notes:
            notes.setdefault(note, {})[of] = None
        reasons: dict[str, list[str]] = {}
        for word, why in coverage.missing.items():
            reasons.setdefault(why, []).append(word)
        told = "; ".join(f"{join_words(words, most=_MOST_WORDS)} ({why})" for why, words in reasons.items())
        if told:
            left.setdefault(told, {})[of] = None
    rows = [(f"Left out of {join_words(names)}", told) for told, names in left.items()]
    rows += [] if left else [("Left out", "no stimulus")]
    if respelled:
        rules = Counter(how.rpartition("(")[2].rstrip(")") for how in respelled.values())
        counts = join_words(f"{count} by the rule {rule}" for rule, count in rules.items())
        rows.append(("Found under another spelling", f"{counts}; results.json lists them"))
    rows += [(f"Of note in {join_words(names)}", note) for note, names in notes.items()]
    return [(in_markdown(what), in_markdown(how)) for what, how in rows]


# ---- conventions in words

_TITLES = {
    "checks": "How sure",
    "registration": "Registration",
    "battery": "Battery of association tests",
    "mleat": "Association tests (ML-EAT)",
    "influence": "Influence of single words",
    "frequency": "Frequency of the words",
    "placebo": "Placebo tests",
    "ordinary": "The ordinary association",
    "wefat": "Scores of words with groups (WEFAT)",
    "ibd": "Intersectional detection (IBD)",
    "eibd": "Emergent intersectional detection (EIBD)",
    "rsa": "Geometry (RSA)",
    "anisotropy": "Evenness of the space",
    "corrections": "Corrections of the space",
    "series": "Tests over time",
    "ceat-battery": "Battery of tests over contexts",
    "multiplicity": "Multiplicity",
    "multiplicity over contexts": "Multiplicity over contexts",
    "ceat": "Association tests over contexts (CEAT)",
    "multilevel-ceat": "Levels of the tests over contexts",
    "group-ceat": "Scores of groups on traits (group CEAT)",
    "ilps": "Scores of groups on traits (ILPS)",
    "ilps*": "Scores of groups on traits (ILPS*)",
    "set": "Scores of groups on traits (SeT)",
    "chat association": "Words given to labels by a chat model",
    "chat decision": "Decisions of a chat model",
    "sentence pairs": "Preferred sentences",
    "sentence triples": "Preferred sentences of three",
    "alignment": "Agreement with people",
    "order_sensitivity": "Order of two identities",
    "domain_dominance": "Dominance between domains",
    "emergent": "Traits of paired identities beyond their components",
    "compare battery": "Comparison of models",
    "compare": "Paired tests between models",
    "meta": "Meta-analysis",
}
_OVER = " over contexts"  # ends the name of a convention that tests over contexts have for themselves
_MULTIPLE = {"battery": "multiplicity", "ceat-battery": "multiplicity over contexts"}
_UNRECORDED = ("level", "least", "fdr", "k")
Sentence = str | Mapping[Any, str] | Callable[[Any], str]
"""What a convention says: with ``{}`` for its value; by value, others under ``""``; or by a function."""


_SENTENCES: Mapping[str, Sentence] = {
    "alternative": lambda tail: f"p-values are {phrases.TOLD_TAILS.get(tail, tail)}",
    "ties": {
        "weak": "divisions that equal the observed one count",
        "strict": "divisions that equal the observed one do not count",
    },
    "ddof": {
        1: "standard deviations are those of a sample (ddof 1)",
        0: "standard deviations are those of a population (ddof 0)",
    },
    "missing": {
        "raise": "a missing stimulus would have stopped the run",
        "drop": "missing stimuli were left out",
        "balance": "missing stimuli were left out, and the longer set of each pair was shortened",
    },
    "seed": "the seed is {}",
    "alpha": "a target is closer to an attribute if p is below {}",
    "least_effect": "and only with an effect size beyond ±{}",
    "resamples": "resamples: {}",
    "adjusted": lambda value: (
        f"adjusted p-values ({_ADJUSTED}) are of "
        + str(value).replace("other words, ", "for other words than these, ")
    ),
    "method": "requested method: {}",
    "max_work": lambda value: f"exact counts were limited to {_grouped(value)} subset sums",
    "samples": "{} samples of one context per word were drawn",
    "variance": {
        "paper": "a sample is weighted by the variance of its associations, as published",
        "hedges": "a sample is weighted by the sampling variance of its effect size",
    },
    "threshold": lambda value: (
        f"the rule for the threshold is: {value}" if isinstance(value, str) else f"the threshold is {value}"
    ),
    "permutations": "labels were exchanged {} times",
    "draws": "labels were exchanged {} times",
    "splits": "people were divided {} times",
    "level": "the level of intervals is {}",
    "gamma": "the margin γ is {}",
    "association": "measure of association: {}",
    "fallback": {
        "none": "words were looked up as written, phrases with any separator between their words",
        "": "words not found as written were looked up by these rules: {}",
    },
}
_COMPARED: Mapping[str, Sentence] = {
    "alternative": lambda tail: f"p-values are {phrases.COMPARED_TAILS.get(tail, tail)}",
    "missing": {
        "raise": "a stimulus that either model lacks would have stopped the run",
        "drop": "stimuli that either model of a pair lacks were left out of both",
        "balance": "stimuli that either model of a pair lacks were left out of both, and the longer set of "
        "each pair was shortened",
    },
    "scale": {
        "sd": "the labels of changes from model to model, in standard deviations of each, were exchanged",
        "cosine": "the labels of changes from model to model, in cosines, were exchanged",
    },
    "attributes": {
        "drawn": "attribute words are treated as drawn, as targets are: leaving out one word at a time shows "
        "how uncertain a difference is",
        "given": "attribute words were taken as given",
    },
    "against": {
        "all": "every pair of models was compared",
        "first": "all models were compared with the first",
    },
    "interval": {"none": "there are no intervals", "": "method of intervals of differences: {}"},
}
_CHAT: Mapping[str, Sentence] = {
    "score": "the score is the {}",
    "drawn": "{} count as drawn, single cells are subtracted once, and p is never below that of exchanging "
    "words",
    "refusals": "refusals are recognised by {}",
}
_OF_SENTENCES: Mapping[str, Sentence] = {
    "scored by": "sentences were scored by {}",
    "score": "a score is the {}",
    "special tokens": "special tokens are {}",
    "ties": "{} are ties, which no test counts",
    "cluster": lambda value: (
        "pairs were taken as independent"
        if value == "none"
        else f"pairs that share their {str(value).replace(', ', ' or ')} were flipped together"
    ),
    "target": {
        "none": "triples were taken as independent",
        "": "scores are means over target terms, and those were flipped",
    },
}
_OF_RSA: Mapping[str, Sentence] = {
    "n": "a sample has {} items of each set",
    "samples": "{} samples of items were drawn",
    "draws": "labels were exchanged {} times",
    "splits": "for the agreement of halves, dimensions were halved {} times",
}
_OF_MEASURE: Mapping[str, Mapping[str, Sentence]] = {
    "checks": {
        "alpha": "questions are answered at the level {}",
        "other words": "the words of all sets count as drawn: the difference of mean cosines has the "
        "variance over targets and over attributes, that of single cells subtracted once, and a t "
        "distribution with Satterthwaite's degrees of freedom; {}",
        "these words": "the exact p-value, which holds for these words, has {}",
    },
    "anisotropy": {
        "high above": "a mean cosine of random pairs above {} counts as high",
        "over": "measured on {}",
    },
    "corrections": {"over": "means, spreads and directions are those of {}"},
    **dict.fromkeys(("rsa", "rsa grid"), _OF_RSA),
    **dict.fromkeys(("chat association", "chat decision"), _CHAT),
    **dict.fromkeys(("sentence pairs", "sentence triples"), _OF_SENTENCES),
    **dict.fromkeys(("compare", "compare battery"), _COMPARED),
}
"""Conventions with a different meaning in one measure."""


def _measure(result: Result) -> str:
    return str(result.conventions.get("measure", "unnamed"))


def _as_a_whole(result: Result) -> tuple[str, str]:
    """The title of a measure, and every convention of a result, including those that are fields."""
    text, measure = _joined(result, _recorded(result)), _measure(result)
    return _TITLES.get(measure, measure), text or "no convention is recorded"


def _by_title(result: Result) -> list[tuple[str, str]]:
    """Every convention of a result by measure, in batteries also for multiplicity.

    Conventions that a battery shares with its tests are given for the tests.
    """
    measure, tests = _measure(result), getattr(result, "tests", ())
    if measure not in _MULTIPLE or not tests:
        return [_as_a_whole(result)]
    whole, of_tests = _recorded(result), [_recorded(test) for test in tests]
    adjusted = {"adjusted": whole.pop("adjusted", None)}
    own = {k: value for k, value in whole.items() if any(one.get(k) != value for one in of_tests)}
    parts = [(_MULTIPLE[measure], adjusted), (measure, own)]
    return [(_TITLES[title], text) for title, some in parts if (text := _joined(result, some))]


def _recorded(result: Result) -> dict[str, Any]:
    conventions = {key: value for key, value in result.conventions.items() if key != "measure"}
    kept = {key: getattr(result, key, None) for key in _UNRECORDED if key not in conventions}
    conventions |= {key: value for key, value in kept.items() if value is not None}
    if conventions.get("interval") == "none":
        conventions.pop("level", None)
    return conventions


def _joined(result: Result, conventions: Mapping[str, Any]) -> str:
    sentences = {**_SENTENCES, **_OF_MEASURE.get(_measure(result), {})}
    return "; ".join(
        _in_words(sentences, key, value) for key, value in conventions.items() if value is not None
    )


def _in_words(sentences: Mapping[str, Sentence], key: str, value: Any) -> str:
    base = key.removesuffix(_OVER)
    if base != key and base in sentences:
        return f"over contexts, {_in_words(sentences, base, value)}"
    sentence, text = sentences.get(key), _plain(value)
    if callable(sentence):
        return sentence(text)
    if isinstance(sentence, Mapping):
        sentence = sentence.get(text, sentence.get(""))
    return f"{key.replace('_', ' ')}: {text}" if sentence is None else sentence.format(text)


def _grouped(value: Any) -> Any:
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else value


def _quoted(text: str) -> str:
    """Text such as a template in quotation marks, so that its end is visible."""
    return f"“{text}”" if set(text) & set("{},;.") else text


def _plain(value: Any) -> Any:
    """A value as text: words and mappings joined, other lists as JSON, anything else unchanged."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, str) for one in value):
        return ", ".join(map(_quoted, value))
    if isinstance(value, Mapping) and value:
        parts = {str(key).replace("_", " "): one for key, one in value.items() if one is not None}
        return ", ".join(f"{_quoted(key)} {_plain(one)}" for key, one in parts.items())
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return int(value) if isinstance(value, float) and value.is_integer() else value

"""The conventions of a result in words.

Known conventions become sentences; others are given as name and value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from crossroads.results import Result
from crossroads.wording import phrases

_TITLES = {
    "checks": "How sure",
    "battery": "Battery of association tests",
    "mleat": "Association tests (ML-EAT)",
    "bootstrap": "Confidence intervals",
    "influence": "Influence of single words",
    "reliability": "Reliability of the word lists",
    "frequency": "Frequency of the words",
    "placebo": "Placebo tests",
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
    "ceat-bootstrap": "Confidence intervals over words and contexts",
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
}
_ALTERNATIVES = {name: f"p-values are {told}" for name, told in phrases.TOLD_TAILS.items()}
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
_FIRST_MODEL = {name: f"p-values are {told}" for name, told in phrases.COMPARED_TAILS.items()}
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
_DRAWN = {
    "drawn": "attribute words are treated as drawn, as targets are: leaving out one word at a time shows how "
    "uncertain a difference is",
    "given": "attribute words were taken as given",
}
_PAIRS = {
    "all": "every pair of models was compared",
    "first": "all models were compared with the first",
}
_OVER = " over contexts"  # ends the name of a convention that tests over contexts have for themselves
_MULTIPLE = {"battery": "multiplicity", "ceat-battery": "multiplicity over contexts"}
_UNRECORDED = ("level", "resamples", "least", "fdr", "k")


def _adjusted(value: Any) -> str:
    said = str(value).replace("other words, ", "for other words than these, ")
    return f"adjusted p-values (Holm; Benjamini and Hochberg) are of {said}"


def _chosen(words: Mapping[Any, str], name: str) -> Callable[[Any], str]:
    return lambda value: words.get(value, f"{name} is {value}")


_SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "alternative": _chosen(_ALTERNATIVES, "the alternative"),
    "ties": _chosen(_TIES, "the rule for ties"),
    "ddof": _chosen(_DDOF, "ddof"),
    "missing": _chosen(_MISSING, "the rule for missing stimuli"),
    "seed": lambda value: f"the seed is {value}",
    "alpha": lambda value: f"a target leans to an attribute if p is below {value}",
    "least_effect": lambda value: f"and only with an effect size beyond ±{value}",
    "resamples": lambda value: f"resamples: {value}",
    "adjusted": lambda value: _adjusted(value),
    "method": lambda value: f"requested method: {value}",
    "max_work": lambda value: f"exact counts were limited to {grouped(value)} subset sums",
    "samples": lambda value: f"{value} samples of one context per word were drawn",
    "variance": _chosen(_VARIANCES, "the variance of a sample"),
    "threshold": lambda value: (
        f"the rule for the threshold is: {value}" if isinstance(value, str) else f"the threshold is {value}"
    ),
    "permutations": lambda value: f"labels were exchanged {value} times",
    "splits": lambda value: f"people were divided {value} times",
    "level": lambda value: f"the level of intervals is {value}",
    "gamma": lambda value: f"the margin γ is {value}",
    "association": lambda value: f"measure of association: {value}",
    "fallback": lambda value: (
        "words were looked up as written, phrases with any separator between their words"
        if value == "none"
        else f"words not found as written were looked up by these rules: {value}"
    ),
}

_COMPARED: Mapping[str, Callable[[Any], str]] = {
    "alternative": _chosen(_FIRST_MODEL, "the alternative"),
    "missing": _chosen(_EITHER_MODEL, "the rule for missing stimuli"),
    "scale": _chosen(_CHANGES, "the scale of changes"),
    "attributes": _chosen(_DRAWN, "the rule for attributes"),
    "against": _chosen(_PAIRS, "the choice of models"),
    "interval": lambda value: (
        "there are no intervals" if value == "none" else f"method of intervals of differences: {value}"
    ),
}
_CHAT: Mapping[str, Callable[[Any], str]] = {
    "score": lambda value: f"the score is the {value}",
    "drawn": lambda value: (
        f"{value} count as drawn, single cells are taken off once, and p is never below that of exchanging "
        "words"
    ),
    "refusals": lambda value: f"refusals are recognised by {value}",
}
_OF_SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "scored by": lambda value: f"sentences were scored by {value}",
    "score": lambda value: f"a score is the {value}",
    "special tokens": lambda value: f"special tokens are {value}",
    "ties": lambda value: f"{value} are ties, which no test counts",
    "cluster": lambda value: (
        "pairs were taken as independent"
        if value == "none"
        else f"pairs that share their {str(value).replace(', ', ' or ')} were flipped together"
    ),
    "target": lambda value: (
        "triples were taken as independent"
        if value == "none"
        else "scores are means over target terms, and those were flipped"
    ),
}
_OF_MEASURE: Mapping[str, Mapping[str, Callable[[Any], str]]] = {
    "checks": {
        "alpha": lambda value: f"questions are answered at the level {value}",
        "other words": lambda value: (
            "the words of all sets count as drawn: the difference of mean cosines has the variance over "
            "targets and over attributes, that of single cells taken off once, and a t distribution with "
            f"Satterthwaite's degrees of freedom; {value}"
        ),
        "these words": lambda value: f"the exact p-value, which holds for these words, has {value}",
    },
    "mleat": {
        "resamples": lambda value: f"words were resampled {value} times for the share of each pattern",
    },
    "bootstrap": {"resamples": lambda value: f"the words of all sets were resampled {value} times"},
    "ceat-battery": {
        "resamples": lambda value: (
            f"for intervals, words and contexts were resampled {value} times"
            if value
            else "there are no intervals"
        ),
    },
    "anisotropy": {
        "high above": lambda value: f"a mean cosine of random pairs above {value} counts as high",
        "over": lambda value: f"measured on {value}",
    },
    "corrections": {"over": lambda value: f"means, spreads and directions are those of {value}"},
    "rsa": {
        "n": lambda value: f"a sample has {value} items of each set",
        "samples": lambda value: f"{value} samples of items were drawn",
        "splits": lambda value: f"for the agreement of halves, dimensions were halved {value} times",
    },
    "chat association": _CHAT,
    "chat decision": _CHAT,
    "sentence pairs": _OF_SENTENCES,
    "sentence triples": _OF_SENTENCES,
    "compare": _COMPARED,
    "compare battery": _COMPARED,
}
"""Conventions with a different meaning in one measure."""


def title_of(measure: str) -> str:
    """What a measure is called."""
    return _TITLES.get(measure, measure)


def measure_told(result: Result) -> str:
    """The measure of a result, as recorded in it."""
    return str(result.conventions.get("measure", "unnamed"))


def all_told(result: Result) -> str:
    """Every convention of a result, including those that are fields."""
    return _joined(result, _held(result)) or "no convention is recorded"


def told_by_title(result: Result) -> list[tuple[str, str]]:
    """Every convention of a result by measure, in batteries also for multiplicity.

    Conventions that a battery shares with its tests are given for the tests.
    """
    measure, tests = measure_told(result), getattr(result, "tests", ())
    if measure not in _MULTIPLE or not tests:
        return [(measure, all_told(result))]
    held = _held(result)
    own = {
        key: value
        for key, value in held.items()
        if key != "adjusted" and not all(_held(test).get(key) == value for test in tests)
    }
    parts = [
        (_MULTIPLE[measure], _joined(result, {"adjusted": held["adjusted"]} if "adjusted" in held else {})),
        (measure, _joined(result, own)),
    ]
    return [(title, told) for title, told in parts if told]


def _held(result: Result) -> dict[str, Any]:
    """The conventions of a result, including those that are fields."""
    conventions = {key: value for key, value in result.conventions.items() if key != "measure"}
    kept = {key: getattr(result, key, None) for key in _UNRECORDED if key not in conventions}
    conventions |= {key: value for key, value in kept.items() if value is not None}
    if conventions.get("interval") == "none":
        conventions.pop("level", None)
    return conventions


def _joined(result: Result, conventions: Mapping[str, Any]) -> str:
    sentences = {**_SENTENCES, **_OF_MEASURE.get(measure_told(result), {})}
    return "; ".join(_told(sentences, key, value) for key, value in conventions.items() if value is not None)


def _told(sentences: Mapping[str, Callable[[Any], str]], key: str, value: Any) -> str:
    base = key.removesuffix(_OVER)
    if base != key and base in sentences:
        return f"over contexts, {_told(sentences, base, value)}"
    sentence = sentences.get(key)
    return f"{spaced(key)}: {plain(value)}" if sentence is None else sentence(plain(value))


def spaced(key: str) -> str:
    """The name of a convention as words."""
    return key.replace("_", " ")


def grouped(value: Any) -> Any:
    """A count with commas."""
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else value


def _quoted(text: str) -> str:
    """Text such as a template in quotation marks, so that its end is visible."""
    return f"“{text}”" if set(text) & set("{},;.") else text


def plain(value: Any) -> Any:
    """A value as text: words and mappings joined, other lists as JSON, anything else unchanged."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, str) for one in value):
        return ", ".join(map(_quoted, value))
    if isinstance(value, Mapping) and value:
        told = {_quoted(spaced(str(key))): plain(one) for key, one in value.items() if one is not None}
        return ", ".join(f"{key} {one}" for key, one in told.items())
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return int(value) if isinstance(value, float) and value.is_integer() else value

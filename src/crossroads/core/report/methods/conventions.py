"""The conventions of a result in words.

Known conventions become sentences; others are given as name and value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from crossroads.core.results import Result
from crossroads.core.wording import phrases

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
_OVER = " over contexts"  # ends the name of a convention that tests over contexts have for themselves
_MULTIPLE = {"battery": "multiplicity", "ceat-battery": "multiplicity over contexts"}
_UNRECORDED = ("level", "resamples", "least", "fdr", "k")
Sentence = str | Mapping[Any, str] | Callable[[Any], str]
"""What a convention says: with ``{}`` for its value; by value, others under ``""``; or by a function."""


def _tails(tails: Mapping[str, str]) -> Mapping[Any, str]:
    return {"": "the alternative is {}", **{name: f"p-values are {text}" for name, text in tails.items()}}


_SENTENCES: Mapping[str, Sentence] = {
    "alternative": _tails(phrases.TOLD_TAILS),
    "ties": {
        "weak": "divisions that equal the observed one count",
        "strict": "divisions that equal the observed one do not count",
        "": "the rule for ties is {}",
    },
    "ddof": {
        1: "standard deviations are those of a sample (ddof 1)",
        0: "standard deviations are those of a population (ddof 0)",
        "": "ddof is {}",
    },
    "missing": {
        "raise": "a missing stimulus would have stopped the run",
        "drop": "missing stimuli were left out",
        "balance": "missing stimuli were left out, and the longer set of each pair was shortened",
        "": "the rule for missing stimuli is {}",
    },
    "seed": "the seed is {}",
    "alpha": "a target leans to an attribute if p is below {}",
    "least_effect": "and only with an effect size beyond ±{}",
    "resamples": "resamples: {}",
    "adjusted": lambda value: (
        "adjusted p-values (Holm; Benjamini and Hochberg) are of "
        + str(value).replace("other words, ", "for other words than these, ")
    ),
    "method": "requested method: {}",
    "max_work": lambda value: f"exact counts were limited to {grouped(value)} subset sums",
    "samples": "{} samples of one context per word were drawn",
    "variance": {
        "paper": "a sample is weighted by the variance of its associations, as published",
        "hedges": "a sample is weighted by the sampling variance of its effect size",
        "": "the variance of a sample is {}",
    },
    "threshold": lambda value: (
        f"the rule for the threshold is: {value}" if isinstance(value, str) else f"the threshold is {value}"
    ),
    "permutations": "labels were exchanged {} times",
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
    "alternative": _tails(phrases.COMPARED_TAILS),
    "missing": {
        "raise": "a stimulus that either model lacks would have stopped the run",
        "drop": "stimuli that either model of a pair lacks were left out of both",
        "balance": "stimuli that either model of a pair lacks were left out of both, and the longer set of "
        "each pair was shortened",
        "": "the rule for missing stimuli is {}",
    },
    "scale": {
        "sd": "the labels of changes from model to model, in standard deviations of each, were exchanged",
        "cosine": "the labels of changes from model to model, in cosines, were exchanged",
        "": "the scale of changes is {}",
    },
    "attributes": {
        "drawn": "attribute words are treated as drawn, as targets are: leaving out one word at a time shows "
        "how uncertain a difference is",
        "given": "attribute words were taken as given",
        "": "the rule for attributes is {}",
    },
    "against": {
        "all": "every pair of models was compared",
        "first": "all models were compared with the first",
        "": "the choice of models is {}",
    },
    "interval": {"none": "there are no intervals", "": "method of intervals of differences: {}"},
}
_CHAT: Mapping[str, Sentence] = {
    "score": "the score is the {}",
    "drawn": "{} count as drawn, single cells are taken off once, and p is never below that of exchanging "
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
_OF_MEASURE: Mapping[str, Mapping[str, Sentence]] = {
    "checks": {
        "alpha": "questions are answered at the level {}",
        "other words": "the words of all sets count as drawn: the difference of mean cosines has the "
        "variance over targets and over attributes, that of single cells taken off once, and a t "
        "distribution with Satterthwaite's degrees of freedom; {}",
        "these words": "the exact p-value, which holds for these words, has {}",
    },
    "mleat": {"resamples": "words were resampled {} times for the share of each pattern"},
    "bootstrap": {"resamples": "the words of all sets were resampled {} times"},
    "ceat-battery": {
        "resamples": {
            0: "there are no intervals",
            "": "for intervals, words and contexts were resampled {} times",
        },
    },
    "anisotropy": {
        "high above": "a mean cosine of random pairs above {} counts as high",
        "over": "measured on {}",
    },
    "corrections": {"over": "means, spreads and directions are those of {}"},
    "rsa": {
        "n": "a sample has {} items of each set",
        "samples": "{} samples of items were drawn",
        "splits": "for the agreement of halves, dimensions were halved {} times",
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


def _told(sentences: Mapping[str, Sentence], key: str, value: Any) -> str:
    base = key.removesuffix(_OVER)
    if base != key and base in sentences:
        return f"over contexts, {_told(sentences, base, value)}"
    sentence, text = sentences.get(key), plain(value)
    if sentence is None:
        return f"{spaced(key)}: {text}"
    if callable(sentence):
        return sentence(text)
    return (sentence if isinstance(sentence, str) else sentence.get(text, sentence[""])).format(text)


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

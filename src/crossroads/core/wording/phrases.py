"""Phrases of several outputs: tails, measures, patterns, marks, sections. The page reads them as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from crossroads.core.wording.numbers import SURE, of_hundred

TAILS: Mapping[str, str] = {
    "two-sided": "two-sided",
    "greater": "one-sided, greater",
    "less": "one-sided, less",
    "observed": "one-sided, in the direction observed",
}
"""What each alternative means, as the end of a sentence."""
TOLD_TAILS: Mapping[str, str] = {
    "two-sided": "two-sided",
    "greater": "one-sided, in the direction the design states (X with A)",
    "less": "one-sided, against the direction the design states (X with B)",
    "observed": "one-sided, on the side observed, chosen after the fact",
}
"""The same in full: where tails are chosen, and in the methods."""
COMPARED_TAILS: Mapping[str, str] = {
    "two-sided": "two-sided",
    "greater": "one-sided, for a larger effect size in the first model",
    "less": "one-sided, for a smaller effect size in the first model",
}
"""What each alternative means where two models are compared."""
ADJUSTMENT = "bh"
"""The adjustment that tables, figures and rules show first; the others are in the files."""

MARKS: Mapping[str, str] = {
    "≤": "an upper bound that is certain; p-values adjusted from it are bounds too",
    "≈": "an estimate, not a count",
}
"""What the signs before p-values mean."""
ESTIMATES: Mapping[str, str] = {
    "monte-carlo": "from labels exchanged at random",
    "saddlepoint": "by a saddlepoint approximation",
    "normal": "by a normal curve",
}
"""How an estimate was made, by method."""

MEASURES: Mapping[str, str] = {
    "ilps": "ILPS",
    "ilps*": "ILPS*",
    "set": "SeT",
    "group_ceat": "per-group CEAT",
    "ibd": "IBD",
    "eibd": "EIBD",
}
"""Usual names of measures."""

TESTED: Mapping[str, str] = {"ceat": "{} CEAT", "chat": "{} chat", "chat decision": "{} chat decision"}
"""What the test of a design is called, by measure; by others it is called as the design is."""

ADJUSTMENTS: Mapping[str, tuple[str, str]] = {
    "holm": ("Holm", "Holm's adjustment"),
    "bh": ("BH", "Benjamini and Hochberg's adjustment"),
    "by": ("BY", "Benjamini and Yekutieli's adjustment"),
}
"""Adjustments for the number of tests: short name, and name in a sentence."""

LEANINGS: Mapping[str, str] = {
    "AB-Divergent": "{x} towards {a}, {y} towards {b}",
    "BA-Divergent": "{x} towards {b}, {y} towards {a}",
    "A-Uniform": "both towards {a}",
    "B-Uniform": "both towards {b}",
    "AX-Singular": "only {x} towards {a}",
    "BX-Singular": "only {x} towards {b}",
    "AY-Singular": "only {y} towards {a}",
    "BY-Singular": "only {y} towards {b}",
    "Non-Directional": "neither found to be associated by itself",
}
"""The nine patterns: which targets are found to be associated, by the names of the sets."""
ANY_SETS: Mapping[str, str] = {
    "x": "first group",
    "y": "second group",
    "a": "first attribute",
    "b": "second attribute",
}
"""What the sets of a test are called where no test in particular is meant."""
DIFFERENCES: Mapping[str, str] = {
    "others": "the groups differ{though}, beyond these words too",
    "words": "the groups differ with these words{though}; whether beyond these cannot be told yet",
    "": "a difference of the groups is not shown",
}
"""What a test says of the difference of its two targets, by how far that reaches."""
THOUGH = ", though neither is found to be associated"
"""What is added where the targets differ in the pattern of no direction."""
HEDGES: Mapping[str, tuple[str, str]] = {
    "absent": ("if ", ", then by less than an ordinary association"),
    "unknown": ("with these {drawn}, ", ""),
}
"""What stands before and after what these words show, by status."""
CHANCE = "another set of {drawn} would point the same way in {cases}"
"""How sure a direction is."""
AGREEMENT = "chance that another set of words would point the same way"
"""The same as the note of a column."""
ORDINARY = "median Δ of tests whose four sets are arbitrary topics in this model"
"""What the unit of Δ is."""
PLURAL = r"((?<!ic)(?<![isu])s|\b(men|women|people|children)|…)$|,"
"""Names of sets that can be the subject of "are": plurals, and lists of words. The page reads it too."""
STRENGTHS = (0.2, 0.5, 0.8)
"""Sizes of d from which a cell of an EAT-Map is a step stronger in colour (Cohen 1988: small to large)."""

LISTED = "words people listed in the study"
"""The words that a detection is judged by; what people say of a group is not thereby true of it."""
AT_CHANCE = "possibly at chance"
"""A detection whose area under the curve may be a half."""
NONE_LISTED = (
    f"no words are listed, since the detection is {AT_CHANCE} (the interval of its AUC is not above .5)"
)
"""What is said of such a detection in place of its words."""

SECTIONS: Mapping[str, str] = {
    "registered": "Registered in advance",
    "sure": "How sure",
    "tests": "Association tests",
    "contexts": "Over contexts",
    "intersections": "Words of intersectional groups",
    "geometry": "Geometry of groups and concepts",
    "traits": "Groups and traits",
    "chat": "Chat models",
    "sentences": "Preferred sentences",
    "people": "Agreement with people",
    "pairs": "Two identities at once",
    "time": "Over time",
    "comparison": "Models compared",
    "reproduction": "Published numbers next to ours",
    "other": "Other results",
}
"""Sections of an audit in the order in which they are shown."""


STATUSES: Mapping[str, str] = {
    "holds": "Yes: generalizes to other {drawn}",
    "absent": "No: less than an ordinary association",
    "unknown": "Cannot tell yet",
    "unmeasured": "Not measured",
}
"""Answers to whether there is a difference beyond what was drawn, as headings; ``{drawn}``: ``words``,
``sentences``, ``items``."""

DIFFERENCE = "difference of the mean cosines of both targets with A and with B"
OTHER_WORDS = "how often other words for the same things would differ so, were there no association"
OTHER_WORDS_CI = "of Δ, over the choice of words in all sets"
LEVELS = "it leaves out zero where that is below .05; 95 % intervals are in the files"
DETECTABLE = "the Δ that a test of these words finds in 80 % of cases, two-sided, p < .05, not adjusted"
PATTERN = "the attribute to which each target is closer by itself, by its p for other words"
PAPER_PATTERN = "the same by the rule of the paper, which takes the attribute words as given"
EXCHANGED_MODELS = "models exchanged word by word"


def heading(status: str, drawn: str = "words") -> str:
    """The answer of a finding, as a heading.

    Examples
    --------
    >>> heading("holds"), heading("unknown", "sentences")
    ('Yes: generalizes to other words', 'Cannot tell yet')
    """
    return STATUSES[status].format(drawn=drawn)


def hedged(statement: tuple[str, ...], status: str, drawn: str = "words") -> tuple[str, ...]:
    """What these words show, as text and names in turn, as far as its status allows.

    Examples
    --------
    >>> "".join(hedged(("", "flowers", " are closer to pleasant"), "unknown"))
    'with these words, flowers are closer to pleasant'
    """
    begin, end = HEDGES.get(status, ("", ""))
    first, *rest = (begin.format(drawn=drawn) + statement[0], *statement[1:])
    return (*[first, *rest][:-1], (rest or [first])[-1] + end)


def chance(agreement: float, drawn: str = "words") -> str:
    """How sure a direction is, as the end of a sentence; never certain.

    Examples
    --------
    >>> chance(0.834)
    'another set of words would point the same way in about 83 of 100 cases'
    >>> chance(0.9999, "items")
    'another set of items would point the same way in 99 of 100 cases'
    """
    cases = of_hundred(agreement)
    return CHANCE.format(drawn=drawn, cases=f"{'about ' if cases < SURE else ''}{cases} of 100 cases")


def effect(conventions: Iterable[Mapping[str, Any]]) -> str:
    """Description of the effect sizes of tests and their units."""
    population = " of the population" if any(one.get("ddof") == 0 for one in conventions) else ""
    return f"effect size of the first target against the second, in standard deviations{population}"


def divisions(conventions: Iterable[Mapping[str, Any]]) -> str:
    """Description of the p-values of tests under these conventions and their tails."""
    given = list(conventions)
    tails = ", ".join(dict.fromkeys(tail(str(one.get("alternative"))) for one in given))
    strict = any(one.get("ties") == "strict" for one in given)
    extreme = "more extreme, ties not counted" if strict else "at least as extreme"
    return f"share of all divisions of the words that are {extreme}, {tails}"


def tail(alternative: str) -> str:
    """What an alternative means, as a phrase."""
    return TAILS.get(alternative, alternative)


def compared_tail(alternative: str) -> str:
    """What an alternative means where two models are compared, as a phrase."""
    return COMPARED_TAILS.get(alternative, alternative)


def question(titles: Mapping[str, str]) -> str:
    """What a design asks, by the names of its sets: ``flowers / insects: pleasant / unpleasant``."""
    if "a" not in titles:
        return ""
    targets = " / ".join(titles[key] for key in ("x", "y") if key in titles)
    return f"{targets}: {titles['a']} / {titles['b']}"


def direction(x: str, y: str | None, towards: tuple[str, str]) -> tuple[str, ...]:
    """What a test shows of these words, as text and names in turn.

    The difference of two targets compares relative closeness, so that alone says nothing of where either of
    them is: both may be closer to the same attribute. ``towards`` has first the attribute to which x is
    closer, relative to y.

    Examples
    --------
    >>> "".join(direction("flowers", "insects", ("pleasant", "unpleasant")))
    'flowers are closer to pleasant, relative to unpleasant, than insects are'
    >>> "".join(direction("math", None, ("numbers", "letters")))
    'words for math are closer to numbers than to letters'
    """
    near, far = towards
    first, x = subject(x)
    if y is None:
        return (first, x, " are closer to ", near, " than to ", far, "")
    second, y = subject(y)
    return (first, x, " are closer to ", near, ", relative to ", far, f", than {second}", y, " are")


def subject(name: str) -> tuple[str, str]:
    """A set as the subject of "are", as text and name: names that are no plural are those of words.

    Examples
    --------
    >>> subject("male names"), subject("math")
    (('', 'male names'), ('words for ', 'math'))
    """
    return ("" if re.search(PLURAL, name, re.IGNORECASE) else "words for ", name)


def pattern(name: str, titles: Mapping[str, str]) -> str:
    """A pattern in plain words, with the name that the paper gives it: ``only Y towards B (BY-Singular)``.

    Examples
    --------
    >>> titles = {"x": "male names", "y": "female names", "a": "career", "b": "family"}
    >>> pattern("BY-Singular", titles)
    'only female names towards family (BY-Singular)'
    """
    return f"{LEANINGS[name].format(**titles)} ({name})" if name in LEANINGS else name


def difference(reach: str, pattern: str = "") -> str:
    """What is said of the difference of two targets next to their pattern.

    Examples
    --------
    >>> difference("others", "Non-Directional")
    'the groups differ, though neither is found to be associated, beyond these words too'
    """
    return DIFFERENCES[reach].format(though=THOUGH if pattern == "Non-Directional" else "")


def tested(design: str, measure: str) -> str:
    """What the test of a design is called among tests of other measures: ``weat6``, ``weat6 CEAT``."""
    return TESTED.get(measure, "{}").replace("{}", design)


def measure(name: str) -> str:
    """Usual name of a measure."""
    return MEASURES.get(name, name)


def marks_used(marks: Iterable[tuple[str, str]]) -> list[str]:
    """A sentence for each mark that is used, given with its methods: ``≤: an upper bound …``."""
    used = set(marks)
    ways = {way for mark, method in used if mark == "≈" for way in method.split(", ")}
    how = " or ".join(text for way, text in ESTIMATES.items() if way in ways)
    said = {**MARKS, "≈": f"an estimate {how}, not a count"} if how else MARKS
    return [f"{mark}: {text}." for mark, text in said.items() if any(mark == one for one, _ in used)]


def as_json() -> dict[str, Any]:
    """The phrases that the page reads."""
    return {
        "tails": dict(TAILS),
        "told_tails": dict(TOLD_TAILS),
        "tested": dict(TESTED),
        "statuses": {status: heading(status) for status in STATUSES},
        "hedges": {status: list(ends) for status, ends in HEDGES.items()},
        "chance": CHANCE,
        "agreement": AGREEMENT,
        "ordinary": ORDINARY,
        "leanings": dict(LEANINGS),
        "any_sets": dict(ANY_SETS),
        "differences": dict(DIFFERENCES),
        "though": THOUGH,
        "plural": PLURAL,
        "strengths": list(STRENGTHS),
        "listed": LISTED,
        "at_chance": AT_CHANCE,
        "none_listed": NONE_LISTED,
    }

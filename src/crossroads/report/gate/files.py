"""Read the rules of a gate from TOML, with the line number in every error."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, UnknownNameError, in_short, nearest
from crossroads.inference.multiplicity import ADJUSTED_P
from crossroads.measures.association.patterns import PATTERNS
from crossroads.report.gate.readings import STATISTICS, TEXTS
from crossroads.report.gate.rules import Rule
from crossroads.stimuli.files.text import load_toml, read_text

_HEAD = re.compile(r"^\s*\[\[\s*rule\s*\]\]")
_EXAMPLE = 'a rule is [[rule]] with test = "weat6", statistic = "effect_size" and above = 1.0.'
KEYS = (
    *("name", "test", "statistic", "above", "below", "is", "absolute"),
    *("unless_adjusted_above", "optional"),
)
"""Keys that a rule may have."""
SHARES = frozenset({
    "p", "exact_p", *ADJUSTED_P, "p_x", "p_y", "exact_p_x", "exact_p_y", "published_p", "kendall_pvalue",
    "p_groups", "p_traits", "pattern_share",
    "accuracy", "honest_accuracy", "tpr", "fpr", "auc", "baseline", "i2",
    "share_positive", "precision_at_3", "attribute_pvalue", "slope_pvalue", "change_pvalue",
    "these_words_pvalue", "other_words_pvalue", "beyond_frequency_pvalue",
    "placebo_p", "percentile", "topic_percentile", "overlap", "matched_pvalue", "matched_both_pvalue",
    "adjusted_pvalue", "share", "sign_pvalue", "difference_pvalue",
})  # fmt: skip
"""Statistics between 0 and 1."""
_LARGEST = sys.float_info.max


def read_rules(path: str | Path) -> tuple[Rule, ...]:
    """Read rules from a TOML file.

    Each ``[[rule]]`` has ``statistic`` and one or more of ``above``, ``below`` and ``is``; and optionally
    ``test`` (a name or a pattern; every test if left out), ``name``, ``absolute``,
    ``unless_adjusted_above`` and ``optional``.
    """
    path = Path(path)
    text = read_text(path, "a TOML file of rules")
    try:
        data = load_toml(text, path)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(error, path, text) from error
    for key in data:
        if key != "rule":
            raise _foreign(key, path, text)
    tables = data.get("rule", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise FormatError("rule is not a list of tables.", path=path, key="rule", hint=_EXAMPLE)
    if not tables:
        raise FormatError("the file has no rules.", path=path, hint=_EXAMPLE)
    places = _Places(path, text, len(tables))
    rules = tuple(_rule(one, i, places) for i, one in enumerate(tables))
    _check_apart(rules, places)
    return rules


def _check_apart(rules: Sequence[Rule], places: _Places) -> None:
    """Refuse rules with equal names or equal content."""
    for i, rule in enumerate(rules):
        for j, other in enumerate(rules[:i]):
            if rule.name == other.name:
                what = f"two rules are named {in_short(rule.name)}."
                raise places.error(i, "name", what, "give each one a name.")
            if replace(rule, name="") == replace(other, name=""):
                what = f"the rule is the same as rule {j + 1}."
                raise places.error(i, "statistic", what, "remove or change one of them.")


def _not_toml(error: tomllib.TOMLDecodeError, path: Path, text: str) -> FormatError:
    found = re.search(r"at line (\d+)", str(error))
    line = int(found[1]) if found else None
    lines = text.splitlines()
    there = f": {lines[line - 1].strip()[:60]!r}" if line is not None and line <= len(lines) else ""
    return FormatError(f"not TOML: {error}{there}.", path=path, line=line, hint=_EXAMPLE)


def _foreign(key: str, path: Path, text: str) -> FormatError:
    """The error for a key outside of all rules."""
    written = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}\b")
    line = next((i for i, one in enumerate(text.splitlines(), start=1) if written.match(one)), None)
    hint = f"write [[rule]]; {_EXAMPLE}"
    if key in KEYS:
        hint = f"write [[rule]] above {key}; {_EXAMPLE}"
    elif nearest(key, ["rule"]):
        hint = f"did you mean [[rule]]? {_EXAMPLE}"
    return FormatError(f"unknown key {in_short(key)}.", path=path, line=line, key=key, hint=hint)


class _Places:
    """The line of each rule and of each of its keys in the file."""

    def __init__(self, path: Path, text: str, rules: int) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.heads = [i for i, line in enumerate(self.lines) if _HEAD.match(line)]
        if len(self.heads) != rules:  # written in another form, or quoted somewhere
            self.heads = []

    def error(self, rule: int, key: str, message: str, hint: str) -> FormatError:
        """An error at a key of a rule, or at the head of the rule if the key is missing."""
        line = None
        if self.heads:
            end = (*self.heads[1:], len(self.lines))[rule]
            span = range(self.heads[rule] + 1, end)
            written = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
            line = 1 + next((i for i in span if written.match(self.lines[i])), self.heads[rule])
        return FormatError(message, path=self.path, line=line, key=f"rule {rule + 1}, {key}", hint=hint)


def _rule(data: Mapping[str, Any], i: int, places: _Places) -> Rule:
    for key in data:
        if key not in KEYS:
            near = nearest(key, KEYS)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(KEYS)}."
            raise places.error(i, key, f"unknown key {in_short(key)}.", hint)
    statistic = _word(data, "statistic", None, i, places)
    known = list(dict.fromkeys(name for names in STATISTICS.values() for name in names))
    if statistic not in known:
        error = UnknownNameError("statistic", statistic, known)
        raise places.error(i, "statistic", error.message, error.hint or "")
    rule = Rule(
        name=_word(data, "name", f"rule {i + 1}", i, places),
        test=_word(data, "test", "*", i, places),
        statistic=statistic,
        above=_number(data, "above", i, places),
        below=_number(data, "below", i, places),
        values=_words(data, i, places),
        absolute=_flag(data, "absolute", i, places),
        unless_adjusted_above=_number(data, "unless_adjusted_above", i, places),
        optional=_flag(data, "optional", i, places),
    )
    _check_comparison(rule, i, places)
    _check_sizes(rule, i, places)
    return rule


def _check_sizes(rule: Rule, i: int, places: _Places) -> None:
    """Refuse bounds that every value breaks or none does, which are probably mistakes."""
    for key in ("above", "below", "unless_adjusted_above"):
        value = getattr(rule, key)
        share = rule.statistic in SHARES or key == "unless_adjusted_above"
        if value is None:
            continue
        if share and not 0 <= value <= 1:
            what = "adjusted p-values are" if key == "unless_adjusted_above" else f"{rule.statistic} lies"
            raise places.error(
                i, key, f"{key} is {value:g}, and {what} between 0 and 1.", f"write {key} = 0.05 for 5 %."
            )
        if rule.absolute and value < 0:
            what = f"{key} is {value:g}, and with absolute = true no value is below 0."
            raise places.error(i, key, what, "give a number from 0 up, or leave absolute out.")
    if rule.above is not None and rule.below is not None and rule.above < rule.below:
        what = f"every value is above {rule.above:g} or below {rule.below:g}."
        hint = f"exchange them: above = {rule.below:g} and below = {rule.above:g} allow what is in between."
        raise places.error(i, "above", what, hint)


def _check_comparison(rule: Rule, i: int, places: _Places) -> None:
    """Check that numbers are compared with numbers, and words with words."""
    text = rule.statistic in TEXTS
    if text and (rule.above is not None or rule.below is not None or rule.absolute):
        key = "above" if rule.above is not None else "below" if rule.below is not None else "absolute"
        raise places.error(i, key, f"{rule.statistic} is a word, which has no size.", "use is = [...].")
    if not text and rule.values:
        raise places.error(i, "is", f"{rule.statistic} is a number.", "use above or below.")
    for word in rule.values:
        if word not in PATTERNS:
            error = UnknownNameError("pattern", word, PATTERNS)
            raise places.error(i, "is", error.message, error.hint or "")
    if not rule.values and rule.above is None and rule.below is None:
        raise places.error(
            i,
            "statistic",
            "the rule forbids nothing.",
            "give is = [...]." if text else "give above or below.",
        )


def _word(data: Mapping[str, Any], key: str, default: str | None, i: int, places: _Places) -> str:
    value = data.get(key, default)
    if not isinstance(value, str) or not value.strip():
        what = f"{key} is missing." if value is None else f"{key} is {in_short(value)}, not a word."
        hint = f'give {key} = "..."; {_EXAMPLE}'
        if isinstance(value, list) and key == "test":
            hint = 'give each test a rule, or name them by a pattern such as test = "weat*".'
        raise places.error(i, key, what, hint)
    return value


def _words(data: Mapping[str, Any], i: int, places: _Places) -> tuple[str, ...]:
    value = data.get("is", [])
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise places.error(
            i, "is", f"is contains {in_short(value)}.", 'give a word or a list, such as ["AB-Divergent"].'
        )
    if "is" in data and not words:
        raise places.error(i, "is", "the list is empty.", 'give words, such as ["AB-Divergent"].')
    return tuple(words)


def _number(data: Mapping[str, Any], key: str, i: int, places: _Places) -> float | None:
    value = data.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_LARGEST <= value <= _LARGEST:
        raise places.error(i, key, f"{key} is {in_short(value)}, not a finite number.", _meant(key, value))
    return float(value)


def _meant(key: str, value: Any) -> str:
    """How to write a number that was written as text, such as ``"5 %"``."""
    text = re.fullmatch(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*(%?)\s*", value) if isinstance(value, str) else None
    if text is None:
        return f"give {key} = 0.05."
    number = float(text[1].replace(",", ".")) / (100 if text[2] else 1)
    return f"give {key} = {number:g}, without quotes."


def _flag(data: Mapping[str, Any], key: str, i: int, places: _Places) -> bool:
    value = data.get(key, False)
    if not isinstance(value, bool):
        raise places.error(i, key, f"{key} is {in_short(value)}.", "give true or false.")
    return value

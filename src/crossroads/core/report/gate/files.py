"""Read the rules of a gate from TOML, with the rule and the key in every error."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossroads.core.errors import FormatError, UnknownNameError, in_short, nearest
from crossroads.core.inference.multiplicity import ADJUSTED_P
from crossroads.core.report.gate.rules import STATISTICS, TEXTS, Rule
from crossroads.core.results import result_kinds
from crossroads.core.stimuli.files.text import load_toml, read_text

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
    try:
        data = load_toml(read_text(path, "a TOML file of rules"), path)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"not TOML: {error}.", path=path, hint=_EXAMPLE) from error
    for key in data:
        if key != "rule":
            hint = f"write [[rule]] above {key}; {_EXAMPLE}" if key in KEYS else f"write [[rule]]; {_EXAMPLE}"
            hint = f"did you mean [[rule]]? {_EXAMPLE}" if nearest(key, ["rule"]) else hint
            raise FormatError(f"unknown key {in_short(key)}.", path=path, key=key, hint=hint)
    tables = data.get("rule", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise FormatError("rule is not a list of tables.", path=path, key="rule", hint=_EXAMPLE)
    if not tables:
        raise FormatError("the file has no rules.", path=path, hint=_EXAMPLE)
    entries = [_Entry(path, number, table) for number, table in enumerate(tables, start=1)]
    rules = tuple(entry.rule() for entry in entries)
    for i, (entry, rule) in enumerate(zip(entries, rules, strict=True)):
        _check_apart(entry, rule, rules[:i])
    return rules


def _check_apart(entry: _Entry, rule: Rule, before: Sequence[Rule]) -> None:
    """Refuse a rule with the name or the content of another one."""
    for number, other in enumerate(before, start=1):
        if rule.name == other.name:
            raise entry.error("name", f"two rules are named {in_short(rule.name)}.", "give each one a name.")
        if replace(rule, name="") == replace(other, name=""):
            what = f"the rule is the same as rule {number}."
            raise entry.error("statistic", what, "remove or change one of them.")


@dataclass(frozen=True)
class _Entry:
    """A rule as it is in a file."""

    path: Path
    number: int
    data: dict[str, Any]

    def error(self, key: str, message: str, hint: str | None) -> FormatError:
        """An error at a key of the rule."""
        return FormatError(message, path=self.path, key=f"rule {self.number}, {key}", hint=hint)

    def rule(self) -> Rule:
        """The rule, checked."""
        for key in self.data:
            if key not in KEYS:
                near = nearest(key, KEYS)
                hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(KEYS)}."
                raise self.error(key, f"unknown key {in_short(key)}.", hint)
        statistic = self.word("statistic", None)
        self.check_known("statistic", statistic, {name for names in STATISTICS.values() for name in names})
        rule = Rule(
            name=self.word("name", f"rule {self.number}"),
            test=self.word("test", "*"),
            statistic=statistic,
            above=self.limit("above"),
            below=self.limit("below"),
            values=self.words(),
            absolute=self.flag("absolute"),
            unless_adjusted_above=self.limit("unless_adjusted_above"),
            optional=self.flag("optional"),
        )
        self.check_kind(rule)
        self.check_limits(rule)
        return rule

    def check_known(self, key: str, name: str, known: set[str]) -> None:
        """Refuse an unknown name."""
        if name not in known:
            error = UnknownNameError("pattern" if key == "is" else key, name, sorted(known))
            raise self.error(key, error.message, error.hint)

    def check_kind(self, rule: Rule) -> None:
        """Check that numbers are compared with numbers, and words with words."""
        text = rule.statistic in TEXTS
        sizes = [key for key in ("above", "below") if getattr(rule, key) is not None]
        if text and (sizes or rule.absolute):
            what = f"{rule.statistic} is a word, which has no size."
            raise self.error([*sizes, "absolute"][0], what, "use is = [...].")
        if not text and rule.values:
            raise self.error("is", f"{rule.statistic} is a number.", "use above or below.")
        for word in rule.values:
            self.check_known("is", word, {one for kind in result_kinds() for one in kind._words_for_rules})
        if not rule.values and not sizes:
            hint = "give is = [...]." if text else "give above or below."
            raise self.error("statistic", "the rule forbids nothing.", hint)

    def check_limits(self, rule: Rule) -> None:
        """Refuse limits that every value breaks or none does, which are probably mistakes."""
        for key in ("above", "below", "unless_adjusted_above"):
            value, adjusted = getattr(rule, key), key == "unless_adjusted_above"
            if value is None:
                continue
            if (adjusted or rule.statistic in SHARES) and not 0 <= value <= 1:
                what = "adjusted p-values are" if adjusted else f"{rule.statistic} lies"
                what = f"{key} is {value:g}, and {what} between 0 and 1."
                raise self.error(key, what, f"write {key} = 0.05 for 5 %.")
            if rule.absolute and value < 0:
                what = f"{key} is {value:g}, and with absolute = true no value is below 0."
                raise self.error(key, what, "give a number from 0 up, or leave absolute out.")
        if rule.above is not None and rule.below is not None and rule.above < rule.below:
            what = f"every value is above {rule.above:g} or below {rule.below:g}."
            between = f"above = {rule.below:g} and below = {rule.above:g}"
            raise self.error("above", what, f"exchange them: {between} allow what is in between.")

    def word(self, key: str, default: str | None) -> str:
        """A word that must be there, or has a default."""
        value = self.data.get(key, default)
        if isinstance(value, str) and value.strip():
            return value
        what = f"{key} is missing." if value is None else f"{key} is {in_short(value)}, not a word."
        hint = f'give {key} = "..."; {_EXAMPLE}'
        if isinstance(value, list) and key == "test":
            hint = 'give each test a rule, or name them by a pattern such as test = "weat*".'
        raise self.error(key, what, hint)

    def words(self) -> tuple[str, ...]:
        """The words that a rule forbids."""
        value = self.data.get("is", [])
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            what = f"is contains {in_short(value)}."
            raise self.error("is", what, 'give a word or a list, such as ["AB-Divergent"].')
        if "is" in self.data and not words:
            raise self.error("is", "the list is empty.", 'give words, such as ["AB-Divergent"].')
        return tuple(words)

    def limit(self, key: str) -> float | None:
        """A finite number; one that was written as text, such as ``"5 %"``, is explained."""
        value = self.data.get(key)
        if value is None:
            return None
        plain = isinstance(value, (int, float)) and not isinstance(value, bool)
        if plain and -_LARGEST <= value <= _LARGEST:
            return float(value)
        hint, text = f"give {key} = 0.05.", value if isinstance(value, str) else ""
        if found := re.fullmatch(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*(%?)\s*", text):
            number = float(found[1].replace(",", ".")) / (100 if found[2] else 1)
            hint = f"give {key} = {number:g}, without quotes."
        raise self.error(key, f"{key} is {in_short(value)}, not a finite number.", hint)

    def flag(self, key: str) -> bool:
        """True or false; false if it is absent."""
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            raise self.error(key, f"{key} is {in_short(value)}.", "give true or false.")
        return value

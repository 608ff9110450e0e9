"""Rules by which an audit passes or fails, a gate for a release: read from TOML, and checked."""

from __future__ import annotations

import itertools
import re
import sys
import tomllib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from crossroads.core.errors import (
    CrossroadsError,
    FormatError,
    InputError,
    UnknownNameError,
    in_short,
    join_words,
    nearest,
)
from crossroads.core.report.audit import Audit
from crossroads.core.results import Values, result_kinds
from crossroads.core.results.checks import CANNOT_TELL
from crossroads.core.stimuli.files.text import load_toml, read_text
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import counted, rounded_apart

STATISTICS: Mapping[str, tuple[str, ...]] = {
    kind: names
    # a battery comes after its tests, and has more statistics
    for one in sorted(result_kinds(), key=lambda one: sum(map(len, one._asked.values())))
    for kind, names in one._asked.items()
}
"""Statistics of each kind of test that rules can check.

A ``comparison`` is one of geometry, a ``decade`` a test at one point in time. ``p`` is always the p-value for
other words, from which ``p_holm``, ``p_bh`` and ``p_by`` are adjusted; ``exact_p`` is that of exchanging just
these words.
"""
TEXTS = ("pattern", "crossed_pattern", "these_words", "other_words", "beyond_frequency", "answer")
"""Statistics that are words."""

SHARES = frozenset({
    "accuracy", "honest_accuracy", "auc", "tpr", "fpr", "baseline", "precision_at_3", "i2", "overlap",
    "share", "share_positive", "percentile", "topic_percentile", "agreement",
    "refusal_rate", "unparsed_rate",
    # p-values, such as p_bh, exact_p_x and sign_pvalue
    *(name for name in itertools.chain(*STATISTICS.values()) if {"p", "pvalue"} & set(name.split("_"))),
})  # fmt: skip
"""Statistics between 0 and 1."""
_LARGEST = sys.float_info.max
_ADJUSTED = f"p_{phrases.ADJUSTMENT}"  # the adjusted p-value that ``unless_adjusted_above`` asks for
_PERHAPS = ("dominance", "emergent")  # kinds of tests that exist only for some answers of a model
_FAILED = frozenset({"broken", "not measured"})  # outcomes that fail an audit


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule: what the tests it names must not show."""

    name: str  # name of the rule in the verdict
    test: str = "*"  # the test, or a pattern with ``*``, ``?`` and ``[…]``; case does not matter
    statistic: str  # what is looked at
    above: float | None = None  # the rule is broken by values above this
    below: float | None = None  # the rule is broken by values below this
    values: tuple[str, ...] = ()  # the rule is broken by these words; in the file, ``is``
    absolute: bool = False  # whether the sign of the value is ignored
    unless_adjusted_above: float | None = None
    """A test whose adjusted p-value is above this does not break the rule."""
    optional: bool = False  # whether the rule may match no test

    def matches(self, test: str, kind: str | None = None) -> bool:
        """Whether the rule names a test, by name or by pattern, of a kind, if given, with its statistic."""
        needed = {self.statistic} if self.unless_adjusted_above is None else {self.statistic, _ADJUSTED}
        if kind is not None and not needed.issubset(STATISTICS[kind]):
            return False
        wanted, given = self.test.casefold(), test.casefold()
        return wanted == given or fnmatchcase(given, wanted)


KEYS = tuple("is" if one.name == "values" else one.name for one in fields(Rule))
"""Keys that a rule may have in a file."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Verdict of one rule on one test."""

    rule: str
    """Name of the rule."""
    test: str
    """Name of the test."""
    statistic: str
    """What was looked at."""
    value: float | str | None
    """Its value; None if it was not measured."""
    adjusted: float | None
    """The adjusted p-value, if the rule uses one."""
    outcome: str
    """``passed``, ``broken``, ``excused`` (by its adjusted p-value) or ``not measured``."""
    sentence: str
    """The verdict in words."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """The verdicts of all rules."""

    verdicts: tuple[Verdict, ...]  # one for each rule and test that it names
    unmatched: tuple[str, ...] = ()  # optional rules that match no test

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """Verdicts that fail the audit: broken rules, and rules that could not be checked."""
        return tuple(one for one in self.verdicts if one.outcome in _FAILED)

    @property
    def passed(self) -> bool:
        """Whether nothing fails the audit."""
        return not self.broken

    @property
    def headline(self) -> str:
        """How many rules passed or failed, without a full stop."""
        return gate_headline([vars(one) for one in self.verdicts])

    def to_dict(self) -> dict[str, Any]:
        """The gate as plain data."""
        verdicts = [asdict(verdict) for verdict in self.verdicts]
        return {"passed": self.passed, "verdicts": verdicts, "unmatched": list(self.unmatched)}

    def check(self) -> None:
        """Raise if the audit fails."""
        if not self.passed:
            raise GateError(self)


def gate_headline(verdicts: Iterable[Mapping[str, Any]]) -> str:
    """How many rules passed or failed, each counted once for all its tests; without a full stop."""
    outcomes: dict[str, set[str]] = {}
    for one in verdicts:
        outcomes.setdefault(str(one["rule"]), set()).add(str(one["outcome"]))
    failed = sum(bool(found & _FAILED) for found in outcomes.values())
    rules = counted(len(outcomes), "rule")
    if not outcomes:
        return "no rule names a test of this audit"
    return f"{failed} of {rules} failed" if failed else f"{len(outcomes)} of {rules} passed"


class GateError(CrossroadsError):
    """An audit breaks its rules."""

    exit_status = 1

    def __init__(self, gate: Gate) -> None:
        lines = "".join(f"\n  {one.rule}: {one.sentence}" for one in gate.broken)
        super().__init__(
            f"{gate.headline}:{lines}", hint="the results were written; gate.json has every verdict."
        )
        self.gate = gate


def readings(audit: Audit) -> dict[str, tuple[str, Values]]:
    """All tests by name: the kind of each, and its statistics by name."""
    return {test: (kind, values) for name, one in audit.items() for test, kind, values in one._readings(name)}


def check_rules(rules: Sequence[Rule], planned: Mapping[str, str]) -> None:
    """Refuse rules that match no test, before any work is done.

    ``planned`` has the name of each test that will be run, and its kind: a key of :data:`STATISTICS`.
    """
    for rule in rules:
        named = [test for test in planned if rule.matches(test)]
        if rule.optional or any(rule.matches(test, planned[test]) for test in named):
            continue
        if not named:
            error = UnknownNameError("test", rule.test, planned)
            hint = f"{error.hint} optional = true allows a rule to match nothing."
            raise InputError(f"{rule.name}: no test of this audit is named {rule.test!r}.", hint=hint)
        has = dict.fromkeys(name for test in named for name in STATISTICS[planned[test]])
        asked = "" if rule.statistic not in has else ", which unless_adjusted_above asks for"
        wanted = _ADJUSTED if asked else rule.statistic
        has_none, it = ("has", "it has") if len(named) == 1 else ("have", "they have")
        near = nearest(wanted, has)
        meant = f"did you mean {near[0]!r}? " if near and not asked else ""
        message = f"{rule.name}: {join_words(map(in_short, named), most=3)} {has_none} no {wanted!r}{asked}."
        raise InputError(message, hint=f"{meant}what {it}: {', '.join(has)}.")


def judge(audit: Audit, rules: Iterable[Rule], planned: Mapping[str, str] | None = None) -> Gate:
    """Check an audit against rules.

    A test that a rule names but that could not be measured, or whose answer cannot be told, fails the gate,
    unless the rule is optional: a release should not pass because its words are missing.

    ``planned`` has the name of each requested test, and its kind: those without a result were not measured,
    and other missing results do not fail the gate. If left out, all that the audit left out was requested.
    """
    found = readings(audit)
    missing = audit.unmeasured() if planned is None else _unmeasured(audit, found, planned)
    verdicts: list[Verdict] = []
    unmatched: list[str] = []
    for rule in rules:
        mine = [_verdict(rule, at, some) for at, (kind, some) in found.items() if rule.matches(at, kind)]
        mine += [_absent(rule, at, why) for at, (kind, why) in missing.items() if rule.matches(at, kind)]
        if rule.optional:
            mine = [verdict for verdict in mine if verdict.outcome != "not measured"]
            unmatched += [] if mine else [rule.name]
        elif not mine and planned is not None:
            mine = [_absent(rule, rule.test, "no test that it names exists for this model.")]
        elif not mine:
            message = f"{rule.name}: no test of this audit is named {rule.test!r} and has {rule.statistic!r}."
            raise InputError(message, hint=f"tests: {join_words([*found, *missing], most=20)}.")
        verdicts += mine
    return Gate(verdicts=tuple(verdicts), unmatched=tuple(unmatched))


def _unmeasured(
    audit: Audit, found: Container[str], planned: Mapping[str, str]
) -> dict[str, tuple[str | None, str]]:
    """Requested tests without a result: their kind, and the reason."""
    said = audit.unmeasured()
    others = [repr(name) for name in said if name not in planned]
    lost = f"it has no result{f'; the audit left out {join_words(others, most=3)}' if others else ''}."
    return {
        name: (kind, said[name][1] if name in said else lost)
        for name, kind in planned.items()
        if name in said or (name not in found and kind not in _PERHAPS)
    }


def _absent(rule: Rule, test: str, why: str) -> Verdict:
    return Verdict(
        rule=rule.name, test=test, statistic=rule.statistic, value=None, adjusted=None,
        outcome="not measured", sentence=f"{test} was not measured: {why}",
    )  # fmt: skip


def _verdict(rule: Rule, test: str, values: Values) -> Verdict:
    value = values[rule.statistic]
    if value is None:
        return _absent(rule, test, f"{rule.statistic} could not be computed.")
    if value == CANNOT_TELL not in rule.values and values.get(f"{rule.statistic}_pvalue") is None:
        return _absent(rule, test, f"{rule.statistic} cannot be told.")
    fault, excuse, allowed = _fault(rule, value), "", rule.unless_adjusted_above
    found = None if allowed is None else values[_ADJUSTED]
    adjusted = found if isinstance(found, float) else None
    if fault and allowed is not None and adjusted is not None and adjusted > allowed:
        shown = rounded_apart(adjusted, allowed, digits=3)
        excuse = f", but the adjusted p-value {shown} is above {allowed:g}"
    limits = [sign * one for one in (rule.above, rule.below) if one is not None for sign in (1, -1)]
    shown = value if isinstance(value, str) else rounded_apart(value, *limits)
    return Verdict(
        rule=rule.name,
        test=test,
        statistic=rule.statistic,
        value=value,
        adjusted=adjusted,
        outcome="excused" if excuse else "broken" if fault else "passed",
        sentence=f"{test}: {rule.statistic} is {shown}{fault or ', as allowed'}{excuse}",
    )


def _fault(rule: Rule, value: float | str) -> str:
    """How a value breaks a rule; empty if it does not."""
    if isinstance(value, str):
        return ", which is forbidden" if value in rule.values else ""
    size = abs(value) if rule.absolute else value
    kind = ", in absolute value" if rule.absolute else ","
    if rule.above is not None and size > rule.above:
        return f"{kind} above {rule.above:g}"
    if rule.below is not None and size < rule.below:
        return f"{kind} below {rule.below:g}"
    return ""


# ---- rules in files

_EXAMPLE = 'a rule is [[rule]] with test = "weat6", statistic = "effect_size" and above = 1.0.'


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
    for key in (key for key in data if key != "rule"):
        said = f"write [[rule]] above {key};" if key in KEYS else "write [[rule]];"
        hint = f"{'did you mean [[rule]]?' if nearest(key, ['rule']) else said} {_EXAMPLE}"
        raise FormatError(f"unknown key {in_short(key)}.", path=path, key=key, hint=hint)
    tables = data.get("rule", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise FormatError("rule is not a list of tables.", path=path, key="rule", hint=_EXAMPLE)
    if not tables:
        raise FormatError("the file has no rules.", path=path, hint=_EXAMPLE)
    rules: list[Rule] = []
    for number, table in enumerate(tables, start=1):
        rules.append(_Entry(path, number, table).rule(rules))
    return tuple(rules)


@dataclass(frozen=True)
class _Entry:
    """A rule as it is in a file."""

    path: Path
    number: int
    data: dict[str, Any]

    def error(self, key: str, message: str, hint: str | None) -> FormatError:
        return FormatError(message, path=self.path, key=f"rule {self.number}, {key}", hint=hint)

    def rule(self, before: Sequence[Rule]) -> Rule:
        """The rule, checked; it must differ from those before it in name and content."""
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
            values=self.words(),
            above=self.limit("above"),
            below=self.limit("below"),
            unless_adjusted_above=self.limit("unless_adjusted_above"),
            absolute=self.flag("absolute"),
            optional=self.flag("optional"),
        )
        self.check_kind(rule)
        self.check_limits(rule)
        for number, other in enumerate(before, start=1):
            if rule.name == other.name:
                what = f"two rules are named {in_short(rule.name)}."
                raise self.error("name", what, "give each one a name.")
            if replace(rule, name="") == replace(other, name=""):
                what = f"the rule is the same as rule {number}."
                raise self.error("statistic", what, "remove or change one of them.")
        return rule

    def check_known(self, key: str, name: str, known: set[str]) -> None:
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
            known = {one for kind in result_kinds() for one in kind._words_for_rules}
            self.check_known("is", word, known)
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
            hint = f"above = {rule.below:g} and below = {rule.above:g} allow what is in between."
            raise self.error("above", what, f"exchange them: {hint}")

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

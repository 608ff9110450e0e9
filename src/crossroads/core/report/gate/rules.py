"""Rules by which an audit passes or fails: a gate for a release."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from crossroads.core.errors import (
    CrossroadsError,
    InputError,
    UnknownNameError,
    in_short,
    join_words,
    nearest,
)
from crossroads.core.report.audit import Audit
from crossroads.core.results import Values, result_kinds
from crossroads.core.results.checks import CANNOT_TELL
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import beside, counted

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

_ADJUSTED = f"p_{phrases.ADJUSTMENT}"
"""The adjusted p-value that ``unless_adjusted_above`` asks for."""
_PERHAPS = ("dominance", "emergent")
"""Kinds of tests that exist only for some answers of a model."""
_FAILED = frozenset({"broken", "not measured"})
"""Outcomes that fail an audit."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule: what the tests it names must not show."""

    name: str
    """Name of the rule in the verdict."""
    test: str = "*"
    """The test, or a pattern with ``*``, ``?`` and ``[…]``; case does not matter."""
    statistic: str
    """What is looked at."""
    above: float | None = None
    """The rule is broken by values above this."""
    below: float | None = None
    """The rule is broken by values below this."""
    values: tuple[str, ...] = ()
    """The rule is broken by these words; in the file, ``is``."""
    absolute: bool = False
    """Whether the sign of the value is ignored."""
    unless_adjusted_above: float | None = None
    """A test whose adjusted p-value is above this does not break the rule."""
    optional: bool = False
    """Whether the rule may match no test."""

    def matches(self, test: str) -> bool:
        """Whether the rule names a test, by name or by pattern."""
        wanted, given = self.test.casefold(), test.casefold()
        return wanted == given or fnmatchcase(given, wanted)

    def applies(self, kind: str) -> bool:
        """Whether tests of a kind have the statistic of the rule."""
        known = STATISTICS[kind]
        return self.statistic in known and (self.unless_adjusted_above is None or _ADJUSTED in known)


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

    verdicts: tuple[Verdict, ...]
    """One for each rule and test that it names."""
    unmatched: tuple[str, ...] = field(default=())
    """Optional rules that match no test."""

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
        return {
            "passed": self.passed,
            "verdicts": [dict(vars(verdict)) for verdict in self.verdicts],
            "unmatched": list(self.unmatched),
        }

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
            f"{gate.headline}:{lines}",
            hint="the results were written; gate.json has every verdict.",
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
        if rule.optional or any(rule.applies(planned[test]) for test in named):
            continue
        if not named:
            error = UnknownNameError("test", rule.test, planned)
            raise InputError(
                f"{rule.name}: no test of this audit is named {rule.test!r}.",
                hint=f"{error.hint} optional = true allows a rule to match nothing.",
            )
        has = dict.fromkeys(name for test in named for name in STATISTICS[planned[test]])
        asked = "" if rule.statistic not in has else ", which unless_adjusted_above asks for"
        wanted = _ADJUSTED if asked else rule.statistic
        has_none, it = ("has", "it has") if len(named) == 1 else ("have", "they have")
        near = nearest(wanted, has)
        meant = f"did you mean {near[0]!r}? " if near and not asked else ""
        raise InputError(
            f"{rule.name}: {join_words(map(in_short, named), most=3)} {has_none} no {wanted!r}{asked}.",
            hint=f"{meant}what {it}: {', '.join(has)}.",
        )


def judge(audit: Audit, rules: Iterable[Rule], planned: Mapping[str, str] | None = None) -> Gate:
    """Check an audit against rules.

    A test that a rule names but that could not be measured, or whose answer cannot be told, fails the gate,
    unless the rule is optional: a release should not pass because its words are missing.

    Parameters
    ----------
    planned
        Name of each requested test, to its kind: those without a result were not measured, and other missing
        results do not fail the gate. If left out, everything that the audit left out counts as requested.
    """
    found = readings(audit)
    missing = audit.unmeasured() if planned is None else _unmeasured(audit, found, planned)
    verdicts: list[Verdict] = []
    unmatched: list[str] = []
    for rule in rules:
        mine = [
            _verdict(rule, test, values)
            for test, (kind, values) in found.items()
            if rule.matches(test) and rule.applies(kind)
        ]
        mine += [
            _absent(rule, test, why)
            for test, (kind, why) in missing.items()
            if rule.matches(test) and (kind is None or rule.applies(kind))
        ]
        if rule.optional:
            mine = [verdict for verdict in mine if verdict.outcome != "not measured"]
        if not mine and planned is not None and not rule.optional:
            mine = [_absent(rule, rule.test, "no test that it names exists for this model.")]
        if not mine:
            if not rule.optional:
                raise InputError(
                    f"{rule.name}: no test of this audit is named {rule.test!r} and has {rule.statistic!r}.",
                    hint=f"tests: {join_words([*found, *missing], most=20)}.",
                )
            unmatched.append(rule.name)
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
        rule=rule.name,
        test=test,
        statistic=rule.statistic,
        value=None,
        adjusted=None,
        outcome="not measured",
        sentence=f"{test} was not measured: {why}",
    )


def _verdict(rule: Rule, test: str, values: Mapping[str, float | str | None]) -> Verdict:
    value = values[rule.statistic]
    if value is None:
        return _absent(rule, test, f"it has no {rule.statistic}.")
    if value == CANNOT_TELL and value not in rule.values:
        return _absent(rule, test, f"{rule.statistic} cannot be told.")
    fault = _fault(rule, value)
    adjusted = values[_ADJUSTED] if rule.unless_adjusted_above is not None else None
    excuse = ""
    if fault and isinstance(adjusted, float) and adjusted > (rule.unless_adjusted_above or 0):
        told = beside(adjusted, rule.unless_adjusted_above, digits=3)
        excuse = f", but the adjusted p-value {told} is above {rule.unless_adjusted_above:g}"
    outcome = "excused" if excuse else "broken" if fault else "passed"
    limits = [sign * one for one in (rule.above, rule.below) if one is not None for sign in (1, -1)]
    shown = value if isinstance(value, str) else beside(value, *limits)
    return Verdict(
        rule=rule.name,
        test=test,
        statistic=rule.statistic,
        value=value,
        adjusted=adjusted if isinstance(adjusted, float) else None,
        outcome=outcome,
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

"""Rules by which an audit passes or fails: a gate for a release."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from crossroads.errors import CrossroadsError, InputError, UnknownNameError, in_short, join_words, nearest
from crossroads.report.audit import Audit
from crossroads.report.readings import STATISTICS, absent, readings

_PERHAPS = ("dominance", "emergent")
"""Kinds of tests of which the answers of a model decide whether there are any."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What no test that it names may show."""

    name: str
    """What the verdict calls the rule."""
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
        """Whether a test is meant, by its name or by the pattern."""
        wanted, given = self.test.casefold(), test.casefold()
        return wanted == given or fnmatchcase(given, wanted)

    def applies(self, kind: str) -> bool:
        """Whether tests of a kind have what the rule looks at."""
        known = STATISTICS[kind]
        return self.statistic in known and (self.unless_adjusted_above is None or "adjusted" in known)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of one rule on one test."""

    rule: str
    """Name of the rule."""
    test: str
    """Name of the test."""
    statistic: str
    """What was looked at."""
    value: float | str | None
    """What it was; None where it was not measured."""
    adjusted: float | None
    """The adjusted p-value that was held against the rule, where it asks for one."""
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
    """Optional rules that named no test."""

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """Verdicts that fail the audit: broken rules, and rules that could not be judged."""
        return tuple(one for one in self.verdicts if one.outcome in ("broken", "not measured"))

    @property
    def passed(self) -> bool:
        """Whether nothing fails the audit."""
        return not self.broken

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


class GateError(CrossroadsError):
    """An audit that breaks the rules it was held against.

    Parameters
    ----------
    gate
        The verdicts.
    """

    def __init__(self, gate: Gate) -> None:
        rules = len({one.rule for one in gate.broken})
        lines = "".join(f"\n  {one.rule}: {one.sentence}" for one in gate.broken)
        super().__init__(
            f"the gate is closed: {rules} {'rule' if rules == 1 else 'rules'} failed.{lines}",
            hint="the results were written all the same; gate.json holds every verdict.",
        )
        self.gate = gate


def check_rules(rules: Sequence[Rule], planned: Mapping[str, str]) -> None:
    """Refuse a rule that names no test, before any work is done.

    Parameters
    ----------
    rules
        The rules.
    planned
        Name of each test that will be run, to its kind: a key of :data:`STATISTICS`.
    """
    for rule in rules:
        named = [test for test in planned if rule.matches(test)]
        if rule.optional or any(rule.applies(planned[test]) for test in named):
            continue
        if not named:
            error = UnknownNameError("test", rule.test, planned)
            raise InputError(
                f"{rule.name}: no test of this audit is called {rule.test!r}.",
                hint=f"{error.hint} optional = true lets a rule match nothing.",
            )
        has = dict.fromkeys(name for test in named for name in STATISTICS[planned[test]])
        asked = "" if rule.statistic not in has else ", which unless_adjusted_above asks for"
        wanted = "adjusted" if asked else rule.statistic
        has_none, it = ("has", "it has") if len(named) == 1 else ("have", "they have")
        near = nearest(wanted, has)
        meant = f"did you mean {near[0]!r}? " if near and not asked else ""
        raise InputError(
            f"{rule.name}: {join_words(map(in_short, named), most=3)} {has_none} no {wanted!r}{asked}.",
            hint=f"{meant}what {it}: {', '.join(has)}.",
        )


def judge(audit: Audit, rules: Iterable[Rule], planned: Mapping[str, str] | None = None) -> Gate:
    """Hold an audit against rules.

    A test that a rule names but that could not be measured fails the gate, unless the rule is optional:
    a release should not pass because its words went missing.

    Parameters
    ----------
    audit
        What was measured.
    rules
        The rules.
    planned
        Name of each test that was asked for, to its kind: one without a result was not measured, and what
        else could not be measured closes no gate. Without it, all that the audit left out was asked for.
    """
    found = readings(audit)
    missing = absent(audit) if planned is None else _unmeasured(audit, found, planned)
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
            mine = [_absent(rule, rule.test, "nothing that it names was found in this model.")]
        if not mine:
            if not rule.optional:
                raise InputError(
                    f"{rule.name}: no test of this audit is called {rule.test!r} and has {rule.statistic!r}.",
                    hint=f"tests: {join_words([*found, *missing], most=20)}.",
                )
            unmatched.append(rule.name)
        verdicts += mine
    return Gate(verdicts=tuple(verdicts), unmatched=tuple(unmatched))


def _unmeasured(
    audit: Audit, found: Container[str], planned: Mapping[str, str]
) -> dict[str, tuple[str | None, str]]:
    """What was asked for and has no result, by test: its kind, and why."""
    said = absent(audit)
    others = [repr(name) for name in said if name not in planned]
    lost = f"no result came of it{f'; the audit left out {join_words(others, most=3)}' if others else ''}."
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
    fault = _fault(rule, value)
    adjusted = values["adjusted"] if rule.unless_adjusted_above is not None else None
    excuse = ""
    if fault and isinstance(adjusted, float) and adjusted > (rule.unless_adjusted_above or 0):
        excuse = f", but the adjusted p-value {adjusted:.3g} is above {rule.unless_adjusted_above:g}"
    outcome = "excused" if excuse else "broken" if fault else "passed"
    shown = value if isinstance(value, str) else f"{value:.4g}"
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

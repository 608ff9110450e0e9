"""Rules that fail a release: how they are read, what they mean, what they refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.contexts.measures.levels import MultilevelCeatResult
from crossroads.core.errors import CrossroadsError, FormatError, InputError
from crossroads.core.inference.multiplicity import ADJUSTED_P, ADJUSTMENTS
from crossroads.core.report.audit import Audit
from crossroads.core.report.gate import (
    KEYS,
    SHARES,
    STATISTICS,
    Gate,
    GateError,
    Rule,
    check_rules,
    judge,
    read_rules,
    readings,
)
from crossroads.core.report.renderers.texts import markdown_summary
from crossroads.core.results import Result
from crossroads.core.stimuli import Design
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.dominance import DominanceResult
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.words.measures.battery import BatteryResult

PLANNED = {
    "weat6": "test",
    "weat7": "test",
    "weat7 checks": "checks",
    "AF IBD": "detection",
    "RSA a / b / c": "comparison",
}
RULE = '[[rule]]\nstatistic = "{}"\n'
P_HOLM, D, PATTERN = (RULE.format(name) for name in ("p_holm", "effect_size", "pattern"))


def written(folder: Path, text: str) -> Path:
    path = folder / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return path


def outcomes(gate: Gate) -> dict[str, str]:
    return {verdict.test: verdict.outcome for verdict in gate.verdicts}


def test_a_file_is_read_as_it_was_meant(tmp_path: Path) -> None:
    strong = 'name = "strong"\ntest = "weat*"\nabove = 1\nabsolute = true\nunless_adjusted_above = 0.05\n'
    path = written(tmp_path, f'{D}{strong}\n{PATTERN}is = "AB-Divergent"\noptional = true\n')
    assert read_rules(path) == (
        Rule(
            name="strong",
            test="weat*",
            statistic="effect_size",
            above=1.0,
            absolute=True,
            unless_adjusted_above=0.05,
        ),
        Rule(name="rule 2", test="*", statistic="pattern", values=("AB-Divergent",), optional=True),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[rule]]\nabove=1\nabove=2\n", "not TOML: .*at line 3"),
        ("# no rule\n", "the file has no rules"),
        ("[[rules]]\n", r"key 'rules': unknown key 'rules'(.|\n)*did you mean \[\[rule\]\]?"),
        ('# mine\nstatistic = "p_holm"\n', r"key 'statistic'(.|\n)*write \[\[rule\]\] above statistic"),
        ("rule = [1]\n", "key 'rule': rule is not a list of tables"),
        ("[[rule]]\nabove = 1\n", "key 'rule 1, statistic': statistic is missing"),
        (f"{RULE.format('effect_sise')}above = 1\n", "'effect_sise'(.|\n)*mean 'effect_size'"),
        (f"{P_HOLM}below = 1\n\n{P_HOLM}# x\nabvoe = 1\n", "key 'rule 2, abvoe'(.|\n)*mean 'above'"),
        (P_HOLM, "forbids nothing"),
        (f'{P_HOLM}above = "5 %"\n', "above is '5 %'(.|\n)*give above = 0.05, without quotes"),
        (f"{P_HOLM}above = true\n", "above is True"),
        (f"{P_HOLM}above = nan\n", "above is nan"),
        (f'{P_HOLM}is = ["x"]\n', "p_holm is a number"),
        (f"{PATTERN}above = 1\n", "pattern is a word"),
        (f"{PATTERN}is = []\n", "the list is empty"),
        (f"{PATTERN}is = [1]\n", r"is contains \[1\]"),
        (f'{PATTERN}is = "AB-Divergant"\n', "'AB-Divergant'(.|\n)*did you mean 'AB-Divergent'"),
        (f"{P_HOLM}above = 1\noptional = 1\n", "optional is 1"),
        (f'{P_HOLM}above = 1\ntest = ["a", "b"]\n', "not a word(.|\n)*a pattern such as"),
        (f'{P_HOLM}above=1\nname="a"\n{D}above=1\nname="a"\n', "two rules are named 'a'"),
        (f"{P_HOLM}above=0.5\n{P_HOLM}above=0.5\n", "the rule is the same as rule 1"),
        (f"{P_HOLM}below = 5\n", "p_holm lies between 0 and 1(.|\n)*below = 0.05 for 5 %"),
        (f"{D}above = 1\nunless_adjusted_above = 5\n", "adjusted p-values are between 0 and 1"),
        (f"{D}above = 1\nbelow = 2\n", "every value is above 1 or below 2"),
        (f"{D}below = -1\nabsolute = true\n", "no value is below 0"),
    ],
)
def test_a_file_with_a_fault_is_refused_at_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read_rules(written(tmp_path, text))
    assert caught.value.path == tmp_path / "rules.toml"


def test_a_single_value_may_be_allowed_after_the_mark_that_windows_writes(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('[[rule]]\nstatistic = "effect_size"\nabove = 0.5\nbelow = 0.5\n', encoding="utf-8-sig")
    (rule,) = read_rules(path)
    assert (rule.above, rule.below) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("asked", "message", "hint"),
    [
        ({"test": "weat66"}, "no test of this audit is named 'weat66'", "did you mean 'weat6'"),
        ({"test": "AF*"}, "'AF IBD' has no 'effect_size'", "accuracy"),
        (
            {"test": "AF*", "statistic": "auc", "unless_adjusted_above": 0.05},
            "'AF IBD' has no 'p_bh', which unless_adjusted_above asks for",
            "",
        ),
    ],
)
def test_a_rule_on_what_no_test_has_is_refused_unless_it_is_optional(
    asked: dict[str, Any], message: str, hint: str
) -> None:
    rule = Rule(**{"name": "r", "statistic": "effect_size", "above": 1, **asked})
    with pytest.raises(InputError, match=message) as caught:
        check_rules([rule], PLANNED)
    assert hint in (caught.value.hint or "")
    check_rules([Rule(name="r", test="weat66", statistic="effect_size", above=1, optional=True)], PLANNED)
    check_rules([Rule(name="r", test="WEAT?", statistic="effect_size", above=1)], PLANNED)


def test_a_name_with_signs_of_a_pattern_is_still_a_name() -> None:
    assert Rule(name="r", test="a [x] *", statistic="p_holm", above=1).matches("a [x] *")


def test_limits_themselves_are_allowed_and_a_large_adjusted_p_excuses(
    audit: Audit, tested: BatteryResult
) -> None:
    test, adjusted = tested.tests[1], tested.adjusted["bh"][1]
    d = test.level1.effect_size
    assert adjusted is not None
    limits: list[tuple[str, dict[str, Any], str]] = [
        ("effect_size", {"above": d - 0.01}, "broken"),
        ("effect_size", {"above": d}, "passed"),
        ("effect_size", {"below": d + 0.01}, "broken"),
        ("effect_size", {"below": d}, "passed"),
        ("effect_size", {"above": abs(d) - 0.01, "absolute": True}, "broken"),
        ("effect_size", {"below": abs(d), "absolute": True}, "passed"),
        ("pattern", {"values": (test.pattern,)}, "broken"),
        ("pattern", {"values": ("AB-Divergent",)}, "passed"),
        ("left_out", {"above": 0}, "broken"),  # the word "gone"
        ("effect_size", {"above": d - 1, "unless_adjusted_above": adjusted - 0.001}, "excused"),
        ("effect_size", {"above": d - 1, "unless_adjusted_above": adjusted}, "broken"),
    ]
    for statistic, options, outcome in limits:
        rule = Rule(**{"name": "r", "test": "plain", "statistic": statistic, **options})
        assert outcomes(judge(audit, [rule])) == {"plain": outcome}, options


def test_what_was_not_measured_does_not_pass(audit: Audit, tested: BatteryResult) -> None:
    everything = Rule(name="r", statistic="effect_size", above=100)
    gate = judge(audit, [everything])
    hard = tested.tests[0].design
    assert outcomes(gate) == {
        hard: "passed", "plain": "passed", "absent": "not measured", "q IBD": "not measured",
    }  # fmt: skip
    assert not gate.passed
    lenient = judge(audit, [Rule(name="r", statistic="effect_size", above=100, optional=True)])
    assert lenient.passed
    assert judge(audit, [Rule(name="r", test="ab*", statistic="p_holm", above=1, optional=True)]) == Gate(
        verdicts=(), unmatched=("r",)
    )
    # a detection without truth has no accuracy
    assert outcomes(judge(audit, [Rule(name="r", test="p EIBD", statistic="accuracy", below=0)])) == {
        "p EIBD": "not measured"
    }


def test_an_answer_that_cannot_be_told_does_not_pass() -> None:
    words = [f"w{i}" for i in range(10)]
    emb = cr.Embeddings(words, np.random.default_rng(1).normal(size=(10, 9)))
    test = cr.weat(emb, Design(name="few", x=words[:3], y=words[3:6], a=words[6:7], b=words[7:]))
    rules = [
        Rule(name="found", test="few checks", statistic="other_words", values=("yes",)),
        Rule(name="unclear", test="few checks", statistic="other_words", values=("yes", "cannot tell")),
        Rule(name="p", test="few checks", statistic="other_words_pvalue", below=0.05),
        Rule(name="any", test="few*", statistic="other_words", values=("yes",), optional=True),
    ]
    gate = judge(Audit([test, cr.checks(test)]), rules)
    assert [(one.rule, one.outcome) for one in gate.verdicts] == [
        ("found", "not measured"),
        ("unclear", "broken"),
        ("p", "not measured"),
    ]
    assert gate.verdicts[0].sentence == "few checks was not measured: other_words cannot be told."
    assert not gate.passed


def test_a_closed_gate_names_every_rule_that_was_broken(audit: Audit) -> None:
    rules = [
        Rule(name="words", test="plain", statistic="left_out", above=0),
        Rule(name="fine", test="plain", statistic="left_out", above=1),
        Rule(name="there", test="absent", statistic="p_holm", above=1),
    ]
    gate = judge(audit, rules)
    with pytest.raises(GateError) as caught:
        gate.check()
    assert caught.value.message.startswith("2 of 3 rules failed:\n  words: plain: left_out is 1, above 0")
    assert "there: absent was not measured" in caught.value.message
    assert "fine" not in caught.value.message
    assert isinstance(caught.value, CrossroadsError)
    assert not isinstance(caught.value, InputError)  # the work failed: exit status 1, not 2
    judge(audit, rules[1:2]).check()
    assert judge(audit, rules[1:2]).headline == "1 of 1 rule passed"
    # a rule of several tests is one rule
    several = judge(audit, [Rule(name="all", statistic="effect_size", above=-9)])
    assert len(several.broken) > 1
    assert several.headline == "1 of 1 rule failed"
    data = json.loads(json.dumps(gate.to_dict(), allow_nan=False))
    assert data["passed"] is False
    assert [one["outcome"] for one in data["verdicts"]] == ["broken", "passed", "not measured"]


def test_every_statistic_that_is_offered_is_there(audit: Audit, every_result: dict[str, Result]) -> None:
    everything = [audit, *(Audit([one]) for one in every_result.values() if one.provenance)]
    found: dict[str, set[str]] = {}
    for kind, values in (reading for one in everything for reading in readings(one).values()):
        found.setdefault(kind, set()).update(values)
    assert found == {kind: set(names) for kind, names in STATISTICS.items()}
    names = {name for some in STATISTICS.values() for name in some}
    shares = {name for name in names if name.endswith(("_p", "_pvalue", "_rate"))} | set(ADJUSTED_P)
    assert shares | {"p", "exact_p_x", "p_groups", "auc"} <= names & SHARES == SHARES
    assert not SHARES & {"effect_size", "pairs", "projection", "rogue_share"}  # the last can be above 1


def test_the_summary_says_what_failed_and_what_was_left_out(audit: Audit) -> None:
    rule = Rule(name="no *words*", test="plain", statistic="left_out", above=0)
    page = markdown_summary(audit, judge(audit, [rule]))
    assert "**Failed**: 1 of 1 rule failed." in page
    assert r"- ❌ **no \*words\***: plain: left\_out is 1, above 0" in page
    assert "- plain: left out of x: gone (not in the vocabulary)" in page
    assert "- absent: not measured: " in page
    assert "- q IBD: not measured: no words." in page
    assert "Failed" not in markdown_summary(audit)
    fine = Rule(name="r", test="plain", statistic="p_holm", above=1)
    assert "**Passed**: 1 of 1" in markdown_summary(audit, judge(audit, [fine]))


def test_the_rules_in_the_guide_can_be_used_and_it_names_every_key_and_statistic(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "audits.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        check_rules(read_rules(written(tmp_path, block)), PLANNED)
    for name in {*KEYS, *(name for names in STATISTICS.values() for name in names)}:
        assert f"`{name}`" in guide, name


def test_rules_reach_every_kind_of_result(whole: Audit) -> None:
    (contexts,) = whole.of(CeatBatteryResult).values()
    (aligned,) = whole.of(AlignmentResult).values()
    (dominance,) = whole.of(DominanceResult).values()
    found = readings(whole)
    plain = contexts.tests[1]
    kind, values = found["plain CEAT"]
    assert kind == "context test"
    assert (values["exact_p"], values["published_p"]) == (plain.stimulus_pvalue, plain.pvalue)
    assert values["left_out"] == 1.0
    for how in ADJUSTMENTS:
        assert values[f"p_{how}"] == contexts.adjusted[how][1]
    assert found["m&m alignment"][1]["p_groups"] == aligned.exchanges["groups"].pvalue
    assert found["m&m scores"][1]["largest"] == whole.of(TraitScores)["m&m scores"].scores.max()
    assert found["plain 1950"][0] == "decade"
    pair = dominance.domain_pairs[0]
    assert found[f"m&m {pair.domain1} / {pair.domain2}"][1]["p_bh"] == pair.qvalue
    gate = judge(
        whole,
        [
            Rule(name="contexts", test="* CEAT", statistic="effect_size", above=9),
            Rule(name="people", test="m&m alignment", statistic="kendall_tau", below=0.9),
            Rule(name="decades", test="plain 1*", statistic="effect_size", above=9),
            Rule(name="emergent", test="* emergent", statistic="found", above=0),
        ],
    )
    seen = {(one.rule, one.test): one.outcome for one in gate.verdicts}
    assert seen["people", "m&m alignment"] == "broken"
    assert seen["contexts", "plain CEAT"] == "passed"
    assert seen["contexts", "absent CEAT"] == "not measured"
    assert seen["decades", "plain 1800"] == "not measured"
    assert seen["decades", "plain 1900"] == "passed"
    assert seen["emergent", "m&m emergent"] == "passed"


def test_a_pattern_is_not_asked_of_tests_that_have_none(whole: Audit) -> None:
    gate = judge(whole, [Rule(name="r", test="* CEAT*", statistic="pattern", values=("AB-Divergent",))])
    assert {one.test: one.outcome for one in gate.verdicts} == {
        next(iter(whole.of(MultilevelCeatResult))): "passed",
        "absent CEAT levels": "not measured",  # and not "absent CEAT", which has no pattern to ask for
    }


def test_what_was_planned_and_has_no_result_was_not_measured(audit: Audit, tested: BatteryResult) -> None:
    planned = {**dict.fromkeys((*(one.design for one in tested.tests), "absent", "lost"), "test")}
    planned |= {"q IBD": "detection", "ilps emergent": "emergent"}
    everything = Rule(name="r", statistic="effect_size", above=100)
    found = outcomes(judge(audit, [everything], planned))
    assert found.pop("lost") == "not measured"  # the audit does not even name it
    assert found.pop("absent") == "not measured"
    assert set(found.values()) == {"passed"}
    assert "q IBD" not in found  # a detection has no effect size to be asked for
    assert judge(audit, [Rule(name="r", test="q IBD", statistic="auc", below=0)], planned).broken
    # whether anything emerges, only the answers tell: a rule for all does not miss it, one for it alone does
    counts = Rule(name="r", statistic="left_out", above=100)
    assert "ilps emergent" not in outcomes(judge(audit, [counts], planned))
    alone = judge(audit, [Rule(name="r", test="* emergent", statistic="found", above=0)], planned)
    assert outcomes(alone) == {"* emergent": "not measured"}
    assert not alone.passed


def test_a_value_is_never_said_to_be_above_or_below_itself(audit: Audit) -> None:
    value = readings(audit)["plain"][1]["effect_size"]
    assert isinstance(value, float)
    near = float(f"{value:.4g}")  # what four digits would print
    assert near != value
    above, below = (near, None) if near < value else (None, near)
    rule = Rule(name="r", test="plain", statistic="effect_size", above=above, below=below)
    (verdict,) = judge(audit, [rule]).verdicts
    assert verdict.outcome == "broken"
    told = re.search(r"is (\S+?),", verdict.sentence)
    assert told is not None
    assert float(told[1]) != near
    assert abs(float(told[1]) - value) < abs(near - value)

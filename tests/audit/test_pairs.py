"""Two identities at once, in an audit."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossroads as cr
from crossroads.audit import make_plan, recognise, run_audit
from crossroads.audit.traits import groups_and_pairs
from crossroads.errors import InputError
from crossroads.measures import DominanceResult, EmergentResult, OrderSensitivityResult

GROUPS = ["teenager", "elderly", "Black", "White", "Catholic", "Muslim"]


@pytest.fixture(scope="module")
def answers(small_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a model answered about six groups and their pairs."""
    folder = tmp_path_factory.mktemp("paired") / "answers"
    groups = [*GROUPS, *cr.pairs.paired_groups(GROUPS)]
    cr.probe(small_bert, groups=groups, templates=["singular"], store=folder, threads=1)
    return folder


def test_answers_about_pairs_are_asked_what_pairs_can_tell(answers: Path) -> None:
    audit = run_audit(str(answers)).audit
    for kind in (OrderSensitivityResult, DominanceResult, EmergentResult):
        assert len(audit.of(kind)) == 3
    scores = cr.set_test(cr.Logits.open(answers))
    assert audit["set order"] == cr.pairs.order_sensitivity(scores, seed=0)
    assert audit["set dominance"] == cr.pairs.domain_dominance(scores)
    assert audit["set emergent"] == cr.pairs.emergent(scores)
    assert "pairs of groups" not in audit.unmeasured()
    names = make_plan(recognise(str(answers))).names  # which rules can name
    for one in audit.of(DominanceResult)["ilps dominance"].domain_pairs:
        assert names[f"ilps {one.domain1} / {one.domain2}"] == "dominance"
    assert names["set emergent"] == "emergent"


def test_answers_without_pairs_say_how_to_get_them(tmp_path: Path, small_bert: Path) -> None:
    cr.probe(small_bert, groups=GROUPS, templates=["singular"], store=tmp_path / "answers", threads=1)
    audit = run_audit(str(tmp_path / "answers")).audit
    for kind in (OrderSensitivityResult, DominanceResult, EmergentResult):
        assert not audit.of(kind)
    assert "--pairs" in audit.unmeasured()["pairs of groups"][1]


def test_a_language_model_is_asked_about_pairs_if_wanted(small_bert: Path) -> None:
    plan = make_plan(recognise(str(small_bert)), pairs=True)
    assert plan.pairs
    assert "set emergent" in plan.names
    assert len(groups_and_pairs()) == len(cr.catalog().groups("abc-groups")) + len(cr.pairs.paired_groups())


def test_pairs_are_refused_where_nobody_is_asked_about_groups(small_bert: Path) -> None:
    with pytest.raises(InputError, match=r"^pairs= was given"):
        make_plan(recognise("default"), pairs=True)
    with pytest.raises(InputError, match=r"^pairs= was given"):
        make_plan(recognise(str(small_bert)), [cr.catalog("weat6")], pairs=True)

"""Published tables beside ours: facts as printed, verdicts that mean what they say."""

from __future__ import annotations

import numpy as np
import pytest

from crossroads import Embeddings, catalog, ibd, rsa
from crossroads.core.errors import UnknownNameError
from crossroads.papers.cells import Reproduction
from crossroads.papers.published import table
from crossroads.papers.vectors import PAPERS, detected, fitted, reproduce
from crossroads.sources import Provenance
from crossroads.stats import wefat


def world(dim: int = 8, *, vocabulary: int = 1000) -> Embeddings:
    """Random vectors for every name and word that the tables need."""
    names = {name for one in ("ceat-groups", "rsa-names") for g in catalog(one).members for name in g.items}
    concepts = {word for kinds in catalog("rsa-concepts").values() for s in kinds.values() for word in s}
    words = sorted(names | concepts | set(catalog("ceat-validation").all_words))
    vectors = np.random.default_rng(0).normal(size=(len(words), dim))
    about = Provenance(source="random", details={"vocabulary": vocabulary})
    return Embeddings(words, vectors, provenance=about)


@pytest.mark.parametrize("paper", PAPERS)
def test_other_vectors_are_shown_beside_every_cell_or_cover_none(paper: str) -> None:
    shown, nothing = reproduce(paper, world()), reproduce(paper, Embeddings(["he", "she"], np.eye(2)))
    assert {cell.verdict for cell in shown.cells} <= {"other model", "model absent"}
    assert "not covered" in nothing.verdicts
    assert {cell.verdict for cell in nothing.cells} <= {"not covered", "model absent"}
    assert len(nothing.cells) == len(shown.cells) > 0
    for result in (shown, nothing):
        assert all(cell.reason for cell in result.cells)
        assert not result.same_vectors
        assert Reproduction.from_json(result.to_json()) == result


def test_vectors_of_the_paper_are_recognised_by_their_size() -> None:
    assert not reproduce("rsa", world(300, vocabulary=400_002)).same_vectors
    assert not reproduce("rsa", world(50, vocabulary=400_000)).same_vectors
    told = reproduce("rsa", world(300, vocabulary=400_000))
    assert told.same_vectors
    assert {c.verdict for c in told.cells if c.row.startswith("GloVe")} == {"differs"}  # random, after all
    assert {c.verdict for c in told.cells if c.row.startswith("BERT")} == {"model absent"}
    assert not reproduce("rsa", world(300, vocabulary=400_000), same_vectors=False).same_vectors
    with pytest.raises(UnknownNameError, match="'ceat-ibd'"):
        reproduce("ceat-idb", world())


@pytest.mark.slow
def test_rates_are_equal_to_the_third_decimal_or_differ() -> None:
    # on the paper's own vectors a rate is reproduced only if it rounds to the printed one
    result = reproduce("ceat-ibd", world(), same_vectors=True)
    for cell in result.cells:
        assert cell.ours is not None
        assert (cell.verdict == "equal") == (abs(cell.ours - cell.published) <= 0.0005)
    assert any(0.0005 < abs((c.ours or 0.0) - c.published) < 0.5 for c in result.cells)


def test_rates_of_another_threshold_are_told_by_trying_all() -> None:
    # publish the rates that these vectors have at 0.5, which is not where tpr − fpr is largest
    groups, lists = catalog().groups("ceat-groups"), catalog().words("ceat-validation")
    scores = wefat(world(), groups, lists.all_words, "AF")
    at = ibd(scores.pairs, threshold=0.5, truth=lists["AF"]["intersectional"])
    youden = ibd(scores.pairs, threshold="youden", truth=lists["AF"]["intersectional"])
    assert at.threshold != youden.threshold
    hits = {rate: at.intervals[rate].hits for rate in ("tpr", "fpr")}
    row = {"target": "AF", "kind": "ibd", "tpr": [hits["tpr"], 14], "fpr": [hits["fpr"], 84]}
    source = {**table("ceat-ibd"), "row": [row]}
    cells, _, _ = detected(world(), source, same=True, seed=0)
    assert [(cell.verdict, cell.reason) for cell in cells] == [("convention", "threshold 0.5")] * 3
    # whatever the threshold, a word above it is above every lower one: not all of these and none of those
    impossible = {**source, "row": [{**row, "tpr": [1, 14], "fpr": [84, 84]}]}
    cells, _, _ = detected(world(), impossible, same=True, seed=0)
    assert {cell.column: cell.verdict for cell in cells}["fpr"] == "differs"
    assert "convention" not in {cell.verdict for cell in cells}


def test_points_of_the_released_rule_of_removal_are_told_by_trying_it() -> None:
    # publish what EIBD gives here if no word is removed: more words than with any other rule
    groups, lists = catalog().groups("ceat-groups"), catalog().words("ceat-validation")
    scores, emergent = wefat(world(), groups, lists.all_words, "AF"), lists["AF"]["emergent"]
    at = ibd(scores.pairs, threshold=-0.5, truth=emergent)
    row = {"target": "AF", "kind": "eibd", "tpr": [at.intervals["tpr"].hits, 9]}
    row["fpr"] = [at.intervals["fpr"].hits, 89]
    cells, _, _ = detected(world(), {**table("ceat-ibd"), "row": [row]}, same=True, seed=0)
    assert {cell.verdict for cell in cells} <= {"convention", "equal"}
    reasons = {cell.reason for cell in cells if cell.verdict == "convention"}
    assert len(reasons) == 1
    assert "no word removed, as in the released code (remove='none')" in reasons.pop()


def test_a_fit_without_replacement_is_told_from_one_with() -> None:
    emb = world(300)
    source = table("rsa")
    asked = next(one for one in catalog("rsa-names").comparisons if one.name == "black-names-female")
    names, concepts = catalog().groups("rsa-names"), catalog().words("rsa-concepts")
    parts = names[asked.group1].items, names[asked.group2].items, concepts[asked.concept]["concept"]
    drawn = {flag: rsa(emb, *parts, replace_concept=flag) for flag in (True, False)}
    for flag, verdict in ((True, "equal"), (False, "convention")):
        found = {name: getattr(drawn[flag], name) for name in ("similarity1", "similarity2")}
        row = {"model": "GloVe", "comparison": "black-names-female", **found}
        cells, _, _ = fitted(emb, {**source, "row": [row]}, same=True, seed=0)
        assert cells[0].verdict == verdict, (drawn[True].similarity1, drawn[False].similarity1)

"""Badges of fidelity: measures exist, options are real, equations are where they are said to be."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.measures.traits.scores import averaged
from crossroads.papers.fidelity import BADGES, Choice, Fidelity, fidelity
from crossroads.results import read_only
from crossroads.stimuli import Trait
from crossroads.stimuli.identities.pairs import paired_groups

SHARED = Path(os.environ.get("CROSSROADS_SHARED") or Path(__file__).resolve().parents[3] / "shared")
OPTIONS = [(one, choice) for one in fidelity() for choice in one.options]
RNG = np.random.default_rng(0)
NAMES = {(f"r{i}", f"g{j}"): [f"r{i}g{j}n{k}" for k in range(4)] for i in range(2) for j in range(2)}
DESIGN = cr.Design(
    name="toy",
    x=[f"x{i}" for i in range(14)],
    y=[f"y{i}" for i in range(14)],
    a=[f"a{i}" for i in range(14)],
    b=[f"b{i}" for i in range(14)],
)
LABELS = [*DESIGN.words, *(name for names in NAMES.values() for name in names)]
EMB, OTHER = (cr.Embeddings(LABELS, RNG.normal(size=(len(LABELS), 9))) for _ in range(2))
CONTEXTS = cr.Contexts.from_dict({word: RNG.normal(size=(5, 9)) for word in LABELS})
PAIRS = (("cold", "warm"), ("poor", "rich"), ("weak", "strong"))
GROUPS = ("teenager", "elderly", "Black", "White", "Catholic", "Muslim")


def logits() -> cr.Logits:
    """A masked model with a vocabulary of five words."""
    words = ("cold", "warm", "icy", "hot")
    full = RNG.normal(size=(3, 5))
    logit = np.repeat(full[:, None, :4, None], 1, axis=1)
    slot = np.arange(3)[:, None, None, None] * np.ones((1, 1, 4, 1), dtype=int)
    total = np.log(np.exp(full).sum(axis=1))
    trait = Trait(left="cold", right="warm", scale="Communion", human_key="cold - warm",
                  left_synonyms=("icy",), right_synonyms=("hot",))  # fmt: skip
    return cr.Logits.from_arrays(
        groups=["women"],
        priors=["mask", "noun"],
        templates=["{capitalised} are {trait}."],
        traits=[trait],
        adjectives=words,
        logit=logit,
        slot=slot,
        chain_logit=logit,
        chain_slot=slot,
        word_initial=np.ones((4, 1), dtype=bool),
        head=-np.sort(-full, axis=1),
        log_sum_exp=total,
        log_sum_initial=total - 0.1,
        log_sum_continuation=total - 3,
        log_sum_bare_initial=total - 0.1,
        log_sum_bare_continuation=total - 2.9,
        hidden_sq_norm=np.full(3, 200.0),
        vocabulary=5,
    )


def scores() -> cr.traits.TraitScores:
    """Scores of groups and of their pairs, in two templates."""
    rows = [*GROUPS, *(pair.name for pair in paired_groups(list(GROUPS)))]
    words = tuple(word for pair in PAIRS for word in pair)
    table = RNG.normal(size=(2, len(rows), len(words)))
    by_adjective, means = averaged(table, words, PAIRS)
    return cr.traits.TraitScores(
        measure="toy",
        groups=tuple(rows),
        traits=tuple("-".join(pair) for pair in PAIRS),
        scores=means,
        pairs=PAIRS,
        adjectives=words,
        adjective_scores=by_adjective,
        templates=("t0", "t1"),
        template_scores=read_only(table),
    )


def human() -> dict[str, dict[str, float]]:
    return {g: {"-".join(pair): float(RNG.uniform(0, 100)) for pair in PAIRS} for g in GROUPS}


@cache
def ready() -> dict[str, Callable[..., Any]]:
    """Each function with everything but its options."""
    scored, table = scores(), cr.wefat(EMB, NAMES, DESIGN.x, ("r0", "g0"))
    tall = {"tall": (DESIGN.a, DESIGN.b)}
    return {
        "weat": partial(cr.weat, EMB, DESIGN),
        "sc_weat": partial(cr.sc_weat, EMB, DESIGN.x, DESIGN.a, DESIGN.b),
        "mleat": partial(cr.mleat, EMB, DESIGN),
        "wefat": partial(cr.wefat, EMB, NAMES, DESIGN.x, ("r0", "g0")),
        "ibd": partial(cr.ibd, table.pairs, truth=DESIGN.x[:3]),
        "eibd": partial(cr.eibd, table.pairs, table.constituents, threshold=0.5),
        "ceat": partial(cr.ceat, CONTEXTS, DESIGN, samples=10),
        "multilevel_ceat": partial(cr.multilevel_ceat, CONTEXTS, DESIGN, samples=10),
        "rsa": partial(cr.rsa, EMB, DESIGN.x, DESIGN.b, DESIGN.a, n=3, samples=5),
        "group_ceat": partial(cr.traits.group_ceat, CONTEXTS, {"g": DESIGN.x[:2]}, tall, samples=10),
        "ilps": partial(cr.ilps, logits()),
        "ilps_star": partial(cr.ilps_star, logits()),
        "set_test": partial(cr.set_test, logits()),
        "set_distance": partial(cr.set_distance, [0.0, 1.0, 2.0], 4.0, 0),
        "choose_templates": partial(cr.traits.choose_templates, scored, human()),
        "align": partial(cr.align, scored, human(), bootstrap=0, splits=0),
        "domain_dominance": partial(cr.pairs.domain_dominance, scored),
        "emergent": partial(cr.pairs.emergent, scored),
        "bootstrap": partial(cr.stats.bootstrap, EMB, DESIGN, resamples=10),
        "ceat_bootstrap": partial(cr.stats.ceat_bootstrap, CONTEXTS, DESIGN, resamples=10),
        "influence": partial(cr.stats.influence, EMB, DESIGN),
        "compare": partial(cr.compare, EMB, OTHER, DESIGN),
        "discover": partial(cr.discover, EMB, NAMES, ("r0", "g0"), words=DESIGN.x, permutations=5),
    }


def function(measure: str) -> Any:
    """A public function, of the top or of a group."""
    return next(getattr(one, measure) for one in (cr, cr.stats, cr.traits, cr.pairs) if measure in dir(one))


@pytest.mark.parametrize("one", fidelity(), ids=lambda one: f"{one.measure} {one.part}")
def test_every_measure_exists_and_says_where_it_comes_from(one: Fidelity) -> None:
    assert callable(function(one.measure))
    assert one.badge in BADGES
    assert one.paper
    assert one.doi.startswith("10.")
    assert one.choice.endswith(".")
    assert bool(one.equation) or one.badge == "ours"
    assert json.loads(json.dumps(one.to_dict()))["badge"] == one.badge


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "choice"), OPTIONS, ids=[f"{one.measure} {choice}" for one, choice in OPTIONS]
)
def test_every_option_is_a_parameter_that_takes_the_value_and_is_not_the_default(
    one: Fidelity, choice: Choice
) -> None:
    parameter = inspect.signature(function(one.measure)).parameters[choice.name]
    assert parameter.default != choice.value
    assert ready()[one.measure](**{choice.name: choice.value}) is not None


def test_values_that_do_not_exist_would_be_refused() -> None:
    for name, option in (
        ("weat", "method"),
        ("rsa", "dissimilarity"),
        ("set_test", "score"),
        ("eibd", "remove"),
    ):
        with pytest.raises(cr.CrossroadsError):
            ready()[name](**{option: "nonsense"})


def test_every_published_measure_has_a_badge() -> None:
    named = {one.measure for one in fidelity()}
    assert named >= {
        "weat", "sc_weat", "mleat", "ceat", "ibd", "eibd", "wefat", "rsa", "ilps", "ilps_star", "set_test",
        "group_ceat", "align", "bootstrap", "influence", "compare", "emergent", "domain_dominance",
    }  # fmt: skip
    assert {one.badge for one in fidelity()} == set(BADGES)


@pytest.mark.parametrize(
    ("paper", "texts"),
    [
        # equation numbers as the papers print them, by what stands before the number
        ("ml-eat.txt", [("u(A_i, B_i, T) > u(A, B, T)", "(7)"), (r"\overline{TA} = \frac{1}{nm}", "(10)")]),
        ("ml-eat.txt", [(r"\text{std.dev}_{x \in A \cup B} \cos", "(9)"), ("d_{A,B,T} =", "(5)")]),
        ("rsa.txt", [("R_{Ref} = D(M_{Ref}, c)", "(1)"), ("s_{Hyp2} = sim", "(5)")]),
        ("ceat-appendix.txt", [("8.2 Formal Definition of EIBD", ""), ("8.3 Random-Effects Model", "")]),
        ("abc-set.txt", [("3.1 Measurements of Word Associations", ""), ("3.2 Implementation details", "")]),
    ],
)
def test_equation_numbers_are_those_of_the_papers(paper: str, texts: list[tuple[str, str]]) -> None:
    file = SHARED / "papers" / paper
    if not file.is_file():
        pytest.skip("needs the project's shared data folder beside the checkout")
    lines = file.read_text(encoding="utf-8").splitlines()
    for start, number in texts:
        assert any(start in line and line.rstrip(" $").endswith(number) for line in lines), start

"""A small audit of made-up vectors whose names are as hard to print as names can be."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crossroads import (
    Contexts,
    Design,
    Embeddings,
    Provenance,
    battery,
    ceat_battery,
    eibd,
    ibd,
    multilevel_ceat,
    rsa,
    series,
    wefat,
)
from crossroads.evidence import Judgements
from crossroads.measures import (
    BatteryResult,
    TraitScores,
    align,
    domain_dominance,
    emergent,
    ilps,
    order_sensitivity,
)
from crossroads.report import Audit
from crossroads.results import Result
from crossroads.stats import bootstrap, ceat_bootstrap, influence
from crossroads.stimuli import paired_groups
from tests.results import CROSSED, GROUPS, LABELS, WORDS, asked

HARD = r"a&b %_#~^\ <i> | [x] *é*"


def designs() -> list[Design]:
    absent = Design(name="absent", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"])
    hard = Design(name=HARD, source="Ünlü, A. & {B} (1999). 100 % of it.", **WORDS)  # type: ignore[arg-type]
    plain = Design(name="plain", **{**WORDS, "x": ["x0", "x1", "gone"]})  # type: ignore[arg-type]
    return [hard, plain, absent]


def model() -> Embeddings:
    vectors = np.random.default_rng(1).normal(size=(16, 5))
    about = Provenance(source="vectors & co_1.txt", sha256="ab12", revision="main", details={"dim": 5})
    return Embeddings(LABELS, vectors, provenance=about)


def made(alternative: str = "two-sided", *, level: float = 0.95, **options: Any) -> Audit:
    emb = model()
    pairs = wefat(emb, GROUPS, WORDS["a"], "p / s")
    kept = designs()[:2]
    tested = battery(emb, designs(), alternative=alternative, resamples=20, **options)
    drawn = {one.name: bootstrap(emb, one, resamples=20, level=level, missing="drop") for one in kept}
    found: dict[str, Result] = {"battery": dataclasses.replace(tested, intervals=drawn)}
    found |= {one._label: one for one in (influence(emb, each, missing="drop") for each in kept)}
    found["p IBD"] = ibd(pairs.pairs, threshold="accuracy", truth=["a1"])
    found["p EIBD"] = eibd(pairs.pairs, pairs.constituents, threshold=0.1)
    fit = rsa(emb, WORDS["y"], WORDS["a"], WORDS["b"], n=3, samples=5, permutations=9)
    found[fit._label] = fit
    return Audit(found, left_out={"q IBD": "no words."})


def contexts() -> Contexts:
    rng = np.random.default_rng(2)
    rows = {word: rng.normal(size=(3, 5)) + i % 4 for i, word in enumerate(LABELS)}
    return Contexts.from_dict(rows, provenance=Provenance(source="store_1"))


def crossed() -> TraitScores:
    """Scores of six groups and of all their pairs."""
    rng = np.random.default_rng(1)
    names = [*CROSSED, *(pair.name for pair in paired_groups(CROSSED))]
    rows = {name: {f"<b>_{i}": float(rng.normal()) for i in range(6)} for name in names}
    return TraitScores.from_table(rows, measure="m&m", provenance=(Provenance(source="lm_1"),))


def people(scores: TraitScores) -> Judgements:
    groups = (*scores.groups[:5], "nobody")
    ratings = np.random.default_rng(1).uniform(0, 100, size=(3, 6, len(scores.traits)))
    return Judgements(
        groups=groups,
        traits=scores.traits,
        annotators=("p", "q", "r"),
        ratings=ratings,
        provenance=Provenance(source="people & co.csv"),
    )


def everything() -> Audit:
    """All that an audit can hold, in one; no model has it all."""
    store, scores = contexts(), crossed()
    hard, plain, absent = designs()
    early = Embeddings(["p"], [[1.0]], provenance="1800")
    pairs: Any = paired_groups(CROSSED)
    aligned = align(scores, people(scores), permutations=9, bootstrap=9, splits=3)
    drawn = {hard.name: ceat_bootstrap(store, hard, resamples=5)}
    tested = ceat_battery(store, [hard, plain, absent], samples=5, resamples=0)
    others = (
        series({1800: early, 1900: model(), 1950: model()}, plain, resamples=10),
        dataclasses.replace(tested, intervals=drawn),
        multilevel_ceat(store, hard, samples=5),
        scores,
        ilps(asked(Provenance(source="lm_1"))),
    )
    on_pairs = (
        order_sensitivity(scores, pairs, resamples=10),
        domain_dominance(scores, pairs),
        emergent(scores, pairs, on="traits"),
    )
    return Audit(
        (*others, aligned, *on_pairs),
        kind="language model",
        left_out={"SeT scores": "no logits."},
    )


@pytest.fixture(scope="session")
def audit() -> Audit:
    return made()


@pytest.fixture(scope="session")
def tested(audit: Audit) -> BatteryResult:
    """The battery of the audit."""
    found = audit.one(BatteryResult)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def whole() -> Audit:
    """An audit without a battery on vectors, and with everything else."""
    return everything()


@pytest.fixture(scope="session")
def audit_vectors() -> Embeddings:
    """The model of the audit."""
    return model()


@pytest.fixture(scope="session")
def audit_designs() -> list[Design]:
    return designs()[:2]


@pytest.fixture(scope="session")
def another_audit() -> Callable[..., Audit]:
    """Make the audit again under other conventions."""
    return made

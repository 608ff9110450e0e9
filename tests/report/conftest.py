"""A small audit of made-up vectors whose names are as hard to print as names can be."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import Design, Embeddings, Provenance, battery, bootstrap, eibd, ibd, influence, rsa, wefat
from crossroads.report import Audit
from crossroads.results import Result

HARD = r"a&b %_#~^\ <i> | [x] *é*"
WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
LABELS = [word for words in WORDS.values() for word in words]
GROUPS = {("p", "s"): WORDS["x"], ("p", "t"): WORDS["y"], ("q", "s"): WORDS["b"]}


def designs() -> list[Design]:
    absent = Design(name="absent", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"])
    hard = Design(name=HARD, source="Ünlü, A. & {B} (1999). 100 % of it.", **WORDS)  # type: ignore[arg-type]
    plain = Design(name="plain", **{**WORDS, "x": ["x0", "x1", "gone"]})  # type: ignore[arg-type]
    return [hard, plain, absent]


def model() -> Embeddings:
    vectors = np.random.default_rng(1).normal(size=(16, 5))
    about = Provenance(source="vectors & co_1.txt", sha256="ab12", revision="main", details={"dim": 5})
    return Embeddings(LABELS, vectors, provenance=about)


def made(alternative: str = "two-sided", **options: Any) -> Audit:
    emb = model()
    pairs = wefat(emb, GROUPS, WORDS["a"], "p / s")
    kept = designs()[:2]
    return Audit(
        battery=battery(emb, designs(), alternative=alternative, resamples=20, **options),
        intervals=tuple(bootstrap(emb, one, resamples=20, missing="drop") for one in kept),
        influences=tuple(influence(emb, one, missing="drop") for one in kept),
        detections={
            "p IBD": ibd(pairs.pairs, threshold="accuracy", truth=["a1"]),
            "p EIBD": eibd(pairs.pairs, pairs.constituents, threshold=0.1),
        },
        fits=(rsa(emb, WORDS["y"], WORDS["a"], WORDS["b"], n=3, samples=5, permutations=9),),
        left_out={"q IBD": "no words."},
    )


@pytest.fixture(scope="session")
def audit() -> Audit:
    return made()


@pytest.fixture(scope="session")
def audit_designs() -> list[Design]:
    return designs()[:2]


@pytest.fixture(scope="session")
def another_audit() -> Callable[..., Audit]:
    """Make the audit again under other conventions."""
    return made


@pytest.fixture(scope="session")
def every_result() -> dict[str, Result]:
    """A result of every type, as ``tests/test_results.py`` makes them."""
    name = "results_of_every_type"
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "test_results.py")
    if spec is None or spec.loader is None:
        pytest.fail("tests/test_results.py is missing.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found: dict[str, Result] = module.RESULTS
    return found

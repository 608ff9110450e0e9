"""What papers print, from ``tests/references``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.traits.people.evidence import Judgements

REFERENCES = Path(__file__).parents[1] / "references"


@pytest.fixture(scope="session")
def printed_tables() -> Any:
    """The tables of the papers, as they are printed."""
    return json.loads((REFERENCES / "printed_tables.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def human() -> Judgements:
    """Made-up judgements of the groups and traits of the ABC study; no paper prints all of the real ones."""
    study = json.loads((REFERENCES / "cao_human_study.json").read_text(encoding="utf-8"))
    asked = [(name or label).removesuffix(" person") for label, name in study["groups"].items()]
    groups = tuple(dict.fromkeys(asked))
    spelled = (trait.replace(" - ", "-").replace("egoistic", "egotistic") for trait in study["traits"])
    traits = tuple(spelled)  # the data spell one as no table does
    given = np.random.default_rng(1).uniform(5, 95, size=(len(groups), len(traits)))
    return Judgements(groups=groups, traits=traits, ratings=np.empty((0, *given.shape)), given=given)

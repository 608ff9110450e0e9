"""What papers print, from ``tests/references``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.evidence import Judgements

REFERENCES = Path(__file__).parents[1] / "references"


@pytest.fixture(scope="session")
def printed_tables() -> Any:
    """The tables of the papers, as they are printed."""
    return json.loads((REFERENCES / "printed_tables.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def human() -> Judgements:
    """The mean judgements of the ABC study."""
    means = json.loads((REFERENCES / "cao_human_means.json").read_text(encoding="utf-8"))
    given = np.array(list(means["groups"].values()))
    none = np.empty((0, *given.shape))
    groups, traits = tuple(means["groups"]), tuple(means["traits"])
    return Judgements(groups=groups, traits=traits, ratings=none, given=given)

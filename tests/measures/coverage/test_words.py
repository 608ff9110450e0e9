"""Which words of a test have a vector that can be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossroads import Design, Embeddings, weat
from crossroads.errors import EvidenceError
from crossroads.measures.coverage import gaps, words

DESIGN = Design(name="four", **{role: [f"{role}{i}" for i in range(4)] for role in "xyab"})  # type: ignore[arg-type]


def model(**rows: float) -> Embeddings:
    """Random vectors, except that some words have one number everywhere."""
    rng = np.random.default_rng(3)
    names = [f"{role}{i}" for role in "xyab" for i in range(4)]
    return Embeddings.from_dict({w: np.full(5, rows[w]) if w in rows else rng.normal(size=5) for w in names})


@pytest.mark.parametrize("at_a_time", [1, 3, 1000])
def test_rows_that_are_not_finite_or_0_are_named_however_many_are_read_together(
    at_a_time: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # rows in memory are checked when they are given; those of a file only where they are used
    monkeypatch.setattr(words, "_ROWS_AT_A_TIME", at_a_time)
    emb = model()
    vectors = np.array(emb.vectors)
    vectors[[emb.labels.index("y2"), emb.labels.index("y3")], [0, 4]] = np.nan, np.inf
    np.save(tmp_path / "v.npy", vectors)
    mapped = Embeddings(emb.labels, np.load(tmp_path / "v.npy", mmap_mode="r"))
    named = "'y2' and 'y3'" if at_a_time == 1000 else "'y2'"  # those that are read together
    with pytest.raises(EvidenceError, match=f"the vector of {named} contains nan or infinite values"):
        weat(mapped, DESIGN)
    found = weat(model(a3=0.0, a1=0.0), DESIGN, missing="drop")
    assert found.coverage is not None
    assert dict(found.coverage.dropped["a"]) == {"a1": gaps.ZERO, "a3": gaps.ZERO}
    assert found.coverage.used["a"] == ("a0", "a2")

"""Stimuli that have no usable vector: every gap of every design in one message, and what would close it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossroads import Contexts, Design, Embeddings, battery, compare, series, weat
from crossroads.core.errors import EvidenceError, MissingStimuliError
from crossroads.core.results import gathered as words
from crossroads.core.results.gaps import ZERO, require_stimuli

WORDS = [f"{name}{i}" for name in "xyab" for i in range(4)]


def model(*labels: str, zero: str = "") -> Embeddings:
    rng = np.random.default_rng(1)
    vectors = {label: rng.normal(size=6) * (label != zero) for label in (*WORDS, *labels)}
    return Embeddings.from_dict(vectors)


def design(name: str, **more: list[str]) -> Design:
    sets = {role: [f"{role}{i}" for i in range(4)] + more.get(role, []) for role in "xyab"}
    return Design(name=name, **sets)  # type: ignore[arg-type]


FIRST = design("first", x=["gone"], b=["lost"])
SECOND = design("second", y=["gone", "Rose"])
GAPS = {
    "first": {"x": {"gone": "not in the vocabulary"}, "b": {"lost": "not in the vocabulary"}},
    "second": {"y": {"gone": "not in the vocabulary", "Rose": "not in the vocabulary"}},
}


def test_every_gap_of_every_design_is_told_at_once() -> None:
    with pytest.raises(MissingStimuliError) as caught:
        battery(model("rose"), [FIRST, design("whole"), SECOND], missing="raise")
    error = caught.value
    assert error.message == (
        "3 stimuli of 2 designs have no usable vector:\n  first: x: gone; b: lost\n  second: y: gone and Rose"
    )
    assert error.gaps == GAPS
    assert set(error.missing) == {"gone", "lost", "Rose"}
    assert error.hint is not None
    assert "1 of them is there under another spelling: allow it with fallback='lower'." in error.hint
    with pytest.raises(MissingStimuliError) as caught:
        require_stimuli(model(zero="a2"), [design("d")])
    assert caught.value.gaps == {"d": {"a": {"a2": "zero vector"}}}
    with pytest.raises(MissingStimuliError, match="for gladiola: gladiolas"):
        weat(model("gladiolas"), design("flowers", x=["gladiola"]))


def test_gaps_in_several_models_and_of_contexts_are_told_at_once() -> None:
    with pytest.raises(MissingStimuliError) as caught:
        compare({"one": model("rose"), "two": model("gone", "Rose")}, [FIRST, SECOND], missing="raise")
    assert set(caught.value.gaps) == {"first in one", "second in one", "first in two"}
    with pytest.raises(MissingStimuliError) as caught:
        series({1900: model(), 1910: model("gone", "lost"), 1920: model("gone")}, FIRST, missing="raise")
    assert set(caught.value.gaps) == {"first 1900", "first 1920"}
    contexts = Contexts.from_dict({word: np.eye(6)[:3] for word in [*WORDS, "rose"]})
    with pytest.raises(MissingStimuliError) as caught:
        battery(contexts, [FIRST, SECOND], samples=5, missing="raise")
    assert caught.value.gaps["second"]["y"] == {"gone": "no context", "Rose": "no context"}


def test_tests_that_are_skipped_say_what_spelling_would_help() -> None:
    names = Design(name="names", x=["Ann", "Bea"], y=["Cid", "Dan"], a=["a0", "a1"], b=["b0", "b1"])
    emb = model("ann", "bea", "cid", "dan")
    (reason,) = battery(emb, names).skipped.values()
    assert "x has 0 of 2 stimuli left, and needs 2; left out: Ann and Bea. " in reason
    assert "4 of them would be found with the fallback 'lower' (--spelling lower)." in reason
    with pytest.raises(MissingStimuliError, match=r"^in names, x has 0 of 2") as caught:
        weat(emb, names, missing="drop")
    assert set(caught.value.gaps["names"]) == {"x", "y"}
    assert battery(emb.with_fallback("lower"), names).skipped == {}


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
        weat(mapped, design("d"))
    vectors = np.array(emb.vectors)
    vectors[[emb.labels.index("a1"), emb.labels.index("a3")]] = 0
    found = weat(Embeddings(emb.labels, vectors), design("d"), missing="drop")
    assert found.coverage is not None
    assert dict(found.coverage.dropped["a"]) == {"a1": ZERO, "a3": ZERO}
    assert found.coverage.used["a"] == ("a0", "a2")

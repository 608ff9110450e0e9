"""Made-up models of every kind, small enough to be audited in a moment."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.evidence import Contexts
from crossroads.core.stimuli import Design
from tests.fixtures.sources import service as service  # the server on loopback

MakeVectors = Callable[..., Path]


def made_design(name: str = "mine", size: int = 4) -> Design:
    """A design whose words are its own."""
    sets: dict[str, Any] = {role: [f"{name}-{role}{i}" for i in range(size)] for role in "xyab"}
    return Design(name=name, **sets)


@pytest.fixture
def make_vectors(tmp_path: Path) -> MakeVectors:
    """``make_vectors(designs, name, seed)``: a file with a random vector for every word of some designs."""

    def make(designs: list[Design], name: str = "vectors.txt", seed: int = 1) -> Path:
        rng = np.random.default_rng(seed)
        words = dict.fromkeys(word for design in designs for word in design.words)
        lines = [" ".join([word, *map(repr, rng.normal(size=6).tolist())]) for word in words]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tmp_path / name

    return make


@pytest.fixture
def decades(tmp_path: Path) -> Path:
    """Three decades with the words of two designs; the first lacks most words of the second."""
    folder, rng = tmp_path / "decades", np.random.default_rng(3)
    folder.mkdir()
    both = [*made_design("one").words, *made_design("two").words]
    for decade in (1900, 1910, 1920):
        rows = rng.normal(size=(len(both), 5))
        if decade == 1900:
            rows[len(both) // 2 :] = 0  # a word that does not occur has a row of zeros
        np.save(folder / f"{decade}-w.npy", rows)
        (folder / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(both, 2))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Twelve contexts for every word of a design."""
    rng = np.random.default_rng(4)
    words = {word: rng.normal(size=(12, 6)) for word in made_design("mine").words}
    Contexts.from_dict(words, provenance="made up").save(tmp_path / "store")
    return tmp_path / "store"

"""A tiny vocabulary, and gensim where it is installed."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Vectors = dict[str, NDArray[np.float32]]


@pytest.fixture
def tiny() -> Vectors:
    """Six words, some of them awkward, with three dimensions each."""
    words = ["rose", "wasp", "café", "Ünal", "new_york", "1994"]
    rng = np.random.default_rng(7)
    return {word: rng.normal(size=3).astype(np.float32) for word in words}


@pytest.fixture(scope="session")
def gensim() -> Any:
    """gensim, an independent writer and reader of most formats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module("gensim.models.fasttext")
            return importlib.import_module("gensim")
        except ImportError:
            pytest.skip("gensim is not installed (extra [test])")
